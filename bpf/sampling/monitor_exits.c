/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/monitor_exits.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

/*
 * Monitors that are kept; of those with the same place, the one that was
 * released last stays.  240 KB, for a JVM whose locks are sampled.
 */
enum { MONITORS = 512, MONITOR_WAYS = 2 };

/* Releases of a monitor by one method after another are one. */
struct monitor_exit {
	uint64_t until_ns; /* the last release */
	uint32_t frame;
};

struct monitor_history {
	uint64_t monitor; /* 0 = unused */
	bool is_chosen;   /* some of the latest releases were not sampled */
	uint32_t count;
	struct monitor_exit exits[MONITOR_PARTS]; /* the oldest first */
};

struct monitor_exits {
	struct monitor_history all[MONITORS][MONITOR_WAYS];
};

struct monitor_exits *monitor_exits_new(void)
{
	return xcalloc(1, sizeof(struct monitor_exits));
}

void monitor_exits_free(struct monitor_exits *x) { free(x); }

void monitor_exits_clear(struct monitor_exits *x) { memset(x, 0, sizeof(*x)); }

static size_t exits_place(uint64_t monitor)
{
	return hash_mix(monitor, 1) % MONITORS;
}

/* Returns the history of a monitor, which replaces the oldest of its place. */
static struct monitor_history *exits_of(struct monitor_exits *x,
					uint64_t monitor)
{
	struct monitor_history *ways = x->all[exits_place(monitor)];
	struct monitor_history *oldest = &ways[0];
	uint64_t oldest_ns = UINT64_MAX;

	for (size_t i = 0; i < MONITOR_WAYS; i++) {
		struct monitor_history *h = &ways[i];
		uint64_t last_ns = h->count ? h->exits[h->count - 1].until_ns
					    : 0;

		if (h->monitor == monitor)
			return h;
		if (last_ns < oldest_ns) {
			oldest = h;
			oldest_ns = last_ns;
		}
	}
	*oldest = (struct monitor_history){ .monitor = monitor };
	return oldest;
}

void monitor_exits_add(struct monitor_exits *x, uint64_t monitor,
		       uint64_t time_ns, uint32_t frame, bool is_chosen)
{
	struct monitor_history *h = exits_of(x, monitor);

	h->is_chosen = is_chosen;
	if (h->count && h->exits[h->count - 1].frame == frame) {
		h->exits[h->count - 1].until_ns = time_ns;
		return;
	}
	if (h->count == MONITOR_PARTS) {
		h->count--;
		memmove(h->exits, h->exits + 1, h->count * sizeof(*h->exits));
	}
	h->exits[h->count++] = (struct monitor_exit){ time_ns, frame };
}

size_t monitor_exits_split(const struct monitor_exits *x, uint64_t monitor,
			   uint64_t from_ns, uint64_t to_ns,
			   struct monitor_part *parts)
{
	const struct monitor_history *h = x->all[exits_place(monitor)];
	const struct monitor_exit *last;
	size_t count = 0;

	for (size_t i = 0; i < MONITOR_WAYS && h->monitor != monitor; i++)
		h++;
	if (h == x->all[exits_place(monitor)] + MONITOR_WAYS || !h->count)
		return 0;
	last = &h->exits[h->count - 1];
	if (last->until_ns <= from_ns && !h->is_chosen)
		return 0;
	for (size_t i = 0; i < h->count && from_ns < to_ns; i++) {
		const struct monitor_exit *e = &h->exits[i];
		uint64_t until_ns = e == last ? to_ns : e->until_ns;

		if (until_ns <= from_ns)
			continue;
		if (until_ns > to_ns)
			until_ns = to_ns;
		parts[count++] = (struct monitor_part){
			.frame = e->frame,
			.from_ns = from_ns,
			.ns = until_ns - from_ns,
		};
		from_ns = until_ns;
	}
	return count;
}
