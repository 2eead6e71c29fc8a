// SPDX-License-Identifier: Apache-2.0
//
//	java NativeLeak FILE [busy | LIBRARY]
//
// When the file exists, leaks native memory in three ways, beside a method that
// frees what it allocates, and then touches memory.  Prints "METHOD bytes" for each
// method, and DONE.  With busy, allocates and frees as fast as possible meanwhile.
// With a library (native_memory.c), calls its native methods instead.
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

public class NativeLeak {
	private static final int ROUNDS = 600;
	/** zlib's state, and its window, which the first output allocates. */
	private static final int INFLATER = 7_168 + 32_784;
	private static final int BUFFER = 50_000;
	private static final int BLOCK = 777;
	private static final int BLOCKS = 60; // in a round
	private static final int TOUCHED = 64 << 20;
	private static final int STACKS = 10;
	private static final int HEAP = 100 << 20;
	private static final byte[] DEFLATED = deflated();
	private static final List<Object> kept = new ArrayList<>();

	private static byte[] deflated() {
		byte[] bytes = new byte[100];
		Deflater deflater = new Deflater();

		deflater.setInput(new byte[100]);
		deflater.finish();
		deflater.deflate(bytes);
		deflater.end();
		return bytes;
	}

	private static void leakInflater() throws DataFormatException {
		Inflater inflater = new Inflater();

		inflater.setInput(DEFLATED);
		inflater.inflate(new byte[50]); // not to the end
		kept.add(inflater);
	}

	private static void leakBuffer() {
		kept.add(ByteBuffer.allocateDirect(BUFFER));
	}

	private static void leakBlocks() {
		for (int i = 0; i < BLOCKS; i++)
			kept.add(ByteBuffer.allocateDirect(BLOCK));
	}

	private static void churn() {
		for (int i = 0; i < 20; i++)
			new Inflater().end();
	}

	private static native long mapHalf(int count, int size);

	private static native long allocateSampled(int kept, int freed);

	/** Threads that sleep, with stacks of 1 MB. */
	private static void startThreads() {
		for (int i = 0; i < STACKS; i++) {
			Thread thread = new Thread(null, NativeLeak::sleep, "stack", 1 << 20);

			thread.setDaemon(true);
			thread.start();
		}
	}

	private static void sleep() {
		try {
			Thread.sleep(120_000);
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		}
	}

	private static void growHeap() {
		for (int i = 0; i < HEAP >> 19; i++)
			kept.add(new byte[1 << 19]);
	}

	private static void leakInLibrary() throws InterruptedException {
		long mapped = 0, allocated = 0;

		growHeap();
		startThreads();
		System.out.println("startThreads " + (STACKS << 20));
		System.out.println("growHeap " + HEAP);
		// The ring buffer has no room for all stacks at once.
		for (int i = 0; i < 10; i++) {
			mapped += mapHalf(4, 256 << 10);
			allocated += allocateSampled(6, 14);
			Thread.sleep(20);
		}
		System.out.println("mapHalf " + mapped);
		System.out.println("allocateSampled " + allocated);
	}

	private static void churnAlways() {
		for (;;)
			churn();
	}

	/** A new buffer is filled with zeros. */
	private static void touch() {
		kept.add(ByteBuffer.allocateDirect(TOUCHED));
	}

	private static void leak() throws Exception {
		for (int i = 0; i < ROUNDS; i++) {
			leakInflater();
			leakBuffer();
			leakBlocks();
			churn();
			Thread.sleep(5);
		}
		System.out.println("leakInflater " + (long) ROUNDS * INFLATER);
		System.out.println("leakBuffer " + (long) ROUNDS * BUFFER);
		System.out.println("leakBlocks " + (long) ROUNDS * BLOCKS * BLOCK);
	}

	public static void main(String[] args) throws Exception {
		boolean isBusy = args.length > 1 && args[1].equals("busy");

		if (args.length > 1 && !isBusy)
			System.load(args[1]);
		for (int i = 0; isBusy && i < 3; i++) {
			Thread thread = new Thread(NativeLeak::churnAlways);

			thread.setDaemon(true);
			thread.start();
		}
		System.out.println("READY");
		for (int i = 0; !Files.exists(Paths.get(args[0])); i++) {
			if (i == 6_000)
				return;
			Thread.sleep(10);
		}
		if (args.length > 1 && !isBusy) {
			leakInLibrary();
		} else {
			leak();
			touch();
			System.out.println("touch " + TOUCHED);
		}
		System.out.println("DONE");
		Thread.sleep(120_000);
	}
}
