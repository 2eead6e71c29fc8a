/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/malloc_points.h"

#include "core/elf/elf_file.h"
#include "core/elf/elf_symbols.h"
#include "core/unwind/x86_64/x86_probe.h"

#include <string.h>

/* Memory for the symbols of one file, which may be hostile. */
enum { MEMORY_MAX = 8 << 20 };

/* The kinds of libraries that call their own functions. */
enum { IN_GLIBC = 1, IN_MUSL = 2, IN_OTHERS = 4, IN_ALL = 7 };

/*
 * realloc(NULL, size) of glibc calls malloc(), and of others does not: its
 * malloc/malloc.c, musl's src/malloc/mallocng, jemalloc's src/jemalloc.c.
 * calloc() of musl calls malloc() (src/malloc/calloc.c).
 */
static const struct {
	const char *name;
	enum malloc_function function;
	unsigned in;
} names[] = {
	{ "malloc", MALLOC_OF_SIZE, IN_ALL },
	{ "free", MALLOC_FREE, IN_ALL },
	{ "calloc", MALLOC_OF_ARRAY, IN_GLIBC | IN_OTHERS },
	{ "realloc", MALLOC_AGAIN, IN_MUSL | IN_OTHERS },
	{ "realloc", MALLOC_AGAIN_OR_FIRST, IN_GLIBC },
	{ "posix_memalign", MALLOC_ALIGNED_OUT, IN_GLIBC | IN_OTHERS },
	{ "aligned_alloc", MALLOC_ALIGNED, IN_ALL },
	{ "memalign", MALLOC_ALIGNED, IN_GLIBC | IN_OTHERS },
	{ "mmap", MALLOC_MAP, IN_ALL },
	{ "munmap", MALLOC_UNMAP, IN_ALL },
	{ "mprotect", MALLOC_PROTECT, IN_ALL },
	{ "brk", MALLOC_BREAK, IN_GLIBC | IN_OTHERS },
};

/* posix_memalign() and memalign() of musl call aligned_alloc(). */
static unsigned points_library(const struct elf_symbols *symbols)
{
	if (elf_symbols_find(symbols, "gnu_get_libc_version"))
		return IN_GLIBC;
	return elf_symbols_find(symbols, "__libc_start_main") ? IN_MUSL
							      : IN_OTHERS;
}

static const uint8_t arguments_of[MALLOC_FUNCTIONS] = {
	[MALLOC_OF_SIZE] = 1, [MALLOC_OF_ARRAY] = 2,
	[MALLOC_AGAIN] = 2,   [MALLOC_AGAIN_OR_FIRST] = 2,
	[MALLOC_ALIGNED] = 2, [MALLOC_ALIGNED_OUT] = 3,
	[MALLOC_MAP] = 4,     [MALLOC_FREE] = 1,
	[MALLOC_UNMAP] = 2,   [MALLOC_PROTECT] = 3,
	[MALLOC_BREAK] = 1,
};

bool malloc_function_maps(enum malloc_function function)
{
	return function == MALLOC_MAP || function == MALLOC_UNMAP ||
	       function == MALLOC_PROTECT || function == MALLOC_BREAK;
}

static uint64_t points_offset(const Elf64_Phdr *segment, uint64_t address)
{
	return address - segment->p_vaddr + segment->p_offset;
}

/* Returns false for a function whose code is not in the file. */
static bool points_place(const struct elf_file *f, uint64_t address,
			 struct malloc_point *p)
{
	const Elf64_Phdr *segment = address ? elf_file_loaded(f, address)
					    : NULL;
	uint8_t code[X86_PROBE_BYTES];
	size_t skip;

	if (!segment || !(segment->p_flags & PF_X))
		return false;
	p->offset = points_offset(segment, address);
	if (!elf_file_read_into(f, p->offset, code, sizeof(code)))
		return false;
	skip = x86_probe_skip(code, sizeof(code), arguments_of[p->function]);
	p->is_emulated = skip != SIZE_MAX;
	if (p->is_emulated)
		p->offset += skip;
	return true;
}

static bool points_have(const struct malloc_point *points, int count,
			uint64_t offset)
{
	for (int i = 0; i < count; i++)
		if (points[i].offset == offset)
			return true;
	return false;
}

static int points_find(const struct elf_file *f,
		       const struct elf_symbols *symbols,
		       struct malloc_point *points)
{
	unsigned library = points_library(symbols);
	int count = 0;

	if (!elf_symbols_find(symbols, "malloc") ||
	    !elf_symbols_find(symbols, "free"))
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct malloc_point p = { .function = names[i].function };

		if (names[i].in & library &&
		    points_place(f, elf_symbols_find(symbols, names[i].name),
				 &p) &&
		    !points_have(points, count, p.offset))
			points[count++] = p;
	}
	return count;
}

/* ---- USDT probes ---- */

struct probe_search {
	const struct elf_file *file;
	struct malloc_point *points;
	int count;
	unsigned has;       /* functions, as bits */
	bool is_unreadable; /* a probe has arguments at unknown places */
};

static bool probes_take(void *self, const struct elf_usdt *probe)
{
	struct probe_search *s = self;
	bool is_free = strcmp(probe->name, "free") == 0;
	struct malloc_point p = {
		.function = is_free ? MALLOC_SAMPLED_FREE : MALLOC_SAMPLED,
		.is_emulated = true, /* a nop */
	};
	const Elf64_Phdr *code, *data;

	if (strcmp(probe->provider, "otel_memory") != 0 ||
	    (!is_free && strcmp(probe->name, "alloc") != 0))
		return true;
	code = elf_file_loaded(s->file, probe->address);
	data = probe->semaphore ? elf_file_loaded(s->file, probe->semaphore)
				: NULL;
	if (!code || !(code->p_flags & PF_X) || (probe->semaphore && !data) ||
	    s->count == MALLOC_POINTS_MAX ||
	    !elf_usdt_parse(probe->arguments, p.arguments, is_free ? 1 : 3)) {
		s->is_unreadable = true;
		return false;
	}
	p.offset = points_offset(code, probe->address);
	if (data)
		p.semaphore = points_offset(data, probe->semaphore);
	s->points[s->count++] = p;
	s->has |= 1U << p.function;
	return true;
}

/* Adds the probes, all or none; returns the new number of points. */
static int points_add_probes(const struct elf_file *f,
			     struct malloc_point *points, int count)
{
	struct probe_search s = { .file = f, .points = points, .count = count };

	elf_usdt_each(f, probes_take, &s);
	return s.has == (1U << MALLOC_SAMPLED | 1U << MALLOC_SAMPLED_FREE) &&
			       !s.is_unreadable
		       ? s.count
		       : count;
}

int malloc_points_read(int fd, struct malloc_point points[MALLOC_POINTS_MAX],
		       struct error *err)
{
	struct budget budget = { .limit = MEMORY_MAX };
	struct elf_source source = { .fd = fd, .budget = &budget };
	struct elf_symbols symbols;
	struct elf_file f;
	int count;

	if (elf_file_init(&f, source, err))
		return -1;
	elf_symbols_init(&symbols, &f, SHT_DYNSYM);
	count = points_add_probes(&f, points,
				  points_find(&f, &symbols, points));
	elf_symbols_release(&symbols);
	elf_file_release(&f);
	return count;
}
