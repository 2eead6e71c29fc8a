/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the printed stack trace of a thread, and deadlocks. */
#include "core/threads/thread_dumps.h"
#include "tests/unit/dump_check.h"
#include "tests/unit/dump_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD(name, id, nid)                                                    \
	"\"" name "\" #" id " prio=5 os_prio=0 tid=0x01 nid=" nid " runnable " \
	"[0x02]\n"
#define BLOCKED "   java.lang.Thread.State: BLOCKED (on object monitor)\n"

static void check_stack(const char *reply, pid_t tid, int64_t id,
			const char *wanted)
{
	struct text out = { 0 };

	assert_true(thread_text_stack(reply, strlen(reply), tid, id, &out));
	assert_string_equal(out.bytes, wanted);
	text_release(&out);
}

static void awaited_lock_names_its_owner(void **state)
{
	static const char reply[] = START HEAD("waiter", "11", "1") BLOCKED RUN
		"\t- waiting to lock <0x0a> (a c.D)\n" MAIN
		"\t- locked <0x0b> (a c.E)\n\n"
		/* The first thread releases the lock while it waits. */
		HEAD("sleeper", "12", "2") SLEEPING RUN
		"\t- waiting on <0x0a> (a c.D)\n" MAIN
		"\t- locked <0x0a> (a c.D)\n\n" HEAD("owner", "13", "3")
			SLEEPING MAIN "\t- locked <0x0a> (a c.D)\n\n" END;

	(void)state;
	check_stack(reply, 1, 11,
		    "\"waiter\" #11 BLOCKED (on object monitor)\n"
		    "    at a.B.run(B.java:7)\n"
		    "    - waiting to lock <0x0a> (a c.D), held by \"owner\" "
		    "#13\n"
		    "    at a.B.main(B.java:9)\n"
		    "    - locked <0x0b> (a c.E)\n");
}

static void a_lock_of_java_util_concurrent_has_one_where_l_was_given(void **s)
{
#define PARKED                                                                 \
	HEAD("parked", "11", "1")                                              \
	"   java.lang.Thread.State: WAITING (parking)\n" RUN                   \
	"\t- parking to wait for  <0x0a> (a j.R)\n"
	static const char with[] = START PARKED
		"\n   Locked ownable synchronizers:\n\t- None\n\n" HEAD(
			"owner", "13", "3") SLEEPING MAIN
		"\n   Locked ownable synchronizers:\n\t- <0x0a> (a "
		"j.R)\n\n" END;
	static const char without[] = START PARKED "\n" HEAD("owner", "13", "3")
		SLEEPING MAIN "\n" END;

	(void)s;
	check_stack(with, 1, 0,
		    "\"parked\" #11 WAITING (parking)\n"
		    "    at a.B.run(B.java:7)\n"
		    "    - parking to wait for  <0x0a> (a j.R), held by "
		    "\"owner\" #13\n"
		    "  Locked ownable synchronizers:\n"
		    "    - None\n");
	check_stack(without, 1, 0,
		    "\"parked\" #11 WAITING (parking)\n"
		    "    at a.B.run(B.java:7)\n"
		    "    - parking to wait for  <0x0a> (a j.R)\n");
}

static void carrier_prints_its_virtual_thread(void **state)
{
	static const char reply[] = START
		"\"pool-1\" #53 [842] daemon prio=5 tid=0x01  [0x02]\n"
		"   Carrying virtual thread #52\n" RUN
		"   Mounted virtual thread #52\n" MAIN "\n" END;

	(void)state;
	check_stack(reply, 842, 53,
		    "\"pool-1\" #53\n"
		    "  Carrying virtual thread #52\n"
		    "    at a.B.run(B.java:7)\n"
		    "  Mounted virtual thread #52\n"
		    "    at a.B.main(B.java:9)\n");
}

static void missing_thread_is_not_found(void **state)
{
	static const char reply[] = START HEAD("a", "11", "1") RUN "\n" END;
	struct text out = { 0 };

	(void)state;
	assert_false(thread_text_stack(reply, strlen(reply), 2, 11, &out));
	/* Another thread has its tid now. */
	assert_false(thread_text_stack(reply, strlen(reply), 1, 12, &out));
	assert_false(thread_text_stack("", 0, 1, 11, &out));
	assert_int_equal(out.len, 0);
	assert_true(thread_text_stack(reply, strlen(reply), 1, 0, &out));
	text_release(&out);
}

static void control_characters_become_visible(void **state)
{
	static const char reply[] = START HEAD("\033]52;c;aGk=\a\nx", "11", "1")
		BLOCKED "\tat a.\033[31mB.run(B.java:7)\n"
			"\t- waiting to lock <0x0a> (a c.\xc2\x9b)\n\n" HEAD(
				"o\tw", "12", "2") RUN
		"\t- locked <0x0a> (a c.D)\n\n" END;

	(void)state;
	check_stack(reply, 1, 11,
		    "\"␛]52;c;aGk=␇␊x\" #11 BLOCKED (on object monitor)\n"
		    "    at a.␛[31mB.run(B.java:7)\n"
		    "    - waiting to lock <0x0a> (a c.<U+009B>), held by "
		    "\"o␉w\" #12\n");
}

static void check_deadlocks(const char *reply, size_t len, const char *wanted)
{
	struct text out = { 0 };

	text_puts(&out, "");
	thread_text_deadlocks(reply, len, &out);
	assert_string_equal(out.bytes, wanted);
	text_release(&out);
}

static void deadlock_names_waiters_and_owners(void **state)
{
	static const char reply[] = TWO_THREADS DEADLOCK;

	(void)state;
	check_deadlocks(reply, sizeof(reply) - 1,
			"Deadlock 1:\n"
			"  \"a\":\n"
			"    waiting to lock <0x02> (a c.D)\n"
			"    which is held by \"b\"\n"
			"  \"b\":\n"
			"    waiting for ownable synchronizer 0x03, (a c.E)\n"
			"    which is held by \"a\"\n"
			"Stack traces:\n"
			"  \"a\":\n"
			"    at a.B.run(B.java:7)\n"
			"    - waiting to lock <0x02> (a c.D)\n"
			"  \"b\":\n"
			"    at a.B.main(B.java:9)\n");
}

static void dump_without_a_deadlock_prints_nothing(void **state)
{
	/* The name of a thread looks like a deadlock section. */
	static const char reply[] = START HEAD(
		"x\nJNI global refs: 1\nFound one Java-level deadlock:\n"
		"\"y\":",
		"11", "1") RUN "\n" END;

	(void)state;
	check_deadlocks(reply, sizeof(reply) - 1, "");
	check_deadlocks("", 0, "");
}

static void both_deadlocks_of_a_real_dump_are_printed(void **state)
{
	size_t len;
	char *bytes = file_bytes(
		"tests/data/dumps/jcmd-threadprint-le-jdk17.txt", &len);
	struct text out = { 0 };

	(void)state;
	assert_non_null(bytes);
	thread_text_deadlocks(bytes, len, &out);
	assert_non_null(strstr(out.bytes, "Deadlock 1:\n  \"deadlock-A\":\n"));
	assert_non_null(strstr(out.bytes,
			       "\n\nDeadlock 2:\n  \"jul-deadlock-1\":\n"
			       "    waiting for ownable synchronizer "));
	assert_null(strstr(out.bytes, "Found"));
	text_clear(&out);
	/* The dump was taken with -l. */
	assert_true(thread_text_stack(bytes, len, 0x12d, 40, &out));
	assert_non_null(strstr(out.bytes, ", held by \"jul-deadlock-2\" #41"));
	text_release(&out);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(awaited_lock_names_its_owner),
		cmocka_unit_test(
			a_lock_of_java_util_concurrent_has_one_where_l_was_given),
		cmocka_unit_test(carrier_prints_its_virtual_thread),
		cmocka_unit_test(missing_thread_is_not_found),
		cmocka_unit_test(control_characters_become_visible),
		cmocka_unit_test(deadlock_names_waiters_and_owners),
		cmocka_unit_test(dump_without_a_deadlock_prints_nothing),
		cmocka_unit_test(both_deadlocks_of_a_real_dump_are_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
