/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ticks: perf events, one per CPU, that run a program periodically.
 *
 * Uses hardware cycles if the machine has them, since they also tick while
 * interrupts are off, or else the kernel's cpu-clock.  Events per process would
 * need one event per thread and no fewer capabilities: a process that may load
 * programs may sample CPUs.
 */
#ifndef BPF_TICKS_H
#define BPF_TICKS_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_program;
struct bpf_link;

struct ticks {
	const struct bpf_program *program;
	unsigned hz;
	uint64_t period;         /* page faults per sample; 0 = a clock */
	struct bpf_link **links; /* by CPU; NULL = not attached */
	size_t cpus;
	size_t clock;
	int64_t checked_ns; /* when the online CPUs were read */
};

/* Fails if ticks_open() would fail now, by one event that runs no program. */
int ticks_try(unsigned hz, struct error *err);

/*
 * Runs program, which is borrowed, hz times per second on each online CPU.
 */
int ticks_open(struct ticks *t, const struct bpf_program *program, unsigned hz,
	       struct error *err);

/*
 * Runs program, which is borrowed, at each period-th page fault of a CPU, of
 * any process.
 */
int ticks_open_faults(struct ticks *t, const struct bpf_program *program,
		      uint64_t period, struct error *err);
void ticks_close(struct ticks *t);

/* Attaches to CPUs that came online.  Checks once per second; call it often. */
void ticks_tend(struct ticks *t);

/* "cycles" or "cpu-clock", also after ticks_close(); "none" = never opened. */
const char *ticks_clock(const struct ticks *t);

/* True if a kernel list such as "0-3,5\n" contains the CPU. */
bool ticks_list_has(const char *list, unsigned long cpu);

#endif
