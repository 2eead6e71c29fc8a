/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine_load: CPU load of the machine, and the CPU limit of a process's
 * cgroup.
 *
 * Files stay open between samples: at most two reads per sample.
 */
#ifndef CORE_THREADS_MACHINE_LOAD_H
#define CORE_THREADS_MACHINE_LOAD_H

#include "core/jvm/cgroup.h"
#include "core/threads/thread_source.h"

struct machine_load {
	int stat;     /* /proc/stat; -1 = none */
	int cpu_stat; /* of the cgroup with the lowest limit; -1 = none */
	int64_t cpu_limit;
};

/* Opens the files of a process that exist; never fails. */
void machine_load_open(struct machine_load *m, pid_t pid);
void machine_load_close(struct machine_load *m); /* zeroed storage is fine */

/* Sets the machine's values in *out; unavailable values stay absent. */
void machine_load_add(const struct machine_load *m, struct process_sample *out);

/* Sets the CPU limit, and opens cpu.stat of the group that sets it. */
void machine_load_set_limit(struct machine_load *m,
			    const struct cgroup_limits *limits);

/* Parses the first line of /proc/stat; false when it is malformed. */
bool machine_load_parse(const char *stat, size_t len,
			struct process_sample *out);

#endif
