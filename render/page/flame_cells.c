/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/flame_cells.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "render/profile/row_sort.h"
#include "render/text/measure.h"

#include <stdlib.h>
#include <string.h>

/* What is told apart within a node, as one number that sorts as it should. */
#define BUCKET_BITS  9 /* 1 + PROFILE_BUCKETS */
#define STATE_BITS   3
#define THREAD_SHIFT (STATE_BITS + BUCKET_BITS)

_Static_assert(PROFILE_BUCKETS < 1 << BUCKET_BITS, "a bucket must fit");
_Static_assert(THREAD_STATES <= 1 << STATE_BITS, "a state must fit");

/* Notes what the cells of a view have. */
static void look_at(struct flame_cells *cells, const struct event_view *view)
{
	const struct profile *p = cells->data->profile;
	bool *in_view = view_events(p, view);

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!in_view[c->event])
			continue;
		cells->thread_index[c->thread] = 1;
		cells->has_states |= c->state != STATE_NONE;
		cells->has_times |= c->bucket != 0;
	}
	free(in_view);
}

void flame_cells_init(struct flame_cells *cells, const struct flame_data *data)
{
	size_t count = data->profile->thread_count;

	*cells = (struct flame_cells){ .data = data };
	cells->counts = xcalloc(data->view_count, sizeof(*cells->counts));
	cells->thread_index = xcalloc(count, sizeof(*cells->thread_index));
	if (data->options->no_threads)
		return;
	for (size_t i = 0; i < data->view_count; i++)
		look_at(cells, &data->views[i]);
	cells->threads = xmalloc(count * sizeof(*cells->threads));
	for (uint32_t id = 0; id < count; id++) {
		if (!cells->thread_index[id])
			continue;
		cells->thread_index[id] = (uint32_t)cells->thread_count;
		cells->threads[cells->thread_count++] = id;
	}
	/* Where no sample has a thread, there is nothing to tell apart. */
	if (cells->thread_count == 1 && cells->threads[0] == 0)
		cells->thread_count = 0;
}

void flame_cells_release(struct flame_cells *cells)
{
	free(cells->threads);
	free(cells->thread_index);
	free(cells->counts);
	*cells = (struct flame_cells){ 0 };
}

/* What tells a cell from others at its place, as a number. */
static uint64_t minor_of(const struct flame_cells *cells, const struct cell *c)
{
	if (cells->data->options->no_threads)
		return 0;
	return (uint64_t)cells->thread_index[c->thread] << THREAD_SHIFT |
	       (uint64_t)c->state << BUCKET_BITS | c->bucket;
}

/*
 * The place + 1 of each cell of a view, 0 where it has no stack trace.  Counts
 * in ends[], by that number, how many there are.
 */
static uint32_t *places_of(const struct flame_cells *cells, const bool *in_view,
			   uint32_t *ends, size_t *count)
{
	const struct flame_data *d = cells->data;
	const struct profile *p = d->profile;
	uint32_t *places = xmalloc(p->cell_count * sizeof(*places));
	size_t n = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t place;

		if (i + 2 * AHEAD < p->cell_count)
			__builtin_prefetch(&d->node_of[c[2 * AHEAD].stack]);
		if (i + AHEAD < p->cell_count)
			__builtin_prefetch(
				&d->tree->place_of[d->node_of[c[AHEAD].stack]]);
		if (!in_view[c->event])
			continue;
		place = d->tree->place_of[d->node_of[c->stack]];
		ends[place]++;
		places[n++] = place;
	}
	*count = n;
	return places;
}

/*
 * What a row's item is: a cell whose count is its weight, which most have where
 * samples are counted, need not be looked at again, which waits for memory.
 * Otherwise the cell: 2^31 of them do not fit in memory.
 */
#define ITEM_IS_COUNT ((uint32_t)1 << 31)

static uint32_t item_of(const struct profile *p, size_t cell)
{
	const struct cell *c = &p->cells[cell];

	if (c->count == c->weight && c->count < ITEM_IS_COUNT)
		return ITEM_IS_COUNT | (uint32_t)c->count;
	return (uint32_t)cell;
}

/* Sorts rows of one place: mostly they are few. */
static void sort_minors(struct row *rows, size_t count)
{
	if (count > 32) {
		row_sort(rows, count);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct row r = rows[i];
		size_t at = i;

		for (; at > 0 && rows[at - 1].minor > r.minor; at--)
			rows[at] = rows[at - 1];
		rows[at] = r;
	}
}

/*
 * A row for each cell of a view, in the order in which they are written: put
 * where its place's rows go, then sorted among those.
 */
static struct row *rows_of(const struct flame_cells *cells,
			   const struct event_view *view, size_t *count)
{
	const struct profile *p = cells->data->profile;
	size_t places_count = cells->data->tree->count + 1;
	uint32_t *ends = xcalloc(places_count, sizeof(*ends));
	bool *in_view = view_events(p, view);
	uint32_t *places = places_of(cells, in_view, ends, count);
	struct row *rows = xmalloc(*count * sizeof(*rows));
	uint32_t start = 0;
	size_t n = 0;

	/* Where the rows of each place begin, and after them where they end. */
	for (size_t i = 0; i < places_count; i++) {
		uint32_t here = ends[i];

		ends[i] = start;
		start += here;
	}
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!in_view[c->event])
			continue;
		if (n + 2 * AHEAD < *count)
			__builtin_prefetch(&ends[places[n + 2 * AHEAD]], 1);
		if (n + AHEAD < *count)
			__builtin_prefetch(&rows[ends[places[n + AHEAD]]], 1);
		rows[ends[places[n]]++] = (struct row){ minor_of(cells, c),
							places[n],
							item_of(p, i) };
		n++;
	}
	for (size_t i = 0; i < places_count; i++) {
		start = i ? ends[i - 1] : 0;
		sort_minors(rows + start, ends[i] - start);
	}
	free(in_view);
	free(places);
	free(ends);
	return rows;
}

/* Sums of the rows that agree. */
struct sums {
	uint64_t count, weight;
};

static inline void add_item(struct sums *sums, const struct cell *all,
			    uint32_t item)
{
	uint64_t count = item & ~ITEM_IS_COUNT;
	uint64_t weight = count;

	if (!(item & ITEM_IS_COUNT)) {
		count = all[item].count;
		weight = all[item].weight;
	}
	sums->count = saturate_add(sums->count, count);
	sums->weight = saturate_add(sums->weight, weight);
}

static void put_row(const struct flame_cells *cells, const struct row *r,
		    uint32_t before, const struct sums *sums,
		    struct text *columns)
{
	uint64_t minor = r->minor;

	column_put(&columns[CELL_NODE], r->major - before);
	if (cells->thread_count)
		column_put(&columns[CELL_THREAD], minor >> THREAD_SHIFT);
	if (cells->has_states)
		column_put(&columns[CELL_STATE],
			   minor >> BUCKET_BITS & ((1 << STATE_BITS) - 1));
	if (cells->has_times)
		column_put(&columns[CELL_BUCKET],
			   minor & ((1 << BUCKET_BITS) - 1));
	column_put(&columns[CELL_COUNT], sums->count);
	column_put(&columns[CELL_WEIGHT], sums->weight);
}

void flame_cells_put(struct flame_cells *cells, size_t view,
		     struct text *columns)
{
	const struct flame_data *d = cells->data;
	const struct cell *all = d->profile->cells;
	struct sums sums = { 0 };
	uint32_t before = 0;
	bool weighs = false;
	size_t count;
	struct row *rows = rows_of(cells, &d->views[view], &count);

	for (size_t i = 0; i < count; i++) {
		const struct row *r = &rows[i];

		if (i + AHEAD < count && !(r[AHEAD].item & ITEM_IS_COUNT))
			__builtin_prefetch(&all[r[AHEAD].item].weight);
		add_item(&sums, all, r->item);
		if (i + 1 < count && r[1].major == r->major &&
		    r[1].minor == r->minor)
			continue;
		put_row(cells, r, before, &sums, columns);
		weighs |= sums.count != sums.weight;
		before = r->major;
		sums = (struct sums){ 0 };
		cells->counts[view]++;
	}
	if (!weighs)
		text_clear(&columns[CELL_WEIGHT]);
	free(rows);
}
