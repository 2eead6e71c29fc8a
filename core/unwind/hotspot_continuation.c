/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/hotspot_frame.h"

#include <string.h>

#define NEAR_SLOTS     8    /* what is pushed while frames are looked for */
#define ARGUMENT_SLOTS 128  /* of what is frozen, and are thawed with it */
#define ROUTINE_SLOTS  256  /* of a routine's frame */
#define FAR_SLOTS      8192 /* of frames that have been frozen */
#define SCANNED_SLOTS  (4 * FAR_SLOTS) /* of all steps of a walk */
#define MAX_ROOM       (1 << 20)

/* What the frame of enterSpecial looks like: the entry is at its SP. */
static const struct code_blob *enter_special(struct hotspot_frames *h)
{
	const struct code_blob *b;

	/* The JVM sets it when it generates its stubs. */
	if (h->entry_return && !h->entry_pc)
		h->entry_pc = memory_u64(h->memory, h->entry_return);
	b = h->entry_pc ? code_cache_find(h->code, h->entry_pc) : NULL;
	return b && b->kind == BLOB_NATIVE && b->frame_bytes >= 16 ? b : NULL;
}

/* The code that the direct call before a return address has called, or NULL. */
static const struct code_blob *
called(struct hotspot_frames *h, const struct code_blob *caller, uint64_t pc)
{
	struct machine_code code;
	int64_t distance;

	if (!hotspot_read_code(h, caller, &code) ||
	    !h->arch->called(&code, pc - caller->begin, &distance))
		return NULL;
	return code_cache_find(h->code, pc + (uint64_t)distance);
}

/*
 * True when a return address, which stands in the slot, may be behind a call of
 * enterSpecial.  A direct call says so, or that it was not resolved when its
 * code was read.
 */
static bool has_called(struct hotspot_frames *h, struct walk *w, uint64_t slot,
		       uint64_t pc, const struct code_blob *enter)
{
	const struct code_blob *b = code_cache_find(h->code, pc), *callee;

	if (!b || b->kind != BLOB_NMETHOD)
		return b && b->kind == BLOB_INTERPRETER;
	if ((pc == b->deopt_handler || pc == b->deopt_mh_handler) &&
	    (b->original_pc < 0 ||
	     !walk_read(w, slot + 8 + (uint32_t)b->original_pc, &pc) ||
	     pc < b->begin || pc > b->end))
		return false;
	callee = called(h, b, pc);
	return callee == enter ||
	       (callee && strstr(callee->name, "resolve_static_call"));
}

/* True when the entry of a continuation may be there: somebody has called it.
 */
static bool is_entry(struct hotspot_frames *h, struct walk *w,
		     const struct code_blob *enter, uint64_t entry)
{
	uint64_t slot = entry + enter->frame_bytes - 8, pc;

	return entry >= walk_sp(w) && !(entry & 15) &&
	       hotspot_is_return(h, w, slot, hotspot_fp_below(w, slot),
				 BELIEF_STRONG, &pc) &&
	       has_called(h, w, slot, pc, enter);
}

static bool near_entry(struct hotspot_frames *h, struct walk *w,
		       const struct code_blob *enter, size_t slots,
		       uint64_t *entry)
{
	uint64_t first = (walk_sp(w) + 15) & ~UINT64_C(15);

	for (*entry = first; *entry - first < slots * 8; *entry += 16)
		if (is_entry(h, w, enter, *entry))
			return true;
	return false;
}

/* No walk has many continuations, but for one that somebody has made up. */
static bool may_scan(struct walk *w)
{
	return w->scanned < SCANNED_SLOTS && ++w->scanned;
}

/*
 * Frames that were frozen where they are: the first of them has been called by
 * enterSpecial, or returns to what thaws more.
 */
static bool far_entry(struct hotspot_frames *h, struct walk *w,
		      const struct code_blob *enter, const struct code_blob *b,
		      uint64_t *entry)
{
	uint64_t slot = walk_sp(w), pc;

	for (size_t i = 0;
	     i < FAR_SLOTS && may_scan(w) && walk_read(w, slot, &pc);
	     i++, slot += 8) {
		*entry = slot + 8;
		if (((pc > enter->begin && pc <= enter->end) ||
		     (pc >= b->begin && pc < b->end)) &&
		    is_entry(h, w, enter, *entry))
			return true;
	}
	return false;
}

/* Room for what is thawed is made below the entry: in BX is how much. */
static bool entry_behind_room(struct hotspot_frames *h, struct walk *w,
			      const struct code_blob *enter,
			      const struct code_path *path, uint64_t *entry)
{
	uint64_t room = walk_register(w, h->arch->room_register), pushed = 0;

	if (path->sp_from == h->arch->room_register && path->given_back > 0)
		pushed = (uint64_t)path->given_back;
	*entry = (walk_sp(w) + pushed + room + 15) & ~UINT64_C(15);
	return walk_knows(w, h->arch->room_register) && room < MAX_ROOM &&
	       is_entry(h, w, enter, *entry);
}

static bool find_entry(struct hotspot_frames *h, struct walk *w,
		       const struct code_blob *enter, const struct code_blob *b,
		       const struct code_path *path, uint64_t *entry)
{
	if (entry_behind_room(h, w, enter, path, entry))
		return true;
	/* In that room are frames: BP may be the base of the entry's. */
	if (path->sp_from == h->arch->room_register) {
		*entry = walk_fp(w) + 16 - enter->frame_bytes;
		return is_entry(h, w, enter, *entry) ||
		       far_entry(h, w, enter, b, entry);
	}
	return (!w->is_exact && near_entry(h, w, enter, NEAR_SLOTS, entry)) ||
	       far_entry(h, w, enter, b, entry) ||
	       near_entry(h, w, enter, ARGUMENT_SLOTS, entry);
}

/*
 * What a virtual thread runs on returns to here: the rest of its frames is in
 * the heap, or it is about to be brought from there, or has been put there.
 * Below is the entry of its continuation, a ContinuationEntry in the frame of
 * enterSpecial, which has BP for a base.  BP as it is may be that of a frame in
 * the heap.
 */
static enum step to_entry(struct hotspot_frames *h, struct walk *w,
			  const struct code_blob *b,
			  const struct code_path *path)
{
	const struct code_blob *enter = enter_special(h);
	uint64_t entry;

	if (!enter)
		return walk_lost(w, "a continuation whose entry is not known");
	if (!find_entry(h, w, enter, b, path, &entry))
		return walk_lost(w, "a continuation without an entry");
	w->rule = "continuation entry";
	return walk_to(w, h->entry_pc, entry, entry + enter->frame_bytes - 16);
}

/*
 * When frames have been thawed, and the one on top has an exception to handle:
 * its BP and pc are popped, and the handler is jumped to.
 */
static bool is_on_thawed(struct hotspot_frames *h, struct walk *w,
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
 * Where calls lead that are not resolved: so they were when their code was
 * read, which says nothing of whom they have called since.
 */
static bool is_resolver(const struct code_blob *b)
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
 * A routine that was to enter a monitor does not return to its code once it has
 * been frozen with its callers, all of whom are where they were: its caller is
 * who has called a routine with a frame of just that size.
 */
static bool is_preempted(struct hotspot_frames *h, struct walk *w)
{
	uint64_t slot = walk_sp(w), pc;
	const struct code_blob *caller, *callee;

	for (size_t i = 0; i < ROUTINE_SLOTS && may_scan(w); i++, slot += 8) {
		if (!hotspot_is_return(h, w, slot, hotspot_fp_below(w, slot),
				       BELIEF_STRONG, &pc))
			continue;
		caller = code_cache_find(h->code, pc);
		if (!caller || caller->kind != BLOB_NMETHOD)
			continue;
		callee = called(h, caller, pc);
		if (!callee || callee->kind != BLOB_STUB ||
		    is_resolver(callee) ||
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

	if (is_on_thawed(h, w, path))
		return STEP_ON;
	if ((w->is_exact || !hotspot_read_code(h, b, &code) ||
	     !h->arch->is_after_call(&code, w->pc - b->begin)) &&
	    is_preempted(h, w))
		return STEP_ON;
	return to_entry(h, w, b, path);
}
