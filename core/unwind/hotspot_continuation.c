/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps from a virtual thread to its carrier thread.
 *
 * Some frames of a virtual thread are on the stack.  The others are in the heap
 * (StackChunk) and are not walked: they have been thawed or moved since the
 * sample, and nothing on the stack tells whether they have.  The JVM exports
 * neither the address of a chunk nor its layout, only (JDK 25)
 * ContinuationEntry::_return_pc, JavaThread::_cont_entry and sizes.  So a walk
 * goes from cont_returnBarrier, which thaws further frames, directly to the
 * carrier.
 *
 * FP is useless there: the last frame on the stack has saved the FP that its
 * caller had on the stack where it was frozen, perhaps another thread's stack.
 * So SP is used to find the entry of the continuation.  A thread that waits for
 * a monitor is frozen in place (JDK 24 and later): its frames stay on the stack
 * until the routine below them has returned, and are walked.  The JVM has
 * replaced the return address of that routine (StubRoutines' cont_preempt,
 * continuationFreezeThaw.cpp).
 */
#include "core/unwind/hotspot_frame.h"

#include <string.h>

#define NEAR_SLOTS 8 /* slots pushed while the routine searches for frames */
#define ARGUMENT_SLOTS                                                         \
	128 /* slots of frozen arguments, thawed with the frames */
#define ROUTINE_SLOTS 256  /* slots of a routine's frame */
#define FAR_SLOTS     8192 /* slots of frames that were frozen in place */
#define SCANNED_SLOTS                                                          \
	(4 * FAR_SLOTS)    /* slots scanned in all steps of a walk             \
			    */
#define MAX_ROOM (1 << 20) /* bytes */

/* Returns the blob of enterSpecial, whose frame has the entry at its SP. */
static const struct code_blob *entry_find_special(struct hotspot_frames *h)
{
	const struct code_blob *b;

	/* The JVM sets this variable when it generates its stubs. */
	if (h->entry_return && !h->entry_pc)
		h->entry_pc = memory_u64(h->memory, h->entry_return);
	b = h->entry_pc ? code_cache_find(h->code, h->entry_pc) : NULL;
	return b && b->kind == BLOB_NATIVE && b->frame_bytes >= 16 ? b : NULL;
}

/* Returns the callee of the direct call before a return address, or NULL. */
static const struct code_blob *call_find_callee(struct hotspot_frames *h,
						const struct code_blob *caller,
						uint64_t pc)
{
	struct machine_code code;
	int64_t distance;

	if (!hotspot_read_code(h, caller, &code) ||
	    !h->arch->called(&code, pc - caller->begin, &distance))
		return NULL;
	return code_cache_find(h->code, pc + (uint64_t)distance);
}

/*
 * True when the return address pc in the slot may follow a call of
 * enterSpecial: its call leads there, or was unresolved when the code was read.
 */
static bool call_is_of_special(struct hotspot_frames *h, struct walk *w,
			       uint64_t slot, uint64_t pc,
			       const struct code_blob *enter)
{
	const struct code_blob *b = code_cache_find(h->code, pc), *callee;

	if (!b || b->kind != BLOB_NMETHOD)
		return b && b->kind == BLOB_INTERPRETER;
	if ((pc == b->deopt_handler || pc == b->deopt_mh_handler) &&
	    (b->original_pc < 0 ||
	     !walk_read(w, slot + 8 + (uint32_t)b->original_pc, &pc) ||
	     pc < b->begin || pc > b->end))
		return false;
	callee = call_find_callee(h, b, pc);
	return callee == enter ||
	       (callee && strstr(callee->name, "resolve_static_call"));
}

/* True when an address may be the entry of a continuation: it was called. */
static bool entry_is_plausible(struct hotspot_frames *h, struct walk *w,
			       const struct code_blob *enter, uint64_t entry)
{
	uint64_t slot = entry + enter->frame_bytes - 8, pc;

	return entry >= walk_sp(w) && !(entry & 15) &&
	       hotspot_is_return(h, w, slot, hotspot_fp_below(w, slot),
				 BELIEF_STRONG, &pc) &&
	       call_is_of_special(h, w, slot, pc, enter);
}

static bool entry_find_near(struct hotspot_frames *h, struct walk *w,
			    const struct code_blob *enter, size_t slots,
			    uint64_t *entry)
{
	uint64_t first = (walk_sp(w) + 15) & ~UINT64_C(15);

	for (*entry = first; *entry - first < slots * 8; *entry += 16)
		if (entry_is_plausible(h, w, enter, *entry))
			return true;
	return false;
}

/* Bounds the scanning of forged stacks; real walks have few continuations. */
static bool walk_may_scan(struct walk *w)
{
	return w->scanned < SCANNED_SLOTS && ++w->scanned;
}

/*
 * Skips frames that were frozen in place: the first of them was called by
 * enterSpecial, or returns to the routine b, which thaws more.
 */
static bool entry_find_far(struct hotspot_frames *h, struct walk *w,
			   const struct code_blob *enter,
			   const struct code_blob *b, uint64_t *entry)
{
	uint64_t slot = walk_sp(w), pc;

	for (size_t i = 0;
	     i < FAR_SLOTS && walk_may_scan(w) && walk_read(w, slot, &pc);
	     i++, slot += 8) {
		*entry = slot + 8;
		if (((pc > enter->begin && pc <= enter->end) ||
		     (pc >= b->begin && pc < b->end)) &&
		    entry_is_plausible(h, w, enter, *entry))
			return true;
	}
	return false;
}

/*
 * The routine reserves space for thawed frames below the entry; a register
 * holds the size of that space.
 */
static bool entry_find_above_room(struct hotspot_frames *h, struct walk *w,
				  const struct code_blob *enter,
				  const struct code_path *path, uint64_t *entry)
{
	uint64_t room = walk_register(w, h->arch->room_register), pushed = 0;

	if (path->sp_from == h->arch->room_register && path->given_back > 0)
		pushed = (uint64_t)path->given_back;
	*entry = (walk_sp(w) + pushed + room + 15) & ~UINT64_C(15);
	return walk_knows(w, h->arch->room_register) && room < MAX_ROOM &&
	       entry_is_plausible(h, w, enter, *entry);
}

static bool entry_find(struct hotspot_frames *h, struct walk *w,
		       const struct code_blob *enter, const struct code_blob *b,
		       const struct code_path *path, uint64_t *entry)
{
	if (entry_find_above_room(h, w, enter, path, entry))
		return true;
	/*
	 * The frames are in that space, and FP may be the base of the entry's
	 * frame.
	 */
	if (path->sp_from == h->arch->room_register) {
		*entry = walk_fp(w) + 16 - enter->frame_bytes;
		return entry_is_plausible(h, w, enter, *entry) ||
		       entry_find_far(h, w, enter, b, entry);
	}
	return (!w->is_exact &&
		entry_find_near(h, w, enter, NEAR_SLOTS, entry)) ||
	       entry_find_far(h, w, enter, b, entry) ||
	       entry_find_near(h, w, enter, ARGUMENT_SLOTS, entry);
}

/*
 * Steps to the entry of the continuation, a ContinuationEntry in the frame of
 * enterSpecial, whose base is in FP afterwards.  FP itself may belong to a
 * frame in the heap.
 */
static enum step step_to_entry(struct hotspot_frames *h, struct walk *w,
			       const struct code_blob *b,
			       const struct code_path *path)
{
	const struct code_blob *enter = entry_find_special(h);
	uint64_t entry;

	if (!enter)
		return walk_lost(w, "a continuation with an unknown entry");
	if (!entry_find(h, w, enter, b, path, &entry))
		return walk_lost(w, "a continuation without an entry");
	w->rule = "continuation entry";
	return walk_to(w, h->entry_pc, entry, entry + enter->frame_bytes - 16);
}

/*
 * The top frame was thawed to handle an exception: the routine pops its FP and
 * pc and jumps to the handler.
 */
static bool step_to_thawed(struct hotspot_frames *h, struct walk *w,
			   const struct code_path *path)
{
	uint64_t slot = walk_sp(w) + (uint64_t)(int64_t)path->given_back - 8;
	uint64_t pc;

	if (path->is_return || path->sp_from || path->given_back < 16 ||
	    !hotspot_is_return(h, w, slot, hotspot_fp_below(w, slot),
			       BELIEF_STRONG, &pc))
		return false;
	hotspot_return(w, slot, pc, hotspot_fp_below(w, slot), "thawed frame");
	return true;
}

/*
 * True for the routines that unresolved calls lead to.  The call may have been
 * resolved since its code was read.
 */
static bool blob_is_resolver(const struct code_blob *b)
{
	static const char *const names[] = { "resolve_", "ic_miss",
					     "wrong_method" };

	/* Before the name, some JDKs have "Shared Runtime ". */
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(b->name, names[i]))
			return true;
	return false;
}

/*
 * A routine that failed to enter a monitor does not return to its code after
 * the thread was frozen: the routine and its callers stay in place.  Its caller
 * is the frame that called a routine with a frame of exactly this size.
 */
static bool step_to_preempted(struct hotspot_frames *h, struct walk *w)
{
	uint64_t slot = walk_sp(w), pc;
	const struct code_blob *caller, *callee;

	for (size_t i = 0; i < ROUTINE_SLOTS && walk_may_scan(w);
	     i++, slot += 8) {
		if (!hotspot_is_return(h, w, slot, hotspot_fp_below(w, slot),
				       BELIEF_STRONG, &pc))
			continue;
		caller = code_cache_find(h->code, pc);
		if (!caller || caller->kind != BLOB_NMETHOD)
			continue;
		callee = call_find_callee(h, caller, pc);
		if (!callee || callee->kind != BLOB_STUB ||
		    blob_is_resolver(callee) ||
		    callee->frame_bytes != slot + 8 - walk_sp(w))
			continue;
		hotspot_return(w, slot, pc, hotspot_fp_below(w, slot),
			       "preempted");
		return true;
	}
	return false;
}

enum step hotspot_continuation_step(struct hotspot_frames *h, struct walk *w,
				    const struct code_blob *b)
{
	const struct code_path *path = hotspot_path(h, b, w->pc, WAY_FOLLOW);
	struct machine_code code;

	if (step_to_thawed(h, w, path))
		return STEP_ON;
	if ((w->is_exact || !hotspot_read_code(h, b, &code) ||
	     !h->arch->is_after_call(&code, w->pc - b->begin)) &&
	    step_to_preempted(h, w))
		return STEP_ON;
	return step_to_entry(h, w, b, path);
}
