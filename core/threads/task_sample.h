/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_sample: one thread of a sample, from what the kernel counts of it and
 * what the JVM's last thread dump said of it.
 */
#ifndef CORE_THREADS_TASK_SAMPLE_H
#define CORE_THREADS_TASK_SAMPLE_H

#include "core/threads/tasks.h"
#include "core/threads/thread_names.h"
#include "core/threads/thread_source.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known of the dump; times are of CLOCK_BOOTTIME, in ns. */
struct task_dump {
	const struct thread_names *names; /* NULL = there is none */
	int64_t asked_ns, came_ns;
	const struct thread_names *before; /* an older one; NULL = none */
	int64_t before_ns;                 /* when that came */
	bool is_new;  /* it came with this sample: allocation is as of now */
	pid_t leader; /* the tid of the thread that began the process */
};

/*
 * Fills *out, which borrows its name from either.  has_run: it was put on a
 * CPU since the dump was asked for, so that its state may be another.
 */
void task_sample_fill(struct thread_sample *out, const struct task *task,
		      const struct task_dump *dump, bool has_run);

/*
 * True for a thread that a new dump would name: it is not in the last one, and
 * has been there long enough, before now, to be in the next.
 */
bool task_sample_is_unnamed(const struct thread_sample *s,
			    const struct task *task, int64_t now_ns);

/* When a task began, in ns of CLOCK_BOOTTIME, to 10 ms. */
int64_t task_sample_start(const struct task *task);

#endif
