/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/bean_hint.h"

#include "cmd/nearest.h"

#include <stdlib.h>
#include <string.h>

/* A comparison takes microseconds; nobody waits a second for a suggestion. */
#define COMPARED_MAX 20000

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool bean_hint(struct jmx *jmx, const char *bean, struct text *out)
{
	struct nearest nearest = nearest_to(bean, strlen(bean));
	struct arena a = { 0 };
	const char *const *names;
	const char **sorted;
	struct error unused;
	size_t count;
	bool found;

	if (strpbrk(bean, "*?") ||
	    jmx_query(jmx, "*:*", &a, &names, &count, &unused)) {
		arena_release(&a);
		return false;
	}
	/* The JVM has them in the order of a hash table. */
	sorted = arena_alloc(&a, (count + 1) * sizeof(*sorted));
	if (count)
		memcpy(sorted, names, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_name);
	for (size_t i = 0; i < count && i < COMPARED_MAX; i++)
		nearest_offer(&nearest, sorted[i]);
	found = nearest_suggest(&nearest, out);
	arena_release(&a);
	return found;
}
