/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jmx_read.h"

#include "core/base/alloc.h"
#include "tests/unit/scripted_jmx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MANY 1000

static const struct value one = { .kind = VALUE_INTEGER,
				  .type = "int",
				  .integer = 1 };

/* The results as text: "name=1 name!error …". */
struct seen {
	struct text text;
	size_t beans, lost;
	size_t stop_at; /* the callback fails at this result; 0: none */
};

static const char *const *choose(void *self, const char *object,
				 const struct jmx_info *info, struct arena *a,
				 size_t *count, const void **note,
				 struct error *err)
{
	const char **names = arena_alloc(a, info->attribute_count *
						    sizeof(*names));

	(void)self;
	(void)err;
	for (size_t i = 0; i < info->attribute_count; i++)
		names[i] = arena_copy(a, info->attributes[i].name,
				      strlen(info->attributes[i].name));
	*count = info->attribute_count;
	*note = object;
	return names;
}

static int take(void *self, const struct jmx_bean *bean, struct error *err)
{
	struct seen *s = self;

	text_printf(&s->text, "%s%s", s->beans ? " " : "", bean->name);
	if (bean->failure)
		text_printf(&s->text, "!%s", bean->failure);
	for (size_t i = 0; bean->values && i < bean->values->members.count; i++)
		text_printf(&s->text, "=%d",
			    (int)value_integer_of(
				    bean->values->members.at[i].value, -1));
	if (bean->class && !bean->failure)
		assert_ptr_equal(bean->note, bean->name);
	s->lost += bean->was_lost;
	return ++s->beans == s->stop_at ? (fail)(err, ERROR_OUTPUT, "full") : 0;
}

static int read_all(struct scripted_jmx *s, struct seen *seen,
		    struct error *err)
{
	const struct jmx_reader reader = { choose, take, seen, NULL };
	const char **names = xcalloc(s->count + 1, sizeof(*names));
	int ret;

	for (size_t i = 0; i < s->count; i++)
		names[i] = s->mbeans[i].name;
	ret = jmx_read(&s->jmx, names, s->count, &reader, err);
	free(names);
	return ret;
}

#define BEAN(n)                                                                \
	{                                                                      \
		.name = n, .class = "C", .attributes = { { "A", &one } },      \
		.count = 1                                                     \
	}

static void mbeans_are_passed_in_order(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		BEAN("a"),
		{ .name = "b", .class = "C", .info_failure = "has gone" },
		BEAN("c"),
		{ .name = "d", .class = "C" }, /* no readable attribute */
		{ .name = "e",
		  .class = "C",
		  .attributes = { { "A", &one } },
		  .count = 1,
		  .get_failure = "has gone, too" },
		{ .name = "f", .class = "C", .info_failure = "as well" },
	};
	struct scripted_jmx s;
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, mbeans, 6);
	assert_int_equal(read_all(&s, &seen, &err), 0);
	assert_string_equal(seen.text.bytes, "a=1 b!has gone c=1 d "
					     "e!has gone, too f!as well");
	assert_int_equal(s.runs, 2);
	assert_int_equal(s.requests, 6 + 3);
	assert_int_equal(seen.lost, 0);
	text_release(&seen.text);
}

static void empty_list_makes_no_request(void **state)
{
	struct scripted_jmx s;
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, NULL, 0);
	assert_int_equal(read_all(&s, &seen, &err), 0);
	assert_int_equal(seen.beans, 0);
	assert_int_equal(s.requests, 0);
}

/* The names belong to the table, too. */
static struct scripted_mbean *make_many(size_t count)
{
	struct scripted_mbean *mbeans = xcalloc(count, sizeof(*mbeans));

	for (size_t i = 0; i < count; i++) {
		struct text name = { 0 };

		text_printf(&name, "m%zu", i);
		mbeans[i] = (struct scripted_mbean)BEAN(name.bytes);
	}
	return mbeans;
}

static void free_many(struct scripted_mbean *mbeans, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((char *)mbeans[i].name);
	free(mbeans);
}

/*
 * The attributes of a batch are read together with the descriptions of the
 * next.
 */
static void many_mbeans_take_few_round_trips(void **state)
{
	struct scripted_mbean *mbeans = make_many(MANY);
	struct scripted_jmx s;
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, mbeans, MANY);
	assert_int_equal(read_all(&s, &seen, &err), 0);
	assert_int_equal(seen.beans, MANY);
	assert_non_null(strstr(seen.text.bytes, "m199=1 m200=1 m201=1"));
	assert_int_equal(s.requests, 2 * MANY);
	assert_int_equal(s.runs, MANY / JMX_READ_BATCH + 1);
	assert_int_equal(s.most, 2 * JMX_READ_BATCH);
	text_release(&seen.text);
	free_many(mbeans, MANY);
}

static void mbean_that_loses_the_connection_is_skipped(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		BEAN("a"), BEAN("b"), BEAN("c"), BEAN("d"), BEAN("e"),
	};
	struct scripted_jmx s;
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, mbeans, 5);
	/*
	 * The description of b is lost twice, then the last attributes of a, c,
	 * d and e.
	 */
	s.losses[0] = 2;
	s.losses[1] = 3;
	s.losses[2] = 6 + 4;
	assert_int_equal(read_all(&s, &seen, &err), 0);
	assert_string_equal(seen.text.bytes,
			    "a=1 b!the line is cut c=1 d=1 e!the line is cut");
	assert_int_equal(seen.lost, 2);
	text_release(&seen.text);
}

/* The loss may be due to the next MBean, or to none. */
static void mbean_read_alone_after_a_loss_is_not_lost(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		BEAN("a"),
		BEAN("b"),
		BEAN("c"),
		BEAN("d"),
	};
	struct scripted_jmx s;
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, mbeans, 4);
	s.losses[0] = 4 + 2;
	assert_int_equal(read_all(&s, &seen, &err), 0);
	assert_string_equal(seen.text.bytes, "a=1 b=1 c=1 d=1");
	assert_int_equal(seen.lost, 0);
	/*
	 * One run for the descriptions, one for a and half of b, three for b,
	 * c, d.
	 */
	assert_int_equal(s.runs, 1 + 1 + 3);
	text_release(&seen.text);
}

/* The other attributes of an MBean at which the connection is lost are kept. */
static void attributes_are_read_one_at_a_time_after_a_loss(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		BEAN("a"),
		{ .name = "b",
		  .class = "C",
		  .attributes = { { "A", &one }, { "B", &one }, { "C", &one } },
		  .count = 3 },
		BEAN("c"),
	};
	struct scripted_jmx s;
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, mbeans, 3);
	/* The attributes of b twice, then B alone. */
	s.losses[0] = 3 + 2;
	s.losses[1] = 3 + 3;
	s.losses[2] = 3 + 5;
	assert_int_equal(read_all(&s, &seen, &err), 0);
	assert_string_equal(seen.text.bytes, "a=1 b=1=-1=1 c=1");
	assert_int_equal(seen.lost, 1);
	text_release(&seen.text);
}

/* Lost MBeans are skipped as long as there are replies between them. */
static void several_lost_mbeans_are_skipped(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		BEAN("a"), BEAN("b"), BEAN("c"), BEAN("d"), BEAN("e"),
		BEAN("f"), BEAN("g"), BEAN("h"), BEAN("i"), BEAN("j"),
	};
	struct scripted_jmx s;
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, mbeans, 10);
	s.losses[0] = 10 + 1;
	for (size_t i = 0; i < 5; i++)
		s.losses[1 + i] = 10 + 2 + 2 * i;
	assert_int_equal(read_all(&s, &seen, &err), 0);
	assert_int_equal(seen.beans, 10);
	assert_int_equal(seen.lost, 5);
	text_release(&seen.text);
}

static void connection_lost_too_often_ends_the_reading(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		BEAN("a"), BEAN("b"), BEAN("c"), BEAN("d"), BEAN("e"),
	};
	struct scripted_jmx s;
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, mbeans, 5);
	for (size_t i = 0; i <= JMX_READ_LOST + 1; i++)
		s.losses[i] = 5 + 1 + i;
	assert_int_equal(read_all(&s, &seen, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_string_equal(err.text, "the line is cut");
	/* MBeans without any result are not reported. */
	assert_int_equal(seen.beans, 0);
	text_release(&seen.text);
}

static void exited_jvm_ends_the_reading(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		BEAN("a"),
		BEAN("b"),
		BEAN("c"),
	};
	struct scripted_jmx s;
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, mbeans, 3);
	s.losses[0] = 3 + 2;
	s.lost_kind = ERROR_NO_TARGET;
	assert_int_equal(read_all(&s, &seen, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	assert_string_equal(seen.text.bytes, "a=1");
	assert_int_equal(s.runs, 2);
	text_release(&seen.text);
}

static void callback_failure_ends_the_reading(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		BEAN("a"),
		BEAN("b"),
		BEAN("c"),
	};
	struct scripted_jmx s;
	struct seen seen = { .stop_at = 2 };
	struct error err;

	(void)state;
	scripted_jmx_init(&s, mbeans, 3);
	assert_int_equal(read_all(&s, &seen, &err), -1);
	assert_int_equal(err.kind, ERROR_OUTPUT);
	assert_string_equal(seen.text.bytes, "a=1 b=1");
	assert_int_equal(s.runs, 2);
	text_release(&seen.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mbeans_are_passed_in_order),
		cmocka_unit_test(empty_list_makes_no_request),
		cmocka_unit_test(many_mbeans_take_few_round_trips),
		cmocka_unit_test(mbean_that_loses_the_connection_is_skipped),
		cmocka_unit_test(mbean_read_alone_after_a_loss_is_not_lost),
		cmocka_unit_test(
			attributes_are_read_one_at_a_time_after_a_loss),
		cmocka_unit_test(several_lost_mbeans_are_skipped),
		cmocka_unit_test(connection_lost_too_often_ends_the_reading),
		cmocka_unit_test(exited_jvm_ends_the_reading),
		cmocka_unit_test(callback_failure_ends_the_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
