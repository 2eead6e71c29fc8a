/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/std_builder.h"

#include "core/base/alloc.h"
#include "core/base/zip.h"
#include "core/formats/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

void std_put_vint(struct text *t, uint32_t value)
{
	for (int i = 0; i < 3 && value >= 0x80; i++) {
		text_putc(t, (char)(value | 0x80));
		value >>= 7;
	}
	text_putc(t, (char)value);
}

void std_put_vlong(struct text *t, int64_t value)
{
	uint64_t rest = (uint64_t)value;

	for (int i = 0; i < 8 && rest >= 0x80; i++) {
		text_putc(t, (char)(rest | 0x80));
		rest >>= 7;
	}
	text_putc(t, (char)rest);
}

void std_put_utf(struct text *t, const char *string)
{
	text_putc(t, (char)(strlen(string) >> 8));
	text_putc(t, (char)strlen(string));
	text_puts(t, string);
}

void std_put_string(struct text *t, const char *string)
{
	text_putc(t, STD_STRING);
	std_put_utf(t, string);
}

void std_put_dynamic(struct text *t, uint32_t slot, const char *string)
{
	text_putc(t, STD_DYNAMIC_STRING);
	std_put_vint(t, slot);
	std_put_utf(t, string);
}

void std_put_frame(struct text *t, uint32_t package, uint32_t class_name,
		   uint32_t method, uint32_t source, int line)
{
	text_putc(t, STD_FRAME);
	std_put_vint(t, package);
	std_put_vint(t, class_name);
	std_put_vint(t, method);
	std_put_vint(t, source);
	std_put_vint(t, (uint32_t)(line + STD_LINE_BIAS));
}

void std_put_set(struct text *t, enum std_tag tag, uint32_t number,
		 uint32_t base, const uint32_t (*changes)[3])
{
	text_putc(t, (char)tag);
	std_put_vint(t, number);
	std_put_vint(t, base);
	for (; (*changes)[0] != STD_END; changes++) {
		text_putc(t, (char)(*changes)[0]);
		std_put_vint(t, (*changes)[1]);
		if ((*changes)[0] != STD_ADD_EMPTY &&
		    (*changes)[0] != STD_REMOVE_KEY)
			std_put_vint(t, (*changes)[2]);
	}
	text_putc(t, STD_END);
}

struct text std_made(enum std_version version, const struct text *records)
{
	uLongf len = compressBound(records->len);
	Bytef *bytes = xmalloc(len);
	struct text made = { 0 };

	text_puts(&made, std_magics[version]);
	assert_int_equal(compress2(bytes, &len, (const Bytef *)records->bytes,
				   records->len, 6),
			 Z_OK);
	text_add(&made, bytes, len);
	free(bytes);
	return made;
}

struct profile *std_read_bytes(const void *bytes, size_t len, bool exact)
{
	struct profile *p = profile_new();
	struct error err;

	p->keep_exact = exact;
	if (std_reader.read(bytes, len, p, &err))
		fail_msg("%s", err.text);
	return p;
}

struct profile *std_read_made(enum std_version version,
			      const struct text *records)
{
	struct text made = std_made(version, records);
	struct profile *p = std_read_bytes(made.bytes, made.len, true);

	text_release(&made);
	return p;
}

struct text std_records(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	struct inflated data = inflate_bytes(INFLATE_ZLIB, at + STD_MAGIC_LEN,
					     len - STD_MAGIC_LEN, 0);
	struct text records = { 0 };

	assert_null(data.damage);
	text_add(&records, data.bytes, data.len);
	free(data.bytes);
	return records;
}
