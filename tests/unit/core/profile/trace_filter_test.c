/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/filter.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Adds a frame "a.b.Class.method:12"; the line is optional. */
static uint32_t frame(struct profile *p, const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	size_t name_len = colon ? (size_t)(colon - text) : len;
	const char *dot = memrchr(text, '.', name_len);
	size_t class_len = (size_t)(dot - text);
	struct frame f = {
		.class_name = profile_string(p, text, class_len),
		.method = profile_string(p, dot + 1, name_len - class_len - 1),
		.line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0,
		.kind = FRAME_JAVA,
	};

	return profile_frame(p, &f);
}

/* Adds a sample of a stack trace "a.A.x;b.B.y", root first; "" has none. */
static void add(struct profile *p, const char *trace, enum thread_state state,
		uint64_t weight)
{
	struct sample s = {
		.event = profile_event(p, "e", UNIT_SAMPLES),
		.state = state,
		.count = weight,
		.weight = weight,
	};

	while (*trace) {
		size_t len = strcspn(trace, ";");

		s.stack = profile_push(p, s.stack, frame(p, trace, len));
		trace += len + (trace[len] == ';');
	}
	profile_add(p, &s);
}

static struct profile *example(void)
{
	struct profile *p = profile_new();

	add(p, "a.Main.run;b.Job.call;c.Db.query", STATE_RUNNABLE, 1);
	add(p, "a.Main.run;b.Job.call;a.Main.run;d.Io.read", STATE_BLOCKED, 2);
	add(p, "a.Main.run;c.Db.query;b.Job.call", STATE_NONE, 4);
	add(p, "x.y.Outer$In.load:395;d.Io.read:7", STATE_TIMED_WAITING, 8);
	add(p, "", STATE_WAITING, 16);
	return p;
}

/* Weight of the samples that pass the filter. */
static uint64_t left(const char *expression)
{
	struct profile *p = example();
	struct error err;
	struct trace_filter *f = trace_filter_new(expression, false, &err);
	uint64_t weight = 0;

	assert_non_null(f);
	trace_filter_apply(p, f);
	for (size_t i = 0; i < p->cell_count; i++)
		weight += p->cells[i].weight;
	assert_int_equal(p->events[0].weight, weight);
	trace_filter_free(f);
	profile_free(p);
	return weight;
}

static void pattern_matches_the_beginning_of_a_frame(void **state)
{
	(void)state;
	assert_int_equal(left("b.Job.call"), 7);
	assert_int_equal(left("b.Jo"), 7);
	assert_int_equal(left("Job.call"), 0);
	assert_int_equal(left("x.y.Outer$In"), 8);
}

static void single_star_stops_at_a_dot_and_double_does_not(void **state)
{
	(void)state;
	assert_int_equal(left("*.Db.query"), 5);
	assert_int_equal(left("*.Outer$In.load"), 0);
	assert_int_equal(left("**.Outer$In.load"), 8);
	assert_int_equal(left("**.d.Io"), 10);
	assert_int_equal(left("x.**.load"), 8);
	assert_int_equal(left("**"), 15);
}

static void line_follows_the_file_name(void **state)
{
	(void)state;
	assert_int_equal(left("x.y.Outer$In.load*:395"), 8);
	assert_int_equal(left("x.y.Outer$In.load*Outer.java:395"), 8);
	assert_int_equal(left("x.y.Outer$In.load*:396"), 0);
}

static void operators_bind_as_sjk_has_them(void **state)
{
	(void)state;
	assert_int_equal(left("c.Db,d.Io"), 15);
	assert_int_equal(left("b.Job+d.Io"), 2);
	assert_int_equal(left("a.Main!d.Io"), 5);
	assert_int_equal(left("!a.Main"), 24);
	/* The comma binds closer than the plus; both associate to the left. */
	assert_int_equal(left("b.Job+d.Io,c.Db"), 7);
	assert_int_equal(left("d.Io!a.Main+x.y"), 8);
	assert_int_equal(left("d.Io!(a.Main,x.y)"), 0);
	assert_int_equal(left(" a.Main ! ( d.Io + b.Job ) "), 5);
}

static void state_is_matched_by_a_pattern(void **state)
{
	(void)state;
	assert_int_equal(left("#state=RUNNABLE"), 1);
	assert_int_equal(left("#STATE=*WAITING"), 24);
	assert_int_equal(left("#state=WAITING"), 16);
	assert_int_equal(left("#state=null"), 4);
	assert_int_equal(left("a.Main!#state=BLOCKED"), 5);
}

static void slash_applies_to_the_callees_of_a_frame(void **state)
{
	(void)state;
	assert_int_equal(left("b.Job/+c.Db"), 1);
	assert_int_equal(left("b.Job/!c.Db"), 6);
	/* The matching frame nearest the leaf counts. */
	assert_int_equal(left("a.Main/+b.Job"), 5);
	/* The frame itself is not among its callees. */
	assert_int_equal(left("a.Main/!a.Main"), 7);
	/*
	 * With a caret, the frame nearest the root counts and includes itself.
	 */
	assert_int_equal(left("a.Main/^+b.Job"), 7);
	assert_int_equal(left("a.Main/^+a.Main"), 7);
	assert_int_equal(left("b.Job/^!a.Main"), 5);
	/* Lists may precede a slash, and slashes nest. */
	assert_int_equal(left("c.Db,d.Io/+b.Job"), 4);
	assert_int_equal(left("a.Main/^+(b.Job/+d.Io)"), 2);
	assert_int_equal(left("b.Job/+d.Io+a.Main"), 2);
}

/* Appends the methods of a stack trace, root first. */
static void put_methods(struct text *out, const struct profile *p,
			uint32_t stack)
{
	uint32_t path[16];
	size_t depth = 0;

	for (; stack; stack = p->stacks[stack].caller)
		path[depth++] = p->stacks[stack].frame;
	while (depth-- > 0)
		text_printf(out, "%s%s",
			    profile_text(p, p->frames[path[depth]].method),
			    depth ? ";" : "");
}

/* Checks the trimmed stack traces of the example: "method;method weight", … */
static void assert_trimmed(const char *expression, const char *wanted)
{
	struct profile *p = example();
	struct error err;
	struct trace_filter *f = trace_filter_new(expression, true, &err);
	struct text got = { 0 };

	assert_non_null(f);
	trace_filter_apply(p, f);
	text_puts(&got, "");
	for (size_t i = 0; i < p->cell_count; i++) {
		text_puts(&got, i ? ", " : "");
		put_methods(&got, p, p->cells[i].stack);
		text_printf(&got, " %d", (int)p->cells[i].weight);
	}
	assert_string_equal(got.bytes, wanted);
	text_release(&got);
	trace_filter_free(f);
	profile_free(p);
}

static void trim_keeps_the_callees_of_the_frame(void **state)
{
	(void)state;
	assert_trimmed("b.Job", "call;query 1, call;run;read 2, call 4");
	assert_trimmed("b.Job,c.Db", "call;query 1, call;run;read 2, "
				     "query;call 4");
	assert_trimmed("b.Job/+**", "query 1, run;read 2");
	assert_trimmed("a.Main/!c.Db", "read 2");
	assert_trimmed("a.Main/^!d.Io", "run;call;query 1, run;query;call 4");
	assert_trimmed("nobody", "");
}

static void stack_traces_that_a_trim_makes_equal_are_one(void **state)
{
	struct profile *p = profile_new();
	struct error err;
	struct trace_filter *f = trace_filter_new("c.C", true, &err);

	(void)state;
	add(p, "a.A.x;c.C.y;d.D.z", STATE_NONE, 1);
	add(p, "b.B.x;c.C.y;d.D.z", STATE_NONE, 2);
	trace_filter_apply(p, f);
	assert_int_equal(p->cell_count, 1);
	assert_int_equal(p->cells[0].weight, 3);
	trace_filter_free(f);
	profile_free(p);
}

static void assert_refused(const char *expression, bool trim, const char *why)
{
	struct error err;

	assert_null(trace_filter_new(expression, trim, &err));
	assert_int_equal(err.kind, ERROR_MISUSE);
	assert_non_null(strstr(err.text, why));
}

static void invalid_filter_is_rejected_with_the_position(void **state)
{
	(void)state;
	assert_refused("", false, "a pattern is missing, at character 1");
	assert_refused("a+", false, "a pattern is missing, at character 3");
	assert_refused("a b", false, "an operator is missing, at character 3");
	assert_refused("+a", false, "a pattern is missing, at character 1");
	assert_refused("(a", false, "not closed");
	assert_refused("a)", false, "has no opening one");
	assert_refused("a/b", false, "unknown operator, at character 2");
	assert_refused("#wait=1", false, "#state=");
	assert_refused("#state=", false, "a state is missing");
	assert_refused("(a+b)/+c", false, "patterns before it");
	assert_refused("a+b", true, "trimming requires");
}

static void expression_size_is_limited(void **state)
{
	char many[1024];

	(void)state;
	for (size_t i = 0; i <= TRACE_PATTERNS; i++)
		memcpy(many + 2 * i, "a+", 3);
	assert_refused(many, false, "too many patterns");
	memset(many, '(', 600);
	many[600] = '\0';
	assert_refused(many, false, "too long");
	assert_refused("a/+a/+a/+a/+a/+a/+a/+a/+a", false,
		       "patterns before it");
	assert_refused("a/+(a/+(a/+(a/+(a/+(a/+(a/+(a/+a)))))))", false,
		       "too many slashes");
}

static void lines_are_wanted_by_a_colon(void **state)
{
	struct error err;
	struct trace_filter *with = trace_filter_new("a*:1", false, &err);
	struct trace_filter *without = trace_filter_new("a.B", false, &err);

	(void)state;
	assert_true(trace_filter_wants_lines(with));
	assert_false(trace_filter_wants_lines(without));
	trace_filter_free(with);
	trace_filter_free(without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pattern_matches_the_beginning_of_a_frame),
		cmocka_unit_test(
			single_star_stops_at_a_dot_and_double_does_not),
		cmocka_unit_test(line_follows_the_file_name),
		cmocka_unit_test(operators_bind_as_sjk_has_them),
		cmocka_unit_test(state_is_matched_by_a_pattern),
		cmocka_unit_test(slash_applies_to_the_callees_of_a_frame),
		cmocka_unit_test(trim_keeps_the_callees_of_the_frame),
		cmocka_unit_test(stack_traces_that_a_trim_makes_equal_are_one),
		cmocka_unit_test(invalid_filter_is_rejected_with_the_position),
		cmocka_unit_test(expression_size_is_limited),
		cmocka_unit_test(lines_are_wanted_by_a_colon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
