/* SPDX-License-Identifier: Apache-2.0 */
import java.io.File;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Waits, and keeps account of it: {@code java Waiting SECONDS FILE}.  Prints each wait of the
 * threads "cycling" (asleep) and "contending" (for a monitor) at the end, with times of
 * System.nanoTime(), the kernel's CLOCK_MONOTONIC:
 *
 * <pre>wait THREAD BEGIN END</pre>
 *
 * Three threads named "sleeping" sleep all the time. When FILE exists, threads named
 * "storming" wait as often as possible for three seconds.
 */
public class Waiting {
	private static final Object MONITOR = new Object();
	private static final ConcurrentLinkedQueue<String> WAITS = new ConcurrentLinkedQueue<>();
	private static volatile boolean isOver;

	private interface Work {
		void run() throws Exception;
	}

	private static Thread start(String name, Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			} catch (Exception e) {
				throw new IllegalStateException(e);
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private static void account(long began) {
		WAITS.add("wait " + Thread.currentThread().getName() + " " + began + " " +
			  System.nanoTime());
	}

	/* Of different lengths, some longer than several windows. */
	private static void cycle() throws Exception {
		for (int i = 0; !isOver; i++) {
			long began = System.nanoTime();
			Thread.sleep(i % 4 == 3 ? 3500 : 300);
			account(began);
		}
	}

	private static void hold() throws Exception {
		for (int i = 0; !isOver; i++) {
			synchronized (MONITOR) {
				Thread.sleep(i % 3 == 2 ? 2500 : 400);
			}
			Thread.sleep(50);
		}
	}

	private static void contend() {
		while (!isOver) {
			long began = System.nanoTime();
			synchronized (MONITOR) {
				account(began);
			}
			/* Until the other thread has the monitor again. */
			long until = System.nanoTime() + 60_000_000;
			while (System.nanoTime() < until)
				Thread.yield();
		}
	}

	private static void storm(File file) throws Exception {
		while (!file.exists())
			Thread.sleep(100);
		for (int i = 0; i < 30; i++)
			start("storming", () -> {
				long until = System.nanoTime() + 3_000_000_000L;
				while (System.nanoTime() < until)
					Thread.sleep(0, 50_000);
			});
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 3; i++)
			start("sleeping", () -> Thread.sleep(Long.MAX_VALUE));
		start("cycling", Waiting::cycle);
		start("holding", Waiting::hold);
		start("contending", Waiting::contend);
		start("waiting", () -> storm(new File(args[1])));
		System.out.println("READY");
		Thread.sleep(1000L * Integer.parseInt(args[0]));
		isOver = true;
		WAITS.forEach(System.out::println);
		System.out.println("DONE");
	}
}
