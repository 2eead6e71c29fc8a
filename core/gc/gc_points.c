/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_points.h"

#include "core/base/alloc.h"
#include "core/elf/elf_file.h"
#include "core/elf/elf_symbols.h"
#include "core/elf/elf_usdt.h"
#include "core/unwind/x86_64/x86_probe.h"

#include <stdlib.h>
#include <string.h>

enum {
	OPERATIONS_MAX = 1024,
	/* Symbols of a process that may be hostile; those of libjvm take 6 MB.
	 */
	MEMORY_MAX = 24 << 20,
	ENDBR_SIZE = 4,
	/* Objects point behind the offset and the type of their table. */
	VTABLE_HEAD = 16,
};

#define TICKS                                                                  \
	"11TimeInstantI30CompositeCounterRepresentation"                       \
	"29CompositeElapsedCounterSourceE"

/* The symbols of interest, and what they stand for. */
static const char end_symbol[] = "_ZN14RuntimeService20record_safepoint_endEl";
static const char heap_symbol[] = "_ZNK8GCTracer22report_gc_heap_summaryEN"
				  "6GCWhen4TypeERK13GCHeapSummary";
static const char
	block_symbol[] = "_ZN20SafepointSynchronize5blockEP10JavaThread";
static const char operation_symbol[] = "_ZN8VMThread17_cur_vm_operationE";
static const char state_symbol[] = "_ZN20SafepointSynchronize6_stateE";
static const char
	collect_symbol[] = "_ZN14GCTraceCPUTimeC1EP8GCTracer"; /* JDK 17 */
static const char collected_symbol[] = "_ZN14GCTraceCPUTimeD1Ev";
static const char logged_symbol[] = "_ZN21GCTraceTimeLoggerImpl7log_endE" TICKS;
static const char time_symbol[] = "_ZL18initial_time_count";

#define REPORT(tracer)                                                         \
	"_ZN" tracer "18report_gc_end_implERK" TICKS "P14TimePartitions"

static const char *const report_symbols[GC_REPORTS] = {
	REPORT("8GCTracer"),     REPORT("13YoungGCTracer"),
	REPORT("11OldGCTracer"), REPORT("17ParallelOldTracer"),
	REPORT("11G1NewTracer"),
};

/* ---- instructions ---- */

/*
 * The number of bytes before the best place for a probe in a function.  The
 * kernel cannot emulate the endbr64 at its start.
 */
static size_t code_skip(const uint8_t *code, size_t len)
{
	static const uint8_t endbr64[ENDBR_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t skip = x86_probe_skip(code, len, X86_PROBE_ARGUMENTS);

	if (skip != SIZE_MAX)
		return skip;
	return len > ENDBR_SIZE && memcmp(code, endbr64, ENDBR_SIZE) == 0
		       ? ENDBR_SIZE
		       : 0;
}

/*
 * Finds the best place for a probe at the start of a function, where arguments
 * are still in their registers.
 */
static void points_place(const struct elf_file *f, uint64_t address,
			 struct gc_point *point)
{
	const Elf64_Phdr *segment = address ? elf_file_loaded(f, address)
					    : NULL;
	uint8_t code[X86_PROBE_BYTES];
	uint64_t offset;
	size_t skip;

	if (!segment || !(segment->p_flags & PF_X))
		return;
	offset = address - segment->p_vaddr + segment->p_offset;
	if (!elf_file_read_into(f, offset, code, sizeof(code)))
		return;
	skip = code_skip(code, sizeof(code));
	point->offset = offset + skip;
	point->address = address + skip;
	point->is_emulated = x86_probe_is_emulated(code + skip,
						   sizeof(code) - skip);
}

/* ---- notes ---- */

struct wanted_note {
	const char *name;
	uint64_t address; /* 0 = not found */
};

static bool points_take_note(void *self, const struct elf_usdt *probe)
{
	struct wanted_note *wanted = self;

	if (strcmp(probe->provider, "hs_private") == 0 &&
	    strcmp(probe->name, wanted->name) == 0)
		wanted->address = probe->address;
	return !wanted->address;
}

/* Returns the address of the note of a probe of hs_private; 0 = none. */
static uint64_t points_find_note(const struct elf_file *f, const char *probe)
{
	struct wanted_note wanted = { .name = probe };

	elf_usdt_each(f, points_take_note, &wanted);
	return wanted.address;
}

/* ---- symbols ---- */

/* Addresses of the symbols that were found. */
struct found {
	uint64_t end, heap, block, collect, logged, collected,
		reports[GC_REPORTS];
};

/* "_ZTV25VM_G1CollectForAllocation" is the table of that class. */
static void points_add_operation(struct gc_points *p, const char *name,
				 uint64_t address)
{
	struct gc_operation *o;
	char *end;
	unsigned long len = strtoul(name, &end, 10);

	if (len < 4 || len != strlen(end) || strncmp(end, "VM_", 3) != 0 ||
	    p->operation_count == OPERATIONS_MAX)
		return;
	array_reserve(p->operations, p->operation_cap, p->operation_count + 1);
	o = &p->operations[p->operation_count++];
	o->vtable = address + VTABLE_HEAD;
	o->name = xstrndup(end + 3, len - 3);
}

static void points_take_symbol(struct gc_points *p, struct found *found,
			       const char *name, uint64_t address)
{
	const struct {
		const char *name;
		uint64_t *to;
	} wanted[] = {
		{ end_symbol, &found->end },
		{ heap_symbol, &found->heap },
		{ block_symbol, &found->block },
		{ collect_symbol, &found->collect },
		{ logged_symbol, &found->logged },
		{ collected_symbol, &found->collected },
		{ operation_symbol, &p->operation },
		{ state_symbol, &p->state },
		{ time_symbol, &p->initial_time },
	};

	if (strncmp(name, "_ZTV", 4) == 0) {
		points_add_operation(p, name + 4, address);
		return;
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (strcmp(name, wanted[i].name) == 0)
			*wanted[i].to = address;
	}
	for (size_t i = 0; i < GC_REPORTS; i++) {
		if (strcmp(name, report_symbols[i]) == 0)
			found->reports[i] = address;
	}
}

static void points_read_symbols(struct gc_points *p, const struct elf_file *f,
				struct found *found)
{
	struct elf_symbols symbols;

	elf_symbols_init(&symbols, f, SHT_SYMTAB);
	for (size_t i = 0; i < symbols.count; i++) {
		const Elf64_Sym *symbol = elf_symbols_at(&symbols, i);
		const char *name = elf_symbols_name(&symbols, i);

		if (symbol->st_shndx != SHN_UNDEF && name[0] == '_' &&
		    name[1] == 'Z')
			points_take_symbol(p, found, name, symbol->st_value);
	}
	elf_symbols_release(&symbols);
}

/* Finds the points that enclose a collection: all or none. */
static void points_place_collection(const struct elf_file *f,
				    const struct found *found,
				    struct gc_points *p)
{
	points_place(f, found->collect, &p->collect);
	points_place(f, found->logged, &p->logged);
	points_place(f, found->collected, &p->collected);
	if (p->collect.is_emulated && p->logged.is_emulated &&
	    p->collected.is_emulated)
		return;
	p->collect = p->logged = p->collected = (struct gc_point){ 0 };
}

static int compare_operation(const void *a, const void *b)
{
	const struct gc_operation *one = a, *two = b;

	return one->vtable < two->vtable ? -1 : one->vtable > two->vtable;
}

int gc_points_read(struct gc_points *p, int fd, struct error *err)
{
	struct budget budget = { .limit = MEMORY_MAX };
	struct elf_source source = { .fd = fd, .budget = &budget };
	struct found found = { 0 };
	struct elf_file f;
	uint64_t note;

	*p = (struct gc_points){ 0 };
	if (elf_file_init(&f, source, err))
		return -1;
	points_read_symbols(p, &f, &found);
	note = points_find_note(&f, "safepoint__end");
	points_place(&f, points_find_note(&f, "safepoint__begin"), &p->begin);
	p->has_note = note != 0;
	/* The argument is in its register until the function changes it. */
	if (note && found.end && note - found.end <= 2ULL * ENDBR_SIZE)
		points_place(&f, note, &p->stop);
	points_place(&f, found.heap, &p->heap);
	points_place(&f, found.block, &p->block);
	points_place_collection(&f, &found, p);
	for (size_t i = 0; i < GC_REPORTS; i++) {
		struct gc_point *report = &p->reports[p->report_count];

		points_place(&f, found.reports[i], report);
		p->report_count += report->offset != 0;
	}
	if (p->operation_count)
		qsort(p->operations, p->operation_count, sizeof(*p->operations),
		      compare_operation);
	elf_file_release(&f);
	return 0;
}

void gc_points_release(struct gc_points *p)
{
	for (size_t i = 0; i < p->operation_count; i++)
		free((char *)p->operations[i].name);
	free(p->operations);
	*p = (struct gc_points){ 0 };
}

const char *gc_points_operation(const struct gc_points *p, uint64_t vtable)
{
	size_t from = 0, to = p->operation_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (p->operations[middle].vtable == vtable)
			return p->operations[middle].name;
		if (p->operations[middle].vtable < vtable)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

const char *gc_points_missing(const struct gc_points *p)
{
	if (!p->has_note)
		return "its libjvm has no USDT probe safepoint__end";
	return "its libjvm does not report the duration of a safepoint "
	       "(JDK 11 and earlier, or no symbols)";
}
