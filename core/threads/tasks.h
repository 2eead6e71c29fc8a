/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks: the threads of a process and their counters, and the load of the
 * machine, from /proc.
 *
 * A thread that has not run since the last reading costs one pread(2), of
 * schedstat. Files stay open as far as the limit on open files allows (the soft
 * limit is raised), up to a maximum, since the kernel keeps a page for each.
 * The other files are opened for each reading. A tid that is reused counts as a
 * new thread.
 */
#ifndef CORE_THREADS_TASKS_H
#define CORE_THREADS_TASKS_H

#include "core/base/error.h"
#include "core/jvm/cgroup.h"
#include "core/jvm/jvm.h"
#include "core/jvm/procfs.h"
#include "core/threads/thread_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/*
 * Counters of a whole process, including its ended threads. The open files
 * identify the process even if its PID is reused.
 */
struct task_process {
	uint64_t cpu_ns;          /* in ns, exact */
	uint64_t user_ns, sys_ns; /* in ns, from ticks of 10 ms */
	uint64_t rss_bytes;       /* 0 = unknown */
	uint32_t threads;         /* as the kernel counts them */
	char state;               /* as in proc_stat: 'T', 't' = stopped */

	/* Private. */
	const struct jvm *jvm;
	int stat, statm; /* of /proc/PID; -1 = none */
	clockid_t clock;
};

/* Nanoseconds per clock tick of /proc. */
uint64_t task_tick_ns(void);

struct task {
	pid_t tid;    /* in our PID namespace */
	pid_t ns_tid; /* in the JVM's PID namespace: nid=, [NTID] */
	uint64_t start_ticks;
	char comm[PROCFS_NAMES]; /* foreign */
	char state;              /* as in proc_stat */
	/*
	 * Asleep in a system call other than futex(2), with which the JVM
	 * implements its own waits. False if unknown.
	 */
	bool sleeps_in_call;
	uint64_t user_ns, sys_ns; /* in ns, from ticks of 10 ms */
	bool has_schedstat;       /* otherwise the next three are 0 */
	uint64_t cpu_ns;          /* in ns, exact */
	uint64_t runq_ns;         /* time waited for a CPU */
	uint64_t slices;          /* number of times it got a CPU */
	bool has_switches;
	uint64_t voluntary, involuntary; /* context switches */
};

struct tasks;

/*
 * Opens the threads of any process; jvm is borrowed. NULL and *err on failure.
 */
struct tasks *tasks_open(const struct jvm *jvm, struct error *err);
void tasks_close(struct tasks *t); /* NULL is allowed */

/*
 * Reads all threads, ordered by tid. Context switches need a third file per
 * thread and are read only on request. ERROR_NO_TARGET if the process has ended
 * or become another program (execve(2)).
 */
int tasks_read(struct tasks *t, bool switches, struct error *err);

size_t tasks_count(const struct tasks *t);
const struct task *tasks_at(const struct tasks *t, size_t i);

/* Total number of threads that ended while they were read. */
uint64_t tasks_missed(const struct tasks *t);

/* The counters of the process at the last reading. */
const struct task_process *tasks_process(const struct tasks *t);

/*
 * CPU load of the machine, and the CPU limit of a process's cgroup. Files stay
 * open between samples, so that a sample costs at most two reads.
 */
struct machine_load {
	int stat;     /* /proc/stat; -1 = none */
	int cpu_stat; /* cpu.stat of the cgroup with the lowest limit; -1 = none
		       */
	int64_t cpu_limit;
};

/* Opens the existing files of a process; never fails. */
void machine_load_open(struct machine_load *m, const struct jvm *jvm);
void machine_load_close(struct machine_load *m); /* zeroed storage is allowed */

/* Sets the machine's values in *out; unavailable values stay absent. */
void machine_load_add(const struct machine_load *m, struct process_sample *out);

/* Sets the CPU limit, and takes cpu.stat of the group with the limit. */
void machine_load_set_limit(struct machine_load *m,
			    struct cgroup_limits *limits);

/* Parses the first line of /proc/stat; false if it is malformed. */
bool machine_load_parse(const char *stat, size_t len,
			struct process_sample *out);

#endif
