/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/why/crash.h"

#include "core/base/safe_text.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct hs_err_frame *crash_find_culprit(const struct hs_err *e)
{
	const struct hs_err_frame *f = &e->frame;

	if (f->kind == 'C' && f->library && !hs_err_is_platform(f->library))
		return f;
	for (size_t i = 0; i < e->native.count; i++) {
		f = &e->native.frames[i];
		if (f->kind != 'C' && f->kind != 'V')
			return NULL;
		if (f->kind == 'C' && f->library &&
		    !hs_err_is_platform(f->library))
			return f;
	}
	return NULL;
}

static bool crash_has(const char *text, const char *word)
{
	return text && strstr(text, word);
}

static bool crash_starts(const char *text, const char *prefix)
{
	return text && strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool crash_is_in(const struct crash *c, char kind)
{
	return c->e->frame.kind == kind;
}

/* Returns the value of a limit of the process if it is a number, or NULL. */
static const char *crash_limit(const struct crash *c, const char *name)
{
	for (size_t i = 0; i < c->e->limit_count; i++) {
		const struct hs_err_limit *l = &c->e->limits[i];

		if (strcmp(l->name, name) == 0)
			return strcmp(l->value, "infinity") == 0 ? NULL
								 : l->value;
	}
	return NULL;
}

/* ---- tests of the rules ---- */

static bool crash_is_sent(const struct crash *c)
{
	return c->e->sender && c->e->sender != c->e->pid;
}

static bool crash_is_raised(const struct crash *c)
{
	return c->e->sender && c->e->sender == c->e->pid;
}

static bool crash_has_unknown_sender(const struct crash *c)
{
	return c->e->sent_by_kill;
}

static bool crash_lacks_memory(const struct crash *c)
{
	return c->e->kind == HS_ERR_NO_MEMORY;
}

static bool crash_lacks_threads(const struct crash *c)
{
	return crash_lacks_memory(c) &&
	       (crash_has(c->e->message, "Cannot create") ||
		crash_has(c->e->message, "thread stack") ||
		crash_has(c->e->message, "native thread"));
}

/* The number of mapped areas is within a twentieth of the limit. */
static bool crash_lacks_mappings(const struct crash *c)
{
	const struct hs_err *e = c->e;

	return crash_lacks_memory(c) && e->mappings != HS_ERR_ABSENT &&
	       e->max_mappings != HS_ERR_ABSENT &&
	       e->mappings >= e->max_mappings - e->max_mappings / 20;
}

static bool crash_has_ulimit(const struct crash *c)
{
	return crash_lacks_memory(c) &&
	       (crash_limit(c, "AS") || crash_limit(c, "DATA"));
}

static bool crash_fills_container(const struct crash *c)
{
	const struct hs_err *e = c->e;

	return crash_lacks_memory(c) && e->container_memory != HS_ERR_ABSENT &&
	       e->container_usage != HS_ERR_ABSENT &&
	       e->container_usage >=
		       e->container_memory - e->container_memory / 10;
}

/* Returns the bytes of the allocation that failed, or 0. */
static uint64_t crash_allocation(const struct crash *c)
{
	const char *at = c->e->message ? strstr(c->e->message, "failed to ")
				       : NULL;

	at = at ? strpbrk(at, "0123456789") : NULL;
	return at ? strtoull(at, NULL, 10) : 0;
}

/*
 * Less memory and swap is free than the JVM requested, or little is free. On
 * Windows, the swap of the log is the commit limit, which includes memory.
 */
static bool crash_fills_machine(const struct crash *c)
{
	const struct hs_err *e = c->e;
	uint64_t swap = e->swap_free == HS_ERR_ABSENT ? 0 : e->swap_free;

	if (!crash_lacks_memory(c) || e->memory == HS_ERR_ABSENT ||
	    e->memory_free == HS_ERR_ABSENT)
		return false;
	if (crash_has(e->vm, "windows") && e->swap_free != HS_ERR_ABSENT)
		return swap < e->memory / 32 || crash_allocation(c) > swap;
	return (e->memory_free < e->memory / 32 && swap < e->memory / 32) ||
	       crash_allocation(c) > e->memory_free + swap;
}

static bool crash_is_32_bit(const struct crash *c)
{
	return crash_lacks_memory(c) && (crash_has(c->e->vm, "linux-x86 ") ||
					 crash_has(c->e->vm, "windows-x86 ") ||
					 crash_has(c->e->vm, "-x86)"));
}

#define OUT_OF_MEMORY "fatal error: OutOfMemory encountered: "

static bool crash_is_of_heap(const struct crash *c)
{
	return crash_starts(c->e->message, OUT_OF_MEMORY);
}

/*
 * The guard pages at the end of a stack take 16 KiB with pages of 4 KiB, and
 * 256 KiB with pages of 64 KiB.
 */
#define GUARD_BYTES ((uint64_t)256 << 10)

static bool crash_overflows_stack(const struct crash *c)
{
	const struct hs_err *e = c->e;

	if (crash_has(e->signal, "STACK_OVERFLOW"))
		return true;
	return crash_has(e->signal, "SIGSEGV") && e->has_address &&
	       e->stack_low && e->address < e->stack_low + GUARD_BYTES &&
	       e->address + GUARD_BYTES >= e->stack_low &&
	       e->address < e->stack_pointer;
}

static bool crash_overflows_native_stack(const struct crash *c)
{
	return crash_overflows_stack(c) && c->culprit;
}

static bool crash_has_bad_memory(const struct crash *c)
{
	return crash_starts(c->e->code, "BUS_MCEERR");
}

static bool crash_is_bus(const struct crash *c)
{
	return crash_has(c->e->signal, "SIGBUS");
}

static bool crash_is_of_counters(const struct crash *c)
{
	return crash_is_bus(c) && crash_has(c->e->mapped_file, "hsperfdata_");
}

/*
 * True if one of the functions, of which any may be the start of a symbol, is
 * on the native stack.
 */
static bool crash_calls(const struct crash *c, const char *const *functions)
{
	const struct hs_err_stack *s = &c->e->native;

	for (; *functions; functions++) {
		if (crash_starts(c->e->frame.symbol, *functions))
			return true;
		for (size_t i = 0; i < s->count; i++)
			if (crash_starts(s->frames[i].symbol, *functions))
				return true;
	}
	return false;
}

static bool crash_is_abort(const struct crash *c)
{
	static const char *const functions[] = {
		"raise+",       "abort+",        "gsignal+", "__pthread_kill",
		"pthread_kill", "__assert_fail", NULL,
	};

	return crash_is_in(c, 'C') && crash_calls(c, functions);
}

/* JDK 8 maps the directory of each JAR file. */
static bool crash_is_of_jar(const struct crash *c)
{
	static const char *const functions[] = {
		"newEntry+",    "readCEN+",
		"ZIP_GetEntry", "ZIP_FindEntry+",
		"ZIP_Open",     "Java_java_util_zip_ZipFile_",
		NULL,
	};

	return crash_is_in(c, 'C') && crash_has(c->e->jre, "8.0_") &&
	       crash_calls(c, functions);
}

static bool crash_is_of_profiler(const struct crash *c)
{
	static const char *const functions[] = {
		"AsyncGetCallTrace",
		"forte_",
		"vframeStreamForte",
		"JfrStackTrace::",
		"OSThreadSampler",
		"JfrThreadSampl",
		"JavaThread::pd_get_top_frame_for_profiling",
		NULL,
	};

	return crash_is_in(c, 'V') && crash_calls(c, functions);
}

/* JNA deletes its libraries in /tmp after it has loaded them. */
static bool frame_is_replaced(const struct hs_err_frame *f)
{
	return f->is_deleted && !crash_has(f->path, "/tmp/") &&
	       !crash_has(f->path, "/jna");
}

static bool crash_is_of_deleted(const struct crash *c)
{
	return frame_is_replaced(&c->e->frame) ||
	       (c->culprit && frame_is_replaced(c->culprit));
}

/* macOS reports other invalid accesses as BUS_ADRALN. */
static bool crash_is_bus_error(const struct crash *c)
{
	return crash_is_bus(c) && !crash_has(c->e->code, "BUS_ADRALN");
}

static bool crash_is_of_file(const struct crash *c)
{
	return crash_is_bus_error(c) && c->e->mapped_file;
}

static bool crash_is_illegal(const struct crash *c)
{
	return crash_is_in(c, 'C') &&
	       (crash_has(c->e->signal, "SIGILL") ||
		crash_has(c->e->signal, "ILLEGAL_INSTRUCTION"));
}

static bool crash_is_of_compiler(const struct crash *c)
{
	return c->e->compiled && (crash_is_in(c, 'V') || crash_is_in(c, 'C') ||
				  c->e->kind == HS_ERR_INTERNAL);
}

/* The log lacks the method if its printing failed. */
static bool crash_is_of_compiler_thread(const struct crash *c)
{
	static const char *const functions[] = { "CompileBroker::", NULL };

	return crash_is_in(c, 'V') && crash_calls(c, functions);
}

static bool frame_is_unsafe(const struct hs_err_frame *f)
{
	return crash_starts(f->method, "sun.misc.Unsafe.") ||
	       crash_starts(f->method, "jdk.internal.misc.Unsafe.") ||
	       crash_starts(f->method, "jdk.internal.misc.ScopedMemoryAccess.");
}

static bool crash_is_of_unsafe(const struct crash *c)
{
	return !c->culprit && !crash_is_of_compiler(c) &&
	       (crash_starts(c->e->frame.symbol, "Unsafe_") ||
		(c->e->java.count && frame_is_unsafe(&c->e->java.frames[0])));
}

static bool crash_is_of_null_call(const struct crash *c)
{
	return crash_is_in(c, 'C') && !c->e->frame.library;
}

static bool crash_is_of_driver(const struct crash *c)
{
	static const char *const drivers[] = {
		"nvoglv", "nvidia",     "libGL",  "libEGL", "atio6",
		"atig6",  "amdxx",      "amdvlk", "amdxc",  "_dri.so",
		"ig4icd", "ig75icd",    "ig9icd", "igxelp", "libcuda",
		"nvcuda", "libgallium",
	};

	for (size_t i = 0; c->culprit && i < sizeof(drivers) / sizeof(*drivers);
	     i++)
		if (crash_has(c->culprit->library, drivers[i]))
			return true;
	return false;
}

static bool crash_is_of_library(const struct crash *c)
{
	return c->culprit && crash_is_in(c, 'C');
}

static bool crash_is_of_jni(const struct crash *c)
{
	return c->culprit && crash_is_in(c, 'V');
}

static bool crash_is_internal(const struct crash *c)
{
	return c->e->kind == HS_ERR_INTERNAL;
}

static bool crash_is_of_gc(const struct crash *c)
{
	static const char *const threads[] = {
		"GC Thread",  "G1 ",   "ZWorker",         "ZDriver", "XWorker",
		"Shenandoah", "ParGC", "Concurrent Mark", "CMS",
	};
	const struct hs_err *e = c->e;

	if (!crash_is_in(c, 'V') && (!crash_is_in(c, 'C') || c->culprit))
		return false;
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++)
		if (crash_starts(e->thread, threads[i]))
			return true;
	return crash_starts(e->thread_kind, "GCTask") ||
	       crash_starts(e->thread_kind, "ConcurrentGC") ||
	       crash_has(e->operation, "GC") ||
	       crash_has(e->operation, "Collect");
}

static bool crash_is_of_vm(const struct crash *c)
{
	return crash_is_in(c, 'V');
}

/* A function of the system or the JDK that libjvm has called. */
static bool crash_is_below_vm(const struct crash *c)
{
	const struct hs_err_stack *s = &c->e->native;

	for (size_t i = 0; crash_is_in(c, 'C') && i < s->count; i++)
		if (s->frames[i].kind != 'C')
			return s->frames[i].kind == 'V';
	return false;
}

static bool crash_is_of_compiled(const struct crash *c)
{
	return crash_is_in(c, 'J') || crash_is_in(c, 'A');
}

static bool crash_is_of_generated(const struct crash *c)
{
	return crash_is_in(c, 'j') || crash_is_in(c, 'v');
}

static bool crash_has_slot(const struct crash *c)
{
	return crash_is_in(c, 'C') && c->e->stack_library;
}

static bool crash_is_of_platform(const struct crash *c)
{
	return crash_is_in(c, 'C') && c->e->frame.library;
}

static bool crash_is_any(const struct crash *c)
{
	(void)c;
	return true;
}

/* ---- rules ---- */

struct crash_rule {
	const char *name;
	bool (*test)(const struct crash *c);
	const char *sentence, *next; /* with words of `words` */
};

#define REPORT                                                                 \
	"update to the latest release of this JDK; if it crashes again, "      \
	"report this log to the JDK's vendor"

/* clang-format off */
/* The first rule whose test is true explains the crash. */
static const struct crash_rule rules[] = {
	{ "sent_signal", crash_is_sent,
	  "Process {sender} sent {signal} to the JVM; the JVM did not fail by itself.",
	  "find the program that sends {signal} to this JVM, such as a script with kill" },
	{ "raised_signal", crash_is_raised,
	  "The process sent {signal} to itself, which native code does to end it.",
	  "read the standard error of the JVM for the message of the native code" },
	{ "unknown_sender", crash_has_unknown_sender,
	  "Some process sent {signal} to the JVM, or the JVM to itself; this was no invalid access.",
	  "find the program that sends {signal}; the sender may be outside of the JVM's container" },
	{ "mappings", crash_lacks_mappings,
	  "The JVM reached the kernel's limit of {mappings} memory mappings.",
	  "raise vm.max_map_count with sysctl, or create fewer threads and mapped buffers" },
	{ "no_thread", crash_lacks_threads,
	  "The JVM could not create a thread.",
	  "raise the limit of processes (ulimit -u, here {nproc}) or of the container's PIDs, or create fewer threads" },
	{ "container_memory", crash_fills_container,
	  "The container's memory was used up: {usage} of {container} when {allocation} failed.",
	  "raise the container's limit, or lower -Xmx, thread counts and direct buffers" },
	{ "ulimit_memory", crash_has_ulimit,
	  "{allocation} failed; the process had a limit of {ulimit}.",
	  "raise that limit, or lower -Xmx and thread counts" },
	{ "address_space", crash_is_32_bit,
	  "A 32-bit JVM could not get more memory: {allocation} failed.",
	  "use a 64-bit JVM, or lower -Xmx and the number of threads: all memory of a 32-bit process is at most 4 GB" },
	{ "machine_memory", crash_fills_machine,
	  "{allocation} failed; the machine had {free} of {memory} free, and {swap} of swap.",
	  "free memory, add swap, or lower -Xmx; other processes may use the memory" },
	{ "native_memory", crash_lacks_memory,
	  "The JVM could not get memory from the system: {allocation} failed.",
	  "check ulimit -v, vm.overcommit_memory and the container's limit; lower -Xmx if they are low" },
	{ "java_memory", crash_is_of_heap,
	  "The JVM ended itself at an OutOfMemoryError ({reason}), as -XX:+CrashOnOutOfMemoryError requests.",
	  "`sjkc hh PID` counts the objects of a running JVM; -XX:+HeapDumpOnOutOfMemoryError writes a heap dump" },
	{ "native_stack_overflow", crash_overflows_native_stack,
	  "Native code of {library} used up the stack of {stack} of its thread.",
	  "look for endless recursion at {symbol}; if there is none, raise -Xss" },
	{ "stack_overflow", crash_overflows_stack,
	  "The thread used up its stack of {stack} at {frame}.",
	  "look for deep recursion in the frames below; if there is none, raise -Xss" },
	{ "hardware_memory", crash_has_bad_memory,
	  "The hardware reported a memory error ({code}).",
	  "check the kernel's log for machine checks, and replace the memory" },
	{ "counters_file", crash_is_of_counters,
	  "The JVM could not access its counters in {file}.",
	  "check the free space there, and that no program truncates the file; -XX:+PerfDisableSharedMem avoids the file and hides the JVM from jps" },
	{ "replaced_jar", crash_is_of_jar,
	  "JDK 8 crashed while it read a JAR file, which was probably replaced while the JVM ran.",
	  "replace JAR files only while the JVM is stopped, or set -Dsun.zip.disableMemoryMapping=true" },
	{ "abort", crash_is_abort,
	  "Native code ended the process itself, by raise or abort.",
	  "read the standard error of the JVM for the message of the native code" },
	{ "deleted_library", crash_is_of_deleted,
	  "The crash is in a library that was deleted or replaced while the JVM ran: {deleted}.",
	  "restart the JVM after updates of its libraries" },
	{ "mapped_file", crash_is_of_file,
	  "{file} is mapped, but could not be read or written: truncated, or no space is left.",
	  "check the free space of its file system, and the program that truncates the file" },
	{ "bus_error", crash_is_bus_error,
	  "The JVM accessed memory at {address} that has no content ({code}).",
	  "check whether a mapped file was truncated, and the free space of /tmp and /dev/shm" },
	{ "illegal_instruction", crash_is_illegal,
	  "{frame} has an instruction that this CPU does not execute.",
	  "check that the code was built for this CPU; compilers also emit it as a trap" },
	{ "compiler", crash_is_of_compiler,
	  "The JIT compiler {compiler} crashed while it compiled {compiled}, a bug of the JVM.",
	  "exclude the method with -XX:CompileCommand=exclude,{compiled}, and " REPORT },
	{ "compiler_thread", crash_is_of_compiler_thread,
	  "A JIT compiler crashed at {frame}, a bug of the JVM.",
	  REPORT },
	{ "unsafe", crash_is_of_unsafe,
	  "Java code accessed the invalid address {address} through Unsafe: {caller}.",
	  "correct or update the library that contains this method" },
	{ "graphics_driver", crash_is_of_driver,
	  "The driver library {library} crashed, not the JVM.",
	  "update the driver, or disable its use, such as with -Dsun.java2d.opengl=false" },
	{ "profiler", crash_is_of_profiler,
	  "The JVM crashed while a profiler of this JVM walked a stack: {frame}.",
	  "update the profiler and the JDK; until then, stop the profiler, or JFR" },
	{ "gc", crash_is_of_gc,
	  "The JVM crashed in its garbage collector: {frame}.",
	  REPORT "; if places differ between crashes, check native libraries and the machine's memory" },
	{ "null_call", crash_is_of_null_call,
	  "Native code called a function at the invalid address {target}.",
	  "look for a missing symbol or a bad function pointer in native code, called by {java}" },
	{ "native_library", crash_is_of_library,
	  "Native code of the application crashed, not the JVM: {symbol} in {library}.",
	  "report it to the author of {library}; -Xcheck:jni finds wrong uses of JNI" },
	{ "jni", crash_is_of_jni,
	  "The JVM crashed in a call by native code of {library}.",
	  "run with -Xcheck:jni, which finds wrong uses of JNI, and correct or update the library" },
	{ "internal_error", crash_is_internal,
	  "The JVM stopped itself at {source}, because a check of its own failed: {message}.",
	  REPORT },
	{ "vm", crash_is_of_vm,
	  "The JVM itself crashed at {frame}.",
	  REPORT },
	{ "compiled_method", crash_is_of_compiled,
	  "Compiled Java code crashed in {method}, by a bug of the JIT compiler or damaged memory.",
	  "exclude the method with -XX:CompileCommand=exclude,{method}; if it helps, " REPORT },
	{ "interpreter", crash_is_of_generated,
	  "The JVM crashed in its interpreter or a stub: {frame}.",
	  REPORT "; check native libraries and uses of Unsafe, which can damage memory" },
	{ "called_by_library", crash_has_slot,
	  "{frame} crashed, probably called by {slot}.",
	  "check the calls of that library; -Xcheck:jni finds wrong uses of JNI" },
	{ "vm_in_system", crash_is_below_vm,
	  "The JVM itself crashed in a function of a library: {frame}.",
	  REPORT },
	{ "platform_library", crash_is_of_platform,
	  "The crash is in a library of the JDK or the system, {frame}, called by {java}.",
	  "update the JDK and the system; if it crashes again, report this log to the JDK's vendor" },
	{ "unknown", crash_is_any,
	  "The log does not contain the cause.",
	  "look for the whole hs_err_pid*.log in the JVM's working directory, or set -XX:ErrorFile" },
};
/* clang-format on */

/* ---- words in the sentences ---- */

void crash_add_text(struct text *out, const char *text)
{
	size_t len;

	if (!text) {
		text_puts(out, "an unknown place");
		return;
	}
	len = strlen(text);
	if (len > CRASH_VALUE_BYTES) {
		safe_text(out, text, CRASH_VALUE_BYTES);
		text_puts(out, "…");
	} else {
		safe_text(out, text, len);
	}
}

static void word_bytes(struct text *out, uint64_t bytes)
{
	if (bytes == HS_ERR_ABSENT || !bytes)
		text_puts(out, "unknown size");
	else
		units_add_bytes(out, (double)bytes);
}

static void word_frame(struct text *out, const struct hs_err_frame *f)
{
	if (f->library && f->symbol) {
		crash_add_text(out, f->symbol);
		text_puts(out, " in ");
		crash_add_text(out, f->library);
	} else if (f->library) {
		crash_add_text(out, f->library);
		text_printf(out, "+0x%" PRIx64, f->offset);
	} else if (f->method) {
		crash_add_text(out, f->method);
	} else {
		crash_add_text(out, f->kind ? f->text : NULL);
	}
}

static void word_add_frame(struct text *out, const struct crash *c)
{
	word_frame(out, &c->e->frame);
}

static void word_add_sender(struct text *out, const struct crash *c)
{
	text_printf(out, "%" PRIu64, c->e->sender);
}

static void word_add_signal(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->e->signal);
}

static void word_add_mappings(struct text *out, const struct crash *c)
{
	units_add_count(out, c->e->max_mappings);
}

static void word_add_nproc(struct text *out, const struct crash *c)
{
	const char *limit = crash_limit(c, "NPROC");

	crash_add_text(out, limit ? limit : "infinity");
}

static void word_add_usage(struct text *out, const struct crash *c)
{
	word_bytes(out, c->e->container_usage);
}

static void word_add_container(struct text *out, const struct crash *c)
{
	word_bytes(out, c->e->container_memory);
}

/*
 * "Native memory allocation (mmap) failed to map 9830400 bytes. Error detail:
 * …" becomes "mmap of 9.38 MB".
 */
static void word_add_allocation(struct text *out, const struct crash *c)
{
	const char *message = c->e->message, *call, *end;
	uint64_t size = crash_allocation(c);

	call = message ? strstr(message, "allocation (") : NULL;
	end = call ? strchr(call, ')') : NULL;
	if (!end || !size) {
		text_puts(out, "an allocation");
		return;
	}
	call += strlen("allocation (");
	safe_text(out, call, (size_t)(end - call));
	text_puts(out, " of ");
	word_bytes(out, size);
}

static void word_add_ulimit(struct text *out, const struct crash *c)
{
	const char *space = crash_limit(c, "AS"),
		   *data = crash_limit(c, "DATA");

	if (space) {
		crash_add_text(out, space);
		text_puts(out, " for its address space (ulimit -v)");
	}
	if (data) {
		text_puts(out, space ? " and of " : "");
		crash_add_text(out, data);
		text_puts(out, " for its data (ulimit -d)");
	}
}

static void word_add_free(struct text *out, const struct crash *c)
{
	units_add_bytes(out, (double)c->e->memory_free);
}

static void word_add_memory(struct text *out, const struct crash *c)
{
	word_bytes(out, c->e->memory);
}

static void word_add_reason(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->e->message + strlen(OUT_OF_MEMORY));
}

static void word_add_library(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->culprit ? c->culprit->library : NULL);
}

static void word_add_swap(struct text *out, const struct crash *c)
{
	uint64_t swap = c->e->swap_free;

	units_add_bytes(out, swap == HS_ERR_ABSENT ? 0 : (double)swap);
}

static void word_add_symbol(struct text *out, const struct crash *c)
{
	const struct hs_err_frame *f = c->culprit;

	if (f && !f->symbol)
		text_printf(out, "offset 0x%" PRIx64, f->offset);
	else
		crash_add_text(out, f ? f->symbol : NULL);
}

static void word_add_stack(struct text *out, const struct crash *c)
{
	word_bytes(out, c->e->stack_high - c->e->stack_low);
}

static void word_add_code(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->e->code ? c->e->code : c->e->signal);
}

static void word_add_file(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->e->mapped_file);
}

static void word_add_deleted(struct text *out, const struct crash *c)
{
	crash_add_text(out, frame_is_replaced(&c->e->frame) ? c->e->frame.path
							    : c->culprit->path);
}

static void word_add_address(struct text *out, const struct crash *c)
{
	text_printf(out, "0x%" PRIx64, c->e->address);
}

static void word_add_target(struct text *out, const struct crash *c)
{
	text_printf(out, "0x%" PRIx64, c->e->frame.offset);
}

static void word_add_compiler(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->e->compiler);
}

static void word_add_compiled(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->e->compiled);
}

static void word_add_caller(struct text *out, const struct crash *c)
{
	const struct hs_err_stack *s = &c->e->java;
	const char *caller = NULL;

	for (size_t i = 0; i < s->count && !caller; i++)
		if (!frame_is_unsafe(&s->frames[i]))
			caller = s->frames[i].method;
	crash_add_text(out, caller);
}

static void word_add_java(struct text *out, const struct crash *c)
{
	const struct hs_err_stack *s = &c->e->java;

	if (s->count && s->frames[0].method)
		crash_add_text(out, s->frames[0].method);
	else
		text_puts(out, "no Java method");
}

static void word_add_method(struct text *out, const struct crash *c)
{
	const struct hs_err_frame *f = &c->e->frame;

	crash_add_text(out, f->method ? f->method : f->text);
}

static void word_add_source(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->e->source);
}

static void word_add_message(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->e->message ? c->e->message : "no message");
}

static void word_add_slot(struct text *out, const struct crash *c)
{
	crash_add_text(out, c->e->stack_library);
}

/* clang-format off */
static const struct {
	const char *name;
	void (*add)(struct text *out, const struct crash *c);
} words[] = {
	{ "address", word_add_address },
	{ "allocation", word_add_allocation },
	{ "caller", word_add_caller },
	{ "code", word_add_code },
	{ "compiled", word_add_compiled },
	{ "compiler", word_add_compiler },
	{ "container", word_add_container },
	{ "deleted", word_add_deleted },
	{ "file", word_add_file },
	{ "frame", word_add_frame },
	{ "free", word_add_free },
	{ "java", word_add_java },
	{ "library", word_add_library },
	{ "mappings", word_add_mappings },
	{ "memory", word_add_memory },
	{ "message", word_add_message },
	{ "method", word_add_method },
	{ "nproc", word_add_nproc },
	{ "reason", word_add_reason },
	{ "sender", word_add_sender },
	{ "signal", word_add_signal },
	{ "slot", word_add_slot },
	{ "source", word_add_source },
	{ "stack", word_add_stack },
	{ "swap", word_add_swap },
	{ "symbol", word_add_symbol },
	{ "target", word_add_target },
	{ "ulimit", word_add_ulimit },
	{ "usage", word_add_usage },
};
/* clang-format on */

/* Appends a sentence of a rule, in which {name} becomes a value. */
static void sentence_add(struct text *out, const struct crash *c,
			 const char *sentence)
{
	const char *open;

	while ((open = strchr(sentence, '{'))) {
		const char *name = open + 1;
		size_t len = strcspn(name, "}");

		text_add(out, sentence, (size_t)(open - sentence));
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (strlen(words[i].name) == len &&
			    memcmp(words[i].name, name, len) == 0)
				words[i].add(out, c);
		sentence = name + len + 1;
	}
	text_puts(out, sentence);
}

void crash_init(struct crash *c, const struct hs_err *e, const char *path)
{
	*c = (struct crash){
		.e = e,
		.path = path,
		.culprit = crash_find_culprit(e),
		.rule = rules,
	};
	while (!c->rule->test(c))
		c->rule++;
}

const char *crash_rule_name(const struct crash *c) { return c->rule->name; }

void crash_add_cause(struct text *out, const struct crash *c)
{
	sentence_add(out, c, c->rule->sentence);
}

void crash_add_next(struct text *out, const struct crash *c)
{
	sentence_add(out, c, c->rule->next);
}
