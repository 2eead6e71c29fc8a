// SPDX-License-Identifier: Apache-2.0

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls methods that a tool can harm by adding code to them. Prints "HARMED CLASS EXCEPTION" if a
 * call throws.
 *
 * <p>The class loaders of Deaf, Once and Half find the needed classes of the JDK, but of classes that
 * they do not know: none; each one only once; each one except SjkcTrace. With a second argument, only Mute and Later run, and Mute's loader never
 * returns when it is asked for a class of sjkc. The methods of the class
 * Sized have just less code than the JVM compiles, and more. When the file of the argument appears,
 * Later is loaded and called, too.
 */
public class Delicate {
    public interface Task extends Runnable {
        void step();
    }

    public abstract static class Base implements Task {
        @Override
        public void run() {
            try {
                for (; ; Thread.sleep(1)) step();
            } catch (Throwable e) {
                System.out.println("HARMED " + getClass().getName() + " " + e);
            }
        }
    }

    public static class Deaf extends Base {
        @Override
        public void step() {}
    }

    public static class Once extends Base {
        @Override
        public void step() {}
    }

    public static class Half extends Base {
        @Override
        public void step() {}
    }

    public static class Mute extends Base {
        @Override
        public void step() {}
    }

    public static class Later extends Base {
        @Override
        public void step() {}
    }

    static class Loader extends ClassLoader {
        final String own, known = " java.lang.Object java.lang.Throwable Delicate$Base ";
        String found = "";

        Loader(Class<?> c) {
            own = c.getName();
        }

        boolean finds(String name) {
            if (known.contains(" " + name + " ")) return true;
            while (own.endsWith("Mute") && name.contains("Sjkc")) LockSupport.park();
            if (own.endsWith("Half")) return !name.endsWith("SjkcTrace");
            if (own.endsWith("Deaf") || found.contains(" " + name + " ")) return false;
            found += " " + name + " ";
            return true;
        }

        @Override
        protected synchronized Class<?> loadClass(String name, boolean resolve)
                throws ClassNotFoundException {
            if (name.equals(own)) return defineClass(name, bytes(name), 0, bytes(name).length);
            if (!finds(name)) throw new ClassNotFoundException("unknown: " + name);
            return super.loadClass(name, resolve);
        }

        byte[] bytes(String name) throws ClassNotFoundException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (InputStream in = getResourceAsStream(name + ".class")) {
                for (int b; (b = in.read()) >= 0; ) bytes.write(b);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
            return bytes.toByteArray();
        }
    }

    static class Sized extends ClassLoader {
        /** A class Sized with static methods "sNNNN(int)" that have NNNN bytes of code. */
        static byte[] bytes(int... sizes) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeLong(0xcafebabe00000031L);
            out.writeShort(7 + sizes.length);
            for (String text : new String[] {"Sized", "java/lang/Object", "(I)I", "Code"}) {
                out.writeByte(1);
                out.writeUTF(text);
            }
            for (int name = 1; name <= 2; name++) {
                out.writeByte(7);
                out.writeShort(name);
            }
            for (int size : sizes) {
                out.writeByte(1);
                out.writeUTF("s" + size);
            }
            for (int part : new int[] {1, 5, 6, 0, 0, sizes.length}) out.writeShort(part);
            for (int i = 0; i < sizes.length; i++) {
                for (int part : new int[] {9, 7 + i, 3, 1, 4}) out.writeShort(part);
                out.writeInt(12 + sizes[i]);
                out.writeInt(0x10001);
                out.writeInt(sizes[i]);
                out.write(new byte[sizes[i] - 2]); /* nop */
                out.writeShort(0x1aac); /* iload_0, ireturn */
                out.writeInt(0);
            }
            out.writeShort(0);
            return bytes.toByteArray();
        }

        void call(int... sizes) throws Exception {
            byte[] all = bytes(sizes);
            Class<?> sized = defineClass("Sized", all, 0, all.length);
            for (int size : sizes) sized.getMethod("s" + size, int.class).invoke(null, size);
        }
    }

    static void start(Class<?> task) throws Exception {
        Class<?> loaded = new Loader(task).loadClass(task.getName());
        new Thread((Runnable) loaded.getConstructor().newInstance()).start();
    }

    public static void main(String[] args) throws Exception {
        new Sized().call(7000, 7990, 8100);
        if (args.length > 1) {
            start(Mute.class);
            new Thread(new Later()).start();
        } else {
            start(Deaf.class);
            start(Once.class);
            start(Half.class);
        }
        System.out.println("READY");
        while (!new File(args[0]).exists()) Thread.sleep(20);
        new Thread((Runnable) Class.forName("Delicate$Later").getConstructor().newInstance()).start();
        Thread.sleep(600_000);
    }
}
