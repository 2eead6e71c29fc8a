// SPDX-License-Identifier: Apache-2.0

import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.ProtectionDomain;

/**
 * An agent that disturbs changes of the class Probed$Square by others. The argument is one of:
 *
 * <p>"change DIRECTORY": from now on, a change of that class by anybody waits while the file
 * DIRECTORY/block exists, after it has created DIRECTORY/blocked, and gets wrong bytes while
 * DIRECTORY/break exists.
 *
 * <p>"retransform DIRECTORY": retransforms ten other classes, one after the other, and writes the
 * number of milliseconds to DIRECTORY/took.
 */
public class Interfering {
    static byte[] disturb(String directory) {
        try {
            while (new File(directory, "block").exists()) {
                new File(directory, "blocked").createNewFile();
                Thread.sleep(5);
            }
            return new File(directory, "break").exists() ? new byte[] {1, 2, 3} : null;
        } catch (Exception e) {
            return null;
        }
    }

    static void change(String directory, Instrumentation instrumentation) {
        instrumentation.addTransformer(
                new ClassFileTransformer() {
                    @Override
                    public byte[] transform(
                            ClassLoader loader,
                            String name,
                            Class<?> redefined,
                            ProtectionDomain domain,
                            byte[] bytes) {
                        return redefined != null && name.equals("Probed$Square")
                                ? disturb(directory)
                                : null;
                    }
                },
                true);
    }

    static void retransform(String directory, Instrumentation instrumentation) throws Exception {
        long begin = System.nanoTime();
        int left = 10;
        for (Class<?> c : instrumentation.getAllLoadedClasses()) {
            if (!c.getName().startsWith("java.util.concurrent.")
                    || !instrumentation.isModifiableClass(c)) continue;
            instrumentation.retransformClasses(c);
            if (--left == 0) break;
        }
        String took = left + " " + (System.nanoTime() - begin) / 1_000_000;
        Files.write(Paths.get(directory, "took.new"), took.getBytes("UTF-8"));
        Files.move(Paths.get(directory, "took.new"), Paths.get(directory, "took"));
    }

    public static void agentmain(String argument, Instrumentation instrumentation)
            throws Exception {
        String[] words = argument.split(" ");
        if (words[0].equals("change")) change(words[1], instrumentation);
        else retransform(words[1], instrumentation);
    }
}
