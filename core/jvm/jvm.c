/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/jvm.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Looks at a process that seems to be ending, 20 ms apart. */
#define ENDING_LOOKS 25

static int pidfd_open_pid(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static bool pidfd_has_ended(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/*
 * If /proc belongs to another PID namespace, PIDs mean other processes and
 * signals would reach the wrong process.
 */
static int jvm_check_proc(struct error *err)
{
	char self[32];
	ssize_t len = readlink("/proc/self", self, sizeof(self) - 1);

	if (len < 0)
		return fail(err, ERROR_UNAVAILABLE, "/proc is not mounted");
	self[len] = '\0';
	if (strtol(self, NULL, 10) != getpid())
		return fail(err, ERROR_UNAVAILABLE,
			    "/proc belongs to another PID namespace; its PIDs "
			    "are not valid here");
	return 0;
}

/* Reads device and inode of a link of /proc/PID; false if unreadable. */
static bool pid_read_identity(pid_t pid, const char *name, struct stat *st)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)procfs_owner(pid),
		 name);
	return procfs_identify(AT_FDCWD, path, st);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns true if the process's root directory or mounts differ from sjkc's. */
static bool pid_has_own_root(pid_t pid)
{
	struct stat target, own;

	if (pid_read_identity(pid, "root/.", &target) && stat("/", &own) == 0 &&
	    !same_file(&target, &own))
		return true;
	return pid_read_identity(pid, "ns/mnt", &target) &&
	       stat("/proc/self/ns/mnt", &own) == 0 &&
	       !same_file(&target, &own);
}

static void jvm_set_status(struct jvm *jvm, const struct proc_status *status)
{
	size_t depth = status->ns_depth;

	jvm->ns_pid = depth ? status->ns_pids[depth - 1] : jvm->pid;
	jvm->own_pid_ns = depth > 1;
	jvm->uid = status->uid;
	jvm->gid = status->gid;
}

/*
 * Reads the status. When a process is killed, its first thread may end some
 * moments before the others, which is not the state of a process that goes on
 * without its first thread.
 */
static int jvm_read_status(pid_t pid, struct proc_status *status,
			   struct error *err)
{
	const struct timespec moment = { .tv_nsec = 20 * CLOCK_NS_PER_MS };

	for (int i = 0;; i++) {
		if (procfs_status(pid, status, err))
			return -1;
		if (status->state != 'Z' || status->threads <= 1 ||
		    i == ENDING_LOOKS)
			return 0;
		nanosleep(&moment, NULL);
	}
}

/*
 * Recognizes a JVM of sjkc's user that the kernel hides from sjkc, because its
 * group or capabilities differ. The JVM writes its counters to /tmp while it
 * runs; an older file of the name belongs to another process.
 */
static bool jvm_has_counters_here(const struct jvm *jvm,
				  const struct proc_status *status)
{
	const int64_t hz = sysconf(_SC_CLK_TCK);
	const struct passwd *user = getpwuid(geteuid());
	struct timespec boot, now;
	char path[PATH_MAX];
	struct stat st;

	if (jvm->own_pid_ns || jvm->uid != geteuid() || !user ||
	    !jvm_kind_may_be(status))
		return false;
	snprintf(path, sizeof(path), "/tmp/hsperfdata_%s/%d", user->pw_name,
		 (int)jvm->pid);
	if (lstat(path, &st) || !S_ISREG(st.st_mode) || st.st_uid != jvm->uid)
		return false;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &now);
	return st.st_mtim.tv_sec + 2 >=
	       now.tv_sec - boot.tv_sec + (int64_t)jvm->start_ticks / hz;
}

/* Fills all members except pidfd; *status is the status read for it. */
static int jvm_inspect(struct jvm *jvm, struct proc_status *status,
		       struct error *err)
{
	pid_t pid = jvm->pid;
	struct proc_stat stat_now;
	struct stat exe;

	if (jvm_read_status(pid, status, err))
		return -1;
	if (status->tgid != pid)
		return fail(err, ERROR_MISUSE,
			    "%d is a thread of process %d; use the process ID",
			    (int)pid, (int)status->tgid);
	if ((status->state == 'Z' && !procfs_use_thread(pid)) ||
	    status->state == 'X')
		return fail(err, ERROR_NO_TARGET,
			    "%d has exited (it is a zombie until its parent "
			    "reaps it)",
			    (int)pid);
	jvm_set_status(jvm, status);
	if (procfs_stat(pid, &stat_now, err))
		return -1;
	jvm->start_ticks = stat_now.start_ticks;
	if (jvm_kind_of(pid, status, &jvm->kind, err)) {
		jvm->is_hidden = err->kind == ERROR_PERMISSION &&
				 jvm_has_counters_here(jvm, status);
		if (!jvm->is_hidden)
			return -1;
		jvm->kind = JVM_HOTSPOT;
	}
	jvm->own_root = pid_has_own_root(pid);
	if (pid_read_identity(pid, "exe", &exe)) {
		jvm->exe_dev = exe.st_dev;
		jvm->exe_ino = exe.st_ino;
	}
	return 0;
}

static int jvm_open_pid(struct jvm *jvm, pid_t pid, struct proc_status *status,
			struct error *err)
{
	*jvm = (struct jvm){ .pid = pid, .pidfd = -1 };
	if (pid <= 0)
		return fail(err, ERROR_MISUSE, "invalid PID '%d'", (int)pid);
	if (jvm_check_proc(err))
		return -1;
	jvm->pidfd = pidfd_open_pid(pid);
	if (jvm_inspect(jvm, status, err))
		goto failed;
	/*
	 * The facts are those of the process that the pidfd refers to only if
	 * that process still runs. Kernels before 5.3 have no pidfd, so start
	 * time and exe must suffice.
	 */
	if (jvm->pidfd >= 0 && pidfd_has_ended(jvm->pidfd)) {
		fail(err, ERROR_NO_TARGET, "%d has exited", (int)pid);
		goto failed;
	}
	return 0;
failed:
	jvm_close(jvm);
	return -1;
}

int jvm_open(struct jvm *jvm, pid_t pid, struct error *err)
{
	struct proc_status status;

	return jvm_open_pid(jvm, pid, &status, err);
}

void jvm_close(struct jvm *jvm)
{
	/* Zeroed storage has no pidfd; 0 is standard input. */
	if (jvm->pid && jvm->pidfd >= 0)
		close(jvm->pidfd);
	jvm->pidfd = -1;
}

/* Without a pidfd, the start time identifies the process. */
static bool jvm_is_same_process(const struct jvm *jvm)
{
	struct proc_stat now;

	/* Also cheaper: /proc/PID/stat adds up all threads. */
	if (jvm->pidfd >= 0)
		return !pidfd_has_ended(jvm->pidfd);
	return procfs_stat(jvm->pid, &now, error_unused()) == 0 &&
	       now.start_ticks == jvm->start_ticks && now.state != 'X' &&
	       (now.state != 'Z' || procfs_use_thread(jvm->pid));
}

bool jvm_runs(const struct jvm *jvm)
{
	struct stat exe;

	if (!jvm_is_same_process(jvm))
		return false;
	/* execve(2) keeps the PID and the start time. */
	return !jvm->exe_ino || !pid_read_identity(jvm->pid, "exe", &exe) ||
	       (exe.st_dev == jvm->exe_dev && exe.st_ino == jvm->exe_ino);
}

bool jvm_is_ending(const struct jvm *jvm)
{
	struct proc_status status;

	if (!jvm_runs(jvm))
		return true;
	return procfs_status(procfs_owner(jvm->pid), &status, error_unused()) ||
	       status.rss_bytes == 0;
}

int jvm_fail_ended(const struct jvm *jvm, struct error *err)
{
	return fail(err, ERROR_NO_TARGET, "%d: the JVM has exited",
		    (int)jvm->pid);
}

int jvm_open_java(struct jvm *jvm, pid_t pid, struct error *err)
{
	struct proc_status status;

	if (jvm_open_pid(jvm, pid, &status, err))
		return -1;
	if (jvm->kind != JVM_NONE)
		return 0;
	jvm_kind_explain(pid, err);
	jvm_close(jvm);
	return -1;
}

/* Returns the PID in the name of a directory of /proc, or 0. */
static pid_t pid_parse(const char *name)
{
	char *end;
	long pid;

	if (!is_digit(name[0]))
		return 0;
	pid = strtol(name, &end, 10);
	return *end || pid > INT32_MAX ? 0 : (pid_t)pid;
}

/* Kernel threads and zombies have no command line. */
static bool pid_has_command_line(pid_t pid)
{
	struct text text = { 0 };
	bool has = procfs_read(pid, "cmdline", 1, &text, error_unused()) == 0 &&
		   text.len;

	text_release(&text);
	return has;
}

/* If the status is not readable either, the process may be a JVM. */
static bool pid_may_be_one(pid_t pid)
{
	struct proc_status status;

	return procfs_status(pid, &status, error_unused()) ||
	       jvm_kind_may_be(&status);
}

/*
 * Fails if sjkc ran out of a resource; otherwise the list would lack processes.
 */
static int list_fail_if_starved(const struct error *why, struct error *err)
{
	if (why->sys != EMFILE && why->sys != ENFILE)
		return 0;
	*err = *why;
	return -1;
}

static int list_add_pid(struct jvm_list *list, pid_t pid, struct error *err)
{
	struct proc_status status;
	struct jvm jvm;
	struct error why = { 0 };
	enum jvm_kind kind;

	/* Most processes are not JVMs, so check this first. */
	if (jvm_kind_of(pid, NULL, &kind, &why) == 0) {
		if (kind == JVM_NONE)
			return 0;
	} else if (why.kind != ERROR_PERMISSION || !pid_has_command_line(pid) ||
		   !pid_may_be_one(pid)) {
		return list_fail_if_starved(&why, err);
	}
	if (jvm_open_pid(&jvm, pid, &status, &why)) {
		if (why.kind == ERROR_PERMISSION) {
			list->hidden++;
			list->hidden_pid = pid;
		}
		return list_fail_if_starved(&why, err);
	}
	array_add(list->jvms, list->count, list->cap, jvm);
	return 0;
}

static int compare_pid(const void *a, const void *b)
{
	const struct jvm *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void jvm_list_release(struct jvm_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		jvm_close(&list->jvms[i]);
	free(list->jvms);
	*list = (struct jvm_list){ 0 };
}

/* ---- all JVMs ---- */

static DIR *list_open_proc(struct error *err)
{
	DIR *proc;

	if (jvm_check_proc(err))
		return NULL;
	proc = opendir("/proc");
	if (!proc)
		fail_sys(err, ERROR_UNAVAILABLE, "/proc");
	return proc;
}

static void list_sort(struct jvm_list *list)
{
	if (list->count)
		qsort(list->jvms, list->count, sizeof(*list->jvms),
		      compare_pid);
}

int jvm_list(struct jvm_list *list, struct error *err)
{
	struct dirent *entry;
	int ret = 0;
	DIR *proc;

	*list = (struct jvm_list){ 0 };
	proc = list_open_proc(err);
	if (!proc)
		return -1;
	while (ret == 0 && (entry = readdir(proc))) {
		pid_t pid = pid_parse(entry->d_name);

		if (pid)
			ret = list_add_pid(list, pid, err);
	}
	closedir(proc);
	if (ret) {
		jvm_list_release(list);
		return -1;
	}
	/* Each PID namespace has a process 1. */
	list->hides = access("/proc/1", F_OK) < 0;
	list_sort(list);
	return 0;
}

/* ---- a search that is repeated ---- */

#define SEEN_LONGEST_NS (30 * CLOCK_NS_PER_S)

/* A process at the last search. */
struct jvm_seen {
	pid_t pid;
	/* Of /proc/PID: another process with this PID has another inode. */
	ino_t proc_ino;
	dev_t exe_dev;
	ino_t exe_ino; /* 0 = unreadable, as that of a kernel thread */
	int64_t since_ns, next_ns;
	bool is_settled, is_excluded;
};

static int compare_seen(const void *a, const void *b)
{
	const struct jvm_seen *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct jvm_seen *search_find(const struct jvm_search *s, pid_t pid)
{
	const struct jvm_seen key = { .pid = pid };

	return s->count ? bsearch(&key, s->all, s->count, sizeof(key),
				  compare_seen)
			: NULL;
}

/* Fills in a process as it is now; false if it has ended. */
static bool seen_read(struct jvm_seen *seen, int proc, pid_t pid,
		      int64_t now_ns)
{
	struct stat st;
	char name[32];

	*seen = (struct jvm_seen){ .pid = pid, .since_ns = now_ns };
	snprintf(name, sizeof(name), "%d", (int)pid);
	if (fstatat(proc, name, &st, 0) < 0)
		return false;
	seen->proc_ino = st.st_ino;
	snprintf(name, sizeof(name), "%d/exe", (int)pid);
	if (procfs_identify(proc, name, &st)) {
		seen->exe_dev = st.st_dev;
		seen->exe_ino = st.st_ino;
	}
	return true;
}

static bool seen_is_same(const struct jvm_seen *a, const struct jvm_seen *b)
{
	return a->proc_ino == b->proc_ino && a->exe_dev == b->exe_dev &&
	       a->exe_ino == b->exe_ino;
}

/* Inspects a process unless that is not due; its entry becomes *seen. */
static int search_check(const struct jvm_search *s, struct jvm_seen *seen,
			struct jvm_list *list, struct error *err)
{
	const struct jvm_seen *before = search_find(s, seen->pid);
	int64_t now_ns = seen->since_ns, wait_ns;
	size_t count = list->count;
	int ret;

	if (before && seen_is_same(before, seen)) {
		*seen = *before;
		if (seen->is_settled || now_ns < seen->next_ns)
			return 0;
	}
	ret = list_add_pid(list, seen->pid, err);
	wait_ns = (now_ns - seen->since_ns) / 2;
	if (wait_ns > SEEN_LONGEST_NS)
		wait_ns = SEEN_LONGEST_NS;
	seen->next_ns = list->count > count ? 0 : now_ns + wait_ns;
	return ret;
}

int jvm_search_next(struct jvm_search *s, struct jvm_list *list,
		    struct error *err)
{
	int64_t now_ns = clock_monotonic_ns();
	struct jvm_search now = { 0 };
	struct dirent *entry;
	size_t cap = 0;
	int ret = 0;
	DIR *proc;

	*list = (struct jvm_list){ 0 };
	proc = list_open_proc(err);
	if (!proc)
		return -1;
	while (ret == 0 && (entry = readdir(proc))) {
		pid_t pid = pid_parse(entry->d_name);

		if (!pid)
			continue;
		array_reserve(now.all, cap, now.count + 1);
		if (!seen_read(&now.all[now.count], dirfd(proc), pid, now_ns))
			continue;
		ret = search_check(s, &now.all[now.count++], list, err);
	}
	closedir(proc);
	if (now.count)
		qsort(now.all, now.count, sizeof(*now.all), compare_seen);
	jvm_search_release(s);
	*s = now;
	if (ret)
		jvm_list_release(list);
	else
		list_sort(list);
	return ret;
}

void jvm_search_settle(struct jvm_search *s, pid_t pid)
{
	struct jvm_seen *seen = search_find(s, pid);

	if (seen)
		seen->is_settled = true;
}

void jvm_search_exclude(struct jvm_search *s, pid_t pid)
{
	struct jvm_seen *seen = search_find(s, pid);

	if (seen)
		seen->is_settled = seen->is_excluded = true;
}

size_t jvm_search_excluded(const struct jvm_search *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += s->all[i].is_excluded;
	return count;
}

void jvm_search_release(struct jvm_search *s)
{
	free(s->all);
	*s = (struct jvm_search){ 0 };
}

void jvm_poll_ended(const struct jvm *const *jvms, bool *ended, size_t count)
{
	struct pollfd *fds = xcalloc(count + 1, sizeof(*fds));

	for (size_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){ .fd = jvms[i]->pidfd,
					  .events = POLLIN };
	poll(fds, count, 0);
	for (size_t i = 0; i < count; i++)
		ended[i] = jvms[i]->pidfd >= 0 ? fds[i].revents != 0
					       : !jvm_is_same_process(jvms[i]);
	free(fds);
}
