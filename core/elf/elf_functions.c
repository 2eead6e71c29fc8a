/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_functions.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A symbol: its table in the two bits above its number. */
enum { TABLE_SHIFT = 30, NUMBER_MASK = (1 << TABLE_SHIFT) - 1 };
#define NONE UINT32_MAX

/* What is sorted by at a time; some MB of code take three. */
enum { DIGIT_BITS = 9, DIGIT_MASK = (1 << DIGIT_BITS) - 1 };

/*
 * Blocks of code are sorted when one in them is asked for, which is so of few:
 * to sort all costs more than most runs do otherwise.  One block has some
 * FEW functions.
 */
enum { FEW = 16, BLOCKS_MAX = 1 << 16 };

/* What is sorted for one block; beyond, all are sorted at once. */
enum { MANY = 4096 };

/* From here on to the next place it is that function, or none. */
struct elf_place {
	uint64_t at;
	uint32_t symbol;
};

struct places {
	struct elf_place *all;
	size_t count, cap;
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

struct elf_block {
	uint64_t reach; /* where the last ends of all that begin in it or before
			 */
	uint32_t begin; /* of its candidates */
	uint32_t place_count;
	struct elf_place *places; /* from its start on; NULL = not sorted */
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

/* Gives those an end that do not say theirs; next is behind all of them. */
static void set_ends(const struct elf_functions *f, struct spans *s,
		     uint64_t next)
{
	for (size_t i = 0; i < s->count; i++) {
		struct span *one = &s->all[i];
		uint64_t behind;

		if (one->end != one->start)
			continue;
		one->end = elf_cfi_end(f->cfi, one->start);
		if (one->end > one->start)
			continue;
		/* What is behind it may be a function that has no name here. */
		one->end = f->is_complete ? limit_of(f, one->symbol)
					  : one->start + 1;
		behind = i + 1 < s->count ? s->all[i + 1].start : next;
		if (behind < one->end)
			one->end = behind;
	}
}

static void add_place(struct places *p, uint64_t at, uint32_t symbol)
{
	if (p->count && p->all[p->count - 1].at == at)
		p->count--;
	array_reserve(p->all, p->cap, p->count + 1);
	p->all[p->count++] = (struct elf_place){ at, symbol };
}

/*
 * Closes those of the open functions that end at an address or before it.  One
 * within another is closed first; what overlaps otherwise ends with it.
 */
static void close_until(struct places *p, const struct spans *s, size_t *open,
			size_t *depth, uint64_t address)
{
	while (*depth && s->all[open[*depth - 1]].end <= address) {
		uint64_t end = s->all[open[*depth - 1]].end;

		while (*depth && s->all[open[*depth - 1]].end <= end)
			--*depth;
		add_place(p, end,
			  *depth ? s->all[open[*depth - 1]].symbol : NONE);
	}
}

/* Makes of functions, which may lie within others, places one after another. */
static void make_places(struct places *p, const struct spans *s)
{
	size_t *open = xcalloc(s->count, sizeof(*open)), depth = 0;

	for (size_t i = 0; i < s->count; i++) {
		close_until(p, s, open, &depth, s->all[i].start);
		/* A label within a function is a part of it. */
		if (depth && s->all[i].is_label)
			continue;
		add_place(p, s->all[i].start, s->all[i].symbol);
		open[depth++] = i;
	}
	close_until(p, s, open, &depth, UINT64_MAX);
	free(open);
}

static size_t block_of(const struct elf_functions *f, uint64_t address)
{
	uint64_t block = (address - f->first) >> f->shift;

	return block < f->block_count ? block : f->block_count - 1;
}

static uint64_t start_of(const struct elf_functions *f, size_t block)
{
	return f->first + ((uint64_t)block << f->shift);
}

/* Where its candidates begin; of the one behind the last, where all end. */
static size_t begin_of(const struct elf_functions *f, size_t block)
{
	return block < f->block_count ? f->blocks[block].begin : f->count;
}

/* Where it may reach to, but for one that reaches to the next. */
static uint64_t reach_of(const struct elf_functions *f, uint32_t symbol)
{
	uint64_t start = symbol_of(f, symbol)->st_value;
	uint64_t end = end_of(f, symbol);

	return end > start ? end : elf_cfi_end(f->cfi, start);
}

/* What is done with each symbol of code, in their order. */
typedef void visit_fn(struct elf_functions *f, uint32_t symbol, uint64_t start);

static void visit(struct elf_functions *f, visit_fn *visitor)
{
	for (size_t t = 0; t < f->table_count; t++) {
		const struct elf_symbols *s = f->tables[t];

		for (size_t i = 0; i < s->count && i <= NUMBER_MASK; i++) {
			if (elf_symbols_is_code(s, i))
				visitor(f,
					(uint32_t)t << TABLE_SHIFT |
						(uint32_t)i,
					elf_symbols_at(s, i)->st_value);
		}
	}
}

static void note_range(struct elf_functions *f, uint32_t symbol, uint64_t start)
{
	(void)symbol;
	f->count++;
	if (start < f->first)
		f->first = start;
	if (start > f->last)
		f->last = start;
}

static void count_in_block(struct elf_functions *f, uint32_t symbol,
			   uint64_t start)
{
	struct elf_block *b = &f->blocks[block_of(f, start)];
	uint64_t end = reach_of(f, symbol);

	b->begin++;
	if (end > b->reach)
		b->reach = end;
}

static void put_in_block(struct elf_functions *f, uint32_t symbol,
			 uint64_t start)
{
	f->all[f->blocks[block_of(f, start)].begin++] = symbol;
}

/* Few enough blocks of all that lies between the first and the last. */
static void choose_blocks(struct elf_functions *f)
{
	uint64_t most = f->count / FEW;

	if (most > BLOCKS_MAX)
		most = BLOCKS_MAX;
	while (f->shift < 63 && (f->last - f->first) >> f->shift > most)
		f->shift++;
	f->block_count = (size_t)((f->last - f->first) >> f->shift) + 1;
	f->blocks = xcalloc(f->block_count, sizeof(*f->blocks));
}

/* The symbols by their blocks, and else in the order that they have. */
static void fill_blocks(struct elf_functions *f)
{
	uint64_t reach = 0;
	uint32_t sum = 0;

	visit(f, count_in_block);
	for (size_t i = 0; i < f->block_count; i++) {
		struct elf_block *b = &f->blocks[i];
		uint32_t count = b->begin;

		b->begin = sum;
		sum += count;
		b->reach = reach = b->reach > reach ? b->reach : reach;
	}
	f->all = xcalloc(f->count, sizeof(*f->all));
	visit(f, put_in_block);
	/* Each has come to where the next begins. */
	for (size_t i = f->block_count; i-- > 1;)
		f->blocks[i].begin = f->blocks[i - 1].begin;
	f->blocks[0].begin = 0;
}

/*
 * The first with a function that goes on in the block; as a rule the one before
 * it, since of one without a size it is not known.
 */
static size_t first_for(const struct elf_functions *f, size_t block)
{
	size_t low = 0, high = block, before = block;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->blocks[mid].reach > start_of(f, block))
			high = mid;
		else
			low = mid + 1;
	}
	while (before && begin_of(f, before) == begin_of(f, block))
		before--;
	return low < before ? low : before;
}

/* Where the first function behind a block is. */
static uint64_t start_behind(const struct elf_functions *f, size_t block)
{
	size_t at = begin_of(f, block + 1), end = at;
	uint64_t start = UINT64_MAX;

	while (block + 1 < f->block_count && end == at)
		end = begin_of(f, ++block + 1);
	for (; at < end; at++) {
		if (symbol_of(f, f->all[at])->st_value < start)
			start = symbol_of(f, f->all[at])->st_value;
	}
	return start;
}

/* The places of so many candidates. */
static struct places sort_some(const struct elf_functions *f, size_t begin,
			       size_t end, uint64_t next)
{
	struct candidates c = { 0 };
	struct spans s = { 0 };
	struct places p = { 0 };

	array_reserve(c.all, c.cap, end - begin);
	for (size_t i = begin; i < end; i++)
		c.all[c.count++] = (struct candidate){
			.start = symbol_of(f, f->all[i])->st_value,
			.symbol = f->all[i],
		};
	sort(&c);
	unite(f, &c, &s);
	set_ends(f, &s, next);
	make_places(&p, &s);
	free(c.all);
	free(s.all);
	return p;
}

/* The last place at an address or before it, + 1. */
static size_t find_place(const struct elf_place *places, size_t count,
			 uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (places[mid].at <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void sort_all(struct elf_functions *f)
{
	struct places p = sort_some(f, 0, f->count, UINT64_MAX);

	free(f->all);
	f->all = NULL;
	f->places = p.all;
	f->place_count = p.count;
}

/*
 * Keeps of the places those that are of the block.  A label that goes on in it
 * may be a part of a function that does not.
 */
static void sort_block(struct elf_functions *f, size_t block)
{
	size_t begin = begin_of(f, first_for(f, first_for(f, block)));
	size_t end = begin_of(f, block + 1), first;
	struct elf_block *b = &f->blocks[block];
	struct places p;

	if (end - begin > MANY) {
		sort_all(f);
		return;
	}
	p = sort_some(f, begin, end, start_behind(f, block));
	first = find_place(p.all, p.count, start_of(f, block));
	first -= first > 0;
	b->place_count = (uint32_t)(p.count - first);
	b->places = xcalloc(b->place_count + 1, sizeof(*b->places));
	for (size_t i = 0; i < b->place_count; i++)
		b->places[i] = p.all[first + i];
	free(p.all);
}

void elf_functions_init(struct elf_functions *f,
			const struct elf_symbols *const *tables, size_t count,
			bool is_complete, struct elf_cfi *cfi)
{
	*f = (struct elf_functions){
		.table_count = count < ELF_TABLES ? count : ELF_TABLES,
		.cfi = cfi,
		.is_complete = is_complete,
		.first = UINT64_MAX,
	};
	for (size_t i = 0; i < f->table_count; i++)
		f->tables[i] = tables[i];
	visit(f, note_range);
	if (f->count) {
		choose_blocks(f);
		fill_blocks(f);
	}
}

void elf_functions_release(struct elf_functions *f)
{
	for (size_t i = 0; i < f->block_count; i++)
		free(f->blocks[i].places);
	free(f->blocks);
	free(f->all);
	free(f->places);
	*f = (struct elf_functions){ 0 };
}

/* The symbol at an address, or NONE. */
static uint32_t symbol_at(struct elf_functions *f, uint64_t address)
{
	const struct elf_place *places;
	struct elf_block *b;
	size_t count, at;

	if (!f->block_count || address < f->first)
		return NONE;
	b = &f->blocks[block_of(f, address)];
	if (!f->places && !b->places)
		sort_block(f, block_of(f, address));
	places = f->places ? f->places : b->places;
	count = f->places ? f->place_count : b->place_count;
	at = find_place(places, count, address);
	return at ? places[at - 1].symbol : NONE;
}

const char *elf_functions_at(struct elf_functions *f, uint64_t address,
			     uint64_t *start)
{
	uint32_t symbol = symbol_at(f, address);

	if (symbol == NONE || !*name_of(f, symbol))
		return NULL;
	*start = symbol_of(f, symbol)->st_value;
	return name_of(f, symbol);
}
