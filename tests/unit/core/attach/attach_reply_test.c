/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int to_text(void *self, const void *bytes, size_t len, struct error *err)
{
	(void)err;
	text_add(self, bytes, len);
	return 0;
}

static int refusing(void *self, const void *bytes, size_t len,
		    struct error *err)
{
	(void)self;
	(void)bytes;
	(void)len;
	err->kind = ERROR_OUTPUT;
	return -1;
}

/* So many lines of "line 123\n" into a reply that keeps 100 bytes in memory. */
static struct attach_reply filled(int lines, struct text *wanted)
{
	struct attach_reply r;
	struct error err;

	attach_reply_init(&r);
	r.memory_limit = 100;
	for (int i = 0; i < lines; i++) {
		size_t before = wanted->len;

		text_printf(wanted, "line %d\n", i);
		assert_int_equal(attach_reply_add(&r, wanted->bytes + before,
						  wanted->len - before, &err),
				 0);
	}
	return r;
}

static void a_large_reply_comes_back_in_order_from_a_file(void **state)
{
	struct text wanted = { 0 }, got = { 0 };
	struct attach_reply r = filled(100000, &wanted);
	struct error err;

	(void)state;
	assert_true(r.memory.len <= 100);
	assert_int_equal(r.memory.len + r.filed, wanted.len);
	assert_int_equal(attach_reply_give(&r, to_text, &got, &err), 0);
	assert_int_equal(got.len, wanted.len);
	assert_memory_equal(got.bytes, wanted.bytes, got.len);
	attach_reply_release(&r);
	text_release(&wanted);
	text_release(&got);
}

static void a_small_reply_needs_no_file(void **state)
{
	struct text wanted = { 0 };
	struct attach_reply r = filled(5, &wanted);

	(void)state;
	assert_int_equal(r.file, -1);
	attach_reply_release(&r);
	text_release(&wanted);
}

static void an_endless_reply_meets_the_limit(void **state)
{
	struct attach_reply r;
	struct error err = { 0 };
	char part[1000] = { 0 };
	int parts = 0;

	(void)state;
	attach_reply_init(&r);
	r.memory_limit = 2000;
	r.limit = 64 << 10;
	while (attach_reply_add(&r, part, sizeof(part), &err) == 0)
		assert_in_range(++parts, 1, 65);
	assert_int_equal(parts, 65);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "64 KB"));
	attach_reply_release(&r);
}

static void a_sink_that_fails_ends_it(void **state)
{
	struct text wanted = { 0 };
	struct attach_reply r = filled(1000, &wanted);
	struct error err = { 0 };

	(void)state;
	assert_int_equal(attach_reply_give(&r, refusing, NULL, &err), -1);
	assert_int_equal(err.kind, ERROR_OUTPUT);
	attach_reply_release(&r);
	text_release(&wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_reply_comes_back_in_order_from_a_file),
		cmocka_unit_test(a_small_reply_needs_no_file),
		cmocka_unit_test(an_endless_reply_meets_the_limit),
		cmocka_unit_test(a_sink_that_fails_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
