// SPDX-License-Identifier: Apache-2.0

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;

/**
 * Calls a class again and again. Each time the file of the argument appears, removes the file, drops
 * the class, loads it by another class loader, and prints "LOADED NUMBER", and "DROPPED NUMBER" when
 * the class before has been unloaded.
 *
 * <p>While FILE.hold exists, the superclass is not loaded, so the class is not defined either. If
 * FILE.rename exists, the class has no method extra().
 */
public class Reloaded {
    public static class Base {}

    public static class Service extends Base implements Runnable {
        @Override
        public void run() {
            extra();
        }

        void extra() {}
    }

    static class Loader extends ClassLoader {
        final String next;

        Loader(String next) {
            this.next = next;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            while (name.equals("Reloaded$Base") && new File(next + ".hold").exists()) {
                Thread.yield();
            }
            if (!name.equals("Reloaded$Service")) return super.loadClass(name, resolve);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (InputStream in = getResourceAsStream("Reloaded$Service.class")) {
                for (int b; (b = in.read()) >= 0; ) bytes.write(b);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
            byte[] all = bytes.toByteArray();
            if (new File(next + ".rename").exists()) rename(all);
            return defineClass(name, all, 0, all.length);
        }
    }

    /* Replaces the name "extra" in the constants of a class file. */
    static void rename(byte[] all) {
        int at = new String(all, StandardCharsets.ISO_8859_1).indexOf("extra");
        System.arraycopy("other".getBytes(StandardCharsets.ISO_8859_1), 0, all, at, 5);
    }

    static WeakReference<Class<?>> last;

    static Runnable load(String next) throws Exception {
        Class<?> loaded = new Loader(next).loadClass("Reloaded$Service", true);
        last = new WeakReference<>(loaded);
        return (Runnable) loaded.getConstructor().newInstance();
    }

    static void call(File next) throws Exception {
        for (Runnable service = load(next.getPath()); !next.delete(); Thread.sleep(1))
            service.run();
    }

    public static void main(String[] args) throws Exception {
        File next = new File(args[0]);
        System.out.println("READY");
        for (int i = 1; ; i++) {
            System.out.println("LOADED " + i);
            call(next);
            while (last.get() != null) {
                System.gc();
                Thread.sleep(10);
            }
            System.out.println("DROPPED " + i);
        }
    }
}
