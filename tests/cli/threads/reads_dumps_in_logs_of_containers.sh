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

# Dumps without a title, which Java code prints, and class histograms.
cat >info.txt <<'E'
"worker-1" Id=12 BLOCKED on com.acme.Store@1b2c3d owned by "worker-2" Id=13
	at com.acme.Store.put(Store.java:40)
	-  blocked on com.acme.Store@1b2c3d

"worker-2" Id=13 RUNNABLE
	at com.acme.Store.get(Store.java:20)

E
cat >visualvm.txt <<'E'
"http-1" - Thread t@96965
   java.lang.Thread.State: TIMED_WAITING
    at sun.misc.Unsafe.park(Native Method)
    at java.lang.Thread.run(Thread.java:745)

   Locked ownable synchronizers:
    - None

E
cat >histo.txt <<'E'
4711:
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:          1500         150000  [B (java.base@17.0.9)
   2:          1200          28800  java.lang.String (java.base@17.0.9)
Total          2700         178800
E
for text in info visualvm histo; do
	report="sjkc threads --json"
	[ $text = histo ] && report="sjkc hh -i"
	sed 's/^/2026-05-03T16:12:41.1Z stdout F /' $text.txt >$text.cri
	python3 -c 'import json, sys
for line in sys.stdin:
    print(json.dumps({"log": line, "stream": "stdout"}))
' <$text.txt >$text.docker
	$report $text.txt 2>&1 | sed "s/$text.txt//" >plain.out
	echo "$text: $(grep -c 'worker-1\|http-1\|java.lang.String' plain.out)"
	for log in cri docker; do
		$report $text.$log 2>&1 | sed "s/$text.$log//" |
			cmp plain.out - && echo "$text in $log: the same"
	done
done
# Without the title of the dump, for which a log may be too short, the header of a
# thread shows the prefix of the lines.
sed -n '/^"main"/,$p' "$DATA/dumps/jstack-waits-jdk17.txt" >untitled.txt
sjkc threads --json untitled.txt 2>/dev/null | sed 's/untitled.txt//' >untitled.json
echo "threads: $(grep -o '"tid":' untitled.json | wc -l)"
python3 - <<'P'
lines = open('untitled.txt').read().splitlines()
for name, prefix in [
        ('kubectl', lambda i: '[pod/web-0/app] '),
        ('journald', lambda i: 'Nov 28 20:00:%02d node-1 java[4711]: ' % (i % 60)),
        ('compose', lambda i: 'web-1  | ')]:
    with open(name + '.txt', 'w') as out:
        for i, line in enumerate(lines):
            print(prefix(i) + line, file=out)
P
for log in kubectl journald compose; do
	sjkc threads --json $log.txt 2>/dev/null | sed "s/$log.txt//" >$log.json
	cmp untitled.json $log.json && echo "$log: the same"
done
