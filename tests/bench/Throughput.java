// SPDX-License-Identifier: Apache-2.0
//
//	java Throughput SECONDS
//
// One thread, "worker", does one piece of work after another (maps, sorting,
// strings, some recursion).  For each line that is read, "pieces nanoseconds":
// how many are done, and the CPU time that the worker has had.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

public class Throughput {
	static volatile long pieces;
	static volatile int sink;

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

	public static void main(String[] args) throws Exception {
		long end = System.nanoTime() +
			Long.parseLong(args[0]) * 1_000_000_000L;
		Thread worker = new Thread(() -> {
			for (int i = 0; System.nanoTime() < end; i++) {
				sink = piece(i);
				pieces++;
			}
		}, "worker");
		var threads = ManagementFactory.getThreadMXBean();
		var lines = new BufferedReader(new InputStreamReader(System.in));

		worker.setDaemon(true);
		worker.start();
		while (System.nanoTime() < end && lines.readLine() != null)
			System.out.println(pieces + " " +
				threads.getThreadCpuTime(worker.getId()));
	}
}
