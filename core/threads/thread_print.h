/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_print: one Thread.print of a JVM, asked for by a child process.
 *
 * Attaching may take seconds (a JVM that starts, is busy or stopped), and a
 * tick must not wait for it: the child asks and leaves the reply in memory
 * that it shares with us.  It ends with us, and at its deadline.
 */
#ifndef CORE_THREADS_THREAD_PRINT_H
#define CORE_THREADS_THREAD_PRINT_H

#include "core/attach/helper_process.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>

struct thread_print {
	const struct jvm *jvm; /* borrowed */
	struct child child;
	int64_t timeout_ns; /* of the attach, and of the call */
	bool runs;
};

enum thread_print_state {
	THREAD_PRINT_RUNS,
	THREAD_PRINT_DONE,
	THREAD_PRINT_FAILED,
};

/* Starts a child that asks for Thread.print -e (-e: JDK 11 on). */
int thread_print_start(struct thread_print *p, const struct jvm *jvm,
		       int64_t timeout_ns, struct error *err);

/*
 * Waits for the reply until the given time (clock_monotonic_ns(); 0 does not
 * wait).  When it is there, *reply is replaced by it and *took_ns is how long
 * the JVM was asked; then, or when it failed, the child has ended.
 */
enum thread_print_state thread_print_wait(struct thread_print *p,
					  int64_t until_ns, struct text *reply,
					  int64_t *took_ns, struct error *err);

/* Ends the child, if it runs.  Zeroed storage is fine. */
void thread_print_stop(struct thread_print *p);

#endif
