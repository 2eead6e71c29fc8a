# SJK's options work with SJK's meaning, also where sjkc has another option.
cat >in.txt <<'END'
2026-11-21 10:07:30
Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):

"pool-1" #12 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x1 nid=0x11 runnable  [0x1]
   java.lang.Thread.State: RUNNABLE
	at java.net.SocketInputStream.socketRead0(java.base@17.0.9/Native Method)
	at app.Db.query(Db.java:42)
	at app.Job.run(Job.java:7)

"pool-12" #13 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x2 nid=0x12 waiting on condition  [0x2]
   java.lang.Thread.State: WAITING (parking)
	at app.Queue.take(Queue.java:9)
	at app.Job.run(Job.java:5)

JNI global refs: 15, weak refs: 0

END
collapse() {
	echo "-- $*"
	sjkc flame "$@" -q -o - --output-format collapsed in.txt 2>&1
}
collapse -tn 'pool-1'
collapse --thread-name 'pool-1$'
collapse -tf 'app.Job+app.Db'
collapse --trace-filter '!app.Db'
collapse -tf 'app.Job.run*:5'
collapse -tf '#state=WAIT*'
collapse -tf 'app.Db/+java.net'
collapse -tt 'app.Db'
collapse --trace-trim 'app.Job/+**' --threads
collapse -tr '07:00-08:00'
collapse -tr '10:07:00-10:08:00'
collapse --time-range '12:07:00-12:08:00'
# A thread dump has a time without a time zone.
collapse -tr '10:07:00-10:08:00' -tz GMT+2
TZ='<GMT>-2' collapse -tr '08:07:00-08:08:00'
collapse -s RUNNABLE
