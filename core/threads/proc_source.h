/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc_source: thread samples of a JVM on this machine, at almost no cost for
 * the JVM.
 *
 * CPU time, run-queue delay and context switches come from /proc, garbage
 * collection and safepoints from perfdata. Names, Java ids, states and coarse
 * allocation come from one Thread.print at the start and another when new
 * threads appear, at most every 10 s.
 */
#ifndef CORE_THREADS_PROC_SOURCE_H
#define CORE_THREADS_PROC_SOURCE_H

#include "core/jvm/jvm.h"
#include "core/jvm/perfdata.h"
#include "core/threads/tasks.h"
#include "core/threads/thread_names.h"
#include "core/threads/thread_source.h"

#include <stdbool.h>
#include <stdint.h>

struct proc_source_options {
	bool no_attach; /* never attach: use the kernel's thread names */
	bool switches;  /* also count context switches */
	int64_t attach_timeout_ns;
};

/*
 * Opens the source. jvm is borrowed and must outlive the source. A failed
 * attach is not an error: the notes of each sample report it. NULL and *err on
 * failure.
 */
struct thread_source *
proc_source_open(const struct jvm *jvm,
		 const struct proc_source_options *options, struct error *err);

/* Parts of a sample, declared for their tests. */

/* The last thread dump; times are CLOCK_BOOTTIME in ns. */
struct task_dump {
	const struct thread_names *names; /* NULL = there is none */
	int64_t asked_ns, came_ns;
	const struct thread_names *before; /* an older dump; NULL = none */
	int64_t before_ns;                 /* when the older dump arrived */
	bool is_new; /* the dump arrived with this sample: allocation is current
		      */
	pid_t leader; /* the tid of the first thread of the process */
};

/*
 * Fills *out, which borrows its name from task or dump. has_run: the thread was
 * on a CPU since the dump was requested, so its state may have changed.
 */
void task_sample_fill(struct thread_sample *out, const struct task *task,
		      const struct task_dump *dump, bool has_run);

/*
 * True for a thread that a new dump would name: the last dump lacks it, and at
 * now_ns it is old enough to be in the next dump.
 */
bool task_sample_is_unnamed(const struct thread_sample *s,
			    const struct task *task, int64_t now_ns);

/*
 * Sets the values of HotSpot's counters, JDK 8 to 25, and leaves the others:
 * garbage collection, safepoints and, as of the last collection, the heap.
 * Before the first collection, the heap's values stay absent.
 */
void perf_sample_add(const struct perfdata *p, struct process_sample *out);

/* Total time that the program was stopped, in ns; COUNTER_ABSENT if unknown. */
int64_t perf_sample_stopped(const struct process_sample *process);

/* The sources of a sample's values, and why some values are absent. */
struct proc_facts {
	const char *no_names; /* why there is no thread dump; NULL if there may
				 be one */
	const char *dump_problem; /* why the last dump failed, or NULL */
	int64_t dump_age_ns;      /* -1 = there is none */
	bool has_alloc;           /* the dump has the allocation per thread */
	int64_t alloc_over_ns; /* interval between two dumps; -1 = one dump only
				*/
	const char *no_perfdata; /* why there is no perfdata, or NULL */
	bool has_schedstat;
};

/* Adds notes to *out. The reasons may be foreign and are made safe. */
void proc_notes_add(const struct proc_facts *facts, struct top_sample *out);

#endif
