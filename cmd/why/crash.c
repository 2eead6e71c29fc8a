/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/why/why.h"

#include "core/base/ascii.h"
#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of foreign text that a value has. */
#define CRASH_VALUE_BYTES 160

/* The facts of a log, and the facts that follow from them; NULL is unknown. */
struct crash {
	struct hs_err e;
	const char *path, *kind, *rule, *cause, *next;
	/*
	 * The innermost frame of a library that is neither the JDK's nor the
	 * system's, called after the last Java method; without a kind if none.
	 */
	struct hs_err_frame culprit;
	const char *deleted; /* a library that was removed or replaced */
	const char *caller;  /* the method that called Unsafe */
	uint64_t stack;      /* bytes, or HS_ERR_ABSENT */
	const char *address_limit, *data_limit, *process_limit;
};

/* ---- fields ---- */

/* A value of a struct, by its key in JSON. */
struct field {
	const char *key;
	enum {
		FIELD_TEXT,
		FIELD_LETTER,
		FIELD_BOOL,
		FIELD_SECONDS, /* unknown if negative */
		FIELD_BYTES,   /* unknown if HS_ERR_ABSENT, as is a count */
		FIELD_COUNT,
		FIELD_ID, /* unknown if 0, as is a pointer */
		FIELD_POINTER,
		FIELD_ADDRESS,
		FIELD_OBJECT,
		FIELD_ARRAY,
		FIELD_LIMITS
	} type;
	size_t offset;
	size_t has;         /* offset of a byte that is 0 if it is unknown */
	size_t count, size; /* offset of the number of elements, their size */
	/* A list without a key at its end, where another list may follow. */
	const struct field *members;
};

#define FIELD(owner, name, kind, member, ...)                                  \
	{                                                                      \
		.key = name, .type = FIELD_##kind,                             \
		.offset = offsetof(struct owner, member), __VA_ARGS__          \
	}
#define FRAME_FIELD(name, frame)                                               \
	FIELD(crash, name, OBJECT, frame, .members = frame_fields,             \
	      .has = offsetof(struct crash, frame.kind))
#define LIST_FIELD(owner, name, list, number, fields)                          \
	FIELD(owner, name, ARRAY, list, .members = fields,                     \
	      .size = sizeof(*((struct owner *)0)->list),                      \
	      .count = offsetof(struct owner, number))

/* clang-format off */
static const struct field frame_fields[] = {
	FIELD(hs_err_frame, "kind", LETTER, kind),
	FIELD(hs_err_frame, "text", TEXT, text),
	FIELD(hs_err_frame, "library", TEXT, library),
	FIELD(hs_err_frame, "offset", ADDRESS, offset, .has = offsetof(struct hs_err_frame, has_offset)),
	FIELD(hs_err_frame, "symbol", TEXT, symbol),
	FIELD(hs_err_frame, "method", TEXT, method),
	FIELD(hs_err_frame, "path", TEXT, path),
	FIELD(hs_err_frame, "deleted", BOOL, is_deleted),
	{ .key = NULL }
}, stack_fields[] = {
	LIST_FIELD(hs_err_stack, "frames", frames, count, frame_fields),
	FIELD(hs_err_stack, "omitted", COUNT, omitted),
	{ .key = NULL }
}, thread_fields[] = {
	FIELD(hs_err, "tid", ID, tid),
	FIELD(hs_err, "name", TEXT, thread),
	FIELD(hs_err, "kind", TEXT, thread_kind),
	FIELD(hs_err, "state", TEXT, thread_state),
	FIELD(hs_err, "stack_low", POINTER, stack_low),
	FIELD(hs_err, "stack_high", POINTER, stack_high),
	FIELD(hs_err, "stack_pointer", POINTER, stack_pointer),
	{ .key = NULL }
}, space_fields[] = {
	FIELD(hs_err_space, "name", TEXT, name),
	FIELD(hs_err_space, "used_bytes", BYTES, used),
	FIELD(hs_err_space, "committed_bytes", BYTES, committed),
	{ .key = NULL }
}, event_fields[] = {
	FIELD(hs_err_event, "time_s", SECONDS, seconds),
	FIELD(hs_err_event, "kind", TEXT, kind),
	FIELD(hs_err_event, "text", TEXT, text),
	{ .key = NULL }
}, lost_fields[] = {
	FIELD(hs_err, "head_only", BOOL, is_header),
	FIELD(hs_err, "truncated", BOOL, is_truncated),
	FIELD(hs_err, "failed_parts", COUNT, failed_steps),
	FIELD(hs_err, "cut_strings", COUNT, cut_strings),
	{ .key = NULL }
};

/* The JSON document. */
static const struct field fields[] = {
	FIELD(crash, "source_file", TEXT, path),
	FIELD(crash, "rule", TEXT, rule),
	FIELD(crash, "cause", TEXT, cause),
	FIELD(crash, "next_step", TEXT, next),
	FIELD(crash, "kind", TEXT, kind),
	FIELD(crash, "signal", TEXT, e.signal),
	FIELD(crash, "code", TEXT, e.code),
	FIELD(crash, "address", ADDRESS, e.address, .has = offsetof(struct crash, e.has_address)),
	FIELD(crash, "mapped_file", TEXT, e.mapped_file),
	FIELD(crash, "sent_by_kill", BOOL, e.sent_by_kill),
	FIELD(crash, "sender_pid", ID, e.sender),
	FIELD(crash, "source", TEXT, e.source),
	FIELD(crash, "message", TEXT, e.message),
	FIELD(crash, "pid", ID, e.pid),
	FRAME_FIELD("problematic_frame", e.frame),
	FIELD(crash, "thread", OBJECT, e, .members = thread_fields),
	FIELD(crash, "compiler", TEXT, e.compiler),
	FIELD(crash, "compiled_method", TEXT, e.compiled),
	FIELD(crash, "vm_operation", TEXT, e.operation),
	FIELD(crash, "stack_library", TEXT, e.stack_library),
	FIELD(crash, "native_stack", OBJECT, e.native, .members = stack_fields),
	FIELD(crash, "java_stack", OBJECT, e.java, .members = stack_fields),
	FIELD(crash, "jre", TEXT, e.jre),
	FIELD(crash, "vm", TEXT, e.vm),
	FIELD(crash, "command", TEXT, e.command),
	FIELD(crash, "uptime_s", SECONDS, e.elapsed),
	FIELD(crash, "core_written", BOOL, e.has_core),
	FIELD(crash, "core", TEXT, e.core),
	LIST_FIELD(crash, "heap", e.spaces, e.space_count, space_fields),
	FIELD(crash, "memory_bytes", BYTES, e.memory),
	FIELD(crash, "memory_free_bytes", BYTES, e.memory_free),
	FIELD(crash, "swap_bytes", BYTES, e.swap),
	FIELD(crash, "swap_free_bytes", BYTES, e.swap_free),
	FIELD(crash, "container_memory_bytes", BYTES, e.container_memory),
	FIELD(crash, "container_usage_bytes", BYTES, e.container_usage),
	FIELD(crash, "mappings", COUNT, e.mappings),
	FIELD(crash, "max_mappings", COUNT, e.max_mappings),
	FIELD(crash, "limits", LIMITS, e.limits, .count = offsetof(struct crash, e.limit_count)),
	FIELD(crash, "container", LIMITS, e.container, .count = offsetof(struct crash, e.container_count)),
	LIST_FIELD(crash, "events", e.events, e.event_count, event_fields),
	FIELD(crash, "lost", OBJECT, e, .members = lost_fields),
	{ .key = NULL }
};

/* The values of sentences: these, and those of the document. */
static const struct field values[] = {
	FIELD(crash, "address_limit", TEXT, address_limit),
	FIELD(crash, "allocation", BYTES, e.allocation),
	FIELD(crash, "call", TEXT, e.call),
	FIELD(crash, "caller", TEXT, caller),
	FRAME_FIELD("culprit", culprit),
	FIELD(crash, "data_limit", TEXT, data_limit),
	FIELD(crash, "deleted", TEXT, deleted),
	FRAME_FIELD("frame", e.frame),
	FRAME_FIELD("java", e.java.frames[0]),
	FIELD(crash, "process_limit", TEXT, process_limit),
	FIELD(crash, "reason", TEXT, e.reason),
	FIELD(crash, "stack", BYTES, stack),
	{ .members = fields }
};
/* clang-format on */

static bool field_is_known(const struct field *f, const char *base)
{
	const void *at = base + f->offset;

	if (f->has)
		return base[f->has];
	if (f->type == FIELD_TEXT)
		return *(const char *const *)at;
	if (f->type == FIELD_SECONDS)
		return *(const double *)at >= 0;
	if (f->type == FIELD_BYTES || f->type == FIELD_COUNT)
		return *(const uint64_t *)at != HS_ERR_ABSENT;
	if (f->type == FIELD_ID || f->type == FIELD_POINTER)
		return *(const uint64_t *)at;
	return true;
}

/*
 * Finds the field of a path such as "thread.name", which } may end, and sets
 * *base to the struct that has it.
 */
static const struct field *field_find(const struct field *f, const char *path,
				      const char **base)
{
	size_t len = strcspn(path, ".}");

	while (f->key ? strlen(f->key) != len || memcmp(f->key, path, len) != 0
		      : f->members != NULL)
		f = f->key ? f + 1 : f->members;
	if (path[len] != '.' || !f->key)
		return f->key ? f : NULL;
	*base += f->offset;
	return field_find(f->members, path + len + 1, base);
}

/* ---- JSON ---- */

static void json_add_fields(struct json *j, const struct field *f,
			    const char *base);

static void json_add_value(struct json *j, const struct field *f,
			   const char *base)
{
	const void *at = base + f->offset;
	const struct hs_err_limit *limit = at;
	const void *number = base + f->count;
	size_t count = f->count ? *(const size_t *)number : 0;
	char hex[20];

	if (f->type == FIELD_TEXT) {
		json_text(j, *(const char *const *)at);
	} else if (f->type == FIELD_LETTER) {
		json_string(j, at, 1);
	} else if (f->type == FIELD_BOOL) {
		json_bool(j, *(const bool *)at);
	} else if (f->type == FIELD_SECONDS) {
		json_double(j, *(const double *)at);
	} else if (f->type == FIELD_POINTER || f->type == FIELD_ADDRESS) {
		snprintf(hex, sizeof(hex), "0x%" PRIx64, *(const uint64_t *)at);
		json_text(j, hex);
	} else if (f->type == FIELD_ARRAY) {
		json_open_array(j);
		for (size_t i = 0; i < count; i++) {
			json_open_object(j);
			json_add_fields(j, f->members,
					base + f->offset + i * f->size);
			json_close_object(j);
		}
		json_close_array(j);
	} else if (f->type == FIELD_OBJECT || f->type == FIELD_LIMITS) {
		json_open_object(j);
		if (f->members)
			json_add_fields(j, f->members, at);
		for (size_t i = 0; !f->members && i < count; i++) {
			json_foreign_key(j, limit[i].name);
			json_text(j, limit[i].value);
		}
		json_close_object(j);
	} else {
		json_uint(j, *(const uint64_t *)at);
	}
}

static void json_add_fields(struct json *j, const struct field *f,
			    const char *base)
{
	for (; f->key; f++) {
		json_key(j, f->key);
		if (field_is_known(f, base))
			json_add_value(j, f, base);
		else
			json_null(j);
	}
}

/* ---- templates ---- */

/* Appends foreign text, safe for a terminal, with single spaces, and cut. */
static void value_add_text(struct text *out, const char *value)
{
	struct text plain = { 0 };

	for (; *value; value++)
		if (*value != ' ' || value[1] != ' ')
			text_putc(&plain, *value);
	safe_text(out, plain.bytes ? plain.bytes : "",
		  plain.len < CRASH_VALUE_BYTES ? plain.len
						: CRASH_VALUE_BYTES);
	text_puts(out, plain.len > CRASH_VALUE_BYTES ? "…" : "");
	text_release(&plain);
}

static void value_add(struct text *out, const struct field *f, const void *at)
{
	if (f->type == FIELD_TEXT)
		value_add_text(out, *(const char *const *)at);
	else if (f->type == FIELD_LETTER)
		text_putc(out, *(const char *)at);
	else if (f->type == FIELD_SECONDS)
		units_add_time(out, *(const double *)at * 1e9);
	else if (f->type == FIELD_BYTES)
		units_add_bytes(out, (double)*(const uint64_t *)at);
	else if (f->type == FIELD_COUNT)
		units_add_count(out, *(const uint64_t *)at);
	else
		text_printf(out,
			    f->type == FIELD_ID ? "%" PRIu64 : "0x%" PRIx64,
			    *(const uint64_t *)at);
}

static void text_cut(struct text *out, size_t len)
{
	if (out->len > len)
		out->bytes[out->len = len] = '\0';
}

/*
 * Appends a template up to its end: {path} becomes a value, and [a|b] the first
 * part whose values are all known, or nothing. Returns false if another value
 * is unknown.
 */
static bool template_add(struct text *out, const char *at, const char *end,
			 const struct field *f, const void *base)
{
	bool is_known = true;

	for (; at < end; at++) {
		const struct field *value;
		const char *owner = base;
		bool is_done = false;

		if (*at == '{') {
			value = field_find(f, at + 1, &owner);
			at += strcspn(at, "}");
			if (value && field_is_known(value, owner)) {
				value_add(out, value, owner + value->offset);
				continue;
			}
			text_puts(out, "unknown");
			is_known = false;
		} else if (*at == '[') {
			do {
				size_t mark = out->len;
				const char *part = at + 1;

				at = part + strcspn(part, "|]");
				if (is_done)
					continue;
				is_done = template_add(out, part, at, f, base);
				if (!is_done)
					text_cut(out, mark);
			} while (*at == '|');
		} else {
			text_putc(out, *at);
		}
	}
	return is_known;
}

/* ---- tests of the rules ---- */

/* True if a text is known and, if there are words, contains one of them. */
static bool crash_has(const struct crash *c, const char *path,
		      const char *words)
{
	const char *base = (const char *)c;
	const struct field *f = field_find(values, path, &base);
	const void *at = base + f->offset;

	return field_is_known(f, base) &&
	       (!words || has_any(*(const char *const *)at, words, false));
}

/* True if one of the functions between | is on the native stack. */
static bool crash_calls(const struct crash *c, const char *functions)
{
	const struct hs_err_stack *s = &c->e.native;
	bool is_found = has_any(c->e.frame.symbol, functions, true);

	for (size_t i = 0; i < s->count && !is_found; i++)
		is_found = has_any(s->frames[i].symbol, functions, true);
	return is_found;
}

static bool crash_is_raised(const struct crash *c)
{
	return c->e.sender && c->e.sender == c->e.pid;
}

/* The number of mapped areas is within a twentieth of the limit. */
static bool crash_lacks_mappings(const struct crash *c)
{
	const struct hs_err *e = &c->e;

	return e->mappings != HS_ERR_ABSENT &&
	       e->max_mappings != HS_ERR_ABSENT &&
	       e->mappings >= e->max_mappings - e->max_mappings / 20;
}

static bool crash_fills_container(const struct crash *c)
{
	uint64_t usage = c->e.container_usage, limit = c->e.container_memory;

	return usage != HS_ERR_ABSENT && limit != HS_ERR_ABSENT &&
	       usage >= limit - limit / 10;
}

/*
 * Less memory and swap is free than the JVM requested, or little is free. On
 * Windows, the swap of the log is the commit limit, which includes memory.
 */
static bool crash_fills_machine(const struct crash *c)
{
	const struct hs_err *e = &c->e;
	uint64_t swap = e->swap_free == HS_ERR_ABSENT ? 0 : e->swap_free;

	if (e->memory == HS_ERR_ABSENT || e->memory_free == HS_ERR_ABSENT)
		return false;
	if (crash_has(c, "vm", "windows") && e->swap_free != HS_ERR_ABSENT)
		return swap < e->memory / 32 || e->allocation > swap;
	return (e->memory_free < e->memory / 32 && swap < e->memory / 32) ||
	       e->allocation > e->memory_free + swap;
}

/*
 * The guard pages at the end of a stack take 16 KiB with pages of 4 KiB, and
 * 256 KiB with pages of 64 KiB.
 */
#define GUARD_BYTES ((uint64_t)256 << 10)

static bool crash_overflows_stack(const struct crash *c)
{
	const struct hs_err *e = &c->e;

	return crash_has(c, "signal", "STACK_OVERFLOW") ||
	       (crash_has(c, "signal", "SIGSEGV") && e->has_address &&
		e->stack_low && e->address < e->stack_low + GUARD_BYTES &&
		e->address + GUARD_BYTES >= e->stack_low &&
		e->address < e->stack_pointer);
}

/* macOS reports other invalid accesses as BUS_ADRALN. */
static bool crash_is_bus_error(const struct crash *c)
{
	return crash_has(c, "signal", "SIGBUS") &&
	       !crash_has(c, "code", "BUS_ADRALN");
}

static bool frame_is_unsafe(const struct hs_err_frame *f)
{
	return has_any(f->method,
		       "sun.misc.Unsafe.|jdk.internal.misc.Unsafe.|"
		       "jdk.internal.misc.ScopedMemoryAccess.",
		       true);
}

static bool crash_is_of_unsafe(const struct crash *c)
{
	return !c->culprit.kind &&
	       (has_any(c->e.frame.symbol, "Unsafe_", true) ||
		frame_is_unsafe(&c->e.java.frames[0]));
}

static bool crash_is_of_null_call(const struct crash *c)
{
	return !c->e.frame.library;
}

static bool crash_is_of_gc(const struct crash *c)
{
	const struct hs_err *e = &c->e;

	return (e->frame.kind == 'V' || !c->culprit.kind) &&
	       (has_any(e->thread,
			"GC Thread|G1 |ZWorker|ZDriver|XWorker|Shenandoah|"
			"ParGC|Concurrent Mark|CMS",
			true) ||
		has_any(e->thread_kind, "GCTask|ConcurrentGC", true) ||
		has_any(e->operation, "GC|Collect", false));
}

/* A function of the system or the JDK that libjvm has called. */
static bool crash_is_below_vm(const struct crash *c)
{
	const struct hs_err_frame *f = c->e.native.frames;

	while (f->kind == 'C' && f < c->e.native.frames + HS_ERR_FRAMES - 1)
		f++;
	return f->kind == 'V';
}

/* ---- rules ---- */

struct crash_rule {
	const char *name;
	/*
	 * Any of: a kind of the problematic frame; M: memory is missing; I: an
	 * internal error; K: a signal of a process. NULL: all crashes.
	 */
	const char *when;
	const char *calls; /* functions of which one is on the native stack */
	bool (*test)(const struct crash *c);
	struct {
		const char *path, *words; /* of a value, see crash_has() */
	} has[2];
	const char *cause, *next; /* templates */
};

#define REPORT                                                                 \
	"update to the latest release of this JDK; if it crashes again, "      \
	"report this log to the JDK's vendor"
#define FRAME                                                                  \
	"[{frame.symbol} in {frame.library}|{frame.library}+{frame.offset}|"   \
	"{frame.method}|{frame.text}|an unknown place]"
#define SYMBOL     "[{culprit.symbol}|offset {culprit.offset}|an unknown place]"
#define METHOD     "[{frame.method}|{frame.text}]"
#define ALLOCATION "[{call} of {allocation}|an allocation]"
#define SIGNAL     "[{signal}|a signal]"
#define JAVA       "[{java.method}|no Java method]"

/* clang-format off */
/* The first rule whose conditions are true explains the crash. */
static const struct crash_rule rules[] = {
	{ "raised_signal", .test = crash_is_raised,
	  .cause = "The process sent " SIGNAL " to itself, which native code does to end it.",
	  .next = "read the standard error of the JVM for the message of the native code" },
	{ "sent_signal", .has = { { "sender_pid", NULL } },
	  .cause = "Process {sender_pid} sent " SIGNAL " to the JVM; the JVM did not fail by itself.",
	  .next = "find the program that sends " SIGNAL " to this JVM, such as a script with kill" },
	{ "unknown_sender", .when = "K",
	  .cause = "Some process sent " SIGNAL " to the JVM, or the JVM to itself; this was no invalid access.",
	  .next = "find the program that sends " SIGNAL "; the sender may be outside of the JVM's container" },
	{ "mappings", .when = "M", .test = crash_lacks_mappings,
	  .cause = "The JVM reached the kernel's limit of {max_mappings} memory mappings.",
	  .next = "raise vm.max_map_count with sysctl, or create fewer threads and mapped buffers" },
	{ "no_thread", .when = "M", .has = { { "message", "Cannot create|thread stack|native thread" } },
	  .cause = "The JVM could not create a thread.",
	  .next = "raise the limit of processes (ulimit -u, here [{process_limit}|infinity]) or of the container's PIDs, or create fewer threads" },
	{ "container_memory", .when = "M", .test = crash_fills_container,
	  .cause = "The container's memory was used up: {container_usage_bytes} of {container_memory_bytes} when " ALLOCATION " failed.",
	  .next = "raise the container's limit, or lower -Xmx, thread counts and direct buffers" },
	{ "ulimit_memory", .when = "M", .has = { { "address_limit", NULL } },
	  .cause = ALLOCATION " failed; the process had a limit of {address_limit} for its address space (ulimit -v)[ and of {data_limit} for its data (ulimit -d)].",
	  .next = "raise that limit, or lower -Xmx and thread counts" },
	{ "ulimit_memory", .when = "M", .has = { { "data_limit", NULL } },
	  .cause = ALLOCATION " failed; the process had a limit of {data_limit} for its data (ulimit -d).",
	  .next = "raise that limit, or lower -Xmx and thread counts" },
	{ "address_space", .when = "M", .has = { { "vm", "linux-x86 |windows-x86 |-x86)" } },
	  .cause = "A 32-bit JVM could not get more memory: " ALLOCATION " failed.",
	  .next = "use a 64-bit JVM, or lower -Xmx and the number of threads: all memory of a 32-bit process is at most 4 GB" },
	{ "machine_memory", .when = "M", .test = crash_fills_machine,
	  .cause = ALLOCATION " failed; the machine had {memory_free_bytes} of {memory_bytes} free, and [{swap_free_bytes}|0 B] of swap.",
	  .next = "free memory, add swap, or lower -Xmx; other processes may use the memory" },
	{ "native_memory", .when = "M",
	  .cause = "The JVM could not get memory from the system: " ALLOCATION " failed.",
	  .next = "check ulimit -v, vm.overcommit_memory and the container's limit; lower -Xmx if they are low" },
	{ "java_memory", .has = { { "reason", NULL } },
	  .cause = "The JVM ended itself at an OutOfMemoryError ({reason}), as -XX:+CrashOnOutOfMemoryError requests.",
	  .next = "`sjkc hh PID` counts the objects of a running JVM; -XX:+HeapDumpOnOutOfMemoryError writes a heap dump" },
	{ "native_stack_overflow", .test = crash_overflows_stack, .has = { { "culprit", NULL } },
	  .cause = "Native code of {culprit.library} used up the stack[ of {stack}] of its thread.",
	  .next = "look for endless recursion at " SYMBOL "; if there is none, raise -Xss" },
	{ "stack_overflow", .test = crash_overflows_stack,
	  .cause = "The thread used up its stack[ of {stack}] at " FRAME ".",
	  .next = "look for deep recursion in the frames below; if there is none, raise -Xss" },
	{ "hardware_memory", .has = { { "code", "BUS_MCEERR" } },
	  .cause = "The hardware reported a memory error ({code}).",
	  .next = "check the kernel's log for machine checks, and replace the memory" },
	{ "counters_file", .has = { { "signal", "SIGBUS" }, { "mapped_file", "hsperfdata_" } },
	  .cause = "The JVM could not access its counters in {mapped_file}.",
	  .next = "check the free space there, and that no program truncates the file; -XX:+PerfDisableSharedMem avoids the file and hides the JVM from jps" },
	/* JDK 8 maps the directory of each JAR file. */
	{ "replaced_jar", .when = "C", .has = { { "jre", "8.0_" } },
	  .calls = "newEntry+|readCEN+|ZIP_GetEntry|ZIP_FindEntry+|ZIP_Open|Java_java_util_zip_ZipFile_",
	  .cause = "JDK 8 crashed while it read a JAR file, which was probably replaced while the JVM ran.",
	  .next = "replace JAR files only while the JVM is stopped, or set -Dsun.zip.disableMemoryMapping=true" },
	{ "abort", .when = "C", .calls = "raise+|abort+|gsignal+|__pthread_kill|pthread_kill|__assert_fail",
	  .cause = "Native code ended the process itself, by raise or abort.",
	  .next = "read the standard error of the JVM for the message of the native code" },
	{ "deleted_library", .has = { { "deleted", NULL } },
	  .cause = "The crash is in a library that was deleted or replaced while the JVM ran: {deleted}.",
	  .next = "restart the JVM after updates of its libraries" },
	{ "mapped_file", .test = crash_is_bus_error, .has = { { "mapped_file", NULL } },
	  .cause = "{mapped_file} is mapped, but could not be read or written: truncated, or no space is left.",
	  .next = "check the free space of its file system, and the program that truncates the file" },
	{ "bus_error", .test = crash_is_bus_error,
	  .cause = "The JVM accessed memory[ at {address}] that has no content ([{code}|{signal}]).",
	  .next = "check whether a mapped file was truncated, and the free space of /tmp and /dev/shm" },
	{ "illegal_instruction", .when = "C", .has = { { "signal", "SIGILL|ILLEGAL_INSTRUCTION" } },
	  .cause = FRAME " has an instruction that this CPU does not execute.",
	  .next = "check that the code was built for this CPU; compilers also emit it as a trap" },
	{ "compiler", .when = "VCI", .has = { { "compiled_method", NULL } },
	  .cause = "The JIT compiler {compiler} crashed while it compiled {compiled_method}, a bug of the JVM.",
	  .next = "exclude the method with -XX:CompileCommand=exclude,{compiled_method}, and " REPORT },
	/* The log lacks the method if its printing failed. */
	{ "compiler_thread", .when = "V", .calls = "CompileBroker::",
	  .cause = "A JIT compiler crashed at " FRAME ", a bug of the JVM.", .next = REPORT },
	{ "unsafe", .test = crash_is_of_unsafe,
	  .cause = "Java code accessed the invalid address[ {address}] through Unsafe: [{caller}|an unknown place].",
	  .next = "correct or update the library that contains this method" },
	{ "graphics_driver", .has = { { "culprit.library", "nvoglv|nvidia|libGL|libEGL|atio6|atig6|amdxx|amdvlk|amdxc|_dri.so|ig4icd|ig75icd|ig9icd|igxelp|libcuda|nvcuda|libgallium" } },
	  .cause = "The driver library {culprit.library} crashed, not the JVM.",
	  .next = "update the driver, or disable its use, such as with -Dsun.java2d.opengl=false" },
	{ "profiler", .when = "V", .calls = "AsyncGetCallTrace|forte_|vframeStreamForte|JfrStackTrace::|OSThreadSampler|JfrThreadSampl|JavaThread::pd_get_top_frame_for_profiling",
	  .cause = "The JVM crashed while a profiler of this JVM walked a stack: " FRAME ".",
	  .next = "update the profiler and the JDK; until then, stop the profiler, or JFR" },
	{ "gc", .when = "VC", .test = crash_is_of_gc,
	  .cause = "The JVM crashed in its garbage collector: " FRAME ".",
	  .next = REPORT "; if places differ between crashes, check native libraries and the machine's memory" },
	{ "null_call", .when = "C", .test = crash_is_of_null_call,
	  .cause = "Native code called a function at the invalid address[ {frame.offset}].",
	  .next = "look for a missing symbol or a bad function pointer in native code, called by " JAVA },
	{ "native_library", .when = "C", .has = { { "culprit", NULL } },
	  .cause = "Native code of the application crashed, not the JVM: " SYMBOL " in {culprit.library}.",
	  .next = "report it to the author of {culprit.library}; -Xcheck:jni finds wrong uses of JNI" },
	{ "jni", .when = "V", .has = { { "culprit", NULL } },
	  .cause = "The JVM crashed in a call by native code of {culprit.library}.",
	  .next = "run with -Xcheck:jni, which finds wrong uses of JNI, and correct or update the library" },
	{ "internal_error", .when = "I",
	  .cause = "The JVM stopped itself at {source}, because a check of its own failed: [{message}|no message].", .next = REPORT },
	{ "vm", .when = "V",
	  .cause = "The JVM itself crashed at " FRAME ".", .next = REPORT },
	{ "compiled_method", .when = "JA",
	  .cause = "Compiled Java code crashed in " METHOD ", by a bug of the JIT compiler or damaged memory.",
	  .next = "exclude the method with -XX:CompileCommand=exclude," METHOD "; if it helps, " REPORT },
	{ "interpreter", .when = "jv",
	  .cause = "The JVM crashed in its interpreter or a stub: " FRAME ".",
	  .next = REPORT "; check native libraries and uses of Unsafe, which can damage memory" },
	{ "called_by_library", .when = "C", .has = { { "stack_library", NULL } },
	  .cause = FRAME " crashed, probably called by {stack_library}.",
	  .next = "check the calls of that library; -Xcheck:jni finds wrong uses of JNI" },
	{ "vm_in_system", .when = "C", .test = crash_is_below_vm,
	  .cause = "The JVM itself crashed in a function of a library: " FRAME ".", .next = REPORT },
	{ "platform_library", .when = "C",
	  .cause = "The crash is in a library of the JDK or the system, " FRAME ", called by " JAVA ".",
	  .next = "update the JDK and the system; if it crashes again, report this log to the JDK's vendor" },
	{ "unknown",
	  .cause = "The log does not contain the cause.",
	  .next = "look for the whole hs_err_pid*.log in the JVM's working directory, or set -XX:ErrorFile" },
};
/* clang-format on */

static bool crash_matches(const struct crash *c, const struct crash_rule *r)
{
	char cause = c->e.sent_by_kill ? 'K' : "-SIM"[c->e.kind];
	const char is[] = { cause, c->e.frame.kind, '\0' };
	bool matches = (!r->when || strpbrk(r->when, is)) &&
		       (!r->calls || crash_calls(c, r->calls)) &&
		       (!r->test || r->test(c));

	for (size_t i = 0; i < 2 && r->has[i].path; i++)
		matches &= crash_has(c, r->has[i].path, r->has[i].words);
	return matches;
}

/* ---- facts that follow from others ---- */

static struct hs_err_frame crash_culprit(const struct hs_err *e)
{
	struct hs_err_frame f = e->frame;

	for (size_t i = 0; f.kind != 'C' || !f.library || f.is_platform; i++) {
		if (i == e->native.count ||
		    !memchr("CV", e->native.frames[i].kind, 2))
			return (struct hs_err_frame){ 0 };
		f = e->native.frames[i];
	}
	return f;
}

/* Returns a limit of the process that is a number, or NULL. */
static const char *crash_limit(const struct hs_err *e, const char *name)
{
	for (size_t i = 0; i < e->limit_count; i++)
		if (strcmp(e->limits[i].name, name) == 0 &&
		    strcmp(e->limits[i].value, "infinity") != 0)
			return e->limits[i].value;
	return NULL;
}

/* JNA deletes its libraries in /tmp after it has loaded them. */
static const char *frame_deleted(const struct hs_err_frame *f)
{
	return f->is_deleted && !has_any(f->path, "/tmp/|/jna", false) ? f->path
								       : NULL;
}

static const struct crash_rule *
crash_init(struct crash *c, const struct hs_err *e, const char *path)
{
	static const char *const kinds[] = {
		[HS_ERR_UNKNOWN] = "unknown",
		[HS_ERR_SIGNAL] = "signal",
		[HS_ERR_INTERNAL] = "internal error",
		[HS_ERR_NO_MEMORY] = "out of memory",
	};
	const struct crash_rule *rule = rules;

	*c = (struct crash){
		.e = *e,
		.path = path,
		.kind = kinds[e->kind],
		.culprit = crash_culprit(e),
		.stack = HS_ERR_ABSENT,
		.address_limit = crash_limit(e, "AS"),
		.data_limit = crash_limit(e, "DATA"),
		.process_limit = crash_limit(e, "NPROC"),
		.deleted = frame_deleted(&e->frame),
	};
	if (e->stack_high > e->stack_low)
		c->stack = e->stack_high - e->stack_low;
	if (!c->deleted)
		c->deleted = frame_deleted(&c->culprit);
	for (size_t i = 0; i < e->java.count && !c->caller; i++)
		if (!frame_is_unsafe(&e->java.frames[i]))
			c->caller = e->java.frames[i].method;
	while (!crash_matches(c, rule))
		rule++;
	c->rule = rule->name;
	return rule;
}

/* ---- text ---- */

enum { SHOWN_FRAMES = 4, SHOWN_SPACES = 3, SHOWN_EVENTS = 2 };

/* Appends a row; false, and nothing, if it has unknown values or none. */
static bool row_add(struct text *out, const char *title, const char *template,
		    const struct field *f, const void *base)
{
	size_t mark = out->len, begin;

	text_printf(out, "  %-12s", title);
	begin = out->len;
	if (template_add(out, template, template + strlen(template), f, base) &&
	    out->len > begin) {
		text_putc(out, '\n');
		return true;
	}
	text_cut(out, mark);
	return false;
}

/*
 * The frames up to the first Java method, without the problematic frame and the
 * functions of HotSpot that write the log; then the Java methods.
 */
static void text_add_frames(struct text *out, const struct hs_err *e)
{
	const struct hs_err_frame *f = e->native.frames + (e->frame.kind != 0),
				  *end = e->native.frames + e->native.count;
	size_t shown = 0;

	while (f < end && has_any(f->symbol, "VMError::|report_", true))
		f++;
	for (; f < end && shown < SHOWN_FRAMES && memchr("CV", f->kind, 2); f++)
		shown += row_add(out, shown ? "" : "native", "{kind} {text}",
				 frame_fields, f);
	shown = 0;
	f = e->java.frames;
	for (; f < e->java.frames + e->java.count && shown < SHOWN_FRAMES; f++)
		shown += row_add(out, shown ? "" : "Java", "{kind} {method}",
				 frame_fields, f);
}

static void text_add_heap(struct text *out, const struct hs_err *e)
{
	size_t shown = 0;

	for (size_t i = 0; i < e->space_count && shown < SHOWN_SPACES; i++)
		if (!shown || e->spaces[i].used)
			shown += row_add(
				out, shown ? "" : "heap",
				"{name}: {used_bytes}[ of {committed_bytes}] "
				"used",
				space_fields, &e->spaces[i]);
}

static void text_add_events(struct text *out, const struct hs_err *e)
{
	size_t from = e->event_count < SHOWN_EVENTS
			      ? 0
			      : e->event_count - SHOWN_EVENTS;

	for (size_t i = from; i < e->event_count; i++)
		row_add(out, i == from ? "events" : "", "{time_s}: {text}",
			event_fields, &e->events[i]);
}

#define FREE "{memory_free_bytes}[ of {memory_bytes}] free"

/* clang-format off */
static const struct {
	const char *title, *template;
	void (*add)(struct text *out, const struct hs_err *e); /* or this */
} rows[] = {
	{ "signal", "{signal}[, {code}][, at address {address}]", NULL },
	{ "source", "{source}", NULL },
	{ "message", "{message}", NULL },
	{ "frame", "{frame.kind} {frame.text}", NULL },
	{ "library", "{frame.path}", NULL },
	{ "thread", "[\"{thread.name}\" ][{thread.kind}][, {thread.state}]", NULL },
	{ "compiling", "{compiled_method} with {compiler}", NULL },
	{ "operation", "{vm_operation}", NULL },
	{ .add = text_add_frames },
	{ "JVM", "[{vm}|{jre}]", NULL },
	{ "command", "{command}", NULL },
	{ "uptime", "{uptime_s}", NULL },
	{ .add = text_add_heap },
	{ "memory", FREE "[; swap {swap_free_bytes} of {swap_bytes} free]", NULL },
	{ "container", "{container_usage_bytes} of {container_memory_bytes} used", NULL },
	{ .add = text_add_events },
	{ "core", "{core}", NULL },
};
/* clang-format on */

static void crash_write_text(struct text *out, const struct crash *c)
{
	const struct hs_err *e = &c->e;

	text_printf(out, "%s\nnext: %s\n\n", c->cause, c->next);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].add)
			rows[i].add(out, e);
		else
			row_add(out, rows[i].title,
				!e->swap && strcmp(rows[i].title, "memory") == 0
					? FREE "; no swap"
					: rows[i].template,
				values, c);
	if (e->is_header)
		text_puts(out, "note: this is only the head of the log, as on "
			       "the standard output of the JVM\n");
	else if (e->is_truncated)
		text_puts(out, "note: the log ends early\n");
	if (e->failed_steps)
		text_printf(out,
			    "note: the JVM could not write %s of the log\n",
			    units_counted(e->failed_steps, "part").text);
}

/* ---- documents and files ---- */

void crash_explain(struct text *out, const struct hs_err *e, const char *path,
		   bool json)
{
	struct text cause = { 0 }, next = { 0 };
	struct crash c;
	const struct crash_rule *r = crash_init(&c, e, path);

	template_add(&cause, r->cause, strchr(r->cause, '\0'), values, &c);
	template_add(&next, r->next, strchr(r->next, '\0'), values, &c);
	c.cause = cause.bytes;
	c.next = next.bytes;
	if (json) {
		struct json j = json_document(out, "sjkc.hs_err/1");

		json_add_fields(&j, fields, (const char *)&c);
		json_end_document(&j);
	} else {
		crash_write_text(out, &c);
	}
	text_release(&cause);
	text_release(&next);
}

int why_hs_err(const struct input *in, bool json, struct output *out,
	       struct error *err)
{
	struct hs_err e;
	struct text text = { 0 };
	int ret = hs_err_read(&e, in->bytes, in->len, err);

	if (ret == 0) {
		crash_explain(&text, &e, in->name, json);
		output_write(out, text.bytes, text.len);
		ret = output_check(out, err);
		if (ret == 0 && e.is_truncated && !e.is_header)
			ret = fail(err, ERROR_PARTIAL, "the log ends early");
	} else if (foreign_file_name(&text, in->bytes, in->len)) {
		/* Another file of a JVM, such as a heap dump. */
		fail(err, ERROR_INPUT, "is %s", text.bytes);
	}
	if (ret)
		fail_in(err, "%s", in->name);
	text_release(&text);
	hs_err_release(&e);
	return ret;
}
