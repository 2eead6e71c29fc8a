/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_time.h"

#include "jmx_http/value/value.h"

#include <inttypes.h>

/* Each function reads the form that java.time.Ser writes. */

static int time_read_byte(struct cursor *c)
{
	int byte = cursor_u8(c);

	return byte > INT8_MAX ? byte - 256 : byte;
}

/* Appends ".5", ".123456789"; nothing for 0. */
static void time_add_nanos(struct text *out, uint32_t nanos)
{
	int digits = 9;

	if (!nanos)
		return;
	for (; nanos % 10 == 0; digits--)
		nanos /= 10;
	text_printf(out, ".%0*" PRIu32, digits, nanos);
}

static void time_read_instant(struct cursor *c, struct text *out)
{
	int64_t seconds = (int64_t)cursor_u64(c);
	uint32_t nanos = cursor_u32(c);

	/* Instants beyond 292 million years are printed as fields. */
	if (seconds < INT64_MIN / 1000 || seconds > INT64_MAX / 1000 ||
	    nanos > 999999999) {
		cursor_fail(c);
		return;
	}
	value_add_date(out, seconds * 1000);
	out->len -= sizeof(".000Z") - 1;
	time_add_nanos(out, nanos);
	text_putc(out, 'Z');
}

/* A Duration is printed in seconds, "PT90S", which Java can parse. */
static void time_read_duration(struct cursor *c, struct text *out)
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
		/* Nanoseconds count upwards, even from negative seconds. */
		text_putc(out, '-');
		whole = -whole - (nanos > 0);
		nanos = nanos ? 1000000000 - nanos : 0;
	}
	text_printf(out, "%" PRIu64, whole);
	time_add_nanos(out, nanos);
	text_putc(out, 'S');
}

static void time_add_year(struct text *out, int32_t year)
{
	text_printf(out, "%s%0*" PRId32, year > 9999 ? "+" : "",
		    year < 0 ? 5 : 4, year);
}

static void time_read_date(struct cursor *c, struct text *out)
{
	int32_t year = (int32_t)cursor_u32(c);
	int month = cursor_u8(c);

	time_add_year(out, year);
	text_printf(out, "-%02d-%02d", month, cursor_u8(c));
}

/*
 * LocalTime.writeExternal() omits trailing zeros: the bits of the last part
 * that is present are inverted.
 */
static void time_read_time(struct cursor *c, struct text *out)
{
	int parts[3] = { 0 };
	uint32_t nanos = 0;
	bool is_last = false;

	for (int i = 0; i < 3 && !is_last; i++) {
		parts[i] = time_read_byte(c);
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
		time_add_nanos(out, nanos);
	else
		cursor_fail(c);
}

static void time_read_date_time(struct cursor *c, struct text *out)
{
	time_read_date(c, out);
	text_putc(out, 'T');
	time_read_time(c, out);
}

/* ZoneOffset: quarters of an hour, or 127 and then seconds. */
static void time_read_offset(struct cursor *c, struct text *out)
{
	int32_t seconds = time_read_byte(c);

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

static void time_read_region(struct cursor *c, struct text *out)
{
	uint16_t len = cursor_u16(c);
	const uint8_t *name = cursor_bytes(c, len);

	if (name)
		text_add(out, name, len);
}

static void time_read_offset_date_time(struct cursor *c, struct text *out)
{
	time_read_date_time(c, out);
	time_read_offset(c, out);
}

static void time_read_offset_time(struct cursor *c, struct text *out)
{
	time_read_time(c, out);
	time_read_offset(c, out);
}

static void time_read_zoned(struct cursor *c, struct text *out)
{
	time_read_offset_date_time(c, out);
	/* Type 7 is a ZoneRegion; another zone repeats the offset. */
	if (cursor_u8(c) != 7)
		return;
	text_putc(out, '[');
	time_read_region(c, out);
	text_putc(out, ']');
}

static void time_read_year(struct cursor *c, struct text *out)
{
	text_printf(out, "%" PRId32, (int32_t)cursor_u32(c));
}

static void time_read_year_month(struct cursor *c, struct text *out)
{
	time_add_year(out, (int32_t)cursor_u32(c));
	text_printf(out, "-%02d", cursor_u8(c));
}

static void time_read_month_day(struct cursor *c, struct text *out)
{
	int month = cursor_u8(c);

	text_printf(out, "--%02d-%02d", month, cursor_u8(c));
}

static void time_read_period(struct cursor *c, struct text *out)
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

/* Indexed by the type constants of java.time.Ser. */
/* clang-format off */
static const struct {
	const char *class;
	void (*read)(struct cursor *c, struct text *out);
	const char *form; /* see time_skip_part() */
} time_kinds[] = {
	[1] = { "java.time.Duration", time_read_duration, "84" },
	[2] = { "java.time.Instant", time_read_instant, "84" },
	[3] = { "java.time.LocalDate", time_read_date, "411" },
	[4] = { "java.time.LocalTime", time_read_time, "t" },
	[5] = { "java.time.LocalDateTime", time_read_date_time, "411t" },
	[6] = { "java.time.ZonedDateTime", time_read_zoned, "411toz" },
	[7] = { "java.time.ZoneRegion", time_read_region, "r" },
	[8] = { "java.time.ZoneOffset", time_read_offset, "o" },
	[9] = { "java.time.OffsetTime", time_read_offset_time, "to" },
	[10] = { "java.time.OffsetDateTime", time_read_offset_date_time, "411to" },
	[11] = { "java.time.Year", time_read_year, "4" },
	[12] = { "java.time.YearMonth", time_read_year_month, "41" },
	[13] = { "java.time.MonthDay", time_read_month_day, "11" },
	[14] = { "java.time.Period", time_read_period, "444" },
};
/* clang-format on */

#define TIME_KINDS (sizeof(time_kinds) / sizeof(*time_kinds))

const char *java_time_read(struct cursor *c, struct text *out)
{
	uint8_t kind = cursor_u8(c);

	if (kind >= TIME_KINDS || !time_kinds[kind].read)
		return NULL;
	time_kinds[kind].read(c, out);
	return cursor_ok(c) && out->len ? time_kinds[kind].class : NULL;
}

/*
 * A digit is that many bytes; t is a LocalTime, o a ZoneOffset, r a ZoneRegion,
 * z the type and the form of either zone. False if the type of z is unknown.
 */
static bool time_skip_part(struct cursor *c, char part)
{
	if (part == 'z') {
		uint8_t kind = cursor_u8(c);

		if (cursor_ok(c) && kind != 7 && kind != 8)
			return false;
		part = kind == 7 ? 'r' : 'o';
	}
	switch (part) {
	case 't':
		/* The last part before trailing zeros is inverted. */
		for (int i = 0; i < 3; i++) {
			if (time_read_byte(c) < 0)
				return true;
		}
		cursor_skip(c, 4);
		break;
	case 'o':
		if (time_read_byte(c) == 127)
			cursor_skip(c, 4);
		break;
	case 'r':
		cursor_skip(c, cursor_u16(c));
		break;
	default:
		cursor_skip(c, (uint64_t)(part - '0'));
	}
	return true;
}

bool java_time_skip(struct cursor *c)
{
	uint8_t kind = cursor_u8(c);

	if (!cursor_ok(c))
		return true;
	if (kind >= TIME_KINDS || !time_kinds[kind].read)
		return false;
	for (const char *part = time_kinds[kind].form; *part; part++) {
		if (!time_skip_part(c, *part))
			return false;
	}
	return true;
}
