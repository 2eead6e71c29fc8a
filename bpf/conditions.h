/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conditions: the table of conditions for sampling with eBPF.
 *
 * When the kernel refuses a program, the first condition that fails is the
 * reason; `doctor` shows all of them.
 */
#ifndef BPF_CONDITIONS_H
#define BPF_CONDITIONS_H

#include "core/base/condition.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a CPU may be sampled. */
enum bpf_perf {
	BPF_PERF_UNKNOWN, /* it could not be tried */
	BPF_PERF_OPENED,
	BPF_PERF_REFUSED, /* for want of rights */
};

/* Facts about the kernel and this process. */
struct bpf_facts {
	char release[64];      /* of uname(2) */
	char lockdown[16];     /* "none", "integrity", …; "" = not told */
	bool has_btf;          /* the kernel's types are available */
	bool in_first_user_ns; /* otherwise capabilities do not apply to BPF */
	bool shows_symbols;    /* /proc/kallsyms has addresses */
	uint64_t capabilities; /* effective */
	int seccomp;           /* 0 none, 1 strict, 2 a filter */
	bool bpf_is_eperm;     /* bpf(2) refuses even an unknown command */
	bool filters_perf;     /* the filter blocks perf_event_open(2) */
	int paranoid;          /* kernel.perf_event_paranoid */
	bool has_perf_events;
	enum bpf_perf perf;
	int kptr_restrict;
	int unprivileged_bpf_disabled;
	uint64_t locked_bytes; /* RLIMIT_MEMLOCK */
};

enum { BPF_CONDITIONS_MAX = 10 };

/*
 * True if lines of /proc/kallsyms have addresses; without the right to read
 * them all are 0.  Before Linux 6.15 some of the first are 0 for everybody:
 * those of per-CPU variables.
 */
bool bpf_symbols_are_shown(const char *text);

void bpf_facts_gather(struct bpf_facts *f);

/* Fills list (of BPF_CONDITIONS_MAX) in the order in which they matter. */
size_t bpf_conditions(const struct bpf_facts *f, struct condition *list);

#endif
