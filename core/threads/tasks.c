/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/tasks.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the process ---- */

#define NO_CLOCK ((clockid_t)-1)

/* Parses count numbers separated by spaces; false if there are fewer. */
static bool task_numbers(const char *text, size_t len, uint64_t *values,
			 size_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t value = 0;
		size_t from;

		while (at < len && is_blank(text[at]))
			at++;
		for (from = at; at < len && is_digit(text[at]); at++)
			value = value * 10 + (uint64_t)(text[at] - '0');
		if (at == from)
			return false;
		values[i] = value;
	}
	return true;
}

/* Reads from the start of a file of /proc; retries after signals. */
static ssize_t task_read(int fd, char *buf, size_t size)
{
	ssize_t got;

	do {
		got = pread(fd, buf, size, 0);
	} while (got < 0 && errno == EINTR);
	return got;
}

uint64_t task_tick_ns(void)
{
	return CLOCK_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
}

static int process_has_ended(const struct task_process *p, struct error *err)
{
	return fail(err, ERROR_NO_TARGET, "process %d has exited",
		    (int)p->jvm->pid);
}

/*
 * execve(2) keeps the PID and the start time. An unreadable link proves
 * nothing.
 */
static bool process_runs_another(const struct jvm *jvm)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe",
		 (int)procfs_owner(jvm->pid));
	return jvm->exe_ino && procfs_identify(AT_FDCWD, path, &st) &&
	       (st.st_ino != jvm->exe_ino || st.st_dev != jvm->exe_dev);
}

static uint64_t process_read_rss(int statm)
{
	uint64_t
		pages[2]; /* sizes of the address space and the resident part */
	char buf[128];
	ssize_t got = statm < 0 ? -1 : task_read(statm, buf, sizeof(buf));

	if (got <= 0 || !task_numbers(buf, (size_t)got, pages, 2))
		return 0;
	return pages[1] * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* CPU time in ns; 0 = unknown. */
static uint64_t process_read_clock(clockid_t clock)
{
	struct timespec cpu;

	if (clock == NO_CLOCK || clock_gettime(clock, &cpu))
		return 0;
	return (uint64_t)cpu.tv_sec * CLOCK_NS_PER_S + (uint64_t)cpu.tv_nsec;
}

static int process_read_stat(const struct task_process *p,
			     struct proc_stat *stat, struct error *err)
{
	char buf[1024];
	ssize_t got = task_read(p->stat, buf, sizeof(buf));

	if (got < 0 && errno == ESRCH)
		return process_has_ended(p, err);
	if (got <= 0 || !procfs_parse_stat(buf, (size_t)got, stat))
		return fail_sys(err, ERROR_FAILED, "/proc/%d/stat",
				(int)p->jvm->pid);
	/* The first thread may end before the others. */
	if ((stat->state == 'Z' || stat->state == 'X') && stat->threads <= 1)
		return process_has_ended(p, err);
	return 0;
}

/*
 * Reads the counters again. ERROR_NO_TARGET if the process has ended or become
 * another program (execve(2)).
 */
static int task_process_read(struct task_process *p, struct error *err)
{
	/*
	 * The clock is that of the PID. If the process still runs afterwards,
	 * the time is its own.
	 */
	uint64_t cpu_ns = process_read_clock(p->clock);
	struct proc_stat stat = { 0 };

	if (process_read_stat(p, &stat, err))
		return -1;
	if (process_runs_another(p->jvm))
		return fail(err, ERROR_NO_TARGET,
			    "process %d has become another program (execve)",
			    (int)p->jvm->pid);
	p->user_ns = stat.user_ticks * task_tick_ns();
	p->sys_ns = stat.sys_ticks * task_tick_ns();
	p->cpu_ns = cpu_ns ? cpu_ns : p->user_ns + p->sys_ns;
	p->threads = stat.threads;
	p->state = stat.state;
	p->rss_bytes = process_read_rss(p->statm);
	return 0;
}

/*
 * Opens any process; jvm is borrowed. ERROR_NO_TARGET if it has ended.
 * task_process_close() must follow in any case.
 */
static int task_process_open(struct task_process *p, const struct jvm *jvm,
			     struct error *err)
{
	struct proc_stat stat = { 0 };

	*p = (struct task_process){ .jvm = jvm, .clock = NO_CLOCK };
	p->statm = procfs_open(jvm->pid, "statm", O_RDONLY, error_unused());
	p->stat = procfs_open(jvm->pid, "stat", O_RDONLY, err);
	if (p->stat < 0 || process_read_stat(p, &stat, err))
		return -1;
	/* A later process with this PID has another start time. */
	if (stat.start_ticks != jvm->start_ticks)
		return process_has_ended(p, err);
	if (clock_getcpuclockid(jvm->pid, &p->clock))
		p->clock = NO_CLOCK;
	return 0;
}

/* Zeroed storage is allowed. */
static void task_process_close(struct task_process *p)
{
	if (!p->jvm)
		return;
	if (p->stat >= 0)
		close(p->stat);
	if (p->statm >= 0)
		close(p->statm);
	p->stat = p->statm = -1;
}

/*
 * The kernel (seq_file) keeps a page and more for each open file of /proc,
 * charged to our control group: 4096 files are 20 MB.
 */
#define MOST_KEPT  4096
#define FDS_SPARED 256 /* left for the rest of sjkc */

enum file { FILE_STAT, FILE_SCHEDSTAT, FILE_STATUS, FILE_WCHAN, FILE_COUNT };

enum { SLOT_GONE = -1, SLOT_CHANGED, SLOT_UNCHANGED, SLOT_DENIED };

struct slot {
	struct task task;
	int fds[FILE_COUNT]; /* -1 = closed */
	bool is_read;
	bool is_gone;
};

struct tasks {
	const struct jvm *jvm;
	int directory; /* /proc/PID/task; identifies the process even if its PID
			  is reused */
	DIR *list;
	bool schedstat; /* the kernel has the file */
	uint64_t tick_ns;
	struct slot *slots; /* ordered by tid */
	size_t count, cap;
	size_t kept, most_kept;
	uint64_t missed;
	struct task_process of_process;
};

static const char *const file_names[FILE_COUNT] = {
	[FILE_STAT] = "stat",
	[FILE_SCHEDSTAT] = "schedstat",
	[FILE_STATUS] = "status",
	[FILE_WCHAN] = "wchan",
};

static void slot_close_fd(struct tasks *t, struct slot *s, enum file file)
{
	if (s->fds[file] < 0)
		return;
	close(s->fds[file]);
	s->fds[file] = -1;
	t->kept--;
}

static void slot_release(struct tasks *t, struct slot *s)
{
	for (int f = 0; f < FILE_COUNT; f++)
		slot_close_fd(t, s, (enum file)f);
}

/*
 * Descriptors ran out earlier than expected, so from now on no file stays open.
 */
static void tasks_keep_none(struct tasks *t)
{
	t->most_kept = 0;
	for (size_t i = 0; i < t->count; i++)
		slot_release(t, &t->slots[i]);
}

/* Makes "4711/stat" without printf, because each reading may need thousands. */
static void slot_path(char path[32], pid_t tid, const char *name)
{
	char digits[16];
	size_t n = sizeof(digits);
	unsigned rest = (unsigned)tid;

	do {
		digits[--n] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	memcpy(path, digits + n, sizeof(digits) - n);
	path += sizeof(digits) - n;
	*path++ = '/';
	memcpy(path, name, strlen(name) + 1);
}

static int slot_open_file(struct tasks *t, const struct slot *s, enum file file)
{
	char path[32];
	int fd;

	slot_path(path, s->task.tid, file_names[file]);
	fd = openat(t->directory, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE) && t->kept) {
		tasks_keep_none(t);
		fd = openat(t->directory, path, O_RDONLY | O_CLOEXEC);
	}
	return fd;
}

/*
 * Returns the number of bytes read, or -1 and errno: ENOENT or ESRCH if the
 * thread has ended.
 */
static ssize_t slot_read_file(struct tasks *t, struct slot *s, enum file file,
			      bool keep, char *buf, size_t size)
{
	ssize_t got;
	int fd = s->fds[file];

	if (fd >= 0)
		return task_read(fd, buf, size);
	fd = slot_open_file(t, s, file);
	if (fd < 0)
		return -1;
	got = task_read(fd, buf, size);
	if (keep && t->kept < t->most_kept) {
		s->fds[file] = fd;
		t->kept++;
	} else {
		int sys = errno;

		close(fd);
		errno = sys;
	}
	return got;
}

static bool errno_means_gone(ssize_t got)
{
	return got == 0 || (got < 0 && (errno == ENOENT || errno == ESRCH));
}

static int slot_read_schedstat(struct tasks *t, struct slot *s)
{
	struct task *task = &s->task;
	uint64_t v[3];
	char buf[96];
	ssize_t got = slot_read_file(t, s, FILE_SCHEDSTAT, true, buf,
				     sizeof(buf));

	if (errno_means_gone(got))
		return SLOT_GONE;
	if (got < 0 || !task_numbers(buf, (size_t)got, v, 3))
		return SLOT_DENIED;
	if (s->is_read && task->has_schedstat && v[0] == task->cpu_ns &&
	    v[1] == task->runq_ns && v[2] == task->slices)
		return SLOT_UNCHANGED;
	task->has_schedstat = true;
	task->cpu_ns = v[0];
	task->runq_ns = v[1];
	task->slices = v[2];
	return SLOT_CHANGED;
}

/*
 * The file stays open from the second reading on. A thread that does not run
 * needs only one reading, and a thread that has run is likely to run again.
 */
static int slot_read_stat(struct tasks *t, struct slot *s)
{
	struct task *task = &s->task;
	struct proc_stat stat;
	char buf[1024];
	ssize_t got = slot_read_file(
		t, s, FILE_STAT, s->is_read || !t->schedstat, buf, sizeof(buf));

	if (got <= 0 || !procfs_parse_stat(buf, (size_t)got, &stat))
		return SLOT_GONE;
	if (s->is_read && stat.start_ticks != task->start_ticks)
		return SLOT_GONE; /* the tid belongs to another thread now */
	memcpy(task->comm, stat.comm, sizeof(task->comm));
	task->state = stat.state;
	task->start_ticks = stat.start_ticks;
	task->user_ns = stat.user_ticks * t->tick_ns;
	task->sys_ns = stat.sys_ticks * t->tick_ns;
	return SLOT_CHANGED;
}

/*
 * Reads the kernel function in which a sleeping thread waits; it is "0" for a
 * thread that runs, without the right to know it, or if the kernel does not
 * tell.
 */
static void slot_read_wchan(struct tasks *t, struct slot *s)
{
	char buf[64];
	ssize_t got = 0;

	if (s->task.state == 'S')
		got = slot_read_file(t, s, FILE_WCHAN, s->is_read, buf,
				     sizeof(buf));
	s->task.sleeps_in_call = got > 0 && *buf != '0' &&
				 (got < 5 || memcmp(buf, "futex", 5) != 0);
}

/*
 * Reads the context switches and, the first time, the tid in the JVM's
 * namespace.
 */
static int slot_read_status(struct tasks *t, struct slot *s, bool switches)
{
	struct task *task = &s->task;
	struct proc_status status;
	char buf[4096];
	ssize_t got = slot_read_file(t, s, FILE_STATUS, switches && s->is_read,
				     buf, sizeof(buf));

	if (errno_means_gone(got))
		return SLOT_GONE;
	if (got < 0 || !procfs_parse_status(buf, (size_t)got, &status))
		return SLOT_DENIED;
	task->has_switches = switches;
	task->voluntary = status.voluntary;
	task->involuntary = status.involuntary;
	if (t->jvm->own_pid_ns && status.ns_depth)
		task->ns_tid = status.ns_pids[status.ns_depth - 1];
	return SLOT_CHANGED;
}

static void slot_read(struct tasks *t, struct slot *s, bool switches)
{
	int ran = t->schedstat ? slot_read_schedstat(t, s) : SLOT_CHANGED;
	bool first = !s->is_read;

	if (ran == SLOT_GONE)
		goto gone;
	if (ran != SLOT_UNCHANGED && slot_read_stat(t, s) == SLOT_GONE)
		goto gone;
	if (ran != SLOT_UNCHANGED)
		slot_read_wchan(t, s);
	if (first)
		s->task.ns_tid = t->jvm->own_pid_ns ? 0 : s->task.tid;
	if ((switches && (ran != SLOT_UNCHANGED || !s->task.has_switches)) ||
	    (first && t->jvm->own_pid_ns)) {
		if (slot_read_status(t, s, switches) == SLOT_GONE)
			goto gone;
	}
	s->is_read = true;
	return;
gone:
	s->is_gone = true;
	slot_release(t, s);
}

static void tasks_remove_gone(struct tasks *t)
{
	size_t left = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (t->slots[i].is_gone)
			continue;
		if (left != i)
			t->slots[left] = t->slots[i];
		left++;
	}
	t->count = left;
}

/* True if one of the first `known` slots, which are ordered, has this tid. */
static bool tasks_know(const struct tasks *t, size_t known, pid_t tid)
{
	size_t low = 0, high = known;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->slots[middle].task.tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < known && t->slots[low].task.tid == tid;
}

static void tasks_add_slot(struct tasks *t, pid_t tid)
{
	array_add(t->slots, t->count, t->cap,
		  (struct slot){
			  .task = { .tid = tid },
			  .fds = { -1, -1, -1, -1 },
		  });
}

static int compare_tid(const void *a, const void *b)
{
	pid_t x = ((const struct slot *)a)->task.tid;
	pid_t y = ((const struct slot *)b)->task.tid;

	return (x > y) - (x < y);
}

/* Adds and reads the threads in the directory that are not known. */
static void tasks_find_new(struct tasks *t, bool switches)
{
	size_t known = t->count;
	struct dirent *entry;

	rewinddir(t->list);
	while ((entry = readdir(t->list))) {
		long tid = strtol(entry->d_name, NULL, 10);

		if (tid > 0 && tid <= INT32_MAX &&
		    !tasks_know(t, known, (pid_t)tid))
			tasks_add_slot(t, (pid_t)tid);
	}
	if (t->count == known)
		return;
	for (size_t i = known; i < t->count; i++) {
		slot_read(t, &t->slots[i], switches);
		if (t->slots[i].is_gone)
			t->missed++;
	}
	tasks_remove_gone(t);
	qsort(t->slots, t->count, sizeof(*t->slots), compare_tid);
}

int tasks_read(struct tasks *t, bool switches, struct error *err)
{
	for (size_t i = 0; i < t->count; i++)
		slot_read(t, &t->slots[i], switches);
	tasks_remove_gone(t);
	if (task_process_read(&t->of_process, err))
		return -1;
	/*
	 * If all known threads live and their number equals the kernel's, there
	 * is no new thread. Listing the directory would double the cost.
	 */
	if (t->count != t->of_process.threads)
		tasks_find_new(t, switches);
	return 0;
}

static size_t tasks_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur < limit.rlim_max) {
		rlim_t soft = limit.rlim_cur;

		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			limit.rlim_cur = soft;
	}
	if (limit.rlim_cur <= FDS_SPARED)
		return 0;
	limit.rlim_cur -= FDS_SPARED;
	return limit.rlim_cur < MOST_KEPT ? limit.rlim_cur : MOST_KEPT;
}

/*
 * A kernel without CONFIG_SCHED_INFO lacks the file or prints zeroes. The
 * calling thread has been on a CPU, so its number of slices must not be 0.
 */
static bool kernel_has_schedstat(void)
{
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	uint64_t v[3];
	char buf[96];
	ssize_t got;

	if (fd < 0)
		return false;
	got = task_read(fd, buf, sizeof(buf));
	close(fd);
	return got > 0 && task_numbers(buf, (size_t)got, v, 3) && v[2];
}

static int tasks_open_directory(struct tasks *t, struct error *err)
{
	pid_t pid = t->jvm->pid;
	int fd;

	t->directory = procfs_open(pid, "task", O_RDONLY | O_DIRECTORY, err);
	if (t->directory < 0)
		return -1;
	fd = fcntl(t->directory, F_DUPFD_CLOEXEC, 0);
	t->list = fd < 0 ? NULL : fdopendir(fd);
	if (t->list)
		return 0;
	fail_sys(err, ERROR_FAILED, "/proc/%d/task", (int)pid);
	if (fd >= 0)
		close(fd);
	return -1;
}

struct tasks *tasks_open(const struct jvm *jvm, struct error *err)
{
	struct tasks *t = xcalloc(1, sizeof(*t));

	t->jvm = jvm;
	t->directory = -1;
	t->tick_ns = task_tick_ns();
	t->schedstat = kernel_has_schedstat();
	t->most_kept = tasks_raise_limit();
	/*
	 * The process is opened after the directory: its start time proves that
	 * both belong to it.
	 */
	if (tasks_open_directory(t, err) ||
	    task_process_open(&t->of_process, jvm, err)) {
		tasks_close(t);
		return NULL;
	}
	return t;
}

void tasks_close(struct tasks *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		slot_release(t, &t->slots[i]);
	if (t->list)
		closedir(t->list);
	if (t->directory >= 0)
		close(t->directory);
	task_process_close(&t->of_process);
	free(t->slots);
	free(t);
}

size_t tasks_count(const struct tasks *t) { return t->count; }

const struct task *tasks_at(const struct tasks *t, size_t i)
{
	return &t->slots[i].task;
}

uint64_t tasks_missed(const struct tasks *t) { return t->missed; }

const struct task_process *tasks_process(const struct tasks *t)
{
	return &t->of_process;
}

/* ---- the machine ---- */

#define US_NS 1000

/* The line reads "cpu": user nice system idle iowait irq softirq steal. */
enum { CPU_IDLE = 3, CPU_IOWAIT = 4, CPU_TIMES = 8 };

static int64_t load_ticks_ns(uint64_t ticks)
{
	int64_t ns;

	return __builtin_mul_overflow(ticks, task_tick_ns(), &ns) ? INT64_MAX
								  : ns;
}

bool machine_load_parse(const char *stat, size_t len,
			struct process_sample *out)
{
	uint64_t times[CPU_TIMES], busy = 0;
	struct lines lines = lines_over(stat, len);
	struct line line;

	if (!lines_next(&lines, &line) || !line_starts(line, "cpu ") ||
	    !task_numbers(line.text + 4, line.len - 4, times, CPU_TIMES))
		return false;
	for (int i = 0; i < CPU_TIMES; i++)
		busy += i == CPU_IDLE || i == CPU_IOWAIT ? 0 : times[i];
	out->machine_busy_ns = load_ticks_ns(busy);
	out->machine_idle_ns = load_ticks_ns(times[CPU_IDLE] +
					     times[CPU_IOWAIT]);
	return true;
}

/* Reads the number after a key at the start of a line; -1 if there is none. */
static int64_t load_number(const char *text, const char *key)
{
	size_t len = strlen(key);
	uint64_t value;

	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, len) == 0 &&
		    task_numbers(at + len, strlen(at + len), &value, 1))
			return value > INT64_MAX ? INT64_MAX : (int64_t)value;
	}
	return -1;
}

void machine_load_open(struct machine_load *m, const struct jvm *jvm)
{
	struct cgroup_limits limits;

	cgroup_limits_read(&limits, jvm);
	*m = (struct machine_load){
		.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC),
		.cpu_stat = -1,
		.cpu_limit = COUNTER_ABSENT,
	};
	machine_load_set_limit(m, &limits);
	cgroup_limits_release(&limits);
}

void machine_load_set_limit(struct machine_load *m,
			    struct cgroup_limits *limits)
{
	if (limits->cpus >= 0)
		m->cpu_limit = limits->cpus;
	else if (limits->cpus == CGROUP_UNKNOWN)
		m->cpu_limit = CPU_LIMIT_UNKNOWN;
	m->cpu_stat = limits->cpu_stat;
	limits->cpu_stat = -1;
}

void machine_load_close(struct machine_load *m)
{
	if (m->stat > 0)
		close(m->stat);
	if (m->cpu_stat > 0)
		close(m->cpu_stat);
	m->stat = m->cpu_stat = -1;
}

static int64_t load_counter(const char *text, const char *name)
{
	int64_t value = load_number(text, name);

	return value < 0 ? COUNTER_ABSENT : value;
}

/* Version 2 of control groups counts microseconds, version 1 nanoseconds. */
static int64_t load_throttled_ns(const char *text)
{
	int64_t us = load_number(text, "throttled_usec "), ns;

	if (us < 0)
		ns = load_number(text, "throttled_time ");
	else if (__builtin_mul_overflow(us, US_NS, &ns))
		ns = INT64_MAX;
	return ns < 0 ? COUNTER_ABSENT : ns;
}

void machine_load_add(const struct machine_load *m, struct process_sample *out)
{
	char text[1024];
	ssize_t got = m->stat < 0 ? -1
				  : task_read(m->stat, text, sizeof(text) - 1);

	if (got > 0)
		machine_load_parse(text, (size_t)got, out);
	out->cpu_limit = m->cpu_limit;
	if (m->cpu_stat < 0)
		return;
	got = task_read(m->cpu_stat, text, sizeof(text) - 1);
	if (got <= 0)
		return;
	text[got] = '\0';
	out->throttled_ns = load_throttled_ns(text);
	out->cfs_periods = load_counter(text, "nr_periods ");
	out->throttled_periods = load_counter(text, "nr_throttled ");
}
