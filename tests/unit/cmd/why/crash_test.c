/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Causes by fatal error logs. The logs of tests/data/hs_err are those of JVMs
 * that native code, kill, limits, or a debugger that changed a register, made
 * crash; long sections are removed.
 */
#include "cmd/why/why.h"

#include "core/base/input.h"
#include "core/base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA "tests/data/hs_err/"

enum { MAX_LINES = 30 };

/* clang-format off */
static const struct {
	const char *file, *rule, *cause;
} logs[] = {
	{ "jdk8-java-heap", "java_memory", "The JVM ended itself at an OutOfMemoryError (Java heap space), as -XX:+CrashOnOutOfMemoryError requests." },
	{ "jdk8-kill", "sent_signal", "Process 19911 sent SIGSEGV to the JVM; the JVM did not fail by itself." },
	{ "jdk8-mmap", "native_memory", "The JVM could not get memory from the system: mmap of 400 KB failed." },
	{ "jdk8-native-library", "native_library", "Native code of the application crashed, not the JVM: orders_decode+0x0 in libapp.so." },
	{ "jdk8-tkill", "sent_signal", "Process 20232 sent SIGSEGV to the JVM; the JVM did not fail by itself." },
	{ "jdk8-unsafe", "unsafe", "Java code accessed the invalid address 0x0 through Unsafe: Crash.put." },
	{ "jdk11-illegal", "illegal_instruction", "JNI_OnLoad+0x17b in libapp.so has an instruction that this CPU does not execute." },
	{ "jdk11-ulimit", "ulimit_memory", "mmap of 9.38 MB failed; the process had a limit of 150000k for its data (ulimit -d)." },
	{ "jdk11-unsafe", "unsafe", "Java code accessed the invalid address 0x0 through Unsafe: Crash.put." },
	{ "jdk17-compiler", "compiler", "The JIT compiler C2 crashed while it compiled java.lang.AbstractStringBuilder::ensureCapacityInternal, a bug of the JVM." },
	{ "jdk17-gc", "gc", "The JVM crashed in its garbage collector: G1ParScanThreadState::trim_queue_to_threshold(unsigned int)+0x17 in libjvm.so." },
	{ "jdk17-hsperfdata", "counters_file", "The JVM could not access its counters in /tmp/hsperfdata_shop/6081." },
	{ "jdk17-libc", "called_by_library", "libc.so.6+0x16e0ba crashed, probably called by /srv/shop/libapp.so." },
	{ "jdk17-native-library", "native_library", "Native code of the application crashed, not the JVM: orders_decode+0x0 in libapp.so." },
	{ "jdk17-stack", "native_stack_overflow", "Native code of libapp.so used up the stack of 1 MB of its thread." },
	{ "jdk17-threads", "no_thread", "The JVM could not create a thread." },
	{ "jdk21-java-heap", "java_memory", "The JVM ended itself at an OutOfMemoryError (Java heap space), as -XX:+CrashOnOutOfMemoryError requests." },
	{ "jdk21-mapped-file", "mapped_file", "/srv/shop/mapped.dat is mapped, but could not be read or written: truncated, or no space is left." },
	{ "jdk25-compiler", "compiler", "The JIT compiler C1 crashed while it compiled java.lang.Object::<init>, a bug of the JVM." },
	{ "jdk25-kill", "sent_signal", "Process 17906 sent SIGSEGV to the JVM; the JVM did not fail by itself." },
	{ "jdk25-stack", "native_stack_overflow", "Native code of libapp.so used up the stack of 1 MB of its thread." },
	{ "jdk25-ulimit", "ulimit_memory", "mmap of 9.38 MB failed; the process had a limit of 150000k for its data (ulimit -d)." },
	{ "jdk28-java-heap", "java_memory", "The JVM ended itself at an OutOfMemoryError (Java heap space), as -XX:+CrashOnOutOfMemoryError requests." },
	{ "jdk28-native-library", "native_library", "Native code of the application crashed, not the JVM: orders_decode+0x0 in libapp.so." },
	{ "jdk28-unsafe", "unsafe", "Java code accessed the invalid address 0x0 through Unsafe: Crash.put." },
};

#define TITLE "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
#define SEGV(frame) TITLE "#  SIGSEGV (0xb) at pc=0x00007f12, pid=7, tid=8\n#\n# JRE version: 17\n# Problematic frame:\n# " frame "\n\n"
#define BUS(frame) TITLE "#  SIGBUS (0x7) at pc=0x00007f12, pid=7, tid=8\n#\n# JRE version: 17\n# Problematic frame:\n# " frame "\n\n"
#define NO_MEMORY \
	"#\n# There is insufficient memory for the Java Runtime Environment to continue.\n" \
	"# Native memory allocation (malloc) failed to allocate 1048576 bytes for Chunk::new\n" \
	"#\n#  Out of Memory Error (arena.cpp:184), pid=7, tid=8\n#\n"

static const struct {
	const char *rule, *cause, *log;
} made[] = {
	{ "raised_signal", "The process sent SIGSEGV to itself, which native code does to end it.",
	  SEGV("C  [libc.so.6+0x1]") "siginfo: si_signo: 11 (SIGSEGV), si_code: -6 (SI_TKILL), si_pid: 7, si_uid: 0\n" },
	{ "unknown_sender", "Some process sent SIGSEGV to the JVM, or the JVM to itself; this was no invalid access.",
	  TITLE "#  SIGSEGV (0xb) at pc=0x00007f12 (sent by kill), pid=7, tid=8\n" },
	{ "mappings", "The JVM reached the kernel's limit of 65,530 memory mappings.",
	  NO_MEMORY "Total number of mappings: 65531\n/proc/sys/vm/max_map_count (maximum number of memory map areas a process may have):\n65530\n" },
	{ "container_memory", "The container's memory was used up: 510 MB of 512 MB when malloc of 1 MB failed.",
	  NO_MEMORY "container (cgroup) information:\ncontainer_type: cgroupv2\nmemory_limit_in_bytes: 524288 k\nmemory_usage_in_bytes: 522240 k\n" },
	{ "container_memory", "The container's memory was used up: 510 MB of 512 MB when malloc of 1 MB failed.",
	  NO_MEMORY "container (cgroup) information:\nmemory_limit_in_bytes: 536870912\nmemory_usage_in_bytes: 534773760\n" },
	{ "ulimit_memory", "malloc of 1 MB failed; the process had a limit of 4000000k for its address space (ulimit -v).",
	  NO_MEMORY "rlimit: STACK 8192k, CORE 0k, NPROC 96365, NOFILE 20000, AS 4000000k\n" },
	{ "machine_memory", "malloc of 1 MB failed; the machine had 97.7 MB of 7.63 GB free, and 0 B of swap.",
	  NO_MEMORY "Memory: 4k page, physical 8000000k(100000k free), swap 0k(0k free)\n" },
	/* More than is free. */
	{ "machine_memory", "mmap of 32 GB failed; the machine had 2 GB of 16 GB free, and 8 GB of swap.",
	  "# There is insufficient memory for the Java Runtime Environment to continue.\n"
	  "# Native memory allocation (mmap) failed to map 34359738368 bytes for committing reserved memory.\n"
	  "#  INVALID (0xe0000002) at pc=0x0000000000000000, pid=7, tid=0x8\n\n"
	  "Memory: 4k page, physical 16777216k(2097152k free), swap 8388608k(8388608k free)\n" },
	/* Windows prints as swap what may be committed. */
	{ "machine_memory", "malloc of 1 MB failed; the machine had 2 GB of 16 GB free, and 1 MB of swap.",
	  NO_MEMORY "# Java VM: OpenJDK 64-Bit Server VM (17, windows-amd64)\n\n"
	  "Memory: 4k page, physical 16777216k(2097152k free), swap 20971520k(1024k free)\n" },
	{ "address_space", "A 32-bit JVM could not get more memory: malloc of 1 MB failed.",
	  NO_MEMORY "# Java VM: Java HotSpot(TM) Server VM (25.1-b01 mixed mode linux-x86 )\n\n" },
	{ "no_thread", "The JVM could not create a thread.",
	  "# There is insufficient memory for the Java Runtime Environment to continue.\n# Out of swap space to map in thread stack.\n" },
	{ "native_memory", "The JVM could not get memory from the system: malloc of 1 MB failed.",
	  NO_MEMORY "container (cgroup) information:\nmemory_limit_in_bytes: unlimited\nmemory_usage_in_bytes: 522240 k\n" },
	{ "stack_overflow", "The thread used up its stack of 1 MB at com.acme.Orders.walk.",
	  SEGV("J 5 c2 com.acme.Orders.walk(I)V (9 bytes) @ 0x0 [0x0+0x1]")
	  "siginfo: si_signo: 11 (SIGSEGV), si_code: 2 (SEGV_ACCERR), si_addr: 0x00007f0000001000\n"
	  "Stack: [0x00007f0000000000,0x00007f0000100000],  sp=0x00007f0000004000,  free space=16k\n" },
	{ "hardware_memory", "The hardware reported a memory error (BUS_MCEERR_AR).",
	  BUS("V  [libjvm.so+0x1]") "siginfo: si_signo: 7 (SIGBUS), si_code: 4 (BUS_MCEERR_AR), si_addr: 0x00007f0000001000\n" },
	{ "replaced_jar", "JDK 8 crashed while it read a JAR file, which was probably replaced while the JVM ran.",
	  TITLE "#  SIGBUS (0x7) at pc=0x00007f12, pid=7, tid=8\n# JRE version: OpenJDK Runtime Environment (8.0_345-b01) (build 1.8.0_345-b01)\n"
	  "# Problematic frame:\n# C  [libzip.so+0x4732]  newEntry+0x62\n" },
	{ "deleted_library", "The crash is in a library that was deleted or replaced while the JVM ran: /srv/shop/libapp.so.",
	  SEGV("C  [libapp.so+0x1]") "Dynamic libraries:\n7fa0-7fa1 r-xp 00000000 fe:00 32    /srv/shop/libapp.so (deleted)\n" },
	/* Another use of the library. */
	{ "platform_library", "The crash is in a library of the JDK or the system, fill_window+0x1 in libzip.so, called by A.b.",
	  TITLE "#  SIGSEGV (0xb) at pc=0x00007f12, pid=7, tid=8\n# JRE version: OpenJDK Runtime Environment (8.0_345-b01)\n"
	  "# Problematic frame:\n# C  [libzip.so+0x45be]  fill_window+0x1\n\nJava frames:\nJ 5  A.b()V (0 bytes)\n" },
	{ "native_library", "Native code of the application crashed, not the JVM: offset 0x1 in jna312.tmp.",
	  SEGV("C  [jna312.tmp+0x1]") "Dynamic libraries:\n7fa0-7fa1 r-xp 00000000 fe:00 32    /tmp/jna-1/jna312.tmp (deleted)\n" },
	{ "abort", "Native code ended the process itself, by raise or abort.",
	  SEGV("C  [libsystem_kernel.dylib+0x9388]  __pthread_kill+0x8") },
	/* macOS reports an invalid access with this code. */
	{ "profiler", "The JVM crashed while a profiler of this JVM walked a stack: PcDesc::find+0x1 in libjvm.dylib.",
	  BUS("V  [libjvm.dylib+0x7c791c]  PcDesc::find+0x1") "siginfo: si_signo: 10 (SIGBUS), si_code: 1 (BUS_ADRALN), si_addr: 0x000000010ae98598\n"
	  "\nNative frames:\nV  [libjvm.dylib+0x7c791c]  PcDesc::find+0x1\nV  [libjvm.dylib+0x37ff50]  AsyncGetCallTrace+0x1d4\nC  [libprofiler.so+0x1]\n" },
	{ "compiler", "The JIT compiler C2 crashed while it compiled A::b, a bug of the JVM.",
	  TITLE "#  Internal Error (loopnode.hpp:628), pid=7, tid=8\n#  guarantee(n != NULL) failed: No Node.\n#\n# JRE version: 8\n\n"
	  "Current CompileTask:\nC2:    646   44   !   4       A::b (47 bytes)\n" },
	{ "compiler_thread", "A JIT compiler crashed at PhaseChaitin::Split()+0x1 in libjvm.so, a bug of the JVM.",
	  SEGV("V  [libjvm.so+0x9]  PhaseChaitin::Split()+0x1") "Native frames:\nV  [libjvm.so+0x9]  PhaseChaitin::Split()+0x1\n"
	  "V  [libjvm.so+0x38]  CompileBroker::compiler_thread_loop()+0x5d8\n" },
	{ "vm_in_system", "The JVM itself crashed in a function of a library: pthread_getcpuclockid+0x0 in libpthread.so.0.",
	  SEGV("C  [libpthread.so.0+0xce90]  pthread_getcpuclockid+0x0")
	  "Native frames:\nC  [libpthread.so.0+0xce90]  pthread_getcpuclockid+0x0\nV  [libjvm.so+0xe8a751]  Thread::print_on+0x51\n" },
	{ "gc", "The JVM crashed in its garbage collector: 0x0000000030000000.",
	  SEGV("C  0x0000000030000000") "Current thread (0x00007f):  GCTaskThread [stack: 0x1000,0x2000] [id=589649]\n" },
	{ "bus_error", "The JVM accessed memory at 0x1000 that has no content (BUS_ADRERR).",
	  BUS("V  [libjvm.so+0x1]") "siginfo: si_signo: 7 (SIGBUS), si_code: 2 (BUS_ADRERR), si_addr: 0x1000\n" },
	{ "graphics_driver", "The driver library atio6axx.dll crashed, not the JVM.",
	  TITLE "#  EXCEPTION_ACCESS_VIOLATION (0xc0000005) at pc=0x12, pid=7, tid=8\n# Problematic frame:\n# C  [atio6axx.dll+0x1a2b3c]\n" },
	{ "null_call", "Native code called a function at the invalid address 0x0.",
	  SEGV("C  0x0000000000000000") },
	{ "native_library", "Native code of the application crashed, not the JVM: orders_copy+0x9 in libapp.so.",
	  SEGV("C  [libc.so.6+0x16d5d3]") "Native frames:\nC  [libc.so.6+0x16d5d3]\nC  [libapp.so+0x99]  orders_copy+0x9\nj  A.b()V+0\n" },
	{ "platform_library", "The crash is in a library of the JDK or the system, libnet.so+0x12, called by A.b.",
	  SEGV("C  [libnet.so+0x12]") "Native frames:\nC  [libnet.so+0x12]\nj  A.b()V+0\nC  [launcher+0x1]\n\nJava frames:\nj  A.b()V+0\n" },
	{ "jni", "The JVM crashed in a call by native code of libapp.so.",
	  SEGV("V  [libjvm.so+0x9]") "Native frames:\nV  [libjvm.so+0x9]  jni_GetObjectClass+0x2\nC  [libapp.so+0x99]\nj  A.b()V+0\n" },
	{ "internal_error", "The JVM stopped itself at stackMapTable.cpp:12, because a check of its own failed: guarantee(x) failed: bad map.",
	  TITLE "#  Internal Error (/build/src/stackMapTable.cpp:12), pid=7, tid=8\n#  guarantee(x) failed: bad map\n#\n# JRE version: 17\n\n" },
	{ "gc", "The JVM crashed in its garbage collector: libjvm.so+0x9.",
	  SEGV("V  [libjvm.so+0x9]") "Current thread (0x00007f):  VMThread \"VM Thread\" [stack: 0x1,0x2] [id=3]\nVM_Operation (0x00007f): ParallelGCFailedAllocation, mode: safepoint\n" },
	{ "vm", "The JVM itself crashed at Method::checked+0x1 in libjvm.so.",
	  SEGV("V  [libjvm.so+0x9]  Method::checked+0x1") },
	{ "compiled_method", "Compiled Java code crashed in com.acme.Orders.sum, by a bug of the JIT compiler or damaged memory.",
	  SEGV("J 57 c2 com.acme.Orders.sum([II)J (20 bytes) @ 0x0 [0x0+0x2]") },
	{ "interpreter", "The JVM crashed in its interpreter or a stub: ~StubRoutines::jbyte_disjoint_arraycopy.",
	  SEGV("v  ~StubRoutines::jbyte_disjoint_arraycopy") },
	{ "unknown", "The log does not contain the cause.", TITLE },
};
/* clang-format on */

static int explain_file(const char *path, bool json, struct output *out,
			struct error *err)
{
	struct input in = { 0 };
	int ret = input_open_any(&in, path, err);

	if (ret == 0)
		ret = input_complete(&in, err);
	if (ret == 0)
		ret = why_hs_err(&in, json, out, err);
	input_close(&in);
	return ret;
}

/* Returns the document or the text for a file; the caller releases it. */
static struct text explain(const char *path, bool json, int status)
{
	char name[] = "/tmp/crash_test.XXXXXX";
	struct output out = { 0 };
	struct input in = { 0 };
	struct text text = { 0 };
	struct error err = { .kind = ERROR_NONE };
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	close(fd);
	if (output_open(&out, name, &err))
		fail_msg("%s", err.text);
	explain_file(path, json, &out, &err);
	if (err.kind != (enum error_kind)status)
		fail_msg("%s: status %d: %s", path, err.kind, err.text);
	if (output_commit(&out, &err) || input_open(&in, name, &err) ||
	    input_complete(&in, &err))
		fail_msg("%s: %s", path, err.text);
	output_close(&out);
	text_add(&text, in.bytes, in.len);
	input_close(&in);
	unlink(name);
	return text;
}

static void assert_starts(const struct text *text, const char *start)
{
	if (!text->bytes || strncmp(text->bytes, start, strlen(start)) != 0)
		fail_msg("%s\nis not the start of\n%s", start,
			 text->bytes ? text->bytes : "");
}

static void logs_of_real_crashes_have_their_cause(void **state)
{
	char path[128], *line;
	size_t lines;

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		struct text text;

		snprintf(path, sizeof(path), DATA "%s.log", logs[i].file);
		text = explain(path, false, ERROR_NONE);
		assert_starts(&text, logs[i].cause);
		assert_null(strstr(text.bytes, "hunter2"));
		lines = 0;
		for (line = text.bytes; (line = strchr(line, '\n')); line++)
			lines++;
		assert_in_range(lines, 4, MAX_LINES);
		text_release(&text);
	}
}

static void json_names_the_rule_of_each_log(void **state)
{
	char path[128], rule[64];

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		struct json_reader r;
		struct text text;

		snprintf(path, sizeof(path), DATA "%s.log", logs[i].file);
		snprintf(rule, sizeof(rule), "\"rule\":\"%s\"", logs[i].rule);
		text = explain(path, true, ERROR_NONE);
		assert_starts(&text, "{\"schema\":\"sjkc.hs_err/1\",");
		assert_non_null(strstr(text.bytes, rule));
		assert_null(strstr(text.bytes, "hunter2"));
		r = json_reader_over(text.bytes, text.len);
		json_skip(&r);
		assert_true(json_reader_at_end(&r));
		text_release(&text);
	}
}

/* Returns the text or the document for a log in memory. */
static struct text explain_log(const char *log, bool json)
{
	struct text text = { 0 };
	struct hs_err e;
	struct error err;

	if (hs_err_read(&e, log, strlen(log), &err))
		fail_msg("%s", err.text);
	crash_explain(&text, &e, "log", json);
	hs_err_release(&e);
	return text;
}

static void each_rule_explains_a_log(void **state)
{
	char rule[64], *next;

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		struct text text = explain_log(made[i].log, false);
		struct text json = explain_log(made[i].log, true);

		assert_starts(&text, made[i].cause);
		next = text.bytes + strlen(made[i].cause);
		assert_memory_equal(next, "\nnext: ", 7);
		*strchr(next + 1, '\n') = '\0';
		assert_null(strpbrk(next, "{[|"));
		snprintf(rule, sizeof(rule), "\"rule\":\"%s\"", made[i].rule);
		assert_non_null(strstr(json.bytes, rule));
		text_release(&text);
		text_release(&json);
	}
}

static void text_has_the_evidence(void **state)
{
	struct text text = explain(DATA "jdk17-native-library.log", false,
				   ERROR_NONE);
	struct input want = { 0 };
	struct error err;

	(void)state;
	if (input_open(&want, DATA "jdk17-native-library.txt", &err) ||
	    input_complete(&want, &err))
		fail_msg("%s", err.text);
	if (want.len != text.len ||
	    memcmp(want.bytes, text.bytes, want.len) != 0)
		fail_msg("%s", text.bytes);
	input_close(&want);
	text_release(&text);
}

static void write_file(const char *path, const char *bytes, size_t len)
{
	struct error err;

	if (output_file(path, bytes, len, &err))
		fail_msg("%s", err.text);
}

static void truncated_log_is_explained_and_partial(void **state)
{
	static const char path[] = "/tmp/crash_test.log";
	struct input in = { 0 };
	struct error err;
	struct text text;

	(void)state;
	if (input_open_any(&in, DATA "jdk21-mapped-file.log", &err))
		fail_msg("%s", err.text);
	write_file(path, (const char *)in.bytes, in.len / 2);
	text = explain(path, false, ERROR_PARTIAL);
	assert_starts(&text, "The JVM accessed memory at 0x7f901809d000 that "
			     "has no content (BUS_ADRERR).");
	assert_non_null(strstr(text.bytes, "note: the log ends early\n"));
	text_release(&text);
	/* The part that the JVM prints to standard output. */
	write_file(path, (const char *)in.bytes,
		   (size_t)(strstr((const char *)in.bytes, "\n\n") -
			    (const char *)in.bytes) +
			   1);
	text = explain(path, false, ERROR_NONE);
	assert_non_null(strstr(text.bytes, "note: this is only the head"));
	text_release(&text);
	input_close(&in);
	unlink(path);
}

static void foreign_text_is_safe_for_a_terminal(void **state)
{
	struct text text = explain_log(
		SEGV("C  [lib\033[31mapp.so+0x1]  {frame}"), false);

	(void)state;
	assert_null(strchr(text.bytes, '\033'));
	assert_starts(&text, "Native code of the application crashed, not the "
			     "JVM: {frame} in lib\xe2\x90\x9b[31mapp.so.\n");
	text_release(&text);
}

static void other_files_of_a_jvm_are_named(void **state)
{
	static const char path[] = "/tmp/crash_test.hprof";
	struct output out = { 0 };
	struct error err;

	(void)state;
	write_file(path, "JAVA PROFILE 1.0.2\0\0\0\0\10", 23);
	assert_int_equal(explain_file(path, false, &out, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_non_null(strstr(err.text, "is a heap dump"));
	write_file(path, "text\n", 5);
	assert_int_equal(explain_file(path, false, &out, &err), -1);
	assert_non_null(strstr(err.text, "no fatal error log of HotSpot"));
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_of_real_crashes_have_their_cause),
		cmocka_unit_test(json_names_the_rule_of_each_log),
		cmocka_unit_test(each_rule_explains_a_log),
		cmocka_unit_test(text_has_the_evidence),
		cmocka_unit_test(truncated_log_is_explained_and_partial),
		cmocka_unit_test(foreign_text_is_safe_for_a_terminal),
		cmocka_unit_test(other_files_of_a_jvm_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
