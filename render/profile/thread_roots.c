/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the roots of a call tree by thread: threads and pools of threads. */
#include "render/profile/thread_roots.h"

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/saturate.h"
#include "core/threads/pool_name.h"
#include "render/tree/sort.h"

#include <stdlib.h>

struct roots_builder {
	const struct profile *profile;
	struct thread_roots *roots;
	struct intern names; /* names of pools */
	uint32_t *of_name;   /* by name id: 1 + index of the root */
	size_t of_name_cap;
	struct text name;
};

void thread_roots_pool(struct text *out, const struct profile *p,
		       uint32_t thread)
{
	pool_name(out, profile_text(p, p->threads[thread].name));
}

static uint32_t roots_add(struct roots_builder *m, uint32_t thread)
{
	struct thread_roots *r = m->roots;

	r->all[r->count] = (struct thread_root){ .thread = thread };
	return (uint32_t)r->count++;
}

/* Finds or adds the root of a thread's pool. */
static uint32_t roots_find_pool(struct roots_builder *m, uint32_t thread)
{
	size_t had = m->of_name_cap;
	uint32_t id;

	text_clear(&m->name);
	thread_roots_pool(&m->name, m->profile, thread);
	id = intern_id(&m->names, m->name.len ? m->name.bytes : "",
		       m->name.len);
	array_reserve(m->of_name, m->of_name_cap, (size_t)id + 1);
	while (had < m->of_name_cap)
		m->of_name[had++] = 0;
	if (!m->of_name[id])
		m->of_name[id] = roots_add(m, thread) + 1;
	return m->of_name[id] - 1;
}

static void roots_place_members(struct thread_roots *r,
				const struct thread_sum *sums,
				const uint32_t *root_of, size_t count)
{
	uint32_t at = 0;

	for (size_t i = 0; i < r->count; i++) {
		r->all[i].first = at;
		at += r->all[i].count;
		r->all[i].count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct thread_root *root = &r->all[root_of[i]];

		r->members[root->first + root->count++] = sums[i].thread;
	}
}

static void roots_sort(struct thread_roots *r)
{
	struct thread_root *sorted = xcalloc(r->count, sizeof(*sorted));
	struct row *rows = xcalloc(r->count, sizeof(*rows));

	for (uint32_t i = 0; i < r->count; i++)
		rows[i] = (struct row){ UINT64_MAX - r->all[i].total, 0, i };
	row_sort(rows, r->count);
	for (size_t i = 0; i < r->count; i++)
		sorted[i] = r->all[rows[i].item];
	free(rows);
	free(r->all);
	r->all = sorted;
}

void thread_roots_init(struct thread_roots *r, const struct profile *p,
		       const struct thread_sum *sums, size_t count,
		       uint64_t least, size_t most)
{
	struct roots_builder m = { .profile = p, .roots = r };
	uint32_t *root_of = xcalloc(count, sizeof(*root_of));

	*r = (struct thread_roots){
		.all = xcalloc(count, sizeof(*r->all)),
		.members = xcalloc(count, sizeof(*r->members)),
	};
	for (size_t i = 0; i < count; i++) {
		const struct thread_sum *s = &sums[i];
		struct thread_root *root;

		root_of[i] = i < most && s->total >= least
				     ? roots_add(&m, s->thread)
				     : roots_find_pool(&m, s->thread);
		root = &r->all[root_of[i]];
		root->count++;
		root->total = saturate_add(root->total, s->total);
	}
	roots_place_members(r, sums, root_of, count);
	roots_sort(r);
	intern_release(&m.names);
	text_release(&m.name);
	free(m.of_name);
	free(root_of);
}

void thread_roots_release(struct thread_roots *r)
{
	free(r->all);
	free(r->members);
	*r = (struct thread_roots){ 0 };
}
