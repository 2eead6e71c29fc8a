/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client_code.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 12
#define LARGEST   ((uint64_t)64 << 20) /* bytes of one piece of code */
/* 4 GiB; a code cache has 2 at most. */
#define PAGES_MOST   ((size_t)1 << 20)
#define LONGEST_WALK 4096 /* pieces of code of one page that are looked at */
#define LATE_NS      ((uint64_t)CLOCK_NS_PER_S)
#define NONE         0

struct entry {
	struct code code;
	uint32_t next; /* free, or went later; NONE at the end */
};

/* A piece of code on a page, newest first. */
struct node {
	uint32_t entry, next;
};

struct code_map {
	struct entry *entries; /* 0 is none */
	size_t count, cap;
	uint32_t free_entries;
	uint32_t first_gone, last_gone;
	struct node *nodes; /* likewise */
	size_t node_count, node_cap;
	uint32_t free_nodes;
	struct map64 pages; /* an index of heads by address >> PAGE_BITS */
	uint32_t *heads;
	size_t head_count, head_cap;
	size_t memory, used, alive;
	uint64_t forgotten;
};

struct code_map *code_map_new(size_t memory)
{
	struct code_map *m = xcalloc(1, sizeof(*m));

	m->memory = memory;
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
	map64_release(&m->pages);
	free(m->entries);
	free(m->nodes);
	free(m->heads);
	free(m);
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

static uint32_t *head_of(struct code_map *m, uint64_t page)
{
	uint32_t at = map64_get(&m->pages, page);

	if (at == MAP64_NONE) {
		array_reserve(m->heads, m->head_cap, m->head_count + 1);
		at = (uint32_t)m->head_count++;
		m->heads[at] = NONE;
		map64_add(&m->pages, page, at);
	}
	return &m->heads[at];
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

static void unlink_from(struct code_map *m, uint64_t page, uint32_t entry)
{
	uint32_t *link = head_of(m, page);

	while (*link && m->nodes[*link].entry != entry)
		link = &m->nodes[*link].next;
	if (*link) {
		uint32_t node = *link;

		*link = m->nodes[node].next;
		m->nodes[node].next = m->free_nodes;
		m->free_nodes = node;
	}
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
static bool make_way(struct code_map *m, uint64_t page, const struct code *c)
{
	uint32_t at = *head_of(m, page);

	for (int i = 0; at && i < LONGEST_WALK; i++) {
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
		uint32_t node = new_node(m), *head = head_of(m, p);

		m->nodes[node] = (struct node){ entry, *head };
		*head = node;
	}
	m->used += cost_of(c);
	m->alive++;
}

bool code_map_add(struct code_map *m, const struct code *c)
{
	if (c->end <= c->start || c->end - c->start > LARGEST ||
	    m->head_count + (last_page(c) - first_page(c) + 1) > PAGES_MOST)
		return false;
	for (uint64_t p = first_page(c); p <= last_page(c); p++)
		if (!make_way(m, p, c))
			return true;
	while (m->used + cost_of(c) > m->memory)
		if (!forget_one(m))
			return false;
	insert(m, c);
	return true;
}

void code_map_remove(struct code_map *m, uint64_t start, uint64_t time_ns)
{
	uint32_t page = map64_get(&m->pages, start >> PAGE_BITS);
	uint32_t at = page == MAP64_NONE ? NONE : m->heads[page];

	for (int i = 0; at && i < LONGEST_WALK; i++) {
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
	uint32_t page = map64_get(&m->pages, address >> PAGE_BITS);
	const struct code *best = NULL, *late = NULL;
	uint32_t at = page == MAP64_NONE ? NONE : m->heads[page];

	for (int i = 0; at && i < LONGEST_WALK; i++, at = m->nodes[at].next) {
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
