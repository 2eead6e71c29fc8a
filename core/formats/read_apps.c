/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_apps: reads application snapshots of VisualVM (.apps), zip files with
 * profiler snapshots and thread dumps.
 *
 * The central directory is used, because local headers lack the sizes. Source
 * of the layout: PKWARE's APPNOTE 4.3.
 */
#include "core/base/cursor.h"
#include "core/base/text.h"
#include "core/base/zip.h"
#include "core/formats/read_nps.h"
#include "core/formats/reader.h"
#include "core/profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ZIP_LOCAL       "PK\3\4"
#define ZIP_ENTRY       "PK\1\2"
#define ZIP_END         "PK\5\6"
#define ZIP_LOCAL_SIZE  30
#define ZIP_ENTRY_SIZE  46
#define ZIP_END_SIZE    22
#define ZIP_COMMENT_MAX 65535

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

/*
 * Bytes of all members together, besides a number per byte of the archive:
 * snapshots are compressed already, and thread dumps shrink to a tenth. What
 * all snapshots decompress themselves has the same maximum.
 */
#define APPS_ROOM  ((size_t)256 << 20)
#define APPS_RATIO 32

/* The members that can be drawn. */
static const struct {
	const char *suffix;
	const struct reader *reader;
} kinds[] = {
	{ ".nps", &nps_reader },
	{ ".tdump", &dump_reader },
};

struct archive {
	const uint8_t *bytes;
	size_t len;
	struct profile *profile;
	size_t used;          /* compressed bytes of all members so far */
	size_t room;          /* maximum bytes of further members, inflated */
	size_t snapshot_room; /* the same of what snapshots compress again */
	size_t read;          /* number of members */
};

struct member {
	const char *name; /* borrowed, not NUL-terminated */
	size_t name_len;
	unsigned method;
	size_t size;     /* compressed */
	size_t local_at; /* offset of the local header */
};

static uint32_t zip_number(const uint8_t *at, int size)
{
	uint32_t value = 0;

	while (size--)
		value = value << 8 | at[size];
	return value;
}

static bool zip_starts(const uint8_t *bytes, size_t len, const char *magic)
{
	return len >= 4 && memcmp(bytes, magic, 4) == 0;
}

static bool apps_sniff(const uint8_t *head, size_t len)
{
	static const char *const members[] = { "application_snapshot",
					       "snapshot-", "threaddump-",
					       "heapdump-" };

	if (!zip_starts(head, len, ZIP_LOCAL) || len < ZIP_LOCAL_SIZE)
		return false;
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		size_t name = strlen(members[i]);

		if (len - ZIP_LOCAL_SIZE >= name &&
		    memcmp(head + ZIP_LOCAL_SIZE, members[i], name) == 0)
			return true;
	}
	return false;
}

/* Returns the directory, which ends before a comment; failed if damaged. */
static struct cursor apps_directory(const struct archive *a)
{
	size_t last = a->len < ZIP_END_SIZE ? 0 : a->len - ZIP_END_SIZE;
	struct cursor none = { .failed = true };

	for (size_t back = 0; back <= last && back <= ZIP_COMMENT_MAX; back++) {
		const uint8_t *end = a->bytes + last - back;
		size_t size, at;

		if (a->len < ZIP_END_SIZE || !zip_starts(end, 4, ZIP_END))
			continue;
		size = zip_number(end + 12, 4);
		at = zip_number(end + 16, 4);
		if (at > a->len || size > a->len - at)
			return none;
		return cursor_over(a->bytes + at, size);
	}
	return none;
}

/* Reads an entry of the directory; false at its end or if it is damaged. */
static bool apps_read_entry(struct cursor *c, struct member *m)
{
	const uint8_t *at = cursor_bytes(c, ZIP_ENTRY_SIZE);

	if (!at || !zip_starts(at, 4, ZIP_ENTRY))
		return false;
	m->method = zip_number(at + 10, 2);
	m->size = zip_number(at + 20, 4);
	m->name_len = zip_number(at + 28, 2);
	m->local_at = zip_number(at + 42, 4);
	m->name = (const char *)cursor_bytes(c, m->name_len);
	cursor_skip(c, zip_number(at + 30, 2)); /* extra fields */
	cursor_skip(c, zip_number(at + 32, 2)); /* the comment */
	return cursor_ok(c);
}

static const struct reader *member_reader(const struct member *m)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t len = strlen(kinds[i].suffix);

		if (m->name_len > len && memcmp(m->name + m->name_len - len,
						kinds[i].suffix, len) == 0)
			return kinds[i].reader;
	}
	return NULL;
}

/* Returns the compressed bytes of a member, or NULL. */
static const uint8_t *member_bytes(struct archive *a, const struct member *m)
{
	const uint8_t *local = a->bytes + m->local_at;
	size_t at;

	if (m->local_at > a->len || a->len - m->local_at < ZIP_LOCAL_SIZE ||
	    !zip_starts(local, 4, ZIP_LOCAL))
		return NULL;
	at = m->local_at + ZIP_LOCAL_SIZE + zip_number(local + 26, 2) +
	     zip_number(local + 28, 2);
	if (at > a->len || m->size > a->len - at)
		return NULL;
	/* Members that overlap would make a small file arbitrarily large. */
	a->used += m->size;
	return a->used > a->len ? NULL : a->bytes + at;
}

static void apps_lose_member(struct archive *a, const struct member *m,
			     const char *why)
{
	profile_lost(a->profile, "unreadable members", 1, "%.*s: %s",
		     (int)m->name_len, m->name, why);
}

static void apps_read_bytes(struct archive *a, const struct member *m,
			    const uint8_t *bytes, size_t len)
{
	const struct reader *reader = member_reader(m);
	struct error err;
	int ret;

	a->read++;
	ret = reader == &nps_reader
		      ? nps_read_within(bytes, len, &a->snapshot_room,
					a->profile, &err)
		      : reader->read(bytes, len, a->profile, &err);
	if (ret)
		apps_lose_member(a, m, err.text);
}

static void apps_read_member(struct archive *a, const struct member *m)
{
	const uint8_t *bytes = member_bytes(a, m);
	struct inflated data;

	if (!bytes) {
		apps_lose_member(a, m, "its data is not in the file");
	} else if (m->method == ZIP_STORED) {
		apps_read_bytes(a, m, bytes, m->size);
	} else if (m->method == ZIP_DEFLATED) {
		data = inflate_bytes(INFLATE_RAW, bytes, m->size, a->room + 1);
		if (data.damage)
			apps_lose_member(a, m, data.damage);
		else if (data.len > a->room)
			apps_lose_member(a, m, "the members are too large");
		a->room -= data.len < a->room ? data.len : a->room;
		if (data.len)
			apps_read_bytes(a, m, data.bytes, data.len);
		free(data.bytes);
	} else {
		apps_lose_member(a, m, "unsupported compression");
	}
}

static int apps_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	struct archive a = {
		.bytes = bytes,
		.len = len,
		.profile = p,
		.room = APPS_ROOM + len * APPS_RATIO,
		.snapshot_room = APPS_ROOM + len * APPS_RATIO,
	};
	struct cursor c = apps_directory(&a);
	struct member m;

	if (!cursor_ok(&c))
		return fail(err, ERROR_INPUT,
			    "is a zip file without its directory, which is at "
			    "the end; the file is truncated");
	while (cursor_left(&c) && apps_read_entry(&c, &m)) {
		if (member_reader(&m))
			apps_read_member(&a, &m);
		else if (m.name_len > 6 &&
			 memcmp(m.name + m.name_len - 6, ".hprof", 6) == 0)
			profile_note(p, "heap dumps skipped", 1, "%.*s",
				     (int)m.name_len, m.name);
	}
	if (!cursor_ok(&c) || cursor_left(&c))
		profile_lost(p, "damaged directory of the zip file", 1,
			     "offset %zu", cursor_offset(&c));
	if (!a.read)
		return fail(err, ERROR_INPUT,
			    "holds neither profiler snapshots nor thread "
			    "dumps that are readable");
	return 0;
}

const struct reader apps_reader = {
	.name = "apps",
	.summary = "VisualVM application snapshot",
	.sniff = apps_sniff,
	.read = apps_read,
};
