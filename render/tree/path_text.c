/* SPDX-License-Identifier: Apache-2.0 */
/* Writes stack traces as text, reusing the common start of neighbors. */
#include "render/tree/path_text.h"

#include "core/base/alloc.h"

#include <stdlib.h>

void path_text_begin(struct path_text *t, const char *prefix, size_t len)
{
	array_reserve(t->ends, t->ends_cap, 1);
	text_clear(&t->line);
	text_add(&t->line, prefix, len);
	t->ends[0] = t->line.len;
	t->depth = 0;
}

void path_text_set(struct path_text *t, const struct flame_tree *tree,
		   uint32_t place, path_put_fn *put, void *self)
{
	const struct tree_node *nodes = tree->nodes;
	size_t depth = place ? nodes[place - 1].depth + (size_t)1 : 0;
	size_t kept = depth;

	array_reserve(t->path, t->path_cap, depth);
	array_reserve(t->ends, t->ends_cap, depth + 1);
	for (uint32_t at = place; kept > 0; at = nodes[at - 1].caller, kept--) {
		if (kept <= t->depth && t->path[kept - 1] == at)
			break;
		t->path[kept - 1] = at;
	}
	t->line.len = t->ends[kept];
	for (t->depth = kept; t->depth < depth; t->depth++) {
		put(self, &t->line, nodes[t->path[t->depth] - 1].label);
		t->ends[t->depth + 1] = t->line.len;
	}
}

void path_text_release(struct path_text *t)
{
	text_release(&t->line);
	free(t->path);
	free(t->ends);
	*t = (struct path_text){ 0 };
}
