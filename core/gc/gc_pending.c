/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_pending.h"

#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/jvm/procfs.h"
#include "core/threads/thread_names.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { RUNNING_MAX = 3 };

/* Sets *stat to that of a Java thread that has a CPU or waits for one. */
static bool pending_is_running(pid_t pid, const char *tid,
			       struct proc_stat *stat)
{
	struct text text = { 0 };
	char name[64];
	bool is;

	snprintf(name, sizeof(name), "task/%.20s/stat", tid);
	is = procfs_read(pid, name, 4096, &text, error_unused()) == 0 &&
	     procfs_parse_stat(text.bytes, text.len, stat) &&
	     stat->state == 'R' &&
	     thread_names_kind_of(stat->comm) == THREAD_UNKNOWN;
	text_release(&text);
	return is;
}

static uint64_t pending_cpu(const struct proc_stat *stat)
{
	return stat->user_ticks + stat->sys_ticks;
}

/*
 * A thread that keeps the JVM waiting runs; the others sleep, or wait for a CPU
 * for a moment.  So those with the most CPU time are named.
 */
static void pending_add_running(struct text *out, const struct jvm *jvm)
{
	struct proc_stat busiest[RUNNING_MAX + 1], stat;
	struct dirent *entry;
	size_t count = 0;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)jvm->pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		size_t at = count;

		if (entry->d_name[0] == '.' ||
		    !pending_is_running(jvm->pid, entry->d_name, &stat))
			continue;
		for (; at && pending_cpu(&busiest[at - 1]) < pending_cpu(&stat);
		     at--)
			busiest[at] = busiest[at - 1];
		busiest[at] = stat;
		if (count < RUNNING_MAX)
			count++;
	}
	if (tasks)
		closedir(tasks);
	for (size_t i = 0; i < count; i++) {
		text_puts(out, i ? ", " : "; running: ");
		safe_text_puts(out, busiest[i].comm);
	}
	if (count)
		text_puts(out, " (sjkc prof shows the code)");
}

bool gc_pending_add(struct text *out, const struct gc_pending *p,
		    const struct jvm *jvm)
{
	int64_t ns = clock_monotonic_ns() - p->since_ns;

	if (!p->since_ns || ns < CLOCK_NS_PER_S)
		return false;
	text_puts(out, p->is_synchronizing
			       ? "has waited for a safepoint for at least "
			       : "has been at a safepoint for at least ");
	units_add_time(out, (double)ns);
	if (p->is_synchronizing)
		pending_add_running(out, jvm);
	return true;
}
