/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwinder: from a thread's registers and a copy of its stack to its frames.
 *
 * Frames of compiled Java code by the sizes that HotSpot's CodeBlobs have,
 * interpreted ones by their layout, native ones by their call frame
 * information, or frame pointers where there is none.  It needs nothing of the
 * target but to read its memory.
 */
#ifndef CORE_UNWIND_UNWINDER_H
#define CORE_UNWIND_UNWINDER_H

#include "core/base/error.h"
#include "core/elf/elf_image.h"
#include "core/hotspot/code_cache.h"
#include "core/hotspot/vm_structs.h"
#include "core/jvm/jvm.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNWIND_FRAMES = 2048 };

/* A frame of native code, of the JVM's, or of Java. */
enum unwound_kind {
	UNWOUND_NATIVE,      /* image, or NULL when pc is in none */
	UNWOUND_COMPILED,    /* blob: an nmethod, which may hold several
				methods inlined into one another */
	UNWOUND_INTERPRETED, /* method and bci */
	UNWOUND_GENERATED,   /* blob: any other */
	UNWOUND_UNKNOWN,     /* where the walk could not go on */
};

struct unwound_frame {
	enum unwound_kind kind;
	bool is_exact; /* pc was about to be executed: a leaf, or what a signal
			  interrupted; else it is a return address */
	uint64_t pc;   /* the target's */
	uint64_t sp, bp;              /* what these registers were in it */
	const struct code_blob *blob; /* until unwinder_begin() */
	struct elf_image *image;      /* as long as the unwinder lives */
	uint64_t image_pc;            /* the file's address */
	uint64_t method;              /* Method* */
	int32_t bci;                  /* -1 = not known */
};

enum unwind_end {
	UNWIND_ROOT, /* the thread's first frame */
	UNWIND_CUT,  /* the copy ends before the stack does */
	UNWIND_DEEP, /* there are more frames than were wanted */
	UNWIND_LOST, /* there is no way on: why, in words */
};

struct unwound {
	struct unwound_frame *frames; /* leaf first */
	size_t count;
	enum unwind_end end;
	const char *why;  /* static text, of UNWIND_LOST; else NULL */
	uint64_t root_sp; /* the root's stack pointer, of UNWIND_ROOT: no more
			     of this thread's stack is ever needed */
};

/* Where a walk begins; registers by enum dwarf names of elf_image.h. */
struct unwind_start {
	uint64_t ip, sp, bp, bx, r12, r13, r14, r15, ax;
	const uint8_t *stack; /* from sp on */
	size_t stack_bytes;
	size_t max_frames; /* at most UNWIND_FRAMES */
};

struct unwinder;

/*
 * For one process, which is borrowed, as memory is.  Without a HotSpot libjvm
 * in it, or when that cannot be understood, native frames alone are walked,
 * and unwinder_limits() says why.
 */
struct unwinder *unwinder_open(const struct jvm *jvm, struct memory *memory,
			       struct error *err);
/* The same with a libjvm that is known to be loaded with that bias. */
struct unwinder *unwinder_open_with(const struct jvm *jvm,
				    struct memory *memory,
				    const struct elf_image *libjvm,
				    uint64_t bias, struct error *err);
void unwinder_close(struct unwinder *u); /* NULL is fine */

/* What it cannot do with this process, in words; NULL = nothing. */
const char *unwinder_limits(const struct unwinder *u);

/* True of a JVM with the Zero interpreter, which sjkc has no way to sample. */
bool unwinder_is_zero(const struct unwinder *u);

/*
 * How much of the code and how many of the methods that stacks had were found
 * to be gone when they were looked at again, since the beginning.
 */
uint64_t unwinder_gone(const struct unwinder *u);

/* The JVM's structures and code, borrowed; NULL when it has none. */
const struct vm_structs *unwinder_vm_structs(const struct unwinder *u);
struct code_cache *unwinder_code_cache(const struct unwinder *u);

/* Whether it has virtual threads, and where they return to is known. */
bool unwinder_has_continuations(const struct unwinder *u);

/* Programs and libraries whose file system does not answer (target_files.h). */
uint64_t unwinder_missed_files(const struct unwinder *u);

/*
 * The target's address of a symbol of its libjvm, by its (mangled) name; 0 when
 * there is none, as in a libjvm that is stripped.
 */
uint64_t unwinder_vm_symbol(const struct unwinder *u, const char *name);

/*
 * Walks; the result is valid until the next walk.  It always has a frame: what
 * cannot be unwound ends in UNWOUND_UNKNOWN.
 */
void unwinder_walk(struct unwinder *u, const struct unwind_start *from,
		   struct unwound *out);

/* Before a batch of samples: what may have changed is looked at again. */
void unwinder_begin(struct unwinder *u);

#endif
