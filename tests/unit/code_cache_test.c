/* SPDX-License-Identifier: Apache-2.0 */
#include "core/native/hotspot/code_cache.h"
#include "tests/unit/hotspot_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One method, and a blob of routines that are generated on demand. */
enum { METHOD_BYTES = 4096 };

struct place {
	struct hotspot_image image;
	struct code_cache *code;
	uint64_t method, routines;
};

static uint64_t reads; /* of memory, since the test began */
static void (*read_all)(struct memory *, struct memory_range *, size_t);

static void count_reads(struct memory *m, struct memory_range *ranges,
			size_t count)
{
	reads += count;
	read_all(m, ranges, count);
}

static int set_up(void **state)
{
	static uint8_t code[METHOD_BYTES] = { 0x55 };
	struct place *p = calloc(1, sizeof(*p));
	struct image_blob b = { .name = "nmethod",
				.code = code,
				.len = sizeof(code),
				.frame_words = 6,
				.frame_complete = 5,
				.compile_id = 0x5a17c0de,
				.original_pc = -1 };

	hotspot_image_init(&p->image, 25);
	p->method = hotspot_image_blob(&p->image, &b);
	b.name = "vtable chunks";
	b.len = 64;
	p->routines = hotspot_image_blob(&p->image, &b);
	hotspot_image_open(&p->image);
	p->code = unwinder_code_cache(p->image.unwinder);
	reads = 0;
	read_all = p->image.memory.read_all;
	p->image.memory.read_all = count_reads;
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	hotspot_image_release(&p->image);
	free(p);
	return 0;
}

static uint8_t *in_image(struct place *p, uint64_t address)
{
	return p->image.bytes + (address - HOTSPOT_IMAGE);
}

/* More of it than is kept: each is found, and is another than all before. */
static void code_that_is_made_all_day_is_found_all_day(void **state)
{
	struct place *p = *state;
	uint32_t id = 0x5a17c0de, before = 0;
	uint8_t *at = memmem(p->image.bytes, HOTSPOT_IMAGE_BYTES, &id, 4);

	assert_non_null(at);
	for (id = 1; id <= 80000; id++) {
		const struct code_blob *b;

		memcpy(at, &id, 4);
		code_cache_begin(p->code);
		b = code_cache_find(p->code, p->method + 5);
		assert_true(b && b->compile_id == id && b->identity > before);
		before = b->identity;
	}
	assert_int_equal(code_cache_refused(p->code), 0);
}

/* Blocks that are said to begin ever further back, and none does. */
static void a_map_that_lies_costs_so_much_at_a_time(void **state)
{
	struct place *p = *state;
	const uint64_t most = 20000;

	hotspot_image_lie(&p->image, 1);
	for (int turn = 0; turn < 3; turn++) {
		uint64_t refused = code_cache_refused(p->code);

		reads = 0;
		for (uint64_t at = 0; at < 60000; at++)
			code_cache_find(p->code, p->method + at % 0x20000);
		assert_in_range(reads, 10, most);
		assert_true(code_cache_refused(p->code) > refused);
		code_cache_begin(p->code);
	}
}

static void what_has_grown_is_read_again(void **state)
{
	struct place *p = *state;
	const struct code_blob *b = code_cache_find(p->code, p->routines);
	uint32_t identity = b->identity;

	assert_int_equal(code_cache_code(p->code, b)[20], 0);
	code_cache_begin(p->code);
	b = code_cache_find(p->code, p->routines);
	assert_int_equal(b->identity, identity);
	*in_image(p, p->routines + 20) = 0xc3;
	code_cache_begin(p->code);
	b = code_cache_find(p->code, p->routines);
	assert_int_equal(code_cache_code(p->code, b)[20], 0xc3);
	assert_int_not_equal(b->identity, identity);
	/* Nobody else gets what it has now. */
	identity = b->identity;
	b = code_cache_find(p->code, p->method);
	assert_int_not_equal(b->identity, identity);
	/* It is so when it was not asked for in between. */
	for (int i = 0; i < 200; i++)
		code_cache_begin(p->code);
	*in_image(p, p->routines + 30) = 0xc3;
	b = code_cache_find(p->code, p->routines);
	assert_int_equal(code_cache_code(p->code, b)[30], 0xc3);
}

#define TEST(name)                                                             \
	{                                                                      \
#name, name, set_up, tear_down, NULL                           \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(code_that_is_made_all_day_is_found_all_day),
		TEST(a_map_that_lies_costs_so_much_at_a_time),
		TEST(what_has_grown_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
