/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_code.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 12
#define LARGEST   ((uint64_t)64 << 20) /* bytes of one piece of code */
/* 4 GiB; a code cache has 2 at most. */
#define PAGES_MOST ((size_t)1 << 20)
#define PAGE_MOST  4096 /* pieces of code that one page is known to have had */
#define WORK_MOST  ((size_t)16 << 20) /* steps between two beginnings */
#define LATE_NS    ((uint64_t)CLOCK_NS_PER_S)
#define NONE       0

struct entry {
	struct code code;
	uint32_t next; /* free, or went later; NONE at the end */
};

/* A piece of code on a page, newest first. */
struct node {
	uint32_t entry, next;
};

struct page {
	uint32_t first, count;
};

struct code_map {
	struct entry *entries; /* 0 is none */
	size_t count, cap;
	uint32_t free_entries;
	uint32_t first_gone, last_gone;
	struct node *nodes; /* likewise */
	size_t node_count, node_cap;
	uint32_t free_nodes;
	struct map64 numbers; /* an index of pages by address >> PAGE_BITS */
	struct page *pages;
	size_t page_count, page_cap;
	size_t memory, used, alive;
	size_t work; /* that may still be done */
	uint64_t forgotten, dropped;
};

struct code_map *code_map_new(size_t memory)
{
	struct code_map *m = xcalloc(1, sizeof(*m));

	m->memory = memory;
	m->work = WORK_MOST;
	m->count = 1;
	m->node_count = 1;
	array_reserve(m->entries, m->cap, 1);
	array_reserve(m->nodes, m->node_cap, 1);
	return m;
}

void code_map_free(struct code_map *m)
{
	if (!m)
		return;
	for (size_t i = 1; i < m->count; i++)
		free((void *)m->entries[i].code.places);
	map64_release(&m->numbers);
	free(m->entries);
	free(m->nodes);
	free(m->pages);
	free(m);
}

void code_map_begin(struct code_map *m) { m->work = WORK_MOST; }

static void spend(struct code_map *m, size_t steps)
{
	m->work -= steps < m->work ? steps : m->work;
}

static uint64_t first_page(const struct code *c)
{
	return c->start >> PAGE_BITS;
}

static uint64_t last_page(const struct code *c)
{
	return (c->end - 1) >> PAGE_BITS;
}

/* What it takes, about. */
static size_t cost_of(const struct code *c)
{
	return sizeof(struct entry) + c->places_len +
	       (size_t)(last_page(c) - first_page(c) + 1) *
		       (sizeof(struct node) + sizeof(struct map64_entry));
}

static struct page *page_of(struct code_map *m, uint64_t number)
{
	uint32_t at = map64_get(&m->numbers, number);

	if (at == MAP64_NONE) {
		array_reserve(m->pages, m->page_cap, m->page_count + 1);
		at = (uint32_t)m->page_count++;
		m->pages[at] = (struct page){ 0 };
		map64_add(&m->numbers, number, at);
	}
	return &m->pages[at];
}

static uint32_t new_node(struct code_map *m)
{
	uint32_t node = m->free_nodes;

	if (node) {
		m->free_nodes = m->nodes[node].next;
		return node;
	}
	array_reserve(m->nodes, m->node_cap, m->node_count + 1);
	return (uint32_t)m->node_count++;
}

static uint32_t new_entry(struct code_map *m)
{
	uint32_t entry = m->free_entries;

	if (entry) {
		m->free_entries = m->entries[entry].next;
		return entry;
	}
	array_reserve(m->entries, m->cap, m->count + 1);
	return (uint32_t)m->count++;
}

static void unlink_node(struct code_map *m, struct page *page, uint32_t *link)
{
	uint32_t node = *link;

	*link = m->nodes[node].next;
	m->nodes[node].next = m->free_nodes;
	m->free_nodes = node;
	page->count--;
}

static void unlink_from(struct code_map *m, uint64_t number, uint32_t entry)
{
	struct page *page = page_of(m, number);
	uint32_t *link = &page->first;
	size_t steps = 1;

	for (; *link && m->nodes[*link].entry != entry; steps++)
		link = &m->nodes[*link].next;
	if (*link)
		unlink_node(m, page, link);
	spend(m, steps);
}

/* Forgets what went first; false when all is still there. */
static bool forget_one(struct code_map *m)
{
	uint32_t entry = m->first_gone;
	struct code *c = &m->entries[entry].code;

	if (!entry)
		return false;
	m->first_gone = m->entries[entry].next;
	if (!m->first_gone)
		m->last_gone = NONE;
	for (uint64_t p = first_page(c); p <= last_page(c); p++)
		unlink_from(m, p, entry);
	m->used -= cost_of(c);
	free((void *)c->places);
	c->places = NULL;
	m->entries[entry].next = m->free_entries;
	m->free_entries = entry;
	m->forgotten++;
	return true;
}

static void goes(struct code_map *m, uint32_t entry, uint64_t time_ns)
{
	struct code *c = &m->entries[entry].code;

	c->until = time_ns;
	m->entries[entry].next = NONE;
	if (m->last_gone)
		m->entries[m->last_gone].next = entry;
	else
		m->first_gone = entry;
	m->last_gone = entry;
	m->alive--;
}

static bool is_there(const struct code *c) { return c->until == UINT64_MAX; }

/*
 * Leaves the newest quarter of what a page may have, and of the others as much
 * as is still there.
 */
static void thin(struct code_map *m, struct page *page)
{
	uint32_t *link = &page->first, there = 0;

	spend(m, page->count);
	for (uint32_t i = 0; *link; i++) {
		struct node *node = &m->nodes[*link];
		bool is_old = i >= PAGE_MOST / 4;
		bool is_alive = is_there(&m->entries[node->entry].code);

		there += is_old && is_alive;
		if (is_old && (!is_alive || there > PAGE_MOST / 4)) {
			m->dropped += is_alive;
			unlink_node(m, page, link);
		} else {
			link = &node->next;
		}
	}
}

static bool overlap(const struct code *a, const struct code *b)
{
	return a->start < b->end && b->start < a->end;
}

/* Whether what is there must have gone when `new` is there. */
static bool displaces(const struct code *new, const struct code *old)
{
	if (!is_there(old) || !overlap(new, old))
		return false;
	return new->is_method || old->is_method || new->start == old->start;
}

static bool is_same(const struct code *a, const struct code *b)
{
	return is_there(a) && a->is_method == b->is_method &&
	       a->start == b->start && a->end == b->end && a->name == b->name;
}

/* False when it is known already, and told once more. */
static bool make_way(struct code_map *m, uint64_t number, const struct code *c)
{
	struct page *page = page_of(m, number);
	uint32_t at = page->first;

	spend(m, 1 + page->count);
	while (at) {
		uint32_t entry = m->nodes[at].entry;
		struct code *old = &m->entries[entry].code;

		if (c->from == 0 && is_same(old, c))
			return false;
		if (displaces(c, old))
			goes(m, entry,
			     c->from > old->from ? c->from : old->from);
		at = m->nodes[at].next;
	}
	return true;
}

static void insert(struct code_map *m, const struct code *c)
{
	uint32_t entry = new_entry(m);
	uint8_t *places = xmalloc(c->places_len);

	if (c->places_len)
		memcpy(places, c->places, c->places_len);
	m->entries[entry].code = *c;
	m->entries[entry].code.places = places;
	m->entries[entry].code.until = UINT64_MAX;
	for (uint64_t p = first_page(c); p <= last_page(c); p++) {
		struct page *page = page_of(m, p);
		uint32_t node;

		if (page->count == PAGE_MOST)
			thin(m, page);
		node = new_node(m);
		m->nodes[node] = (struct node){ entry, page->first };
		page->first = node;
		page->count++;
	}
	m->used += cost_of(c);
	m->alive++;
}

bool code_map_add(struct code_map *m, const struct code *c)
{
	if (c->end <= c->start || c->end - c->start > LARGEST ||
	    m->page_count + (last_page(c) - first_page(c) + 1) > PAGES_MOST)
		return false;
	for (uint64_t p = first_page(c); p <= last_page(c) && m->work; p++)
		if (!make_way(m, p, c))
			return true;
	while (m->used + cost_of(c) > m->memory && m->work)
		if (!forget_one(m))
			return false;
	if (!m->work) {
		m->dropped++;
		return false;
	}
	insert(m, c);
	return true;
}

void code_map_remove(struct code_map *m, uint64_t start, uint64_t time_ns)
{
	uint32_t page = map64_get(&m->numbers, start >> PAGE_BITS);
	uint32_t at = page == MAP64_NONE ? NONE : m->pages[page].first;

	if (!m->work) {
		m->dropped++;
		return;
	}
	for (; at; spend(m, 1)) {
		uint32_t entry = m->nodes[at].entry;
		struct code *c = &m->entries[entry].code;

		if (c->is_method && c->start == start && is_there(c)) {
			goes(m, entry, time_ns > c->from ? time_ns : c->from);
			return;
		}
		at = m->nodes[at].next;
	}
}

/* Whether a says more of an address than b, both of which were there. */
static bool is_better(const struct code *a, const struct code *b)
{
	if (!b)
		return true;
	if (a->is_method != b->is_method)
		return a->is_method;
	if (a->end - a->start != b->end - b->start)
		return a->end - a->start < b->end - b->start;
	return a->from > b->from;
}

const struct code *code_map_find(const struct code_map *m, uint64_t address,
				 uint64_t time_ns)
{
	uint32_t page = map64_get(&m->numbers, address >> PAGE_BITS);
	const struct code *best = NULL, *late = NULL;
	uint32_t at = page == MAP64_NONE ? NONE : m->pages[page].first;

	for (; at; at = m->nodes[at].next) {
		const struct code *c = &m->entries[m->nodes[at].entry].code;

		if (address < c->start || address >= c->end ||
		    time_ns >= c->until)
			continue;
		if (c->from <= time_ns) {
			if (is_better(c, best))
				best = c;
		} else if (c->from - time_ns < LATE_NS &&
			   (!late || c->from < late->from)) {
			late = c;
		}
	}
	return best ? best : late;
}

size_t code_map_count(const struct code_map *m) { return m->alive; }

uint64_t code_map_forgotten(const struct code_map *m) { return m->forgotten; }

uint64_t code_map_dropped(const struct code_map *m) { return m->dropped; }
