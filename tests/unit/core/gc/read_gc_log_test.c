/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of JDK 8, 11, 17 and 25, whole and truncated at every byte. */
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/base/text.h"
#include "core/gc/gc_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA  "tests/data/gc/"
#define FORMS DATA "forms/"

static void slurp(struct input *in, const char *path)
{
	struct error err;

	if (input_open(in, path, &err) || input_complete(in, &err))
		fail_msg("%s: %s", path, err.text);
}

static struct gc_source *open_bytes(const void *bytes, size_t len)
{
	struct gc_log_file file = { .bytes = bytes, .len = len, .name = "log" };
	struct error err;
	struct gc_source *s = gc_log_open(&file, 1, &err);

	if (!s)
		fail_msg("%s", err.text);
	return s;
}

static struct gc_source *open_text(const char *text)
{
	return open_bytes(text, strlen(text));
}

static struct gc_pause next(struct gc_source *s)
{
	struct gc_pause p;
	struct error err;

	assert_int_equal(gc_source_next(s, &p, &err), GC_NEXT_RECORD);
	return p;
}

static void assert_end(struct gc_source *s, uint64_t broken)
{
	struct gc_lost lost;
	struct gc_pause p;
	struct error err;

	assert_int_equal(gc_source_next(s, &p, &err), GC_NEXT_END);
	gc_source_lost(s, &lost);
	assert_int_equal(lost.lines, broken);
	gc_source_close(s);
}

/* ---- sums over whole files, as a script over the same lines computes them
 * ---- */

struct sums {
	uint64_t pauses, others, cycles;
	int64_t stopped_ns, sync_ns, gc_ns;
};

static struct sums sums_of(struct gc_source *s)
{
	struct sums sums = { 0 };
	struct gc_pause p;
	struct error err;

	while (gc_source_next(s, &p, &err) == GC_NEXT_RECORD) {
		sums.pauses += gc_pause_is_collection(&p);
		sums.others += p.kind == GC_OTHER;
		sums.cycles += p.kind == GC_CYCLE;
		if (p.stopped_ns != GC_ABSENT)
			sums.stopped_ns += p.stopped_ns;
		if (p.sync_ns != GC_ABSENT)
			sums.sync_ns += p.sync_ns;
		if (p.kind != GC_CYCLE && p.gc_ns != GC_ABSENT)
			sums.gc_ns += p.gc_ns;
	}
	return sums;
}

static const struct {
	const char *path;
	struct sums sums;
} files[] = {
	{ DATA "jdk11-cms.log", { 10, 0, 2, 129022000, 307000, 141490000 } },
	{ DATA "jdk11-g1-none.log",
	  { 16, 10, 1, 1105423500, 50363900, 975597000 } },
	{ DATA "jdk17-g1.log", { 9, 9, 0, 1131941134, 41590954, 1019028000 } },
	{ DATA "jdk17-parallel.log", { 29, 0, 0, 0, 0, 1881576000 } },
	{ DATA "jdk17-shenandoah-time.log",
	  { 7, 6, 2, 30708113, 21785220, 604000 } },
	{ DATA "jdk17-zgc-tn.log", { 5, 2, 1, 57046915, 31371402, 180000 } },
	{ DATA "jdk25-g1-utc.log", { 19, 4, 1, 739047290, 769016, 707664000 } },
	{ DATA "jdk25-zgc-tn.log", { 11, 6, 2, 18503226, 4832753, 888000 } },
	{ DATA "jdk8-cms.log", { 16, 0, 4, 0, 0, 667544200 } },
	{ DATA "jdk8-g1-details.log",
	  { 4, 0, 0, 162014600, 641000, 261060400 } },
	{ DATA "jdk8-g1-verbose.log",
	  { 2, 0, 0, 54031900, 2406200, 87543600 } },
	{ DATA "jdk8-parallel.log", { 5, 0, 0, 600963900, 854900, 597699200 } },
	{ DATA "jdk8-serial.log", { 4, 0, 0, 705248600, 682100, 703435400 } },
	/* Own texts in the forms of other options, collectors and versions. */
	{ FORMS "comma-g1.log", { 2, 0, 0, 26100000, 300000, 24750000 } },
	{ FORMS "comma-jdk8.log", { 2, 0, 1, 0, 0, 11200000 } },
	{ FORMS "comma-zgc.log", { 3, 0, 1, 0, 0, 250000 } },
	{ FORMS "compose-none.log", { 2, 0, 0, 0, 0, 24750000 } },
	{ FORMS "compose.log", { 2, 0, 0, 0, 0, 24750000 } },
	{ FORMS "cri-jdk8.log", { 2, 0, 0, 0, 0, 75000000 } },
	{ FORMS "cri.log", { 2, 0, 0, 0, 0, 24750000 } },
	{ FORMS "docker-jdk8.json", { 2, 0, 0, 0, 0, 75000000 } },
	{ FORMS "docker.json", { 2, 0, 0, 0, 0, 24750000 } },
	{ FORMS "failures.log", { 3, 0, 0, 0, 0, 27500000 } },
	{ FORMS "gc-locker.log", { 1, 2, 0, 4180000, 60000, 4000000 } },
	{ FORMS "jdk8-cms-remark.log", { 4, 0, 0, 0, 0, 332900000 } },
	{ FORMS "jdk8-gcid.log", { 3, 0, 1, 0, 0, 16400000 } },
	{ FORMS "jdk8-histogram.log", { 3, 0, 0, 0, 0, 932500000 } },
	{ FORMS "jdk8-joined.log", { 4, 0, 0, 0, 0, 537500000 } },
	{ FORMS "jdk8-shenandoah.log", { 5, 0, 2, 0, 0, 91000000 } },
	{ FORMS "journald.log", { 2, 0, 0, 0, 0, 24750000 } },
	{ FORMS "kubectl-both.log", { 2, 0, 0, 0, 0, 24750000 } },
	{ FORMS "kubectl-prefix.log", { 2, 0, 0, 0, 0, 24750000 } },
	{ FORMS "kubectl-timestamps.log", { 2, 0, 0, 0, 0, 24750000 } },
	{ FORMS "spaces.log", { 2, 0, 0, 0, 0, 24750000 } },
	{ FORMS "tanuki-jdk8.log", { 2, 0, 0, 0, 0, 75000000 } },
	{ FORMS "zgc-stalls.log", { 1, 0, 1, 0, 0, 57770000 } },
};

static void whole_logs_have_the_sums_of_their_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct input in = { 0 };
		struct gc_lost lost;
		struct gc_source *s;
		struct sums got;

		slurp(&in, files[i].path);
		s = open_bytes(in.bytes, in.len);
		got = sums_of(s);
		gc_source_lost(s, &lost);
		if (memcmp(&got, &files[i].sums, sizeof(got)) || lost.lines)
			fail_msg("%s: %llu pauses, %llu others, %llu cycles, "
				 "stopped %lld, sync %lld, gc %lld, lost %llu",
				 files[i].path, (unsigned long long)got.pauses,
				 (unsigned long long)got.others,
				 (unsigned long long)got.cycles,
				 (long long)got.stopped_ns,
				 (long long)got.sync_ns, (long long)got.gc_ns,
				 (unsigned long long)lost.lines);
		gc_source_close(s);
		input_close(&in);
	}
}

/* ---- truncation ---- */

/* The durations of all records of a log. */
struct durations {
	int64_t *ns;
	size_t count, cap;
};

static void durations_add(struct durations *d, int64_t ns)
{
	array_reserve(d->ns, d->cap, d->count + 1);
	d->ns[d->count++] = ns;
}

static bool durations_has(const struct durations *d, int64_t ns)
{
	for (size_t i = 0; i < d->count; i++) {
		if (d->ns[i] == ns)
			return true;
	}
	return false;
}

static void durations_read(struct durations *d, struct gc_source *s)
{
	struct gc_pause p;
	struct error err;

	durations_add(d, GC_ABSENT);
	while (gc_source_next(s, &p, &err) == GC_NEXT_RECORD) {
		durations_add(d, p.stopped_ns);
		durations_add(d, p.sync_ns);
		/* Of two collections in a stop, the first may remain. */
		if (p.kind != GC_CYCLE && p.collections < 2)
			durations_add(d, p.gc_ns);
	}
}

/* Reads the first len bytes of a log; returns the number of collections. */
static uint64_t check_truncated(const struct input *in, size_t len,
				const struct durations *all, uint64_t *lost)
{
	struct gc_log_file file = { in->bytes, len, "log", false };
	struct error err;
	struct gc_source *s = gc_log_open(&file, 1, &err);
	struct gc_lost sum = { 0 };
	struct gc_pause p;
	uint64_t collections = 0;

	*lost = 1; /* refused */
	if (!s)
		return 0;
	while (gc_source_next(s, &p, &err) == GC_NEXT_RECORD) {
		collections += gc_pause_is_collection(&p) ? p.collections : 0;
		if (!durations_has(all, p.stopped_ns) ||
		    !durations_has(all, p.sync_ns))
			fail_msg("%zu bytes: invented %lld, %lld", len,
				 (long long)p.stopped_ns, (long long)p.sync_ns);
	}
	gc_source_lost(s, &sum);
	if (sum.lines > 1)
		fail_msg("%zu bytes: %llu lost", len,
			 (unsigned long long)sum.lines);
	*lost = sum.lines;
	gc_source_close(s);
	return collections;
}

/* True if the text may end behind the last of several collections in a line. */
static bool ends_with_a_record(const struct input *in, size_t len)
{
	while (len && in->bytes[len - 1] == ' ')
		len--;
	return len > 5 && memcmp(in->bytes + len - 5, "secs]", 5) == 0;
}

/*
 * Truncates a log at every byte. Inside of a line that completes a collection,
 * either the collection is there or a loss is reported.
 */
static void check_all_truncated(const struct input *in, const char *path)
{
	size_t limit = in->len < 6000 ? in->len : 6000;
	struct durations all = { 0 };
	struct gc_source *s = open_bytes(in->bytes, in->len);
	uint64_t whole = 0, lost;
	size_t end = 0;

	durations_read(&all, s);
	gc_source_close(s);
	for (size_t len = 1; len < limit; len++) {
		if (len > end) {
			const uint8_t *newline = memchr(in->bytes + len, '\n',
							in->len - len);

			end = newline ? (size_t)(newline - in->bytes) + 1
				      : in->len;
			whole = check_truncated(in, end, &all, &lost);
		}
		if (check_truncated(in, len, &all, &lost) < whole && !lost &&
		    !ends_with_a_record(in, len))
			fail_msg("%s: %zu bytes: a collection is missing", path,
				 len);
	}
	free(all.ns);
}

static void truncated_logs_report_what_they_lose(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct input in = { 0 };

		slurp(&in, files[i].path);
		check_all_truncated(&in, files[i].path);
		input_close(&in);
	}
}

static void a_number_cut_short_is_a_broken_line(void **state)
{
	struct gc_source *s;
	struct gc_pause p;

	(void)state;
	s = open_text("[1.000s][info][gc] GC(0) Pause Young (Allocation "
		      "Failure) 6M->2M(96M) 1.5ms\n"
		      "[2.000s][info][gc] GC(1) Pause Young (Allocation "
		      "Failure) 6M->2M(96M) 1.2");
	p = next(s);
	assert_int_equal(p.gc_ns, 1500000);
	assert_end(s, 1);
}

static void
last_line_without_a_newline_is_a_loss_if_a_record_may_begin(void **state)
{
	static const struct {
		const char *line;
		uint64_t broken;
	} rows[] = {
		{ "[2.0s][info][gc,heap] GC(1) Eden regions: 5->0(10)", 0 },
		{ "[2.0s][info][gc,start] GC(1) Pause Remark", 0 },
		{ "[2.0s][info][safepoint] Application time: 1.2 seconds", 0 },
		{ "[2.0s] Free: 68683K, Max: 256K regular", 0 },
		{ "  Metaspace       used 2476K, capacity 4490K", 0 },
		{ "done", 0 },
		{ "[2.0s][info][gc] GC(1) Pause Remark", 1 },
		{ "[2.0s][info][gc] GC(1)", 1 },
		{ "[2.0s][info][gc", 1 },
		{ "[2.0s][info][safepoint] Safepo", 1 },
		{ "2.0: [Full G", 1 },
		{ "2026-11-02T10:00", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text text = { 0 };
		struct gc_source *s;

		text_printf(&text,
			    "[1.0s][info][gc] GC(0) Pause Full (System.gc()) "
			    "9M->8M(9M) 1.0ms\n%s",
			    rows[i].line);
		s = open_text(text.bytes);
		next(s);
		assert_end(s, rows[i].broken);
		text_release(&text);
	}
}

static void pause_behind_the_text_of_a_program_is_read(void **state)
{
	struct gc_source *s;

	(void)state;
	s = open_text("loading ...[1.0s][info][gc] GC(0) Pause Full "
		      "(System.gc()) 9M->8M(9M) 1.0ms\n"
		      "ready[1.5s][info][gc] GC(1) Pause Full "
		      "(System.gc()) 9M->8M(9M) 2.0ms\n"
		      "3.0: [ParNew3.1: [GC 9M->8M(9M), 0.003 secs]\n");
	assert_int_equal(next(s).gc_ns, 1000000);
	assert_int_equal(next(s).gc_ns, 2000000);
	assert_int_equal(next(s).gc_ns, 3000000);
	assert_end(s, 1);
}

/* ---- joining ---- */

static void safepoint_line_is_joined_with_the_pauses_before(void **state)
{
	struct gc_source *s;
	struct gc_pause p;

	(void)state;
	s = open_text(
		"[1.000s][info][gc] GC(0) Pause Young (System.gc()) "
		"20M->9M(96M) 4.000ms\n"
		"[1.010s][info][gc] GC(1) Pause Full (System.gc()) "
		"9M->3M(90M) 9.500ms\n"
		"[1.011s][info][safepoint] Safepoint \"ParallelGCSystemGC\", "
		"Time since last: 5 ns, Reaching safepoint: 70000 ns, "
		"At safepoint: 13930000 ns, Total: 14000001 ns\n");
	p = next(s);
	assert_int_equal(p.kind, GC_FULL);
	assert_int_equal(p.collections, 2);
	assert_int_equal(p.stopped_ns, 14000001);
	assert_int_equal(p.sync_ns, 70000);
	assert_int_equal(p.gc_ns, 13500000);
	assert_int_equal(p.before, 20 << 20);
	assert_int_equal(p.after, 3 << 20);
	assert_int_equal(p.committed, 90 << 20);
	assert_string_equal(p.cause, "System.gc()");
	assert_string_equal(p.operation, "ParallelGCSystemGC");
	assert_int_equal(p.uptime_ns, 1011000000);
	assert_end(s, 0);
}

static void feed(struct gc_source *s, const char *text)
{
	gc_log_feed(s, (const uint8_t *)text, strlen(text));
}

static void followed_log_joins_lines_of_several_parts(void **state)
{
	struct gc_source *s = gc_log_follow("Serial");
	struct gc_pause p;
	struct error err;

	(void)state;
	assert_int_equal(gc_source_next(s, &p, &err), GC_NEXT_LATER);
	feed(s, "[5000ns] GC(0) Pause Young (Allocation Failure) "
		"20M->9M(96M) 4.000ms\n");
	/* Its safepoint line may still come. */
	assert_int_equal(gc_source_next(s, &p, &err), GC_NEXT_LATER);
	feed(s, "[5001000ns] Safepoint \"GenCollectForAllocation\", Time since "
		"last: 5 ns, Reaching safepoint: 7 ns, At safepoint: 4999993 "
		"ns, Total: 5000000 ns\n"
		"[6000000ns] GC(1) Pause Young (Allocation Failure) "
		"20M->9M(96M) 4.000ms\n");
	p = next(s);
	assert_int_equal(p.kind, GC_YOUNG);
	assert_int_equal(p.stopped_ns, 5000000);
	assert_int_equal(p.gc_ns, 4000000);
	assert_string_equal(p.collector, "Serial");
	assert_int_equal(gc_source_next(s, &p, &err), GC_NEXT_LATER);
	s->is_ending = true;
	p = next(s);
	assert_int_equal(p.stopped_ns, GC_ABSENT);
	assert_int_equal(p.number, 1);
	assert_end(s, 0);
}

static void pause_longer_than_the_stop_is_not_joined(void **state)
{
	struct gc_source *s;
	struct gc_pause p;

	(void)state;
	s = open_text("GC(0) Pause Young (Normal) (G1 Evacuation Pause) "
		      "20M->9M(96M) 40.000ms\n"
		      "Safepoint \"Cleanup\", Time since last: 5 ns, Reaching "
		      "safepoint: 7 ns, At safepoint: 13 ns, Total: 20 ns\n");
	p = next(s);
	assert_int_equal(p.kind, GC_YOUNG);
	assert_int_equal(p.stopped_ns, GC_ABSENT);
	assert_string_equal(p.cause, "G1 Evacuation Pause");
	p = next(s);
	assert_int_equal(p.kind, GC_OTHER);
	assert_int_equal(p.stopped_ns, 20);
	assert_string_equal(p.operation, "Cleanup");
	assert_end(s, 0);
}

static void pauses_without_safepoint_lines_have_no_stopped_time(void **state)
{
	struct input in = { 0 };
	struct gc_source *s;
	struct gc_pause p;

	(void)state;
	slurp(&in, DATA "jdk17-parallel.log");
	s = open_bytes(in.bytes, in.len);
	assert_false(s->columns & GC_HAS_STOPPED);
	p = next(s);
	assert_int_equal(p.stopped_ns, GC_ABSENT);
	assert_int_not_equal(p.gc_ns, GC_ABSENT);
	gc_source_close(s);
	input_close(&in);
}

static void causes_with_parentheses_and_failures_are_understood(void **state)
{
	struct gc_source *s;
	struct gc_pause p;

	(void)state;
	s = open_text("GC(3) Pause Young (Mixed) (G1 Evacuation Pause) "
		      "(Evacuation Failure: Allocation) 9M->8M(9M) 1.0ms\n"
		      "GC(4) Pause Full (System.gc()) 9M->8M(9M) 1.0ms\n"
		      "GC(5) Pause Young (Prepare Mixed) (G1 Preventive "
		      "Collection) 9M->8M(9M) 1.0ms\n");
	p = next(s);
	assert_int_equal(p.kind, GC_MIXED);
	assert_string_equal(p.cause, "G1 Evacuation Pause "
				     "(Evacuation Failure: Allocation)");
	p = next(s);
	assert_int_equal(p.kind, GC_FULL);
	assert_string_equal(p.cause, "System.gc()");
	p = next(s);
	assert_int_equal(p.kind, GC_YOUNG);
	assert_string_equal(p.cause, "G1 Preventive Collection");
	assert_end(s, 0);
}

static void cycles_give_their_cause_to_their_pauses(void **state)
{
	struct input in = { 0 };
	struct gc_source *s;
	struct gc_pause p;
	unsigned pauses = 0;

	(void)state;
	slurp(&in, DATA "jdk17-zgc-tn.log");
	s = open_bytes(in.bytes, in.len);
	do {
		p = next(s);
		if (p.kind == GC_CYCLE_PAUSE) {
			assert_string_equal(p.cause, "Warmup");
			pauses++;
		}
	} while (p.kind != GC_CYCLE);
	assert_int_equal(pauses, 3);
	assert_string_equal(p.cause, "Warmup");
	assert_string_equal(p.collector, "ZGC");
	assert_int_equal(p.before, 10 << 20);
	assert_int_equal(p.after, 8 << 20);
	assert_true(p.gc_ns > 0);
	assert_true(p.phase_count > 5);
	assert_true(p.phases[0].is_concurrent);
	gc_source_close(s);
	input_close(&in);
}

static void phases_belong_to_the_pause_that_follows(void **state)
{
	struct gc_source *s;
	struct gc_pause p;

	(void)state;
	s = open_text(
		"[1.000s] GC(7)   Evacuate Collection Set: 0.3ms\n"
		"[1.000s] GC(7)     Merge: 0.1ms\n"
		"[1.000s] GC(7) Pause Young (Normal) (G1 Evacuation Pause) "
		"9M->8M(9M) 1.0ms\n"
		"[1.000s] GC(7) User=0.02s Sys=0.01s Real=0.00s\n");
	p = next(s);
	assert_int_equal(p.phase_count, 3);
	assert_string_equal(p.phases[0].name,
			    "Pause Young (Normal) (G1 Evacuation Pause)");
	assert_int_equal(p.phases[0].start_ns, 999000000);
	assert_string_equal(p.phases[1].name, "Evacuate Collection Set");
	assert_int_equal(p.phases[1].level, 1);
	assert_int_equal(p.phases[1].ns, 300000);
	assert_int_equal(p.phases[2].level, 2);
	assert_int_equal(p.cpu_ns, 30000000);
	assert_end(s, 0);
}

/* ---- times ---- */

static void decorators_of_any_kind_are_read(void **state)
{
	static const struct {
		const char *decorators;
		int64_t end_ns, uptime_ns;
	} rows[] = {
		{ "[2026-11-25T18:41:59.708+0200]", 1795624919708000000,
		  GC_ABSENT },
		{ "[2026-11-25T18:41:59.708Z][12.345s][info][gc]",
		  1795632119708000000, 12345000000 },
		{ "[1795632119708ms][4242ms]", 1795632119708000000,
		  4242000000 },
		{ "[5000000000ns][700ns]", GC_ABSENT, 700 },
		{ "[host-1][4711][4712][info][gc   ]", GC_ABSENT, GC_ABSENT },
		{ "[0,123s][gc]", GC_ABSENT, 123000000 },
		{ "[0.123s] [info] [gc]", GC_ABSENT, 123000000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text text = { 0 };
		struct gc_source *s;
		struct gc_pause p;

		text_printf(&text, "%s GC(0) Pause Remark 3M->3M(4M) 2.5ms\n",
			    rows[i].decorators);
		s = open_text(text.bytes);
		p = next(s);
		assert_int_equal(p.kind, GC_CYCLE_PAUSE);
		assert_int_equal(p.gc_ns, 2500000);
		assert_int_equal(p.end_ns, rows[i].end_ns);
		assert_int_equal(p.uptime_ns, rows[i].uptime_ns);
		assert_end(s, 0);
		text_release(&text);
	}
}

static void rotated_files_are_read_in_the_order_of_their_times(void **state)
{
	struct gc_log_file parts[2];
	struct input in[2] = { 0 };
	int64_t before = 0;
	struct gc_source *s;
	struct gc_pause p;
	struct error err;
	unsigned count = 0;

	(void)state;
	slurp(&in[0], DATA "jdk25-rotated.log.1");
	slurp(&in[1], DATA "jdk25-rotated.log.0");
	for (int i = 0; i < 2; i++)
		parts[i] = (struct gc_log_file){ in[i].bytes, in[i].len, "part",
						 false };
	s = gc_log_open(parts, 2, &err);
	assert_non_null(s);
	while (gc_source_next(s, &p, &err) == GC_NEXT_RECORD) {
		if (p.kind == GC_CYCLE)
			continue;
		assert_true(p.uptime_ns >= before);
		before = p.uptime_ns;
		count++;
	}
	assert_int_equal(count, 9);
	gc_source_close(s);
	input_close(&in[0]);
	input_close(&in[1]);
}

/* ---- JDK 8 ---- */

static void cms_lines_inside_of_a_collection_are_skipped(void **state)
{
	struct gc_source *s;
	struct gc_pause p;

	(void)state;
	s = open_text("1.375: [GC (Allocation Failure) 1.375: [ParNew1.443: "
		      "[CMS-concurrent-abortable-preclean: 0.000/0.109 secs] "
		      "[Times: user=0.02 sys=0.01, real=0.11 secs] \n"
		      ": 29504K->3264K(29504K), 0.1018911 secs] "
		      "33061K->10551K(95040K), 0.1020136 secs] [Times: "
		      "user=0.03 sys=0.01, real=0.10 secs] \n");
	p = next(s);
	assert_int_equal(p.kind, GC_YOUNG);
	assert_string_equal(p.cause, "Allocation Failure");
	assert_string_equal(p.collector, "CMS");
	assert_int_equal(p.gc_ns, 102013600);
	assert_int_equal(p.cpu_ns, 40000000);
	assert_int_equal(p.before, 33061 << 10);
	assert_int_equal(p.after, 10551 << 10);
	/* The line has the time of the start. */
	assert_int_equal(p.uptime_ns, 1375000000 + 102013600);
	assert_end(s, 0);
}

static void collection_without_an_end_is_a_broken_line(void **state)
{
	struct gc_source *s;
	struct gc_pause p;

	(void)state;
	s = open_text("1.0: [GC (Allocation Failure) 1.0: [ParNew\n"
		      "2.0: [GC (Allocation Failure)  9K->8K(9K), "
		      "0.5000000 secs]\n");
	p = next(s);
	assert_int_equal(p.gc_ns, 500000000);
	assert_int_equal(p.uptime_ns, 2500000000);
	assert_end(s, 1);
}

static void heap_of_g1_is_in_the_lines_with_details(void **state)
{
	struct input in = { 0 };
	struct gc_source *s;
	struct gc_pause p;

	(void)state;
	slurp(&in, DATA "jdk8-g1-details.log");
	s = open_bytes(in.bytes, in.len);
	p = next(s);
	assert_int_equal(p.before, 10240 << 10);
	assert_int_equal(p.after, 1301 << 10);
	assert_int_equal(p.gc_ns, 96623300);
	assert_int_equal(p.stopped_ns, 97532200);
	assert_int_equal(p.sync_ns, 343100);
	assert_int_equal(p.cpu_ns, 20000000);
	assert_string_equal(p.collector, "G1");
	gc_source_close(s);
	input_close(&in);
}

/* ---- other input ---- */

static void lines_of_a_program_are_counted_as_foreign(void **state)
{
	struct gc_source *s;
	struct gc_pause p;
	struct error err;
	const char *where;
	uint64_t number;

	(void)state;
	s = open_text("GC(0) Pause Full (System.gc()) 9M->8M(9M) 1.0ms\n"
		      "hello\n"
		      "world\n");
	next(s);
	assert_int_equal(gc_source_next(s, &p, &err), GC_NEXT_END);
	assert_int_equal(gc_log_foreign_lines(s, &where, &number), 2);
	assert_string_equal(where, "log");
	assert_int_equal(number, 2);
	gc_source_close(s);
}

static void other_input_is_rejected(void **state)
{
	static const char *const texts[] = { "", "hello\nworld\n",
					     "<?xml version=\"1.0\"?>\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct gc_log_file file = { (const uint8_t *)texts[i],
					    strlen(texts[i]), "x", false };
		struct error err;

		assert_null(gc_log_open(&file, 1, &err));
		assert_int_equal(err.kind, ERROR_INPUT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_logs_have_the_sums_of_their_lines),
		cmocka_unit_test(truncated_logs_report_what_they_lose),
		cmocka_unit_test(a_number_cut_short_is_a_broken_line),
		cmocka_unit_test(
			last_line_without_a_newline_is_a_loss_if_a_record_may_begin),
		cmocka_unit_test(pause_behind_the_text_of_a_program_is_read),
		cmocka_unit_test(
			safepoint_line_is_joined_with_the_pauses_before),
		cmocka_unit_test(followed_log_joins_lines_of_several_parts),
		cmocka_unit_test(pause_longer_than_the_stop_is_not_joined),
		cmocka_unit_test(
			pauses_without_safepoint_lines_have_no_stopped_time),
		cmocka_unit_test(
			causes_with_parentheses_and_failures_are_understood),
		cmocka_unit_test(cycles_give_their_cause_to_their_pauses),
		cmocka_unit_test(phases_belong_to_the_pause_that_follows),
		cmocka_unit_test(decorators_of_any_kind_are_read),
		cmocka_unit_test(
			rotated_files_are_read_in_the_order_of_their_times),
		cmocka_unit_test(cms_lines_inside_of_a_collection_are_skipped),
		cmocka_unit_test(collection_without_an_end_is_a_broken_line),
		cmocka_unit_test(heap_of_g1_is_in_the_lines_with_details),
		cmocka_unit_test(lines_of_a_program_are_counted_as_foreign),
		cmocka_unit_test(other_input_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
