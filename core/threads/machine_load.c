/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/machine_load.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/threads/tasks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define US_NS 1000

/* Of a line "cpu": user nice system idle iowait irq softirq steal. */
enum { CPU_IDLE = 3, CPU_IOWAIT = 4, CPU_TIMES = 8 };

static int64_t ticks_ns(uint64_t ticks)
{
	int64_t ns;

	return __builtin_mul_overflow(ticks, task_tick_ns(), &ns) ? INT64_MAX
								  : ns;
}

bool machine_load_parse(const char *stat, size_t len,
			struct process_sample *out)
{
	uint64_t times[CPU_TIMES], busy = 0;
	struct lines lines = lines_over(stat, len);
	struct line line;

	if (!lines_next(&lines, &line) || !line_starts(line, "cpu ") ||
	    !task_numbers(line.text + 4, line.len - 4, times, CPU_TIMES))
		return false;
	for (int i = 0; i < CPU_TIMES; i++)
		busy += i == CPU_IDLE || i == CPU_IOWAIT ? 0 : times[i];
	out->machine_busy_ns = ticks_ns(busy);
	out->machine_idle_ns = ticks_ns(times[CPU_IDLE] + times[CPU_IOWAIT]);
	return true;
}

/* A number behind a key at the start of a line; -1: none. */
static int64_t number_of(const char *text, const char *key)
{
	size_t len = strlen(key);
	uint64_t value;

	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, len) == 0 &&
		    task_numbers(at + len, strlen(at + len), &value, 1))
			return value > INT64_MAX ? INT64_MAX : (int64_t)value;
	}
	return -1;
}

void machine_load_open(struct machine_load *m, pid_t pid)
{
	struct cgroup_limits limits;

	cgroup_limits_read(&limits, pid);
	*m = (struct machine_load){
		.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC),
		.cpu_stat = -1,
		.cpu_limit = COUNTER_ABSENT,
	};
	machine_load_set_limit(m, &limits);
	cgroup_limits_release(&limits);
}

void machine_load_set_limit(struct machine_load *m,
			    const struct cgroup_limits *limits)
{
	char path[PATH_MAX];

	if (limits->cpus < 0)
		return;
	m->cpu_limit = limits->cpus;
	if (snprintf(path, sizeof(path), "%s/cpu.stat",
		     limits->cpu_directory.bytes) < (int)sizeof(path))
		m->cpu_stat = open(path, O_RDONLY | O_CLOEXEC);
}

void machine_load_close(struct machine_load *m)
{
	if (m->stat > 0)
		close(m->stat);
	if (m->cpu_stat > 0)
		close(m->cpu_stat);
	m->stat = m->cpu_stat = -1;
}

/* Version 2 counts microseconds, version 1 nanoseconds. */
static int64_t throttled_ns(const char *text)
{
	int64_t us = number_of(text, "throttled_usec "), ns;

	if (us < 0)
		ns = number_of(text, "throttled_time ");
	else if (__builtin_mul_overflow(us, US_NS, &ns))
		ns = INT64_MAX;
	return ns < 0 ? COUNTER_ABSENT : ns;
}

void machine_load_add(const struct machine_load *m, struct process_sample *out)
{
	char text[1024];
	ssize_t got = m->stat < 0 ? -1
				  : task_read(m->stat, text, sizeof(text) - 1);

	if (got > 0)
		machine_load_parse(text, (size_t)got, out);
	out->cpu_limit = m->cpu_limit;
	if (m->cpu_stat < 0)
		return;
	got = task_read(m->cpu_stat, text, sizeof(text) - 1);
	if (got <= 0)
		return;
	text[got] = '\0';
	out->throttled_ns = throttled_ns(text);
}
