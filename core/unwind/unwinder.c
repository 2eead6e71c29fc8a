/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/unwinder.h"

#include "core/base/alloc.h"
#include "core/unwind/hotspot_frame.h"
#include "core/unwind/native_frame.h"
#include "core/unwind/walk.h"

#include <stdlib.h>
#include <string.h>

struct unwinder {
	struct native_frames *native;
	struct vm_structs *structs;
	struct code_cache *code;
	struct hotspot_frames *hotspot;
	bool is_zero;
	char limits[600];
	struct unwound_frame frames[UNWIND_FRAMES + 1];
};

/*
 * Zero (--with-jvm-variants=zero, Debian's java -zero) interprets by C++ on a
 * stack of Java frames that is not the thread's: there is nothing to be walked.
 */
static bool is_zero(const struct vm_structs *v, struct memory *memory)
{
	char text[128];
	uint64_t at;

	return vm_structs_static(v, "Abstract_VM_Version",
				 "_s_internal_vm_info_string", &at) &&
	       memory_string(memory, memory_u64(memory, at), text,
			     sizeof(text)) &&
	       strstr(text, " Zero VM");
}

/* All that is of HotSpot; without any of it, native frames are walked. */
static int open_hotspot(struct unwinder *u, struct memory *memory,
			const struct elf_image *libjvm, uint64_t bias,
			struct error *err)
{
	if (!libjvm)
		return fail(err, ERROR_UNAVAILABLE,
			    "no libjvm.so that can be read is mapped");
	u->structs = vm_structs_read(libjvm, bias, memory, err);
	if (!u->structs)
		return -1;
	u->is_zero = is_zero(u->structs, memory);
	if (u->is_zero)
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM runs the Zero interpreter");
	u->code = code_cache_open(u->structs, memory, err);
	if (!u->code)
		return -1;
	u->hotspot = hotspot_frames_open(u->structs, memory, u->code, u->native,
					 err);
	return u->hotspot ? 0 : -1;
}

static struct unwinder *open_native(const struct jvm *jvm,
				    struct memory *memory, struct error *err)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	u->native = native_frames_open(jvm, memory, err);
	if (u->native)
		return u;
	unwinder_close(u);
	return NULL;
}

static void open_rest(struct unwinder *u, struct memory *memory,
		      const struct elf_image *libjvm, uint64_t bias)
{
	struct error why;

	if (open_hotspot(u, memory, libjvm, bias, &why)) {
		snprintf(u->limits, sizeof(u->limits),
			 "Java frames are not walked: %s", why.text);
		code_cache_close(u->code);
		u->code = NULL;
	}
	unwinder_begin(u);
}

struct unwinder *unwinder_open_with(const struct jvm *jvm,
				    struct memory *memory,
				    const struct elf_image *libjvm,
				    uint64_t bias, struct error *err)
{
	struct unwinder *u = open_native(jvm, memory, err);

	if (u)
		open_rest(u, memory, libjvm, bias);
	return u;
}

struct unwinder *unwinder_open(const struct jvm *jvm, struct memory *memory,
			       struct error *err)
{
	struct unwinder *u = open_native(jvm, memory, err);
	const struct elf_image *libjvm;
	uint64_t bias = 0;

	if (!u)
		return NULL;
	libjvm = native_frames_library(u->native, "libjvm.so", &bias);
	open_rest(u, memory, libjvm, bias);
	return u;
}

void unwinder_close(struct unwinder *u)
{
	if (!u)
		return;
	hotspot_frames_close(u->hotspot);
	code_cache_close(u->code);
	vm_structs_free(u->structs);
	native_frames_close(u->native);
	free(u);
}

const char *unwinder_limits(const struct unwinder *u)
{
	return u->limits[0] ? u->limits : NULL;
}

bool unwinder_is_zero(const struct unwinder *u) { return u->is_zero; }

const struct vm_structs *unwinder_vm_structs(const struct unwinder *u)
{
	return u->structs;
}

bool unwinder_has_continuations(const struct unwinder *u)
{
	return u->hotspot && hotspot_frames_have_continuations(u->hotspot);
}

uint64_t unwinder_missed_files(const struct unwinder *u)
{
	return native_frames_missed(u->native);
}

struct code_cache *unwinder_code_cache(const struct unwinder *u)
{
	return u->code;
}

uint64_t unwinder_vm_symbol(const struct unwinder *u, const char *name)
{
	uint64_t bias;
	struct elf_image *libjvm = native_frames_library(u->native, "libjvm.so",
							 &bias);
	uint64_t address = libjvm ? elf_image_symbol(libjvm, name) : 0;

	return address ? address + bias : 0;
}

uint64_t unwinder_gone(const struct unwinder *u)
{
	return u->hotspot ? code_cache_gone(u->code) +
				    hotspot_frames_gone(u->hotspot)
			  : 0;
}

void unwinder_begin(struct unwinder *u)
{
	native_frames_begin(u->native);
	if (!u->hotspot)
		return;
	code_cache_begin(u->code);
	hotspot_frames_begin(u->hotspot);
}

static void start(struct walk *w, const struct unwind_start *from)
{
	*w = (struct walk){
		.pc = from->ip,
		.is_exact = true,
		.stack = from->stack,
		.stack_at = from->sp,
		.stack_bytes = from->stack_bytes,
	};
	w->registers[DWARF_SP] = from->sp;
	w->registers[DWARF_BP] = from->bp;
	w->registers[DWARF_BX] = from->bx;
	w->registers[12] = from->r12;
	w->registers[13] = from->r13;
	w->registers[14] = from->r14;
	w->registers[15] = from->r15;
	w->registers[DWARF_AX] = from->ax;
	w->known = 1u << DWARF_SP | 1u << DWARF_BP | 1u << DWARF_BX | 1u << 12 |
		   1u << 13 | 1u << 14 | 1u << 15 | 1u << DWARF_AX;
}

static enum step take_step(struct unwinder *u, struct walk *w,
			   struct unwound_frame *frame)
{
	uint64_t sp = walk_sp(w), pc = w->pc;
	enum step step;

	*frame = (struct unwound_frame){
		.pc = pc,
		.sp = sp,
		.bp = walk_bp(w),
		.is_exact = w->is_exact,
		.bci = -1,
	};
	w->is_cut = false;
	if (u->hotspot && code_cache_has(u->code, pc))
		step = hotspot_frames_step(u->hotspot, w, frame);
	else
		step = native_frames_step(u->native, w, frame);
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
	start(&w, from);
	while (out->count < max && step == STEP_ON)
		step = take_step(u, &w, &u->frames[out->count++]);
	finish(out, step, &w);
}
