/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_targets: which processes are sampled: those named, a program that
 * was started and what it starts, or every JVM, those that begin later, too.
 */
#ifndef BPF_SAMPLING_SAMPLING_TARGETS_H
#define BPF_SAMPLING_SAMPLING_TARGETS_H

#include "bpf/sampling/sampling_target.h"
#include "core/base/error.h"
#include "core/base/map64.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The descendants of a launched program.
 *
 * Looking at all processes for JVMs costs milliseconds.  To read the children
 * of each process and the file that each runs takes microseconds: a process
 * that is new, or runs another program, may become a JVM soon, and is looked at
 * often at first and then less.
 */

/* Of more descendants, the last ones are found when all processes are looked
 * at. */
enum { DESCENDANTS_MAX = 64 };

struct descendant {
	pid_t pid;
	dev_t exe_dev;
	ino_t exe_ino;
	int64_t since_ns; /* it runs that file */
	int64_t next_ns;  /* when to look at it */
};

struct descendants {
	struct descendant all[DESCENDANTS_MAX];
	size_t count;
	int64_t threads_ns; /* when all their threads are to be asked */
};

/*
 * Puts into pids those of a process and its descendants that are worth a look
 * by now, and gives how many.  What another thread than a process's first has
 * started is looked for a few times a second, a thousand threads at most. Where
 * the kernel does not tell children (CONFIG_PROC_CHILDREN) it is the process
 * alone, at most.
 */
size_t descendants_due(struct descendants *d, pid_t ancestor, int64_t now_ns,
		       pid_t pids[DESCENDANTS_MAX]);

/* Whether one of them will be looked at again as it is. */
bool descendants_awaits(const struct descendants *d, pid_t pid);

/*
 * A process that could not be sampled, as it was: one that has become another
 * program or a JVM since then is tried at once.
 */
struct sampling_refusal {
	pid_t pid;
	uint64_t start_ticks;
	dev_t exe_dev;
	ino_t exe_ino;
	enum jvm_kind kind;
	int64_t again_ns; /* when it is tried again */
	char *why;        /* to be said if nothing comes of it; foreign */
	bool is_said;
};

struct sampling_targets {
	struct sampling_shared *shared;
	struct sampling_target **all; /* those that have ended, too */
	size_t count, cap;
	size_t named;        /* of them, by the user */
	struct map64 by_pid; /* index of the last that had it */
	pid_t ancestor; /* the launched program, whose descendants are wanted;
			   0 = none */
	const char *launched;           /* its name; borrowed */
	struct descendants descendants; /* of it, with itself */
	int64_t next_look_ns;           /* for those that begin later */
	struct sampling_refusal *refusals;
	size_t refusal_count, refusal_cap;
	size_t said; /* of them, or would be if they were not so many */
};

void sampling_targets_init(struct sampling_targets *t,
			   struct sampling_shared *s);
void sampling_targets_release(struct sampling_targets *t);

/*
 * Adds a process that the caller has opened, whose jvm is the target's from now
 * on and closed even on failure.  It is sampled from the sampler's start on.
 * ERROR_NO_TARGET, ERROR_PERMISSION, …
 */
int sampling_targets_add(struct sampling_targets *t, struct jvm *jvm,
			 struct error *err);

/*
 * When all are added: with options.all, adds all JVMs that there are; checks
 * that options.tid is a thread of one of them.
 */
int sampling_targets_open(struct sampling_targets *t, struct error *err);

/*
 * Takes in a program that is about to begin, by its pid, and what it starts.
 * The name (foreign, borrowed) stands for it until there is a target.
 */
int sampling_targets_launched(struct sampling_targets *t, pid_t pid,
			      const char *name, struct error *err);

/*
 * Notes that a process could not be sampled, which took so long; and tells
 * whether it is too early to try it again.
 */
void sampling_targets_refuse(struct sampling_targets *t, const struct jvm *jvm,
			     int64_t took_ns, const struct error *why);
bool sampling_targets_is_refused(const struct sampling_targets *t,
				 const struct jvm *jvm);

/* The one of a sample; NULL when it is none. */
struct sampling_target *sampling_targets_find(const struct sampling_targets *t,
					      pid_t pid);

/* Often: looks for those that have begun, or become JVMs. */
void sampling_targets_look(struct sampling_targets *t);

/* Often: which have ended is noted, and no longer sampled; how many run. */
size_t sampling_targets_running(struct sampling_targets *t);

/*
 * At the end: what could not be sampled and was not said yet, as it might have
 * been tried again; and how many more there were than are said one by one.
 */
void sampling_targets_say_refused(struct sampling_targets *t);

/* What all of them have counted, those whose place others took, too. */
struct sampling_counts
sampling_targets_counts(const struct sampling_targets *t);

/* sampling_target_changes() of all. */
uint64_t sampling_targets_changes(const struct sampling_targets *t);

/* "com.acme.Main (4711)", "3 JVMs". */
void sampling_targets_name(const struct sampling_targets *t, struct text *out);

#endif
