/* SPDX-License-Identifier: Apache-2.0 */
/* java.time.Ser, which writes the classes of java.time; JDK 8 to 25. */
#include "core/base/cursor.h"
#include "core/base/text.h"
#include "jmx_http/java/java_convert.h"
#include "jmx_http/java/java_to_value.h"
#include "jmx_http/value/value_text.h"

#include <inttypes.h>

static int read_byte(struct cursor *c)
{
	int byte = cursor_u8(c);

	return byte > INT8_MAX ? byte - 256 : byte;
}

/* Appends ".5", ".123456789"; nothing for 0. */
static void add_nanos(struct text *out, uint32_t nanos)
{
	int digits = 9;

	if (!nanos)
		return;
	for (; nanos % 10 == 0; digits--)
		nanos /= 10;
	text_printf(out, ".%0*" PRIu32, digits, nanos);
}

static void read_instant(struct cursor *c, struct text *out)
{
	int64_t seconds = (int64_t)cursor_u64(c);
	uint32_t nanos = cursor_u32(c);

	/* Those of some 292 million years are told as the object's fields. */
	if (seconds < INT64_MIN / 1000 || seconds > INT64_MAX / 1000 ||
	    nanos > 999999999) {
		cursor_fail(c);
		return;
	}
	value_add_date(out, seconds * 1000);
	out->len -= sizeof(".000Z") - 1;
	add_nanos(out, nanos);
	text_putc(out, 'Z');
}

/* Duration: as seconds, which is one of its spellings. */
static void read_duration(struct cursor *c, struct text *out)
{
	int64_t seconds = (int64_t)cursor_u64(c);
	uint32_t nanos = cursor_u32(c);
	uint64_t whole = (uint64_t)seconds;

	if (nanos > 999999999) {
		cursor_fail(c);
		return;
	}
	text_puts(out, "PT");
	if (seconds < 0) {
		/* Nanoseconds count up, from the seconds below. */
		text_putc(out, '-');
		whole = -whole - (nanos > 0);
		nanos = nanos ? 1000000000 - nanos : 0;
	}
	text_printf(out, "%" PRIu64, whole);
	add_nanos(out, nanos);
	text_putc(out, 'S');
}

static void add_year(struct text *out, int32_t year)
{
	text_printf(out, "%s%0*" PRId32, year > 9999 ? "+" : "",
		    year < 0 ? 5 : 4, year);
}

static void read_date(struct cursor *c, struct text *out)
{
	int32_t year = (int32_t)cursor_u32(c);
	int month = cursor_u8(c);

	add_year(out, year);
	text_printf(out, "-%02d-%02d", month, cursor_u8(c));
}

/* LocalTime: as few bytes as do; the last that stands there is inverted. */
static void read_time(struct cursor *c, struct text *out)
{
	int parts[3] = { 0 };
	uint32_t nanos = 0;
	bool is_last = false;

	for (int i = 0; i < 3 && !is_last; i++) {
		parts[i] = read_byte(c);
		is_last = parts[i] < 0;
		if (is_last)
			parts[i] = ~parts[i];
	}
	if (!is_last)
		nanos = cursor_u32(c);
	text_printf(out, "%02d:%02d", parts[0], parts[1]);
	if (parts[2] || nanos)
		text_printf(out, ":%02d", parts[2]);
	if (nanos <= 999999999)
		add_nanos(out, nanos);
	else
		cursor_fail(c);
}

static void read_date_time(struct cursor *c, struct text *out)
{
	read_date(c, out);
	text_putc(out, 'T');
	read_time(c, out);
}

/* Quarters of an hour, or 127 and the seconds. */
static void read_offset(struct cursor *c, struct text *out)
{
	int32_t seconds = read_byte(c);

	seconds = seconds == 127 ? (int32_t)cursor_u32(c) : seconds * 900;
	if (seconds < -64800 || seconds > 64800) {
		cursor_fail(c);
		return;
	}
	if (!seconds) {
		text_putc(out, 'Z');
		return;
	}
	text_putc(out, seconds < 0 ? '-' : '+');
	seconds = seconds < 0 ? -seconds : seconds;
	text_printf(out, "%02d:%02d", seconds / 3600, seconds / 60 % 60);
	if (seconds % 60)
		text_printf(out, ":%02d", seconds % 60);
}

static void read_region(struct cursor *c, struct text *out)
{
	uint16_t len = cursor_u16(c);
	const uint8_t *name = cursor_bytes(c, len);

	if (name)
		text_add(out, name, len);
}

static void read_offset_date_time(struct cursor *c, struct text *out)
{
	read_date_time(c, out);
	read_offset(c, out);
}

static void read_offset_time(struct cursor *c, struct text *out)
{
	read_time(c, out);
	read_offset(c, out);
}

static void read_zoned(struct cursor *c, struct text *out)
{
	read_offset_date_time(c, out);
	/* Its zone, when that is more than the offset. */
	if (cursor_u8(c) != 7)
		return;
	text_putc(out, '[');
	read_region(c, out);
	text_putc(out, ']');
}

static void read_year(struct cursor *c, struct text *out)
{
	text_printf(out, "%" PRId32, (int32_t)cursor_u32(c));
}

static void read_year_month(struct cursor *c, struct text *out)
{
	add_year(out, (int32_t)cursor_u32(c));
	text_printf(out, "-%02d", cursor_u8(c));
}

static void read_month_day(struct cursor *c, struct text *out)
{
	int month = cursor_u8(c);

	text_printf(out, "--%02d-%02d", month, cursor_u8(c));
}

static void read_period(struct cursor *c, struct text *out)
{
	size_t begin;

	text_putc(out, 'P');
	begin = out->len;
	for (const char *unit = "YMD"; *unit; unit++) {
		int32_t count = (int32_t)cursor_u32(c);

		if (count)
			text_printf(out, "%" PRId32 "%c", count, *unit);
	}
	if (out->len == begin)
		text_puts(out, "0D");
}

/* By their type in java.time.Ser. */
static const struct {
	const char *class;
	void (*read)(struct cursor *c, struct text *out);
} kinds[] = {
	[1] = { "java.time.Duration", read_duration },
	[2] = { "java.time.Instant", read_instant },
	[3] = { "java.time.LocalDate", read_date },
	[4] = { "java.time.LocalTime", read_time },
	[5] = { "java.time.LocalDateTime", read_date_time },
	[6] = { "java.time.ZonedDateTime", read_zoned },
	[7] = { "java.time.ZoneRegion", read_region },
	[8] = { "java.time.ZoneOffset", read_offset },
	[9] = { "java.time.OffsetTime", read_offset_time },
	[10] = { "java.time.OffsetDateTime", read_offset_date_time },
	[11] = { "java.time.Year", read_year },
	[12] = { "java.time.YearMonth", read_year_month },
	[13] = { "java.time.MonthDay", read_month_day },
	[14] = { "java.time.Period", read_period },
};

const struct value *java_time_written(struct java_convert *c,
				      const struct java_value *v)
{
	const struct java_part *part = java_part_of(v, "java.time.Ser");
	struct text t = { 0 };
	struct value *made = NULL;
	struct cursor block;
	uint8_t kind;

	if (!part || !part->annotations.count ||
	    part->annotations.at[0]->kind != JAVA_BLOCK)
		return NULL;
	block = cursor_over(part->annotations.at[0]->bytes.at,
			    part->annotations.at[0]->bytes.len);
	kind = cursor_u8(&block);
	if (kind >= sizeof(kinds) / sizeof(*kinds) || !kinds[kind].read)
		return NULL;
	kinds[kind].read(&block, &t);
	if (cursor_ok(&block) && t.len) {
		made = java_convert_new(c, VALUE_STRING, kinds[kind].class);
		made->text = java_to_text((struct java_bytes){ t.bytes, t.len },
					  c->arena);
	}
	text_release(&t);
	return made;
}
