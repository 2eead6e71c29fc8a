/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real recordings: the counts equal those of the JDK's `jfr summary`, the stack
 * traces those of async-profiler's converter.
 */
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/base/text.h"
#include "core/formats/reader.h"
#include "core/profile/frame_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN     "../shared/data/own/jfr/"
#define FOREIGN "../shared/data/foreign/jfr/"

struct recording {
	struct input input;
	struct profile *profile;
	int status;
	struct error err;
};

static void must_open(struct input *in, const char *path)
{
	struct error err;

	if (input_open(in, path, &err) || input_complete(in, &err))
		fail_msg("%s: %s", path, err.text);
}

/* Reads a recording; the test is skipped without it. */
static struct recording *read_recording(const char *folder, const char *name)
{
	struct recording *r = xcalloc(1, sizeof(*r));
	struct text path = { 0 };

	text_printf(&path, "%s%s", folder, name);
	if (access(path.bytes, R_OK) != 0) {
		print_message("skipped: %s is not here\n", path.bytes);
		text_release(&path);
		free(r);
		skip();
	}
	must_open(&r->input, path.bytes);
	r->profile = profile_new();
	r->status = jfr_reader.read(r->input.bytes, r->input.len, r->profile,
				    &r->err);
	text_release(&path);
	return r;
}

static void forget(struct recording *r)
{
	profile_free(r->profile);
	input_close(&r->input);
	free(r);
}

static uint64_t samples_of(const struct profile *p, const char *event)
{
	for (size_t i = 0; i < p->event_count; i++) {
		if (strcmp(profile_text(p, p->events[i].name), event) == 0)
			return p->events[i].samples;
	}
	return 0;
}

static uint64_t remark_count(const struct profile *p, const char *what)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		if (strcmp(p->remarks[i].what, what) == 0)
			return p->remarks[i].count;
	}
	return 0;
}

/* ---- counts ---- */

/* async-profiler's events with a stack trace in these recordings. */
static const char ap_events[] =
	" jdk.ExecutionSample jdk.ObjectAllocationInNewTLAB"
	" jdk.ObjectAllocationOutsideTLAB jdk.JavaMonitorEnter jdk.ThreadPark"
	" jdk.MethodTrace profiler.WallClockSample profiler.LiveObject"
	" profiler.Malloc profiler.Free profiler.NativeLock ";

/* Returns true if the list of a JDK's types has a stack trace for the event. */
static bool has_stack(const char *types, const char *event)
{
	struct text line = { 0 };
	const char *at, *stack;
	bool found = false;

	text_printf(&line, " %s ", event);
	at = strstr(types, line.bytes);
	if (types == ap_events) {
		found = at != NULL;
	} else if (at) {
		stack = strstr(at, "'jdk.types.StackTrace@'");
		found = stack && stack < strchr(at, '\n');
	}
	text_release(&line);
	return found;
}

/* Reads a reference file, NUL-terminated; the caller frees it. */
static char *reference(const char *name)
{
	struct text path = { 0 };
	struct input in;
	char *copy;

	text_printf(&path, OWN "ref/%s", name);
	must_open(&in, path.bytes);
	copy = xstrndup((const char *)in.bytes, in.len);
	input_close(&in);
	text_release(&path);
	return copy;
}

/*
 * The profile has the summary's events with a stack trace, with the same
 * counts.
 */
static void check_summary(const struct profile *p, const char *summary,
			  const char *types)
{
	size_t events = 0;

	for (const char *line = strstr(summary, "====\n") + 5; *line;
	     line = strchr(line, '\n') + 1) {
		char name[128];
		char *end;
		uint64_t count;
		size_t len = strcspn(line + 1, " \n");

		if (*line != ' ' || len >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)len, line + 1);
		count = strtoull(line + 1 + len, &end, 10);
		if (!has_stack(types, name) || !count)
			count = 0;
		else
			events++;
		if (samples_of(p, name) != count)
			fail_msg("%s: %" PRIu64 " read, %" PRIu64 " there",
				 name, samples_of(p, name), count);
	}
	assert_int_equal(p->event_count, events);
	assert_true(events > 0);
}

static void counts_are_those_of_the_jdk(const char *recording,
					const char *summary_name,
					const char *types_name)
{
	struct recording *r = read_recording(OWN, recording);
	char *summary = reference(summary_name);
	char *types = types_name ? reference(types_name) : NULL;

	assert_int_equal(r->status, 0);
	assert_false(profile_is_partial(r->profile));
	check_summary(r->profile, summary, types ? types : ap_events);
	free(summary);
	free(types);
	forget(r);
}

/* A test for each recording, so that a failure names it. */
#define COUNTS(test, recording, summary, types)                                \
	static void counts_of_##test(void **state)                             \
	{                                                                      \
		(void)state;                                                   \
		counts_are_those_of_the_jdk(recording, summary, types);        \
	}

COUNTS(jdk17_depth16, "busy17-default-depth16.jfr",
       "jdk17__busy17-default-depth16.summary.txt", "jdk17-types.txt")
/* Two chunks of one JVM have the same type ids, so the summary is correct. */
COUNTS(jdk17_multichunk, "busy17-multichunk.jfr",
       "jdk17__busy17-multichunk.summary.txt", "jdk17-types.txt")
COUNTS(jdk25_profile, "busy25-profile.jfr", "jdk25__busy25-profile.summary.txt",
       "jdk25-types.txt")
COUNTS(ap_alloc, "ap-busy17-alloc.jfr", "ap__busy17-alloc.summary.txt", NULL)
COUNTS(ap_cpu17, "ap-busy17-cpu1ms.jfr", "ap__busy17-cpu1ms.summary.txt", NULL)
COUNTS(ap_lock, "ap-busy17-lock.jfr", "ap__busy17-lock.summary.txt", NULL)
COUNTS(ap_multi17, "ap-busy17-multi.jfr", "ap__busy17-multi.summary.txt", NULL)
COUNTS(ap_nativemem, "ap-busy17-nativemem.jfr",
       "ap__busy17-nativemem.summary.txt", NULL)
COUNTS(ap_wall, "ap-busy17-wall.jfr", "ap__busy17-wall.summary.txt", NULL)
COUNTS(ap_cpu25, "ap-busy25-cpu1ms.jfr", "ap__busy25-cpu1ms.summary.txt", NULL)
COUNTS(ap_multi25, "ap-busy25-multi.jfr", "ap__busy25-multi.summary.txt", NULL)

/*
 * A chunk of the JDK and one of async-profiler: `jfr summary` counts both by
 * the type ids of the first (0 ExecutionSample, 656 ThreadPark).  The
 * converter's sums are 653 and 1334 = 233 JavaMonitorEnter + 1101 ThreadPark.
 */
static void chunks_of_a_mixed_file_have_their_own_types(void **state)
{
	struct recording *r = read_recording(OWN, "ap-busy17-jfrsync.jfr");

	(void)state;
	assert_int_equal(r->status, 0);
	assert_false(profile_is_partial(r->profile));
	assert_int_equal(samples_of(r->profile, "jdk.ExecutionSample"), 653);
	assert_int_equal(samples_of(r->profile, "jdk.ThreadPark"), 1101);
	assert_int_equal(samples_of(r->profile, "jdk.JavaMonitorEnter"), 233);
	assert_int_equal(samples_of(r->profile, "jdk.ObjectAllocationSample"),
			 1845);
	forget(r);
}

/*
 * The JDK's own tool fails: "Recording file is stuck in locked stream state".
 */
static void recording_of_a_killed_jvm_is_read(void **state)
{
	struct recording *r = read_recording(OWN,
					     "jdk17-killed9-unfinished.jfr");
	struct profile *p = r->profile;

	(void)state;
	assert_int_equal(r->status, 0);
	assert_true(profile_is_partial(p));
	assert_int_equal(remark_count(p, "unfinished chunks"), 1);
	assert_int_equal(samples_of(p, "jdk.ExecutionSample"), 691);
	assert_int_equal(samples_of(p, "jdk.NativeMethodSample"), 896);
	assert_int_equal(samples_of(p, "jdk.ObjectAllocationSample"), 6116);
	assert_int_equal(samples_of(p, "jdk.JavaMonitorEnter"), 772);
	assert_int_equal(samples_of(p, "jdk.ThreadPark"), 2019);
	forget(r);
}

static pid_t writer_of(void *self) { return *(pid_t *)self; }

/* Nothing is lost while a process still writes the chunk. */
static void recording_of_a_running_jvm_is_whole(void **state)
{
	struct recording *r = read_recording(OWN,
					     "jdk17-killed9-unfinished.jfr");
	pid_t writer = 4711;
	struct profile *p;

	(void)state;
	profile_free(r->profile);
	p = r->profile = profile_new();
	p->writer = writer_of;
	p->writer_self = &writer;
	assert_int_equal(
		jfr_reader.read(r->input.bytes, r->input.len, p, &r->err), 0);
	assert_false(profile_is_partial(p));
	assert_int_equal(
		remark_count(p, "recordings that are still being written"), 1);
	assert_int_equal(samples_of(p, "jdk.ExecutionSample"), 691);
	forget(r);
}

/* async-profiler writes samples when its buffers are full, pools at the end. */
static void recording_of_a_killed_profiler_has_no_samples(void **state)
{
	struct recording *r = read_recording(OWN, "ap-killed9-unfinished.jfr");

	(void)state;
	assert_int_equal(r->status, -1);
	assert_int_equal(r->err.kind, ERROR_INPUT);
	assert_non_null(strstr(r->err.text, "unfinished chunks"));
	forget(r);
}

static void recording_without_types_is_rejected_with_the_reason(void **state)
{
	struct recording *r = read_recording(OWN, "truncated-1500000.jfr");

	(void)state;
	assert_int_equal(r->status, -1);
	assert_non_null(strstr(r->err.text, "descriptions are in the truncated "
					    "part"));
	forget(r);
	r = read_recording(OWN, "truncated-4000.jfr");
	assert_int_equal(r->status, -1);
	assert_non_null(strstr(r->err.text, "descriptions are missing"));
	forget(r);
}

/* ---- stack traces ---- */

struct tally {
	char *stack;
	uint64_t count;
};

struct tallies {
	struct tally *all;
	size_t count, cap;
};

static int by_stack(const void *a, const void *b)
{
	return strcmp(((const struct tally *)a)->stack,
		      ((const struct tally *)b)->stack);
}

/* Sorts the lines and merges equal ones. */
static void merge(struct tallies *ts)
{
	size_t count = 0;

	qsort(ts->all, ts->count, sizeof(*ts->all), by_stack);
	for (size_t i = 0; i < ts->count; i++) {
		struct tally *last = count ? &ts->all[count - 1] : NULL;

		if (last && strcmp(last->stack, ts->all[i].stack) == 0) {
			last->count += ts->all[i].count;
			free(ts->all[i].stack);
		} else {
			ts->all[count++] = ts->all[i];
		}
	}
	ts->count = count;
}

static void add_tally(struct tallies *ts, const char *stack, uint64_t count)
{
	array_reserve(ts->all, ts->cap, ts->count + 1);
	ts->all[ts->count++] = (struct tally){ xstrdup(stack), count };
}

static void release(struct tallies *ts)
{
	for (size_t i = 0; i < ts->count; i++)
		free(ts->all[i].stack);
	free(ts->all);
}

static bool is_hex(char c) { return c && strchr("0123456789abcdef", c); }

/*
 * Returns true at the converter's mark of the frame kind: _[j], _[i], _[0], …
 */
static bool is_mark(const char *at, size_t left)
{
	return left >= 4 && at[0] == '_' && at[1] == '[' && at[3] == ']' &&
	       (left == 4 || at[4] == ';');
}

/*
 * Normalizes frames for the comparison: slashes become dots, and the parts of
 * hidden class names that differ between runs are omitted
 * ($$Lambda$89+0x00007f75/1790421142, $$Lambda$2.0x00007f1a,
 * LambdaForm$MH/0x00007f1a, GeneratedMethodAccessor3).  The marks are omitted,
 * too: the converter gives all frames of a name the mark of the most frequent
 * kind.
 */
static void add_frames(struct text *out, const char *frame, size_t len)
{
	static const char lambda[] = "$$Lambda";
	static const char accessor[] = "GeneratedMethodAccessor";
	const char *end = frame + len;

	for (const char *at = frame; at < end;) {
		size_t left = (size_t)(end - at);

		if (left > 8 && strncmp(at, lambda, 8) == 0) {
			text_puts(out, lambda);
			at += 8;
			if (*at == '$')
				at += 1 + strspn(at + 1, "0123456789");
		} else if (left > 23 && strncmp(at, accessor, 23) == 0) {
			text_puts(out, accessor);
			at += 23 + strspn(at + 23, "0123456789");
		} else if (is_mark(at, left)) {
			at += 4;
		} else if (left > 4 && strchr("./+", *at) && at[1] == '0' &&
			   at[2] == 'x') {
			for (at += 3; is_hex(*at);)
				at++;
			if (*at == '/')
				at += 1 + strspn(at + 1, "0123456789");
		} else {
			text_putc(out, *at == '/' ? '.' : *at);
			at++;
		}
	}
}

/*
 * Prints a class as Java does.  The converter does so only for this frame kind.
 */
static void add_class(struct text *out, const struct profile *p,
		      const struct frame *f)
{
	static const struct style style = { 0 };
	struct text name = { 0 };

	frame_name(&name, p, f, &style);
	add_frames(out, name.bytes, name.len);
	text_release(&name);
}

static void add_stack(struct text *out, const struct profile *p, uint32_t stack)
{
	uint32_t path[4096];
	size_t depth = 0;

	for (; stack; stack = p->stacks[stack].caller)
		path[depth++] = p->stacks[stack].frame;
	for (size_t i = depth; i-- > 0;) {
		const struct frame *f = &p->frames[path[i]];
		const char *method = profile_text(p, f->method);
		const char *class_name = profile_text(p, f->class_name);

		/* The converter does not mark truncated stack traces. */
		if (strcmp(method, "[truncated]") == 0)
			continue;
		if (out->len)
			text_putc(out, ';');
		if (f->kind == FRAME_CLASS) {
			add_class(out, p, f);
			continue;
		}
		if (f->class_name) {
			add_frames(out, class_name, strlen(class_name));
			text_putc(out, '.');
		}
		add_frames(out, method, strlen(method));
	}
}

/* Counts the listed events with a stack trace: the converter drops others. */
static void tally_profile(struct tallies *ts, const struct profile *p,
			  const char *events)
{
	struct text stack = { 0 };

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		const struct event *e = &p->events[c->event];
		struct text name = { 0 };

		text_printf(&name, " %s ", profile_text(p, e->name));
		if (c->stack && strstr(events, name.bytes)) {
			text_clear(&stack);
			add_stack(&stack, p, c->stack);
			/*
			 * The converter counts the weight of a wall-clock
			 * sample.
			 */
			add_tally(ts, stack.bytes,
				  e->unit == UNIT_SAMPLES ? c->weight
							  : c->count);
		}
		text_release(&name);
	}
	text_release(&stack);
	merge(ts);
}

static void tally_reference(struct tallies *ts, const char *lines)
{
	struct text stack = { 0 };

	for (const char *line = lines; *line;) {
		const char *end = strchr(line, '\n');
		const char *space = memrchr(line, ' ', (size_t)(end - line));

		text_clear(&stack);
		add_frames(&stack, line, (size_t)(space - line));
		add_tally(ts, stack.bytes, strtoull(space + 1, NULL, 10));
		line = end + 1;
	}
	text_release(&stack);
	merge(ts);
}

/*
 * lacking: the number of samples whose stack trace the converter took from
 * another chunk.
 */
static void check_equal(const struct tallies *ours, const struct tallies *ref,
			uint64_t lacking)
{
	size_t i = 0, j = 0, wrong = 0;

	while (i < ours->count || j < ref->count) {
		const struct tally *a = &ours->all[i], *b = &ref->all[j];
		int order = i == ours->count  ? 1
			    : j == ref->count ? -1
					      : strcmp(a->stack, b->stack);

		if (order == 0 && a->count <= b->count &&
		    b->count - a->count <= lacking) {
			lacking -= b->count - a->count;
			i++, j++;
			continue;
		}
		if (order <= 0)
			print_error("ours %" PRIu64 " %s\n", a->count,
				    a->stack);
		if (order >= 0)
			print_error("ref  %" PRIu64 " %s\n", b->count,
				    b->stack);
		i += order <= 0;
		j += order >= 0;
		if (++wrong == 5)
			break;
	}
	assert_int_equal(wrong, 0);
	assert_int_equal(lacking, 0);
	assert_true(ours->count > 0);
}

#define SAMPLES                                                                \
	" jdk.ExecutionSample jdk.NativeMethodSample jdk.CPUTimeSample"        \
	" profiler.WallClockSample "
#define WALL                                                                   \
	" jdk.ExecutionSample jdk.NativeMethodSample "                         \
	"profiler.WallClockSample "
#define ALLOC                                                                  \
	" jdk.ObjectAllocationSample jdk.ObjectAllocationInNewTLAB"            \
	" jdk.ObjectAllocationOutsideTLAB "
#define LOCK " jdk.JavaMonitorEnter jdk.ThreadPark "

static void check_stacks(const char *recording, const char *collapsed,
			 const char *events, uint64_t lacking)
{
	struct recording *r = read_recording(OWN, recording);
	char *lines = reference(collapsed);
	struct tallies ours = { 0 }, ref = { 0 };

	tally_profile(&ours, r->profile, events);
	tally_reference(&ref, lines);
	check_equal(&ours, &ref, lacking);
	release(&ours);
	release(&ref);
	free(lines);
	forget(r);
}

#define STACKS(test, recording, collapsed, events)                             \
	static void stacks_of_##test(void **state)                             \
	{                                                                      \
		(void)state;                                                   \
		check_stacks(recording, collapsed ".collapsed.gz", events, 0); \
	}

STACKS(ap_alloc, "ap-busy17-alloc.jfr", "ap__busy17-alloc.default--alloc",
       ALLOC)
STACKS(ap_cpu17, "ap-busy17-cpu1ms.jfr", "ap__busy17-cpu1ms.default", SAMPLES)
STACKS(ap_sync, "ap-busy17-jfrsync.jfr", "ap__busy17-jfrsync.default", SAMPLES)
STACKS(ap_sync_alloc, "ap-busy17-jfrsync.jfr",
       "ap__busy17-jfrsync.default--alloc", ALLOC)
STACKS(ap_sync_lock, "ap-busy17-jfrsync.jfr",
       "ap__busy17-jfrsync.default--lock", LOCK)
STACKS(ap_lock, "ap-busy17-lock.jfr", "ap__busy17-lock.default--lock", LOCK)
STACKS(ap_multi, "ap-busy17-multi.jfr", "ap__busy17-multi.default", SAMPLES)
STACKS(ap_multi_alloc, "ap-busy17-multi.jfr", "ap__busy17-multi.default--alloc",
       ALLOC)
STACKS(ap_multi_lock, "ap-busy17-multi.jfr", "ap__busy17-multi.default--lock",
       LOCK)
/*
 * async-profiler's ExecutionSample is CPU time and not in the view of wall
 * time.
 */
STACKS(ap_multi_wall, "ap-busy17-multi.jfr", "ap__busy17-multi.default--wall",
       " profiler.WallClockSample ")
STACKS(ap_nativemem_lock, "ap-busy17-nativemem.jfr",
       "ap__busy17-nativemem.default--lock", LOCK)
STACKS(ap_wall, "ap-busy17-wall.jfr", "ap__busy17-wall.default", SAMPLES)
STACKS(ap_cpu25, "ap-busy25-cpu1ms.jfr", "ap__busy25-cpu1ms.default", SAMPLES)
STACKS(ap_multi25, "ap-busy25-multi.jfr", "ap__busy25-multi.default", SAMPLES)
STACKS(ap_multi25_alloc, "ap-busy25-multi.jfr",
       "ap__busy25-multi.default--alloc", ALLOC)
STACKS(ap_multi25_lock, "ap-busy25-multi.jfr", "ap__busy25-multi.default--lock",
       LOCK)
STACKS(jdk17_depth16, "busy17-default-depth16.jfr",
       "jdk17__busy17-default-depth16.default", SAMPLES)
STACKS(jdk17_depth16_alloc, "busy17-default-depth16.jfr",
       "jdk17__busy17-default-depth16.default--alloc", ALLOC)
STACKS(jdk17_depth16_lock, "busy17-default-depth16.jfr",
       "jdk17__busy17-default-depth16.default--lock", LOCK)
STACKS(jdk17_multichunk, "busy17-multichunk.jfr",
       "jdk17__busy17-multichunk.default", SAMPLES)
STACKS(jdk17_multichunk_alloc, "busy17-multichunk.jfr",
       "jdk17__busy17-multichunk.default--alloc", ALLOC)

/*
 * Three lock events of the second chunk have keys that only the first chunk's
 * pool of stack traces has, because the JVM wrote them just after it had begun
 * the second chunk.  Keys are valid only in their chunk, so these events have
 * no stack trace, and a remark reports that.
 */
static void stacks_of_jdk17_multichunk_lock(void **state)
{
	(void)state;
	check_stacks("busy17-multichunk.jfr",
		     "jdk17__busy17-multichunk.default--lock.collapsed.gz",
		     LOCK, 3);
}

STACKS(jdk25, "busy25-profile.jfr", "jdk25__busy25-profile.default", SAMPLES)
STACKS(jdk25_alloc, "busy25-profile.jfr",
       "jdk25__busy25-profile.default--alloc", ALLOC)
STACKS(jdk25_cpu_time, "busy25-profile.jfr",
       "jdk25__busy25-profile.default--cpu-time", " jdk.CPUTimeSample ")
STACKS(jdk25_lock, "busy25-profile.jfr", "jdk25__busy25-profile.default--lock",
       LOCK)
STACKS(jdk25_wall, "busy25-profile.jfr", "jdk25__busy25-profile.default--wall",
       WALL)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_of_jdk17_depth16),
		cmocka_unit_test(counts_of_jdk17_multichunk),
		cmocka_unit_test(counts_of_jdk25_profile),
		cmocka_unit_test(counts_of_ap_alloc),
		cmocka_unit_test(counts_of_ap_cpu17),
		cmocka_unit_test(counts_of_ap_lock),
		cmocka_unit_test(counts_of_ap_multi17),
		cmocka_unit_test(counts_of_ap_nativemem),
		cmocka_unit_test(counts_of_ap_wall),
		cmocka_unit_test(counts_of_ap_cpu25),
		cmocka_unit_test(counts_of_ap_multi25),
		cmocka_unit_test(chunks_of_a_mixed_file_have_their_own_types),
		cmocka_unit_test(recording_of_a_killed_jvm_is_read),
		cmocka_unit_test(recording_of_a_running_jvm_is_whole),
		cmocka_unit_test(recording_of_a_killed_profiler_has_no_samples),
		cmocka_unit_test(
			recording_without_types_is_rejected_with_the_reason),
		cmocka_unit_test(stacks_of_ap_alloc),
		cmocka_unit_test(stacks_of_ap_cpu17),
		cmocka_unit_test(stacks_of_ap_sync),
		cmocka_unit_test(stacks_of_ap_sync_alloc),
		cmocka_unit_test(stacks_of_ap_sync_lock),
		cmocka_unit_test(stacks_of_ap_lock),
		cmocka_unit_test(stacks_of_ap_multi),
		cmocka_unit_test(stacks_of_ap_multi_alloc),
		cmocka_unit_test(stacks_of_ap_multi_lock),
		cmocka_unit_test(stacks_of_ap_multi_wall),
		cmocka_unit_test(stacks_of_ap_nativemem_lock),
		cmocka_unit_test(stacks_of_ap_wall),
		cmocka_unit_test(stacks_of_ap_cpu25),
		cmocka_unit_test(stacks_of_ap_multi25),
		cmocka_unit_test(stacks_of_ap_multi25_alloc),
		cmocka_unit_test(stacks_of_ap_multi25_lock),
		cmocka_unit_test(stacks_of_jdk17_depth16),
		cmocka_unit_test(stacks_of_jdk17_depth16_alloc),
		cmocka_unit_test(stacks_of_jdk17_depth16_lock),
		cmocka_unit_test(stacks_of_jdk17_multichunk),
		cmocka_unit_test(stacks_of_jdk17_multichunk_alloc),
		cmocka_unit_test(stacks_of_jdk17_multichunk_lock),
		cmocka_unit_test(stacks_of_jdk25),
		cmocka_unit_test(stacks_of_jdk25_alloc),
		cmocka_unit_test(stacks_of_jdk25_cpu_time),
		cmocka_unit_test(stacks_of_jdk25_lock),
		cmocka_unit_test(stacks_of_jdk25_wall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
