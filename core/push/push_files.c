/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that push writes to a directory, for machines without a network.
 *
 * A file's name begins with the time, so names sort by age. The directory is
 * listed once; later, only this process adds files.
 */
#include "core/push/push.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* "sjkc-20261126T052230.123456Z"; other names are left alone. */
static const char files_prefix[] = "sjkc-";
enum { FILES_DIGITS = 8, FILES_LISTED_MAX = 200000 };
/* The maximum number of files that make room for one. */
enum { FILES_REMOVED_MAX = 64 };

struct files_entry {
	char *name;
	uint64_t bytes;
	int64_t written_ns; /* clock_boot_ns() */
};

struct push_files {
	const char *directory;
	const struct push_limits *limits;
	struct files_entry *all;  /* from the oldest on */
	size_t first, count, cap; /* entries before the first are removed */
	uint64_t bytes;           /* of all that are left */
	bool is_listed;
};

static bool files_is_own(const char *name)
{
	size_t len = sizeof(files_prefix) - 1;

	return strncmp(name, files_prefix, len) == 0 &&
	       strspn(name + len, "0123456789") == FILES_DIGITS &&
	       name[len + FILES_DIGITS] == 'T';
}

static void files_add(struct push_files *f, const char *name, uint64_t bytes,
		      int64_t written_ns)
{
	array_add(f->all, f->count, f->cap,
		  (struct files_entry){ xstrdup(name), bytes, written_ns });
	f->bytes += bytes;
}

static int files_compare(const void *one, const void *other)
{
	const struct files_entry *a = one, *b = other;

	return strcmp(a->name, b->name);
}

/*
 * Returns the time of a file by a clock that is never set. By the wall clock, a
 * jump would remove all files for their age, or none.
 */
static int64_t files_written_ns(const struct stat *st, int64_t boot_ns,
				int64_t wall_ns)
{
	int64_t wall_s = wall_ns / CLOCK_NS_PER_S;
	int64_t written_s = st->st_mtim.tv_sec > 0 ? st->st_mtim.tv_sec : 0;

	return written_s < wall_s
		       ? boot_ns - (wall_s - written_s) * CLOCK_NS_PER_S
		       : boot_ns;
}

/* Lists the files of earlier runs. */
static int files_list(struct push_files *f, struct error *err)
{
	DIR *dir = opendir(f->directory);
	int64_t boot_ns = clock_boot_ns(), wall_ns = clock_wall_ns();
	int left = FILES_LISTED_MAX;
	struct dirent *entry;

	if (!dir)
		return fail_sys(err, ERROR_OUTPUT, "cannot open the directory");
	while (left-- && (entry = readdir(dir))) {
		struct stat st;

		if (files_is_own(entry->d_name) &&
		    fstatat(dirfd(dir), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			files_add(f, entry->d_name, (uint64_t)st.st_size,
				  files_written_ns(&st, boot_ns, wall_ns));
	}
	closedir(dir);
	if (f->count)
		qsort(f->all, f->count, sizeof(*f->all), files_compare);
	f->is_listed = true;
	return 0;
}

/* Removes the oldest file. If that fails, the file still counts. */
static bool files_remove_oldest(struct push_files *f, struct push_reply *r)
{
	struct files_entry *e = &f->all[f->first];
	struct text path = { 0 };
	int ret;

	text_printf(&path, "%s/%s", f->directory, e->name);
	ret = unlink(path.bytes);
	text_release(&path);
	if (ret < 0 && errno != ENOENT) {
		snprintf(r->problem, sizeof(r->problem),
			 "cannot remove the oldest file: %s", strerror(errno));
		return false;
	}
	if (ret == 0) {
		r->removed_files++;
		r->removed_bytes += e->bytes;
	}
	f->bytes -= e->bytes;
	free(e->name);
	e->name = NULL;
	f->first++;
	return true;
}

/* Removes the oldest files beyond the limits, but never the newest file. */
static void files_rotate(struct push_files *f, struct push_reply *r)
{
	int64_t now_ns = clock_boot_ns();

	while (f->count - f->first > 1) {
		if (f->bytes <= f->limits->bytes &&
		    f->count - f->first <= f->limits->files &&
		    now_ns - f->all[f->first].written_ns <= f->limits->age_ns)
			break;
		if (!files_remove_oldest(f, r))
			break;
	}
	if (f->first < 1024)
		return;
	f->count -= f->first;
	memmove(f->all, f->all + f->first, f->count * sizeof(*f->all));
	f->first = 0;
}

/* Makes "sjkc-20261126T052230.123456Z.otlp.gz". */
static void files_name(struct text *out, int64_t now_ns, const char *name)
{
	time_t s = (time_t)(now_ns / CLOCK_NS_PER_S);
	char time_text[32] = "";
	struct tm tm;

	if (gmtime_r(&s, &tm))
		strftime(time_text, sizeof(time_text), "%Y%m%dT%H%M%S", &tm);
	text_printf(out, "%s%s.%06dZ%s", files_prefix, time_text,
		    (int)(now_ns % CLOCK_NS_PER_S / 1000), name);
}

/* Writes the file, or nothing. */
static int files_create(const char *path, const void *body, size_t len,
			struct error *err)
{
	struct output out = { 0 };
	int ret = output_open_unfollowed(&out, path, err);

	if (ret == 0) {
		output_write(&out, body, len);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	return ret;
}

void push_files_write(struct push_files *f, const char *name, const void *body,
		      size_t len, struct push_reply *r)
{
	struct text file = { 0 }, path = { 0 };
	int64_t now_ns = clock_wall_ns();
	int left = FILES_REMOVED_MAX;
	struct error err;
	int ret = 0;

	if (!f->is_listed)
		ret = files_list(f, &err);
	files_name(&file, now_ns, name);
	text_printf(&path, "%s/%s", f->directory, file.bytes);
	if (ret == 0)
		ret = files_create(path.bytes, body, len, &err);
	/* On a full disk, new profiles are worth more than old ones. */
	while (ret && (err.sys == ENOSPC || err.sys == EDQUOT) && left-- &&
	       f->count > f->first && files_remove_oldest(f, r))
		ret = files_create(path.bytes, body, len, &err);
	if (ret == 0) {
		r->is_sent = true;
		r->status = 200;
		files_add(f, file.bytes, len, clock_boot_ns());
		files_rotate(f, r);
	} else {
		/* The name has the time: only the reason repeats. */
		snprintf(r->problem, sizeof(r->problem), "%s",
			 err.sys ? strerror(err.sys) : err.text);
	}
	text_release(&file);
	text_release(&path);
}

struct push_files *push_files_open(const char *directory,
				   const struct push_limits *limits)
{
	struct push_files *f = xcalloc(1, sizeof(*f));

	f->directory = directory;
	f->limits = limits;
	return f;
}
