/* SPDX-License-Identifier: Apache-2.0 */
/* Fatal error logs of JDK 8 to 28, whole and truncated at every byte. */
#include "core/formats/hs_err.h"

#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA "tests/data/hs_err/"

static void slurp(struct input *in, const char *path)
{
	struct error err;

	if (input_open_any(in, path, &err) || input_complete(in, &err))
		fail_msg("%s: %s", path, err.text);
}

static void read_file(struct hs_err *e, const char *path)
{
	struct input in = { 0 };
	struct error err;

	slurp(&in, path);
	if (hs_err_read(e, in.bytes, in.len, &err))
		fail_msg("%s: %s", path, err.text);
	input_close(&in);
}

static void read_text(struct hs_err *e, const char *text)
{
	struct error err;

	if (hs_err_read(e, text, strlen(text), &err))
		fail_msg("%s", err.text);
}

static void log_of_a_native_crash_has_all_parts(void **state)
{
	struct hs_err e;

	(void)state;
	read_file(&e, DATA "jdk17-native-library.log");
	assert_int_equal(e.kind, HS_ERR_SIGNAL);
	assert_string_equal(e.signal, "SIGSEGV");
	assert_string_equal(e.code, "SEGV_MAPERR");
	assert_true(e.has_address);
	assert_int_equal(e.address, 16);
	assert_false(e.sent_by_kill);
	assert_int_equal(e.frame.kind, 'C');
	assert_string_equal(e.frame.library, "libapp.so");
	assert_int_equal(e.frame.offset, 0x11d9);
	assert_string_equal(e.frame.symbol, "orders_decode+0x0");
	assert_string_equal(e.frame.path, "/srv/shop/libapp.so");
	assert_string_equal(e.thread, "main");
	assert_string_equal(e.thread_kind, "JavaThread");
	assert_string_equal(e.thread_state, "in_native");
	assert_int_equal(e.stack_high - e.stack_low, 1 << 20);
	assert_int_equal(e.native.count, 15);
	assert_int_equal(e.java.count, 9);
	assert_string_equal(e.java.frames[7].method, "Crash.main");
	assert_string_equal(e.command,
			    "-XX:ErrorFile=/srv/shop/out/17-null.log -Xmx64m "
			    "-Ddb.password=*** Crash load /srv/shop/libapp.so");
	assert_false(e.has_core);
	assert_non_null(strstr(e.core, "Core dumps have been disabled"));
	assert_string_equal(e.spaces[0].name, "garbage-first heap");
	assert_int_equal(e.spaces[0].used, 948 << 10);
	assert_int_equal(e.spaces[0].committed, 64 << 20);
	assert_int_equal(e.memory, (uint64_t)24684084 << 10);
	assert_int_equal(e.swap, 0);
	assert_string_equal(e.limits[3].name, "NOFILE");
	assert_string_equal(e.limits[3].value, "20000");
	assert_int_equal(e.max_mappings, 65530);
	assert_true(e.elapsed > 0.03 && e.elapsed < 0.06);
	assert_false(e.is_header || e.is_truncated);
	assert_int_equal(e.cut_strings + e.failed_steps, 0);
	hs_err_release(&e);
}

/* JDK 8 prints siginfo without the PID's name, and spaces of the heap in %. */
static void log_of_jdk_8_has_the_command_and_the_sender(void **state)
{
	struct hs_err e;

	(void)state;
	read_file(&e, DATA "jdk8-kill.log");
	assert_true(e.sent_by_kill);
	assert_int_equal(e.sender, 19911);
	assert_string_equal(e.thread_kind, "native thread");
	assert_non_null(strstr(e.command, "-Ddb.password=*** Crash sleep"));
	assert_string_equal(e.spaces[0].name, "PSYoungGen");
	assert_string_equal(e.spaces[1].name, "eden space");
	assert_int_equal(e.spaces[1].committed, 16384 << 10);
	assert_in_range(e.spaces[1].used, 1, e.spaces[1].committed);
	assert_false(e.is_truncated);
	hs_err_release(&e);
}

/* It has each number of /proc in the line behind its title. */
static void log_of_jdk_11_has_the_maximum_of_mappings(void **state)
{
	struct hs_err e;

	(void)state;
	read_file(&e, DATA "jdk11-unsafe.log");
	assert_int_equal(e.max_mappings, 65530);
	hs_err_release(&e);
}

static void each_prefix_of_a_log_is_read(void **state)
{
	struct input in = { 0 };
	size_t begin = strlen("#\n# A fatal error has been detected by ");

	(void)state;
	slurp(&in, DATA "jdk25-kill.log");
	for (size_t len = 0; len <= in.len; len++) {
		/* A copy of its own, so that a read behind it is detected. */
		char *copy = xmalloc(len ? len : 1);
		struct hs_err e;
		struct error err;
		int ret;

		memcpy(copy, in.bytes, len);
		ret = hs_err_read(&e, copy, len, &err);
		assert_int_equal(ret, len < begin ? -1 : 0);
		free(copy);
		if (ret == 0 && len < in.len - 1)
			assert_true(e.is_truncated);
		hs_err_release(&e);
	}
	input_close(&in);
}

#define HEADER                                                                 \
	"#\n# A fatal error has been detected by the Java Runtime "            \
	"Environment:\n#\n"

static void head_in_the_log_of_a_container_is_read(void **state)
{
	struct hs_err e;

	(void)state;
	read_text(
		&e,
		"2026-05-03T16:12:40.1Z stdout F started\n"
		"2026-05-03T16:12:41.1Z stdout F #\n"
		"2026-05-03T16:12:41.1Z stdout F # A fatal error has been "
		"detected by the Java Runtime Environment:\n"
		"2026-05-03T16:12:41.1Z stdout F #\n"
		"2026-05-03T16:12:41.1Z stdout F #  SIGSEGV (0xb) at "
		"pc=0x00007f12, pid=1, tid=2\n"
		"2026-05-03T16:12:41.1Z stdout F # Problematic frame:\n"
		"2026-05-03T16:12:41.1Z stdout P # V  [libjvm.so\n"
		"2026-05-03T16:12:41.1Z stdout F +0x16d5d3]\n"
		"2026-05-03T16:12:41.1Z stdout F # Core dump will be written. "
		"Default location: /core.1\n"
		"2026-05-03T16:12:41.2Z stdout F Aborted\n");
	assert_string_equal(e.signal, "SIGSEGV");
	assert_int_equal(e.pid, 1);
	assert_int_equal(e.tid, 2);
	assert_int_equal(e.frame.kind, 'V');
	assert_int_equal(e.frame.offset, 0x16d5d3);
	assert_true(e.has_core);
	assert_true(e.is_header);
	hs_err_release(&e);
}

static void log_of_windows_has_the_library_and_the_address(void **state)
{
	struct hs_err e;

	(void)state;
	read_text(
		&e, HEADER
		"#  EXCEPTION_ACCESS_VIOLATION (0xc0000005) at "
		"pc=0x00007ffb12345678, pid=4711, tid=1234\r\n"
		"# Problematic frame:\r\n# C  [atio6axx.dll+0x1a2b3c]\r\n"
		"\r\nsiginfo: EXCEPTION_ACCESS_VIOLATION (0xc0000005), reading "
		"address 0x00000000000000b8\r\n\r\nDynamic libraries:\r\n"
		"0x00007ffb12000000 - 0x00007ffb13000000 \tC:\\Windows\\"
		"System32\\atio6axx.dll\r\n");
	assert_string_equal(e.signal, "EXCEPTION_ACCESS_VIOLATION");
	assert_int_equal(e.address, 0xb8);
	assert_string_equal(e.frame.path,
			    "C:\\Windows\\System32\\atio6axx.dll");
	assert_null(e.mapped_file);
	hs_err_release(&e);
}

static void java_frames_have_their_method(void **state)
{
	struct hs_err e;

	(void)state;
	read_text(&e, HEADER
		  "# Problematic frame:\n# J 57% c2 com.acme.Orders.sum([II)J "
		  "app@1.2 (20 bytes) @ 0x00007f12 [0x00007f10+0x2]\n"
		  "\nNative frames: (J=compiled Java code)\n"
		  "j  com.acme.Orders$Line.<init>()V+4\n"
		  "C  [libstdc++.so.6+0xa1]  std::terminate()+0x1\n"
		  "C  0x0000000000000010\n"
		  "~ not a frame\n");
	assert_int_equal(e.frame.kind, 'J');
	assert_string_equal(e.frame.method, "com.acme.Orders.sum");
	assert_null(strstr(e.frame.text, "0x"));
	assert_int_equal(e.native.count, 3);
	assert_string_equal(e.native.frames[0].method,
			    "com.acme.Orders$Line.<init>");
	assert_string_equal(e.native.frames[1].library, "libstdc++.so.6");
	assert_int_equal(e.native.frames[1].offset, 0xa1);
	assert_null(e.native.frames[2].library);
	assert_int_equal(e.native.frames[2].offset, 16);
	hs_err_release(&e);
}

static void spaces_of_all_collectors_are_read(void **state)
{
	static const struct {
		const char *line, *name;
		uint64_t used, committed;
	} rows[] = {
		{ " ZHeap           used 4M, capacity 64M, max capacity 64M",
		  "ZHeap", 4 << 20, 64 << 20 },
		{ "Shenandoah Heap\n 64M max, 64M soft max, 32M committed, "
		  "10M used",
		  "Shenandoah Heap", 10 << 20, 32 << 20 },
		{ " Metaspace       used 80K, committed 320K, reserved "
		  "1114112K",
		  "Metaspace", 80 << 10, 320 << 10 },
		{ " def new generation   total 9792K, used 1280K [0x1, 0x2, "
		  "0x3)",
		  "def new generation", 1280 << 10, 9792 << 10 },
		{ "  eden space 8704K,  14% used [0x1000, 0x3000, 0x9000)",
		  "eden space", 0x2000, 8704 << 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text log = { 0 };
		struct hs_err e;

		text_printf(&log, HEADER "\nHeap:\n%s\n", rows[i].line);
		read_text(&e, log.bytes);
		assert_int_equal(e.space_count, 1);
		assert_string_equal(e.spaces[0].name, rows[i].name);
		assert_int_equal(e.spaces[0].used, rows[i].used);
		assert_int_equal(e.spaces[0].committed, rows[i].committed);
		hs_err_release(&e);
		text_release(&log);
	}
}

static void last_events_are_in_order_of_time(void **state)
{
	struct text log = { 0 };
	struct hs_err e;

	(void)state;
	text_puts(&log, HEADER "\nGC Heap Usage History (20 events):\n");
	for (int i = 0; i < 20; i++)
		text_printf(&log,
			    "Event: %d.250 {heap After GC invocations=%d "
			    "(full 0):\n garbage-first heap   total 64K, "
			    "used %dK [0x1, 0x2)\n}\n",
			    i * 2, i, i);
	text_puts(&log, "\nClasses loaded (1 events):\n"
			"Event: 38.700 Loading class A\n"
			"\nInternal exceptions (2 events):\n"
			"Event: 0.001 Thread 0x00007f Exception <a 'A'>\n"
			"Event: 37.500 Thread 0x00007f Exception <a 'B'>\n");
	read_text(&e, log.bytes);
	assert_int_equal(e.event_count, HS_ERR_EVENTS);
	for (size_t i = 1; i < e.event_count; i++)
		assert_true(e.events[i - 1].seconds < e.events[i].seconds);
	assert_string_equal(e.events[8].kind, "exception");
	assert_string_equal(e.events[8].text, "Exception <a 'B'>");
	assert_string_equal(e.events[9].kind, "gc");
	assert_true(e.events[9].seconds == 38.25);
	assert_string_equal(e.events[9].text,
			    "heap After GC invocations=19 (full 0): "
			    "garbage-first heap   total 64K, used 19K");
	hs_err_release(&e);
	text_release(&log);
}

static void long_lists_and_strings_are_cut_and_counted(void **state)
{
	struct text log = { 0 };
	struct hs_err e;

	(void)state;
	text_puts(&log, HEADER "# JRE version: ");
	for (int i = 0; i < 1000; i++)
		text_putc(&log, 'x');
	text_puts(&log, "\n\nNative frames:\n");
	for (int i = 0; i < 100; i++)
		text_puts(&log, "C  [a.so+0x1]\n");
	read_text(&e, log.bytes);
	assert_int_equal(strlen(e.jre), HS_ERR_STRING);
	assert_int_equal(e.cut_strings, 1);
	assert_int_equal(e.native.count, HS_ERR_FRAMES);
	assert_int_equal(e.native.omitted, 100 - HS_ERR_FRAMES);
	hs_err_release(&e);
	text_release(&log);
}

static bool is_platform(const char *library)
{
	struct text log = { 0 };
	struct hs_err e;
	bool is_platform;

	text_printf(&log, HEADER "\nNative frames:\nC  [%s+0x1]\n", library);
	read_text(&e, log.bytes);
	assert_int_equal(e.native.count, 1);
	is_platform = e.native.frames[0].is_platform;
	hs_err_release(&e);
	text_release(&log);
	return is_platform;
}

static void libraries_of_the_jdk_and_the_system_are_known(void **state)
{
	(void)state;
	assert_true(is_platform("libjvm.so"));
	assert_true(is_platform("libc.so.6"));
	assert_true(is_platform("libc-2.31.so"));
	assert_true(is_platform("libstdc++.so.6"));
	assert_true(is_platform("ntdll.dll"));
	assert_true(is_platform("jvm.dll"));
	assert_false(is_platform("libapp.so"));
	assert_false(is_platform("libcrypto.so.3"));
	assert_false(is_platform("libnetty_epoll.so"));
	assert_false(is_platform(""));
}

static void other_text_is_no_log(void **state)
{
	struct hs_err e;
	struct error err;

	(void)state;
	assert_int_equal(hs_err_read(&e, "# a\n", 4, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	hs_err_release(&e);
	assert_int_equal(hs_err_read(&e, "", 0, &err), -1);
	hs_err_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_of_a_native_crash_has_all_parts),
		cmocka_unit_test(log_of_jdk_8_has_the_command_and_the_sender),
		cmocka_unit_test(log_of_jdk_11_has_the_maximum_of_mappings),
		cmocka_unit_test(last_events_are_in_order_of_time),
		cmocka_unit_test(each_prefix_of_a_log_is_read),
		cmocka_unit_test(head_in_the_log_of_a_container_is_read),
		cmocka_unit_test(
			log_of_windows_has_the_library_and_the_address),
		cmocka_unit_test(java_frames_have_their_method),
		cmocka_unit_test(spaces_of_all_collectors_are_read),
		cmocka_unit_test(long_lists_and_strings_are_cut_and_counted),
		cmocka_unit_test(libraries_of_the_jdk_and_the_system_are_known),
		cmocka_unit_test(other_text_is_no_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
