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

/*
 * Maximum number of symbols of a cluster that a search looks at: those of
 * libjvm have a few dozen. In a larger one, which only a hostile file has, a
 * function that encloses more symbols is not found behind them.
 */
enum { CLUSTER_MOST = 1 << 14 };

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

/* Collects the symbols of code of all tables. */
static void functions_collect(struct elf_functions *f)
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
	if (f->count && last - f->first > UINT32_MAX)
		functions_drop_far(f);
	/* Modulo 2^32, the difference of the low bits is the difference. */
	for (size_t i = 0; i < f->count; i++)
		f->all[i].start -= (uint32_t)f->first;
}

static int candidate_compare(const void *a, const void *b)
{
	const struct elf_candidate *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
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

/*
 * Gives an end to a function whose symbols do not have a size; next is the
 * start of the function after it.
 */
static void span_set_end(const struct elf_functions *f, struct span *s,
			 uint64_t next)
{
	if (s->end != s->start)
		return;
	s->end = elf_cfi_end(f->cfi, s->start);
	if (s->end > s->start)
		return;
	/* A function without a name in these tables may follow it. */
	s->end = f->is_complete ? symbol_limit(f, s->symbol) : s->start + 1;
	if (next < s->end)
		s->end = next;
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
	/* The sort may need the candidates twice. */
	if (!budget_charge(budget, 2 * most * sizeof(*f->all)))
		return;
	f->all = xmalloc(most * sizeof(*f->all));
	functions_collect(f);
	qsort(f->all, f->count, sizeof(*f->all), candidate_compare);
	functions_cluster(f);
	budget_return(budget, (2 * most - f->count) * sizeof(*f->all));
}

void elf_functions_release(struct elf_functions *f)
{
	budget_return(f->budget, f->count * sizeof(*f->all));
	free(f->all);
	*f = (struct elf_functions){ 0 };
}

/*
 * Returns the symbol of the last function that begins at or before an address
 * and ends after it, or NONE.
 */
static uint32_t functions_symbol(const struct elf_functions *f,
				 uint64_t address)
{
	size_t end = functions_until(f, address), begin = end, next;
	uint32_t found = NONE;
	uint64_t reach = 0;

	while (begin && !f->all[--begin].is_first && end - begin < CLUSTER_MOST)
		;
	for (size_t i = begin; i < end; i = next) {
		struct span s;

		for (next = i + 1; next < end; next++)
			if (f->all[next].start != f->all[i].start)
				break;
		s = span_make(f, &f->all[i], next - i);
		span_set_end(f, &s,
			     next < f->count ? candidate_start(f, &f->all[next])
					     : UINT64_MAX);
		/* A label within a function is a part of it. */
		if (s.is_label && s.start < reach)
			continue;
		if (s.end > reach)
			reach = s.end;
		if (s.end > address)
			found = s.symbol;
	}
	return found;
}

const char *elf_functions_at(const struct elf_functions *f, uint64_t address,
			     uint64_t *start)
{
	uint32_t symbol = functions_symbol(f, address);

	if (symbol == NONE || !*symbol_name(f, symbol))
		return NULL;
	*start = symbol_entry(f, symbol)->st_value;
	return symbol_name(f, symbol);
}
