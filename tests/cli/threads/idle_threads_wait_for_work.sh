# The callers of a waiting method tell whether a thread is idle, not the method:
# a pool's queue, a selector and a request that waits for a reply share it.  The
# name of each thread begins with its activity.
{
	echo 2026-11-28 09:00:00
	echo 'Full thread dump OpenJDK 64-Bit Server VM (17.0.21+1 mixed mode, sharing):'
	echo
} >dump.txt
id=10
# thread NAME STATE FRAME...: the frames from the leaf on
thread() {
	id=$((id + 1))
	echo "\"$1\" #$id prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s tid=0x1 nid=0x$id runnable  [0x00007f0000000000]"
	echo "   java.lang.Thread.State: $2"
	shift 2
	for frame; do
		echo "	at $frame"
	done
	echo
} >>dump.txt
park='jdk.internal.misc.Unsafe.park(Native Method)'
parks="java.util.concurrent.locks.LockSupport.park(LockSupport.java:1)"
worker='java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1)'
task='java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)'
take='java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:1)'
read='sun.nio.ch.SocketDispatcher.read0(Native Method)'
run='java.lang.Thread.run(Thread.java:1)'
sleep='java.lang.Thread.sleep(Native Method)'
thread 'idle worker' 'WAITING (parking)' "$park" "$parks" "$take" "$task" "$worker" "$run"
thread 'waits in a task for an element' 'WAITING (parking)' "$park" "$parks" "$take" \
	'a.Db.borrow(Db.java:1)' "$worker" "$run"
thread 'idle consumer of its own queue' 'WAITING (parking)' "$park" "$parks" "$take" \
	'a.Log.run(Log.java:1)' "$run"
thread 'waits for a permit' 'TIMED_WAITING (parking)' "$park" "$parks" \
	'java.util.concurrent.Semaphore.tryAcquire(Semaphore.java:1)' \
	'a.Pool.borrow(Pool.java:1)' "$worker" "$run"
thread 'waits for a future' 'TIMED_WAITING (parking)' "$park" "$parks" \
	'java.util.concurrent.CompletableFuture.get(CompletableFuture.java:1)' \
	'a.B.main(B.java:1)'
thread 'waits for a reply' RUNNABLE "$read" 'a.Http.fetch(Http.java:1)' "$worker" "$run"
thread 'waits for a name' RUNNABLE \
	'java.net.Inet6AddressImpl.lookupAllHostAddr(Native Method)' \
	'a.Http.fetch(Http.java:1)' "$worker" "$run"
thread 'waits in a task that sleeps' 'TIMED_WAITING (sleeping)' "$sleep" \
	'a.Retry.run(Retry.java:1)' "$worker" "$run"
thread 'idle thread that sleeps between its own work' 'TIMED_WAITING (sleeping)' \
	"$sleep" 'a.Metrics.run(Metrics.java:1)' "$run"
thread 'waits in Object.wait' 'WAITING (on object monitor)' \
	'java.lang.Object.wait(Native Method)' 'a.B.run(B.java:1)' "$run"
thread 'idle selector in a pool' RUNNABLE 'sun.nio.ch.EPoll.wait(Native Method)' \
	'sun.nio.ch.EPollSelectorImpl.doSelect(EPollSelectorImpl.java:1)' \
	'a.Jetty.select(Jetty.java:1)' "$worker" "$run"
thread 'idle acceptor' RUNNABLE 'sun.nio.ch.Net.poll(Native Method)' \
	'java.net.ServerSocket.accept(ServerSocket.java:1)' 'a.B.run(B.java:1)' "$run"
thread 'idle timer' 'WAITING (on object monitor)' \
	'java.lang.Object.wait(Native Method)' 'java.util.TimerThread.mainLoop(Timer.java:1)'
thread 'waits in a task of a timer' 'TIMED_WAITING (sleeping)' "$sleep" \
	'a.B.run(B.java:1)' 'java.util.TimerThread.mainLoop(Timer.java:1)'
thread 'waits in a finalizer' 'TIMED_WAITING (sleeping)' "$sleep" \
	'a.B.finalize(B.java:1)' 'java.lang.ref.Finalizer.runFinalizer(Finalizer.java:1)' \
	'java.lang.ref.Finalizer$FinalizerThread.run(Finalizer.java:1)'
thread 'idle finalizer' 'WAITING (on object monitor)' \
	'java.lang.Object.wait(Native Method)' \
	'java.lang.ref.ReferenceQueue.remove(ReferenceQueue.java:1)' \
	'java.lang.ref.Finalizer$FinalizerThread.run(Finalizer.java:1)'
thread 'idle connection of RMI' RUNNABLE "$read" \
	'sun.rmi.transport.tcp.TCPTransport.handleMessages(TCPTransport.java:1)' "$worker" "$run"
thread 'runs in Java' RUNNABLE 'a.B.work(B.java:1)' "$worker" "$run"
echo 'JNI global references: 1' >>dump.txt
sjkc threads dump.txt --json >dump.json
/usr/bin/python3 -c '
import json
for t in json.load(open("dump.json"))["threads"]:
    print(t["activity"], "|", t["name"])
    assert t["name"].split()[0] == t["activity"]'
# Text marks both kinds.
sjkc threads dump.txt | grep -E 'RUNNABLE \(|WAITING \(idle' | sort | uniq
