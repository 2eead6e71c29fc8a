/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_answer.h"

#include <string.h>

/* Failures */

int jolokia_answer_fail(struct jolokia_answer *a, int status,
			const char *failure)
{
	a->failure = arena_copy(&a->arena, failure, strlen(failure));
	a->status = status;
	return -1;
}

int jolokia_answer_fail_request(struct jolokia_answer *a, const char *why)
{
	struct text t = { 0 };

	text_printf(&t, "java.lang.IllegalArgumentException: %s", why);
	jolokia_answer_fail(a, 400, t.bytes);
	text_release(&t);
	return -1;
}

int jolokia_answer_fail_path(struct jolokia_answer *a)
{
	struct text path = { 0 };

	text_puts(&path, "javax.management.AttributeNotFoundException: "
			 "Invalid path");
	for (size_t i = 0; i < a->q.path_count; i++)
		text_printf(&path, "%s%s", i ? "/" : " ", a->q.path[i]);
	jolokia_answer_fail(a, 404, path.bytes);
	text_release(&path);
	return -1;
}

int jolokia_answer_fail_error(struct jolokia_answer *a, const struct error *err)
{
	struct text t = { 0 };

	if (err->kind == ERROR_MISUSE)
		return jolokia_answer_fail_request(a, err->text);
	text_printf(&t, "%s: %s",
		    err->kind == ERROR_PERMISSION
			    ? "java.lang.SecurityException"
			    : "java.io.IOException",
		    err->text);
	jolokia_answer_fail(a, 0, t.bytes);
	text_release(&t);
	return -1;
}

struct jolokia_failure jolokia_failure_parse(const char *text)
{
	static const char within[] = " <- ";
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._$";
	struct jolokia_failure f = { 0 };
	const char *next = strstr(text, within);
	size_t len = next ? (size_t)(next - text) : strlen(text);
	size_t class = strspn(text, letters);

	if (next)
		f.cause = (struct line){ next + strlen(within),
					 strlen(next + strlen(within)) };
	if (class && memchr(text, '.', class) &&
	    (class == len || (class < len && text[class] == ':'))) {
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
struct jolokia_failure jolokia_failure_innermost(const char *text)
{
	struct jolokia_failure f = jolokia_failure_parse(text);

	while (f.cause.len &&
	       (line_is(f.class, "javax.management.MBeanException") ||
		line_is(f.class, "javax.management.RuntimeMBeanException")))
		f = jolokia_failure_parse(f.cause.text);
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

static int answer_status(const struct jolokia_failure *f)
{
	for (size_t i = 0;
	     i < sizeof(failure_statuses) / sizeof(*failure_statuses); i++)
		if (line_is(f->class, failure_statuses[i].class))
			return failure_statuses[i].status;
	return 500;
}

static void json_line(struct json *j, const char *key, struct line line)
{
	json_add_string(j, key, line.text ? line.text : "", line.len);
}

/* The exceptions without frames: RMI clients do not get their lines. */
static void answer_add_stack_trace(struct json *j, const char *text)
{
	struct text trace = { 0 };
	struct jolokia_failure f = jolokia_failure_parse(text);

	for (;;) {
		text_printf(&trace, "%.*s: %.*s\n", (int)f.class.len,
			    f.class.text, (int)f.message.len, f.message.text);
		if (!f.cause.len)
			break;
		f = jolokia_failure_parse(f.cause.text);
		text_puts(&trace, "Caused by: ");
	}
	json_add_string(j, "stacktrace", trace.bytes, trace.len);
	text_release(&trace);
}

void jolokia_answer_add_failure(const struct jolokia_answer *a, struct json *j)
{
	struct jolokia_failure f = jolokia_failure_innermost(a->failure);

	json_line(j, "error_type", f.class);
	if (strncmp(f.class.text, "javax.management.", 17) == 0)
		json_line(j, "error_type_jmx", f.class);
	json_line(j, "error", f.message);
	if (a->q.options.serialize_exception) {
		json_add_object(j, "error_value");
		json_line(j, "message", f.message);
		json_line(j, "localizedMessage", f.message);
		json_close_object(j);
	}
	if (a->q.options.include_stack_trace)
		answer_add_stack_trace(j, a->failure);
	json_add_bool(j, ".error", true);
	json_add_int(j, "status", a->status ? a->status : answer_status(&f));
}

/* Requests to the JVM */

static int answer_connect(struct jolokia_answer *a)
{
	struct error err = { 0 };

	if (!*a->jmx)
		*a->jmx = jmx_open(a->target, &err);
	return *a->jmx ? 0 : jolokia_answer_fail_error(a, &err);
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

static int answer_make_request(struct jolokia_answer *a,
			       const struct jmx_request *q,
			       struct jmx_reply *reply)
{
	struct error err = { 0 };
	int ret;

	*reply = (struct jmx_reply){ 0 };
	if (answer_connect(a))
		return -1;
	(*a->jmx)->keep = &a->arena;
	ret = jmx_run(*a->jmx, q, 1, reply_keep, reply, &err);
	(*a->jmx)->keep = NULL;
	return ret ? jolokia_answer_fail_error(a, &err) : 0;
}

int jolokia_answer_run(struct jolokia_answer *a, const struct jmx_request *q,
		       struct jmx_reply *reply)
{
	if (a->early)
		*reply = *a->early;
	else if (answer_make_request(a, q, reply))
		return -1;
	a->early = NULL;
	if (!reply->failure)
		return 0;
	if (reply->kind == ERROR_MISUSE)
		return jolokia_answer_fail_request(a, reply->failure);
	return jolokia_answer_fail(a, 0, reply->failure);
}

const struct jmx_info *jolokia_answer_info(struct jolokia_answer *a,
					   const char *object)
{
	const struct jmx_request q = { .verb = JMX_INFO, .object = object };
	struct jmx_reply reply;

	return jolokia_answer_run(a, &q, &reply) ? NULL : reply.info;
}

int jolokia_answer_names(struct jolokia_answer *a, const char *pattern,
			 const char *const **names, size_t *count)
{
	struct error err = { 0 };

	if (answer_connect(a))
		return -1;
	if (jmx_query(*a->jmx, pattern, &a->arena, names, count, &err))
		return jolokia_answer_fail_error(a, &err);
	return 0;
}

int jolokia_answer_render(struct jolokia_answer *a, const struct value *v)
{
	v = jolokia_find_part(v, a->q.path, a->q.path_count, &a->arena);
	if (!v)
		return jolokia_answer_fail_path(a);
	jolokia_render(&a->render, &a->j, v, 0);
	return 0;
}
