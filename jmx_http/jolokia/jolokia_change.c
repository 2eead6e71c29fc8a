/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of Jolokia clients that write attributes and invoke operations. */
#include "jmx_http/jolokia/jolokia_answer.h"
#include "jmx_http/value/argument.h"
#include "jmx_http/value/java_type.h"

#include <string.h>

/* Arguments */

static const struct value *argument_convert(struct arena *a, const cJSON *item,
					    const char *type,
					    struct error *err);

/* Types for which jolokia_to_value() accepts any string. */
static bool argument_accepts_text(const char *type)
{
	static const char *const types[] = {
		"java.lang.String",     "java.lang.Object",
		"java.io.Serializable", "java.lang.Comparable",
		"java.lang.Number",     "java.lang.CharSequence",
		"java.util.Date",
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(types[i], type) == 0)
			return true;
	return false;
}

static const struct value *argument_text(struct arena *a, const char *text)
{
	return value_text(a, VALUE_STRING, "java.lang.String", text,
			  strlen(text));
}

/* Converts an array, or the elements of "a,b", as a path spells an array. */
static const struct value *argument_convert_array(struct arena *a,
						  const cJSON *items,
						  const char *type,
						  struct error *err)
{
	struct value *v = value_new(a, VALUE_ARRAY, type);
	size_t count = (size_t)cJSON_GetArraySize(items), i = 0;
	const struct value **at = arena_alloc(a, (count + 1) * sizeof(*at));
	struct text element = { 0 };
	const cJSON *one;

	text_puts(&element, "");
	java_type_element(type, &element);
	v->list.at = at;
	v->list.count = count;
	cJSON_ArrayForEach(one, items)
	{
		at[i] = argument_convert(a, one, element.bytes, err);
		if (!at[i++]) {
			v = NULL;
			break;
		}
	}
	text_release(&element);
	return v;
}

static const struct value *argument_convert_words(struct arena *a,
						  const char *words,
						  const char *type,
						  struct error *err)
{
	cJSON *items = cJSON_CreateArray();
	const struct value *v;

	for (const char *at = words; *words; at++) {
		char *word;

		if (*at && *at != ',')
			continue;
		word = arena_copy(a, words, (size_t)(at - words));
		cJSON_AddItemToArray(items, cJSON_CreateString(word));
		if (!*at)
			break;
		words = at + 1;
	}
	v = argument_convert_array(a, items, type, err);
	cJSON_Delete(items);
	return v;
}

/*
 * Converts an item to a type, as agents do: a path has only strings, a string
 * names the constant of an enum, and each simple value can be a String.  The
 * nesting of requests bounds the recursion.  NULL and ERROR_MISUSE if the item
 * cannot be of the type.
 */
static const struct value *argument_convert(struct arena *a, const cJSON *item,
					    const char *type, struct error *err)
{
	bool is_array = type[0] == '[';
	char buffer[32];
	const char *number = jolokia_json_number(item, buffer);
	/* The parser keeps some numbers as strings. */
	const char *text = cJSON_IsString(item) && !number ? item->valuestring
							   : NULL;

	if (cJSON_IsArray(item) && is_array)
		return argument_convert_array(a, item, type, err);
	if (text && is_array)
		return argument_convert_words(a, text, type, err);
	if (strcmp(type, "java.lang.String") == 0) {
		if (number)
			return argument_text(a, number);
		if (cJSON_IsBool(item))
			return argument_text(a, cJSON_IsTrue(item) ? "true"
								   : "false");
	}
	if (text && *text && !argument_accepts_text(type))
		return argument_parse(type, text, a, err);
	return jolokia_to_value(item, type, a);
}

/* write */

static const char *write_type(const struct jmx_info *info, const char *name)
{
	const char *type = "";

	for (size_t i = 0; i < info->attribute_count; i++)
		if (strcmp(info->attributes[i].name, name) == 0)
			type = info->attributes[i].type;
	return type;
}

int jolokia_change_write(struct jolokia_answer *a)
{
	struct jmx_request q = {
		.verb = JMX_GET,
		.object = a->q.object,
		.names = a->q.attributes,
		.name_count = 1,
	};
	const struct jmx_info *info = jolokia_answer_info(a, a->q.object);
	const struct value *value, *old;
	struct error err = { 0 };
	struct jmx_reply reply;
	const char *type;

	if (!info)
		return -1;
	if (a->q.path_count)
		return jolokia_answer_fail_request(
			a, "a path of a write is not supported");
	type = write_type(info, *q.names);
	if (jolokia_answer_run(a, &q, &reply))
		return -1;
	old = reply.value->members.at[0].value;
	if (!*type && old->kind == VALUE_ERROR)
		return jolokia_answer_fail(a, 0, old->text.at);
	value = argument_convert(&a->arena, a->q.value, type, &err);
	if (!value)
		return jolokia_answer_fail_error(a, &err);
	q.verb = JMX_SET;
	q.arguments = &value;
	q.signature = &type;
	q.argument_count = 1;
	if (jolokia_answer_run(a, &q, &reply))
		return -1;
	/* A write-only attribute has no old value. */
	return jolokia_answer_render(a, old->kind == VALUE_ERROR ? &value_null
								 : old);
}

/* exec */

/* Skips the spaces that hawtio writes beside commas. */
static const char *exec_skip(const char *at) { return at + strspn(at, " "); }

/* Returns true if the operation is "name" or "name(type, ...)" of f. */
static bool exec_is(const struct jmx_feature *f, const char *operation)
{
	size_t len = strcspn(operation, "(");
	const char *at = operation + len;

	if (strlen(f->name) != len || memcmp(f->name, operation, len) != 0)
		return false;
	if (!*at)
		return true;
	at = exec_skip(at + 1);
	for (size_t i = 0; i < f->parameter_count; i++) {
		const char *type = f->parameters[i].type;

		if (strncmp(at, type, strlen(type)) != 0)
			return false;
		at = exec_skip(at + strlen(type));
		if (i + 1 == f->parameter_count)
			break;
		if (*at != ',')
			return false;
		at = exec_skip(at + 1);
	}
	return strcmp(at, ")") == 0;
}

/* Fails with the signatures of all operations with the name, as agents do. */
static void exec_fail(struct jolokia_answer *a, const struct jmx_info *info,
		      bool is_overloaded)
{
	size_t len = strcspn(a->q.operation, "("), found = 0;
	const char *separator = is_overloaded ? " is overloaded; use a "
						"signature. Signatures found: "
					      : ". Known signatures: ";
	struct text why = { 0 };

	text_printf(&why,
		    is_overloaded ? "Operation %s on MBean %s"
				  : "No operation %s found on MBean %s",
		    a->q.operation, a->q.object);
	for (size_t i = 0; i < info->operation_count; i++) {
		const struct jmx_feature *f = &info->operations[i];

		if (strlen(f->name) != len ||
		    memcmp(f->name, a->q.operation, len) != 0)
			continue;
		text_puts(&why, found++ ? "," : separator);
		text_putc(&why, '(');
		for (size_t k = 0; k < f->parameter_count; k++)
			text_printf(&why, "%s%s", k ? "," : "",
				    f->parameters[k].type);
		text_putc(&why, ')');
	}
	jolokia_answer_fail_request(a, why.bytes);
	text_release(&why);
}

static const struct jmx_feature *exec_find(struct jolokia_answer *a)
{
	const struct jmx_info *info = jolokia_answer_info(a, a->q.object);
	const struct jmx_feature *found = NULL;
	size_t count = 0;

	for (size_t i = 0; info && i < info->operation_count; i++) {
		if (!exec_is(&info->operations[i], a->q.operation))
			continue;
		found = &info->operations[i];
		count++;
	}
	if (info && count != 1)
		exec_fail(a, info, count > 1);
	return count == 1 ? found : NULL;
}

/* Sets the arguments of q. */
static int exec_convert(struct jolokia_answer *a, const struct jmx_feature *f,
			struct jmx_request *q)
{
	size_t count = f->parameter_count, i = 0;
	size_t given = a->q.arguments
			       ? (size_t)cJSON_GetArraySize(a->q.arguments)
			       : 0;
	const struct value **values = arena_alloc(
		&a->arena, (count + 1) * sizeof(*values));
	const char **types = arena_alloc(&a->arena,
					 (count + 1) * sizeof(*types));
	struct error err = { 0 };
	const cJSON *item;

	if (given != count) {
		fail(&err, ERROR_MISUSE,
		     "Operation %.100s requires %zu arguments, not %zu",
		     a->q.operation, count, given);
		return jolokia_answer_fail_error(a, &err);
	}
	cJSON_ArrayForEach(item, a->q.arguments)
	{
		types[i] = f->parameters[i].type;
		values[i] = argument_convert(&a->arena, item, types[i], &err);
		if (!values[i++]) {
			fail_in(&err, "argument %zu of %.100s", i, f->name);
			return jolokia_answer_fail_error(a, &err);
		}
	}
	q->arguments = values;
	q->signature = types;
	q->argument_count = count;
	return 0;
}

int jolokia_change_exec(struct jolokia_answer *a)
{
	const struct jmx_feature *f = exec_find(a);
	struct jmx_request q = { .verb = JMX_INVOKE, .object = a->q.object };
	struct jmx_reply reply;

	if (!f || exec_convert(a, f, &q))
		return -1;
	q.names = &f->name;
	q.name_count = 1;
	if (jolokia_answer_run(a, &q, &reply))
		return -1;
	return jolokia_answer_render(a,
				     reply.value ? reply.value : &value_null);
}
