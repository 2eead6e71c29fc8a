/* SPDX-License-Identifier: Apache-2.0 */
/* Names and sorts the stack traces of a profile for the exporters. */
#include "render/tree/trace_tree.h"

#include "core/base/alloc.h"
#include "core/profile/event_view.h"

#include <stdlib.h>

void trace_tree_init(struct trace_tree *t, const struct profile *p,
		     const struct stack *stacks, size_t count, uint32_t *marks,
		     const struct frame_naming *naming)
{
	uint8_t *used = xcalloc(p->frame_count + 1, 1);
	struct draft draft;

	*t = (struct trace_tree){ .marks = marks };
	draft_init(&draft);
	draft_marked(&draft, stacks, count, marks);
	draft_frames(&draft, used);
	t->draft_count = draft.count;
	frame_table_init(&t->table, p, used, naming);
	flame_tree_init(&t->tree, &draft, t->table.label_of,
			t->table.label_count);
	draft_release(&draft);
	free(used);
}

void trace_tree_of_views(struct trace_tree *t, const struct profile *p,
			 const struct event_view *views, size_t view_count,
			 const struct style *style)
{
	const struct frame_naming naming = {
		.style = {
			.simple = style->simple,
			.annotate = style->annotate,
		},
		.by_name = true,
		.by_line = style->lines,
	};
	uint32_t *view_of = views_of_events(p, views, view_count);
	uint32_t *marks = array_new(p->stack_count, sizeof(*marks));

	for (size_t i = 0; i < p->cell_count; i++) {
		if (view_of[p->cells[i].event])
			marks[p->cells[i].stack] = 1;
	}
	free(view_of);
	trace_tree_init(t, p, p->stacks, p->stack_count, marks, &naming);
}

size_t trace_tree_deepest(const struct trace_tree *t)
{
	size_t depth = 0;

	for (size_t i = 0; i < t->tree.count; i++) {
		if (t->tree.nodes[i].depth >= depth)
			depth = t->tree.nodes[i].depth + (size_t)1;
	}
	return depth;
}

/* Relies on the order of places: a caller comes before its callees. */
void trace_tree_cut(struct trace_tree *t, size_t depth)
{
	struct flame_tree *tree = &t->tree;
	uint32_t *cut = xmalloc((tree->count + 1) * sizeof(*cut));

	cut[0] = 0;
	for (uint32_t i = 0; i < tree->count; i++)
		cut[i + 1] = tree->nodes[i].depth < depth
				     ? i + 1
				     : cut[tree->nodes[i].caller];
	for (size_t i = 0; i < t->draft_count; i++)
		tree->place_of[i] = cut[tree->place_of[i]];
	free(cut);
}

void trace_tree_release(struct trace_tree *t)
{
	frame_table_release(&t->table);
	flame_tree_release(&t->tree);
	free(t->marks);
	*t = (struct trace_tree){ 0 };
}

size_t depth_limit(const uint64_t *traces_at, size_t deepest, uint64_t most)
{
	uint64_t frames = 0, deeper = 0;
	size_t depth = 0;

	for (size_t i = 1; i <= deepest; i++)
		deeper += traces_at[i];
	/* Each level adds one frame to every deeper stack trace. */
	for (; depth < deepest && frames + deeper <= most; depth++) {
		frames += deeper;
		deeper -= traces_at[depth + 1];
	}
	return depth ? depth : 1;
}
