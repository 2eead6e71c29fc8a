/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/ticks.h"

#include "bpf/load.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned type, config;
} clocks[] = {
	{ "none", 0, 0 },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
};
enum { CLOCKS = sizeof(clocks) / sizeof(*clocks) - 1, FAULTS = CLOCKS };

static int ticks_open_event(const struct ticks *t, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = clocks[t->clock].type,
		.config = clocks[t->clock].config,
		.freq = 1,
		.sample_freq = t->hz,
		.exclude_idle = 1,
	};

	if (t->period) {
		attr.freq = 0;
		attr.sample_period = t->period;
		attr.sample_type = PERF_SAMPLE_ADDR;
	}
	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static int ticks_open_cpu(struct ticks *t, size_t cpu)
{
	int fd = ticks_open_event(t, (int)cpu);
	int saved;

	if (fd < 0)
		return -1;
	/* The link owns the event from here on. */
	t->links[cpu] = bpf_program__attach_perf_event(t->program, fd);
	if (t->links[cpu])
		return 0;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/*
 * Opens the CPUs that are online; any may be offline.  Returns 0 if at least
 * one ticks.
 */
static int ticks_open_all(struct ticks *t)
{
	size_t open = 0;

	for (size_t i = 0; i < t->cpus; i++) {
		if (ticks_open_cpu(t, i) == 0)
			open++;
		else if (errno != ENODEV)
			return -1;
	}
	return open ? 0 : -1;
}

static void ticks_detach(struct ticks *t)
{
	for (size_t i = 0; i < t->cpus; i++) {
		bpf_link__destroy(t->links[i]);
		t->links[i] = NULL;
	}
}

/*
 * Reports a rejected event.  The kernel returns EINVAL both for an excessive
 * rate and for an unknown attribute.
 */
static int ticks_refuse(unsigned hz, int sys, struct error *err)
{
	static const char
		path[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long most = 0;

	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) > 0)
			most = strtol(text, NULL, 10);
		close(fd);
	}
	if (sys == EINVAL && most > 0 && hz > (unsigned long)most)
		return fail(err, ERROR_UNAVAILABLE,
			    "-F %u exceeds "
			    "kernel.perf_event_max_sample_rate (%ld); lower -F "
			    "or raise the limit",
			    hz, most);
	return load_refused("perf_event_open", sys, err);
}

int ticks_try(unsigned hz, struct error *err)
{
	struct ticks t = { .hz = hz };
	int saved = 0;

	for (t.clock = 1; t.clock < CLOCKS; t.clock++) {
		int fd = ticks_open_event(&t, sched_getcpu());

		saved = errno;
		if (fd >= 0)
			return close(fd);
		/* This CPU is offline; ticks_open() tries all. */
		if (saved == ENODEV)
			return 0;
	}
	return ticks_refuse(hz, saved, err);
}

static void ticks_init(struct ticks *t, const struct bpf_program *program)
{
	int cpus = libbpf_num_possible_cpus();

	*t = (struct ticks){ .program = program,
			     .cpus = cpus > 0 ? (size_t)cpus : 1,
			     .checked_ns = clock_monotonic_ns() };
	t->links = xcalloc(t->cpus, sizeof(*t->links));
}

int ticks_open_faults(struct ticks *t, const struct bpf_program *program,
		      uint64_t period, struct error *err)
{
	int saved;

	ticks_init(t, program);
	t->period = period;
	t->clock = FAULTS;
	if (ticks_open_all(t) == 0)
		return 0;
	saved = errno;
	ticks_close(t);
	return load_refused("perf_event_open", saved, err);
}

int ticks_open(struct ticks *t, const struct bpf_program *program, unsigned hz,
	       struct error *err)
{
	int saved = 0;

	ticks_init(t, program);
	t->hz = hz;
	for (t->clock = 1; t->clock < CLOCKS; t->clock++) {
		if (ticks_open_all(t) == 0)
			return 0;
		saved = errno;
		ticks_detach(t);
	}
	t->clock = 0;
	ticks_close(t);
	return ticks_refuse(hz, saved, err);
}

void ticks_close(struct ticks *t)
{
	if (t->links)
		ticks_detach(t);
	free(t->links);
	t->links = NULL;
	t->cpus = 0;
}

bool ticks_list_has(const char *list, unsigned long cpu)
{
	const char *at = list;
	char *rest;

	while (*at >= '0' && *at <= '9') {
		unsigned long first = strtoul(at, &rest, 10);
		unsigned long last = first;

		if (*rest == '-')
			last = strtoul(rest + 1, &rest, 10);
		if (cpu >= first && cpu <= last)
			return true;
		at = *rest == ',' ? rest + 1 : rest;
	}
	return false;
}

/*
 * Reattaches to CPUs that come online: the event of a CPU that went offline
 * stays disabled.
 */
static void ticks_follow_cpus(struct ticks *t)
{
	char list[4096];
	int fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, list, sizeof(list) - 1);

	if (fd >= 0)
		close(fd);
	if (len <= 0)
		return;
	list[len] = '\0';
	for (size_t i = 0; i < t->cpus; i++) {
		bool is_online = ticks_list_has(list, i);

		if (is_online && !t->links[i]) {
			ticks_open_cpu(t, i);
		} else if (!is_online && t->links[i]) {
			bpf_link__destroy(t->links[i]);
			t->links[i] = NULL;
		}
	}
}

void ticks_tend(struct ticks *t)
{
	int64_t now = clock_monotonic_ns();

	if (!t->links || now - t->checked_ns < CLOCK_NS_PER_S)
		return;
	t->checked_ns = now;
	ticks_follow_cpus(t);
}

const char *ticks_clock(const struct ticks *t) { return clocks[t->clock].name; }
