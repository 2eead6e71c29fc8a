/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/target_files.h"

#include "core/elf/elf_debug.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX ((size_t)512 << 20)

/* A mapped file to open. */
struct mapped_file {
	uint64_t start, end, inode;
	char path[PATH_MAX];
};

/* Opens the mapped file itself, without access to its contents (O_PATH). */
static int file_hold_mapped(const struct jvm *jvm, uint64_t start, uint64_t end,
			    struct error *err)
{
	char name[64];

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, start,
		 end);
	return procfs_open(jvm->pid, name, O_PATH, err);
}

/* The attributes that the kernel has cached may be stale. */
bool target_files_stat(const struct target_files *t, const struct mapping *m,
		       struct statx *st)
{
	struct error unused;
	int held = file_hold_mapped(t->jvm, m->start, m->end, &unused);
	bool is_known = held >= 0 &&
			statx(held, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
			      STATX_BASIC_STATS, st) == 0;

	if (held >= 0)
		close(held);
	return is_known;
}

/*
 * Opens the mapped file itself, which needs CAP_CHECKPOINT_RESTORE or
 * CAP_SYS_ADMIN.
 */
static int file_open_mapped(const struct jvm *jvm, const struct mapped_file *f,
			    struct error *err)
{
	int held = file_hold_mapped(jvm, f->start, f->end, err), fd;

	if (held < 0)
		return -1;
	fd = jvm_open_held(held, O_RDONLY);
	if (fd < 0)
		fail_sys(err, ERROR_INPUT, "%s", f->path);
	close(held);
	return fd;
}

/* Opens the file by its path.  Fails if the path leads to another file now. */
static int file_open_path(const struct jvm *jvm, const struct mapped_file *f,
			  struct error *err)
{
	int fd = jvm_open_file(jvm, f->path, O_RDONLY, err);
	struct stat st;

	if (fd < 0)
		return -1;
	/* An overlay has the same inode number, but another device. */
	if (fstat(fd, &st) == 0 && st.st_ino == f->inode)
		return fd;
	close(fd);
	return fail(err, ERROR_UNAVAILABLE, "%s: the file was replaced",
		    f->path);
}

/* Runs in the opener. */
static int file_open_job(const struct jvm *jvm, void *file, struct error *err)
{
	int fd = file_open_mapped(jvm, file, err);

	return fd >= 0 ? fd : file_open_path(jvm, file, err);
}

/* Counts files that sjkc cannot read although they exist. */
static int files_run(struct target_files *t, struct opening *o,
		     const char *path, struct error *err)
{
	int fd;

	o->jvm = t->jvm;
	o->copy_max = FILE_MAX;
	fd = opener_run(o, err);
	if (fd < 0 && err->sys == ETIMEDOUT)
		fail_sys(err, ERROR_PARTIAL, "%s", path);
	if (fd < 0 && err->kind == ERROR_PARTIAL)
		t->missed++;
	return fd;
}

int target_files_open(struct target_files *t, const struct mapping *m,
		      struct error *err)
{
	struct mapped_file f = { .start = m->start,
				 .end = m->end,
				 .inode = m->inode };
	struct opening o = {
		.job = file_open_job,
		.argument = &f,
		.size = sizeof(f),
		.place = ~m->dev,
	};

	if (strlen(m->path) >= sizeof(f.path))
		return fail(err, ERROR_INPUT, "a path is too long");
	snprintf(f.path, sizeof(f.path), "%s", m->path);
	return files_run(t, &o, m->path, err);
}

/* Runs in the opener. */
static int file_debug_job(const struct jvm *jvm, void *search,
			  struct error *err)
{
	int fd = elf_debug_open(jvm, search);

	return fd >= 0 ? fd : fail(err, ERROR_UNAVAILABLE, "no debug file");
}

int target_files_open_debug(struct target_files *t, const char *path,
			    const struct elf_file *f)
{
	struct elf_debug_search search;
	struct opening o = {
		.job = file_debug_job,
		.argument = &search,
		.size = sizeof(search),
		.place = OPENER_ROOT,
	};
	struct error unused = { 0 };

	return elf_debug_search_init(&search, path, f)
		       ? files_run(t, &o, path, &unused)
		       : -1;
}
