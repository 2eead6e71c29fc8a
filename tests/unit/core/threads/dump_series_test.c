/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what a series of thread dumps finds out about later dumps. */
#include "core/threads/dump_series.h"

#include "core/formats/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DUMP "Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n"
#define END  "JNI global refs: 12, weak refs: 0\n\n"

/* The header of a thread with Java id 7. */
#define WORKER(cpu, elapsed)                                                   \
	"\"worker\" #7 prio=5 os_prio=0 cpu=" cpu "ms elapsed=" elapsed        \
	"s tid=0x00007f nid=0x7 waiting for monitor entry [0x0]\n"             \
	"   java.lang.Thread.State: BLOCKED (on object monitor)\n"             \
	"\tat a.B.run(B.java:7)\n"
#define WAITS(lock, class_name)                                                \
	"\t- waiting to lock <0x" lock "> (a " class_name ")\n\n"
#define NAMELESS                                                               \
	"\"worker\" prio=5\n"                                                  \
	"   java.lang.Thread.State: RUNNABLE\n"                                \
	"\tat a.B.run(B.java:7)\n\n"
#define DEADLOCK                                                               \
	"\nFound one Java-level deadlock:\n"                                   \
	"=============================\n"                                      \
	"\"a\":\n  waiting to lock monitor 0x01 (object 0x02, a c.D),\n"       \
	"  which is held by \"a\"\n\n"                                         \
	"Java stack information for the threads listed above:\n"               \
	"===================================================\n"                \
	"\"a\":\n\tat a.B.run(B.java:7)\n\nFound 1 deadlock.\n\n"

static struct dump_series series;
static struct profile *profile;

static int release(void **state)
{
	(void)state;
	dump_series_release(&series);
	profile_free(profile);
	profile = NULL;
	return 0;
}

static void begin(size_t wanted)
{
	profile = profile_new();
	dump_series_init(&series, profile);
	series.wanted = wanted;
}

static void add(const char *dump)
{
	struct error err;

	assert_int_equal(dump_reader.read((const uint8_t *)dump, strlen(dump),
					  profile, &err),
			 0);
}

/* Reads two dumps; returns the first thread of the second. */
static const struct series_thread *second(const char *a, const char *b)
{
	begin(0);
	add(a);
	add(b);
	dump_series_end(&series);
	assert_int_equal(series.number, 2);
	return &series.threads[0];
}

static void same_lock_and_frames_do_not_move(void **state)
{
	(void)state;
	assert_int_equal(
		second(DUMP WORKER("1.00", "9.0") WAITS("01", "a.Lock") END,
		       DUMP WORKER("1.50", "11.0") WAITS("01", "a.Lock") END)
			->looks,
		2);
	assert_true(dump_series_compares(&series));
	assert_int_equal(series.dumps[1].clock_ns, INT64_C(2000000000));
}

static void another_lock_is_a_move(void **state)
{
	(void)state;
	assert_int_equal(
		second(DUMP WORKER("1.00", "9.0") WAITS("01", "a.Lock") END,
		       DUMP WORKER("1.50", "11.0") WAITS("02", "a.Lock") END)
			->looks,
		1);
}

static void lock_of_another_class_is_a_move(void **state)
{
	(void)state;
	assert_int_equal(
		second(DUMP WORKER("1.00", "9.0") WAITS("01", "a.Lock") END,
		       DUMP WORKER("1.00", "11.0") WAITS("02", "a.Other") END)
			->looks,
		1);
}

/* Without CPU time, the thread cannot have taken another lock. */
static void lock_that_the_collector_moved_is_no_move(void **state)
{
	(void)state;
	assert_int_equal(
		second(DUMP WORKER("1.00", "9.0") WAITS("01", "a.Lock") END,
		       DUMP WORKER("1.00", "11.0") WAITS("02", "a.Lock") END)
			->looks,
		2);
}

static void dumps_without_ids_are_not_comparable(void **state)
{
	(void)state;
	second(DUMP NAMELESS END, DUMP NAMELESS END);
	assert_false(series.dumps[1].is_of_another_jvm);
	assert_true(series.dumps[1].is_unrelated);
	assert_false(series.dumps[0].is_unrelated);
	assert_false(dump_series_compares(&series));
}

static void younger_thread_is_of_another_jvm(void **state)
{
	(void)state;
	assert_int_equal(
		second(DUMP WORKER("1.00", "9.0") WAITS("01", "a.Lock") END,
		       DUMP WORKER("1.00", "3.0") WAITS("01", "a.Lock") END)
			->looks,
		1);
	assert_true(series.dumps[1].is_of_another_jvm);
	assert_false(series.dumps[1].is_unrelated);
	assert_false(dump_series_compares(&series));
}

#define OTHER(id, elapsed)                                                     \
	"\"other\" #" id " prio=5 os_prio=0 cpu=1.00ms elapsed=" elapsed       \
	"s tid=0x00007f nid=0x" id " runnable [0x0]\n"                         \
	"   java.lang.Thread.State: RUNNABLE\n"                                \
	"\tat a.B.run(B.java:7)\n\n"

/* One thread seems to be younger; two threads outvote it. */
static void clock_never_runs_backwards(void **state)
{
	(void)state;
	second(DUMP OTHER("3", "9.0") OTHER("4", "9.0") OTHER("5", "9.0") END,
	       DUMP OTHER("3", "3.0") OTHER("4", "10.0") OTHER("5", "10.0")
		       END);
	assert_true(dump_series_compares(&series));
	assert_int_equal(series.dumps[1].clock_ns, INT64_C(1000000000));
}

static void dumps_after_the_wanted_one_are_not_analyzed(void **state)
{
	(void)state;
	begin(1);
	add(DUMP WORKER("1.00", "9.0") WAITS("01", "a.Lock") END);
	add(DUMP WORKER("1.00", "9.5") WAITS("01", "a.Lock") OTHER("3", "9")
		    END DEADLOCK);
	dump_series_end(&series);
	assert_int_equal(series.number, 1);
	assert_int_equal(series.dump_count, 2);
	assert_int_equal(series.thread_count, 1);
	assert_true(series.dumps[0].is_analyzed);
	assert_int_equal(series.dumps[0].blocked, 1);
	assert_false(series.dumps[1].is_analyzed);
	assert_int_equal(series.dumps[1].threads, 2);
	assert_int_equal(series.dumps[1].states[STATE_BLOCKED], 1);
}

static void series_without_dumps_does_not_compare(void **state)
{
	(void)state;
	begin(0);
	dump_series_end(&series);
	assert_int_equal(series.number, 0);
	assert_false(dump_series_compares(&series));
}

/* An empty needle occurs in every text, even behind its end. */
static void method_without_a_name_does_not_wait_for_work(void **state)
{
	(void)state;
	begin(0);
	add(DUMP "\"t\" #1 tid=0x1 nid=0x1 waiting on condition [0x1]\n"
		 "   java.lang.Thread.State: WAITING (parking)\n"
		 "\tat java.lang.Thread.(D.java:1)\n\n" END);
	dump_series_end(&series);
	assert_int_equal(series.threads[0].activity, SERIES_WAITS);
}

#define TEST(name) cmocka_unit_test_teardown(name, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(same_lock_and_frames_do_not_move),
		TEST(another_lock_is_a_move),
		TEST(lock_of_another_class_is_a_move),
		TEST(lock_that_the_collector_moved_is_no_move),
		TEST(dumps_without_ids_are_not_comparable),
		TEST(younger_thread_is_of_another_jvm),
		TEST(clock_never_runs_backwards),
		TEST(dumps_after_the_wanted_one_are_not_analyzed),
		TEST(series_without_dumps_does_not_compare),
		TEST(method_without_a_name_does_not_wait_for_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
