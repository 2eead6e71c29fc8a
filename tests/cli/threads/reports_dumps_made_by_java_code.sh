# Dumps by ThreadInfo.toString(), VisualVM, IntelliJ and Spring Boot: without a
# title, with ids and owners of another form.
threads() {
	sjkc threads --frames 2 "$1" 2>&1 | sed "s,^$DATA/,,"
	echo "exit status $?"
}
echo '-- ThreadInfo.toString(), JDK 17'
threads "$DATA/dumps/threadinfo-jdk17.txt"
echo '-- VisualVM'
cat >visualvm.txt <<'END'
"worker-1" - Thread t@12
   java.lang.Thread.State: BLOCKED
    at com.acme.Store.put(Store.java:40)
    - waiting to lock <1b2c3d> (a com.acme.Store) owned by "worker-2" t@13

   Locked ownable synchronizers:
    - None

"worker-2" - Thread t@13
   java.lang.Thread.State: RUNNABLE
    at com.acme.Store.flush(Store.java:55)

   Locked ownable synchronizers:
    - None

END
threads visualvm.txt
echo '-- IntelliJ, without the last empty line'
cat >intellij.txt <<'END'
"AWT-EventQueue-0" prio=0 tid=0x0 nid=0x0 waiting on condition
     java.lang.Thread.State: WAITING
 on com.acme.Queue@5a67 owned by "worker-2" Id=13
	at java.lang.Object.wait(Native Method)

"worker-1" prio=0 tid=0x0 nid=0x0 blocked
     java.lang.Thread.State: BLOCKED
 on com.acme.Store@1b2c3d owned by "worker-2" Id=13
	at com.acme.Store.put(Store.java:40)

"worker-2" prio=0 tid=0x0 nid=0x0 runnable
     java.lang.Thread.State: RUNNABLE
 (in native)

	at com.acme.Store.flush(Store.java:55)
END
threads intellij.txt
echo '-- Spring Boot 2'
cat >actuator.json <<'END'
{"threads": [{"threadName": "http-1", "threadId": 21, "daemon": true,
"lockName": "com.acme.Store@1b2c3d", "lockOwnerId": 22, "threadState":
"BLOCKED", "stackTrace": [{"methodName": "put", "fileName": "Store.java",
"lineNumber": 40, "className": "com.acme.Store", "nativeMethod": false}],
"lockedMonitors": [], "lockedSynchronizers": []}, {"threadName": "http-2",
"threadId": 22, "lockName": null, "lockOwnerId": -1, "threadState": "RUNNABLE",
"stackTrace": [{"methodName": "read", "fileName": "Socket.java", "lineNumber":
-2, "className": "com.acme.Socket"}, {"methodName": "flush", "fileName": null,
"lineNumber": -1, "className": "com.acme.Store"}], "lockedMonitors":
[{"className": "com.acme.Store", "identityHashCode": 1780797}],
"lockedSynchronizers": []}, {"threadName": "http-3", "threadId": 23,
"lockName": "com.acme.Gate@7", "lockOwnerId": -1, "threadState": "WAITING",
"stackTrace": [{"methodName": "park", "className": "jdk.internal.misc.Unsafe",
"lineNumber": -2}]}]}
END
threads actuator.json
echo '-- Spring Boot 1'
sed 's/^{"threads": *//; $s/}$//' actuator.json >dump.json
threads dump.json | sed 's/dump.json/actuator.json/' >a
threads actuator.json >b
cmp a b && echo 'the same'
echo '-- JDK 5'
cat >jdk5.txt <<'END'
Full thread dump Java HotSpot(TM) Client VM (1.5.0_13-119 mixed mode, sharing):

"main" prio=5 tid=0x00501550 nid=0xb0801000 waiting on condition [0xb07ff000]
	at java.lang.Thread.sleep(Native Method)

"VM Periodic Task Thread" prio=9 tid=0x01009b80 nid=0x807a00 waiting on condition
"Exception Catcher Thread" prio=10 tid=0x010015a0 nid=0x80ae00 runnable
END
threads jdk5.txt
