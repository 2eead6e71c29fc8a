// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;

/**
 * Threads that contend for one monitor and sleep in between, thousands of times
 * a second: as many platform threads and as many virtual ones (JDK 21 and
 * later) as its arguments say.
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

	/** By reflection, since this compiles with older JDKs, too. */
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
		System.out.println("READY");
		for (Thread thread : all)
			thread.join();
	}
}
