/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static int64_t duration(const char *text)
{
	struct error err = { 0 };
	int64_t ns = -1;

	if (units_duration(text, &ns, &err))
		assert_int_equal(err.kind, ERROR_MISUSE);
	return ns;
}

static uint64_t size(const char *text)
{
	struct error err = { 0 };
	uint64_t bytes = 0;

	if (units_size(text, &bytes, &err)) {
		assert_int_equal(err.kind, ERROR_MISUSE);
		return UINT64_MAX;
	}
	return bytes;
}

static void durations_have_units(void **state)
{
	(void)state;
	assert_int_equal(duration("7ns"), 7);
	assert_int_equal(duration("10us"), 10000);
	assert_int_equal(duration("500ms"), SECOND / 2);
	assert_int_equal(duration("2s"), 2 * SECOND);
	assert_int_equal(duration("5m"), 300 * SECOND);
	assert_int_equal(duration("5min"), 300 * SECOND);
	assert_int_equal(duration("1h"), 3600 * SECOND);
	assert_int_equal(duration("1d"), 86400 * SECOND);
}

static void duration_without_unit_is_in_seconds(void **state)
{
	(void)state;
	assert_int_equal(duration("30"), 30 * SECOND);
	assert_int_equal(duration("0"), 0);
}

static void several_durations_are_added_up(void **state)
{
	(void)state;
	assert_int_equal(duration("1m 30s"), 90 * SECOND);
	assert_int_equal(duration("1m30s"), 90 * SECOND);
	assert_int_equal(duration("1.5s  500ms"), 2 * SECOND);
	assert_int_equal(duration("1.5s.5s"), -1);
	assert_int_equal(duration("1 2s"), -1);
	assert_int_equal(duration("1s 2"), -1);
	assert_int_equal(duration("1s s"), -1);
	assert_int_equal(duration("1s 2s x"), -1);
	assert_int_equal(duration("200000d 200000d"), -1);
	assert_int_equal(duration("1s                                      "
				  "                                         s"),
			 -1);
}

static void durations_may_have_a_fraction(void **state)
{
	(void)state;
	assert_int_equal(duration("1.5s"), SECOND + SECOND / 2);
	assert_int_equal(duration("0.25h"), 900 * SECOND);
	/* Digits after the ninth are discarded. */
	assert_int_equal(duration("0.00000000199s"), 1);
}

static void invalid_duration_is_rejected(void **state)
{
	static const char *const wrong[] = { "",     "s",    "-1s", "1 s",
					     "1x",   " 1",   "1.s", ".5s",
					     "1e3",  "1s2",  "0x1", "+1",
					     "1,5s", "1..5s" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(duration(wrong[i]), -1);
}

static void duration_beyond_64_bits_is_rejected(void **state)
{
	(void)state;
	assert_int_equal(duration("9223372036854775807ns"), INT64_MAX);
	assert_int_equal(duration("9223372036854775808ns"), -1);
	assert_int_equal(duration("18446744073709551616ns"), -1);
	assert_int_equal(duration("9223372036855s"), -1); /* 2^63 ns + 1 s */
	assert_int_equal(duration("213503982335d"), -1);
}

static void sizes_are_powers_of_1024(void **state)
{
	(void)state;
	assert_int_equal(size("512"), 512);
	assert_int_equal(size("64k"), 65536);
	assert_int_equal(size("64K"), 65536);
	assert_int_equal(size("64KiB"), 65536);
	assert_int_equal(size("1.5m"), 3 << 19);
	assert_int_equal(size("2gb"), UINT64_C(2) << 30);
	assert_int_equal(size("1t"), UINT64_C(1) << 40);
}

static void invalid_size_is_rejected(void **state)
{
	(void)state;
	assert_int_equal(size("k"), UINT64_MAX);
	assert_int_equal(size("1s"), UINT64_MAX);
	assert_int_equal(size("-1"), UINT64_MAX);
	assert_int_equal(size("16777216t"), UINT64_MAX); /* 2^64 */
}

static void counts_are_whole(void **state)
{
	struct error err = { 0 };
	uint64_t count = 0;

	(void)state;
	assert_int_equal(units_count("18446744073709551615", &count, &err), 0);
	assert_int_equal(count, UINT64_MAX);
	assert_int_equal(units_count("18446744073709551616", &count, &err), -1);
	assert_string_equal(err.text,
			    "invalid count '18446744073709551616': too large");
	assert_int_equal(units_count("-1", &count, &err), -1);
	assert_string_equal(err.text, "invalid count '-1': negative");
	assert_int_equal(units_count("-", &count, &err), -1);
	assert_string_equal(err.text, "invalid count '-': not a whole number");
	assert_int_equal(units_count("1.0", &count, &err), -1);
	assert_int_equal(units_count("10k", &count, &err), -1);
	assert_string_equal(err.text,
			    "invalid count '10k': not a whole number");
}

static void numbers_may_be_per_cent(void **state)
{
	struct error err = { 0 };
	double number = 0;

	(void)state;
	assert_int_equal(units_number("0.25", &number, &err), 0);
	assert_true(fabs(number - 0.25) < 1e-12);
	assert_int_equal(units_number("12%", &number, &err), 0);
	assert_true(fabs(number - 12) < 1e-12);
	assert_int_equal(units_number("nan", &number, &err), -1);
	assert_int_equal(units_number("1%%", &number, &err), -1);
}

static void check_written(int64_t ns, uint64_t bytes, const char *want)
{
	struct text out = { 0 };

	units_add_duration(&out, ns);
	text_putc(&out, ' ');
	units_add_size(&out, bytes);
	assert_string_equal(out.bytes, want);
	text_release(&out);
}

static void printing_uses_the_largest_exact_unit(void **state)
{
	(void)state;
	check_written(0, 0, "0ns 0");
	check_written(SECOND * 3 / 2, 1500, "1500ms 1500");
	check_written(90 * SECOND, 65536, "90s 64k");
	check_written(7200 * SECOND, UINT64_C(3) << 30, "2h 3g");
	check_written(-300 * SECOND, 1, "-5min 1");
	check_written(INT64_MIN, UINT64_MAX,
		      "-9223372036854775808ns 18446744073709551615");
}

static void check_time(double ns, const char *want)
{
	struct text out = { 0 };

	units_add_time(&out, ns);
	assert_string_equal(out.bytes, want);
	text_release(&out);
}

static void check_bytes(double bytes, const char *want)
{
	struct text out = { 0 };

	units_add_bytes(&out, bytes);
	assert_string_equal(out.bytes, want);
	text_release(&out);
}

static void measured_bytes_keep_their_format(void **state)
{
	struct text out = { 0 };

	(void)state;
	units_add_measured_bytes(&out, 3 << 20);
	text_puts(&out, ", ");
	units_add_measured_bytes(&out, 64 << 20);
	text_puts(&out, ", ");
	units_add_measured_bytes(&out, 0);
	assert_string_equal(out.bytes, "3.00 MB, 64.0 MB, 0 B");
	text_release(&out);
}

static void printed_times_have_three_digits_and_a_space(void **state)
{
	(void)state;
	check_time(0, "0 ns");
	check_time(999, "999 ns");
	check_time(10e6, "10 ms");
	check_time(960.4e6, "960 ms");
	check_time(999.6e6, "1.00 s");
	check_time(10.06e9, "10.1 s");
	check_time(233e9, "233 s");
	check_time(12345e9, "12,345 s");
	check_time(-1.5e9, "-1.50 s");
	check_time(NAN, "-");
}

/* Among them are ties and their neighbors: 1.125, 9.995, 0.005 and others. */
static void printed_times_are_rounded_like_those_of_printf(void **state)
{
	char want[64];

	(void)state;
	for (int i = 0; i < 3000000; i++) {
		double ns = i % 2 ? i : i * 1e-3, value = ns;
		const char *unit = "ns";

		if (ns >= 999500) {
			value = ns / 1e6;
			unit = "ms";
		} else if (ns >= 999.5) {
			value = ns / 1e3;
			unit = "us";
		}
		snprintf(want, sizeof(want), "%.*f %s",
			 value == floor(value) || value >= 99.95 ? 0
			 : value >= 9.995                        ? 1
								 : 2,
			 value, unit);
		check_time(ns, want);
	}
}

static void printed_sizes_are_powers_of_1024(void **state)
{
	(void)state;
	check_bytes(0, "0 B");
	check_bytes(1023, "1023 B");
	check_bytes(1024, "1 KB");
	check_bytes(1023.4 * 1024, "1023 KB");
	check_bytes(1023.9 * 1024, "1.00 MB"); /* not 1024 KB */
	check_bytes(0x1p27, "128 MB");
	check_bytes(152.3 * 0x1p20, "152 MB");
	check_bytes(5.02 * 0x1p30, "5.02 GB");
	check_bytes(0x1p64, "16,777,216 TB");
	check_bytes(0x1p113, "9444732965739290427392 TB");
	check_bytes(NAN, "-");
}

static void printed_counts_have_commas(void **state)
{
	struct text out = { 0 };

	(void)state;
	units_add_count(&out, 0);
	units_add_counted(&out, 999, "sample");
	units_add_counted(&out, 1730, "sample");
	units_add_counted(&out, 1, "sample");
	units_add_count(&out, UINT64_MAX);
	assert_string_equal(out.bytes, "0999 samples1,730 samples1 sample"
				       "18,446,744,073,709,551,615");
	text_release(&out);
}

static void times_are_rounded_down_even_before_1970(void **state)
{
	static const struct {
		int64_t ns;
		const char *local, *utc;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00", "1970-01-01T00:00:00.000Z" },
		{ INT64_C(1764101999999999999), "2025-11-25T20:19:59",
		  "2025-11-25T20:19:59.999Z" },
		{ -1, "1969-12-31T23:59:59", "1969-12-31T23:59:59.999Z" },
		{ -1000000000, "1969-12-31T23:59:59",
		  "1969-12-31T23:59:59.000Z" },
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text local = { 0 }, utc = { 0 };

		units_add_local_time(&local, cases[i].ns);
		units_add_utc(&utc, cases[i].ns);
		assert_string_equal(local.bytes, cases[i].local);
		assert_string_equal(utc.bytes, cases[i].utc);
		text_release(&local);
		text_release(&utc);
	}
}

static void texts_are_returned_by_value(void **state)
{
	char longest[80] = "";

	(void)state;
	assert_string_equal(units_time(1e7).text, "10 ms");
	assert_string_equal(units_bytes(512).text, "512 B");
	assert_string_equal(units_counted(1, "call").text, "1 call");
	memset(longest, 'x', sizeof(longest) - 1);
	assert_int_equal(strlen(units_counted(2, longest).text), 47);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_returned_by_value),
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(times_are_rounded_down_even_before_1970),
		cmocka_unit_test(duration_without_unit_is_in_seconds),
		cmocka_unit_test(several_durations_are_added_up),
		cmocka_unit_test(durations_may_have_a_fraction),
		cmocka_unit_test(invalid_duration_is_rejected),
		cmocka_unit_test(duration_beyond_64_bits_is_rejected),
		cmocka_unit_test(sizes_are_powers_of_1024),
		cmocka_unit_test(invalid_size_is_rejected),
		cmocka_unit_test(counts_are_whole),
		cmocka_unit_test(numbers_may_be_per_cent),
		cmocka_unit_test(printing_uses_the_largest_exact_unit),
		cmocka_unit_test(measured_bytes_keep_their_format),
		cmocka_unit_test(printed_times_have_three_digits_and_a_space),
		cmocka_unit_test(
			printed_times_are_rounded_like_those_of_printf),
		cmocka_unit_test(printed_sizes_are_powers_of_1024),
		cmocka_unit_test(printed_counts_have_commas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
