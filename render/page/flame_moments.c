/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/flame_moments.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "core/profile/moments.h"
#include "render/page/flame_sums.h"

#include <stdlib.h>

#define MS_NS 1000000

/* Rows of a heat map: wide enough for a sampler, fine enough for a stall. */
#define STEP_MS 20
/* Steps in a bucket that fit in a byte, and in both bytes with an odd one. */
#define STEPS_OF_BYTE   256
#define STEPS_OF_BUCKET 65000
#define STEPS_MAX       4000000
#define AHEAD           16 /* distance of prefetches */

/* A moment of a page's cell. */
struct slot {
	uint32_t ms;  /* since first_step */
	uint32_t sum; /* index into the profile's sums of moments */
};

/* A cell of the page. */
struct moment_cell {
	uint32_t samples; /* UINT32_MAX: at least as many */
	uint16_t bucket;
};

/* The moments of a cell in one step, with the span in steps. */
struct entry {
	uint32_t step, span;
	uint64_t count, weight;
};

struct entries {
	struct entry *all;
	size_t count, cap;
	uint64_t samples, weight; /* sums of the cell */
	/* Each sample counts 1 and weighs 1: entries are not merged. */
	bool plain;
};

static int64_t moment_floor(int64_t value, int64_t unit)
{
	return value / unit - (value % unit < 0);
}

/* Returns 2, 5, 10, 20, … for 1, 2, 5, 10, … */
static int64_t step_next(int64_t step)
{
	int64_t first = step;

	while (first >= 10)
		first /= 10;
	return first == 2 ? step / 2 * 5 : step * 2;
}

static int64_t flame_moments_step(const struct profile *p)
{
	int64_t bucket_ms = p->bucket_ns / MS_NS + 1;
	int64_t whole_ms = bucket_ms * PROFILE_BUCKETS;
	int64_t step = 1;

	while (step < STEP_MS && bucket_ms / step > STEPS_OF_BYTE)
		step = step_next(step);
	while (bucket_ms / step > STEPS_OF_BUCKET ||
	       whole_ms / step > STEPS_MAX || step % p->moments->step_ms)
		step = step_next(step);
	return step;
}

bool flame_moments_are_useful(const struct profile *p)
{
	return p->moments && p->moments->count && p->bucket_ns &&
	       p->bucket_ns > (int64_t)STEP_MS * MS_NS;
}

/* Returns the first step of a bucket, counted from first_step. */
static int64_t flame_moments_base(const struct flame_moments *f,
				  const struct profile *p, uint16_t bucket)
{
	int64_t ns = (p->bucket_first + bucket - 1) * p->bucket_ns;

	return moment_floor(ns, f->step_ms * MS_NS) - f->first_step;
}

/*
 * Sorts the moments by their page's cell; stores the end of each cell's slots
 * in ends[]. The caller frees the slots.
 */
static struct slot *flame_moments_group(const struct flame_moments *f,
					const struct profile *p,
					const uint32_t *place_of,
					uint32_t *ends, size_t places)
{
	const struct moments *m = p->moments;
	struct slot *slots = xmalloc((m->count + 1) * sizeof(*slots));
	/* A moment is at most 24 days after the start of the first bucket. */
	int64_t lead_ms = m->base_ms - f->first_step * f->step_ms;
	uint32_t start = 0;

	for (size_t i = 0; i < m->count; i++)
		if (place_of[m->all[i].cell])
			ends[place_of[m->all[i].cell] - 1]++;
	for (size_t i = 0; i < places; i++) {
		uint32_t here = ends[i];

		ends[i] = start;
		start += here;
	}
	for (size_t i = 0; i < m->count; i++) {
		uint32_t place = place_of[m->all[i].cell];
		uint32_t ms = (uint32_t)(lead_ms + m->all[i].ms);

		if (i + AHEAD < m->count)
			__builtin_prefetch(&place_of[m->all[i + AHEAD].cell]);
		if (place)
			slots[ends[place - 1]++] = (struct slot){
				ms, m->all[i].sum
			};
	}
	return slots;
}

static int slot_compare(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->ms != y->ms)
		return x->ms < y->ms ? -1 : 1;
	return x->sum < y->sum ? -1 : x->sum > y->sum;
}

/* Most recordings are in the order of time. */
static void slots_sort(struct slot *slots, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (slots[i].ms < slots[i - 1].ms) {
			qsort(slots, count, sizeof(*slots), slot_compare);
			return;
		}
	}
}

/* Merges the slots of a cell with the same step and without a span. */
static void entries_make(struct entries *e, const struct flame_moments *f,
			 const struct profile *p, const struct slot *slots,
			 size_t count)
{
	uint32_t step_ms = (uint32_t)f->step_ms;

	e->count = 0;
	e->samples = e->weight = 0;
	array_reserve(e->all, e->cap, count);
	for (size_t i = 0; i < count; i++) {
		const struct moment_sum *sum = &p->moments->sums[slots[i].sum];
		uint32_t step = slots[i].ms / step_ms;
		uint32_t span = sum->span_ms ? (slots[i].ms + sum->span_ms -
						1) / step_ms -
						       step
					     : 0;
		struct entry *before = e->count ? &e->all[e->count - 1] : NULL;

		if (!before || e->plain || before->step != step ||
		    before->span || span) {
			before = &e->all[e->count++];
			*before = (struct entry){ step, span, 0, 0 };
		}
		before->count = saturate_add(before->count, sum->count);
		before->weight = saturate_add(before->weight, sum->weight);
		e->samples = saturate_add(e->samples, sum->count);
		e->weight = saturate_add(e->weight, sum->weight);
	}
}

/* True if all moments of the profile are one sample of weight 1. */
static bool moments_are_plain(const struct moments *m)
{
	for (size_t i = 0; i < m->sum_count; i++) {
		const struct moment_sum *s = &m->sums[i];

		if (s->count != 1 || s->weight != 1 || s->span_ms)
			return false;
	}
	return true;
}

/* True if each entry's weight is its share of the cell's samples. */
static bool entries_share(const struct entries *e)
{
	for (size_t i = 0; i < e->count; i++) {
		if ((unsigned __int128)e->all[i].weight * e->samples !=
		    (unsigned __int128)e->weight * e->all[i].count)
			return false;
	}
	return e->samples || !e->weight;
}

/* The columns of an event, and whether the optional ones are needed. */
struct moment_writer {
	struct text *columns;
	bool has_entries, has_high, has_samples, has_weight, has_span;
};

static inline void moment_put(struct text *column, uint64_t value)
{
	if (value < 0x80 && column->len + 1 < column->cap)
		column->bytes[column->len++] = (char)value;
	else
		text_varint(column, value);
}

/*
 * Appends the entries of a cell with `samples` samples, whose bucket starts in
 * step `base`. Steps are relative to the entry before: the small differences
 * compress better.
 */
static void moment_put_cell(struct moment_writer *w, const struct entries *e,
			    int64_t base, uint64_t samples)
{
	struct text *low = &w->columns[MOMENT_LOW];
	struct text *high = &w->columns[MOMENT_HIGH];

	moment_put(&w->columns[MOMENT_ENTRIES], e->count);
	w->has_entries |= e->count != samples;
	array_reserve(low->bytes, low->cap, low->len + e->count + 1);
	array_reserve(high->bytes, high->cap, high->len + e->count + 1);
	for (size_t i = 0; i < e->count; i++) {
		uint64_t offset = (uint64_t)(e->all[i].step - base);

		base = e->all[i].step;
		low->bytes[low->len++] = (char)offset;
		high->bytes[high->len++] = (char)(offset >> 8);
		w->has_high |= offset > UINT8_MAX;
	}
	if (e->plain)
		return;
	w->has_weight |= !entries_share(e);
	for (size_t i = 0; i < e->count; i++) {
		const struct entry *one = &e->all[i];

		moment_put(&w->columns[MOMENT_SAMPLES], one->count);
		moment_put(&w->columns[MOMENT_WEIGHT], one->weight);
		moment_put(&w->columns[MOMENT_SPAN], one->span);
		w->has_samples |= one->count != 1;
		w->has_span |= one->span != 0;
	}
}

/* Adds the entries of a cell to the sums of the event's steps. */
static void steps_add(struct flame_sum *steps, const struct entries *e)
{
	for (size_t i = 0; i < e->count; i++) {
		struct flame_sum *step = &steps[e->all[i].step];

		step->count = saturate_add(step->count, e->all[i].count);
		step->weight = saturate_add(step->weight, e->all[i].weight);
	}
}

static void moment_writer_end(struct moment_writer *w)
{
	if (!w->has_entries)
		text_clear(&w->columns[MOMENT_ENTRIES]);
	if (!w->has_high)
		text_clear(&w->columns[MOMENT_HIGH]);
	if (!w->has_samples)
		text_clear(&w->columns[MOMENT_SAMPLES]);
	if (!w->has_weight)
		text_clear(&w->columns[MOMENT_WEIGHT]);
	if (!w->has_span)
		text_clear(&w->columns[MOMENT_SPAN]);
}

/*
 * Encodes the moments of the cells of a view. The slots of cell i end at
 * ends[i].
 */
static void flame_moments_put_view(struct flame_moments *f, size_t view,
				   const struct profile *p, struct slot *slots,
				   size_t start, const uint32_t *ends,
				   const struct moment_cell *cells,
				   size_t cell_count, struct text *sums)
{
	struct moment_writer w = { .columns = f->columns +
					      MOMENT_COLUMNS * view };
	struct entries e = { .plain = moments_are_plain(p->moments) };
	size_t step_count = (size_t)f->steps + 1;
	struct flame_sum *steps = sums ? array_new(step_count, sizeof(*steps))
				       : NULL;

	for (size_t i = 0; i < cell_count; i++) {
		const struct moment_cell *c = &cells[i];
		size_t count = ends[i] - start;

		slots_sort(slots + start, count);
		entries_make(&e, f, p, slots + start, count);
		moment_put_cell(&w, &e, flame_moments_base(f, p, c->bucket),
				c->samples);
		f->entries[view] += e.count;
		start = ends[i];
		if (steps)
			steps_add(steps, &e);
	}
	/* Weights that last need fractions. */
	if (steps && !w.has_span)
		flame_sums_put_steps(sums + SUM_COLUMNS * view, steps,
				     step_count);
	free(steps);
	moment_writer_end(&w);
	free(e.all);
}

/* Returns the page's cells; the caller frees the array. */
static struct moment_cell *flame_moments_cells(const struct profile *p,
					       const uint32_t *place_of,
					       size_t places)
{
	struct moment_cell *cells = array_new(places, sizeof(*cells));

	for (size_t i = 0; i < p->cell_count; i++) {
		struct moment_cell *c;

		if (!place_of[i])
			continue;
		c = &cells[place_of[i] - 1];
		c->bucket = p->cells[i].bucket;
		if (p->cells[i].count > UINT32_MAX - c->samples)
			c->samples = UINT32_MAX;
		else
			c->samples += (uint32_t)p->cells[i].count;
	}
	return cells;
}

void flame_moments_init(struct flame_moments *f, const struct profile *p,
			const uint32_t *place_of, const size_t *counts,
			size_t view_count, struct text *sums)
{
	size_t places = 0, first = 0;
	struct slot *slots;
	struct moment_cell *cells;
	uint32_t *ends;
	int64_t step_ns, first_ns = p->bucket_first * p->bucket_ns;

	*f = (struct flame_moments){ .view_count = view_count };
	f->step_ms = flame_moments_step(p);
	step_ns = f->step_ms * MS_NS;
	f->first_step = moment_floor(first_ns, step_ns);
	f->lead_ns = first_ns - f->first_step * step_ns;
	f->steps = moment_floor((p->bucket_last + 1) * p->bucket_ns - 1,
				step_ns) -
		   f->first_step + 1;
	f->columns = xcalloc(MOMENT_COLUMNS * view_count, sizeof(*f->columns));
	f->entries = xcalloc(view_count, sizeof(*f->entries));
	for (size_t i = 0; i < view_count; i++)
		places += counts[i];
	ends = array_new(places, sizeof(*ends));
	slots = flame_moments_group(f, p, place_of, ends, places);
	cells = flame_moments_cells(p, place_of, places);
	for (size_t i = 0; i < view_count; i++) {
		flame_moments_put_view(
			f, i, p, slots, first ? ends[first - 1] : 0,
			ends + first, cells + first, counts[i], sums);
		first += counts[i];
	}
	free(slots);
	free(cells);
	free(ends);
}

void flame_moments_release(struct flame_moments *f)
{
	for (size_t i = 0; i < MOMENT_COLUMNS * f->view_count; i++)
		text_release(&f->columns[i]);
	free(f->columns);
	free(f->entries);
	*f = (struct flame_moments){ 0 };
}

void flame_moments_put_head(const struct flame_moments *f, struct json *j)
{
	json_open_object(j);
	json_add_int(j, "start_ms", f->first_step * f->step_ms);
	json_add_int(j, "lead_ns", f->lead_ns);
	json_add_int(j, "step_ms", f->step_ms);
	json_add_int(j, "steps", f->steps);
	json_add_bool(j, "differences", true);
	json_add_array(j, "events");
	for (size_t i = 0; i < f->view_count; i++) {
		json_open_object(j);
		json_add_uint(j, "entries", f->entries[i]);
		json_add_array(j, "columns");
		for (size_t k = 0; k < MOMENT_COLUMNS; k++)
			json_uint(j, f->columns[MOMENT_COLUMNS * i + k].len);
		json_close_array(j);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
}

void flame_moments_put_block(const struct flame_moments *f, struct text *out)
{
	for (size_t i = 0; i < MOMENT_COLUMNS * f->view_count; i++)
		text_add(out, f->columns[i].bytes, f->columns[i].len);
}
