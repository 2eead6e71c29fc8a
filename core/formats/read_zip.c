/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_zip: reads all recordings in a ZIP file, and application snapshots of
 * VisualVM (.apps), which are ZIP files with profiler snapshots and thread
 * dumps.
 *
 * A ZIP file with a single recording is unpacked by core/base/input.h, so that
 * all commands read it.
 */
#include "core/base/archive.h"
#include "core/base/plain_text.h"
#include "core/base/text.h"
#include "core/base/unpack.h"
#include "core/formats/read_nps.h"
#include "core/formats/reader.h"
#include "core/profile/profile.h"

#include <stdlib.h>
#include <string.h>

/*
 * Bytes of all members together, besides a number per byte of the archive. Of
 * application snapshots, snapshots are compressed already, and thread dumps
 * shrink to a tenth. What all snapshots decompress themselves has the same
 * maximum.
 */
#define ZIP_ROOM   ((size_t)256 << 20)
#define APPS_RATIO 32

#define ZIP_NAMES  5 /* members that an error lists */

/* The members of application snapshots that can be drawn. */
static const struct {
	const char *suffix;
	const struct reader *reader;
} kinds[] = {
	{ ".nps", &nps_reader },
	{ ".tdump", &dump_reader },
};

struct zip_file {
	struct archive archive;
	struct profile *profile;
	size_t room;          /* maximum bytes of further members, inflated */
	size_t snapshot_room; /* the same of what snapshots compress again */
	size_t read;          /* number of members with samples */
	char *failure;        /* the first loss, or NULL */
	size_t others;        /* number of other members */
	struct text names;    /* of the first of these */
};

static bool apps_sniff(const uint8_t *head, size_t len)
{
	static const char *const members[] = { "application_snapshot",
					       "snapshot-", "threaddump-",
					       "heapdump-" };

	if (!archive_is_zip(head, len))
		return false;
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		size_t name = strlen(members[i]);

		if (len - ARCHIVE_LOCAL_SIZE >= name &&
		    memcmp(head + ARCHIVE_LOCAL_SIZE, members[i], name) == 0)
			return true;
	}
	return false;
}

static bool zip_sniff(const uint8_t *head, size_t len)
{
	return archive_is_zip(head, len) || archive_is_empty(head, len);
}

static void zip_lose_member(struct zip_file *z, const struct archive_member *m,
			    const char *why)
{
	struct text text = { 0 };

	text_printf(&text, "%.*s: %s", (int)m->name_len, m->name, why);
	profile_lost(z->profile, "unreadable members", 1, "%s", text.bytes);
	if (z->failure)
		text_release(&text);
	else
		z->failure = text.bytes;
}

static bool member_ends_with(const struct archive_member *m, const char *suffix)
{
	size_t len = strlen(suffix);

	return m->name_len > len &&
	       memcmp(m->name + m->name_len - len, suffix, len) == 0;
}

/* Decompresses a member within the room; without bytes if nothing is left. */
static struct inflated zip_unpack_member(struct zip_file *z,
					 const struct archive_member *m)
{
	struct inflated data = archive_unpack(m, z->room + 1, ZIP_ROOM);

	if (data.damage)
		zip_lose_member(z, m, data.damage);
	else if (data.len > z->room)
		zip_lose_member(z, m, "the members are too large");
	z->room -= data.len < z->room ? data.len : z->room;
	return data;
}

/* Replaces a member that is compressed itself, such as dump.jfr.gz. */
static void zip_unpack_twice(struct zip_file *z, const struct archive_member *m,
			     struct inflated *data)
{
	enum unpack_kind kind = unpack_kind(data->bytes, data->len);
	struct inflated inner;

	if (kind == UNPACK_NONE)
		return;
	inner = unpack_bytes(kind, data->bytes, data->len, z->room + 1);
	free(data->bytes);
	*data = inner;
	if (inner.damage)
		zip_lose_member(z, m, inner.damage);
	else if (inner.len > z->room)
		zip_lose_member(z, m, "the members are too large");
	z->room -= inner.len < z->room ? inner.len : z->room;
}

/* Names a member that has no recording. */
static void zip_skip_member(struct zip_file *z, const struct archive_member *m)
{
	z->others++;
	if (z->others <= ZIP_NAMES)
		text_printf(&z->names, "%s%.*s", z->others > 1 ? ", " : "",
			    (int)m->name_len, m->name);
	profile_note(z->profile, "members that are not recordings", 1, "%.*s",
		     (int)m->name_len, m->name);
}

static void zip_read_member(struct zip_file *z, const struct archive_member *m)
{
	struct inflated data = zip_unpack_member(z, m);
	const struct reader *reader = NULL;
	const uint8_t *bytes;
	uint8_t *decoded;
	size_t len;
	struct error err;

	if (data.len)
		zip_unpack_twice(z, m, &data);
	bytes = data.bytes;
	len = data.len;
	decoded = plain_text(&bytes, &len);
	if (len)
		reader = reader_for(NULL, NULL, bytes,
				    len < READER_LOOK ? len : READER_LOOK,
				    &err);
	if (reader && zip_sniff(bytes, len)) {
		zip_lose_member(z, m, "a ZIP file in a ZIP file");
	} else if (reader) {
		if (reader->read(bytes, len, z->profile, &err))
			zip_lose_member(z, m, err.text);
		else
			z->read++;
	} else if (data.len) {
		zip_skip_member(z, m);
	}
	free(decoded);
	free(data.bytes);
}

static void apps_read_member(struct zip_file *z, const struct archive_member *m,
			     const struct reader *reader)
{
	struct inflated data = zip_unpack_member(z, m);
	struct error err;
	int ret = -1;

	if (data.len) {
		ret = reader == &nps_reader
			      ? nps_read_within(data.bytes, data.len,
						&z->snapshot_room, z->profile,
						&err)
			      : reader->read(data.bytes, data.len, z->profile,
					     &err);
	}
	if (!ret)
		z->read++;
	else if (data.len)
		zip_lose_member(z, m, err.text);
	free(data.bytes);
}

/* Reads the snapshots and thread dumps. */
static void apps_read_known(struct zip_file *z, const struct archive_member *m)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (member_ends_with(m, kinds[i].suffix))
			apps_read_member(z, m, kinds[i].reader);
	}
	if (member_ends_with(m, ".hprof"))
		profile_note(z->profile, "heap dumps skipped", 1, "%.*s",
			     (int)m->name_len, m->name);
}

/* Reads all members by `read`; fails if nothing is readable. */
static int
zip_read_all(const uint8_t *bytes, size_t len, struct profile *p, size_t ratio,
	     void (*read)(struct zip_file *, const struct archive_member *),
	     struct zip_file *z)
{
	struct archive_member m;

	*z = (struct zip_file){ .profile = p };
	z->room = ZIP_ROOM + len * ratio;
	z->snapshot_room = z->room;
	archive_open(&z->archive, bytes, len);
	while (archive_next(&z->archive, &m)) {
		if (archive_is_file(&m))
			read(z, &m);
	}
	if (z->archive.is_damaged)
		profile_lost(p, "damaged directory of the ZIP file", 1, "%s",
			     "");
	if (z->archive.is_cut)
		profile_lost(p, "truncated ZIP files", 1,
			     "the directory at the end is missing");
	return z->read ? 0 : -1;
}

static int zip_read(const uint8_t *bytes, size_t len, struct profile *p,
		    struct error *err)
{
	struct zip_file z;
	int ret = zip_read_all(bytes, len, p, INFLATE_BOMB_RATIO,
			       zip_read_member, &z);

	if (ret && z.failure)
		fail(err, ERROR_INPUT,
		     "the ZIP file has no readable recording: %s", z.failure);
	else if (ret && z.others)
		fail(err, ERROR_INPUT,
		     "the ZIP file has no recording; its files are: %s%s",
		     z.names.bytes, z.others > ZIP_NAMES ? ", …" : "");
	else if (ret)
		fail(err, ERROR_INPUT,
		     z.archive.is_cut ? "not a ZIP file: it contains no member"
				      : "the ZIP file has no files");
	text_release(&z.names);
	free(z.failure);
	return ret;
}

static int apps_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	struct zip_file z;
	int ret = zip_read_all(bytes, len, p, APPS_RATIO, apps_read_known, &z);

	if (ret)
		fail(err, ERROR_INPUT,
		     "holds neither profiler snapshots nor thread dumps that "
		     "are readable%s%s",
		     z.failure ? ": " : "", z.failure ? z.failure : "");
	free(z.failure);
	return ret;
}

const struct reader apps_reader = {
	.name = "apps",
	.summary = "VisualVM application snapshot",
	.sniff = apps_sniff,
	.read = apps_read,
};

const struct reader zip_reader = {
	.name = "zip",
	.summary = "ZIP file of recordings",
	.sniff = zip_sniff,
	.read = zip_read,
};
