/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_symbols: an interface to the names of Java frames.
 *
 * It has two implementations: the JVM's metadata (vm_symbols.h) and an agent in
 * the JVM (jvmti/client).  Both return the same names, with one exception: the
 * JVM does not export whether a stub in "vtable chunks" is a "vtable stub" or
 * an "itable stub", so without an agent its name is "vtable/itable stub".
 */
#ifndef CORE_HOTSPOT_JAVA_SYMBOLS_H
#define CORE_HOTSPOT_JAVA_SYMBOLS_H

#include "core/elf/elf_image.h"
#include "core/hotspot/code_cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of frames that an unwinder finds (core/unwind/unwinder.h). */
enum unwound_kind {
	UNWOUND_NATIVE,      /* image, or NULL when no file is mapped at pc */
	UNWOUND_COMPILED,    /* blob: an nmethod, which may hold several
				methods inlined into one another */
	UNWOUND_INTERPRETED, /* method and bci */
	UNWOUND_GENERATED,   /* blob: any other blob */
	UNWOUND_UNKNOWN,     /* the walk ended without a caller */
};

struct unwound_frame {
	enum unwound_kind kind;
	bool is_exact;    /* pc is the next instruction, in a leaf or in a frame
			     that a signal interrupted; otherwise it is a return
			     address */
	bool is_cautious; /* see java_symbols.frames */
	uint64_t pc;      /* the target's */
	uint64_t sp, bp;  /* the values of SP and FP in this frame */
	const struct code_blob *blob; /* valid until process_view_begin() */
	struct elf_image *image;      /* lives as long as the view */
	uint64_t image_pc;            /* pc as an address of the file */
	uint64_t method;              /* Method* */
	int32_t bci;                  /* -1 = unknown */
	const char *
		rule; /* static text: the rule that found the caller, or NULL */
};

enum java_frame_kind {
	JAVA_INTERPRETED,
	JAVA_C1,
	JAVA_C2,
	JAVA_INLINED, /* inlined into the next frame */
	JAVA_NATIVE,  /* the wrapper of a native method */
};

/* Strings live as long as their source. */
struct java_frame {
	enum java_frame_kind kind;
	/*
	 * Dotted, as Class.getName() returns it, but without the address of a
	 * hidden class: a lambda is "a.B$$Lambda$14" (JDK 17) or "a.B$$Lambda"
	 * (25).  In the JVM the address is "+0x" and 16 hexadecimal digits at
	 * the end of the class name, in JVMTI ".0x" and 16 digits:
	 * "La/B$$Lambda$14.0x0000000800c03000;".  Names are in modified UTF-8.
	 */
	const char *class_name;
	const char *method;    /* "run", "<init>" */
	const char *signature; /* "(I)V" */
	uint32_t line; /* 0 = unknown; a bci of -1, which compiled code has at a
			  method's entry, has the line of bci 0 */
};

struct java_symbols {
	/*
	 * Stores the methods of a compiled or interpreted frame, innermost
	 * first and at most cap, and returns their number; 0 = unknown. time_ns
	 * is the time of the sample, CLOCK_MONOTONIC.
	 *
	 * Compiled code has the methods of the first place at or after pc that
	 * the compiler recorded.  Beyond the last place, or if inlining is
	 * unknown, only the compiled method is returned, without a line.
	 * The compiler does not record calls after which no safepoint is
	 * possible, and moves such rare code away from its method's.  So if
	 * is_cautious, only the compiled method is returned.
	 */
	size_t (*frames)(struct java_symbols *self,
			 const struct unwound_frame *at, uint64_t time_ns,
			 struct java_frame *out, size_t cap);
	/*
	 * Returns the name of generated code that is not a method
	 * ("jlong_disjoint_arraycopy"), or NULL.
	 */
	const char *(*generated)(struct java_symbols *self,
				 const struct unwound_frame *at,
				 uint64_t time_ns);
};

#endif
