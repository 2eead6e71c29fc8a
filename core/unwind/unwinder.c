/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/unwinder.h"

#include "core/base/alloc.h"
#include "core/unwind/hotspot_frame.h"
#include "core/unwind/native_frame.h"
#include "core/unwind/walk.h"

#include <stdlib.h>
#include <string.h>

struct unwinder {
	const struct arch *arch;
	struct process_view *view;
	struct native_frames *native;
	struct hotspot_frames *hotspot; /* NULL: the view has no code cache */
	struct unwound_frame frames[UNWIND_FRAMES + 1];
};

struct unwinder *unwinder_new(const struct arch *arch,
			      struct process_view *view)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	u->arch = arch;
	u->view = view;
	u->native = native_frames_new(arch, view->images);
	if (view->code)
		u->hotspot = hotspot_frames_new(arch, view, u->native);
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	hotspot_frames_free(u->hotspot);
	native_frames_free(u->native);
	free(u);
}

bool unwinder_has_continuations(const struct unwinder *u)
{
	return u->hotspot && hotspot_frames_have_continuations(u->hotspot);
}

static void walk_start(struct walk *w, const struct arch *arch,
		       const struct unwind_start *from)
{
	*w = (struct walk){
		.arch = arch,
		.pc = from->pc,
		.is_exact = true,
		.known = arch->sampled,
		.stack = from->stack,
		.stack_at = from->registers[arch->sp],
		.stack_bytes = from->stack_bytes,
	};
	memcpy(w->registers, from->registers, sizeof(w->registers));
}

static enum step take_step(struct unwinder *u, struct walk *w,
			   struct unwound_frame *frame)
{
	uint64_t sp = walk_sp(w), pc = w->pc;
	enum step step;

	*frame = (struct unwound_frame){
		.pc = pc,
		.sp = sp,
		.bp = walk_fp(w),
		.is_exact = w->is_exact,
		.bci = -1,
	};
	w->is_cut = false;
	w->rule = NULL;
	if (u->hotspot && code_cache_has(u->view->code, pc))
		step = hotspot_frames_step(u->hotspot, w, frame);
	else
		step = native_frames_step(u->native, w, frame);
	frame->rule = w->rule;
	/*
	 * A walk has an end only where the stack goes up.  A continuation may
	 * have its entry right where its frames were, and a method at its entry
	 * its return address in a register.
	 */
	if (step == STEP_ON &&
	    (walk_sp(w) < sp ||
	     (walk_sp(w) == sp && frame->kind != UNWOUND_GENERATED &&
	      !(frame->kind == UNWOUND_INTERPRETED && frame->is_exact))))
		return walk_lost(w, "the stack does not go on");
	return step;
}

static void finish(struct unwound *out, enum step step, const struct walk *w)
{
	static const enum unwind_end ends[] = {
		[STEP_ON] = UNWIND_DEEP,
		[STEP_ROOT] = UNWIND_ROOT,
		[STEP_CUT] = UNWIND_CUT,
		[STEP_LOST] = UNWIND_LOST,
	};

	out->end = ends[step];
	if (out->end == UNWIND_ROOT)
		out->root_sp = walk_sp(w);
	if (out->end != UNWIND_LOST)
		return;
	out->why = w->why;
	out->frames[out->count++] = (struct unwound_frame){
		.kind = UNWOUND_UNKNOWN,
		.bci = -1,
	};
}

void unwinder_walk(struct unwinder *u, const struct unwind_start *from,
		   struct unwound *out)
{
	size_t max = from->max_frames && from->max_frames < UNWIND_FRAMES
			     ? from->max_frames
			     : UNWIND_FRAMES;
	enum step step = STEP_ON;
	struct walk w;

	*out = (struct unwound){ .frames = u->frames };
	walk_start(&w, u->arch, from);
	while (out->count < max && step == STEP_ON)
		step = take_step(u, &w, &u->frames[out->count++]);
	finish(out, step, &w);
}
