// SPDX-License-Identifier: Apache-2.0
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * A program whose compiled and inlined methods are known, if it is run with
 * -Xbatch and these options:
 *
 * -XX:CompileCommand=inline,Compiled.leaf
 * -XX:CompileCommand=inline,Compiled.middle
 * -XX:CompileCommand=dontinline,Compiled.alone
 * -XX:CompileCommand=dontinline,Compiled.outer
 *
 * After it has printed READY, nothing more is compiled.  With the argument
 * "churn", it loads, compiles and unloads hidden classes.  Exits by itself.
 */
public class Compiled {
    static int sink;

    static int alone(int x) {
        return x ^ sink;
    }

    static int leaf(int x) {
        int y = x * 31;
        return alone(y); // the line of leaf
    }

    static int middle(int x) {
        return leaf(x + 1)
            + leaf(x + 2) // the line of middle
            + 5;
    }

    static int outer(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += middle(i); // the line of outer
        }
        return sum;
    }

    static int deep(int n) {
        return n == 0 ? alone(n) : 1 + deep(n - 1);
    }

    static String text(Object o) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            b.append(o).append(i).append(o.hashCode());
        }
        return b.toString();
    }

    static void warm() {
        IntUnaryOperator lambda = x -> x + alone(x); // the line of the lambda
        List<IntUnaryOperator> all = new ArrayList<>();
        all.add(lambda);
        all.add(Compiled::outer);
        all.add(x -> deep(x % 20));
        all.add(new Churned());
        for (int i = 0; i < 30_000; i++) {
            for (IntUnaryOperator one : all) {
                sink += one.applyAsInt(i % 50);
            }
            if (i % 10 == 0) {
                sink += text(all.get(i % all.size())).length();
            }
        }
    }

    static void churn() throws Throwable {
        byte[] bytes;
        try (var in = Compiled.class.getResourceAsStream("Churned.class")) {
            bytes = in.readAllBytes();
        }
        for (int round = 0; round < 1_000_000; round++) {
            var lookup = MethodHandles.lookup().defineHiddenClass(bytes, true);
            var one = (IntUnaryOperator)
                lookup.lookupClass().getDeclaredConstructor().newInstance();
            for (int i = 0; i < 600; i++) {
                sink += one.applyAsInt(i);
            }
            if (round % 40 == 39) {
                System.gc();
            }
        }
    }

    public static void main(String[] args) throws Throwable {
        Thread end = new Thread(() -> {
            try {
                Thread.sleep(180_000);
            } catch (InterruptedException e) {
                // The program ends anyway.
            }
            Runtime.getRuntime().halt(0);
        });
        end.setDaemon(true);
        end.start();
        warm();
        System.out.println("READY");
        if (args.length > 0 && args[0].equals("churn")) {
            churn();
        }
        end.join();
    }
}

class Churned implements IntUnaryOperator {
    @Override
    public int applyAsInt(int x) {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += Compiled.alone(x + i);
        }
        return sum;
    }
}
