/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/stub_names.h"
#include "tests/unit/metadata_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct metadata_image image;
static uint64_t list;

static int open_image(void **state)
{
	(void)state;
	image_init(&image, 25);
	list = image_add(&image, 8);
	return 0;
}

static int close_image(void **state)
{
	(void)state;
	image_release(&image);
	return 0;
}

/* Adds an entry at the front of the list; returns its address. */
static uint64_t describe(const char *name, uint64_t begin, uint64_t end)
{
	uint64_t at = image_add(&image, 48);
	uint64_t text = image_add(&image, 64);

	memcpy(image.bytes + (text - IMAGE_BASE), name, strlen(name));
	image_put(&image, at, image_u64(&image, list), 8);
	image_put(&image, at + 8, text, 8);
	image_put(&image, at + 16, text, 8);
	image_put(&image, at + 24, begin, 8);
	image_put(&image, at + 32, end, 8);
	image_put(&image, list, at, 8);
	return at;
}

static void stub_is_found_by_any_address_in_it(void **state)
{
	struct stub_names *s = stub_names_new(&image.memory, list);
	size_t count;

	(void)state;
	describe("call_stub", 0x1000, 0x1100);
	describe("jint_arraycopy", 0x1200, 0x1300);
	assert_null(stub_names_at(s, 0x1000));
	stub_names_all(s, &count);
	assert_int_equal(count, 2);
	assert_null(stub_names_at(s, 0xfff));
	assert_string_equal(stub_names_at(s, 0x1000), "call_stub");
	assert_string_equal(stub_names_at(s, 0x1100), "call_stub");
	assert_null(stub_names_at(s, 0x1101));
	assert_string_equal(stub_names_at(s, 0x12ff), "jint_arraycopy");
	assert_null(stub_names_at(s, UINT64_MAX));
	stub_names_free(s);
}

static void stub_names_are_the_same_on_every_jdk(void **state)
{
	static const struct {
		const char *name, *trimmed;
	} cases[] = {
		{ "call_stub", "call_stub" },
		{ "Stub Generator call_stub_stub", "call_stub" },
		{ "call_stub_stub (stub gen)", "call_stub" },
		{ "Stub Generator get_cpu_info", "get_cpu_info" },
		{ "get_cpu_info_stub", "get_cpu_info_stub" },
		{ "Stub Generator ", "Stub Generator " },
		{ " (stub gen)", " (stub gen)" },
		{ "_stub (stub gen)", "_stub" },
		{ "new_instance_blob (C1 runtime)",
		  "new_instance_blob (C1 runtime)" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *name = cases[i].name;
		size_t len = strlen(name);

		stub_name_trim(&name, &len);
		assert_int_equal(len, strlen(cases[i].trimmed));
		assert_memory_equal(name, cases[i].trimmed, len);
	}
}

static void listed_stubs_have_the_names_of_older_jdks(void **state)
{
	struct stub_names *s = stub_names_new(&image.memory, list);
	size_t count;

	(void)state;
	describe("jint_disjoint_arraycopy_stub (stub gen)", 0x1200, 0x1300);
	image_add(&image, 64); /* names are read in parts of 64 bytes */
	stub_names_all(s, &count);
	assert_string_equal(stub_names_at(s, 0x1200),
			    "jint_disjoint_arraycopy");
	stub_names_free(s);
}

static void stub_generated_later_is_found_on_request(void **state)
{
	struct stub_names *s = stub_names_new(&image.memory, list);
	const struct stub_name *all;
	size_t count, reads;

	(void)state;
	describe("first", 0x2000, 0x2100);
	stub_names_all(s, &count);
	reads = image.reads;
	stub_names_all(s, &count);
	assert_int_equal(image.reads, reads + 1);
	describe("second", 0x1000, 0x1100);
	all = stub_names_all(s, &count);
	assert_int_equal(count, 2);
	assert_string_equal(all[0].name, "second");
	assert_int_equal(all[1].begin, 0x2000);
	stub_names_free(s);
}

static void stub_list_that_keeps_changing_is_ignored(void **state)
{
	struct stub_names *s = stub_names_new(&image.memory, list);
	uint64_t heads[2];
	size_t count, reads;

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		heads[i & 1] = describe("one", 0x2000 + i * 16,
					0x2010 + i * 16);
	for (size_t i = 0; i < 1000; i++) {
		image_put(&image, list, heads[i & 1], 8);
		stub_names_all(s, &count);
	}
	reads = image.reads;
	image_put(&image, list, heads[0], 8);
	stub_names_all(s, &count);
	image_put(&image, list, heads[1], 8);
	stub_names_all(s, &count);
	assert_int_equal(image.reads, reads + 2);
	assert_in_range(count, 99, 100);
	stub_names_free(s);
}

static void stub_that_is_being_written_is_left_out(void **state)
{
	struct stub_names *s = stub_names_new(&image.memory, list);
	size_t count;

	(void)state;
	describe("first", 0x2000, 0x2100);
	describe("unfinished", 0x3000, 0);
	stub_names_all(s, &count);
	assert_int_equal(count, 1);
	stub_names_free(s);
}

static void damage(uint64_t offset, uint64_t value)
{
	struct stub_names *s = stub_names_new(&image.memory, list);
	uint64_t at;
	size_t count;

	image_put(&image, list, 0, 8);
	describe("first", 0x2000, 0x2100);
	at = describe("second", 0x3000, 0x3100);
	image_put(&image, at + offset, value, 8);
	stub_names_all(s, &count);
	assert_int_equal(count, 0);
	assert_null(stub_names_at(s, 0x2000));
	assert_null(stub_names_at(s, 0x3000));
	stub_names_free(s);
}

static void inconsistent_stub_list_is_empty(void **state)
{
	uint64_t binary = image_add(&image, 8);

	(void)state;
	image_put(&image, binary, 0x1b5b32, 3);
	damage(0, 1);
	damage(0, UINT64_MAX - 7);
	damage(16, 0);
	damage(16, binary);
	damage(16, image_add(&image, 8)); /* "" */
	damage(24, 0x3100);
	damage(32, 0x2fff);
	damage(32, UINT64_MAX);
}

static void endless_stub_list_is_ignored(void **state)
{
	struct stub_names *s = stub_names_new(&image.memory, list);
	uint64_t at = describe("ring", 0x2000, 0x2100);
	size_t count;

	(void)state;
	image_put(&image, at, at, 8);
	stub_names_all(s, &count);
	assert_int_equal(count, 0);
	stub_names_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_image, close_image)
		TEST(stub_is_found_by_any_address_in_it),
		TEST(stub_names_are_the_same_on_every_jdk),
		TEST(listed_stubs_have_the_names_of_older_jdks),
		TEST(stub_generated_later_is_found_on_request),
		TEST(stub_list_that_keeps_changing_is_ignored),
		TEST(stub_that_is_being_written_is_left_out),
		TEST(inconsistent_stub_list_is_empty),
		TEST(endless_stub_list_is_ignored),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
