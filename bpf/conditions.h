/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conditions: what must hold before the kernel runs programs of ours.
 *
 * One table: when the kernel has refused, the first that does not hold says
 * why; `doctor` shows them all.
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

/* What is known of the kernel and of this process. */
struct bpf_facts {
	char release[64];      /* of uname(2) */
	char lockdown[16];     /* "none", "integrity", …; "" = not told */
	bool has_btf;          /* of the kernel */
	bool in_first_user_ns; /* else capabilities count for nothing here */
	bool shows_symbols;    /* /proc/kallsyms has addresses */
	uint64_t capabilities; /* effective */
	int seccomp;           /* 0 none, 1 strict, 2 a filter */
	bool bpf_is_eperm;     /* bpf(2) says so to what no kernel knows */
	bool filters_perf;     /* no perf_event_open(2) comes through it */
	int paranoid;          /* kernel.perf_event_paranoid */
	bool has_perf_events;
	enum bpf_perf perf;
	int kptr_restrict;
	int unprivileged_bpf_disabled;
	uint64_t locked_bytes; /* RLIMIT_MEMLOCK */
};

enum { BPF_CONDITIONS_MAX = 10 };

/*
 * Whether lines of /proc/kallsyms have addresses, which are all 0 to who has no
 * right to them.  Before Linux 6.15 some of the first are 0 to everybody: where
 * a CPU's own variables are.
 */
bool bpf_symbols_are_shown(const char *text);

void bpf_facts_gather(struct bpf_facts *f);

/* Fills list (of BPF_CONDITIONS_MAX) in the order in which they matter. */
size_t bpf_conditions(const struct bpf_facts *f, struct condition *list);

#endif
