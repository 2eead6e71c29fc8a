/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_thread_names: the names of Java threads, from the JVM's memory.
 *
 * The kernel truncates names to 15 bytes.  The path leads from the list of
 * JavaThreads through java.lang.Thread to a String.  A collector may move these
 * objects during the read.  So the Thread must lead back to its JavaThread, the
 * String must have the class String, and each reference must be unchanged at
 * the end; otherwise the name is unknown and may be read again later.  A name
 * may still be wrong while a heap is compacted, so callers compare it with
 * other facts about the thread.
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
	pid_t tid;      /* in the JVM's namespace */
	bool is_listed; /* the JVM lists a Java thread with this tid */
	bool is_known;  /* name is valid */
	uint64_t java_id;
	char name[JAVA_THREAD_NAME_BYTES]; /* UTF-8; "" = the thread has no name
					    */
};

struct java_thread_names;

/*
 * Both are borrowed.  ERROR_UNAVAILABLE names what the JVM does not export.  A
 * JVM that has just started may export it later.
 */
struct java_thread_names *java_thread_names_open(const struct vm_structs *v,
						 struct memory *memory,
						 struct error *err);
void java_thread_names_close(struct java_thread_names *t); /* NULL is fine */

/* Reads the names of up to JAVA_THREAD_NAMES_AT_ONCE threads by their tids. */
void java_thread_names_read(struct java_thread_names *t,
			    struct java_thread_name *all, size_t count);

/*
 * Returns the address that an 8-byte reference leads to, without the color
 * bits of ZGC.  Returns 0 for null and for values that are not references.
 */
uint64_t java_reference_decode(uint64_t value);

#endif
