/* SPDX-License-Identifier: Apache-2.0 */
/* Passes requests to the carrier, and makes single requests convenient. */
#include "jmx_http/jmx.h"

#include "core/base/arena.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/value/object_name.h"

#include <string.h>

/* clang-format off */
static const struct {
	const char *class;
	enum error_kind kind;
} failure_classes[] = {
	{ "javax.management.InstanceNotFoundException", ERROR_NO_TARGET },
	{ "javax.management.AttributeNotFoundException", ERROR_NO_TARGET },
	{ "java.lang.NoSuchMethodException", ERROR_NO_TARGET },
	{ "java.lang.SecurityException", ERROR_PERMISSION },
	{ "java.security.AccessControlException", ERROR_PERMISSION },
};
/* clang-format on */

static enum error_kind failure_kind_of_class(const char *at)
{
	for (size_t i = 0;
	     i < sizeof(failure_classes) / sizeof(*failure_classes); i++) {
		size_t len = strlen(failure_classes[i].class);

		if (strncmp(at, failure_classes[i].class, len) == 0 &&
		    (!at[len] || at[len] == ':' || at[len] == ' '))
			return failure_classes[i].kind;
	}
	return ERROR_NONE;
}

enum error_kind jmx_failure_kind(const char *failure)
{
	static const char within[] = " <- ";
	const char *at = failure;
	enum error_kind kind = failure_kind_of_class(at);

	while (kind == ERROR_NONE && (at = strstr(at, within))) {
		at += strlen(within);
		kind = failure_kind_of_class(at);
	}
	return kind == ERROR_NONE ? ERROR_REFUSED : kind;
}

enum error_kind jmx_value_error_kind(const struct value *v)
{
	enum error_kind kind = failure_kind_of_class(v->type);

	return kind == ERROR_NONE ? jmx_failure_kind(v->text.at) : kind;
}

int jmx_run(struct jmx *j, const struct jmx_request *requests, size_t count,
	    jmx_reply_fn *fn, void *self, struct error *err)
{
	return j->ops->run(j, requests, count, fn, self, err);
}

/* The result of a single request. */
struct single {
	const struct value *value;
};

static int single_take(void *self, size_t index, const struct jmx_reply *reply,
		       struct error *err)
{
	struct single *single = self;

	(void)index;
	if (reply->failure)
		return fail(err, reply->kind, "%s", reply->failure);
	single->value = reply->value ? reply->value : &value_null;
	return 0;
}

static const struct value *single_run(struct jmx *j,
				      const struct jmx_request *q,
				      struct arena *a, struct error *err)
{
	struct single single = { 0 };
	int status;

	j->keep = a;
	status = jmx_run(j, q, 1, single_take, &single, err);
	j->keep = NULL;
	return status ? NULL : single.value;
}

const struct value *jmx_get(struct jmx *j, const char *object,
			    const char *attribute, struct arena *a,
			    struct error *err)
{
	struct jmx_request q = {
		.verb = JMX_GET,
		.object = object,
		.names = &attribute,
		.name_count = 1,
	};
	const struct value *v = single_run(j, &q, a, err);

	if (v && v->kind == VALUE_COMPOSITE && v->members.count)
		v = v->members.at[0].value;
	if (v && v->kind == VALUE_ERROR) {
		fail(err, jmx_value_error_kind(v), "%s", v->text.at);
		v = NULL;
	}
	if (!v)
		fail_in(err, "%s of %s", attribute, object);
	return v;
}

const struct value *jmx_invoke(struct jmx *j, const struct jmx_request *invoke,
			       struct arena *a, struct error *err)
{
	const struct value *v = single_run(j, invoke, a, err);

	if (!v)
		fail_in(err, "%s of %s", invoke->names[0], invoke->object);
	return v;
}

int jmx_query(struct jmx *j, const char *pattern, struct arena *a,
	      const char *const **names, size_t *count, struct error *err)
{
	struct jmx_request q = { .verb = JMX_QUERY, .object = pattern };
	const struct value *v = single_run(j, &q, a, err);
	const char **list;

	if (!v)
		return -1;
	if (v->kind != VALUE_ARRAY)
		return fail(err, ERROR_REFUSED,
			    "the reply to a query is not a list");
	*count = 0;
	list = arena_alloc(a, (v->list.count + 1) * sizeof(*list));
	for (size_t i = 0; i < v->list.count; i++) {
		const char *name = value_text_of(v->list.at[i]);

		if (name)
			list[(*count)++] = name;
	}
	*names = list;
	return 0;
}

static int jmx_fail_no_notifications(const struct jmx *j, struct error *err)
{
	return fail(err, ERROR_UNAVAILABLE,
		    "%s: notifications are not available over %s", j->title,
		    j->ops->name);
}

/* MBeans without notifications are skipped if there are others. */
static int jmx_listen_to_all(struct jmx *j, const char *pattern,
			     struct error *err)
{
	struct arena a = { 0 };
	const char *const *names;
	size_t count = 0, subscribed = 0;
	int status = jmx_query(j, pattern, &a, &names, &count, err);

	for (size_t i = 0; status == 0 && i < count; i++)
		subscribed += !j->ops->listen(j, names[i], err);
	if (status == 0 && !count)
		status = fail(err, ERROR_NO_TARGET, "%s: no such MBean",
			      pattern);
	else if (status == 0 && !subscribed)
		status = -1;
	arena_release(&a);
	return status;
}

int jmx_listen(struct jmx *j, const char *object, struct error *err)
{
	bool is_pattern;

	if (!j->ops->listen)
		return jmx_fail_no_notifications(j, err);
	if (object_name_check(object, &is_pattern, err))
		return -1;
	return is_pattern ? jmx_listen_to_all(j, object, err)
			  : j->ops->listen(j, object, err);
}

int jmx_fetch(struct jmx *j, int64_t timeout_ns, jmx_notification_fn *fn,
	      void *self, struct error *err)
{
	if (!j->ops->fetch)
		return jmx_fail_no_notifications(j, err);
	return j->ops->fetch(j, timeout_ns, fn, self, err);
}

void jmx_close(struct jmx *j)
{
	struct dialer *dialer = j ? j->dialer : NULL;

	if (j)
		j->ops->close(j);
	dialer_free(dialer);
}
