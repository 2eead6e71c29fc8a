/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor: reads bytes it does not own and never past their end.
 *
 * The first read that does not fit fails the cursor.  From then on every read
 * yields zero and moves nothing, so a parser may read a whole header and ask
 * cursor_ok() once.  Fixed-width integers are big-endian, as Java writes them.
 *
 * Reads have side effects: one per statement, never two in one expression.
 * They are inline because the JFR reader makes several hundred million.
 */
#ifndef CORE_BASE_CURSOR_H
#define CORE_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *base; /* offset 0 of the input, for messages */
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

static inline struct cursor cursor_over(const void *bytes, size_t len)
{
	const uint8_t *b = bytes;

	return (struct cursor){ .base = b, .at = b, .end = b + len };
}

static inline bool cursor_ok(const struct cursor *c) { return !c->failed; }

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* Where the next read begins, in bytes from the start of the input. */
static inline size_t cursor_offset(const struct cursor *c)
{
	return (size_t)(c->at - c->base);
}

/* Fails the cursor: nothing is left of it. */
static inline void cursor_fail(struct cursor *c)
{
	c->at = c->end;
	c->failed = true;
}

/* The next len bytes, or NULL.  They live as long as the input does. */
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
	return *c->at++;
}

uint16_t cursor_u16(struct cursor *c);
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);

/* cursor_varint() where it takes more than one byte. */
uint64_t cursor_varint_long(struct cursor *c);

/*
 * A JFR varint: base 128, low digits first, at most 9 bytes of which the ninth
 * carries 8 bits (so that any 64-bit value fits; LEB128 would take ten).
 * Padded encodings are allowed: JFR writes them.
 */
static inline uint64_t cursor_varint(struct cursor *c)
{
	if (__builtin_expect(c->at < c->end && *c->at < 0x80, 1))
		return *c->at++;
	return cursor_varint_long(c);
}

/* Passes over a varint. */
static inline void cursor_skip_varint(struct cursor *c)
{
	if (__builtin_expect(c->at < c->end && *c->at < 0x80, 1))
		c->at++;
	else
		cursor_varint_long(c);
}

/* A cursor over the next len bytes; failed when they are not there. */
struct cursor cursor_slice(struct cursor *c, uint64_t len);

/*
 * A cursor over [offset, end of c), offsets counted from c's base; failed when
 * offset lies before c's base or after its end.
 */
struct cursor cursor_from(const struct cursor *c, uint64_t offset);

/*
 * Reads a varint that counts elements of at least min_size bytes each.  A
 * count that the rest of the input cannot hold fails the cursor and yields 0,
 * so that no loop and no allocation outgrows the input.
 */
size_t cursor_count(struct cursor *c, size_t min_size);

#endif
