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
#include "core/threads/thread_source.h"

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

#endif
