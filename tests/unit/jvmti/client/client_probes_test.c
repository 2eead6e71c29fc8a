/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_probes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void quantiles_are_within_their_bucket(void **state)
{
	struct probe_counts c = { .calls = 100, .max_ns = 1000 };

	(void)state;
	c.buckets[5] = 90;  /* 16 to 31 ns */
	c.buckets[10] = 10; /* 512 to 1023 ns */
	assert_in_range(probe_counts_quantile(&c, 0.5), 16, 31);
	assert_in_range(probe_counts_quantile(&c, 0.99), 512, 1000);
	assert_int_equal(probe_counts_quantile(&c, 1), 1000);
}

static void quantile_without_calls_is_zero(void **state)
{
	const struct probe_counts none = { 0 };
	struct probe_counts zero = { .calls = 3 };

	(void)state;
	zero.buckets[0] = 3;
	assert_int_equal(probe_counts_quantile(&none, 0.5), 0);
	assert_int_equal(probe_counts_quantile(&zero, 0.99), 0);
}

static void pause_grows_with_the_loaded_classes(void **state)
{
	(void)state;
	/* The longest pauses that were measured, in ns. */
	assert_true(probes_estimate_pause(1, 500) >= 13000000);
	assert_true(probes_estimate_pause(1, 3500) >= 200000000);
	assert_true(probes_estimate_pause(1000, 3500) >= 500000000);
	assert_true(probes_estimate_pause(1, 500) < 50000000);
}

static void each_refusal_has_a_reason(void **state)
{
	struct probe_method m = { .refusal = PROBE_ARMED, .code = 63 };
	struct text why = { 0 };

	(void)state;
	assert_false(probe_refusal_add(&m, &why));
	assert_int_equal(why.len, 0);
	for (int i = PROBE_ARMED + 1; i <= PROBE_REFUSALS; i++) {
		size_t before = why.len;

		m.refusal = (enum probe_refusal)i;
		assert_true(probe_refusal_add(&m, &why));
		assert_true(why.len > before);
	}
	text_clear(&why);
	m.refusal = PROBE_JVM_REFUSED;
	probe_refusal_add(&m, &why);
	assert_string_equal(why.bytes,
			    "the JVM refused the changed class: another agent "
			    "adds a method at each change (JVMTI error 63)");
	text_clear(&why);
	m.code = 0;
	probe_refusal_add(&m, &why);
	assert_string_equal(why.bytes, "the JVM refused the changed class");
	text_release(&why);
}

static void signatures_become_java_names(void **state)
{
	static const struct {
		const char *signature, *name;
	} cases[] = {
		{ "Lcom/acme/Orders$Line;", "com.acme.Orders$Line" },
		{ "[I", "int[]" },
		{ "[[Ljava/lang/String;", "java.lang.String[][]" },
		{ "[Z", "boolean[]" },
		{ "", "" },
		{ "L", "L" },
		{ "[Q", "Q[]" },
	};
	struct arena a = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(probe_record_name(&a, cases[i].signature),
				    cases[i].name);
	arena_release(&a);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t len;

	assert_non_null(f);
	len = fread(bytes, 1, size, f);
	fclose(f);
	return len;
}

static void call_with_all_kinds_of_arguments_is_read(void **state)
{
	uint8_t bytes[512];
	size_t len = read_file("tests/fuzz/corpus/probe_records/all", bytes,
			       sizeof(bytes));
	struct cursor r = cursor_over(bytes, len);
	struct probe_call call;
	struct arena a = { 0 };
	uint64_t id, kind;

	(void)state;
	assert_true(probe_record_call(&r, &a, &id, &kind, &call));
	assert_int_equal(id, 33);
	assert_int_equal(call.ns, 50000000);
	assert_string_equal(call.thread, "main");
	assert_int_equal(call.argument_count, 8);
	assert_int_equal(call.arguments[1].number, -5);
	assert_true(call.arguments[2].real > 1.4 &&
		    call.arguments[2].real < 1.6);
	assert_string_equal(call.arguments[5].text, "text");
	assert_string_equal(call.arguments[7].text, "int[]");
	assert_int_equal(call.frame_count, 2);
	assert_string_equal(call.frames[0].class_name, "com.acme.Orders");
	assert_int_equal(call.frames[1].line, -1);
	/* Each part is too short. */
	for (size_t cut = 0; cut < len; cut++) {
		r = cursor_over(bytes, cut);
		assert_false(probe_record_call(&r, &a, &id, &kind, &call));
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_within_their_bucket),
		cmocka_unit_test(quantile_without_calls_is_zero),
		cmocka_unit_test(pause_grows_with_the_loaded_classes),
		cmocka_unit_test(each_refusal_has_a_reason),
		cmocka_unit_test(signatures_become_java_names),
		cmocka_unit_test(call_with_all_kinds_of_arguments_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
