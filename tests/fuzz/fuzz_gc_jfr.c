/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the pauses and cycles of JFR recordings. */
#include "core/gc/gc_jfr.h"
#include "core/gc/gc_totals.h"
#include "core/profile/profile.h"
#include "render/gc/gc_report.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(int64_t value)
{
	assert(value >= 0 || value == GC_ABSENT);
}

static void check_text(const char *text) { assert(!text || *text); }

static void check_record(const struct gc_pause *p)
{
	assert(p->kind < GC_KINDS);
	assert(p->count == (p->kind != GC_CYCLE));
	check_value(p->stopped_ns);
	check_value(p->sync_ns);
	check_value(p->gc_ns);
	check_value(p->cpu_ns);
	check_value(p->before);
	check_value(p->after);
	check_value(p->committed);
	/* The time to safepoint is a part of the stopped time. */
	assert(p->sync_ns <= p->stopped_ns);
	assert(p->end_ns > 0);
	check_text(p->cause);
	check_text(p->operation);
	check_text(p->collector);
	for (size_t i = 0; i < p->phase_count; i++)
		check_value(p->phases[i].ns);
}

/* Prints all records as gc does. */
static void read_records(struct gc_source *s)
{
	struct gc_layout layout = { .columns = s->columns,
				    .shows_phases = true };
	struct gc_totals totals = { 0 };
	struct gc_summary summary = { .totals = &totals,
				      .cpu_ns = GC_ABSENT,
				      .columns = s->columns,
				      .shows_safepoints = true };
	struct text out = { 0 };
	int64_t last_ns = 0;
	struct gc_pause p;
	struct error err;

	while (gc_source_next(s, &p, &err) == GC_NEXT_RECORD) {
		check_record(&p);
		assert(p.end_ns >= last_ns);
		last_ns = p.end_ns;
		gc_totals_add(&totals, &p);
		text_clear(&out);
		gc_record_text(&layout, s, &p, &out);
		gc_record_csv(s, &p, &out);
		gc_record_json(s, &p, &out);
	}
	summary.wall_ns = gc_totals_span(&totals);
	assert(summary.wall_ns >= 0);
	gc_summary_text(&summary, &out);
	gc_summary_histogram(&totals, &out);
	text_release(&out);
	gc_totals_release(&totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gc_source *s = gc_jfr_new();
	struct profile *p = profile_new();
	struct error err;

	if (gc_jfr_add(s, data, size, p, &err) == 0) {
		gc_jfr_finish(s);
		read_records(s);
	}
	profile_free(p);
	gc_source_close(s);
	return 0;
}
