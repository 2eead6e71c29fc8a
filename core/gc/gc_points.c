/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_points.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "core/elf/elf_file.h"
#include "core/elf/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

enum {
	NOTES_MAX = 4 << 20,
	NOTE_STAPSDT = 3,
	OPERATIONS_MAX = 1024,
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
static const char time_symbol[] = "_ZL18initial_time_count";

#define REPORT(tracer)                                                         \
	"_ZN" tracer "18report_gc_end_implERK" TICKS "P14TimePartitions"

static const char *const report_symbols[GC_REPORTS] = {
	REPORT("8GCTracer"),     REPORT("13YoungGCTracer"),
	REPORT("11OldGCTracer"), REPORT("17ParallelOldTracer"),
	REPORT("11G1NewTracer"),
};

/* ---- instructions ---- */

/* True for x86-64 instructions that the kernel emulates at a uprobe. */
static bool code_is_emulated(const uint8_t *code)
{
	uint8_t first = code[0];

	if (first == 0x41) /* REX.B: push %r8 … %r15 */
		return (code[1] & 0xf8) == 0x50;
	if (first == 0x0f) /* jcc rel32; nop of several bytes */
		return (code[1] & 0xf0) == 0x80 || code[1] == 0x1f;
	return first == 0x90 || (first & 0xf8) == 0x50 ||
	       (first & 0xf0) == 0x70 || first == 0xe8 || first == 0xe9 ||
	       first == 0xeb;
}

/* Finds the best place for a probe at the start of a function. */
static void points_place(const struct elf_file *f, uint64_t address,
			 struct gc_point *point)
{
	static const uint8_t endbr64[ENDBR_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const Elf64_Phdr *segment = address ? elf_file_loaded(f, address)
					    : NULL;
	struct elf_part code;
	uint64_t offset;

	if (!segment || !(segment->p_flags & PF_X))
		return;
	offset = address - segment->p_vaddr + segment->p_offset;
	if (!elf_file_read(f, offset, ENDBR_SIZE + 2, ENDBR_SIZE + 2, &code))
		return;
	point->offset = offset;
	point->address = address;
	if (memcmp(code.bytes, endbr64, ENDBR_SIZE) == 0) {
		point->offset += ENDBR_SIZE;
		point->address += ENDBR_SIZE;
		point->is_emulated = code_is_emulated(code.bytes + ENDBR_SIZE);
	} else {
		point->is_emulated = code_is_emulated(code.bytes);
	}
	free(code.bytes);
}

/* ---- notes ---- */

static uint64_t note_u64(struct cursor *c)
{
	const uint8_t *bytes = cursor_bytes(c, sizeof(uint64_t));
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint32_t note_u32(struct cursor *c)
{
	const uint8_t *bytes = cursor_bytes(c, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Reads a NUL-terminated string; NULL and a failed cursor without a NUL. */
static const char *note_string(struct cursor *c)
{
	const uint8_t *end = memchr(c->at, 0, cursor_left(c));

	if (!end) {
		cursor_fail(c);
		return NULL;
	}
	return (const char *)cursor_bytes(c, (uint64_t)(end - c->at) + 1);
}

/*
 * Reads the description of a note: address, base, semaphore, and the names of
 * the provider and the probe. Returns the address if it is that probe of
 * hs_private, else 0. prelink(8) may move addresses, but not the base.
 */
static uint64_t note_read(struct cursor *c, const char *probe,
			  uint64_t base_now)
{
	uint64_t address = note_u64(c), base = note_u64(c);
	const char *provider, *name;

	note_u64(c);
	provider = note_string(c);
	name = note_string(c);
	if (!cursor_ok(c) || strcmp(provider, "hs_private") != 0 ||
	    strcmp(name, probe) != 0)
		return 0;
	return base_now && base ? address + base_now - base : address;
}

/* Returns the address of the note of a probe of hs_private; 0 = none. */
static uint64_t points_find_note(const struct elf_file *f, const char *probe)
{
	const Elf64_Shdr *notes = elf_file_section(f, ".note.stapsdt");
	const Elf64_Shdr *base = elf_file_section(f, ".stapsdt.base");
	struct elf_part part;
	uint64_t address = 0;
	struct cursor c;

	if (!notes || !elf_file_read_section(f, notes, NOTES_MAX, &part))
		return 0;
	c = cursor_over(part.bytes, part.len);
	while (!address && cursor_left(&c) >= 3 * sizeof(uint32_t)) {
		uint32_t name_len = note_u32(&c), len = note_u32(&c);
		uint32_t type = note_u32(&c);
		const uint8_t *bytes;
		struct cursor note;

		cursor_bytes(&c, ((uint64_t)name_len + 3) & ~UINT64_C(3));
		bytes = cursor_bytes(&c, ((uint64_t)len + 3) & ~UINT64_C(3));
		if (!bytes)
			break;
		note = cursor_over(bytes, len);
		if (type == NOTE_STAPSDT)
			address = note_read(&note, probe,
					    base ? base->sh_addr : 0);
	}
	free(part.bytes);
	return address;
}

/* ---- symbols ---- */

/* Addresses of the symbols that were found. */
struct found {
	uint64_t end, heap, block, reports[GC_REPORTS];
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

static int compare_operation(const void *a, const void *b)
{
	const struct gc_operation *one = a, *two = b;

	return one->vtable < two->vtable ? -1 : one->vtable > two->vtable;
}

int gc_points_read(struct gc_points *p, int fd, struct error *err)
{
	struct found found = { 0 };
	struct elf_file f;
	uint64_t note;

	*p = (struct gc_points){ 0 };
	if (elf_file_init(&f, (struct elf_source){ .fd = fd }, err))
		return -1;
	points_read_symbols(p, &f, &found);
	note = points_find_note(&f, "safepoint__end");
	points_place(&f, points_find_note(&f, "safepoint__begin"), &p->begin);
	p->has_note = note != 0;
	/* The argument is in its register until the function changes it. */
	if (note && found.end && note - found.end <= 2 * ENDBR_SIZE)
		points_place(&f, note, &p->stop);
	points_place(&f, found.heap, &p->heap);
	points_place(&f, found.block, &p->block);
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
