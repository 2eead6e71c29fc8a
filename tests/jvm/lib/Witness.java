/* SPDX-License-Identifier: Apache-2.0 */

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
 * argument is "PREFIX FILE". It changes nothing. Each load of it sees the changes of agents that
 * were loaded before.
 */
public class Witness {
    public static void agentmain(String argument, Instrumentation instrumentation)
            throws Exception {
        String[] words = argument.split(" ");
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
                            byte[] sum = MessageDigest.getInstance("SHA-256").digest(bytes);
                            digests.put(name, new java.math.BigInteger(1, sum).toString(16));
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
