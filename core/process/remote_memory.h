/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_memory: reads a process's memory without being held up by it.
 *
 * process_vm_readv(2) waits for a page that the target may have made never to
 * come (userfaultfd, FUSE).  So a child of ours reads, and answers on a pair of
 * sockets; one that takes more than a second is killed, and another is begun.
 * What stalled is left alone for half a minute, and all of the target is once
 * five seconds of that have been waited in vain.
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
 * jvm is borrowed: nothing is read once its process has ended, whoever has its
 * pid.  ERROR_PERMISSION names the right that is missing.
 */
struct remote_memory *remote_memory_open(const struct jvm *jvm,
					 struct error *err);
void remote_memory_close(struct remote_memory *m); /* NULL is fine */

struct memory *remote_memory_of(struct remote_memory *m);

/* How often a child was killed since it gave no answer. */
uint64_t remote_memory_stalls(const struct remote_memory *m);
/* How many ranges were not read for that reason, or since they had stalled. */
uint64_t remote_memory_missed(const struct remote_memory *m);
/* How many reads were made: each is some microseconds. */
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
