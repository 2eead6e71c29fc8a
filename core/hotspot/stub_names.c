/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/stub_names.h"

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/safe_text.h"
#include "core/process/memory_strings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_STUBS = 1 << 13, /* JDK 25 has about 160, more with AVX-512 */
	MOST_READ = 1 << 16, /* descriptions read in total; the list grows a few
				times */
	MOST_BYTES = 1 << 20, /* bytes of a name */
	LONGEST_NAME = 128,
};

/* The fields of a StubCodeDesc that are used. */
struct description {
	uint64_t next, group, name, begin, end;
};

struct stub_names {
	struct memory *memory;
	uint64_t list;
	uint64_t head; /* the first description at the last read */
	size_t read;   /* descriptions read in total */
	struct stub_name *all;
	size_t count, cap;
	struct intern names;
};

static bool name_trim_end(const char *name, size_t *len, const char *end)
{
	size_t more = strlen(end);

	if (*len <= more || memcmp(name + *len - more, end, more) != 0)
		return false;
	*len -= more;
	return true;
}

void stub_name_trim(const char **name, size_t *len)
{
	static const char generator[] = "Stub Generator ";
	const size_t begin = sizeof(generator) - 1;
	bool is_stub = *name && name_trim_end(*name, len, " (stub gen)");

	if (*name && *len > begin && memcmp(*name, generator, begin) == 0) {
		*name += begin;
		*len -= begin;
		is_stub = true;
	}
	if (is_stub)
		name_trim_end(*name, len, "_stub");
}

struct stub_names *stub_names_new(struct memory *memory, uint64_t list)
{
	struct stub_names *s = xcalloc(1, sizeof(*s));

	s->memory = memory;
	s->list = list;
	return s;
}

void stub_names_free(struct stub_names *s)
{
	if (!s)
		return;
	intern_release(&s->names);
	free(s->all);
	free(s);
}

static bool stubs_add(struct stub_names *s, const struct description *d,
		      const struct memory_strings *strings)
{
	const char *name;
	size_t len;

	/* The JVM adds a description before it writes the code. */
	if (d->end == 0)
		return true;
	if (d->begin >= d->end || d->end - d->begin > MOST_BYTES)
		return false;
	name = memory_strings_at(strings, d->name, &len);
	if (!name)
		return false;
	if (len >= LONGEST_NAME)
		len = LONGEST_NAME - 1;
	stub_name_trim(&name, &len);
	if (len == 0 || !safe_text_is(name, len))
		return false;
	array_add(s->all, s->count, s->cap,
		  (struct stub_name){
			  d->begin, d->end,
			  intern_text(&s->names,
				      intern_id(&s->names, name, len)) });
	return true;
}

/*
 * Descriptions are allocated one after the other, so most are near each other:
 * reading each by itself would take as many requests.
 */
enum { NEAR_BYTES = 4096, NEAR_PAGES = 8 };

struct near_pages {
	struct {
		uint64_t number;
		uint8_t bytes[NEAR_BYTES];
	} pages[NEAR_PAGES];
	size_t count, next;
};

static const uint8_t *pages_find(struct near_pages *n, struct memory *m,
				 uint64_t number)
{
	size_t at = n->next;

	for (size_t i = 0; i < n->count; i++)
		if (n->pages[i].number == number)
			return n->pages[i].bytes;
	n->pages[at].number = UINT64_MAX;
	if (n->count < NEAR_PAGES)
		n->count++;
	n->next = (at + 1) % NEAR_PAGES;
	if (!memory_read(m, number * NEAR_BYTES, n->pages[at].bytes,
			 NEAR_BYTES))
		return NULL;
	n->pages[at].number = number;
	return n->pages[at].bytes;
}

static bool description_read(struct near_pages *n, struct memory *m,
			     uint64_t at, struct description *d)
{
	uint64_t offset = at % NEAR_BYTES;
	const uint8_t *page;

	if (offset > NEAR_BYTES - sizeof(*d))
		return memory_read(m, at, d, sizeof(*d));
	page = pages_find(n, m, at / NEAR_BYTES);
	if (page)
		memcpy(d, page + offset, sizeof(*d));
	return page != NULL;
}

/* Reads all descriptions; returns false if the list is damaged. */
static bool stubs_read_descriptions(struct stub_names *s, uint64_t head,
				    struct description **all, size_t *count)
{
	struct near_pages *near = xcalloc(1, sizeof(*near));
	bool is_read = true;
	size_t cap = 0;

	*all = NULL;
	*count = 0;
	for (uint64_t at = head; at && is_read; at = (*all)[*count - 1].next) {
		s->read++;
		array_reserve(*all, cap, *count + 1);
		is_read = *count < MOST_STUBS && at % sizeof(at) == 0 &&
			  description_read(near, s->memory, at,
					   &(*all)[*count]);
		if (!is_read)
			break;
		++*count;
	}
	free(near);
	return is_read;
}

static bool stubs_read_list(struct stub_names *s, uint64_t head)
{
	struct memory_strings strings = { 0 };
	struct description *all;
	uint64_t *names;
	size_t count;
	bool is_read = stubs_read_descriptions(s, head, &all, &count);

	s->count = 0;
	names = xcalloc(count + 1, sizeof(*names));
	for (size_t i = 0; i < count; i++)
		names[i] = all[i].name;
	if (is_read)
		memory_strings_read(&strings, s->memory, names, count);
	for (size_t i = 0; i < count && is_read; i++)
		is_read = stubs_add(s, &all[i], &strings);
	memory_strings_release(&strings);
	free(names);
	free(all);
	return is_read;
}

static int stub_compare_begins(const void *a, const void *b)
{
	const struct stub_name *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	/* The outer of two nested routines comes first. */
	return x->end > y->end ? -1 : x->end < y->end;
}

const struct stub_name *stub_names_all(struct stub_names *s, size_t *count)
{
	uint64_t head = memory_u64(s->memory, s->list);

	if (head && head != s->head && s->read < MOST_READ) {
		s->head = head;
		if (!stubs_read_list(s, head))
			s->count = 0;
		if (s->count)
			qsort(s->all, s->count, sizeof(*s->all),
			      stub_compare_begins);
	}
	*count = s->count;
	return s->all;
}

const char *stub_names_at(const struct stub_names *s, uint64_t pc)
{
	size_t low = 0, high = s->count;

	/* Returns the last routine that begins at or before pc. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->all[middle].begin <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	/* The end belongs to a routine whose last instruction is a call. */
	return low && pc <= s->all[low - 1].end ? s->all[low - 1].name : NULL;
}
