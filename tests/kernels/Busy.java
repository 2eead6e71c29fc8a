// SPDX-License-Identifier: Apache-2.0

import java.io.FileInputStream;

/**
 * Starts threads that each do one thing for the given number of seconds: compute,
 * read (in the kernel), sleep, allocate, and compete for a monitor (two threads).
 * They pause, so that a slow machine has some time left.
 */
public class Busy {
	interface Step {
		void take() throws Exception;
	}

	static final Object LOCK = new Object();
	static volatile Object kept;
	static volatile long sum;

	static void compute() throws Exception {
		long x = sum;

		for (int i = 0; i < 1_000_000; i++)
			x = x * 31 + (x >>> 7);
		sum = x;
		Thread.sleep(5);
	}

	static void read() throws Exception {
		byte[] bytes = new byte[65536];

		try (FileInputStream in = new FileInputStream("/dev/zero")) {
			for (int i = 0; i < 200; i++)
				in.read(bytes);
		}
		Thread.sleep(5);
	}

	static void rest() throws Exception {
		Thread.sleep(20);
	}

	static void allocate() throws Exception {
		for (int i = 0; i < 2000; i++)
			kept = new byte[2000];
		Thread.sleep(5);
	}

	static void contend() throws Exception {
		synchronized (LOCK) {
			Thread.sleep(10);
		}
		Thread.yield();
	}

	static void start(String name, long end, Step step) {
		new Thread(() -> {
			try {
				while (System.nanoTime() - end < 0)
					step.take();
			} catch (Exception e) {
				e.printStackTrace();
			}
		}, name).start();
	}

	public static void main(String[] args) {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000;

		start("computes", end, Busy::compute);
		start("reads", end, Busy::read);
		start("rests", end, Busy::rest);
		start("allocates", end, Busy::allocate);
		start("contends", end, Busy::contend);
		start("contends, too", end, Busy::contend);
		System.out.println("READY");
	}
}
