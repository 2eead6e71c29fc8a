/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/opener.h"

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PART       ((size_t)64 << 10)
#define WAIT_NS    CLOCK_NS_PER_S /* without progress */
#define SUSPECT_NS (CLOCK_NS_PER_S / 10)
#define LONGEST_NS (5 * CLOCK_NS_PER_S) /* for a request */
#define AVOIDED_NS (60 * CLOCK_NS_PER_S)
/* After so many waits of WAIT_NS in AVOIDED_NS, all targets are suspect. */
enum { TRUSTED_STALLS = 4 };
/*
 * Children that cannot be killed. A container may have any number of mount
 * namespaces, so their limit is that of an owner: with more, its requests are
 * not served. With STALLED_MAX, which needs 128 owners, no request is.
 */
enum { STALLED_MAX = 1024, STALLED_OF_OWNER = 8 };
/*
 * Maximum time that the files of an owner may block in AVOIDED_NS, for file
 * systems that respond, but slowly.
 */
#define BLOCKED_NS (10 * CLOCK_NS_PER_S)
#define IGNORED_NS (10 * CLOCK_NS_PER_MS)
enum { SLOW_OWNERS = 64 };

/* Memory that the child shares with its parent. */
struct area {
	struct jvm jvm;
	pid_t owner; /* the thread that has its files; procfs_owner() */
	opener_job *job;
	opener_copy *copy;
	size_t copy_max, copied;
	int64_t blocked_ns;
	bool copies, is_copy;
	int result; /* 0 = a descriptor */
	struct error err;
	_Alignas(max_align_t) char argument[OPENER_ARGUMENT];
};

struct stalled {
	uint64_t owner, target, place;
	int64_t until_ns;
	pid_t stuck;  /* the blocked child; 0 = it has ended */
	bool is_long; /* the request waited for WAIT_NS */
};

struct slow {
	uint64_t owner;
	int64_t until_ns, blocked_ns;
};

static struct {
	pid_t parent; /* the process that started the child; 0 = none */
	bool is_child;
	struct child child;
	struct area *area;
	struct stalled stalled[STALLED_MAX];
	size_t stalled_count;
	struct slow slow[SLOW_OWNERS];
	bool has_slow;
	opener_report *report;
} opener;

/* ---- the child ---- */

/*
 * Returns true when reads of an open file wait for no other process or machine:
 * it is in memory, on a block device, which only an administrator can mount, or
 * on a file system that sjkc runs from. fstatfs(2) itself may block.
 */
static bool file_is_local(int fd)
{
	/* memory, and disks of several devices */
	static const uint32_t local[] = {
		TMPFS_MAGIC,        RAMFS_MAGIC,         HUGETLBFS_MAGIC,
		CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
		0x2fc12fc1, /* ZFS */
		0xca451a4e, /* bcachefs */
	};
	struct statfs fs;
	struct stat st, own;

	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++) {
		if (local[i] == (uint32_t)fs.f_type)
			return true;
	}
	/* FUSE may have a device, too. */
	if (major(st.st_dev) != 0 && fs.f_type != FUSE_SUPER_MAGIC)
		return true;
	return (stat("/", &own) == 0 && own.st_dev == st.st_dev) ||
	       (stat("/proc/self/exe", &own) == 0 && own.st_dev == st.st_dev);
}

bool opener_is_lasting(long type)
{
	static const long known[] = {
		TMPFS_MAGIC,      RAMFS_MAGIC,          EXT4_SUPER_MAGIC,
		XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,    OVERLAYFS_SUPER_MAGIC,
		F2FS_SUPER_MAGIC, 0x2fc12fc1 /* ZFS */,
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (type == known[i])
			return true;
	}
	return false;
}

static int file_copy_to(struct area *a, int from, int to)
{
	static char part[PART];
	ssize_t got;

	if (a->copy)
		return a->copy(from, to, a->copy_max, &a->copied, &a->err);
	while ((got = read(from, part, sizeof(part)))) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_sys(&a->err, ERROR_FAILED,
					"%d: cannot read a file",
					(int)a->jvm.pid);
		if ((size_t)got > a->copy_max - a->copied)
			return fail(&a->err, ERROR_PARTIAL,
				    "%d: a file is larger than %zu bytes",
				    (int)a->jvm.pid, a->copy_max);
		if (write(to, part, (size_t)got) != got)
			return fail_sys(&a->err, ERROR_FAILED,
					"%d: cannot copy a file",
					(int)a->jvm.pid);
		a->copied += (size_t)got;
	}
	return 0;
}

static int file_seal(struct area *a, int to)
{
	if (fcntl(to, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) <
	    0)
		return fail_sys(&a->err, ERROR_FAILED, "F_ADD_SEALS");
	return 0;
}

/* Returns a copy of a file, which it closes. */
static int file_copy(struct area *a, int from)
{
	int to = memfd_create("file", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (to < 0)
		fail_sys(&a->err, ERROR_FAILED, "memfd_create");
	else if (file_copy_to(a, from, to) || file_seal(a, to) ||
		 lseek(to, 0, SEEK_SET) < 0) {
		close(to);
		to = -1;
	}
	close(from);
	return to;
}

/* Returns the CPU time of this process, with its time in run queues. */
static int64_t busy_ns(void)
{
	int fd = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	char text[64] = "", *end = text;
	int64_t ns = 0;

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		ns = strtoll(text, &end, 10) + strtoll(end, NULL, 10);
	if (fd >= 0)
		close(fd);
	return ns;
}

/* Runs the job of the area; returns its descriptor, or -1. */
static int area_run(struct area *a)
{
	struct stat st;
	int fd;

	if (a->owner != a->jvm.pid)
		procfs_use_thread(a->jvm.pid);
	fd = a->job(&a->jvm, a->argument, &a->err);
	if (fd >= 0 && (a->copies || !file_is_local(fd))) {
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
			fd = file_copy(a, fd);
		a->is_copy = true;
	}
	a->result = fd >= 0 ? 0 : fd;
	return fd >= 0 ? fd : -1;
}

static int opener_serve(void *self, int channel, struct error *err)
{
	char word;

	(void)err;
	opener.is_child = true;
	while (child_hear(channel, INT64_MAX, &word) == CHILD_TOLD) {
		struct area *a = self;
		int64_t began_ns = clock_monotonic_ns() - busy_ns();
		int fd = area_run(a);

		a->blocked_ns = clock_monotonic_ns() - busy_ns() - began_ns;
		if (child_tell(channel, word, fd))
			break;
		if (fd >= 0)
			close(fd);
	}
	return CHILD_NOTHING;
}

/* ---- file systems that do not respond ---- */

/*
 * A container has one mount namespace, whatever the number of its processes.
 * Processes in the namespace of sjkc are told apart.
 */
static uint64_t stalled_target(const struct jvm *jvm)
{
	char path[32];
	struct stat own, st;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)jvm->pid);
	if (stat(path, &st) == 0 && stat("/proc/self/ns/mnt", &own) == 0 &&
	    st.st_ino != own.st_ino)
		return st.st_ino;
	return jvm->start_ticks << 32 | (uint64_t)jvm->pid;
}

/*
 * Returns the inode of the outermost PID namespace of a process below that of
 * sjkc, which it cannot leave; 0 = it is in that of sjkc, or has ended.
 */
static uint64_t pid_namespace(const struct jvm *jvm)
{
	char path[32];
	struct stat own, st;
	uint64_t outermost = 0;
	int fd, parent;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)jvm->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (stat("/proc/self/ns/pid", &own) < 0)
		own.st_ino = 0;
	while (fd >= 0 && fstat(fd, &st) == 0 && st.st_ino != own.st_ino) {
		outermost = st.st_ino;
		parent = ioctl(fd, NS_GET_PARENT);
		close(fd);
		fd = parent;
	}
	if (fd >= 0)
		close(fd);
	return outermost;
}

/* Returns the container or the user of a process; root has many services. */
static uint64_t stalled_owner(const struct jvm *jvm, uint64_t target)
{
	uint64_t container = pid_namespace(jvm);

	if (container)
		return container;
	return jvm->uid ? 1ULL << 63 | jvm->uid : target;
}

/* Forgets old stalls whose children have ended. */
static void stalled_renew(void)
{
	int64_t now_ns = clock_monotonic_ns();
	size_t left = 0;

	for (size_t i = 0; i < opener.stalled_count; i++) {
		struct stalled *s = &opener.stalled[i];

		if (s->stuck && child_reap(s->stuck, NULL, 0))
			s->stuck = 0;
		if (s->stuck || s->until_ns > now_ns)
			opener.stalled[left++] = *s;
	}
	opener.stalled_count = left;
}

/*
 * Returns how long to wait for a target's file system; 0 if it has stalled, or
 * if there are too many blocked children. A file system with a blocked child
 * has not responded since.
 */
static int64_t stalled_wait_ns(const struct opening *o, uint64_t owner,
			       uint64_t target)
{
	int64_t now_ns = clock_monotonic_ns(), wait_ns = WAIT_NS;
	size_t recent = 0, count = 0;

	if (opener.stalled_count == STALLED_MAX)
		return 0;
	for (size_t i = 0; i < opener.stalled_count; i++) {
		const struct stalled *s = &opener.stalled[i];

		if ((s->target == target && s->place == o->place) ||
		    (s->owner == owner && ++count == STALLED_OF_OWNER))
			return 0;
		recent += s->is_long && s->until_ns > now_ns;
		if (s->owner == owner || recent >= TRUSTED_STALLS)
			wait_ns = SUSPECT_NS;
	}
	return wait_ns;
}

/* Returns the entry of an owner, or one to replace. */
static struct slow *slow_find(uint64_t owner)
{
	int64_t now_ns = clock_monotonic_ns();
	struct slow *found = opener.slow;

	for (size_t i = 0; i < SLOW_OWNERS; i++) {
		struct slow *s = &opener.slow[i];

		if (s->until_ns <= now_ns)
			*s = (struct slow){ 0 };
		if (s->until_ns && s->owner == owner)
			return s;
		if (s->blocked_ns < found->blocked_ns)
			found = s;
	}
	return found;
}

/* Adds to the time of an owner; what a sound file system needs is ignored. */
static void slow_add(const struct jvm *jvm, int64_t blocked_ns)
{
	uint64_t owner;
	struct slow *s;

	if (blocked_ns < IGNORED_NS)
		return;
	owner = stalled_owner(jvm, stalled_target(jvm));
	s = slow_find(owner);
	opener.has_slow = true;
	if (!s->until_ns || s->owner != owner)
		*s = (struct slow){
			.owner = owner,
			.until_ns = clock_monotonic_ns() + AVOIDED_NS,
		};
	if (s->blocked_ns < BLOCKED_NS &&
	    s->blocked_ns + blocked_ns >= BLOCKED_NS && opener.report)
		opener.report(jvm);
	s->blocked_ns += blocked_ns;
}

static bool slow_is(uint64_t owner)
{
	const struct slow *s = slow_find(owner);

	return s->owner == owner && s->blocked_ns >= BLOCKED_NS;
}

static int stalled_fail(const struct jvm *jvm, struct error *err)
{
	fail(err, ERROR_REFUSED, "%d: its file system does not respond",
	     (int)jvm->pid);
	err->sys = ETIMEDOUT;
	return -1;
}

/* Returns how long to wait for a request; 0 if it must not be tried. */
static int64_t request_wait_ns(const struct opening *o)
{
	uint64_t target, owner;

	stalled_renew();
	if (!opener.stalled_count && !opener.has_slow)
		return WAIT_NS;
	target = stalled_target(o->jvm);
	owner = stalled_owner(o->jvm, target);
	return slow_is(owner) ? 0 : stalled_wait_ns(o, owner, target);
}

bool opener_avoids(const struct jvm *jvm, uint64_t place)
{
	const struct opening o = { .jvm = jvm, .place = place };

	return !request_wait_ns(&o);
}

/* ---- the parent ---- */

static void opener_end(void)
{
	child_end(&opener.child, 0);
	child_memory_free(opener.area, sizeof(*opener.area));
	opener.area = NULL;
	opener.child = (struct child){ .channel = -1 };
	opener.parent = 0;
}

/* The child of the parent of this process serves only that parent. */
static int opener_start(struct error *err)
{
	const struct child_options options = { .dies_with_parent = true };

	if (opener.parent == getpid())
		return 0;
	if (opener.parent) {
		child_memory_free(opener.area, sizeof(*opener.area));
		opener.report = NULL;
		/* The blocked children are the parent's. */
		for (size_t i = 0; i < opener.stalled_count; i++)
			opener.stalled[i].stuck = 0;
	}
	opener.parent = getpid();
	/* Each child has its own area: a killed one may still write. */
	opener.area = child_memory(sizeof(*opener.area));
	if (child_start(&opener.child, &options, opener_serve, opener.area,
			err)) {
		opener_end();
		return -1;
	}
	return 0;
}

static void opener_lose(const struct opening *o, int64_t waited_ns)
{
	uint64_t target = stalled_target(o->jvm);
	struct stalled *s = &opener.stalled[opener.stalled_count];
	pid_t pid = opener.child.pid;
	bool is_first = true;

	for (size_t i = 0; i < opener.stalled_count; i++)
		is_first &= opener.stalled[i].target != target;
	opener.stalled_count++;

	*s = (struct stalled){
		.owner = stalled_owner(o->jvm, target),
		.target = target,
		.place = o->place,
		.until_ns = clock_monotonic_ns() + AVOIDED_NS,
		.is_long = waited_ns == WAIT_NS,
	};
	if (!child_end(&opener.child, 0))
		s->stuck = pid;
	opener.child.pid = 0;
	opener_end();
	if (is_first && opener.report)
		opener.report(o->jvm);
}

/* Waits as long as the child makes progress or has no CPU time. */
static enum child_news opener_await(int64_t wait_ns, int *fd, struct error *err)
{
	int64_t end_ns = clock_monotonic_ns() + LONGEST_NS;
	size_t had = 0;

	for (;;) {
		struct proc_stat stat;
		int64_t until_ns = clock_monotonic_ns() + wait_ns;
		enum child_news news = child_wait(&opener.child, until_ns, fd,
						  err);
		size_t copied = opener.area->copied;

		if (news != CHILD_SILENT || until_ns >= end_ns ||
		    (copied == had &&
		     (procfs_stat(opener.child.pid, &stat, error_unused()) ||
		      stat.state != 'R')))
			return news;
		had = copied;
	}
}

static void area_set(struct area *a, const struct opening *o)
{
	a->jvm = *o->jvm;
	a->jvm.pidfd = -1; /* the child has no copy of it */
	a->owner = procfs_owner(o->jvm->pid);
	a->job = o->job;
	a->copy = o->copy;
	a->copy_max = o->copy_max;
	a->copied = 0;
	a->copies = o->copies;
	a->is_copy = false;
	if (o->size)
		memcpy(a->argument, o->argument, o->size);
}

static int area_finish(const struct area *a, struct opening *o, int fd,
		       struct error *err)
{
	if (o->size)
		memcpy(o->argument, a->argument, o->size);
	o->is_copy = a->is_copy;
	if (a->result == -1)
		*err = a->err;
	return a->result ? a->result : fd;
}

/* In the child, and in the children of sjkc that run a job of their own. */
static int opener_run_here(struct opening *o, struct error *err)
{
	struct area *a = child_memory(sizeof(*a));
	int fd;

	area_set(a, o);
	fd = area_finish(a, o, area_run(a), err);
	child_memory_free(a, sizeof(*a));
	return fd;
}

/* Sends the request, to a new child if the last one has been killed. */
static int opener_request(const struct opening *o, struct error *err)
{
	for (int i = 0; i < 2; i++) {
		if (opener_start(err))
			return -1;
		area_set(opener.area, o);
		if (child_tell(opener.child.channel, 'r', -1) == 0)
			return 0;
		opener_end();
	}
	return fail(err, ERROR_FAILED, "cannot reach the helper process");
}

int opener_run(struct opening *o, struct error *err)
{
	enum child_news news;
	int64_t limit_ns;
	int fd = -1;

	if (opener.is_child)
		return opener_run_here(o, err);
	limit_ns = request_wait_ns(o);
	if (!limit_ns)
		return stalled_fail(o->jvm, err);
	if (opener_request(o, err))
		return -1;
	news = opener_await(limit_ns, &fd, err);
	if (news == CHILD_TOLD) {
		slow_add(o->jvm, opener.area->blocked_ns);
		return area_finish(opener.area, o, fd, err);
	}
	if (news == CHILD_SILENT) {
		opener_lose(o, limit_ns);
		return stalled_fail(o->jvm, err);
	}
	opener_end();
	return -1;
}

void opener_on_stall(opener_report *report) { opener.report = report; }
