/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up samples by frame, by class and by thread. */
#include "render/profile/sums.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "render/tree/sort.h"

#include <stdlib.h>
#include <string.h>

/* Linked lists of the callees of stack traces with samples; 0 ends a list. */
struct callees {
	uint32_t *first, *next;
};

static struct callees callees_of(const struct flame_widths *w)
{
	const struct profile *p = w->profile;
	struct callees c = {
		.first = array_new(p->stack_count, sizeof(*c.first)),
		.next = array_new(p->stack_count, sizeof(*c.next)),
	};

	/* Backwards: each list becomes sorted by id. */
	for (size_t id = p->stack_count; id-- > 1;) {
		uint32_t *first = &c.first[p->stacks[id].caller];

		if (!flame_widths_total(w, id))
			continue;
		c.next[id] = *first;
		*first = (uint32_t)id;
	}
	return c;
}

/* A depth-first walk from the root; on_path counts the labels on the path. */
struct frame_walk {
	const struct flame_widths *w;
	const uint32_t *label_of; /* by frame */
	struct frame_sum *sums;   /* by label */
	uint32_t *on_path;        /* by label: occurrences */
};

static void frame_walk_enter(struct frame_walk *walk, uint32_t id)
{
	const struct profile *p = walk->w->profile;
	uint32_t label = walk->label_of[p->stacks[id].frame];
	struct frame_sum *sum = &walk->sums[label];

	bool is_first = walk->on_path[label]++ == 0;
	uint64_t total;

	/* A class is not a call; class_sums() adds up classes. */
	if (profile_calls(p, id) != id)
		return;
	total = flame_widths_total(walk->w, id);
	sum->frequency = saturate_add(sum->frequency, total);
	if (is_first)
		sum->total = saturate_add(sum->total, total);
}

static void frame_walk_leave(struct frame_walk *walk, uint32_t id)
{
	uint32_t frame = walk->w->profile->stacks[id].frame;

	walk->on_path[walk->label_of[frame]]--;
}

static void frame_walk_totals(struct frame_walk *walk)
{
	const struct stack *stacks = walk->w->profile->stacks;
	struct callees c = callees_of(walk->w);
	uint32_t id = c.first[0];

	while (id) {
		frame_walk_enter(walk, id);
		if (c.first[id]) {
			id = c.first[id];
			continue;
		}
		while (id && !c.next[id]) {
			frame_walk_leave(walk, id);
			id = stacks[id].caller;
		}
		if (id) {
			frame_walk_leave(walk, id);
			id = c.next[id];
		}
	}
	free(c.first);
	free(c.next);
}

static void frame_walk_selfs(struct frame_walk *walk,
			     const struct event_view *view, bool weights)
{
	const struct profile *p = walk->w->profile;
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		struct frame_sum *sum;
		uint32_t calls;

		if (i + AHEAD < p->cell_count)
			__builtin_prefetch(&p->stacks[c[AHEAD].stack]);
		if (!c->stack || !in_view[c->event])
			continue;
		calls = profile_calls(p, c->stack);
		sum = &walk->sums[walk->label_of[p->stacks[calls].frame]];
		sum->self = saturate_add(sum->self, cell_measure(c, weighs));
	}
	free(in_view);
}

const char *const frame_order_names[2 * FRAME_ORDERS] = {
	"self", "total", "occurrences", "TERM", "OCCUR", "FREQ",
};

static uint64_t frame_sums_key(const struct frame_sum *sum,
			       enum frame_order order)
{
	return order == FRAME_SELF    ? sum->self
	       : order == FRAME_TOTAL ? sum->total
				      : sum->frequency;
}

/* Sorts by total, then by the order's number: row_sort() is stable. */
static struct frame_sum *frame_sums_sorted(const struct frame_sum *sums,
					   size_t count, enum frame_order order)
{
	struct frame_sum *result = xmalloc(count * sizeof(*result));
	struct row *rows = xmalloc(count * sizeof(*rows));

	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct row){ UINT64_MAX - sums[i].total, 0, i };
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		rows[i].minor = UINT64_MAX -
				frame_sums_key(&sums[rows[i].item], order);
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		result[i] = sums[rows[i].item];
	free(rows);
	return result;
}

struct frame_sum *frame_sums(const struct flame_widths *w,
			     const struct event_view *view, bool weights,
			     const struct frame_table *table,
			     enum frame_order order)
{
	size_t count = table->label_count;
	struct frame_walk walk = {
		.w = w,
		.label_of = table->label_of,
		.sums = xcalloc(count, sizeof(*walk.sums)),
		.on_path = xcalloc(count, sizeof(*walk.on_path)),
	};
	struct frame_sum *result;

	for (uint32_t i = 0; i < count; i++)
		walk.sums[i].label = i;
	frame_walk_selfs(&walk, view, weights);
	frame_walk_totals(&walk);
	result = frame_sums_sorted(walk.sums, count, order);
	free(walk.sums);
	free(walk.on_path);
	return result;
}

/* Returns a row per cell of the view, sorted by class, then owner. */
static struct row *class_rows(const struct profile *p,
			      const struct event_view *view, enum class_key key,
			      size_t *count, bool *is_known)
{
	struct row *rows = xmalloc(p->cell_count * sizeof(*rows));
	bool *in_view = view_events(p, view);
	size_t n = 0;

	*is_known = false;
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t class_name, by;

		if (!in_view[c->event])
			continue;
		class_name = profile_leaf_class(p, c->stack);
		by = key == CLASS_AND_OWNER    ? c->owner
		     : key == CLASS_AND_METHOD ? c->owner_frame
					       : 0;
		rows[n++] = (struct row){
			.major = class_name,
			.minor = by,
			.item = (uint32_t)i,
		};
		if (key == CLASS_ONLY ? class_name : by)
			*is_known = true;
	}
	free(in_view);
	row_sort(rows, n);
	*count = n;
	return rows;
}

/* Sorts by samples, then by total: row_sort() is stable. */
static struct class_sum *class_sums_sorted(const struct class_sum *sums,
					   size_t count)
{
	struct class_sum *result = xmalloc(count * sizeof(*result));
	struct row *rows = xmalloc(count * sizeof(*rows));

	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct row){ UINT64_MAX - sums[i].samples, 0, i };
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		rows[i].minor = UINT64_MAX - sums[rows[i].item].total;
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		result[i] = sums[rows[i].item];
	free(rows);
	return result;
}

struct class_sum *class_sums(const struct profile *p,
			     const struct event_view *view, bool weights,
			     enum class_key key, size_t *count)
{
	bool weighs = view_weighs(view, weights), is_known;
	struct class_sum *sums = NULL, *result;
	size_t row_count, cap = 0;
	struct row *rows = class_rows(p, view, key, &row_count, &is_known);

	*count = 0;
	for (size_t i = 0; is_known && i < row_count; i++) {
		const struct cell *c = &p->cells[rows[i].item];
		struct class_sum *sum;

		if (!i || rows[i].major != rows[i - 1].major ||
		    rows[i].minor != rows[i - 1].minor) {
			array_add(sums, *count, cap,
				  (struct class_sum){
					  .class_name = rows[i].major,
					  .owner = (uint32_t)rows[i].minor,
				  });
		}
		sum = &sums[*count - 1];
		sum->samples = saturate_add(sum->samples, c->count);
		sum->total = saturate_add(sum->total, cell_measure(c, weighs));
	}
	result = class_sums_sorted(sums, *count);
	free(sums);
	free(rows);
	return result;
}

struct class_sum class_sums_rest(const struct class_sum *sums, size_t first,
				 size_t count)
{
	struct class_sum rest = { 0 };

	for (size_t i = first; i < count; i++) {
		rest.samples = saturate_add(rest.samples, sums[i].samples);
		rest.total = saturate_add(rest.total, sums[i].total);
	}
	return rest;
}

void class_sum_name(struct text *out, const struct profile *p,
		    const struct class_sum *sum, const struct style *style)
{
	const struct frame f = {
		.class_name = sum->class_name,
		.kind = FRAME_CLASS,
	};
	const struct style plain = { .simple = style->simple };

	if (sum->class_name)
		frame_name(out, p, &f, &plain);
}

/* Returns the stack trace up to the application's last frame; 0 = none. */
static uint32_t stack_application(const struct profile *p, uint32_t stack,
				  const struct frame_table *table,
				  const bool *is_application)
{
	for (; stack; stack = p->stacks[stack].caller) {
		uint32_t label = table->label_of[p->stacks[stack].frame];

		if (label != NO_LABEL && is_application[label])
			break;
	}
	return stack;
}

/* Returns a row per cell of the view, sorted by thread, then leaf label. */
static struct row *thread_rows(const struct profile *p,
			       const struct event_view *view,
			       const struct frame_table *table,
			       const bool *is_application, size_t *count)
{
	struct row *rows = xmalloc(p->cell_count * sizeof(*rows));
	bool *in_view = view_events(p, view);
	size_t n = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t calls, frame;

		if (!in_view[c->event])
			continue;
		calls = is_application ? stack_application(p, c->stack, table,
							   is_application)
				       : 0;
		calls = calls ? calls : profile_calls(p, c->stack);
		frame = p->stacks[calls].frame;
		rows[n++] = (struct row){
			.major = c->thread,
			.minor = c->stack ? table->label_of[frame] : NO_LABEL,
			.item = (uint32_t)i,
		};
	}
	free(in_view);
	row_sort(rows, n);
	*count = n;
	return rows;
}

/* Adds up the rows of the first thread; returns their number. */
static size_t thread_sum_rows(struct thread_sum *sum, const struct profile *p,
			      const struct row *rows, size_t count, bool weighs)
{
	uint64_t self = 0;
	size_t i = 0;

	*sum = (struct thread_sum){ rows->major, 0, NO_LABEL, 0 };
	for (; i < count && rows[i].major == rows->major; i++) {
		uint64_t measure = cell_measure(&p->cells[rows[i].item],
						weighs);

		if (i && rows[i].minor != rows[i - 1].minor)
			self = 0;
		self = saturate_add(self, measure);
		sum->total = saturate_add(sum->total, measure);
		if (rows[i].minor != NO_LABEL && self > sum->leaf_self) {
			sum->leaf = (uint32_t)rows[i].minor;
			sum->leaf_self = self;
		}
	}
	return i;
}

static void thread_sums_sort(struct thread_sum *sums, size_t count)
{
	struct thread_sum *copy = xmalloc(count * sizeof(*copy));
	struct row *rows = xmalloc(count * sizeof(*rows));

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = (struct row){ UINT64_MAX - sums[i].total, 0, i };
		copy[i] = sums[i];
	}
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		sums[i] = copy[rows[i].item];
	free(rows);
	free(copy);
}

struct thread_sum *thread_sums(const struct profile *p,
			       const struct event_view *view, bool weights,
			       const struct frame_table *table,
			       const bool *is_application, size_t *count)
{
	bool weighs = view_weighs(view, weights);
	struct thread_sum *sums = NULL;
	size_t row_count, cap = 0;
	struct row *rows = thread_rows(p, view, table, is_application,
				       &row_count);

	*count = 0;
	for (size_t i = 0; i < row_count;) {
		array_reserve(sums, cap, *count + 1);
		i += thread_sum_rows(&sums[(*count)++], p, rows + i,
				     row_count - i, weighs);
	}
	thread_sums_sort(sums, *count);
	free(rows);
	return sums;
}

static void thread_info_add(struct thread_info *t, const struct profile *p,
			    const struct cell *c, bool weighs)
{
	const struct frame
		*leaf = &p->frames[p->stacks[profile_calls(p, c->stack)].frame];
	uint64_t *state = &t->states[c->state];

	t->thread = c->thread;
	t->total = saturate_add(t->total, cell_measure(c, weighs));
	t->samples = saturate_add(t->samples, c->count);
	*state = saturate_add(*state, c->count);
	if (!c->stack || leaf->kind == FRAME_NATIVE)
		t->native = saturate_add(t->native, c->count);
	if (c->bucket && (!t->first || c->bucket < t->first))
		t->first = c->bucket;
	if (c->bucket > t->last)
		t->last = c->bucket;
}

struct thread_info *thread_infos(const struct profile *p,
				 const struct event_view *view, bool weights,
				 size_t *count)
{
	struct thread_info *all = xcalloc(p->thread_count + 1, sizeof(*all));
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);
	struct thread_info *result;
	struct row *rows;
	size_t n = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (in_view[c->event])
			thread_info_add(&all[c->thread], p, c, weighs);
	}
	rows = xmalloc((p->thread_count + 1) * sizeof(*rows));
	for (uint32_t i = 0; i <= p->thread_count; i++) {
		if (all[i].samples)
			rows[n++] = (struct row){ UINT64_MAX - all[i].total, 0,
						  i };
	}
	row_sort(rows, n);
	result = xmalloc((n + 1) * sizeof(*result));
	for (size_t i = 0; i < n; i++)
		result[i] = all[rows[i].item];
	*count = n;
	free(rows);
	free(in_view);
	free(all);
	return result;
}

/* Finds the first and the last bucket of a view; false if it has no times. */
static bool timeline_range(const struct profile *p, const bool *in_view,
			   uint16_t *first, uint16_t *last)
{
	*first = UINT16_MAX;
	*last = 0;
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!in_view[c->event] || !c->bucket)
			continue;
		if (c->bucket < *first)
			*first = c->bucket;
		if (c->bucket > *last)
			*last = c->bucket;
	}
	return *last;
}

static void timeline_add(struct timeline *t, size_t row, size_t bucket,
			 uint64_t measure)
{
	uint64_t *value = &t->values[row * t->bucket_count + bucket];

	*value = saturate_add(*value, measure);
}

void timeline_init(struct timeline *t, const struct profile *p,
		   const struct event_view *view, bool weights,
		   const struct thread_info *infos, size_t rows)
{
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);
	/* 1 + the row of a thread, or 0. */
	uint32_t *row_of = xcalloc(p->thread_count + 1, sizeof(*row_of));
	uint16_t first, last;

	*t = (struct timeline){ .row_count = rows + 1 };
	if (timeline_range(p, in_view, &first, &last))
		t->bucket_count = (size_t)last - first + 1;
	t->bucket_ns = p->bucket_ns;
	if (t->bucket_count)
		t->from_ns = (p->bucket_first + first - 1) * p->bucket_ns;
	t->threads = xcalloc(t->row_count, sizeof(*t->threads));
	t->values = xcalloc(t->row_count * t->bucket_count + 1,
			    sizeof(*t->values));
	for (uint32_t i = 0; i < rows; i++) {
		t->threads[i + 1] = infos[i].thread;
		row_of[infos[i].thread] = i + 1;
	}
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint64_t measure = cell_measure(c, weighs);

		if (!in_view[c->event])
			continue;
		if (!c->bucket) {
			t->without_time = saturate_add(t->without_time,
						       measure);
			continue;
		}
		timeline_add(t, 0, c->bucket - first, measure);
		if (row_of[c->thread])
			timeline_add(t, row_of[c->thread], c->bucket - first,
				     measure);
	}
	free(row_of);
	free(in_view);
}

void timeline_release(struct timeline *t)
{
	free(t->threads);
	free(t->values);
	*t = (struct timeline){ 0 };
}
