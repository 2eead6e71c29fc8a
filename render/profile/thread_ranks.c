/* SPDX-License-Identifier: Apache-2.0 */
/* Names the threads of a profile and sorts them by name. */
#include "render/profile/thread_ranks.h"

#include "core/base/alloc.h"
#include "core/profile/frame_name.h"

#include <stdlib.h>

static void ranks_write_names(struct thread_ranks *t, const struct profile *p,
			      void (*adapt)(char *name, size_t len))
{
	const char *text;

	for (uint32_t id = 0; id < p->thread_count; id++) {
		size_t start = t->text.len;

		thread_frame_name(&t->text, p, id);
		if (adapt)
			adapt(t->text.bytes + start, t->text.len - start);
		t->names[id].len = t->text.len - start;
		t->names[id].item = id;
	}
	text = t->text.bytes;
	for (size_t id = 0; id < p->thread_count; text += t->names[id++].len)
		t->names[id].text = text;
}

void thread_ranks_init(struct thread_ranks *t, const struct profile *p,
		       void (*adapt)(char *name, size_t len))
{
	*t = (struct thread_ranks){ 0 };
	t->names = xcalloc(p->thread_count, sizeof(*t->names));
	t->rank_of = xcalloc(p->thread_count, sizeof(*t->rank_of));
	ranks_write_names(t, p, adapt);
	name_sort(t->names, p->thread_count);
	for (size_t i = 0; i < p->thread_count; i++) {
		struct name n = t->names[i];

		if (i == 0 || n.shared != n.len ||
		    n.len != t->names[t->count - 1].len)
			t->names[t->count++] = n;
		t->rank_of[n.item] = (uint32_t)t->count - 1;
	}
}

void thread_ranks_release(struct thread_ranks *t)
{
	free(t->names);
	free(t->rank_of);
	text_release(&t->text);
	*t = (struct thread_ranks){ 0 };
}
