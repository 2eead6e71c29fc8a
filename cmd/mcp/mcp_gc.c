/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of many pauses, in place of the records of `sjkc gc --json`. */
#include "cmd/mcp/mcp.h"

#include "core/gc/gc_log.h"
#include "core/gc/gc_totals.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 10 };

struct longest {
	struct gc_pause pauses[LONGEST]; /* without their strings */
	char causes[LONGEST][64];
	size_t count;
};

/* Keeps the longest pauses, the longest first. */
static void longest_add(struct longest *l, const struct gc_pause *p)
{
	size_t i = l->count < LONGEST ? l->count++ : LONGEST - 1;

	if (i == LONGEST - 1 && l->pauses[i].stopped_ns >= p->stopped_ns)
		return;
	for (; i && l->pauses[i - 1].stopped_ns < p->stopped_ns; i--) {
		l->pauses[i] = l->pauses[i - 1];
		memcpy(l->causes[i], l->causes[i - 1], sizeof(l->causes[i]));
	}
	l->pauses[i] = *p;
	snprintf(l->causes[i], sizeof(l->causes[i]), "%s",
		 p->cause       ? p->cause
		 : p->operation ? p->operation
				: "");
}

static void add_ms(struct json *j, const char *key, int64_t ns)
{
	if (ns >= 0)
		json_add_double(j, key, (double)ns / 1e6);
}

static void add_durations(struct json *j, struct gc_durations *d)
{
	add_ms(j, "stopped_ms", d->sum_ns);
	add_ms(j, "longest_ms", d->longest_ns);
	add_ms(j, "median_ms", gc_durations_percentile(d, 50));
	add_ms(j, "p99_ms", gc_durations_percentile(d, 99));
}

static void add_groups(struct json *j, struct gc_totals *t)
{
	json_add_array(j, "groups");
	for (size_t i = 0; i < t->count; i++) {
		struct gc_group *g = &t->groups[i];

		json_open_object(j);
		json_add_text(j, "kind", gc_kind_name(g->kind));
		json_add_text(j, "reason", g->reason);
		json_add_text(j, "collector", g->collector);
		json_add_uint(j, "count", g->stops);
		add_durations(j, &g->stopped);
		json_close_object(j);
	}
	json_close_array(j);
}

static void add_longest(struct json *j, const struct longest *l)
{
	json_add_array(j, "longest");
	for (size_t i = 0; i < l->count; i++) {
		const struct gc_pause *p = &l->pauses[i];

		json_open_object(j);
		json_add_text(j, "kind", gc_kind_name(p->kind));
		json_add_text(j, "cause", l->causes[i]);
		add_ms(j, "stopped_ms", p->stopped_ns);
		add_ms(j, "time_to_safepoint_ms", p->sync_ns);
		if (p->uptime_ns >= 0)
			json_add_double(j, "uptime_s",
					(double)p->uptime_ns / 1e9);
		if (p->before >= 0)
			json_add_int(j, "heap_before_bytes", p->before);
		if (p->after >= 0)
			json_add_int(j, "heap_after_bytes", p->after);
		json_close_object(j);
	}
	json_close_array(j);
}

void mcp_gc_summarize(struct text *out, const char *records, size_t len)
{
	struct gc_source *s = gc_json_open((const uint8_t *)records, len);
	struct gc_totals t = { 0 };
	struct longest longest = { 0 };
	struct gc_pause p;
	struct json j = json_into(out);
	int64_t after = GC_ABSENT;

	while (s && gc_source_next(s, &p, error_unused()) == GC_NEXT_RECORD) {
		gc_totals_add(&t, &p);
		if (gc_kind_stops(p.kind) && p.stopped_ns >= 0)
			longest_add(&longest, &p);
		after = p.after >= 0 ? p.after : after;
	}
	gc_source_close(s);
	gc_totals_sort(&t);
	json_open_object(&j);
	json_add_uint(&j, "collections", t.collections.stops);
	add_durations(&j, &t.collections.stopped);
	json_add_uint(&j, "other_safepoints", t.safepoints.stops);
	add_ms(&j, "other_stopped_ms", t.safepoints.stopped.sum_ns);
	add_ms(&j, "longest_time_to_safepoint_ms", t.longest_sync_ns);
	add_ms(&j, "from_first_to_last_ms", gc_totals_span(&t));
	if (after >= 0)
		json_add_int(&j, "heap_after_last_collection_bytes", after);
	add_groups(&j, &t);
	add_longest(&j, &longest);
	json_end_document(&j);
	gc_totals_release(&t);
}
