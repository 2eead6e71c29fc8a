/* SPDX-License-Identifier: Apache-2.0 */

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles a source again and again in this JVM, and prints "COMPILED DIGEST" of the class files
 * each time. Argument: the source file, without imports of others.
 */
public class Compiles {
    static class Source extends SimpleJavaFileObject {
        final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    static class Output extends SimpleJavaFileObject {
        final OutputStream out;

        Output(String name, Kind kind, OutputStream out) {
            super(URI.create("mem:///" + name.replace('.', '/') + kind.extension), kind);
            this.out = out;
        }

        @Override
        public OutputStream openOutputStream() {
            return out;
        }
    }

    static class Manager extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, ByteArrayOutputStream> classes = new TreeMap<>();

        Manager(JavaFileManager inner) {
            super(inner);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            classes.put(name, out);
            return new Output(name, kind, out);
        }
    }

    static String compile(JavaCompiler compiler, Source source) throws Exception {
        Manager manager = new Manager(compiler.getStandardFileManager(null, null, null));
        StringWriter messages = new StringWriter();
        boolean isCompiled =
                compiler.getTask(messages, manager, null, null, null, Arrays.asList(source)).call();
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (Map.Entry<String, ByteArrayOutputStream> e : manager.classes.entrySet()) {
            digest.update(e.getKey().getBytes("UTF-8"));
            digest.update(e.getValue().toByteArray());
        }
        return isCompiled ? new java.math.BigInteger(1, digest.digest()).toString(16) : "" + messages;
    }

    public static void main(String[] args) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        File file = new File(args[0]);
        Source source =
                new Source(file.getName(), new String(Files.readAllBytes(file.toPath()), "UTF-8"));
        for (int i = 0; ; i++) {
            System.out.println("COMPILED " + compile(compiler, source));
            if (i == 1) System.out.println("READY");
            System.out.flush();
            Thread.sleep(50);
        }
    }
}
