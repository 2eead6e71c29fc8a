/* SPDX-License-Identifier: Apache-2.0 */
/* Tests blocked threads and lock owners in thread dumps of JDK 8 to 28. */
#include "core/threads/blocked.h"

#include "core/base/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define S INT64_C(1000000000)

static struct blocked blocked;
static struct text text;

static int release(void **state)
{
	(void)state;
	blocked_release(&blocked);
	text_release(&text);
	return 0;
}

static const char *look(const char *dump, int64_t at_ns)
{
	blocked_begin(&blocked, "Thread.print", at_ns);
	blocked_read_dump(&blocked, dump, strlen(dump));
	blocked_link(&blocked);
	text_clear(&text);
	blocked_text(&blocked, 0, &text);
	return text.bytes;
}

#define HEADER(name, id)                                                       \
	"\"" name "\" #" #id " daemon prio=5 os_prio=0 tid=0x00007f nid=" #id  \
	" waiting for monitor entry [0x0]\n"
#define BLOCKED "   java.lang.Thread.State: BLOCKED (on object monitor)\n"

static const char chain[] =
	"Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n" HEADER(
		"holder",
		10) "   java.lang.Thread.State: TIMED_WAITING (sleeping)\n"
		    "\tat java.lang.Thread.sleep(java.base@17/Native Method)\n"
		    "\tat a.B.hold(B.java:7)\n"
		    "\t- locked <0x00000000ffd00001> (a a.Cache)\n\n" HEADER(
			    "middle", 11) BLOCKED
	"\tat a.B.want(B.java:9)\n"
	"\t- waiting to lock <0x00000000ffd00001> (a a.Cache)\n"
	"\tat a.B.run(B.java:8)\n"
	"\t- locked <0x00000000ffd00002> (a a.Index)\n\n" HEADER("leaf", 12)
		BLOCKED
	"\tat a.B.leaf(B.java:5)\n"
	"\t- waiting to lock <0x00000000ffd00002> (a a.Index)\n\n" HEADER(
		"notified",
		13) "   java.lang.Thread.State: WAITING (on object monitor)\n"
		    "\tat java.lang.Object.wait(java.base@17/Native Method)\n"
		    "\t- waiting on <0x00000000ffd00003> (a a.Queue)\n"
		    "\tat a.B.take(B.java:1)\n"
		    "\t- locked <0x00000000ffd00003> (a a.Queue)\n\n" HEADER(
			    "pool",
			    14) "   java.lang.Thread.State: WAITING (parking)\n"
				"\tat "
				"jdk.internal.misc.Unsafe.park(java.base@17/"
				"Native Method)\n"
				"\t- parking to wait for  <0x00000000ffd00004> "
				"(a java.util.concurrent."
				"locks.AbstractQueuedSynchronizer$"
				"ConditionObject)\n\n" HEADER(
					"parked",
					15) "   java.lang.Thread.State: "
					    "WAITING (parking)\n"
					    "\tat "
					    "jdk.internal.misc.Unsafe.park("
					    "java.base@17/Native Method)\n"
					    "\t- parking to wait for  "
					    "<0x00000000ffd00005> (a "
					    "java.util.concurrent."
					    "locks.ReentrantLock$NonfairSync)\n"
					    "\tat "
					    "java.util.concurrent.locks."
					    "LockSupport.park(LockSupport.java:"
					    "2)\n"
					    "\tat a.B.jul(B.java:6)\n\n"
					    "JNI global refs: 1, weak refs: "
					    "0\n";

static void chain_is_printed_below_the_thread_at_its_end(void **state)
{
	(void)state;
	assert_string_equal(
		look(chain, S),
		"3 threads are blocked; 1 other holds the locks  "
		"(Thread.print)\n"
		"\n"
		"\"holder\" #10  TIMED_WAITING  at java.lang.Thread.sleep("
		"Native Method), in a.B.hold(B.java:7)\n"
		"  holds a.Cache <0x00000000ffd00001>: 1 blocked\n"
		"    \"middle\" #11  blocked now  at a.B.want(B.java:9)\n"
		"      holds a.Index <0x00000000ffd00002>: 1 blocked\n"
		"        \"leaf\" #12  blocked now  at a.B.leaf(B.java:5)\n"
		"\n"
		"Owner unknown (thread dumps do not name owners of "
		"java.util.concurrent locks; JMX does)\n"
		"  java.util.concurrent.locks.ReentrantLock$NonfairSync "
		"<0x00000000ffd00005>: 1 blocked\n"
		"    \"parked\" #15  blocked now  at a.B.jul(B.java:6)\n");
	assert_int_equal(blocked.threads[0].held_back, 1);
}

static void how_long_is_counted_over_the_looks(void **state)
{
	(void)state;
	look(chain, S);
	assert_non_null(strstr(look(chain, 5 * S),
			       "\"leaf\" #12  blocked in 2 dumps over 4.0 s"));
	assert_non_null(strstr(look(chain, 6 * S),
			       "\"leaf\" #12  blocked in 3 dumps over 5.0 s"));
	look("", 7 * S);
	assert_string_equal(text.bytes,
			    "no thread is blocked  (Thread.print)\n");
	assert_non_null(
		strstr(look(chain, 8 * S), "\"leaf\" #12  blocked now"));
}

/* The garbage collector moves locks. */
static void moved_lock_is_the_same_lock(void **state)
{
	char moved[sizeof(chain)];

	(void)state;
	memcpy(moved, chain, sizeof(chain));
	for (char *at = moved; (at = strstr(at, "ffd00002")); at++)
		memcpy(at, "abc00002", 8);
	look(chain, S);
	assert_non_null(strstr(look(moved, 3 * S),
			       "\"leaf\" #12  blocked in 2 dumps over 2.0 s"));
}

/* Returns the report of a thread with this CPU time, as cpu= prints it. */
static const char *look_with_cpu(const char *cpu_ms, int64_t at_ns)
{
	char dump[512];

	snprintf(dump, sizeof(dump),
		 "\"busy\" #1 prio=5 os_prio=0 cpu=%sms elapsed=9.00s "
		 "tid=0x00007f nid=1 waiting for monitor entry [0x0]\n" BLOCKED
		 "\tat a.B.one(B.java:1)\n"
		 "\t- waiting to lock <0x0000000000000002> (a a.L)\n\n",
		 cpu_ms);
	return look(dump, at_ns);
}

/* A hot lock blocks a thread in each dump, but in another wait. */
static void cpu_time_tells_whether_a_block_is_the_same(void **state)
{
	(void)state;
	look_with_cpu("5.10", S);
	assert_non_null(strstr(look_with_cpu("5.10", 3 * S),
			       "\"busy\" #1  blocked >=2.0 s  at"));
	assert_non_null(
		strstr(look_with_cpu("5.20", 5 * S),
		       "\"busy\" #1  blocked in 3 dumps over 4.0 s  at"));
	assert_non_null(
		strstr(look_with_cpu("5.20", 7 * S),
		       "\"busy\" #1  blocked in 4 dumps over 6.0 s  at"));
	assert_non_null(strstr(look_with_cpu("9.20", 9 * S),
			       "\"busy\" #1  blocked now  at"));
}

static void another_block_restarts_the_duration(void **state)
{
	(void)state;
	for (int64_t at = 1; at < 3; at++) {
		struct blocked_thread *t;

		blocked_begin(&blocked, "JMX", at * S);
		blocked.knows_blocks = true;
		t = blocked_add(&blocked);
		t->id = 1;
		t->kind = BLOCKED_MONITOR;
		t->blocks = at;
		t = blocked_add(&blocked);
		t->id = 2;
		t->kind = BLOCKED_MONITOR;
		t->blocks = 7;
		blocked_link(&blocked);
	}
	assert_int_equal(blocked.threads[0].looks, 1);
	assert_int_equal(blocked.threads[1].looks, 2);
	assert_int_equal(blocked.threads[1].since_ns, S);
}

static void deadlocks_and_who_waits_for_them_are_marked(void **state)
{
	static const char dump[] = HEADER("one", 1) BLOCKED
		"\tat a.B.one(B.java:1)\n"
		"\t- waiting to lock <0x0000000000000002> (a a.L)\n"
		"\t- locked <0x0000000000000001> (a a.L)\n\n" HEADER("two", 2)
			BLOCKED
		"\tat a.B.two(B.java:2)\n"
		"\t- waiting to lock <0x0000000000000001> (a a.L)\n"
		"\t- locked <0x0000000000000002> (a a.L)\n\n" HEADER("three", 3)
			BLOCKED
		"\tat a.B.three(B.java:3)\n"
		"\t- waiting to lock <0x0000000000000001> (a a.L)\n\n";

	(void)state;
	assert_string_equal(
		look(dump, S),
		"3 threads are blocked; 1 DEADLOCK  (Thread.print)\n"
		"\n"
		"DEADLOCK 1: each of these waits for the next\n"
		"  \"one\" #1  blocked now  at a.B.one(B.java:1)\n"
		"    waits for a.L <0x0000000000000002>, held by \"two\" #2\n"
		"    holds a.L <0x0000000000000001>: 1 blocked\n"
		"      \"three\" #3  blocked now  at a.B.three(B.java:3)\n"
		"  \"two\" #2  blocked now  at a.B.two(B.java:2)\n"
		"    waits for a.L <0x0000000000000001>, held by \"one\" #1\n");
}

/* JDK 25 may not print the object that a compiled thread waits on. */
static void thread_in_object_wait_holds_no_lock(void **state)
{
	static const char dump[] = HEADER(
		"waits",
		1) "   java.lang.Thread.State: WAITING (on object monitor)\n"
		   "\tat java.lang.Object.wait0(java.base@25/Native Method)\n"
		   "\t- waiting on <no object reference available>\n"
		   "\tat a.B.take(B.java:1)\n"
		   "\t- locked <0x0000000000000001> (a a.L)\n"
		   "\tat a.B.outer(B.java:1)\n"
		   "\t- locked <0x0000000000000002> (a a.M)\n\n" HEADER(
			   "owner", 2) "   java.lang.Thread.State: RUNNABLE\n"
				       "\tat a.B.two(B.java:2)\n"
				       "\t- locked <0x0000000000000001> (a "
				       "a.L)\n\n" HEADER("wants", 3) BLOCKED
		"\tat a.B.three(B.java:3)\n"
		"\t- waiting to lock <0x0000000000000001> (a a.L)\n\n" HEADER(
			"again", 4) BLOCKED
		"\tat java.lang.Object.wait(java.base@17/Native Method)\n"
		"\t- waiting to re-lock in wait() <0x0000000000000002> (a "
		"a.M)\n"
		"\tat a.B.four(B.java:4)\n"
		"\t- locked <0x0000000000000002> (a a.M)\n\n"
		/* JDK 11 */
		HEADER("to be notified",
		       5) "   java.lang.Thread.State: WAITING (on object "
			  "monitor)\n"
			  "\tat java.lang.Object.wait(java.base@11/Native "
			  "Method)\n"
			  "\t- waiting on <0x0000000000000009> (a a.N)\n"
			  "\tat a.B.five(B.java:5)\n"
			  "\t- waiting to re-lock in wait() "
			  "<0x0000000000000009> (a a.N)\n"
			  "\n";

	(void)state;
	look(dump, S);
	assert_int_equal(blocked.waiting, 2);
	assert_null(strstr(text.bytes, "to be notified"));
	assert_non_null(strstr(text.bytes,
			       "\"owner\" #2  RUNNABLE  at a.B.two(B.java:2)\n"
			       "  holds a.L <0x0000000000000001>: 1 blocked\n"
			       "    \"wants\" #3"));
	assert_non_null(strstr(text.bytes,
			       "\"waits\" #1  WAITING  at java.lang.Object."
			       "wait0(Native Method), in "
			       "a.B.take(B.java:1)\n"
			       "  holds a.M <0x0000000000000002>: 1 blocked\n"
			       "    \"again\" #4"));
}

static void hostile_text_is_shown_safely(void **state)
{
	static const char dump[] = HEADER("\033[31m", 1) BLOCKED
		"\tat \033]0;x\a\n"
		"\t- waiting to lock <0x1> (a \033[0m)\n"
		"\t- waiting to lock <0x\n\t- locked <0x1>\n\t- locked <0xzz> "
		"(a \n\n";

	(void)state;
	look(dump, S);
	assert_int_equal(blocked.waiting, 1);
	assert_null(strchr(text.bytes, '\033'));
	assert_null(strchr(text.bytes, '\a'));
}

/* Each thread waits for the next, so a walk per thread would be quadratic. */
static void twenty_thousand_in_a_row_are_followed(void **state)
{
	(void)state;
	blocked_begin(&blocked, "JMX", S);
	for (int64_t i = 0; i < BLOCKED_MAX + 5; i++) {
		struct blocked_thread *t = blocked_add(&blocked);

		if (!t)
			continue;
		t->id = i + 1;
		t->owner_id = i + 2;
		t->kind = i + 1 < BLOCKED_MAX ? BLOCKED_MONITOR : BLOCKED_NOT;
		t->lock_id = "x";
	}
	blocked_link(&blocked);
	assert_int_equal(blocked.left_out, 5);
	assert_int_equal(blocked.threads[BLOCKED_MAX - 1].held_back,
			 BLOCKED_MAX - 1);
	blocked_text(&blocked, 0, &text);
	assert_non_null(strstr(text.bytes, " more are not shown\n"));
}

/* Waiters that block others, and a few waiters, are listed. */
static void many_like_waiters_of_a_pool_are_one_line(void **state)
{
	static const char *const names[] = { "owner", "w-1", "w-2", "x",  "w-3",
					     "w-4",   "w-5", "w-6", "w-7" };

	(void)state;
	for (int64_t at = 1; at < 3; at++) {
		blocked_begin(&blocked, "JMX", at * S);
		blocked.knows_blocks = true;
		for (size_t i = 0; i < 9; i++) {
			struct blocked_thread *t = blocked_add(&blocked);

			t->id = (int64_t)i + 1;
			t->name = names[i];
			t->owner_id = i == 6 ? 6 : 1;
			t->kind = i ? BLOCKED_MONITOR : BLOCKED_NOT;
			t->lock_id = i == 6 ? "y" : "x";
			t->blocks = 1;
			t->frame = i == 7 ? "a.B.put(B.java:9)"
				   : i    ? "a.B.load(B.java:7)"
					  : "";
		}
		blocked_link(&blocked);
	}
	text_clear(&text);
	blocked_text(&blocked, 3, &text);
	assert_string_equal(
		text.bytes,
		"8 threads are blocked; 1 other holds the locks  (JMX)\n"
		"\n"
		"\"owner\" #1\n"
		"  holds <x>: 7 blocked\n"
		"    4 threads \"w-*\"  longest: blocked >=1.0 s"
		"  at a.B.load(B.java:7)\n"
		"    \"x\" #4  blocked >=1.0 s  at a.B.load(B.java:7)\n"
		"    \"w-4\" #6  blocked >=1.0 s  at a.B.load(B.java:7)\n"
		"      holds <y>: 1 blocked\n"
		"        \"w-5\" #7  blocked >=1.0 s"
		"  at a.B.load(B.java:7)\n"
		"    \"w-6\" #8  blocked >=1.0 s  at a.B.put(B.java:9)\n");
	text_clear(&text);
	blocked_text(&blocked, 4, &text);
	assert_non_null(strstr(text.bytes, "\"w-1\" #2  blocked >=1.0 s"));
	assert_null(strstr(text.bytes, "w-*"));
}

#define TEST(name) cmocka_unit_test_teardown(name, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(chain_is_printed_below_the_thread_at_its_end),
		TEST(how_long_is_counted_over_the_looks),
		TEST(moved_lock_is_the_same_lock),
		TEST(cpu_time_tells_whether_a_block_is_the_same),
		TEST(another_block_restarts_the_duration),
		TEST(deadlocks_and_who_waits_for_them_are_marked),
		TEST(thread_in_object_wait_holds_no_lock),
		TEST(hostile_text_is_shown_safely),
		TEST(twenty_thousand_in_a_row_are_followed),
		TEST(many_like_waiters_of_a_pool_are_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
