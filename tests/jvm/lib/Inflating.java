// SPDX-License-Identifier: Apache-2.0
//
//	java Inflating [seconds=N]
//
// A thread, "worker", reads an InflaterInputStream to its end, repeatedly.  Nearly
// all of its time is spent in zlib, in native code, which samplers that request
// stack traces from the JVM do not see.
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

public class Inflating {
	static volatile int sum;

	static byte[] deflated() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		Random random = new Random(42);

		try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
			for (int i = 0; i < 200_000; i++)
				out.write(("line " + random.nextInt(5000) + "\n")
					.getBytes());
		}
		return bytes.toByteArray();
	}

	static void readAll(byte[] from) throws IOException {
		byte[] buffer = new byte[8192];
		int n, seen = 0;

		try (InputStream in = new InflaterInputStream(
			new ByteArrayInputStream(from), new java.util.zip.Inflater(), 8192)) {
			while ((n = in.read(buffer)) > 0)
				seen += n + buffer[n - 1];
		}
		sum = seen;
	}

	static void work(byte[] from, long end) {
		try {
			while (System.nanoTime() < end)
				readAll(from);
		} catch (IOException e) {
			throw new UncheckedIOException(e);
		}
	}

	public static void main(String[] args) throws Exception {
		long seconds = 120;

		for (String arg : args)
			if (arg.startsWith("seconds="))
				seconds = Long.parseLong(arg.substring(8));
		long end = System.nanoTime() + seconds * 1_000_000_000L;
		byte[] from = deflated();
		Thread worker = new Thread(() -> work(from, end), "worker");

		worker.start();
		System.out.println("READY");
		worker.join();
	}
}
