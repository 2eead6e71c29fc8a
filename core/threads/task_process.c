/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/task_process.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_CLOCK ((clockid_t)-1)

bool task_numbers(const char *text, size_t len, uint64_t *values, size_t count)
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

ssize_t task_read(int fd, char *buf, size_t size)
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

static int has_ended(const struct task_process *p, struct error *err)
{
	return fail(err, ERROR_NO_TARGET, "process %d has ended",
		    (int)p->jvm->pid);
}

/* execve(2) keeps the pid and the start time; what we may not see is let be. */
static bool runs_another(const struct jvm *jvm)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)jvm->pid);
	return jvm->exe_ino && stat(path, &st) == 0 &&
	       (st.st_ino != jvm->exe_ino || st.st_dev != jvm->exe_dev);
}

static uint64_t read_rss(int statm)
{
	uint64_t pages[2]; /* of the address space, resident */
	char buf[128];
	ssize_t got = statm < 0 ? -1 : task_read(statm, buf, sizeof(buf));

	if (got <= 0 || !task_numbers(buf, (size_t)got, pages, 2))
		return 0;
	return pages[1] * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* CPU time to the nanosecond; 0 = unknown. */
static uint64_t read_clock(clockid_t clock)
{
	struct timespec cpu;

	if (clock == NO_CLOCK || clock_gettime(clock, &cpu))
		return 0;
	return (uint64_t)cpu.tv_sec * CLOCK_NS_PER_S + (uint64_t)cpu.tv_nsec;
}

static int read_stat(const struct task_process *p, struct proc_stat *stat,
		     struct error *err)
{
	char buf[1024];
	ssize_t got = task_read(p->stat, buf, sizeof(buf));

	if (got < 0 && errno == ESRCH)
		return has_ended(p, err);
	if (got <= 0 || !procfs_parse_stat(buf, (size_t)got, stat))
		return fail_sys(err, ERROR_FAILED, "/proc/%d/stat",
				(int)p->jvm->pid);
	/* The thread that began the process may end before the others do. */
	if ((stat->state == 'Z' || stat->state == 'X') && stat->threads <= 1)
		return has_ended(p, err);
	return 0;
}

int task_process_read(struct task_process *p, struct error *err)
{
	/* The clock is the pid's: it was the process's if that lives after. */
	uint64_t cpu_ns = read_clock(p->clock);
	struct proc_stat stat = { 0 };

	if (read_stat(p, &stat, err))
		return -1;
	if (runs_another(p->jvm))
		return fail(err, ERROR_NO_TARGET,
			    "process %d runs another program now (execve)",
			    (int)p->jvm->pid);
	p->user_ns = stat.user_ticks * task_tick_ns();
	p->sys_ns = stat.sys_ticks * task_tick_ns();
	p->cpu_ns = cpu_ns ? cpu_ns : p->user_ns + p->sys_ns;
	p->threads = stat.threads;
	p->state = stat.state;
	p->rss_bytes = read_rss(p->statm);
	return 0;
}

int task_process_open(struct task_process *p, const struct jvm *jvm,
		      struct error *err)
{
	struct proc_stat stat = { 0 };
	struct error unused;

	*p = (struct task_process){ .jvm = jvm, .clock = NO_CLOCK };
	p->statm = procfs_open(jvm->pid, "statm", O_RDONLY, &unused);
	p->stat = procfs_open(jvm->pid, "stat", O_RDONLY, err);
	if (p->stat < 0 || read_stat(p, &stat, err))
		return -1;
	/* It is the process meant, not one that has its pid since. */
	if (stat.start_ticks != jvm->start_ticks)
		return has_ended(p, err);
	if (clock_getcpuclockid(jvm->pid, &p->clock))
		p->clock = NO_CLOCK;
	return 0;
}

void task_process_close(struct task_process *p)
{
	if (!p->jvm)
		return;
	if (p->stat >= 0)
		close(p->stat);
	if (p->statm >= 0)
		close(p->statm);
	p->stat = p->statm = -1;
}
