/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup: the limits that control groups set for a process (cgroups(7),
 * versions 1 and 2).
 */
#ifndef CORE_JVM_CGROUP_H
#define CORE_JVM_CGROUP_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The lowest limits of the groups of a process and of their parents, whose
 * limits apply to all groups below.
 */
struct cgroup_limits {
	int64_t cpus;     /* thousandths of a CPU; -1 = no limit */
	int64_t memory;   /* bytes; -1 = no limit */
	struct text path; /* path of the longest group, relative to its mount;
			     foreign */
	struct text cpu_directory; /* directory of the group that sets the CPU
				      limit */
};

/* Reads the limits of a process; unknown limits stay unset. */
void cgroup_limits_read(struct cgroup_limits *l, pid_t pid);
void cgroup_limits_release(struct cgroup_limits *l); /* zeroed is allowed */

/*
 * The same for the text of a /proc/PID/cgroup and for groups mounted below a
 * directory, which is /sys/fs/cgroup on a running system.
 */
void cgroup_limits_find(struct cgroup_limits *l, const char *mount,
			const struct text *groups);

/*
 * True if a group of the process is frozen (a paused container); false if that
 * is unknown.
 */
bool cgroup_is_frozen(pid_t pid);

#endif
