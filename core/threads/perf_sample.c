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

/* What JDK 8 and 11 call collectors, and what JDK 17 and later do. */
static const struct {
	const char *old, *name;
} collector_names[] = {
	{ "Copy", "Serial young collection pauses" },
	{ "MSC", "Serial full collection pauses" },
	{ "PCopy", "ParNew young collection pauses" },
	{ "PSScavenge", "Parallel young collection pauses" },
	{ "PSParallelCompact", "Parallel full collection pauses" },
	{ "PSMarkSweep", "Parallel full collection pauses" },
	{ "G1 incremental collections", "G1 young collection pauses" },
	{ "G1 stop-the-world full collections", "G1 full collection pauses" },
};

static const char *collector_name(const char *name)
{
	for (size_t i = 0;
	     i < sizeof(collector_names) / sizeof(*collector_names); i++) {
		if (strcmp(name, collector_names[i].old) == 0)
			return collector_names[i].name;
	}
	return name;
}

static int64_t collector_counter(const struct perfdata *p, int i,
				 const char *which)
{
	char key[64];

	snprintf(key, sizeof(key), "sun.gc.collector.%d.%s", i, which);
	return counter(p, key);
}

/* The length of the last pause, by when it began and ended. */
static int64_t last_pause(const struct perfdata *p, int i)
{
	int64_t entry = collector_counter(p, i, "lastEntryTime");
	int64_t end = collector_counter(p, i, "lastExitTime");

	/* During a pause, the exit is of the pause before. */
	if (entry == COUNTER_ABSENT || end == COUNTER_ABSENT || end < entry ||
	    !end)
		return COUNTER_ABSENT;
	return perfdata_ns(p, end - entry);
}

static void add_collector(const struct perfdata *p, int i, const char *name,
			  struct process_sample *out)
{
	struct gc_sample *gc = &out->gc[out->gc_count];
	int64_t time = collector_counter(p, i, "time");

	*gc = (struct gc_sample){
		.count = collector_counter(p, i, "invocations"),
		.time_ns = time == COUNTER_ABSENT ? time : perfdata_ns(p, time),
		.last_ns = last_pause(p, i),
	};
	snprintf(gc->name, sizeof(gc->name), "%s", collector_name(name));
	if (gc->count != COUNTER_ABSENT && gc->time_ns != COUNTER_ABSENT)
		out->gc_count++;
}

/* All safepoints, the pauses for garbage collection among them. */
static void add_bound(const char *name, struct process_sample *out)
{
	struct gc_sample *gc = &out->gc[out->gc_count];

	if (out->safepoints == COUNTER_ABSENT ||
	    out->safepoint_ns == COUNTER_ABSENT)
		return;
	*gc = (struct gc_sample){
		.count = out->safepoints,
		.time_ns = out->safepoint_ns,
		.last_ns = COUNTER_ABSENT,
		.at_most = true,
	};
	snprintf(gc->name, sizeof(gc->name), "%s", name);
	out->gc_count++;
}

/* Epsilon collects nothing; its heap is one generation of that name. */
static bool is_epsilon(const struct perfdata *p)
{
	const char *heap = perfdata_text(p, "sun.gc.generation.1.name");

	return heap && strcmp(heap, "Heap") == 0;
}

/*
 * ZGC's are number 2, and 0 and 2 since JDK 21: there may be gaps.  The ZGC of
 * JDK 11 has none.  Shenandoah has one counter, "Shenandoah full", for pauses,
 * concurrent phases and whole cycles alike (JDK 11 to 28; its
 * MonitoringSupport gives the same counter for each): phases within cycles
 * count twice, so that the counter says nothing about either.
 */
static void add_collectors(const struct perfdata *p, struct process_sample *out)
{
	bool shenandoah = false;

	for (int i = 0; i < GC_COLLECTORS_MAX; i++) {
		const char *name;
		char key[64];

		snprintf(key, sizeof(key), "sun.gc.collector.%d.name", i);
		name = perfdata_text(p, key);
		if (!name)
			continue;
		if (strncmp(name, "Shenandoah", 10) == 0)
			shenandoah = true;
		else
			add_collector(p, i, name, out);
	}
	if (shenandoah)
		add_bound("Shenandoah pauses", out);
	else if (!out->gc_count && !is_epsilon(p))
		add_bound("all safepoints", out);
}

/* "No GC" stands where there is no collection now, or was none before it. */
static void add_cause(const struct perfdata *p, struct process_sample *out)
{
	static const char *const keys[] = { "sun.gc.cause",
					    "sun.gc.lastCause" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *cause = perfdata_text(p, keys[i]);

		if (!cause || !*cause || strcmp(cause, "No GC") == 0)
			continue;
		snprintf(out->gc_cause, sizeof(out->gc_cause), "%s", cause);
		return;
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
	add_cause(p, out);
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
