/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Number of equal low halves, which tables use. */
static size_t collisions(uint32_t *hashes, size_t count)
{
	size_t same = 0;

	qsort(hashes, count, sizeof(*hashes), compare);
	for (size_t i = 1; i < count; i++)
		same += hashes[i] == hashes[i - 1];
	return same;
}

static void equal_bytes_hash_alike_wherever_they_are(void **state)
{
	char bytes[64];

	(void)state;
	for (size_t len = 0; len < 20; len++) {
		for (size_t at = 0; at < 16; at++) {
			memset(bytes, at % 2 ? 'x' : 'y', sizeof(bytes));
			memset(bytes + at, 'a', len);
			assert_true(hash_bytes(bytes + at, len) ==
				    hash_bytes("aaaaaaaaaaaaaaaaaaaa", len));
		}
	}
}

static void zeros_of_different_lengths_hash_differently(void **state)
{
	static const char zeros[64];
	uint32_t hashes[64];

	(void)state;
	for (size_t i = 0; i < 64; i++)
		hashes[i] = (uint32_t)hash_bytes(zeros, i);
	assert_int_equal(collisions(hashes, 64), 0);
}

static void numbered_names_hardly_collide(void **state)
{
	enum { COUNT = 20000 };
	static uint32_t hashes[COUNT];
	char name[8];

	(void)state;
	for (unsigned i = 0; i < COUNT; i++) {
		memset(name, 0, sizeof(name));
		memcpy(name, &i, sizeof(i));
		hashes[i] = (uint32_t)hash_bytes(name, sizeof(name));
	}
	/* The expected number of collisions is 0.05. */
	assert_in_range(collisions(hashes, COUNT), 0, 4);
}

static void no_word_makes_names_with_it_collide(void **state)
{
	/* Factors of hash_mix(): each could make a product 0. */
	static const uint64_t words[] = { 0x9e3779b97f4a7c15u,
					  0xd6e8feb86659fd93u, 0 };
	enum { COUNT = 2000 };
	static uint32_t hashes[COUNT];

	(void)state;
	for (size_t w = 0; w < 3; w++) {
		for (uint64_t i = 0; i < COUNT; i++) {
			uint64_t name[3] = { i, words[w], words[w] };

			hashes[i] = (uint32_t)hash_bytes(name, sizeof(name));
		}
		assert_in_range(collisions(hashes, COUNT), 0, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_bytes_hash_alike_wherever_they_are),
		cmocka_unit_test(zeros_of_different_lengths_hash_differently),
		cmocka_unit_test(numbered_names_hardly_collide),
		cmocka_unit_test(no_word_makes_names_with_it_collide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
