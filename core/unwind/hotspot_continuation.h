/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotspot_continuation: what virtual threads run on, and the way back to the
 * thread that carries them; and what hotspot_frame shares with it.
 *
 * Of a virtual thread some frames are on the stack and the rest is in the heap
 * (a StackChunk): those are not walked.  A walk reads the copy, which is of the
 * moment of the sample; what is in the heap has been thawed or moved since, and
 * nothing on the stack tells whether it has.  Nor does the JVM export where a
 * chunk is or how one is laid out: of all that, vmStructs of JDK 25 have
 * ContinuationEntry::_return_pc, JavaThread::_cont_entry and sizes.  So a
 * thread of which a part is in the heap ends at cont_returnBarrier, where it
 * would be brought from there, and its carrier's frames follow.
 *
 * Where those would be, BP is worth nothing: the last frame on the stack has
 * that of its caller as it was on the stack that it was frozen on, another
 * thread's perhaps.  So the entry of the continuation is found by SP.  A thread
 * that has to wait for a monitor is frozen where it is (JDK 24 and later): its
 * frames stay on the stack until the routine at its end has returned, and are
 * walked; the routine's own return address was replaced (StubRoutines'
 * cont_preempt, continuationFreezeThaw.cpp of HotSpot).
 */
#ifndef CORE_UNWIND_HOTSPOT_CONTINUATION_H
#define CORE_UNWIND_HOTSPOT_CONTINUATION_H

#include "core/unwind/hotspot_frame.h"
#include "core/unwind/x86_64/code_path.h"

struct hotspot_frames {
	struct memory *memory;
	struct code_cache *code;
	struct native_frames *native;
	struct method_check *methods;
	struct code_paths *paths;
	/* Of virtual threads: none before JDK 21. */
	uint64_t entry_return; /* ContinuationEntry::_return_pc: where it is */
	uint64_t entry_pc;     /* and what it is; 0 = not known yet */
	uint64_t interpreter;  /* an address in it; 0 = not known yet */
};

/* How sure it is that a value is a return address. */
enum belief { NOT, WEAK, STRONG };

/*
 * True when a slot of the stack has a return address, as sure as wanted; bp is
 * what the caller's BP would be.
 */
bool hotspot_is_return(struct hotspot_frames *h, struct walk *w, uint64_t slot,
		       uint64_t bp, enum belief wanted, uint64_t *value);

/* The caller's BP, which stands below the return address mostly. */
uint64_t hotspot_bp_below(struct walk *w, uint64_t slot);

/* From a routine of continuations, which b holds, to its caller. */
enum step hotspot_continuation_step(struct hotspot_frames *h, struct walk *w,
				    const struct code_blob *b);

#endif
