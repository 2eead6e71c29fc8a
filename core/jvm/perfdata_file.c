/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/perfdata_file.h"

#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = "hsperfdata_";

/* Of /proc/PID/maps: a JVM of ten thousand libraries has less. */
enum { MAPS_MAX = 16 << 20 };

/* What is known of the candidates: none, or why the last one was not it. */
struct search {
	const struct jvm *jvm;
	struct text maps;
	char file[16]; /* the ns pid */
	struct error why;
};

/* The JVM has the file mapped, and by that name still. */
static bool is_mapped(const struct search *s, const char *directory)
{
	struct lines lines = lines_over(s->maps.bytes, s->maps.len);
	struct line line;
	char end[320];

	snprintf(end, sizeof(end), "/%s/%s", directory, s->file);
	while (lines_next(&lines, &line)) {
		if (line_ends(line, end))
			return true;
	}
	return false;
}

static int check_directory(const struct search *s, const struct stat *st,
			   const char *name, struct error *err)
{
	if (st->st_uid != s->jvm->uid)
		return fail(err, ERROR_REFUSED,
			    "/tmp/%s is of uid %u, the JVM of uid %u", name,
			    st->st_uid, s->jvm->uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return fail(err, ERROR_REFUSED,
			    "others than its owner may write to /tmp/%s", name);
	return 0;
}

static int check_file(const struct search *s, const struct stat *st,
		      const char *directory, struct error *err)
{
	const char *wrong = NULL;

	if (!S_ISREG(st->st_mode))
		wrong = "is no regular file";
	else if (st->st_uid != s->jvm->uid)
		wrong = "is not of the JVM's user";
	else if (st->st_mode & (S_IWGRP | S_IWOTH))
		wrong = "may be written by others than its owner";
	else if (st->st_nlink != 1)
		wrong = "has more than one name";
	else if (st->st_size > PERFDATA_FILE_MAX)
		wrong = "is too large for what it should be";
	else if (!is_mapped(s, directory))
		wrong = "is not this JVM's: it does not have it mapped";
	if (wrong)
		return fail(err, ERROR_REFUSED, "/tmp/%s/%s %s", directory,
			    s->file, wrong);
	return 0;
}

/* The file in that directory, once it is known to be it; -1 and s->why. */
static int open_checked(struct search *s, int directory, const char *name)
{
	/* Opening it could wait for others, or set a device going. */
	int held = openat(directory, s->file, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int fd = -1;
	struct stat st;

	if (held < 0 && errno == ENOENT)
		return -1;
	if (held < 0 || fstat(directory, &st) < 0)
		goto failed;
	if (check_directory(s, &st, name, &s->why))
		goto out;
	if (fstat(held, &st) < 0)
		goto failed;
	if (check_file(s, &st, name, &s->why))
		goto out;
	fd = jvm_open_held(held, O_RDONLY);
	if (fd >= 0)
		goto out;
failed:
	fail_sys(&s->why, errno == EACCES ? ERROR_PERMISSION : ERROR_REFUSED,
		 "/tmp/%s/%s", name, s->file);
out:
	if (held >= 0)
		close(held);
	return fd;
}

/* The file in the directory of that name under tmp; -1 and s->why. */
static int open_in(struct search *s, int tmp, const char *name)
{
	int directory = openat(tmp, name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd;

	if (directory < 0)
		return fail_sys(&s->why, ERROR_PERMISSION, "/tmp/%s", name);
	fd = open_checked(s, directory, name);
	close(directory);
	return fd;
}

static int search_tmp(struct search *s, DIR *tmp)
{
	const struct dirent *entry;
	int fd = -1;

	while (fd < 0 && (entry = readdir(tmp))) {
		if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0)
			fd = open_in(s, dirfd(tmp), entry->d_name);
	}
	return fd;
}

static int say_absent(const struct jvm *jvm, struct error *err)
{
	if (jvm->kind != JVM_HOTSPOT)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d has no counters: only HotSpot JVMs do",
			    jvm->pid);
	return fail(err, ERROR_UNAVAILABLE,
		    "%d shows no counters of its own: there is no file under "
		    "/tmp/hsperfdata_* for it",
		    jvm->pid);
}

int perfdata_file_open(const struct jvm *jvm, struct error *err)
{
	struct search s = { .jvm = jvm };
	int fd = -1, tmp_fd;
	DIR *tmp = NULL;

	snprintf(s.file, sizeof(s.file), "%d", jvm->ns_pid);
	if (procfs_read(jvm->pid, "maps", MAPS_MAX, &s.maps, err))
		goto out;
	tmp_fd = jvm_open_file(jvm, "/tmp", O_RDONLY | O_DIRECTORY, err);
	if (tmp_fd < 0)
		goto out;
	tmp = fdopendir(tmp_fd);
	if (!tmp) {
		fail_sys(err, ERROR_FAILED, "/tmp of %d", jvm->pid);
		close(tmp_fd);
		goto out;
	}
	fd = search_tmp(&s, tmp);
	if (fd >= 0)
		goto out;
	if (s.why.kind) {
		*err = s.why;
		fail_in(err, "perfdata of %d", jvm->pid);
	} else {
		say_absent(jvm, err);
	}
out:
	if (tmp)
		closedir(tmp);
	text_release(&s.maps);
	return fd;
}
