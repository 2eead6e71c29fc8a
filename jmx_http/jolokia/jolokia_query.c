/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_query.h"

#include "core/base/ascii.h"
#include "core/base/text.h"
#include "jmx_http/value/object_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Agents of version 2 have this limit unless a request has another one. */
#define DEPTH_DEFAULT 15
#define PARTS_MAX     256

static const char *const query_types[] = {
	[JOLOKIA_QUERY_READ] = "read", [JOLOKIA_QUERY_WRITE] = "write",
	[JOLOKIA_QUERY_EXEC] = "exec", [JOLOKIA_QUERY_SEARCH] = "search",
	[JOLOKIA_QUERY_LIST] = "list", [JOLOKIA_QUERY_VERSION] = "version",
};

/* Requests as paths */

/* Decodes %XX, and + in a query; false for an invalid escape and for NUL. */
static bool path_decode(struct text *out, struct line from, bool is_query)
{
	text_puts(out, "");
	for (size_t i = 0; i < from.len; i++) {
		char c = from.text[i];

		if (c == '%') {
			int32_t byte = i + 2 < from.len
					       ? hex_value(from.text + i + 1, 2)
					       : -1;

			if (byte <= 0)
				return false;
			c = (char)byte;
			i += 2;
		} else if (c == '+' && is_query) {
			c = ' ';
		}
		text_putc(out, c);
	}
	return true;
}

/*
 * Finds an option in the query of a URL; returns its decoded value, in the
 * arena, or NULL.
 */
static const char *query_option(struct line query, const char *name,
				struct arena *a)
{
	const char *at = query.text, *end = query.text + query.len;
	size_t len = strlen(name);

	while (at < end) {
		const char *next = memchr(at, '&', (size_t)(end - at));
		size_t left;

		if (!next)
			next = end;
		left = (size_t)(next - at);
		if (left > len && memcmp(at, name, len) == 0 &&
		    at[len] == '=') {
			struct line raw = { at + len + 1, left - len - 1 };
			struct text value = { 0 };
			const char *made = NULL;

			if (path_decode(&value, raw, true))
				made = arena_copy(a, value.bytes, value.len);
			text_release(&value);
			return made;
		}
		at = next + (next < end);
	}
	return NULL;
}

/*
 * Splits a path at "/" and removes the escapes; empty parts are ignored.  NULL
 * if there are too many parts.
 */
static const char *const *path_split(const char *path, struct arena *a,
				     size_t *count)
{
	const char **parts = arena_alloc(a, PARTS_MAX * sizeof(*parts));
	struct text part = { 0 };

	*count = 0;
	for (;;) {
		if (*path == '/' || !*path) {
			if (part.len && *count == PARTS_MAX) {
				text_release(&part);
				return NULL;
			}
			if (part.len)
				parts[(*count)++] = arena_copy(a, part.bytes,
							       part.len);
			text_clear(&part);
			if (!*path)
				break;
		} else {
			if (*path == '!' && path[1])
				path++;
			text_putc(&part, *path);
		}
		path++;
	}
	text_release(&part);
	return parts;
}

static void path_join(struct text *out, const char *const *parts, size_t count)
{
	text_puts(out, "");
	for (size_t i = 0; i < count; i++) {
		text_puts(out, i ? "/" : "");
		for (const char *at = parts[i]; *at; at++) {
			if (*at == '/' || *at == '!')
				text_putc(out, '!');
			text_putc(out, *at);
		}
	}
}

/* The parts of a path, from the left. */
struct path_parts {
	const char *const *at;
	size_t count;
};

static const char *path_next(struct path_parts *p)
{
	if (!p->count)
		return NULL;
	p->count--;
	return *p->at++;
}

static int path_add_required(cJSON *json, const char *key, struct path_parts *p,
			     struct error *err)
{
	const char *part = path_next(p);

	if (!part)
		return fail(err, ERROR_MISUSE, "the path has no %s", key);
	cJSON_AddStringToObject(json, key, part);
	return 0;
}

static void path_add_rest(cJSON *json, struct path_parts *p)
{
	struct text path = { 0 };

	if (!p->count)
		return;
	path_join(&path, p->at, p->count);
	cJSON_AddStringToObject(json, "path", path.bytes);
	text_release(&path);
}

/* "a,b" is a list. */
static void path_add_attributes(cJSON *json, const char *names)
{
	cJSON *list;

	if (!strchr(names, ',')) {
		cJSON_AddStringToObject(json, "attribute", names);
		return;
	}
	list = cJSON_AddArrayToObject(json, "attribute");
	while (*names) {
		size_t len = strcspn(names, ",");
		char *name = strndup(names, len);

		cJSON_AddItemToArray(list, cJSON_CreateString(name));
		free(name);
		names += len + (names[len] == ',');
	}
}

/* "[null]" is null and "\"\"" the empty string. */
static cJSON *path_argument(const char *part)
{
	if (strcmp(part, "[null]") == 0)
		return cJSON_CreateNull();
	return cJSON_CreateString(strcmp(part, "\"\"") == 0 ? "" : part);
}

static int path_add_members(cJSON *json, enum jolokia_query_type type,
			    struct path_parts *p, struct error *err)
{
	cJSON *arguments = NULL;
	const char *part;

	if (type <= JOLOKIA_QUERY_SEARCH &&
	    path_add_required(json, "mbean", p, err))
		return -1;
	switch (type) {
	case JOLOKIA_QUERY_READ:
		part = path_next(p);
		if (part)
			path_add_attributes(json, part);
		path_add_rest(json, p);
		return 0;
	case JOLOKIA_QUERY_WRITE:
		if (path_add_required(json, "attribute", p, err))
			return -1;
		part = path_next(p);
		if (!part)
			return fail(err, ERROR_MISUSE, "the path has no value");
		cJSON_AddItemToObject(json, "value", path_argument(part));
		path_add_rest(json, p);
		return 0;
	case JOLOKIA_QUERY_EXEC:
		if (path_add_required(json, "operation", p, err))
			return -1;
		if (p->count)
			arguments = cJSON_AddArrayToObject(json, "arguments");
		while ((part = path_next(p)))
			cJSON_AddItemToArray(arguments, path_argument(part));
		return 0;
	case JOLOKIA_QUERY_LIST:
		path_add_rest(json, p);
		return 0;
	default:
		return 0;
	}
}

static enum jolokia_query_type query_type(const char *name)
{
	for (size_t i = 0; i < JOLOKIA_QUERY_NONE; i++)
		if (strcmp(query_types[i], name) == 0)
			return (enum jolokia_query_type)i;
	return JOLOKIA_QUERY_NONE;
}

static int query_fail_type(const char *name, struct error *err)
{
	/* The same text as the agent's. */
	return fail(err, ERROR_MISUSE, "No type with name '%.100s' exists",
		    name);
}

static int path_read(cJSON *json, const char *path, struct arena *a,
		     struct error *err)
{
	struct path_parts p;
	enum jolokia_query_type type;
	const char *name;

	p.at = path_split(path, a, &p.count);
	if (!p.at)
		return fail(err, ERROR_MISUSE,
			    "the path has more than %d parts", PARTS_MAX);
	name = path_next(&p);
	type = name ? query_type(name) : JOLOKIA_QUERY_VERSION;
	if (type == JOLOKIA_QUERY_NONE)
		return query_fail_type(name, err);
	cJSON_AddStringToObject(json, "type", query_types[type]);
	return path_add_members(json, type, &p, err);
}

cJSON *jolokia_query_of_path(struct line target, struct error *err)
{
	struct line query = target;
	struct line path = line_cut(&query, '?');
	struct arena a = { 0 };
	cJSON *json = cJSON_CreateObject();
	struct text decoded = { 0 };
	const char *p = query_option(query, "p", &a);
	int ret;

	if (!path_decode(&decoded, path, false))
		ret = fail(err, ERROR_MISUSE, "the path has an invalid escape");
	else
		ret = path_read(json, p ? p : decoded.bytes, &a, err);
	text_release(&decoded);
	arena_release(&a);
	if (ret == 0)
		return json;
	cJSON_Delete(json);
	return NULL;
}

/* Requests as objects */

/* The text of a string, number or boolean, in the arena; or NULL. */
static const char *item_text(const cJSON *item, struct arena *a)
{
	char buffer[32];
	const char *number = jolokia_json_number(item, buffer);

	if (number)
		return arena_copy(a, number, strlen(number));
	if (cJSON_IsBool(item))
		return cJSON_IsTrue(item) ? "true" : "false";
	return jolokia_json_text(item, a).at;
}

/* An option of the request's "config", else of the URL, as text; or NULL. */
static const char *option_text(const struct jolokia_query *q, struct line query,
			       const char *name, struct arena *a)
{
	const cJSON *config = jolokia_json_member(q->json, "config");
	const cJSON *item = jolokia_json_member(config, name);

	return item ? item_text(item, a) : query_option(query, name, a);
}

/* As Integer.parseInt(), to which agents pass these options. */
static bool option_to_integer(const char *text, int64_t *to)
{
	size_t sign = *text == '-' || *text == '+';
	size_t digits = strspn(text + sign, "0123456789");

	if (!digits || text[sign + digits])
		return false;
	errno = 0;
	*to = strtoll(text, NULL, 10);
	return !errno && *to >= INT32_MIN && *to <= INT32_MAX;
}

static bool option_flag(const char *text, bool otherwise)
{
	return text ? strcmp(text, "true") == 0 : otherwise;
}

static int query_read_limits(struct jolokia_query *q, struct line query,
			     struct arena *a, struct error *err)
{
	struct jolokia_query_options *o = &q->options;
	const struct {
		const char *name;
		int64_t *to;
	} limits[] = {
		{ "maxDepth", &o->max_depth },
		{ "maxCollectionSize", &o->max_collection },
		{ "maxObjects", &o->max_objects },
	};
	int ret = 0;

	o->max_depth = DEPTH_DEFAULT;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const char *text = option_text(q, query, limits[i].name, a);

		if (text && !option_to_integer(text, limits[i].to))
			ret = fail(err, ERROR_MISUSE,
				   "%s: \"%.100s\" is not an integer",
				   limits[i].name, text);
	}
	return ret;
}

static void query_read_options(struct jolokia_query *q, struct line query,
			       struct arena *a)
{
	struct jolokia_query_options *o = &q->options;
	const char *text = option_text(q, query, "includeStackTrace", a);
	const char *longs = option_text(q, query, "serializeLong", a);

	o->ignore_errors = option_flag(option_text(q, query, "ignoreErrors", a),
				       false);
	o->canonical_naming = option_flag(
		option_text(q, query, "canonicalNaming", a), true);
	o->serialize_exception = option_flag(
		option_text(q, query, "serializeException", a), false);
	o->include_request = option_flag(
		option_text(q, query, "includeRequest", a), true);
	/*
	 * "runtime": for unchecked exceptions, which RMI does not distinguish.
	 */
	o->include_stack_trace = text && strcmp(text, "false") != 0;
	o->has_long_texts = longs && strcmp(longs, "string") == 0;
}

static int query_fail_member(const char *key, struct error *err)
{
	return fail(err, ERROR_MISUSE, "\"%s\" is invalid", key);
}

static int query_read_attributes(struct jolokia_query *q, struct arena *a,
				 struct error *err)
{
	const cJSON *item = jolokia_json_member(q->json, "attribute"), *one;
	const char **names;
	size_t count = 0;

	if (!item || cJSON_IsNull(item))
		return 0;
	if (!cJSON_IsArray(item)) {
		names = arena_alloc(a, sizeof(*names));
		names[count++] = item_text(item, a);
	} else {
		cJSON_ArrayForEach(one, item) count++;
		names = arena_alloc(a, (count + 1) * sizeof(*names));
		count = 0;
		q->has_attribute_list = true;
		cJSON_ArrayForEach(one, item) if (!cJSON_IsNull(one))
			names[count++] = item_text(one, a);
	}
	for (size_t i = 0; i < count; i++)
		if (!names[i])
			return query_fail_member("attribute", err);
	q->attributes = names;
	q->attribute_count = count;
	return 0;
}

/* A text, or an array of texts, which need no escapes. */
static int query_read_path(struct jolokia_query *q, struct arena *a,
			   struct error *err)
{
	const cJSON *item = jolokia_json_member(q->json, "path");
	const char *path;

	if (!item || cJSON_IsNull(item))
		return 0;
	path = item_text(item, a);
	if (!path)
		return query_fail_member("path", err);
	q->path = path_split(path, a, &q->path_count);
	if (!q->path)
		return query_fail_member("path", err);
	return 0;
}

/* The recursion ends at the limit. */
static bool item_is_shallow(const cJSON *item, unsigned depth)
{
	const cJSON *one;

	if (depth > JOLOKIA_ARGUMENT_DEPTH_MAX)
		return false;
	cJSON_ArrayForEach(
		one, item) if (!item_is_shallow(one, depth + 1)) return false;
	return true;
}

static int query_read_object(struct jolokia_query *q, struct arena *a,
			     struct error *err)
{
	const cJSON *item = jolokia_json_member(q->json, "mbean");

	q->object = jolokia_json_text(item, a).at;
	if (!q->object)
		return fail(err, ERROR_MISUSE, "the request has no \"mbean\"");
	return object_name_check(q->object, NULL, err);
}

static int query_read_members(struct jolokia_query *q, struct arena *a,
			      struct error *err)
{
	if (q->type <= JOLOKIA_QUERY_SEARCH && query_read_object(q, a, err))
		return -1;
	if (query_read_path(q, a, err))
		return -1;
	switch (q->type) {
	case JOLOKIA_QUERY_READ:
		return query_read_attributes(q, a, err);
	case JOLOKIA_QUERY_WRITE:
		q->value = jolokia_json_member(q->json, "value");
		if (query_read_attributes(q, a, err))
			return -1;
		if (q->attribute_count != 1 || q->has_attribute_list)
			return query_fail_member("attribute", err);
		return 0;
	case JOLOKIA_QUERY_EXEC:
		q->operation = jolokia_member_text(q->json, "operation", NULL,
						   a);
		q->arguments = jolokia_json_member(q->json, "arguments");
		if (!q->operation)
			return query_fail_member("operation", err);
		if (q->arguments && cJSON_IsNull(q->arguments))
			q->arguments = NULL;
		if (q->arguments && !cJSON_IsArray(q->arguments))
			return query_fail_member("arguments", err);
		return 0;
	default:
		return 0;
	}
}

int jolokia_query_parse(struct jolokia_query *q, const cJSON *json,
			struct line query, struct arena *a, struct error *err)
{
	struct error limits;
	const char *type;
	int ret;

	*q = (struct jolokia_query){ .type = JOLOKIA_QUERY_NONE, .json = json };
	query_read_options(q, query, a);
	ret = query_read_limits(q, query, a, &limits);
	if (!cJSON_IsObject(json))
		return fail(err, ERROR_MISUSE, "the request is not an object");
	type = jolokia_member_text(json, "type", NULL, a);
	if (!type)
		return fail(err, ERROR_MISUSE, "the request has no \"type\"");
	if (!item_is_shallow(json, 0))
		return fail(err, ERROR_MISUSE,
			    "the request has more than %d levels",
			    JOLOKIA_ARGUMENT_DEPTH_MAX);
	if (jolokia_json_member(json, "target"))
		return fail(err, ERROR_MISUSE,
			    "\"target\" is not supported; each mxprx serves "
			    "one JVM");
	q->type = query_type(type);
	if (q->type == JOLOKIA_QUERY_NONE)
		return query_fail_type(type, err);
	if (query_read_members(q, a, err))
		return -1;
	if (ret)
		*err = limits;
	return ret;
}

static void query_json_attributes(struct json *j, const struct jolokia_query *q)
{
	if (q->attribute_count == 1 && !q->has_attribute_list) {
		json_add_text(j, "attribute", q->attributes[0]);
		return;
	}
	if (!q->attribute_count)
		return;
	json_add_array(j, "attribute");
	for (size_t i = 0; i < q->attribute_count; i++)
		json_text(j, q->attributes[i]);
	json_close_array(j);
}

void jolokia_query_json(struct json *j, const struct jolokia_query *q)
{
	json_open_object(j);
	if (q->object) {
		json_add_text(j, "mbean", q->object);
	}
	query_json_attributes(j, q);
	if (q->operation) {
		json_add_text(j, "operation", q->operation);
	}
	if (q->arguments) {
		json_key(j, "arguments");
		jolokia_json_item(j, q->arguments);
	}
	if (q->value) {
		json_key(j, "value");
		jolokia_json_item(j, q->value);
	}
	if (q->path_count) {
		struct text path = { 0 };

		path_join(&path, q->path, q->path_count);
		json_add_string(j, "path", path.bytes, path.len);
		text_release(&path);
	}
	if (q->type != JOLOKIA_QUERY_NONE) {
		json_add_text(j, "type", query_types[q->type]);
	}
	json_close_object(j);
}
