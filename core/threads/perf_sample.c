/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/perf_sample.h"

#include "core/base/saturate.h"

#include <string.h>

enum { GENERATIONS = 3, SPACES = 8 };

/* A counter that only grows; COUNTER_ABSENT when there is none. */
static int64_t counter(const struct perfdata *p, const char *name)
{
	int64_t value;

	return perfdata_value(p, name, &value) && value >= 0 ? value
							     : COUNTER_ABSENT;
}

static int64_t time_of(const struct perfdata *p, const char *name)
{
	int64_t ticks = counter(p, name);

	return ticks == COUNTER_ABSENT ? ticks : perfdata_ns(p, ticks);
}

static void add_safepoints(const struct perfdata *p, struct process_sample *out)
{
	out->safepoints = counter(p, "sun.rt.safepoints");
	/* Without the time it takes to reach them, which is apart. */
	out->safepoint_ns = time_of(p, "sun.rt.safepointTime");
	out->sync_ns = time_of(p, "sun.rt.safepointSyncTime");
}

/* ZGC's are number 2, and 0 and 2 since JDK 21: there may be gaps. */
static void add_collectors(const struct perfdata *p, struct process_sample *out)
{
	for (int i = 0; i < GC_COLLECTORS_MAX; i++) {
		struct gc_sample *gc = &out->gc[out->gc_count];
		const char *name;
		char key[64];

		snprintf(key, sizeof(key), "sun.gc.collector.%d.name", i);
		name = perfdata_text(p, key);
		if (!name)
			continue;
		snprintf(gc->name, sizeof(gc->name), "%s", name);
		snprintf(key, sizeof(key), "sun.gc.collector.%d.invocations",
			 i);
		gc->count = counter(p, key);
		snprintf(key, sizeof(key), "sun.gc.collector.%d.time", i);
		gc->time_ns = time_of(p, key);
		if (gc->count != COUNTER_ABSENT &&
		    gc->time_ns != COUNTER_ABSENT)
			out->gc_count++;
	}
}

/* What the spaces of a generation hold. */
static uint64_t used_in(const struct perfdata *p, int generation)
{
	uint64_t sum = 0;

	for (int i = 0; i < SPACES; i++) {
		char key[64];
		int64_t used;

		snprintf(key, sizeof(key), "sun.gc.generation.%d.space.%d.used",
			 generation, i);
		used = counter(p, key);
		if (used != COUNTER_ABSENT)
			sum = saturate_add(sum, (uint64_t)used);
	}
	return sum;
}

static int64_t capacity_of(const struct perfdata *p, int generation,
			   const char *which)
{
	char key[64];

	snprintf(key, sizeof(key), "sun.gc.generation.%d.%s", generation,
		 which);
	return counter(p, key);
}

static int64_t capped(uint64_t bytes)
{
	return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

/*
 * Where each generation has its own part of the heap, as the policy's name
 * tells ("Copy:MSC", "ParScav:MSC"), the greatest sizes add up; elsewhere each
 * may become the whole.
 */
static void add_heap(const struct perfdata *p, struct process_sample *out)
{
	const char *policy = perfdata_text(p, "sun.gc.policy.name");
	bool parts = policy && strchr(policy, ':');
	uint64_t used = 0, committed = 0, most = 0;

	for (int i = 0; i < GENERATIONS; i++) {
		int64_t now = capacity_of(p, i, "capacity");
		int64_t max = capacity_of(p, i, "maxCapacity");

		if (now == COUNTER_ABSENT || max == COUNTER_ABSENT)
			continue;
		used = saturate_add(used, used_in(p, i));
		committed = saturate_add(committed, (uint64_t)now);
		if (parts)
			most = saturate_add(most, (uint64_t)max);
		else if ((uint64_t)max > most)
			most = (uint64_t)max;
	}
	/* Until the first collection most say 0, which no heap has. */
	if (!used || !committed)
		return;
	out->heap_used = capped(used);
	out->heap_committed = capped(committed);
	if (most)
		out->heap_max = capped(most);
}

void perf_sample_add(const struct perfdata *p, struct process_sample *out)
{
	add_safepoints(p, out);
	add_collectors(p, out);
	add_heap(p, out);
}

int64_t perf_sample_stopped(const struct process_sample *process)
{
	int64_t sum;

	if (process->safepoint_ns == COUNTER_ABSENT ||
	    process->sync_ns == COUNTER_ABSENT ||
	    __builtin_add_overflow(process->safepoint_ns, process->sync_ns,
				   &sum))
		return COUNTER_ABSENT;
	return sum;
}
