/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/native_blocks.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* By 1 - exp(-size / interval) with 20 digits. */
static void weight_is_the_size_divided_by_its_probability(void **state)
{
	static const struct {
		uint64_t size, interval, weight;
	} cases[] = {
		{ 1, 524288, 524289 },
		{ 784, 524288, 524680 },
		{ 524288, 524288, 829411 },
		{ 1048576, 524288, 1212697 },
		{ 4194304, 524288, 4195712 },
		{ (uint64_t)1 << 30, 524288, (uint64_t)1 << 30 },
		{ 777, 1, 777 },
		{ 777, 0, 777 },
		{ 0, 524288, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			native_block_weight(cases[i].size, cases[i].interval),
			cases[i].weight);
}

/* Blocks with an odd size are live. */
static bool is_odd(void *self, const struct native_block *b)
{
	(*(size_t *)self)++;
	return b->size % 2;
}

static void freed_blocks_are_removed_when_half_of_all_may_be_freed(void **state)
{
	struct native_blocks b = { 0 };
	size_t asked = 0;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++)
		native_blocks_add(&b, &(struct native_block){ .size = i % 64 },
				  is_odd, &asked);
	/* Each block is asked about a few times. */
	assert_true(asked < 400000);
	native_blocks_sweep(&b, is_odd, &asked);
	assert_int_equal(b.taken, 100000);
	assert_int_equal(b.count, 50000);
	for (size_t i = 0; i < b.count; i++)
		assert_int_equal(b.all[i].size, 2 * (i % 32) + 1);
	native_blocks_release(&b);
	assert_int_equal(b.count, 0);
}

static void many_blocks_that_are_freed_need_little_memory(void **state)
{
	struct native_blocks b = { 0 };
	size_t asked = 0;

	(void)state;
	for (size_t i = 0; i < 100000; i++)
		native_blocks_add(&b, &(struct native_block){ .size = 2 },
				  is_odd, &asked);
	assert_true(b.cap <= 8192);
	native_blocks_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weight_is_the_size_divided_by_its_probability),
		cmocka_unit_test(
			freed_blocks_are_removed_when_half_of_all_may_be_freed),
		cmocka_unit_test(many_blocks_that_are_freed_need_little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
