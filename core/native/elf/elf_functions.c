/* SPDX-License-Identifier: Apache-2.0 */
#include "core/native/elf/elf_functions.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A symbol: its table in the two bits above its number. */
enum { TABLE_SHIFT = 30, NUMBER_MASK = (1 << TABLE_SHIFT) - 1 };
#define NONE UINT32_MAX

/* What is sorted by at a time; some MB of code take three. */
enum { DIGIT_BITS = 9, DIGIT_MASK = (1 << DIGIT_BITS) - 1 };

/* From here on to the next place it is that function, or none. */
struct elf_place {
	uint64_t at;
	uint32_t symbol;
};

/* A symbol that is to be sorted: small, since there are many. */
struct candidate {
	uint64_t start;
	uint32_t symbol;
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
	return elf_symbols_limit(table_of(f, symbol), symbol & NUMBER_MASK);
}

/* Where it ends by its size. */
static uint64_t end_of(const struct elf_functions *f, uint32_t symbol)
{
	const Elf64_Sym *s = symbol_of(f, symbol);
	uint64_t most = limit_of(f, symbol) - s->st_value;

	return s->st_value + (s->st_size < most ? s->st_size : most);
}

static void add_table(struct candidates *c, const struct elf_symbols *s,
		      uint32_t table)
{
	array_reserve(c->all, c->cap, c->count + s->count);
	for (size_t i = 0; i < s->count && i <= NUMBER_MASK; i++) {
		if (!elf_symbols_is_code(s, i))
			continue;
		c->all[c->count++] = (struct candidate){
			.start = elf_symbols_at(s, i)->st_value,
			.symbol = table << TABLE_SHIFT | (uint32_t)i,
		};
	}
}

/* Those of `from`, by some bits of their place, and else as they were. */
static void distribute(const struct candidate *from, struct candidate *to,
		       size_t count, uint64_t first, unsigned shift)
{
	size_t at[1 << DIGIT_BITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		at[(from[i].start - first) >> shift & DIGIT_MASK]++;
	for (size_t i = 0; i <= DIGIT_MASK; i++) {
		size_t here = at[i];

		at[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[at[(from[i].start - first) >> shift &
		      DIGIT_MASK]++] = from[i];
}

/*
 * By their places.  Digit by digit, since a comparison of two out of so many
 * waits for memory, and there would be a million.
 */
static void sort(struct candidates *c)
{
	struct candidate *other = xcalloc(c->count, sizeof(*other)), *kept;
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->all[i].start < first)
			first = c->all[i].start;
		if (c->all[i].start > last)
			last = c->all[i].start;
	}
	for (unsigned shift = 0;
	     c->count && shift < 64 && (last - first) >> shift;
	     shift += DIGIT_BITS) {
		distribute(c->all, other, c->count, first, shift);
		kept = c->all;
		c->all = other;
		other = kept;
	}
	free(other);
}

/* Less is better. */
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

/* True when people know a's name rather than b's. */
static bool is_better(const struct elf_functions *f, uint32_t a, uint32_t b)
{
	const char *a_name = name_of(f, a), *b_name = name_of(f, b);
	uint32_t a_rank = rank_of(symbol_of(f, a), a_name);
	uint32_t b_rank = rank_of(symbol_of(f, b), b_name);

	if (a_rank != b_rank)
		return a_rank < b_rank;
	return strcmp(a_name, b_name) < 0;
}

/*
 * What so many candidates at one place make up: the best name, and the size of
 * the best that has one.
 */
static struct span span_of(const struct elf_functions *f,
			   const struct candidate *all, size_t count)
{
	struct span s = { .start = all->start, .symbol = all->symbol };
	uint32_t sized = NONE;

	for (size_t i = 0; i < count; i++) {
		uint32_t symbol = all[i].symbol;

		if (i && is_better(f, symbol, s.symbol))
			s.symbol = symbol;
		if (end_of(f, symbol) > s.start &&
		    (sized == NONE || is_better(f, symbol, sized)))
			sized = symbol;
	}
	s.end = sized == NONE ? s.start : end_of(f, sized);
	s.is_label = end_of(f, s.symbol) == s.start &&
		     ELF64_ST_TYPE(symbol_of(f, s.symbol)->st_info) ==
			     STT_NOTYPE;
	return s;
}

static void unite(const struct elf_functions *f, const struct candidates *c,
		  struct spans *s)
{
	size_t next;

	s->all = xcalloc(c->count, sizeof(*s->all));
	for (size_t i = 0; i < c->count; i = next) {
		for (next = i + 1; next < c->count; next++) {
			if (c->all[next].start != c->all[i].start)
				break;
		}
		s->all[s->count++] = span_of(f, &c->all[i], next - i);
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
	sort(&c);
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
	if (symbol == NONE || !*name_of(f, symbol))
		return NULL;
	*start = symbol_of(f, symbol)->st_value;
	return name_of(f, symbol);
}
