/* SPDX-License-Identifier: Apache-2.0 */
#include "core/native/elf/target_files.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/reap.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"
#include "core/native/elf/elf_debug.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOUNTS_LIMIT ((size_t)16 << 20)
#define FILE_MAX     ((off_t)512 << 20)
#define PART         ((size_t)1 << 20)
#define WAIT_NS      CLOCK_NS_PER_S       /* for the next part */
#define LONGEST_NS   (5 * CLOCK_NS_PER_S) /* for all of them */
#define ENDING_NS    (200 * CLOCK_NS_PER_MS)

/* What is opened, in this process or in a child. */
struct opening {
	const struct jvm *jvm;
	const struct mapping *mapping; /* or else the debug file */
	const char *path;              /* of this one */
	const struct elf_file *file;
	struct error *why; /* of the child, shared with it */
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

static int open_it(const struct opening *o, struct error *err)
{
	int fd;

	if (!o->mapping) {
		fd = elf_debug_open(o->jvm, o->path, o->file);
		return fd >= 0 ? fd
			       : fail(err, ERROR_UNAVAILABLE, "%s: none",
				      o->path);
	}
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

/* Those that others serve. */
static bool may_stall(struct line type)
{
	static const char *const served[] = {
		"fuse", "nfs",  "cifs",   "smb",  "9p",    "virtiofs", "ceph",
		"afs",  "coda", "lustre", "gfs2", "ocfs2", "orangefs", "vboxsf",
	};

	/* These only begin as such do. */
	if (line_is(type, "fusectl") || line_is(type, "nfsd"))
		return false;
	for (size_t i = 0; i < sizeof(served) / sizeof(*served); i++) {
		if (line_starts(type, served[i]))
			return true;
	}
	return false;
}

/* What a process has mounted. */
struct mounts {
	bool has_device;   /* of a file system that is the kernel's own, */
	bool has_stalling; /* and any that is not */
};

static void look_at_mounts(struct mounts *m, pid_t pid, uint64_t device)
{
	struct text text = { 0 };
	struct error unused;
	struct lines lines;
	struct line line;
	char number[48];

	snprintf(number, sizeof(number), "%u:%u", major(device), minor(device));
	if (procfs_read(pid, "mountinfo", MOUNTS_LIMIT, &text, &unused))
		return;
	lines = lines_over(text.bytes, text.len);
	while (lines_next(&lines, &line)) {
		if (may_stall(type_of(line)))
			m->has_stalling = true;
		else if (line_is(word_of(line, 2), number))
			m->has_device = true;
	}
	text_release(&text);
}

/*
 * A file may be of a mount that is not there any more, or below another (a
 * union's): what is not known is not trusted.
 */
static bool is_trusted(const struct target_files *t, const struct mapping *m)
{
	struct mounts theirs = { 0 }, ours = { 0 };

	look_at_mounts(&theirs, t->jvm->pid, m ? m->dev : 0);
	if (!m)
		return !theirs.has_stalling;
	if (!theirs.has_device)
		look_at_mounts(&ours, getpid(), m->dev);
	return theirs.has_device || ours.has_device;
}

static bool has_stalled(const struct target_files *t, uint64_t device)
{
	for (size_t i = 0; i < t->stalled_count; i++) {
		if (t->stalled[i] == device)
			return true;
	}
	return t->stalled_count == TARGET_FILES_STALLED;
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
	return fail(o->why, ERROR_INPUT, "%s: too large", o->path);
}

static _Noreturn void copy_in_child(const struct opening *o, int to,
				    pid_t parent)
{
	static const int ignored[] = { SIGINT,  SIGHUP,  SIGQUIT,
				       SIGTERM, SIGUSR1, SIGUSR2,
				       SIGTSTP, SIGPIPE, SIGXFSZ };
	sigset_t none;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Who reads our output waits for its end, not for one that is stuck. */
	for (fd = 0; fd <= STDERR_FILENO; fd++)
		close(fd);
	if (getppid() != parent)
		quick_exit(ESRCH);
	fd = open_it(o, o->why);
	/* The parent's buffers and handlers at exit are not ours to run. */
	quick_exit(fd < 0 || copy(fd, to, o));
}

/* As long as something comes, or it has no CPU; true when it has ended. */
static bool await(pid_t child, int to, int *status)
{
	int64_t end = clock_monotonic_ns() + LONGEST_NS;
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

/* Takes the copy, or fails; with ETIMEDOUT when it has not come. */
static int take_copy(const struct opening *o, int to, struct error *err)
{
	pid_t child = start(o, to);
	int status = 0;

	if (child < 0)
		return fail_sys(err, ERROR_FAILED, "fork");
	if (await(child, to, &status)) {
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			return to;
		*err = *o->why;
		return -1;
	}
	kill(child, SIGKILL);
	reap_until(child, NULL, clock_monotonic_ns() + ENDING_NS);
	errno = ETIMEDOUT;
	return fail_sys(err, ERROR_PARTIAL, "%s", o->path);
}

static int open_copy(struct opening *o, struct error *err)
{
	int to = memfd_create("file", MFD_CLOEXEC), fd;

	if (to < 0)
		return fail_sys(err, ERROR_FAILED, "memfd_create");
	o->why = mmap(NULL, sizeof(*o->why), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->why == MAP_FAILED)
		alloc_give_up(sizeof(*o->why));
	fail(o->why, ERROR_FAILED, "%s: its reader has ended", o->path);
	fd = take_copy(o, to, err);
	munmap(o->why, sizeof(*o->why));
	if (fd < 0)
		close(to);
	return fd;
}

static int open_either(struct target_files *t, struct opening *o,
		       uint64_t device, struct error *err)
{
	int fd;

	if (has_stalled(t, device)) {
		t->missed++;
		errno = ETIMEDOUT;
		return fail_sys(err, ERROR_PARTIAL, "%s", o->path);
	}
	if (is_trusted(t, o->mapping))
		return open_it(o, err);
	fd = open_copy(o, err);
	if (fd < 0 && err->sys == ETIMEDOUT) {
		t->stalled[t->stalled_count++] = device;
		t->missed++;
	}
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
