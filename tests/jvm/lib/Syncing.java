// SPDX-License-Identifier: Apache-2.0

import java.io.FileOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When the file of its first argument exists, four of eight threads of a pool write to the
 * file of its second argument, one at a time, for a second and a half. Then prints "SYNCED ns" and
 * "ENTERED ns", the times of FileDescriptor.sync() and of the monitor.
 */
public class Syncing {
	private static final Object LOCK = new Object();
	private static final AtomicLong synced = new AtomicLong(), entered = new AtomicLong(),
		done = new AtomicLong();
	private static FileOutputStream out;

	private static void append() throws IOException {
		long begin = System.nanoTime(), has;

		synchronized (LOCK) {
			has = System.nanoTime();
			entered.addAndGet(has - begin);
			out.write(new byte[4000]);
			begin = System.nanoTime();
			out.getFD().sync();
			synced.addAndGet(System.nanoTime() - begin);
		}
	}

	private static Void appendAll() throws IOException {
		long begin = System.nanoTime();

		while (System.nanoTime() - begin < 1_500_000_000L)
			append();
		done.incrementAndGet();
		return null;
	}

	private static void acceptAll() {
		try (ServerSocket socket = new ServerSocket(0)) {
			for (;;)
				socket.accept().close();
		} catch (IOException e) {
			System.out.println(e);
		}
	}

	public static void main(String[] args) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(8);
		Thread accepts = new Thread(Syncing::acceptAll, "accepts");

		out = new FileOutputStream(args[1]);
		accepts.setDaemon(true);
		accepts.start();
		for (int i = 0; i < 8; i++)
			pool.submit(() -> { Thread.sleep(10); return null; }).get();
		System.out.println("READY");
		while (!Files.exists(Path.of(args[0])))
			Thread.sleep(10);
		for (int i = 0; i < 4; i++)
			pool.submit(Syncing::appendAll);
		while (done.get() < 4)
			Thread.sleep(10);
		System.out.println("SYNCED " + synced + "\nENTERED " + entered);
		System.out.println("DONE");
		for (;;)
			Thread.sleep(1_000);
	}
}
