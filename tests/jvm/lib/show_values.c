/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	show_values FILE [PRINT]
 *
 * Prints the stream that Values.java wrote: a line for each value with its
 * name, its type, and the value as JSON; with PRINT, the value of this name as
 * mx prints it.
 */
#include "core/base/input.h"
#include "jmx_http/java/java_stream.h"
#include "jmx_http/java/java_to_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_operation(const struct jmx_feature *o)
{
	printf("\toperation %s %s %d", o->name, o->type, o->impact);
	for (size_t i = 0; i < o->parameter_count; i++)
		printf(" (%s %s, %s)", o->parameters[i].type,
		       o->parameters[i].name, o->parameters[i].description);
	putchar('\n');
}

static void show_info(const struct jmx_info *info)
{
	printf("\t%s, %s\n", info->class, info->description);
	for (size_t i = 0; i < info->attribute_count; i++)
		printf("\tattribute %s %s %d%d%d\n", info->attributes[i].name,
		       info->attributes[i].type, info->attributes[i].readable,
		       info->attributes[i].writable,
		       info->attributes[i].is_getter);
	for (size_t i = 0; i < info->operation_count; i++)
		show_operation(&info->operations[i]);
	for (size_t i = 0; i < info->notification_count; i++)
		printf("\tnotification %s: %s\n", info->notifications[i].name,
		       info->notifications[i].type);
}

static void show(const char *name, const struct java_value *v,
		 const char *print)
{
	struct arena a = { 0 };
	struct text out = { 0 };
	struct json j = json_into(&out);
	const struct jmx_info *info = java_to_info(v, &a);
	const struct value *made = java_to_value(v, &a);

	if (print && !strcmp(print, name)) {
		value_print(&out, made, 0, 40);
		printf("%s\n", out.bytes);
	} else if (!print && info) {
		printf("%s\n", name);
		show_info(info);
	} else if (!print) {
		value_json(&j, made);
		printf("%s\t%s\t%s\n", name, made->type, out.bytes);
	}
	text_release(&out);
	arena_release(&a);
}

int main(int argc, char **argv)
{
	struct java_stream s = { 0 };
	const struct java_value *v;
	struct input in;
	struct error err;
	size_t at = 0, used;
	char *name = NULL;

	if (argc < 2 || input_open(&in, argv[1], &err) ||
	    input_complete(&in, &err))
		return 1;
	while (java_stream_read(&s, in.bytes + at, in.len - at, &used, &v) ==
	       JAVA_DONE) {
		at += used;
		if (name) {
			show(name, v, argc > 2 ? argv[2] : NULL);
			free(name);
			name = NULL;
		} else {
			name = strdup(java_string_of(v).at);
		}
	}
	if (s.wrong)
		printf("wrong: %s\n", s.wrong);
	free(name);
	java_stream_release(&s);
	input_close(&in);
	return 0;
}
