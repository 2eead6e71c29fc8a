/* SPDX-License-Identifier: Apache-2.0 */
#include "core/native/elf_functions.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A symbol: its table in the two bits above its number. */
enum { TABLE_SHIFT = 30, NUMBER_MASK = (1 << TABLE_SHIFT) - 1 };
#define NONE UINT32_MAX

/* From here on to the next place it is that function, or none. */
struct elf_place {
	uint64_t at;
	uint32_t symbol;
};

/* A symbol that is to be sorted. */
struct candidate {
	uint64_t start, end; /* end == start: it does not say */
	uint64_t limit;      /* where its section ends */
	uint32_t symbol;
	uint32_t rank; /* less is better */
	bool is_label; /* no function, and without a size */
	const char *name;
};

struct candidates {
	struct candidate *all;
	size_t count, cap;
};

static uint32_t rank_of(const Elf64_Sym *symbol, const char *name)
{
	unsigned binding = ELF64_ST_BIND(symbol->st_info);
	uint32_t underscores = (uint32_t)strspn(name, "_");

	/* Of C++ names all begin with one. */
	if (strncmp(name, "_Z", 2) == 0)
		underscores = 0;
	/* "nanosleep" is weak, "__nanosleep" is not. */
	return (uint32_t)(ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE) << 10 |
	       (uint32_t)(binding == STB_LOCAL) << 9 |
	       (uint32_t)(strchr(name, '@') != NULL) << 8 |
	       (underscores < 127 ? underscores : 127) << 1 |
	       (uint32_t)(binding == STB_WEAK);
}

static void add_table(struct candidates *c, const struct elf_symbols *s,
		      uint32_t table)
{
	for (size_t i = 0; i < s->count && i <= NUMBER_MASK; i++) {
		const Elf64_Sym *symbol = elf_symbols_at(s, i);
		struct candidate *one;
		uint64_t limit, size;

		if (!elf_symbols_is_code(s, i, &limit))
			continue;
		array_reserve(c->all, c->cap, c->count + 1);
		one = &c->all[c->count++];
		*one = (struct candidate){ .start = symbol->st_value,
					   .limit = limit };
		size = limit - one->start;
		if (symbol->st_size < size)
			size = symbol->st_size;
		one->end = one->start + size;
		one->is_label = !size &&
				ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE;
		one->symbol = table << TABLE_SHIFT | (uint32_t)i;
		one->name = elf_symbols_name(s, i);
		one->rank = rank_of(symbol, one->name);
	}
}

static int by_start_and_rank(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Leaves one for each place: the best name, and an end that any of them has. */
static void unite(struct candidates *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct candidate *last = kept ? &c->all[kept - 1] : NULL;

		if (!last || last->start != c->all[i].start)
			c->all[kept++] = c->all[i];
		else if (last->end == last->start)
			last->end = c->all[i].end;
	}
	c->count = kept;
}

/* Gives those an end that do not say theirs. */
static void set_ends(struct candidates *c, bool is_complete,
		     struct elf_cfi *cfi)
{
	for (size_t i = 0; i < c->count; i++) {
		struct candidate *one = &c->all[i];

		if (one->end != one->start)
			continue;
		one->end = elf_cfi_end(cfi, one->start);
		if (one->end > one->start)
			continue;
		/* What is behind it may be a function that has no name here. */
		one->end = is_complete ? one->limit : one->start + 1;
		if (i + 1 < c->count && c->all[i + 1].start < one->end)
			one->end = c->all[i + 1].start;
	}
}

static void add_place(struct elf_functions *f, uint64_t at, uint32_t symbol)
{
	if (f->count && f->places[f->count - 1].at == at)
		f->count--;
	array_reserve(f->places, f->cap, f->count + 1);
	f->places[f->count++] = (struct elf_place){ at, symbol };
}

/*
 * Closes those of the open functions that end at an address or before it.  One
 * within another is closed first; what overlaps otherwise ends with it.
 */
static void close_until(struct elf_functions *f, const struct candidates *c,
			size_t *open, size_t *depth, uint64_t address)
{
	while (*depth && c->all[open[*depth - 1]].end <= address) {
		uint64_t end = c->all[open[*depth - 1]].end;

		while (*depth && c->all[open[*depth - 1]].end <= end)
			--*depth;
		add_place(f, end,
			  *depth ? c->all[open[*depth - 1]].symbol : NONE);
	}
}

/* Makes of functions, which may lie within others, places one after another. */
static void make_places(struct elf_functions *f, const struct candidates *c)
{
	size_t *open = xcalloc(c->count, sizeof(*open)), depth = 0;

	for (size_t i = 0; i < c->count; i++) {
		close_until(f, c, open, &depth, c->all[i].start);
		/* A label within a function is a part of it. */
		if (depth && c->all[i].is_label)
			continue;
		add_place(f, c->all[i].start, c->all[i].symbol);
		open[depth++] = i;
	}
	close_until(f, c, open, &depth, UINT64_MAX);
	free(open);
}

void elf_functions_init(struct elf_functions *f,
			const struct elf_symbols *const *tables, size_t count,
			bool is_complete, struct elf_cfi *cfi)
{
	struct candidates c = { 0 };

	*f = (struct elf_functions){ 0 };
	for (size_t i = 0; i < count && i < ELF_TABLES; i++) {
		f->tables[i] = tables[i];
		add_table(&c, tables[i], (uint32_t)i);
	}
	if (c.count)
		qsort(c.all, c.count, sizeof(*c.all), by_start_and_rank);
	unite(&c);
	set_ends(&c, is_complete, cfi);
	make_places(f, &c);
	free(c.all);
}

void elf_functions_release(struct elf_functions *f)
{
	free(f->places);
	*f = (struct elf_functions){ 0 };
}

const char *elf_functions_at(const struct elf_functions *f, uint64_t address,
			     uint64_t *start)
{
	size_t low = 0, high = f->count;
	const struct elf_symbols *table;
	uint32_t symbol;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->places[mid].at <= address)
			low = mid + 1;
		else
			high = mid;
	}
	symbol = low ? f->places[low - 1].symbol : NONE;
	if (symbol == NONE)
		return NULL;
	table = f->tables[symbol >> TABLE_SHIFT];
	*start = elf_symbols_at(table, symbol & NUMBER_MASK)->st_value;
	return elf_symbols_name(table, symbol & NUMBER_MASK);
}
