/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/sides.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"

#include <stdlib.h>
#include <string.h>

/* Fewer parts say nothing about the variation between them. */
#define PARTS_LEAST 8

/* Finds the buckets in use; false if a sample has no time, or all have none. */
static bool side_used_buckets(const struct side *s, int64_t *first,
			      int64_t *last)
{
	*first = PROFILE_BUCKETS;
	*last = 0;
	for (size_t i = 0; i < s->cell_count; i++) {
		uint16_t bucket = s->cells[i].bucket;

		if (!bucket)
			return false;
		if (bucket < *first)
			*first = bucket;
		if (bucket > *last)
			*last = bucket;
	}
	return s->cell_count != 0;
}

/* Returns the time at which a bucket starts; buckets count from 1. */
static int64_t side_bucket_time(const struct side *s, int64_t bucket)
{
	int64_t width = (int64_t)1 << s->bucket_shift, ns;

	/* The last bucket may end behind the largest time. */
	return __builtin_mul_overflow(s->bucket_first + bucket - 1, width, &ns)
		       ? INT64_MAX
		       : ns;
}

/* Replaces the bucket of each cell by its part. */
static void side_divide(struct side *s)
{
	int64_t first = 0, last = 0, count;

	if (s->from_ns < s->to_ns && side_used_buckets(s, &first, &last) &&
	    last - first + 1 >= PARTS_LEAST)
		s->part_count = last - first + 1 < SIDE_PARTS
					? (size_t)(last - first + 1)
					: SIDE_PARTS;
	count = s->part_count ? last - first + 1 : 0;
	for (size_t i = 0; i < s->cell_count; i++) {
		struct cell *c = &s->cells[i];

		c->bucket = s->part_count
				    ? (uint16_t)(1 +
						 (c->bucket - first) *
							 (int64_t)
								 s->part_count /
							 count)
				    : 0;
	}
	if (!count)
		return;
	for (int64_t at = first; at <= last; at++) {
		int64_t from = side_bucket_time(s, at);
		int64_t to = side_bucket_time(s, at + 1);

		if (from < s->from_ns)
			from = s->from_ns;
		if (to > s->to_ns)
			to = s->to_ns;
		if (to > from)
			s->part_ns[(at - first) * (int64_t)s->part_count /
				   count] += to - from;
	}
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Adds up the events of a view again: a filter may have changed them. */
static void side_count_view(struct event_view *v, const struct profile *p)
{
	v->samples = v->without_stack = v->weight = 0;
	for (size_t i = 0; i < v->event_count; i++) {
		const struct event *e = &p->events[v->events[i]];

		v->samples = saturate_add(v->samples, e->samples);
		v->without_stack = saturate_add(v->without_stack,
						e->without_stack);
		v->weight = saturate_add(v->weight, e->weight);
	}
}

/*
 * The least time in ns between two samples. Counts of samples may have smaller
 * common divisors by chance.
 */
#define SIDE_STEP 100000

/* Returns the common divisor of all counts, if they are times; otherwise 1. */
static uint64_t side_step(const struct side *s)
{
	uint64_t step = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		uint64_t rest = s->cells[i].count;

		if (s->cells[i].count != s->cells[i].weight)
			return 1;
		while (rest) {
			uint64_t last = rest;

			rest = step % rest;
			step = last;
		}
	}
	return step < SIDE_STEP ? 1 : step;
}

void side_take(struct side *s, struct profile *p, struct event_view *views,
	       size_t view_count)
{
	*s = (struct side){
		.events = p->events,
		.event_count = p->event_count,
		.cells = p->cells,
		.cell_count = p->cell_count,
		.remarks = p->remarks,
		.remark_count = p->remark_count,
		.from_ns = larger(p->earliest_ns, p->from_ns),
		.to_ns = p->latest_ns < p->to_ns ? p->latest_ns : p->to_ns,
		.bucket_first = p->bucket_first,
		.bucket_shift = p->bucket_shift,
	};
	s->views = views;
	s->view_count = view_count;
	for (size_t i = 0; i < view_count; i++)
		side_count_view(&views[i], p);
	if (!p->earliest_ns || s->to_ns < s->from_ns)
		s->from_ns = s->to_ns = 0;
	p->events = NULL;
	p->event_count = p->event_cap = 0;
	p->cells = NULL;
	p->cell_count = p->cell_cap = p->last_cell = 0;
	p->remarks = NULL;
	p->remark_count = p->remark_cap = 0;
	p->setting_count = 0;
	idtable_clear(&p->event_ids);
	idtable_clear(&p->cell_ids);
	p->bucket_ns = p->bucket_first = p->bucket_last = 0;
	p->bucket_shift = 0;
	p->earliest_ns = p->latest_ns = 0;
	p->from_ns = INT64_MIN;
	p->to_ns = INT64_MAX;
	p->outside = 0;
	side_divide(s);
	s->sample_step = side_step(s);
}

void side_release(struct side *s)
{
	for (size_t i = 0; i < s->remark_count; i++)
		free(s->remarks[i].first);
	free(s->remarks);
	free(s->events);
	free(s->cells);
	free(s->views);
	*s = (struct side){ 0 };
}

/* Sums up the remarks of both sides. */
static void side_add_remarks(struct profile *p, const struct side *s)
{
	for (size_t i = 0; i < s->remark_count; i++) {
		const struct remark *r = &s->remarks[i];

		(r->is_loss ? profile_lost : profile_note)(p, r->what, r->count,
							   "%s", r->first);
	}
}

void sides_join(struct profile *p, struct side sides[2],
		const uint32_t *thread_of)
{
	size_t events = sides[0].event_count + sides[1].event_count;
	size_t cells = sides[0].cell_count + sides[1].cell_count;
	size_t event = 0;

	/* The cells of the first side stay where they are. */
	p->cells = sides[0].cells;
	p->cell_cap = sides[0].cell_count;
	sides[0].cells = NULL;
	array_reserve(p->events, p->event_cap, events);
	array_reserve(p->cells, p->cell_cap, cells);
	for (size_t i = 0; i < 2; i++) {
		struct side *s = &sides[i];

		for (size_t k = 0; k < s->cell_count; k++) {
			struct cell *c = &p->cells[p->cell_count++];

			if (s->cells)
				*c = s->cells[k];
			c->event += (uint32_t)event;
			c->thread = thread_of[c->thread];
			c->owner = thread_of[c->owner];
		}
		for (size_t k = 0; k < s->view_count; k++) {
			struct event_view *v = &s->views[k];

			for (size_t n = 0; n < v->event_count; n++)
				v->events[n] += (uint32_t)event;
		}
		for (size_t k = 0; k < s->event_count; k++)
			p->events[event++] = s->events[k];
		side_add_remarks(p, s);
		free(s->cells);
		s->cells = NULL;
		s->cell_count = 0;
	}
	p->event_count = event;
}

static bool cell_forget_part(void *unused, struct cell *c)
{
	(void)unused;
	c->bucket = 0;
	return true;
}

void sides_forget_parts(struct profile *p)
{
	profile_retain(p, cell_forget_part, NULL);
}
