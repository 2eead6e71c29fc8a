/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that judge trends, and memory that is used up. */
#include "core/diagnosis/rules.h"

#include "core/base/units.h"

#include <math.h>
#include <stdlib.h>

#define MIB (1024 * 1024)

/* ---- growth ---- */

/* A value that should not grow; at least: in the observed time. */
struct growth {
	enum trend trend;
	double per_s_least, more_least;
	double full_s; /* the limit is reached in this time; 0 = no limit */
	const char *unit;
};

static const struct growth growth_of_descriptors = {
	TREND_DESCRIPTORS, 1, 20, GROWTH_FULL_S, "descriptors",
};
/* The pools of a healthy service are full after their first minute. */
static const struct growth growth_of_threads = { TREND_THREADS, 0.5, 5, 0,
						 "threads" };
/* Scripts and pages load some classes long after the start. */
static const struct growth growth_of_classes = { TREND_CLASSES, 10, 50, 0,
						 "classes" };
/* Collectors that are concurrent begin at 45 % of the heap. */
static const struct growth growth_of_old = { TREND_OLD, 1, 1 * MIB,
					     GROWTH_FULL_S, "bytes" };
static const struct growth growth_of_native = { TREND_NATIVE, 1 * MIB, 2 * MIB,
						0, "bytes" };

/* Returns the increase per second; 0 if the growth is no cause. */
static double growth_per_s(const struct diagnosis_facts *f,
			   const struct growth *g)
{
	const struct trends *t = f->trends;
	double per_s = trends_rate(t, g->trend);
	double now = (double)trends_last(t, g->trend);
	double limit = (double)t->limits[g->trend];

	if (t->uptime_s < GROWTH_UPTIME_S || per_s < g->per_s_least ||
	    per_s * f->seconds < g->more_least || !trends_grow(t, g->trend))
		return 0;
	if (g->full_s > 0 && (limit <= 0 || (limit - now) / per_s > g->full_s))
		return 0;
	return per_s;
}

static const char *growth_lacks(const struct diagnosis_facts *f,
				const struct growth *g)
{
	if (f->trends->uptime_s < GROWTH_UPTIME_S)
		return "the JVM started less than 30 s ago";
	return trends_last(f->trends, g->trend) < 0 ? "unknown" : NULL;
}

static struct cause *growth_add(struct diagnosis *d, const struct rule *rule,
				const struct diagnosis_facts *f,
				const struct growth *g, double per_s)
{
	struct cause *c = diagnosis_add(d, rule);

	c->rank = CAUSE_TREND;
	c->lost_s = f->seconds;
	cause_add_evidence(c, "now", (double)trends_last(f->trends, g->trend),
			   g->unit, "/proc");
	cause_add_evidence(c, "growth_per_s", per_s, g->unit, "/proc");
	return c;
}

static void files_add_next(struct cause *c, const struct diagnosis_facts *f)
{
	const struct trends *t = f->trends;

	if (t->last.files - t->first.files >=
	    t->last.sockets - t->first.sockets)
		text_printf(&c->next,
			    "probe %s 'FileInputStream.<init>' --system "
			    "--stack --above 0",
			    f->target);
	else
		text_printf(&c->next, "threads %s", f->target);
}

const char *rule_descriptors(struct diagnosis *d, const struct rule *rule,
			     const struct diagnosis_facts *f)
{
	const struct growth *g = &growth_of_descriptors;
	double now = (double)trends_last(f->trends, g->trend);
	double limit = (double)f->trends->limits[g->trend];
	double per_s = growth_per_s(f, g);
	struct cause *c;

	if (now < 0)
		return *f->trends->no_files.text ? f->trends->no_files.text
						 : "unknown";
	if (limit <= 0 || (now < FILES_SHARE * limit && per_s <= 0))
		return growth_lacks(f, g);
	c = growth_add(d, rule, f, g, per_s);
	if (now >= FILES_SHARE * limit)
		c->rank = CAUSE_BROKEN;
	text_printf(&c->sentence, "%.0f of %.0f descriptors are open", now,
		    limit);
	if (per_s > 0)
		text_printf(&c->sentence,
			    ", %.0f more each second; the limit is reached in "
			    "%s",
			    per_s,
			    units_time((limit - now) / per_s * 1e9).text);
	open_files_add(&c->detail, &f->trends->last);
	files_add_next(c, f);
	cause_add_evidence(c, "limit", limit, "descriptors", "/proc");
	return NULL;
}

const char *rule_threads(struct diagnosis *d, const struct rule *rule,
			 const struct diagnosis_facts *f)
{
	const struct growth *g = &growth_of_threads;
	double per_s = growth_per_s(f, g);
	struct cause *c;

	if (per_s <= 0)
		return growth_lacks(f, g);
	c = growth_add(d, rule, f, g, per_s);
	text_printf(&c->sentence,
		    "the JVM has %.0f threads, %.1f more each second",
		    (double)trends_last(f->trends, g->trend), per_s);
	text_printf(&c->next, "threads %s", f->target);
	return NULL;
}

const char *rule_classes(struct diagnosis *d, const struct rule *rule,
			 const struct diagnosis_facts *f)
{
	const struct growth *g = &growth_of_classes;
	double per_s = growth_per_s(f, g);
	struct cause *c;

	if (per_s <= 0)
		return growth_lacks(f, g);
	c = growth_add(d, rule, f, g, per_s);
	text_printf(&c->sentence,
		    "%.0f classes are loaded, %.0f more each second, and none "
		    "are unloaded",
		    (double)trends_last(f->trends, g->trend), per_s);
	if (f->replies->loaders.len)
		text_printf(&c->detail, "most class loaders of one class: %s",
			    f->replies->loaders.bytes);
	text_printf(&c->next, "jcmd %s VM.classloaders", f->target);
	return NULL;
}

/*
 * The old generation of a healthy service also grows until a cycle begins, at
 * 45 % of the heap by default; beyond half of the heap, cycles free too little.
 */
const char *rule_old(struct diagnosis *d, const struct rule *rule,
		     const struct diagnosis_facts *f)
{
	const struct growth *g = &growth_of_old;
	double now = (double)trends_last(f->trends, g->trend);
	double limit = (double)f->trends->limits[g->trend];
	double per_s = growth_per_s(f, g);
	struct cause *c;

	if (!f->trends->old_is_concurrent)
		return "this collector lets the old generation fill up";
	if (per_s <= 0 || now < limit / 2)
		return growth_lacks(f, g);
	c = growth_add(d, rule, f, g, per_s);
	text_printf(&c->sentence,
		    "the old generation grows by %s each second; the heap is "
		    "full in %s",
		    units_bytes(per_s).text,
		    units_time((limit - now) / per_s * 1e9).text);
	text_printf(&c->detail, "%s of %s are in use", units_bytes(now).text,
		    units_bytes(limit).text);
	if (f->replies->growing.len)
		text_printf(&c->detail, "; growing: %s",
			    f->replies->growing.bytes);
	text_printf(&c->next, "hh %s --live", f->target);
	cause_add_evidence(c, "limit", limit, "bytes", "counters");
	return NULL;
}

const char *rule_native(struct diagnosis *d, const struct rule *rule,
			const struct diagnosis_facts *f)
{
	const struct growth *g = &growth_of_native;
	double anonymous = trends_rate(f->trends, TREND_ANONYMOUS);
	double per_s = growth_per_s(f, g);
	struct cause *c;

	/* All of it grows less than its part may. */
	if (trends_last(f->trends, TREND_ANONYMOUS) >= 0 &&
	    anonymous < g->per_s_least)
		return NULL;
	if (per_s <= 0)
		return growth_lacks(f, g);
	c = growth_add(d, rule, f, g, per_s);
	text_printf(&c->sentence,
		    "memory outside the heap grows by %s each second",
		    units_bytes(per_s).text);
	text_printf(&c->detail, "%s now",
		    units_bytes((double)trends_last(f->trends, g->trend)).text);
	if (f->replies->native.len)
		text_printf(&c->detail,
			    "; growing classes with native memory: %s",
			    f->replies->native.bytes);
	if (f->replies->native.len && f->replies->growing.len)
		text_printf(&c->detail, ", with %s", f->replies->growing.bytes);
	text_printf(&c->next, "hh %s", f->target);
	return NULL;
}

/* ---- the limit of memory ---- */

const char *rule_memory(struct diagnosis *d, const struct rule *rule,
			const struct diagnosis_facts *f)
{
	const struct trends *t = f->trends;
	double limit = (double)t->limits[TREND_MEMORY];
	double now = (double)trends_last(t, TREND_MEMORY);
	int64_t kills = trends_last(t, TREND_OOM_KILLS);
	double new_kills = trends_rate(t, TREND_OOM_KILLS) * f->seconds;
	bool is_full = limit > 0 && now >= MEMORY_SHARE * limit;
	struct cause *c;

	if (limit > 0 && now < 0)
		return "the memory of the container is unknown";
	if (!is_full && kills <= 0)
		return NULL;
	c = diagnosis_add(d, rule);
	if (!is_full && new_kills < 1)
		c->rank = CAUSE_TREND;
	c->lost_s = f->seconds;
	if (limit > 0)
		text_printf(&c->sentence, "the container uses %s of its %s",
			    units_bytes(now).text, units_bytes(limit).text);
	if (kills > 0)
		text_printf(&c->sentence,
			    "%sthe kernel killed %s of the "
			    "container for lack of memory",
			    c->sentence.len ? "; " : "",
			    kills == 1 ? "a process" : "processes");
	if (kills > 0)
		text_printf(&c->detail, "%s since the container started",
			    units_counted((uint64_t)kills, "kill").text);
	text_printf(&c->next, "vminfo %s", f->target);
	cause_add_evidence(c, "memory", now, "bytes", "cgroup");
	cause_add_evidence(c, "memory_limit", limit, "bytes", "cgroup");
	cause_add_evidence(c, "oom_kills", (double)kills, "processes",
			   "cgroup");
	return NULL;
}

/* Pages come back from a disk when they are used, also those of the heap. */
const char *rule_swap(struct diagnosis *d, const struct rule *rule,
		      const struct diagnosis_facts *f)
{
	const struct trends *t = f->trends;
	double faults = trends_rate(t, TREND_MAJOR_FAULTS);
	double pressure = trends_rate(t, TREND_PRESSURE_US) / 1e6;
	double swapped = (double)trends_last(t, TREND_SWAPPED);
	struct cause *c;

	if (pressure < MEMORY_PRESSURE &&
	    (swapped <= 0 || faults < MAJOR_FAULTS_PER_S))
		return NULL;
	c = diagnosis_add(d, rule);
	c->lost_s = f->seconds;
	if (swapped > 0)
		text_printf(
			&c->sentence,
			"%s of the JVM's memory are in swap space, and %.0f "
			"pages a second come from a disk",
			units_bytes(swapped).text, faults);
	else
		text_puts(&c->sentence,
			  "the kernel takes memory back, and threads wait for "
			  "it");
	if (pressure > 0)
		text_printf(&c->detail,
			    "in %.0f%% of the time, some task of the "
			    "container waits for memory",
			    100 * pressure);
	text_printf(&c->next, "vminfo %s", f->target);
	cause_add_evidence(c, "swapped", swapped, "bytes", "/proc");
	cause_add_evidence(c, "major_faults_per_s", faults, "pages", "/proc");
	cause_add_evidence(c, "memory_pressure", pressure, "of the time",
			   "cgroup");
	return NULL;
}
