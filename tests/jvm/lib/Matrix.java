// SPDX-License-Identifier: Apache-2.0
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.stream.LongStream;

/**
 * Each thread uses a fixed share of a CPU in one kind of code: a loop, a deep
 * recursion, allocations, a lambda in a stream, method handles, and a method
 * that is too large to be compiled.  Two more compete for a monitor.  Compiled
 * for Java 8.  Prints READY when all run.
 */
final class Matrix {
	interface Part {
		long run(long n) throws Throwable;
	}

	static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
	static final long CHUNK_NS = 4_000_000;
	static volatile long sink;
	static volatile int running;
	static volatile byte[] kept;
	/** Not final, so that calls of it are not compiled to direct calls. */
	static MethodHandle handle;

	static long math(long n) {
		long x = 1;
		for (long i = 1; i < n; i++)
			x = x * 31 + (x ^ i) % 7;
		return x;
	}

	static long deep(int depth, long n) {
		return depth == 0 ? math(n) : deep(depth - 1, n) + 1;
	}

	static long alloc(long n) {
		long x = 0;
		for (int i = 0; i < n / 4; i++) {
			byte[] bytes = new byte[16 + i % 512];
			kept = bytes;
			x += bytes.length;
		}
		return x;
	}

	static long lambda(long n) {
		return LongStream.range(0, n).map(i -> i * 31 ^ n).sum();
	}

	static long handles(long n) throws Throwable {
		long x = 0;
		for (long i = 0; i < n / 4; i++)
			x += (long) handle.invokeExact(i);
		return x;
	}

	static long handled(long i) {
		return i * 31 ^ i >> 3;
	}

	/**
	 * Each finally block is compiled twice, so this method has over 8,000
	 * bytes, HotSpot's HugeMethodLimit, and is always interpreted.
	 */
	static long huge(long n) {
		long x = 1;
		try {
			for (long i = 1; i < n; i++)
				x = x * 31 + (x ^ i) % 7;
		} finally {
			try {
				x += x % 3;
			} finally {
				try {
					x += x % 5;
				} finally {
					try {
						x += x % 7;
					} finally {
						x ^= x % 3 + x % 5 * (n % 7) + x % 11;
						x ^= x % 13 + x % 17 * (n % 19) + x % 23;
						x ^= x % 29 + x % 31 * (n % 37) + x % 41;
						x ^= x % 43 + x % 47 * (n % 53) + x % 59;
						x ^= x % 61 + x % 67 * (n % 71) + x % 73;
						x ^= x % 79 + x % 83 * (n % 89) + x % 97;
						x ^= x % 3 + x % 5 * (n % 7) + x % 11;
						x ^= x % 13 + x % 17 * (n % 19) + x % 23;
						x ^= x % 29 + x % 31 * (n % 37) + x % 41;
						x ^= x % 43 + x % 47 * (n % 53) + x % 59;
						x ^= x % 61 + x % 67 * (n % 71) + x % 73;
						x ^= x % 79 + x % 83 * (n % 89) + x % 97;
						x ^= x % 3 + x % 5 * (n % 7) + x % 11;
						x ^= x % 13 + x % 17 * (n % 19) + x % 23;
						x ^= x % 29 + x % 31 * (n % 37) + x % 41;
						x ^= x % 43 + x % 47 * (n % 53) + x % 59;
						x ^= x % 61 + x % 67 * (n % 71) + x % 73;
						x ^= x % 79 + x % 83 * (n % 89) + x % 97;
						x ^= x % 3 + x % 5 * (n % 7) + x % 11;
						x ^= x % 13 + x % 17 * (n % 19) + x % 23;
					}
				}
			}
		}
		return x;
	}

	/**
	 * Repeats: runs for CHUNK_NS of CPU time, and sleeps to use the given
	 * share.
	 */
	static void hold(String name, int percent, long n, Part part) {
		Thread t = new Thread(() -> {
			running++;
			try {
				while (true)
					sleep(percent, chunk(part, n));
			} catch (Throwable e) {
				e.printStackTrace();
			}
		}, name + " of the matrix");
		t.setDaemon(true);
		t.start();
	}

	static long chunk(Part part, long n) throws Throwable {
		long begin = CPU.getCurrentThreadCpuTime(), now = begin;
		while (now - begin < CHUNK_NS) {
			sink += part.run(n);
			now = CPU.getCurrentThreadCpuTime();
		}
		return now - begin;
	}

	static void sleep(int percent, long used) throws InterruptedException {
		long rest = used * (100 - percent) / percent;
		Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
	}

	/** Two threads wait for each other and use almost no CPU time. */
	static void fight() {
		while (true) {
			synchronized (CPU) {
				try {
					Thread.sleep(2);
				} catch (InterruptedException e) {
					return;
				}
			}
		}
	}

	public static void main(String[] args) throws Throwable {
		handle = MethodHandles.lookup().findStatic(Matrix.class, "handled",
				MethodType.methodType(long.class, long.class));
		hold("math", 20, 40000, Matrix::math);
		hold("deep", 10, 40000, n -> deep(300, n));
		hold("alloc", 10, 40000, Matrix::alloc);
		hold("lambda", 10, 40000, Matrix::lambda);
		hold("handles", 10, 40000, Matrix::handles);
		hold("huge", 10, 40000, Matrix::huge);
		for (int i = 0; i < 2; i++) {
			Thread t = new Thread(Matrix::fight, i == 0
					? "fighter 0"
					: "fighter \u00c4 \u03c9 \u2192 \ud83d\ude00"
							+ " of the matrix");
			t.setDaemon(true);
			t.start();
		}
		System.out.println("READY");
		Thread.currentThread().join();
	}
}
