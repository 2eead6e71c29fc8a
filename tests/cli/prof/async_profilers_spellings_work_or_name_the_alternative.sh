exec 2>&1
echo 'a.B.c;d.E.f 5' >in.folded
try() {
	echo "-- $*" | sed "s/ $$\$/ PID/"
	sjkc prof "$@" | head -n 7
}
for event in cycles cache-misses java.util.HashMap.put \
	Thread::run kprobe:do_sys_open cpuu walll help; do
	try -e "$event" $$
done
for output in jfr heatmap; do
	try -o "$output" $$
done
for action in start stop dump status list; do
	try "$action" $$
done
try -i 10ms -F 99 $$
try -i 1 $$
try -e lock -i 10us $$
try -e alloc -i 10ms $$
try --alloc 512k $$
try --cstack dwarf $$
try -f out.html -o other.html $$
try -o flamegraph --output-format text $$
# With a recording, too.
try -i in.folded -o flat
try -i in.folded -o collapsed
try -i in.folded -o collapsed -f out.folded
cat out.folded
try -i in.folded -f out.html
ls
# Patterns in a file name.
try -i in.folded -f %p.html
try -i in.folded -f out.%n.html
try -q -i in.folded -f out-%t.txt
ls out-2???????-??????.txt >/dev/null && rm out-2*
try -i in.folded -o out-%n.txt
ls
