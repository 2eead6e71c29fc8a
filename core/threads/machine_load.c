/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/machine_load.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/jvm/procfs.h"
#include "core/threads/tasks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CGROUP_BYTES ((size_t)64 << 10)
#define PARENTS_MAX  64 /* of a cgroup; deeper ones are not looked at */
#define US_NS        1000

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

static bool read_file(const char *directory, const char *name, char *to,
		      size_t size)
{
	char path[PATH_MAX];
	ssize_t got = -1;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >=
	    (int)sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = task_read(fd, to, size - 1);
		close(fd);
	}
	to[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* "200000 100000", "max 100000"; "-1" is no limit in version 1. */
static int64_t limit_of(const char *directory, bool v2)
{
	char text[128], period[64];
	uint64_t quota[2];

	if (v2) {
		if (!read_file(directory, "cpu.max", text, sizeof(text)) ||
		    !task_numbers(text, strlen(text), quota, 2))
			return COUNTER_ABSENT;
	} else if (!read_file(directory, "cpu.cfs_quota_us", text,
			      sizeof(text)) ||
		   !read_file(directory, "cpu.cfs_period_us", period,
			      sizeof(period)) ||
		   !task_numbers(text, strlen(text), &quota[0], 1) ||
		   !task_numbers(period, strlen(period), &quota[1], 1)) {
		return COUNTER_ABSENT;
	}
	if (!quota[1] || quota[0] > INT64_MAX / 1000)
		return COUNTER_ABSENT;
	return (int64_t)(quota[0] * 1000 / quota[1]);
}

static void take_limit(struct machine_load *m, const char *directory, bool v2)
{
	int64_t limit = limit_of(directory, v2);
	char path[PATH_MAX];

	if (limit == COUNTER_ABSENT ||
	    (m->cpu_limit != COUNTER_ABSENT && limit >= m->cpu_limit) ||
	    snprintf(path, sizeof(path), "%s/cpu.stat", directory) >=
		    (int)sizeof(path))
		return;
	if (m->cpu_stat >= 0)
		close(m->cpu_stat);
	m->cpu_limit = limit;
	m->cpu_stat = open(path, O_RDONLY | O_CLOEXEC);
}

/* A cgroup and its parents, up to the mount. */
static void walk_up(struct machine_load *m, const char *mount,
		    struct line group, bool v2)
{
	char path[PATH_MAX];
	size_t root = strlen(mount);

	/* "/../x" is beside our own cgroup namespace, out of reach. */
	if (memmem(group.text, group.len, "/..", 3) ||
	    snprintf(path, sizeof(path), "%s%.*s", mount, (int)group.len,
		     group.text) >= (int)sizeof(path))
		return;
	for (int i = 0; i < PARENTS_MAX; i++) {
		char *slash;

		take_limit(m, path, v2);
		slash = strrchr(path, '/');
		if (!slash || slash < path + root)
			return;
		*slash = '\0';
	}
}

static bool has_word(struct line list, const char *word)
{
	size_t len = strlen(word);

	for (size_t at = 0; at + len <= list.len; at++) {
		if ((at == 0 || list.text[at - 1] == ',') &&
		    (at + len == list.len || list.text[at + len] == ',') &&
		    memcmp(list.text + at, word, len) == 0)
			return true;
	}
	return false;
}

void machine_load_find_limit(struct machine_load *m, const char *mount,
			     const struct text *groups)
{
	struct lines lines = lines_over(groups->bytes, groups->len);
	struct line line;

	while (lines_next(&lines, &line)) {
		/* "4:cpu,cpuacct:/a/b" of version 1, "0::/a/b" of 2. */
		const char *end = line.text + line.len;
		const char *list = memchr(line.text, ':', line.len);
		const char *path = list ? memchr(list + 1, ':',
						 (size_t)(end - list - 1))
					: NULL;
		struct line names, group;
		char below[512];

		if (!path)
			continue;
		names = (struct line){ list + 1, (size_t)(path - list - 1) };
		group = (struct line){ path + 1, (size_t)(end - path - 1) };
		if (names.len && !has_word(names, "cpu"))
			continue;
		snprintf(below, sizeof(below), "%s%s%.*s", mount,
			 names.len ? "/" : "", (int)names.len, names.text);
		walk_up(m, below, group, !names.len);
	}
}

void machine_load_open(struct machine_load *m, pid_t pid)
{
	struct text groups = { 0 };
	struct error unused;

	*m = (struct machine_load){
		.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC),
		.cpu_stat = -1,
		.cpu_limit = COUNTER_ABSENT,
	};
	if (procfs_read(pid, "cgroup", CGROUP_BYTES, &groups, &unused) == 0 &&
	    groups.len)
		machine_load_find_limit(m, "/sys/fs/cgroup", &groups);
	text_release(&groups);
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
