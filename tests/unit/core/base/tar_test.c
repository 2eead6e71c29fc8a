/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/tar.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct text two_members(void)
{
	struct text out = { 0 };

	tar_add(&out, "dir/first", "text", 4, 1);
	tar_add(&out, "second", "", 0, 1);
	tar_end(&out);
	return out;
}

static struct tar open_text(const struct text *t)
{
	struct tar tar;

	tar_open(&tar, (const uint8_t *)t->bytes, t->len);
	return tar;
}

static void members_are_read_as_written(void **state)
{
	struct text out = two_members();
	struct tar tar = open_text(&out);
	struct tar_member m;

	(void)state;
	assert_int_equal(out.len % TAR_BLOCK, 0);
	assert_true(tar_is((const uint8_t *)out.bytes, out.len));
	assert_true(tar_next(&tar, &m));
	assert_string_equal(m.name, "dir/first");
	assert_int_equal(m.len, 4);
	assert_memory_equal(m.bytes, "text", 4);
	assert_true(tar_next(&tar, &m));
	assert_string_equal(m.name, "second");
	assert_int_equal(m.len, 0);
	assert_false(tar_next(&tar, &m));
	assert_false(tar.is_cut);
	text_release(&out);
}

static void long_name_is_split_at_a_slash(void **state)
{
	char name[TAR_PREFIX + TAR_NAME], last[TAR_NAME + 60];
	struct text out = { 0 };
	struct tar_member m;
	struct tar tar;

	(void)state;
	memset(name, 'd', sizeof(name));
	name[150] = '/';
	name[sizeof(name) - 5] = '\0';
	tar_add(&out, name, "x", 1, 1);
	/* No slash splits this one. */
	memset(last, 'e', sizeof(last));
	last[sizeof(last) - 1] = '\0';
	tar_add(&out, last, "y", 1, 1);
	tar = open_text(&out);
	assert_true(tar_next(&tar, &m));
	assert_string_equal(m.name, name);
	assert_true(tar_next(&tar, &m));
	assert_int_equal(strlen(m.name), TAR_NAME);
	assert_memory_equal(m.bytes, "y", 1);
	text_release(&out);
}

static void archive_cut_at_any_byte_keeps_its_head(void **state)
{
	struct text out = two_members();
	size_t whole = 2 * TAR_BLOCK + TAR_BLOCK;

	(void)state;
	for (size_t len = 0; len < out.len; len++) {
		struct text part = { 0 };
		size_t count = 0, bytes = 0;
		struct tar_member m;
		struct tar tar;

		text_add(&part, out.bytes, len);
		tar = open_text(&part);
		while (tar_next(&tar, &m)) {
			count++;
			bytes += m.len;
		}
		assert_int_equal(count, len < TAR_BLOCK ? 0
					: len < whole   ? 1
							: 2);
		assert_true(bytes <= 4);
		/* One block of zeros ends an archive. */
		assert_int_equal(tar.is_cut, len < whole + TAR_BLOCK);
		text_release(&part);
	}
	text_release(&out);
}

static void damaged_header_ends_the_archive(void **state)
{
	struct text out = two_members();
	struct tar_member m;
	struct tar tar;

	(void)state;
	out.bytes[2 * TAR_BLOCK + 3] ^= 1;
	tar = open_text(&out);
	assert_true(tar_next(&tar, &m));
	assert_false(tar_next(&tar, &m));
	assert_true(tar.is_cut);
	out.bytes[0] ^= 1;
	assert_false(tar_is((const uint8_t *)out.bytes, out.len));
	assert_false(tar_is((const uint8_t *)out.bytes, 100));
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_read_as_written),
		cmocka_unit_test(long_name_is_split_at_a_slash),
		cmocka_unit_test(archive_cut_at_any_byte_keeps_its_head),
		cmocka_unit_test(damaged_header_ends_the_archive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
