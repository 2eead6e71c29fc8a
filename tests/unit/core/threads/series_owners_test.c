/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which owners of locks are added to a thread dump. */
#include "core/formats/reader.h"
#include "core/threads/dump_series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LOCKS "java.util.concurrent.locks."
#define SYNC  "ReentrantLock$NonfairSync"
#define PARKED(id, lock, class_name)                                           \
	"\"t" id "\" #" id " prio=5 os_prio=0 tid=0x00007f nid=0x7 waiting "   \
	"on condition [0x0]\n"                                                 \
	"   java.lang.Thread.State: WAITING (parking)\n"                       \
	"\tat jdk.internal.misc.Unsafe.park(Native Method)\n"                  \
	"\t- parking to wait for  <0x" lock "> (a " class_name ")\n"           \
	"\tat a.B.run(B.java:7)\n\n"

static const char dump[] =
	"Full thread dump OpenJDK 64-Bit Server VM (25 mixed mode):\n\n" PARKED(
		"1", "0000000000000a00", LOCKS SYNC)
		PARKED("2", "0000000000000b00",
		       LOCKS "AbstractQueuedSynchronizer$ConditionObject")
			PARKED("3", "0000000000000c00", LOCKS "StampedLock")
				PARKED("9", "0000000000000d00",
				       "java.util.concurrent.CountDownLatch$"
				       "Sync") "JNI global refs: 12, weak "
					       "refs: 0\n\n";

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

static struct lock_wait wait_of(int64_t waiter, int64_t owner,
				const char *class_name)
{
	return (struct lock_wait){
		.waiter = { .java_id = waiter, .name = "" },
		.owner = { .java_id = owner, .name = "" },
		.lock = 0x5000,
		.lock_class = class_name,
	};
}

static void set_owners(const struct lock_wait *all, size_t count)
{
	struct lock_waits w = { .all = (struct lock_wait *)all,
				.count = count };
	struct error err;

	profile = profile_new();
	dump_series_init(&series, profile);
	assert_int_equal(dump_reader.read((const uint8_t *)dump, strlen(dump),
					  profile, &err),
			 0);
	dump_series_set_owners(&series, &w);
	dump_series_end(&series);
}

static const struct blocked_thread *blocked_by_id(int64_t id)
{
	for (size_t i = 0; i < series.blocked.count; i++) {
		if (series.blocked.threads[i].id == id)
			return &series.blocked.threads[i];
	}
	return NULL;
}

/* Both wait for the lock at 0x5000, which the dump names 0x0...a00. */
static void signalled_thread_waits_for_the_lock_by_its_id(void **state)
{
	struct lock_wait all[] = {
		wait_of(2, 9, "java/util/concurrent/locks/" SYNC),
		wait_of(1, 9, "java/util/concurrent/locks/" SYNC),
		wait_of(3, 0, "java/util/concurrent/locks/StampedLock"),
	};

	(void)state;
	all[0].is_reacquired = true;
	set_owners(all, 3);
	for (int64_t id = 1; id <= 2; id++) {
		assert_int_equal(blocked_by_id(id)->owner_id, 9);
		assert_string_equal(blocked_by_id(id)->lock_id,
				    "0x0000000000000a00");
		assert_string_equal(blocked_by_id(id)->lock_class, LOCKS SYNC);
	}
	assert_int_equal(blocked_by_id(3)->owner_id, 0);
	assert_true(series.blocked.knows_synchronizers);
	assert_int_equal(series.thread_count, 4);
}

static void wait_for_a_lock_of_another_class_is_another_wait(void **state)
{
	const struct lock_wait all[] = {
		wait_of(1, 9, "java/util/concurrent/locks/StampedLock"),
		/* Waits to be signalled, in the dump. */
		wait_of(2, 9, "java/util/concurrent/locks/" SYNC),
	};

	(void)state;
	set_owners(all, 2);
	assert_int_equal(blocked_by_id(1)->owner_id, 0);
	assert_null(blocked_by_id(2));
	assert_false(series.blocked.knows_synchronizers);
}

/* 77 waits for 88, which waits for 77; 99 owns the lock of 1. */
static void virtual_threads_with_locks_are_added(void **state)
{
	struct lock_wait all[] = {
		wait_of(77, 88, "java/util/concurrent/locks/" SYNC),
		wait_of(88, 77, "a/Monitor"),
		wait_of(1, 99, "java/util/concurrent/locks/" SYNC),
		wait_of(66, 0, "java/util/concurrent/Semaphore$NonfairSync"),
	};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		all[i].owner.is_virtual = all[i].waiter.is_virtual = i != 2;
	all[0].lock = 0x6000;
	all[0].waiter.name = all[1].owner.name = "first";
	all[1].kind = LOCK_MONITOR;
	all[2].owner.is_virtual = true;
	all[2].owner.name = "owner";
	set_owners(all, 4);
	assert_int_equal(series.blocked.deadlocks, 1);
	assert_int_equal(blocked_by_id(77)->deadlock, 1);
	assert_string_equal(blocked_by_id(77)->name, "first");
	assert_string_equal(blocked_by_id(77)->lock_id, "0x0000000000006000");
	assert_int_equal(blocked_by_id(88)->kind, BLOCKED_MONITOR);
	assert_string_equal(blocked_by_id(88)->lock_class, "a.Monitor");
	assert_int_equal(blocked_by_id(99)->held_back, 1);
	assert_string_equal(blocked_by_id(99)->name, "owner");
	/* Nobody waits for 66, which waits for no owner. */
	assert_null(blocked_by_id(66));
	assert_int_equal(series.thread_count, 4 + 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			signalled_thread_waits_for_the_lock_by_its_id, release),
		cmocka_unit_test_teardown(
			wait_for_a_lock_of_another_class_is_another_wait,
			release),
		cmocka_unit_test_teardown(virtual_threads_with_locks_are_added,
					  release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
