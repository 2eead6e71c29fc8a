/* SPDX-License-Identifier: Apache-2.0 */
/* Writes collapsed stack traces. */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "render/profile/thread_ranks.h"
#include "render/tree/path_text.h"
#include "render/tree/sort.h"
#include "render/tree/trace_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collapsing {
	const struct profile *profile;
	const struct event_view *view;
	const struct collapsed_options *options;
	bool *in_view; /* by event */
	struct collapsed_result result;
	uint32_t *depths; /* by stack trace */

	/* The stack traces to write: leaf first with style.reverse. */
	struct profile *reversed;
	uint32_t *stack_of; /* by stack trace: the one to write; or
					 NULL */
	uint32_t *path;     /* frames of the stack trace being reversed */
	size_t path_cap;
	const struct stack *stacks;
	size_t stack_count;
	struct trace_tree traces;
	struct thread_ranks threads;

	struct path_text text; /* the line being written */
	uint32_t thread;       /* rank of the thread that starts the line */
};

/* The format has no escapes for ';' and newlines: replace them. */
static void collapsed_adapt(char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (name[i] == ';')
			name[i] = ':';
		if (name[i] == '\n' || name[i] == '\r')
			name[i] = ' ';
	}
}

static uint32_t collapsed_stack_of(const struct collapsing *f,
				   const struct cell *c)
{
	return f->stack_of ? f->stack_of[c->stack] : c->stack;
}

static size_t collapsed_measure(struct collapsing *f)
{
	const struct profile *p = f->profile;
	uint32_t deepest = 0;

	f->depths = array_new(p->stack_count, sizeof(*f->depths));
	for (size_t i = 1; i < p->stack_count; i++) {
		f->depths[i] = f->depths[p->stacks[i].caller] + 1;
		if (f->depths[i] > deepest)
			deepest = f->depths[i];
	}
	return deepest;
}

/*
 * Finds the greatest depth at which the lines have at most the maximum number
 * of frames, and counts the samples with deeper stack traces.
 */
static void collapsed_fit(struct collapsing *f)
{
	const struct profile *p = f->profile;
	uint64_t most = f->options->style.reverse ? COLLAPSED_REVERSED_FRAMES
						  : COLLAPSED_FRAMES;
	size_t deepest = collapsed_measure(f);
	uint64_t *cells_at = xcalloc(deepest + 1, sizeof(*cells_at));

	if (f->options->most_frames)
		most = f->options->most_frames;
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!f->in_view[c->event] || !c->stack)
			continue;
		cells_at[f->depths[c->stack]]++;
	}
	f->result.depth = depth_limit(cells_at, deepest, most);
	free(cells_at);
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (f->in_view[c->event] &&
		    f->depths[c->stack] > f->result.depth)
			f->result.cut = saturate_add(f->result.cut, c->count);
	}
}

/* Truncates deeper stack traces; a callee's id is greater than its caller's. */
static void collapsed_cut_all(struct collapsing *f)
{
	const struct profile *p = f->profile;

	f->stack_of = array_new(p->stack_count, sizeof(*f->stack_of));
	for (uint32_t i = 1; i < p->stack_count; i++)
		f->stack_of[i] = f->depths[i] <= f->result.depth
					 ? i
					 : f->stack_of[p->stacks[i].caller];
}

/* Returns the id of the stack trace reversed: its leaf becomes the root. */
static uint32_t collapsed_reverse(struct collapsing *f, uint32_t stack)
{
	const struct stack *stacks = f->profile->stacks;
	size_t depth = f->depths[stack];

	if (depth > f->result.depth)
		depth = f->result.depth;
	array_reserve(f->path, f->path_cap, depth);
	/* profile_stack() expects the leaf first: that is the old root. */
	for (size_t i = depth; i; stack = stacks[stack].caller)
		f->path[--i] = stacks[stack].frame;
	return profile_stack(f->reversed, f->path, depth);
}

static void collapsed_reverse_all(struct collapsing *f)
{
	const struct profile *p = f->profile;

	f->reversed = profile_new();
	f->stack_of = array_new(p->stack_count, sizeof(*f->stack_of));
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t *made = &f->stack_of[c->stack];

		if (f->in_view[c->event] && c->stack && !*made)
			*made = collapsed_reverse(f, c->stack);
	}
	f->stacks = f->reversed->stacks;
	f->stack_count = f->reversed->stack_count;
}

/* Names the frames and sorts the stack traces. */
static void collapsed_arrange(struct collapsing *f)
{
	const struct profile *p = f->profile;
	const struct frame_naming naming = {
		.style = f->options->style,
		.by_name = true,
		.adapt = collapsed_adapt,
	};
	uint32_t *marks = array_new(f->stack_count, sizeof(*marks));

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (f->in_view[c->event])
			marks[collapsed_stack_of(f, c)] = 1;
	}
	trace_tree_init(&f->traces, p, f->stacks, f->stack_count, marks,
			&naming);
}

/*
 * Returns a row per cell in the order of the lines: by thread, then stack
 * trace, if the thread is the root frame; by stack trace, then thread, if it is
 * the leaf. The caller frees the array.
 */
static struct row *collapsed_rows(const struct collapsing *f, size_t *count)
{
	const struct profile *p = f->profile;
	bool thread_first = f->options->style.threads &&
			    !f->options->style.reverse;
	struct row *rows = xmalloc(p->cell_count * sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t thread = 0, place;

		if (!f->in_view[c->event])
			continue;
		if (f->options->style.threads)
			thread = f->threads.rank_of[c->thread];
		place = trace_tree_place(&f->traces, collapsed_stack_of(f, c));
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

static void collapsed_put_name(struct text *line, const char *name, size_t len)
{
	if (line->len)
		text_putc(line, ';');
	text_add(line, name, len);
}

static void collapsed_put_label(void *self, struct text *line, uint32_t label)
{
	const struct collapsing *f = self;
	const struct label_name *n = trace_tree_name(&f->traces, label);

	collapsed_put_name(line, n->text, n->len);
}

/* Writes a line; the thread is its first or its last frame. */
static void collapsed_write_line(struct collapsing *f, struct output *out,
				 const struct row *r, uint64_t sum)
{
	bool thread_first = f->options->style.threads &&
			    !f->options->style.reverse;
	uint32_t place = thread_first ? (uint32_t)r->minor : r->major;
	struct text *line = &f->text.line;
	char number[32];
	int digits;

	if (thread_first && (f->thread != r->major || !line->len)) {
		const struct name *n = &f->threads.names[r->major];

		path_text_begin(&f->text, n->text, n->len);
		f->thread = r->major;
	}
	path_text_set(&f->text, &f->traces.tree, place, collapsed_put_label, f);
	if (!place)
		collapsed_put_name(line, "[no stack trace]", 16);
	output_write(out, line->bytes, line->len);
	if (f->options->style.threads && !thread_first) {
		const struct name *n = &f->threads.names[r->minor];

		output_write(out, ";", 1);
		output_write(out, n->text, n->len);
	}
	digits = snprintf(number, sizeof(number), " %" PRIu64 "\n", sum);
	output_write(out, number, (size_t)digits);
}

static void collapsed_write_rows(struct collapsing *f, struct output *out)
{
	const struct cell *cells = f->profile->cells;
	bool weighs = view_weighs(f->view, f->options->style.weights);
	uint64_t sum = 0;
	size_t count;
	struct row *rows = collapsed_rows(f, &count);

	for (size_t i = 0; i < count; i++) {
		const struct row *r = &rows[i];

		if (i + AHEAD < count)
			__builtin_prefetch(&cells[r[AHEAD].item]);
		sum = saturate_add(sum, cell_measure(&cells[r->item], weighs));
		if (i + 1 < count && r[1].major == r->major &&
		    r[1].minor == r->minor)
			continue;
		if (sum)
			collapsed_write_line(f, out, r, sum);
		sum = 0;
	}
	free(rows);
}

static void collapsed_release(struct collapsing *f)
{
	profile_free(f->reversed);
	trace_tree_release(&f->traces);
	thread_ranks_release(&f->threads);
	path_text_release(&f->text);
	free(f->in_view);
	free(f->stack_of);
	free(f->depths);
	free(f->path);
}

struct collapsed_result collapsed_write(struct output *out,
					const struct profile *p,
					const struct event_view *view,
					const struct collapsed_options *options)
{
	struct collapsing f = {
		.profile = p,
		.view = view,
		.options = options,
		.in_view = view_events(p, view),
		.stacks = p->stacks,
		.stack_count = p->stack_count,
	};

	collapsed_fit(&f);
	if (options->style.reverse)
		collapsed_reverse_all(&f);
	else if (f.result.cut)
		collapsed_cut_all(&f);
	collapsed_arrange(&f);
	if (options->style.threads)
		thread_ranks_init(&f.threads, p, collapsed_adapt);
	path_text_begin(&f.text, "", 0);
	collapsed_write_rows(&f, out);
	collapsed_release(&f);
	return f.result;
}
