/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/archive.h"

#include "core/base/alloc.h"
#include "core/base/unpack.h"

#include <libdeflate.h>
#include <string.h>

#define ZIP_LOCAL         "PK\3\4"
#define ZIP_ENTRY         "PK\1\2"
#define ZIP_END           "PK\5\6"
#define ZIP64_END         "PK\6\6"
#define ZIP64_LOCATOR     "PK\6\7"
#define ZIP_ENTRY_SIZE    46
#define ZIP_END_SIZE      22
#define ZIP64_END_SIZE    56
#define ZIP64_LOCATOR_LEN 20
#define ZIP_COMMENT_MAX   65535
#define ZIP_IN_EXTRA      0xffffffffu /* the number is in a ZIP64 field */
#define ZIP64_FIELD       1           /* id of the field */

enum {
	ZIP_STORED = 0,
	ZIP_DEFLATED = 8,
	ZIP_ZSTD = 93,
	ZIP_XZ = 95,
};

enum {
	ZIP_FLAG_ENCRYPTED = 1,
	ZIP_FLAG_SIZES_FOLLOW = 8, /* in a descriptor behind the data */
};

static uint16_t zip_u16(const uint8_t *at)
{
	return (uint16_t)(at[1] << 8 | at[0]);
}

static uint32_t zip_u32(const uint8_t *at)
{
	return (uint32_t)zip_u16(at + 2) << 16 | zip_u16(at);
}

static uint64_t zip_u64(const uint8_t *at)
{
	return (uint64_t)zip_u32(at + 4) << 32 | zip_u32(at);
}

static bool zip_starts(const uint8_t *bytes, size_t len, const char *magic)
{
	return len >= 4 && memcmp(bytes, magic, 4) == 0;
}

bool archive_is_zip(const uint8_t *in, size_t len)
{
	return len >= ARCHIVE_LOCAL_SIZE && zip_starts(in, len, ZIP_LOCAL);
}

bool archive_is_empty(const uint8_t *in, size_t len)
{
	return len >= ZIP_END_SIZE && zip_starts(in, len, ZIP_END);
}

/* Sets a cursor over the directory; false if it is not inside the file. */
static bool archive_set_directory(struct archive *a, uint64_t at, uint64_t size)
{
	if (at > a->len || size > a->len - at)
		return false;
	a->next = cursor_over(a->bytes + at, size);
	return true;
}

/* The same by the end record at `end`, or the ZIP64 record before it. */
static bool archive_read_end(struct archive *a, size_t end)
{
	const uint8_t *at = a->bytes + end;
	uint64_t size = zip_u32(at + 12);
	uint64_t first = zip_u32(at + 16);
	uint64_t big;

	if (end >= ZIP64_LOCATOR_LEN &&
	    zip_starts(at - ZIP64_LOCATOR_LEN, 4, ZIP64_LOCATOR)) {
		big = zip_u64(at - ZIP64_LOCATOR_LEN + 8);
		if (big <= a->len && a->len - big >= ZIP64_END_SIZE &&
		    zip_starts(a->bytes + big, 4, ZIP64_END)) {
			size = zip_u64(a->bytes + big + 40);
			first = zip_u64(a->bytes + big + 48);
		}
	}
	return archive_set_directory(a, first, size);
}

void archive_open(struct archive *a, const uint8_t *bytes, size_t len)
{
	size_t last = len < ZIP_END_SIZE ? 0 : len - ZIP_END_SIZE;

	*a = (struct archive){ .bytes = bytes, .len = len };
	/* The record is followed by a comment. */
	for (size_t back = 0; back <= last && back <= ZIP_COMMENT_MAX; back++) {
		if (len >= ZIP_END_SIZE &&
		    zip_starts(bytes + last - back, 4, ZIP_END) &&
		    archive_read_end(a, last - back))
			return;
	}
	a->is_cut = true;
	a->next = cursor_over(bytes, len);
}

/* Takes numbers that do not fit into 32 bits from the field of ZIP64. */
static void archive_read_extra(struct cursor c, uint64_t *full, uint64_t *size,
			       uint64_t *local_at)
{
	uint64_t *numbers[] = { full, size, local_at };

	while (cursor_left(&c) >= 4) {
		const uint8_t *head = cursor_bytes(&c, 4);
		struct cursor field = cursor_slice(&c, zip_u16(head + 2));

		if (zip_u16(head) != ZIP64_FIELD)
			continue;
		for (size_t i = 0; i < 3; i++) {
			const uint8_t *at = *numbers[i] == ZIP_IN_EXTRA
						    ? cursor_bytes(&field, 8)
						    : NULL;

			if (at)
				*numbers[i] = zip_u64(at);
		}
		return;
	}
}

/* Finds the compressed bytes of a member behind its local header. */
static void archive_find_bytes(struct archive *a, struct archive_member *m,
			       uint64_t size, uint64_t local_at)
{
	const uint8_t *local;
	uint64_t at;

	if (local_at > a->len)
		return;
	local = a->bytes + local_at;
	if (!archive_is_zip(local, a->len - local_at))
		return;
	at = local_at + ARCHIVE_LOCAL_SIZE + zip_u16(local + 26) +
	     zip_u16(local + 28);
	if (at > a->len || size > a->len - at)
		return;
	/* Members that overlap would make a small file arbitrarily large. */
	a->used += size;
	if (a->used > a->len)
		return;
	m->size = size;
	m->bytes = a->bytes + at;
}

static bool archive_read_entry(struct archive *a, struct archive_member *m)
{
	struct cursor *c = &a->next;
	const uint8_t *at = cursor_bytes(c, ZIP_ENTRY_SIZE);
	uint64_t size, full, local_at;
	struct cursor extra;

	if (!at || !zip_starts(at, 4, ZIP_ENTRY))
		return false;
	m->is_encrypted = zip_u16(at + 8) & ZIP_FLAG_ENCRYPTED;
	m->method = zip_u16(at + 10);
	m->crc = zip_u32(at + 16);
	m->has_crc = true;
	size = zip_u32(at + 20);
	full = zip_u32(at + 24);
	m->name_len = zip_u16(at + 28);
	local_at = zip_u32(at + 42);
	m->name = (const char *)cursor_bytes(c, m->name_len);
	extra = cursor_slice(c, zip_u16(at + 30));
	cursor_skip(c, zip_u16(at + 32)); /* the comment */
	if (!cursor_ok(c))
		return false;
	archive_read_extra(extra, &full, &size, &local_at);
	archive_find_bytes(a, m, size, local_at);
	return true;
}

/* True at a header that is unlikely to be compressed data. */
static bool archive_is_header(const uint8_t *at, size_t left)
{
	size_t name_len;

	if (zip_starts(at, left, ZIP_ENTRY))
		return true;
	if (!archive_is_zip(at, left))
		return false;
	name_len = zip_u16(at + 26);
	return name_len && name_len <= left - ARCHIVE_LOCAL_SIZE &&
	       !memchr(at + ARCHIVE_LOCAL_SIZE, '\0', name_len);
}

/* Skips to the next header, or to the end. */
static void archive_seek_header(struct cursor *c)
{
	while (cursor_left(c)) {
		const uint8_t *p = memchr(c->at, 'P', cursor_left(c));

		c->at = p ? p : c->end;
		if (archive_is_header(c->at, cursor_left(c)))
			return;
		if (cursor_left(c))
			c->at++;
	}
}

/* Reads a member of a truncated file. Its end may be unknown. */
static bool archive_read_local(struct archive *a, struct archive_member *m)
{
	struct cursor *c = &a->next;
	unsigned flags;
	const uint8_t *at;
	uint64_t size, full, none = 0;
	struct cursor extra;

	archive_seek_header(c);
	at = cursor_bytes(c, ARCHIVE_LOCAL_SIZE);
	if (!at || !archive_is_zip(at, ARCHIVE_LOCAL_SIZE))
		return false;
	flags = zip_u16(at + 6);
	m->is_encrypted = flags & ZIP_FLAG_ENCRYPTED;
	m->method = zip_u16(at + 8);
	m->crc = zip_u32(at + 14);
	m->has_crc = !(flags & ZIP_FLAG_SIZES_FOLLOW);
	size = zip_u32(at + 18);
	full = zip_u32(at + 22);
	m->name_len = zip_u16(at + 26);
	m->name = (const char *)cursor_bytes(c, m->name_len);
	extra = cursor_slice(c, zip_u16(at + 28));
	if (!cursor_ok(c))
		return false;
	archive_read_extra(extra, &full, &size, &none);
	m->bytes = c->at;
	if (flags & ZIP_FLAG_SIZES_FOLLOW)
		archive_seek_header(c);
	else
		cursor_skip(c, size < cursor_left(c) ? size : cursor_left(c));
	m->size = (size_t)(c->at - m->bytes);
	return true;
}

bool archive_next(struct archive *a, struct archive_member *m)
{
	*m = (struct archive_member){ 0 };
	if (a->is_cut)
		return archive_read_local(a, m);
	if (!cursor_left(&a->next))
		return false;
	a->is_damaged = !archive_read_entry(a, m);
	if (a->is_damaged)
		a->next.at = a->next.end;
	return !a->is_damaged;
}

bool archive_is_file(const struct archive_member *m)
{
	static const char macos[] = "__MACOSX/";
	size_t len = sizeof(macos) - 1;

	return m->name_len && m->name[m->name_len - 1] != '/' &&
	       (m->name_len < len || memcmp(m->name, macos, len) != 0);
}

static struct inflated archive_copy(const struct archive_member *m, size_t max)
{
	struct inflated out = { .len = m->size };

	if (max && out.len > max)
		out.len = max;
	out.bytes = xmalloc(out.len);
	memcpy(out.bytes, m->bytes, out.len);
	out.used = out.len;
	return out;
}

struct inflated archive_unpack(const struct archive_member *m, size_t max,
			       size_t bomb)
{
	struct inflated out = { 0 };

	if (!m->bytes)
		out.damage = "its data is not in the file";
	else if (m->is_encrypted)
		out.damage = "it is encrypted";
	else if (m->method == ZIP_STORED)
		out = archive_copy(m, max);
	else if (m->method == ZIP_DEFLATED)
		out = inflate_watched(INFLATE_RAW, m->bytes, m->size, max,
				      bomb);
	else if (m->method == ZIP_ZSTD)
		out = unpack_watched(UNPACK_ZSTD, m->bytes, m->size, max, bomb);
	else if (m->method == ZIP_XZ)
		out = unpack_watched(UNPACK_XZ, m->bytes, m->size, max, bomb);
	else
		out.damage = "unsupported compression";
	if (m->has_crc && !out.damage && !(max && out.len == max) &&
	    libdeflate_crc32(0, out.bytes, out.len) != m->crc)
		out.damage = "damaged data: wrong checksum";
	return out;
}
