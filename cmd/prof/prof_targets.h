/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_targets: which processes are sampled: those named, a program that was
 * started and what it starts, or every JVM, those that begin later, too.
 */
#ifndef CMD_PROF_PROF_TARGETS_H
#define CMD_PROF_PROF_TARGETS_H

#include "cmd/prof/prof_descendants.h"
#include "cmd/prof/prof_target.h"
#include "core/base/error.h"
#include "core/base/map64.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process that could not be sampled. */
struct prof_refusal {
	pid_t pid;
	uint64_t start_ticks;
	int64_t again_ns; /* when it is tried again */
	char *why;        /* to be said if nothing comes of it; foreign */
	bool is_said;
};

struct prof_targets {
	struct prof_shared *shared;
	struct prof_target **all; /* those that have ended, too */
	size_t count, cap;
	size_t named;        /* of them, by the user */
	struct map64 by_pid; /* index of the last that had it */
	pid_t ancestor;      /* of those wanted, with `command`; 0 = none */
	struct prof_descendants descendants; /* of it, with itself */
	int64_t next_look_ns;                /* for those that begin later */
	struct prof_refusal *refusals;
	size_t refusal_count, refusal_cap;
	size_t said; /* of them, or would be if they were not so many */
};

void prof_targets_init(struct prof_targets *t, struct prof_shared *s);
void prof_targets_release(struct prof_targets *t);

/*
 * Takes in those that the options name, or all that there are.  Each is
 * sampled from the sampler's start on.  ERROR_NO_TARGET, ERROR_PERMISSION, …
 */
int prof_targets_open(struct prof_targets *t, struct error *err);

/* Takes in a program that is about to begin, by its pid, and what it starts. */
int prof_targets_launched(struct prof_targets *t, pid_t pid, struct error *err);

/* The one of a sample; NULL when it is none. */
struct prof_target *prof_targets_find(const struct prof_targets *t, pid_t pid);

/* Often: looks for those that have begun, or become JVMs. */
void prof_targets_look(struct prof_targets *t);

/* Often: which have ended is noted, and no longer sampled; how many run. */
size_t prof_targets_running(struct prof_targets *t);

/*
 * At the end: what could not be sampled and was not said yet, as it might have
 * been tried again; and how many more there were than are said one by one.
 */
void prof_targets_say_refused(struct prof_targets *t);

/* What all of them have counted, those whose place others took, too. */
struct prof_counts prof_targets_counts(const struct prof_targets *t);

/* prof_target_changes() of all. */
uint64_t prof_targets_changes(const struct prof_targets *t);

/* "com.acme.Main (4711)", "3 JVMs". */
void prof_targets_name(const struct prof_targets *t, struct text *out);

#endif
