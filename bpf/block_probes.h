/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_probes: uprobes in functions that allocate, map and free native memory,
 * and at the USDT probes of processes that sample their allocations.
 *
 * Linux 6.13 and later run one program at the entry of a function and, if it
 * asks for that, at the return (a session).  Earlier kernels have a second
 * uprobe, which is hit at each return.
 */
#ifndef BPF_BLOCK_PROBES_H
#define BPF_BLOCK_PROBES_H

#include "core/base/error.h"
#include "core/mem/malloc_points.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bpf_program;

struct block_probes {
	/* Borrowed, by function; and the program for returns. */
	struct bpf_program *entries[MALLOC_FUNCTIONS], *returns;
	struct bpf_map *usdts; /* borrowed: struct usdt_arguments */
	uint32_t usdt_count;
	struct block_probe *all;
	size_t count, cap;
	bool has_sessions;
};

/* Returns true if the kernel of this release, such as "6.18.2", has sessions.
 */
bool block_probes_has_sessions(const char *release);

/* Returns true if this kernel can attach to several USDT probes. */
bool block_probes_has_cookies(void);

/*
 * Returns true if this kernel returns from a probed function by a system call,
 * which a seccomp filter may reject: github.com/systemd/systemd/issues/34615.
 */
bool block_probes_are_filtered(const char *release);

/* Call it before the programs are loaded. */
void block_probes_prepare(struct block_probes *b);

/*
 * Attaches uprobes for a process, named by its PID, to a function in the file
 * at path, which may be below /proc/PID/map_files.  Does nothing if they are
 * attached already.  ERROR_NO_TARGET, or as load_refused_uprobe().
 */
int block_probes_attach(struct block_probes *b, pid_t pid, const char *path,
			const struct malloc_point *point, struct error *err);

/* Detaches the uprobes of a process; 0 = of all processes. */
void block_probes_detach(struct block_probes *b, pid_t pid);

/* Detaches all uprobes of functions that are not for mappings. */
void block_probes_keep_maps(struct block_probes *b);
void block_probes_release(struct block_probes *b);

/*
 * Returns the CPU time, in ns, that these numbers of calls cost the processes:
 * an estimate, since machines differ.
 */
uint64_t block_probes_cost(const struct block_probes *b, uint64_t allocations,
			   uint64_t frees);
uint64_t block_probes_cost_of_maps(uint64_t calls);

#endif
