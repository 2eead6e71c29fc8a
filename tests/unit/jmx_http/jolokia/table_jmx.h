/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_jmx: a connection to two MBeans, for the unit test and the fuzzer of
 * Jolokia's requests.  Sets and calls are printed to a text.
 */
#ifndef TESTS_UNIT_JMX_HTTP_JOLOKIA_TABLE_JMX_H
#define TESTS_UNIT_JMX_HTTP_JOLOKIA_TABLE_JMX_H

#include "jmx_http/java/java_writer.h"
#include "jmx_http/jmx.h"

#include <string.h>

#define TABLE_TEXT(of, string)                                                 \
	{                                                                      \
		.kind = (of), .type = "java.lang.String", .text = {            \
			string,                                                \
			sizeof(string) - 1                                     \
		}                                                              \
	}

static const struct value table_int = { .kind = VALUE_INTEGER,
					.type = "int",
					.integer = 5 };
static const struct value table_long = { .kind = VALUE_INTEGER,
					 .type = "long",
					 .integer = INT64_MAX };
static const struct value table_text = TABLE_TEXT(VALUE_STRING, "a/b \"c\"");
static const struct value table_nan = { .kind = VALUE_REAL,
					.type = "double",
					.real = (double)__builtin_nan("") };
static const struct value table_date = { .kind = VALUE_DATE,
					 .type = "java.util.Date",
					 .integer = 1234567890123 };
static const struct value table_decimal = { .kind = VALUE_NUMBER,
					    .type = "java.math.BigDecimal",
					    .text = { "1.50", 4 } };
static const struct value table_big = { .kind = VALUE_NUMBER,
					.type = "java.math.BigInteger",
					.text = { "20", 2 } };
static const struct value table_name = TABLE_TEXT(VALUE_NAME, "z:y=1,x=2");
static const struct value table_throws = TABLE_TEXT(
	VALUE_ERROR, "javax.management.MBeanException <- "
		     "java.lang.IllegalStateException: no");
static const struct value table_unsupported = TABLE_TEXT(
	VALUE_ERROR, "javax.management.RuntimeMBeanException <- "
		     "java.lang.UnsupportedOperationException: never");
static const struct value *const table_items[] = { &table_int, &table_long };
static const struct value table_list = {
	.kind = VALUE_ARRAY,
	.type = "[J",
	.list = { table_items, 2 },
};
static const struct value_member table_members[] = {
	{ "list", &table_list },
	{ "size", &table_long },
};
static const struct value table_pair = {
	.kind = VALUE_COMPOSITE,
	.type = "Pair",
	.members = { table_members, 2 },
};
static const struct value_member table_row_members[] = {
	{ "key", &table_text },
	{ "value", &table_pair },
};
static const struct value table_row = {
	.kind = VALUE_COMPOSITE,
	.type = "Row",
	.members = { table_row_members, 2 },
};
static const char *const table_index[] = { "key" };
static const struct value *const table_rows[] = { &table_row };
static const struct value table_map = {
	.kind = VALUE_TABULAR,
	.type = "",
	.table = { table_index, 1, table_rows, 1 },
};

#define TABLE_ATTRIBUTE(attribute, of)                                         \
	{                                                                      \
		.name = (attribute), .type = (of), .description = "",          \
		.readable = true, .writable = true                             \
	}

static const struct jmx_feature table_attributes[] = {
	TABLE_ATTRIBUTE("Int", "int"),
	TABLE_ATTRIBUTE("Text", "java.lang.String"),
	TABLE_ATTRIBUTE("NaN", "double"),
	TABLE_ATTRIBUTE("Date", "java.util.Date"),
	TABLE_ATTRIBUTE("Decimal", "java.math.BigDecimal"),
	TABLE_ATTRIBUTE("Big", "java.math.BigInteger"),
	TABLE_ATTRIBUTE("Name", "javax.management.ObjectName"),
	TABLE_ATTRIBUTE("List", "[J"),
	TABLE_ATTRIBUTE("Pair", "javax.management.openmbean.CompositeData"),
	TABLE_ATTRIBUTE("Map", "javax.management.openmbean.TabularData"),
	TABLE_ATTRIBUTE("Throws", "a.Mode"),
	TABLE_ATTRIBUTE("Unsupported", "long"),
};
static const struct value *const table_values[] = {
	&table_int,     &table_text, &table_nan,    &table_date,
	&table_decimal, &table_big,  &table_name,   &table_list,
	&table_pair,    &table_map,  &table_throws, &table_unsupported,
};
enum { TABLE_ATTRIBUTES = sizeof(table_values) / sizeof(*table_values) };

static const struct jmx_feature table_ints[] = {
	{ .name = "a", .type = "int", .description = "" },
	{ .name = "b", .type = "int", .description = "" },
};
static const struct jmx_feature table_strings[] = {
	{ .name = "a", .type = "java.lang.String", .description = "" },
	{ .name = "b", .type = "[Ljava.lang.String;", .description = "" },
};
static const struct jmx_feature table_operations[] = {
	{ .name = "sum",
	  .type = "int",
	  .description = "",
	  .parameters = table_ints,
	  .parameter_count = 2 },
	{ .name = "sum",
	  .type = "int",
	  .description = "",
	  .parameters = table_ints,
	  .parameter_count = 1 },
	{ .name = "join",
	  .type = "java.lang.String",
	  .description = "",
	  .parameters = table_strings,
	  .parameter_count = 2 },
};
static const struct jmx_info table_info = {
	.class = "a.Table",
	.description = "a table",
	.attributes = table_attributes,
	.operations = table_operations,
	.attribute_count = TABLE_ATTRIBUTES,
	.operation_count = 3,
};
static const struct jmx_info table_empty = { .class = "a.Empty",
					     .description = "" };

struct table_jmx {
	struct jmx jmx;
	struct text log;  /* "Name[value]" of a set, "name(values)" of a call */
	struct text runs; /* "3 1 ": the number of requests of each run */
	size_t lost_after; /* the next run fails after these replies; 0: none */
};

static const struct value *table_find(const char *name)
{
	static const struct value no_such = TABLE_TEXT(
		VALUE_ERROR,
		"javax.management.AttributeNotFoundException: No such "
		"attribute");

	for (size_t i = 0; i < TABLE_ATTRIBUTES; i++)
		if (strcmp(table_attributes[i].name, name) == 0)
			return table_values[i];
	return &no_such;
}

static void table_get(const struct jmx_request *q, struct jmx_reply *reply,
		      struct arena *a)
{
	struct value *v = value_new(a, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(a, (q->name_count + 1) *
							 sizeof(*at));

	for (size_t i = 0; i < q->name_count; i++)
		at[i] = (struct value_member){ q->names[i],
					       table_find(q->names[i]) };
	v->members.at = at;
	v->members.count = q->name_count;
	reply->value = v;
}

static void table_query(const struct jmx_request *q, struct jmx_reply *reply,
			struct arena *a)
{
	struct value *v = value_new(a, VALUE_ARRAY, "");
	const struct value **at = arena_alloc(a, 2 * sizeof(*at));
	bool is_known = strncmp(q->object, "a:", 2) == 0 || *q->object == '*';

	at[0] = value_string(a, "a:type=Table,id=1");
	at[1] = value_string(a, "a:type=Empty");
	v->list.at = at;
	v->list.count = is_known ? 2 : 0;
	reply->value = v;
}

/* Logs the arguments, which must be of their types. */
static void table_change(struct table_jmx *t, const struct jmx_request *q,
			 struct jmx_reply *reply, struct arena *a)
{
	struct text java = { 0 }, args = { 0 };
	struct json j = json_into(&args);
	struct error err = { 0 };

	json_open_array(&j);
	for (size_t i = 0; i < q->argument_count && !err.text[0]; i++) {
		if (java_write_value(&java, q->arguments[i], q->signature[i],
				     &err) == 0)
			value_json(&j, q->arguments[i]);
	}
	json_close_array(&j);
	if (err.text[0]) {
		reply->failure = arena_copy(a, err.text, strlen(err.text));
		reply->kind = ERROR_MISUSE;
	} else {
		text_printf(&t->log, "%s%s", *q->names, args.bytes);
		reply->value = &table_int;
	}
	text_release(&java);
	text_release(&args);
}

static int table_run(struct jmx *jmx, const struct jmx_request *requests,
		     size_t count, jmx_reply_fn *fn, void *self,
		     struct error *err)
{
	struct table_jmx *t = (struct table_jmx *)jmx;
	size_t lost_after = t->lost_after;

	t->lost_after = 0;
	text_printf(&t->runs, "%zu ", count);
	for (size_t i = 0; i < count; i++) {
		const struct jmx_request *q = &requests[i];
		struct jmx_reply reply = { .kind = ERROR_NO_TARGET };
		struct arena own = { 0 };
		struct arena *a = jmx->keep ? jmx->keep : &own;
		int ret;

		if (q->verb == JMX_QUERY)
			table_query(q, &reply, a);
		else if (strncmp(q->object, "a:", 2) != 0)
			reply.failure = "javax.management."
					"InstanceNotFoundException: none";
		else if (q->verb == JMX_INFO)
			reply.info = strstr(q->object, "Empty") ? &table_empty
								: &table_info;
		else if (q->verb == JMX_GET)
			table_get(q, &reply, a);
		else
			table_change(t, q, &reply, a);
		ret = fn(self, i, &reply, err);
		arena_release(&own);
		if (ret)
			return -1;
		if (i + 1 == lost_after)
			return fail(err, ERROR_REFUSED, "the connection ended");
	}
	return 0;
}

static const struct jmx_ops table_ops = { .name = "table", .run = table_run };

#endif
