/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_cgroup: whether a process stands still because its cgroup does.
 */
#ifndef CORE_ATTACH_ATTACH_CGROUP_H
#define CORE_ATTACH_ATTACH_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * By the freezer of cgroups version 1 or 2 (a paused container); false, too,
 * when it cannot be looked at.
 */
bool attach_cgroup_is_frozen(pid_t pid);

#endif
