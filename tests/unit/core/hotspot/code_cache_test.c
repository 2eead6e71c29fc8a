/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/code_cache.h"
#include "tests/unit/hotspot_image.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A method, and a blob of routines that are generated on demand. */
enum { METHOD_BYTES = 4096 };

struct place {
	struct hotspot_image image;
	struct code_cache *code;
	uint64_t method, routines;
};

static uint64_t reads; /* reads of memory since the test began */
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
	p->code = p->image.view->code;
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

/*
 * Compiles more methods than the cache keeps: each is found and has a new
 * identity.
 */
static void code_cache_finds_code_however_much_is_compiled(void **state)
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

/* The map of each block points further back, and no block begins. */
static void forged_segment_map_costs_a_limited_number_of_reads(void **state)
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

/*
 * The blob is replaced by a shorter one or loses its name: addresses after its
 * end are searched once per batch.
 */
static void missing_blob_is_searched_once_per_batch(void **state)
{
	struct place *p = *state;
	uint8_t code[64] = { 0x55 };
	struct image_blob b = { .name = "nmethod",
				.code = code,
				.len = sizeof(code),
				.frame_complete = 5,
				.compile_id = 2,
				.original_pc = -1 };

	assert_non_null(code_cache_find(p->code, p->method + 2000));
	assert_non_null(code_cache_find(p->code, p->method + 3000));
	for (int i = 0; i < 100; i++)
		code_cache_begin(p->code);
	hotspot_image_replace(&p->image, p->method, &b);
	reads = 0;
	for (uint64_t i = 0; i < 60000; i++)
		assert_null(code_cache_find(p->code,
					    p->method + 2000 + i % 2 * 1000));
	assert_in_range(reads, 1, 20000);
	assert_true(code_cache_refused(p->code) > 0);
	/* A prevented search succeeds in the next batch. */
	assert_null(code_cache_find(p->code, p->routines));
	code_cache_begin(p->code);
	assert_non_null(code_cache_find(p->code, p->routines));
	assert_non_null(code_cache_find(p->code, p->method + 5));
}

/* Offsets of a blob's name and of the offset of its code in JDK 25. */
enum { NAME_AT = 8, CODE_OFFSET_AT = 0x24 };

/* Returns the number of blobs that are gone after a change of four bytes. */
static uint64_t gone_with(struct place *p, uint64_t at, uint32_t bytes)
{
	uint64_t gone = code_cache_gone(p->code);
	uint32_t had;

	memcpy(&had, in_image(p, at), sizeof(had));
	memcpy(in_image(p, at), &bytes, sizeof(bytes));
	code_cache_begin(p->code);
	memcpy(in_image(p, at), &had, sizeof(had));
	gone = code_cache_gone(p->code) - gone;
	code_cache_begin(p->code);
	return gone;
}

static void unreadable_blob_is_not_gone(void **state)
{
	struct place *p = *state;
	const struct code_blob *b = code_cache_find(p->code, p->method + 5);
	uint64_t address = b->address;

	assert_int_equal(gone_with(p, address + CODE_OFFSET_AT, UINT32_MAX), 0);
	assert_int_equal(gone_with(p, address + NAME_AT, UINT32_MAX), 1);
	assert_int_equal(gone_with(p, address + CODE_OFFSET_AT, UINT32_MAX), 0);
	b = code_cache_find(p->code, p->method + 5);
	assert_true(b && b->address == address);
}

static void grown_blob_is_read_again(void **state)
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
	/* The identity is not reused. */
	identity = b->identity;
	b = code_cache_find(p->code, p->method);
	assert_int_not_equal(b->identity, identity);
	/* The same holds if the blob was not used in between. */
	for (int i = 0; i < 200; i++)
		code_cache_begin(p->code);
	*in_image(p, p->routines + 30) = 0xc3;
	b = code_cache_find(p->code, p->routines);
	assert_int_equal(code_cache_code(p->code, b)[30], 0xc3);
}

/* Keeps so much code that the limit is reached and code is read again. */
static void blob_that_may_have_grown_gets_a_new_identity(void **state)
{
	static const uint8_t more[] = { 0xc3 };
	struct place *p = *state;
	const struct code_blob *b = code_cache_find(p->code, p->routines);
	uint32_t identity = b->identity, id = 0x5a17c0de;
	uint8_t *at = memmem(p->image.bytes, HOTSPOT_IMAGE_BYTES, &id, 4);
	size_t before = mallinfo2().uordblks;

	assert_non_null(code_cache_code(p->code, b));
	assert_non_null(at);
	/* 40 MiB, one method at a time, of which 8 MiB are kept. */
	for (id = 1; id <= (40 << 20) / METHOD_BYTES; id++) {
		memcpy(at, &id, 4);
		code_cache_begin(p->code);
		assert_non_null(code_cache_code(
			p->code, code_cache_find(p->code, p->method + 5)));
	}
	assert_true(mallinfo2().uordblks < before + (16 << 20));
	code_cache_begin(p->code);
	memcpy(in_image(p, p->routines + 40), more, sizeof(more));
	b = code_cache_find(p->code, p->routines);
	assert_int_equal(code_cache_code(p->code, b)[40], 0xc3);
	assert_int_not_equal(b->identity, identity);
	identity = b->identity;
	b = code_cache_find(p->code, p->method + 5);
	assert_int_not_equal(b->identity, identity);
}

#define TEST(name)                                                             \
	{                                                                      \
#name, name, set_up, tear_down, NULL                           \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(code_cache_finds_code_however_much_is_compiled),
		TEST(forged_segment_map_costs_a_limited_number_of_reads),
		TEST(missing_blob_is_searched_once_per_batch),
		TEST(unreadable_blob_is_not_gone),
		TEST(grown_blob_is_read_again),
		TEST(blob_that_may_have_grown_gets_a_new_identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
