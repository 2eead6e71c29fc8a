/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor: bounded reading of borrowed bytes.
 *
 * The first read that does not fit fails the cursor. Later reads return zero
 * and move nothing, so a parser may read a whole header and check cursor_ok()
 * once. Fixed-width integers are big-endian, as Java writes them.
 *
 * Reads have side effects: one per statement, never two in one expression. They
 * are inline because the JFR reader makes several hundred million.
 */
#ifndef CORE_BASE_CURSOR_H
#define CORE_BASE_CURSOR_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *base; /* offset 0 of the input, for messages */
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

static inline struct cursor cursor_over(const void *bytes, size_t len)
{
	const uint8_t *b = bytes;

	return (struct cursor){ .base = b, .at = b, .end = len ? b + len : b };
}

static inline bool cursor_ok(const struct cursor *c) { return !c->failed; }

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* Position of the next read, in bytes from the start of the input. */
static inline size_t cursor_offset(const struct cursor *c)
{
	return (size_t)(c->at - c->base);
}

/* Fails the cursor: no bytes are left. */
static inline void cursor_fail(struct cursor *c)
{
	c->at = c->end;
	c->failed = true;
}

/* Returns the next len bytes, or NULL. The input owns them. */
static inline const uint8_t *cursor_bytes(struct cursor *c, uint64_t len)
{
	const uint8_t *bytes = c->at;

	if (__builtin_expect(len > cursor_left(c), 0)) {
		cursor_fail(c);
		return NULL;
	}
	c->at += len;
	return bytes;
}

static inline void cursor_skip(struct cursor *c, uint64_t len)
{
	cursor_bytes(c, len);
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	if (__builtin_expect(c->at == c->end, 0)) {
		c->failed = true;
		return 0;
	}
	/* NOLINTNEXTLINE: a cursor of NULL has no bytes to read */
	return *c->at++;
}

uint16_t cursor_u16(struct cursor *c);
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);

/* The next size bytes, at most 8, as a number. */
static inline uint64_t cursor_little_endian(struct cursor *c, size_t size)
{
	const uint8_t *bytes = cursor_bytes(c, size);
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, size);
	return le64toh(value);
}

#define CURSOR_LONGEST_VARINT 9 /* bytes */

/* Implements cursor_varint() near the end of the input, byte by byte. */
uint64_t cursor_varint_slow(struct cursor *c);

/* Joins the low seven bits of each of eight bytes. */
static inline uint64_t cursor_septets(uint64_t w)
{
	w &= 0x7f7f7f7f7f7f7f7fu;
	w = (w & 0x007f007f007f007fu) | (w & 0x7f007f007f007f00u) >> 1;
	w = (w & 0x00003fff00003fffu) | (w & 0x3fff00003fff0000u) >> 2;
	return (w & 0x0fffffffu) | (w & 0x0fffffff00000000u) >> 4;
}

/*
 * Decodes a varint at `at`, where CURSOR_LONGEST_VARINT bytes are readable,
 * into *value; returns the position behind it.
 */
static inline const uint8_t *cursor_decode_varint(const uint8_t *at,
						  uint64_t *value)
{
	uint64_t word, stop;

	if (*at < 0x80) {
		*value = *at;
		return at + 1;
	}
	memcpy(&word, at, 8);
	word = le64toh(word);
	stop = ~word & 0x8080808080808080u;
	if (__builtin_expect(!stop, 0)) {
		*value = cursor_septets(word) | (uint64_t)at[8] << 56;
		return at + 9;
	}
	*value = cursor_septets(word & (stop ^ (stop - 1)));
	return at + (unsigned)__builtin_ctzll(stop) / 8 + 1;
}

/*
 * Reads a JFR varint: base 128, low digits first, at most 9 bytes of which the
 * ninth carries 8 bits. So 9 bytes hold any 64-bit value; LEB128 would need
 * ten. Padded encodings are allowed because JFR writes them.
 */
static inline uint64_t cursor_varint(struct cursor *c)
{
	uint64_t value;

	/* NOLINTNEXTLINE: a cursor of NULL has no bytes to read */
	if (c->at < c->end && *c->at < 0x80)
		return *c->at++;
	/* Nine bytes are available except at the end: one load, no loop. */
	if (__builtin_expect(cursor_left(c) < CURSOR_LONGEST_VARINT, 0))
		return cursor_varint_slow(c);
	c->at = cursor_decode_varint(c->at, &value);
	return value;
}

/* Skips a varint. */
static inline void cursor_skip_varint(struct cursor *c)
{
	if (__builtin_expect(c->at < c->end && *c->at < 0x80, 1))
		c->at++;
	else
		cursor_varint(c);
}

/* Returns a cursor over the next len bytes; failed if there are fewer. */
struct cursor cursor_slice(struct cursor *c, uint64_t len);

/*
 * Returns a cursor over [offset, end of c); offsets count from c's base. Failed
 * if offset is outside.
 */
struct cursor cursor_from(const struct cursor *c, uint64_t offset);

/*
 * Reads a varint that counts elements of at least min_size bytes each. If the
 * rest of the input is too short for them, fails the cursor and returns 0, so
 * that no loop and no allocation outgrows the input.
 */
size_t cursor_count(struct cursor *c, size_t min_size);

#endif
