// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that contend for one monitor and sleep in between, thousands of times
 * per second.  The first two arguments are the numbers of platform threads and
 * of virtual threads (JDK 21 and later).  The third is the number of threads
 * that park at two places alternately, for a short and a long time.  "PARKED"
 * prints the percentage of the parked time that was at the first place so far.
 */
public class Turns {
	private static final Object LOCK = new Object();
	private static volatile long sink;

	private static void hold() {
		synchronized (LOCK) {
			long n = sink;

			for (int i = 0; i < 20_000; i++)
				n = n * 31 + i;
			sink = n;
		}
	}

	private static void take() {
		for (;;) {
			hold();
			try {
				Thread.sleep(0, 200_000);
			} catch (InterruptedException e) {
				return;
			}
		}
	}

	private static long shortly, longer;

	private static void parkShortly() {
		LockSupport.parkNanos(100_000);
	}

	private static void parkLonger() {
		LockSupport.parkNanos(600_000);
	}

	private static void park() {
		for (;;) {
			long begin = System.nanoTime();
			parkShortly();
			long between = System.nanoTime();
			parkLonger();
			long end = System.nanoTime();

			synchronized (Turns.class) {
				shortly += between - begin;
				longer += end - between;
			}
		}
	}

	private static synchronized long shortShare() {
		return 100 * shortly / Math.max(1, shortly + longer);
	}

	/** Uses reflection, so that it compiles with older JDKs, too. */
	private static Thread begin(boolean isVirtual, String name)
			throws ReflectiveOperationException {
		Thread thread;

		if (!isVirtual) {
			thread = new Thread(Turns::take, name);
			thread.start();
			return thread;
		}
		return (Thread) Thread.class
			.getMethod("startVirtualThread", Runnable.class)
			.invoke(null, (Runnable) Turns::take);
	}

	public static void main(String[] args) throws Exception {
		int platform = Integer.parseInt(args[0]);
		int virtual = Integer.parseInt(args[1]);
		List<Thread> all = new ArrayList<>();

		for (int i = 0; i < platform; i++)
			all.add(begin(false, "turns-" + i));
		for (int i = 0; i < virtual; i++)
			all.add(begin(true, ""));
		for (int i = 0; args.length > 2 && i < Integer.parseInt(args[2]); i++)
			new Thread(Turns::park, "park-" + i).start();
		System.out.println("READY");
		while (args.length > 2) {
			Thread.sleep(500);
			System.out.println("PARKED " + shortShare());
		}
		for (Thread thread : all)
			thread.join();
	}
}
