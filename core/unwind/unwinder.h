/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwinder: finds the frames of a stack from a thread's registers and a copy of
 * its stack.
 *
 * Compiled Java frames are walked by the frame sizes in HotSpot's CodeBlobs,
 * interpreted frames by their layout, native frames by call frame information
 * or frame pointers.  hotspot_frame.c lists the rules.  The unwinder reads the
 * target's memory and needs nothing else from the target.
 */
#ifndef CORE_UNWIND_UNWINDER_H
#define CORE_UNWIND_UNWINDER_H

#include "core/base/text.h"
#include "core/hotspot/java_symbols.h"
#include "core/hotspot/process_view.h"
#include "core/unwind/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNWIND_FRAMES = 2048 };

enum unwind_end {
	UNWIND_ROOT, /* the walk reached the thread's first frame */
	UNWIND_CUT,  /* the copy ends before the stack does */
	UNWIND_DEEP, /* the frame limit was reached */
	UNWIND_LOST, /* no rule found a caller: see why */
};

struct unwound {
	struct unwound_frame *frames; /* leaf first */
	size_t count;
	enum unwind_end end;
	bool is_anchored; /* the walk went on at the anchor: native frames may
			     be missing before the first Java frame */
	const char *why;  /* static text, of UNWIND_LOST; else NULL */
	uint64_t root_sp; /* SP of the root frame, if UNWIND_ROOT: walks of this
			     thread need no more of its stack */
};

/* The start of a walk. */
struct unwind_start {
	uint64_t pc;
	/* by DWARF number; only registers in arch->sampled are used */
	uint64_t registers[DWARF_REGISTERS];
	const uint8_t *stack; /* the copy, from SP on */
	size_t stack_bytes;
	size_t max_frames; /* at most UNWIND_FRAMES */
	/*
	 * The thread's JavaFrameAnchor (runtime/javaFrameAnchor.hpp) when the
	 * stack was copied: its last Java frame if it was in native code or in
	 * the JVM.  sp is 0 if it ran Java code, or the anchor is unknown; pc
	 * is 0 if it is the return address below sp.
	 */
	struct unwind_anchor {
		bool is_known;
		uint64_t sp, fp, pc;
	} anchor;
};

struct unwinder;

/*
 * Returns an unwinder for a process, whose view is borrowed.  It walks only
 * native frames if view->limits has a reason why Java frames cannot be walked.
 */
struct unwinder *unwinder_new(const struct arch *arch,
			      struct process_view *view);
void unwinder_free(struct unwinder *u); /* NULL is fine */

/*
 * Returns true if the JVM has virtual threads whose continuations can be
 * walked.
 */
bool unwinder_has_continuations(const struct unwinder *u);

/*
 * Walks a stack.  The result has at least one frame and is valid until the next
 * walk.  After UNWIND_LOST, its last frame is UNWOUND_UNKNOWN.
 */
void unwinder_walk(struct unwinder *u, const struct unwind_start *from,
		   struct unwound *out);

/*
 * Returns a number that is equal for walks through the same code (blobs, files)
 * by the same rules, and very likely differs for others.
 */
uint64_t unwound_hash(const struct unwound *u);

/*
 * Appends a line, without a newline, about a frame: the rule that found its
 * caller (hotspot_frame.c lists the rules), its kind, pc and name.  Names are
 * foreign.  Java names come from the agent or else from the metadata; both may
 * be NULL.  time_ns is the time of the sample, CLOCK_MONOTONIC.
 */
void unwound_describe(const struct unwound *u, size_t at,
		      struct java_symbols *agent, struct java_symbols *metadata,
		      uint64_t time_ns, struct text *out);

#endif
