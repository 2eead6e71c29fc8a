/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_threads: the JavaThreads of a JVM, and the owner of a monitor.
 *
 * ObjectMonitor::_owner is a JavaThread or, if the lock was inflated while it
 * was held, an address in its owner's stack (JDK 8 to 23).  Since JDK 24 it is
 * the ID of a thread, which may be virtual (JDK-8338383).
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

/*
 * Offsets in bytes that lead to the monitor that a thread waits for, and to the
 * owner of the monitor.
 */
struct monitor_places {
	uint32_t env;     /* offset of the JNIEnv in a JavaThread */
	uint32_t pending; /* offset of the ObjectMonitor* that a JavaThread
			     waits for */
	uint32_t owner;   /* offset of the owner in an ObjectMonitor */
};

/*
 * The fields that are read for each thread, by their offsets in JavaThread; 0 =
 * this JVM does not have the field.
 */
enum thread_field {
	THREAD_OSTHREAD,
	THREAD_STACK_BASE,
	THREAD_STACK_SIZE,
	THREAD_OWNER_ID, /* since JDK 24 */
	THREAD_OBJECT,   /* the java.lang.Thread, in a handle */
	THREAD_CARRIED,  /* the virtual thread that the thread carries, in a
			    handle */
	THREAD_FIELDS
};

/* A JavaThread, as of the last java_threads_begin(). */
struct java_thread {
	uint64_t address;
	uint64_t fields[THREAD_FIELDS];
	/* References to the objects of THREAD_OBJECT and THREAD_CARRIED. */
	uint64_t java, carried;
	uint64_t owner_id_then; /* THREAD_OWNER_ID, read after the other fields
				 */
	uint32_t ns_tid;        /* thread id in the JVM's namespace */
};

/* The place of the list of JavaThreads. */
struct java_thread_list {
	uint64_t list;            /* the address of a ThreadsList*; if 0: */
	uint64_t first;           /* the address of the first thread (JDK 8) */
	uint32_t length, threads; /* offsets in a ThreadsList */
	uint32_t next;            /* offset in a JavaThread */
};

/* Returns false when the JVM does not export the list. */
bool java_thread_list_find(struct java_thread_list *l,
			   const struct vm_structs *v);

/*
 * Reads the addresses of all JavaThreads, at most 65,536, into *out, which the
 * caller frees.  Returns their number, or 0 when the list changed during the
 * read or is unreadable.
 */
size_t java_thread_list_read(const struct java_thread_list *l,
			     struct memory *memory, uint64_t **out);

/*
 * Where a JavaThread has the objects that it locked without an ObjectMonitor
 * (JDK 21 and later); base 0 = it has no such place.
 */
struct lock_stack_layout {
	uint32_t base, top; /* offsets in a JavaThread */
};

struct thread_layout {
	struct monitor_places places;
	struct lock_stack_layout lock_stack;
	struct java_thread_list list;
	uint32_t size; /* of a JavaThread */
	uint32_t fields[THREAD_FIELDS];
	uint32_t os_id; /* of an OSThread */
};

/* Reads the offsets. ERROR_UNAVAILABLE names what this JVM does not export. */
int thread_layout_read(struct thread_layout *l, const struct vm_structs *v,
		       struct error *err);

struct java_threads;

/* The layout is copied, the memory borrowed. */
struct java_threads *java_threads_new(const struct thread_layout *layout,
				      struct memory *memory);
void java_threads_free(struct java_threads *t); /* NULL is fine */

/* Call before a batch of samples: reads the threads again on next use. */
void java_threads_begin(struct java_threads *t);

/*
 * Fills in *places, given the JNIEnv of any running thread. Returns false when
 * no thread has that JNIEnv, or the threads are unreadable.
 */
bool java_threads_places(struct java_threads *t, uint64_t jni,
			 struct monitor_places *places);

/* Returns all threads, which are valid until java_threads_begin(). */
const struct java_thread *java_threads_all(struct java_threads *t,
					   size_t *count);

struct monitor_owner {
	pid_t ns_tid;    /* thread id in the JVM's namespace; 0 = virtual or
			    unknown */
	int64_t java_id; /* Thread.threadId(); 0 = unknown */
	bool is_virtual;
};

/*
 * Finds the thread that a value of ObjectMonitor::_owner refers to.  Returns
 * false when it is unknown.
 */
bool java_threads_owner(struct java_threads *t, uint64_t owner,
			struct monitor_owner *out);

/*
 * Finds the threads that have the objects at these addresses in their lock
 * stacks; NULL = none.  Such a thread is the owner of a monitor whose owner is
 * anonymous (ObjectMonitor::ANONYMOUS_OWNER): another thread made the lock a
 * monitor, and the owner has not used it since.
 */
void java_threads_lock_holders(struct java_threads *t, const uint64_t *objects,
			       size_t count, const struct java_thread **out);

/*
 * ---- anchors ----
 *
 * A JavaThread has a JavaFrameAnchor: the last Java frame of a thread that is
 * in native code or in the JVM.
 */

enum { JAVA_ANCHOR_WORDS = 3 };

struct java_anchor_layout {
	struct java_thread_list list;
	uint32_t os_thread, os_id; /* offsets in JavaThread and OSThread */
	uint32_t anchor;           /* offset in JavaThread */
	/* The indexes of the anchor's words. */
	uint32_t sp, pc, fp;
};

/* Where a thread has its anchor: JAVA_ANCHOR_WORDS words of 8 bytes. */
struct java_anchor_place {
	pid_t ns_tid; /* in the JVM's PID namespace; 0 = it is starting */
	uint64_t address;
};

/* Returns false when the JVM does not export the offsets. */
bool java_anchor_layout_read(struct java_anchor_layout *l,
			     const struct vm_structs *v);

/*
 * Reads the places of all JavaThreads into *out, which the caller frees.
 * Returns their number; 0 if they are unreadable.
 */
size_t java_anchors_read(const struct java_anchor_layout *l,
			 struct memory *memory, struct java_anchor_place **out);

/*
 * ---- java_thread_names.c ----
 *
 * The names of Java threads, from the JVM's memory.
 *
 * The kernel truncates names to 15 bytes.  The path leads from the list of
 * JavaThreads through java.lang.Thread to a String.  A collector may move these
 * objects during the read.  So the Thread must lead back to its JavaThread, the
 * String must have the class String, and each reference must be unchanged at
 * the end; otherwise the name is unknown and may be read again later.  A name
 * may still be wrong while a heap is compacted, so callers compare it with
 * other facts about the thread.
 */

enum {
	JAVA_THREAD_NAMES_AT_ONCE = 1024,
	JAVA_THREAD_NAME_CHARS = 256, /* longer names are truncated */
	/* A UTF-16 unit takes up to three bytes, a surrogate pair four. */
	JAVA_THREAD_NAME_BYTES = 3 * JAVA_THREAD_NAME_CHARS + 1,
};

struct java_thread_name {
	pid_t tid; /* in the JVM's namespace */
	/*
	 * If not 0, a virtual thread at this address instead.  The caller
	 * checks java_id, since the address is that of a moment.
	 */
	uint64_t object;
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

/*
 * Reads the names of up to JAVA_THREAD_NAMES_AT_ONCE threads by their tids or
 * objects.
 */
void java_thread_names_read(struct java_thread_names *t,
			    struct java_thread_name *all, size_t count);

#endif
