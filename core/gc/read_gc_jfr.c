/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_jfr.h"

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/formats/reader.h"
#include "core/gc/gc_names.h"
#include "core/gc/gc_operation.h"
#include "core/profile/event_watch.h"
#include "core/profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* The types of events, in the order of the table at the end. */
enum {
	EVENT_COLLECTION,
	EVENT_G1,
	EVENT_HEAP,
	EVENT_CPU,
	EVENT_BEGIN,
	EVENT_END,
	EVENT_OPERATION,
	EVENT_PAUSE,
	EVENT_PAUSE_1,
	EVENT_PAUSE_2,
	EVENT_PAUSE_3,
	EVENT_PAUSE_4,
	EVENT_CONCURRENT,
	EVENT_CONCURRENT_1,
	EVENT_CONCURRENT_2,
	EVENTS
};

/* The first fields of all types. */
enum { FIELD_START, FIELD_DURATION, FIELD_ID, FIELD_NAME, FIELD_OTHER };

/* A safepoint. */
struct jfr_stop {
	int64_t id;
	int64_t begin_ns, sync_ns, end_ns; /* end_ns is 0 until known */
	uint32_t operation;                /* string; of the last operation */
};

/* A phase of a collection; a pause has level 0. */
struct jfr_phase {
	int64_t start_ns, ns, gc;
	uint32_t name;
	uint8_t level;
	bool is_concurrent;
};

/* A collection or a concurrent cycle. */
struct jfr_collection {
	int64_t id;
	int64_t start_ns, ns; /* start_ns is 0 without jdk.GarbageCollection */
	int64_t pauses_ns;
	int64_t before, after, committed, cpu_ns;
	uint32_t name, cause, type;
	bool has_pauses;         /* jdk.GCPhasePause */
	size_t phase, phase_end; /* its phases, once they are sorted */
};

/* A record, in the order of the ends. */
struct jfr_record {
	int64_t end_ns;
	size_t stop;       /* index + 1; 0 = none */
	size_t collection; /* of its last pause, index + 1; 0 = none */
	int64_t gc_ns, cycle_ns;
	unsigned pauses;
	enum gc_kind kind;
	uint32_t name; /* of a pause of a cycle */
	size_t first;  /* of its collections, index + 1 */
};

struct gc_jfr {
	struct gc_source source;
	struct intern strings;
	struct jfr_stop *stops;
	size_t stop_count, stop_cap;
	struct jfr_phase *phases;
	size_t phase_count, phase_cap;
	struct jfr_collection *collections;
	size_t collection_count, collection_cap;
	struct jfr_record *records;
	size_t record_count, record_cap;
	size_t next;
	uint64_t damaged;       /* safepoints that end before they begin */
	struct gc_phase *given; /* phases of the record that the caller has */
	size_t given_cap;
};

static struct gc_jfr *jfr_of(struct gc_source *s) { return (struct gc_jfr *)s; }

static struct line line_of(const char *string)
{
	return (struct line){ string, string ? strlen(string) : 0 };
}

static uint32_t jfr_string(struct gc_jfr *g, const char *text)
{
	return intern_id(&g->strings, text, strlen(text));
}

/* NULL for the empty string. */
static const char *jfr_text(const struct gc_jfr *g, uint32_t string)
{
	return string ? intern_text(&g->strings, string) : NULL;
}

/* ---- events ---- */

/*
 * Events of a collection or safepoint come close to each other, so searching
 * from the end finds them at once. Others are few.
 */
#define SEARCHED 64

static struct jfr_collection *jfr_collection(struct gc_jfr *g, int64_t id)
{
	size_t last = g->collection_count;
	struct jfr_collection *c;

	for (size_t i = last; i-- > 0 && last - i <= SEARCHED;) {
		if (g->collections[i].id == id)
			return &g->collections[i];
	}
	array_reserve(g->collections, g->collection_cap, last + 1);
	c = &g->collections[g->collection_count++];
	*c = (struct jfr_collection){
		.id = id,
		.pauses_ns = GC_ABSENT,
		.before = GC_ABSENT,
		.after = GC_ABSENT,
		.committed = GC_ABSENT,
		.cpu_ns = GC_ABSENT,
	};
	return c;
}

static struct jfr_stop *jfr_stop(struct gc_jfr *g, int64_t id)
{
	size_t last = g->stop_count;
	struct jfr_stop *s;

	for (size_t i = last; i-- > 0 && last - i <= SEARCHED;) {
		if (g->stops[i].id == id)
			return &g->stops[i];
	}
	array_reserve(g->stops, g->stop_cap, last + 1);
	s = &g->stops[g->stop_count++];
	*s = (struct jfr_stop){ .id = id, .sync_ns = GC_ABSENT };
	return s;
}

static int64_t value_end(const struct watched_value *v)
{
	int64_t end;

	if (v[FIELD_DURATION].number < 0 ||
	    __builtin_add_overflow(v[FIELD_START].number,
				   v[FIELD_DURATION].number, &end))
		return v[FIELD_START].number;
	return end;
}

static void jfr_add_collection(struct gc_jfr *g, const struct watched_value *v)
{
	struct jfr_collection *c = jfr_collection(g, v[FIELD_ID].number);

	c->start_ns = v[FIELD_START].number;
	c->ns = value_end(v) - c->start_ns;
	c->name = jfr_string(g, v[FIELD_NAME].text);
	c->cause = jfr_string(g, v[FIELD_OTHER].text);
	/* The sum of the pauses is a part of the collection. */
	if (v[FIELD_OTHER + 1].is_known && v[FIELD_OTHER + 1].number >= 0 &&
	    v[FIELD_OTHER + 1].number <= c->ns)
		c->pauses_ns = v[FIELD_OTHER + 1].number;
}

static void jfr_add_heap(struct gc_jfr *g, const struct watched_value *v)
{
	struct jfr_collection *c = jfr_collection(g, v[FIELD_ID].number);
	int64_t used = v[FIELD_OTHER].number;

	if (!v[FIELD_OTHER].is_known || used < 0)
		return;
	if (strcmp(v[FIELD_NAME].text, "Before GC") == 0)
		c->before = used;
	else
		c->after = used;
	if (v[FIELD_OTHER + 1].is_known && v[FIELD_OTHER + 1].number >= 0)
		c->committed = v[FIELD_OTHER + 1].number;
}

static void jfr_add_cpu(struct gc_jfr *g, const struct watched_value *v)
{
	int64_t user = v[FIELD_NAME].number, sys = v[FIELD_OTHER].number, sum;

	if (user < 0 || sys < 0 || __builtin_add_overflow(user, sys, &sum))
		return;
	jfr_collection(g, v[FIELD_ID].number)->cpu_ns = sum;
}

/* A safepoint has begun, ended, or run an operation. */
static void jfr_add_stop(struct gc_jfr *g, size_t type,
			 const struct watched_value *v)
{
	struct jfr_stop *s;
	int64_t end_ns = value_end(v);

	/* Operations without a safepoint. */
	if (type == EVENT_OPERATION && v[FIELD_OTHER].is_known &&
	    !v[FIELD_OTHER].number)
		return;
	s = jfr_stop(g, v[FIELD_ID].number);
	if (type == EVENT_BEGIN) {
		s->begin_ns = v[FIELD_START].number;
		s->sync_ns = end_ns - s->begin_ns;
		return;
	}
	/* The event lasts until all threads are awake, which is later. */
	if (type == EVENT_END)
		end_ns = v[FIELD_START].number;
	if (end_ns > s->end_ns)
		s->end_ns = end_ns;
	if (type == EVENT_OPERATION)
		s->operation = jfr_string(g, v[FIELD_NAME].text);
}

static void jfr_add_phase(struct gc_jfr *g, size_t type,
			  const struct watched_value *v)
{
	struct jfr_phase *p;
	bool is_concurrent = type >= EVENT_CONCURRENT;

	array_reserve(g->phases, g->phase_cap, g->phase_count + 1);
	p = &g->phases[g->phase_count++];
	*p = (struct jfr_phase){
		.start_ns = v[FIELD_START].number,
		.ns = value_end(v) - v[FIELD_START].number,
		.gc = v[FIELD_ID].number,
		.name = jfr_string(g, v[FIELD_NAME].text),
		.level = (uint8_t)(type - (is_concurrent ? EVENT_CONCURRENT
							 : EVENT_PAUSE)),
		.is_concurrent = is_concurrent,
	};
	if (type == EVENT_PAUSE)
		jfr_collection(g, p->gc)->has_pauses = true;
}

static void jfr_see(void *self, size_t type, const struct watched_value *v)
{
	struct gc_jfr *g = self;

	/* An event without a time or an id is damaged. */
	if (!v[FIELD_ID].is_known || v[FIELD_START].number <= 0)
		return;
	switch (type) {
	case EVENT_COLLECTION:
		jfr_add_collection(g, v);
		break;
	case EVENT_G1:
		jfr_collection(g, v[FIELD_ID].number)->type = jfr_string(
			g, v[FIELD_NAME].text);
		break;
	case EVENT_HEAP:
		jfr_add_heap(g, v);
		break;
	case EVENT_CPU:
		jfr_add_cpu(g, v);
		break;
	case EVENT_BEGIN:
	case EVENT_END:
	case EVENT_OPERATION:
		jfr_add_stop(g, type, v);
		break;
	default:
		jfr_add_phase(g, type, v);
	}
}

/* ---- joining ---- */

static int compare_times(int64_t one, int64_t two)
{
	return one < two ? -1 : one > two;
}

static int compare_stops(const void *a, const void *b)
{
	const struct jfr_stop *one = a, *two = b;

	return compare_times(one->begin_ns, two->begin_ns);
}

/* By collection; in one, outer phases come before the phases inside. */
static int compare_phases(const void *a, const void *b)
{
	const struct jfr_phase *one = a, *two = b;

	if (one->gc != two->gc)
		return compare_times(one->gc, two->gc);
	if (one->start_ns != two->start_ns)
		return compare_times(one->start_ns, two->start_ns);
	return (int)one->level - (int)two->level;
}

static int compare_collections(const void *a, const void *b)
{
	const struct jfr_collection *one = a, *two = b;

	return compare_times(one->id, two->id);
}

static int compare_records(const void *a, const void *b)
{
	const struct jfr_record *one = a, *two = b;

	return compare_times(one->end_ns, two->end_ns);
}

/* Gives each collection the range of its phases. Both are sorted by id. */
static void jfr_assign_phases(struct gc_jfr *g)
{
	size_t at = 0;

	for (size_t i = 0; i < g->collection_count; i++) {
		struct jfr_collection *c = &g->collections[i];

		while (at < g->phase_count && g->phases[at].gc < c->id)
			at++;
		c->phase = at;
		while (at < g->phase_count && g->phases[at].gc == c->id)
			at++;
		c->phase_end = at;
	}
}

/* Returns the index + 1 of the stop in which a pause begins; 0 = none. */
static size_t jfr_find_stop(const struct gc_jfr *g, int64_t start_ns)
{
	size_t low = 0, high = g->stop_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (g->stops[middle].begin_ns <= start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !g->stops[low - 1].begin_ns ||
	    g->stops[low - 1].end_ns < start_ns)
		return 0;
	return low;
}

static struct jfr_record *jfr_add_record(struct gc_jfr *g, int64_t end_ns)
{
	struct jfr_record *r;

	array_reserve(g->records, g->record_cap, g->record_count + 1);
	r = &g->records[g->record_count++];
	*r = (struct jfr_record){ .end_ns = end_ns,
				  .gc_ns = GC_ABSENT,
				  .cycle_ns = GC_ABSENT };
	return r;
}

static enum gc_kind jfr_kind(const struct gc_jfr *g,
			     const struct jfr_collection *c, const char *pause)
{
	static const struct {
		const char *name;
		enum gc_kind kind;
	} kinds[] = {
		{ "G1New", GC_YOUNG },      { "ParallelScavenge", GC_YOUNG },
		{ "DefNew", GC_YOUNG },     { "ParNew", GC_YOUNG },
		{ "G1Full", GC_FULL },      { "ParallelOld", GC_FULL },
		{ "PSMarkSweep", GC_FULL }, { "SerialOld", GC_FULL },
	};
	const char *name = jfr_text(g, c->name), *type = jfr_text(g, c->type);

	if (type && strcmp(type, "Mixed") == 0)
		return GC_MIXED;
	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(name, kinds[i].name) == 0)
			return kinds[i].kind;
	}
	if (pause && strncmp(pause, "Pause ", 6) == 0)
		return gc_pause_name_kind(line_of(pause + 6));
	return name ? GC_CYCLE_PAUSE : GC_PAUSE;
}

static bool jfr_is_cycle(const struct gc_jfr *g, const struct jfr_collection *c)
{
	static const char *const names[] = { "G1Old",     "ConcurrentMarkSweep",
					     "Z",         "ZGC Minor",
					     "ZGC Major", "Shenandoah" };
	const char *name = jfr_text(g, c->name);

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Adds a pause. owners has the record of each stop, index + 1: further pauses
 * of a stop are added to the first.
 */
static void jfr_add_pause(struct gc_jfr *g, size_t *owners, size_t collection,
			  int64_t start_ns, int64_t ns, uint32_t name)
{
	const struct jfr_collection *c = &g->collections[collection];
	size_t stop = jfr_find_stop(g, start_ns);
	enum gc_kind kind = jfr_kind(g, c, jfr_text(g, name));
	struct jfr_record *r;

	if (stop && owners[stop - 1]) {
		r = &g->records[owners[stop - 1] - 1];
	} else {
		r = jfr_add_record(g, start_ns + ns);
		r->gc_ns = 0;
		r->first = collection + 1;
		r->kind = kind;
		if (stop)
			owners[stop - 1] = g->record_count;
	}
	if (kind == GC_FULL)
		r->kind = kind;
	if (stop)
		r->end_ns = g->stops[stop - 1].end_ns;
	r->stop = stop;
	r->collection = collection + 1;
	if (__builtin_add_overflow(r->gc_ns, ns, &r->gc_ns))
		r->gc_ns = INT64_MAX;
	r->pauses++;
	r->name = name;
}

static void jfr_add_pauses(struct gc_jfr *g, size_t *owners, size_t collection)
{
	const struct jfr_collection *c = &g->collections[collection];

	for (size_t i = c->phase; i < c->phase_end; i++) {
		const struct jfr_phase *p = &g->phases[i];

		if (!p->level && !p->is_concurrent)
			jfr_add_pause(g, owners, collection, p->start_ns, p->ns,
				      p->name);
	}
	/* Without the events of pauses, the sum is known. */
	if (!c->has_pauses && c->start_ns && !jfr_is_cycle(g, c))
		jfr_add_pause(g, owners, collection, c->start_ns,
			      c->pauses_ns == GC_ABSENT ? c->ns : c->pauses_ns,
			      0);
}

static void jfr_add_cycle(struct gc_jfr *g, size_t collection)
{
	const struct jfr_collection *c = &g->collections[collection];
	struct jfr_record *r;

	if (!c->start_ns || !jfr_is_cycle(g, c))
		return;
	r = jfr_add_record(g, c->start_ns + c->ns);
	r->kind = GC_CYCLE;
	r->cycle_ns = c->ns;
	r->collection = collection + 1;
	r->first = collection + 1;
}

static void jfr_add_other_stops(struct gc_jfr *g, const size_t *owners)
{
	for (size_t i = 0; i < g->stop_count; i++) {
		const struct jfr_stop *s = &g->stops[i];
		struct jfr_record *r;

		/* Its begin or its end was not recorded. */
		if (owners[i] || !s->begin_ns || !s->end_ns)
			continue;
		r = jfr_add_record(g, s->end_ns);
		r->stop = i + 1;
		r->kind = gc_operation_kind_alone(jfr_text(g, s->operation),
						  g->collection_count > 0,
						  NULL);
	}
}

/*
 * The begin of a safepoint lasts until all threads have stopped, so the end
 * comes later. Other events are damaged, and their safepoint has no times.
 */
static void jfr_drop_damaged_stops(struct gc_jfr *g)
{
	for (size_t i = 0; i < g->stop_count; i++) {
		struct jfr_stop *s = &g->stops[i];

		if (!s->begin_ns || !s->end_ns ||
		    s->end_ns - s->begin_ns >= s->sync_ns)
			continue;
		s->begin_ns = s->end_ns = 0;
		g->damaged++;
	}
}

static void jfr_set_columns(struct gc_jfr *g)
{
	struct gc_source *s = &g->source;
	bool has_stops = false;

	for (size_t i = 0; i < g->record_count && !has_stops; i++)
		has_stops = g->records[i].stop;
	s->columns = GC_HAS_GC | GC_HAS_CAUSE | GC_HAS_BEFORE | GC_HAS_AFTER |
		     GC_HAS_PHASES | GC_HAS_CYCLES | GC_HAS_CPU;
	if (has_stops)
		s->columns |= GC_HAS_STOPPED | GC_HAS_SYNC | GC_HAS_OTHER |
			      GC_HAS_OPERATION;
	text_puts(&s->description,
		  has_stops ? "JFR recording; stopped times are of its "
			      "safepoint events"
			    : "JFR recording without safepoint events: the "
			      "collector's time, not the stopped time");
}

static void jfr_sort(void *all, size_t count, size_t size,
		     int (*compare)(const void *, const void *))
{
	if (count)
		qsort(all, count, size, compare);
}

void gc_jfr_finish(struct gc_source *s)
{
	struct gc_jfr *g = jfr_of(s);
	size_t *owners = xcalloc(g->stop_count + 1, sizeof(*owners));

	jfr_drop_damaged_stops(g);
	jfr_sort(g->stops, g->stop_count, sizeof(*g->stops), compare_stops);
	jfr_sort(g->phases, g->phase_count, sizeof(*g->phases), compare_phases);
	jfr_sort(g->collections, g->collection_count, sizeof(*g->collections),
		 compare_collections);
	jfr_assign_phases(g);
	for (size_t i = 0; i < g->collection_count; i++) {
		jfr_add_pauses(g, owners, i);
		jfr_add_cycle(g, i);
	}
	jfr_add_other_stops(g, owners);
	jfr_sort(g->records, g->record_count, sizeof(*g->records),
		 compare_records);
	jfr_set_columns(g);
	free(owners);
}

/* ---- records ---- */

/* Gives the phases of a cycle, or those inside of a pause. */
static void jfr_give_phases(struct gc_jfr *g, const struct jfr_record *r,
			    struct gc_pause *p)
{
	int64_t from_ns = INT64_MIN;
	size_t count = 0;

	if (!r->collection)
		return;
	if (r->kind != GC_CYCLE)
		from_ns = r->stop ? g->stops[r->stop - 1].begin_ns
				  : r->end_ns - r->gc_ns;
	for (size_t c = r->first - 1; c < r->collection; c++) {
		for (size_t i = g->collections[c].phase;
		     i < g->collections[c].phase_end; i++) {
			const struct jfr_phase *phase = &g->phases[i];

			if (phase->is_concurrent != (r->kind == GC_CYCLE) ||
			    phase->start_ns < from_ns ||
			    phase->start_ns > r->end_ns)
				continue;
			array_add(g->given, count, g->given_cap,
				  (struct gc_phase){
					  .name = jfr_text(g, phase->name),
					  .level = phase->level,
					  .is_concurrent = phase->is_concurrent,
					  .start_ns = GC_ABSENT,
					  .ns = phase->ns,
				  });
		}
	}
	p->phases = g->given;
	p->phase_count = count;
}

static void jfr_give_collection(struct gc_jfr *g, const struct jfr_record *r,
				struct gc_pause *p)
{
	const struct jfr_collection *first = &g->collections[r->first - 1];
	const struct jfr_collection *c = &g->collections[r->collection - 1];
	const char *name = jfr_text(g, c->name);

	p->number = c->id;
	p->cause = jfr_text(g, c->cause);
	p->collector = name ? gc_collector_name(line_of(name)) : NULL;
	/* A pause of a cycle has neither the heap nor the CPU time of it. */
	if (r->kind == GC_CYCLE_PAUSE)
		return;
	p->before = first->before;
	p->after = c->after;
	p->committed = c->committed;
	p->cpu_ns = c->cpu_ns;
}

static enum gc_next jfr_next(struct gc_source *s, struct gc_pause *p,
			     struct error *err)
{
	struct gc_jfr *g = jfr_of(s);
	const struct jfr_record *r;

	(void)err;
	if (g->next == g->record_count)
		return GC_NEXT_END;
	r = &g->records[g->next++];
	p->kind = r->kind;
	p->end_ns = r->end_ns;
	p->gc_ns = r->kind == GC_CYCLE ? r->cycle_ns : r->gc_ns;
	p->count = r->kind != GC_CYCLE;
	p->collections = r->pauses;
	if (r->name && r->kind == GC_CYCLE_PAUSE)
		p->operation = jfr_text(g, r->name);
	if (r->collection)
		jfr_give_collection(g, r, p);
	if (r->stop) {
		const struct jfr_stop *stop = &g->stops[r->stop - 1];

		p->sync_ns = stop->sync_ns;
		p->stopped_ns = stop->end_ns - stop->begin_ns;
		if (stop->operation)
			p->operation = jfr_text(g, stop->operation);
		if (!r->collection && r->kind != GC_OTHER)
			gc_operation_kind(p->operation, &p->collector);
	}
	jfr_give_phases(g, r, p);
	return GC_NEXT_RECORD;
}

static void jfr_lost(const struct gc_source *s, struct gc_lost *lost)
{
	lost->pauses = ((const struct gc_jfr *)s)->damaged;
}

static void jfr_close(struct gc_source *s)
{
	struct gc_jfr *g = jfr_of(s);

	intern_release(&g->strings);
	free(g->stops);
	free(g->phases);
	free(g->collections);
	free(g->records);
	free(g->given);
	free(g);
}

static const struct gc_source_methods jfr_methods = {
	.next = jfr_next,
	.lost = jfr_lost,
	.close = jfr_close,
};

struct gc_source *gc_jfr_new(void)
{
	struct gc_jfr *g = xcalloc(1, sizeof(*g));

	g->source.methods = &jfr_methods;
	g->source.fd = -1;
	g->source.cpu_ns = GC_ABSENT;
	return &g->source;
}

/* clang-format off */
static const struct event_watch_type types[EVENTS] = {
	[EVENT_COLLECTION] = { "jdk.GarbageCollection",
		{ "startTime", "duration", "gcId", "name", "cause",
		  "sumOfPauses" } },
	[EVENT_G1] = { "jdk.G1GarbageCollection",
		{ "startTime", "duration", "gcId", "type" } },
	[EVENT_HEAP] = { "jdk.GCHeapSummary",
		{ "startTime", "duration", "gcId", "when", "heapUsed",
		  "heapSpace.committedSize" } },
	[EVENT_CPU] = { "jdk.GCCPUTime",
		{ "startTime", "duration", "gcId", "userTime", "systemTime" } },
	[EVENT_BEGIN] = { "jdk.SafepointBegin",
		{ "startTime", "duration", "safepointId" } },
	[EVENT_END] = { "jdk.SafepointEnd",
		{ "startTime", "duration", "safepointId" } },
	[EVENT_OPERATION] = { "jdk.ExecuteVMOperation",
		{ "startTime", "duration", "safepointId", "operation",
		  "safepoint" } },
#define PHASE(i, n) \
	[i] = { "jdk.GCPhase" n, { "startTime", "duration", "gcId", "name" } }
	PHASE(EVENT_PAUSE, "Pause"),
	PHASE(EVENT_PAUSE_1, "PauseLevel1"),
	PHASE(EVENT_PAUSE_2, "PauseLevel2"),
	PHASE(EVENT_PAUSE_3, "PauseLevel3"),
	PHASE(EVENT_PAUSE_4, "PauseLevel4"),
	PHASE(EVENT_CONCURRENT, "Concurrent"),
	PHASE(EVENT_CONCURRENT_1, "ConcurrentLevel1"),
	PHASE(EVENT_CONCURRENT_2, "ConcurrentLevel2"),
#undef PHASE
};
/* clang-format on */

int gc_jfr_add(struct gc_source *s, const uint8_t *bytes, size_t len,
	       struct profile *p, struct error *err)
{
	const struct event_watch watch = { types, EVENTS, jfr_see, s };
	int ret;

	p->watch = &watch;
	ret = jfr_reader.read(bytes, len, p, err);
	p->watch = NULL;
	return ret;
}
