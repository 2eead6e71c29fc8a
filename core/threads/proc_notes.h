/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc_notes: what is to be said beside a sample from /proc: whence its figures
 * are, and which are absent and why.
 */
#ifndef CORE_THREADS_PROC_NOTES_H
#define CORE_THREADS_PROC_NOTES_H

#include "core/threads/thread_source.h"

#include <stdbool.h>
#include <stdint.h>

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
