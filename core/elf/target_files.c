/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/target_files.h"

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/text.h"
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

#define MOUNTS_LIMIT ((size_t)16 << 20)
#define FILE_MAX     ((off_t)512 << 20)
#define PART         ((size_t)1 << 20)
#define WAIT_NS      CLOCK_NS_PER_S       /* for the next part */
#define LONGEST_NS   (5 * CLOCK_NS_PER_S) /* for all of them */
/* For all files of a process that are not trusted. */
#define PATIENCE_NS (10 * CLOCK_NS_PER_S)

/* What is opened, in this process or in a child. */
struct opening {
	const struct jvm *jvm;
	const struct mapping *mapping; /* or else the debug file */
	const char *path;              /* of this one */
	const struct elf_file *file;
	bool unions_are_trusted;
	int to; /* where a child copies a file that it may not hand over */
};

void target_files_init(struct target_files *t, const struct jvm *jvm)
{
	*t = (struct target_files){ .jvm = jvm };
}

/* The very file, which only who may inspect all of the system can open. */
static int open_mapped(const struct jvm *jvm, const struct mapping *m,
		       struct error *err)
{
	char name[64];
	int held, fd;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, m->start,
		 m->end);
	held = procfs_open(jvm->pid, name, O_PATH, err);
	if (held < 0)
		return -1;
	fd = jvm_open_held(held, O_RDONLY);
	if (fd < 0)
		fail_sys(err, ERROR_INPUT, "%s", m->path);
	close(held);
	return fd;
}

/* What has the file's path by now may be another. */
static int open_path(const struct jvm *jvm, const struct mapping *m,
		     struct error *err)
{
	int fd = jvm_open_file(jvm, m->path, O_RDONLY, err);
	struct stat st;

	if (fd < 0)
		return -1;
	/* A union file system has the inode's number, but another device. */
	if (fstat(fd, &st) == 0 && st.st_ino == m->inode)
		return fd;
	close(fd);
	return fail(err, ERROR_UNAVAILABLE, "%s: it was replaced", m->path);
}

static int open_debug(const struct opening *o, struct error *err)
{
	int fd = elf_debug_open(o->jvm, o->path, o->file);

	return fd >= 0 ? fd : fail(err, ERROR_UNAVAILABLE, "%s: none", o->path);
}

/* Where a path leads, anything may be mounted: for children only. */
static int open_anyhow(const struct opening *o, struct error *err)
{
	int fd;

	if (!o->mapping)
		return open_debug(o, err);
	fd = open_mapped(o->jvm, o->mapping, err);
	return fd >= 0 ? fd : open_path(o->jvm, o->mapping, err);
}

/* The word at a place of a line, from 0 on; empty when there is none. */
static struct line word_of(struct line line, unsigned place)
{
	const char *end = line.text + line.len, *at = line.text;
	const char *blank;

	for (;; place--, at = blank + 1) {
		blank = memchr(at, ' ', (size_t)(end - at));
		if (!blank)
			blank = end;
		if (!place)
			return (struct line){ .text = at,
					      .len = (size_t)(blank - at) };
		if (blank == end)
			return (struct line){ .text = end };
	}
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw". */
static struct line type_of(struct line line)
{
	const char *dash = memmem(line.text, line.len, " - ", 3);
	size_t before = dash ? (size_t)(dash + 3 - line.text) : line.len;

	line.text += before;
	line.len -= before;
	return word_of(line, 0);
}

/*
 * Those that the kernel has for its own, by their names and by what statfs(2)
 * calls them (linux/magic.h; 0: no program is mapped from there).  What waits
 * for others, or is not known, is none of them.  What autofs waits for, only
 * an administrator has it wait for.
 */
static const struct {
	const char *name;
	uint32_t magic;
} own_types[] = {
	{ "ext2", 0xef53 },
	{ "ext3", 0xef53 },
	{ "ext4", 0xef53 },
	{ "xfs", 0x58465342 },
	{ "btrfs", 0x9123683e },
	{ "f2fs", 0xf2f52010 },
	{ "zfs", 0x2fc12fc1 },
	{ "bcachefs", 0xca451a4e },
	{ "jfs", 0x3153464a },
	{ "reiserfs", 0x52654973 },
	{ "squashfs", 0x73717368 },
	{ "erofs", 0xe0f5e1e2 },
	{ "iso9660", 0x9660 },
	{ "udf", 0x15013346 },
	{ "vfat", 0x4d44 },
	{ "exfat", 0x2011bab0 },
	{ "ntfs3", 0x7366746e },
	{ "tmpfs", 0x01021994 },
	{ "ramfs", 0x858458f6 },
	{ "rootfs", 0x858458f6 },
	{ "devtmpfs", 0x01021994 },
	{ "hugetlbfs", 0x958458f6 },
	{ "proc", 0 },
	{ "sysfs", 0 },
	{ "devpts", 0 },
	{ "mqueue", 0 },
	{ "cgroup", 0 },
	{ "cgroup2", 0 },
	{ "cpuset", 0 },
	{ "bpf", 0 },
	{ "debugfs", 0 },
	{ "tracefs", 0 },
	{ "securityfs", 0 },
	{ "configfs", 0 },
	{ "selinuxfs", 0 },
	{ "pstore", 0 },
	{ "efivarfs", 0 },
	{ "binfmt_misc", 0 },
	{ "nsfs", 0 },
	{ "fusectl", 0 },
	{ "nfsd", 0 },
	{ "rpc_pipefs", 0 },
	{ "resctrl", 0 },
	{ "autofs", 0 },
};

/* It has the files of others, whatever those are. */
static const char union_type[] = "overlay";
#define UNION_MAGIC 0x794c7630

static bool is_own(struct line type)
{
	for (size_t i = 0; i < sizeof(own_types) / sizeof(*own_types); i++) {
		if (line_is(type, own_types[i].name))
			return true;
	}
	return false;
}

/* Whether reading an open file waits for nobody; to ask may. */
static bool is_safe(const struct opening *o, int fd)
{
	struct statfs st;

	if (fstatfs(fd, &st) < 0)
		return false;
	for (size_t i = 0; i < sizeof(own_types) / sizeof(*own_types); i++) {
		if (own_types[i].magic &&
		    own_types[i].magic == (uint32_t)st.f_type)
			return true;
	}
	return o->unions_are_trusted && (uint32_t)st.f_type == UNION_MAGIC;
}

/* What processes have mounted. */
struct mounts {
	bool has_device;   /* of a file system that is the kernel's own, */
	bool has_union;    /* or may be, if all others are; */
	bool has_stalling; /* and any that is not, or it is not known */
};

static void look_at_mounts(struct mounts *m, pid_t pid, uint64_t device)
{
	struct text text = { 0 };
	struct error unused;
	struct lines lines;
	struct line line;
	char number[48];

	snprintf(number, sizeof(number), "%u:%u", major(device), minor(device));
	if (procfs_read(pid, "mountinfo", MOUNTS_LIMIT, &text, &unused) ||
	    text.len >= MOUNTS_LIMIT)
		m->has_stalling = true;
	lines = lines_over(text.bytes, text.len);
	while (lines_next(&lines, &line)) {
		bool is_it = line_is(word_of(line, 2), number);
		struct line type = type_of(line);

		if (line_is(type, union_type))
			m->has_union |= is_it;
		else if (is_own(type))
			m->has_device |= is_it;
		else
			m->has_stalling = true;
	}
	text_release(&text);
}

/*
 * A file may be of a mount that is not there any more, or below another: what
 * is not known is not trusted.  What a union has may be mounted where only the
 * system's own processes see it, as we do there.
 */
static bool is_trusted(const struct target_files *t, struct opening *o)
{
	uint64_t device = o->mapping ? o->mapping->dev : 0;
	struct mounts m = { 0 };

	look_at_mounts(&m, t->jvm->pid, device);
	if (m.has_device)
		return true;
	look_at_mounts(&m, getpid(), device);
	o->unions_are_trusted = !m.has_stalling;
	if (!o->mapping)
		return !m.has_stalling;
	return m.has_device || (m.has_union && !m.has_stalling);
}

static bool has_stalled(const struct target_files *t, uint64_t device)
{
	for (size_t i = 0; i < t->stalled_count; i++) {
		if (t->stalled[i] == device)
			return true;
	}
	return t->stalled_count == TARGET_FILES_STALLED ||
	       t->waited_ns >= PATIENCE_NS;
}

static int copy(int from, const struct opening *o, struct error *err)
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

/* In the child: hands over a safe file itself, and copies any other. */
static int open_job(void *self, int channel, struct error *err)
{
	const struct opening *o = self;
	int fd = open_anyhow(o, err);

	(void)channel;
	if (fd < 0 || is_safe(o, fd))
		return fd;
	return copy(fd, o, err) ? -1 : CHILD_NOTHING;
}

/* News of the child; CHILD_SILENT when the copy has stopped growing. */
static enum child_news await(const struct child *c, const struct opening *o,
			     int64_t end, int *fd, struct error *err)
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

/* Those that were given up may have ended since. */
static void reap_stuck(struct target_files *t)
{
	size_t left = 0;

	for (size_t i = 0; i < t->stuck_count; i++) {
		if (!child_reap(t->stuck[i], NULL, 0))
			t->stuck[left++] = t->stuck[i];
	}
	t->stuck_count = left;
}

/* Ends a child that has sent its result, or never will. */
static void end_child(struct target_files *t, struct child *c)
{
	if (!child_end(c, 0) && t->stuck_count < TARGET_FILES_STALLED)
		t->stuck[t->stuck_count++] = c->pid;
}

/* The file or its copy, o->to; or it fails, ERROR_PARTIAL: it is missed. */
static int take(struct target_files *t, struct opening *o, uint64_t device,
		struct error *err)
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

	if (child_start(&c, &options, open_job, o, err)) {
		err->kind = ERROR_PARTIAL;
		return -1;
	}
	if (end > before + PATIENCE_NS - t->waited_ns)
		end = before + PATIENCE_NS - t->waited_ns;
	news = await(&c, o, end, &fd, err);
	t->waited_ns += clock_monotonic_ns() - before;
	end_child(t, &c);
	if (news == CHILD_DONE)
		return fd >= 0 ? fd : o->to;
	if (news == CHILD_GONE)
		return fail(err, ERROR_PARTIAL, "%s: its reader has ended",
			    o->path);
	if (news == CHILD_SILENT) {
		t->stalled[t->stalled_count++] = device;
		errno = ETIMEDOUT;
		fail_sys(err, ERROR_PARTIAL, "%s", o->path);
	}
	return -1;
}

/*
 * A child that is stuck cannot be ended: it must have nothing of ours, or the
 * kernel would go on sampling and the agent listening when we have ended.
 */
static int open_by_child(struct target_files *t, struct opening *o,
			 uint64_t device, struct error *err)
{
	int fd;

	o->to = memfd_create("file", MFD_CLOEXEC);
	if (o->to < 0)
		return fail_sys(err, ERROR_PARTIAL, "memfd_create");
	fd = take(t, o, device, err);
	if (fd != o->to)
		close(o->to);
	return fd;
}

static int open_either(struct target_files *t, struct opening *o,
		       uint64_t device, struct error *err)
{
	int fd = -1;

	reap_stuck(t);
	if (is_trusted(t, o)) {
		fd = o->mapping ? open_mapped(t->jvm, o->mapping, err)
				: open_debug(o, err);
		if (fd >= 0 || !o->mapping)
			return fd;
	}
	if (has_stalled(t, device)) {
		errno = ETIMEDOUT;
		fail_sys(err, ERROR_PARTIAL, "%s", o->path);
	} else {
		fd = open_by_child(t, o, device, err);
	}
	if (fd < 0 && err->kind == ERROR_PARTIAL)
		t->missed++;
	return fd;
}

int target_files_open(struct target_files *t, const struct mapping *m,
		      struct error *err)
{
	struct opening o = { .jvm = t->jvm, .mapping = m, .path = m->path };

	return open_either(t, &o, m->dev, err);
}

int target_files_open_debug(struct target_files *t, const char *path,
			    const struct elf_file *f)
{
	struct opening o = { .jvm = t->jvm, .path = path, .file = f };
	struct error unused;

	return open_either(t, &o, 0, &unused);
}

void target_files_release(struct target_files *t) { reap_stuck(t); }
