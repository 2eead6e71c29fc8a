/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/unwinder.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/unwind/hotspot_frame.h"
#include "core/unwind/native_frame.h"
#include "core/unwind/walk.h"

#include <inttypes.h>
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

static enum step walk_step(struct unwinder *u, struct walk *w,
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
	w->is_guessed = false;
	w->rule = NULL;
	if (u->hotspot && code_cache_has(u->view->code, pc))
		step = hotspot_frames_step(u->hotspot, w, frame);
	else
		step = native_frames_step(u->native, w, frame);
	frame->rule = w->rule;
	/*
	 * Each step must go up the stack, so that a walk ends.  Two kinds of
	 * steps may keep SP: the entry of a continuation may be at the address
	 * of its frames, and a method at its entry has the return address in a
	 * register.
	 */
	if (step == STEP_ON &&
	    (walk_sp(w) < sp ||
	     (walk_sp(w) == sp && frame->kind != UNWOUND_GENERATED &&
	      !(frame->kind == UNWOUND_INTERPRETED && frame->is_exact))))
		return walk_lost(w, "a caller that is not above its callee");
	return step;
}

/*
 * Code without call frame information may have any value in FP, such as the
 * address of a variable without a value yet, where old return addresses are.
 * Returns true if the last step took FP for a frame pointer, from native code
 * to the first generated code, but not to the anchor's frame, or, if the anchor
 * is unknown, to code that does not call native methods.
 */
static bool walk_is_astray(const struct unwinder *u, struct walk *w,
			   const struct unwind_anchor *anchor,
			   const struct unwound *out)
{
	if (!w->is_guessed || !u->hotspot ||
	    !code_cache_has(u->view->code, w->pc))
		return false;
	for (size_t i = 0; i < out->count; i++)
		if (u->frames[i].kind != UNWOUND_NATIVE)
			return false;
	return anchor->is_known ? walk_sp(w) != anchor->sp
				: !hotspot_frames_call_native(u->hotspot, w);
}

/*
 * Some libraries (musl) have neither unwind tables nor frame pointers.  If the
 * walk ended in native code before the anchor's frame, or passed that frame
 * unseen, continues there and returns true.
 */
static bool walk_resume(struct unwinder *u, struct walk *w,
			const struct unwind_anchor *anchor, struct unwound *out)
{
	uint64_t pc = anchor->pc, word;
	size_t native = 0;

	if (!anchor->sp || anchor->sp & 7 || !u->hotspot)
		return false;
	while (native < out->count && u->frames[native].sp < anchor->sp &&
	       u->frames[native].kind == UNWOUND_NATIVE)
		native++;
	if (!native ||
	    (native < out->count && u->frames[native].kind != UNWOUND_NATIVE))
		return false;
	if (!walk_read(w, anchor->sp, &word) ||
	    (!pc && !walk_read(w, anchor->sp - 8, &pc)) ||
	    !code_cache_has(u->view->code, pc))
		return false;
	walk_to(w, pc, anchor->sp, anchor->fp);
	if (!anchor->fp)
		w->known = 1u << w->arch->sp;
	u->frames[native - 1].rule = "last Java frame";
	out->count = native;
	out->is_anchored = true;
	return true;
}

static void unwound_finish(struct unwound *out, enum step step,
			   const struct walk *w)
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
	do {
		while (out->count < max && step == STEP_ON) {
			step = walk_step(u, &w, &u->frames[out->count++]);
			if (step == STEP_ON &&
			    walk_is_astray(u, &w, &from->anchor, out))
				step = walk_lost(&w, "native code without call "
						     "frame information");
		}
		if (step == STEP_ON || out->is_anchored ||
		    !walk_resume(u, &w, &from->anchor, out))
			break;
		step = STEP_ON;
	} while (out->count < max);
	unwound_finish(out, step, &w);
}

/* ---- explaining a walk ---- */

uint64_t unwound_hash(const struct unwound *u)
{
	uint64_t hash = hash_mix(u->count, u->end);

	for (size_t i = 0; i < u->count; i++) {
		const struct unwound_frame *f = &u->frames[i];
		uint64_t code = f->blob ? f->blob->identity
					: (uintptr_t)f->image;

		hash = hash_mix(hash ^ (uintptr_t)f->rule, code ^ f->method);
	}
	return hash;
}

/* Returns why the walk did not go on from its last frame. */
static const char *unwound_end(const struct unwound *u)
{
	switch (u->end) {
	case UNWIND_ROOT:
		return "root";
	case UNWIND_CUT:
		return "stack copy ends";
	case UNWIND_DEEP:
		return "frame limit";
	default:
		return "lost";
	}
}

static void unwound_add_java(const struct unwound_frame *f,
			     struct java_symbols *const who[2],
			     uint64_t time_ns, struct text *out)
{
	struct java_frame frames[16];
	size_t count = 0;

	for (size_t i = 0; i < 2 && !count; i++) {
		if (who[i])
			count = who[i]->frames(who[i], f, time_ns, frames, 16);
	}
	for (size_t i = 0; i < count; i++)
		text_printf(out, "%s%s.%s", i ? " < " : "",
			    frames[i].class_name, frames[i].method);
	if (!count)
		text_puts(out, "[unknown Java method]");
}

static void unwound_add_generated(const struct unwound_frame *f,
				  struct java_symbols *const who[2],
				  uint64_t time_ns, struct text *out)
{
	const char *name = NULL;

	for (size_t i = 0; i < 2 && !name; i++) {
		if (who[i])
			name = who[i]->generated(who[i], f, time_ns);
	}
	text_puts(out, name ? name : f->blob->name);
}

static void unwound_add_native(const struct unwound_frame *f, struct text *out)
{
	uint64_t pc = f->image_pc - !f->is_exact;
	const char *name = f->image ? elf_image_function(f->image, pc, NULL)
				    : NULL;

	if (name)
		text_printf(out, "%s ", name);
	if (f->image)
		text_printf(out, "[%s+0x%" PRIx64 "]", elf_image_name(f->image),
			    f->image_pc);
}

void unwound_describe(const struct unwound *u, size_t at,
		      struct java_symbols *agent, struct java_symbols *metadata,
		      uint64_t time_ns, struct text *out)
{
	static const char *const kinds[] = {
		[UNWOUND_NATIVE] = "native",
		[UNWOUND_COMPILED] = "compiled",
		[UNWOUND_INTERPRETED] = "interpreted",
		[UNWOUND_GENERATED] = "generated",
		[UNWOUND_UNKNOWN] = "unknown",
	};
	struct java_symbols *const who[2] = { agent, metadata };
	const struct unwound_frame *f = &u->frames[at];

	if (f->kind == UNWOUND_UNKNOWN) {
		text_printf(out, "  %-22s %s", "", u->why);
		return;
	}
	text_printf(out, "  %-22s %-11s %14" PRIx64 " ",
		    f->rule ? f->rule : unwound_end(u), kinds[f->kind], f->pc);
	if (f->kind == UNWOUND_NATIVE)
		unwound_add_native(f, out);
	else if (f->kind == UNWOUND_GENERATED)
		unwound_add_generated(f, who, time_ns, out);
	else
		unwound_add_java(f, who, time_ns, out);
	if (f->blob)
		text_printf(out, " [%s+0x%" PRIx64, f->blob->name,
			    f->pc - f->blob->begin);
	if (f->blob && f->blob->frame_bytes)
		text_printf(out, ", frame of %" PRIu32 " bytes",
			    f->blob->frame_bytes);
	text_puts(out, f->blob ? "]" : "");
}
