// SPDX-License-Identifier: Apache-2.0

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * Uses the CPU, allocates and waits for a monitor in threads whose names are no valid UTF-8: with
 * half of a surrogate pair, a whole pair and U+0000. One class and one of its methods have such
 * names, too, in the JVM's modified UTF-8. Prints READY.
 */
public class Hostile {
	private static final Object LOCK = new Object();
	private static volatile Object kept;
	private static volatile long sink;

	private static final String[] NAMES = {
		"\ud800 half", "half \udc00", "pair \ud83d\ude00", "nul\u0000nul",
		"\u001b[31mred", "\u202egnp.exe",
	};

	/** Its names are replaced: C0 80 is U+0000, ED A0 80 half of a pair. */
	public static class oAAAAAAo implements Runnable {
		private static volatile long own;

		@Override
		public void run() {
			for (;;)
				mBBBBBBm();
		}

		static void mBBBBBBm() {
			for (int i = 0; i < 100_000; i++)
				own++;
			LockSupport.parkNanos(20_000_000);
		}
	}

	private static class Loader extends ClassLoader {
		Class<?> define(byte[] all) {
			return defineClass(null, all, 0, all.length);
		}
	}

	private static byte[] read(String name) throws Exception {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (InputStream in = Hostile.class.getResourceAsStream(name)) {
			for (int b; (b = in.read()) >= 0;)
				bytes.write(b);
		}
		return bytes.toByteArray();
	}

	/** Replaces a name in all constants by bytes of the same number. */
	private static byte[] replace(byte[] all, String name, String by) {
		String text = new String(all, StandardCharsets.ISO_8859_1);
		return text.replace(name, by).getBytes(StandardCharsets.ISO_8859_1);
	}

	private static void start(String name, Runnable body) {
		Thread thread = new Thread(body, name);
		thread.setDaemon(true);
		thread.start();
	}

	private static void allocate() {
		for (;;) {
			kept = new byte[4096];
			if (++sink % 256 == 0)
				LockSupport.parkNanos(10_000_000);
		}
	}

	private static void contend() {
		for (;;) {
			synchronized (LOCK) {
				LockSupport.parkNanos(5_000_000);
			}
		}
	}

	public static void main(String[] args) throws Exception {
		byte[] all = read("Hostile$oAAAAAAo.class");
		all = replace(all, "AAAAAA", "\u00ed\u00a0\u00bd\u00ed\u00b8\u0080");
		all = replace(all, "BBBBBB", "\u00c0\u0080\u00ed\u00a0\u0080x");
		Class<?> named = new Loader().define(all);

		for (String name : NAMES)
			start(name, (Runnable) named.getConstructor().newInstance());
		start("allocator", Hostile::allocate);
		start("contender-1", Hostile::contend);
		start("contender-2", Hostile::contend);
		System.out.println("READY");
		Thread.sleep(300_000);
	}
}
