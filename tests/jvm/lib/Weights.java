// SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * When the file of its argument exists, allocates and lets a thread wait for a
 * monitor.  Then prints "ALLOCATED bytes", as the JVM counts them, and "WAITED
 * ns", from before the waits to after them.
 */
public class Weights {
	private static final Object LOCK = new Object();
	private static volatile Object kept;
	private static volatile long waited;

	private static long allocated() {
		return ((com.sun.management.ThreadMXBean) ManagementFactory
			.getThreadMXBean())
			.getThreadAllocatedBytes(Thread.currentThread().getId());
	}

	/**
	 * Objects of all sizes, so that the weight of each size depends on its
	 * own samples.
	 */
	private static void allocate() {
		for (int i = 0; i < 20_000; i++) {
			for (int k = 0; k < 50; k++)
				kept = new long[2 + k];
			if (i % 10 == 0)
				kept = new byte[8_000];
			if (i % 500 == 0)
				kept = new byte[1 << 20];
		}
	}

	private static void waitOnce() throws InterruptedException {
		CountDownLatch about = new CountDownLatch(1);
		Thread waits;

		synchronized (LOCK) {
			waits = new Thread(() -> {
				about.countDown();
				long begin = System.nanoTime();
				synchronized (LOCK) {
					waited += System.nanoTime() - begin;
				}
			}, "waits");
			waits.start();
			about.await();
			Thread.sleep(100);
		}
		waits.join();
	}

	public static void main(String[] args) throws Exception {
		allocated();
		System.out.println("READY");
		for (int i = 0; !Files.exists(Path.of(args[0])); i++) {
			if (i == 6_000)
				return;
			Thread.sleep(10);
		}
		long before = allocated();
		allocate();
		System.out.println("ALLOCATED " + (allocated() - before));
		for (int i = 0; i < 5; i++)
			waitOnce();
		System.out.println("WAITED " + waited);
		System.out.println("DONE");
		Thread.sleep(60_000);
	}
}
