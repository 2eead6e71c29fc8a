/* SPDX-License-Identifier: Apache-2.0 */

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.TreeMap;

/**
 * An agent that writes the digest of each class with a name prefix as the JVM has it now. The
 * argument is "PREFIX FILE". Each load of it sees the changes of agents that were loaded before.
 *
 * <p>With "PREFIX FILE FROM TO", it first redefines the class of that name: the text FROM becomes
 * TO, which has the same length. If FROM is "-", it only looks for TO.
 */
public class Witness {
    static void redefine(Instrumentation instrumentation, String[] words) throws Exception {
        for (Class<?> c : instrumentation.getAllLoadedClasses()) {
            if (!c.getName().equals(words[0])) continue;
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (InputStream in = c.getResourceAsStream(words[0] + ".class")) {
                for (int b; (b = in.read()) >= 0; ) bytes.write(b);
            }
            String text = new String(bytes.toByteArray(), "ISO-8859-1");
            byte[] changed = text.replace(words[2], words[3]).getBytes("ISO-8859-1");
            instrumentation.redefineClasses(new ClassDefinition(c, changed));
        }
    }

    public static void agentmain(String argument, Instrumentation instrumentation)
            throws Exception {
        String[] words = argument.split(" ");
        if (words.length == 4 && !words[2].equals("-")) redefine(instrumentation, words);
        Map<String, String> digests = new TreeMap<>();
        ClassFileTransformer reader =
                new ClassFileTransformer() {
                    @Override
                    public byte[] transform(
                            ClassLoader loader,
                            String name,
                            Class<?> redefined,
                            ProtectionDomain domain,
                            byte[] bytes) {
                        if (redefined == null || !name.startsWith(words[0])) return null;
                        try {
                            boolean isChanged =
                                    words.length == 4
                                            && new String(bytes, "ISO-8859-1")
                                                    .contains(words[3]);
                            byte[] sum = MessageDigest.getInstance("SHA-256").digest(bytes);
                            digests.put(
                                    name,
                                    new java.math.BigInteger(1, sum).toString(16)
                                            + (isChanged ? " changed" : ""));
                        } catch (Exception e) {
                            digests.put(name, e.toString());
                        }
                        return null;
                    }
                };
        instrumentation.addTransformer(reader, true);
        for (Class<?> c : instrumentation.getAllLoadedClasses())
            if (c.getName().replace('.', '/').startsWith(words[0])
                    && instrumentation.isModifiableClass(c))
                instrumentation.retransformClasses(c);
        instrumentation.removeTransformer(reader);
        Files.write(
                Paths.get(words[1] + ".new"), digests.toString().getBytes("UTF-8"));
        Files.move(Paths.get(words[1] + ".new"), Paths.get(words[1]));
    }
}
