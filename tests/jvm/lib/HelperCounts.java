// SPDX-License-Identifier: Apache-2.0

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Counts calls by the helper class, which is in the boot class path, in memory of its own: first by
 * this thread, then as a thread that has no id yet, then by this thread again. Prints the calls in
 * stripes with an owner, and in the shared stripes.
 */
public class HelperCounts {
    static final int SLOT = 18560, STRIPE = 576, STRIPES = 32, ENTERED = 544;

    static long count(Unsafe u, long slot, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) sum += u.getLong(slot + i * STRIPE + ENTERED);
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Field theUnsafe = Unsafe.class.getDeclaredField("theUnsafe");
        theUnsafe.setAccessible(true);
        Unsafe u = (Unsafe) theUnsafe.get(null);
        Class<?> helper = Class.forName("java.lang.SjkcProbe");
        Field base = helper.getDeclaredField("BASE");
        long slot = u.allocateMemory(SLOT);
        u.setMemory(slot, SLOT, (byte) 0);
        u.putLong(u.staticFieldBase(base), u.staticFieldOffset(base), slot);
        long tid = u.objectFieldOffset(Thread.class.getDeclaredField("tid"));
        long id = u.getLong(Thread.currentThread(), tid);
        for (long now : new long[] {id, 0, id}) {
            u.putLong(Thread.currentThread(), tid, now);
            helper.getMethod("count", int.class).invoke(null, 0);
        }
        System.out.println(
                count(u, slot, 0, STRIPES / 2) + " owned, "
                        + count(u, slot, STRIPES / 2, STRIPES) + " shared");
    }
}
