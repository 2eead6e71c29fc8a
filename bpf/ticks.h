/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ticks: perf events, one a CPU, that run a program some times a second.
 *
 * Hardware cycles where the machine has them: they tick with interrupts off,
 * too.  Else the kernel's cpu-clock.
 */
#ifndef BPF_TICKS_H
#define BPF_TICKS_H

#include "core/base/error.h"

#include <stddef.h>

struct bpf_program;
struct bpf_link;

struct ticks {
	struct bpf_link **links; /* by CPU; NULL = has none */
	size_t cpus;
	const char *clock; /* "cycles", "cpu-clock" */
};

/* Begins; program runs hz times a second on each CPU that is online. */
int ticks_open(struct ticks *t, const struct bpf_program *program, unsigned hz,
	       struct error *err);
void ticks_close(struct ticks *t);

#endif
