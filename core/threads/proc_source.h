/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc_source: samples of a JVM on this machine, which it hardly notices.
 *
 * CPU, run-queue delay and context switches are from /proc; garbage collection
 * and safepoints from perfdata; names, Java ids, states and coarse allocation
 * from one Thread.print at the start, and again when threads appear that it
 * did not have, every 10 s at most.
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
	bool no_attach; /* never ask the JVM: names are the kernel's */
	bool switches;  /* count context switches, too */
	int64_t attach_timeout_ns;
};

/*
 * jvm is borrowed and outlives the source.  An attach that is refused is no
 * failure: the notes of each sample say so.  NULL and *err on failure.
 */
struct thread_source *
proc_source_open(const struct jvm *jvm,
		 const struct proc_source_options *options, struct error *err);

/* The parts of a sample, declared for their tests. */

/* The last thread dump; times are of CLOCK_BOOTTIME, in ns. */
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

/*
 * Sets the figures that HotSpot's counters have, JDK 8 to 25, and leaves the
 * others: garbage collection, safepoints and, as of the last collection, the
 * heap.  Before the first collection, the heap's figures stay absent.
 */
void perf_sample_add(const struct perfdata *p, struct process_sample *out);

/* How long the program has stood still, in ns; COUNTER_ABSENT if unknown. */
int64_t perf_sample_stopped(const struct process_sample *process);

/* Where the figures of a sample come from, and why some are absent. */
struct proc_facts {
	const char *no_names;     /* why the JVM is not asked; NULL = it is */
	const char *dump_problem; /* what went wrong when it was; or NULL */
	int64_t dump_age_ns;      /* -1 = there is none */
	bool has_alloc;           /* the dump tells what threads allocated */
	int64_t alloc_over_ns;    /* between it and one before; -1 = none */
	const char *no_perfdata;  /* why there is none; or NULL */
	bool has_schedstat;
};

/* Adds to out->notes; the problems may be foreign, and are made safe. */
void proc_notes_add(const struct proc_facts *facts, struct top_sample *out);

#endif
