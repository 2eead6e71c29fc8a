/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up a view of a profile for reports. */
#include "render/profile/report.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "render/page/flame_widths.h"

#include <stdlib.h>

const char *const report_part_names[REPORT_PARTS] = {
	[REPORT_FRAMES] = "frames", [REPORT_CLASSES] = "classes",
	[REPORT_OWNERS] = "owners", [REPORT_THREADS] = "threads",
	[REPORT_CALLS] = "calls",
};

/* Chooses weights or samples: samples if no sample has a weight. */
static void report_choose_measure(struct report *r)
{
	const struct event_view *view = r->view;
	bool weighs = view->unit == UNIT_SAMPLES ||
		      (r->options->style.weights && view->weight);

	r->weights = weighs;
	r->unit = weighs ? view->unit : UNIT_SAMPLES;
	r->whole = weighs ? view->weight : view->samples;
}

/* Adds up the samples by thread state and those without a stack trace. */
static void report_count_cells(struct report *r)
{
	const struct profile *p = r->profile;
	bool weighs = view_weighs(r->view, r->weights);
	bool *in_view = view_events(p, r->view);

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint64_t *state = &r->states[c->state];

		if (!in_view[c->event])
			continue;
		*state = saturate_add(*state, c->count);
		if (!c->stack)
			r->without_stack = saturate_add(
				r->without_stack, cell_measure(c, weighs));
	}
	free(in_view);
}

/* Names the frames of all stack traces with samples. */
static void report_name_frames(struct report *r, const struct flame_widths *w)
{
	const struct profile *p = r->profile;
	const struct frame_naming naming = {
		.style = r->options->style,
		.by_name = true,
	};
	uint8_t *used = xcalloc(p->frame_count + 1, 1);

	for (size_t id = 1; id < p->stack_count; id++) {
		if (w->marks[id])
			used[p->stacks[id].frame] = 1;
	}
	used[small_frames(p)] = 1;
	frame_table_init(&r->table, p, used, &naming);
	free(used);
}

static void report_sum_calls(struct report *r, struct flame_widths *w)
{
	const struct call_tree_options options = {
		.whole = r->whole,
		.min_percent = r->options->min_percent,
		.fit = r->options->fit,
		.chain = r->options->chain,
		.weights = r->weights,
		.threads = r->options->style.threads ? r->threads : NULL,
		.thread_count = r->thread_count,
	};

	call_tree_init(&r->calls, w, r->view, &r->table, &options);
}

void report_init(struct report *r, const struct profile *p,
		 const struct event_view *view,
		 const struct report_options *options)
{
	unsigned parts = options->parts;
	struct flame_widths w;

	*r = (struct report){
		.profile = p,
		.view = view,
		.options = options,
	};
	report_choose_measure(r);
	report_count_cells(r);
	flame_widths_init(&w, p);
	flame_widths_add(&w, view, r->weights);
	report_name_frames(r, &w);
	if (parts & 1U << REPORT_FRAMES) {
		r->frames = frame_sums(&w, view, r->weights, &r->table);
		r->frame_count = r->table.label_count;
		/* The label of small frames has no samples here. */
		while (r->frame_count && !r->frames[r->frame_count - 1].total)
			r->frame_count--;
	}
	if (parts & 1U << REPORT_CLASSES)
		r->classes = class_sums(p, view, r->weights, false,
					&r->class_count);
	if (parts & 1U << REPORT_OWNERS)
		r->owners = class_sums(p, view, r->weights, true,
				       &r->owner_count);
	if (parts & 1U << REPORT_THREADS || options->style.threads)
		r->threads = thread_sums(p, view, r->weights, &r->table,
					 &r->thread_count);
	if (parts & 1U << REPORT_CALLS)
		report_sum_calls(r, &w);
	flame_widths_release(&w);
}

void report_release(struct report *r)
{
	frame_table_release(&r->table);
	call_tree_release(&r->calls);
	free(r->frames);
	free(r->classes);
	free(r->owners);
	free(r->threads);
	*r = (struct report){ 0 };
}

const struct label_name *report_frame_name(const struct report *r,
					   uint32_t label)
{
	return &r->table.names[r->table.labels[label].name];
}

double report_percent(const struct report *r, uint64_t part)
{
	return r->whole ? 100 * (double)part / (double)r->whole : 0;
}

size_t report_rows(const struct report *r, enum report_part part)
{
	const size_t rows[REPORT_PARTS][2] = {
		[REPORT_FRAMES] = { r->frame_count, r->options->frames },
		[REPORT_CLASSES] = { r->class_count, r->options->threads },
		[REPORT_OWNERS] = { r->owner_count, r->options->threads },
		[REPORT_THREADS] = { r->thread_count, r->options->threads },
		[REPORT_CALLS] = { r->calls.count, 0 },
	};
	size_t count = rows[part][0], most = rows[part][1];

	return most && most < count ? most : count;
}

bool report_times(const struct report *r, int64_t *from_ns, int64_t *to_ns)
{
	const struct profile *p = r->profile;

	*from_ns = p->earliest_ns > p->from_ns ? p->earliest_ns : p->from_ns;
	*to_ns = p->latest_ns < p->to_ns ? p->latest_ns : p->to_ns;
	return p->earliest_ns && *from_ns <= *to_ns;
}
