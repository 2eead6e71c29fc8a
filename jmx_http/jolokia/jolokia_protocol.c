/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_protocol.h"

#include "core/base/text.h"
#include "jmx_http/value/object_name.h"

#include <stdlib.h>
#include <string.h>

/* Requests */

/*
 * Names in the order in which the MBean was created with, as RMI gives them,
 * and nothing truncated.  Jolokia 2.x returns a stack trace only on demand.
 */
#define REQUEST_CONFIG                                                         \
	"\"config\":{\"canonicalNaming\":false,\"includeStackTrace\":false,"   \
	"\"maxDepth\":48,\"ignoreErrors\":%s}"

static void request_add_text(struct text *out, const char *key,
			     const char *text)
{
	struct json j;

	text_printf(out, ",\"%s\":", key);
	j = json_into(out);
	json_text(&j, text);
}

/* A part of a path: "!" escapes "/" and itself. */
static void request_escape(struct text *out, const char *part)
{
	for (; *part; part++) {
		if (*part == '/' || *part == '!')
			text_putc(out, '!');
		text_putc(out, *part);
	}
}

/* "java.lang/type=Memory" */
static void request_add_list_path(struct text *out, const char *object)
{
	struct text domain = { 0 }, path = { 0 };
	const char *colon = strchr(object, ':');

	text_add(&domain, object, (size_t)(colon - object));
	text_puts(&domain, "");
	request_escape(&path, domain.bytes);
	text_putc(&path, '/');
	request_escape(&path, colon + 1);
	request_add_text(out, "path", path.bytes);
	text_release(&domain);
	text_release(&path);
}

static void request_add_names(struct text *out, const struct jmx_request *q,
			      size_t name)
{
	struct json j;

	text_puts(out, ",\"attribute\":");
	j = json_into(out);
	if (name != JOLOKIA_WHOLE) {
		json_text(&j, q->names[name]);
		return;
	}
	json_open_array(&j);
	for (size_t i = 0; i < q->name_count; i++)
		json_text(&j, q->names[i]);
	json_close_array(&j);
}

static void request_add_exec(struct text *out, const struct jmx_request *q)
{
	struct text operation = { 0 };

	text_printf(&operation, "%s(", q->names[0]);
	for (size_t i = 0; i < q->argument_count; i++)
		text_printf(&operation, "%s%s", i ? "," : "", q->signature[i]);
	text_putc(&operation, ')');
	request_add_text(out, "operation", operation.bytes);
	text_release(&operation);
	text_puts(out, ",\"arguments\":[");
	for (size_t i = 0; i < q->argument_count; i++) {
		text_puts(out, i ? "," : "");
		jolokia_add_argument(out, q->arguments[i]);
	}
	text_putc(out, ']');
}

bool jolokia_is_read(enum jmx_verb verb)
{
	return verb != JMX_SET && verb != JMX_INVOKE;
}

int jolokia_add_request(struct text *out, const struct jmx_request *q,
			size_t name, struct error *err)
{
	static const char *const types[] = {
		[JMX_QUERY] = "search", [JMX_INFO] = "list",
		[JMX_GET] = "read",     [JMX_SET] = "write",
		[JMX_INVOKE] = "exec",  [JMX_COUNT] = "search",
	};
	bool ignores = q->verb == JMX_GET && name == JOLOKIA_WHOLE;

	if (q->object && object_name_check(q->object, NULL, err))
		return -1;
	text_printf(out, "{\"type\":\"%s\"," REQUEST_CONFIG, types[q->verb],
		    ignores ? "true" : "false");
	if (q->verb == JMX_INFO && q->object)
		request_add_list_path(out, q->object);
	else
		request_add_text(out, "mbean", q->object ? q->object : "*:*");
	if (q->verb == JMX_GET) {
		request_add_names(out, q, name);
	} else if (q->verb == JMX_SET) {
		request_add_text(out, "attribute", q->names[0]);
		text_puts(out, ",\"value\":");
		jolokia_add_argument(out, q->arguments[0]);
	} else if (q->verb == JMX_INVOKE) {
		request_add_exec(out, q);
	}
	text_putc(out, '}');
	return 0;
}

/* Responses */

/* 1.x repeats the class before the message: "java.lang.X : message". */
static const char *failure_message(const char *error, const char *class)
{
	size_t len = strlen(class);

	if (strncmp(error, class, len) == 0 &&
	    strncmp(error + len, " : ", 3) == 0)
		return error + len + 3;
	return error;
}

/* Returns an error's status code; 0 for an invalid one. */
static int failure_status(const cJSON *status)
{
	bool is_status = cJSON_IsNumber(status) && status->valuedouble >= 0 &&
			 status->valuedouble < 1000;

	return is_status ? (int)status->valuedouble : 0;
}

const char *jolokia_failure(const cJSON *response, struct arena *a,
			    enum error_kind *kind)
{
	const cJSON *status = jolokia_json_member(response, "status");
	const char *class = jolokia_member_text(response, "error_type", NULL,
						a);
	const char *error = jolokia_member_text(response, "error", NULL, a);
	int code = failure_status(status);
	struct text told = { 0 };
	const char *made;

	if (code == 200 && !error)
		return NULL;
	if (class && error)
		text_printf(&told, "%s: %s", class,
			    failure_message(error, class));
	else if (class || error)
		text_puts(&told, class ? class : error);
	else if (code)
		text_printf(&told, "Jolokia returned status %d", code);
	else
		text_puts(&told, "the response is not Jolokia's");
	made = arena_copy(a, told.bytes, told.len);
	text_release(&told);
	*kind = class || error || code ? jmx_failure_kind(made)
				       : ERROR_NO_TARGET;
	if (*kind == ERROR_REFUSED && code == 403)
		*kind = ERROR_PERMISSION;
	return made;
}

/* "ERROR: … (class javax.management.MBeanException)", and "Unsupported" for an
 * UnsupportedOperationException (1.x). */
bool jolokia_is_replaced(const cJSON *value)
{
	const char *text = cJSON_IsString(value) ? value->valuestring : "";
	size_t len = strlen(text);

	if (strcmp(text, "Unsupported") == 0)
		return true;
	return strncmp(text, "ERROR: ", 7) == 0 && text[len - 1] == ')' &&
	       strstr(text, " (class ");
}

static const char *info_name(const char *name, struct arena *a)
{
	const cJSON item = { .type = cJSON_String,
			     .valuestring = (char *)name };

	return jolokia_json_text(&item, a).at;
}

static size_t info_count(const cJSON *list)
{
	const cJSON *one;
	size_t count = 0;

	cJSON_ArrayForEach(one, list) count++;
	return count;
}

static int info_compare(const void *a, const void *b)
{
	return strcmp(((const struct jmx_feature *)a)->name,
		      ((const struct jmx_feature *)b)->name);
}

static struct jmx_feature *info_alloc(size_t count, struct arena *a)
{
	return arena_alloc(a, (count + 1) * sizeof(struct jmx_feature));
}

/* 1.x has only "rw", which is false for attributes that can only be written. */
static const struct jmx_feature *info_attributes(const cJSON *list,
						 struct arena *a, size_t *count)
{
	struct jmx_feature *made = info_alloc(info_count(list), a);
	const cJSON *one;

	*count = 0;
	cJSON_ArrayForEach(one, list)
	{
		const cJSON *r = jolokia_json_member(one, "r");
		const cJSON *w = jolokia_json_member(one, "w");
		const cJSON *rw = jolokia_json_member(one, "rw");

		made[(*count)++] = (struct jmx_feature){
			.name = info_name(one->string, a),
			.type = jolokia_member_text(one, "type", "", a),
			.description = jolokia_member_text(one, "desc", "", a),
			.readable = !cJSON_IsFalse(r),
			.writable = cJSON_IsTrue(w) || cJSON_IsTrue(rw),
			.is_getter = cJSON_IsTrue(
				jolokia_json_member(one, "is")),
		};
	}
	qsort(made, *count, sizeof(*made), info_compare);
	return made;
}

static const struct jmx_feature *info_parameters(const cJSON *list,
						 struct arena *a, size_t *count)
{
	struct jmx_feature *made = info_alloc(info_count(list), a);
	const cJSON *one;

	*count = 0;
	cJSON_ArrayForEach(one, list) made[(*count)++] = (struct jmx_feature){
		.name = jolokia_member_text(one, "name", "", a),
		.type = jolokia_member_text(one, "type", "", a),
		.description = jolokia_member_text(one, "desc", "", a),
	};
	return made;
}

static struct jmx_feature info_operation(const char *name, const cJSON *one,
					 struct arena *a)
{
	struct jmx_feature f = {
		.name = info_name(name, a),
		.type = jolokia_member_text(one, "ret", "", a),
		.description = jolokia_member_text(one, "desc", "", a),
		.impact = 3, /* unknown: agents do not list it */
	};

	f.parameters = info_parameters(jolokia_json_member(one, "args"), a,
				       &f.parameter_count);
	return f;
}

/* Operations of one name are an array. */
static const struct jmx_feature *info_operations(const cJSON *list,
						 struct arena *a, size_t *count)
{
	const cJSON *named, *one;
	struct jmx_feature *made;
	size_t total = 0;

	cJSON_ArrayForEach(named, list)
		total += cJSON_IsArray(named) ? info_count(named) : 1;
	made = info_alloc(total, a);
	*count = 0;
	cJSON_ArrayForEach(named, list)
	{
		if (!cJSON_IsArray(named)) {
			made[(*count)++] = info_operation(named->string, named,
							  a);
			continue;
		}
		cJSON_ArrayForEach(one, named)
			made[(*count)++] = info_operation(named->string, one,
							  a);
	}
	qsort(made, *count, sizeof(*made), info_compare);
	return made;
}

static const struct jmx_feature *
info_notifications(const cJSON *list, struct arena *a, size_t *count)
{
	struct jmx_feature *made = info_alloc(info_count(list), a);
	const cJSON *one, *type;

	*count = 0;
	cJSON_ArrayForEach(one, list)
	{
		struct text types = { 0 };

		text_puts(&types, "");
		cJSON_ArrayForEach(type, jolokia_json_member(one, "types"))
		{
			if (!cJSON_IsString(type))
				continue;
			text_puts(&types, types.len ? ", " : "");
			text_puts(&types, type->valuestring);
		}
		made[(*count)++] = (struct jmx_feature){
			.name = info_name(one->string, a),
			.type = info_name(types.bytes, a),
			.description = jolokia_member_text(one, "desc", "", a),
		};
		text_release(&types);
	}
	qsort(made, *count, sizeof(*made), info_compare);
	return made;
}

const struct jmx_info *jolokia_to_info(const cJSON *value, struct arena *a)
{
	const cJSON *class = jolokia_json_member(value, "class");
	const cJSON *attributes = jolokia_json_member(value, "attr");
	const cJSON *operations = jolokia_json_member(value, "op");
	struct jmx_info *info;

	if (!cJSON_IsString(class) && !cJSON_IsObject(attributes) &&
	    !cJSON_IsObject(operations))
		return NULL;
	info = arena_alloc(a, sizeof(*info));
	*info = (struct jmx_info){
		.class = jolokia_member_text(value, "class", "", a),
		.description = jolokia_member_text(value, "desc", "", a),
	};
	info->attributes = info_attributes(attributes, a,
					   &info->attribute_count);
	info->operations = info_operations(operations, a,
					   &info->operation_count);
	info->notifications = info_notifications(
		jolokia_json_member(value, "notif"), a,
		&info->notification_count);
	return info;
}

const struct value *jolokia_to_names(const cJSON *value, struct arena *a)
{
	return cJSON_IsArray(value)
		       ? jolokia_to_value(value,
					  "[Ljavax.management.ObjectName;", a)
		       : NULL;
}

/* Options of agents are strings; "0" is no limit. */
static int64_t agent_limit(const cJSON *config, const char *name)
{
	const cJSON *item = jolokia_json_member(config, name);
	char buffer[32];
	const char *number = jolokia_json_number(item, buffer);

	if (!number && cJSON_IsString(item))
		number = item->valuestring;
	return number ? strtoll(number, NULL, 10) : 0;
}

/*
 * A limit of a few elements truncates the response itself, so that agents of
 * 2.x omit their configuration.  Maps have one element more than the limit.
 */
static int64_t agent_max_collection(const cJSON *value, const cJSON *config)
{
	if (!config && jolokia_json_member(value, "id"))
		return cJSON_GetArraySize(value) - 1;
	return agent_limit(config, "maxCollectionSize");
}

static bool limit_is_size(const cJSON *list, int64_t size)
{
	return list && cJSON_GetArraySize(list) == size;
}

/* Agents truncate maps, but no composites and no tables. */
static bool limit_cuts_list(const cJSON *value, int64_t max)
{
	return limit_is_size(value, max + 1) ||
	       limit_is_size(jolokia_json_member(value, "attr"), max + 1) ||
	       limit_is_size(jolokia_json_member(value, "op"), max + 1);
}

/* The parser limits the depth to this. */
#define LIMIT_DEPTH_MAX 1000

const char *jolokia_limit_reached(const cJSON *value, bool is_list,
				  const struct jolokia_agent *agent)
{
	const cJSON *within[LIMIT_DEPTH_MAX], *at = value;
	int64_t max = agent->max_collection;
	size_t depth = 0;

	if (!max && !agent->max_objects)
		return NULL;
	if (max && is_list && limit_cuts_list(value, max))
		return "maxCollectionSize";
	while (at) {
		if (max && cJSON_IsArray(at) && limit_is_size(at, max))
			return "maxCollectionSize";
		if (cJSON_IsString(at) &&
		    strcmp(at->valuestring, "[Object limit exceeded]") == 0)
			return "maxObjects";
		if (at->child && depth < LIMIT_DEPTH_MAX) {
			within[depth++] = at;
			at = at->child;
			continue;
		}
		while (depth && !at->next)
			at = within[--depth];
		at = depth ? at->next : NULL;
	}
	return NULL;
}

bool jolokia_to_agent(const cJSON *value, struct jolokia_agent *agent,
		      struct arena *a)
{
	const cJSON *config = jolokia_json_member(value, "config");

	if (!cJSON_IsString(jolokia_json_member(value, "agent")) &&
	    !cJSON_IsString(jolokia_json_member(value, "protocol")))
		return false;
	*agent = (struct jolokia_agent){
		.agent = jolokia_member_text(value, "agent", "", a),
		.protocol = jolokia_member_text(value, "protocol", "", a),
		.max_depth = agent_limit(config, "maxDepth"),
		.max_collection = agent_max_collection(value, config),
		.max_objects = agent_limit(config, "maxObjects"),
	};
	return true;
}
