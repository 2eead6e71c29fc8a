# A recording keeps all events of another one: the same samples and weights.
input=$DATA/jfr/ap-lock.jfr
sjkc flame -q -o x.jfr "$input"
sjkc flame --list-events x.jfr
for event in lock park; do
	sjkc flame -q -t -e $event --total -o wanted --output-format collapsed "$input"
	sjkc flame -q -t -e $event --total -o got --output-format collapsed x.jfr
	[ -s got ] || echo "no $event"
	cmp got wanted
done
# Other inputs: names without a dot get a prefix, frames keep their kinds.
printf 'main_[0];a.B.c_[1];Object.wait_[i];ns::f;read;do_futex_[k] 3\n' >in.folded
sjkc flame -q -o y.jfr in.folded
sjkc flame -q --annotate -o - --output-format collapsed y.jfr
sjkc flame --list-events y.jfr
printf 'a 1 2.3: 4 page-faults:\n\t7f12 work (/bin/x)\n\n' >in.perf
sjkc flame -q -o z.jfr in.perf
sjkc flame --list-events z.jfr
# A report knows which event sjkc wrote as an event of the JDK.
printf 'a 1 2.3: 10000 cpu-clock:\n\t7f12 work (/bin/x)\n\n' >in.perf
sjkc flame -q -o w.jfr in.perf
sjkc prof -q -i w.jfr --show frames
# The tool of the JDK reads them.
jfr=$(ls /usr/lib/jvm/*/bin/jfr 2>/dev/null | head -n 1)
[ -n "$jfr" ] || exit 0
for file in w x y z; do
	"$jfr" print --stack-depth 64 $file.jfr >printed 2>&1 ||
		{ echo "$file.jfr:"; head -n 3 printed; }
done
