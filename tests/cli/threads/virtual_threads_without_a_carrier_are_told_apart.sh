# A dump of JDK 25: two virtual threads occupy all carriers, and twelve have not started.
cp "$DATA/dumps/dump_to_file-starved-jdk25.json" dump.json
sjkc threads -q dump.json | head -n 14
echo '-- page'
sjkc threads -q -o page.html dump.json
grep -c 'not started or waiting for a carrier' page.html
grep -c '<p>virtual threads that have not started or wait for a carrier: 12</p>' page.html
echo '-- one mounted thread'
python3 - dump.json <<'EOF'
import json, sys
dump = json.load(open(sys.argv[1]))
for c in dump['threadDump']['threadContainers']:
    c['threads'] = [t for t in c['threads'] if t['name'] != 'request-60']
json.dump(dump, open('one.json', 'w'))
EOF
sjkc threads -q one.json | grep mounted
