// SPDX-License-Identifier: Apache-2.0
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;

/**
 * Memory of known kinds and sizes: "direct=20 inflaters=400 fragments=64
 * mapped=8 threads=50 loaders=80 http=2 leak=75" (MB; objects; MB; MB; threads; class
 * loaders; clients of a server; Inflaters per second).
 * Prints READY when all but the leak is there.
 */
public class Memory {
	static final List<Object> kept = new ArrayList<>();
	static sun.misc.Unsafe unsafe;

	public static void main(String[] args) throws Exception {
		Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
		int leak = 0;

		f.setAccessible(true);
		unsafe = (sun.misc.Unsafe) f.get(null);
		for (String arg : args) {
			String[] word = arg.split("=");
			int count = Integer.parseInt(word[1]);

			switch (word[0]) {
			case "direct": direct(count); break;
			case "inflaters": inflaters(count); break;
			case "fragments": fragments(count); break;
			case "mapped": mapped(count); break;
			case "threads": threads(count); break;
			case "loaders": loaders(count); break;
			case "http": http(count); break;
			case "leak": leak = count; break;
			default: throw new IllegalArgumentException(arg);
			}
		}
		System.out.println("READY");
		for (long end = System.nanoTime() + 600_000_000_000L; System.nanoTime() < end;) {
			inflaters(leak / 5);
			Thread.sleep(200);
		}
	}

	/** MB of buffers of 1 MB and as many of 16 KB. */
	static void direct(int mb) {
		for (int i = 0; i < mb; i++)
			kept.add(filled(1 << 20));
		for (int i = 0; i < mb * 64; i++)
			kept.add(filled(1 << 14));
	}

	static ByteBuffer filled(int bytes) {
		ByteBuffer b = ByteBuffer.allocateDirect(bytes);

		while (b.hasRemaining())
			b.put((byte) 1);
		return b;
	}

	/** Each has a window of 32 KB and a state of 7 KB, since they have inflated. */
	static void inflaters(int count) throws Exception {
		if (count == 0)
			return;

		byte[] plain = new byte[100_000], packed = new byte[200_000];
		Deflater d = new Deflater();
		int len;

		new Random(1).nextBytes(plain);
		d.setInput(plain);
		d.finish();
		len = d.deflate(packed);
		d.end();
		for (int i = 0; i < count; i++) {
			Inflater one = new Inflater();

			one.setInput(packed, 0, len);
			one.inflate(new byte[50_000]);
			kept.add(one);
		}
	}

	/** Blocks in 16 arenas, of which each fiftieth stays. */
	static void fragments(int mb) throws Exception {
		Thread[] threads = new Thread[16];
		CyclicBarrier all = new CyclicBarrier(threads.length);

		for (int i = 0; i < threads.length; i++) {
			Random random = new Random(i);

			threads[i] = new Thread(() -> {
				try {
					List<Long> blocks = new ArrayList<>();

					all.await();
					for (long got = 0; got < ((long) mb << 20) / threads.length;) {
						int size = 100 + random.nextInt(20000);
						long block = unsafe.allocateMemory(size);

						unsafe.setMemory(block, size, (byte) 1);
						blocks.add(block);
						got += size;
					}
					all.await();
					for (int k = 0; k < blocks.size(); k++)
						if (k % 50 != 0)
							unsafe.freeMemory(blocks.get(k));
				} catch (Exception e) {
					throw new RuntimeException(e);
				}
			});
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
	}

	static void mapped(int mb) throws Exception {
		File file = File.createTempFile("mapped", ".bin");

		try (RandomAccessFile r = new RandomAccessFile(file, "rw");
		     FileChannel c = r.getChannel()) {
			MappedByteBuffer b = c.map(FileChannel.MapMode.READ_WRITE, 0, (long) mb << 20);

			for (int i = 0; i < b.capacity(); i += 4096)
				b.put(i, (byte) 1);
			kept.add(b);
		}
		file.delete();
	}

	static void threads(int count) throws Exception {
		CountDownLatch begun = new CountDownLatch(count);

		for (int i = 0; i < count; i++) {
			int depth = i * 20;
			Thread t = new Thread(() -> {
				descend(depth);
				begun.countDown();
				try {
					Thread.sleep(600_000);
				} catch (InterruptedException e) {
					return;
				}
			}, "sleeper-" + i);

			t.setDaemon(true);
			t.start();
		}
		begun.await();
	}

	static int descend(int depth) {
		return depth == 0 ? 0 : descend(depth - 1) + 1;
	}

	/** Each has a class of its own, this one. */
	static void loaders(int count) throws Exception {
		try (InputStream in = Memory.class.getResourceAsStream("Memory.class")) {
			byte[] bytes = bytes(in);

			for (int i = 0; i < count; i++)
				kept.add(new ClassLoader() {
					Class<?> made = defineClass("Memory", bytes, 0, bytes.length);
				}.made.getDeclaredMethods());
		}
	}

	static byte[] bytes(InputStream in) throws Exception {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		byte[] part = new byte[8192];

		for (int n; (n = in.read(part)) >= 0;)
			all.write(part, 0, n);
		return all.toByteArray();
	}

	/** Clients that ask for compressed pages, each 100 times before READY. */
	static void http(int clients) throws Exception {
		HttpServer server = HttpServer.create(
			new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		CountDownLatch warm = new CountDownLatch(100 * clients);

		server.createContext("/", e -> {
			e.sendResponseHeaders(200, 0);
			try (GZIPOutputStream out = new GZIPOutputStream(e.getResponseBody())) {
				out.write(new byte[20_000]);
			}
		});
		server.setExecutor(Executors.newFixedThreadPool(clients));
		server.start();
		for (int i = 0; i < clients; i++) {
			Thread t = new Thread(() -> {
				try {
					URL url = new URL("http", "127.0.0.1",
						server.getAddress().getPort(), "/");

					for (;;) {
						bytes(new GZIPInputStream(url.openStream()));
						warm.countDown();
						Thread.sleep(1);
					}
				} catch (Exception e) {
					throw new RuntimeException(e);
				}
			});

			t.setDaemon(true);
			t.start();
		}
		warm.await();
	}
}
