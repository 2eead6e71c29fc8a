/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_probes.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	NOTE_STAPSDT = 3,
	BUILD_ID = 20, /* bytes, as of ld */
	LOCATION = 7,  /* of the nop in a stub */
	SEGMENTS = 5,
	RET = 0xc3, /* the instruction */
};

/* Arguments: size in bytes, negative if signed, @ and the register. */
static const char entry_arguments[] = "-8@%rdi 8@%rsi";
static const char return_arguments[] = "-8@%rdi -8@%rsi 8@%rdx -8@%rcx";

enum section {
	SECTION_NONE,
	SECTION_BUILD_ID,
	SECTION_BASE,
	SECTION_TITLES,
	SECTION_FRAMES,
	SECTION_FRAMES_HEAD,
	SECTION_TEXT,
	SECTION_PROBES,
	SECTION_NOTES,
	SECTION_SYMBOLS,
	SECTION_STRINGS,
	SECTION_NAMES,
	SECTIONS
};

static const struct {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, align, entry_size;
} kinds[SECTIONS] = {
	[SECTION_BUILD_ID] = { ".note.gnu.build-id", SHT_NOTE, 0, 0, SHF_ALLOC,
			       4, 0 },
	[SECTION_BASE] = { ".stapsdt.base", SHT_PROGBITS, 0, 0, SHF_ALLOC, 1,
			   0 },
	[SECTION_TITLES] = { ".rodata", SHT_PROGBITS, 0, 0, SHF_ALLOC, 1, 0 },
	[SECTION_FRAMES] = { ".eh_frame", SHT_PROGBITS, 0, 0, SHF_ALLOC, 8, 0 },
	[SECTION_FRAMES_HEAD] = { ".eh_frame_hdr", SHT_PROGBITS, 0, 0,
				  SHF_ALLOC, 4, 0 },
	[SECTION_TEXT] = { ".text", SHT_PROGBITS, 0, 0,
			   SHF_ALLOC | SHF_EXECINSTR, PROBE_STUB, 0 },
	[SECTION_PROBES] = { ".probes", SHT_PROGBITS, 0, 0,
			     SHF_ALLOC | SHF_WRITE, PAGE, 0 },
	[SECTION_NOTES] = { ".note.stapsdt", SHT_NOTE, 0, 0, 0, 4, 0 },
	[SECTION_SYMBOLS] = { ".symtab", SHT_SYMTAB, SECTION_STRINGS, 1, 0, 8,
			      sizeof(Elf64_Sym) },
	[SECTION_STRINGS] = { ".strtab", SHT_STRTAB, 0, 0, 0, 1, 0 },
	[SECTION_NAMES] = { ".shstrtab", SHT_STRTAB, 0, 0, 0, 1, 0 },
};

struct usdt {
	struct text *out;
	const char *provider;
	uint32_t first_id;
	const struct usdt_probe *probes;
	size_t count;
	size_t stubs;     /* number */
	uint32_t *titles; /* addresses, by probe */
	uint64_t begin[SECTIONS], len[SECTIONS];
	uint32_t names[SECTIONS]; /* in .shstrtab */
};

static void usdt_u32(struct usdt *u, uint32_t value)
{
	text_add(u->out, &value, sizeof(value));
}

static void usdt_u64(struct usdt *u, uint64_t value)
{
	text_add(u->out, &value, sizeof(value));
}

/* Adds a string with its NUL. */
static void usdt_string(struct usdt *u, const char *string)
{
	text_add(u->out, string, strlen(string) + 1);
}

static void usdt_align(struct usdt *u, size_t to)
{
	static const char zeroes[PAGE];

	text_add(u->out, zeroes, (to - u->out->len % to) % to);
}

static void usdt_begin(struct usdt *u, enum section s)
{
	usdt_align(u, kinds[s].align);
	u->begin[s] = u->out->len;
}

static void usdt_end(struct usdt *u, enum section s)
{
	u->len[s] = u->out->len - u->begin[s];
}

/* Addresses are offsets in the file, except those of the semaphores. */
static uint64_t usdt_address(const struct usdt *u, enum section s)
{
	return s == SECTION_PROBES ? PROBE_STUBS : u->begin[s];
}

static uint64_t usdt_stub(const struct usdt *u, size_t probe, unsigned which)
{
	return u->begin[SECTION_TEXT] +
	       ((uint64_t)(u->probes[probe].id - u->first_id) * 2 + which) *
		       PROBE_STUB;
}

/* ---- mapped parts ---- */

/* Filled in at the end, because it depends on the contents. */
static void usdt_put_build_id(struct usdt *u)
{
	usdt_begin(u, SECTION_BUILD_ID);
	usdt_u32(u, sizeof("GNU"));
	usdt_u32(u, BUILD_ID);
	usdt_u32(u, NT_GNU_BUILD_ID);
	usdt_string(u, "GNU");
	for (int i = 0; i < BUILD_ID; i++)
		text_putc(u->out, '\0');
	usdt_end(u, SECTION_BUILD_ID);
}

static void usdt_put_titles(struct usdt *u)
{
	usdt_begin(u, SECTION_BASE);
	text_putc(u->out, '\0');
	usdt_end(u, SECTION_BASE);
	usdt_begin(u, SECTION_TITLES);
	for (size_t i = 0; i < u->count; i++) {
		u->titles[i] = (uint32_t)u->out->len;
		usdt_string(u, u->probes[i].title);
	}
	usdt_end(u, SECTION_TITLES);
}

/*
 * One entry for all stubs (LSB 10.6): the CFA is SP + 8, the return address is
 * below it.  text_at is where the stubs will be.
 */
static void usdt_put_frames(struct usdt *u, uint64_t text_at, size_t text_len)
{
	static const uint8_t common[] = {
		0,    0,    0,   0, /* this is no function */
		1,    'z',  'R', 0, /* version, augmentation */
		1,    0x78, 16,     /* factors, return address */
		1,    0x1b,         /* addresses: pcrel sdata4 */
		0x0c, 7,    8,      /* DW_CFA_def_cfa: rsp + 8 */
		0x90, 1,            /* DW_CFA_offset: rip at -8 */
		0,    0,
	};
	uint64_t entry;

	usdt_begin(u, SECTION_FRAMES);
	usdt_u32(u, sizeof(common));
	text_add(u->out, common, sizeof(common));
	entry = u->out->len;
	usdt_u32(u, 16);
	usdt_u32(u, (uint32_t)(u->out->len - u->begin[SECTION_FRAMES]));
	usdt_u32(u, (uint32_t)(text_at - u->out->len));
	usdt_u32(u, (uint32_t)text_len);
	usdt_u32(u, 0); /* no augmentation, padding */
	usdt_u32(u, 0);
	usdt_end(u, SECTION_FRAMES);
	usdt_begin(u, SECTION_FRAMES_HEAD);
	text_add(u->out, "\1\x1b\3\x3b", 4); /* version, encodings */
	usdt_u32(u, (uint32_t)(u->begin[SECTION_FRAMES] - u->out->len));
	usdt_u32(u, 1);
	usdt_u32(u, (uint32_t)(text_at - u->begin[SECTION_FRAMES_HEAD]));
	usdt_u32(u, (uint32_t)(entry - u->begin[SECTION_FRAMES_HEAD]));
	usdt_end(u, SECTION_FRAMES_HEAD);
}

/* The sizes of the parts above. */
enum { FRAMES_SIZE = 24 + 20 + 4, FRAMES_HEAD_SIZE = 20 };

/*
 * lea title(%rip),%rsi or %rdx; nop; ret.  The kernel emulates the nop at a
 * uprobe.
 */
static void usdt_put_stub(struct usdt *u, size_t probe, unsigned which)
{
	uint8_t code[PROBE_STUB] = { 0x48, 0x8d, which ? 0x15 : 0x35 };
	uint64_t at = usdt_stub(u, probe, which);
	uint32_t distance = (uint32_t)(u->titles[probe] - (at + LOCATION));

	memset(code + 3, RET, sizeof(code) - 3);
	memcpy(code + 3, &distance, sizeof(distance));
	code[LOCATION] = 0x90;
	memcpy(u->out->bytes + at, code, sizeof(code));
}

/* A stub that woven code must not call, of an unpublished id, returns, too. */
static void usdt_put_text(struct usdt *u)
{
	usdt_begin(u, SECTION_TEXT);
	for (size_t i = 0; i < u->stubs * PROBE_STUB; i++)
		text_putc(u->out, (char)RET);
	for (size_t i = 0; i < u->count; i++) {
		usdt_put_stub(u, i, 0);
		usdt_put_stub(u, i, 1);
	}
	usdt_end(u, SECTION_TEXT);
}

static void usdt_put_semaphores(struct usdt *u)
{
	static const char zeroes[PAGE];

	usdt_begin(u, SECTION_PROBES);
	for (size_t i = 0; i < PROBE_SEMAPHORES; i += PAGE)
		text_add(u->out, zeroes, PAGE);
	usdt_end(u, SECTION_PROBES);
}

/* ---- what tools read ---- */

static const char *const suffixes[] = { "__entry", "__return" };

static void usdt_put_note(struct usdt *u, size_t probe, unsigned which)
{
	const char *arguments = which ? return_arguments : entry_arguments;
	const char *name = u->probes[probe].name;
	size_t len = 3 * sizeof(uint64_t) + strlen(u->provider) + 1 +
		     strlen(name) + strlen(suffixes[which]) + 1 +
		     strlen(arguments) + 1;

	usdt_u32(u, sizeof("stapsdt"));
	usdt_u32(u, (uint32_t)len);
	usdt_u32(u, NOTE_STAPSDT);
	usdt_string(u, "stapsdt");
	usdt_u64(u, usdt_stub(u, probe, which) + LOCATION);
	usdt_u64(u, usdt_address(u, SECTION_BASE));
	usdt_u64(u, usdt_address(u, SECTION_PROBES) +
			    (uint64_t)u->probes[probe].id * 4 + which * 2U);
	usdt_string(u, u->provider);
	text_puts(u->out, name);
	usdt_string(u, suffixes[which]);
	usdt_string(u, arguments);
	usdt_align(u, 4);
}

static void usdt_put_notes(struct usdt *u)
{
	usdt_begin(u, SECTION_NOTES);
	for (size_t i = 0; i < u->count; i++) {
		usdt_put_note(u, i, 0);
		usdt_put_note(u, i, 1);
	}
	usdt_end(u, SECTION_NOTES);
}

static void usdt_put_symbol(struct usdt *u, size_t probe, unsigned which,
			    uint32_t name)
{
	const Elf64_Sym symbol = {
		.st_name = name,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = SECTION_TEXT,
		.st_value = usdt_stub(u, probe, which),
		.st_size = PROBE_STUB,
	};

	text_add(u->out, &symbol, sizeof(symbol));
}

/* The names of the stubs, for stack traces. */
static void usdt_put_symbols(struct usdt *u)
{
	static const Elf64_Sym none;
	uint32_t name = 1;

	usdt_begin(u, SECTION_SYMBOLS);
	text_add(u->out, &none, sizeof(none));
	for (size_t i = 0; i < u->count; i++) {
		for (unsigned which = 0; which < 2; which++) {
			usdt_put_symbol(u, i, which, name);
			name += (uint32_t)(strlen(u->probes[i].name) +
					   strlen(suffixes[which]) + 1);
		}
	}
	usdt_end(u, SECTION_SYMBOLS);
	usdt_begin(u, SECTION_STRINGS);
	text_putc(u->out, '\0');
	for (size_t i = 0; i < u->count; i++) {
		for (unsigned which = 0; which < 2; which++) {
			text_puts(u->out, u->probes[i].name);
			usdt_string(u, suffixes[which]);
		}
	}
	usdt_end(u, SECTION_STRINGS);
}

static void usdt_put_names(struct usdt *u)
{
	usdt_begin(u, SECTION_NAMES);
	text_putc(u->out, '\0');
	for (unsigned s = SECTION_NONE + 1; s < SECTIONS; s++) {
		u->names[s] = (uint32_t)(u->out->len - u->begin[SECTION_NAMES]);
		usdt_string(u, kinds[s].name);
	}
	usdt_end(u, SECTION_NAMES);
}

static void usdt_put_sections(struct usdt *u)
{
	static const Elf64_Shdr none;

	usdt_align(u, sizeof(uint64_t));
	text_add(u->out, &none, sizeof(none));
	for (unsigned s = SECTION_NONE + 1; s < SECTIONS; s++) {
		const Elf64_Shdr header = {
			.sh_name = u->names[s],
			.sh_type = kinds[s].type,
			.sh_flags = kinds[s].flags,
			.sh_addr = kinds[s].flags & SHF_ALLOC
					   ? usdt_address(u, s)
					   : 0,
			.sh_offset = u->begin[s],
			.sh_size = u->len[s],
			.sh_link = kinds[s].link,
			.sh_info = kinds[s].info,
			.sh_addralign = kinds[s].align,
			.sh_entsize = kinds[s].entry_size,
		};

		text_add(u->out, &header, sizeof(header));
	}
}

/* ---- the head ---- */

static void usdt_set_segments(struct usdt *u, uint64_t stubs_end)
{
	const Elf64_Phdr segments[SEGMENTS] = {
		{ PT_LOAD, PF_R | PF_X, 0, 0, 0, stubs_end, stubs_end, PAGE },
		{ PT_LOAD, PF_R | PF_W, u->begin[SECTION_PROBES], PROBE_STUBS,
		  PROBE_STUBS, PROBE_SEMAPHORES, PROBE_SEMAPHORES, PAGE },
		{ PT_NOTE, PF_R, u->begin[SECTION_BUILD_ID],
		  u->begin[SECTION_BUILD_ID], u->begin[SECTION_BUILD_ID],
		  u->len[SECTION_BUILD_ID], u->len[SECTION_BUILD_ID], 4 },
		{ PT_GNU_EH_FRAME, PF_R, u->begin[SECTION_FRAMES_HEAD],
		  u->begin[SECTION_FRAMES_HEAD], u->begin[SECTION_FRAMES_HEAD],
		  FRAMES_HEAD_SIZE, FRAMES_HEAD_SIZE, 4 },
		{ PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16 },
	};

	memcpy(u->out->bytes + sizeof(Elf64_Ehdr), segments, sizeof(segments));
}

static void usdt_set_head(struct usdt *u, uint64_t sections_at)
{
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_shoff = sections_at,
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = SEGMENTS,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};

	memcpy(u->out->bytes, &head, sizeof(head));
}

/* Hashes are salted, so each library has an id of its own. */
static void usdt_set_build_id(struct usdt *u)
{
	char *id = u->out->bytes + u->begin[SECTION_BUILD_ID] +
		   u->len[SECTION_BUILD_ID] - BUILD_ID;
	uint64_t hashes[3] = { 0 };

	for (unsigned i = 0; i < 3; i++)
		hashes[i] = hash_bytes(u->out->bytes, u->out->len) +
			    (i ? hash_mix(hashes[i - 1], i) : 0);
	memcpy(id, hashes, BUILD_ID);
}

static size_t usdt_count_stubs(const struct usdt *u)
{
	uint32_t last = u->first_id;

	for (size_t i = 0; i < u->count; i++)
		last = u->probes[i].id > last ? u->probes[i].id : last;
	return ((size_t)(last - u->first_id) + 1) * 2;
}

/* Writes everything before the semaphores; returns its end, on a page. */
static uint64_t usdt_put_mapped(struct usdt *u)
{
	size_t text_len = u->stubs * PROBE_STUB, text_at;

	usdt_put_build_id(u);
	usdt_put_titles(u);
	text_at = (u->out->len + 7) / 8 * 8 + FRAMES_SIZE + FRAMES_HEAD_SIZE;
	text_at = (text_at + PROBE_STUB - 1) / PROBE_STUB * PROBE_STUB;
	usdt_put_frames(u, text_at, text_len);
	usdt_put_text(u);
	usdt_align(u, PAGE);
	return u->out->len;
}

bool usdt_write(struct text *out, const char *provider, uint32_t first_id,
		const struct usdt_probe *probes, size_t count,
		struct usdt_layout *layout)
{
	static const char
		head[sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr)];
	struct usdt u = {
		.out = out,
		.provider = provider,
		.first_id = first_id,
		.probes = probes,
		.count = count,
		.titles = xcalloc(count + 1, sizeof(*u.titles)),
	};
	uint64_t stubs_end, sections_at;

	u.stubs = usdt_count_stubs(&u);
	text_add(out, head, sizeof(head));
	stubs_end = usdt_put_mapped(&u);
	usdt_put_semaphores(&u);
	usdt_put_notes(&u);
	usdt_put_symbols(&u);
	usdt_put_names(&u);
	usdt_put_sections(&u);
	sections_at = out->len - SECTIONS * sizeof(Elf64_Shdr);
	usdt_set_segments(&u, stubs_end);
	usdt_set_head(&u, sections_at);
	usdt_set_build_id(&u);
	free(u.titles);
	*layout = (struct usdt_layout){
		.stubs_at = (uint32_t)u.begin[SECTION_TEXT],
		.stubs_end = (uint32_t)stubs_end,
		.semaphores_at = (uint32_t)u.begin[SECTION_PROBES],
	};
	return stubs_end <= PROBE_STUBS;
}
