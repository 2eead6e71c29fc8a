/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_names: who the threads of a JVM are, from one Thread.print.
 *
 * The kernel knows a thread by its tid and the first 15 bytes of a name; the
 * JVM knows the rest.  The two meet in the tid as the JVM's pid namespace
 * counts it: nid= (hexadecimal up to JDK 17) and, since JDK 21, [NTID].
 */
#ifndef CORE_THREADS_THREAD_NAMES_H
#define CORE_THREADS_THREAD_NAMES_H

#include "core/threads/thread_source.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_name {
	pid_t ns_tid;
	int64_t java_id;    /* 0 = none: it runs no Java code */
	int64_t virtual_id; /* of the virtual thread it carried; 0 = none */
	const char *name;   /* foreign, NUL-terminated */
	enum thread_kind kind;
	enum thread_run_state state; /* RUN_UNKNOWN where it said none */
	/* Bytes allocated, in steps of so many; 0 = it did not say (-e). */
	uint64_t allocated, allocated_step;
};

struct thread_names;

struct thread_names *thread_names_new(void);
void thread_names_free(struct thread_names *n); /* NULL is fine */

/*
 * Forgets all names and takes those of a reply to Thread.print -e (JDK 8 on),
 * which is only borrowed.  A tid that two threads claim is nobody's: one of
 * them is part of a name.
 */
void thread_names_read(struct thread_names *n, const char *reply, size_t len);

/* The threads found. */
size_t thread_names_count(const struct thread_names *n);

/* The thread of a tid as the JVM sees it; NULL when there is none. */
const struct thread_name *thread_names_find(const struct thread_names *n,
					    pid_t ns_tid);

/*
 * The kind of a thread of which only the kernel's name is known:
 * THREAD_UNKNOWN unless it is like one of the JVM's own.
 */
enum thread_kind thread_names_kind_of(const char *comm);

#endif
