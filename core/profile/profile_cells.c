/* SPDX-License-Identifier: Apache-2.0 */
/* profile_cells: the cells, time buckets and totals of a profile. */
#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/saturate.h"
#include "core/profile/moments.h"
#include "core/profile/profile.h"
#include "core/profile/sample_tap.h"

#include <stdlib.h>

static bool cell_equals(const struct cell *a, const struct cell *b)
{
	return a->stack == b->stack && a->thread == b->thread &&
	       a->event == b->event && a->owner == b->owner &&
	       a->owner_frame == b->owner_frame && a->bucket == b->bucket &&
	       a->state == b->state;
}

static void cell_add(struct cell *known, const struct cell *c)
{
	known->count = saturate_add(known->count, c->count);
	known->weight = saturate_add(known->weight, c->weight);
}

static uint32_t cell_tag(const struct cell *c)
{
	uint64_t where = (uint64_t)c->stack << 32 | c->thread;
	uint64_t rest = (uint64_t)c->event << 32 | (uint64_t)c->bucket << 8 |
			c->state;

	/* Few cells have an owner, so it needs little mixing. */
	return (uint32_t)hash_mix(where,
				  rest ^ (uint64_t)c->owner << 40 ^
					  (uint64_t)c->owner_frame << 32);
}

/* Number of cells whose slots are prefetched before they are stored. */
#define INDEX_BATCH 32

/* Adds the cells of profile_add_at() to the table. */
static void cells_index(struct profile *p)
{
	size_t first = p->cell_ids.count, count = p->cell_count;

	idtable_reserve(&p->cell_ids, count - first);
	for (size_t from = first; from < count; from += INDEX_BATCH) {
		size_t n = count - from;
		uint32_t tags[INDEX_BATCH];

		n = n < INDEX_BATCH ? n : INDEX_BATCH;
		for (size_t i = 0; i < n; i++) {
			tags[i] = cell_tag(&p->cells[from + i]);
			idtable_prefetch(&p->cell_ids, tags[i]);
		}
		for (size_t i = 0; i < n; i++) {
			struct idprobe probe = idtable_probe(&p->cell_ids,
							     tags[i]);

			while (idtable_next(&p->cell_ids, &probe))
				;
			idtable_put(&p->cell_ids, &probe,
				    (uint32_t)(from + i + 1));
		}
	}
}

/* Reserves space in the table for `more` cells, and completes it. */
static inline void cells_reserve(struct profile *p, size_t more)
{
	if (p->cell_ids.count < p->cell_count)
		cells_index(p);
	idtable_reserve(&p->cell_ids, more);
}

static inline void cells_append(struct profile *p, const struct cell *c)
{
	array_add(p->cells, p->cell_count, p->cell_cap, *c);
}

/* Adds to the cell equal to c, or creates it; the cell becomes last_cell. */
static void cells_add(struct profile *p, const struct cell *c, uint32_t tag)
{
	struct idprobe probe;
	uint32_t id;

	if (p->last_cell < p->cell_count &&
	    cell_equals(&p->cells[p->last_cell], c)) {
		cell_add(&p->cells[p->last_cell], c);
		return;
	}
	cells_reserve(p, 1);
	probe = idtable_probe(&p->cell_ids, tag);
	while ((id = idtable_next(&p->cell_ids, &probe))) {
		if (cell_equals(&p->cells[id - 1], c))
			break;
	}
	if (!id) {
		cells_append(p, c);
		id = (uint32_t)p->cell_count;
		idtable_put(&p->cell_ids, &probe, id);
	} else {
		cell_add(&p->cells[id - 1], c);
	}
	p->last_cell = id - 1;
}

/*
 * Returns an array for the new indices of all cells, which are dropped until
 * then; NULL if no moments refer to cells.
 */
static uint32_t *cells_new_names(const struct profile *p)
{
	uint32_t *cell_of;

	if (!p->moments || !p->cell_count)
		return NULL;
	cell_of = xmalloc(p->cell_count * sizeof(*cell_of));
	for (size_t i = 0; i < p->cell_count; i++)
		cell_of[i] = UINT32_MAX;
	return cell_of;
}

static void cells_rename(struct profile *p, uint32_t *cell_of)
{
	if (cell_of)
		moments_rename(p->moments, cell_of);
	free(cell_of);
}

/*
 * Changes the buckets: they start at first and become wider by the factor
 * 2^halvings. Cells that become equal are merged.
 */
static void cells_rebucket(struct profile *p, int64_t first, unsigned halvings)
{
	size_t count = p->cell_count;
	uint32_t *cell_of = cells_new_names(p);

	idtable_clear(&p->cell_ids);
	p->cell_count = 0;
	/* In place: the write position never passes the read position. */
	for (size_t i = 0; i < count; i++) {
		struct cell c = p->cells[i];

		if (c.bucket) {
			int64_t at = p->bucket_first + c.bucket - 1;

			c.bucket = (uint16_t)((at >> halvings) - first + 1);
		}
		cells_add(p, &c, cell_tag(&c));
		if (cell_of)
			cell_of[i] = (uint32_t)p->last_cell;
	}
	cells_rename(p, cell_of);
	p->bucket_shift += halvings;
	p->bucket_ns = (int64_t)1 << p->bucket_shift;
	p->bucket_last >>= halvings;
	p->bucket_first = first;
}

#define FIRST_BUCKET_SHIFT 20 /* about a millisecond; doubled if necessary */

static void cells_start_buckets(struct profile *p, int64_t from_ns,
				unsigned shift)
{
	p->bucket_shift = shift;
	p->bucket_ns = (int64_t)1 << shift;
	p->bucket_first = p->bucket_last = from_ns >> shift;
}

void profile_expect_times(struct profile *p, int64_t from_ns, int64_t to_ns)
{
	unsigned shift = FIRST_BUCKET_SHIFT;

	if (p->bucket_ns || to_ns <= from_ns)
		return;
	/* The shift also rounds down for times before 1970. */
	while ((to_ns >> shift) - (from_ns >> shift) >= PROFILE_BUCKETS)
		shift++;
	cells_start_buckets(p, from_ns, shift);
}

/* Implements cells_bucket() for a time outside of the buckets. */
static uint16_t cells_widen(struct profile *p, int64_t time_ns)
{
	int64_t first, last, at;
	unsigned halvings = 0;

	if (!p->bucket_ns)
		cells_start_buckets(p, time_ns, FIRST_BUCKET_SHIFT);
	at = time_ns >> p->bucket_shift;
	first = at < p->bucket_first ? at : p->bucket_first;
	last = at > p->bucket_last ? at : p->bucket_last;
	while ((last >> halvings) - (first >> halvings) >= PROFILE_BUCKETS)
		halvings++;
	if (halvings || first < p->bucket_first) {
		/*
		 * Leave space before the first bucket, otherwise each earlier
		 * sample would move all cells.
		 */
		first >>= halvings;
		if (at < p->bucket_first)
			first = (last >> halvings) - PROFILE_BUCKETS + 1;
		cells_rebucket(p, first, halvings);
		at >>= halvings;
	}
	if (at > p->bucket_last)
		p->bucket_last = at;
	return (uint16_t)(at - p->bucket_first + 1);
}

/*
 * Returns 1 + the index of a time's bucket, and widens the buckets if
 * necessary.
 */
static inline uint16_t cells_bucket(struct profile *p, int64_t time_ns)
{
	int64_t at = time_ns >> p->bucket_shift;

	if (p->bucket_ns && at >= p->bucket_first && at <= p->bucket_last)
		return (uint16_t)(at - p->bucket_first + 1);
	return cells_widen(p, time_ns);
}

static inline void cells_note_time(struct profile *p, int64_t time_ns)
{
	/* 0 means no time; all times may be before 1970. */
	if (!p->earliest_ns || time_ns < p->earliest_ns)
		p->earliest_ns = time_ns;
	if (!p->latest_ns || time_ns > p->latest_ns)
		p->latest_ns = time_ns;
}

static inline bool sample_is_in_range(const struct profile *p, int64_t time_ns)
{
	if (time_ns < p->from_ns || time_ns >= p->to_ns)
		return false;
	return !p->wants_time || p->wants_time(p->wants_time_self, time_ns);
}

/*
 * Makes the cell of one sample; false if the sample is outside of the time
 * range.
 */
static inline bool cell_make(struct profile *p, const struct sample *s,
			     struct cell *c)
{
	*c = (struct cell){
		.stack = s->stack,
		.thread = s->thread,
		.event = s->event,
		.owner = s->owner,
		.owner_frame = s->owner_frame,
		.state = (uint8_t)s->state,
		.count = s->count,
		.weight = s->weight,
	};
	if (!s->time_ns)
		return true;
	cells_note_time(p, s->time_ns);
	if (!sample_is_in_range(p, s->time_ns))
		return false;
	c->bucket = cells_bucket(p, s->time_ns);
	return true;
}

static inline void event_add(struct profile *p, const struct cell *c)
{
	struct event *e = &p->events[c->event];

	e->samples = saturate_add(e->samples, c->count);
	e->weight = saturate_add(e->weight, c->weight);
	if (!c->stack)
		e->without_stack = saturate_add(e->without_stack, c->count);
}

/* The part of a weight that falls into the first `part` of `whole` ns. */
static uint64_t cells_share(uint64_t weight, uint64_t part, uint64_t whole)
{
	return (uint64_t)((unsigned __int128)weight * part / whole);
}

/*
 * Adds a cell for each time bucket of the sample's duration, so that a wait of
 * ten seconds appears in all its buckets. The parts add up to the weight.
 */
static void cells_add_lasting(struct profile *p, const struct sample *s,
			      struct cell c)
{
	uint64_t given = 0;
	int64_t at = (p->bucket_first + c.bucket) << p->bucket_shift;
	int64_t end = s->time_ns + (int64_t)s->duration_ns;
	int64_t from = s->time_ns;

	for (; at < end; at += p->bucket_ns, c.bucket++) {
		uint64_t until = cells_share(
			s->weight, (uint64_t)(at - s->time_ns), s->duration_ns);

		c.weight = until - given;
		cells_add(p, &c, cell_tag(&c));
		moments_add(p, p->last_cell, from, (uint64_t)(at - from),
			    c.count, c.weight);
		given = until;
		c.count = 0;
		from = at;
	}
	c.weight = s->weight - given;
	cells_add(p, &c, cell_tag(&c));
	moments_add(p, p->last_cell, from, (uint64_t)(end - from), c.count,
		    c.weight);
}

/*
 * Extends the buckets to the end of the sample of cell c, and updates c's
 * bucket; false if the sample ends in its first bucket. Times near the limits
 * of 64 bits are excluded, so that no bucket's edge overflows.
 */
static bool cell_does_last(struct profile *p, const struct sample *s,
			   struct cell *c)
{
	int64_t end;

	if (!c->bucket || !s->duration_ns ||
	    __builtin_add_overflow(s->time_ns, s->duration_ns, &end) ||
	    s->time_ns < INT64_MIN / 2 || end > INT64_MAX / 2)
		return false;
	cells_note_time(p, end);
	cells_bucket(p, end - 1);
	c->bucket = cells_bucket(p, s->time_ns);
	return cells_bucket(p, end - 1) != c->bucket;
}

void profile_tap(struct profile *p, const struct sample *s,
		 const struct sample_details *d)
{
	if (s->time_ns) {
		cells_note_time(p, s->time_ns);
		if (!sample_is_in_range(p, s->time_ns)) {
			p->outside = saturate_add(p->outside, s->count);
			return;
		}
	}
	if (!d || !d->is_event)
		event_add(p, &(struct cell){
				     .event = s->event,
				     .stack = s->stack,
				     .count = s->count,
				     .weight = s->weight,
			     });
	p->tap->add(p->tap->self, s, d);
}

void profile_add(struct profile *p, const struct sample *s)
{
	struct cell c;

	if (p->tap) {
		profile_tap(p, s, NULL);
		return;
	}
	if (!cell_make(p, s, &c)) {
		p->outside = saturate_add(p->outside, s->count);
		return;
	}
	event_add(p, &c);
	if (cell_does_last(p, s, &c)) {
		cells_add_lasting(p, s, c);
		return;
	}
	cells_add(p, &c, cell_tag(&c));
	if (c.bucket)
		moments_add(p, p->last_cell, s->time_ns, s->duration_ns,
			    c.count, c.weight);
}

void profile_add_at(struct profile *p, const struct sample *s, uint32_t *cell)
{
	struct cell c;

	if (p->tap) {
		profile_tap(p, s, NULL);
		return;
	}
	if (!cell_make(p, s, &c)) {
		p->outside = saturate_add(p->outside, s->count);
		return;
	}
	event_add(p, &c);
	if (*cell && *cell <= p->cell_count &&
	    cell_equals(&p->cells[*cell - 1], &c)) {
		cell_add(&p->cells[*cell - 1], &c);
	} else {
		if (p->cell_count == UINT32_MAX)
			alloc_give_up(0);
		cells_append(p, &c);
		*cell = (uint32_t)p->cell_count;
	}
	p->last_cell = *cell - 1;
	if (c.bucket)
		moments_add(p, p->last_cell, s->time_ns, 0, c.count, c.weight);
}

#define CELL_BATCH 32

/*
 * Makes the cells of a batch; returns the number of samples in the time range
 * and counts the others.
 */
static size_t cells_make(struct profile *p, const struct sample *s, size_t n,
			 struct cell *cells, int64_t *times, uint64_t *outside)
{
	int64_t first;
	unsigned shift;
	size_t count;

	do {
		/*
		 * Starts again if a sample has changed the buckets of the
		 * previous ones.
		 */
		first = p->bucket_first;
		shift = p->bucket_shift;
		count = 0;
		*outside = 0;
		for (size_t i = 0; i < n; i++) {
			times[count] = s[i].time_ns;
			if (cell_make(p, &s[i], &cells[count]))
				count++;
			else
				*outside = saturate_add(*outside, s[i].count);
		}
	} while (p->bucket_first != first || p->bucket_shift != shift);
	return count;
}

static void cells_add_batch(struct profile *p, const struct sample *s, size_t n)
{
	struct cell cells[CELL_BATCH];
	uint32_t tags[CELL_BATCH], ids[CELL_BATCH];
	int64_t times[CELL_BATCH];
	uint64_t outside;
	size_t count = cells_make(p, s, n, cells, times, &outside);

	p->outside = saturate_add(p->outside, outside);
	cells_reserve(p, n);
	for (size_t i = 0; i < count; i++) {
		event_add(p, &cells[i]);
		tags[i] = cell_tag(&cells[i]);
		idtable_prefetch(&p->cell_ids, tags[i]);
	}
	for (size_t i = 0; i < count; i++) {
		struct idprobe probe = idtable_probe(&p->cell_ids, tags[i]);

		ids[i] = idtable_next(&p->cell_ids, &probe);
		if (ids[i])
			__builtin_prefetch(&p->cells[ids[i] - 1], 1);
	}
	for (size_t i = 0; i < count; i++) {
		struct cell *known = ids[i] ? &p->cells[ids[i] - 1] : NULL;

		/* Another cell may have the same tag, or be added meanwhile. */
		if (known && cell_equals(known, &cells[i])) {
			cell_add(known, &cells[i]);
			p->last_cell = ids[i] - 1;
		} else {
			cells_add(p, &cells[i], tags[i]);
		}
		if (p->moments && cells[i].bucket)
			moments_add(p, p->last_cell, times[i], 0,
				    cells[i].count, cells[i].weight);
	}
}

void profile_add_all(struct profile *p, const struct sample *s, size_t n)
{
	for (size_t i = 0; p->tap && i < n; i++)
		profile_tap(p, &s[i], NULL);
	if (p->tap)
		return;
	while (n) {
		size_t batch = n < CELL_BATCH ? n : CELL_BATCH;

		cells_add_batch(p, s, batch);
		s += batch;
		n -= batch;
	}
}

void profile_retain(struct profile *p,
		    bool (*keep)(void *self, struct cell *cell), void *self)
{
	size_t count = p->cell_count;
	uint32_t *cell_of = cells_new_names(p);

	idtable_clear(&p->cell_ids);
	p->cell_count = 0;
	for (size_t i = 0; i < p->event_count; i++) {
		struct event *e = &p->events[i];

		e->samples = e->without_stack = e->weight = 0;
	}
	/* In place, as in cells_rebucket(). */
	for (size_t i = 0; i < count; i++) {
		struct cell c = p->cells[i];

		if (!keep(self, &c))
			continue;
		event_add(p, &c);
		cells_add(p, &c, cell_tag(&c));
		if (cell_of)
			cell_of[i] = (uint32_t)p->last_cell;
	}
	cells_rename(p, cell_of);
}
