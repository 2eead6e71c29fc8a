// SPDX-License-Identifier: Apache-2.0
//
//	java Digests [seconds=N]
//
// A thread, "worker", makes random strings and prints the MD5 of each in hex, byte
// by byte.  Samplers disagree about its hottest method: a sampler that waits for
// safepoints reports their positions, in callers; a sampler that uses only the
// debug information of compiled code reports Integer.toHexString.
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.SplittableRandom;

public class Digests {
	static final SplittableRandom random = new SplittableRandom(42);

	static String randomString() {
		StringBuilder text = new StringBuilder();

		for (int i = 0; i < 16; i++)
			text.append((char) ('a' + random.nextInt(26)));
		return text.toString();
	}

	static String hex(byte[] digest) {
		StringBuilder text = new StringBuilder();

		for (byte b : digest) {
			String one = Integer.toHexString(b & 0xff);

			if (one.length() == 1)
				text.append('0');
			text.append(one);
		}
		return text.toString();
	}

	static void work(long end) {
		PrintStream out = new PrintStream(new OutputStream() {
			@Override
			public void write(int b) {
			}

			@Override
			public void write(byte[] b, int off, int len) {
			}
		});

		try {
			MessageDigest md5 = MessageDigest.getInstance("MD5");

			while (System.nanoTime() < end)
				for (int i = 0; i < 1000; i++)
					out.println(hex(md5.digest(randomString()
						.getBytes(StandardCharsets.ISO_8859_1))));
		} catch (java.security.NoSuchAlgorithmException e) {
			throw new IllegalStateException(e);
		}
	}

	public static void main(String[] args) throws Exception {
		long seconds = 120;

		for (String arg : args)
			if (arg.startsWith("seconds="))
				seconds = Long.parseLong(arg.substring(8));
		long end = System.nanoTime() + seconds * 1_000_000_000L;
		Thread worker = new Thread(() -> work(end), "worker");

		worker.start();
		System.out.println("READY");
		worker.join();
	}
}
