/* SPDX-License-Identifier: Apache-2.0 */
/* Tests names, ids, kinds and states of threads in Thread.print replies. */
#include "core/threads/thread_names.h"
#include "tests/unit/dump_check.h"
#include "tests/unit/dump_text.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct thread_names *names_of(const char *reply)
{
	struct thread_names *n = thread_names_new();

	thread_names_read(n, reply, strlen(reply));
	return n;
}

/* Number of tids that have a name; all tids in the tests are below 65,536. */
static size_t names_count(const struct thread_names *n)
{
	size_t count = 0;

	for (pid_t tid = 1; tid < 1 << 16; tid++)
		count += thread_names_find(n, tid) != NULL;
	return count;
}

/* Checks the thread of a reply with only its header and body. */
static void check(const char *block, pid_t tid, const char *name,
		  int64_t java_id, enum thread_kind kind)
{
	struct text reply = { 0 };
	const struct thread_name *t;
	struct thread_names *n;

	text_printf(&reply, "%s%s\n%s", START, block, END);
	n = names_of(reply.bytes);
	t = thread_names_find(n, tid);
	if (!t)
		fail_msg("no thread %d in %s", (int)tid, block);
	assert_string_equal(t->name, name);
	assert_int_equal(t->java_id, java_id);
	assert_int_equal(t->kind, kind);
	assert_int_equal(names_count(n), 1);
	thread_names_free(n);
	text_release(&reply);
}

static void headers_of_every_jdk_give_name_id_and_tid(void **state)
{
	(void)state;
	/* JDK 8, 17, 25, and a thread with a mounted virtual thread (25). */
	check("\"t\" #178 prio=5 os_prio=0 tid=0x0000000020d62000 nid=0x1524 "
	      "waiting on condition [0x000000001ce3f000]\n" SLEEPING RUN,
	      0x1524, "t", 178, THREAD_JAVA);
	check("\"t\" #1 prio=5 os_prio=0 cpu=87.65ms elapsed=33.01s "
	      "allocated=163K defined_classes=500 tid=0x00007f6a64013000 "
	      "nid=0x1a2b in Object.wait()  [0x00007f6a6d2fc000]\n" SLEEPING
		      RUN,
	      0x1a2b, "t", 1, THREAD_JAVA);
	check("\"t\" #3 [4711] prio=5 os_prio=0 cpu=60.00ms elapsed=5.00s "
	      "tid=0x00007f1dc002a4e0 nid=4711 waiting on condition  "
	      "[0x00007f1dc7dfe000]\n" SLEEPING RUN,
	      4711, "t", 3, THREAD_JAVA);
	check("\"t\" #53 [842] daemon prio=5 os_prio=0 cpu=1.75ms "
	      "elapsed=8.48s tid=0x00007ff240165f40  [0x00007ff1ee6fd000]\n"
	      "   Carrying virtual thread #52\n" RUN
	      "   Mounted virtual thread #52\n" MAIN,
	      842, "t", 53, THREAD_JAVA);
}

static void names_are_unchanged(void **state)
{
	static const char *const names[] = {
		"",
		"  blanks  ",
		"quoted \"name\" with #12 prio=5 tid=0xdead nid=5",
		"x\" #1 prio=5 tid=0x1 nid=2 runnable \"y",
		"new\nline\tand tab",
		"\n\nthree\n",
		"a\n\"b\" #12 prio=5 tid=0x1 nid=2 runnable",
		"JNI\nJNI global refs: 1, weak refs: 0",
		"bell\a and \033[31mred\033[0m",
		"\xed\xa0\xbd\xed\xb8\x80", /* an emoji in modified UTF-8 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct text block = { 0 };

		text_printf(&block, "\"%s\" %s%s%s", names[i], TAIL, SLEEPING,
			    RUN);
		check(block.bytes, 0x30f, names[i], 12, THREAD_JAVA);
		text_release(&block);
	}
}

static void state_and_virtual_thread_are_parsed(void **state)
{
	struct thread_names *n = names_of(
		START
		"\"a\" #1 [1] prio=5 tid=0x1 nid=1 runnable\n"
		"   java.lang.Thread.State: BLOCKED (on object monitor)\n" RUN
		"\n"
		"\"b\" #2 [2] prio=5 tid=0x1 nid=2 runnable\n"
		"   java.lang.Thread.State: RUNNABLE\n" RUN "\n"
		"\"c\" #3 [3] prio=5 tid=0x1  [0x0]\n"
		"   Carrying virtual thread #52\n" RUN
		"   Mounted virtual thread #52\n" MAIN "\n"
		"\"d\" #4 [4] prio=5 tid=0x1 nid=4 runnable\n"
		"   java.lang.Thread.State: NOVEL\n" RUN "\n" END);

	(void)state;
	assert_int_equal(names_count(n), 4);
	assert_int_equal(thread_names_find(n, 1)->state, RUN_BLOCKED);
	assert_int_equal(thread_names_find(n, 2)->state, RUN_RUNNABLE);
	assert_int_equal(thread_names_find(n, 3)->state, RUN_UNKNOWN);
	assert_int_equal(thread_names_find(n, 3)->virtual_id, 52);
	assert_int_equal(thread_names_find(n, 4)->state, RUN_UNKNOWN);
	assert_int_equal(thread_names_find(n, 4)->virtual_id, 0);
	assert_null(thread_names_find(n, 5));
	assert_null(thread_names_find(n, 0));
	thread_names_free(n);
}

static void allocation_has_its_rounding_step(void **state)
{
	static const struct {
		const char *printed;
		uint64_t bytes, step;
	} sizes[] = {
		{ "allocated=0B ", 0, 1 },
		{ "allocated=95408B ", 95408, 1 },
		{ "allocated=163K ", 163 << 10, 1 << 10 },
		{ "allocated=1774M ", UINT64_C(1774) << 20, 1 << 20 },
		{ "allocated=120G ", UINT64_C(120) << 30, 1 << 30 },
		{ "", 0, 0 },
		{ "allocated=K ", 0, 0 },
		{ "allocated=163X ", 0, 0 },
		{ "allocated=99999999999999999T ", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct text reply = { 0 };
		struct thread_names *n;

		text_printf(&reply, "%s\"t\" #1 prio=5 %stid=0x1 nid=7 x\n%s",
			    START, sizes[i].printed, END);
		n = names_of(reply.bytes);
		assert_int_equal(names_count(n), 1);
		assert_int_equal(thread_names_find(n, 7)->allocated_step,
				 sizes[i].step);
		if (sizes[i].step)
			assert_int_equal(thread_names_find(n, 7)->allocated,
					 sizes[i].bytes);
		thread_names_free(n);
		text_release(&reply);
	}
}

static void jvm_threads_are_recognized_by_name(void **state)
{
	static const struct {
		const char *name;
		enum thread_kind kind;
	} own[] = {
		{ "GC Thread#0", THREAD_GC },
		{ "GC task thread#1 (ParallelGC)", THREAD_GC },
		{ "G1 Main Marker", THREAD_GC },
		{ "G1 Conc#0", THREAD_GC },
		{ "G1 Service", THREAD_GC },
		{ "Shenandoah Control Thread", THREAD_GC },
		{ "Shenandoah GC Threads#0", THREAD_GC },
		{ "ShenWorker#0", THREAD_GC }, /* JDK 28 */
		{ "ShenControl", THREAD_GC },
		{ "ShenUncommit", THREAD_GC },
		{ "ZDriverMajor", THREAD_GC },
		{ "ZWorkerYoung#0", THREAD_GC },
		{ "ZUncommitter#0", THREAD_GC },
		{ "RuntimeWorker#0", THREAD_GC },
		{ "StringDedupProcessor", THREAD_GC },
		{ "VM Thread", THREAD_VM },
		{ "VM Periodic Task Thread", THREAD_VM },
		{ "Something New", THREAD_VM },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		struct text block = { 0 };

		text_printf(&block,
			    "\"%s\" os_prio=0 cpu=0.58ms elapsed=2.52s "
			    "tid=0x00007f1140094a70 nid=26190 runnable  \n",
			    own[i].name);
		check(block.bytes, 26190, own[i].name, 0, own[i].kind);
		text_release(&block);
	}
}

#define WITH_ID                                                                \
	"#7 daemon prio=9 os_prio=0 tid=0x00007f nid=9 waiting on condition "  \
	"[0x0]\n   java.lang.Thread.State: RUNNABLE\n"

static void thread_with_java_id_is_java_unless_it_runs_no_java(void **state)
{
	(void)state;
	check("\"C2 CompilerThread0\" " WITH_ID "   No compile task\n", 9,
	      "C2 CompilerThread0", 7, THREAD_JIT);
	check("\"C1 CompilerThread0\" " WITH_ID
	      "   Compiling:  12    3       a.B::run (7 bytes)\n",
	      9, "C1 CompilerThread0", 7, THREAD_JIT);
	check("\"Sweeper thread\" " WITH_ID, 9, "Sweeper thread", 7,
	      THREAD_JIT);
	check("\"StringDedupThread\" " WITH_ID, 9, "StringDedupThread", 7,
	      THREAD_GC);
	check("\"Service Thread\" " WITH_ID, 9, "Service Thread", 7, THREAD_VM);
	/* JMX lists these two, too. */
	check("\"Signal Dispatcher\" " WITH_ID, 9, "Signal Dispatcher", 7,
	      THREAD_JAVA);
	check("\"Attach Listener\" " WITH_ID, 9, "Attach Listener", 7,
	      THREAD_JAVA);
	/* A thread of the program with that name. */
	check("\"C2 CompilerThread0\" " WITH_ID RUN, 9, "C2 CompilerThread0", 7,
	      THREAD_JAVA);
	check("\"GC Thread#0\" " WITH_ID RUN, 9, "GC Thread#0", 7, THREAD_JAVA);
	check("\"VM Thread\" " WITH_ID, 9, "VM Thread", 7, THREAD_JAVA);
}

static void tid_claimed_by_two_threads_is_dropped(void **state)
{
	/* A name of 22 lines exceeds the limit for a header. */
	struct thread_names *n = names_of(
		START "\"real\" #1 prio=5 tid=0x1 nid=7 runnable\n" RUN "\n"
		      "\"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
		      "\"fake\" #2 prio=5 tid=0x1 nid=7 runnable\n"
		      "\" #3 prio=5 tid=0x1 nid=8 runnable\n" RUN "\n"
		      "\"other\" #4 prio=5 tid=0x1 nid=9 runnable\n" RUN
		      "\n" END);

	(void)state;
	assert_null(thread_names_find(n, 7));
	assert_string_equal(thread_names_find(n, 9)->name, "other");
	thread_names_free(n);
}

static void threads_without_a_tid_are_skipped(void **state)
{
	struct thread_names *n = names_of(
		START "\"a\" #1 prio=5 tid=0x1 nid=NA runnable\n\n"
		      "\"b\" #2 prio=5 tid=0x1 nid=0 runnable\n\n"
		      "\"c\" #3 prio=5 tid=0x1 nid=-1 runnable\n\n"
		      "\"d\" #4 prio=5 tid=0x1 nid=0xffffffffffff x\n\n" END);

	(void)state;
	assert_int_equal(names_count(n), 0);
	thread_names_free(n);
}

static void deadlock_section_adds_no_thread(void **state)
{
	struct thread_names *n = names_of(
		START "\"a\" #1 prio=5 tid=0x1 nid=7 x\n" RUN "\n" END DEADLOCK
		      "\"z\" #9 prio=5 tid=0x1 nid=8 x\n");

	(void)state;
	assert_int_equal(names_count(n), 1);
	thread_names_free(n);
}

static void second_reply_replaces_the_first(void **state)
{
	struct thread_names *n = names_of(TWO_THREADS);
	static const char other[] = START
		"\"b\" #2 prio=5 tid=0x1 nid=8 runnable\n\n" END;

	(void)state;
	assert_null(thread_names_find(n, 0x30f)); /* two threads have it */
	thread_names_read(n, other, sizeof(other) - 1);
	assert_int_equal(names_count(n), 1);
	assert_string_equal(thread_names_find(n, 8)->name, "b");
	thread_names_read(n, "", 0);
	assert_int_equal(names_count(n), 0);
	assert_null(thread_names_find(n, 8));
	thread_names_free(n);
}

static void kernel_name_tells_the_kind_of_jvm_threads(void **state)
{
	static const struct {
		const char *comm;
		enum thread_kind kind;
	} comms[] = {
		{ "C2 CompilerThre", THREAD_JIT },
		{ "GC Thread#11", THREAD_GC },
		{ "G1 Conc#0", THREAD_GC },
		{ "ZDriverMinor", THREAD_GC },
		{ "Shenandoah Cont", THREAD_GC },
		{ "VM Periodic Tas", THREAD_VM },
		{ "VM Thread", THREAD_VM },
		{ "Monitor Deflati", THREAD_VM },
		/* As shortened by JDK 26 and later. */
		{ "C2 Comp..hread0", THREAD_JIT },
		{ "Shenand..eads#0", THREAD_GC },
		{ "Shenand..Thread", THREAD_GC },
		{ "ShenControl", THREAD_GC },
		{ "ShenUncommit", THREAD_GC },
		{ "ShenWorker#0", THREAD_GC },
		{ "G1 Refi..kers#0", THREAD_GC },
		{ "VM Peri..Thread", THREAD_VM },
		{ "Monitor..Thread", THREAD_VM },
		{ "Monitor..ker-17", THREAD_UNKNOWN },
		{ "Referen..andler", THREAD_UNKNOWN },
		{ "java", THREAD_UNKNOWN },
		{ "main", THREAD_UNKNOWN },
		{ "G1", THREAD_UNKNOWN },
		{ "", THREAD_UNKNOWN },
		{ "worker-1", THREAD_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(comms) / sizeof(*comms); i++)
		assert_int_equal(thread_names_kind_of(comms[i].comm),
				 comms[i].kind);
}

/* Reads the names of a captured dump; skips the test without the file. */
static struct thread_names *names_in(const char *path)
{
	struct thread_names *n = thread_names_new();
	size_t len;
	char *bytes = file_bytes(path, &len);

	if (!bytes) {
		thread_names_free(n);
		skip();
	}
	thread_names_read(n, bytes, len);
	free(bytes);
	return n;
}

static void dump_of_jdk_17_is_read_completely(void **state)
{
	struct thread_names *n = names_in(
		"tests/data/dumps/jcmd-threadprint-le-jdk17.txt");

	(void)state;
	assert_int_equal(names_count(n), 49);
	assert_string_equal(thread_names_find(n, 0x7fd3)->name, "main");
	assert_int_equal(thread_names_find(n, 0x7fd3)->allocated, 613 << 10);
	assert_string_equal(thread_names_find(n, 0x7fe6)->name,
			    "quoted \"name\" with #12 prio=5 tid=0xdead");
	assert_string_equal(thread_names_find(n, 0x7fe7)->name,
			    "new\nline\tand tab");
	assert_int_equal(thread_names_find(n, 0x7fdf)->kind, THREAD_JIT);
	thread_names_free(n);
}

static void dump_of_jdk_25_is_read_completely(void **state)
{
	struct thread_names *n = names_in(
		"../shared/data/own/jstack/jcmd-threadprint-jdk25.txt");
	const struct thread_name *carrier = thread_names_find(n, 842);

	(void)state;
	assert_int_equal(names_count(n), 52);
	assert_non_null(carrier);
	assert_string_equal(carrier->name, "ForkJoinPool-1-worker-1");
	assert_int_equal(carrier->java_id, 53);
	assert_int_equal(carrier->virtual_id, 52);
	thread_names_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_of_every_jdk_give_name_id_and_tid),
		cmocka_unit_test(names_are_unchanged),
		cmocka_unit_test(state_and_virtual_thread_are_parsed),
		cmocka_unit_test(allocation_has_its_rounding_step),
		cmocka_unit_test(jvm_threads_are_recognized_by_name),
		cmocka_unit_test(
			thread_with_java_id_is_java_unless_it_runs_no_java),
		cmocka_unit_test(tid_claimed_by_two_threads_is_dropped),
		cmocka_unit_test(threads_without_a_tid_are_skipped),
		cmocka_unit_test(deadlock_section_adds_no_thread),
		cmocka_unit_test(second_reply_replaces_the_first),
		cmocka_unit_test(kernel_name_tells_the_kind_of_jvm_threads),
		cmocka_unit_test(dump_of_jdk_17_is_read_completely),
		cmocka_unit_test(dump_of_jdk_25_is_read_completely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
