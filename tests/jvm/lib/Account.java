// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.FileWriter;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * Account FILE: one thread computes, three quarters of the time in heavy and a
 * quarter in light; one allocates; two sleep; two enter a monitor in turn.
 * Writes an account of them to the file, about ten times a second: the
 * milliseconds in heavy and in light, the allocated bytes, the young and other
 * collections, and the calls of light.
 */
public class Account {
	private static final Object lock = new Object();
	private static volatile long sink, heavy, light, allocated, calls;
	private static volatile Object kept;

	static long heavy(int n) {
		long x = n;
		for (int i = 0; i < n; i++)
			x = x * 6364136223846793005L + (x >>> 11);
		return x;
	}

	static long light(int n) {
		long x = n;
		for (int i = 0; i < n; i++)
			x = x * 2862933555777941757L + (x >>> 7);
		return x;
	}

	static void compute() {
		while (true) {
			long begin = System.nanoTime();
			for (int i = 0; i < 3; i++)
				sink += heavy(500000);
			long middle = System.nanoTime();
			sink += light(500000);
			heavy += middle - begin;
			light += System.nanoTime() - middle;
			calls++;
		}
	}

	static void allocate() {
		while (true) {
			for (int i = 0; i < 2000; i++)
				kept = new byte[2000];
			allocated += 2000 * 2016;
			doze(10);
		}
	}

	static void fight() {
		while (true) {
			synchronized (lock) {
				doze(10);
			}
		}
	}

	static void doze(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static void start(String name, Runnable what) {
		Thread thread = new Thread(what, name);
		thread.setDaemon(true);
		thread.start();
	}

	static void write(File file) throws Exception {
		File fresh = new File(file + ".new");
		long collections = 0;

		for (GarbageCollectorMXBean bean :
		     ManagementFactory.getGarbageCollectorMXBeans())
			collections += bean.getCollectionCount();
		try (FileWriter out = new FileWriter(fresh)) {
			out.write(heavy / 1000000 + " " + light / 1000000 + " " +
				  allocated + " " + collections + " " + calls +
				  " " + System.nanoTime() / 1000000 + "\n");
		}
		fresh.renameTo(file);
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 2; i++) {
			start("sleeper-" + i, () -> doze(Long.MAX_VALUE));
			start("fighter-" + i, Account::fight);
		}
		start("allocator", Account::allocate);
		start("computer", Account::compute);
		System.out.println("READY");
		while (true) {
			write(new File(args[0]));
			Thread.sleep(100);
		}
	}
}
