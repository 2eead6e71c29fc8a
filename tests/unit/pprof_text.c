/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/pprof_text.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "core/base/zip.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct field {
	uint64_t number;
	uint64_t value;       /* of a varint field */
	struct cursor inside; /* of a field with a length */
};

static bool next_field(struct cursor *c, struct field *f)
{
	uint64_t key;

	if (!cursor_left(c))
		return false;
	key = cursor_varint(c);
	*f = (struct field){ .number = key >> 3 };
	f->value = cursor_varint(c);
	if ((key & 7) == 2)
		f->inside = cursor_slice(c, f->value);
	else
		assert_int_equal(key & 7, 0);
	assert_true(cursor_ok(c));
	return true;
}

/* Returns the field with this number in a message, or zeroes. */
static struct field field_of(struct cursor message, uint64_t number)
{
	struct field f;

	while (next_field(&message, &f)) {
		if (f.number == number)
			return f;
	}
	return (struct field){ 0 };
}

/* Returns the index-th field with this number. */
static struct field nth_field(struct cursor message, uint64_t number,
			      uint64_t index)
{
	struct field f;

	while (next_field(&message, &f)) {
		if (f.number == number && index-- == 0)
			return f;
	}
	fail_msg("no such field: %" PRIu64, number);
	return f;
}

static void put_string(struct text *out, struct cursor profile, uint64_t id)
{
	struct field f = nth_field(profile, 6, id);

	text_add(out, f.inside.at, cursor_left(&f.inside));
}

/* Returns the message with this field number and id (its field 1). */
static struct cursor by_id(struct cursor profile, uint64_t number, uint64_t id)
{
	struct field f;

	while (next_field(&profile, &f)) {
		if (f.number == number && field_of(f.inside, 1).value == id)
			return f.inside;
	}
	fail_msg("no message %" PRIu64 " of id %" PRIu64, number, id);
	return profile;
}

static void put_location(struct text *out, struct cursor profile, uint64_t id)
{
	struct cursor location = by_id(profile, 4, id);
	struct cursor line = field_of(location, 4).inside;
	struct cursor function = by_id(profile, 5, field_of(line, 1).value);

	by_id(profile, 3, field_of(location, 2).value);
	put_string(out, profile, field_of(function, 2).value);
	if (field_of(line, 2).value)
		text_printf(out, ":%" PRIu64, field_of(line, 2).value);
}

static void put_labels(struct text *out, struct cursor profile,
		       struct cursor sample)
{
	struct field f;

	while (next_field(&sample, &f)) {
		if (f.number != 3)
			continue;
		text_putc(out, ' ');
		put_string(out, profile, field_of(f.inside, 1).value);
		text_putc(out, '=');
		if (field_of(f.inside, 2).value)
			put_string(out, profile, field_of(f.inside, 2).value);
		else
			text_printf(out, "%" PRIu64,
				    field_of(f.inside, 3).value);
	}
}

static void put_sample(struct text *out, struct cursor profile,
		       struct cursor sample)
{
	struct cursor ids = field_of(sample, 1).inside;
	struct cursor values = field_of(sample, 2).inside;
	size_t count = 0, cap = 0;
	uint64_t *stack = NULL;

	while (cursor_left(&ids)) {
		array_reserve(stack, cap, count + 1);
		stack[count++] = cursor_varint(&ids);
	}
	while (count > 0) {
		put_location(out, profile, stack[--count]);
		if (count)
			text_putc(out, ';');
	}
	while (cursor_left(&values))
		text_printf(out, " %" PRIu64, cursor_varint(&values));
	put_labels(out, profile, sample);
	text_putc(out, '\n');
	free(stack);
}

static void put_type(struct text *out, struct cursor profile,
		     struct cursor type)
{
	put_string(out, profile, field_of(type, 1).value);
	text_putc(out, '/');
	put_string(out, profile, field_of(type, 2).value);
}

static void put_head(struct text *out, struct cursor profile)
{
	uint64_t dflt = field_of(profile, 14).value;
	uint64_t period = field_of(profile, 12).value;
	struct cursor at = profile;
	struct field f;

	while (next_field(&at, &f)) {
		if (f.number != 1)
			continue;
		if (out->len)
			text_putc(out, ' ');
		put_type(out, profile, f.inside);
		if (field_of(f.inside, 1).value == dflt)
			text_putc(out, '=');
	}
	text_putc(out, '\n');
	if (field_of(profile, 9).value)
		text_printf(out, "time %" PRIu64 " %" PRIu64 "\n",
			    field_of(profile, 9).value,
			    field_of(profile, 10).value);
	if (period) {
		text_printf(out, "period %" PRIu64 " ", period);
		put_type(out, profile, field_of(profile, 11).inside);
		text_putc(out, '\n');
	}
	f = field_of(profile, 13);
	text_puts(out, "comment ");
	put_string(out, profile, cursor_varint(&f.inside));
	text_putc(out, '\n');
}

struct text pprof_text(const struct text *file)
{
	struct inflated in = inflate_bytes(
		INFLATE_GZIP, (const uint8_t *)file->bytes, file->len, 0);
	struct cursor profile = cursor_over(in.bytes, in.len), at = profile;
	struct text out = { 0 };
	struct field f;

	assert_null(in.damage);
	assert_int_equal(in.used, file->len);
	put_head(&out, profile);
	while (next_field(&at, &f)) {
		if (f.number == 2)
			put_sample(&out, profile, f.inside);
	}
	free(in.bytes);
	return out;
}
