// SPDX-License-Identifier: Apache-2.0
//
//	java QuietProgram [PERCENT]
//
// A program that uses PERCENT of a core (default: 1), in a piece of work each
// 100 ms, with a few frames on its stack.
public class QuietProgram {
	static volatile int sink;

	static int work(int depth, long end) {
		if (depth > 0)
			return work(depth - 1, end) + 1;
		int x = 1;
		while (System.nanoTime() < end)
			for (int i = 0; i < 100; i++)
				x = x * 31 + i;
		return x;
	}

	public static void main(String[] args) throws Exception {
		double percent = args.length > 0 ? Double.parseDouble(args[0]) : 1;

		for (;;) {
			long began = System.nanoTime();
			sink = work(20, began + (long)(percent * 1e6));
			Thread.sleep(100 - Math.min(99, (System.nanoTime() - began) / 1000000));
		}
	}
}
