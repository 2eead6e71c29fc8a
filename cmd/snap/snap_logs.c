/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectors of sjkc snap that read files of the JVM: the ends of logs that it
 * has open for writing, the newest fatal error logs in its working directory,
 * and the free space of its file systems.  The opener opens all of them.
 */
#include "cmd/snap/snap.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/child.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define TAIL_BYTES  ((size_t)256 << 10)
#define ERROR_BYTES ((size_t)1 << 20) /* of a fatal error log: its start */
#define GROWTH      ((size_t)1 << 20) /* while a log is copied */

enum { LOGS_MAX = 24, ERROR_LOGS_MAX = 3, DIRECTORIES_MAX = 16 };

/* The argument of a job: a descriptor, or a number of a fatal error log. */
struct log_request {
	int number;
	char name[NAME_MAX + 1]; /* result: of the fatal error log */
	uint64_t size;           /* result */
};

struct logs {
	const struct jvm *jvm;
	int to;
	struct text index;                  /* the list of logs */
	char *directories[DIRECTORIES_MAX]; /* whose space is of interest */
	size_t directory_count;
	char *paths[LOGS_MAX]; /* of the logs; several descriptors may have one
				*/
	size_t path_count;
};

/* ---- jobs of the opener ---- */

static int tail_job(const struct jvm *jvm, void *argument, struct error *err)
{
	struct log_request *r = argument;
	struct stat st;
	char link[24];
	int held, fd;

	snprintf(link, sizeof(link), "fd/%d", r->number);
	held = procfs_open(jvm->pid, link, O_PATH, err);
	if (held < 0)
		return -1;
	fd = jvm_open_held(held, O_RDONLY);
	if (fd < 0)
		fail_sys(err, ERROR_FAILED, "cannot open");
	close(held);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0)
		r->size = (uint64_t)st.st_size;
	if (r->size > TAIL_BYTES)
		lseek(fd, (off_t)(r->size - TAIL_BYTES), SEEK_SET);
	return fd;
}

/* Finds the log with this number, from the newest on. */
static bool error_log_find(DIR *all, struct log_request *r)
{
	time_t newest[ERROR_LOGS_MAX] = { 0 };
	char names[ERROR_LOGS_MAX][NAME_MAX + 1] = { "" };
	struct dirent *entry;

	while ((entry = readdir(all))) {
		struct stat st;
		int at = ERROR_LOGS_MAX;

		if (fnmatch("hs_err_pid*.log", entry->d_name, 0) != 0 ||
		    fstatat(dirfd(all), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		for (; at && st.st_mtime >= newest[at - 1]; at--) {
			if (at == ERROR_LOGS_MAX)
				continue; /* the oldest is forgotten */
			newest[at] = newest[at - 1];
			memcpy(names[at], names[at - 1], sizeof(*names));
		}
		if (at == ERROR_LOGS_MAX)
			continue;
		newest[at] = st.st_mtime;
		snprintf(names[at], sizeof(*names), "%s", entry->d_name);
	}
	memcpy(r->name, names[r->number], sizeof(r->name));
	return *r->name;
}

static int error_log_job(const struct jvm *jvm, void *argument,
			 struct error *err)
{
	struct log_request *r = argument;
	int cwd = procfs_open(jvm->pid, "cwd", O_RDONLY | O_DIRECTORY, err);
	DIR *all = cwd < 0 ? NULL : fdopendir(cwd);
	struct stat st;
	int fd = CHILD_NOTHING;

	if (all && error_log_find(all, r)) {
		fd = openat(cwd, r->name,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			fail_sys(err, ERROR_FAILED, "cannot open");
		else if (fstat(fd, &st) == 0)
			r->size = (uint64_t)st.st_size;
	}
	if (all)
		closedir(all);
	return cwd < 0 ? -1 : fd;
}

struct space_request {
	char path[PATH_MAX];
	struct statvfs found; /* result */
};

static int space_job(const struct jvm *jvm, void *argument, struct error *err)
{
	struct space_request *r = argument;
	int fd = jvm_open_file(jvm, r->path, O_PATH | O_DIRECTORY, err);
	int ret;

	if (fd < 0)
		return -1;
	ret = fstatvfs(fd, &r->found);
	if (ret < 0)
		fail_sys(err, ERROR_FAILED, "statvfs");
	close(fd);
	return ret < 0 ? -1 : CHILD_NOTHING;
}

/* ---- logs ---- */

/* True for names that logs have: app.log.3, gc.txt, logs/app, stdout. */
static bool log_is_name(const char *path, int fd)
{
	static const char logs[] = "@(*.log*|*.out|*.out.*|*.err|*.err.*|*.txt|"
				   "*/gc.*|*/gc[-_]*|*/log/*|*/logs/*|*/std*)";
	static const char
		others[] = "@(/dev/*|/proc/*|/memfd:*|*.jfr|*.hprof*)";

	return *path == '/' && fnmatch(others, path, FNM_EXTMATCH) != 0 &&
	       (fnmatch(logs, path, FNM_EXTMATCH | FNM_CASEFOLD) == 0 ||
		fd == STDOUT_FILENO || fd == STDERR_FILENO);
}

/* Remembers the directory of a path for its space. */
static void logs_add_directory(struct logs *l, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash && slash > path ? (size_t)(slash - path) : 1;

	for (size_t i = 0; i < l->directory_count; i++) {
		if (strlen(l->directories[i]) == len &&
		    memcmp(l->directories[i], path, len) == 0)
			return;
	}
	if (l->directory_count < DIRECTORIES_MAX)
		l->directories[l->directory_count++] = xstrndup(path, len);
}

/* "logs/3-app.log"; other characters than letters, digits and .-_ become _. */
static void log_member_name(struct text *out, int number, const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	text_printf(out, "logs/%d-", number);
	for (size_t i = 0; base[i] && i < 80; i++) {
		bool is_plain = is_letter(base[i]) || is_digit(base[i]) ||
				strchr(".-_", base[i]);

		text_putc(out, is_plain ? base[i] : '_');
	}
}

/* Runs a job that opens a log, and puts up to max bytes of it. */
static bool log_copy(struct logs *l, struct log_request *r, opener_job *job,
		     const char *path, size_t max)
{
	struct opening o = { .jvm = l->jvm,
			     .job = job,
			     .argument = r,
			     .size = sizeof(*r),
			     .place = 100 + (uint64_t)r->number,
			     .copies = true,
			     .copy_max = max + GROWTH };
	struct text member = { 0 }, text = { 0 };
	const char *from, *line;
	struct error err;
	size_t skipped;
	int fd = opener_run(&o, &err);

	if (fd == CHILD_NOTHING)
		return false;
	log_member_name(&member, r->number, path ? path : r->name);
	if (fd < 0 || snap_read_file(fd, max, &text, &err)) {
		snap_put_missing(l->to, member.bytes, &err);
	} else if (!memchr(text.len ? text.bytes : "", '\0',
			   text.len < 4096 ? text.len : 4096)) {
		/* A copy of the end begins with a whole line. */
		from = text.len ? text.bytes : "";
		line = path && r->size > max ? memchr(from, '\n', text.len)
					     : NULL;
		skipped = line ? (size_t)(line + 1 - from) : 0;
		snap_put(l->to, member.bytes, from + skipped,
			 text.len - skipped);
		text_printf(&l->index, "%s %" PRIu64 " bytes: %s\n",
			    member.bytes, r->size, path ? path : r->name);
	}
	text_release(&member);
	text_release(&text);
	return true;
}

/* Copies the log that a descriptor writes to, if it is one. */
static void logs_put_descriptor(struct logs *l, int directory, const char *name)
{
	struct log_request r = { .number = (int)strtol(name, NULL, 10) };
	char path[PATH_MAX];
	struct stat link;
	ssize_t len;

	/* The mode of the link has the rights of the descriptor. */
	if (fstatat(directory, name, &link, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISLNK(link.st_mode) || !(link.st_mode & S_IWUSR))
		return;
	len = readlinkat(directory, name, path, sizeof(path) - 1);
	if (len <= 0)
		return;
	path[len] = '\0';
	if (!log_is_name(path, r.number) || l->path_count == LOGS_MAX)
		return;
	for (size_t i = 0; i < l->path_count; i++) {
		if (strcmp(l->paths[i], path) == 0)
			return;
	}
	l->paths[l->path_count++] = xstrdup(path);
	logs_add_directory(l, path);
	log_copy(l, &r, tail_job, path, TAIL_BYTES);
}

static void logs_put_all(struct logs *l)
{
	struct error err;
	int fd = procfs_open(l->jvm->pid, "fd", O_RDONLY | O_DIRECTORY, &err);
	DIR *all = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (fd < 0)
		snap_put_missing(l->to, "logs", &err);
	while (all && (entry = readdir(all)))
		logs_put_descriptor(l, fd, entry->d_name);
	if (all)
		closedir(all);
	for (int i = 0; i < ERROR_LOGS_MAX; i++) {
		struct log_request r = { .number = i };

		if (!log_copy(l, &r, error_log_job, NULL, ERROR_BYTES))
			break;
	}
	if (l->index.len)
		snap_put(l->to, "logs/index.txt", l->index.bytes, l->index.len);
}

/* ---- space ---- */

static void logs_put_space(struct logs *l)
{
	struct text out = { 0 };

	text_puts(&out, "directory: size, available, inodes, available\n");
	for (size_t i = 0; i < l->directory_count; i++) {
		struct space_request r = { 0 };
		struct opening o = { .jvm = l->jvm,
				     .job = space_job,
				     .argument = &r,
				     .size = sizeof(r),
				     .place = 1000 + i };
		struct error err;

		snprintf(r.path, sizeof(r.path), "%s", l->directories[i]);
		if (opener_run(&o, &err) == -1)
			text_printf(&out, "%s: %s\n", r.path, err.text);
		else
			text_printf(
				&out,
				"%s: %" PRIu64 " %" PRIu64 " %" PRIu64
				" %" PRIu64 "\n",
				r.path,
				(uint64_t)r.found.f_blocks * r.found.f_frsize,
				(uint64_t)r.found.f_bavail * r.found.f_frsize,
				(uint64_t)r.found.f_files,
				(uint64_t)r.found.f_favail);
	}
	snap_put(l->to, "disk_space.txt", out.bytes, out.len);
	text_release(&out);
}

void snap_logs(const struct jvm *jvm, int to)
{
	struct logs l = { .jvm = jvm, .to = to };
	char cwd[PATH_MAX], link[32];
	ssize_t len;

	logs_add_directory(&l, "/");
	logs_add_directory(&l, "/tmp/");
	logs_add_directory(&l, "/dev/shm/");
	snprintf(link, sizeof(link), "/proc/%d/cwd",
		 (int)procfs_owner(jvm->pid));
	len = readlink(link, cwd, sizeof(cwd) - 2);
	if (len > 0) {
		memcpy(cwd + len, "/", 2);
		logs_add_directory(&l, cwd);
	}
	logs_put_all(&l);
	logs_put_space(&l);
	for (size_t i = 0; i < l.directory_count; i++)
		free(l.directories[i]);
	for (size_t i = 0; i < l.path_count; i++)
		free(l.paths[i]);
	text_release(&l.index);
}
