/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/target_files.h"

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/elf/elf_debug.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FILE_MAX   ((off_t)512 << 20)
#define PART       ((size_t)1 << 20)
#define WAIT_NS    CLOCK_NS_PER_S /* until the next part of a file is copied */
#define LONGEST_NS (5 * CLOCK_NS_PER_S) /* until the whole file is copied */
/* Maximum time spent waiting for all children of a process. */
#define STALL_BUDGET_NS (10 * CLOCK_NS_PER_S)

/* A file to open, in this process or in a child process. */
struct opening {
	const struct target_files *files;
	const struct jvm *jvm;
	const struct mapping *mapping; /* NULL: open the debug file */
	const char *path;              /* path of the file or debug file */
	const struct elf_file
		*file; /* the file that the debug file belongs to */
	int to; /* a memfd; a child copies a file that may stall into it */
};

void target_files_init(struct target_files *t, const struct jvm *jvm)
{
	struct stat st;

	*t = (struct target_files){ .jvm = jvm };
	if (stat("/", &st) == 0)
		t->own_root = st.st_dev;
	if (stat("/proc/self/exe", &st) == 0)
		t->own_program = st.st_dev;
}

/*
 * Returns true for a file system that waits for no other process or machine: a
 * file system on a block device, which only an administrator can mount, and the
 * file systems that sjkc runs from.  Network and FUSE file systems have devices
 * without a major number.
 */
static bool device_is_local(const struct target_files *t, dev_t device)
{
	return major(device) != 0 || device == t->own_root ||
	       device == t->own_program;
}

/* Opens the mapped file itself, without access to its contents (O_PATH). */
static int file_hold_mapped(const struct target_files *t,
			    const struct mapping *m, struct error *err)
{
	char name[64];

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, m->start,
		 m->end);
	return procfs_open(t->jvm->pid, name, O_PATH, err);
}

/*
 * Reads the attributes that the kernel has cached, which may be stale but
 * waits for no file system.
 */
static bool file_stat_cached(int held, struct statx *st)
{
	return statx(held, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
		     STATX_BASIC_STATS, st) == 0;
}

bool target_files_stat(const struct target_files *t, const struct mapping *m,
		       struct statx *st)
{
	struct error unused;
	int held = file_hold_mapped(t, m, &unused);
	bool is_known = held >= 0 && file_stat_cached(held, st);

	if (held >= 0)
		close(held);
	return is_known;
}

/*
 * Opens the mapped file itself, which needs CAP_CHECKPOINT_RESTORE or
 * CAP_SYS_ADMIN.  If only_local, fails for other file systems without a request
 * to them.
 */
static int file_open_mapped(const struct target_files *t,
			    const struct mapping *m, bool only_local,
			    struct error *err)
{
	int held = file_hold_mapped(t, m, err), fd = -1;
	struct statx st;

	if (held < 0)
		return -1;
	if (only_local &&
	    (!file_stat_cached(held, &st) ||
	     !device_is_local(t, makedev(st.stx_dev_major, st.stx_dev_minor))))
		fail(err, ERROR_UNAVAILABLE, "%s: may stall", m->path);
	else
		fd = jvm_open_held(held, O_RDONLY);
	if (fd < 0 && !only_local)
		fail_sys(err, ERROR_INPUT, "%s", m->path);
	close(held);
	return fd;
}

/* Opens the file by its path.  Fails if the path leads to another file now. */
static int file_open_path(const struct jvm *jvm, const struct mapping *m,
			  struct error *err)
{
	int fd = jvm_open_file(jvm, m->path, O_RDONLY, err);
	struct stat st;

	if (fd < 0)
		return -1;
	/* An overlay has the same inode number, but another device. */
	if (fstat(fd, &st) == 0 && st.st_ino == m->inode)
		return fd;
	close(fd);
	return fail(err, ERROR_UNAVAILABLE, "%s: the file was replaced",
		    m->path);
}

static int file_open_debug(const struct opening *o, struct error *err)
{
	int fd = elf_debug_open(o->jvm, o->path, o->file);

	return fd >= 0 ? fd : fail(err, ERROR_UNAVAILABLE, "%s: none", o->path);
}

/* Runs only in children: any file system may be mounted where a path leads. */
static int file_open_by_any(const struct opening *o, struct error *err)
{
	int fd;

	if (!o->mapping)
		return file_open_debug(o, err);
	fd = file_open_mapped(o->files, o->mapping, false, err);
	return fd >= 0 ? fd : file_open_path(o->jvm, o->mapping, err);
}

/*
 * Returns true when reads of an open file wait for no other process.
 * fstatfs(2) itself may block.
 */
static bool file_is_safe(const struct target_files *t, int fd)
{
	/* memory, and disks of several devices (linux/magic.h) */
	static const uint32_t local[] = {
		0x01021994, /* tmpfs */
		0x858458f6, /* ramfs */
		0x958458f6, /* hugetlbfs */
		0x9123683e, /* btrfs */
		0x2fc12fc1, /* zfs */
		0xca451a4e, /* bcachefs */
	};
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++) {
		if (local[i] == (uint32_t)fs.f_type)
			return true;
	}
	return device_is_local(t, st.st_dev);
}

static bool files_have_stalled(const struct target_files *t, uint64_t device)
{
	for (size_t i = 0; i < t->stalled_count; i++) {
		if (t->stalled[i] == device)
			return true;
	}
	return t->stalled_count == TARGET_FILES_STALLED ||
	       t->waited_ns >= STALL_BUDGET_NS;
}

static int file_copy(int from, const struct opening *o, struct error *err)
{
	static char part[PART];

	for (off_t all = 0; all < FILE_MAX;) {
		ssize_t got = read(from, part, sizeof(part)), put;

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			return 0;
		for (ssize_t at = 0; at < got; at += put) {
			put = write(o->to, part + at, (size_t)(got - at));
			if (put < 0)
				got = -1;
		}
		if (got < 0)
			return fail_sys(err, ERROR_FAILED, "%s", o->path);
		all += got;
	}
	return fail(err, ERROR_PARTIAL, "%s: too large", o->path);
}

/*
 * Runs in the child: hands over a safe file itself and copies any other file.
 */
static int file_open_job(void *self, int channel, struct error *err)
{
	const struct opening *o = self;
	int fd = file_open_by_any(o, err);

	(void)channel;
	if (fd < 0 || file_is_safe(o->files, fd))
		return fd;
	return file_copy(fd, o, err) ? -1 : CHILD_NOTHING;
}

/* Waits for the child; CHILD_SILENT when its copy has stopped growing. */
static enum child_news files_await(const struct child *c,
				   const struct opening *o, int64_t end,
				   int *fd, struct error *err)
{
	struct proc_stat stat;
	struct error unused;
	struct stat st;
	off_t had = 0;

	for (;;) {
		int64_t until = clock_monotonic_ns() + WAIT_NS;
		enum child_news news = child_wait(c, until, fd, err);
		bool is_starved;

		if (news != CHILD_SILENT)
			return news;
		is_starved = procfs_stat(c->pid, &stat, &unused) == 0 &&
			     stat.state == 'R';
		if (clock_monotonic_ns() >= end || fstat(o->to, &st) < 0 ||
		    (st.st_size == had && !is_starved))
			return news;
		had = st.st_size;
	}
}

/* Reaps children that did not end in time and have ended since. */
static void files_reap_stuck(struct target_files *t)
{
	size_t left = 0;

	for (size_t i = 0; i < t->stuck_count; i++) {
		if (!child_reap(t->stuck[i], NULL, 0))
			t->stuck[left++] = t->stuck[i];
	}
	t->stuck_count = left;
}

/* Ends a child that has sent its result or will never send one. */
static void files_end_child(struct target_files *t, struct child *c)
{
	if (!child_end(c, 0) && t->stuck_count < TARGET_FILES_STALLED)
		t->stuck[t->stuck_count++] = c->pid;
}

/* Returns the file or its copy, o->to; ERROR_PARTIAL when it stalls. */
static int files_receive(struct target_files *t, struct opening *o,
			 uint64_t device, struct error *err)
{
	const int kept[] = { o->to, t->jvm->pidfd,
			     o->file ? o->file->source.fd : -1 };
	const struct child_options options = {
		.kept = kept,
		.kept_count = sizeof(kept) / sizeof(*kept),
		.dies_with_parent = true,
	};
	int64_t before = clock_monotonic_ns(), end = before + LONGEST_NS;
	enum child_news news;
	struct child c;
	int fd;

	if (child_start(&c, &options, file_open_job, o, err)) {
		err->kind = ERROR_PARTIAL;
		return -1;
	}
	if (end > before + STALL_BUDGET_NS - t->waited_ns)
		end = before + STALL_BUDGET_NS - t->waited_ns;
	news = files_await(&c, o, end, &fd, err);
	t->waited_ns += clock_monotonic_ns() - before;
	files_end_child(t, &c);
	if (news == CHILD_DONE)
		return fd >= 0 ? fd : o->to;
	if (news == CHILD_GONE)
		return fail(err, ERROR_PARTIAL,
			    "%s: the child that read it has ended", o->path);
	if (news == CHILD_SILENT) {
		t->stalled[t->stalled_count++] = device;
		errno = ETIMEDOUT;
		fail_sys(err, ERROR_PARTIAL, "%s", o->path);
	}
	return -1;
}

/*
 * A child that is stuck cannot be killed.  It must hold no other descriptor of
 * sjkc, or the kernel would go on sampling, and the agent listening, after sjkc
 * exits.
 */
static int files_open_by_child(struct target_files *t, struct opening *o,
			       uint64_t device, struct error *err)
{
	int fd;

	o->to = memfd_create("file", MFD_CLOEXEC);
	if (o->to < 0)
		return fail_sys(err, ERROR_PARTIAL, "memfd_create");
	fd = files_receive(t, o, device, err);
	if (fd != o->to)
		close(o->to);
	return fd;
}

static int files_open(struct target_files *t, struct opening *o,
		      uint64_t device, struct error *err)
{
	int fd = -1;

	files_reap_stuck(t);
	if (o->mapping) {
		fd = file_open_mapped(t, o->mapping, true, err);
		if (fd >= 0)
			return fd;
	}
	if (files_have_stalled(t, device)) {
		errno = ETIMEDOUT;
		fail_sys(err, ERROR_PARTIAL, "%s", o->path);
	} else {
		fd = files_open_by_child(t, o, device, err);
	}
	if (fd < 0 && err->kind == ERROR_PARTIAL)
		t->missed++;
	return fd;
}

int target_files_open(struct target_files *t, const struct mapping *m,
		      struct error *err)
{
	struct opening o = {
		.files = t, .jvm = t->jvm, .mapping = m, .path = m->path
	};

	return files_open(t, &o, m->dev, err);
}

int target_files_open_debug(struct target_files *t, const char *path,
			    const struct elf_file *f)
{
	struct opening o = {
		.files = t, .jvm = t->jvm, .path = path, .file = f
	};
	struct error unused;

	return files_open(t, &o, 0, &unused);
}

void target_files_release(struct target_files *t) { files_reap_stuck(t); }
