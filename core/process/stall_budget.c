/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/stall_budget.h"

#include "core/base/clock.h"

#define AVOIDED_NS (30 * CLOCK_NS_PER_S)
/* In such a time, so much of it may be waited in vain: then nothing is read. */
#define PATIENCE_NS (5 * CLOCK_NS_PER_S)
/* So many waits of a second without CPU; there has to be an end to it. */
enum { STARVED_MOST = 4 };

bool stall_budget_is_left(const struct stall_budget *p, int64_t now_ns)
{
	return p->waited_ns < PATIENCE_NS || now_ns - p->since > AVOIDED_NS;
}

bool stall_budget_lose(struct stall_budget *p, int64_t asked_ns, int64_t now_ns,
		       bool is_starved)
{
	if (is_starved && ++p->starved <= STARVED_MOST)
		return false;
	if (now_ns - p->since > AVOIDED_NS) {
		p->since = asked_ns;
		p->waited_ns = 0;
	}
	p->waited_ns += now_ns - asked_ns;
	return true;
}

void stall_budget_regain(struct stall_budget *p) { p->starved = 0; }
