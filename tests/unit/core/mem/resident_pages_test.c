/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGES = 20000 }; /* more than one read */

static void pages_read_tells_touched_pages_from_others(void **state)
{
	static uint8_t states[PAGES];
	struct page_sum sum = { 0 };
	struct pages *p;
	struct error err;
	struct jvm jvm;
	uint64_t at;
	char *memory;

	(void)state;
	memory = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise(memory, (size_t)PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	memory[0] = memory[(size_t)7 * PAGE_BYTES] = 1;
	memory[(size_t)(PAGES - 1) * PAGE_BYTES] = 1;
	at = (uintptr_t)memory;
	assert_int_equal(jvm_open(&jvm, getpid(), &err), 0);
	p = pages_open(&jvm, &err);
	assert_non_null(p);
	memset(states, 9, sizeof(states));
	assert_int_equal(pages_read(p, at, states, PAGES), PAGES);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(states[i], i == 0 || i == 7 || i == PAGES - 1
						    ? PAGE_RESIDENT
						    : 0);
	pages_add(p, at, at + (uint64_t)PAGES * PAGE_BYTES, &sum);
	assert_int_equal(sum.resident, 3 * PAGE_BYTES);
	assert_int_equal(sum.swapped, 0);
	assert_int_equal(sum.shared, 0);
	/* A page counts if it begins in the range. */
	pages_add(p, at + 1, at + 7 * PAGE_BYTES + 1, &sum);
	assert_int_equal(sum.resident, 4 * PAGE_BYTES);
	pages_add(p, at + 1, at + 7 * PAGE_BYTES, &sum);
	pages_add(p, at + 1, at + 1, &sum);
	assert_int_equal(sum.resident, 4 * PAGE_BYTES);
	/* A read maps the zero page. */
	assert_int_equal(((volatile char *)memory)[(size_t)9 * PAGE_BYTES], 0);
	pages_add(p, at + 8 * PAGE_BYTES, at + 10 * PAGE_BYTES, &sum);
	assert_int_equal(sum.shared, PAGE_BYTES);
	/* No process has these pages. */
	assert_int_equal(pages_read(p, UINT64_C(1) << 62, states, 1), 0);
	assert_int_equal(states[0], 0);
	pages_close(p);
	jvm_close(&jvm);
	munmap(memory, (size_t)PAGES * PAGE_BYTES);
}

static void absent_pages_are_read_up_to_a_limit(void **state)
{
	const uint64_t bytes = UINT64_C(300) << 30;
	uint8_t *memory = mmap(NULL, bytes, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			       0);
	struct page_sum sum = { 0 };
	struct pages *p;
	struct error err;
	struct jvm jvm;
	uint8_t page;

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(jvm_open(&jvm, getpid(), &err), 0);
	p = pages_open(&jvm, &err);
	assert_non_null(p);
	pages_add(p, (uintptr_t)memory, (uintptr_t)memory + bytes / 2, &sum);
	assert_false(pages_are_over(p));
	pages_add(p, (uintptr_t)memory, (uintptr_t)memory + bytes, &sum);
	assert_true(pages_are_over(p));
	assert_int_equal(pages_read(p, (uintptr_t)&p / PAGE_BYTES * PAGE_BYTES,
				    &page, 1),
			 0);
	pages_close(p);
	jvm_close(&jvm);
	munmap(memory, bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_read_tells_touched_pages_from_others),
		cmocka_unit_test(absent_pages_are_read_up_to_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
