// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.ArrayList;
import java.util.List;

/**
 * Two locks of the class Object: one is held by fetch(), the other by compute()
 * and store() in turn.  Begins when the file of the first argument exists, and
 * then prints, for each of the three methods, for how many nanoseconds threads
 * waited while it held their lock, and for how many it was not held.
 */
public class Held {
	private static final int ROUNDS = 40;

	private static final Object A = new Object();
	private static final Object B = new Object();
	private static final List<Object[]> WAITS = new ArrayList<>();
	private static final List<Object[]> HOLDS = new ArrayList<>();
	private static volatile boolean ended;
	private static volatile double kept;

	private static void pause(int ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void waited(Object lock, long from, long to) {
		synchronized (WAITS) {
			WAITS.add(new Object[] { lock, from, to });
		}
	}

	private static void held(Object lock, String by, long from, long to) {
		synchronized (HOLDS) {
			HOLDS.add(new Object[] { lock, by, from, to });
		}
	}

	private static void fetch() {
		long from = System.nanoTime(), got, to;

		synchronized (A) {
			got = System.nanoTime();
			pause(20);
			to = System.nanoTime();
		}
		waited(A, from, got);
		held(A, "fetch", got, to);
	}

	private static void compute() {
		long from = System.nanoTime(), got, to;

		synchronized (B) {
			got = System.nanoTime();
			for (int i = 0; System.nanoTime() - got < 8_000_000; i++)
				kept += Math.sqrt(i);
			to = System.nanoTime();
		}
		waited(B, from, got);
		held(B, "compute", got, to);
	}

	private static void store() {
		long from = System.nanoTime(), got, to;

		synchronized (B) {
			got = System.nanoTime();
			pause(15);
			to = System.nanoTime();
		}
		waited(B, from, got);
		held(B, "store", got, to);
	}

	private static void enter(Object lock) {
		while (!ended) {
			long from = System.nanoTime(), got;

			synchronized (lock) {
				got = System.nanoTime();
			}
			waited(lock, from, got);
			pause(1);
		}
	}

	private static Thread start(Runnable run) {
		Thread t = new Thread(run);

		t.setDaemon(true);
		t.start();
		return t;
	}

	private static Thread rounds(Runnable run) {
		return start(() -> {
			for (int i = 0; i < ROUNDS; i++) {
				run.run();
				pause(1);
			}
		});
	}

	private static long overlap(String method) {
		long sum = 0;

		for (Object[] h : HOLDS)
			for (Object[] w : WAITS) {
				long from = Math.max((long)h[2], (long)w[1]);
				long to = Math.min((long)h[3], (long)w[2]);

				if (h[1].equals(method) && h[0] == w[0])
					sum += Math.max(0, to - from);
			}
		return sum;
	}

	private static void account() throws InterruptedException {
		Thread[] holders = { rounds(Held::fetch), rounds(Held::fetch),
			rounds(Held::compute), rounds(Held::store) };
		Thread[] waiters = { start(() -> enter(A)), start(() -> enter(A)),
			start(() -> enter(B)), start(() -> enter(B)) };

		for (Thread t : holders)
			t.join();
		ended = true;
		for (Thread t : waiters)
			t.join();
		long gaps = 0;

		for (Object[] w : WAITS)
			gaps += (long)w[2] - (long)w[1];
		for (String method : new String[] { "fetch", "compute", "store" }) {
			gaps -= overlap(method);
			System.out.println(method + " " + overlap(method));
		}
		System.out.println("GAPS " + gaps);
		System.out.println("DONE");
		pause(120_000);
	}

	public static void main(String[] args) throws InterruptedException {
		System.out.println("READY");
		while (!new File(args[0]).exists())
			pause(5);
		System.out.println("BEGAN " + System.currentTimeMillis());
		account();
	}
}
