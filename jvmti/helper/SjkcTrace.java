/* SPDX-License-Identifier: Apache-2.0 */
package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/**
 * The methods that woven code calls for published probes (JDK 9 and later;
 * build.sh adapts it to JDK 8).
 *
 * <p>They reach native code only while a tracer has raised the semaphore of the probe. See
 * SjkcProbe about the package and the calls that are allowed here.
 */
public final class SjkcTrace {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = tidOffset();

    /* Set by the agent before the first use: two 16-bit semaphores for each id. */
    @Stable private static long SEMAPHORES;

    /* The functions of the agent that is active. */
    private static long TABLE;

    private static native void entry0(long table, int id, long thread);

    private static native void return0(long table, int id, long nanos, int thrown, long thread);

    private static long tidOffset() {
        try {
            return U.objectFieldOffset(Thread.class, "tid");
        } catch (Throwable e) {
            return 0; /* as in SjkcProbe */
        }
    }

    @ForceInline
    @Hidden
    private static boolean isWatched(long at) {
        return U.getShort(null, SEMAPHORES + at) != 0;
    }

    private static long thread() {
        return U.getLong(Thread.currentThread(), TID);
    }

    @ForceInline
    @Hidden
    public static void entry(int id) {
        if (isWatched((long) id << 2)) entry0(TABLE, id, thread());
    }

    /**
     * Returns the time at which the method began, later by the time of the probe: a tracer's work is
     * not part of the method's time.
     */
    @ForceInline
    @Hidden
    public static long exit(long begin, int id) {
        return isWatched(((long) id << 2) + 2) ? end(begin, id, 0) : begin;
    }

    @Hidden
    public static long fail(long begin, int id) {
        return isWatched(((long) id << 2) + 2) ? end(begin, id, 1) : begin;
    }

    @Hidden
    private static long end(long begin, int id, int thrown) {
        long now = System.nanoTime();
        return0(TABLE, id, now - begin, thrown, thread());
        return begin + (System.nanoTime() - now);
    }
}
