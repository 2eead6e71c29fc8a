/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_job.h"

#include "jmx_http/java/java_to_value.h"

#include <string.h>

void rmi_job_init(struct rmi_job *j, const struct jmx_request *request,
		  struct arena *arena)
{
	*j = (struct rmi_job){ .request = request };
	j->arena = arena ? arena : &j->own;
	if (request->verb == JMX_GET && request->name_count) {
		size_t size = request->name_count * sizeof(*j->values);

		j->values = memset(arena_alloc(j->arena, size), 0, size);
	}
}

void rmi_job_release(struct rmi_job *j)
{
	arena_release(&j->own);
	*j = (struct rmi_job){ 0 };
}

size_t rmi_job_begin(const struct rmi_job *j)
{
	/* So is it said why there is none. */
	return j->request->verb == JMX_GET && j->request->name_count == 1
		       ? 0
		       : RMI_WHOLE;
}

/* What was thrown, in words; of the arena. */
static const char *thrown(struct rmi_job *j, const struct jrmp_return *r)
{
	struct text told = { 0 };
	struct value_text copy;
	struct java_bytes class = java_string_of(
		java_field_of(r->value, "detailMessage"));

	text_puts(&told, "");
	if (r->is_aborted && class.len &&
	    java_is(r->value, "java.io.NotSerializableException")) {
		text_puts(&told, "not serializable: ");
		text_add(&told, class.at, class.len);
	} else {
		java_add_throwable(&told, r->value);
	}
	copy = java_to_text((struct java_bytes){ told.bytes, told.len },
			    j->arena);
	text_release(&told);
	return copy.at;
}

static void set_failure(struct rmi_job *j, const char *why,
			enum error_kind kind)
{
	j->reply.failure = why;
	j->reply.kind = kind;
}

/* One attribute has no value; the MBean may have others. */
static void set_error(struct rmi_job *j, size_t name, const char *why)
{
	j->values[name] = value_text(j->arena, VALUE_ERROR, "", why,
				     strlen(why));
}

static void take_exception(struct rmi_job *j, size_t name,
			   const struct jrmp_return *r)
{
	static const char gone[] = "javax.management.InstanceNotFoundException";
	const char *why = thrown(j, r);
	bool is_gone = java_is_caused_by(r->value, gone);

	if (j->request->verb != JMX_GET ||
	    (is_gone && name == rmi_job_begin(j)))
		set_failure(j, why, jmx_failure_kind(why));
	else if (name != RMI_WHOLE)
		set_error(j, name, why);
	/* Else they are asked for one by one, and one of them says why. */
}

/* An AttributeList: those that there are, in the order of the names. */
static void take_list(struct rmi_job *j, const struct java_value *v)
{
	const struct java_part *list = java_part_of(v, "java.util.ArrayList");
	size_t names = j->request->name_count, at = 0;
	size_t count = list ? list->annotations.count : 0;

	/* The first is block data.  A JVM gives no more than was asked for. */
	for (size_t i = 1; i < count && i <= names; i++) {
		const struct java_value *one = list->annotations.at[i];
		struct java_bytes name = java_string_of(
			java_field_of(one, "name"));
		size_t tried = 0;

		while (tried < names &&
		       (j->values[at] ||
			!java_bytes_are(name, j->request->names[at]))) {
			at = (at + 1) % names;
			tried++;
		}
		if (tried < names)
			j->values[at] = java_to_value(
				java_field_of(one, "value"), j->arena);
	}
}

static void take_info(struct rmi_job *j, const struct java_value *v)
{
	j->reply.info = java_to_info(v, j->arena);
	if (!j->reply.info)
		set_failure(j, "what was returned is no MBeanInfo",
			    ERROR_REFUSED);
}

static void take_value(struct rmi_job *j, size_t name,
		       const struct java_value *v)
{
	switch (j->request->verb) {
	case JMX_GET:
		if (name == RMI_WHOLE)
			take_list(j, v);
		else
			j->values[name] = java_to_value(v, j->arena);
		break;
	case JMX_INFO:
		take_info(j, v);
		break;
	case JMX_SET:
		break;
	default:
		j->reply.value = java_to_value(v, j->arena);
	}
}

void rmi_job_take(struct rmi_job *j, size_t name, const struct jrmp_return *r)
{
	j->open--;
	if (r->is_exception)
		take_exception(j, name, r);
	else
		take_value(j, name, r->value);
}

void rmi_job_fail(struct rmi_job *j, size_t name, const struct error *err)
{
	const char *why = arena_copy(j->arena, err->text, strlen(err->text));

	j->open--;
	/* A name that is none is no fault of an attribute. */
	if (j->values && name != RMI_WHOLE && err->kind != ERROR_MISUSE)
		set_error(j, name, why);
	else
		set_failure(j, why, err->kind);
}

bool rmi_job_lacks(const struct rmi_job *j, size_t *at)
{
	if (j->reply.failure || !j->values)
		return false;
	while (*at < j->request->name_count && j->values[*at])
		++*at;
	return *at < j->request->name_count;
}

void rmi_job_finish(struct rmi_job *j)
{
	const struct jmx_request *q = j->request;
	struct value_member *members;
	struct value *v;

	if (q->verb != JMX_GET || j->reply.failure)
		return;
	members = arena_alloc(j->arena, q->name_count * sizeof(*members));
	for (size_t i = 0; i < q->name_count; i++) {
		/* The caller's names may not live as long. */
		members[i].name = arena_copy(j->arena, q->names[i],
					     strlen(q->names[i]));
		members[i].value = j->values[i];
	}
	v = value_new(j->arena, VALUE_COMPOSITE, "");
	v->members.at = members;
	v->members.count = q->name_count;
	j->reply.value = v;
}
