/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_cfi.h"

#include "core/base/alloc.h"
#include "core/elf/cfi_program.h"
#include "core/elf/dwarf_cursor.h"

#include <stdlib.h>
#include <string.h>

enum {
	FRAMES_MAX = 64 << 20, /* libjvm has 2 MB, the largest known 30 */
	TABLE_MAX = 16 << 20,  /* 8 bytes a function */
	ENTRY_MAX = 1 << 18,   /* bytes of one function's; real: some 10 KB */
	AUGMENTATION_MAX = 8,  /* "zPLRS" */
	TABLE_HEAD = 12,       /* bytes of .eh_frame_hdr before its table */
	TABLE_ENTRY = 8,       /* of the kind that all linkers write */
	EH_VERSION = 1,        /* of .eh_frame_hdr */
	PCREL_SDATA4 = 0x1b,   /* encodings of that table's parts */
	UDATA4 = 0x03,
	DATAREL_SDATA4 = 0x3b,
};

#define DEBUG_COMMON UINT32_MAX /* marks a CIE in .debug_frame */

/* Where a function begins, and its entry in the section. */
struct cfi_place {
	uint64_t start;
	uint32_t entry;
};

/* One entry: a CIE or an FDE. */
struct entry {
	struct cursor rest; /* behind its id */
	uint32_t common;    /* where an FDE's CIE is; of a CIE: UINT32_MAX */
	size_t end;         /* where the next begins */
};

/* Each FDE's addresses. */
struct function {
	struct cfi_common common;
	uint64_t start, len;
	struct cursor instructions;
};

static bool read_entry(const struct elf_cfi *cfi, uint64_t offset,
		       struct entry *e)
{
	struct cursor all = cursor_over(cfi->frames.bytes, cfi->frames.len);
	struct cursor c = cursor_from(&all, offset);
	uint32_t len = dwarf_u32(&c), id;
	size_t id_at;

	/* 0 ends the section; 64-bit DWARF, as larger ones, is not made. */
	if (len == 0)
		return false;
	e->rest = cursor_slice(&c, len);
	e->end = cursor_offset(&c);
	id_at = cursor_offset(&e->rest);
	id = dwarf_u32(&e->rest);
	if (!cursor_ok(&e->rest))
		return false;
	if (id == (cfi->is_debug ? DEBUG_COMMON : 0)) {
		e->common = UINT32_MAX;
		return true;
	}
	if (!cfi->is_debug && id > id_at)
		return false;
	e->common = cfi->is_debug ? id : (uint32_t)(id_at - id);
	return true;
}

/* What follows the length of an augmentation that begins with 'z'. */
static bool read_augmentation(struct cursor *c, const char *letters,
			      struct cfi_common *common)
{
	for (; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'R':
			common->pointers = cursor_u8(c);
			break;
		case 'L':
			cursor_u8(c);
			break;
		case 'P': /* its value is not wanted, only its length */
			encoding = cursor_u8(c);
			dwarf_pointer(c, encoding & DWARF_POINTER_FORMAT, 0);
			break;
		case 'S':
			common->is_signal = true;
			break;
		default:
			return false;
		}
	}
	return cursor_ok(c);
}

/* The letters of an augmentation; false when there are too many. */
static bool read_letters(struct cursor *c, char letters[AUGMENTATION_MAX])
{
	for (size_t i = 0; i < AUGMENTATION_MAX; i++) {
		letters[i] = (char)cursor_u8(c);
		if (!letters[i])
			return cursor_ok(c);
	}
	return false;
}

static bool read_common(const struct elf_cfi *cfi, uint64_t offset,
			struct cfi_common *common)
{
	char letters[AUGMENTATION_MAX];
	struct entry e;
	struct cursor c;
	uint64_t return_register, len;
	uint8_t version;

	if (!read_entry(cfi, offset, &e) || e.common != UINT32_MAX)
		return false;
	c = e.rest;
	version = cursor_u8(&c);
	if (!read_letters(&c, letters))
		return false;
	if (version == 4) {
		uint16_t sizes = dwarf_u16(&c);

		/* Of an address, and of a segment's selector: none. */
		if (sizes != 8)
			return false;
	}
	*common = (struct cfi_common){ .section = cfi->frames.address };
	common->code_unit = dwarf_uleb(&c);
	common->data_unit = dwarf_sleb(&c);
	return_register = version == 1 ? cursor_u8(&c) : dwarf_uleb(&c);
	common->has_sizes = letters[0] == 'z';
	if (common->has_sizes) {
		struct cursor augmentation;

		len = dwarf_uleb(&c);
		augmentation = cursor_slice(&c, len);
		if (!read_augmentation(&augmentation, letters + 1, common))
			return false;
	} else if (letters[0]) {
		return false;
	}
	common->instructions = c;
	return cursor_ok(&c) && return_register == DWARF_RA &&
	       (version == 1 || version == 3 || version == 4) &&
	       cursor_left(&c) <= ENTRY_MAX;
}

static bool read_function(const struct elf_cfi *cfi, uint64_t offset,
			  struct function *f)
{
	struct entry e;
	uint64_t len;

	if (!read_entry(cfi, offset, &e) || e.common == UINT32_MAX ||
	    !read_common(cfi, e.common, &f->common))
		return false;
	f->start = dwarf_pointer(&e.rest, f->common.pointers,
				 f->common.section);
	f->len = dwarf_pointer(&e.rest,
			       f->common.pointers & DWARF_POINTER_FORMAT, 0);
	if (f->common.has_sizes) {
		len = dwarf_uleb(&e.rest);
		cursor_skip(&e.rest, len);
	}
	f->instructions = e.rest;
	return cursor_ok(&e.rest) && cursor_left(&e.rest) <= ENTRY_MAX;
}

static int by_start(const void *a, const void *b)
{
	const struct cfi_place *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* All functions of a section that has no table. */
static void make_places(struct elf_cfi *cfi)
{
	struct function f;
	struct entry e;

	cfi->has_places = true;
	for (size_t at = 0; read_entry(cfi, at, &e); at = e.end) {
		if (e.common == UINT32_MAX || !read_function(cfi, at, &f))
			continue;
		array_reserve(cfi->places, cfi->place_cap,
			      cfi->place_count + 1);
		cfi->places[cfi->place_count++] = (struct cfi_place){
			.start = f.start, .entry = (uint32_t)at
		};
	}
	if (cfi->place_count)
		qsort(cfi->places, cfi->place_count, sizeof(*cfi->places),
		      by_start);
}

static struct cfi_place place_at(const struct elf_cfi *cfi, size_t i)
{
	int32_t offsets[2];
	uint64_t entry;

	if (!cfi->table_count)
		return cfi->places[i];
	memcpy(offsets, cfi->table.bytes + TABLE_HEAD + i * TABLE_ENTRY,
	       sizeof(offsets));
	entry = cfi->table.address + (uint64_t)(int64_t)offsets[1] -
		cfi->frames.address;
	return (struct cfi_place){
		.start = cfi->table.address + (uint64_t)(int64_t)offsets[0],
		.entry = entry < UINT32_MAX ? (uint32_t)entry : UINT32_MAX,
	};
}

/* The last function that begins at the address or before it. */
static bool find_place(struct elf_cfi *cfi, uint64_t address,
		       struct cfi_place *place)
{
	size_t low = 0, high;

	if (!cfi->table_count && !cfi->has_places)
		make_places(cfi);
	high = cfi->table_count ? cfi->table_count : cfi->place_count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (place_at(cfi, mid).start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	*place = place_at(cfi, low - 1);
	return true;
}

/* The function's entry that holds an address. */
static bool find_function(struct elf_cfi *cfi, uint64_t address,
			  struct function *f)
{
	struct cfi_place place;

	return cfi->frames.bytes && find_place(cfi, address, &place) &&
	       read_function(cfi, place.entry, f) && address >= f->start &&
	       address - f->start < f->len;
}

bool elf_cfi_row(struct elf_cfi *cfi, uint64_t address, struct cfi_row *row)
{
	struct function f;

	return find_function(cfi, address, &f) &&
	       cfi_program_row(&f.common, f.instructions, f.start, address,
			       row);
}

uint64_t elf_cfi_end(struct elf_cfi *cfi, uint64_t start)
{
	struct function f;

	return find_function(cfi, start, &f) && f.start == start ? start + f.len
								 : 0;
}

bool elf_cfi_start(struct elf_cfi *cfi, uint64_t address, uint64_t *start)
{
	struct function f;

	if (!find_function(cfi, address, &f))
		return false;
	*start = f.start;
	return true;
}

/* Reads what a segment has from an address on, to its end. */
static bool read_from(const struct elf_file *f, uint64_t address,
		      struct elf_part *part)
{
	const Elf64_Phdr *s = elf_file_loaded(f, address);
	uint64_t skip, len;

	if (!s)
		return false;
	skip = address - s->p_vaddr;
	len = s->p_filesz - skip;
	if (!elf_file_read(f, s->p_offset + skip,
			   len < FRAMES_MAX ? len : FRAMES_MAX, FRAMES_MAX,
			   part))
		return false;
	part->address = address;
	return true;
}

/* Takes the table of .eh_frame_hdr, if it is as all linkers write it. */
static bool read_table(struct elf_cfi *cfi, const struct elf_file *f,
		       uint64_t *frames)
{
	const Elf64_Phdr *s = elf_file_segment(f, PT_GNU_EH_FRAME);
	struct cursor c;
	uint8_t head[4];
	size_t room;

	if (!s ||
	    !elf_file_read(f, s->p_offset, s->p_filesz, TABLE_MAX, &cfi->table))
		return false;
	cfi->table.address = s->p_vaddr;
	c = cursor_over(cfi->table.bytes, cfi->table.len);
	for (size_t i = 0; i < sizeof(head); i++)
		head[i] = cursor_u8(&c);
	*frames = dwarf_pointer(&c, head[1], cfi->table.address);
	if (head[0] != EH_VERSION || head[1] != PCREL_SDATA4 ||
	    head[2] != UDATA4 || head[3] != DATAREL_SDATA4)
		return cursor_ok(&c);
	cfi->table_count = dwarf_u32(&c);
	room = cursor_left(&c) / TABLE_ENTRY;
	if (cfi->table_count > room)
		cfi->table_count = room;
	return cursor_ok(&c);
}

void elf_cfi_init_eh(struct elf_cfi *cfi, const struct elf_file *f)
{
	const Elf64_Shdr *section = elf_file_section(f, ".eh_frame");
	uint64_t address = 0;
	bool has_address;

	*cfi = (struct elf_cfi){ 0 };
	has_address = read_table(cfi, f, &address);
	if (has_address && section && section->sh_addr != address)
		section = NULL;
	if (elf_file_read_section(f, section, FRAMES_MAX, &cfi->frames))
		return;
	/* Without sections it ends by an entry without a length. */
	if (has_address)
		read_from(f, address, &cfi->frames);
}

void elf_cfi_init_debug(struct elf_cfi *cfi, const struct elf_file *f)
{
	*cfi = (struct elf_cfi){ .is_debug = true };
	elf_file_read_section(f, elf_file_section(f, ".debug_frame"),
			      FRAMES_MAX, &cfi->frames);
}

void elf_cfi_release(struct elf_cfi *cfi)
{
	free(cfi->frames.bytes);
	free(cfi->table.bytes);
	free(cfi->places);
	*cfi = (struct elf_cfi){ 0 };
}
