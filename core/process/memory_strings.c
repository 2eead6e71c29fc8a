/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/memory_strings.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 12
#define PAGE      (1u << PAGE_BITS)
#define MAX_PAGES 4096

static int page_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Collects the pages that the strings may touch, each once. */
static void strings_collect_pages(struct memory_strings *s,
				  const uint64_t *addresses, size_t count)
{
	size_t kept = 0;

	s->pages = xcalloc(count * 2, sizeof(*s->pages));
	for (size_t i = 0; i < count; i++) {
		s->pages[2 * i] = addresses[i] >> PAGE_BITS;
		s->pages[2 * i + 1] = (addresses[i] + MEMORY_STRING_LEN) >>
				      PAGE_BITS;
	}
	qsort(s->pages, count * 2, sizeof(*s->pages), page_compare);
	for (size_t i = 0; i < count * 2 && kept < MAX_PAGES; i++)
		if (!kept || s->pages[i] != s->pages[kept - 1])
			s->pages[kept++] = s->pages[i];
	s->count = kept;
}

/* One range per page: an unmapped page does not affect the others. */
static void strings_read_pages(struct memory_strings *s, struct memory *memory)
{
	struct memory_range *ranges = xcalloc(s->count, sizeof(*ranges));

	s->bytes = xcalloc(s->count, PAGE);
	s->is_read = xcalloc(s->count, sizeof(*s->is_read));
	for (size_t i = 0; i < s->count; i++) {
		ranges[i].address = s->pages[i] << PAGE_BITS;
		ranges[i].bytes = s->bytes + i * PAGE;
		ranges[i].len = PAGE;
	}
	memory->read_all(memory, ranges, s->count);
	for (size_t i = 0; i < s->count; i++)
		s->is_read[i] = ranges[i].is_read;
	free(ranges);
}

void memory_strings_read(struct memory_strings *s, struct memory *memory,
			 const uint64_t *addresses, size_t count)
{
	memory_strings_release(s);
	if (!count)
		return;
	strings_collect_pages(s, addresses, count);
	strings_read_pages(s, memory);
}

void memory_strings_release(struct memory_strings *s)
{
	free(s->pages);
	free(s->is_read);
	free(s->bytes);
	*s = (struct memory_strings){ 0 };
}

/* Returns the index of a page, or count. */
static size_t strings_find_page(const struct memory_strings *s, uint64_t page)
{
	size_t from = 0, to = s->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (s->pages[middle] < page)
			from = middle + 1;
		else
			to = middle;
	}
	return from < s->count && s->pages[from] == page ? from : s->count;
}

const char *memory_strings_at(const struct memory_strings *s, uint64_t address,
			      size_t *len)
{
	uint64_t page = address >> PAGE_BITS;
	size_t at = strings_find_page(s, page), offset = address & (PAGE - 1);
	size_t room = PAGE - offset;
	const char *text, *end;

	if (at == s->count || !s->is_read[at])
		return NULL;
	if (at + 1 < s->count && s->pages[at + 1] == page + 1 &&
	    s->is_read[at + 1])
		room += PAGE;
	if (room > MEMORY_STRING_LEN + 1)
		room = MEMORY_STRING_LEN + 1;
	text = (const char *)s->bytes + at * PAGE + offset;
	end = memchr(text, '\0', room);
	if (!end)
		return NULL;
	*len = (size_t)(end - text);
	return text;
}
