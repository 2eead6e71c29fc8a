/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_names: names and Java ids of a JVM's threads, from one Thread.print.
 *
 * The kernel knows the tid of a thread and the first 15 bytes of its name. A
 * dump has the tid in the JVM's PID namespace: nid= (hexadecimal up to JDK 17)
 * and, since JDK 21, [NTID].
 */
#ifndef CORE_THREADS_THREAD_NAMES_H
#define CORE_THREADS_THREAD_NAMES_H

#include "core/threads/thread_source.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_name {
	pid_t ns_tid;
	int64_t java_id;    /* 0 = none: the thread runs no Java code */
	int64_t virtual_id; /* of the mounted virtual thread; 0 = none */
	const char *name;   /* foreign, NUL-terminated */
	enum thread_kind kind;
	enum thread_run_state state; /* RUN_UNKNOWN if the dump has none */
	/*
	 * Bytes allocated, rounded to allocated_step; a step of 0 means unknown
	 * (-e).
	 */
	uint64_t allocated, allocated_step;
};

struct thread_names;

struct thread_names *thread_names_new(void);
void thread_names_free(struct thread_names *n); /* NULL is allowed */

/*
 * Replaces all names by those of a reply to Thread.print -e (JDK 8 on), which
 * is borrowed. If two threads have the same tid, both are dropped: one of them
 * is part of a thread name.
 */
void thread_names_read(struct thread_names *n, const char *reply, size_t len);

/*
 * Returns the thread with a tid of the JVM's PID namespace; NULL if there is
 * none.
 */
const struct thread_name *thread_names_find(const struct thread_names *n,
					    pid_t ns_tid);

/*
 * Returns the kind of a thread by its kernel name: THREAD_UNKNOWN unless the
 * name is that of a JVM thread.
 */
enum thread_kind thread_names_kind_of(const char *comm);

#endif
