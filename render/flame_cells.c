/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_cells.h"

#include "core/base/alloc.h"
#include "render/measure.h"
#include "render/row_sort.h"

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

static struct row row_of(const struct flame_cells *cells, const struct cell *c)
{
	const struct flame_data *d = cells->data;
	struct row r = { .major = d->tree->place_of[d->node_of[c->stack]] };

	if (!d->options->no_threads)
		r.minor = (uint64_t)cells->thread_index[c->thread]
				  << THREAD_SHIFT |
			  (uint64_t)c->state << BUCKET_BITS | c->bucket;
	return r;
}

/* A row for each cell of a view, in the order in which they are written. */
static struct row *rows_of(const struct flame_cells *cells,
			   const struct event_view *view, size_t *count)
{
	const struct profile *p = cells->data->profile;
	const uint32_t *node_of = cells->data->node_of;
	bool *in_view = view_events(p, view);
	struct row *rows;
	size_t n = 0;

	for (size_t i = 0; i < p->cell_count; i++)
		n += in_view[p->cells[i].event];
	rows = xmalloc(n * sizeof(*rows));
	n = 0;
	for (size_t i = 0; i < p->cell_count; i++) {
		if (i + AHEAD < p->cell_count)
			__builtin_prefetch(&node_of[p->cells[i + AHEAD].stack]);
		if (!in_view[p->cells[i].event])
			continue;
		rows[n] = row_of(cells, &p->cells[i]);
		rows[n++].item = (uint32_t)i;
	}
	free(in_view);
	row_sort(rows, n);
	*count = n;
	return rows;
}

/* Sums of the rows that agree. */
struct sums {
	uint64_t count, weight;
};

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
		const struct cell *c = &all[r->item];

		if (i + AHEAD < count)
			__builtin_prefetch(&all[r[AHEAD].item]);
		sums.count = add_measures(sums.count, c->count);
		sums.weight = add_measures(sums.weight, c->weight);
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
