/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/gc_join.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/gc/gc_operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A concurrent cycle that lasts longer is printed without its pauses' times. */
#define HOLD_NS (10 * CLOCK_NS_PER_S)

/* Phases are measured by another clock than the probe's. */
#define SLACK_NS 100000

enum {
	/* Records that wait; the oldest is released when there are more. */
	RECORDS_MAX = 4096,
	LEVELS_MAX = 8,
};

/* A record with the memory that it points to. */
struct joined {
	struct gc_pause pause;
	char cause[GC_CAUSE_BYTES];
	struct text thread;
	int64_t time_ns; /* when it ended, CLOCK_MONOTONIC */
	int64_t last_ns; /* when the stop before it ended; 0 = unknown */
	bool is_held;
};

struct gc_join {
	struct gc_join_options o;
	struct gc_values last;
	bool has_last;
	int64_t last_stopped; /* of the last stop, in ticks */
	int64_t last_ns;      /* when the last stop ended; 0 = none yet */
	/* Of the current stop. */
	int64_t begin_ns, before, after, committed;
	uint32_t heap_tid;              /* the thread that reported the heap */
	uint32_t vm_tid;                /* of stops; 0 = none yet */
	struct gc_event_report *report; /* the last one that is not used */
	struct joined *records, current;
	size_t first, count, cap;    /* [first, count) wait */
	uint64_t missed, unreadable; /* since the last readable stop */
};

struct gc_join *gc_join_new(const struct gc_join_options *o,
			    const struct gc_values *first)
{
	struct gc_join *j = xcalloc(1, sizeof(*j));

	j->o = *o;
	j->begin_ns = j->before = j->after = j->committed = GC_ABSENT;
	j->last_stopped = GC_ABSENT;
	if (first) {
		j->last = *first;
		j->has_last = true;
	}
	return j;
}

static void joined_release(struct joined *r)
{
	text_release(&r->thread);
	free((void *)r->pause.phases);
	*r = (struct joined){ 0 };
}

void gc_join_free(struct gc_join *j)
{
	if (!j)
		return;
	for (size_t i = j->first; i < j->count; i++)
		joined_release(&j->records[i]);
	joined_release(&j->current);
	free(j->records);
	free(j->report);
	free(j);
}

static struct joined *join_append(struct gc_join *j, int64_t time_ns)
{
	struct joined *r;

	if (j->first == j->count)
		j->first = j->count = 0;
	/* Without an idle moment, the queue is never empty. */
	if (j->first >= RECORDS_MAX) {
		j->count -= j->first;
		memmove(j->records, j->records + j->first,
			j->count * sizeof(*j->records));
		j->first = 0;
	}
	array_reserve(j->records, j->cap, j->count + 1);
	r = &j->records[j->count++];
	*r = (struct joined){ .time_ns = time_ns };
	gc_pause_init(&r->pause);
	r->pause.end_ns = j->o.wall_of(time_ns);
	if (j->o.vm_start_ns != GC_ABSENT)
		r->pause.uptime_ns = time_ns - j->o.vm_start_ns;
	return r;
}

/* ---- phases ---- */

/* The layout of GCPhase is not exported: what is not plausible is not used. */
static bool report_is_plausible(const struct gc_event_report *e)
{
	if (e->count < 0 || e->count > e->capacity || e->capacity > 65536 ||
	    e->start < 0 || e->end < e->start)
		return false;
	for (int i = 0; i < e->count && i < (int)GC_EVENT_PHASES; i++) {
		const struct gc_event_phase *p = &e->phases[i];

		if (p->level < 0 || p->level > LEVELS_MAX ||
		    p->end < p->start || p->start < 0)
			return false;
	}
	return true;
}

static size_t report_count(const struct gc_event_report *e)
{
	if (!report_is_plausible(e))
		return 0;
	return e->count < (int)GC_EVENT_PHASES ? (size_t)e->count
					       : GC_EVENT_PHASES;
}

/*
 * True for a phase that stops the application. Shenandoah of JDK 26 and later
 * marks all phases below "Concurrent GC" as concurrent, even "Pause Init Mark".
 */
static bool phase_is_pause(const struct gc_join *j,
			   const struct gc_event_phase *p)
{
	const char *name;

	if (p->is_concurrent != 1)
		return p->level == 0;
	name = p->level <= 1 ? j->o.name(j->o.self, p->name) : NULL;
	return name && strncmp(name, "Pause ", 6) == 0;
}

/* Copies phases [from, to) into a record. */
static void join_set_phases(const struct gc_join *j, struct gc_pause *p,
			    const struct gc_event_report *e, size_t from,
			    size_t to)
{
	struct gc_phase *phases;

	if (!j->o.keeps_phases || from >= to)
		return;
	free((void *)p->phases);
	phases = xcalloc(to - from, sizeof(*phases));
	for (size_t i = from; i < to; i++) {
		const struct gc_event_phase *in = &e->phases[i];

		phases[i - from] = (struct gc_phase){
			.name = j->o.name(j->o.self, in->name),
			.level = (unsigned)in->level,
			.is_concurrent = in->is_concurrent == 1 &&
					 !phase_is_pause(j, in),
			.start_ns = in->start,
			.ns = in->end - in->start,
		};
	}
	p->phases = phases;
	p->phase_count = to - from;
}

/* The sum of the outermost pauses; GC_ABSENT without any. */
static int64_t report_pause_ns(const struct gc_event_report *e)
{
	size_t count = report_count(e);
	int64_t sum = GC_ABSENT;

	for (size_t i = 0; i < count; i++) {
		const struct gc_event_phase *p = &e->phases[i];

		if (p->level == 0 && !p->is_concurrent)
			sum = (sum == GC_ABSENT ? 0 : sum) + p->end - p->start;
	}
	return sum;
}

static void joined_set_cause(struct joined *r, const char *cause,
			     const char *last)
{
	const char *text = cause[0] && strcmp(cause, "No GC") != 0 ? cause
								   : last;

	snprintf(r->cause, sizeof(r->cause), "%.*s", GC_EVENT_CAUSE - 1, text);
}

/* Gives a record the summaries that its thread has reported. */
static void join_use_heap(struct gc_join *j, uint32_t tid, struct joined *r)
{
	if (j->heap_tid != tid)
		return;
	if (j->before != GC_ABSENT && j->after != GC_ABSENT &&
	    r->pause.kind != GC_OTHER && r->pause.kind != GC_CYCLE_PAUSE) {
		r->pause.before = j->before;
		r->pause.after = j->after;
		r->pause.committed = j->committed;
	}
	j->before = j->after = j->committed = GC_ABSENT;
}

/* ---- cycles ---- */

/*
 * The earliest begin of a stop, since the JVM started.  The event of a stop may
 * be late, because the JVM logs the stop before, but not before the event of
 * the stop before it.
 */
static int64_t join_earliest(const struct gc_join *j, const struct joined *r)
{
	int64_t begin = r->pause.uptime_ns - r->pause.stopped_ns;

	if (r->pause.count == 1 && r->last_ns &&
	    r->last_ns - j->o.vm_start_ns < begin)
		begin = r->last_ns - j->o.vm_start_ns;
	return begin;
}

/*
 * Gives a held pause its phase of the cycle: an outermost pause that ended
 * within the stop.
 */
static bool join_match(const struct gc_join *j, struct joined *r,
		       const struct gc_event_report *e)
{
	size_t count = report_count(e);
	int64_t end = r->pause.uptime_ns;
	int64_t begin = join_earliest(j, r);

	for (size_t i = 0; i < count; i++) {
		const struct gc_event_phase *p = &e->phases[i];
		size_t next = i + 1;

		if (p->end > end + SLACK_NS || p->start + SLACK_NS < begin ||
		    !phase_is_pause(j, p))
			continue;
		while (next < count && e->phases[next].level > p->level)
			next++;
		r->pause.gc_ns = p->end - p->start;
		join_set_phases(j, &r->pause, e, i, next);
		return true;
	}
	return false;
}

static void join_add_cycle(struct gc_join *j, const struct gc_event_report *e)
{
	struct joined *r;

	for (size_t i = j->first; i < j->count; i++) {
		r = &j->records[i];
		if (r->is_held && r->pause.uptime_ns != GC_ABSENT &&
		    join_match(j, r, e))
			r->is_held = false;
	}
	r = join_append(j, (int64_t)e->event.time_ns);
	r->pause.kind = GC_CYCLE;
	r->pause.count = 0;
	r->pause.collector = j->o.collector[0] ? j->o.collector : NULL;
	if (report_is_plausible(e))
		r->pause.gc_ns = e->end - e->start;
	joined_set_cause(r, e->cause_text, e->last_cause);
	join_use_heap(j, e->event.tid, r);
	join_set_phases(j, &r->pause, e, 0, report_count(e));
}

/*
 * A report that no stop of its thread has used is that of a cycle, or, on the
 * VM thread, that of a stop without an event.
 */
static void join_end_report(struct gc_join *j)
{
	if (j->report && j->report->event.tid != j->vm_tid)
		join_add_cycle(j, j->report);
	free(j->report);
	j->report = NULL;
}

static void join_add_report(struct gc_join *j, const struct gc_event_report *e)
{
	/* A tracer reports twice when its class extends another's function. */
	if (j->report && j->report->tracer == e->tracer &&
	    j->report->end == e->end)
		return;
	/* Of two collections in one operation, the longer has more to tell. */
	if (j->report && j->report->event.tid == e->event.tid &&
	    j->report->count > e->count)
		return;
	if (j->report && j->report->event.tid != e->event.tid)
		join_end_report(j);
	free(j->report);
	j->report = xmalloc(sizeof(*e));
	memcpy(j->report, e, sizeof(*e));
}

/* ---- stops ---- */

static int64_t value_if(int64_t known, int64_t value)
{
	return known == GC_ABSENT ? GC_ABSENT : value;
}

/* Counters grow: one that was unreadable, and so is 0, has its last value. */
static int64_t value_grown(int64_t known, int64_t value)
{
	return value > known ? value_if(known, value) : known;
}

/* The values at a stop; those that the first reading lacked stay absent. */
static void join_read_values(const struct gc_join *j,
			     const struct gc_event_stop *e,
			     struct gc_values *now)
{
	const struct gc_counters *c = j->o.counters;
	const struct gc_values *last = &j->last;

	*now = *last;
	now->safepoints = e->safepoints;
	now->sync_ns = value_grown(last->sync_ns, gc_counters_ns(c, e->sync));
	for (size_t i = 0; i < GC_COLLECTORS; i++) {
		now->collectors[i].ns = value_grown(
			last->collectors[i].ns,
			gc_counters_ns(c, e->collector_ns[i]));
		now->collectors[i].count = value_grown(
			last->collectors[i].count, e->collector_count[i]);
	}
	now->used = value_if(last->used, e->used);
	now->committed = value_if(last->committed, e->committed);
	snprintf(now->cause, sizeof(now->cause), "%.*s", GC_EVENT_CAUSE - 1,
		 e->cause);
	snprintf(now->last_cause, sizeof(now->last_cause), "%.*s",
		 GC_EVENT_CAUSE - 1, e->last_cause);
}

/*
 * Sets times and kind from the counters. Returns false for a stop that began
 * before the observation.
 */
static bool join_use_counters(struct gc_join *j, const struct gc_event_stop *e,
			      const char *operation, struct joined *r)
{
	struct gc_values now;
	int64_t steps, earlier;

	/*
	 * It ended before the first reading, or the counters were unreadable,
	 * as if the file had been truncated: then it is part of the next sum.
	 */
	if (e->safepoints < j->last.safepoints) {
		j->unreadable += !e->safepoints;
		return false;
	}
	j->unreadable = 0;
	join_read_values(j, e, &now);
	steps = now.safepoints - j->last.safepoints;
	r->pause.count = steps < 1 ? 1 : (unsigned)steps;
	gc_counters_interpret(j->o.counters, &j->last, &now, operation,
			      &r->pause);
	if (r->pause.cause)
		snprintf(r->cause, sizeof(r->cause), "%s", r->pause.cause);
	r->pause.stopped_ns = e->stopped;
	/* Stops without an event: the counter has their sum. */
	earlier = gc_counters_ns(j->o.counters, e->stopped_before) -
		  j->last.stopped_ns;
	if (j->last_stopped != GC_ABSENT)
		earlier -= j->last_stopped;
	if (steps > 1 && earlier > 0)
		r->pause.stopped_ns += earlier;
	if (steps > 1)
		j->missed += (uint64_t)steps - 1;
	if (r->pause.sync_ns != GC_ABSENT)
		r->pause.stopped_ns += r->pause.sync_ns;
	now.stopped_ns = gc_counters_ns(j->o.counters, e->stopped_before);
	j->last_stopped = e->stopped;
	j->last = now;
	return steps > 0;
}

/* True for the collectors that make a GCTraceCPUTime in each pause. */
static bool collector_has_brackets(const char *collector)
{
	return collector && (strcmp(collector, "Serial") == 0 ||
			     strcmp(collector, "Parallel") == 0 ||
			     strcmp(collector, "G1") == 0);
}

/*
 * Without counters, the operation tells the kind. Returns false for a stop that
 * began before the observation.
 */
static bool join_use_times(const struct gc_join *j,
			   const struct gc_event_stop *e, const char *operation,
			   struct joined *r)
{
	r->pause.operation = operation;
	r->pause.kind = gc_operation_kind(operation, &r->pause.collector);
	/* An operation may find that it cannot collect, or need not. */
	if (j->o.has_collections && !e->collections &&
	    collector_has_brackets(r->pause.collector))
		r->pause.kind = GC_OTHER;
	if (r->pause.kind == GC_OTHER)
		r->pause.collector = NULL;
	r->pause.stopped_ns = e->stopped;
	if (!j->o.points->begin.offset)
		return true; /* the time to safepoint is unavailable */
	if (j->begin_ns == GC_ABSENT)
		return false;
	r->pause.stopped_ns = (int64_t)e->event.time_ns - j->begin_ns;
	if (r->pause.stopped_ns >= e->stopped)
		r->pause.sync_ns = r->pause.stopped_ns - e->stopped;
	return true;
}

/*
 * The time of the collections as the JVM logs them, which the counter of the
 * collector is within. The counter is longer if the JVM logs phases but not the
 * pause. A time above that of the stop would mean that the probes are at
 * another place than expected.
 */
static void join_use_collections(const struct gc_join *j,
				 const struct gc_event_stop *e,
				 struct joined *r)
{
	if (!j->o.has_collections || !e->collections || r->pause.count != 1 ||
	    !gc_pause_is_collection(&r->pause) ||
	    e->collections_ns > e->stopped ||
	    e->collections_ns < r->pause.gc_ns)
		return;
	r->pause.gc_ns = e->collections_ns;
}

/* The last thread, if it stopped in the time to this safepoint. */
static void join_set_thread(const struct gc_join *j,
			    const struct gc_event_stop *e, struct joined *r)
{
	int64_t synced = (int64_t)e->event.time_ns - e->stopped;

	if (!e->last_tid || r->pause.sync_ns == GC_ABSENT ||
	    (int64_t)e->last_ns < synced - r->pause.sync_ns)
		return;
	j->o.thread(j->o.self, e->last_tid, &r->thread);
}

/*
 * True unless the report was made before the stop began. That is decided by
 * time only if the event of a stop is missing, because the event of this stop
 * may be late, and the begin seem to be.
 */
static bool join_report_is_of(const struct gc_join *j,
			      const struct gc_event_stop *e,
			      const struct joined *r)
{
	int64_t time_ns = (int64_t)j->report->event.time_ns;

	if (j->begin_ns != GC_ABSENT)
		return time_ns >= j->begin_ns;
	return r->pause.count == 1 ||
	       time_ns >= (int64_t)e->event.time_ns - e->stopped;
}

static void join_use_report(struct gc_join *j, const struct gc_event_stop *stop,
			    struct joined *r)
{
	const struct gc_event_report *e = j->report;

	if (!join_report_is_of(j, stop, r)) {
		join_end_report(j);
		return;
	}
	join_set_phases(j, &r->pause, e, 0, report_count(e));
	if (r->pause.gc_ns == GC_ABSENT && gc_pause_is_collection(&r->pause))
		r->pause.gc_ns = report_pause_ns(e);
	joined_set_cause(r, e->cause_text, e->last_cause);
	free(j->report);
	j->report = NULL;
}

static void join_add_stop(struct gc_join *j, const struct gc_event_stop *e)
{
	const char *operation = e->operation ? gc_points_operation(
						       j->o.points,
						       e->operation - j->o.bias)
					     : NULL;
	struct joined *r;
	bool is_whole = true;

	j->vm_tid = e->event.tid;
	if (j->report && j->report->event.tid != e->event.tid)
		join_end_report(j);
	r = join_append(j, (int64_t)e->event.time_ns);
	r->last_ns = j->last_ns;
	j->last_ns = r->time_ns;
	if (j->has_last)
		is_whole = join_use_counters(j, e, operation, r);
	else
		is_whole = join_use_times(j, e, operation, r);
	if (!is_whole) {
		joined_release(r);
		j->count--;
		free(j->report);
		j->report = NULL;
		j->before = j->after = j->committed = GC_ABSENT;
		j->begin_ns = GC_ABSENT;
		return;
	}
	join_set_thread(j, e, r);
	join_use_collections(j, e, r);
	if (j->report)
		join_use_report(j, e, r);
	join_use_heap(j, e->event.tid, r);
	j->begin_ns = GC_ABSENT;
	r->is_held = j->o.holds_pauses && r->pause.kind == GC_CYCLE_PAUSE;
}

static void join_add_heap(struct gc_join *j, const struct gc_event_heap *e)
{
	if (j->heap_tid != e->event.tid)
		j->before = j->after = GC_ABSENT;
	j->heap_tid = e->event.tid;
	if (e->when == 0 && j->before == GC_ABSENT)
		j->before = (int64_t)e->used;
	if (e->when == 1)
		j->after = (int64_t)e->used;
	j->committed = (int64_t)(e->committed_end - e->start);
}

void gc_join_add(struct gc_join *j, const void *bytes, size_t len)
{
	const struct gc_event *e = bytes;

	if (len < sizeof(*e))
		return;
	if (e->kind == GC_EVENT_STOP && len >= sizeof(struct gc_event_stop))
		join_add_stop(j, bytes);
	else if (e->kind == GC_EVENT_HEAP &&
		 len >= sizeof(struct gc_event_heap))
		join_add_heap(j, bytes);
	else if (e->kind == GC_EVENT_REPORT &&
		 len >= sizeof(struct gc_event_report))
		join_add_report(j, bytes);
	else if (e->kind == GC_EVENT_BEGIN)
		j->begin_ns = (int64_t)e->time_ns;
}

bool gc_join_next(struct gc_join *j, int64_t now_ns, struct gc_pause *p)
{
	struct joined *r;

	/* The VM thread ends its stop, which may take long. */
	if (j->report &&
	    (now_ns == INT64_MAX ||
	     (j->report->event.tid != j->vm_tid &&
	      now_ns - (int64_t)j->report->event.time_ns > CLOCK_NS_PER_S)))
		join_end_report(j);
	if (j->first == j->count)
		return false;
	r = &j->records[j->first];
	if (r->is_held && now_ns < r->time_ns + HOLD_NS &&
	    j->count - j->first < RECORDS_MAX)
		return false;
	joined_release(&j->current);
	j->current = *r;
	j->first++;
	*p = j->current.pause;
	p->cause = j->current.cause[0] && p->kind != GC_OTHER ? j->current.cause
							      : NULL;
	p->last_thread = j->current.thread.bytes;
	return true;
}

uint64_t gc_join_missed(const struct gc_join *j)
{
	return j->missed + j->unreadable;
}
