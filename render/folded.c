/* SPDX-License-Identifier: Apache-2.0 */
#include "render/folded.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "render/flame_tree.h"
#include "render/frame_table.h"
#include "render/measure.h"
#include "render/name_sort.h"
#include "render/row_sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct folding {
	const struct profile *profile;
	const struct event_view *view;
	const struct folded_options *options;
	bool *in_view; /* by event */
	struct folded_result result;
	uint32_t *depths; /* by stack trace */

	/* The stack traces as they are written: leaf first when reversed. */
	struct profile *reversed;
	uint32_t *stack_of; /* of reversed, by stack trace; or NULL */
	const struct stack *stacks;
	size_t stack_count;
	uint32_t *marks; /* by stack trace: its node in the draft */
	struct frame_table table;
	struct flame_tree tree;

	struct text thread_text;
	struct name *threads; /* their names in order, each once */
	uint32_t *thread_rank;

	/* The line being written, and what of it stands for the next too. */
	struct text line;
	uint32_t thread; /* whose name it begins with */
	uint32_t *path;  /* places + 1 of its frames, by depth */
	size_t *ends;    /* where each of them ends */
	size_t path_cap, ends_cap;
	size_t path_len;
};

/* The format separates frames by ';' and has no way to write one. */
static void adapt(char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (name[i] == ';')
			name[i] = ':';
		if (name[i] == '\n' || name[i] == '\r')
			name[i] = ' ';
	}
}

static uint32_t stack_of(const struct folding *f, const struct cell *c)
{
	return f->stack_of ? f->stack_of[c->stack] : c->stack;
}

static size_t measure_depths(struct folding *f)
{
	const struct profile *p = f->profile;
	uint32_t deepest = 0;

	f->depths = xcalloc(p->stack_count, sizeof(*f->depths));
	for (size_t i = 1; i < p->stack_count; i++) {
		f->depths[i] = f->depths[p->stacks[i].caller] + 1;
		if (f->depths[i] > deepest)
			deepest = f->depths[i];
	}
	return deepest;
}

/*
 * Finds the depth at which there are at most so many frames in all lines, and
 * counts the samples that are deeper.
 */
static void fit(struct folding *f)
{
	const struct profile *p = f->profile;
	uint64_t most = f->options->reverse ? FOLDED_REVERSED_FRAMES
					    : FOLDED_FRAMES;
	size_t deepest = measure_depths(f);
	uint64_t *cells_at = xcalloc(deepest + 1, sizeof(*cells_at));
	uint64_t frames = 0, deeper = 0;
	size_t depth = 0;

	if (f->options->most_frames)
		most = f->options->most_frames;
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!f->in_view[c->event] || !c->stack)
			continue;
		cells_at[f->depths[c->stack]]++;
		deeper++;
	}
	/* One frame deeper is one more in each line that goes on. */
	for (; depth < deepest && frames + deeper <= most; depth++) {
		frames += deeper;
		deeper -= cells_at[depth + 1];
	}
	free(cells_at);
	f->result.depth = depth ? depth : 1;
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (f->in_view[c->event] &&
		    f->depths[c->stack] > f->result.depth)
			f->result.cut = saturate_add(f->result.cut, c->count);
	}
}

/* Leaves out what lies deeper; a callee's id is greater than its caller's. */
static void cut_all(struct folding *f)
{
	const struct profile *p = f->profile;

	f->stack_of = xcalloc(p->stack_count, sizeof(*f->stack_of));
	for (uint32_t i = 1; i < p->stack_count; i++)
		f->stack_of[i] = f->depths[i] <= f->result.depth
					 ? i
					 : f->stack_of[p->stacks[i].caller];
}

/* The same stack trace with its leaf as root. */
static uint32_t reverse(struct folding *f, uint32_t stack)
{
	const struct stack *stacks = f->profile->stacks;
	size_t depth = f->depths[stack];

	if (depth > f->result.depth)
		depth = f->result.depth;
	array_reserve(f->path, f->path_cap, depth);
	/* profile_stack() takes them from the leaf: that is the root now. */
	for (size_t i = depth; i; stack = stacks[stack].caller)
		f->path[--i] = stacks[stack].frame;
	return profile_stack(f->reversed, f->path, depth);
}

static void reverse_all(struct folding *f)
{
	const struct profile *p = f->profile;

	f->reversed = profile_new();
	f->stack_of = xcalloc(p->stack_count, sizeof(*f->stack_of));
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t *made = &f->stack_of[c->stack];

		if (f->in_view[c->event] && c->stack && !*made)
			*made = reverse(f, c->stack);
	}
	f->stacks = f->reversed->stacks;
	f->stack_count = f->reversed->stack_count;
}

/* Names the frames and puts the stack traces in order. */
static void arrange(struct folding *f)
{
	const struct profile *p = f->profile;
	const struct frame_naming naming = {
		.style = f->options->style,
		.by_name = true,
		.adapt = adapt,
	};
	uint8_t *used = xcalloc(p->frame_count + 1, 1);
	struct draft draft;

	f->marks = xcalloc(f->stack_count, sizeof(*f->marks));
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (f->in_view[c->event])
			f->marks[stack_of(f, c)] = 1;
	}
	draft_init(&draft);
	draft_marked(&draft, f->stacks, f->stack_count, f->marks);
	draft_frames(&draft, used);
	frame_table_init(&f->table, p, used, &naming);
	flame_tree_init(&f->tree, &draft, f->table.label_of,
			f->table.label_count);
	draft_release(&draft);
	free(used);
}

static void name_thread(struct folding *f, uint32_t thread)
{
	size_t start = f->thread_text.len;

	thread_frame_name(&f->thread_text, f->profile, thread);
	adapt(f->thread_text.bytes + start, f->thread_text.len - start);
}

/* Ranks the threads by their names; those of one name are one. */
static void rank_threads(struct folding *f)
{
	const struct profile *p = f->profile;
	size_t count = p->thread_count, unique = 0;
	const char *text;

	f->threads = xcalloc(count, sizeof(*f->threads));
	f->thread_rank = xcalloc(count, sizeof(*f->thread_rank));
	for (uint32_t id = 0; id < count; id++) {
		size_t start = f->thread_text.len;

		name_thread(f, id);
		f->threads[id].len = f->thread_text.len - start;
		f->threads[id].item = id;
	}
	text = f->thread_text.bytes;
	for (size_t id = 0; id < count; text += f->threads[id++].len)
		f->threads[id].text = text;
	name_sort(f->threads, count);
	for (size_t i = 0; i < count; i++) {
		struct name n = f->threads[i];

		if (i == 0 || n.shared != n.len ||
		    n.len != f->threads[unique - 1].len)
			f->threads[unique++] = n;
		f->thread_rank[n.item] = (uint32_t)unique - 1;
	}
}

/*
 * A row for each cell, in the order of the lines: by thread and stack trace
 * when the thread is the root frame, the other way round when it is the leaf.
 */
static struct row *rows_of(const struct folding *f, size_t *count)
{
	const struct profile *p = f->profile;
	bool thread_first = f->options->threads && !f->options->reverse;
	struct row *rows = xmalloc(p->cell_count * sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t thread = 0, place;

		if (!f->in_view[c->event])
			continue;
		if (f->options->threads)
			thread = f->thread_rank[c->thread];
		place = f->tree.place_of[f->marks[stack_of(f, c)]];
		rows[n++] = (struct row){
			.major = thread_first ? thread : place,
			.minor = thread_first ? place : thread,
			.item = (uint32_t)i,
		};
	}
	row_sort(rows, n);
	*count = n;
	return rows;
}

static void put_label(struct folding *f, uint32_t label)
{
	const struct label_name
		*n = &f->table.names[f->table.labels[label].name];

	if (f->line.len)
		text_putc(&f->line, ';');
	text_add(&f->line, n->text, n->len);
}

/* Lets the line end with the frames up to `depth` that it has already. */
static void keep_path(struct folding *f, size_t depth, size_t prefix)
{
	f->line.len = depth ? f->ends[depth - 1] : prefix;
	f->path_len = depth;
}

/* Makes the line, which begins with `prefix` bytes, that of a stack trace. */
static void put_path(struct folding *f, uint32_t place, size_t prefix)
{
	const struct tree_node *nodes = f->tree.nodes;
	size_t depth = place ? nodes[place - 1].depth + (size_t)1 : 0;
	size_t kept = depth;

	array_reserve(f->path, f->path_cap, depth);
	array_reserve(f->ends, f->ends_cap, depth);
	for (uint32_t at = place; kept > 0; at = nodes[at - 1].caller, kept--) {
		if (kept <= f->path_len && f->path[kept - 1] == at)
			break;
		f->path[kept - 1] = at;
	}
	keep_path(f, kept, prefix);
	while (f->path_len < depth) {
		put_label(f, nodes[f->path[f->path_len] - 1].label);
		f->ends[f->path_len++] = f->line.len;
	}
	if (!place) {
		if (f->line.len)
			text_putc(&f->line, ';');
		text_puts(&f->line, "[no stack trace]");
	}
}

static void put_thread(struct folding *f, uint32_t rank)
{
	if (f->line.len)
		text_putc(&f->line, ';');
	text_add(&f->line, f->threads[rank].text, f->threads[rank].len);
}

/* Writes a line, with the thread where it belongs. */
static void write_line(struct folding *f, struct output *out,
		       const struct row *r, uint64_t sum)
{
	bool thread_first = f->options->threads && !f->options->reverse;
	uint32_t place = thread_first ? (uint32_t)r->minor : r->major;
	size_t prefix = 0;
	char number[32];
	int digits;

	if (thread_first) {
		prefix = f->threads[r->major].len;
		if (f->thread != r->major || !f->line.len) {
			f->line.len = f->path_len = 0;
			put_thread(f, r->major);
			f->thread = r->major;
		}
	}
	put_path(f, place, prefix);
	output_write(out, f->line.bytes, f->line.len);
	if (f->options->threads && !thread_first) {
		const struct name *n = &f->threads[r->minor];

		output_write(out, ";", 1);
		output_write(out, n->text, n->len);
	}
	digits = snprintf(number, sizeof(number), " %" PRIu64 "\n", sum);
	output_write(out, number, (size_t)digits);
}

static void write_rows(struct folding *f, struct output *out)
{
	const struct cell *cells = f->profile->cells;
	bool weighs = view_weighs(f->view, f->options->weights);
	uint64_t sum = 0;
	size_t count;
	struct row *rows = rows_of(f, &count);

	for (size_t i = 0; i < count; i++) {
		const struct row *r = &rows[i];

		if (i + AHEAD < count)
			__builtin_prefetch(&cells[r[AHEAD].item]);
		sum = saturate_add(sum, cell_measure(&cells[r->item], weighs));
		if (i + 1 < count && r[1].major == r->major &&
		    r[1].minor == r->minor)
			continue;
		if (sum)
			write_line(f, out, r, sum);
		sum = 0;
	}
	free(rows);
}

static void release(struct folding *f)
{
	profile_free(f->reversed);
	frame_table_release(&f->table);
	flame_tree_release(&f->tree);
	text_release(&f->thread_text);
	text_release(&f->line);
	free(f->in_view);
	free(f->stack_of);
	free(f->depths);
	free(f->marks);
	free(f->threads);
	free(f->thread_rank);
	free(f->path);
	free(f->ends);
}

struct folded_result folded_write(struct output *out, const struct profile *p,
				  const struct event_view *view,
				  const struct folded_options *options)
{
	struct folding f = {
		.profile = p,
		.view = view,
		.options = options,
		.in_view = view_events(p, view),
		.stacks = p->stacks,
		.stack_count = p->stack_count,
	};

	fit(&f);
	if (options->reverse)
		reverse_all(&f);
	else if (f.result.cut)
		cut_all(&f);
	arrange(&f);
	if (options->threads)
		rank_threads(&f);
	write_rows(&f, out);
	release(&f);
	return f.result;
}
