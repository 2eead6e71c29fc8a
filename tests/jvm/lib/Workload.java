// SPDX-License-Identifier: Apache-2.0
//
//	java Workload SECONDS KIND...
//
// Stacks as frameworks produce them.  Each KIND is a thread "worker-KIND" that does
// only this for SECONDS; "virtual" and "monitors" are several virtual threads, if
// the JVM has them.  Prints READY when all have started.  Without a KIND, it runs
// all.
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

public class Workload {
	static volatile long sink;
	static volatile boolean over;

	interface Layer {
		long pass(int depth, Function<Integer, Long> next);
	}

	// Each layer of a framework has another class.
	static class Security implements Layer {
		public long pass(int depth, Function<Integer, Long> next) {
			return next.apply(depth - 1) + 1;
		}
	}

	static class Transaction implements Layer {
		public long pass(int depth, Function<Integer, Long> next) {
			try {
				return next.apply(depth - 1) ^ depth;
			} finally {
				sink += depth;
			}
		}
	}

	static class Retry implements Layer {
		public synchronized long pass(int depth, Function<Integer, Long> next) {
			Supplier<Long> call = () -> next.apply(depth - 1);
			return call.get() * 3;
		}
	}

	static final Layer[] layers = { new Security(), new Transaction(), new Retry() };

	static long framework(int depth) {
		if (depth <= 0)
			return bottom();
		return layers[depth % layers.length].pass(depth, Workload::framework);
	}

	static long bottom() {
		long h = 17;
		for (int i = 0; i < 3000; i++)
			h = h * 31 + Integer.toHexString(i).hashCode();
		return h;
	}

	static void deep() {
		sink += framework(240);
	}

	static void lambdas() {
		IntUnaryOperator f = x -> x + 1;
		for (int i = 0; i < 10; i++) {
			int k = i;
			f = f.andThen(x -> x * k + 3);
		}
		sink += IntStream.range(0, 4000).map(f).filter(x -> x % 3 != 0).boxed()
			.map(x -> "v" + x).mapToInt(String::length).sum();
	}

	static long reflected(String text, int n) {
		long h = n;
		for (int i = 0; i < 300; i++)
			h = h * 31 + text.charAt(i % text.length());
		return h;
	}

	static final Method method;
	static final MethodHandle handle, bound;

	static {
		try {
			MethodType type = MethodType.methodType(long.class, String.class, int.class);
			method = Workload.class.getDeclaredMethod("reflected", String.class, int.class);
			handle = MethodHandles.lookup().findStatic(Workload.class, "reflected", type);
			bound = MethodHandles.filterReturnValue(
				MethodHandles.insertArguments(handle, 0, "bound"),
				MethodHandles.identity(long.class));
		} catch (ReflectiveOperationException e) {
			throw new ExceptionInInitializerError(e);
		}
	}

	static MethodHandle changing = handle;

	static void reflection() {
		try {
			for (int i = 0; i < 50; i++) {
				sink += (Long)method.invoke(null, "reflection", i);
				sink += (long)handle.invokeExact("handle", i);
				sink += (long)bound.invokeExact(i);
				// Not a constant: called through a linker.
				sink += (long)changing.invokeExact("changing", i);
				sink += (Long)changing.invokeWithArguments("arguments", i);
			}
		} catch (Throwable e) {
			throw new IllegalStateException(e);
		}
	}

	static int thrower(int depth) {
		if (depth == 0)
			throw new IllegalArgumentException("bottom");
		try {
			return thrower(depth - 1) + 1;
		} catch (IllegalStateException e) {
			return -1;
		}
	}

	static void exceptions() {
		for (int i = 0; i < 20; i++) {
			try {
				sink += thrower(20);
			} catch (IllegalArgumentException e) {
				sink += e.getStackTrace().length;
			}
			try {
				Object o = i % 2 == 0 ? null : "text";
				sink += o.hashCode();
			} catch (NullPointerException e) {
				sink++;
			}
			try {
				sink += new int[3][i % 5].length + new int[4][(int)(sink & 3)][i % 7 - 3].length;
			} catch (NegativeArraySizeException e) {
				sink++;
			}
		}
	}

	static final byte[] data = new byte[1 << 16];

	static {
		new Random(7).nextBytes(data);
		for (int i = 0; i < data.length; i += 3)
			data[i] = 'a';
	}

	static void zlib() {
		try {
			byte[] out = new byte[data.length + 1000];
			Deflater d = new Deflater(6);
			d.setInput(data);
			d.finish();
			int len = d.deflate(out);
			d.end();
			Inflater in = new Inflater();
			in.setInput(out, 0, len);
			sink += in.inflate(new byte[data.length]);
			in.end();
			CRC32 crc = new CRC32();
			crc.update(data);
			sink += crc.getValue();
		} catch (java.util.zip.DataFormatException e) {
			throw new IllegalStateException(e);
		}
	}

	// Stubs that HotSpot uses in place of compiled code.
	static void routines() {
		try {
			Random random = new Random(3);
			int[] ints = random.ints(5000).toArray();
			long[] longs = random.longs(3000).toArray();
			double[] doubles = random.doubles(3000).toArray();
			Object[] objects = new Object[4000];
			String[] strings = new String[4000];

			Arrays.fill(strings, "s");
			for (int i = 0; i < 30; i++) {
				System.arraycopy(strings, 0, objects, 0, 4000);
				System.arraycopy(objects, 0, strings, 1, 3999);
				System.arraycopy(ints, 0, ints, 7, 4000);
				System.arraycopy(data, 1, data.clone(), 0, 60000);
			}
			Arrays.sort(ints);
			Arrays.sort(longs);
			Arrays.sort(doubles);
			sink += ints[9] + longs[7] + (long)doubles[3];
			for (String name : new String[] { "MD5", "SHA-1", "SHA-256", "SHA-512", "SHA3-256" })
				sink += MessageDigest.getInstance(name).digest(data)[0];
			javax.crypto.Cipher aes = javax.crypto.Cipher.getInstance("AES/GCM/NoPadding");
			aes.init(1, new javax.crypto.spec.SecretKeySpec(new byte[16], "AES"));
			sink += aes.doFinal(data)[0];
			BigInteger b = new BigInteger(2048, random);
			sink += b.multiply(b).mod(b.add(BigInteger.TEN)).modPow(BigInteger.valueOf(65537), b.setBit(0)).intValue();
			for (int i = 0; i < 1000; i++)
				sink += (long)(Math.sin(i) + Math.pow(i, 1.3) + Math.log(i + 1) + Math.exp(i % 9));
			sink += java.util.Base64.getEncoder().encodeToString(data).indexOf("zzzzz");
			sink += Arrays.mismatch(data, data.clone());
		} catch (java.security.GeneralSecurityException e) {
			throw new IllegalStateException(e);
		}
	}

	public static class Template implements IntUnaryOperator {
		public int applyAsInt(int n) {
			int h = n;
			for (int i = 0; i < 20; i++)
				h = h * 31 + (i ^ n);
			return n % 64 == 0 ? h + helper(h, 3) : h;
		}

		static int helper(int h, int depth) {
			return depth == 0 ? Integer.toString(h).length() : helper(h + 1, depth - 1);
		}
	}

	static byte[] template;

	// Classes are created, compiled and unloaded, and so is their code.
	static void churn() {
		try {
			if (template == null)
				try (java.io.InputStream in =
					Workload.class.getResourceAsStream("Workload$Template.class")) {
					template = in.readAllBytes();
				}
			List<IntUnaryOperator> made = new ArrayList<>();
			for (int i = 0; i < 4; i++)
				made.add((IntUnaryOperator)MethodHandles.lookup()
					.defineHiddenClass(template, true).lookupClass()
					.getDeclaredConstructor().newInstance());
			for (int i = 0; i < 6000; i++)
				for (IntUnaryOperator f : made)
					sink += f.applyAsInt(i);
		} catch (ReflectiveOperationException | java.io.IOException e) {
			throw new IllegalStateException(e);
		}
	}

	static void objects() {
		Map<String, List<Object>> map = new HashMap<>();
		for (int i = 0; i < 2000; i++)
			map.computeIfAbsent("key" + i % 97, k -> new ArrayList<>()).add(new long[i % 31]);
		Object shared = map;
		synchronized (shared) {
			sink += map.values().stream().mapToInt(List::size).sum();
		}
	}

	static final Object monitor = new Object();

	static final ReentrantLock lock = new ReentrantLock();

	static void locks() {
		for (int i = 0; i < 500; i++)
			synchronized (monitor) {
				sink += System.nanoTime() & 7;
				sink += Thread.currentThread().getName().length();
			}
		for (int i = 0; i < 500; i++) {
			lock.lock();
			try {
				sink += i;
			} finally {
				lock.unlock();
			}
		}
	}

	static long yielding(int depth, int turn) {
		if (depth == 0) {
			if (turn % 3 == 0)
				LockSupport.parkNanos(1);
			else
				Thread.yield();
			return bottom();
		}
		return yielding(depth - 1, turn) + depth;
	}

	// Since JDK 24, a virtual thread that waits for a monitor, or owns one, can
	// be unmounted from its carrier.
	static final Object[] monitors = { new Object(), new Object(), new Object() };

	static synchronized long together(int turn) {
		Thread.yield();
		return turn;
	}

	static long waiting(int depth, int turn) {
		if (depth > 0)
			return waiting(depth - 1, turn) + depth;
		synchronized (monitors[turn % 3]) {
			switch (turn & 7) {
			case 0:
				return together(turn);
			case 1:
			case 2:
				LockSupport.parkNanos(1);
				break;
			case 3:
				try {
					monitors[turn % 3].wait(1);
				} catch (InterruptedException e) {
					return 0;
				}
				break;
			case 4:
				monitors[turn % 3].notifyAll();
				break;
			default:
				Thread.yield();
			}
			return reflected("monitors", turn);
		}
	}

	static void monitors(ExecutorService threads) {
		for (int t = 0; t < 60; t++) {
			int depth = t % 37;
			threads.submit(() -> {
				for (int i = depth; !over; i++)
					sink += waiting(depth, i);
			});
		}
	}

	static void yields(ExecutorService threads) {
		for (int t = 0; t < 8; t++) {
			int depth = 10 + 30 * t;
			threads.submit(() -> {
				for (int i = 0; !over; i++)
					sink += yielding(depth, i) + framework(depth / 4);
			});
		}
	}

	static void virtual(CountDownLatch begun, Consumer<ExecutorService> work) {
		ExecutorService threads;
		try {
			threads = (ExecutorService)Executors.class
				.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
		} catch (ReflectiveOperationException e) {
			begun.countDown();
			return;
		}
		work.accept(threads);
		begun.countDown();
	}

	static final Map<String, Runnable> kinds = new LinkedHashMap<>();
	static final Map<String, Consumer<ExecutorService>> virtual = new LinkedHashMap<>();

	static {
		kinds.put("deep", Workload::deep);
		kinds.put("lambdas", Workload::lambdas);
		kinds.put("reflection", Workload::reflection);
		kinds.put("exceptions", Workload::exceptions);
		kinds.put("zlib", Workload::zlib);
		kinds.put("routines", Workload::routines);
		kinds.put("churn", Workload::churn);
		kinds.put("objects", Workload::objects);
		kinds.put("locks", Workload::locks);
		virtual.put("virtual", Workload::yields);
		virtual.put("monitors", Workload::monitors);
	}

	public static void main(String[] args) throws InterruptedException {
		List<String> wanted = new ArrayList<>(Arrays.asList(args).subList(1, args.length));
		if (wanted.isEmpty()) {
			wanted.addAll(kinds.keySet());
			wanted.addAll(virtual.keySet());
		}
		CountDownLatch begun = new CountDownLatch(wanted.size());
		for (String kind : wanted) {
			Runnable work = kinds.get(kind);
			if (work == null) {
				virtual(begun, virtual.get(kind));
				continue;
			}
			Thread t = new Thread(() -> {
				begun.countDown();
				while (!over)
					work.run();
			}, "worker-" + kind);
			t.setDaemon(true);
			t.start();
		}
		begun.await();
		System.out.println("READY");
		Thread.sleep(Integer.parseInt(args[0]) * 1000L);
		over = true;
		System.exit(0);
	}
}
