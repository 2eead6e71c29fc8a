/* SPDX-License-Identifier: Apache-2.0 */
/* Thread samples from a fake JVM, which is a table of replies. */
#include "core/threads/blocked.h"
#include "core/threads/thread_rates.h"
#include "jmx_http/threads/jmx_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS_MOST = 8 };

/* The state of the JVM; tests change it between samples. */
static struct {
	int64_t ids[THREADS_MOST];
	size_t count;
	int64_t ended; /* id of a thread that is still listed but has ended */
	int64_t start_ms, uptime_ms;
	bool measures, no_alloc, may_not, refuses_set, is_gone, is_odd;
	int64_t total_alloc; /* 0: the attribute does not exist */
	bool names_itself;   /* failures contain the JVM's name */
	bool loses_set;      /* the attribute is set, but the reply is lost */

	unsigned goes_after; /* runs until the JVM is gone; 0: it stays */

	/* Counts of requests. */
	bool is_blocked; /* main blocks all other threads */
	unsigned runs, sets, allocs;
	size_t most_ids;
} jvm;

static struct arena arena;

static int reset(void **state)
{
	(void)state;
	memset(&jvm, 0, sizeof(jvm));
	jvm.ids[0] = 1;
	jvm.ids[1] = 7;
	jvm.count = 2;
	jvm.start_ms = 1000;
	jvm.uptime_ms = 5000;
	return 0;
}

static int release(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static const struct value *integer(int64_t n)
{
	return value_integer(&arena, "long", n);
}

static struct value *composite(size_t most)
{
	struct value *v = value_new(&arena, VALUE_COMPOSITE, "");

	v->members.at = arena_alloc(&arena, most * sizeof(*v->members.at));
	return v;
}

static void member(struct value *v, const char *name, const struct value *of)
{
	struct value_member *at = (struct value_member *)v->members.at;

	at[v->members.count++] = (struct value_member){ name, of };
}

static const struct value *list(const struct value **at, size_t count)
{
	struct value *v = value_new(&arena, VALUE_ARRAY, "");

	v->list.at = at;
	v->list.count = count;
	return v;
}

static const struct value *info_of(int64_t id)
{
	struct value *v = composite(10);
	bool blocked = jvm.is_blocked && id != 1;

	member(v, "threadId", integer(id));
	member(v, "threadName",
	       value_string(&arena, id == 1 ? "main" : "worker"));
	member(v, "threadState",
	       value_string(&arena, blocked ? "BLOCKED" : "WAITING"));
	if (blocked) {
		member(v, "lockName", value_string(&arena, "a.B@1f"));
		member(v, "lockOwnerId", integer(1));
	}
	member(v, "waitedCount", integer(id * 10));
	member(v, "blockedCount", integer(id));
	member(v, "waitedTime", integer(jvm.measures ? id * 100 : -1));
	member(v, "blockedTime", integer(jvm.measures ? id : -1));
	return v;
}

/*
 * Returns the reply to an operation of the thread MBean for the requested ids.
 */
static const struct value *of_threads(const struct jmx_request *q)
{
	const struct value *ids = q->arguments[0];
	const struct value **at = arena_alloc(&arena, (ids->list.count + 1) *
							      sizeof(*at));
	bool infos = !strcmp(q->names[0], "getThreadInfo");

	if (ids->list.count > jvm.most_ids)
		jvm.most_ids = ids->list.count;
	for (size_t i = 0; i < ids->list.count; i++) {
		int64_t id = ids->list.at[i]->integer;
		bool ended = id == jvm.ended;

		if (infos)
			at[i] = ended ? &value_null : info_of(id);
		else
			at[i] = integer(ended ? -1 : id * jvm.uptime_ms);
	}
	return list(at, ids->list.count);
}

static const struct value *attribute(const char *name)
{
	if (!strcmp(name, "AllThreadIds")) {
		const struct value **at = arena_alloc(
			&arena, THREADS_MOST * sizeof(*at));

		for (size_t i = 0; i < jvm.count; i++)
			at[i] = integer(jvm.ids[i]);
		return list(at, jvm.count);
	}
	if (!strcmp(name, "StartTime"))
		return integer(jvm.start_ms);
	if (!strcmp(name, "Uptime"))
		return integer(jvm.uptime_ms);
	if (!strcmp(name, "Name"))
		return value_string(&arena, "Copy");
	if (!strcmp(name, "ThreadContentionMonitoringEnabled")) {
		struct value *v = value_new(&arena, VALUE_BOOLEAN, "boolean");

		v->integer = jvm.measures;
		return v;
	}
	if (!strcmp(name, "TotalThreadAllocatedBytes") && jvm.total_alloc)
		return integer(jvm.total_alloc);
	if (!strcmp(name, "TotalThreadAllocatedBytes"))
		return value_text(&arena, VALUE_ERROR, "", "none", 4);
	return integer(3);
}

static const struct value *attributes(const struct jmx_request *q)
{
	struct value *v = composite(q->name_count);

	for (size_t i = 0; i < q->name_count; i++)
		member(v, q->names[i],
		       jvm.is_odd ? value_string(&arena, "odd")
				  : attribute(q->names[i]));
	return v;
}

static void refuse(struct jmx_reply *r, enum error_kind kind, const char *why)
{
	r->kind = kind;
	r->failure = why;
}

static void set(const struct jmx_request *q, struct jmx_reply *r)
{
	jvm.sets++;
	if (jvm.refuses_set)
		refuse(r, ERROR_PERMISSION, "java.lang.SecurityException: no");
	else
		jvm.measures = q->arguments[0]->integer;
	if (jvm.loses_set)
		refuse(r, ERROR_REFUSED, "the answer was lost");
}

static void invoke(const struct jmx_request *q, struct jmx_reply *r)
{
	bool allocs = !strcmp(q->names[0], "getThreadAllocatedBytes");

	jvm.allocs += allocs;
	if (jvm.may_not)
		refuse(r, ERROR_PERMISSION, "java.lang.SecurityException: no");
	else if (allocs && jvm.no_alloc)
		refuse(r, ERROR_NO_TARGET, "java.lang.NoSuchMethodException");
	else
		r->value = jvm.is_odd ? integer(5) : of_threads(q);
}

static struct jmx_reply answer(const struct jmx_request *q)
{
	struct jmx_reply r = { .value = &value_null };
	const struct value **at = arena_alloc(&arena, sizeof(*at));

	switch (q->verb) {
	case JMX_QUERY:
		at[0] = value_text(&arena, VALUE_NAME, "", "a:b=c", 5);
		r.value = list(at, 1);
		break;
	case JMX_GET:
		r.value = attributes(q);
		break;
	case JMX_SET:
		set(q, &r);
		break;
	default:
		invoke(q, &r);
		break;
	}
	return r;
}

static int run(struct jmx *j, const struct jmx_request *requests, size_t count,
	       jmx_reply_fn *fn, void *self, struct error *err)
{
	(void)j;
	jvm.runs++;
	if (jvm.is_gone || (jvm.goes_after && jvm.runs > jvm.goes_after))
		return (fail)(err, ERROR_NO_TARGET, "%snobody is there",
			      jvm.names_itself ? "here: " : "");
	for (size_t i = 0; i < count; i++) {
		struct jmx_reply r = answer(&requests[i]);

		if (fn(self, i, &r, err))
			return -1;
	}
	return 0;
}

static const struct jmx_ops ops = { .name = "table", .run = run };

static struct jmx jmx = { .ops = &ops, .title = "here", .version = "99" };

static struct thread_source *open_with(bool contention, bool beside_proc)
{
	const struct jmx_source_options o = { .contention = contention,
					      .beside_proc = beside_proc };
	struct error err;
	struct thread_source *s = jmx_source_open(&jmx, &o, &err);

	if (!s)
		fail_msg("%s", err.text);
	return s;
}

static struct top_sample sample(struct thread_source *s)
{
	struct top_sample out;
	struct error err;

	if (s->ops->sample(s, &out, &err))
		fail_msg("%s", err.text);
	return out;
}

static const struct source_note *note(const struct top_sample *s,
				      const char *figure)
{
	for (size_t i = 0; i < s->note_count; i++)
		if (!strcmp(s->notes[i].figure, figure))
			return &s->notes[i];
	return NULL;
}

static void sample_takes_one_round_trip_unless_threads_started(void **state)
{
	struct thread_source *s = open_with(false, false);
	struct top_sample out;

	(void)state;
	jvm.runs = 0;
	out = sample(s);
	assert_int_equal(jvm.runs, 2);
	assert_int_equal(out.thread_count, 2);
	assert_string_equal(out.threads[0].name, "main");
	assert_int_equal(out.threads[1].java_id, 7);
	assert_int_equal(out.threads[1].tid, 0);
	assert_int_equal(out.threads[1].state, RUN_WAITING);
	assert_int_equal(out.threads[1].counters[THREAD_CPU], 7 * 5000);
	assert_int_equal(out.threads[1].counters[THREAD_ALLOC], 7 * 5000);
	assert_int_equal(out.threads[1].counters[THREAD_WAITS], 70);
	assert_int_equal(out.threads[1].counters[THREAD_BLOCKS], 7);
	assert_true(out.threads[1].counters[THREAD_WAIT_TIME] ==
		    COUNTER_ABSENT);
	assert_true(out.threads[1].counters[THREAD_RUNQ] == COUNTER_ABSENT);
	assert_true(out.process.alloc_bytes == COUNTER_ABSENT);
	assert_int_equal(out.process.gc_count, 1);
	assert_string_equal(out.process.gc[0].name, "Copy");
	sample(s);
	assert_int_equal(jvm.runs, 3);
	jvm.ids[2] = 9;
	jvm.count = 3;
	out = sample(s);
	assert_int_equal(jvm.runs, 5);
	assert_int_equal(out.thread_count, 3);
	s->ops->close(s);
}

/*
 * The interval is measured by the JVM's clock, so slow replies do not change
 * it.
 */
static void sample_time_is_the_jvms_clock(void **state)
{
	struct thread_source *s = open_with(false, false);
	int64_t before = sample(s).monotonic_ns;

	(void)state;
	jvm.uptime_ms += 1234;
	assert_int_equal(sample(s).monotonic_ns - before, 1234000000);
	s->ops->close(s);
}

static void ended_thread_is_omitted(void **state)
{
	struct thread_source *s = open_with(false, false);
	struct top_sample out;

	(void)state;
	sample(s);
	jvm.ended = 7;
	out = sample(s);
	assert_int_equal(out.thread_count, 1);
	assert_int_equal(out.missed, 1);
	jvm.count = 1;
	out = sample(s);
	assert_int_equal(out.thread_count, 1);
	s->ops->close(s);
}

/* The last sample stays valid until the next one. */
static void last_sample_survives_a_failed_sample(void **state)
{
	struct thread_source *s = open_with(false, false);
	struct top_sample out, unused;
	struct error err;

	(void)state;
	sample(s);
	out = sample(s);
	/*
	 * The JVM disappears while the details of new threads, which need
	 * memory, are read.
	 */
	for (int64_t i = 2; i < THREADS_MOST; i++)
		jvm.ids[i] = 100 + i;
	jvm.count = THREADS_MOST;
	jvm.goes_after = jvm.runs + 1;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(s->ops->sample(s, &unused, &err), -1);
		assert_int_equal(err.kind, ERROR_NO_TARGET);
		assert_string_equal(out.threads[0].name, "main");
		assert_string_equal(out.threads[1].name, "worker");
		assert_int_equal(out.threads[1].counters[THREAD_BLOCKS], 7);
	}
	jvm.goes_after = 0;
	assert_int_equal(sample(s).thread_count, THREADS_MOST);
	s->ops->close(s);
}

static void missing_values_are_absent_and_noted(void **state)
{
	struct thread_source *s;
	struct top_sample out;

	(void)state;
	jvm.no_alloc = true;
	s = open_with(false, false);
	out = sample(s);
	assert_true(out.threads[0].counters[THREAD_ALLOC] == COUNTER_ABSENT);
	assert_true(note(&out, "allocation")->is_absent);
	assert_non_null(strstr(note(&out, "allocation")->text,
			       "NoSuchMethodException"));
	assert_true(note(&out, "safepoints")->is_absent);
	jvm.allocs = 0;
	sample(s);
	assert_int_equal(jvm.allocs, 0);
	s->ops->close(s);
}

static void missing_permission_is_reported(void **state)
{
	struct thread_source *s = open_with(false, false);
	struct top_sample out;
	struct error err;

	(void)state;
	jvm.may_not = true;
	assert_int_equal(s->ops->sample(s, &out, &err), -1);
	assert_int_equal(err.kind, ERROR_PERMISSION);
	jvm.may_not = false;
	jvm.is_gone = true;
	assert_int_equal(s->ops->sample(s, &out, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	s->ops->close(s);
}

static void contention_monitoring_is_enabled_until_restored(void **state)
{
	struct thread_source *s = open_with(true, false);
	struct top_sample out;
	struct error err;

	(void)state;
	assert_true(jvm.measures);
	assert_true(jmx_source_has_switched(s));
	out = sample(s);
	assert_int_equal(out.threads[1].counters[THREAD_WAIT_TIME], 700000000);
	assert_int_equal(jmx_source_put_back(s, &err), 0);
	assert_false(jvm.measures);
	assert_int_equal(jvm.sets, 2);
	assert_int_equal(jmx_source_put_back(s, &err), 0);
	assert_int_equal(jvm.sets, 2);
	s->ops->close(s);
}

static void monitoring_enabled_by_others_stays_enabled(void **state)
{
	struct thread_source *s;
	struct error err;

	(void)state;
	jvm.measures = true;
	s = open_with(true, false);
	assert_int_equal(jmx_source_put_back(s, &err), 0);
	assert_int_equal(jvm.sets, 0);
	assert_true(jvm.measures);
	s->ops->close(s);
}

static void refused_monitoring_becomes_a_note(void **state)
{
	struct thread_source *s;
	struct top_sample out;

	(void)state;
	jvm.refuses_set = true;
	s = open_with(true, false);
	assert_false(jmx_source_has_switched(s));
	out = sample(s);
	assert_int_equal(out.threads[1].counters[THREAD_WAITS], 70);
	assert_non_null(
		strstr(note(&out, "contention")->text, "SecurityException"));
	s->ops->close(s);
}

static void possibly_enabled_monitoring_is_restored(void **state)
{
	struct thread_source *s;
	struct error err;

	(void)state;
	jvm.loses_set = true;
	s = open_with(true, false);
	assert_true(jvm.measures);
	jvm.loses_set = false;
	assert_int_equal(jmx_source_put_back(s, &err), 0);
	assert_false(jvm.measures);
	s->ops->close(s);
}

static void failure_to_restore_is_an_error(void **state)
{
	struct thread_source *s = open_with(true, false);
	struct error err;

	(void)state;
	jvm.is_gone = true;
	assert_int_equal(jmx_source_put_back(s, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	s->ops->close(s);
}

/*
 * After a restart, equal ids belong to other threads, and monitoring must be
 * enabled again.
 */
static void restarted_jvm_starts_anew(void **state)
{
	struct thread_source *s = open_with(true, false);
	struct thread_rates *rates = thread_rates_new();
	struct top_sample out = sample(s);
	struct top_rates *between;

	(void)state;
	assert_null(note(&out, "target"));
	thread_rates_update(rates, &out);
	jvm.start_ms = 90000;
	jvm.uptime_ms = 10;
	jvm.measures = false;
	out = sample(s);
	assert_non_null(note(&out, "target"));
	assert_true(jvm.measures);
	assert_int_equal(out.thread_count, 2);
	between = thread_rates_update(rates, &out);
	assert_non_null(between);
	assert_true(between->rows[0].is_new && between->rows[1].is_new);
	out = sample(s);
	assert_null(note(&out, "target"));
	assert_non_null(strstr(s->ops->title(s), "restarted"));
	thread_rates_free(rates);
	s->ops->close(s);
}

/* The connection fails while the restarted JVM is read for the first time. */
static void restart_is_reported_after_a_failed_sample(void **state)
{
	struct thread_source *s = open_with(false, false);
	struct top_sample out = sample(s);
	struct error err = { 0 };

	(void)state;
	jvm.start_ms = 90000;
	jvm.goes_after = jvm.runs + 1;
	assert_int_equal(s->ops->sample(s, &out, &err), -1);
	jvm.goes_after = 0;
	out = sample(s);
	assert_non_null(note(&out, "target"));
	out = sample(s);
	assert_null(note(&out, "target"));
	s->ops->close(s);
}

static void invalid_replies_make_no_figures(void **state)
{
	struct thread_source *s = open_with(false, false);
	struct top_sample out = sample(s);

	(void)state;
	jvm.is_odd = true;
	out = sample(s);
	assert_int_equal(out.thread_count, 0);
	assert_true(out.process.cpu_ns == COUNTER_ABSENT);
	s->ops->close(s);
}

static void stack_trace_contains_its_locks(void **state)
{
	struct value *frame = composite(6), *monitor = composite(4);
	struct value *info = composite(12);
	const struct value *frames[] = { frame, frame },
			   *locked[] = { monitor };
	struct text out = { 0 };

	(void)state;
	member(frame, "className", value_string(&arena, "a.B"));
	member(frame, "methodName", value_string(&arena, "run"));
	member(frame, "fileName", value_string(&arena, "B\033.java"));
	member(frame, "lineNumber", integer(7));
	member(frame, "moduleName", value_string(&arena, "m"));
	member(frame, "moduleVersion", value_string(&arena, "1"));
	member(monitor, "className", value_string(&arena, "a.C"));
	member(monitor, "identityHashCode", integer(0x2b));
	member(monitor, "lockedStackDepth", integer(1));
	member(info, "threadName", value_string(&arena, "w"));
	member(info, "threadId", integer(12));
	member(info, "threadState", value_string(&arena, "BLOCKED"));
	member(info, "lockName", value_string(&arena, "a.L@1"));
	member(info, "lockOwnerName", value_string(&arena, "main"));
	member(info, "lockOwnerId", integer(1));
	member(info, "stackTrace", list(frames, 2));
	member(info, "lockedMonitors", list(locked, 1));
	jmx_thread_text_stack(info, &out);
	assert_string_equal(out.bytes,
			    "\"w\" #12 BLOCKED\n"
			    "    at a.B.run(m@1/B\u241b.java:7)\n"
			    "    - waiting to lock a.L@1, held by \"main\" #1\n"
			    "    at a.B.run(m@1/B\u241b.java:7)\n"
			    "    - locked a.C@2b\n");
	text_release(&out);
}

/* Two threads from /proc; Java has the second. */
static struct thread_sample proc_rows[2];

static struct gc_sample proc_gc; /* all zero: no collector */

static int proc_sample(struct thread_source *s, struct top_sample *out,
		       struct error *err)
{
	(void)s;
	(void)err;
	*out = (struct top_sample){ .threads = proc_rows, .thread_count = 2 };
	out->notes[0] = (struct source_note){ .figure = "allocation",
					      .text = "coarse" };
	out->notes[1] = (struct source_note){ .figure = "cpu", .text = "x" };
	out->note_count = 2;
	out->process.alloc_bytes = COUNTER_ABSENT;
	out->process.gc_count = proc_gc.count ? 1 : 0;
	out->process.gc[0] = proc_gc;
	return 0;
}

static void proc_close(struct thread_source *s) { (void)s; }

static const struct thread_source_ops proc_ops = { .name = "proc",
						   .sample = proc_sample,
						   .close = proc_close };

static void jmx_values_are_merged_into_proc_samples(void **state)
{
	static struct thread_source proc = { .ops = &proc_ops, .pid = 4711 };
	struct thread_source *s;
	struct top_sample out;

	(void)state;
	proc_rows[0] = (struct thread_sample){ .name = "VM Thread", .tid = 5 };
	proc_rows[1] = (struct thread_sample){ .name = "worker",
					       .tid = 6,
					       .java_id = 7,
					       .has_alloc_mean = true,
					       .alloc_is_coarse = true };
	proc_rows[1].counters[THREAD_CPU] = 42;
	s = merged_source_new(&proc, open_with(false, true), &jmx);
	assert_int_equal(s->pid, 4711);
	out = sample(s);
	assert_int_equal(out.thread_count, 2);
	assert_int_equal(out.threads[1].counters[THREAD_ALLOC], 7 * 5000);
	assert_int_equal(out.threads[1].counters[THREAD_CPU], 42);
	assert_false(out.threads[1].has_alloc_mean);
	assert_int_equal(out.threads[0].counters[THREAD_ALLOC], 0);
	assert_string_equal(note(&out, "allocation")->text,
			    "exact, over JMX; total: living threads only");
	assert_non_null(note(&out, "cpu"));
	/* An old estimate must not be compared with an exact value. */
	jvm.is_gone = true;
	out = sample(s);
	assert_int_equal(out.thread_count, 2);
	assert_true(out.threads[1].counters[THREAD_ALLOC] == COUNTER_ABSENT);
	assert_string_equal(note(&out, "allocation")->text,
			    "- (here: nobody is there; next try in 1 s)");
	jvm.runs = 0;
	sample(s);
	assert_int_equal(jvm.runs, 0);
	s->ops->close(s);
}

static void jmx_pauses_replace_only_upper_bounds(void **state)
{
	static struct thread_source proc = { .ops = &proc_ops, .pid = 4711 };
	struct thread_source *s;
	struct top_sample out;

	(void)state;
	s = merged_source_new(&proc, open_with(false, true), &jmx);
	proc_gc = (struct gc_sample){ .name = "exact", .count = 7 };
	out = sample(s);
	assert_int_equal(out.process.gc_count, 1);
	assert_string_equal(out.process.gc[0].name, "exact");
	proc_gc.at_most = true;
	out = sample(s);
	assert_int_equal(out.process.gc_count, 1);
	assert_string_equal(out.process.gc[0].name, "Copy");
	assert_int_equal(out.process.gc[0].count, 3);
	assert_false(out.process.gc[0].at_most);
	assert_string_equal(note(&out, "gc")->text,
			    "pauses over JMX, in steps of 1 ms");
	/* Without a reply, the lower bound is used. */
	jvm.is_gone = true;
	out = sample(s);
	assert_true(out.process.gc[0].at_most);
	proc_gc.count = 0;
	s->ops->close(s);
}

/* 8u504 counts 23 MB although its threads have allocated 4 GB. */
static void total_allocation_of_jdk_8_is_not_used(void **state)
{
	struct thread_source *s;
	struct top_sample out;

	(void)state;
	jvm.total_alloc = 4711;
	s = open_with(false, false);
	out = sample(s);
	assert_int_equal(out.process.alloc_bytes, 4711);
	assert_string_equal(note(&out, "allocation")->text, "exact, over JMX");
	s->ops->close(s);
	jmx.version = "1.8.0_504-8u504-ga-1-b01";
	s = open_with(false, false);
	out = sample(s);
	jmx.version = "99";
	assert_true(out.process.alloc_bytes == COUNTER_ABSENT);
	assert_string_equal(note(&out, "allocation")->text,
			    "exact, over JMX; total: living threads only");
	s->ops->close(s);
}

static void failure_names_the_target_once(void **state)
{
	struct thread_source *s = open_with(false, false);
	struct top_sample out;
	struct error err;

	(void)state;
	jvm.is_gone = true;
	assert_int_equal(s->ops->sample(s, &out, &err), -1);
	assert_string_equal(err.text, "here: nobody is there");
	jvm.names_itself = true;
	assert_int_equal(s->ops->sample(s, &out, &err), -1);
	assert_string_equal(err.text, "here: nobody is there");
	s->ops->close(s);
}

static void blocked_threads_have_the_owner_of_their_lock(void **state)
{
	struct thread_source *s = open_with(false, false);
	struct blocked b = { 0 };
	struct error err;

	(void)state;
	jvm.is_blocked = true;
	sample(s);
	for (unsigned look = 1; look < 3; look++) {
		assert_int_equal(s->ops->blocked(s, &b, &err), 0);
		assert_int_equal(b.count, 2);
		assert_int_equal(b.waiting, 1);
		assert_true(b.knows_synchronizers && b.knows_blocks);
		assert_string_equal(b.threads[0].name, "worker");
		assert_int_equal(b.threads[0].kind, BLOCKED_MONITOR);
		assert_string_equal(b.threads[0].lock_class, "a.B");
		assert_string_equal(b.threads[0].lock_id, "@1f");
		assert_int_equal(b.threads[0].owner, 1);
		assert_int_equal(b.threads[0].looks, look);
		assert_string_equal(b.threads[1].name, "main");
		assert_int_equal(b.threads[1].held_back, 1);
	}
	jvm.is_gone = true;
	assert_int_equal(s->ops->blocked(s, &b, &err), -1);
	blocked_release(&b);
	s->ops->close(s);
}

static void contention_can_be_switched_between_samples(void **state)
{
	struct thread_source *s = open_with(false, false);
	struct error err;

	(void)state;
	sample(s);
	assert_false(jvm.measures);
	assert_int_equal(jmx_source_measure(s, true, &err), 0);
	assert_true(jvm.measures);
	assert_true(jmx_source_has_switched(s));
	assert_int_equal(jmx_source_measure(s, false, &err), 0);
	assert_false(jvm.measures);
	assert_false(jmx_source_has_switched(s));
	/* Monitoring that another client enabled stays enabled. */
	jvm.measures = true;
	assert_int_equal(jmx_source_measure(s, true, &err), 0);
	assert_false(jmx_source_has_switched(s));
	assert_int_equal(jmx_source_put_back(s, &err), 0);
	assert_true(jvm.measures);
	s->ops->close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sample_takes_one_round_trip_unless_threads_started),
		TEST(sample_time_is_the_jvms_clock),
		TEST(ended_thread_is_omitted),
		TEST(last_sample_survives_a_failed_sample),
		TEST(missing_values_are_absent_and_noted),
		TEST(missing_permission_is_reported),
		TEST(contention_monitoring_is_enabled_until_restored),
		TEST(monitoring_enabled_by_others_stays_enabled),
		TEST(refused_monitoring_becomes_a_note),
		TEST(possibly_enabled_monitoring_is_restored),
		TEST(failure_to_restore_is_an_error),
		TEST(restarted_jvm_starts_anew),
		TEST(restart_is_reported_after_a_failed_sample),
		TEST(invalid_replies_make_no_figures),
		TEST(stack_trace_contains_its_locks),
		TEST(jmx_values_are_merged_into_proc_samples),
		TEST(jmx_pauses_replace_only_upper_bounds),
		TEST(blocked_threads_have_the_owner_of_their_lock),
		TEST(contention_can_be_switched_between_samples),
		TEST(total_allocation_of_jdk_8_is_not_used),
		TEST(failure_names_the_target_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
