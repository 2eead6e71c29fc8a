/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps as text: the peculiarities of each JVM's format. */
#include "tests/unit/dump_check.h"
#include "tests/unit/dump_text.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void thread_has_name_ids_state_time_and_frames(void **state)
{
	struct profile *p = read_text(
		START "\"worker-1\" " TAIL SLEEPING
		      "\tat java.lang.Thread.sleep(java.base@17.0.21/Native "
		      "Method)\n"
		      "\t- locked <0x00000000ffd1be00> (a java.lang.Object)\n"
		      "\tat a.B.run(app//B.java:7)\n" MAIN "\n" END);
	const struct cell *c = cell_of(p, "worker-1");

	(void)state;
	assert_string_equal(stack_of(p, c),
			    "java.lang.Thread.sleep a.B.run:7 a.B.main:9");
	assert_int_equal(c->state, STATE_TIMED_WAITING);
	assert_int_equal(thread_of(p, "worker-1")->java_id, 12);
	assert_int_equal(thread_of(p, "worker-1")->os_id, 0x30f);
	assert_false(thread_of(p, "worker-1")->is_virtual);
	assert_int_equal(p->earliest_ns, TIME_NS);
	assert_int_equal(samples_in(p), 1);
	assert_int_equal(p->frames[p->stacks[c->stack].frame].kind,
			 FRAME_NATIVE);
	assert_int_equal(p->events[0].unit, UNIT_SAMPLES);
	assert_int_equal(p->events[0].weight, 1);
	assert_whole(p);
	profile_free(p);
}

static void headers_of_each_jdk_are_parsed(void **state)
{
	/*
	 * JDK 5, 6, 8, 11 -e, 21 to 25, an old Mac, threads without a number,
	 * and an unknown word.
	 */
	static const struct {
		const char *header;
		int64_t java_id, os_id;
	} headers[] = {
		{ "\"t\" prio=10 tid=0x0805bd28 nid=0x1a03 runnable "
		  "[0xb7d9e000..0xb7d9e0b8]",
		  0, 0x1a03 },
		{ "\"t\" daemon prio=10 tid=0x00007f nid=0x1a03 in "
		  "Object.wait() [0x00007f0e4a3f2000]",
		  0, 0x1a03 },
		{ "\"t\" #178 prio=5 os_prio=0 tid=0x0000000020d62000 "
		  "nid=0x1524 waiting on condition [0x000000001ce3f000]",
		  178, 0x1524 },
		{ "\"t\" #1 prio=5 os_prio=0 cpu=87.65ms elapsed=33.01s "
		  "allocated=163K defined_classes=500 tid=0x00007f6a64013000 "
		  "nid=0x1a2b in Object.wait()  [0x00007f6a6d2fc000]",
		  1, 0x1a2b },
		{ "\"t\" #1 [4711] prio=5 os_prio=0 cpu=60.00ms elapsed=5.00s "
		  "tid=0x00007f1dc002a4e0 nid=4711 waiting on condition  "
		  "[0x00007f1dc7dfe000]",
		  1, 4711 },
		{ "\"t\" #53 [842] daemon prio=5 os_prio=0 cpu=1.75ms "
		  "elapsed=8.48s tid=0x00007ff240165f40  [0x00007ff1ee6fd000]",
		  53, 842 },
		{ "\"t\" #2 prio=5 tid=7ff3eaea7800 nid=0x135ec3000 runnable "
		  "[135ec2000]",
		  2, 0x135ec3000 },
		{ "\"t\" #7 prio=5 os_prio=31 tid=0x00007f nid=NA runnable", 7,
		  0 },
		{ "\"t\" #7 prio=5 os_prio=31 tid=0x00007f nid=-1 runnable", 7,
		  0 },
		{ "\"t\" os_prio=0 tid=0x00007f nid=772 runnable  ", 0, 772 },
		{ "\"t\" #7 prio=5 later_word=x tid=0x00007f nid=12", 7, 12 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		struct text text = { 0 };
		struct profile *p;

		text_printf(&text, "%s%s\n\n%s", START, headers[i].header, END);
		p = read_text(text.bytes);
		assert_int_equal(thread_of(p, "t")->java_id,
				 headers[i].java_id);
		assert_int_equal(thread_of(p, "t")->os_id, headers[i].os_id);
		assert_whole(p);
		profile_free(p);
		text_release(&text);
	}
}

static void thread_names_are_unchanged(void **state)
{
	static const char *const names[] = {
		"",
		"  blanks  ",
		"quoted \"name\" with #12 prio=5 tid=0xdead",
		"x\" #1 prio=5 tid=0x1 nid=2 runnable \"y",
		"back\\slash\\",
		"new\nline\tand tab",
		"blanks  \n before a line's end",
		"\n\nthree\n",
		"bell\a and \033[31mred\033[0m",
		"at com.foo.Bar.baz(Bar.java:1)",
		"\xed\xa0\xbd\xed\xb8\x80", /* an emoji in modified UTF-8 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct text text = { 0 };
		struct profile *p;

		text_printf(&text, "%s\"%s\" %s%s%s\n%s", START, names[i], TAIL,
			    SLEEPING, RUN, END);
		p = read_text(text.bytes);
		assert_string_equal(stack_of(p, cell_of(p, names[i])),
				    "a.B.run:7");
		assert_int_equal(thread_of(p, names[i])->java_id, 12);
		assert_int_equal(samples_in(p), 1);
		assert_whole(p);
		profile_free(p);
		text_release(&text);
	}
}

static void thread_name_may_have_a_megabyte(void **state)
{
	struct text text = { 0 };
	struct profile *p;

	(void)state;
	text_puts(&text, START "\"");
	for (int i = 0; i < 1 << 20; i++)
		text_putc(&text, "\"ab\n"[i % 97 ? i % 3 : 1]);
	text_puts(&text, "\" " TAIL SLEEPING RUN "\n" END);
	p = read_text(text.bytes);
	assert_int_equal(samples_in(p), 1);
	assert_int_equal(strlen(profile_text(p, p->threads[1].name)), 1 << 20);
	assert_whole(p);
	profile_free(p);
	text_release(&text);
}

static void each_thread_state_is_parsed_and_others_are_none(void **state)
{
	static const struct {
		const char *text;
		enum thread_state state;
	} states[] = {
		{ "NEW", STATE_NEW },
		{ "RUNNABLE", STATE_RUNNABLE },
		{ "BLOCKED (on object monitor)", STATE_BLOCKED },
		{ "WAITING (parking)", STATE_WAITING },
		{ "TIMED_WAITING (on object monitor)", STATE_TIMED_WAITING },
		{ "TERMINATED", STATE_TERMINATED },
		{ "CONFUSED", STATE_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		struct text text = { 0 };
		struct profile *p;

		text_printf(&text,
			    "%s\"t\" %s   java.lang.Thread.State: %s\n\n%s",
			    START, TAIL, states[i].text, END);
		p = read_text(text.bytes);
		assert_int_equal(cell_of(p, "t")->state, states[i].state);
		profile_free(p);
		text_release(&text);
	}
}

static void jfr_sampler_without_a_name_is_a_thread(void **state)
{
	struct profile *p = read_text(
		START "\"a\" " TAIL SLEEPING RUN "\n"
		      "os_prio=0 cpu=24.35ms elapsed=79.88s "
		      "tid=0x00007f2aac1d2320 nid=0x25e8 runnable  \n"
		      "\"GC Thread#0\" os_prio=0 tid=0x1a nid=0x1b runnable "
		      "\n\n" END);

	(void)state;
	assert_int_equal(samples_in(p), 3);
	assert_false(profile_is_partial(p));
	profile_free(p);
}

static void threads_of_the_vm_have_neither_state_nor_stack_trace(void **state)
{
	struct profile *p = read_text(
		START "\"a\" " TAIL SLEEPING RUN "\n"
		      "\"C2 CompilerThread0\" " TAIL
		      "   java.lang.Thread.State: RUNNABLE\n"
		      "   Compiling: 812 % 4 a.B::run @ 2 (20 bytes)\n\n"
		      "\"VM Thread\" os_prio=0 cpu=2.11ms elapsed=33.01s "
		      "tid=0x00007f6a64271800 nid=0x1a2f runnable  \n\n"
		      "\"GC Thread#0\" os_prio=0 tid=0x1a nid=0x1b runnable \n"
		      "\"GC Thread#1\" os_prio=0 tid=0x1c nid=0x1d runnable "
		      "\n\n" END);

	(void)state;
	assert_int_equal(samples_in(p), 5);
	assert_int_equal(p->events[0].without_stack, 4);
	assert_int_equal(cell_of(p, "VM Thread")->state, STATE_NONE);
	assert_int_equal(cell_of(p, "GC Thread#1")->stack, 0);
	assert_int_equal(cell_of(p, "C2 CompilerThread0")->state,
			 STATE_RUNNABLE);
	assert_whole(p);
	profile_free(p);
}

static void mounted_virtual_thread_is_a_separate_thread(void **state)
{
	struct profile *p = read_text(
		START "\"carrier\" #53 [842] daemon prio=5 os_prio=0 "
		      "tid=0x00007ff240165f40  [0x00007ff1ee6fd000]\n"
		      "   Carrying virtual thread #52\n"
		      "\tat jdk.internal.vm.Continuation.run(java.base@25/"
		      "Continuation.java:251)\n"
		      "   Mounted virtual thread #52\n"
		      "\tat a.B.spin(B.java:5)\n"
		      "\tat java.lang.VirtualThread.run(java.base@25/"
		      "VirtualThread.java:460)\n\n" END);
	const struct thread *mounted = thread_of(p, "");

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_string_equal(stack_of(p, cell_of(p, "carrier")),
			    "jdk.internal.vm.Continuation.run:251");
	assert_string_equal(stack_of(p, cell_of(p, "")),
			    "a.B.spin:5 java.lang.VirtualThread.run:460");
	assert_true(mounted->is_virtual);
	assert_int_equal(mounted->java_id, 52);
	assert_int_equal(mounted->os_id, 0);
	assert_whole(p);
	profile_free(p);
}

static void deadlock_section_is_not_counted(void **state)
{
	struct profile *p = read_text(
		START "\"a\" " TAIL SLEEPING RUN "\n\"b\" " TAIL MAIN
		      "\n" END DEADLOCK "a line of the log\n" START
		      "\"c\" " TAIL RUN "\n" END);

	(void)state;
	assert_int_equal(samples_in(p), 3);
	assert_int_equal(frames_in(p), 3);
	assert_int_equal(remarks_of(p, OUTSIDE), 1);
	assert_false(profile_is_partial(p));
	profile_free(p);
}

static void synchronizers_after_a_blank_line_belong_to_the_thread(void **state)
{
	struct profile *p = read_text(
		START "\"a\" " TAIL SLEEPING RUN
		      "\n   Locked ownable synchronizers:\n"
		      "\t- <0x00000000ff430590> (a java.util.concurrent."
		      "ThreadPoolExecutor$Worker)\n\n"
		      "\"b\" " TAIL MAIN "\n   Locked ownable synchronizers:\n"
		      "\t- None\n\n   JNI locked monitors:\n\n" END);

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_int_equal(frames_in(p), 2);
	assert_whole(p);
	profile_free(p);
}

static void several_dumps_give_a_sample_per_thread_and_dump(void **state)
{
	struct profile *p = read_text(
		START "\"a\" " TAIL SLEEPING RUN "\n" END
		      "2026-11-21 08:40:17\n"
		      "Full thread dump OpenJDK 64-Bit Server VM (17):\n\n"
		      "\"a\" " TAIL SLEEPING RUN "\n" END
		      "Full thread dump OpenJDK 64-Bit Server VM (17):\n\n"
		      "\"a\" " TAIL SLEEPING RUN "\n" END);

	(void)state;
	assert_int_equal(samples_in(p), 3);
	assert_int_equal(p->thread_count, 2); /* [0] is unused */
	assert_int_equal(p->earliest_ns, TIME_NS);
	assert_int_equal(p->latest_ns, TIME_NS + INT64_C(10000000000));
	/* Two samples in buckets, and one without a time. */
	assert_int_equal(p->cell_count, 3);
	assert_whole(p);
	profile_free(p);
}

static void first_lines_of_the_tools_are_not_counted(void **state)
{
	struct profile *jcmd = read_text("4711:\n" START "\"a\" " TAIL RUN
					 "\n" END);
	struct profile *attach = read_text("0\n" START "\"a\" " TAIL RUN
					   "\n" END);

	(void)state;
	assert_whole(jcmd);
	assert_whole(attach);
	assert_int_equal(jcmd->earliest_ns, TIME_NS);
	profile_free(jcmd);
	profile_free(attach);
}

static void dumps_written_through_jmx_have_no_last_line(void **state)
{
	struct profile *p = read_text(
		START "\"main\" - Thread t@1\n"
		      "   java.lang.Thread.State: WAITING\n"
		      "\tat java.base@11/java.lang.Object.wait(Native "
		      "Method)\n"
		      "\t- waiting on <1b2c3d> (a c.D) owned by \"x\" t@16\n"
		      "\tat app//a.B.run(B.java:7)\n\n"
		      "   Locked ownable synchronizers:\n\t- None\n\n"
		      "\"x\" - Thread t@16\n"
		      "   java.lang.Thread.State: RUNNABLE\n\n");

	(void)state;
	assert_string_equal(stack_of(p, cell_of(p, "main")),
			    "java.lang.Object.wait a.B.run:7");
	assert_int_equal(thread_of(p, "x")->java_id, 16);
	assert_int_equal(thread_of(p, "x")->os_id, 0);
	assert_int_equal(cell_of(p, "x")->state, STATE_RUNNABLE);
	assert_whole(p);
	profile_free(p);
}

#define JHSDB                                                                  \
	"Attaching to process ID 8292, please wait...\n"                       \
	"Debugger attached successfully.\nServer compiler detected.\n"         \
	"JVM version is 17.0.15\nDeadlock Detection:\n\n"

static void dumps_of_jhsdb_are_read(void **state)
{
	struct profile *p = read_text(
		JHSDB "Found one Java-level deadlock:\n=====\n\n"
		      "\"a\":\n  waiting to lock Monitor@0x01 (Object@0x02),\n"
		      "  which is held by \"b\"\n\n"
		      "Found a total of 1 deadlock.\n\n"
		      "\"a\" #1 prio=5 tid=0x00007f nid=0x2067 waiting on "
		      "condition [0x00007f8bdfbfe000]\n" SLEEPING
		      "   JavaThread state: _thread_blocked\n"
		      " - java.lang.Object.wait(long) @bci=0 (Compiled frame; "
		      "information may be imprecise)\n"
		      "\t- waiting on <0x01> (a c.D)\n"
		      " - a.B.main(java.lang.String[], int) @bci=102, line=9 "
		      "(Interpreted frame)\n\n\n"
		      "\"b\" #2 prio=5 tid=0x00007f nid=0x2068 runnable "
		      "[0x0000000000000000]\n\n\n");
	const struct cell *c = cell_of(p, "a");

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_string_equal(stack_of(p, c), "java.lang.Object.wait a.B.main:9");
	assert_int_equal(p->frames[p->stacks[c->stack].frame].kind, FRAME_JIT);
	assert_int_equal(thread_of(p, "a")->os_id, 0x2067);
	assert_whole(p);
	profile_free(p);

	p = read_text(JHSDB "No deadlocks found.\n\n"
			    "Thread 4711: (state = BLOCKED)\n"
			    " - a.B.run() @bci=1, line=7 (Compiled frame)\n\n");
	assert_string_equal(stack_of(p, cell_of(p, "")), "a.B.run:7");
	assert_int_equal(thread_of(p, "")->os_id, 4711);
	assert_int_equal(cell_of(p, "")->state, STATE_NONE);
	assert_whole(p);
	profile_free(p);
}

static void mixed_dumps_of_jhsdb_have_native_frames(void **state)
{
	struct profile *p = read_text(
		JHSDB "No deadlocks found.\n\n"
		      "----------------- 8311 -----------------\n"
		      "\"a\" #15 daemon prio=5 tid=0x00007f8bd80e7860 "
		      "nid=0x2077 runnable [0x00007f8bdd1dc000]\n"
		      "   java.lang.Thread.State: RUNNABLE\n"
		      "   JavaThread state: _thread_blocked\n"
		      "0x00007f8be1179f16\tf(int, char) + 0xc6\n"
		      "0x00007f8be1179f17\t* a.B.run() bci:1 line:7 (Compiled "
		      "frame)\n"
		      "----------------- 8312 -----------------\n"
		      "0x00007f8be1179f16\tf(int, char) + 0xc6\n");

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_string_equal(stack_of(p, cell_of(p, "a")),
			    "f(int, char) a.B.run:7");
	assert_int_equal(thread_of(p, "a")->os_id, 0x2077);
	assert_int_equal(thread_of(p, "")->os_id, 8312);
	assert_string_equal(stack_of(p, cell_of(p, "")), "f(int, char)");
	assert_whole(p);
	profile_free(p);
}

static void javacore_is_read(void **state)
{
	struct profile *p = read_text(
		"0SECTION       TITLE subcomponent dump routine\n"
		"1TIDATETIMEUTC Date: 2026/11/21 at 08:40:07:500 (UTC)\n"
		"1TIDATETIME    Date: 2026/11/21 at 03:40:07:500\n"
		"0SECTION       THREADS subcomponent dump routine\n"
		"3XMTHREADINFO      \"a \"q\"\" J9VMThread:0x01, "
		"omrthread_t:0x02, java/lang/Thread:0x03, state:P, prio=5\n"
		"3XMJAVALTHREAD            (java/lang/Thread getId:0x1B, "
		"isDaemon:false)\n"
		"3XMTHREADINFO1            (native thread ID:0x4D2, native "
		"priority:0x5)\n"
		"3XMTHREADINFO3           Java callstack:\n"
		"4XESTACKTRACE                at java/lang/Object.wait(Native "
		"Method)\n"
		"4XESTACKTRACE                at a/B.run(B.java:7(Compiled "
		"Code))\n"
		"5XESTACKTRACE                   (entered lock: c/D@0x04)\n"
		"4XESTACKTRACE                at a/B.main(Bytecode PC:3)\n"
		"3XMTHREADINFO      Anonymous native thread\n"
		"3XMTHREADINFO1            (native thread ID:0x4D3)\n"
		"NULL           ------ END OF DUMP ------\n");
	const struct cell *c = cell_of(p, "a \"q\"");

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_string_equal(stack_of(p, c),
			    "java.lang.Object.wait a.B.run:7 a.B.main");
	assert_int_equal(c->state, STATE_WAITING);
	assert_int_equal(thread_of(p, "a \"q\"")->java_id, 27);
	assert_int_equal(thread_of(p, "a \"q\"")->os_id, 1234);
	assert_int_equal(p->earliest_ns, TIME_NS + 500000000);
	assert_int_equal(cell_of(p, "Anonymous native thread")->stack, 0);
	assert_whole(p);
	profile_free(p);
}

static void javacore_without_its_end_is_truncated(void **state)
{
	struct profile *p = read_text(
		"0SECTION       TITLE subcomponent dump routine\n"
		"3XMTHREADINFO      \"a\" J9VMThread:0x01, state:R, prio=5\n"
		"4XESTACKTRACE                at a/B.run(B.java:7)\n"
		"4XESTACKTRACE                at a/B.ma");

	(void)state;
	assert_string_equal(stack_of(p, cell_of(p, "a")),
			    "a.B.run:7 [truncated]");
	assert_int_equal(remarks_of(p, CUT), 1);
	assert_int_equal(p->remark_count, 1);
	profile_free(p);
}

static void class_names_are_alike_from_run_to_run(void **state)
{
	static const struct {
		const char *frame, *name;
	} frames[] = {
		{ "a.B$$Lambda/0x0000000091047d20.run(Unknown Source)",
		  "a.B$$Lambda.run" },
		{ "a.B$$Lambda$7/1149319664.run(Unknown Source)",
		  "a.B$$Lambda.run" },
		{ "app//a.B$$Lambda/0x01.run(Unknown Source)",
		  "a.B$$Lambda.run" },
		{ "java.base@17/java.lang.Thread.run(Thread.java:840)",
		  "java.lang.Thread.run:840" },
		{ "my loader/m@1.0/a.B.run(B.java)", "a.B.run" },
		{ "java.lang.invoke.LambdaForm$DMH/1149319664.invoke(L)",
		  "java.lang.invoke.LambdaForm$DMH.invoke" },
		{ "a.B$$anonfun$1.apply$mcV$sp(B.scala:153)",
		  "a.B$$anonfun$1.apply$mcV$sp:153" },
		{ "a.B.<init>(B.java:7)", "a.B.<init>:7" },
		{ "a.B.call(<generated>)", "a.B.call" },
		{ "a.B.run(my(odd)file.java:12)", "a.B.run:12" },
		{ "a.B.run(app//B.java:12)", "a.B.run:12" },
		{ "a.B.run(B.java:99999999999)", "a.B.run" },
		{ "main(B.java:1)", "main:1" },
		{ "<img src=x>.run('-alert(1)-')", "<img src=x>.run" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		struct text text = { 0 };
		struct profile *p;

		text_printf(&text, "%s\"t\" %s\tat %s\n\n%s", START, TAIL,
			    frames[i].frame, END);
		p = read_text(text.bytes);
		assert_string_equal(stack_of(p, cell_of(p, "t")),
				    frames[i].name);
		profile_free(p);
		text_release(&text);
	}
}

static void lines_are_left_out_when_they_are_not_kept(void **state)
{
	static const char text[] = TWO_THREADS;
	struct profile *p = profile_new();
	struct error err;

	(void)state;
	p->keep_lines = false;
	assert_int_equal(
		dump_reader.read((const uint8_t *)text, strlen(text), p, &err),
		0);
	assert_string_equal(stack_of(p, cell_of(p, "a")), "a.B.run a.B.main");
	profile_free(p);
}

static void assert_refused(const char *text, size_t len, const char *why)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	assert_int_equal(dump_reader.read((const uint8_t *)text, len, p, &err),
			 -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_non_null(strstr(err.text, why));
	profile_free(p);
}

static void input_without_threads_is_rejected_with_the_reason(void **state)
{
	(void)state;
	assert_refused("a;b;c 12\n", 9, "no thread dump found");
	assert_refused("", 0, "no thread dump found");
	assert_refused(START, strlen(START), "without threads");
	assert_refused("0SECTION       TITLE x\n", 23, "without threads");
}

static bool sniffs(const char *text)
{
	return dump_reader.sniff((const uint8_t *)text, strlen(text));
}

static void only_thread_dumps_are_recognized(void **state)
{
	(void)state;
	assert_true(sniffs(START));
	assert_true(sniffs("a log\n" START));
	assert_true(sniffs("4711:\n" START));
	assert_true(sniffs(JHSDB));
	assert_true(sniffs("0SECTION       TITLE subcomponent\n"));
	assert_true(sniffs("7\n2026-11-21T08:40:37.781426039Z\n25\n\n"));
	assert_false(sniffs(""));
	assert_false(sniffs("a;b;c 12\n"));
	assert_false(sniffs("FLR"));
	assert_false(sniffs("{\"threadDump\":{}}"));
	assert_false(sniffs("08:00 Full thread dump asked for by bob\n"));
	assert_false(sniffs("<html>\nFull thread dump VM (8):\n"));
	assert_false(sniffs("4711\n4712\n"));
	assert_false(dump_reader.sniff((const uint8_t *)"FLR\0" START,
				       4 + strlen(START)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_has_name_ids_state_time_and_frames),
		cmocka_unit_test(headers_of_each_jdk_are_parsed),
		cmocka_unit_test(thread_names_are_unchanged),
		cmocka_unit_test(thread_name_may_have_a_megabyte),
		cmocka_unit_test(
			each_thread_state_is_parsed_and_others_are_none),
		cmocka_unit_test(jfr_sampler_without_a_name_is_a_thread),
		cmocka_unit_test(
			threads_of_the_vm_have_neither_state_nor_stack_trace),
		cmocka_unit_test(mounted_virtual_thread_is_a_separate_thread),
		cmocka_unit_test(deadlock_section_is_not_counted),
		cmocka_unit_test(
			synchronizers_after_a_blank_line_belong_to_the_thread),
		cmocka_unit_test(
			several_dumps_give_a_sample_per_thread_and_dump),
		cmocka_unit_test(first_lines_of_the_tools_are_not_counted),
		cmocka_unit_test(dumps_written_through_jmx_have_no_last_line),
		cmocka_unit_test(dumps_of_jhsdb_are_read),
		cmocka_unit_test(mixed_dumps_of_jhsdb_have_native_frames),
		cmocka_unit_test(javacore_is_read),
		cmocka_unit_test(javacore_without_its_end_is_truncated),
		cmocka_unit_test(class_names_are_alike_from_run_to_run),
		cmocka_unit_test(lines_are_left_out_when_they_are_not_kept),
		cmocka_unit_test(
			input_without_threads_is_rejected_with_the_reason),
		cmocka_unit_test(only_thread_dumps_are_recognized),
	};

	/* Dumps are dated in local time, without a zone. */
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
