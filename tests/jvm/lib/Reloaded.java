// SPDX-License-Identifier: Apache-2.0

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.lang.ref.WeakReference;

/**
 * Calls a class again and again. Each time the file of the argument appears, removes the file, drops
 * the class, loads it by another class loader, and prints "LOADED NUMBER", and "DROPPED NUMBER" when
 * the class before has been unloaded.
 */
public class Reloaded {
    public static class Service implements Runnable {
        @Override
        public void run() {}
    }

    static class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Reloaded$Service")) return super.loadClass(name, resolve);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (InputStream in = getResourceAsStream("Reloaded$Service.class")) {
                for (int b; (b = in.read()) >= 0; ) bytes.write(b);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
            return defineClass(name, bytes.toByteArray(), 0, bytes.size());
        }
    }

    static WeakReference<Class<?>> last;

    static Runnable load() throws Exception {
        Class<?> loaded = new Loader().loadClass("Reloaded$Service", true);
        last = new WeakReference<>(loaded);
        return (Runnable) loaded.getConstructor().newInstance();
    }

    static void call(File next) throws Exception {
        for (Runnable service = load(); !next.delete(); Thread.sleep(1)) service.run();
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
