/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/accounting.h"

#include "core/base/alloc.h"
#include "core/process/read_budget.h"

#include <stdlib.h>
#include <string.h>

enum {
	CLASSES_MOST = 1 << 19,
	STEPS_MOST = 4 * CLASSES_MOST,
	LOADERS_MOST = 1 << 19,
	BUCKETS_MOST = 1 << 20,
	AT_ONCE = 1024, /* ranges of a request */
	NAME_MOST = 256,
};

#define BUDGET_NS (CLOCK_NS_PER_S / 2)

/*
 * ---- blocks ----
 *
 * A JVM links its classes one by one, and each request to the reader of memory
 * takes long.  Neighbors in the list are neighbors in memory, so whole blocks
 * are read.
 */
enum {
	BLOCK = 32 << 10,
	BLOCK_PAGES = BLOCK / PAGE_BYTES,
	BLOCKS = 64,
	ADDRESS_BITS = 47,
};

struct block {
	uint64_t number; /* address / BLOCK; 0 = none */
	bool is_read[BLOCK_PAGES];
	uint8_t bytes[BLOCK];
};

struct blocks {
	struct memory *memory;
	struct pages *pages;
	struct block all[BLOCKS];
};

static void block_read(struct blocks *s, struct block *b, uint64_t number)
{
	struct memory_range r[BLOCK_PAGES];
	uint8_t states[BLOCK_PAGES];
	size_t at[BLOCK_PAGES];
	size_t n = 0;

	b->number = number;
	memset(b->is_read, 0, sizeof(b->is_read));
	memset(states, PAGE_RESIDENT, sizeof(states));
	if (s->pages)
		pages_read(s->pages, number * BLOCK, states, BLOCK_PAGES);
	for (size_t i = 0; i < BLOCK_PAGES; i++) {
		size_t offset = i * PAGE_BYTES;

		if (states[i] != PAGE_RESIDENT)
			continue;
		at[n] = i;
		r[n++] = (struct memory_range){ number * BLOCK + offset,
						b->bytes + offset, PAGE_BYTES,
						false };
	}
	s->memory->read_all(s->memory, r, n);
	for (size_t i = 0; i < n; i++)
		b->is_read[at[i]] = r[i].is_read;
}

/* Reads at most a page; false if it is unreadable, or not resident. */
static bool blocks_read(struct blocks *s, uint64_t address, void *bytes,
			size_t len)
{
	uint8_t *to = bytes;

	if (address < OBJECT_LOWEST || address >> ADDRESS_BITS)
		return false;
	while (len) {
		uint64_t number = address / BLOCK, offset = address % BLOCK;
		struct block *b = &s->all[number % BLOCKS];
		size_t part = PAGE_BYTES - address % PAGE_BYTES;

		if (b->number != number)
			block_read(s, b, number);
		if (!b->is_read[offset / PAGE_BYTES])
			return false;
		if (part > len)
			part = len;
		memcpy(to, b->bytes + offset, part);
		to += part;
		address += part;
		len -= part;
	}
	return true;
}

static bool blocks_u64(struct blocks *s, uint64_t address, uint64_t *out)
{
	return blocks_read(s, address, out, sizeof(*out));
}

/* ---- the walk ---- */

struct walk {
	struct class_graph *g;
	struct blocks blocks;
	struct read_budget budget;
	uint32_t constants, name, layout; /* of an InstanceKlass */
	uint32_t next_class, first_class; /* of Klass, ClassLoaderData */
	uint32_t next_loader, is_hidden;  /* of ClassLoaderData */
	uint32_t object; /* of ClassLoaderData: its java.lang.ClassLoader */
	bool has_flag, has_object;
	struct map64 objects; /* that were seen */
	uint64_t steps;
};

/* Returns true when the walk must end. */
static bool walk_is_over(struct walk *w)
{
	if (w->g->count < CLASSES_MOST && ++w->steps < STEPS_MOST &&
	    (w->steps % 256 || !read_budget_is_spent(&w->budget)))
		return false;
	w->g->is_complete = false;
	return true;
}

static void walk_add_class(struct walk *w, uint64_t klass)
{
	struct class_graph *g = w->g;
	struct graph_class c = { .klass = klass };
	int32_t layout = -1;
	uint64_t pool;

	if (!blocks_u64(&w->blocks, klass + w->name, &pool))
		return;
	c.symbol = pool & ((UINT64_C(1) << 48) - 1);
	map64_add(&g->class_granules, klass >> GRAPH_GRANULE_SHIFT, 0);
	/*
	 * Classes of arrays have no pool, and a negative layout helper
	 * (oops/klass.hpp).
	 */
	if (blocks_read(&w->blocks, klass + w->layout, &layout,
			sizeof(layout)) &&
	    layout >= 0 &&
	    blocks_u64(&w->blocks, klass + w->constants, &pool) &&
	    pool >= OBJECT_LOWEST && pool % OBJECT_WORD == 0 &&
	    !(pool >> ADDRESS_BITS))
		map64_add(&g->pool_granules, pool >> GRAPH_GRANULE_SHIFT, 0);
	array_add(g->all, g->count, g->cap, c);
}

static void walk_loader(struct walk *w, uint64_t loader)
{
	uint64_t klass = 0;

	if (!blocks_u64(&w->blocks, loader + w->first_class, &klass))
		w->g->is_complete = false;
	while (klass && !walk_is_over(w)) {
		walk_add_class(w, klass);
		if (!blocks_u64(&w->blocks, klass + w->next_class, &klass)) {
			w->g->is_complete = false;
			return;
		}
	}
}

/*
 * A hidden class may have a ClassLoaderData of its own, which has a flag or, in
 * JDK 8, the loader of another.
 */
static bool walk_is_loader(struct walk *w, uint64_t loader)
{
	uint8_t is_hidden = 0;
	uint64_t object;

	if (w->has_flag)
		return !blocks_read(&w->blocks, loader + w->is_hidden,
				    &is_hidden, 1) ||
		       !is_hidden;
	return !w->has_object ||
	       (blocks_u64(&w->blocks, loader + w->object, &object) &&
		map64_add(&w->objects, object, 0));
}

static void walk_find_hidden(struct walk *w, const struct vm_structs *v)
{
	static const char *const flags[] = { "_has_class_mirror_holder",
					     "_is_unsafe_anonymous",
					     "_is_anonymous" };

	for (size_t i = 0; i < 3 && !w->has_flag; i++)
		w->has_flag = vm_structs_offset(v, "ClassLoaderData", flags[i],
						&w->is_hidden);
	w->has_object = vm_structs_offset(v, "ClassLoaderData", "_class_loader",
					  &w->object);
}

/* With has_lists, a ClassLoaderData lists its classes. */
static bool walk_loaders(struct walk *w, const struct field_reader *r,
			 bool has_lists)
{
	uint64_t at, loader;

	if (!vm_structs_static(r->v, "ClassLoaderDataGraph", "_head", &at) ||
	    !vm_structs_offset(r->v, "ClassLoaderData", "_next",
			       &w->next_loader))
		return false;
	walk_find_hidden(w, r->v);
	loader = memory_u64(r->memory, at);
	for (size_t i = 0; loader && i < LOADERS_MOST && !walk_is_over(w);
	     i++) {
		w->g->loaders += walk_is_loader(w, loader);
		if (has_lists)
			walk_loader(w, loader);
		if (!blocks_u64(&w->blocks, loader + w->next_loader, &loader)) {
			w->g->is_complete = false;
			break;
		}
	}
	return true;
}

/* ---- the dictionary of JDK 8 ---- */

struct dictionary_layout {
	uint32_t size, buckets;  /* of a BasicHashtable */
	uint32_t next, class_at; /* of an entry */
};

static bool dictionary_find(struct dictionary_layout *l,
			    const struct field_reader *r, uint64_t *table)
{
	uint64_t at;

	if (!vm_structs_static(r->v, "SystemDictionary", "_dictionary", &at) ||
	    !vm_structs_offset(r->v, "BasicHashtable<mtInternal>",
			       "_table_size", &l->size) ||
	    !vm_structs_offset(r->v, "BasicHashtable<mtInternal>", "_buckets",
			       &l->buckets) ||
	    !vm_structs_offset(r->v, "BasicHashtableEntry<mtInternal>", "_next",
			       &l->next) ||
	    !vm_structs_offset(r->v, "IntptrHashtableEntry", "_literal",
			       &l->class_at))
		return false;
	*table = memory_u64(r->memory, at);
	return *table >= OBJECT_LOWEST;
}

static bool walk_dictionary(struct walk *w, const struct field_reader *r)
{
	struct dictionary_layout l;
	uint64_t table, *buckets;
	uint32_t size;

	if (!dictionary_find(&l, r, &table))
		return false;
	size = memory_u32(r->memory, table + l.size);
	if (!size || size > BUCKETS_MOST)
		return false;
	buckets = xcalloc(size, sizeof(*buckets));
	w->g->is_complete = memory_read(
		r->memory, memory_u64(r->memory, table + l.buckets), buckets,
		size * sizeof(*buckets));
	for (uint32_t i = 0; w->g->is_complete && i < size; i++) {
		uint64_t entry = buckets[i], klass;

		while (entry && !walk_is_over(w)) {
			/* The lowest bit marks entries of an archive. */
			entry &= ~UINT64_C(1);
			if (blocks_u64(&w->blocks, entry + l.class_at, &klass))
				walk_add_class(w, klass);
			if (!blocks_u64(&w->blocks, entry + l.next, &entry)) {
				w->g->is_complete = false;
				break;
			}
		}
	}
	free(buckets);
	return true;
}

/* ---- names ---- */

/* Reads the lengths of all names, with few requests. */
static void graph_read_lengths(struct class_graph *g,
			       const struct field_reader *r)
{
	struct memory_range *ranges = xcalloc(AT_ONCE, sizeof(*ranges));
	uint16_t lengths[AT_ONCE];

	for (size_t i = 0; i < g->count; i += AT_ONCE) {
		size_t n = g->count - i < AT_ONCE ? g->count - i : AT_ONCE;

		for (size_t k = 0; k < n; k++)
			ranges[k] = memory_range_of(
				g->all[i + k].symbol + r->symbol_length,
				&lengths[k], sizeof(lengths[k]));
		r->memory->read_all(r->memory, ranges, n);
		for (size_t k = 0; k < n; k++)
			g->all[i + k].name_len = ranges[k].is_read ? lengths[k]
								   : 0;
	}
	free(ranges);
}

static bool class_may_have(const struct graph_class *c, size_t len,
			   bool is_whole)
{
	return is_whole ? c->name_len == len
			: c->name_len >= len && c->name_len <= NAME_MOST;
}

size_t class_graph_find(struct class_graph *g, const struct field_reader *r,
			const char *name, bool is_whole, uint64_t *out,
			size_t most)
{
	size_t len = strlen(name), n = 0, count = 0;
	struct memory_range *ranges = xcalloc(AT_ONCE, sizeof(*ranges));
	const struct graph_class **of = xcalloc(AT_ONCE, sizeof(*of));
	char *text = xmalloc(AT_ONCE * len + 1);

	for (size_t i = 0; i <= g->count && count < most; i++) {
		const struct graph_class *c = i < g->count ? &g->all[i] : NULL;

		if (c && class_may_have(c, len, is_whole)) {
			of[n] = c;
			ranges[n] = (struct memory_range){
				c->symbol + r->symbol_body + c->name_len - len,
				text + n * len, len, false
			};
			n++;
		}
		if (n < AT_ONCE && c)
			continue;
		r->memory->read_all(r->memory, ranges, n);
		for (size_t k = 0; k < n && count < most; k++) {
			if (ranges[k].is_read &&
			    memcmp(ranges[k].bytes, name, len) == 0)
				out[count++] = of[k]->klass;
		}
		n = 0;
	}
	free(text);
	free(of);
	free(ranges);
	return count;
}

bool class_graph_read(struct class_graph *g, const struct field_reader *r,
		      struct pages *pages)
{
	struct walk *w = xcalloc(1, sizeof(*w));
	bool is_found;

	*g = (struct class_graph){ .is_complete = true };
	w->g = g;
	w->blocks.memory = r->memory;
	w->blocks.pages = pages;
	w->budget = read_budget_of(BUDGET_NS);
	w->constants = r->constants;
	is_found = vm_structs_offset(r->v, "Klass", "_name", &w->name) &&
		   vm_structs_offset(r->v, "Klass", "_layout_helper",
				     &w->layout);
	if (is_found &&
	    vm_structs_offset(r->v, "ClassLoaderData", "_klasses",
			      &w->first_class) &&
	    vm_structs_offset(r->v, "Klass", "_next_link", &w->next_class))
		is_found = walk_loaders(w, r, true);
	else if (is_found) {
		walk_loaders(w, r, false);
		is_found = walk_dictionary(w, r);
	}
	graph_read_lengths(g, r);
	map64_release(&w->objects);
	free(w);
	return is_found;
}

void class_graph_release(struct class_graph *g)
{
	free(g->all);
	map64_release(&g->class_granules);
	map64_release(&g->pool_granules);
	*g = (struct class_graph){ 0 };
}
