/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/diagnosis/trends.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool busy_time_read(struct busy_time *t, pid_t pid)
{
	struct proc_stat stat;

	if (procfs_stat(pid, &stat, error_unused()) || stat.is_kernel_thread)
		return false;
	*t = (struct busy_time){
		.pid = pid,
		.start_ticks = stat.start_ticks,
		.ticks = stat.user_ticks + stat.sys_ticks,
	};
	memcpy(t->name, stat.comm, sizeof(t->name));
	return true;
}

/* Sorted by PID, because /proc is. */
void busy_processes_read(struct busy_processes *b)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	struct busy_time t;

	b->at_ns = clock_monotonic_ns();
	while (directory && (entry = readdir(directory))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && busy_time_read(&t, pid))
			array_add(b->all, b->count, b->cap, t);
	}
	if (directory)
		closedir(directory);
}

static int busy_time_compare(const void *left, const void *right)
{
	const struct busy_time *a = left, *b = right;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

struct busy_process busy_processes_compare(const struct busy_processes *then,
					   const struct busy_processes *now,
					   pid_t except)
{
	double seconds = (double)(now->at_ns - then->at_ns) / 1e9;
	struct busy_process found = { 0 };
	uint64_t most = 0;

	for (size_t i = 0; i < now->count; i++) {
		const struct busy_time *t = &now->all[i], *old = NULL;
		uint64_t ticks = t->ticks;

		if (then->count)
			old = bsearch(t, then->all, then->count, sizeof(*t),
				      busy_time_compare);
		if (old && old->start_ticks == t->start_ticks)
			ticks -= ticks < old->ticks ? ticks : old->ticks;
		if (ticks <= most || t->pid == except || t->pid == getpid())
			continue;
		most = ticks;
		found.pid = t->pid;
		memcpy(found.name, t->name, sizeof(found.name));
	}
	if (seconds > 0)
		found.cores = (double)most / (double)sysconf(_SC_CLK_TCK) /
			      seconds;
	return found;
}

void busy_processes_release(struct busy_processes *b)
{
	free(b->all);
	*b = (struct busy_processes){ 0 };
}
