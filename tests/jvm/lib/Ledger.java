// SPDX-License-Identifier: Apache-2.0
import com.sun.management.ThreadMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.concurrent.CyclicBarrier;

/**
 * Ledger go=FILE: two threads allocate and two enter a monitor in turn. Each time
 * the file appears, removes it, lets the threads work, and prints the JVM's account
 * of this work: "ALLOCATED BYTES", "BLOCKED NUMBER MILLISECONDS" and DONE.
 */
public class Ledger {
	private static final ThreadMXBean bean =
		(ThreadMXBean) ManagementFactory.getThreadMXBean();
	private static final Thread[] threads = new Thread[4];
	private static final CyclicBarrier turn = new CyclicBarrier(5);
	private static final Object monitor = new Object();
	private static volatile Object kept;

	private interface Work {
		void run() throws Exception;
	}

	/* Takes more than 3 s: JFR may take no sample in the last 0.2 s. */
	static void fill() throws Exception {
		for (int i = 0; i < 3000; i++) {
			kept = new byte[10_000];
			Thread.sleep(1);
		}
	}

	static void hold() throws Exception {
		for (int i = 0; i < 50; i++) {
			synchronized (monitor) {
				Thread.sleep(5);
			}
		}
	}

	private static void start(int number, Work work) {
		threads[number] = new Thread(() -> {
			try {
				while (true) {
					turn.await();
					work.run();
					turn.await();
				}
			} catch (Exception e) {
				e.printStackTrace();
				System.exit(1);
			}
		}, (number < 2 ? "filler-" : "holder-") + number);
		threads[number].setDaemon(true);
		threads[number].start();
	}

	private static long[] account() {
		long[] sums = new long[3];
		for (int i = 0; i < 4; i++) {
			long id = threads[i].getId();
			if (i < 2) {
				sums[0] += bean.getThreadAllocatedBytes(id);
				continue;
			}
			ThreadInfo info = bean.getThreadInfo(id);
			sums[1] += info.getBlockedCount();
			sums[2] += info.getBlockedTime();
		}
		return sums;
	}

	private static void work() throws Exception {
		long[] before = account();
		turn.await();
		turn.await();
		long[] after = account();
		System.out.println("ALLOCATED " + (after[0] - before[0]));
		System.out.println("BLOCKED " + (after[1] - before[1]) + " "
				   + (after[2] - before[2]));
		System.out.println("DONE");
	}

	public static void main(String[] args) throws Exception {
		File go = new File(args[0].substring(args[0].indexOf('=') + 1));
		bean.setThreadContentionMonitoringEnabled(true);
		for (int i = 0; i < 4; i++)
			start(i, i < 2 ? Ledger::fill : Ledger::hold);
		work();
		System.out.println("READY");
		while (true) {
			while (!go.delete())
				Thread.sleep(10);
			work();
		}
	}
}
