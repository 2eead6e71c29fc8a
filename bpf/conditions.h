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

/* The result of the attempt to sample a CPU. */
enum bpf_perf {
	BPF_PERF_UNKNOWN, /* not tried */
	BPF_PERF_OPENED,
	BPF_PERF_REFUSED, /* rights are missing */
};

/* Facts about the kernel and this process. */
struct bpf_facts {
	char release[64];      /* from uname(2) */
	char lockdown[16];     /* "none", "integrity", …; "" = unavailable */
	bool has_btf;          /* the kernel's types are available */
	bool in_first_user_ns; /* otherwise capabilities do not apply to BPF */
	bool shows_symbols;    /* /proc/kallsyms has addresses */
	uint64_t capabilities; /* effective */
	int seccomp;           /* 0 none, 1 strict, 2 a filter */
	bool bpf_is_eperm;     /* bpf(2) rejects even an unknown command */
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
 * Returns true if lines of /proc/kallsyms have addresses; all are 0 without the
 * right to read them.  Before Linux 6.15 the first addresses, of per-CPU
 * variables, are 0 for all users.
 */
bool bpf_symbols_are_shown(const char *text);

void bpf_facts_gather(struct bpf_facts *f);

/* Fills list, of BPF_CONDITIONS_MAX entries, in order of importance. */
size_t bpf_conditions(const struct bpf_facts *f, struct condition *list);

#endif
