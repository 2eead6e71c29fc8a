/* SPDX-License-Identifier: Apache-2.0 */
#include "render/trace_tree.h"

#include "core/base/alloc.h"

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
	frame_table_init(&t->table, p, used, naming);
	flame_tree_init(&t->tree, &draft, t->table.label_of,
			t->table.label_count);
	draft_release(&draft);
	free(used);
}

void trace_tree_release(struct trace_tree *t)
{
	frame_table_release(&t->table);
	flame_tree_release(&t->tree);
	free(t->marks);
	*t = (struct trace_tree){ 0 };
}
