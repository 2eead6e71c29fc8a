/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes profiles and everything that is written from them except pages:
 * reports, whose sums are checked, collapsed stack traces, speedscope's file
 * and pprof's. The first byte selects the options; the others are samples.
 */
#include "core/base/alloc.h"
#include "render/profile/export.h"
#include "render/profile/report.h"
#include "tests/fuzz/profile_bytes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
	if (!holds)
		__builtin_trap();
}

/* The threads and the frames must add up to the total, unless it overflows. */
static void check_sums(const struct report *r)
{
	uint64_t selfs = r->without_stack, threads = 0;

	if (r->whole > UINT64_MAX / 2)
		return;
	for (size_t i = 0; i < r->frame_count; i++) {
		selfs += r->frames[i].self;
		expect(r->frames[i].self <= r->frames[i].total);
		expect(r->frames[i].total <= r->whole);
	}
	for (size_t i = 0; i < r->thread_count; i++)
		threads += r->threads[i].total;
	expect(selfs == r->whole && threads == r->whole);
}

/* The self of a row and the totals of its callees must not exceed its total. */
static void check_calls(const struct report *r)
{
	const struct call_tree *t = &r->calls;

	for (size_t i = 0; i < t->count && r->whole <= UINT64_MAX / 2; i++) {
		const struct call_row *row = &t->rows[i];
		uint64_t below = row->self;

		for (size_t k = i + 1;
		     k < t->count && t->rows[k].depth > row->depth; k++)
			if (t->rows[k].depth == row->depth + 1)
				below += t->rows[k].total;
		expect(row->self <= row->total && below <= row->total);
		expect(i == 0 || row->depth <= t->rows[i - 1].depth + 1);
	}
}

static void write_reports(const struct profile *p,
			  const struct event_view *views, size_t count,
			  uint8_t how)
{
	const struct report_options options = {
		.source = "x",
		.alone = how & 1,
		.parts = REPORT_USUAL,
		.min_percent = how & 2 ? 1 : 0,
		.fit = how & 4 ? 20 : 0,
		.chain = how & 8 ? REPORT_CHAIN : 0,
		.frames = how & 16 ? 3 : 0,
		.style.weights = !(how & 32),
		.style.threads = how & 64,
		.width = how & 128 ? 40 : 0,
	};
	struct report *reports = xcalloc(count, sizeof(*reports));
	report_fn *const fns[] = { report_text, report_csv, report_json };

	for (size_t i = 0; i < count; i++) {
		report_init(&reports[i], p, &views[i], &options);
		check_sums(&reports[i]);
		check_calls(&reports[i]);
	}
	for (size_t i = 0; i < 3; i++) {
		struct text text = { 0 };

		fns[i](&text, reports, count);
		text_release(&text);
	}
	for (size_t i = 0; i < count; i++)
		report_release(&reports[i]);
	free(reports);
}

static void write_files(const struct profile *p, const struct event_view *views,
			size_t count, uint8_t how)
{
	uint64_t most = how & 16 ? 100 : 0;
	struct output out;
	struct error err;

	expect(output_open(&out, "/dev/null", &err) == 0);
	collapsed_write(&out, p, &views[0],
			&(struct collapsed_options){ .style.threads = how & 1,
						     .style.reverse = how & 2,
						     .style.weights = how & 4,
						     .most_frames = most });
	speedscope_write(&out, p, views, count, count - 1,
			 &(struct speedscope_options){ .title = "x",
						       .style.lines = how & 1,
						       .style.threads = how & 2,
						       .style.weights = how & 4,
						       .most_frames = most,
						       .timed_frames = most });
	pprof_write(&out, p, views, count, count - 1,
		    &(struct pprof_options){ .title = "x",
					     .style.lines = how & 1,
					     .style.threads = how & 2,
					     .style.weights = how & 4,
					     .most_frames = most });
	output_close(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_view *views;
	struct profile *p;
	size_t count;

	if (size < 1 + PROFILE_BYTES_EACH)
		return 0;
	p = profile_new();
	profile_bytes_add(p, data + 1, size - 1);
	count = event_views(p, &views);
	if (count) {
		write_reports(p, views, count, data[0]);
		write_files(p, views, count, data[0]);
	}
	free(views);
	profile_free(p);
	return 0;
}
