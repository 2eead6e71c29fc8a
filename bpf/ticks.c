/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/ticks.h"

#include "bpf/load.h"
#include "core/base/alloc.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned type, config;
} clocks[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
};
enum { CLOCKS = sizeof(clocks) / sizeof(*clocks) };

static int open_event(size_t clock, unsigned hz, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = clocks[clock].type,
		.config = clocks[clock].config,
		.freq = 1,
		.sample_freq = hz,
		.exclude_idle = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* 1 when it ticks there, 0 when the CPU is not online, -1 and errno. */
static int open_cpu(struct ticks *t, const struct bpf_program *program,
		    size_t clock, unsigned hz, int cpu)
{
	int fd = open_event(clock, hz, cpu);
	int saved;

	if (fd < 0)
		return errno == ENODEV && cpu > 0 ? 0 : -1;
	/* The link owns the event from here on. */
	t->links[cpu] = bpf_program__attach_perf_event(program, fd);
	if (t->links[cpu])
		return 1;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

static int open_all(struct ticks *t, const struct bpf_program *program,
		    size_t clock, unsigned hz)
{
	for (size_t i = 0; i < t->cpus; i++) {
		if (open_cpu(t, program, clock, hz, (int)i) < 0)
			return -1;
	}
	t->clock = clocks[clock].name;
	return 0;
}

static void detach(struct ticks *t)
{
	for (size_t i = 0; i < t->cpus; i++) {
		bpf_link__destroy(t->links[i]);
		t->links[i] = NULL;
	}
}

int ticks_open(struct ticks *t, const struct bpf_program *program, unsigned hz,
	       struct error *err)
{
	int cpus = libbpf_num_possible_cpus();

	*t = (struct ticks){ .cpus = cpus > 0 ? (size_t)cpus : 1 };
	t->links = xcalloc(t->cpus, sizeof(*t->links));
	for (size_t i = 0; i < CLOCKS; i++) {
		if (open_all(t, program, i, hz) == 0)
			return 0;
		detach(t);
	}
	load_refused("perf_event_open", errno, err);
	ticks_close(t);
	return -1;
}

void ticks_close(struct ticks *t)
{
	if (t->links)
		detach(t);
	free(t->links);
	*t = (struct ticks){ 0 };
}
