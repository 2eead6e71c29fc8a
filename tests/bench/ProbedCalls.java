/* SPDX-License-Identifier: Apache-2.0 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Prints, again and again, the CPU time of this thread for a call of each method, in ns, and for
 * what a probe consists of: System.nanoTime() and an atomic addition.
 */
public class ProbedCalls {
    interface Calls {
        void run(int n);
    }

    static final IllegalStateException KNOWN = new IllegalStateException("known");
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final AtomicLong ATOMIC = new AtomicLong();
    static int sink;
    int field;

    static int small(int a) {
        return a * 31 + 7;
    }

    static int thrower(int a) {
        if ((a & 3) == 0) throw KNOWN;
        return a;
    }

    synchronized long locked(long a, double d, String s) {
        field += a + (long) d + s.length();
        return field;
    }

    static void measure(String name, int n, Calls calls) {
        long begin = THREADS.getCurrentThreadCpuTime();
        calls.run(n);
        long ns = THREADS.getCurrentThreadCpuTime() - begin;
        System.out.printf("%s %.2f%n", name, ns / (double) n);
    }

    static void small(int n, int sum) {
        for (int i = 0; i < n; i++) sum += small(i ^ sum);
        sink = sum;
    }

    static void caught(int n) {
        for (int i = 0; i < n; i++) {
            try {
                sink += thrower(i);
            } catch (IllegalStateException e) {
                sink++;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        /*
         * In turns: the JIT compiler unrolls a small loop and merges the locked regions of one object,
         * with or without probes as their size allows.
         */
        ProbedCalls[] two = {new ProbedCalls(), new ProbedCalls()};
        for (int round = 0; ; round++) {
            measure("small", 4_000_000, n -> small(n, 0));
            measure("thrower", 400_000, n -> caught(n));
            measure(
                    "locked",
                    1_000_000,
                    n -> {
                        for (int i = 0; i < n; i++) two[i & 1].locked(i, 1.5, "abc");
                    });
            measure(
                    "nanoTime",
                    1_000_000,
                    n -> {
                        long sum = 0;
                        for (int i = 0; i < n; i++) sum += System.nanoTime();
                        sink = (int) sum;
                    });
            measure(
                    "atomic",
                    4_000_000,
                    n -> {
                        for (int i = 0; i < n; i++) ATOMIC.getAndAdd(1);
                    });
            if (round == 20) System.out.println("READY");
            System.out.flush();
        }
    }
}
