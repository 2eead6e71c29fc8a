// SPDX-License-Identifier: Apache-2.0
// A thread runs a loop whose compiled code does not poll for safepoints, given
// -XX:-UseCountedLoopSafepoints; a collection then waits for it. With an
// argument, both begin when the file of this name exists.
public class Unstoppable {
	static int sum;

	static int loop() {
		int x = 0;

		for (int i = 0; i < 2_000_000_000; i++)
			for (int j = 0; j < 30; j++)
				x += i * j ^ x;
		return x;
	}

	public static void main(String[] args) throws Exception {
		System.out.println("READY");
		while (args.length > 0 && !new java.io.File(args[0]).exists())
			Thread.sleep(50);
		Thread spinner = new Thread(() -> {
			for (;;)
				sum += loop();
		}, "spinner");

		spinner.setDaemon(true);
		spinner.start();
		for (;;) {
			Thread.sleep(100);
			System.gc();
			System.out.println("collected");
		}
	}
}
