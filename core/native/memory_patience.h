/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_patience: how long memory that does not come may be waited for in all.
 *
 * It is the target that may hold up who reads its memory; a helper that had no
 * CPU says nothing about the target, unless that is so each time.
 */
#ifndef CORE_NATIVE_MEMORY_PATIENCE_H
#define CORE_NATIVE_MEMORY_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct memory_patience {
	int64_t since, waited_ns; /* in vain, since then */
	unsigned starved;         /* waits, one after the other, without CPU */
};

/* Whether what has been waited in vain of late leaves time to wait again. */
bool memory_patience_is_left(const struct memory_patience *p, int64_t now_ns);

/*
 * After a wait in vain that began at asked_ns.  True when the target is to
 * blame: whoever reads was not starved, or has been too often.
 */
bool memory_patience_lose(struct memory_patience *p, int64_t asked_ns,
			  int64_t now_ns, bool is_starved);

/* After an answer in time. */
void memory_patience_regain(struct memory_patience *p);

#endif
