# A dump in the log formats of Docker, Kubernetes (CRI) and logstash; the
# runtimes split lines of over 16 KB.
python3 - "$DATA/dumps/jstack-waits-jdk17.txt" <<'P'
import json, sys
lines = open(sys.argv[1]).read().splitlines()
at = next(i for i, l in enumerate(lines) if l.startswith('"main"'))
lines[at] = lines[at].replace('"main"', '"' + 20000 * 'm' + '"')
open('plain.txt', 'w').write('\n'.join(lines) + '\n')

def parts(line):
    return [line[i:i + 16384] for i in range(0, len(line), 16384)] or ['']

def docker(part, is_last):
    return json.dumps({'log': part + ('\n' if is_last else ''),
                       'stream': 'stdout', 'time': '2026-05-03T16:12:41.1Z'})

def cri(part, is_last):
    return '2026-05-03T16:12:41.123456789Z stdout %s %s' % (
        'F' if is_last else 'P', part)

def write(name, encode, split):
    with open(name, 'w') as out:
        for line in lines:
            pieces = split(line)
            for i, piece in enumerate(pieces):
                print(encode(piece, i + 1 == len(pieces)), file=out)

write('docker.txt', docker, parts)
write('cri.txt', cri, parts)
write('logstash.txt', lambda line, _: json.dumps(
    {'@timestamp': '2026-05-03T16:12:41.000Z', 'message': line,
     'kubernetes': {'pod': 'web-0'}}), lambda line: [line])
P
sjkc threads --json plain.txt | sed 's/plain.txt//' >plain.json
echo "exit status $?, $(grep -o '"vm":"[^"]*"' plain.json | head -n 1)"
for log in docker cri logstash; do
	sjkc threads --json $log.txt | sed "s/$log.txt//" >$log.json
	cmp plain.json $log.json && echo "$log: the same"
done
