try() {
	echo "-- $*"
	sjkc ttop "$@" 2>&1
	echo "status $?"
}
made=made.jsonl
cp "$DATA/ttop/made.jsonl" .
try --csv --json --replay "$made"
try --replay "$made" 4711
try --replay "$made" --record other.jsonl
try -p 4711 --record -
try -p 4711 -ri 0s
try --replay "$made" -o CPU,TIME
try --replay "$made" -o ''
echo '{}' >none.jsonl
try --replay none.jsonl
head -n 2 "$made" >one.jsonl
try --replay one.jsonl
try --replay missing.jsonl
try -s 127.0.0.1:1 -p 4711
try -s 127.0.0.1:1 --no-attach
try -s 127.0.0.1:1 --replay "$made"
for live in '--timeout 1s' '--reconnect 5s' --no-attach --no-uprobes --jmx --tls; do
	# shellcheck disable=SC2086 # words
	try --replay "$made" $live
done
try -p 4711 --jmx --no-attach
try -p 4711 --user monitor
try -p 4711 --force-hostname
try -p 4711 --insecure
try -s nowhere
# Nothing listens on port 1.
try -s 127.0.0.1:1 -b
try -s 127.0.0.1:1 -b -c
try 127.0.0.1:1 -b
try -b -o CPU 127.0.0.1:1
try -b --order NONSENSE
try -b --sort CPU,NONSENSE
try -s 127.0.0.1:1 -b --timeout 0
try -p 4711 -b --timeout 0
try -s 127.0.0.1:1 --user monitor --password secret
