/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stall_budget: limits the total time spent waiting for stalled memory reads.
 *
 * It is the target that may hold up who reads its memory; a helper that had no
 * CPU says nothing about the target, unless that is so each time.
 */
#ifndef CORE_PROCESS_STALL_BUDGET_H
#define CORE_PROCESS_STALL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct stall_budget {
	int64_t since, waited_ns; /* in vain, since then */
	unsigned starved;         /* waits, one after the other, without CPU */
};

/* Whether what has been waited in vain of late leaves time to wait again. */
bool stall_budget_is_left(const struct stall_budget *p, int64_t now_ns);

/*
 * After a wait in vain that began at asked_ns.  True when the target is to
 * blame: whoever reads was not starved, or has been too often.
 */
bool stall_budget_lose(struct stall_budget *p, int64_t asked_ns, int64_t now_ns,
		       bool is_starved);

/* After an answer in time. */
void stall_budget_regain(struct stall_budget *p);

#endif
