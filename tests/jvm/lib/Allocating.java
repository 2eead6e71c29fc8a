// SPDX-License-Identifier: Apache-2.0

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * Two threads allocate much, then in small steps while a recording runs, during
 * which a third thread starts.  Prints bounds of the bytes that the JVM counted
 * during the recording: "low" and "high".
 */
public class Allocating {
	private static final int BEFORE = 400_000_000;
	private static volatile Object sink;

	private static void allocate(int size, int before, CountDownLatch ready) {
		for (int bytes = 0; bytes < before; bytes += size)
			sink = new byte[size];
		ready.countDown();
		try {
			for (;;) {
				for (int bytes = 0; bytes < 200_000; bytes += size)
					sink = new byte[size];
				Thread.sleep(10);
			}
		} catch (InterruptedException e) {
			return;
		}
	}

	private static void start(String name, int size, int before, CountDownLatch ready) {
		Thread thread = new Thread(() -> allocate(size, before, ready), name);
		thread.setDaemon(true);
		thread.start();
	}

	private static Map<Long, Long> counters() {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long[] ids = threads.getAllThreadIds();
		long[] bytes = threads.getThreadAllocatedBytes(ids);
		Map<Long, Long> counters = new HashMap<>();
		for (int i = 0; i < ids.length; i++) {
			if (bytes[i] >= 0)
				counters.put(ids[i], bytes[i]);
		}
		return counters;
	}

	private static long grown(Map<Long, Long> from, Map<Long, Long> to) {
		long sum = 0;
		for (Map.Entry<Long, Long> e : to.entrySet())
			sum += e.getValue() - from.getOrDefault(e.getKey(), 0L);
		return sum;
	}

	public static void main(String[] args) throws Exception {
		CountDownLatch ready = new CountDownLatch(2);
		start("small", 1000, BEFORE, ready);
		start("large", 100_000, BEFORE, ready);
		ready.await();
		Recording recording = new Recording(Configuration.getConfiguration("profile"));
		Map<Long, Long> earliest = counters();
		recording.start();
		Map<Long, Long> early = counters();
		start("late", 500, 0, new CountDownLatch(1));
		Thread.sleep(3000);
		Map<Long, Long> late = counters();
		recording.stop();
		Map<Long, Long> latest = counters();
		recording.dump(Path.of(args[0]));
		System.out.println("low " + grown(early, late));
		System.out.println("high " + grown(earliest, latest));
	}
}
