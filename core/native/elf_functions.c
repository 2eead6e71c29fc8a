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

/* A symbol that is to be sorted: small, since there are many. */
struct candidate {
	uint64_t start;
	uint32_t symbol;
	uint32_t rank; /* less is better */
};

struct candidates {
	struct candidate *all;
	size_t count, cap;
};

/* What is at one place, under its best name. */
struct span {
	uint64_t start, end; /* end == start: it does not say */
	uint32_t symbol;
	bool is_label; /* no function, and without a size */
};

struct spans {
	struct span *all;
	size_t count;
};

static const struct elf_symbols *table_of(const struct elf_functions *f,
					  uint32_t symbol)
{
	return f->tables[symbol >> TABLE_SHIFT];
}

static const Elf64_Sym *symbol_of(const struct elf_functions *f,
				  uint32_t symbol)
{
	return elf_symbols_at(table_of(f, symbol), symbol & NUMBER_MASK);
}

static const char *name_of(const struct elf_functions *f, uint32_t symbol)
{
	return elf_symbols_name(table_of(f, symbol), symbol & NUMBER_MASK);
}

/* Where its section ends. */
static uint64_t limit_of(const struct elf_functions *f, uint32_t symbol)
{
	uint64_t limit = 0;

	elf_symbols_is_code(table_of(f, symbol), symbol & NUMBER_MASK, &limit);
	return limit;
}

/* Where it ends by its size. */
static uint64_t end_of(const struct elf_functions *f, uint32_t symbol)
{
	const Elf64_Sym *s = symbol_of(f, symbol);
	uint64_t most = limit_of(f, symbol) - s->st_value;

	return s->st_value + (s->st_size < most ? s->st_size : most);
}

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
		uint64_t limit;

		if (!elf_symbols_is_code(s, i, &limit))
			continue;
		array_reserve(c->all, c->cap, c->count + 1);
		c->all[c->count++] = (struct candidate){
			.start = symbol->st_value,
			.symbol = table << TABLE_SHIFT | (uint32_t)i,
			.rank = rank_of(symbol, elf_symbols_name(s, i)),
		};
	}
}

static int by_start_and_rank(const void *a, const void *b, void *functions)
{
	const struct candidate *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(name_of(functions, x->symbol),
		      name_of(functions, y->symbol));
}

/* Makes one of those at each place: the best name, and any size. */
static void unite(const struct elf_functions *f, const struct candidates *c,
		  struct spans *s)
{
	s->all = xcalloc(c->count, sizeof(*s->all));
	for (size_t i = 0; i < c->count; i++) {
		struct span *last = s->count ? &s->all[s->count - 1] : NULL;
		uint32_t symbol = c->all[i].symbol;

		if (last && last->start == c->all[i].start) {
			if (last->end == last->start)
				last->end = end_of(f, symbol);
			continue;
		}
		last = &s->all[s->count++];
		last->start = c->all[i].start;
		last->end = end_of(f, symbol);
		last->symbol = symbol;
		last->is_label = last->end == last->start &&
				 ELF64_ST_TYPE(symbol_of(f, symbol)->st_info) ==
					 STT_NOTYPE;
	}
}

/* Gives those an end that do not say theirs. */
static void set_ends(const struct elf_functions *f, struct spans *s,
		     bool is_complete, struct elf_cfi *cfi)
{
	for (size_t i = 0; i < s->count; i++) {
		struct span *one = &s->all[i];

		if (one->end != one->start)
			continue;
		one->end = elf_cfi_end(cfi, one->start);
		if (one->end > one->start)
			continue;
		/* What is behind it may be a function that has no name here. */
		one->end = is_complete ? limit_of(f, one->symbol)
				       : one->start + 1;
		if (i + 1 < s->count && s->all[i + 1].start < one->end)
			one->end = s->all[i + 1].start;
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
static void close_until(struct elf_functions *f, const struct spans *s,
			size_t *open, size_t *depth, uint64_t address)
{
	while (*depth && s->all[open[*depth - 1]].end <= address) {
		uint64_t end = s->all[open[*depth - 1]].end;

		while (*depth && s->all[open[*depth - 1]].end <= end)
			--*depth;
		add_place(f, end,
			  *depth ? s->all[open[*depth - 1]].symbol : NONE);
	}
}

/* Makes of functions, which may lie within others, places one after another. */
static void make_places(struct elf_functions *f, const struct spans *s)
{
	size_t *open = xcalloc(s->count, sizeof(*open)), depth = 0;

	for (size_t i = 0; i < s->count; i++) {
		close_until(f, s, open, &depth, s->all[i].start);
		/* A label within a function is a part of it. */
		if (depth && s->all[i].is_label)
			continue;
		add_place(f, s->all[i].start, s->all[i].symbol);
		open[depth++] = i;
	}
	close_until(f, s, open, &depth, UINT64_MAX);
	free(open);
}

void elf_functions_init(struct elf_functions *f,
			const struct elf_symbols *const *tables, size_t count,
			bool is_complete, struct elf_cfi *cfi)
{
	struct candidates c = { 0 };
	struct spans s = { 0 };

	*f = (struct elf_functions){ 0 };
	for (size_t i = 0; i < count && i < ELF_TABLES; i++) {
		f->tables[i] = tables[i];
		add_table(&c, tables[i], (uint32_t)i);
	}
	if (c.count)
		qsort_r(c.all, c.count, sizeof(*c.all), by_start_and_rank, f);
	unite(f, &c, &s);
	free(c.all);
	set_ends(f, &s, is_complete, cfi);
	make_places(f, &s);
	free(s.all);
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
	*start = symbol_of(f, symbol)->st_value;
	return name_of(f, symbol);
}
