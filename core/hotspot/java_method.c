/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/java_method.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/hotspot/method_read.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_KEPT = 2 * JAVA_METHODS_AT_ONCE,
	MOST_LINES_KEPT = 1 << 23, /* entries of line tables */
};

struct kept {
	struct java_method method;
	struct method_traits traits;
	uint32_t looked_at; /* the round in which it was last */
};

struct java_methods {
	const struct method_layout *layout;
	struct memory *memory;
	struct java_names *names;
	struct map64 index; /* of kept by address */
	struct kept *kept;
	size_t count, cap;
	size_t lines; /* entries of all line tables */
	uint32_t round;
};

struct java_methods *java_methods_new(const struct method_layout *layout,
				      struct memory *memory,
				      struct java_names *names)
{
	struct java_methods *s = xcalloc(1, sizeof(*s));

	s->layout = layout;
	s->memory = memory;
	s->names = names;
	return s;
}

static void forget_all(struct java_methods *s)
{
	for (size_t i = 0; i < s->count; i++)
		line_table_release(&s->kept[i].method.lines);
	s->count = 0;
	s->lines = 0;
	map64_clear(&s->index);
}

void java_methods_free(struct java_methods *s)
{
	if (!s)
		return;
	forget_all(s);
	map64_release(&s->index);
	free(s->kept);
	free(s);
}

/* Where a method is or will be kept. */
static struct kept *place_of(struct java_methods *s, uint64_t method)
{
	uint32_t at = map64_get(&s->index, method);

	if (at != MAP64_NONE)
		return &s->kept[at];
	map64_add(&s->index, method, (uint32_t)s->count);
	array_reserve(s->kept, s->cap, s->count + 1);
	s->kept[s->count] = (struct kept){ 0 };
	return &s->kept[s->count++];
}

/* Keeps what was read, whose lines are its own from now on. */
static void keep(struct java_methods *s, struct method_read *read)
{
	struct kept *k = place_of(s, read->traits.method);

	s->lines += read->lines.count - k->method.lines.count;
	line_table_release(&k->method.lines);
	k->method = (struct java_method){ read->name, read->lines };
	k->traits = read->traits;
	k->looked_at = s->round;
}

static void make_room(struct java_methods *s, size_t more)
{
	if (s->count + more > MOST_KEPT || s->lines > MOST_LINES_KEPT)
		forget_all(s);
}

void java_methods_prepare(struct java_methods *s, const uint64_t *methods,
			  size_t count)
{
	struct method_read *reads;
	size_t wanted = 0;

	if (count > JAVA_METHODS_AT_ONCE)
		count = JAVA_METHODS_AT_ONCE;
	make_room(s, count);
	reads = xcalloc(count, sizeof(*reads));
	for (size_t i = 0; i < count; i++) {
		uint32_t at = map64_get(&s->index, methods[i]);

		if (at == MAP64_NONE || s->kept[at].looked_at != s->round)
			reads[wanted++].traits.method = methods[i];
	}
	method_read_all(s->layout, s->memory, s->names, reads, wanted);
	for (size_t i = 0; i < wanted; i++)
		keep(s, &reads[i]);
	free(reads);
}

/* True when it is known, and has been looked at in this round. */
static bool is_current(struct java_methods *s, struct kept *k)
{
	if (k->looked_at == s->round)
		return true;
	if (!k->method.name ||
	    !method_is_still(s->layout, s->memory, &k->traits))
		return false;
	k->looked_at = s->round;
	return true;
}

const struct java_method *java_methods_get(struct java_methods *s,
					   uint64_t method)
{
	struct method_read read = { .traits.method = method };
	uint32_t at = map64_get(&s->index, method);

	if (at != MAP64_NONE && is_current(s, &s->kept[at]))
		return &s->kept[at].method;
	make_room(s, 1);
	method_read_all(s->layout, s->memory, s->names, &read, 1);
	keep(s, &read);
	return &place_of(s, method)->method;
}

void java_methods_begin(struct java_methods *s) { s->round++; }
