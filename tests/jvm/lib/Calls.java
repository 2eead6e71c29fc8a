// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.concurrent.atomic.LongAdder;

/**
 * Calls methods a known number of times and prints its own account of them.
 *
 * Calls go=FILE [calls=N] [threads=N]: each time the file appears, removes it,
 * makes the calls, and prints "METHOD CALLS THROWN" lines, "STACK FRAME:LINE…"
 * of a slow call, and DONE.
 * Calls hold=1 …: repeats the calls with pauses until it is killed.
 */
public class Calls {
	interface Handler {
		long handle(long n);
	}

	static class First implements Handler {
		public long handle(long n) {
			return n + 1;
		}
	}

	static class Second extends First {
		public long handle(long n) {
			return super.handle(n) + 1;
		}
	}

	static class Orders {
		final long id;

		Orders(long id) {
			this.id = id;
		}

		long submit(long n) {
			return id + n;
		}

		long submit(String text) {
			return id + text.length();
		}

		synchronized long locked(long n) {
			return submit(n) ^ n;
		}

		long fails(long n) {
			if (n % 5 == 0)
				throw new IllegalStateException("fifth");
			if (n % 3 == 0)
				throw new IllegalArgumentException("third");
			return n;
		}

		static long recurse(long n) {
			return n == 0 ? 0 : 1 + recurse(n - 1);
		}

		static long loop(long n) {
			long sum = 0;

			for (long i = 0; i < n; i++)
				sum += i ^ sum;
			return sum;
		}

		static void slow(long ms, String why)
				throws InterruptedException {
			if (why.equals("call 0"))
				stack = new Throwable().getStackTrace();
			Thread.sleep(ms);
		}
	}

	static final LongAdder calls = new LongAdder();
	static final LongAdder illegal = new LongAdder();
	static final LongAdder wrong = new LongAdder();
	static final LongAdder slowNs = new LongAdder();
	static volatile long sink;
	static StackTraceElement[] stack;

	static void work(long count) {
		Orders orders = new Orders(7);
		First first = new First(), second = new Second();
		long sum = 0;

		for (long i = 0; i < count; i++) {
			sum += orders.submit(i) + orders.submit("text");
			sum += orders.locked(i) + first.handle(i);
			sum += second.handle(i) + new Orders(i).id;
			sum += Orders.recurse(4) + Orders.loop(10);
			try {
				sum += orders.fails(i);
			} catch (IllegalStateException e) {
				illegal.increment();
			} catch (IllegalArgumentException e) {
				wrong.increment();
			}
		}
		sink = sum;
		calls.add(count);
	}

	static void slowly(int count) throws InterruptedException {
		for (int i = 0; i < count; i++) {
			long start = System.nanoTime();

			Orders.slow(i % 2 == 0 ? 60 : 1, "call " + i);
			slowNs.add(System.nanoTime() - start);
		}
	}

	static void print(String method, long count, long thrown) {
		System.out.println(method + " " + count + " " + thrown);
	}

	public static void main(String[] args) throws Exception {
		int count = 1000, threads = 2, slow = 10;
		String go = null;
		boolean hold = false;

		for (String arg : args) {
			String value = arg.substring(arg.indexOf('=') + 1);

			if (arg.startsWith("go="))
				go = value;
			else if (arg.startsWith("calls="))
				count = Integer.parseInt(value);
			else if (arg.startsWith("threads="))
				threads = Integer.parseInt(value);
			else if (arg.startsWith("slow="))
				slow = Integer.parseInt(value);
			else if (arg.startsWith("hold="))
				hold = true;
		}
		work(1);
		slowly(1);
		System.out.println("READY");
		do {
			while (go != null && !new File(go).delete())
				Thread.sleep(10);
			calls.reset();
			illegal.reset();
			wrong.reset();
			slowNs.reset();
			run(count, threads, slow);
			if (go != null)
				account(threads, slow);
			else
				Thread.sleep(5);
		} while (hold || go != null);
		account(threads, slow);
		Thread.sleep(Long.MAX_VALUE);
	}

	static void run(int count, int threads, int slow) throws Exception {
		Thread[] all = new Thread[threads];

		for (int i = 0; i < threads; i++) {
			all[i] = new Thread(() -> work(count), "worker-" + i);
			all[i].start();
		}
		slowly(slow);
		for (Thread thread : all)
			thread.join();
	}

	static void account(int threads, int slow) {
		long n = calls.sum();

		print("Orders.submit(long)", 2 * n, 0);
		print("Orders.submit(java.lang.String)", n, 0);
		print("Orders.locked(long)", n, 0);
		print("Orders.fails(long)", n, illegal.sum() + wrong.sum());
		print("Orders.recurse(long)", 5 * n, 0);
		print("Orders.loop(long)", n, 0);
		print("Orders.<init>(long)", n + threads, 0);
		print("Orders.slow(long,java.lang.String)", slow, 0);
		print("First.handle(long)", 2 * n, 0);
		print("Second.handle(long)", n, 0);
		System.out.println("ILLEGAL " + illegal.sum());
		System.out.println("WRONG " + wrong.sum());
		System.out.println("SLOW " + slowNs.sum());
		System.out.print("STACK");
		for (StackTraceElement e : stack)
			System.out.print(" " + e.getClassName() + "." +
				e.getMethodName() + ":" + e.getLineNumber());
		System.out.println();
		System.out.println("DONE");
		System.out.flush();
	}
}
