/* SPDX-License-Identifier: Apache-2.0 */
#include "core/native/unwind/hotspot_continuation.h"

#define ENTRY_SLOTS 128 /* between what is thawed and its continuation */

/* True when the entry of a continuation may be there: somebody has called it.
 */
static bool is_entry(struct hotspot_frames *h, struct walk *w,
		     const struct code_blob *enter, uint64_t entry)
{
	uint64_t slot = entry + enter->frame_bytes - 8, pc;

	return entry >= walk_sp(w) && !(entry & 7) &&
	       hotspot_is_return(h, w, slot, hotspot_bp_below(w, slot), STRONG,
				 &pc);
}

/*
 * What a virtual thread runs on returns to here: the rest of its frames is in
 * the heap, or it is about to be brought from there.  Below is the entry of
 * its continuation, a ContinuationEntry in the frame of enterSpecial, which has
 * BP for a base; what thaws a frame gives it back that BP.
 */
static enum step to_entry(struct hotspot_frames *h, struct walk *w)
{
	uint64_t entry = walk_sp(w), bp = walk_bp(w);
	const struct code_blob *enter;

	enter = h->entry_pc ? code_cache_find(h->code, h->entry_pc) : NULL;
	if (!enter || enter->kind != BLOB_NATIVE || enter->frame_bytes < 16)
		return walk_lost(w, "a continuation whose entry is not known");
	if (is_entry(h, w, enter, bp + 16 - enter->frame_bytes))
		return walk_to(w, h->entry_pc, bp + 16 - enter->frame_bytes,
			       bp);
	for (int i = 0; i < ENTRY_SLOTS; i++, entry += 8)
		if (is_entry(h, w, enter, entry))
			return walk_to(w, h->entry_pc, entry, bp);
	return walk_lost(w, "a continuation without an entry");
}

/*
 * When frames have been thawed, and the one on top has an exception to handle:
 * its BP and pc are popped, and the handler is jumped to.
 */
static bool is_on_thawed(struct hotspot_frames *h, struct walk *w,
			 const struct code_blob *b)
{
	const struct x86_path *path = code_path_find(h->paths, b, w->pc,
						     WAY_FOLLOW);
	uint64_t slot = walk_sp(w) + (uint64_t)(int64_t)path->given_back - 8;
	uint64_t pc;

	if (path->is_return || path->sp_from || path->given_back < 16 ||
	    !hotspot_is_return(h, w, slot, hotspot_bp_below(w, slot), STRONG,
			       &pc))
		return false;
	walk_to(w, pc, slot + 8, hotspot_bp_below(w, slot));
	return true;
}

enum step hotspot_continuation_step(struct hotspot_frames *h, struct walk *w,
				    const struct code_blob *b)
{
	return is_on_thawed(h, w, b) ? STEP_ON : to_entry(h, w);
}
