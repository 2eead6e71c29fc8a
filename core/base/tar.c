/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/tar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The header of a member; numbers are octal digits. */
struct tar_header {
	char name[TAR_NAME];
	char mode[8], uid[8], gid[8], size[12], time[12], sum[8];
	char type;
	char link[100];
	char magic[6]; /* "ustar", and a NUL or, of GNU tar, a space */
	char version[2];
	char user[32], group[32], major[8], minor[8];
	char prefix[TAR_PREFIX];
	char unused[12];
};

_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a block");

enum { TAR_FILE = '0', TAR_OLD_FILE = '\0' };

/* ---- writing ---- */

/* Writes digits and a NUL. */
static void header_put(char *to, size_t size, uint64_t value)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%0*" PRIo64, (int)size - 1,
			   value);

	memcpy(to, digits + (len + 1 - (int)size), size);
}

/* The sum of all bytes, with spaces in place of the sum. */
static unsigned header_sum(const struct tar_header *h)
{
	const uint8_t *bytes = (const uint8_t *)h;
	unsigned sum = 0;

	for (size_t i = 0; i < sizeof(*h); i++) {
		bool is_sum = i >= offsetof(struct tar_header, sum) &&
			      i < offsetof(struct tar_header, type);

		sum += is_sum ? ' ' : bytes[i];
	}
	return sum;
}

static void header_set_name(struct tar_header *h, const char *name)
{
	const char *slash = NULL;
	size_t len = strlen(name), prefix = 0;

	for (const char *at = name; len > TAR_NAME && (at = strchr(at, '/'));
	     at++) {
		if ((size_t)(at - name) <= TAR_PREFIX)
			slash = at;
	}
	if (slash) {
		prefix = (size_t)(slash - name);
		memcpy(h->prefix, name, prefix);
		name = slash + 1;
		len -= prefix + 1;
	}
	memcpy(h->name, name, len < TAR_NAME ? len : TAR_NAME);
}

static void tar_pad(struct text *out, size_t len)
{
	static const char zeros[TAR_BLOCK];

	text_add(out, zeros, len);
}

void tar_add(struct text *out, const char *name, const void *bytes, size_t len,
	     int64_t time_s)
{
	struct tar_header h = { .type = TAR_FILE,
				.magic = "ustar",
				.version = { '0', '0' } };

	header_set_name(&h, name);
	header_put(h.mode, sizeof(h.mode), 0600);
	header_put(h.uid, sizeof(h.uid), 0);
	header_put(h.gid, sizeof(h.gid), 0);
	header_put(h.size, sizeof(h.size), len);
	header_put(h.time, sizeof(h.time), (uint64_t)time_s);
	header_put(h.sum, sizeof(h.sum) - 1, header_sum(&h));
	h.sum[sizeof(h.sum) - 1] = ' ';
	text_add(out, &h, sizeof(h));
	text_add(out, bytes, len);
	tar_pad(out, -len % TAR_BLOCK);
}

void tar_end(struct text *out)
{
	tar_pad(out, TAR_BLOCK);
	tar_pad(out, TAR_BLOCK);
}

/* ---- reading ---- */

/* Reads octal digits; false for other text and for the base of GNU tar. */
static bool header_get(const char *from, size_t size, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	while (i < size && from[i] == ' ')
		i++;
	for (; i < size && from[i] >= '0' && from[i] <= '7'; i++)
		*value = *value << 3 | (uint64_t)(from[i] - '0');
	return i == size || from[i] == '\0' || from[i] == ' ';
}

static bool header_is_valid(const struct tar_header *h)
{
	uint64_t sum;

	return memcmp(h->magic, "ustar", 5) == 0 &&
	       header_get(h->sum, sizeof(h->sum), &sum) && sum == header_sum(h);
}

bool tar_is(const uint8_t *bytes, size_t len)
{
	struct tar_header h;

	if (len < sizeof(h))
		return false;
	memcpy(&h, bytes, sizeof(h));
	return header_is_valid(&h);
}

void tar_open(struct tar *t, const uint8_t *bytes, size_t len)
{
	*t = (struct tar){ .next = cursor_over(bytes, len) };
}

static bool header_is_end(const struct tar_header *h)
{
	static const struct tar_header zeros;

	return memcmp(h, &zeros, sizeof(zeros)) == 0;
}

static void header_get_name(const struct tar_header *h, char *name, size_t size)
{
	/* GNU tar has other fields there. */
	bool has_prefix = h->magic[5] == '\0' && *h->prefix;

	snprintf(name, size, "%.*s%s%.*s", has_prefix ? TAR_PREFIX : 0,
		 h->prefix, has_prefix ? "/" : "", TAR_NAME, h->name);
}

bool tar_next(struct tar *t, struct tar_member *m)
{
	struct cursor *c = &t->next;
	struct tar_header h = { .type = 'x' };

	while (h.type != TAR_FILE && h.type != TAR_OLD_FILE) {
		const uint8_t *at = cursor_bytes(c, sizeof(h));
		uint64_t size;

		if (at)
			memcpy(&h, at, sizeof(h));
		if (at && header_is_end(&h))
			return false;
		if (!at || !header_is_valid(&h) ||
		    !header_get(h.size, sizeof(h.size), &size)) {
			t->is_cut = true;
			cursor_fail(c);
			return false;
		}
		t->is_cut = size > cursor_left(c);
		m->len = t->is_cut ? cursor_left(c) : (size_t)size;
		m->bytes = cursor_bytes(c, m->len);
		cursor_skip(c, (uint64_t) - (int64_t)size % TAR_BLOCK);
	}
	header_get_name(&h, m->name, sizeof(m->name));
	return true;
}
