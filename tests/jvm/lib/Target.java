// SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.management.ObjectName;

/**
 * The target of most tests.  Each argument, KIND=COUNT or KIND, starts threads
 * of one kind.  Prints READY when all of them run.  Exits after target.seconds
 * (default: 300) if burner-0 has used target.burned ms of CPU time by then
 * (default: 0), or else later.
 */
public class Target {
	private static final int MOST = 100_000;
	private static final List<CountDownLatch> READY = new ArrayList<>();
	private static final Object LOCK = new Object();
	private static final ReentrantLock FAIR = new ReentrantLock(true);
	private static volatile long sink;
	private static volatile Object kept;

	/**
	 * An operation that does not return and prints ENTERED when it has
	 * started.
	 */
	public interface DoorMBean {
		void enter() throws InterruptedException;
	}

	public static class Door implements DoorMBean {
		public void enter() throws InterruptedException {
			System.out.println("ENTERED");
			sleep();
		}
	}

	private interface Body {
		void run() throws InterruptedException;
	}

	private static Thread start(String name, Body body) {
		CountDownLatch running = new CountDownLatch(1);
		Thread thread = new Thread(() -> {
			running.countDown();
			try {
				body.run();
			} catch (InterruptedException e) {
				Thread.currentThread().interrupt();
			}
		}, name);
		thread.setDaemon(true);
		READY.add(running);
		thread.start();
		return thread;
	}

	/** Waits until burner-0 has used the CPU time of target.burned. */
	@SuppressWarnings("deprecation") /* getId, for JDK 8 */
	private static void awaitBurned() throws InterruptedException {
		long ns = 1_000_000L * Integer.getInteger("target.burned", 0);
		if (ns == 0)
			return;
		for (Thread thread : Thread.getAllStackTraces().keySet()) {
			if (!thread.getName().equals("burner-0"))
				continue;
			while (ManagementFactory.getThreadMXBean()
				.getThreadCpuTime(thread.getId()) < ns)
				Thread.sleep(50);
		}
	}

	private static void sleep() throws InterruptedException {
		Thread.sleep(Long.MAX_VALUE);
	}

	/** Uses a CPU, or target.duty per cent of it in turns of 5 ms. */
	private static void burn() {
		int duty = Integer.getInteger("target.duty", 100);
		long begin = System.nanoTime();
		for (long n = 1;; n = n * 6364136223846793005L + 1) {
			sink = n;
			if (duty == 100 || (n & 4095) != 1 ||
				System.nanoTime() - begin < 5_000_000)
				continue;
			LockSupport.parkNanos(5_000_000L * (100 - duty) / duty);
			begin = System.nanoTime();
		}
	}

	private static void allocate() {
		for (;;) {
			kept = new byte[4096];
			if (++sink % 256 == 0)
				LockSupport.parkNanos(1_000_000);
		}
	}

	/** Waits for a monitor that another thread never releases. */
	private static void contend() {
		synchronized (LOCK) {
			sink++;
		}
	}

	private static void park() throws InterruptedException {
		FAIR.lockInterruptibly();
	}

	private static void await() throws InterruptedException {
		Object own = new Object();
		synchronized (own) {
			own.wait();
		}
	}

	/** Two threads that each own the monitor that the other waits for. */
	private static void monitorDeadlock() {
		Object left = new Object();
		Object right = new Object();
		CountDownLatch both = new CountDownLatch(2);
		start("deadlock-left", () -> {
			synchronized (left) {
				both.countDown();
				both.await();
				synchronized (right) {
					sink++;
				}
			}
		});
		start("deadlock-right", () -> {
			synchronized (right) {
				both.countDown();
				both.await();
				synchronized (left) {
					sink++;
				}
			}
		});
	}

	/** The same with locks of java.util.concurrent. */
	private static void lockDeadlock() {
		ReentrantLock left = new ReentrantLock();
		ReentrantLock right = new ReentrantLock();
		CountDownLatch both = new CountDownLatch(2);
		start("lock-deadlock-left", () -> {
			left.lock();
			both.countDown();
			both.await();
			right.lock();
		});
		start("lock-deadlock-right", () -> {
			right.lock();
			both.countDown();
			both.await();
			left.lock();
		});
	}

	/** Starts COUNT threads per second that live for 20 ms. */
	private static void churn(int count) {
		start("churner", () -> {
			for (long i = 0;; i++) {
				new Thread(() -> {
					sink++;
					LockSupport.parkNanos(20_000_000L);
				}, "brief-" + i).start();
				LockSupport.parkNanos(1_000_000_000L / count);
			}
		});
	}

	/** Starts a thread some seconds later than all others. */
	private static void later(int seconds) {
		start("starter", () -> {
			Thread.sleep(1000L * seconds);
			start("came-later", Target::burn);
		});
	}

	/** Virtual threads that use CPU time; since JDK 21. */
	private static void virtual(int count) throws Exception {
		Runnable body = () -> {
			for (;;) {
				for (int i = 0; i < 100_000; i++)
					sink++;
				Thread.yield();
			}
		};
		for (int i = 0; i < count; i++) {
			Thread thread;
			try {
				thread = (Thread) Thread.class
					.getMethod("startVirtualThread", Runnable.class)
					.invoke(null, body);
			} catch (NoSuchMethodException before21) {
				System.out.println("NO VIRTUAL THREADS");
				return;
			}
			thread.setName("virtual-" + i);
		}
	}

	/**
	 * Virtual threads that park, or park for an hour, and one that is blocked
	 * by main; since JDK 21.
	 */
	private static void waitingVirtual(int count, boolean timed)
		throws Exception {
		Class<?> builders;
		try {
			builders = Class.forName("java.lang.Thread$Builder");
		} catch (ClassNotFoundException before21) {
			System.out.println("NO VIRTUAL THREADS");
			return;
		}
		for (int i = 0; i <= count; i++) {
			boolean blocked = i == count;
			Runnable body = () -> {
				while (!blocked && timed)
					LockSupport.parkNanos(3600_000_000_000L);
				while (!blocked)
					LockSupport.park();
				synchronized (LOCK) {
					sink++;
				}
			};
			Object builder = Thread.class.getMethod("ofVirtual")
				.invoke(null);
			builders.getMethod("name", String.class).invoke(builder,
				blocked ? "virtual-blocked" : "virtual-parked-" + i);
			builders.getMethod("start", Runnable.class)
				.invoke(builder, body);
		}
	}

	/**
	 * Names that are dangerous for terminals, parsers of thread dumps, HTML
	 * and CSV.
	 */
	private static final String[] HOSTILE = {
		"\u001b[31mred\u001b[2J",
		"\u001b]0;title\u0007\u001b]52;c;ZXZpbA==\u0007",
		"quote\" #7 prio=5 os_prio=0 tid=0x1 nid=0x2 runnable",
		"line\nbreak\r\ttab",
		"\u202egnp.exe\u2066",
		"</script><img src=x onerror=alert(1)>",
		"=cmd|'/c calc'!A1",
		") R 1 (",
		"\u009b31mC1",
		"\ud800 half",
		"",
	};

	private static void hostile() {
		for (String name : HOSTILE)
			start(name, Target::sleep);
	}

	private static void threads(String what, int count, Body body) {
		for (int i = 0; i < count; i++)
			start(what + "-" + i, body);
	}

	private static void begin(String what, int count) throws Exception {
		switch (what) {
		case "threads":
			threads("idle", count, Target::sleep);
			break;
		case "burners":
			threads("burner", count, Target::burn);
			break;
		case "named":
			threads("a-burner-whose-name-is-long", count, Target::burn);
			break;
		case "periodic":
			start("VM Periodic Tas", Target::burn);
			break;
		case "allocators":
			threads("allocator", count, Target::allocate);
			break;
		case "blocked":
			threads("blocked", count, Target::contend);
			break;
		case "parked":
			threads("parked", count, Target::park);
			break;
		case "waiters":
			threads("waiter", count, Target::await);
			break;
		case "deadlock":
			monitorDeadlock();
			break;
		case "lockdeadlock":
			lockDeadlock();
			break;
		case "churn":
			churn(count);
			break;
		case "later":
			later(count);
			break;
		case "virtual":
			virtual(count);
			break;
		case "waitingvirtual":
			waitingVirtual(count, false);
			break;
		case "timedvirtual":
			waitingVirtual(count, true);
			break;
		case "hostile":
			hostile();
			break;
		case "door":
			ManagementFactory.getPlatformMBeanServer().registerMBean(
				new Door(), new ObjectName("sjkc.test:type=Door"));
			break;
		default:
			/* Arguments that only other processes read. */
		}
	}

	/** Returns the count of an argument; other arguments may be any text. */
	private static int countOf(String text) {
		try {
			return Math.max(1, Math.min(MOST, Integer.parseInt(text)));
		} catch (NumberFormatException e) {
			return 1;
		}
	}

	public static void main(String[] args) throws Exception {
		/* Runs in a thread, because main may be blocked. */
		start("end", () -> {
			Thread.sleep(300_000L + 1000L * Integer.getInteger("target.seconds", 300));
			if (Integer.getInteger("target.burned", 0) > 0)
				Thread.sleep(500_000);
			Runtime.getRuntime().halt(1);
		});
		FAIR.lock();
		synchronized (LOCK) {
			for (String arg : args) {
				String[] parts = arg.split("=", 2);
				begin(parts[0], parts.length > 1 ? countOf(parts[1]) : 1);
			}
			for (CountDownLatch running : READY)
				running.await();
			System.out.println("READY");
			Thread.sleep(1000L * Integer.getInteger("target.seconds", 300));
			awaitBurned();
		}
	}
}
