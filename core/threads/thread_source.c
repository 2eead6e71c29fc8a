/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_source.h"

#include "core/base/safe_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const counters[THREAD_COUNTERS] = {
	[THREAD_CPU] = "cpu",
	[THREAD_USER] = "user",
	[THREAD_SYS] = "sys",
	[THREAD_ALLOC] = "alloc",
	[THREAD_RUNQ] = "runq",
	[THREAD_VOLUNTARY] = "voluntary",
	[THREAD_INVOLUNTARY] = "involuntary",
	[THREAD_WAITS] = "waits",
	[THREAD_WAIT_TIME] = "wait_time",
	[THREAD_BLOCKS] = "blocks",
	[THREAD_BLOCK_TIME] = "block_time",
};

static const char *const kinds[] = {
	[THREAD_UNKNOWN] = "unknown", [THREAD_JAVA] = "java",
	[THREAD_VM] = "vm",           [THREAD_GC] = "gc",
	[THREAD_JIT] = "jit",         [THREAD_NATIVE] = "native",
};

static const char *const states[] = {
	[RUN_UNKNOWN] = "UNKNOWN",
	[RUN_NEW] = "NEW",
	[RUN_RUNNABLE] = "RUNNABLE",
	[RUN_IN_NATIVE] = "IN_NATIVE",
	[RUN_BLOCKED] = "BLOCKED",
	[RUN_WAITING] = "WAITING",
	[RUN_TIMED_WAITING] = "TIMED_WAITING",
	[RUN_TERMINATED] = "TERMINATED",
	[RUN_ON_CPU] = "ON_CPU",
	[RUN_SLEEPING] = "SLEEPING",
	[RUN_DISK] = "DISK",
	[RUN_STOPPED] = "STOPPED",
};

const char *thread_counter_name(enum thread_counter counter)
{
	return counters[counter];
}

const char *thread_kind_name(enum thread_kind kind) { return kinds[kind]; }

const char *thread_run_state_name(enum thread_run_state state)
{
	return states[state];
}

void process_sample_clear(struct process_sample *p)
{
	*p = (struct process_sample){
		.cpu_ns = COUNTER_ABSENT,
		.user_ns = COUNTER_ABSENT,
		.sys_ns = COUNTER_ABSENT,
		.safepoints = COUNTER_ABSENT,
		.safepoint_ns = COUNTER_ABSENT,
		.sync_ns = COUNTER_ABSENT,
		.alloc_bytes = COUNTER_ABSENT,
		.heap_used = COUNTER_ABSENT,
		.heap_committed = COUNTER_ABSENT,
		.heap_max = COUNTER_ABSENT,
		.rss_bytes = COUNTER_ABSENT,
		.threads = COUNTER_ABSENT,
		.threads_started = COUNTER_ABSENT,
		.virtual_threads = COUNTER_ABSENT,
		.cpus = COUNTER_ABSENT,
		.machine_busy_ns = COUNTER_ABSENT,
		.machine_idle_ns = COUNTER_ABSENT,
		.cpu_limit = COUNTER_ABSENT,
		.throttled_ns = COUNTER_ABSENT,
		.cfs_periods = COUNTER_ABSENT,
		.throttled_periods = COUNTER_ABSENT,
		.measured.all.count = COUNTER_ABSENT,
		.measured.all.time_ns = COUNTER_ABSENT,
		.measured.all.longest_ns = COUNTER_ABSENT,
		.measured.gc.count = COUNTER_ABSENT,
		.measured.gc.time_ns = COUNTER_ABSENT,
		.measured.gc.longest_ns = COUNTER_ABSENT,
		.measured.sync_ns = COUNTER_ABSENT,
		.measured.collections = COUNTER_ABSENT,
		.measured.collect_ns = COUNTER_ABSENT,
	};
}

/* Truncates a text to the note's size, marks it, and keeps characters whole. */
static void note_put(struct source_note *n, const struct text *text)
{
	static const char cut[] = "...";
	size_t len = text->len;

	if (len < sizeof(n->text)) {
		memcpy(n->text, text->bytes, len + 1);
		return;
	}
	len = sizeof(n->text) - sizeof(cut);
	while (len && (text->bytes[len] & 0xc0) == 0x80)
		len--;
	memcpy(n->text, text->bytes, len);
	memcpy(n->text + len, cut, sizeof(cut));
}

void source_note_add(struct top_sample *out, const char *figure, bool is_absent,
		     const char *fmt, ...)
{
	struct source_note *n = &out->notes[out->note_count];
	struct text safe = { 0 };
	char raw[640];
	va_list args;

	if (out->note_count == SOURCE_NOTES_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(raw, sizeof(raw), fmt, args);
	va_end(args);
	text_puts(&safe, "");
	safe_text_puts(&safe, raw);
	*n = (struct source_note){ .figure = figure, .is_absent = is_absent };
	note_put(n, &safe);
	text_release(&safe);
	out->note_count++;
}
