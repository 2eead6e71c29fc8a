/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/java_names.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/idtable.h"
#include "core/base/intern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMES ((size_t)1 << 21)

enum { SYMBOL_MOST = UINT16_MAX }; /* Symbol::max_symbol_length */

struct triple {
	uint32_t class_name, method, signature; /* ids of interned strings */
};

struct java_names {
	struct intern strings;
	struct triple *names; /* by id - 1 */
	size_t count, cap;
	struct idtable index;
	size_t most_bytes;
	char *dotted; /* SYMBOL_MOST bytes */
};

struct java_names *java_names_new(size_t most_bytes)
{
	struct java_names *n = xcalloc(1, sizeof(*n));

	n->most_bytes = most_bytes;
	n->dotted = xmalloc(SYMBOL_MOST);
	return n;
}

void java_names_free(struct java_names *n)
{
	if (!n)
		return;
	intern_release(&n->strings);
	idtable_release(&n->index);
	free(n->names);
	free(n->dotted);
	free(n);
}

static bool utf8_is_continuation(const uint8_t *at, const uint8_t *end)
{
	return at < end && (*at & 0xc0) == 0x80;
}

/* Modified UTF-8 has no NUL and no four-byte characters (JVMS 4.4.7). */
static bool is_modified_utf8(const char *bytes, size_t len)
{
	const uint8_t *at = (const uint8_t *)bytes;
	const uint8_t *end = at + len;

	while (at < end) {
		uint8_t byte = *at++;
		int more = byte < 0x80 ? 0 : byte < 0xe0 ? 1 : 2;

		if (byte == 0 || (byte >= 0x80 && byte < 0xc0) || byte >= 0xf0)
			return false;
		while (more-- > 0) {
			if (!utf8_is_continuation(at++, end))
				return false;
		}
	}
	return true;
}

static bool symbol_is_name(struct java_symbol s)
{
	return s.len > 0 && s.len <= SYMBOL_MOST &&
	       is_modified_utf8(s.bytes, s.len);
}

/* Skips a field type (JVMS 4.3.2); returns NULL when there is none. */
static const char *descriptor_skip_type(const char *at, const char *end)
{
	while (at < end && *at == '[')
		at++;
	if (at == end)
		return NULL;
	if (*at == 'L') {
		at = memchr(at, ';', (size_t)(end - at));
		return at ? at + 1 : NULL;
	}
	return *at && strchr("BCDFIJSZ", *at) ? at + 1 : NULL;
}

/*
 * Returns true for a method descriptor (JVMS 4.3.3); random bytes rarely form
 * one.
 */
static bool symbol_is_descriptor(struct java_symbol s)
{
	const char *at = s.bytes, *end = at + s.len;

	if (!symbol_is_name(s) || *at++ != '(')
		return false;
	while (at && at < end && *at != ')')
		at = descriptor_skip_type(at, end);
	if (!at || at == end)
		return false;
	at++;
	if (end - at == 1 && *at == 'V')
		return true;
	return descriptor_skip_type(at, end) == end;
}

static bool text_is_hexadecimal(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/*
 * Returns the length of a class name without the address of a hidden class:
 * "+0x" and 16 digits or, for a class from the CDS archive, a number that
 * increases from the archive's address without leading zeros: 9 digits by
 * default (ClassFileParser::mangle_hidden_class_name).
 */
static size_t class_name_length(struct java_symbol s)
{
	enum { MARK = 3, LEAST_DIGITS = 8, MOST_DIGITS = 16 };
	size_t at = s.len, digits;

	while (at > 0 && text_is_hexadecimal(s.bytes[at - 1]))
		at--;
	digits = s.len - at;
	if (digits < LEAST_DIGITS || digits > MOST_DIGITS || at <= MARK ||
	    memcmp(s.bytes + at - MARK, "+0x", MARK) != 0)
		return s.len;
	return at - MARK;
}

static uint32_t names_class_id(struct java_names *n, struct java_symbol s)
{
	size_t len = class_name_length(s);

	for (size_t i = 0; i < len; i++)
		n->dotted[i] = s.bytes[i];
	for (size_t i = 0; i < len; i++) {
		if (n->dotted[i] == '/')
			n->dotted[i] = '.';
	}
	return intern_id(&n->strings, n->dotted, len);
}

static uint32_t names_triple_id(struct java_names *n, const struct triple *t)
{
	uint32_t tag = (uint32_t)hash_bytes(t, sizeof(*t));
	struct idprobe probe;
	uint32_t id;

	idtable_reserve(&n->index, 1);
	probe = idtable_probe(&n->index, tag);
	while ((id = idtable_next(&n->index, &probe))) {
		if (memcmp(&n->names[id - 1], t, sizeof(*t)) == 0)
			return id;
	}
	array_add(n->names, n->count, n->cap, *t);
	idtable_put(&n->index, &probe, (uint32_t)n->count);
	return (uint32_t)n->count;
}

uint32_t java_names_add(struct java_names *n, struct java_symbol class_name,
			struct java_symbol method, struct java_symbol signature)
{
	struct triple t;

	if (!symbol_is_name(class_name) || !symbol_is_name(method) ||
	    !symbol_is_descriptor(signature))
		return 0;
	if (n->count >= MOST_NAMES || n->strings.arena.total >= n->most_bytes)
		return 0;
	t.class_name = names_class_id(n, class_name);
	t.method = intern_id(&n->strings, method.bytes, method.len);
	t.signature = intern_id(&n->strings, signature.bytes, signature.len);
	return names_triple_id(n, &t);
}

size_t java_names_bytes(const struct java_names *n)
{
	return n->strings.arena.total + n->count * sizeof(*n->names);
}

struct java_name java_names_get(const struct java_names *n, uint32_t id)
{
	const struct triple *t = &n->names[id - 1];

	return (struct java_name){
		.class_name = intern_text(&n->strings, t->class_name),
		.method = intern_text(&n->strings, t->method),
		.signature = intern_text(&n->strings, t->signature),
	};
}
