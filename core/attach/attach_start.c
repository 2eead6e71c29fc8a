/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_start.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define YOUNG_NS (20 * CLOCK_NS_PER_S)

/* Names of threads, cut by the kernel, that only a JVM begun has. */
static const char *const later_threads[] = {
	"Service Thread\n",
	"C1 CompilerThre",
	"C2 CompilerThre",
	"VM Periodic Tas",
};

static bool is_young(const struct jvm *jvm)
{
	int64_t hz = sysconf(_SC_CLK_TCK);
	struct timespec now;
	int64_t started_ns = (int64_t)(jvm->start_ticks / (uint64_t)hz) *
			     CLOCK_NS_PER_S;

	/* Start times count from boot, with the time that the machine slept. */
	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * CLOCK_NS_PER_S - started_ns < YOUNG_NS;
}

static bool is_later_thread(pid_t pid, const char *tid)
{
	struct text comm = { 0 };
	struct error unused;
	char name[288];
	bool is = false;

	snprintf(name, sizeof(name), "task/%s/comm", tid);
	if (procfs_read(pid, name, PROCFS_NAMES, &comm, &unused) == 0 &&
	    comm.len) {
		for (size_t i = 0;
		     i < sizeof(later_threads) / sizeof(*later_threads); i++)
			is |= strncmp(comm.bytes, later_threads[i],
				      strlen(later_threads[i])) == 0;
	}
	text_release(&comm);
	return is;
}

bool attach_has_started(const struct jvm *jvm)
{
	struct dirent *entry;
	bool found = false;
	char path[64];
	DIR *tasks;

	if (!is_young(jvm))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)jvm->pid);
	tasks = opendir(path);
	if (!tasks)
		return false;
	while (!found && (entry = readdir(tasks)))
		found = entry->d_name[0] != '.' &&
			is_later_thread(jvm->pid, entry->d_name);
	closedir(tasks);
	return found;
}
