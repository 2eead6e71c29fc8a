// SPDX-License-Identifier: Apache-2.0
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;

/**
 * Redefines a class while the old version of one of its methods runs.  Run it
 * with -javaagent and a jar whose manifest names this class.
 */
public class Redefined {
    private static Instrumentation instrumentation;

    public static void premain(String args, Instrumentation given) {
        instrumentation = given;
    }

    public static void main(String[] args) throws Exception {
        Thread spinner = new Thread(Spinning::spin, "spinner");
        spinner.setDaemon(true);
        spinner.start();
        while (!Spinning.spins) {
            Thread.sleep(1);
        }
        byte[] bytes;
        try (var in = Redefined.class.getResourceAsStream("Spinning.class")) {
            bytes = in.readAllBytes();
        }
        for (int i = 0; i < 3; i++) {
            instrumentation.redefineClasses(
                new ClassDefinition(Spinning.class, bytes));
        }
        System.gc();
        System.out.println("READY");
        Thread.sleep(120_000);
    }
}

class Spinning {
    static volatile boolean spins;
    static int sum;

    static void spin() {
        spins = true;
        while (true) {
            step();
        }
    }

    static void step() {
        for (int i = 0; i < 100; i++) {
            sum += i;
        }
    }
}
