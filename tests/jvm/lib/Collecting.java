// SPDX-License-Identifier: Apache-2.0

/**
 * Makes garbage steadily and keeps a part of it alive, so that the JVM collects
 * regularly. Arguments are name=number:
 *
 *	live=KB		size of the objects that are in use (default: 8000)
 *	rate=KB		allocation per millisecond (default: 200)
 *	full=MS		calls System.gc() with this period (default: never)
 *	loop=MS		a thread runs a loop without safepoints with this period
 *	dumps=MS	takes thread dumps, which are safepoints, with this period
 */
public class Collecting {
    private static final int PIECE = 1008;
    private static volatile int result;

    private static int argument(String[] args, String name, int otherwise) {
        for (String arg : args) {
            if (arg.startsWith(name + "="))
                return Integer.parseInt(arg.substring(name.length() + 1));
        }
        return otherwise;
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    /** Runs a step with a period in ms; 0 = never. */
    private static void repeat(String name, int period, Step step) {
        if (period == 0)
            return;
        Thread thread = new Thread(() -> {
            try {
                for (;;) {
                    Thread.sleep(period);
                    step.run();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** A counted loop, which HotSpot compiles without a safepoint poll. */
    private static void loop(byte[] bytes) {
        int sum = 0;
        for (int i = 0; i < bytes.length; i++)
            sum += bytes[i] ^ i;
        result = sum;
    }

    public static void main(String[] args) throws InterruptedException {
        byte[][] live = new byte[argument(args, "live", 8000)][];
        int rate = argument(args, "rate", 200);
        byte[] bytes = new byte[1 << 20];
        int at = 0;
        long bursts = 0;

        repeat("full", argument(args, "full", 0), System::gc);
        repeat("loop", argument(args, "loop", 0), () -> loop(bytes));
        repeat("dumps", argument(args, "dumps", 0), Thread::getAllStackTraces);
        System.out.println("READY");
        for (;;) {
            for (int i = 0; i < rate; i++) {
                byte[] piece = new byte[PIECE];
                if (i % 8 == 0) {
                    live[at] = piece;
                    at = (at + 1) % live.length;
                }
            }
            if (++bursts % 256 == 0)
                live[at] = new byte[600 << 10];
            Thread.sleep(1);
        }
    }
}
