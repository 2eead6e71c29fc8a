/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ticks: perf events, one a CPU, that run a program some times a second.
 *
 * Hardware cycles where the machine has them: they tick while interrupts are
 * off, too.  Else the kernel's cpu-clock.  Events of a process of its own would
 * cost a thread an event and are no way around missing rights: whoever may
 * load programs may sample CPUs.
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
	struct bpf_link **links; /* by CPU; NULL = has none */
	size_t cpus;
	size_t clock;
	int64_t looked_ns; /* at which CPUs there are */
};

/*
 * Begins; program, which is borrowed, runs hz times a second on each CPU that
 * is online.
 */
int ticks_open(struct ticks *t, const struct bpf_program *program, unsigned hz,
	       struct error *err);
void ticks_close(struct ticks *t);

/* Once a second: has CPUs that have come online tick, too. */
void ticks_tend(struct ticks *t);

/* "cycles" or "cpu-clock", after ticks_close(), too; else "none". */
const char *ticks_clock(const struct ticks *t);

/* Whether a list of the kernel's has the CPU: "0-3,5\n". */
bool ticks_list_has(const char *list, unsigned long cpu);

#endif
