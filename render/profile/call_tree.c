/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the rows of a call tree: merges recursion, omits small calls, groups
 * calls by thread.
 */
#include "render/profile/call_tree.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "render/profile/thread_roots.h"
#include "render/tree/flame_tree.h"
#include "render/tree/sort.h"

#include <stdlib.h>
#include <string.h>

/* The narrowest stack traces beyond this number are merged (flame_widths_fit).
 */
#define MOST_NODES ((size_t)1000000)
/* Maximum number of frames in a cycle of indirect recursion. */
#define MOST_IN_TURN 4

/* Minimum percentages to try when there are too many rows. */
static const double cut_offs[] = { 2, 5, 10, 20, 50 };

#define CUT_OFFS (sizeof(cut_offs) / sizeof(*cut_offs))

const char *const call_kind_names[] = {
	[CALL_FRAME] = "frame",
	[CALL_THREAD] = "thread",
	[CALL_POOL] = "pool",
	[CALL_OTHERS] = "others",
};

/* A candidate for a row; node 0 is the caller of the roots. */
struct node {
	uint32_t caller; /* less than the node's own number */
	uint32_t label;
	uint32_t depth;         /* number of callers, including node 0 */
	uint32_t deep, on_path; /* occurrences on a path: maximum, current */
	uint32_t first, next;   /* list of the callees shown; 0 ends */
	uint32_t shown, hidden; /* numbers of callees */
	uint64_t total, self;
	uint64_t shown_total; /* total of the callees shown */
};

struct call_builder {
	const struct profile *profile;
	const struct flame_widths *w;
	const struct event_view *view;
	const struct call_tree_options *options;
	struct call_tree *tree;
	size_t cap;
	uint64_t least; /* minimum total of a row */
	struct node *nodes;
	size_t count, node_cap;
	uint32_t *node_of; /* by 1 + place of the flame tree; [0] is 0 */
	struct flame_tree places;
	struct row *cells; /* by thread; item: index of the cell */
	size_t cell_count;
};

static uint32_t calls_ancestor(const struct call_builder *m, uint32_t node,
			       unsigned steps)
{
	while (steps--)
		node = m->nodes[node].caller;
	return node;
}

/* True if the last `period` frames up to node repeat the frames before. */
static bool calls_repeats(const struct call_builder *m, uint32_t node,
			  unsigned period)
{
	for (unsigned i = 0; i < period; i++) {
		uint32_t before = calls_ancestor(m, node, period);

		if (!before || m->nodes[node].label != m->nodes[before].label)
			return false;
		node = m->nodes[node].caller;
	}
	return true;
}

/* Returns the node that a recursive call from caller returns to; or 0. */
static uint32_t calls_recursion(const struct call_builder *m, uint32_t caller,
				uint32_t label)
{
	if (!caller)
		return 0;
	if (m->nodes[caller].label == label)
		return caller;
	for (unsigned period = 2; period <= MOST_IN_TURN; period++) {
		uint32_t back = calls_ancestor(m, caller, period - 1);

		if (!back)
			break;
		if (m->nodes[back].label == label &&
		    calls_repeats(m, caller, period))
			return back;
	}
	return 0;
}

/* Finds or adds the callee of a label. */
static uint32_t calls_callee(struct call_builder *m, struct map64 *known,
			     uint32_t caller, uint32_t label)
{
	uint64_t key = (uint64_t)caller << 32 | label;
	uint32_t node = map64_get(known, key);

	if (node != MAP64_NONE)
		return node;
	array_reserve(m->nodes, m->node_cap, m->count + 1);
	m->nodes[m->count] = (struct node){
		.caller = caller,
		.label = label,
		.depth = m->nodes[caller].depth + 1,
	};
	map64_add(known, key, (uint32_t)m->count);
	return (uint32_t)m->count++;
}

/* Makes a node for each place of the flame tree; recursive calls share one. */
static void calls_make_nodes(struct call_builder *m)
{
	const struct flame_tree *t = &m->places;
	uint32_t *path = xmalloc((t->count + 1) * sizeof(*path));
	struct map64 known = { 0 };
	size_t len = 0;

	m->node_of = array_new(t->count + 1, sizeof(*m->node_of));
	array_reserve(m->nodes, m->node_cap, 1);
	m->nodes[0] = (struct node){ .label = NO_LABEL };
	m->count = 1;
	for (size_t i = 0; i < t->count; i++) {
		const struct tree_node *place = &t->nodes[i];
		uint32_t caller = m->node_of[place->caller];
		uint32_t node = calls_recursion(m, caller, place->label);
		struct node *n;

		if (!node)
			node = calls_callee(m, &known, caller, place->label);
		m->node_of[i + 1] = node;
		while (len > place->depth)
			m->nodes[path[--len]].on_path--;
		path[len++] = node;
		n = &m->nodes[node];
		if (n->deep < ++n->on_path)
			n->deep = n->on_path;
	}
	map64_release(&known);
	free(path);
}

/* Sorts the view's cells with a stack trace by thread. */
static void calls_sort_cells(struct call_builder *m)
{
	const struct profile *p = m->profile;
	bool *in_view = view_events(p, m->view);

	m->cells = xmalloc(p->cell_count * sizeof(*m->cells));
	for (uint32_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (c->stack && in_view[c->event])
			m->cells[m->cell_count++] = (struct row){
				.major = c->thread, .item = i
			};
	}
	free(in_view);
	row_sort(m->cells, m->cell_count);
}

/* Returns the index of the first cell of a thread or of a later one. */
static size_t calls_first_cell(const struct call_builder *m, uint64_t thread)
{
	size_t from = 0, to = m->cell_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (m->cells[middle].major < thread)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Adds the samples of the threads from <= id < to. */
static void calls_add_cells(struct call_builder *m, uint64_t from, uint64_t to)
{
	bool weighs = view_weighs(m->view, m->options->weights);
	size_t end = calls_first_cell(m, to);

	for (size_t i = calls_first_cell(m, from); i < end; i++) {
		const struct cell *c = &m->profile->cells[m->cells[i].item];
		uint32_t place = m->places.place_of[flame_widths_node(
			m->w, c->stack)];
		struct node *node = &m->nodes[m->node_of[place]];

		node->self = saturate_add(node->self, cell_measure(c, weighs));
	}
}

static void calls_reset_counts(struct call_builder *m)
{
	for (size_t i = 0; i < m->count; i++) {
		struct node *n = &m->nodes[i];

		*n = (struct node){
			.caller = n->caller,
			.label = n->label,
			.depth = n->depth,
			.deep = n->deep,
		};
	}
}

/* Adds the totals of callees to their callers. */
static void calls_add_totals(struct call_builder *m)
{
	for (size_t i = m->count; i-- > 0;) {
		struct node *n = &m->nodes[i];

		n->total = saturate_add(n->total, n->self);
		if (i)
			m->nodes[n->caller].total = saturate_add(
				m->nodes[n->caller].total, n->total);
	}
}

/*
 * Returns a row per node with a total of at least m->least, sorted by total; of
 * equal totals, the nodes closer to the root are first, so that a caller comes
 * before its callees. The caller frees the array.
 */
static struct row *calls_most(const struct call_builder *m, size_t *count)
{
	struct row *rows = xmalloc(m->count * sizeof(*rows));
	size_t n = 0;

	for (uint32_t i = 1; i < m->count; i++) {
		uint64_t total = m->nodes[i].total;

		if (total && total >= m->least)
			rows[n++] = (struct row){ m->nodes[i].depth, 0, i };
	}
	row_sort(rows, n);
	for (size_t i = 0; i < n; i++)
		rows[i].minor = UINT64_MAX - m->nodes[rows[i].item].total;
	row_sort(rows, n);
	*count = n;
	return rows;
}

/* Links the callees to show, up to CALL_ROWS rows in all. */
static void calls_choose(struct call_builder *m)
{
	size_t room = CALL_ROWS > m->tree->count ? CALL_ROWS - m->tree->count
						 : 0;
	size_t count;
	struct row *rows = calls_most(m, &count);

	for (size_t i = count < room ? count : room; i-- > 0;) {
		struct node *n = &m->nodes[rows[i].item];
		struct node *caller = &m->nodes[n->caller];

		n->next = caller->first;
		caller->first = rows[i].item;
		caller->shown++;
		caller->shown_total = saturate_add(caller->shown_total,
						   n->total);
	}
	for (size_t i = 1; i < m->count; i++) {
		if (m->nodes[i].total)
			m->nodes[m->nodes[i].caller].hidden++;
	}
	for (size_t i = 0; i < m->count; i++)
		m->nodes[i].hidden -= m->nodes[i].shown;
	free(rows);
}

/* Returns the total of the callees that are not shown. */
static uint64_t calls_hidden_total(const struct node *n)
{
	uint64_t known = saturate_add(n->self, n->shown_total);

	return n->total > known ? n->total - known : 0;
}

static bool calls_has_others(const struct call_builder *m, const struct node *n)
{
	uint64_t others = calls_hidden_total(n);

	return n->hidden && others && others >= m->least;
}

static void calls_add_row(struct call_builder *m, const struct call_row *row)
{
	struct call_tree *t = m->tree;

	array_add(t->rows, t->count, m->cap, *row);
}

/* Depth and indentation of the next row. */
struct level {
	uint32_t depth, indent;
};

static struct call_row calls_row_below(const struct call_builder *m,
				       uint32_t caller, struct level at)
{
	const struct node *n = &m->nodes[caller];
	struct call_row row = { .depth = at.depth, .deep = 1 };

	row.is_choice = n->shown + calls_has_others(m, n) > 1;
	row.indent = at.indent + row.is_choice;
	return row;
}

static void calls_add_others(struct call_builder *m, uint32_t caller,
			     struct level at)
{
	const struct node *n = &m->nodes[caller];
	struct call_row row = calls_row_below(m, caller, at);

	if (!calls_has_others(m, n))
		return;
	row.kind = CALL_OTHERS;
	row.id = n->hidden;
	row.total = calls_hidden_total(n);
	calls_add_row(m, &row);
}

static void calls_add_frame(struct call_builder *m, uint32_t node,
			    struct level at)
{
	const struct node *n = &m->nodes[node];
	struct call_row row = calls_row_below(m, n->caller, at);

	row.kind = CALL_FRAME;
	row.id = n->label;
	row.deep = n->deep;
	row.total = n->total;
	row.self = n->self;
	calls_add_row(m, &row);
}

/* Adds a row for each chosen node, depth first. */
static void calls_add_rows(struct call_builder *m, struct level root)
{
	uint32_t node = m->nodes[0].first;
	/* Levels of the callers of node, and its own. */
	struct level *levels = NULL;
	size_t depth = 0, cap = 0;

	array_reserve(levels, cap, 1);
	levels[0] = root;
	while (node) {
		const struct node *n = &m->nodes[node];
		const struct call_row *row;

		calls_add_frame(m, node, levels[depth]);
		row = &m->tree->rows[m->tree->count - 1];
		array_reserve(levels, cap, depth + 2);
		levels[++depth] = (struct level){ row->depth + 1, row->indent };
		if (n->first) {
			node = n->first;
			continue;
		}
		calls_add_others(m, node, levels[depth--]);
		while (node && !m->nodes[node].next) {
			node = m->nodes[node].caller;
			if (node)
				calls_add_others(m, node, levels[depth--]);
		}
		if (node)
			node = m->nodes[node].next;
	}
	calls_add_others(m, 0, root);
	free(levels);
}

static void calls_add_root(struct call_builder *m,
			   const struct thread_roots *roots,
			   const struct thread_root *root)
{
	const struct call_row row = {
		.kind = root->count > 1 ? CALL_POOL : CALL_THREAD,
		.id = root->thread,
		.members = root->count,
		.depth = 0,
		.indent = 1,
		.deep = 1,
		.is_choice = true,
		.total = root->total,
	};

	calls_reset_counts(m);
	for (uint32_t i = 0; i < root->count; i++) {
		uint64_t thread = roots->members[root->first + i];

		calls_add_cells(m, thread, thread + 1);
	}
	calls_add_totals(m);
	calls_add_row(m, &row);
	calls_choose(m);
	calls_add_rows(m, (struct level){ 1, 1 });
}

static void calls_add_threads(struct call_builder *m)
{
	const struct call_tree_options *o = m->options;
	struct call_row rest = {
		.kind = CALL_OTHERS, .indent = 1, .deep = 1, .is_choice = true
	};
	struct thread_roots roots;

	thread_roots_init(&roots, m->profile, o->threads, o->thread_count,
			  m->least, CALL_THREADS);
	for (size_t i = 0; i < roots.count; i++) {
		const struct thread_root *root = &roots.all[i];

		if (i < CALL_THREADS && root->total &&
		    root->total >= m->least && m->tree->count < CALL_ROWS) {
			calls_add_root(m, &roots, root);
			continue;
		}
		rest.id += root->count;
		rest.total = saturate_add(rest.total, root->total);
	}
	thread_roots_release(&roots);
	if (rest.total && rest.total >= m->least)
		calls_add_row(m, &rest);
}

static void calls_make_places(struct call_builder *m, struct flame_widths *w,
			      const struct frame_table *table)
{
	struct draft draft;

	flame_widths_fit(w, MOST_NODES);
	draft_init(&draft);
	flame_widths_draft(w, &draft);
	flame_tree_init(&m->places, &draft, table->label_of,
			table->label_count);
	draft_release(&draft);
}

/* Returns a percentage of the whole, rounded up. */
static uint64_t calls_least(uint64_t whole, double percent)
{
	double least = percent / 100 * (double)whole;

	if (least >= 0x1p64)
		return UINT64_MAX;
	return (uint64_t)least + ((double)(uint64_t)least < least);
}

static void calls_make_rows(struct call_builder *m, double min_percent)
{
	m->least = calls_least(m->options->whole, min_percent);
	m->tree->min_percent = min_percent;
	m->tree->count = 0;
	if (m->options->threads) {
		calls_add_threads(m);
		return;
	}
	calls_reset_counts(m);
	calls_add_cells(m, 0, UINT64_MAX);
	calls_add_totals(m);
	calls_choose(m);
	calls_add_rows(m, (struct level){ 0, 0 });
}

/* Returns the number of lines in text, where long chains are shortened. */
static size_t calls_count_lines(const struct call_builder *m)
{
	size_t chain = m->options->chain, lines = 0;

	for (size_t i = 0; i < m->tree->count;) {
		size_t rows = call_tree_chain(m->tree, i);

		lines += chain && rows > chain ? chain + 1 : rows;
		i += rows;
	}
	return lines;
}

/*
 * Raises the minimum percentage until the lines fit. Keeps the percentage
 * before if the next one would leave less than a quarter of the lines that fit,
 * and there are at most four times as many as fit.
 */
static void calls_fit_rows(struct call_builder *m)
{
	size_t fit = m->options->fit, lines = calls_count_lines(m);

	for (size_t i = 0; i < CUT_OFFS && lines > fit; i++) {
		double before = m->tree->min_percent;
		size_t less;

		if (cut_offs[i] <= before)
			continue;
		calls_make_rows(m, cut_offs[i]);
		less = calls_count_lines(m);
		if (less < fit / 4 && lines <= 4 * fit) {
			calls_make_rows(m, before);
			return;
		}
		lines = less;
	}
}

void call_tree_init(struct call_tree *t, struct flame_widths *w,
		    const struct event_view *view,
		    const struct frame_table *table,
		    const struct call_tree_options *options)
{
	struct call_builder m = {
		.profile = w->profile,
		.w = w,
		.view = view,
		.options = options,
		.tree = t,
	};

	*t = (struct call_tree){ 0 };
	calls_make_places(&m, w, table);
	calls_make_nodes(&m);
	calls_sort_cells(&m);
	calls_make_rows(&m, options->min_percent);
	if (options->fit)
		calls_fit_rows(&m);
	flame_tree_release(&m.places);
	free(m.cells);
	free(m.node_of);
	free(m.nodes);
}

void call_tree_release(struct call_tree *t)
{
	free(t->rows);
	*t = (struct call_tree){ 0 };
}

size_t call_tree_chain(const struct call_tree *t, size_t first)
{
	size_t i = first + 1;

	while (i < t->count && !t->rows[i].is_choice &&
	       t->rows[i].depth == t->rows[i - 1].depth + 1)
		i++;
	return i - first;
}
