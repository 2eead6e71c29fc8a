// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Event;
import jdk.jfr.Name;

/**
 * Causes events of every kind for some seconds: CPU time, allocation,
 * contention, waiting, exceptions, an event that it defines, and virtual
 * threads if the JDK has them.
 */
public class Recorded {
	@Name("tests.Step")
	static final class Step extends Event {
		int number;
	}

	private static final Object LOCK = new Object();
	private static volatile long sink;

	private static void burn(long ms) {
		Random random = new Random(ms);
		for (long end = System.nanoTime() + ms * 1_000_000; System.nanoTime() < end;)
			sink += random.nextLong();
	}

	private static void step(int number) throws InterruptedException {
		Step step = new Step();
		step.begin();
		step.number = number;
		List<byte[]> kept = new ArrayList<>();
		for (int i = 0; i < 200; i++)
			kept.add(new byte[4096]);
		synchronized (LOCK) {
			burn(20);
			LOCK.wait(1);
		}
		Thread.sleep(5);
		LockSupport.parkNanos(2_000_000);
		try {
			Integer.parseInt("x" + kept.size());
		} catch (NumberFormatException expected) {
			sink++;
		}
		step.commit();
	}

	private static void work(long until) {
		try {
			for (int i = 0; System.nanoTime() < until; i++)
				step(i);
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		}
	}

	private static Thread start(Runnable task, int number) throws Exception {
		if (number % 2 == 0) {
			try {
				return (Thread) Thread.class
					.getMethod("startVirtualThread", Runnable.class)
					.invoke(null, task);
			} catch (NoSuchMethodException before21) {
				// A thread as all others.
			}
		}
		Thread thread = new Thread(task, "worker-" + number);
		thread.start();
		return thread;
	}

	public static void main(String[] args) throws Exception {
		long until = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 6; i++)
			threads.add(start(() -> work(until), i));
		for (Thread thread : threads)
			thread.join();
	}
}
