/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotspot_frame: steps from frames of code that HotSpot generated.
 *
 * unwinder.c uses the first four functions.  The rest is for other files with
 * parts of these steps: continuations, and the architecture's code (arch.h).
 */
#ifndef CORE_UNWIND_HOTSPOT_FRAME_H
#define CORE_UNWIND_HOTSPOT_FRAME_H

#include "core/hotspot/process_view.h"
#include "core/unwind/native_frame.h"
#include "core/unwind/walk.h"

/*
 * Returns the state for a JVM whose view has a code cache.  Borrows the view
 * and native.
 */
struct hotspot_frames *hotspot_frames_new(const struct arch *arch,
					  const struct process_view *view,
					  struct native_frames *native);
void hotspot_frames_free(struct hotspot_frames *h); /* NULL is fine */

/* Returns true if the JVM exports the return address of continuations. */
bool hotspot_frames_have_continuations(const struct hotspot_frames *h);

/*
 * Returns true if the walk came to a return address in code that calls native
 * methods: a wrapper or the interpreter.
 */
bool hotspot_frames_call_native(struct hotspot_frames *h, struct walk *w);

/*
 * Describes the frame at w->pc, which is in the code cache, in *frame, and
 * steps to its caller.
 */
enum step hotspot_frames_step(struct hotspot_frames *h, struct walk *w,
			      struct unwound_frame *frame);

/* ---- shared by the parts ---- */

enum {
	HOTSPOT_MAX_LOCALS = 65536 * 8 * 2, /* bytes of locals of a method */
	HOTSPOT_STUB_SLOTS = 96,   /* slots scanned in a routine's frame */
	HOTSPOT_ENTRY_REACH = 256, /* bytes below the base of a new frame */
};

struct hotspot_frames {
	const struct arch *arch;
	struct memory *memory;
	struct code_cache *code;
	struct native_frames *native;
	struct method_check *methods;
	struct path_cache *paths;
	/* For virtual threads; 0 before JDK 21. */
	uint64_t
		entry_return; /* the address of ContinuationEntry::_return_pc */
	uint64_t entry_pc;    /* its value; 0 = not read yet */
	uint64_t interpreter; /* an address in the interpreter; 0 = none seen
				 yet */
};

/* How likely a value is a return address. */
enum belief { BELIEF_NONE, BELIEF_WEAK, BELIEF_STRONG };

/* Rates a value as a return address; fp is the caller's FP if it is one. */
enum belief hotspot_believe(struct hotspot_frames *h, struct walk *w,
			    uint64_t value, uint64_t fp);

/*
 * Reads a slot of the stack.  Returns true and sets *value if the value is
 * rated as wanted or better.
 */
bool hotspot_is_return(struct hotspot_frames *h, struct walk *w, uint64_t slot,
		       uint64_t fp, enum belief wanted, uint64_t *value);

/*
 * Returns the word below the return address, where most code saves the caller's
 * FP.
 */
uint64_t hotspot_fp_below(struct walk *w, uint64_t slot);

/*
 * Sets *code to the code of a blob, valid until the next code_cache_begin().
 * Returns false if it is unreadable.
 */
bool hotspot_read_code(struct hotspot_frames *h, const struct code_blob *b,
		       struct machine_code *code);

/* Returns the path from pc in a blob, valid until the next call. */
const struct code_path *hotspot_path(struct hotspot_frames *h,
				     const struct code_blob *b, uint64_t pc,
				     enum code_way way);

/*
 * Steps to the caller whose return address pc is in the slot.  rule is static
 * text, for walk.rule.
 */
enum step hotspot_return(struct walk *w, uint64_t slot, uint64_t pc,
			 uint64_t fp, const char *rule);

/* Finds the nearest return address among the first slots from SP. */
bool hotspot_scan(struct hotspot_frames *h, struct walk *w, size_t slots,
		  uint64_t *slot, uint64_t *pc);

/*
 * Two rules that step to the caller and return true, or return false and leave
 * the walk unchanged.  step_by_base: FP is the base of the frame, at most reach
 * bytes above SP.  step_by_scan: a leaf with a small frame or none, whose
 * return address is near SP.
 */
bool hotspot_step_by_base(struct hotspot_frames *h, struct walk *w,
			  enum belief wanted, uint64_t reach);
bool hotspot_step_by_scan(struct hotspot_frames *h, struct walk *w);

/* Steps to the caller of a routine of continuations; b is its blob. */
enum step hotspot_continuation_step(struct hotspot_frames *h, struct walk *w,
				    const struct code_blob *b);

#endif
