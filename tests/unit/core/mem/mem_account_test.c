/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/account.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { MEMORY = 8 << 20, PAGE = 4096 };

static void account_expect_sums(const struct mem_account *a)
{
	uint64_t sum = 0, of_ranges = 0, end = 0;

	for (int i = 0; i < MEM_PARTS; i++)
		sum += a->parts[i].resident;
	assert_int_equal(sum, a->total);
	for (size_t i = 0; i < a->range_count; i++) {
		assert_true(a->ranges[i].start >= end);
		assert_true(a->ranges[i].end > a->ranges[i].start);
		end = a->ranges[i].end;
		of_ranges += a->ranges[i].size.resident;
	}
	assert_int_equal(of_ranges, a->total);
}

static void *thread_wait(void *fd)
{
	char byte;

	return read(*(int *)fd, &byte, 1) == 1 ? fd : NULL;
}

static bool account_has_stack(const struct mem_account *a, pid_t tid)
{
	for (size_t i = 0; i < a->stack_count; i++) {
		if (a->stacks[i].tid == tid && a->stacks[i].size.resident)
			return true;
	}
	return false;
}

/* The test is no JVM, but has memory, threads and an allocator. */
static void mem_account_read_accounts_for_this_process(void **state)
{
	struct mem_account a;
	struct error err;
	struct jvm jvm;
	pthread_t thread;
	int fds[2];
	char *memory;

	(void)state;
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	memset(memory, 1, MEMORY);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pthread_create(&thread, NULL, thread_wait, fds), 0);
	assert_int_equal(jvm_open(&jvm, getpid(), &err), 0);
	assert_int_equal(mem_account_read(&a, &jvm, false, &err), 0);
	assert_int_equal(a.pid, getpid());
	account_expect_sums(&a);
	/* Shared memory is a file of the kernel, /dev/zero. */
	assert_true(a.parts[MEM_SHARED].resident >= MEMORY);
	assert_true(a.parts[MEM_LIBRARIES].resident > 0);
	assert_int_equal(a.parts[MEM_HEAP].resident, 0);
	assert_int_equal(a.heap.mapped_times, 1);
	assert_true(a.native_threads >= 2);
	assert_int_equal(a.java_threads, 0);
	assert_true(a.limits.len > 0);
	/* A kernel may deny the stack pointers. */
	if (!a.unplaced_threads)
		assert_true(account_has_stack(&a, getpid()));
	mem_account_release(&a);
	jvm_close(&jvm);
	assert_int_equal(write(fds[1], "", 1), 1);
	pthread_join(thread, NULL);
	close(fds[0]);
	close(fds[1]);
	munmap(memory, MEMORY);
}

static void mem_account_release_accepts_a_zeroed_account(void **state)
{
	struct mem_account a = { 0 };

	(void)state;
	mem_account_release(&a);
	mem_account_release(&a);
}

static void mem_parts_have_titles_and_names(void **state)
{
	(void)state;
	for (int i = 0; i < MEM_PARTS; i++) {
		assert_non_null(mem_part_titles[i]);
		assert_non_null(mem_part_names[i]);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(mem_part_names[i],
						mem_part_names[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mem_account_read_accounts_for_this_process),
		cmocka_unit_test(mem_account_release_accepts_a_zeroed_account),
		cmocka_unit_test(mem_parts_have_titles_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
