/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup: the limits that control groups set for a process (cgroups(7),
 * versions 1 and 2).
 */
#ifndef CORE_JVM_CGROUP_H
#define CORE_JVM_CGROUP_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>

/* The value of a limit whose group sjkc cannot see. */
#define CGROUP_UNKNOWN INT64_C(-2)

/*
 * The lowest limits of the groups of a process and of their parents, whose
 * limits apply to all groups below.
 */
struct cgroup_limits {
	int64_t cpus; /* thousandths of a CPU; -1 = no limit, or CGROUP_UNKNOWN
		       */
	int64_t memory;   /* bytes; the same */
	struct text path; /* path of the longest group, relative to its mount;
			     foreign */
	int cpu_stat;     /* cpu.stat of the group that sets the CPU limit; -1 =
			     none */
	int memory_group; /* directory of the group that sets the memory limit,
			     in which the target may have mounted files; -1 =
			     none */
};

/*
 * Reads the limits of a process: below /sys/fs/cgroup of sjkc, below its other
 * mounts of groups, or, as from a debug container beside the process, below
 * the mounts of the process.
 */
void cgroup_limits_read(struct cgroup_limits *l, const struct jvm *jvm);
void cgroup_limits_release(struct cgroup_limits *l); /* zeroed is allowed */

struct cgroup_view {
	const struct text *groups; /* text of /proc/PID/cgroup */
	const char *mount;         /* /sys/fs/cgroup on a running system */
	const struct text *mounts; /* text of mountinfo; NULL: that of sjkc */
	const struct jvm *jvm;     /* NULL: there is no other root */
};

/* The same for other files. For tests. */
void cgroup_limits_find(struct cgroup_limits *l, const struct cgroup_view *v);

/*
 * Opens the directory of the group that has a controller for the process,
 * "memory"; "" = version 2. -1 if sjkc cannot see it, or the process is in no
 * group.
 */
int cgroup_open(const struct jvm *jvm, const char *controller);

/* Numbers of a group, and of the groups below it; -1 = unknown. */
struct cgroup_memory {
	int64_t current, peak; /* bytes, as the limit counts them; the most */
	int64_t anonymous, files, inactive_files, shared, kernel; /* bytes */
	int64_t swapped;
	int64_t oom_kills;   /* processes that the kernel killed */
	int64_t pressure_us; /* time that some task waited for memory (PSI) */
};

/*
 * Reads the files of a group with the controller "memory", in version 1 or 2;
 * group is its directory, in which the target may have mounted files.
 */
void cgroup_memory_read(struct cgroup_memory *m, int group);

/*
 * True if a group of the process is frozen (a paused container); false if that
 * is unknown.
 */
bool cgroup_is_frozen(const struct jvm *jvm);

#endif
