/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_names: names and Java ids of a JVM's threads, from one Thread.print.
 *
 * The kernel knows a thread by its tid and the first 15 bytes of its name. A
 * dump has the tid of the JVM's PID namespace: nid= (hexadecimal up to JDK 17)
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
 * Replaces all names by those of a reply to Thread.print -e (JDK 8 on), which
 * is borrowed. A tid that two threads claim belongs to neither: one of them is
 * part of a thread name.
 */
void thread_names_read(struct thread_names *n, const char *reply, size_t len);

/*
 * Returns the thread of a tid in the JVM's PID namespace; NULL when there is
 * none.
 */
const struct thread_name *thread_names_find(const struct thread_names *n,
					    pid_t ns_tid);

/*
 * The kind of a thread whose kernel name alone is known: THREAD_UNKNOWN unless
 * the name is that of a JVM thread.
 */
enum thread_kind thread_names_kind_of(const char *comm);

#endif
