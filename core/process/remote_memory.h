/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_memory: reads a process's memory without blocking on it.
 *
 * process_vm_readv(2) blocks on a page that the target can withhold
 * (userfaultfd, FUSE). So a child reads and replies over a pair of sockets. A
 * child that takes more than a second is killed, and another one is started. A
 * range that stalled is not read for 30 seconds, and nothing of the target is
 * once stalls took five seconds of 30.
 */
#ifndef CORE_PROCESS_REMOTE_MEMORY_H
#define CORE_PROCESS_REMOTE_MEMORY_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct remote_memory;

/*
 * Starts the child. jvm is borrowed; nothing is read any more once its process
 * has ended, even if another has its pid. ERROR_PERMISSION names the missing
 * right.
 */
struct remote_memory *remote_memory_open(const struct jvm *jvm,
					 struct error *err);
void remote_memory_close(struct remote_memory *m); /* NULL is fine */

struct memory *remote_memory_of(struct remote_memory *m);

/* Returns how often a child was killed because a read stalled. */
uint64_t remote_memory_stalls(const struct remote_memory *m);
/* Returns how many ranges were not read because they stalled. */
uint64_t remote_memory_missed(const struct remote_memory *m);
/* Returns the number of requests to children; each takes some microseconds. */
uint64_t remote_memory_reads(const struct remote_memory *m);

/*
 * The budget of stalled reads, which tests call with times of their own.
 * Zeroed storage is a full budget.
 */
struct stall_budget {
	int64_t since, waited_ns; /* in stalled reads, since then */
	unsigned starved;         /* stalls in a row without CPU time */
};

/* Returns true while there is time left to wait for reads. */
bool stall_budget_is_left(const struct stall_budget *p, int64_t now_ns);

/*
 * Call after a read that began at asked_ns stalled until now_ns.  Returns true
 * when the target is to blame: the reader had CPU time, or lacked it too often.
 */
bool stall_budget_lose(struct stall_budget *p, int64_t asked_ns, int64_t now_ns,
		       bool is_starved);

/* Call after a read that came in time. */
void stall_budget_regain(struct stall_budget *p);

#endif
