/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_thread_names: what a JVM calls its threads, from its memory.
 *
 * The kernel knows 15 bytes of a name.  The way is from the list of JavaThreads
 * by java.lang.Thread to a String.  A collector may move any of these while
 * they are read: the Thread is to lead back to its JavaThread, the String to be
 * one, and each reference to be the same at the end; what is not is unknown,
 * and may be asked for again.  Even so, what is read may be wrong while a heap
 * is compacted, so callers compare it with what else they know.
 */
#ifndef CORE_HOTSPOT_JAVA_THREAD_NAMES_H
#define CORE_HOTSPOT_JAVA_THREAD_NAMES_H

#include "core/base/error.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	JAVA_THREAD_NAMES_AT_ONCE = 1024,
	JAVA_THREAD_NAME_CHARS = 256, /* of a name; the rest is left out */
	/* A character is up to three bytes, or four of two. */
	JAVA_THREAD_NAME_BYTES = 3 * JAVA_THREAD_NAME_CHARS + 1,
};

struct java_thread_name {
	pid_t tid;     /* as the JVM has it */
	bool is_known; /* of it: */
	uint64_t java_id;
	char name[JAVA_THREAD_NAME_BYTES]; /* UTF-8; "" = it has none */
};

struct java_thread_names;

/*
 * Both are borrowed.  ERROR_UNAVAILABLE says what the JVM does not say; a JVM
 * that has just been started may say it later.
 */
struct java_thread_names *java_thread_names_open(const struct vm_structs *v,
						 struct memory *memory,
						 struct error *err);
void java_thread_names_close(struct java_thread_names *t); /* NULL is fine */

/* Looks for up to JAVA_THREAD_NAMES_AT_ONCE threads, by their tids. */
void java_thread_names_read(struct java_thread_names *t,
			    struct java_thread_name *all, size_t count);

/*
 * Returns the address that a reference of 8 bytes leads to, without the colour
 * bits of ZGC; 0 when it is null or no reference.
 */
uint64_t java_reference_decode(uint64_t value);

#endif
