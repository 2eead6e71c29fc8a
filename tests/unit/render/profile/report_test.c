/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/report.h"

#include "render/text/amount.h"
#include "render/text/columns.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct report_options usual = {
	.source = "x",
	.parts = REPORT_USUAL,
	.min_percent = 1,
	.chain = REPORT_CHAIN,
	.style.weights = true,
};

static struct report report_of(const struct profile *p,
			       const struct event_view *view,
			       const struct report_options *options)
{
	struct report r;

	report_init(&r, p, view, options);
	return r;
}

static void check_frame(const struct report *r, size_t at, const char *name,
			uint64_t self, uint64_t total)
{
	const struct label_name *n;

	assert_true(at < r->frame_count);
	n = report_frame_name(r, r->frames[at].label);
	assert_int_equal(n->len, strlen(name));
	assert_memory_equal(n->text, name, n->len);
	assert_int_equal(r->frames[at].self, self);
	assert_int_equal(r->frames[at].total, total);
}

static void totals_count_a_recursive_frame_once(void **state)
{
	struct profile *p = profile_new();
	struct event_view view;
	struct report r;

	(void)state;
	sampled(p, "a;b;a;b;c", 5);
	sampled(p, "a;b", 2);
	sampled(p, "b;a;a", 1);
	sampled(p, "", 3);
	view = sampled_view(p, 0);
	r = report_of(p, &view, &usual);
	assert_int_equal(r.whole, 11);
	assert_int_equal(r.without_stack, 3);
	assert_int_equal(r.frame_count, 3);
	check_frame(&r, 0, "c", 5, 5);
	check_frame(&r, 1, "b", 2, 8);
	check_frame(&r, 2, "a", 1, 8);
	report_release(&r);
	profile_free(p);
}

static void add_weight(struct profile *p, const char *path, uint64_t thread,
		       uint64_t weight)
{
	const struct thread t = { .os_id = (int64_t)thread };
	const struct sample s = {
		.event = profile_event(p, "lock", UNIT_NS),
		.stack = sampled_stack(p, path),
		.thread = profile_thread(p, &t),
		.count = 1,
		.weight = weight,
	};

	profile_add(p, &s);
}

static void sums_saturate(void **state)
{
	struct profile *p = profile_new();
	struct text text = { 0 };
	struct event_view view;
	struct report r;

	(void)state;
	add_weight(p, "a;b", 1, UINT64_MAX);
	add_weight(p, "a;c", 1, UINT64_MAX);
	add_weight(p, "a;c;c", 2, 7);
	view = sampled_view(p, 0);
	r = report_of(p, &view, &usual);
	assert_int_equal(r.unit, UNIT_NS);
	check_frame(&r, 0, "b", UINT64_MAX, UINT64_MAX);
	assert_int_equal(r.threads[0].total, UINT64_MAX);
	assert_int_equal(r.threads[1].total, 7);
	report_text(&text, &r, 1);
	text_clear(&text);
	report_json(&text, &r, 1);
	text_release(&text);
	report_release(&r);
	profile_free(p);
}

static void samples_are_counted_without_weights(void **state)
{
	struct report_options options = usual;
	struct profile *p = profile_new();
	struct event_view view;
	struct report r;

	(void)state;
	add_weight(p, "a;b", 1, 0);
	add_weight(p, "a;c", 1, 0);
	view = sampled_view(p, 0);
	r = report_of(p, &view, &usual);
	assert_int_equal(r.unit, UNIT_SAMPLES);
	assert_int_equal(r.whole, 2);
	report_release(&r);
	add_weight(p, "a;b", 1, 9);
	view = sampled_view(p, 0);
	r = report_of(p, &view, &usual);
	assert_int_equal(r.unit, UNIT_NS);
	assert_int_equal(r.whole, 9);
	report_release(&r);
	options.style.weights = false;
	r = report_of(p, &view, &options);
	assert_int_equal(r.whole, 3);
	report_release(&r);
	profile_free(p);
}

static void threads_have_their_hottest_frame(void **state)
{
	struct profile *p = profile_new();
	struct event_view view;
	struct report r;

	(void)state;
	add_weight(p, "a;b", 1, 10);
	add_weight(p, "a;c", 1, 11);
	add_weight(p, "d;b", 1, 2);
	add_weight(p, "a;c", 2, 30);
	add_weight(p, "", 3, 4);
	view = sampled_view(p, 0);
	r = report_of(p, &view, &usual);
	assert_int_equal(r.thread_count, 3);
	assert_int_equal(r.threads[0].total, 30);
	assert_int_equal(r.threads[1].total, 23);
	assert_int_equal(r.threads[1].leaf_self, 12);
	assert_memory_equal(report_frame_name(&r, r.threads[1].leaf)->text, "b",
			    1);
	assert_int_equal(r.threads[2].total, 4);
	assert_int_equal(r.threads[2].leaf, NO_LABEL);
	report_release(&r);
	profile_free(p);
}

/* Checks the width of each line of a report. */
static void check_width(const struct text *text, size_t width)
{
	const char *at = text->bytes;

	while (*at) {
		size_t len = strcspn(at, "\n");

		assert_true(text_width(at, len) <= width);
		at += len + 1;
	}
}

static void report_lines_fit_the_terminal(void **state)
{
	struct report_options options = usual;
	struct profile *p = profile_new();
	struct text text = { 0 }, path = { 0 };
	struct event_view view;
	struct report r;

	(void)state;
	for (size_t i = 0; i < 60; i++) {
		text_printf(&path, "%scom.acme.\xc3\xa4nterprise.Bean%zu.m",
			    i ? ";" : "", i);
		sampled(p, path.bytes, 100 + i);
	}
	view = sampled_view(p, 0);
	options.source = "a-recording-of-a-name-that-is-no-longer-short.jfr";
	options.width = 80;
	options.chain = 0;
	r = report_of(p, &view, &options);
	report_text(&text, &r, 1);
	check_width(&text, 80);
	assert_non_null(strstr(text.bytes, "Bean59.m\n"));
	report_release(&r);
	text_release(&path);
	text_release(&text);
	profile_free(p);
}

/* The callees that are not shown are below the minimum. */
static void check_sum(const struct report *r, uint64_t total, uint64_t known)
{
	double least = r->options->min_percent / 100 * (double)r->whole;

	assert_true(known <= total);
	assert_true(known == total || (double)(total - known) < least);
}

static void check_calls(const struct report *r)
{
	uint64_t below[8] = { 0 };

	for (size_t i = r->calls.count; i-- > 0;) {
		const struct call_row *row = &r->calls.rows[i];

		assert_true(row->depth < 7);
		if (row->kind == CALL_FRAME)
			check_sum(r, row->total,
				  row->self + below[row->depth + 1]);
		below[row->depth + 1] = 0;
		below[row->depth] += row->total;
	}
	check_sum(r, r->whole - r->without_stack, below[0]);
}

static void calls_add_up(void **state)
{
	struct report_options options = usual;
	struct profile *p = profile_new();
	struct event_view view;
	struct report r;

	(void)state;
	sampled(p, "a;b;c;d", 40);
	sampled(p, "a;b;c", 3);
	sampled(p, "a;b;e", 2);
	sampled(p, "a;b;f", 1);
	sampled(p, "a;g;g;g;h", 14);
	sampled(p, "i;j", 2);
	sampled(p, "k", 1);
	sampled(p, "", 5);
	view = sampled_view(p, 0);
	for (options.min_percent = 0; options.min_percent <= 4;
	     options.min_percent += 0.5) {
		r = report_of(p, &view, &options);
		check_calls(&r);
		report_release(&r);
	}
	profile_free(p);
}

/* Returns reports of two samples at the given times, as text and JSON. */
static void check_times(int64_t from, int64_t to, const char *text_part,
			const char *json_part)
{
	struct profile *p = profile_new();
	struct text text = { 0 }, json = { 0 };
	struct event_view view;
	struct report r;

	for (int i = 0; i < 2; i++)
		profile_add(p, &(struct sample){
				       .event = profile_event(p, "cpu",
							      UNIT_SAMPLES),
				       .stack = sampled_stack(p, "a"),
				       .count = 1,
				       .weight = 1,
				       .time_ns = i ? to : from,
			       });
	view = sampled_view(p, 0);
	r = report_of(p, &view, &usual);
	report_text(&text, &r, 1);
	report_json(&json, &r, 1);
	assert_non_null(strstr(text.bytes, text_part));
	assert_non_null(strstr(json.bytes, json_part));
	report_release(&r);
	text_release(&text);
	text_release(&json);
	profile_free(p);
}

static void note_about_an_event_is_in_its_report_only(void **state)
{
	static const char *const names[] = { "cpu", "alloc" };
	struct profile *p = profile_new();

	(void)state;
	for (uint32_t i = 0; i < 2; i++)
		profile_add(p, &(struct sample){
				       .event = profile_event(p, names[i],
							      UNIT_SAMPLES),
				       .stack = sampled_stack(p, "a"),
				       .count = 1,
				       .weight = 1,
			       });
	profile_note(p, "of both", 7, "%s", "");
	profile_note(p, "of alloc", 8, "%s", "");
	profile_remark_event(p, "of alloc", 1);
	for (uint32_t i = 0; i < 2; i++) {
		struct event_view view = sampled_view(p, i);
		struct report r = report_of(p, &view, &usual);
		struct text text = { 0 };

		report_head(&text, &r);
		text_putc(&text, '\0');
		assert_non_null(strstr(text.bytes, "note: of both: 7"));
		assert_int_equal(strstr(text.bytes, "note: of alloc: 8") !=
					 NULL,
				 i == 1);
		text_release(&text);
		report_release(&r);
	}
	profile_free(p);
}

static void time_range_of_extreme_times_is_valid(void **state)
{
	(void)state;
	check_times(INT64_MIN, INT64_MAX, ", recorded for 18,446,744,074 s",
		    "\"span_ns\":18446744073709551615");
	check_times(-1000000, 999000000, ", recorded for 1 s",
		    "\"from\":\"1969-12-31T23:59:59.999Z\","
		    "\"to\":\"1970-01-01T00:00:00.999Z\"");
}

static void check_amount(enum unit unit, uint64_t value, const char *expected)
{
	struct text text = { 0 };

	amount_add(&text, unit, value);
	assert_string_equal(text.bytes, expected);
	text_release(&text);
}

static void amounts_have_three_digits(void **state)
{
	(void)state;
	check_amount(UNIT_SAMPLES, 12345, "12,345");
	check_amount(UNIT_NS, 0, "0 ns");
	check_amount(UNIT_NS, 999, "999 ns");
	check_amount(UNIT_NS, 1000, "1 us");
	check_amount(UNIT_NS, 9996, "10.0 us");
	check_amount(UNIT_NS, 99960, "100 us");
	check_amount(UNIT_NS, 340000000, "340 ms");
	check_amount(UNIT_NS, UINT64_C(23400000000), "23.4 s");
	check_amount(UNIT_BYTES, 512, "512 B");
	check_amount(UNIT_BYTES, UINT64_C(3) << 29, "1.50 GB");
	check_amount(UNIT_BYTES, UINT64_MAX, "16,777,216 TB");
}

static void check_fit(const char *name, size_t width, const char *expected)
{
	struct text text = { 0 };

	text_puts(&text, "");
	columns_fit(&text, name, strlen(name), width);
	assert_string_equal(text.bytes, expected);
	text_release(&text);
}

static void long_names_are_truncated_at_the_package_or_arguments(void **state)
{
	(void)state;
	check_fit("com.acme.Bean.get", 17, "com.acme.Bean.get");
	check_fit("com.acme.Bean.get", 9, "…Bean.get");
	check_fit("\xc3\xa4\xc3\xb6\xc3\xbc", 2, "…\xc3\xbc");
	check_fit("Compile::Optimize(int)", 9, "Compile:…");
	check_fit("ab", 1, "…");
	check_fit("a(", 1, "…");
}

static uint32_t named(struct profile *p, const char *name, int64_t os_id)
{
	const struct thread t = {
		.name = profile_string(p, name, strlen(name)),
		.os_id = os_id,
	};

	return profile_thread(p, &t);
}

static void add_class(struct profile *p, const char *class_name, uint32_t owner,
		      uint64_t weight)
{
	const struct sample s = {
		.event = profile_event(p, "lock", UNIT_NS),
		.stack = profile_push_class(
			p, sampled_stack(p, "a.A.run;a.A.take"),
			profile_string(p, class_name, strlen(class_name))),
		.thread = named(p, "blocked", 7),
		.owner = owner,
		.count = 1,
		.weight = weight,
	};

	profile_add(p, &s);
}

/* A: 7 s of one owner, 2 s of another; an array: 1 s; unknown: 4 s. */
static struct profile *locks(void)
{
	struct profile *p = profile_new();
	uint32_t first = named(p, "first", 11), second = named(p, "second", 12);

	add_class(p, "a.A", first, 3000000000);
	add_class(p, "a.A", first, 4000000000);
	add_class(p, "a.A", second, 2000000000);
	add_class(p, "[La.B;", first, 1000000000);
	add_class(p, "", 0, 4000000000);
	return p;
}

static void self_of_a_class_belongs_to_its_method(void **state)
{
	struct profile *p = locks();
	struct event_view view = sampled_view(p, 0);
	struct report r = report_of(p, &view, &usual);

	(void)state;
	assert_int_equal(r.frame_count, 2);
	check_frame(&r, 0, "a.A.take", 14000000000, 14000000000);
	check_frame(&r, 1, "a.A.run", 0, 14000000000);
	assert_int_equal(r.thread_count, 1);
	assert_int_equal(r.threads[0].leaf, r.frames[0].label);
	assert_int_equal(r.threads[0].leaf_self, 14000000000);
	report_release(&r);
	profile_free(p);
}

static void check_class(const struct report *r, const struct class_sum *sum,
			const char *class_name, const char *owner,
			uint64_t total, uint64_t samples)
{
	static const struct style style = { 0 };
	const struct profile *p = r->profile;
	struct text name = { 0 };

	text_puts(&name, "");
	class_sum_name(&name, p, sum, &style);
	assert_string_equal(name.bytes, class_name);
	assert_string_equal(profile_text(p, p->threads[sum->owner].name),
			    owner);
	assert_int_equal(sum->total, total);
	assert_int_equal(sum->samples, samples);
	text_release(&name);
}

static void classes_and_owners_add_up_to_the_total(void **state)
{
	struct profile *p = locks();
	struct event_view view = sampled_view(p, 0);
	struct report r = report_of(p, &view, &usual);

	(void)state;
	assert_int_equal(r.by_class[CLASS_ONLY].count, 3);
	check_class(&r, &r.by_class[CLASS_ONLY].sums[0], "a.A", "", 9000000000,
		    3);
	check_class(&r, &r.by_class[CLASS_ONLY].sums[1], "", "", 4000000000, 1);
	check_class(&r, &r.by_class[CLASS_ONLY].sums[2], "a.B[]", "",
		    1000000000, 1);
	assert_int_equal(r.by_class[CLASS_AND_OWNER].count, 4);
	check_class(&r, &r.by_class[CLASS_AND_OWNER].sums[0], "a.A", "first",
		    7000000000, 2);
	check_class(&r, &r.by_class[CLASS_AND_OWNER].sums[1], "", "",
		    4000000000, 1);
	check_class(&r, &r.by_class[CLASS_AND_OWNER].sums[2], "a.A", "second",
		    2000000000, 1);
	check_class(&r, &r.by_class[CLASS_AND_OWNER].sums[3], "a.B[]", "first",
		    1000000000, 1);
	report_release(&r);
	profile_free(p);
}

static void hidden_classes_are_counted_in_one_row(void **state)
{
	struct report_options options = usual;
	struct profile *p = locks();
	struct event_view view = sampled_view(p, 0);
	struct text text = { 0 };
	struct report r;

	(void)state;
	options.parts = 1U << REPORT_CLASSES;
	options.threads = 1;
	r = report_of(p, &view, &options);
	report_csv(&text, &r, 1);
	assert_string_equal(text.bytes,
			    "event,unit,class,total,total_percent,samples\n"
			    "lock,ns,a.A,9000000000,64.286,3\n"
			    "lock,ns,[2 more],5000000000,35.714,2\n");
	text_clear(&text);
	report_text(&text, &r, 1);
	assert_non_null(strstr(text.bytes, "  [2 more]\n"));
	text_clear(&text);
	report_json(&text, &r, 1);
	assert_non_null(strstr(text.bytes, "{\"class\":null,\"more\":2,"
					   "\"total_ns\":5000000000,"));
	report_release(&r);
	text_release(&text);
	profile_free(p);
}

/* Reports on CPU time would have empty tables otherwise. */
static void class_table_is_omitted_without_classes(void **state)
{
	struct profile *p = profile_new();
	struct text text = { 0 };
	struct event_view view;
	struct report r;

	(void)state;
	sampled(p, "a;b", 5);
	view = sampled_view(p, 0);
	r = report_of(p, &view, &usual);
	assert_int_equal(r.by_class[CLASS_ONLY].count, 0);
	assert_int_equal(r.by_class[CLASS_AND_OWNER].count, 0);
	report_text(&text, &r, 1);
	assert_null(strstr(text.bytes, "by class"));
	assert_null(strstr(text.bytes, "by monitor"));
	report_release(&r);
	text_release(&text);
	profile_free(p);
}

static void owner_rows_name_the_monitor(void **state)
{
	struct report_options options = usual;
	struct profile *p = locks();
	struct event_view view = sampled_view(p, 0);
	struct text text = { 0 };
	const char *table;
	struct report r;

	(void)state;
	options.parts = 1U << REPORT_OWNERS;
	r = report_of(p, &view, &options);
	report_text(&text, &r, 1);
	table = strstr(text.bytes, "by monitor and owner\n");
	assert_non_null(table);
	assert_non_null(strstr(table, "  owner       monitor\n"));
	assert_non_null(strstr(table, "  first #11   a.A\n"));
	assert_non_null(strstr(table, "  [unknown]   [unknown]\n"));
	assert_non_null(strstr(table, "  second #12  a.A\n"));
	assert_non_null(strstr(table, "  first #11   a.B[]\n"));
	text_clear(&text);
	report_json(&text, &r, 1);
	assert_non_null(strstr(text.bytes,
			       "{\"owner\":\"first\",\"java_id\":null,"
			       "\"os_id\":11,\"monitor\":\"a.A\","
			       "\"total_ns\":7000000000,"));
	report_release(&r);
	text_release(&text);
	profile_free(p);
}

static void owner_method_rows_name_the_monitor(void **state)
{
	struct report_options options = usual;
	struct profile *p = profile_new();
	const struct frame take = {
		.class_name = profile_string(p, "a.A", 3),
		.method = profile_string(p, "take", 4),
		.kind = FRAME_JAVA,
	};
	struct sample s = {
		.event = profile_event(p, "lock", UNIT_NS),
		.stack = profile_push_class(
			p, sampled_stack(p, "a.A.run"),
			profile_string(p, "java.lang.Object", 16)),
		.owner_frame = profile_frame(p, &take),
		.count = 1,
		.weight = 3000000000,
	};
	struct event_view view;
	struct text text = { 0 };
	struct report r;

	(void)state;
	profile_add(p, &s);
	s.count = 0;
	s.weight = 1000000000;
	s.owner_frame = 0;
	profile_add(p, &s);
	view = sampled_view(p, 0);
	options.parts = 1U << REPORT_OWNER_METHODS;
	r = report_of(p, &view, &options);
	assert_int_equal(r.by_class[CLASS_AND_METHOD].count, 2);
	report_text(&text, &r, 1);
	assert_non_null(
		strstr(text.bytes,
		       "\nby monitor and method of the owner, estimated\n"));
	assert_non_null(strstr(text.bytes,
			       "  monitor           method of the owner\n"));
	assert_non_null(strstr(text.bytes, "  java.lang.Object  a.A.take\n"));
	assert_non_null(strstr(text.bytes, "  java.lang.Object  [unknown]\n"));
	text_clear(&text);
	report_json(&text, &r, 1);
	assert_non_null(strstr(text.bytes,
			       "\"owner_methods\":[{\"method\":\"a.A.take\","
			       "\"monitor\":\"java.lang.Object\","
			       "\"total_ns\":3000000000,"));
	assert_non_null(strstr(text.bytes, "{\"method\":null,"));
	text_clear(&text);
	report_csv(&text, &r, 1);
	assert_non_null(strstr(text.bytes, ",java.lang.Object,a.A.take,3"));
	report_release(&r);
	text_release(&text);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_count_a_recursive_frame_once),
		cmocka_unit_test(sums_saturate),
		cmocka_unit_test(samples_are_counted_without_weights),
		cmocka_unit_test(threads_have_their_hottest_frame),
		cmocka_unit_test(report_lines_fit_the_terminal),
		cmocka_unit_test(calls_add_up),
		cmocka_unit_test(time_range_of_extreme_times_is_valid),
		cmocka_unit_test(note_about_an_event_is_in_its_report_only),
		cmocka_unit_test(amounts_have_three_digits),
		cmocka_unit_test(
			long_names_are_truncated_at_the_package_or_arguments),
		cmocka_unit_test(self_of_a_class_belongs_to_its_method),
		cmocka_unit_test(classes_and_owners_add_up_to_the_total),
		cmocka_unit_test(hidden_classes_are_counted_in_one_row),
		cmocka_unit_test(class_table_is_omitted_without_classes),
		cmocka_unit_test(owner_rows_name_the_monitor),
		cmocka_unit_test(owner_method_rows_name_the_monitor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
