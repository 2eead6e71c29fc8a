cat >in.txt <<'END'
2026-11-21 10:07:30
Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):

"main" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x1 nid=0x11 runnable  [0x1]
   java.lang.Thread.State: RUNNABLE
	at a.Work.step(Work.java:12)
	at a.Work.main(Work.java:3)

"worker 	2" #2 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x2 nid=0x12 waiting on condition  [0x1]
   java.lang.Thread.State: WAITING (parking)
	at a.Work.step(Work.java:13)
	at a.Work.main(Work.java:3)

JNI global refs: 1, weak refs: 0

END
check="python3 $DATA/../tools/otlp_check.py"
sjkc flame -q -o out.otlp in.txt && $check out.otlp
sjkc prof -i in.txt -q -o - --output-format otlp --lines --threads --simple-names >lines.otlp &&
	$check lines.otlp
printf 'a;b 3\n' | sjkc flame -q -o out.otlp - && $check out.otlp
# The totals are those of the input.
for input in '-e lock jfr/ap-lock.jfr' otlp/load-timestamps.pb; do
	event=${input% *}
	[ "$event" != "$input" ] || event=
	# shellcheck disable=SC2086 # an option and its value
	sjkc flame -q $event -o out.otlp "$DATA/${input##* }" &&
		$check out.otlp | sed -n '/^profile/p'
	for file in "$DATA/${input##* }" out.otlp; do
		[ "$file" != out.otlp ] || event=
		# shellcheck disable=SC2086
		sjkc flame -q $event -o - --output-format collapsed --total "$file" |
			sort | sha256sum
	done | uniq -c | sed 's/ *\([0-9]*\) .*/the stacks agree: \1 of 2/'
done
sjkc flame --reverse -o out.otlp in.txt
