/* SPDX-License-Identifier: Apache-2.0 */
#include "core/diagnosis/trends.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/jvm/cgroup.h"
#include "core/jvm/procfs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_LIMIT ((size_t)16 << 10)
#define SMAPS_LIMIT  ((size_t)64 << 20)

/* ---- /proc ---- */

/*
 * Returns the number after a name at the start of a line, times unit;
 * TREND_UNKNOWN if there is none.
 */
static int64_t trend_number(const char *text, size_t len, const char *name,
			    int64_t unit)
{
	struct lines lines = lines_over(text, len);
	struct line line;
	int64_t value;

	while (lines_next(&lines, &line)) {
		if (!line_starts(line, name))
			continue;
		value = strtoll(line.text + strlen(name), NULL, 10);
		if (value < 0 || __builtin_mul_overflow(value, unit, &value))
			return TREND_UNKNOWN;
		return value;
	}
	return TREND_UNKNOWN;
}

static void trends_add_status(const struct trends *t, int64_t *values)
{
	static const struct {
		const char *name;
		enum trend trend;
		int64_t unit;
	} all[] = {
		{ "Threads:", TREND_THREADS, 1 },
		{ "RssAnon:", TREND_ANONYMOUS, 1024 },
		{ "VmSwap:", TREND_SWAPPED, 1024 },
	};
	struct text s = { 0 };

	if (procfs_read(t->jvm->pid, "status", STATUS_LIMIT, &s,
			error_unused()))
		text_clear(&s);
	for (size_t i = 0; i < 3 && s.len; i++)
		values[all[i].trend] = trend_number(s.bytes, s.len, all[i].name,
						    all[i].unit);
	text_release(&s);
}

static void trends_add_files(struct trends *t, int64_t *values)
{
	if (open_files_read(&t->last, t->jvm->pid, &t->no_files))
		return;
	if (!t->count)
		t->first = t->last;
	values[TREND_DESCRIPTORS] = (int64_t)(t->last.sockets + t->last.files +
					      t->last.pipes + t->last.others);
	t->limits[TREND_DESCRIPTORS] = t->last.limit;
}

/*
 * Adds up the resident pages of the heap's mappings, which are anonymous,
 * except with ZGC; smaps has a line "7f0000-7f1000 rw-p …" and fields for each.
 */
static int64_t heap_resident(const struct trends *t)
{
	struct text s = { 0 };
	struct lines lines;
	struct line line;
	int64_t sum = 0;
	bool is_heap = false;

	if (procfs_read(t->jvm->pid, "smaps", SMAPS_LIMIT, &s, error_unused()))
		sum = TREND_UNKNOWN;
	lines = lines_over(s.len ? s.bytes : "", s.len);
	while (sum >= 0 && lines_next(&lines, &line)) {
		char *dash;
		uint64_t begin = strtoull(line.text, &dash, 16);

		/* Names of fields begin with an uppercase letter. */
		if (*dash == '-')
			is_heap = begin >= t->heap.begin &&
				  strtoull(dash + 1, NULL, 16) <= t->heap.end;
		else if (is_heap && line_starts(line, "Anonymous:"))
			sum += 1024 * strtoll(line.text + 10, NULL, 10);
	}
	text_release(&s);
	return sum;
}

/* ---- the JVM's counters ---- */

/* Serial and Parallel let their old generation fill up: growth is normal. */
static bool old_is_concurrent(const struct perfdata *p)
{
	const char *policy = perfdata_text(p, "sun.gc.policy.name");
	const char *old = perfdata_text(p, "sun.gc.collector.1.name");

	return (policy && strstr(policy, "G1")) || (old && strstr(old, "G1")) ||
	       (policy && strstr(policy, "ParNew:CMS"));
}

static void trends_add_counters(struct trends *t, int64_t *values)
{
	static const char old[] = "sun.gc.generation.1.space.0.used";
	static const char most[] = "sun.gc.generation.1.space.0.maxCapacity";
	int64_t loaded, unloaded, shared = 0, shared_unloaded = 0;

	if (!t->perf || perfdata_refresh(t->perf, error_unused()))
		return;
	perfdata_value(t->perf, "java.cls.sharedLoadedClasses", &shared);
	perfdata_value(t->perf, "java.cls.sharedUnloadedClasses",
		       &shared_unloaded);
	if (perfdata_value(t->perf, "java.cls.loadedClasses", &loaded) &&
	    perfdata_value(t->perf, "java.cls.unloadedClasses", &unloaded))
		values[TREND_CLASSES] = loaded + shared - unloaded -
					shared_unloaded;
	perfdata_value(t->perf, old, &values[TREND_OLD]);
	perfdata_value(t->perf, most, &t->limits[TREND_OLD]);
}

/* ---- the control group ---- */

static void trends_add_group(struct trends *t, int64_t *values)
{
	struct cgroup_memory m;

	if (t->memory_group < 0)
		return;
	cgroup_memory_read(&m, t->memory_group);
	if (m.current >= 0 && m.inactive_files >= 0)
		values[TREND_MEMORY] = m.current > m.inactive_files
					       ? m.current - m.inactive_files
					       : 0;
	values[TREND_OOM_KILLS] = m.oom_kills;
	values[TREND_PRESSURE_US] = m.pressure_us;
}

/* ---- samples ---- */

void trends_open(struct trends *t, const struct jvm *jvm)
{
	struct cgroup_limits limits;
	struct proc_stat stat;

	*t = (struct trends){ .jvm = jvm, .memory_group = -1, .uptime_s = -1 };
	for (size_t i = 0; i < TRENDS; i++)
		t->limits[i] = TREND_UNKNOWN;
	t->perf = perfdata_open(jvm, error_unused());
	t->old_is_concurrent = t->perf && old_is_concurrent(t->perf);
	cgroup_limits_read(&limits, jvm);
	if (limits.memory >= 0)
		t->limits[TREND_MEMORY] = limits.memory;
	t->memory_group = limits.memory_group;
	limits.memory_group = -1;
	cgroup_limits_release(&limits);
	t->begin_ns = clock_monotonic_ns();
	if (procfs_stat(jvm->pid, &stat, error_unused()) == 0)
		t->uptime_s = (double)clock_boot_ns() / 1e9 -
			      (double)stat.start_ticks /
				      (double)sysconf(_SC_CLK_TCK);
}

void trends_close(struct trends *t)
{
	perfdata_close(t->perf);
	if (t->jvm && t->memory_group >= 0)
		close(t->memory_group);
	*t = (struct trends){ 0 };
}

void trends_sample(struct trends *t)
{
	struct trend_sample *s = &t->samples[t->count];
	int64_t heap = TREND_UNKNOWN;
	struct proc_stat stat;

	if (t->count == TREND_SAMPLES)
		return;
	for (size_t i = 0; i < TRENDS; i++)
		s->values[i] = TREND_UNKNOWN;
	s->at_s = (double)(clock_monotonic_ns() - t->begin_ns) / 1e9;
	trends_add_status(t, s->values);
	if (procfs_stat(t->jvm->pid, &stat, error_unused()) == 0 &&
	    stat.major_faults <= INT64_MAX)
		s->values[TREND_MAJOR_FAULTS] = (int64_t)stat.major_faults;
	trends_add_files(t, s->values);
	trends_add_counters(t, s->values);
	trends_add_group(t, s->values);
	if (t->heap.end && s->values[TREND_ANONYMOUS] >= 0)
		heap = heap_resident(t);
	if (heap >= 0)
		s->values[TREND_NATIVE] = s->values[TREND_ANONYMOUS] - heap;
	t->count++;
}

int64_t trends_last(const struct trends *t, enum trend which)
{
	for (size_t i = t->count; i-- > 0;)
		if (t->samples[i].values[which] >= 0)
			return t->samples[i].values[which];
	return TREND_UNKNOWN;
}

static const struct trend_sample *trends_first(const struct trends *t,
					       enum trend which)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->samples[i].values[which] >= 0)
			return &t->samples[i];
	return NULL;
}

double trends_rate(const struct trends *t, enum trend which)
{
	const struct trend_sample *first = trends_first(t, which);
	const struct trend_sample *last;

	if (!first)
		return 0;
	last = &t->samples[t->count - 1];
	if (last->at_s <= first->at_s || last->values[which] < 0)
		return 0;
	return (double)(last->values[which] - first->values[which]) /
	       (last->at_s - first->at_s);
}

bool trends_grow(const struct trends *t, enum trend which)
{
	const struct trend_sample *before = trends_first(t, which);
	size_t larger = 0, steps = 0;

	for (; before && before + 1 < t->samples + t->count; before++) {
		int64_t old = before->values[which];
		int64_t now = before[1].values[which];

		if (old < 0 || now < old)
			return false;
		larger += now > old;
		steps++;
	}
	return steps >= 2 && 4 * larger >= 3 * steps;
}
