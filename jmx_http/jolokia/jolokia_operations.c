/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_operations.h"

#include "core/base/clock.h"
#include "core/base/version.h"
#include "jmx_http/jmx.h"
#include "jmx_http/jmx_read.h"
#include "jmx_http/jolokia/jolokia_list.h"
#include "jmx_http/jolokia/jolokia_query.h"
#include "jmx_http/jolokia/jolokia_render.h"
#include "jmx_http/value/argument.h"
#include "jmx_http/value/java_type.h"
#include "jmx_http/value/object_name.h"

#include <stdlib.h>
#include <string.h>

#define PROTOCOL "8.0"

/* A request while it is answered. */
struct answer {
	struct jolokia_operations *o;
	struct jolokia_query q;
	struct jolokia_render render;
	struct text value; /* of the response: JSON */
	struct json j;     /* writes value */
	struct arena arena;
	/* "class: message <- class: message" of a failure; else NULL. */
	const char *failure;
	int status; /* of a failure; 0: by its class */
};

/* Failures */

static int answer_fail(struct answer *a, int status, const char *failure)
{
	a->failure = arena_copy(&a->arena, failure, strlen(failure));
	a->status = status;
	return -1;
}

/* A request that is wrong, as agents report it. */
static int answer_fail_request(struct answer *a, const char *why)
{
	struct text t = { 0 };

	text_printf(&t, "java.lang.IllegalArgumentException: %s", why);
	answer_fail(a, 400, t.bytes);
	text_release(&t);
	return -1;
}

static int answer_fail_path(struct answer *a)
{
	struct text path = { 0 };

	text_puts(&path, "javax.management.AttributeNotFoundException: "
			 "Invalid path");
	for (size_t i = 0; i < a->q.path_count; i++)
		text_printf(&path, "%s%s", i ? "/" : " ", a->q.path[i]);
	answer_fail(a, 404, path.bytes);
	text_release(&path);
	return -1;
}

/* The connection to the JVM failed, or the request is wrong. */
static int answer_fail_error(struct answer *a, const struct error *err)
{
	struct text t = { 0 };

	if (err->kind == ERROR_MISUSE)
		return answer_fail_request(a, err->text);
	text_printf(&t, "%s: %s",
		    err->kind == ERROR_PERMISSION
			    ? "java.lang.SecurityException"
			    : "java.io.IOException",
		    err->text);
	answer_fail(a, 0, t.bytes);
	text_release(&t);
	return -1;
}

/* An exception: "class: message <- class: message". */
struct failure {
	struct line class, message, cause;
};

static struct failure failure_parse(const char *text)
{
	static const char within[] = " <- ";
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._$";
	struct failure f = { 0 };
	const char *next = strstr(text, within);
	size_t len = next ? (size_t)(next - text) : strlen(text);
	size_t class = strspn(text, letters);

	if (next)
		f.cause = (struct line){ next + strlen(within),
					 strlen(next + strlen(within)) };
	if (class && memchr(text, '.', class) &&
	    (class == len || (text[class] == ':' && class < len))) {
		f.class = (struct line){ text, class };
		while (class < len &&
		       (text[class] == ':' || text[class] == ' '))
			class ++;
		f.message = (struct line){ text + class, len - class };
	} else {
		f.class = (struct line){ "java.io.IOException", 19 };
		f.message = (struct line){ text, len };
	}
	/* As Throwable(Throwable): JMX servers omit the repetition. */
	if (!f.message.len && f.cause.len) {
		next = strstr(f.cause.text, within);
		f.message = f.cause;
		if (next)
			f.message.len = (size_t)(next - f.cause.text);
	}
	return f;
}

/* Agents report the exception of the MBean, not that of the MBean server. */
static struct failure failure_innermost(const char *text)
{
	struct failure f = failure_parse(text);

	while (f.cause.len &&
	       (line_is(f.class, "javax.management.MBeanException") ||
		line_is(f.class, "javax.management.RuntimeMBeanException")))
		f = failure_parse(f.cause.text);
	return f;
}

/* clang-format off */
static const struct {
	const char *class;
	int status;
} failure_statuses[] = {
	{ "javax.management.InstanceNotFoundException", 404 },
	{ "javax.management.AttributeNotFoundException", 404 },
	{ "javax.management.ReflectionException", 404 },
	{ "java.lang.IllegalArgumentException", 400 },
	{ "java.lang.SecurityException", 403 },
};
/* clang-format on */

static int failure_status(const struct failure *f)
{
	for (size_t i = 0;
	     i < sizeof(failure_statuses) / sizeof(*failure_statuses); i++)
		if (line_is(f->class, failure_statuses[i].class))
			return failure_statuses[i].status;
	return 500;
}

static void json_line(struct json *j, const char *key, struct line line)
{
	json_key(j, key);
	json_string(j, line.text ? line.text : "", line.len);
}

/* The exceptions without frames: RMI clients do not get their lines. */
static void answer_add_stack_trace(struct json *j, const char *text)
{
	struct text trace = { 0 };
	struct failure f = failure_parse(text);

	for (;;) {
		text_printf(&trace, "%.*s: %.*s\n", (int)f.class.len,
			    f.class.text, (int)f.message.len, f.message.text);
		if (!f.cause.len)
			break;
		f = failure_parse(f.cause.text);
		text_puts(&trace, "Caused by: ");
	}
	json_key(j, "stacktrace");
	json_string(j, trace.bytes, trace.len);
	text_release(&trace);
}

static void answer_add_failure(const struct answer *a, struct json *j)
{
	struct failure f = failure_innermost(a->failure);

	json_line(j, "error_type", f.class);
	if (strncmp(f.class.text, "javax.management.", 17) == 0)
		json_line(j, "error_type_jmx", f.class);
	json_line(j, "error", f.message);
	if (a->q.options.serialize_exception) {
		json_key(j, "error_value");
		json_open_object(j);
		json_line(j, "message", f.message);
		json_line(j, "localizedMessage", f.message);
		json_close_object(j);
	}
	if (a->q.options.include_stack_trace)
		answer_add_stack_trace(j, a->failure);
	json_key(j, ".error");
	json_bool(j, true);
	json_key(j, "status");
	json_int(j, a->status ? a->status : failure_status(&f));
}

/* Requests to the JVM */

static int answer_connect(struct answer *a)
{
	struct error err = { 0 };

	if (!a->o->jmx)
		a->o->jmx = jmx_open(a->o->target, &err);
	return a->o->jmx ? 0 : answer_fail_error(a, &err);
}

/* Keeps the only reply of a run; its parts are in the arena. */
static int reply_keep(void *self, size_t index, const struct jmx_reply *reply,
		      struct error *err)
{
	(void)index;
	(void)err;
	*(struct jmx_reply *)self = *reply;
	return 0;
}

/* Makes a request.  -1: it failed, and so does the answer. */
static int answer_run(struct answer *a, const struct jmx_request *q,
		      struct jmx_reply *reply)
{
	struct error err = { 0 };
	int ret;

	*reply = (struct jmx_reply){ 0 };
	if (answer_connect(a))
		return -1;
	a->o->jmx->keep = &a->arena;
	ret = jmx_run(a->o->jmx, q, 1, reply_keep, reply, &err);
	a->o->jmx->keep = NULL;
	if (ret)
		return answer_fail_error(a, &err);
	if (!reply->failure)
		return 0;
	if (reply->kind == ERROR_MISUSE)
		return answer_fail_request(a, reply->failure);
	return answer_fail(a, 0, reply->failure);
}

static const struct jmx_info *answer_info(struct answer *a, const char *object)
{
	const struct jmx_request q = { .verb = JMX_INFO, .object = object };
	struct jmx_reply reply;

	return answer_run(a, &q, &reply) ? NULL : reply.info;
}

/* read */

/* "ERROR: message (class C)", in place of an attribute's value. */
static const struct value *read_replaced(struct answer *a,
					 const struct value *v)
{
	struct failure f = failure_parse(v->text.at);
	struct text t = { 0 };
	struct value *made;

	text_printf(&t, "ERROR: %.*s (class %.*s)", (int)f.message.len,
		    f.message.text ? f.message.text : "", (int)f.class.len,
		    f.class.text);
	made = value_text(&a->arena, VALUE_STRING, "java.lang.String", t.bytes,
			  t.len);
	text_release(&t);
	return made;
}

/*
 * Returns the composite of attributes without errors; NULL if an attribute is
 * unreadable and the answer fails.
 */
static const struct value *read_checked(struct answer *a,
					const struct value *values)
{
	struct value *made = value_new(&a->arena, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(
		&a->arena, (values->members.count + 1) * sizeof(*at));

	for (size_t i = 0; i < values->members.count; i++) {
		at[i] = values->members.at[i];
		if (at[i].value->kind != VALUE_ERROR)
			continue;
		if (!a->q.options.ignore_errors) {
			answer_fail(a, 0, at[i].value->text.at);
			return NULL;
		}
		at[i].value = read_replaced(a, at[i].value);
	}
	made->members.at = at;
	made->members.count = values->members.count;
	return made;
}

/* The value, or its part by the path of the request. */
static int answer_render(struct answer *a, const struct value *v)
{
	v = jolokia_find_part(v, a->q.path, a->q.path_count, &a->arena);
	if (!v)
		return answer_fail_path(a);
	jolokia_render(&a->render, &a->j, v, 0);
	return 0;
}

/* The names of the readable attributes. */
static const char *const *read_names(const struct jmx_info *info,
				     struct arena *arena, size_t *count)
{
	const char **names = arena_alloc(arena, (info->attribute_count + 1) *
							sizeof(*names));

	*count = 0;
	for (size_t i = 0; i < info->attribute_count; i++)
		if (info->attributes[i].readable)
			names[(*count)++] = info->attributes[i].name;
	return names;
}

static int read_one(struct answer *a)
{
	struct jmx_request q = {
		.verb = JMX_GET,
		.object = a->q.object,
		.names = a->q.attributes,
		.name_count = a->q.attribute_count,
	};
	bool is_single = a->q.attribute_count == 1 && !a->q.has_attribute_list;
	const struct jmx_info *info;
	const struct value *v;
	struct jmx_reply reply;

	if (!q.name_count) {
		info = answer_info(a, a->q.object);
		if (!info)
			return -1;
		q.names = read_names(info, &a->arena, &q.name_count);
	}
	if (answer_run(a, &q, &reply))
		return -1;
	v = reply.value;
	if (is_single && v->members.at[0].value->kind == VALUE_ERROR)
		return answer_fail(a, 0, v->members.at[0].value->text.at);
	v = is_single ? v->members.at[0].value : read_checked(a, v);
	return v ? answer_render(a, v) : -1;
}

/* The MBeans of a pattern, as they are read. */
struct read_all {
	struct answer *a;
	/* The path does not begin with "*": it names the only MBean. */
	bool is_single;
	bool has_some;
};

static bool read_is_wanted(const struct jolokia_query *q, const char *name)
{
	for (size_t i = 0; i < q->attribute_count; i++)
		if (strcmp(q->attributes[i], name) == 0)
			return true;
	return !q->attribute_count;
}

static const char *const *read_choose(void *self, const char *object,
				      const struct jmx_info *info,
				      struct arena *arena, size_t *count,
				      const void **note, struct error *err)
{
	const struct read_all *all = self;
	const char **names = arena_alloc(arena, (info->attribute_count + 1) *
							sizeof(*names));

	(void)object;
	(void)note;
	(void)err;
	*count = 0;
	for (size_t i = 0; i < info->attribute_count; i++) {
		const struct jmx_feature *f = &info->attributes[i];

		if (f->readable && read_is_wanted(&all->a->q, f->name))
			names[(*count)++] = arena_copy(arena, f->name,
						       strlen(f->name));
	}
	return names;
}

static int read_take(void *self, const struct jmx_bean *bean, struct error *err)
{
	struct read_all *all = self;
	struct answer *a = all->a;
	size_t has_path = a->q.path_count > 0;
	const struct value *v;
	struct text name = { 0 };

	(void)err;
	/* An MBean may be unregistered meanwhile. */
	if (a->failure || !bean->values || !bean->values->members.count)
		return 0;
	v = read_checked(a, bean->values);
	if (!v)
		return 0;
	jolokia_render_name(&a->render, &name, bean->name);
	if (!all->is_single || strcmp(a->q.path[0], name.bytes) == 0)
		v = jolokia_find_part(v, a->q.path + has_path,
				      a->q.path_count - has_path, &a->arena);
	else
		v = NULL;
	if (v && !all->is_single)
		json_foreign_key(&a->j, name.bytes);
	if (v)
		jolokia_render(&a->render, &a->j, v, !all->is_single);
	all->has_some |= v != NULL;
	text_release(&name);
	return 0;
}

static int answer_names(struct answer *a, const char *pattern,
			const char *const **names, size_t *count)
{
	struct error err = { 0 };

	if (answer_connect(a))
		return -1;
	if (jmx_query(a->o->jmx, pattern, &a->arena, names, count, &err))
		return answer_fail_error(a, &err);
	return 0;
}

static int read_pattern(struct answer *a)
{
	struct read_all all = {
		.a = a,
		.is_single = a->q.path_count && strcmp(a->q.path[0], "*") != 0,
	};
	const struct jmx_reader reader = {
		.choose = read_choose,
		.take = read_take,
		.self = &all,
	};
	struct error err = { 0 };
	const char *const *names;
	struct text t = { 0 };
	size_t count;

	if (answer_names(a, a->q.object, &names, &count))
		return -1;
	if (!count) {
		text_printf(
			&t,
			"javax.management.InstanceNotFoundException: No "
			"MBean with pattern %s found for reading attributes",
			a->q.object);
		answer_fail(a, 404, t.bytes);
		text_release(&t);
		return -1;
	}
	a->render.objects++;
	if (!all.is_single)
		json_open_object(&a->j);
	if (jmx_read(a->o->jmx, names, count, &reader, &err))
		return answer_fail_error(a, &err);
	if (a->failure)
		return -1;
	if (!all.is_single)
		json_close_object(&a->j);
	return all.has_some || !a->q.path_count ? 0 : answer_fail_path(a);
}

static bool answer_has_pattern(const struct answer *a)
{
	struct object_name name;
	struct error unused;
	bool is_pattern;

	if (object_name_parse(&name, a->q.object, strlen(a->q.object), &unused))
		return false;
	is_pattern = object_name_is_pattern(&name);
	object_name_release(&name);
	return is_pattern;
}

static int answer_read(struct answer *a)
{
	return answer_has_pattern(a) ? read_pattern(a) : read_one(a);
}

/* search, write and exec */

static int answer_search(struct answer *a)
{
	const char *const *names;
	struct text name = { 0 };
	size_t count;

	if (answer_names(a, a->q.object, &names, &count))
		return -1;
	json_open_array(&a->j);
	for (size_t i = 0; i < count; i++) {
		text_clear(&name);
		jolokia_render_name(&a->render, &name, names[i]);
		json_text(&a->j, name.bytes);
	}
	json_close_array(&a->j);
	text_release(&name);
	return 0;
}

/* Returns the old value, as agents do. */
static int answer_write_attribute(struct answer *a)
{
	struct jmx_request q = {
		.verb = JMX_GET,
		.object = a->q.object,
		.names = a->q.attributes,
		.name_count = 1,
	};
	const struct jmx_info *info = answer_info(a, a->q.object);
	const struct value *value, *old;
	struct jmx_reply reply;
	const char *type = "";

	if (!info)
		return -1;
	if (a->q.path_count)
		return answer_fail_request(a, "a path of a write is not "
					      "supported");
	for (size_t i = 0; i < info->attribute_count; i++)
		if (strcmp(info->attributes[i].name, *q.names) == 0)
			type = info->attributes[i].type;
	if (answer_run(a, &q, &reply))
		return -1;
	old = reply.value->members.at[0].value;
	if (!*type && old->kind == VALUE_ERROR)
		return answer_fail(a, 0, old->text.at);
	value = jolokia_to_value(a->q.value, type, &a->arena);
	q.verb = JMX_SET;
	q.arguments = &value;
	q.signature = &type;
	q.argument_count = 1;
	return answer_run(a, &q, &reply) ? -1 : answer_render(a, old);
}

/* Skips the spaces that hawtio writes beside commas. */
static const char *exec_skip(const char *at) { return at + strspn(at, " "); }

/* Whether the operation is "name" or "name(type, ...)" of f. */
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

static const struct jmx_feature *exec_find(struct answer *a)
{
	const struct jmx_info *info = answer_info(a, a->q.object);
	const struct jmx_feature *found = NULL;
	size_t count = 0;

	for (size_t i = 0; info && i < info->operation_count; i++) {
		if (!exec_is(&info->operations[i], a->q.operation))
			continue;
		found = &info->operations[i];
		count++;
	}
	if (info && count != 1)
		answer_fail_request(a, count ? "the operation is overloaded; "
					       "add its signature"
					     : "the MBean has no such "
					       "operation");
	return count == 1 ? found : NULL;
}

static int answer_exec(struct answer *a)
{
	const struct jmx_feature *f = exec_find(a);
	size_t count = f ? f->parameter_count : 0;
	const struct value **values;
	const char **types;
	struct jmx_request q = { .verb = JMX_INVOKE, .object = a->q.object };
	struct jmx_reply reply;

	if (!f)
		return -1;
	if (count !=
	    (a->q.arguments ? (size_t)cJSON_GetArraySize(a->q.arguments) : 0))
		return answer_fail_request(a, "the number of arguments is not "
					      "that of the operation");
	values = arena_alloc(&a->arena, (count + 1) * sizeof(*values));
	types = arena_alloc(&a->arena, (count + 1) * sizeof(*types));
	for (size_t i = 0; i < count; i++) {
		types[i] = f->parameters[i].type;
		values[i] = jolokia_to_value(
			cJSON_GetArrayItem(a->q.arguments, (int)i), types[i],
			&a->arena);
	}
	q.names = &f->name;
	q.name_count = 1;
	q.arguments = values;
	q.signature = types;
	q.argument_count = count;
	if (answer_run(a, &q, &reply))
		return -1;
	return answer_render(a, reply.value ? reply.value : &value_null);
}

/* list */

/* The response to a list, MBean by MBean. */
struct list {
	struct answer *a;
	const char *const *names; /* sorted: the MBeans of a domain adjoin */
	size_t count;
	bool has_domains; /* the value is an object of domains */
	int64_t levels;   /* below an MBean; -1: the MBean itself is "1" */
	struct line domain;
};

static int list_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_open_domain(struct list *l, struct line domain)
{
	struct json *j = &l->a->j;
	struct text key = { 0 };

	if (!l->has_domains ||
	    (l->domain.text && domain.len == l->domain.len &&
	     memcmp(domain.text, l->domain.text, domain.len) == 0))
		return;
	if (l->domain.text)
		json_close_object(j);
	l->domain = domain;
	text_puts(&key, "");
	text_add(&key, domain.text, domain.len);
	json_foreign_key(j, key.bytes);
	json_open_object(j);
	text_release(&key);
}

static void list_add_bean(struct list *l, const char *name,
			  const struct value *bean)
{
	size_t domain = strcspn(name, ":");

	list_open_domain(l, (struct line){ name, domain });
	json_foreign_key(&l->a->j, name + domain + (name[domain] == ':'));
	jolokia_render(&l->a->render, &l->a->j, bean, l->has_domains ? 2 : 1);
}

/* An MBean may be unregistered meanwhile. */
static int list_take(void *self, size_t index, const struct jmx_reply *reply,
		     struct error *err)
{
	struct list *l = self;
	struct arena arena = { 0 };
	const struct value *bean;

	(void)err;
	if (!reply->info)
		return 0;
	bean = jolokia_list_bean(reply->info, &arena);
	bean = jolokia_list_truncate(bean, l->levels, &arena);
	list_add_bean(l, l->names[index], bean);
	arena_release(&arena);
	return 0;
}

static int list_run(struct list *l)
{
	struct answer *a = l->a;
	struct jmx_request *q;
	struct error err = { 0 };
	int ret;

	if (l->levels < 0) {
		for (size_t i = 0; i < l->count; i++)
			list_add_bean(l, l->names[i],
				      value_string(&a->arena, "1"));
		return 0;
	}
	q = arena_alloc(&a->arena, (l->count + 1) * sizeof(*q));
	for (size_t i = 0; i < l->count; i++)
		q[i] = (struct jmx_request){ .verb = JMX_INFO,
					     .object = l->names[i] };
	ret = jmx_run(a->o->jmx, q, l->count, list_take, l, &err);
	return ret ? answer_fail_error(a, &err) : 0;
}

/* With maxDepth 1, domains are "1", too. */
static void list_write_domains(struct list *l)
{
	struct line last = { 0 };

	for (size_t i = 0; i < l->count; i++) {
		struct line domain = { l->names[i], strcspn(l->names[i], ":") };
		char *key;

		if (last.text && last.len == domain.len &&
		    memcmp(last.text, domain.text, last.len) == 0)
			continue;
		last = domain;
		key = arena_copy(&l->a->arena, domain.text, domain.len);
		json_foreign_key(&l->a->j, key);
		json_text(&l->a->j, "1");
	}
}

/* As the names are listed: with canonical naming, with sorted keys. */
static void list_name(struct list *l, const char *const *names)
{
	const char **made = arena_alloc(&l->a->arena,
					(l->count + 1) * sizeof(*made));
	struct text name = { 0 };

	for (size_t i = 0; i < l->count; i++) {
		text_clear(&name);
		jolokia_render_name(&l->a->render, &name, names[i]);
		made[i] = arena_copy(&l->a->arena, name.bytes, name.len);
	}
	text_release(&name);
	qsort(made, l->count, sizeof(*made), list_compare);
	l->names = made;
}

/* Lists all domains, or the one in the path. */
static int list_many(struct answer *a)
{
	struct list l = { .a = a, .has_domains = !a->q.path_count };
	int64_t above = l.has_domains ? 2 : 1, max = a->q.options.max_depth;
	const char *const *names;
	struct text pattern = { 0 };
	int ret;

	text_printf(&pattern, "%s:*", l.has_domains ? "*" : *a->q.path);
	ret = answer_names(a, pattern.bytes, &names, &l.count);
	text_release(&pattern);
	if (ret)
		return -1;
	list_name(&l, names);
	l.levels = !max ? 0 : max > above ? max - above : -1;
	json_open_object(&a->j);
	if (max == 1 && l.has_domains)
		list_write_domains(&l);
	else
		ret = list_run(&l);
	if (l.domain.text)
		json_close_object(&a->j);
	json_close_object(&a->j);
	return ret;
}

static int list_fail_path(struct answer *a)
{
	struct text why = { 0 };

	text_printf(&why, "Illegal path element %s",
		    a->q.path[a->q.path_count - 1]);
	answer_fail_request(a, why.bytes);
	text_release(&why);
	return -1;
}

/* The path has a domain, keys, and a path into the description. */
static int list_one(struct answer *a)
{
	struct text object = { 0 };
	const struct jmx_info *info;
	const struct value *v;

	text_printf(&object, "%s:%s", a->q.path[0], a->q.path[1]);
	info = answer_info(a, object.bytes);
	text_release(&object);
	if (!info)
		return -1;
	v = jolokia_list_bean(info, &a->arena);
	v = jolokia_find_part(v, a->q.path + 2, a->q.path_count - 2, &a->arena);
	if (!v)
		return list_fail_path(a);
	v = jolokia_list_truncate(v, a->q.options.max_depth, &a->arena);
	jolokia_render(&a->render, &a->j, v, 0);
	return 0;
}

static int answer_list(struct answer *a)
{
	return a->q.path_count > 1 ? list_one(a) : list_many(a);
}

/* version */

static int answer_version(struct answer *a)
{
	struct json *j = &a->j;

	json_open_object(j);
	json_key(j, "agent");
	json_text(j, SJKC_VERSION);
	json_key(j, "protocol");
	json_text(j, PROTOCOL);
	json_key(j, "details");
	json_open_object(j);
	json_key(j, "agent_version");
	json_text(j, SJKC_VERSION);
	json_key(j, "agent_id");
	json_text(j, "sjkc-mxprx");
	json_key(j, "server_product");
	json_text(j, "sjkc mxprx");
	json_close_object(j);
	json_key(j, "config");
	json_open_object(j);
	json_key(j, "maxDepth");
	json_text(j, "15");
	json_key(j, "maxCollectionSize");
	json_text(j, "0");
	json_key(j, "maxObjects");
	json_text(j, "0");
	json_key(j, "agentId");
	json_text(j, "sjkc-mxprx");
	json_close_object(j);
	json_key(j, "info");
	json_open_object(j);
	json_key(j, "jmx");
	json_open_object(j);
	json_close_object(j);
	json_close_object(j);
	json_close_object(j);
	return 0;
}

/* Responses */

static int (*const answer_types[])(struct answer *a) = {
	[JOLOKIA_QUERY_READ] = answer_read,
	[JOLOKIA_QUERY_WRITE] = answer_write_attribute,
	[JOLOKIA_QUERY_EXEC] = answer_exec,
	[JOLOKIA_QUERY_SEARCH] = answer_search,
	[JOLOKIA_QUERY_LIST] = answer_list,
	[JOLOKIA_QUERY_VERSION] = answer_version,
};

/* Writes the response object; err: the request is invalid. */
static void answer_write(struct answer *a, const struct error *err,
			 struct text *out)
{
	struct json j = json_into(out);

	a->render = (struct jolokia_render){ .options = &a->q.options };
	text_puts(&a->value, "");
	a->j = json_into(&a->value);
	if (err)
		answer_fail_request(a, err->text);
	else
		answer_types[a->q.type](a);
	json_open_object(&j);
	if (a->q.options.include_request && a->q.json) {
		json_key(&j, "request");
		jolokia_query_json(&j, &a->q);
	}
	if (a->failure) {
		answer_add_failure(a, &j);
	} else {
		text_puts(out, j.nonempty >> j.depth & 1 ? ",\"value\":"
							 : "\"value\":");
		text_add(out, a->value.bytes, a->value.len);
		text_printf(out, ",\"status\":200,\"timestamp\":%lld",
			    (long long)(clock_wall_ns() / CLOCK_NS_PER_S));
	}
	json_close_object(&j);
	text_release(&a->value);
	arena_release(&a->arena);
}

static void answer_one(struct jolokia_operations *o, const cJSON *json,
		       struct line query, struct text *out)
{
	struct answer a = { .o = o };
	struct error err = { 0 };
	int ret = jolokia_query_parse(&a.q, json, query, &a.arena, &err);

	answer_write(&a, ret ? &err : NULL, out);
}

/* A document that is no request. */
static void answer_invalid(struct jolokia_operations *o,
			   const struct error *err, struct text *out)
{
	struct answer a = { .o = o, .q.type = JOLOKIA_QUERY_NONE };

	answer_write(&a, err, out);
}

void jolokia_answer_post(struct jolokia_operations *o, struct line body,
			 struct line query, struct text *out)
{
	struct error err = { 0 };
	cJSON *json = jolokia_json_parse(body.text, body.len, &err);
	const cJSON *one;

	if (!json) {
		answer_invalid(o, &err, out);
		return;
	}
	if (cJSON_IsArray(json)) {
		text_putc(out, '[');
		cJSON_ArrayForEach(one, json)
		{
			text_puts(out, one == json->child ? "" : ",");
			answer_one(o, one, query, out);
		}
		text_putc(out, ']');
	} else {
		answer_one(o, json, query, out);
	}
	cJSON_Delete(json);
}

void jolokia_answer_get(struct jolokia_operations *o, struct line target,
			struct line query, struct text *out)
{
	struct error err = { 0 };
	cJSON *json = jolokia_query_of_path(target, &err);

	if (json)
		answer_one(o, json, query, out);
	else
		answer_invalid(o, &err, out);
	cJSON_Delete(json);
}

void jolokia_operations_release(struct jolokia_operations *o)
{
	jmx_close(o->jmx);
	o->jmx = NULL;
}
