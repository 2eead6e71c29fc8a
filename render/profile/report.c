/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up a view of a profile for reports. */
#include "render/profile/report.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "core/threads/idle_stack.h"
#include "render/tree/flame_widths.h"
#include "render/tree/trace_tree.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of frames of all reversed stack traces. */
#define REVERSED_FRAMES ((uint64_t)20000000)

const char *const report_part_names[REPORT_PARTS] = {
	[REPORT_WAITS] = "waits",
	[REPORT_FRAMES] = "frames",
	[REPORT_APPLICATION] = "application",
	[REPORT_CLASSES] = "classes",
	[REPORT_OWNERS] = "owners",
	[REPORT_OWNER_METHODS] = "owner-methods",
	[REPORT_THREADS] = "threads",
	[REPORT_CALLS] = "calls",
	[REPORT_HISTOGRAM] = "histogram",
	[REPORT_CATEGORIES] = "categories",
	[REPORT_THREAD_INFO] = "thread-info",
	[REPORT_TIMELINE] = "timeline",
};

/*
 * Moves the samples of idle threads to an event of a copy of the profile which
 * is in no view.
 */
static void report_omit_idle(struct report *r)
{
	struct profile *kept = &r->kept_profile;
	struct event_view *view = &r->kept_view;
	const struct profile *p = r->profile;

	*kept = *p;
	*view = *r->view;
	kept->cells = xmalloc((p->cell_count + 1) * sizeof(*kept->cells));
	kept->events = xcalloc(p->event_count + 1, sizeof(*kept->events));
	memcpy(kept->events, p->events, p->event_count * sizeof(*p->events));
	kept->event_count++;
	for (size_t i = 0; i < p->cell_count; i++) {
		struct cell *c = &kept->cells[i];

		*c = p->cells[i];
		if (r->idle_cells[i])
			c->event = (uint32_t)p->event_count;
	}
	view->samples -= r->idle.samples;
	view->weight -= view->weight < r->idle.weight ? view->weight
						      : r->idle.weight;
	r->profile = kept;
	r->view = view;
}

/* Finds the samples of idle threads, and omits them if the options say so. */
static void report_find_idle(struct report *r)
{
	const struct profile *p = r->profile;

	if (r->options->keep_idle)
		return;
	r->idle_cells = idle_cells(p, r->view);
	for (size_t i = 0; r->idle_cells && i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!r->idle_cells[i])
			continue;
		r->idle.samples = saturate_add(r->idle.samples, c->count);
		r->idle.weight = saturate_add(r->idle.weight, c->weight);
	}
	if (r->idle_cells && r->options->for_people)
		report_omit_idle(r);
}

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

/* Adds up the samples by state, without a stack trace, and interpreted. */
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
		else if (p->frames[p->stacks[c->stack].frame].kind ==
			 FRAME_INTERPRETED)
			r->interpreted = saturate_add(r->interpreted,
						      cell_measure(c, weighs));
	}
	free(in_view);
}

/* Names the frames of all stack traces with samples. */
static void report_name_frames(struct report *r, const struct flame_widths *w)
{
	const struct profile *p = r->profile;
	const struct frame_naming naming = {
		.style = r->options->style,
		.group = r->options->group,
		.by_name = true,
	};
	uint8_t *used = xcalloc(p->frame_count + 1, 1);

	for (size_t i = 1; i < w->run_count; i++) {
		for (size_t id = w->firsts[i];
		     w->marks[i] && id < w->firsts[i + 1]; id++)
			used[p->stacks[id].frame] = 1;
	}
	used[small_frames(p)] = 1;
	frame_table_init(&r->table, p, used, &naming);
	free(used);
}

/*
 * A view of a profile in which stack traces lead from the leaf to the root. Its
 * frames, threads and events are those of the profile.
 */
struct reversed {
	struct profile view;
	struct profile *made; /* owns the stack traces */
	uint32_t *path;
	size_t path_cap;
};

/* Marks the frames that match; the caller frees the array. */
static uint8_t *reversed_starts(const struct report *r)
{
	static const struct style style = { 0 };
	const struct profile *p = r->profile;
	uint8_t *starts = xcalloc(p->frame_count + 1, 1);
	struct text name = { 0 };

	for (size_t id = 1; id < p->frame_count; id++) {
		text_clear(&name);
		frame_name(&name, p, &p->frames[id], &style);
		starts[id] = pattern_matches(r->options->callers_of, name.bytes,
					     name.len);
	}
	text_release(&name);
	return starts;
}

/* Limits the depth, so that the reversed stack traces are not too many. */
static size_t reversed_depth(struct report *r, const bool *in_view)
{
	const struct profile *p = r->profile;
	uint32_t *depths = array_new(p->stack_count, sizeof(*depths));
	size_t deepest = 0, depth;
	uint64_t *traces_at;

	for (size_t id = 1; id < p->stack_count; id++) {
		depths[id] = depths[p->stacks[id].caller] + 1;
		if (depths[id] > deepest)
			deepest = depths[id];
	}
	traces_at = xcalloc(deepest + 1, sizeof(*traces_at));
	for (size_t i = 0; i < p->cell_count; i++) {
		if (in_view[p->cells[i].event])
			traces_at[depths[p->cells[i].stack]]++;
	}
	depth = depth_limit(traces_at, deepest, REVERSED_FRAMES);
	r->reverse_depth = depth < deepest ? depth : 0;
	free(traces_at);
	free(depths);
	return depth;
}

/*
 * Returns a stack trace from the leaf, or from the start nearest the root,
 * which is the call into a recursion; 0 = no start.
 */
static uint32_t reversed_trace(struct reversed *v, const struct profile *p,
			       uint32_t stack, const uint8_t *starts,
			       size_t depth)
{
	uint32_t made = 0;
	size_t count = 0;

	if (starts) {
		uint32_t found = 0;

		for (; stack; stack = p->stacks[stack].caller) {
			if (starts[p->stacks[stack].frame])
				found = stack;
		}
		stack = found;
	}
	for (; stack && count < depth; stack = p->stacks[stack].caller) {
		array_add(v->path, count, v->path_cap, p->stacks[stack].frame);
	}
	for (size_t i = 0; i < count; i++)
		made = profile_push(v->made, made, v->path[i]);
	return made;
}

static void reversed_init(struct reversed *v, struct report *r)
{
	const struct profile *p = r->profile;
	bool *in_view = view_events(p, r->view);
	size_t depth = reversed_depth(r, in_view);
	uint8_t *starts = r->options->callers_of ? reversed_starts(r) : NULL;
	uint32_t *made = xmalloc(p->stack_count * sizeof(*made));

	for (size_t i = 0; i < p->stack_count; i++)
		made[i] = NO_LABEL;
	*v = (struct reversed){ .view = *p, .made = profile_new() };
	v->view.cells = xmalloc((p->cell_count + 1) * sizeof(struct cell));
	for (size_t i = 0; i < p->cell_count; i++) {
		struct cell *c = &v->view.cells[i];

		*c = p->cells[i];
		if (!in_view[c->event])
			c->stack = 0;
		if (made[c->stack] == NO_LABEL)
			made[c->stack] = reversed_trace(v, p, c->stack, starts,
							depth);
		c->stack = made[c->stack];
		r->has_callers |= starts && c->stack;
	}
	v->view.stacks = v->made->stacks;
	v->view.stack_count = v->made->stack_count;
	free(made);
	free(starts);
	free(in_view);
}

static void reversed_release(struct reversed *v)
{
	free(v->view.cells);
	free(v->path);
	profile_free(v->made);
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

static void report_sum_callers(struct report *r)
{
	struct reversed v;
	struct flame_widths w;

	reversed_init(&v, r);
	flame_widths_init(&w, &v.view);
	flame_widths_add(&w, r->view, r->weights);
	report_sum_calls(r, &w);
	flame_widths_release(&w);
	reversed_release(&v);
}

static void report_sum_categories(struct report *r)
{
	const struct profile *p = r->profile;
	size_t others = r->options->category_count;
	bool weighs = view_weighs(r->view, r->weights);
	bool *in_view = view_events(p, r->view);

	r->categories = xcalloc(others + 1, sizeof(*r->categories));
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint16_t of = r->options->category_of
				      ? r->options->category_of[i]
				      : 0;
		struct class_sum *sum = &r->categories[of ? of - 1U : others];

		if (!in_view[c->event])
			continue;
		sum->samples = saturate_add(sum->samples, c->count);
		sum->total = saturate_add(sum->total, cell_measure(c, weighs));
	}
	free(in_view);
}

static void report_sum_infos(struct report *r)
{
	r->infos = thread_infos(r->profile, r->view, r->weights,
				&r->info_count);
	if (r->options->parts & 1U << REPORT_TIMELINE)
		timeline_init(&r->timeline, r->profile, r->view, r->weights,
			      r->infos, report_rows(r, REPORT_THREAD_INFO));
}

static void report_sum_frames(struct report *r, const struct flame_widths *w)
{
	r->frames = frame_sums(w, r->view, r->weights, &r->table,
			       r->options->order);
	r->frame_count = r->table.label_count;
	/* The label of small frames has no samples here. */
	while (r->frame_count && !r->frames[r->frame_count - 1].total)
		r->frame_count--;
}

/*
 * Marks the labels of the application's frames, if there are JDK frames. Idle
 * threads may have had them all.
 */
static void report_mark_application(struct report *r)
{
	const struct profile *p = r->profile;
	bool has_jdk = view_has_waits(r->view);

	for (size_t id = 1; !has_jdk && id < p->frame_count; id++)
		has_jdk = r->table.label_of[id] != NO_LABEL &&
			  frame_is_jdk(p, &p->frames[id]);
	if (!has_jdk)
		return;
	r->is_application = xcalloc(r->table.label_count + 1, sizeof(bool));
	for (size_t id = 1; id < p->frame_count; id++) {
		if (r->table.label_of[id] != NO_LABEL &&
		    frame_is_application(p, &p->frames[id]))
			r->is_application[r->table.label_of[id]] = true;
	}
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
	report_find_idle(r);
	p = r->profile;
	view = r->view;
	report_choose_measure(r);
	report_count_cells(r);
	flame_widths_init(&w, p);
	flame_widths_add(&w, view, r->weights);
	report_name_frames(r, &w);
	report_mark_application(r);
	if (parts & 1U << REPORT_APPLICATION && r->is_application)
		r->application = wait_sums(p, view, r->weights, &r->table,
					   r->is_application, NULL, false,
					   &r->application_count);
	if (parts & 1U << REPORT_WAITS && r->is_application &&
	    view_has_waits(view))
		r->waits = wait_sums(p, view, r->weights, &r->table,
				     r->is_application, r->idle_cells, true,
				     &r->wait_count);
	if (parts & (1U << REPORT_FRAMES | 1U << REPORT_HISTOGRAM))
		report_sum_frames(r, &w);
	for (enum class_key key = 0; key < CLASS_KEYS; key++) {
		if (parts & 1U << (REPORT_CLASSES + key))
			r->by_class[key].sums = class_sums(
				p, view, r->weights, key,
				&r->by_class[key].count);
	}
	if (parts & 1U << REPORT_THREADS || options->style.threads)
		r->threads = thread_sums(p, view, r->weights, &r->table,
					 options->for_people &&
							 view_has_waits(view)
						 ? r->is_application
						 : NULL,
					 &r->thread_count);
	if (parts & 1U << REPORT_CATEGORIES)
		report_sum_categories(r);
	if (parts & (1U << REPORT_THREAD_INFO | 1U << REPORT_TIMELINE))
		report_sum_infos(r);
	if (parts & 1U << REPORT_CALLS && options->style.reverse)
		report_sum_callers(r);
	else if (parts & 1U << REPORT_CALLS)
		report_sum_calls(r, &w);
	flame_widths_release(&w);
}

void report_release(struct report *r)
{
	frame_table_release(&r->table);
	call_tree_release(&r->calls);
	free(r->frames);
	free(r->application);
	free(r->is_application);
	free(r->waits);
	free(r->idle_cells);
	free(r->kept_profile.cells);
	free(r->kept_profile.events);
	for (size_t i = 0; i < CLASS_KEYS; i++)
		free(r->by_class[i].sums);
	free(r->threads);
	free(r->categories);
	free(r->infos);
	timeline_release(&r->timeline);
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

const struct report_classes *report_classes(const struct report *r,
					    enum report_part part)
{
	return part >= REPORT_CLASSES && part < REPORT_CLASSES + CLASS_KEYS
		       ? &r->by_class[part - REPORT_CLASSES]
		       : NULL;
}

size_t report_rows(const struct report *r, enum report_part part)
{
	const size_t rows[REPORT_PARTS][2] = {
		[REPORT_WAITS] = { r->wait_count, r->options->frames },
		[REPORT_FRAMES] = { r->frame_count, r->options->frames },
		[REPORT_APPLICATION] = { r->application_count,
					 r->options->frames },
		[REPORT_CLASSES] = { r->by_class[CLASS_ONLY].count,
				     r->options->threads },
		[REPORT_OWNERS] = { r->by_class[CLASS_AND_OWNER].count,
				    r->options->threads },
		[REPORT_OWNER_METHODS] = { r->by_class[CLASS_AND_METHOD].count,
					   r->options->threads },
		[REPORT_THREADS] = { r->thread_count, r->options->threads },
		[REPORT_CALLS] = { r->calls.count, 0 },
		[REPORT_HISTOGRAM] = { r->frame_count, r->options->frames },
		[REPORT_CATEGORIES] = { r->options->category_count + 1, 0 },
		[REPORT_THREAD_INFO] = { r->info_count, r->options->threads },
		[REPORT_TIMELINE] = { r->timeline.row_count, 0 },
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
