/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/cgroup.h"

#include "core/base/lines.h"
#include "core/jvm/procfs.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUPS_LIMIT                                                           \
	((size_t)64 << 10) /* maximum bytes of /proc/PID/cgroup                \
			    */
#define PARENTS_MAX                                                            \
	64 /* maximum number of parents of a group; the rest are skipped */
#define MOUNT "/sys/fs/cgroup"

/* Without a limit, version 1 shows LONG_MAX rounded to pages. */
#define MEMORY_UNLIMITED (INT64_C(1) << 60)

/*
 * A line of /proc/PID/cgroup: "4:cpu,cpuacct:/a/b" (version 1) or "0::/a/b"
 * (version 2).
 */
struct group {
	struct line controllers; /* empty: version 2 */
	struct line path;
};

static bool group_parse(struct line line, struct group *g)
{
	const char *end = line.text + line.len;
	const char *list = line.len ? memchr(line.text, ':', line.len) : NULL;
	const char *path = list ? memchr(list + 1, ':',
					 (size_t)(end - list - 1))
				: NULL;

	if (!path)
		return false;
	g->controllers = (struct line){ list + 1, (size_t)(path - list - 1) };
	g->path = (struct line){ path + 1, (size_t)(end - path - 1) };
	return true;
}

/* True for version 2, where one group has all controllers. */
static bool group_has(const struct group *g, const char *controller)
{
	struct line list = g->controllers;
	size_t len = strlen(controller);

	for (size_t at = 0; at + len <= list.len; at++) {
		if ((at == 0 || list.text[at - 1] == ',') &&
		    (at + len == list.len || list.text[at + len] == ',') &&
		    memcmp(list.text + at, controller, len) == 0)
			return true;
	}
	return !list.len;
}

static bool file_read(const char *directory, const char *name, char *to,
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
		got = read(fd, to, size - 1);
		close(fd);
	}
	to[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/*
 * Reads the numbers at the start of a file; false for "max" and "-1", which
 * mean no limit.
 */
static bool file_number(const char *directory, const char *name,
			uint64_t *first, uint64_t *second)
{
	char text[128], *end;

	if (!file_read(directory, name, text, sizeof(text)) || *text < '0' ||
	    *text > '9')
		return false;
	*first = strtoull(text, &end, 10);
	*second = strtoull(end, NULL, 10);
	return true;
}

static void limits_add_cpus(struct cgroup_limits *l, const char *directory)
{
	uint64_t quota, period, unused;
	int64_t limit;

	if (!file_number(directory, "cpu.max", &quota, &period) &&
	    (!file_number(directory, "cpu.cfs_quota_us", &quota, &unused) ||
	     !file_number(directory, "cpu.cfs_period_us", &period, &unused)))
		return;
	if (!period || quota > INT64_MAX / 1000)
		return;
	limit = (int64_t)(quota * 1000 / period);
	if (l->cpus >= 0 && limit >= l->cpus)
		return;
	l->cpus = limit;
	text_clear(&l->cpu_directory);
	text_puts(&l->cpu_directory, directory);
}

static void limits_add_memory(struct cgroup_limits *l, const char *directory)
{
	uint64_t bytes, unused;

	if (!file_number(directory, "memory.max", &bytes, &unused) &&
	    !file_number(directory, "memory.limit_in_bytes", &bytes, &unused))
		return;
	if (bytes < MEMORY_UNLIMITED &&
	    (l->memory < 0 || (int64_t)bytes < l->memory))
		l->memory = (int64_t)bytes;
}

/* Adds the limits of a group and its parents, up to the mount. */
static void limits_add_group(struct cgroup_limits *l, const char *mount,
			     const struct group *g)
{
	char path[PATH_MAX];
	size_t root;

	/* "/../x" is outside of our cgroup namespace and cannot be read. */
	if (memmem(g->path.text, g->path.len, "/..", 3))
		return;
	root = strlen(mount) + (g->controllers.len > 0) + g->controllers.len;
	if (snprintf(path, sizeof(path), "%s%s%.*s%.*s", mount,
		     g->controllers.len ? "/" : "", (int)g->controllers.len,
		     g->controllers.text, (int)g->path.len,
		     g->path.text) >= (int)sizeof(path))
		return;
	for (int i = 0; i < PARENTS_MAX; i++) {
		char *slash;

		if (group_has(g, "cpu"))
			limits_add_cpus(l, path);
		if (group_has(g, "memory"))
			limits_add_memory(l, path);
		slash = strrchr(path, '/');
		if (!slash || slash < path + root)
			return;
		*slash = '\0';
	}
}

void cgroup_limits_find(struct cgroup_limits *l, const char *mount,
			const struct text *groups)
{
	struct lines lines = lines_over(groups->bytes, groups->len);
	struct line line;
	struct group g;

	*l = (struct cgroup_limits){ .cpus = -1, .memory = -1 };
	while (lines_next(&lines, &line)) {
		if (!group_parse(line, &g))
			continue;
		if (g.path.len > l->path.len) {
			text_clear(&l->path);
			text_add(&l->path, g.path.text, g.path.len);
		}
		limits_add_group(l, mount, &g);
	}
}

void cgroup_limits_read(struct cgroup_limits *l, pid_t pid)
{
	struct text groups = { 0 };
	struct error unused;

	if (procfs_read(pid, "cgroup", GROUPS_LIMIT, &groups, &unused))
		text_clear(&groups);
	cgroup_limits_find(l, MOUNT, &groups);
	text_release(&groups);
}

void cgroup_limits_release(struct cgroup_limits *l)
{
	text_release(&l->path);
	text_release(&l->cpu_directory);
}

static bool group_is_frozen(const struct group *g)
{
	char path[PATH_MAX], state[4096];
	bool is_v2 = !g->controllers.len;

	if (!group_has(g, "freezer"))
		return false;
	if (snprintf(path, sizeof(path), "%s%s%.*s", MOUNT,
		     is_v2 ? "" : "/freezer", (int)g->path.len,
		     g->path.text) >= (int)sizeof(path))
		return false;
	/* Version 2 shows "frozen 1"; version 1 "FROZEN" or "FREEZING". */
	return file_read(path, is_v2 ? "cgroup.events" : "freezer.state", state,
			 sizeof(state)) &&
	       strstr(state, is_v2 ? "frozen 1" : "FR");
}

bool cgroup_is_frozen(pid_t pid)
{
	struct text groups = { 0 };
	struct error unused;
	struct lines lines;
	struct line line;
	struct group g;
	bool is_frozen = false;

	if (procfs_read(pid, "cgroup", GROUPS_LIMIT, &groups, &unused) == 0) {
		lines = lines_over(groups.bytes, groups.len);
		while (!is_frozen && lines_next(&lines, &line))
			is_frozen = group_parse(line, &g) &&
				    group_is_frozen(&g);
	}
	text_release(&groups);
	return is_frozen;
}
