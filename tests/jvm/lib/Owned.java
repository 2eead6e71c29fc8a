// SPDX-License-Identifier: Apache-2.0

/**
 * Allocates 7,000 bytes as byte[] for each 3,000 as long[].  A thread waits for
 * a monitor that another thread owns most of the time.  With an argument, a
 * thread that owns a monitor sleeps all the time, and new threads wait for the
 * monitor.
 */
public class Owned {
	static final class Gate {
	}

	private static final Gate GATE = new Gate();
	private static volatile Object kept;

	private static void pause(int ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void own() {
		for (;;) {
			synchronized (GATE) {
				pause(20);
			}
			pause(1);
		}
	}

	private static void enter() {
		for (;;) {
			synchronized (GATE) {
				kept = GATE;
			}
			pause(1);
		}
	}

	private static void allocate() {
		for (;;) {
			for (int i = 0; i < 100; i++) {
				kept = new byte[7_000 - 16];
				kept = new long[(3_000 - 16) / 8];
			}
			pause(1);
		}
	}

	private static void sleepInside() {
		synchronized (Owned.class) {
			pause(120_000);
		}
	}

	private static void enterLate() {
		synchronized (Owned.class) {
			kept = GATE;
		}
	}

	private static void start(String name, Runnable run) {
		Thread t = new Thread(run, name);

		t.setDaemon(true);
		t.start();
	}

	public static void main(String[] args) {
		/* The kernel truncates this name to 15 bytes. */
		start("owner-of-the-gate", Owned::own);
		start("enters", Owned::enter);
		start("allocates", Owned::allocate);
		if (args.length > 0)
			start("sleeps", Owned::sleepInside);
		System.out.println("READY");
		for (int i = 0; args.length > 0 && i < 600; i++) {
			pause(200);
			start("late", Owned::enterLate);
		}
		pause(120_000);
	}
}
