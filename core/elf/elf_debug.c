/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_debug.h"

#include "core/base/alloc.h"
#include "core/elf/dwarf_cursor.h"

#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define DEBUG_ROOT "/usr/lib/debug"

enum {
	NOTES_MAX = 64 << 10,
	LINK_MAX = 4096,       /* .gnu_debuglink: a file name and a CRC */
	PACKED_MAX = 16 << 20, /* .gnu_debugdata */
	UNPACKED_MAX = 64 << 20,
	UNPACKED_PART = 256 << 10, /* bytes unpacked at a time */
	UNPACKING_MAX = 128 << 20, /* memory limit of xz */
};
/* The CRC of larger files is not checked. */
#define SUMMED_MAX ((off_t)1 << 30)

/* The padded name of GNU notes, and the note type of the build ID. */
static const char gnu[4] = "GNU";
enum { BUILD_ID_NOTE = 3 };

/* Finds the bytes of the build id among notes. */
static struct cursor notes_find_build_id(struct cursor c)
{
	while (cursor_left(&c)) {
		uint32_t name_len = dwarf_u32(&c), len = dwarf_u32(&c);
		uint32_t type = dwarf_u32(&c);
		struct cursor name = cursor_slice(&c, name_len);
		struct cursor bytes;

		cursor_skip(&c, -name_len & 3);
		bytes = cursor_slice(&c, len);
		if (type == BUILD_ID_NOTE && name_len == sizeof(gnu) &&
		    cursor_ok(&bytes) && memcmp(name.at, gnu, sizeof(gnu)) == 0)
			return bytes;
		/* The last note may lack its padding. */
		if (cursor_left(&c))
			cursor_skip(&c, -len & 3);
	}
	return cursor_over(NULL, 0);
}

static void build_id_format(struct cursor id, char text[ELF_BUILD_ID_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	size_t len = 0;

	while (cursor_left(&id) && len < ELF_BUILD_ID_TEXT - 1) {
		uint8_t byte = cursor_u8(&id);

		text[len++] = digits[byte >> 4];
		text[len++] = digits[byte & 15];
	}
	text[len] = '\0';
}

/* Returns the build ID in lower-case hexadecimal, "" when there is none. */
static void elf_debug_build_id(const struct elf_file *f,
			       char text[ELF_BUILD_ID_TEXT])
{
	text[0] = '\0';
	for (size_t i = 0; i < f->section_count && !text[0]; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		struct elf_part part;

		if (s->sh_type != SHT_NOTE ||
		    !elf_file_read_section(f, s, NOTES_MAX, &part))
			continue;
		build_id_format(
			notes_find_build_id(cursor_over(part.bytes, part.len)),
			text);
		elf_part_release(&part);
	}
}

/*
 * A search for debug files below a JVM's root, or below the root of sjkc (jvm
 * NULL).
 */
struct search {
	const struct jvm *jvm;
	const struct elf_debug_search *wanted;
	const char *directory; /* directory of the file; "" when the file is not
				  in that root */
};

static bool file_sum(int fd, off_t size, uint32_t *crc)
{
	uint8_t part[64 << 10];
	off_t at = 0;

	*crc = 0;
	while (at < size) {
		ssize_t got = pread(fd, part, sizeof(part), at);

		if (got <= 0)
			return false;
		*crc = (uint32_t)crc32(*crc, part, (uInt)got);
		at += got;
	}
	return true;
}

static bool search_trusts_owner(const struct search *s, const struct stat *st)
{
	return S_ISREG(st->st_mode) &&
	       (st->st_uid == 0 || (s->jvm && st->st_uid == s->jvm->uid));
}

/*
 * Returns true when a debug file belongs to the file, by its build ID or else
 * by its CRC.
 */
static bool search_accepts(const struct search *s, int fd)
{
	char id[ELF_BUILD_ID_TEXT];
	struct elf_file debug;
	struct error err;
	struct stat st;
	uint32_t crc;

	if (fstat(fd, &st) < 0 || !search_trusts_owner(s, &st))
		return false;
	if (!s->wanted->id[0])
		return st.st_size <= SUMMED_MAX &&
		       file_sum(fd, st.st_size, &crc) && crc == s->wanted->crc;
	if (elf_file_init(&debug, (struct elf_source){ .fd = fd }, &err) < 0)
		return false;
	elf_debug_build_id(&debug, id);
	elf_file_release(&debug);
	return strcmp(id, s->wanted->id) == 0;
}

static int search_try_path(const struct search *s, const char *path)
{
	struct error err;
	int fd;

	if (s->jvm)
		fd = jvm_open_file(s->jvm, path, O_RDONLY, &err);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !search_accepts(s, fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int search_in_root(const struct search *s)
{
	/* The directories around the file's own directory in a path. */
	static const char *const around[][2] = { { "", "/" },
						 { "", "/.debug/" },
						 { DEBUG_ROOT, "/" } };
	const char *id = s->wanted->id, *link = s->wanted->link;
	char path[PATH_MAX];
	int fd = -1;

	if (strlen(id) > 2) {
		snprintf(path, sizeof(path),
			 DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2);
		fd = search_try_path(s, path);
	}
	for (size_t i = 0; i < 3 && fd < 0 && *link && *s->directory; i++) {
		int len = snprintf(path, sizeof(path), "%s%s%s%s", around[i][0],
				   s->directory, around[i][1], link);

		if (len > 0 && (size_t)len < sizeof(path))
			fd = search_try_path(s, path);
	}
	return fd;
}

/* Reads the name and the CRC of .gnu_debuglink. */
static void debug_read_link(struct elf_debug_search *s,
			    const struct elf_part *part)
{
	struct cursor c = cursor_over(part->bytes, part->len);
	const char *name = (const char *)part->bytes;
	size_t len = part->bytes ? strnlen(name, part->len) : 0;

	/* A NUL, and zeros up to a multiple of four. */
	cursor_skip(&c, (len + 4) & ~(size_t)3);
	s->crc = dwarf_u32(&c);
	if (cursor_ok(&c) && len && len < sizeof(s->link) &&
	    !memchr(name, '/', len))
		memcpy(s->link, name, len + 1);
}

bool elf_debug_search_init(struct elf_debug_search *s, const char *path,
			   const struct elf_file *f)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;
	struct elf_part link;

	*s = (struct elf_debug_search){ 0 };
	if (!slash || len >= sizeof(s->directory))
		return false;
	memcpy(s->directory, path, len);
	elf_debug_build_id(f, s->id);
	elf_file_read_section(f, elf_file_section(f, ".gnu_debuglink"),
			      LINK_MAX, &link);
	debug_read_link(s, &link);
	elf_part_release(&link);
	return *s->id || *s->link;
}

int elf_debug_open(const struct jvm *jvm, const struct elf_debug_search *wanted)
{
	struct search s = {
		.jvm = jvm,
		.wanted = wanted,
		.directory = wanted->directory,
	};
	int fd = search_in_root(&s);

	if (fd < 0 && jvm->own_root) {
		s.jvm = NULL;
		s.directory = "";
		fd = search_in_root(&s);
	}
	return fd;
}

/* Unpacks all of packed into out, which grows; false when it is damaged. */
static bool debug_decode(lzma_stream *stream, struct elf_part *out)
{
	lzma_ret rc = LZMA_OK;
	size_t cap = 0;

	while (rc == LZMA_OK && out->len < UNPACKED_MAX &&
	       budget_charge(out->budget, UNPACKED_PART)) {
		cap += UNPACKED_PART;
		out->bytes = xrealloc(out->bytes, cap, 1);
		stream->next_out = out->bytes + out->len;
		stream->avail_out = cap - out->len;
		rc = lzma_code(stream, LZMA_FINISH);
		out->len = cap - stream->avail_out;
	}
	budget_return(out->budget, cap - out->len);
	return rc == LZMA_STREAM_END;
}

bool elf_debug_unpack(const struct elf_file *f, struct elf_part *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct elf_part packed;
	bool is_complete = false;

	*out = (struct elf_part){ .budget = f->source.budget };
	if (!elf_file_read_section(f, elf_file_section(f, ".gnu_debugdata"),
				   PACKED_MAX, &packed))
		return false;
	if (lzma_stream_decoder(&stream, UNPACKING_MAX, 0) == LZMA_OK) {
		stream.next_in = packed.bytes;
		stream.avail_in = packed.len;
		is_complete = debug_decode(&stream, out);
	}
	lzma_end(&stream);
	elf_part_release(&packed);
	if (!is_complete)
		elf_part_release(out);
	return is_complete;
}
