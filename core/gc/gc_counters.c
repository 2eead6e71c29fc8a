/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_counters.h"
#include "core/hotspot/vm_counters.h"

#include "core/base/alloc.h"
#include "core/gc/gc_operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* A JVM that changes its counters during each of these readings does
	 * nothing but safepoints. */
	READINGS = 8,
	GENERATIONS = 3,
	/* The counters of interest lie within the default size of the file. */
	SPAN_MAX = 1 << 20,
};

struct gc_counters {
	struct perfdata *file;
	struct gc_offsets at;
	uint32_t gc_cpu;
	uint32_t begin, end; /* of all values in the file */
	bool time_includes_sync;
	const char *collector;
	uint8_t *bytes[2]; /* the values; two readings of them */
};

/*
 * The first words of sun.gc.collector.N.name; JDK 8 and 11 use the names of
 * their classes.
 */
static const struct {
	const char *prefix, *collector;
} names[] = {
	{ "G1", "G1" },
	{ "Serial", "Serial" },
	{ "Parallel", "Parallel" },
	{ "ZGC", "ZGC" },
	{ "Z ", "ZGC" },
	{ "Shenandoah", "Shenandoah" },
	{ "PSScavenge", "Parallel" },
	{ "PSParallelCompact", "Parallel" },
	{ "PSMarkSweep", "Parallel" },
	{ "Copy", "Serial" },
	{ "MSC", "Serial" },
	{ "CMS", "CMS" },
	{ "PCopy", "CMS" },
	{ "ParNew", "CMS" },
};

/* ---- finding the counters ---- */

static uint32_t counters_find(struct gc_counters *c, const char *name,
			      uint32_t len)
{
	uint32_t at = (uint32_t)perfdata_offset(c->file, name);

	if (at && (!c->begin || at < c->begin))
		c->begin = at;
	if (at && at + len > c->end)
		c->end = at + len;
	return at;
}

static uint32_t counters_find_number(struct gc_counters *c, const char *name)
{
	int64_t unused;

	return perfdata_value(c->file, name, &unused)
		       ? counters_find(c, name, sizeof(int64_t))
		       : 0;
}

static uint32_t counters_find_text(struct gc_counters *c, const char *name)
{
	return perfdata_text(c->file, name)
		       ? counters_find(c, name, GC_CAUSE_BYTES)
		       : 0;
}

static void counters_find_spaces(struct gc_counters *c)
{
	size_t spaces = 0;
	char name[64];

	for (unsigned g = 0; g < GENERATIONS; g++) {
		snprintf(name, sizeof(name), "sun.gc.generation.%u.capacity",
			 g);
		c->at.committed[g] = counters_find_number(c, name);
		for (unsigned s = 0; spaces < GC_SPACES && s < 4; s++) {
			uint32_t at;

			snprintf(name, sizeof(name),
				 "sun.gc.generation.%u.space.%u.used", g, s);
			at = counters_find_number(c, name);
			if (at)
				c->at.used[spaces++] = at;
		}
	}
}

static void counters_find_collectors(struct gc_counters *c)
{
	const char *text;
	char name[64];

	c->collector = "";
	for (unsigned i = 0; i < GC_COLLECTORS; i++) {
		snprintf(name, sizeof(name), "sun.gc.collector.%u.time", i);
		c->at.collector_ns[i] = counters_find_number(c, name);
		snprintf(name, sizeof(name), "sun.gc.collector.%u.invocations",
			 i);
		c->at.collector_count[i] = counters_find_number(c, name);
		snprintf(name, sizeof(name), "sun.gc.collector.%u.name", i);
		text = perfdata_text(c->file, name);
		for (size_t n = 0; text && n < sizeof(names) / sizeof(*names);
		     n++) {
			if (strncmp(text, names[n].prefix,
				    strlen(names[n].prefix)) == 0)
				c->collector = names[n].collector;
		}
	}
}

/* RuntimeService measures the whole safepoint before JDK 12 (JDK-8211384). */
static bool counters_include_sync(const struct gc_counters *c)
{
	const char *version = perfdata_text(
		c->file, "java.property.java.vm.specification."
			 "version");
	unsigned long number = version ? strtoul(version, NULL, 10) : 0;

	return version && number < 12;
}

static void counters_find_all(struct gc_counters *c)
{
	c->at.safepoints = counters_find_number(c, "sun.rt.safepoints");
	c->at.sync = counters_find_number(c, "sun.rt.safepointSyncTime");
	c->at.stopped = counters_find_number(c, "sun.rt.safepointTime");
	c->gc_cpu = counters_find_number(c, "sun.threads.total_gc_cpu_time");
	c->at.cause = counters_find_text(c, "sun.gc.cause");
	c->at.last_cause = counters_find_text(c, "sun.gc.lastCause");
	perfdata_inode(c->file, &c->at.dev, &c->at.ino);
	c->at.address = perfdata_address(c->file);
	counters_find_collectors(c);
	counters_find_spaces(c);
	c->time_includes_sync = counters_include_sync(c);
}

struct gc_counters *gc_counters_of(struct perfdata *file, struct error *err)
{
	struct gc_counters *c = xcalloc(1, sizeof(*c));

	c->file = file;
	counters_find_all(c);
	if (!c->at.stopped || !c->at.safepoints ||
	    c->end - c->begin > SPAN_MAX) {
		fail(err, ERROR_UNAVAILABLE,
		     "the JVM has no counters of safepoints");
		gc_counters_close(c);
		return NULL;
	}
	for (size_t i = 0; i < 2; i++)
		c->bytes[i] = xcalloc(1, c->end - c->begin);
	return c;
}

struct gc_counters *gc_counters_open(const struct jvm *jvm, struct error *err)
{
	struct perfdata *file = vm_counters_open(jvm, err);

	return file ? gc_counters_of(file, err) : NULL;
}

void gc_counters_close(struct gc_counters *c)
{
	if (!c)
		return;
	perfdata_close(c->file);
	free(c->bytes[0]);
	free(c->bytes[1]);
	free(c);
}

/* ---- reading ---- */

static int64_t counters_value(const struct gc_counters *c, uint32_t at)
{
	int64_t value;

	if (!at)
		return GC_ABSENT;
	memcpy(&value, c->bytes[0] + at - c->begin, sizeof(value));
	return value;
}

static int64_t counters_time(const struct gc_counters *c, uint32_t at)
{
	return at ? perfdata_ns(c->file, counters_value(c, at)) : GC_ABSENT;
}

static int64_t counters_sum(const struct gc_counters *c, const uint32_t *at,
			    size_t count)
{
	int64_t sum = GC_ABSENT;

	for (size_t i = 0; i < count; i++) {
		if (at[i])
			sum = (sum == GC_ABSENT ? 0 : sum) +
			      counters_value(c, at[i]);
	}
	return sum;
}

static void counters_text(const struct gc_counters *c, uint32_t at,
			  char text[GC_CAUSE_BYTES])
{
	if (at)
		memcpy(text, c->bytes[0] + at - c->begin, GC_CAUSE_BYTES);
	text[at ? GC_CAUSE_BYTES - 1 : 0] = '\0';
}

static int counters_read_twice(const struct gc_counters *c, struct error *err)
{
	size_t len = c->end - c->begin;

	if (perfdata_peek(c->file, c->begin, c->bytes[0], len, err))
		return -1;
	for (int i = 0; i < READINGS; i++) {
		if (perfdata_peek(c->file, c->begin, c->bytes[1], len, err))
			return -1;
		if (memcmp(c->bytes[0], c->bytes[1], len) == 0)
			break;
		memcpy(c->bytes[0], c->bytes[1], len);
	}
	return 0;
}

int gc_counters_read(const struct gc_counters *c, struct gc_values *v,
		     struct error *err)
{
	if (counters_read_twice(c, err))
		return -1;
	v->safepoints = counters_value(c, c->at.safepoints);
	v->stopped_ns = counters_time(c, c->at.stopped);
	v->sync_ns = counters_time(c, c->at.sync);
	for (unsigned i = 0; i < GC_COLLECTORS; i++) {
		v->collectors[i].count = counters_value(
			c, c->at.collector_count[i]);
		v->collectors[i].ns = counters_time(c, c->at.collector_ns[i]);
	}
	v->used = counters_sum(c, c->at.used, GC_SPACES);
	v->committed = counters_sum(c, c->at.committed, GENERATIONS);
	v->gc_cpu_ns = counters_value(c, c->gc_cpu);
	counters_text(c, c->at.cause, v->cause);
	counters_text(c, c->at.last_cause, v->last_cause);
	return 0;
}

int gc_counters_changed(const struct gc_counters *c, const struct gc_values *v,
			bool *changed, struct error *err)
{
	int64_t ticks;

	if (perfdata_peek(c->file, c->at.stopped, &ticks, sizeof(ticks), err))
		return -1;
	*changed = perfdata_ns(c->file, ticks) != v->stopped_ns;
	return 0;
}

const char *gc_counters_collector(const struct gc_counters *c)
{
	return c->collector;
}

void gc_counters_offsets(const struct gc_counters *c, struct gc_offsets *o)
{
	*o = c->at;
}

bool gc_counters_stopped_includes_sync(const struct gc_counters *c)
{
	return c->time_includes_sync;
}

int64_t gc_counters_ns(const struct gc_counters *c, int64_t ticks)
{
	return perfdata_ns(c->file, ticks);
}

unsigned gc_counters_columns(const struct gc_counters *c)
{
	unsigned columns = GC_HAS_STOPPED | GC_HAS_OTHER;

	if (c->at.sync)
		columns |= GC_HAS_SYNC;
	if (c->at.cause)
		columns |= GC_HAS_CAUSE;
	if (c->at.used[0] && strcmp(c->collector, "ZGC") != 0)
		columns |= GC_HAS_AFTER;
	if (strcmp(c->collector, "Shenandoah") != 0)
		columns |= GC_HAS_GC;
	return columns;
}

/* ---- interpreting differences ---- */

static int64_t difference(int64_t before, int64_t now)
{
	return before == GC_ABSENT || now < before ? GC_ABSENT : now - before;
}

/* Counters of Serial, Parallel, G1 and CMS tell which collections took place.
 */
static void interpret_collections(const struct gc_values *before,
				  const struct gc_values *now,
				  struct gc_pause *p)
{
	static const enum gc_kind kinds[GC_COLLECTORS] = {
		GC_YOUNG,
		GC_FULL,
		GC_CYCLE_PAUSE,
	};

	for (unsigned i = 0; i < GC_COLLECTORS; i++) {
		int64_t ns = difference(before->collectors[i].ns,
					now->collectors[i].ns);
		int64_t count = difference(before->collectors[i].count,
					   now->collectors[i].count);

		if (ns <= 0 && count <= 0)
			continue;
		p->gc_ns = (p->gc_ns == GC_ABSENT ? 0 : p->gc_ns) +
			   (ns > 0 ? ns : 0);
		p->collections += (unsigned)(count > 0 ? count : 0);
		/* One operation may do a young and then a full collection. */
		if (p->kind != GC_FULL)
			p->kind = kinds[i];
	}
}

/*
 * ZGC counts its pauses in counters of all three kinds. The counters of
 * Shenandoah hold cycles, so its operations tell: ShenandoahInitMark, ….
 */
static void interpret_concurrent(const struct gc_counters *c,
				 const struct gc_values *now,
				 const char *operation, struct gc_pause *p)
{
	bool is_shenandoah = strcmp(c->collector, "Shenandoah") == 0;

	if (p->kind != GC_OTHER && !is_shenandoah) {
		p->kind = GC_CYCLE_PAUSE;
		return;
	}
	p->kind = GC_OTHER;
	p->gc_ns = GC_ABSENT;
	p->collections = 0;
	if (operation)
		p->kind = gc_operation_kind(operation, NULL);
	else if (strcmp(now->cause, "No GC") != 0)
		p->kind = GC_PAUSE;
}

static const char *interpret_cause(const struct gc_values *now)
{
	if (now->cause[0] && strcmp(now->cause, "No GC") != 0)
		return now->cause;
	return now->last_cause[0] ? now->last_cause : NULL;
}

void gc_counters_interpret(const struct gc_counters *c,
			   const struct gc_values *before,
			   const struct gc_values *now, const char *operation,
			   struct gc_pause *p)
{
	bool is_concurrent = strcmp(c->collector, "ZGC") == 0 ||
			     strcmp(c->collector, "Shenandoah") == 0;

	p->kind = GC_OTHER;
	p->operation = operation;
	p->sync_ns = difference(before->sync_ns, now->sync_ns);
	interpret_collections(before, now, p);
	if (is_concurrent)
		interpret_concurrent(c, now, operation, p);
	if (!gc_pause_is_collection(p))
		return;
	p->collector = c->collector[0] ? c->collector : NULL;
	/* Remark and Cleanup of G1 have no cause of their own. */
	if (p->kind != GC_CYCLE_PAUSE || is_concurrent)
		p->cause = interpret_cause(now);
	p->committed = now->committed;
	if (gc_counters_columns(c) & GC_HAS_AFTER && p->kind != GC_CYCLE_PAUSE)
		p->after = now->used;
}
