/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_symbols: which Java methods a frame is of, whoever knows.
 *
 * There are two who do: the JVM's own metadata (vm_symbols.h), and an agent in
 * the JVM (jvmti/client).  Both give the same names, but for a "vtable stub"
 * and an "itable stub": of what is in "vtable chunks" the JVM's tables do not
 * say which it is (VtableStub is not exported), so that without an agent it is
 * a "vtable/itable stub".
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
	const struct code_blob *blob; /* until process_view_begin() */
	struct elf_image *image;      /* lives as long as the view */
	uint64_t image_pc;            /* the file's address */
	uint64_t method;              /* Method* */
	int32_t bci;                  /* -1 = not known */
	const char *rule; /* static text: how its caller was found; or NULL */
};

enum java_frame_kind {
	JAVA_INTERPRETED,
	JAVA_C1,
	JAVA_C2,
	JAVA_INLINED, /* into the next one */
	JAVA_NATIVE,  /* the wrapper of a native method */
};

/* Strings live as long as their source. */
struct java_frame {
	enum java_frame_kind kind;
	/*
	 * Dotted, as Class.getName() has it, but of a hidden class without its
	 * address, so that a lambda is "a.B$$Lambda$14" (JDK 17) or
	 * "a.B$$Lambda" (25).  The JVM has it as "+0x" and 16 hexadecimal
	 * digits at the end of the class's name, JVMTI as ".0x" and as many in
	 * "La/B$$Lambda$14.0x0000000800c03000;".  Names are in modified UTF-8.
	 */
	const char *class_name;
	const char *method;    /* "run", "<init>" */
	const char *signature; /* "(I)V" */
	uint32_t line;         /* 0 = not known; of a bci of -1, which compiled
				  code has at a method's entry, that of 0 */
};

struct java_symbols {
	/*
	 * The methods of a compiled or interpreted frame, innermost first, of
	 * which there are at most cap; how many.  0: not known.  time_ns is
	 * when the sample was taken, CLOCK_MONOTONIC.
	 *
	 * Of compiled code, those of the first place at or after pc that the
	 * compiler has recorded; behind the last, or where what is inlined is
	 * not known, the compiled method alone, no line.
	 */
	size_t (*frames)(struct java_symbols *self,
			 const struct unwound_frame *at, uint64_t time_ns,
			 struct java_frame *out, size_t cap);
	/*
	 * The name of generated code that is no method
	 * ("jlong_disjoint_arraycopy"), or NULL.
	 */
	const char *(*generated)(struct java_symbols *self,
				 const struct unwound_frame *at,
				 uint64_t time_ns);
};

#endif
