/* SPDX-License-Identifier: Apache-2.0 */
package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/**
 * The methods that woven code calls (JDK 9 and later; build.sh adapts it to JDK 8).
 *
 * <p>The class is in java.lang because each class loader delegates java.* to the bootstrap loader,
 * and each module reads java.base. It counts into the memory at BASE, whose layout is in
 * agent_probe_protocol.h. It calls only methods that sjkc refuses to weave, and never application
 * code. A call is counted last: an exception in the methods before, such as a stack overflow, counts
 * it once, as one that the method threw.
 */
public final class SjkcProbe {
    /* PROBE_SLOT, bytes of a stripe, the number of owned stripes - 1. */
    private static final long SLOT = 18560;
    private static final long STRIPE = 576;
    private static final long SHARED = 16 * STRIPE; /* from an owned to a shared stripe */
    private static final long KINDS_AT = 32 * STRIPE;
    private static final int MASK = 15;

    /* The id of a thread that is being constructed, and of each thread if ids are unknown. */
    private static final long NO_TID = 0;

    /* Offsets in a stripe: PROBE_AT_… times 8. */
    private static final long SUM = 520;
    private static final long THROWN = 528;
    private static final long MAX = 536;
    private static final long ENTERED = 544;
    private static final long SKIPPED = 552;
    private static final long OWNER = 560;

    /* The word tokens of struct probe_control, seen from BASE. */
    private static final long TOKENS = 512 - (4096 + (4 << 20) + 16384 * 8);

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = tidOffset();

    /* Set by the agent before the first use. */
    @Stable private static long BASE;

    /*
     * The functions of the agent that is active. The natives are bound to the agent that defined
     * this class, and pass calls on.
     */
    private static long TABLE;

    /* Known classes of exceptions, from index 1 on; filled and cleared by the agent. */
    private static final Class<?>[] KINDS = new Class<?>[64];

    private static native void call0(
            long table, int id, long nanos, Throwable thrown, int skipped);

    private static native void value0(long table, int what, long value);

    private static native void object0(long table, int what, Object value);

    private static native int kind0(long table, Class<?> kind);

    private static long tidOffset() {
        try {
            return U.objectFieldOffset(Thread.class, "tid");
        } catch (Throwable e) {
            return 0; /* threads share a stripe */
        }
    }

    /** Returns the address of the stripe that this thread owns, or another thread. */
    @ForceInline
    @Hidden
    private static long stripe(int id, long tid) {
        return BASE + id * SLOT + (tid & MASK) * STRIPE;
    }

    @ForceInline
    @Hidden
    private static long tid() {
        return TID == 0 ? NO_TID : U.getLong(Thread.currentThread(), TID);
    }

    /**
     * Returns whether the thread owns the stripe. Only the owner writes the sums of its stripe, so it
     * needs no atomic instructions. The first thread that uses a stripe owns it, because ids of
     * threads are not reused. Other threads add to the shared stripe, and so do threads without an
     * id yet: the complement of NO_TID is never an owner, and neither is 0.
     */
    @ForceInline
    @Hidden
    private static boolean owns(long at, long tid) {
        return U.getLong(null, at + OWNER) == ~tid || claim(at, tid);
    }

    @Hidden
    private static boolean claim(long at, long tid) {
        return tid > 0
                && U.getLong(null, at + OWNER) == 0
                && U.compareAndSetLong(null, at + OWNER, 0, ~tid);
    }

    /** Counts an entry. */
    @ForceInline
    @Hidden
    public static void count(int id) {
        long tid = tid();
        long at = stripe(id, tid);
        if (owns(at, tid)) U.putLong(null, at + ENTERED, U.getLong(null, at + ENTERED) + 1);
        else U.getAndAddLong(null, at + SHARED + ENTERED, 1);
    }

    @ForceInline
    @Hidden
    public static long enter() {
        return System.nanoTime();
    }

    /** Counts an entry of a constructor, whose exceptions are not seen. */
    @ForceInline
    @Hidden
    public static long begin(int id) {
        count(id);
        return System.nanoTime();
    }

    @ForceInline
    @Hidden
    private static void add(long at, long tid, long nanos) {
        long bucket = (64 - Long.numberOfLeadingZeros(nanos)) << 3;
        if (nanos > U.getLong(null, at + MAX)) raise(at + MAX, nanos);
        if (owns(at, tid)) {
            U.putLong(null, at + SUM, U.getLong(null, at + SUM) + nanos);
            U.putLong(null, at + bucket, U.getLong(null, at + bucket) + 1);
        } else {
            U.getAndAddLong(null, at + SHARED + SUM, nanos);
            U.getAndAddLong(null, at + SHARED + bucket, 1);
        }
    }

    @Hidden
    private static void raise(long at, long nanos) {
        long old = U.getLong(null, at);
        while (nanos > old && !U.compareAndSetLong(null, at, old, nanos))
            old = U.getLong(null, at);
    }

    @ForceInline
    @Hidden
    private static boolean isSlow(int id, long nanos) {
        return nanos >= U.getLong(null, BASE - 8 - ((long) id << 3));
    }

    /** Takes a token for a record of a call, or counts a skipped call. */
    @Hidden
    private static boolean admit(long at) {
        if (U.getLong(null, BASE + TOKENS) > 0 && U.getAndAddLong(null, BASE + TOKENS, -1) > 0)
            return true;
        U.getAndAddLong(null, at + SKIPPED, 1);
        return false;
    }

    @Hidden
    private static void slow(long at, int id, long nanos, Throwable thrown) {
        if (admit(at)) call0(TABLE, id, nanos, thrown, 3);
    }

    @ForceInline
    @Hidden
    public static void exit(long begin, int id) {
        long nanos = System.nanoTime() - begin;
        long tid = tid();
        long at = stripe(id, tid);
        if (isSlow(id, nanos)) slow(at, id, nanos, null);
        add(at, tid, nanos);
    }

    @Hidden
    public static void fail(Throwable thrown, long begin, int id) {
        long nanos = System.nanoTime() - begin;
        long tid = tid();
        long at = stripe(id, tid);
        if (isSlow(id, nanos)) slow(at, id, nanos, thrown);
        count(thrown, at, tid, id, nanos);
    }

    /** Returns the duration if the call is to be recorded with arguments, else -1. */
    @ForceInline
    @Hidden
    public static long exitArgs(long begin, int id) {
        long nanos = System.nanoTime() - begin;
        long tid = tid();
        long at = stripe(id, tid);
        long slow = isSlow(id, nanos) && admit(at) ? nanos : -1;
        add(at, tid, nanos);
        return slow;
    }

    @Hidden
    public static long failArgs(Throwable thrown, long begin, int id) {
        long nanos = System.nanoTime() - begin;
        long tid = tid();
        long at = stripe(id, tid);
        long slow = isSlow(id, nanos) && admit(at) ? nanos : -1;
        count(thrown, at, tid, id, nanos);
        return slow;
    }

    /** Passes an argument; what is its number and, above 8 bits, its enum probe_argument. */
    @ForceInline
    @Hidden
    public static void arg(long nanos, int what, long value) {
        if (nanos >= 0) value0(TABLE, what, value);
    }

    @ForceInline
    @Hidden
    public static void arg(long nanos, int what, double value) {
        if (nanos >= 0) value0(TABLE, what, Double.doubleToRawLongBits(value));
    }

    @ForceInline
    @Hidden
    public static void arg(long nanos, int what, Object value) {
        if (nanos >= 0) object0(TABLE, what, value);
    }

    /** Records the call after its arguments. */
    @ForceInline
    @Hidden
    public static void done(Throwable thrown, long nanos, int id) {
        if (nanos >= 0) call0(TABLE, id, nanos, thrown, 2);
    }

    @Hidden
    private static void count(Throwable thrown, long at, long tid, int id, long nanos) {
        Class<?> kind = thrown.getClass();
        long slot = BASE + id * SLOT + KINDS_AT;
        int number = 0;
        for (int i = 1; i < 64; i++) {
            Class<?> known = KINDS[i];
            if (known == kind) {
                number = i;
                break;
            }
            if (known == null) {
                number = kind0(TABLE, kind);
                break;
            }
        }
        /* It needs the most stack: if it overflows, the call is not an error either. */
        add(at, tid, nanos);
        U.getAndAddLong(null, at + THROWN, 1);
        for (int i = 0; number > 0 && i < 8; i++, slot += 16) {
            long here = U.getLong(null, slot);
            if (here == 0 && !U.compareAndSetLong(null, slot, 0, number))
                here = U.getLong(null, slot);
            if (here == 0 || here == number) {
                U.getAndAddLong(null, slot + 8, 1);
                break;
            }
        }
    }
}
