/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes comparisons of two profiles, whose sums are checked, and everything
 * that is written from them. The first byte selects the options, the second the
 * part of the others that is the profile before.
 */
#include "core/base/alloc.h"
#include "core/profile/bias.h"
#include "render/page/flame.h"
#include "render/profile/diff.h"
#include "tests/fuzz/profile_bytes.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
	if (!holds)
		__builtin_trap();
}

static void pair_read_side(struct diff_pair *pair, size_t side,
			   const uint8_t *data, size_t size, bool has_gaps)
{
	struct diff_source *s = &pair->sources[side];
	struct profile *p = pair->profile;
	struct event_view *views;
	size_t count;

	profile_bytes_add(p, data, size);
	count = event_views(p, &views);
	s->name = side ? "\x1b[2Jafter" : "before";
	s->rates = xcalloc(count + 1, sizeof(*s->rates));
	for (size_t i = 0; i < count; i++)
		rate_add(&s->rates[i], p, &views[i]);
	side_take(&s->side, p, views, count);
	s->side.has_gaps = has_gaps;
}

/* What the sums must be, added up in the simplest way. */
struct expected {
	uint64_t whole, without_stack;
	uint64_t *selfs, *totals; /* by label */
};

static bool is_small(uint64_t sum) { return sum < UINT64_MAX / 2; }

/* Adds a measure to the totals of all labels of a stack trace, each once. */
static void expected_add_totals(struct expected *e, const struct diff *d,
				uint32_t stack, uint64_t measure)
{
	const struct profile *p = d->pair->profile;
	const uint32_t *label_of = d->pair->table.label_of;
	uint8_t *seen = xcalloc(d->pair->table.label_count + 1, 1);

	for (; stack; stack = p->stacks[stack].caller) {
		uint32_t label = label_of[p->stacks[stack].frame];

		if (!seen[label])
			e->totals[label] += measure;
		seen[label] = 1;
	}
	free(seen);
}

static struct expected expected_new(const struct diff *d, size_t side)
{
	const struct profile *p = d->pair->profile;
	size_t labels = d->pair->table.label_count + 1;
	bool weighs = view_weighs(d->views[side], d->weights);
	bool *in_view = view_events(p, d->views[side]);
	struct expected e = { .selfs = xcalloc(labels, sizeof(uint64_t)),
			      .totals = xcalloc(labels, sizeof(uint64_t)) };

	for (size_t i = 0; i < p->cell_count && is_small(e.whole); i++) {
		const struct cell *c = &p->cells[i];
		uint64_t measure = cell_measure(c, weighs);

		if (!in_view[c->event])
			continue;
		if (!is_small(measure)) {
			e.whole = measure;
			break;
		}
		e.whole += measure;
		if (!c->stack) {
			e.without_stack += measure;
			continue;
		}
		e.selfs[d->pair->table.label_of[p->stacks[c->stack]
							.frame]] += measure;
		expected_add_totals(&e, d, c->stack, measure);
	}
	free(in_view);
	return e;
}

static void expected_release(struct expected *e)
{
	free(e->selfs);
	free(e->totals);
}

static void check_row(const struct diff_row *r)
{
	expect(isnan(r->probability) ||
	       (r->probability >= 0 && r->probability <= 1));
	for (size_t i = 0; i < 2; i++)
		expect(isfinite(r->values[i]) && r->values[i] >= 0);
	expect(!r->is_significant || !isnan(r->probability));
}

/* Significant rows come first; each sum is the expected one. */
static void check_part(const struct diff *d, enum diff_part_kind kind,
		       size_t side, const struct expected *e)
{
	const struct diff_part *part = &d->parts[kind];
	uint64_t sum = 0;

	for (size_t i = 0; i < part->count; i++) {
		const struct diff_row *r = &part->rows[i];

		check_row(r);
		expect(r->is_significant == (i < part->significant));
		if (!is_small(e->whole))
			continue;
		sum += r->sums[side];
		if (kind == DIFF_SELF)
			expect(r->sums[side] == e->selfs[r->id]);
		if (kind == DIFF_TOTAL)
			expect(r->sums[side] == e->totals[r->id]);
	}
	if (is_small(e->whole) && kind == DIFF_SELF)
		expect(sum == e->whole - e->without_stack);
	if (is_small(e->whole) && kind == DIFF_THREADS && part->count)
		expect(sum == e->whole);
}

static void check_sums(const struct diff *d)
{
	check_row(&d->whole);
	for (size_t side = 0; side < 2; side++) {
		struct expected e = expected_new(d, side);

		if (is_small(e.whole))
			expect(d->whole.sums[side] == e.whole);
		for (size_t i = 0; i < DIFF_PARTS; i++)
			check_part(d, (enum diff_part_kind)i, side, &e);
		expected_release(&e);
	}
}

static void write_reports(const struct diff *d)
{
	diff_fn *const fns[] = { diff_text, diff_csv, diff_json };
	cJSON *json;

	for (size_t i = 0; i < 3; i++) {
		struct text text = { 0 };

		fns[i](&text, d, 1);
		if (fns[i] == diff_json) {
			json = cJSON_Parse(text.bytes);
			expect(json);
			cJSON_Delete(json);
		}
		text_release(&text);
	}
}

static void write_page(const struct diff *d)
{
	struct event_view views[2] = { *d->views[0], *d->views[1] };
	const char *base = diff_base_names[d->base];
	double weight_scale = diff_scale(d, false);
	double sample_scale = diff_scale(d, true);
	struct text selfs = { 0 }, totals = { 0 };
	struct flame_comparison comparison = {
		.names = { d->pair->sources[0].name, d->pair->sources[1].name },
		.bases = &base,
		.weight_scales = &weight_scale,
		.sample_scales = &sample_scale,
		.changed_selfs = &selfs,
		.changed_totals = &totals,
	};
	struct flame_options options = { .title = "x",
					 .source = "x",
					 .style = d->options->style,
					 .min_width = -1,
					 .comparison = &comparison };
	struct output out;
	struct error err;

	diff_add_significant(&selfs, d, DIFF_SELF);
	diff_add_significant(&totals, d, DIFF_TOTAL);
	expect(output_open(&out, "/dev/null", &err) == 0);
	flame_write(&out, d->pair->profile, views, 2, 1, &options);
	output_close(&out);
	text_release(&selfs);
	text_release(&totals);
}

static void compare(const struct diff_pair *pair,
		    const struct event_view *before,
		    const struct event_view *after,
		    const struct diff_options *options, bool draws)
{
	struct error err;
	struct diff d;

	if (diff_init(&d, pair, before, after, options, &err) == 0) {
		check_sums(&d);
		write_reports(&d);
		if (draws)
			write_page(&d);
	}
	diff_release(&d);
}

static void compare_all(struct diff_pair *pair,
			const struct diff_options *options)
{
	const struct side *before = &pair->sources[0].side;
	const struct side *after = &pair->sources[1].side;

	for (size_t i = 0; i < before->view_count; i++) {
		for (size_t k = 0; k < after->view_count; k++)
			compare(pair, &before->views[i], &after->views[k],
				options, false);
	}
	sides_forget_parts(pair->profile);
	if (before->view_count && after->view_count)
		compare(pair, before->views, after->views, options, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diff_pair pair = { 0 };
	struct diff_options options;
	size_t before;

	if (size < 2)
		return 0;
	options = (struct diff_options){
		.base = (enum diff_base)(data[0] % (DIFF_BY_NONE + 1)),
		.event = "cpu",
		.style.weights = data[0] & 8,
		.style.lines = data[0] & 16,
		.rows = data[0] & 32 ? 2 : 0,
		.width = data[0] & 32 ? 60 : 0,
		.color = data[0] & 32,
	};
	before = (size - 2) * data[1] / 255;
	pair.profile = profile_new();
	pair_read_side(&pair, 0, data + 2, before, data[0] & 64);
	pair_read_side(&pair, 1, data + 2 + before, size - 2 - before,
		       data[0] & 128);
	diff_pair_join(&pair, &options.style);
	compare_all(&pair, &options);
	diff_pair_release(&pair);
	return 0;
}
