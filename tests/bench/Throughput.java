// SPDX-License-Identifier: Apache-2.0
//
//	java Throughput SECONDS [locks]
//
// One thread, "worker", does one piece of work after another (maps, sorting,
// strings, some recursion).  For each line that is read, between two pieces:
// how many are done, and the nanoseconds that have passed, that the worker was
// on a CPU, and that the whole process was.  With "locks", three threads allocate
// and wait for one lock, and the pieces are those of all three.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;

public class Throughput {
	static final ArrayBlockingQueue<String> answers =
		new ArrayBlockingQueue<>(1);
	static volatile boolean asked;
	static volatile int sink;

	static final Object LOCK = new Object();
	static long lockedPieces;
	static volatile byte[] kept;

	// 16 KB of garbage, half of it while the thread owns the lock.
	static void lockedPiece(int seed) {
		for (int i = 0; i < 8; i++)
			kept = new byte[1024];
		synchronized (LOCK) {
			for (int i = 0; i < 8; i++)
				kept = new byte[1024];
			sink = deep(20, seed);
			lockedPieces++;
		}
	}

	static void startContenders(long end) {
		for (int k = 0; k < 2; k++) {
			Thread thread = new Thread(() -> {
				for (int i = 0; System.nanoTime() < end; i++)
					lockedPiece(i);
			}, "contender");
			thread.setDaemon(true);
			thread.start();
		}
	}

	static int deep(int depth, int x) {
		return depth == 0 ? x : deep(depth - 1, x * 31 + depth) + 1;
	}

	static int piece(int seed) {
		Map<String, Integer> counts = new HashMap<>();
		int[] numbers = new int[256];
		int x = seed | 1;

		for (int i = 0; i < numbers.length; i++) {
			x ^= x << 13;
			x ^= x >>> 17;
			x ^= x << 5;
			numbers[i] = x;
			counts.merge("k" + (x & 63), 1, Integer::sum);
		}
		Arrays.sort(numbers);
		return numbers[7] + counts.size() + deep(40, seed);
	}

	// By the worker itself, so that all is of one moment.
	static void answer(long pieces) {
		var threads = ManagementFactory.getThreadMXBean();
		var process = (com.sun.management.OperatingSystemMXBean)
			ManagementFactory.getOperatingSystemMXBean();

		asked = false;
		answers.add(pieces + " " + System.nanoTime() + " " +
			threads.getCurrentThreadCpuTime() + " " +
			process.getProcessCpuTime());
	}

	public static void main(String[] args) throws Exception {
		long end = System.nanoTime() +
			Long.parseLong(args[0]) * 1_000_000_000L;
		boolean locks = args.length > 1;
		Thread worker = new Thread(() -> {
			for (int i = 0; System.nanoTime() < end; i++) {
				if (locks)
					lockedPiece(i);
				else
					sink = piece(i);
				if (asked)
					synchronized (LOCK) {
						answer(locks ? lockedPieces : i);
					}
			}
			System.exit(0);
		}, "worker");
		var lines = new BufferedReader(new InputStreamReader(System.in));

		if (locks)
			startContenders(end);
		worker.setDaemon(true);
		worker.start();
		while (lines.readLine() != null) {
			asked = true;
			System.out.println(answers.take());
		}
	}
}
