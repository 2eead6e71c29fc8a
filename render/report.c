/* SPDX-License-Identifier: Apache-2.0 */
#include "render/report.h"

#include "core/base/alloc.h"
#include "render/flame_widths.h"
#include "render/measure.h"

#include <stdlib.h>

/* What is measured; where no sample weighs anything, samples are. */
static void choose_measure(struct report *r)
{
	const struct event_view *view = r->view;
	bool weighs = view->unit == UNIT_SAMPLES ||
		      (!r->options->samples && view->weight);

	r->weights = weighs;
	r->unit = weighs ? view->unit : UNIT_SAMPLES;
	r->whole = weighs ? view->weight : view->samples;
}

/* Names the frames of all stack traces that hold a sample. */
static void name_frames(struct report *r, const struct flame_widths *w)
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

void report_init(struct report *r, const struct profile *p,
		 const struct event_view *view,
		 const struct report_options *options)
{
	struct flame_widths w;

	*r = (struct report){
		.profile = p,
		.view = view,
		.options = options,
	};
	choose_measure(r);
	flame_widths_init(&w, p);
	flame_widths_add(&w, view, r->weights);
	name_frames(r, &w);
	r->frames = frame_sums(&w, view, r->weights, &r->table);
	r->frame_count = r->table.label_count;
	flame_widths_release(&w);
}

void report_release(struct report *r)
{
	frame_table_release(&r->table);
	free(r->frames);
	*r = (struct report){ 0 };
}
