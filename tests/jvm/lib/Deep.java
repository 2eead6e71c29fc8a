/* SPDX-License-Identifier: Apache-2.0 */
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code java Deep THREADS DEPTH SLEEPERS}: each thread waits again and again, each time at the
 * end of a new path of DEPTH calls. SLEEPERS further threads sleep at the end of one.
 */
public class Deep {
	private static int left(long path, int depth, int sleeper) {
		return next(path, depth, sleeper) + 1;
	}

	private static int right(long path, int depth, int sleeper) {
		return next(path, depth, sleeper) + 2;
	}

	private static int next(long path, int depth, int sleeper) {
		if (depth == 0) {
			if (sleeper > 0)
				LockSupport.park();
			else
				LockSupport.parkNanos(1_000_000);
			return 0;
		}
		if (depth % 64 == 0)
			path = ThreadLocalRandom.current().nextLong();
		return (path & 1) != 0 ? left(path >>> 1, depth - 1, sleeper)
				       : right(path >>> 1, depth - 1, sleeper);
	}

	private static void start(String name, int depth, int sleeper) {
		Thread thread = new Thread(null, () -> {
			do
				next(ThreadLocalRandom.current().nextLong(), depth, sleeper);
			while (true);
		}, name, 4 << 20);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		int depth = Integer.parseInt(args[1]);
		for (int i = 0; i < Integer.parseInt(args[0]); i++)
			start("deep-" + i, depth, 0);
		for (int i = 0; i < Integer.parseInt(args[2]); i++)
			start("sleeper-" + i, depth, 1);
		Thread.sleep(1000);
		System.out.println("READY");
		Thread.sleep(600_000);
	}
}
