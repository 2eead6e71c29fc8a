/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_symbols.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/*
 * libjvm has 60,000 symbols in 6 MB.  Each part of a table that is read and
 * found useless is charged for WASTE_PART of its size, so that files with
 * endless useless tables end, too.
 */
enum {
	SYMBOLS_MAX = 64 << 20,
	NAMES_MAX = 128 << 20,
	WASTE_PART = 8,
	WINDOW_SYMBOLS = 2048,
};
enum { WINDOW = ELF_NAME_MOST / 2 };

/* The symbols that are kept, and the names that these refer to. */
struct selection {
	size_t count;
	uint32_t first_name, last_name;
};

/* Finds the ends of the sections with code. */
static bool symbols_read_ends(struct elf_symbols *s, const struct elf_file *f)
{
	if (!budget_charge(s->budget, f->section_count * sizeof(*s->ends)))
		return false;
	s->section_count = f->section_count;
	s->ends = xcalloc(f->section_count, sizeof(*s->ends));
	for (size_t i = 0; i < f->section_count; i++)
		if (f->sections[i].sh_flags & SHF_EXECINSTR)
			s->ends[i] = f->sections[i].sh_addr +
				     f->sections[i].sh_size;
	return true;
}

/*
 * Terminates names at the end of the table, and at least once in every two
 * windows.  Names may be suffixes of others, so a table without a NUL would
 * have a million names of many megabytes each, all to be compared.
 */
static void symbols_end_names(struct elf_part *names)
{
	for (size_t at = 0; at + WINDOW <= names->len; at += WINDOW)
		if (!memchr(names->bytes + at, '\0', WINDOW))
			names->bytes[at + WINDOW - 1] = '\0';
	names->bytes[names->len - 1] = '\0';
}

/* Returns true for functions and variables that the file defines. */
static bool symbol_is_useful(const Elf64_Sym *s, uint64_t names_len)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	return s->st_name && s->st_name < names_len &&
	       s->st_shndx != SHN_UNDEF &&
	       (type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC ||
		type == STT_GNU_IFUNC);
}

/*
 * Selects useful symbols, and copies at most `max` to `all` unless that is
 * NULL. Returns false when the file is unreadable.
 */
static bool symbols_select(const struct elf_file *f, const Elf64_Shdr *section,
			   uint64_t names_len, Elf64_Sym *all, size_t max,
			   struct selection *selected)
{
	size_t count = section->sh_size / sizeof(Elf64_Sym), part;
	Elf64_Sym window[WINDOW_SYMBOLS];

	*selected = (struct selection){ .first_name = UINT32_MAX };
	for (size_t at = 0; at < count; at += part) {
		part = count - at < WINDOW_SYMBOLS ? count - at
						   : WINDOW_SYMBOLS;
		if (!elf_file_read_into(
			    f, section->sh_offset + at * sizeof(*window),
			    window, part * sizeof(*window)))
			return false;
		for (size_t i = 0; i < part && selected->count < max; i++) {
			const Elf64_Sym *s = &window[i];

			if (!symbol_is_useful(s, names_len))
				continue;
			if (all)
				all[selected->count] = *s;
			selected->count++;
			if (s->st_name < selected->first_name)
				selected->first_name = s->st_name;
			if (s->st_name > selected->last_name)
				selected->last_name = s->st_name;
		}
	}
	return true;
}

/* Reads the names from the first to the last that the symbols refer to. */
static bool symbols_read_names(struct elf_symbols *s, const struct elf_file *f,
			       const Elf64_Shdr *names,
			       const struct selection *selected)
{
	uint64_t begin = selected->first_name - 1;
	uint64_t end = (uint64_t)selected->last_name + ELF_NAME_MOST;

	if (end > names->sh_size)
		end = names->sh_size;
	if (!elf_file_read(f, names->sh_offset + begin, end - begin, NAMES_MAX,
			   &s->names))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		Elf64_Sym *symbol = (Elf64_Sym *)elf_symbols_at(s, i);

		/* The file may have changed since the first look. */
		symbol->st_name = symbol->st_name > begin
					  ? (uint32_t)(symbol->st_name - begin)
					  : 0;
	}
	s->names.bytes[0] = '\0';
	symbols_end_names(&s->names);
	return true;
}

static bool symbols_read(struct elf_symbols *s, const struct elf_file *f,
			 const Elf64_Shdr *section, const Elf64_Shdr *names)
{
	size_t useless = section->sh_size / WASTE_PART;
	struct selection selected;
	size_t bytes;

	s->budget = f->source.budget;
	if (!budget_charge(s->budget, useless))
		return false;
	if (!symbols_select(f, section, names->sh_size, NULL, SIZE_MAX,
			    &selected) ||
	    !selected.count)
		return false;
	bytes = selected.count * sizeof(Elf64_Sym);
	if (!budget_charge(s->budget, bytes))
		return false;
	s->symbols = (struct elf_part){ .bytes = xcalloc(1, bytes),
					.len = bytes,
					.budget = s->budget };
	if (!symbols_select(f, section, names->sh_size,
			    (Elf64_Sym *)s->symbols.bytes, selected.count,
			    &selected) ||
	    !selected.count)
		return false;
	s->count = selected.count;
	return symbols_read_names(s, f, names, &selected) &&
	       symbols_read_ends(s, f);
}

void elf_symbols_init(struct elf_symbols *s, const struct elf_file *f,
		      uint32_t type)
{
	const Elf64_Shdr *section = elf_file_section_of_type(f, type), *names;

	*s = (struct elf_symbols){ 0 };
	if (!section || section->sh_entsize != sizeof(Elf64_Sym) ||
	    section->sh_size > SYMBOLS_MAX ||
	    section->sh_link >= f->section_count)
		return;
	names = &f->sections[section->sh_link];
	if (elf_section_is_readable(section) &&
	    elf_section_is_readable(names) &&
	    symbols_read(s, f, section, names))
		return;
	elf_symbols_release(s);
}

void elf_symbols_release(struct elf_symbols *s)
{
	elf_part_release(&s->symbols);
	elf_part_release(&s->names);
	free(s->ends);
	budget_return(s->budget, s->section_count * sizeof(*s->ends));
	*s = (struct elf_symbols){ 0 };
}

const char *elf_symbols_name(const struct elf_symbols *s, size_t i)
{
	uint32_t at = elf_symbols_at(s, i)->st_name;

	return at < s->names.len ? (const char *)s->names.bytes + at : "";
}

/* Returns the end of the symbol's section if that has code, else 0. */
static uint64_t elf_symbols_limit(const struct elf_symbols *s, size_t i)
{
	size_t section = elf_symbols_at(s, i)->st_shndx;

	return section < s->section_count ? s->ends[section] : 0;
}

/* Returns true for functions and labels of code. */
static bool elf_symbols_is_code(const struct elf_symbols *s, size_t i)
{
	const Elf64_Sym *symbol = elf_symbols_at(s, i);

	if (symbol->st_value >= elf_symbols_limit(s, i))
		return false;
	/* Check the kind first: names are far apart in memory. */
	if (!symbol->st_name || symbol->st_name >= s->names.len)
		return false;
	switch (ELF64_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE: /* labels of assembly; compilers name their own this
			    way */
		return *elf_symbols_name(s, i) != '.';
	default:
		return false;
	}
}

static uint64_t symbols_find_among(const struct elf_symbols *s,
				   const char *name, bool is_object)
{
	for (size_t i = 0; i < s->count; i++) {
		const Elf64_Sym *symbol = elf_symbols_at(s, i);

		if ((ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT) ==
			    is_object &&
		    symbol->st_shndx != SHN_UNDEF &&
		    strcmp(elf_symbols_name(s, i), name) == 0)
			return symbol->st_value;
	}
	return 0;
}

/* Compares functions last: there are many, and their names are far apart. */
uint64_t elf_symbols_find(const struct elf_symbols *s, const char *name)
{
	uint64_t address = symbols_find_among(s, name, true);

	return address ? address : symbols_find_among(s, name, false);
}

/* ---- functions by their addresses ---- */

/*
 * A symbol: the index of its table in the high bits, its number in the low
 * bits.
 */
enum { TABLE_SHIFT = 30, NUMBER_MASK = (1 << TABLE_SHIFT) - 1 };
#define NONE UINT32_MAX

/* The radix of the sort; the code of libjvm takes two passes. */
enum { DIGIT_BITS = 13, DIGIT_MASK = (1 << DIGIT_BITS) - 1 };

/* Larger clusters are resolved once, with all others. */
enum { CLUSTER_MOST = 1024 };

/*
 * The memory that resolving needs, in places for each function: 2 of the
 * result, 4 more as an array grows, and 3 for its span.
 */
enum { PLACES_EACH = 9 };

/* The function, or NONE, from an address up to the next place. */
struct elf_place {
	uint64_t at;
	uint32_t symbol;
};

struct places {
	struct elf_place *all;
	size_t count, cap;
};

/*
 * A symbol of code, sorted by address: small, because there are many, and
 * memory costs more than the sort. Symbols whose functions overlap, and those
 * between them, are a cluster.
 */
struct elf_candidate {
	uint32_t start; /* relative to the first symbol */
	uint32_t symbol;
	union {
		uint32_t size;     /* while sorting; UINT32_MAX = larger */
		uint32_t is_first; /* after that: of its cluster */
	};
};

/* The function at an address, with its best name. */
struct span {
	uint64_t start, end; /* end == start: unknown */
	uint32_t symbol;
	bool is_label; /* not a function symbol, and without a size */
};

struct spans {
	struct span *all;
	size_t count;
};

static const struct elf_symbols *symbol_table(const struct elf_functions *f,
					      uint32_t symbol)
{
	return f->tables[symbol >> TABLE_SHIFT];
}

static const Elf64_Sym *symbol_entry(const struct elf_functions *f,
				     uint32_t symbol)
{
	return elf_symbols_at(symbol_table(f, symbol), symbol & NUMBER_MASK);
}

static const char *symbol_name(const struct elf_functions *f, uint32_t symbol)
{
	return elf_symbols_name(symbol_table(f, symbol), symbol & NUMBER_MASK);
}

/* Returns where the symbol's section ends. */
static uint64_t symbol_limit(const struct elf_functions *f, uint32_t symbol)
{
	return elf_symbols_limit(symbol_table(f, symbol), symbol & NUMBER_MASK);
}

/* Returns where the symbol ends by its size. */
static uint64_t symbol_end(const struct elf_functions *f, uint32_t symbol)
{
	const Elf64_Sym *s = symbol_entry(f, symbol);
	uint64_t most = symbol_limit(f, symbol) - s->st_value;

	return s->st_value + (s->st_size < most ? s->st_size : most);
}

static uint64_t candidate_start(const struct elf_functions *f,
				const struct elf_candidate *c)
{
	return f->first + c->start;
}

/*
 * Copies candidates by one digit of their address and keeps the order
 * otherwise.
 */
static void candidates_distribute(const struct elf_candidate *from,
				  struct elf_candidate *to, size_t count,
				  unsigned shift)
{
	uint32_t at[1 << DIGIT_BITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		at[from[i].start >> shift & DIGIT_MASK]++;
	for (size_t i = 0; i <= DIGIT_MASK; i++) {
		uint32_t here = at[i];

		at[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i].start >> shift & DIGIT_MASK]++] = from[i];
}

/* Adds a symbol of code; *last is the last address so far. */
static void functions_add(struct elf_functions *f, uint32_t symbol,
			  uint64_t *last)
{
	uint64_t start = symbol_entry(f, symbol)->st_value;
	uint64_t size = symbol_end(f, symbol) - start;

	if (start < f->first)
		f->first = start;
	if (start > *last)
		*last = start;
	f->all[f->count++] = (struct elf_candidate){
		.start = (uint32_t)start, /* relative to 0 so far */
		.symbol = symbol,
		.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
	};
}

/* Removes symbols that are 4 GiB or more behind the first. */
static void functions_drop_far(struct elf_functions *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->count; i++) {
		const Elf64_Sym *s = symbol_entry(f, f->all[i].symbol);

		if (s->st_value - f->first <= UINT32_MAX)
			f->all[kept++] = f->all[i];
	}
	f->count = kept;
}

/*
 * Collects the symbols of code of all tables; returns the largest relative
 * address.
 */
static uint32_t functions_collect(struct elf_functions *f)
{
	uint64_t last = 0;

	f->first = UINT64_MAX;
	for (size_t t = 0; t < f->table_count; t++) {
		const struct elf_symbols *s = f->tables[t];

		for (size_t i = 0; i < s->count && i <= NUMBER_MASK; i++) {
			if (elf_symbols_is_code(s, i))
				functions_add(f,
					      (uint32_t)t << TABLE_SHIFT |
						      (uint32_t)i,
					      &last);
		}
	}
	if (!f->count)
		return 0;
	if (last - f->first > UINT32_MAX) {
		functions_drop_far(f);
		last = f->first + UINT32_MAX;
	}
	/* Modulo 2^32, the difference of the low bits is the difference. */
	for (size_t i = 0; i < f->count; i++)
		f->all[i].start -= (uint32_t)f->first;
	return (uint32_t)(last - f->first);
}

/*
 * Sorts by address, digit by digit: each comparison of two candidates waits for
 * memory, and there would be a million comparisons.
 */
static void functions_sort(struct elf_functions *f, uint32_t last)
{
	struct elf_candidate *other = xmalloc(f->count * sizeof(*other)), *kept;

	for (unsigned shift = 0; shift < 32 && last >> shift;
	     shift += DIGIT_BITS) {
		candidates_distribute(f->all, other, f->count, shift);
		kept = f->all;
		f->all = other;
		other = kept;
	}
	free(other);
}

/*
 * Divides the sorted candidates into clusters: one begins where all earlier
 * functions have ended.
 */
static void functions_cluster(struct elf_functions *f)
{
	uint64_t reach = 0, before = UINT64_MAX;

	for (size_t i = 0; i < f->count; i++) {
		struct elf_candidate *c = &f->all[i];
		uint64_t start = candidate_start(f, c);
		uint64_t end = start + c->size;

		if (!c->size)
			end = elf_cfi_end(f->cfi, start);
		else if (c->size == UINT32_MAX)
			end = UINT64_MAX;
		c->is_first = start != before && start >= reach;
		before = start;
		if (end > reach)
			reach = end;
	}
}

/* Returns the rank of a name; the lowest rank is the best. */
static uint32_t symbol_rank(const Elf64_Sym *symbol, const char *name)
{
	unsigned binding = ELF64_ST_BIND(symbol->st_info);
	uint32_t underscores = (uint32_t)strspn(name, "_");

	/* All C++ names begin with an underscore. */
	if (strncmp(name, "_Z", 2) == 0)
		underscores = 0;
	/* "nanosleep" is weak, "__nanosleep" is not. */
	return (uint32_t)(ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE) << 10 |
	       (uint32_t)(binding == STB_LOCAL) << 9 |
	       (uint32_t)(strchr(name, '@') != NULL) << 8 |
	       (underscores < 127 ? underscores : 127) << 1 |
	       (uint32_t)(binding == STB_WEAK);
}

/* Returns true when a is the better-known name. */
static bool symbol_is_better(const struct elf_functions *f, uint32_t a,
			     uint32_t b)
{
	const char *a_name = symbol_name(f, a), *b_name = symbol_name(f, b);
	uint32_t a_rank = symbol_rank(symbol_entry(f, a), a_name);
	uint32_t b_rank = symbol_rank(symbol_entry(f, b), b_name);

	if (a_rank != b_rank)
		return a_rank < b_rank;
	return strcmp(a_name, b_name) < 0;
}

/*
 * Merges the candidates at one address into a span: the best name, and the size
 * of the best symbol that has a size.
 */
static struct span span_make(const struct elf_functions *f,
			     const struct elf_candidate *all, size_t count)
{
	struct span s = { .start = candidate_start(f, all),
			  .symbol = all->symbol };
	uint32_t sized = NONE;

	for (size_t i = 0; i < count; i++) {
		uint32_t symbol = all[i].symbol;

		if (i && symbol_is_better(f, symbol, s.symbol))
			s.symbol = symbol;
		if (symbol_end(f, symbol) > s.start &&
		    (sized == NONE || symbol_is_better(f, symbol, sized)))
			sized = symbol;
	}
	s.end = sized == NONE ? s.start : symbol_end(f, sized);
	s.is_label = symbol_end(f, s.symbol) == s.start &&
		     ELF64_ST_TYPE(symbol_entry(f, s.symbol)->st_info) ==
			     STT_NOTYPE;
	return s;
}

/* Makes the spans of the candidates [begin, end). */
static void spans_unite(const struct elf_functions *f, size_t begin, size_t end,
			struct spans *s)
{
	size_t next;

	s->all = xcalloc(end - begin, sizeof(*s->all));
	for (size_t i = begin; i < end; i = next) {
		for (next = i + 1; next < end; next++) {
			if (f->all[next].start != f->all[i].start)
				break;
		}
		s->all[s->count++] = span_make(f, &f->all[i], next - i);
	}
}

/*
 * Gives an end to functions whose symbols do not have a size. `next` is the
 * start of the function after the spans.
 */
static void spans_set_ends(const struct elf_functions *f, struct spans *s,
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
		/* A function without a name in these tables may follow it. */
		one->end = f->is_complete ? symbol_limit(f, one->symbol)
					  : one->start + 1;
		behind = i + 1 < s->count ? s->all[i + 1].start : next;
		if (behind < one->end)
			one->end = behind;
	}
}

static void places_add(struct places *p, uint64_t at, uint32_t symbol)
{
	if (p->count && p->all[p->count - 1].at == at)
		p->count--;
	array_reserve(p->all, p->cap, p->count + 1);
	p->all[p->count++] = (struct elf_place){ at, symbol };
}

/*
 * Closes open functions that end at or before an address.  A function within
 * another closes first; one that overlaps its end closes with it.
 */
static void places_close_until(struct places *p, const struct spans *s,
			       size_t *open, size_t *depth, uint64_t address)
{
	while (*depth && s->all[open[*depth - 1]].end <= address) {
		uint64_t end = s->all[open[*depth - 1]].end;

		while (*depth && s->all[open[*depth - 1]].end <= end)
			--*depth;
		places_add(p, end,
			   *depth ? s->all[open[*depth - 1]].symbol : NONE);
	}
}

/* Turns functions, which may be nested, into a sequence of places. */
static void places_make(struct places *p, const struct spans *s)
{
	size_t *open = xcalloc(s->count, sizeof(*open)), depth = 0;

	for (size_t i = 0; i < s->count; i++) {
		places_close_until(p, s, open, &depth, s->all[i].start);
		/* A label within a function is a part of it. */
		if (depth && s->all[i].is_label)
			continue;
		places_add(p, s->all[i].start, s->all[i].symbol);
		open[depth++] = i;
	}
	places_close_until(p, s, open, &depth, UINT64_MAX);
	free(open);
}

/* Returns the places of the candidates [begin, end), which are clusters. */
static struct places functions_places(const struct elf_functions *f,
				      size_t begin, size_t end)
{
	uint64_t next = end < f->count ? candidate_start(f, &f->all[end])
				       : UINT64_MAX;
	struct spans s = { 0 };
	struct places p = { 0 };

	spans_unite(f, begin, end, &s);
	spans_set_ends(f, &s, next);
	places_make(&p, &s);
	free(s.all);
	return p;
}

/* Returns the symbol at an address, or NONE. */
static uint32_t places_symbol(const struct elf_place *places, size_t count,
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
	return low ? places[low - 1].symbol : NONE;
}

/* Returns the number of candidates that begin at or before an address. */
static size_t functions_until(const struct elf_functions *f, uint64_t address)
{
	size_t low = 0, high = f->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (candidate_start(f, &f->all[mid]) <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void elf_functions_init(struct elf_functions *f,
			const struct elf_symbols *const *tables, size_t count,
			bool is_complete, struct elf_cfi *cfi,
			struct budget *budget)
{
	size_t most = 0;

	*f = (struct elf_functions){
		.table_count = count < ELF_TABLES ? count : ELF_TABLES,
		.cfi = cfi,
		.is_complete = is_complete,
		.budget = budget,
	};
	for (size_t i = 0; i < f->table_count; i++) {
		f->tables[i] = tables[i];
		most += tables[i]->count;
	}
	/* The sort needs the candidates twice. */
	if (!budget_charge(budget, 2 * most * sizeof(*f->all)))
		return;
	f->all = xmalloc(most * sizeof(*f->all));
	functions_sort(f, functions_collect(f));
	functions_cluster(f);
	budget_return(budget, (2 * most - f->count) * sizeof(*f->all));
}

void elf_functions_release(struct elf_functions *f)
{
	budget_return(f->budget, f->count * sizeof(*f->all) +
					 f->place_count * sizeof(*f->places));
	free(f->all);
	free(f->places);
	*f = (struct elf_functions){ 0 };
}

/* Resolves all clusters; without the memory for that, there are no places. */
static void functions_resolve(struct elf_functions *f)
{
	size_t most = PLACES_EACH * f->count * sizeof(*f->places);
	struct places p;

	f->is_resolved = true;
	if (!budget_charge(f->budget, most))
		return;
	p = functions_places(f, 0, f->count);
	f->places = xrealloc(p.all, p.count, sizeof(*p.all));
	f->place_count = p.count;
	budget_return(f->budget, most - p.count * sizeof(*p.all));
}

static uint32_t functions_symbol(struct elf_functions *f, uint64_t address)
{
	size_t end = functions_until(f, address), begin = end;
	struct places p;
	uint32_t symbol;

	if (!end)
		return NONE;
	while (!f->is_resolved && !f->all[--begin].is_first) {
		/* Repeated work for a large cluster would add up. */
		if (end - begin > CLUSTER_MOST)
			functions_resolve(f);
	}
	if (f->is_resolved)
		return places_symbol(f->places, f->place_count, address);
	p = functions_places(f, begin, end);
	symbol = places_symbol(p.all, p.count, address);
	free(p.all);
	return symbol;
}

const char *elf_functions_at(struct elf_functions *f, uint64_t address,
			     uint64_t *start)
{
	uint32_t symbol = functions_symbol(f, address);

	if (symbol == NONE || !*symbol_name(f, symbol))
		return NULL;
	*start = symbol_entry(f, symbol)->st_value;
	return symbol_name(f, symbol);
}
