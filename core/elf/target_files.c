/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/target_files.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/reap.h"
#include "core/base/text.h"
#include "core/elf/elf_debug.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOUNTS_LIMIT ((size_t)16 << 20)
#define FILE_MAX     ((off_t)512 << 20)
#define PART         ((size_t)1 << 20)
#define WAIT_NS      CLOCK_NS_PER_S       /* for the next part */
#define LONGEST_NS   (5 * CLOCK_NS_PER_S) /* for all of them */
#define ENDING_NS    (200 * CLOCK_NS_PER_MS)
/* For all files of a process that are not trusted. */
#define PATIENCE_NS (10 * CLOCK_NS_PER_S)
#define FILES_MOST  65536 /* where they have to be closed one by one */

/* What is opened, in this process or in a child. */
struct opening {
	const struct jvm *jvm;
	const struct mapping *mapping; /* or else the debug file */
	const char *path;              /* of this one */
	const struct elf_file *file;
	bool unions_are_trusted;
	struct error *why; /* of the child, shared with it */
	int channel;       /* to its parent */
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

static int copy(int from, int to, const struct opening *o)
{
	static char part[PART];

	for (off_t all = 0; all < FILE_MAX;) {
		ssize_t got = read(from, part, sizeof(part)), put;

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			return 0;
		for (ssize_t at = 0; at < got; at += put) {
			put = write(to, part + at, (size_t)(got - at));
			if (put < 0)
				got = -1;
		}
		if (got < 0)
			return fail_sys(o->why, ERROR_FAILED, "%s", o->path);
		all += got;
	}
	return fail(o->why, ERROR_PARTIAL, "%s: too large", o->path);
}

/* A safe file itself, for its parent. */
static int hand_over(const struct opening *o, int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char byte = 0;
	struct iovec one = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &one,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(o->channel, &message, MSG_NOSIGNAL) == 1
		       ? 0
		       : fail_sys(o->why, ERROR_FAILED, "%s", o->path);
}

/* What the child has handed over, or -1: it has made a copy. */
static int take_over(int channel)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec one = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &one,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	const struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&message);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_between(unsigned first, unsigned end)
{
	if (first >= end || syscall(SYS_close_range, first, end - 1, 0) == 0)
		return;
	for (unsigned fd = first; fd < end && fd < FILES_MOST; fd++)
		close((int)fd);
}

/*
 * A child that is stuck cannot be ended: it must have nothing of ours, or the
 * kernel would go on sampling and the agent listening when we have gone, and
 * who reads our output would wait for its end.
 */
static void keep_only(int *kept, size_t count)
{
	unsigned first = 0;

	qsort(kept, count, sizeof(*kept), by_number);
	for (size_t i = 0; i < count; i++) {
		if (kept[i] < 0)
			continue;
		close_between(first, (unsigned)kept[i]);
		first = (unsigned)kept[i] + 1;
	}
	close_between(first, ~0u);
}

static _Noreturn void copy_in_child(const struct opening *o, int to,
				    pid_t parent)
{
	static const int ignored[] = { SIGINT,  SIGHUP,  SIGQUIT,
				       SIGTERM, SIGUSR1, SIGUSR2,
				       SIGTSTP, SIGPIPE, SIGXFSZ };
	int kept[] = { to, o->channel, o->jvm->pidfd,
		       o->file ? o->file->source.fd : -1 };
	sigset_t none;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	keep_only(kept, sizeof(kept) / sizeof(*kept));
	if (getppid() != parent)
		quick_exit(ESRCH);
	fd = open_anyhow(o, o->why);
	/* The parent's buffers and handlers at exit are not ours to run. */
	quick_exit(fd < 0 ||
		   (is_safe(o, fd) ? hand_over(o, fd) : copy(fd, to, o)));
}

/* As long as something comes, or it has no CPU; true when it has ended. */
static bool await(pid_t child, int to, int *status, int64_t end)
{
	struct proc_stat stat;
	struct error unused;
	struct stat st;
	off_t had = 0;

	while (!reap_until(child, status, clock_monotonic_ns() + WAIT_NS)) {
		bool is_starved = procfs_stat(child, &stat, &unused) == 0 &&
				  stat.state == 'R';

		if (clock_monotonic_ns() >= end || fstat(to, &st) < 0 ||
		    (st.st_size == had && !is_starved))
			return false;
		had = st.st_size;
	}
	return true;
}

static pid_t start(const struct opening *o, int to)
{
	sigset_t all, old;
	pid_t parent = getpid(), child;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	child = fork();
	if (child == 0)
		copy_in_child(o, to, parent);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return child;
}

/* Those that were given up may have ended since. */
static void reap_stuck(struct target_files *t)
{
	size_t left = 0;

	for (size_t i = 0; i < t->stuck_count; i++) {
		if (!reap_until(t->stuck[i], NULL, 0))
			t->stuck[left++] = t->stuck[i];
	}
	t->stuck_count = left;
}

static void give_up(struct target_files *t, pid_t child, uint64_t device)
{
	kill(child, SIGKILL);
	if (!reap_until(child, NULL, clock_monotonic_ns() + ENDING_NS))
		t->stuck[t->stuck_count++] = child;
	t->stalled[t->stalled_count++] = device;
}

/* The file or its copy, in `to`; or it fails, ERROR_PARTIAL: it is missed. */
static int take(struct target_files *t, const struct opening *o, int to,
		int channel, uint64_t device, struct error *err)
{
	int64_t before = clock_monotonic_ns(), end = before + LONGEST_NS;
	pid_t child = start(o, to);
	int status = 0, fd;
	bool has_ended;

	if (child < 0)
		return fail_sys(err, ERROR_PARTIAL, "fork");
	if (end > before + PATIENCE_NS - t->waited_ns)
		end = before + PATIENCE_NS - t->waited_ns;
	has_ended = await(child, to, &status, end);
	t->waited_ns += clock_monotonic_ns() - before;
	if (!has_ended) {
		give_up(t, child, device);
		errno = ETIMEDOUT;
		return fail_sys(err, ERROR_PARTIAL, "%s", o->path);
	}
	fd = take_over(channel);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return fd >= 0 ? fd : to;
	if (fd >= 0)
		close(fd);
	*err = *o->why;
	return -1;
}

static int open_by_child(struct target_files *t, struct opening *o,
			 uint64_t device, struct error *err)
{
	int to = memfd_create("file", MFD_CLOEXEC), fd = -1, pair[2];

	if (to < 0)
		return fail_sys(err, ERROR_PARTIAL, "memfd_create");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		close(to);
		return fail_sys(err, ERROR_PARTIAL, "socketpair");
	}
	o->channel = pair[1];
	o->why = mmap(NULL, sizeof(*o->why), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->why == MAP_FAILED)
		alloc_give_up(sizeof(*o->why));
	fail(o->why, ERROR_PARTIAL, "%s: its reader has ended", o->path);
	fd = take(t, o, to, pair[0], device, err);
	munmap(o->why, sizeof(*o->why));
	close(pair[0]);
	close(pair[1]);
	if (fd != to)
		close(to);
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
