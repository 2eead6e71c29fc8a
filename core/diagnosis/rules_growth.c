/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that judge trends, and memory that is used up. */
#include "core/diagnosis/rules.h"

#include "core/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define MIB (1024 * 1024)

/* ---- growth ---- */

/* What a value must grow by in the observed time to be a cause. */
static const struct growth {
	double per_s, more;
	double full_s; /* the limit is reached in this time; 0 = no limit */
	const char *unit;
} least_growth[TRENDS] = {
	[TREND_DESCRIPTORS] = { 1, 20, GROWTH_FULL_S, "descriptors" },
	/* The pools of a healthy service are full after their first minute. */
	[TREND_THREADS] = { 0.5, 5, 0, "threads" },
	/* Scripts and pages load some classes long after the start. */
	[TREND_CLASSES] = { 10, 50, 0, "classes" },
	/* Collectors that are concurrent begin at 45 % of the heap. */
	[TREND_OLD] = { 1, 1 * MIB, GROWTH_FULL_S, "bytes" },
	[TREND_NATIVE] = { 1 * MIB, 2 * MIB, 0, "bytes" },
};

/* A trend that is judged. */
struct grown {
	double now, limit;
	double per_s, full_s; /* 0 if the growth is no cause */
	const char *lacks;    /* why it is unknown; NULL: it is known */
	const char *unit;
};

static struct grown grown_of(const struct diagnosis_facts *f, enum trend trend)
{
	const struct growth *least = &least_growth[trend];
	const struct trends *t = f->trends;
	bool is_young = t->uptime_s < GROWTH_UPTIME_S;
	double per_s = trends_rate(t, trend);
	struct grown g = {
		.now = (double)trends_last(t, trend),
		.limit = (double)t->limits[trend],
		.unit = least->unit,
	};

	g.lacks = is_young    ? "the JVM started less than 30 s ago"
		  : g.now < 0 ? "unknown"
			      : NULL;
	if (is_young || per_s < least->per_s ||
	    per_s * f->seconds < least->more || !trends_grow(t, trend) ||
	    (least->full_s > 0 &&
	     (g.limit <= 0 || (g.limit - g.now) / per_s > least->full_s)))
		return g;
	g.per_s = per_s;
	g.full_s = (g.limit - g.now) / per_s;
	return g;
}

static void grown_add(struct cause *c, const struct grown *g)
{
	cause_add(c, "now", g->now, g->unit, "/proc");
	cause_add(c, "growth_per_s", g->per_s, g->unit, "/proc");
}

const char *rule_descriptors(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct grown g = grown_of(f, TREND_DESCRIPTORS);
	const struct trends *t = f->trends;
	struct cause *c;

	if (g.now < 0)
		return *t->no_files.text ? t->no_files.text : "unknown";
	if (g.limit <= 0 || (g.now < FILES_SHARE * g.limit && g.per_s <= 0))
		return g.lacks;
	c = verdict_add(v, 1, "%.0f of %.0f descriptors are open", g.now,
			g.limit);
	if (g.now < FILES_SHARE * g.limit)
		c->rank = CAUSE_TREND;
	if (g.per_s > 0)
		text_printf(&c->sentence,
			    ", %.0f more each second; the limit is reached in "
			    "%s",
			    g.per_s, units_time(g.full_s * 1e9).text);
	open_files_add(&c->detail, &t->last);
	if (t->last.files - t->first.files >=
	    t->last.sockets - t->first.sockets)
		cause_set_next(c, v,
			       "probe %s 'FileInputStream.<init>' --system "
			       "--stack --above 0");
	grown_add(c, &g);
	cause_add(c, "limit", g.limit, "descriptors", "/proc");
	return NULL;
}

const char *rule_threads(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct grown g = grown_of(f, TREND_THREADS);

	if (g.per_s <= 0)
		return g.lacks;
	grown_add(verdict_add(v, 1,
			      "the JVM has %.0f threads, %.1f more each second",
			      g.now, g.per_s),
		  &g);
	return NULL;
}

const char *rule_classes(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct grown g = grown_of(f, TREND_CLASSES);
	struct cause *c;

	if (g.per_s <= 0)
		return g.lacks;
	c = verdict_add(v, 1,
			"%.0f classes are loaded, %.0f more each second, and "
			"none are unloaded",
			g.now, g.per_s);
	if (f->replies->loaders.len)
		text_printf(&c->detail, "most class loaders of one class: %s",
			    f->replies->loaders.bytes);
	grown_add(c, &g);
	return NULL;
}

/*
 * The old generation of a healthy service also grows until a cycle begins, at
 * 45 % of the heap by default; beyond half of the heap, cycles free too little.
 */
const char *rule_old(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct grown g = grown_of(f, TREND_OLD);
	struct cause *c;

	if (!f->trends->old_is_concurrent)
		return "this collector lets the old generation fill up";
	if (g.per_s <= 0 || g.now < g.limit / 2)
		return g.lacks;
	c = verdict_add(v, 1,
			"the old generation grows by %s each second; the heap "
			"is full in %s",
			units_bytes(g.per_s).text,
			units_time(g.full_s * 1e9).text);
	text_printf(&c->detail, "%s of %s are in use", units_bytes(g.now).text,
		    units_bytes(g.limit).text);
	if (f->replies->growing.len)
		text_printf(&c->detail, "; growing: %s",
			    f->replies->growing.bytes);
	grown_add(c, &g);
	cause_add(c, "limit", g.limit, "bytes", "counters");
	return NULL;
}

/* "; malloc has 12.9 MB more: java.util.zip.Inflater +600 (by the sizes …)" */
static void growth_add_kinds(struct text *out, const struct mem_growth *g)
{
	if (!g->has_blocks || g->in_use <= 0)
		return;
	text_printf(out, "; malloc has %s more",
		    units_bytes((double)g->in_use).text);
	for (size_t i = 0; i < g->kind_count; i++)
		text_printf(out, "%s %s +%" PRId64 "%s", i ? "," : ":",
			    g->kinds[i].name, g->kinds[i].count,
			    g->kinds[i].is_guess ? " (by the sizes of blocks)"
						 : "");
}

const char *rule_native(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct grown g = grown_of(f, TREND_NATIVE);
	const struct jvm_replies *r = f->replies;
	struct cause *c;

	/* All of it grows less than its part may. */
	if (trends_last(f->trends, TREND_ANONYMOUS) >= 0 &&
	    trends_rate(f->trends, TREND_ANONYMOUS) < 1 * MIB)
		return NULL;
	if (g.per_s <= 0)
		return g.lacks;
	c = verdict_add(v, 1, "memory outside the heap grows by %s each second",
			units_bytes(g.per_s).text);
	text_printf(&c->detail, "%s now", units_bytes(g.now).text);
	if (r->native.len)
		text_printf(&c->detail,
			    "; growing classes with native memory: %s%s%s",
			    r->native.bytes, r->growing.len ? ", with " : "",
			    r->growing.len ? r->growing.bytes : "");
	if (f->growth)
		growth_add_kinds(&c->detail, f->growth);
	grown_add(c, &g);
	return NULL;
}

/* ---- the limits of memory ---- */

/* At the limit, allocations wait for collections, or fail. */
const char *rule_direct(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct mem_direct *d = f->account ? &f->account->direct : NULL;
	struct cause *c;
	double share;

	if (!d || !d->is_known)
		return "the JVM's memory is unreadable";
	/* No direct buffer was made yet. */
	if (!d->max)
		return NULL;
	share = (double)d->reserved / (double)d->max;
	if (share < DIRECT_SHARE)
		return NULL;
	c = verdict_add(v, 1, "direct buffers have %s of at most %s",
			units_bytes((double)d->reserved).text,
			units_bytes((double)d->max).text);
	text_printf(&c->detail,
		    "%s; MaxDirectMemorySize sets the limit, and a full one "
		    "makes allocations wait for collections, or fail",
		    units_counted(d->count, "buffer").text);
	cause_add(c, "direct", d->reserved, "bytes", "memory");
	cause_add(c, "direct_limit", d->max, "bytes", "memory");
	cause_add(c, "direct_buffers", d->count, "buffers", "memory");
	return NULL;
}

const char *rule_memory(struct verdict *v, const struct diagnosis_facts *f)
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
	c = verdict_add(v, 1, "%s", "");
	if (limit > 0)
		text_printf(&c->sentence, "the container uses %s of its %s",
			    units_bytes(now).text, units_bytes(limit).text);
	if (!is_full && new_kills < 1)
		c->rank = CAUSE_TREND;
	if (kills > 0) {
		text_printf(&c->sentence,
			    "%sthe kernel killed %s of the container for lack "
			    "of memory",
			    limit > 0 ? "; " : "",
			    kills == 1 ? "a process" : "processes");
		text_printf(&c->detail, "%s since the container started",
			    units_counted((uint64_t)kills, "kill").text);
	}
	cause_add(c, "memory", now, "bytes", "cgroup");
	cause_add(c, "memory_limit", limit, "bytes", "cgroup");
	cause_add(c, "oom_kills", kills, "processes", "cgroup");
	return NULL;
}

/* Pages come back from a disk when they are used, also those of the heap. */
const char *rule_swap(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct trends *t = f->trends;
	double faults = trends_rate(t, TREND_MAJOR_FAULTS);
	double pressure = trends_rate(t, TREND_PRESSURE_US) / 1e6;
	double swapped = (double)trends_last(t, TREND_SWAPPED);
	struct cause *c;

	if (pressure < MEMORY_PRESSURE &&
	    (swapped <= 0 || faults < MAJOR_FAULTS_PER_S))
		return NULL;
	c = verdict_add(v, 1,
			swapped > 0
				? "%s of the JVM's memory are in swap space, "
				  "and %.0f pages a second come from a disk"
				: "the kernel takes memory back, and threads "
				  "wait for it",
			units_bytes(swapped).text, faults);
	if (pressure > 0)
		text_printf(&c->detail,
			    "in %.0f%% of the time, some task of the "
			    "container waits for memory",
			    100 * pressure);
	cause_add(c, "swapped", swapped, "bytes", "/proc");
	cause_add(c, "major_faults_per_s", faults, "pages", "/proc");
	cause_add(c, "memory_pressure", pressure, "of the time", "cgroup");
	return NULL;
}
