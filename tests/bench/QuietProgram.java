// SPDX-License-Identifier: Apache-2.0
//
//	java QuietProgram [PERCENT [LOOPS]]
//
// A program that uses PERCENT of a core (default: 1), in a piece of work each
// 100 ms, with a few frames on its stack.  With LOOPS, each piece has this number
// of loops, however long they take.
public class QuietProgram {
	static volatile int sink;

	static int work(int depth, long end, long loops) {
		if (depth > 0)
			return work(depth - 1, end, loops) + 1;
		int x = 1;
		for (long k = 0; k < loops && System.nanoTime() < end; k++)
			for (int i = 0; i < 100; i++)
				x = x * 31 + i;
		return x;
	}

	public static void main(String[] args) throws Exception {
		double percent = args.length > 0 ? Double.parseDouble(args[0]) : 1;
		long loops = args.length > 1 ? Long.parseLong(args[1]) : Long.MAX_VALUE;

		for (;;) {
			long began = System.nanoTime();
			long end = args.length > 1 ? Long.MAX_VALUE
						   : began + (long)(percent * 1e6);
			sink = work(20, end, loops);
			Thread.sleep(100 - Math.min(99, (System.nanoTime() - began) / 1000000));
		}
	}
}
