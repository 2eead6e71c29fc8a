/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random symbol tables with functions that are nested, overlap, have no size or
 * reach over many others.  The functions at addresses, in any order, must match
 * those that a linear search finds.
 */
#include "core/elf/elf_symbols.h"

#include "tests/unit/sanitizers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { SYMBOLS = 3000, NAME = 8, SPACE = 1 << 17, CODE = 1 };

#define ROUNDS (IS_SANITIZED ? 5 : 20)

struct table {
	Elf64_Sym symbols[SYMBOLS];
	char names[(SYMBOLS + 1) * NAME]; /* offset 0 is unused */
	uint64_t ends[2];
	struct elf_symbols of;
};

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Most sizes are small; `far` of them reach over thousands of bytes. */
static uint64_t draw_size(uint32_t far)
{
	uint32_t kind = draw(100);

	if (kind < 10)
		return 0;
	return kind < 10 + far ? 1 + draw(SPACE) : 1 + draw(120);
}

static void fill(struct table *t, size_t count, uint32_t far)
{
	memset(t, 0, sizeof(*t));
	t->ends[CODE] = SPACE;
	for (size_t i = 0; i < count; i++) {
		Elf64_Sym *s = &t->symbols[i];
		bool is_label;

		snprintf(t->names + (i + 1) * NAME, NAME, "f%zu", i);
		s->st_name = (uint32_t)((i + 1) * NAME);
		s->st_shndx = CODE;
		s->st_value = 4096 + draw(SPACE - 4096);
		s->st_size = draw_size(far);
		is_label = !s->st_size && draw(2);
		s->st_info = ELF64_ST_INFO(STB_GLOBAL,
					   is_label ? STT_NOTYPE : STT_FUNC);
	}
	t->of = (struct elf_symbols){
		.symbols = { .bytes = (uint8_t *)t->symbols,
			     .len = count * sizeof(Elf64_Sym) },
		.names = { .bytes = (uint8_t *)t->names,
			   .len = sizeof(t->names) },
		.count = count,
		.ends = t->ends,
		.section_count = 2,
	};
}

/* The function at an address, considering all symbols there. */
struct span {
	uint64_t start, end;
	const char *name;
	bool is_label, is_dropped;
};

static const char *name_of(const struct table *t, const Elf64_Sym *s)
{
	return t->names + s->st_name;
}

static bool is_better(const struct table *t, const Elf64_Sym *a,
		      const Elf64_Sym *b)
{
	bool a_label = ELF64_ST_TYPE(a->st_info) == STT_NOTYPE;
	bool b_label = ELF64_ST_TYPE(b->st_info) == STT_NOTYPE;

	if (a_label != b_label)
		return b_label;
	return strcmp(name_of(t, a), name_of(t, b)) < 0;
}

static void look_at(const struct table *t, uint64_t at, struct span *span)
{
	const Elf64_Sym *best = NULL, *sized = NULL;

	for (size_t i = 0; i < t->of.count; i++) {
		const Elf64_Sym *s = &t->symbols[i];

		if (s->st_value != at)
			continue;
		if (!best || is_better(t, s, best))
			best = s;
		if (s->st_size && (!sized || is_better(t, s, sized)))
			sized = s;
	}
	*span = (struct span){ .start = at };
	if (!best)
		fail_msg("no symbol at %#llx", (unsigned long long)at);
	span->name = name_of(t, best);
	span->is_label = !best->st_size &&
			 ELF64_ST_TYPE(best->st_info) == STT_NOTYPE;
	span->end = sized ? at + sized->st_size : at;
	if (span->end > SPACE)
		span->end = SPACE;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static size_t make_spans(const struct table *t, struct span *spans)
{
	static uint64_t starts[SYMBOLS];
	size_t count = 0;

	for (size_t i = 0; i < t->of.count; i++)
		starts[i] = t->symbols[i].st_value;
	qsort(starts, t->of.count, sizeof(*starts), by_number);
	for (size_t i = 0; i < t->of.count; i++) {
		if (!count || spans[count - 1].start != starts[i])
			look_at(t, starts[i], &spans[count++]);
	}
	for (size_t i = 0; i < count; i++) {
		if (spans[i].end == spans[i].start)
			spans[i].end = i + 1 < count ? spans[i + 1].start
						     : SPACE;
		for (size_t k = 0; spans[i].is_label && k < i; k++)
			spans[i].is_dropped |= !spans[k].is_dropped &&
					       spans[k].end > spans[i].start;
	}
	return count;
}

/*
 * Returns the last function that begins at or before an address and ends after
 * it.
 */
static const struct span *find(const struct span *spans, size_t count,
			       uint64_t address)
{
	const struct span *found = NULL;

	for (size_t i = 0; i < count && spans[i].start <= address; i++) {
		if (!spans[i].is_dropped && spans[i].end > address)
			found = &spans[i];
	}
	return found;
}

static void agree(struct elf_functions *f, const struct span *spans,
		  size_t count, uint64_t address)
{
	const struct span *wanted = find(spans, count, address);
	uint64_t start = 0;
	const char *name = elf_functions_at(f, address, &start);

	if (!wanted) {
		assert_null(name);
		return;
	}
	assert_non_null(name);
	assert_string_equal(name, wanted->name);
	assert_int_equal(start, wanted->start);
}

static void functions_are_those_of_a_simple_search(uint32_t far, size_t symbols)
{
	static struct span spans[SYMBOLS];
	static struct table t;
	const struct elf_symbols *tables[] = { &t.of };
	struct elf_functions f;
	struct elf_cfi none = { 0 };
	size_t count;

	for (seed = 1; seed <= ROUNDS; seed++) {
		uint32_t kept = seed;

		fill(&t, symbols, far);
		count = make_spans(&t, spans);
		elf_functions_init(&f, tables, 1, true, &none, NULL);
		for (int i = 0; i < 500; i++)
			agree(&f, spans, count, draw(SPACE + 100));
		for (size_t i = 0; i < count; i += 1 + draw(50)) {
			agree(&f, spans, count, spans[i].start);
			agree(&f, spans, count, spans[i].end);
			agree(&f, spans, count, spans[i].end - 1);
		}
		elf_functions_release(&f);
		seed = kept;
	}
}

static void elf_functions_finds_short_functions(void **state)
{
	(void)state;
	functions_are_those_of_a_simple_search(0, SYMBOLS);
}

static void elf_functions_finds_functions_that_reach_far(void **state)
{
	(void)state;
	functions_are_those_of_a_simple_search(2, SYMBOLS);
}

static void elf_functions_finds_a_few_functions(void **state)
{
	(void)state;
	functions_are_those_of_a_simple_search(5, 1);
	functions_are_those_of_a_simple_search(5, 40);
}

/* Addresses are kept in 32 bits, relative to the first symbol. */
static void elf_functions_finds_none_4_gib_behind_the_first(void **state)
{
	static const uint64_t starts[] = { (uint64_t)5 << 30,
					   (uint64_t)12 << 30,
					   ((uint64_t)9 << 30) - 1 };
	static struct table t;
	const struct elf_symbols *tables[] = { &t.of };
	struct elf_functions f;
	struct elf_cfi none = { 0 };
	uint64_t start = 0;

	(void)state;
	fill(&t, 3, 0);
	t.ends[CODE] = (uint64_t)16 << 30;
	for (size_t i = 0; i < 3; i++) {
		t.symbols[i].st_value = starts[i];
		t.symbols[i].st_size = 16;
	}
	elf_functions_init(&f, tables, 1, true, &none, NULL);
	assert_string_equal(elf_functions_at(&f, starts[0] + 15, &start), "f0");
	assert_int_equal(start, starts[0]);
	assert_string_equal(elf_functions_at(&f, starts[2] + 3, &start), "f2");
	assert_int_equal(start, starts[2]);
	assert_null(elf_functions_at(&f, starts[1], &start));
	assert_null(
		elf_functions_at(&f, starts[1] - ((uint64_t)4 << 30), &start));
	assert_null(elf_functions_at(&f, starts[0] + 16, &start));
	elf_functions_release(&f);
}

static void elf_functions_of_empty_tables_finds_nothing(void **state)
{
	struct elf_functions f;
	uint64_t start;

	(void)state;
	elf_functions_init(&f, NULL, 0, true, NULL, NULL);
	assert_null(elf_functions_at(&f, 4096, &start));
	elf_functions_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elf_functions_finds_short_functions),
		cmocka_unit_test(elf_functions_finds_functions_that_reach_far),
		cmocka_unit_test(elf_functions_finds_a_few_functions),
		cmocka_unit_test(
			elf_functions_finds_none_4_gib_behind_the_first),
		cmocka_unit_test(elf_functions_of_empty_tables_finds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
