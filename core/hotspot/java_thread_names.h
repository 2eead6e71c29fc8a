/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_thread_names: the names of Java threads, from the JVM's memory.
 *
 * The kernel truncates names to 15 bytes. The way leads from the list of
 * JavaThreads by java.lang.Thread to a String. A collector may move these
 * objects while they are read. So the Thread must lead back to its JavaThread,
 * the String must be one, and each reference must be unchanged at the end;
 * otherwise the name is unknown and may be read again later. Even so a name may
 * be wrong while a heap is compacted, and callers compare it with what else
 * they know.
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
	JAVA_THREAD_NAME_CHARS = 256, /* longer names are truncated */
	/* A UTF-16 unit takes up to three bytes, a surrogate pair four. */
	JAVA_THREAD_NAME_BYTES = 3 * JAVA_THREAD_NAME_CHARS + 1,
};

struct java_thread_name {
	pid_t tid;     /* in the JVM's namespace */
	bool is_known; /* if true: */
	uint64_t java_id;
	char name[JAVA_THREAD_NAME_BYTES]; /* UTF-8; "" = the thread has no name
					    */
};

struct java_thread_names;

/*
 * Both are borrowed. ERROR_UNAVAILABLE names what the JVM does not export; a
 * JVM that has just started may do so later.
 */
struct java_thread_names *java_thread_names_open(const struct vm_structs *v,
						 struct memory *memory,
						 struct error *err);
void java_thread_names_close(struct java_thread_names *t); /* NULL is fine */

/* Reads the names of up to JAVA_THREAD_NAMES_AT_ONCE threads by their tids. */
void java_thread_names_read(struct java_thread_names *t,
			    struct java_thread_name *all, size_t count);

/*
 * Returns the address that a reference of 8 bytes leads to, without the colour
 * bits of ZGC; 0 when it is null or no reference.
 */
uint64_t java_reference_decode(uint64_t value);

#endif
