/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const void *bytes, size_t len, const char *name)
{
	struct text out = { 0 };
	bool known = foreign_file_name(&out, bytes, len);

	assert_int_equal(known, name != NULL);
	if (name)
		assert_string_equal(out.bytes, name);
	else
		assert_int_equal(out.len, 0);
	text_release(&out);
}

#define EXPLAINED           "; `sjkc why FILE` explains it"
#define EXPECT(bytes, name) expect((bytes), sizeof(bytes) - 1, (name))

static void fatal_error_logs_are_named_with_their_cause(void **state)
{
	(void)state;
	EXPECT("#\n# A fatal error has been detected by the Java Runtime "
	       "Environment:\n#\n#  SIGSEGV (0xb) at pc=0x7f12, pid=1, tid=2\n"
	       "#\n# JRE version: 17\n# Problematic frame:\n"
	       "# C  [libc.so.6+0x16d5d3]\n#\n",
	       "a HotSpot fatal error log: SIGSEGV (0xb) at pc=0x7f12, pid=1, "
	       "tid=2; problematic frame: C  [libc.so.6+0x16d5d3]" EXPLAINED);
	EXPECT("#\n# There is insufficient memory for the Java Runtime "
	       "Environment to continue.\n# Native memory allocation (mmap) "
	       "failed to map 4096 bytes\n",
	       "a HotSpot fatal error log: Native memory allocation (mmap) "
	       "failed to map 4096 bytes" EXPLAINED);
	/* Truncated, and with an escape sequence. */
	EXPECT("#\n# A fatal error has been detected by the",
	       "a HotSpot fatal error log" EXPLAINED);
	EXPECT("#\n# A fatal error has been detected by the X:\n# \033[31m\n"
	       "# Problematic frame:",
	       "a HotSpot fatal error log: \xe2\x90\x9b[31m" EXPLAINED);
	EXPECT("# A fatal error has been detected by the\n", NULL);
	EXPECT("#\n# a comment\n", NULL);
}

static void fatal_error_logs_in_logs_of_containers_are_named(void **state)
{
	static const char name
		[] = "a HotSpot fatal error log: SIGSEGV (0xb) at pc=0x7f12; "
		     "problematic frame: V  [libjvm.so+0x16d5d3]" EXPLAINED;

	(void)state;
	EXPECT("2026-05-03T16:12:41.1Z stdout F #\n"
	       "2026-05-03T16:12:41.1Z stdout F # A fatal error has been "
	       "detected by the Java Runtime Environment:\n"
	       "2026-05-03T16:12:41.1Z stdout F #\n"
	       "2026-05-03T16:12:41.1Z stdout F #  SIGSEGV (0xb) at pc=0x7f12\n"
	       "2026-05-03T16:12:41.1Z stdout F # Problematic frame:\n"
	       "2026-05-03T16:12:41.1Z stdout P # V  [libjvm.so\n"
	       "2026-05-03T16:12:41.1Z stdout F +0x16d5d3]\n",
	       name);
	EXPECT("{\"log\":\"#\\n\"}\n"
	       "{\"log\":\"# A fatal error has been detected by X:\\n\"}\n"
	       "{\"log\":\"#  SIGSEGV (0xb) at pc=0x7f12\\n\"}\n"
	       "{\"log\":\"# Problematic frame:\\n\"}\n"
	       "{\"log\":\"# V  [libjvm.so+0x16d5d3]\\n\"}\n",
	       name);
	EXPECT("2026-05-03T16:12:41.1Z stdout F #\n"
	       "2026-05-03T16:12:41.1Z stdout F # a comment\n",
	       NULL);
}

static void minidumps_are_named(void **state)
{
	(void)state;
	EXPECT("MDMP\x93\xa7\0\0", "a Windows minidump; open it with WinDbg");
	EXPECT("MDMP of a log", NULL);
	EXPECT("MDMP", NULL);
}

static void core_files_are_named_in_either_byte_order(void **state)
{
	static const char core[] = "a core file; `jhsdb jstack --exe JAVA "
				   "--core FILE` prints its threads";

	(void)state;
	EXPECT("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0>\0", core);
	EXPECT("\177ELF\2\2\1\0\0\0\0\0\0\0\0\0\0\4\0\0", core);
	EXPECT("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0", NULL);
	EXPECT("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4", NULL);
}

static void heap_dumps_are_named(void **state)
{
	static const char dump[] = "a heap dump; open it with a heap analyzer "
				   "such as Eclipse MAT";

	(void)state;
	EXPECT("JAVA PROFILE 1.0.2\0\0\0\0\10", dump);
	EXPECT("\0\x12portable heap dump\0\0\0\6", dump);
	EXPECT("JAVA PROFILE", NULL);
	EXPECT("", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fatal_error_logs_are_named_with_their_cause),
		cmocka_unit_test(
			fatal_error_logs_in_logs_of_containers_are_named),
		cmocka_unit_test(minidumps_are_named),
		cmocka_unit_test(core_files_are_named_in_either_byte_order),
		cmocka_unit_test(heap_dumps_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
