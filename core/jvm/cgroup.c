/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/cgroup.h"

#include "core/base/child.h"
#include "core/base/lines.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define GROUPS_LIMIT                                                           \
	((size_t)64 << 10) /* maximum bytes of /proc/PID/cgroup                \
			    */
#define PARENTS_MAX                                                            \
	64 /* maximum number of parents of a group; the rest are skipped */
#define MOUNT "/sys/fs/cgroup"
#define MOUNTS_LIMIT                                                           \
	((size_t)4 << 20) /* maximum bytes of /proc/PID/mountinfo */

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

/* True if a list "cpu,cpuacct" has a controller. */
static bool list_has(struct line list, const char *controller)
{
	size_t len = strlen(controller);

	for (size_t at = 0; len && at + len <= list.len; at++) {
		if ((at == 0 || list.text[at - 1] == ',') &&
		    (at + len == list.len || list.text[at + len] == ',') &&
		    memcmp(list.text + at, controller, len) == 0)
			return true;
	}
	return false;
}

/*
 * Finds the group of a controller ("" = any of version 2): that of version 1 if
 * it has the controller, or else that of version 2, where one group has all
 * controllers. False if there is none.
 */
static bool group_find(const struct text *groups, const char *controller,
		       struct group *found)
{
	struct lines lines = lines_over(groups->bytes, groups->len);
	struct line line;
	struct group g;
	bool is_found = false;

	while (lines_next(&lines, &line)) {
		if (!group_parse(line, &g) ||
		    (g.controllers.len && !list_has(g.controllers, controller)))
			continue;
		if (!is_found || g.controllers.len)
			*found = g;
		is_found = true;
	}
	return is_found;
}

static bool file_read(int directory, const char *name, char *to, size_t size)
{
	ssize_t got = -1;
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

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
static bool file_number(int directory, const char *name, uint64_t *first,
			uint64_t *second)
{
	char text[128], *end;

	if (!file_read(directory, name, text, sizeof(text)) || *text < '0' ||
	    *text > '9')
		return false;
	*first = strtoull(text, &end, 10);
	*second = strtoull(end, NULL, 10);
	return true;
}

/* ---- the values of a group and its parents ---- */

/*
 * The files of the groups of one controller. Without pointers, because a job of
 * the opener reads the groups below the root of a target.
 */
struct reading {
	enum { READ_CPUS, READ_MEMORY, READ_FROZEN, READ_DIRECTORY } what;
	char mount[1024]; /* where the groups are mounted */
	char path[2048];  /* of the group below the mount: "" or "/a/b" */
	bool is_found;    /* the group exists there */
	int64_t value;    /* the lowest limit, or 1 = frozen; -1 = none */
};

static int64_t directory_cpus(int directory)
{
	uint64_t quota, period, unused;

	if (!file_number(directory, "cpu.max", &quota, &period) &&
	    (!file_number(directory, "cpu.cfs_quota_us", &quota, &unused) ||
	     !file_number(directory, "cpu.cfs_period_us", &period, &unused)))
		return -1;
	return !period || quota > INT64_MAX / 1000
		       ? -1
		       : (int64_t)(quota * 1000 / period);
}

static int64_t directory_memory(int directory)
{
	uint64_t bytes, unused;

	if (!file_number(directory, "memory.max", &bytes, &unused) &&
	    !file_number(directory, "memory.limit_in_bytes", &bytes, &unused))
		return -1;
	return bytes < MEMORY_UNLIMITED ? (int64_t)bytes : -1;
}

/* Version 2 shows "frozen 1"; version 1 "FROZEN" or "FREEZING". */
static int64_t directory_frozen(int directory)
{
	char state[4096];

	if (file_read(directory, "cgroup.events", state, sizeof(state)) &&
	    strstr(state, "frozen 1"))
		return 1;
	return file_read(directory, "freezer.state", state, sizeof(state)) &&
			       strstr(state, "FR")
		       ? 1
		       : -1;
}

/*
 * Reads the group and its parents up to the mount, which is an open directory.
 * Returns cpu.stat of the group with the lowest CPU limit, or the directory of
 * the group with the lowest memory limit, or -1.
 */
static int reading_run(struct reading *r, int mount)
{
	static int64_t (*const read_directory[])(int) = {
		directory_cpus,
		directory_memory,
		directory_frozen,
	};
	/* The file that the result refers to. */
	static const char *const reading_open[] = {
		[READ_CPUS] = "cpu.stat",
		[READ_MEMORY] = ".",
		[READ_FROZEN] = NULL,
	};
	char path[sizeof(r->path) + 1];
	int found = -1;

	snprintf(path, sizeof(path), ".%s", r->path);
	r->is_found = false;
	r->value = -1;
	for (int i = 0; i < PARENTS_MAX; i++) {
		int directory = openat(mount, path,
				       O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		char *slash = strrchr(path, '/');
		int64_t value;

		if (directory < 0 && i == 0)
			return -1;
		if (r->what == READ_DIRECTORY) {
			r->is_found = true;
			return directory;
		}
		value = directory < 0 ? -1 : read_directory[r->what](directory);
		r->is_found = true;
		if (value >= 0 && (r->value < 0 || value < r->value)) {
			r->value = value;
			if (found >= 0)
				close(found);
			found = reading_open[r->what]
					? openat(directory,
						 reading_open[r->what],
						 O_RDONLY | O_CLOEXEC)
					: -1;
		}
		if (directory >= 0)
			close(directory);
		/* The state of a group includes that of its parents. */
		if (!slash || r->what == READ_FROZEN)
			break;
		*slash = '\0';
	}
	return found;
}

/* Runs in the opener. The target may have mounted anything there. */
static int reading_job(const struct jvm *jvm, void *argument, struct error *err)
{
	struct reading *r = argument;
	int mount = jvm_open_file(jvm, r->mount, O_RDONLY | O_DIRECTORY, err);
	int fd = -1;
	struct statfs fs;

	if (mount < 0)
		return -1;
	if (fstatfs(mount, &fs) == 0 && (fs.f_type == CGROUP_SUPER_MAGIC ||
					 fs.f_type == CGROUP2_SUPER_MAGIC))
		fd = reading_run(r, mount);
	close(mount);
	return fd < 0 ? CHILD_NOTHING : fd;
}

/* Reads below a mount of a target, or of sjkc if jvm is NULL. */
static int reading_start(struct reading *r, const struct jvm *jvm)
{
	struct opening o = {
		.jvm = jvm,
		.job = reading_job,
		.argument = r,
		.size = sizeof(*r),
		.place = OPENER_ROOT,
	};
	int fd = -1, mount;

	if (jvm) {
		fd = opener_run(&o, error_unused());
		return fd < 0 ? -1 : fd;
	}
	mount = open(r->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mount < 0)
		return -1;
	fd = reading_run(r, mount);
	close(mount);
	return fd;
}

/* ---- mounts ---- */

/*
 * Sets the path of a group below a mount, whose root is a group as well; false
 * if the group is not below that root. "/.." leads out of the control group
 * namespace of sjkc, in which the kernel prints both.
 */
static bool path_set_below(struct reading *r, struct line root,
			   struct line path)
{
	size_t len = line_is(root, "/") ? 0 : root.len;

	if (path.len < len || memcmp(path.text, root.text, len) != 0 ||
	    (path.len > len && path.text[len] != '/'))
		return false;
	path.text += len;
	path.len -= len;
	if (line_is(path, "/"))
		path.len = 0;
	if (memmem(path.text, path.len, "/..", 3) ||
	    path.len >= sizeof(r->path))
		return false;
	snprintf(r->path, sizeof(r->path), "%.*s", (int)path.len, path.text);
	return true;
}

/*
 * Sets mount and path by a line of mountinfo (proc(5)): "ID PARENT DEVICE ROOT
 * POINT OPTIONS … - TYPE SOURCE SUPER-OPTIONS"; false if the group is not
 * below that mount.
 */
static bool mount_parse(struct reading *r, struct line line,
			const struct group *g, const char *controller)
{
	enum { MOUNT_ROOT = 3, MOUNT_POINT = 4, MOUNT_FIELDS = 64 };
	struct line root = { 0 }, point = { 0 }, field, after[3] = { 0 };
	const char *end = line.text + line.len, *at = line.text;
	int left = -1;

	for (int i = 0; i < MOUNT_FIELDS && at < end; i++) {
		const char *space = memchr(at, ' ', (size_t)(end - at));

		field = (struct line){ at,
				       (size_t)((space ? space : end) - at) };
		at = space ? space + 1 : end;
		if (i == MOUNT_ROOT)
			root = field;
		else if (i == MOUNT_POINT)
			point = field;
		if (left >= 0 && left < 3)
			after[left++] = field;
		else if (line_is(field, "-"))
			left = 0;
	}
	if (!line_is(after[0], g->controllers.len ? "cgroup" : "cgroup2") ||
	    (g->controllers.len && !list_has(after[2], controller)) ||
	    point.len >= sizeof(r->mount))
		return false;
	snprintf(r->mount, sizeof(r->mount), "%.*s", (int)point.len,
		 point.text);
	return path_set_below(r, root, g->path);
}

/* Reads below the first mount of a table that has the group. */
static int mounts_search(struct reading *r, const struct text *mounts,
			 const struct jvm *jvm, const struct group *g,
			 const char *controller)
{
	struct lines lines = lines_over(mounts->bytes, mounts->len);
	struct line line;
	int fd = -1;

	while (!r->is_found && lines_next(&lines, &line)) {
		if (mount_parse(r, line, g, controller))
			fd = reading_start(r, jvm);
	}
	return fd;
}

/* The same with the mounts of a process. */
static int mounts_search_process(struct reading *r, pid_t pid,
				 const struct jvm *jvm, const struct group *g,
				 const char *controller)
{
	struct text mounts = { 0 };
	int fd = -1;

	if (procfs_read(pid, "mountinfo", MOUNTS_LIMIT, &mounts,
			error_unused()) == 0)
		fd = mounts_search(r, &mounts, jvm, g, controller);
	text_release(&mounts);
	return fd;
}

/* In the first namespace, "/" is the group that has no limit. */
static bool namespace_is_first(void)
{
	enum { FIRST = 0xeffffffb }; /* PROC_CGROUP_INIT_INO of the kernel */
	struct stat st;

	return stat("/proc/self/ns/cgroup", &st) == 0 && st.st_ino == FIRST;
}

/*
 * Reads the groups of a controller where they usually are, without the mount
 * tables, which may be long; then below the mounts of sjkc, and those of the
 * process, which a container has of its own group only.
 */
static int reading_find(struct reading *r, const struct cgroup_view *v,
			const char *controller)
{
	struct group g;
	int fd = -1;

	r->value = -1;
	r->is_found = true;
	if (!group_find(v->groups, controller, &g) ||
	    (line_is(g.path, "/") && !v->mounts && namespace_is_first()))
		return -1;
	r->is_found = false;
	if (g.path.len > 1 &&
	    path_set_below(r, (struct line){ "/", 1 }, g.path) &&
	    snprintf(r->mount, sizeof(r->mount), "%s%s%.*s", v->mount,
		     g.controllers.len ? "/" : "", (int)g.controllers.len,
		     g.controllers.text) < (int)sizeof(r->mount))
		fd = reading_start(r, NULL);
	if (!r->is_found && v->mounts)
		fd = mounts_search(r, v->mounts, NULL, &g, controller);
	else if (!r->is_found)
		fd = mounts_search_process(r, getpid(), NULL, &g, controller);
	if (!r->is_found && v->jvm)
		fd = mounts_search_process(r, v->jvm->pid, v->jvm, &g,
					   controller);
	return fd;
}

static void limits_set_path(struct cgroup_limits *l, const struct text *groups)
{
	struct lines lines = lines_over(groups->bytes, groups->len);
	struct line line;
	struct group g;

	while (lines_next(&lines, &line)) {
		if (group_parse(line, &g) && g.path.len > l->path.len) {
			text_clear(&l->path);
			text_add(&l->path, g.path.text, g.path.len);
		}
	}
}

void cgroup_limits_find(struct cgroup_limits *l, const struct cgroup_view *v)
{
	struct reading cpus = { .what = READ_CPUS };
	struct reading memory = { .what = READ_MEMORY };

	*l = (struct cgroup_limits){ .cpu_stat = -1, .memory_group = -1 };
	limits_set_path(l, v->groups);
	l->cpu_stat = reading_find(&cpus, v, "cpu");
	l->cpus = cpus.is_found ? cpus.value : CGROUP_UNKNOWN;
	l->memory_group = reading_find(&memory, v, "memory");
	l->memory = memory.is_found ? memory.value : CGROUP_UNKNOWN;
}

void cgroup_limits_read(struct cgroup_limits *l, const struct jvm *jvm)
{
	struct text groups = { 0 };

	if (procfs_read(jvm->pid, "cgroup", GROUPS_LIMIT, &groups,
			error_unused()))
		*l = (struct cgroup_limits){ CGROUP_UNKNOWN, CGROUP_UNKNOWN,
					     .cpu_stat = -1,
					     .memory_group = -1 };
	else
		cgroup_limits_find(l, &(struct cgroup_view){ .groups = &groups,
							     .mount = MOUNT,
							     .jvm = jvm });
	text_release(&groups);
}

void cgroup_limits_release(struct cgroup_limits *l)
{
	text_release(&l->path);
	if (l->cpu_stat > 0)
		close(l->cpu_stat);
	if (l->memory_group > 0)
		close(l->memory_group);
	l->cpu_stat = l->memory_group = -1;
}

int cgroup_open(const struct jvm *jvm, const char *controller)
{
	struct reading r = { .what = READ_DIRECTORY };
	struct text groups = { 0 };
	int fd = -1;

	if (procfs_read(jvm->pid, "cgroup", GROUPS_LIMIT, &groups,
			error_unused()) == 0)
		fd = reading_find(&r,
				  &(struct cgroup_view){ .groups = &groups,
							 .mount = MOUNT,
							 .jvm = jvm },
				  controller);
	text_release(&groups);
	return fd;
}

bool cgroup_is_frozen(const struct jvm *jvm)
{
	static const char *const controllers[] = { "freezer", "" };
	struct reading r = { .what = READ_FROZEN };
	struct text groups = { 0 };
	bool is_frozen = false;

	if (procfs_read(jvm->pid, "cgroup", GROUPS_LIMIT, &groups,
			error_unused()))
		text_clear(&groups);
	for (size_t v = 0; groups.len && !is_frozen && v < 2; v++) {
		reading_find(&r,
			     &(struct cgroup_view){ .groups = &groups,
						    .mount = MOUNT,
						    .jvm = jvm },
			     controllers[v]);
		is_frozen = r.value > 0;
	}
	text_release(&groups);
	return is_frozen;
}

/* ---- memory ---- */

/*
 * Reads a file of a group.  The kernel serves the directory, but the target may
 * have mounted a file there that never answers.
 */
static size_t group_read(int group, const char *name, char *to, size_t size)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS,
	};
	int fd = (int)syscall(SYS_openat2, group, name, &how, sizeof(how));
	ssize_t got = -1;

	if (fd >= 0) {
		got = read(fd, to, size - 1);
		close(fd);
	}
	to[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

/* The number after a key at the start of a line; "" = the whole text. */
static int64_t group_number(const char *text, size_t len, const char *key)
{
	struct lines lines = lines_over(text, len);
	struct line line;

	while (lines_next(&lines, &line)) {
		char *end;
		long long value;

		if (!line_starts(line, key))
			continue;
		value = strtoll(line.text + strlen(key), &end, 10);
		return value < 0 || end == line.text + strlen(key) ? -1 : value;
	}
	return -1;
}

/*
 * The files and keys of each number in versions 2 and 1, where only the values
 * with "total_" include the groups below.
 */
static const struct group_source {
	size_t offset; /* in struct cgroup_memory */
	struct {
		const char *file, *key;
	} places[2];
} group_sources[] = {
#define OF(member) offsetof(struct cgroup_memory, member)
	/* clang-format off */
	{ OF(current), { { "memory.current", "" },
			 { "memory.usage_in_bytes", "" } } },
	{ OF(peak), { { "memory.peak", "" },
		      { "memory.max_usage_in_bytes", "" } } },
	{ OF(anonymous), { { "memory.stat", "anon " },
			   { "memory.stat", "total_rss " } } },
	{ OF(files), { { "memory.stat", "file " },
		       { "memory.stat", "total_cache " } } },
	{ OF(inactive_files), { { "memory.stat", "total_inactive_file " },
				{ "memory.stat", "inactive_file " } } },
	{ OF(shared), { { "memory.stat", "total_shmem " },
			{ "memory.stat", "shmem " } } },
	{ OF(kernel), { { "memory.stat", "kernel " },
			{ "memory.kmem.usage_in_bytes", "" } } },
	{ OF(swapped), { { "memory.swap.current", "" },
			 { "memory.stat", "total_swap " } } },
	{ OF(oom_kills), { { "memory.events", "oom_kill " },
			   { "memory.oom_control", "oom_kill " } } },
/* clang-format on */
#undef OF
};

void cgroup_memory_read(struct cgroup_memory *m, int group)
{
	char text[8192];
	const char *total;
	size_t len;

	for (size_t i = 0; i < sizeof(group_sources) / sizeof(*group_sources);
	     i++) {
		const struct group_source *s = &group_sources[i];
		int64_t value = -1;

		for (size_t v = 0; v < 2 && value < 0 && group >= 0; v++) {
			len = group_read(group, s->places[v].file, text,
					 sizeof(text));
			value = group_number(text, len, s->places[v].key);
		}
		memcpy((char *)m + s->offset, &value, sizeof(value));
	}
	m->pressure_us = -1;
	len = group >= 0
		      ? group_read(group, "memory.pressure", text, sizeof(text))
		      : 0;
	total = len && strncmp(text, "some ", 5) == 0 ? strstr(text, "total=")
						      : NULL;
	if (total)
		m->pressure_us = strtoll(total + 6, NULL, 10);
}
