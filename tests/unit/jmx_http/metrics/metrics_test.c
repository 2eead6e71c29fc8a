/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/*
 * A connection whose MBeans are a table.  An MBean that is not in it does not
 * exist.
 */
struct attribute {
	const char *object, *name;
	const struct value *value;
};

struct table_jmx {
	struct jmx jmx;
	const struct attribute *attributes;
	const struct value *infos; /* of getThreadInfo() */
	size_t runs, lost_run;     /* the connection is lost in this run */
	size_t operations;
};

#define INTEGER(n)                                                             \
	(&(const struct value){                                                \
		.kind = VALUE_INTEGER, .type = "", .integer = (n) })
#define REAL(n)                                                                \
	(&(const struct value){ .kind = VALUE_REAL, .type = "", .real = (n) })
#define TEXT_OF(kind_, s)                                                      \
	(&(const struct value){ .kind = VALUE_##kind_,                         \
				.text = { s, sizeof(s) - 1 } })
#define MEMBERS(...)                                                           \
	(&(const struct value){                                                \
		.kind = VALUE_COMPOSITE,                                       \
		.members = {                                                   \
			(const struct value_member[]){ __VA_ARGS__ },          \
			sizeof((const struct value_member[]){ __VA_ARGS__ }) / \
				sizeof(struct value_member) } })

static const struct value *table_find(const struct table_jmx *t,
				      const char *object, const char *name)
{
	for (const struct attribute *a = t->attributes; a->object; a++)
		if (strcmp(a->object, object) == 0 &&
		    (!name || strcmp(a->name, name) == 0))
			return a->value;
	return NULL;
}

/* Returns the names that start with the pattern's part before its star. */
static void table_query(const struct table_jmx *t, const char *pattern,
			struct jmx_reply *reply, struct arena *a)
{
	struct value *v = value_new(a, VALUE_ARRAY, "");
	const struct value **list = arena_alloc(a, 64 * sizeof(*list));
	const char *last = "";

	for (const struct attribute *at = t->attributes; at->object; at++) {
		if (strncmp(at->object, pattern, strcspn(pattern, "*")) == 0 &&
		    strcmp(at->object, last) != 0)
			list[v->list.count++] = value_text(a, VALUE_NAME, "",
							   at->object,
							   strlen(at->object));
		last = at->object;
	}
	v->list.at = list;
	reply->value = v;
}

static void table_get(const struct table_jmx *t, const struct jmx_request *q,
		      struct jmx_reply *reply, struct arena *a)
{
	static const char missing[] = "javax.management."
				      "AttributeNotFoundException";
	struct value_member *m = arena_alloc(a, q->name_count * sizeof(*m));
	struct value *v = value_new(a, VALUE_COMPOSITE, "");

	if (!table_find(t, q->object, NULL)) {
		reply->failure = "javax.management.InstanceNotFoundException";
		reply->kind = ERROR_NO_TARGET;
		return;
	}
	for (size_t i = 0; i < q->name_count; i++) {
		const struct value *found = table_find(t, q->object,
						       q->names[i]);

		m[i].name = q->names[i];
		m[i].value = found ? found
				   : value_text(a, VALUE_ERROR, "", missing,
						sizeof(missing) - 1);
	}
	v->members.at = m;
	v->members.count = q->name_count;
	reply->value = v;
}

static void table_info(const struct table_jmx *t, const char *object,
		       struct jmx_reply *reply, struct arena *a)
{
	struct jmx_feature *features = arena_alloc(a, 64 * sizeof(*features));
	struct jmx_info *info = arena_alloc(a, sizeof(*info));

	*info = (struct jmx_info){ .class = "C", .description = "" };
	for (const struct attribute *at = t->attributes; at->object; at++)
		if (strcmp(at->object, object) == 0)
			features[info->attribute_count++] =
				(struct jmx_feature){ .name = at->name,
						      .type = "int",
						      .readable = true };
	info->attributes = features;
	reply->info = info;
}

static int table_run(struct jmx *j, const struct jmx_request *requests,
		     size_t count, jmx_reply_fn *fn, void *self,
		     struct error *err)
{
	struct table_jmx *t = (struct table_jmx *)j;

	if (++t->runs == t->lost_run)
		return (fail)(err, ERROR_REFUSED, "the connection was lost");
	for (size_t i = 0; i < count; i++) {
		struct jmx_reply reply = { 0 };
		struct arena a = { 0 };
		int ret;

		if (requests[i].verb == JMX_QUERY)
			table_query(t, requests[i].object, &reply, &a);
		else if (requests[i].verb == JMX_GET)
			table_get(t, &requests[i], &reply, &a);
		else if (requests[i].verb == JMX_INFO)
			table_info(t, requests[i].object, &reply, &a);
		else
			reply.value = t->infos;
		t->operations += requests[i].verb == JMX_INVOKE;
		ret = fn(self, i, &reply, err);
		arena_release(&a);
		if (ret)
			return -1;
	}
	return 0;
}

static const struct jmx_ops table_ops = { .name = "table", .run = table_run };

/* Returns the document without comments and metrics of the scrape itself. */
static char *table_read(struct table_jmx *t, const struct metrics_options *o,
			struct text *out)
{
	struct text all = { 0 };
	struct error err;

	t->jmx.ops = &table_ops;
	if (!t->infos)
		t->infos = &value_null;
	assert_int_not_equal(metrics_read(&t->jmx, o, &all, &err), -1);
	for (char *rest = all.bytes, *line; (line = strsep(&rest, "\n"));)
		if (*line && *line != '#' &&
		    strncmp(line, "jmx_scrape_duration", 19) != 0)
			text_printf(out, "%s\n", line);
	text_release(&all);
	return out->bytes;
}

static const struct metrics_options no_options = { 0 };

#define SCRAPE_IS_WELL                                                         \
	"jmx_scrape_error 0\n"                                                 \
	"sjkc_scrape_series_dropped 0\n"                                       \
	"sjkc_scrape_series_repeated 0\n"

static void figures_that_the_jvm_lacks_are_absent(void **state)
{
	const struct attribute attributes[] = { { 0 } };
	struct table_jmx t = { .attributes = attributes };
	struct text out = { 0 };

	(void)state;
	assert_string_equal(table_read(&t, &no_options, &out),
			    SCRAPE_IS_WELL "sjkc_scrape_unreadable 0\n");
	assert_int_equal(t.runs, 1);
	text_release(&out);
}

static void undefined_figures_are_absent_and_units_are_seconds(void **state)
{
	const struct attribute attributes[] = {
		{ "java.lang:type=Memory", "HeapMemoryUsage",
		  MEMBERS({ "used", INTEGER(7) }, { "max", INTEGER(-1) },
			  { "init", INTEGER(0) }) },
		{ "java.lang:type=OperatingSystem", "ProcessCpuTime",
		  INTEGER(1234567890) },
		{ "java.lang:type=GarbageCollector,name=Copy",
		  "CollectionCount", INTEGER(3) },
		{ "java.lang:type=GarbageCollector,name=Copy", "CollectionTime",
		  INTEGER(1005) },
		{ 0 },
	};
	struct table_jmx t = { .attributes = attributes };
	struct text out = { 0 };

	(void)state;
	assert_string_equal(
		table_read(&t, &no_options, &out),
		"jvm_gc_collection_seconds_count{gc=\"Copy\"} 3\n"
		"jvm_gc_collection_seconds_sum{gc=\"Copy\"} 1.005\n"
		"jvm_memory_init_bytes{area=\"heap\"} 0\n"
		"jvm_memory_used_bytes{area=\"heap\"} 7\n"
		"process_cpu_seconds_total 1.234567890\n" SCRAPE_IS_WELL
		"sjkc_scrape_unreadable 0\n");
	assert_int_equal(t.runs, 2);
	text_release(&out);
}

static const struct attribute threads[] = {
	{ "java.lang:type=Threading", "AllThreadIds",
	  &(const struct value){ .kind = VALUE_ARRAY,
				 .list = { (const struct value *const[]){
						   INTEGER(1), INTEGER(2) },
					   2 } } },
	{ 0 },
};

static void threads_are_counted_by_state_without_the_ended_ones(void **state)
{
	const struct value infos = {
		.kind = VALUE_ARRAY,
		.list = { (const struct value *const[]){
				  MEMBERS({ "threadState",
					    TEXT_OF(STRING, "WAITING") }),
				  &value_null },
			  2 },
	};
	struct table_jmx t = { .attributes = threads, .infos = &infos };
	struct text out = { 0 };

	(void)state;
	table_read(&t, &no_options, &out);
	assert_non_null(strstr(out.bytes, "{state=\"WAITING\"} 1\n"));
	assert_non_null(strstr(out.bytes, "{state=\"RUNNABLE\"} 0\n"));
	assert_null(strstr(out.bytes, "deadlocked"));
	assert_int_equal(t.operations, 1);
	text_release(&out);
}

static void deadlocks_are_searched_only_on_demand(void **state)
{
	const struct metrics_options options = { .deadlocks = true };
	struct table_jmx t = { .attributes = threads };
	struct text out = { 0 };

	(void)state;
	table_read(&t, &options, &out);
	assert_non_null(strstr(out.bytes, "jvm_threads_deadlocked 0\n"));
	assert_non_null(
		strstr(out.bytes, "jvm_threads_deadlocked_monitor 0\n"));
	assert_int_equal(t.operations, 3);
	text_release(&out);
}

static const struct attribute kafka[] = {
	{ "kafka.server:type=Topic,name=\"In\\\"\\n\",topic=a", "Count",
	  INTEGER(5) },
	{ "kafka.server:type=Topic,name=\"In\\\"\\n\",topic=a", "Rate",
	  REAL(0.5) },
	{ "kafka.server:type=Topic,name=\"In\\\"\\n\",topic=a", "Unit",
	  TEXT_OF(STRING, "s") },
	{ "kafka.server:type=Topic,name=\"In\\\"\\n\",topic=a", "Use",
	  MEMBERS({ "max-size", INTEGER(9) }, { "name", TEXT_OF(STRING, "x") },
		  { "deep", MEMBERS({ "no", INTEGER(1) }) }) },
	{ "kafka.server:type=Topic,name=\"In\\\"\\n\",topic=a", "Inf",
	  REAL(-__builtin_inf()) },
	{ "kafka.server:type=Topic,name=\"In\\\"\\n\",topic=a", "Large",
	  TEXT_OF(NUMBER, "1E+400") },
	{ "kafka.server:type=Topic,name=\"In\\\"\\n\",topic=a", "Bad",
	  TEXT_OF(ERROR, "java.lang.RuntimeException: no") },
	{ 0 },
};

#define KAFKA_LABELS "{name=\"In\\\"\\n\",topic=\"a\"} "

static void chosen_mbeans_are_named_as_by_the_jmx_exporter(void **state)
{
	static const char *const chosen[] = { "kafka.server:*" };
	const struct metrics_options options = { chosen, 1, false };
	struct table_jmx t = { .attributes = kafka };
	struct text out = { 0 };

	(void)state;
	assert_string_equal(table_read(&t, &options, &out),
			    "kafka_server_Topic_Count" KAFKA_LABELS "5\n"
			    "kafka_server_Topic_Inf" KAFKA_LABELS "-Inf\n"
			    "kafka_server_Topic_Large" KAFKA_LABELS "+Inf\n"
			    "kafka_server_Topic_Rate" KAFKA_LABELS "0.5\n"
			    "kafka_server_Topic_Use_max_size" KAFKA_LABELS
			    "9\n" SCRAPE_IS_WELL "sjkc_scrape_unreadable 1\n");
	text_release(&out);
}

static void chosen_attributes_need_no_description(void **state)
{
	static const char *const chosen[] = {
		"kafka.server:*:Rate,Missing",
	};
	const struct metrics_options options = { chosen, 1, false };
	struct table_jmx t = { .attributes = kafka };
	struct text out = { 0 };

	(void)state;
	assert_string_equal(table_read(&t, &options, &out),
			    "kafka_server_Topic_Rate" KAFKA_LABELS
			    "0.5\n" SCRAPE_IS_WELL
			    "sjkc_scrape_unreadable 0\n");
	assert_int_equal(t.runs, 2);
	text_release(&out);
}

static void series_chosen_twice_are_written_once(void **state)
{
	static const char *const chosen[] = {
		"kafka.server:*:Rate",
		"kafka.server:*:Rate,Count",
	};
	const struct metrics_options options = { chosen, 2, false };
	struct table_jmx t = { .attributes = kafka };
	struct text out = { 0 };

	(void)state;
	assert_string_equal(table_read(&t, &options, &out),
			    "kafka_server_Topic_Count" KAFKA_LABELS "5\n"
			    "kafka_server_Topic_Rate" KAFKA_LABELS "0.5\n"
			    "jmx_scrape_error 0\n"
			    "sjkc_scrape_series_dropped 0\n"
			    "sjkc_scrape_series_repeated 1\n"
			    "sjkc_scrape_unreadable 0\n");
	text_release(&out);
}

static void chosen_mbeans_join_no_family_of_the_usual_figures(void **state)
{
	const struct attribute attributes[] = {
		{ "jvm:type=threads", "current", INTEGER(1) },
		{ 0 },
	};
	static const char *const chosen[] = { "jvm:*" };
	const struct metrics_options options = { chosen, 1, false };
	struct table_jmx t = { .attributes = attributes };
	struct text out = { 0 };

	(void)state;
	table_read(&t, &options, &out);
	assert_non_null(strstr(out.bytes, "mbean_jvm_threads_current 1\n"));
	text_release(&out);
}

static void
lost_connection_is_a_failure_only_before_the_first_figure(void **state)
{
	const struct attribute attributes[] = {
		{ "java.lang:type=Threading", "ThreadCount", INTEGER(4) },
		{ "java.lang:type=GarbageCollector,name=Copy",
		  "CollectionCount", INTEGER(3) },
		{ 0 },
	};
	struct table_jmx t = { .attributes = attributes, .lost_run = 1 };
	struct text out = { 0 };
	struct error err;

	(void)state;
	t.jmx.ops = &table_ops;
	assert_int_equal(metrics_read(&t.jmx, &no_options, &out, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_int_equal(out.len, 0);

	t.lost_run = 2;
	t.runs = 0;
	assert_int_equal(metrics_read(&t.jmx, &no_options, &out, &err), 1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(out.bytes, "jvm_threads_current 4\n"));
	assert_non_null(strstr(out.bytes, "jmx_scrape_error 1\n"));
	text_release(&out);
}

static void choices_are_checked(void **state)
{
	static const char *const valid[] = {
		"a:*", "a:b=c", "a:b=c:D", "a:b=\"c:d\":E,F", "a:b=\"\\\":\"",
	};
	static const char *const invalid[] = {
		"a", "a:", "a:b", "a:b=c:", "a:b=c:D,", "a:b=c:,D",
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(valid) / sizeof(*valid); i++)
		assert_int_equal(metrics_check(valid[i], &err), 0);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
		assert_int_equal(metrics_check(invalid[i], &err), -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_that_the_jvm_lacks_are_absent),
		cmocka_unit_test(
			undefined_figures_are_absent_and_units_are_seconds),
		cmocka_unit_test(
			threads_are_counted_by_state_without_the_ended_ones),
		cmocka_unit_test(deadlocks_are_searched_only_on_demand),
		cmocka_unit_test(
			chosen_mbeans_are_named_as_by_the_jmx_exporter),
		cmocka_unit_test(chosen_attributes_need_no_description),
		cmocka_unit_test(series_chosen_twice_are_written_once),
		cmocka_unit_test(
			chosen_mbeans_join_no_family_of_the_usual_figures),
		cmocka_unit_test(
			lost_connection_is_a_failure_only_before_the_first_figure),
		cmocka_unit_test(choices_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
