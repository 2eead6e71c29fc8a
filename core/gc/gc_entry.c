/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_entry.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct gc_entry *gc_entry_new(void)
{
	struct gc_entry *r = xmalloc(sizeof(*r));

	r->phases = NULL;
	r->phase_count = 0;
	r->phase_cap = 0;
	r->next = NULL;
	r->first_used = 0;
	r->strings = (struct arena){ 0 };
	gc_pause_init(&r->pause);
	return r;
}

void gc_entry_free(struct gc_entry *r)
{
	if (!r)
		return;
	free(r->phases);
	arena_release(&r->strings);
	free(r);
}

const char *gc_entry_string(struct gc_entry *r, struct line text)
{
	char *copy;

	/* A log may contain NULs; the rest would be lost anyway. */
	text.len = strnlen(text.text ? text.text : "", text.len);
	if (!text.len)
		return NULL;
	if (text.len >= sizeof(r->first) - r->first_used)
		return arena_copy(&r->strings, text.text, text.len);
	copy = r->first + r->first_used;
	memcpy(copy, text.text, text.len);
	copy[text.len] = '\0';
	r->first_used += text.len + 1;
	return copy;
}

void gc_entry_add_phase(struct gc_entry *r, struct line name,
			const struct gc_phase *phase)
{
	struct gc_phase *added;

	if (r->phase_count == GC_ENTRY_PHASES)
		return;
	array_reserve(r->phases, r->phase_cap, r->phase_count + 1);
	added = &r->phases[r->phase_count++];
	*added = *phase;
	added->name = gc_entry_string(r, name);
}

void gc_entry_put(struct gc_entry_queue *q, struct gc_entry *r)
{
	r->next = NULL;
	if (q->last)
		q->last->next = r;
	else
		q->first = r;
	q->last = r;
}

bool gc_entry_take(struct gc_entry_queue *q, struct gc_pause *p)
{
	struct gc_entry *r = q->first;

	gc_entry_free(q->given);
	q->given = r;
	if (!r)
		return false;
	q->first = r->next;
	if (!q->first)
		q->last = NULL;
	*p = r->pause;
	p->phases = r->phases;
	p->phase_count = r->phase_count;
	return true;
}

void gc_entry_queue_release(struct gc_entry_queue *q)
{
	struct gc_pause unused;

	while (gc_entry_take(q, &unused))
		;
}
