cat >in.txt <<'EOF'
2026-11-21 10:07:30
Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):

"main" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x1 nid=0x11 runnable  [0x1]
   java.lang.Thread.State: RUNNABLE
	at a.Work.step(Work.java:12)
	at a.Work.main(Work.java:3)

"worker" #2 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x2 nid=0x12 waiting on condition  [0x1]
   java.lang.Thread.State: WAITING (parking)
	at a.Work.step(Work.java:13)
	at a.Work.main(Work.java:3)

JNI global refs: 1, weak refs: 0

EOF
sjkc flame -o out.json in.txt && cat out.json
sjkc flame -q -o - --output-format speedscope --threads --lines --title 'a "b"' in.txt
sjkc flame --output-format speedscope in.txt
sjkc flame -q -o out.pb.gz in.txt
sjkc flame -q -o out.pprof in.txt && cmp out.pb.gz out.pprof
stacks_of="python3 $DATA/../tools/stacks_of.py"
$stacks_of about out.json
for which in about stacks labels; do
	$stacks_of $which out.pb.gz
done
sjkc flame -o out.gz in.txt
sjkc flame --reverse -o out.json in.txt
ls
