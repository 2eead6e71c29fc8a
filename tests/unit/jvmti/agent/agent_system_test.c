/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the agent's replacements of the C library, compiled under other names.
 */
#define memcpy      agent_memcpy
#define memmove     agent_memmove
#define memset      agent_memset
#define system_try  agent_try
#define system_wait agent_wait
#include "jvmti/agent/agent_system.c"
#undef memcpy
#undef memmove
#undef memset

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 8 };

static volatile bool is_over;

static void *run_on(void *unused)
{
	while (!is_over)
		;
	return unused;
}

static void moved_bytes_survive_an_overlap(void **state)
{
	char forward[] = "0123456789", back[] = "0123456789";

	(void)state;
	agent_memmove(forward, forward + 2, 8);
	assert_string_equal(forward, "2345678989");
	agent_memmove(back + 2, back, 8);
	assert_string_equal(back, "0101234567");
	agent_memmove(back, back + 1, 0);
	assert_string_equal(back, "0101234567");
}

static void free_lock_is_taken_once(void **state)
{
	int lock = 0;

	(void)state;
	assert_true(system_try(&lock));
	assert_false(system_try(&lock));
	system_unlock(&lock);
	assert_true(system_try(&lock));
}

/*
 * On a CPU that others want as well, a yield may take as long as all of them.
 */
static void busy_lock_is_given_up_soon_on_a_busy_cpu(void **state)
{
	pthread_t threads[THREADS];
	uint64_t begin, took;
	cpu_set_t one, all;
	int lock = 1;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (int i = 0; !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	is_over = false;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, run_on, NULL), 0);
	begin = system_now();
	assert_false(system_try(&lock));
	took = system_now() - begin;
	is_over = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	sched_setaffinity(0, sizeof(all), &all);
	assert_in_range(took, TRY_NS, UINT64_C(2000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moved_bytes_survive_an_overlap),
		cmocka_unit_test(free_lock_is_taken_once),
		cmocka_unit_test(busy_lock_is_given_up_soon_on_a_busy_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
