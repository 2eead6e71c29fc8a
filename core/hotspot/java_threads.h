/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_threads: the JavaThreads of a JVM, and which of them owns a monitor.
 *
 * ObjectMonitor::_owner is a JavaThread, or, of a lock that was inflated while
 * it was held, an address in its owner's stack (JDK 8 to 23); from JDK 24 on it
 * is the id of a thread, virtual ones included (JDK-8338383).
 */
#ifndef CORE_HOTSPOT_JAVA_THREADS_H
#define CORE_HOTSPOT_JAVA_THREADS_H

#include "core/base/error.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the monitor that a thread waits for and its owner are; in bytes. */
struct monitor_places {
	uint32_t env;     /* of a JavaThread: its JNIEnv */
	uint32_t pending; /* likewise the ObjectMonitor that it waits for */
	uint32_t owner;   /* of an ObjectMonitor */
};

/* What is read of each thread: offsets in JavaThread; 0 = it has none. */
enum thread_field {
	THREAD_OSTHREAD,
	THREAD_STACK_BASE,
	THREAD_STACK_SIZE,
	THREAD_OWNER_ID, /* from JDK 24 on */
	THREAD_OBJECT,   /* the java.lang.Thread, in a handle */
	THREAD_CARRIED,  /* likewise, the virtual one that it carries */
	THREAD_FIELDS
};

/* Where the JVM has the list of its JavaThreads. */
struct java_thread_list {
	uint64_t list;            /* the address of a ThreadsList*, or 0 and */
	uint64_t first;           /* the address of the first thread (JDK 8) */
	uint32_t length, threads; /* offsets in a ThreadsList */
	uint32_t next;            /* offset in a JavaThread */
};

/* Returns false when the JVM does not export the list. */
bool java_thread_list_find(struct java_thread_list *l,
			   const struct vm_structs *v);

/*
 * Reads the addresses of all JavaThreads, at most 65,536, into *out, which the
 * caller frees.  Returns their number; 0 when the list changed while it was
 * read, or is not readable.
 */
size_t java_thread_list_read(const struct java_thread_list *l,
			     struct memory *memory, uint64_t **out);

struct thread_layout {
	struct monitor_places places;
	struct java_thread_list list;
	uint32_t size; /* of a JavaThread */
	uint32_t fields[THREAD_FIELDS];
	uint32_t os_id; /* of an OSThread */
};

/* ERROR_UNAVAILABLE names what this JVM does not say. */
int thread_layout_read(struct thread_layout *l, const struct vm_structs *v,
		       struct error *err);

struct java_threads;

/* The layout is copied, the memory borrowed. */
struct java_threads *java_threads_new(const struct thread_layout *layout,
				      struct memory *memory);
void java_threads_free(struct java_threads *t); /* NULL is fine */

/* From now on the threads are read again when they are asked for. */
void java_threads_begin(struct java_threads *t);

/*
 * jni is the JNIEnv of some thread that runs.  False when it is that of none,
 * or the threads cannot be read.
 */
bool java_threads_places(struct java_threads *t, uint64_t jni,
			 struct monitor_places *places);

struct monitor_owner {
	pid_t ns_tid;    /* as the JVM counts it; 0 = virtual, or not known */
	int64_t java_id; /* Thread.threadId(); 0 = not known */
	bool is_virtual;
};

/* Who an ObjectMonitor's _owner is; false when nobody knows. */
bool java_threads_owner(struct java_threads *t, uint64_t owner,
			struct monitor_owner *out);

#endif
