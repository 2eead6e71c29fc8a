/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/drain_interval.h"

#include "core/base/clock.h"

#define FIRST_NS (50 * CLOCK_NS_PER_MS)
/* Less than a tick at 99 Hz: each sample is looked at by itself then. */
#define LEAST_NS (8 * CLOCK_NS_PER_MS)
/* The ring buffer has room for a quarter of a second. */
#define MOST_NS (200 * CLOCK_NS_PER_MS)

bool drain_interval_is_short(const struct drain_interval *p)
{
	return p->ns && p->ns < FIRST_NS;
}

int64_t drain_interval_next(struct drain_interval *p, uint64_t changes)
{
	if (!p->ns)
		p->ns = FIRST_NS;
	else if (changes != p->changes)
		p->ns /= 2;
	else
		p->ns += p->ns / 4;
	p->changes = changes;
	if (p->ns < LEAST_NS)
		p->ns = LEAST_NS;
	if (p->ns > MOST_NS)
		p->ns = MOST_NS;
	return p->ns;
}
