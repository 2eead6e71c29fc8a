/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up a view of two recordings and finds the changes. */
#include "render/profile/diff.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/threads/pool_name.h"
#include "render/profile/sums.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const diff_part_names[DIFF_PARTS] = {
	[DIFF_SELF] = "self",
	[DIFF_TOTAL] = "total",
	[DIFF_CLASSES] = "classes",
	[DIFF_THREADS] = "threads",
};

const char *const diff_base_names[] = {
	[DIFF_BY_DEFAULT] = "default", [DIFF_BY_TIME] = "time",
	[DIFF_BY_TOTAL] = "total",     [DIFF_BY_EVENT] = "event",
	[DIFF_BY_NONE] = "none",
};

/* The pair of recordings. */

/* Returns by thread id the thread that stands for its pool. */
static uint32_t *pair_pools(struct profile *p)
{
	uint32_t *pool_of = xcalloc(p->thread_count, sizeof(*pool_of));
	size_t count = p->thread_count;
	struct text name = { 0 };

	for (size_t i = 1; i < count; i++) {
		struct thread pool = { .is_virtual = p->threads[i].is_virtual };

		text_clear(&name);
		pool_name(&name, profile_text(p, p->threads[i].name));
		pool.name = profile_string(p, name.len ? name.bytes : "",
					   name.len);
		pool_of[i] = profile_thread(p, &pool);
	}
	text_release(&name);
	return pool_of;
}

/* Names all frames. */
static void pair_name_frames(struct diff_pair *pair, const struct style *style)
{
	const struct profile *p = pair->profile;
	const struct frame_naming naming = { .style = *style, .by_name = true };
	uint8_t *used = xmalloc(p->frame_count + 1);

	memset(used, 1, p->frame_count + 1);
	used[0] = 0;
	frame_table_init(&pair->table, p, used, &naming);
	free(used);
}

/* A walk of all stack traces, callers before their callees. */
struct outer_walk {
	const struct profile *profile;
	const uint32_t *label_of; /* by frame */
	uint32_t *on_path;        /* by label: occurrences on the path */
	uint8_t *is_outer;
};

static void outer_walk_enter(struct outer_walk *w, uint32_t id)
{
	const struct profile *p = w->profile;

	/* A class is not a call. */
	w->is_outer[id] = w->on_path[w->label_of[p->stacks[id].frame]]++ == 0 &&
			  profile_calls(p, id) == id;
}

static void outer_walk_leave(struct outer_walk *w, uint32_t id)
{
	w->on_path[w->label_of[w->profile->stacks[id].frame]]--;
}

/* Lists of callees: first[] by caller, next[] by callee; 0 ends a list. */
static void outer_walk_all(struct outer_walk *w, const uint32_t *first,
			   const uint32_t *next)
{
	uint32_t id = first[0];

	while (id) {
		outer_walk_enter(w, id);
		if (first[id]) {
			id = first[id];
			continue;
		}
		while (id && !next[id]) {
			outer_walk_leave(w, id);
			id = w->profile->stacks[id].caller;
		}
		if (id) {
			outer_walk_leave(w, id);
			id = next[id];
		}
	}
}

/* Finds the frames that are not called by themselves further up. */
static void pair_find_outer(struct diff_pair *pair)
{
	const struct profile *p = pair->profile;
	uint32_t *first = array_new(p->stack_count, sizeof(*first));
	uint32_t *next = array_new(p->stack_count, sizeof(*next));
	struct outer_walk w = {
		.profile = p,
		.label_of = pair->table.label_of,
		.on_path = xcalloc(pair->table.label_count, sizeof(*w.on_path)),
		.is_outer = array_new(p->stack_count, 1),
	};

	for (size_t id = p->stack_count; id-- > 1;) {
		uint32_t *head = &first[p->stacks[id].caller];

		next[id] = *head;
		*head = (uint32_t)id;
	}
	outer_walk_all(&w, first, next);
	pair->is_outer = w.is_outer;
	free(w.on_path);
	free(first);
	free(next);
}

void diff_pair_join(struct diff_pair *pair, const struct style *style)
{
	uint32_t *pool_of = pair_pools(pair->profile);
	struct side sides[2] = { pair->sources[0].side, pair->sources[1].side };

	sides_join(pair->profile, sides, pool_of);
	pair->sources[0].side = sides[0];
	pair->sources[1].side = sides[1];
	free(pool_of);
	pair_name_frames(pair, style);
	pair_find_outer(pair);
}

void diff_pair_release(struct diff_pair *pair)
{
	for (size_t i = 0; i < 2; i++) {
		struct diff_source *s = &pair->sources[i];

		for (size_t k = 0; s->rates && k < s->side.view_count; k++)
			text_release(&s->rates[k]);
		free(s->rates);
		side_release(&s->side);
	}
	frame_table_release(&pair->table);
	free(pair->is_outer);
	profile_free(pair->profile);
	*pair = (struct diff_pair){ 0 };
}

const struct event_view *diff_find_view(const struct diff_pair *pair,
					size_t side, const char *name)
{
	const struct side *s = &pair->sources[side].side;

	for (size_t i = 0; i < s->view_count; i++) {
		if (strcmp(s->views[i].name, name) == 0)
			return &s->views[i];
	}
	return NULL;
}

static const struct event_view *diff_find_part(const struct diff_pair *pair,
					       size_t side, const char *part)
{
	const struct side *s = &pair->sources[side].side;

	for (size_t i = 0; i < s->view_count; i++) {
		const char *dot = strrchr(s->views[i].name, '.');

		if (dot && strcmp(dot + 1, part) == 0)
			return &s->views[i];
	}
	return NULL;
}

const struct event_view *diff_choose_view(const struct diff_pair *pair,
					  size_t side, const char *name,
					  struct error *err)
{
	const struct diff_source *s = &pair->sources[side];
	const struct event_view *found = diff_find_view(pair, side, name);
	struct text names = { 0 };

	if (!found)
		found = diff_find_part(pair, side, name);
	if (found)
		return found;
	for (size_t i = 0; i < s->side.view_count; i++)
		text_printf(&names, "%s%s", i ? ", " : "",
			    s->side.views[i].name);
	fail(err, ERROR_INPUT, "%s has no '%s' samples to compare; it has %s",
	     s->name, name, names.len ? names.bytes : "none");
	text_release(&names);
	return NULL;
}

/* diff_sums: sums by id, and how they are spread over the recording. */

/* The number of samples, and the measure in each part of the recording. */
struct lanes {
	uint64_t samples;
	float of[SIDE_PARTS];
};

struct diff_sums {
	uint64_t *sums;
	struct lanes *lanes;
};

static struct diff_sums sums_new(size_t count)
{
	return (struct diff_sums){
		.sums = array_new(count, sizeof(uint64_t)),
		.lanes = array_new(count, sizeof(struct lanes)),
	};
}

static void sums_free(struct diff_sums *s)
{
	free(s->sums);
	free(s->lanes);
}

static inline void lanes_add_cell(struct lanes *to, const struct cell *c,
				  uint64_t measure)
{
	if (c->bucket)
		to->of[c->bucket - 1] += (float)measure;
	to->samples = saturate_add(to->samples, c->count);
}

static void lanes_add(struct lanes *to, const struct lanes *from)
{
	for (size_t i = 0; i < SIDE_PARTS; i++)
		to->of[i] += from->of[i];
	to->samples = saturate_add(to->samples, from->samples);
}

static inline void sums_add_cell(struct diff_sums *s, uint32_t id,
				 const struct cell *c, bool weighs)
{
	uint64_t measure = cell_measure(c, weighs);

	s->sums[id] = saturate_add(s->sums[id], measure);
	lanes_add_cell(&s->lanes[id], c, measure);
}

/* Sums of a view of one side. */
struct side_sums {
	struct diff_sums whole; /* one sum */
	struct diff_sums of[DIFF_PARTS];
};

/* The numbers of ids of each part. */
static void diff_id_counts(const struct diff_pair *pair,
			   size_t counts[DIFF_PARTS])
{
	counts[DIFF_SELF] = counts[DIFF_TOTAL] = pair->table.label_count;
	counts[DIFF_CLASSES] = pair->profile->strings.count + 1;
	counts[DIFF_THREADS] = pair->profile->thread_count;
}

/*
 * stack_sums: sums by stack trace. Most stack traces have no samples of their
 * own and a single callee, so only the others get a slot.
 */
struct stack_sum {
	uint64_t sum;
	struct lanes lanes;
};

struct stack_sums {
	uint32_t *slot_of; /* by stack trace; 0 = none */
	struct stack_sum *slots;
	size_t count, cap;
};

static void stack_sum_add(struct stack_sum *to, const struct stack_sum *from)
{
	to->sum = saturate_add(to->sum, from->sum);
	lanes_add(&to->lanes, &from->lanes);
}

/* Returns the slot of a stack trace, which the next call may move. */
static struct stack_sum *stack_sums_slot(struct stack_sums *s, uint32_t stack)
{
	if (!s->slot_of[stack]) {
		array_reserve(s->slots, s->cap, s->count + 2);
		s->slots[++s->count] = (struct stack_sum){ 0 };
		s->slot_of[stack] = (uint32_t)s->count;
	}
	return &s->slots[s->slot_of[stack]];
}

static void stack_sums_add_cell(struct stack_sums *s, const struct cell *c,
				bool weighs)
{
	struct stack_sum *to = stack_sums_slot(s, c->stack);
	uint64_t measure = cell_measure(c, weighs);

	to->sum = saturate_add(to->sum, measure);
	lanes_add_cell(&to->lanes, c, measure);
}

/* Adds the total of a stack trace to that of its leaf frame. */
static void side_sums_add_total(struct diff_sums *totals, uint32_t label,
				const struct stack_sum *from)
{
	totals->sums[label] = saturate_add(totals->sums[label], from->sum);
	lanes_add(&totals->lanes[label], &from->lanes);
}

/*
 * Adds up totals from callees to callers. The total of a stack trace whose
 * caller has the id before it is carried to the next step.
 */
static void side_sums_add_totals(struct side_sums *s,
				 const struct diff_pair *pair,
				 struct stack_sums *stacks)
{
	const struct profile *p = pair->profile;
	struct stack_sum carried = { 0 };
	bool is_carried = false;

	for (uint32_t id = (uint32_t)p->stack_count; id-- > 1;) {
		uint32_t slot = stacks->slot_of[id];
		uint32_t caller = p->stacks[id].caller;

		if (!slot && !is_carried)
			continue;
		if (slot && is_carried)
			stack_sum_add(&carried, &stacks->slots[slot]);
		else if (slot)
			carried = stacks->slots[slot];
		if (pair->is_outer[id])
			side_sums_add_total(
				&s->of[DIFF_TOTAL],
				pair->table.label_of[p->stacks[id].frame],
				&carried);
		is_carried = caller && caller == id - 1;
		if (caller && !is_carried)
			stack_sum_add(stack_sums_slot(stacks, caller),
				      &carried);
	}
}

static void side_sums_init(struct side_sums *s, const struct diff_pair *pair,
			   const struct event_view *view, bool weights)
{
	const struct profile *p = pair->profile;
	const uint32_t *label_of = pair->table.label_of;
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);
	struct stack_sums stacks = {
		.slot_of = array_new(p->stack_count, sizeof(uint32_t)),
	};
	size_t counts[DIFF_PARTS];

	diff_id_counts(pair, counts);
	s->whole = sums_new(1);
	for (size_t i = 0; i < DIFF_PARTS; i++)
		s->of[i] = sums_new(counts[i]);
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t calls;

		if (i + AHEAD < p->cell_count) {
			__builtin_prefetch(&p->stacks[c[AHEAD].stack]);
			__builtin_prefetch(&stacks.slot_of[c[AHEAD].stack], 1);
		}
		if (!in_view[c->event])
			continue;
		calls = profile_calls(p, c->stack);
		sums_add_cell(&s->whole, 0, c, weighs);
		sums_add_cell(&s->of[DIFF_THREADS], c->thread, c, weighs);
		sums_add_cell(&s->of[DIFF_CLASSES],
			      profile_leaf_class(p, c->stack), c, weighs);
		if (!c->stack)
			continue;
		sums_add_cell(&s->of[DIFF_SELF],
			      label_of[p->stacks[calls].frame], c, weighs);
		stack_sums_add_cell(&stacks, c, weighs);
	}
	side_sums_add_totals(s, pair, &stacks);
	free(stacks.slot_of);
	free(stacks.slots);
	free(in_view);
}

static void side_sums_release(struct side_sums *s)
{
	sums_free(&s->whole);
	for (size_t i = 0; i < DIFF_PARTS; i++)
		sums_free(&s->of[i]);
}

/* The base of the values. */

/* Times may be anywhere, so only an unsigned difference cannot overflow. */
static double diff_length_ns(const struct side *s)
{
	return (double)((uint64_t)s->to_ns - (uint64_t)s->from_ns);
}

double diff_seconds(const struct diff *d, size_t side)
{
	const struct side *s = &d->pair->sources[side].side;

	return s->has_gaps ? 0 : diff_length_ns(s) / 1e9;
}

static const char *diff_rate(const struct diff *d, size_t side)
{
	const struct diff_source *s = &d->pair->sources[side];
	const struct text *rate = &s->rates[d->views[side] - s->side.views];

	return rate->len ? rate->bytes : "";
}

static bool diff_has_gaps(const struct diff *d)
{
	return d->pair->sources[0].side.has_gaps ||
	       d->pair->sources[1].side.has_gaps;
}

/* Chooses the default, with its reason. */
static enum diff_base diff_default_base(struct diff *d)
{
	bool has_times = diff_seconds(d, 0) > 0 && diff_seconds(d, 1) > 0;

	if (!d->views[0]->samples || !d->views[1]->samples) {
		d->reason = "one side has no samples";
		return has_times ? DIFF_BY_TIME : DIFF_BY_NONE;
	}
	if (!has_times) {
		d->reason = diff_has_gaps(d)
				    ? "--time-range leaves no known length"
				    : "not both recordings have times";
		return DIFF_BY_TOTAL;
	}
	if (d->units[0] != d->units[1]) {
		d->reason = "the units differ";
		return DIFF_BY_TOTAL;
	}
	if (d->units[0] == UNIT_SAMPLES &&
	    strcmp(diff_rate(d, 0), diff_rate(d, 1)) != 0) {
		d->reason = "the sampling rates differ";
		return DIFF_BY_TOTAL;
	}
	d->reason = "both recordings have times";
	return DIFF_BY_TIME;
}

/* Returns the number of samples that noise may depend on. */
static double diff_samples(const struct side *side, const struct lanes *lanes)
{
	return (double)lanes->samples /
	       (double)(side->sample_step ? side->sample_step : 1);
}

/* Uses the sums of a view as the base. */
static void diff_base_of_sums(struct noise_base *b, const struct side *side,
			      const struct diff_sums *s, size_t part_count)
{
	b->value = (double)s->sums[0];
	b->samples = diff_samples(side, &s->lanes[0]);
	b->part_count = part_count;
	for (size_t i = 0; i < part_count; i++)
		b->parts[i] = (double)s->lanes[0].of[i];
}

/* Uses the length of the recording as the base, in seconds or as 1. */
static void diff_base_of_time(struct noise_base *b, const struct side *s,
			      bool seconds)
{
	double ns = diff_length_ns(s);

	b->value = seconds ? ns / 1e9 : 1;
	b->part_count = s->has_gaps ? 0 : s->part_count;
	for (size_t i = 0; i < b->part_count; i++)
		b->parts[i] = (double)s->part_ns[i] / ns * b->value;
}

/* Sums up the event of DIFF_BY_EVENT on one side. */
static int diff_base_of_event(struct diff *d, size_t side, struct error *err)
{
	const struct diff_pair *pair = d->pair;
	const char *name = d->options->event;
	const struct event_view *view = diff_choose_view(pair, side, name, err);
	struct side_sums sums;

	if (!view)
		return fail_in(err, "option --normalize");
	side_sums_init(&sums, pair, view, d->options->style.weights);
	diff_base_of_sums(&d->bases[side], &d->pair->sources[side].side,
			  &sums.whole, pair->sources[side].side.part_count);
	side_sums_release(&sums);
	if (!(d->bases[side].value > 0))
		return fail(err, ERROR_FAILED,
			    "cannot divide by %s: its sum in %s is 0",
			    view->name, pair->sources[side].name);
	return 0;
}

static int diff_set_base(struct diff *d, const struct side_sums sums[2],
			 struct error *err)
{
	d->base = d->options->base ? d->options->base : diff_default_base(d);
	if (d->base != DIFF_BY_TOTAL && d->units[0] != d->units[1])
		return fail(err, ERROR_FAILED,
			    "%s: cannot compare %s and %s; use --normalize "
			    "total or --samples",
			    d->views[0]->name, unit_names[d->units[0]],
			    unit_names[d->units[1]]);
	for (size_t i = 0; i < 2; i++) {
		const struct diff_source *s = &d->pair->sources[i];

		if (d->base == DIFF_BY_TIME && !(diff_seconds(d, i) > 0))
			return fail(err, ERROR_FAILED,
				    "%s has no %s; use --normalize total",
				    s->name,
				    s->side.has_gaps
					    ? "known length with --time-range"
					    : "times");
		if (d->base == DIFF_BY_EVENT && diff_base_of_event(d, i, err))
			return -1;
		if (d->base == DIFF_BY_TOTAL)
			diff_base_of_sums(&d->bases[i],
					  &d->pair->sources[i].side,
					  &sums[i].whole, s->side.part_count);
		else if (d->base != DIFF_BY_EVENT)
			diff_base_of_time(&d->bases[i], &s->side,
					  d->base == DIFF_BY_TIME);
		d->bases[i].has_sums = d->base == DIFF_BY_TOTAL;
		/* Samples and ns become comparable as numbers of samples. */
		if (d->units[0] != d->units[1] && d->bases[i].value > 0)
			d->bases[i].scale = d->bases[i].samples /
					    d->bases[i].value;
	}
	d->has_parts = d->bases[0].part_count && d->bases[1].part_count;
	return 0;
}

/* The changes. */

static struct diff_row diff_make_row(const struct diff *d, uint32_t id,
				     const struct diff_sums *before,
				     const struct diff_sums *after, uint32_t at)
{
	const struct diff_sums *sides[2] = { before, after };
	struct noise_sum sums[2];
	struct diff_row row = { .id = id };

	for (size_t i = 0; i < 2; i++) {
		const struct lanes *lanes = &sides[i]->lanes[at];

		row.sums[i] = sides[i]->sums[at];
		row.samples[i] = lanes->samples;
		row.values[i] = d->bases[i].value > 0
					? (double)row.sums[i] /
						  d->bases[i].value
					: 0;
		sums[i] = (struct noise_sum){
			.value = (double)row.sums[i],
			.samples = diff_samples(&d->pair->sources[i].side,
						lanes),
			.parts = lanes->of,
		};
	}
	row.probability = noise_probability(sums, d->bases);
	return row;
}

static double row_size(const struct diff_row *r)
{
	double change = r->values[1] - r->values[0];

	return change < 0 ? -change : change;
}

static int row_compare(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	double first = row_size(x), second = row_size(y);

	if (x->is_significant != y->is_significant)
		return x->is_significant ? -1 : 1;
	if (first != second)
		return first > second ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Finds the significant rows and sorts all. */
static void part_finish(struct diff_part *part)
{
	double *probabilities;
	double threshold;

	if (!part->count)
		return;
	probabilities = xmalloc(part->count * sizeof(double));
	for (size_t i = 0; i < part->count; i++)
		probabilities[i] = part->rows[i].probability;
	threshold = noise_threshold(probabilities, part->count);
	for (size_t i = 0; i < part->count; i++) {
		struct diff_row *r = &part->rows[i];

		r->is_significant = r->probability <= threshold;
		part->significant += r->is_significant;
	}
	qsort(part->rows, part->count, sizeof(*part->rows), row_compare);
	free(probabilities);
}

static void diff_make_part(struct diff *d, enum diff_part_kind kind,
			   const struct side_sums sums[2], size_t id_count)
{
	const struct diff_sums *before = &sums[0].of[kind];
	const struct diff_sums *after = &sums[1].of[kind];
	struct diff_part *part = &d->parts[kind];
	/* A sample without a class or thread has id 0; a frame may have it. */
	uint32_t id = kind == DIFF_CLASSES;
	size_t cap = 0;

	for (; id < id_count; id++) {
		if (!before->sums[id] && !after->sums[id])
			continue;
		array_add(part->rows, part->count, cap,
			  diff_make_row(d, id, before, after, id));
	}
	/* Only samples without a thread. */
	if (kind == DIFF_THREADS && part->count == 1 && part->rows[0].id == 0)
		part->count = 0;
	part_finish(part);
}

/* Chooses weights, or samples if one side has no weights. */
static void diff_choose_measure(struct diff *d)
{
	const struct event_view *const *v = d->views;

	d->weights = d->options->style.weights && v[0]->weight && v[1]->weight;
	for (size_t i = 0; i < 2; i++)
		d->units[i] = view_weighs(v[i], d->weights) ? v[i]->unit
							    : UNIT_SAMPLES;
}

int diff_init(struct diff *d, const struct diff_pair *pair,
	      const struct event_view *before, const struct event_view *after,
	      const struct diff_options *options, struct error *err)
{
	struct side_sums sums[2];
	size_t counts[DIFF_PARTS];
	int ret;

	*d = (struct diff){
		.pair = pair,
		.options = options,
		.views = { before, after },
	};
	diff_choose_measure(d);
	for (size_t i = 0; i < 2; i++)
		side_sums_init(&sums[i], pair, d->views[i], d->weights);
	ret = diff_set_base(d, sums, err);
	if (ret == 0) {
		diff_id_counts(pair, counts);
		for (size_t i = 0; i < DIFF_PARTS; i++)
			diff_make_part(d, (enum diff_part_kind)i, sums,
				       counts[i]);
		d->whole = diff_make_row(d, 0, &sums[0].whole, &sums[1].whole,
					 0);
		d->whole.is_significant = d->base != DIFF_BY_TOTAL &&
					  d->whole.probability <=
						  NOISE_FALSE_DISCOVERIES;
	}
	for (size_t i = 0; i < 2; i++)
		side_sums_release(&sums[i]);
	return ret;
}

void diff_release(struct diff *d)
{
	for (size_t i = 0; i < DIFF_PARTS; i++)
		free(d->parts[i].rows);
	*d = (struct diff){ 0 };
}

void diff_add_name(struct text *out, const struct diff *d,
		   enum diff_part_kind part, const struct diff_row *row)
{
	const struct profile *p = d->pair->profile;
	const struct frame_table *table = &d->pair->table;
	const struct class_sum class_sum = { .class_name = row->id };
	const struct label_name *name;

	if (part == DIFF_CLASSES) {
		class_sum_name(out, p, &class_sum, &d->options->style);
	} else if (part == DIFF_THREADS) {
		const char *thread = profile_text(p, p->threads[row->id].name);

		safe_text(out, *thread ? thread : "[no name]",
			  *thread ? strlen(thread) : strlen("[no name]"));
	} else {
		name = &table->names[table->labels[row->id].name];
		text_add(out, name->text, name->len);
	}
}

double diff_scale(const struct diff *d, bool samples)
{
	double before = d->bases[0].value, after = d->bases[1].value;

	if (d->base == DIFF_BY_TOTAL) {
		before = (double)(samples ? d->views[0]->samples
					  : d->views[0]->weight);
		after = (double)(samples ? d->views[1]->samples
					 : d->views[1]->weight);
	}
	return before > 0 && after > 0 ? after / before : 1;
}

void diff_add_significant(struct text *out, const struct diff *d,
			  enum diff_part_kind part)
{
	for (size_t i = 0; i < d->parts[part].significant; i++) {
		diff_add_name(out, d, part, &d->parts[part].rows[i]);
		text_putc(out, '\n');
	}
}

void diff_add_method(struct text *out, const struct diff *d)
{
	size_t before = d->bases[0].part_count, after = d->bases[1].part_count;

	text_puts(out, "Welch's t-test, ");
	if (d->has_parts && before == after)
		text_printf(out,
			    "variation between %zu parts of each recording",
			    before);
	else if (d->has_parts)
		text_printf(out,
			    "variation between %zu parts of the recording "
			    "before and %zu of the one after",
			    before, after);
	else
		text_printf(out,
			    "samples taken as independent because %s to show "
			    "their variation",
			    diff_has_gaps(d)
				    ? "--time-range leaves no known parts"
				    : "not both recordings have times");
	for (size_t i = 0; i < 2; i++) {
		if (d->pair->sources[i].side.sample_step > 1)
			text_printf(out, "; %" PRIu64 " of %s is one sample",
				    d->pair->sources[i].side.sample_step,
				    i ? "the recording after"
				      : "the recording before");
	}
	text_printf(out, "; at most %.0f%% of the reported changes are chance",
		    100 * NOISE_FALSE_DISCOVERIES);
}
