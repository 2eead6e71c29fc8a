/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_targets: the sampled processes: the named ones, a launched program
 * and its descendants, or every JVM.
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
 * Searching all processes for JVMs costs milliseconds.  Reading the children of
 * each process and the file that each runs takes microseconds.  A process that
 * is new or runs another program may become a JVM soon, so it is checked often
 * at first and then less often.
 */

/* Further descendants are found when all processes are read. */
enum { DESCENDANTS_MAX = 64 };

struct descendant {
	pid_t pid;
	dev_t exe_dev;
	ino_t exe_ino;
	int64_t since_ns; /* when it was first seen to run that file */
	int64_t next_ns;  /* when the next check is due */
};

struct descendants {
	struct descendant all[DESCENDANTS_MAX];
	size_t count;
	int64_t threads_ns; /* when to read the children of all threads */
};

/*
 * Puts the PIDs of the ancestor and its descendants that are due into pids, and
 * returns their number.  Children of other threads than a process's first are
 * read a few times per second, of at most a thousand threads.  Without
 * CONFIG_PROC_CHILDREN, only the ancestor is found.
 */
size_t descendants_due(struct descendants *d, pid_t ancestor, int64_t now_ns,
		       pid_t pids[DESCENDANTS_MAX]);

/*
 * A process that could not be sampled, in its state at the attempt.  A process
 * that has become another program or a JVM since then is tried at once.
 */
struct sampling_refusal {
	pid_t pid;
	uint64_t start_ticks;
	dev_t exe_dev;
	ino_t exe_ino;
	enum jvm_kind kind;
	int64_t again_ns; /* when to try it again */
	char *why; /* reported if the process is never sampled; foreign */
	bool is_reported;
};

struct sampling_targets {
	struct sampling_shared *shared;
	struct sampling_target **all; /* some may have ended */
	size_t count, cap;
	size_t young;   /* JVMs that options.wants left out for their age */
	size_t retired; /* number of ended targets that were freed */
	size_t named;   /* number of targets that the caller named */
	struct jvm_list found; /* by the last search */
	size_t found_next;     /* the first one that was not looked at */
	struct map64 by_pid;   /* index of the PID's last target */
	pid_t ancestor; /* the launched program, whose descendants are sampled;
			   0 = none */
	const char *launched;           /* its name; borrowed */
	struct descendants descendants; /* its descendants and itself */
	struct jvm_search search;       /* of all processes */
	int64_t next_search_ns;         /* when to search for new JVMs */
	int64_t checked_ns; /* when the programs of all targets were checked */
	struct sampling_refusal *refusals;
	size_t refusal_count, refusal_cap;
	bool refuses_new; /* new JVMs are not sampled: memory is short */
	size_t reported;  /* number of refusals to report; only the first are
			     printed */
};

void sampling_targets_init(struct sampling_targets *t,
			   struct sampling_shared *s);
void sampling_targets_release(struct sampling_targets *t);

/*
 * Adds a process.  The target owns *jvm from now on and closes it, even on
 * failure.  ERROR_NO_TARGET, ERROR_PERMISSION, …
 */
int sampling_targets_add(struct sampling_targets *t, struct jvm *jvm,
			 struct error *err);

/*
 * Call it when all named processes are added: adds every JVM with options.all,
 * and checks that options.tid is a thread of one of them.
 */
int sampling_targets_open(struct sampling_targets *t, struct error *err);

/*
 * Adds a launched program, which has not been executed yet, by its PID, and its
 * descendants.  Its name (foreign, borrowed) is used until there is a target.
 */
int sampling_targets_launched(struct sampling_targets *t, pid_t pid,
			      const char *name, struct error *err);

/*
 * Records that a process could not be sampled and that the attempt took
 * took_ns.  sampling_targets_is_refused() is true until the time of the next
 * attempt.
 */
void sampling_targets_refuse(struct sampling_targets *t, const struct jvm *jvm,
			     int64_t took_ns, const struct error *why);
bool sampling_targets_is_refused(const struct sampling_targets *t,
				 const struct jvm *jvm);

/* The target of a PID; NULL = none. */
struct sampling_target *sampling_targets_find(const struct sampling_targets *t,
					      pid_t pid);

/* Searches for new JVMs; call it often. */
void sampling_targets_find_new(struct sampling_targets *t);

/* True if JVMs were found that sampling_targets_find_new() opens next. */
bool sampling_targets_have_more(const struct sampling_targets *t);

/* True if sampling_targets_find_new() has not been called for too long. */
bool sampling_targets_are_overdue(const struct sampling_targets *t);

/*
 * Marks ended processes and stops sampling them; returns the number of running
 * processes.  Call it often.
 */
size_t sampling_targets_running(struct sampling_targets *t);

/*
 * Removes unfinished waits of processes that have ended.  Call it when all
 * samples were read: they may have the ends of waits.
 */
void sampling_targets_forget_waits(struct sampling_targets *t);

/*
 * With options.all or a launched program, frees ended targets, because each
 * holds a process and descriptors, and any number of JVMs may start and end.
 * Call it when all samples have been read.
 */
void sampling_targets_retire_ended(struct sampling_targets *t);

/* The number of running processes that are sampled, and of refused ones. */
size_t sampling_targets_sampled(const struct sampling_targets *t);
size_t sampling_targets_refused(const struct sampling_targets *t);

/* The number of targets so far. */
size_t sampling_targets_total(const struct sampling_targets *t);

/*
 * Call at the end: reports the processes that could not be sampled and might
 * have been tried again, and the number of processes beyond the limit.
 */
void sampling_targets_report_refused(struct sampling_targets *t);

/* The counters of all targets, including replaced ones. */
struct sampling_counts
sampling_targets_counts(const struct sampling_targets *t);

/* The sum of sampling_target_changes(). */
uint64_t sampling_targets_changes(const struct sampling_targets *t);

/* Appends "com.acme.Main (4711)", "3 JVMs"; foreign. */
void sampling_targets_name(const struct sampling_targets *t, struct text *out);

#endif
