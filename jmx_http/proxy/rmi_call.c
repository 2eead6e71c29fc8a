/* SPDX-License-Identifier: Apache-2.0 */
/* The classes that calls may contain, and the names in calls. */
#include "jmx_http/proxy/rmi_call.h"

#include <string.h>

#define MARSHALLED_MAX ((size_t)16 << 20) /* memory of an object's values */

/*
 * The classes of filters, queries and simple values.  A name that ends with a
 * dot allows a package without its subpackages.
 *
 * No hash tables: a few hundred bytes of nested sets keep the JVM's CPU busy
 * for years ("SerialDOS"), and readers may send them. NotificationFilterSupport
 * contains a Vector, queries Numbers.
 */
/* clang-format off */
static const char *const allowed_classes[] = {
	"java.lang.String", "java.lang.Number", "java.lang.Integer",
	"java.util.Vector", "java.util.ArrayList", "java.util.Date",
	"java.lang.Object", "java.lang.Boolean", "java.lang.Character",
	"java.lang.Byte", "java.lang.Short", "java.lang.Long",
	"java.lang.Float", "java.lang.Double", "java.math.", "javax.management.",
	"javax.management.relation.MBeanServerNotificationFilter",
};
/* clang-format on */

static bool class_name_matches(const char *name, size_t len,
			       const char *pattern)
{
	size_t pattern_len = strlen(pattern);

	if (pattern[pattern_len - 1] != '.')
		return len == pattern_len && memcmp(name, pattern, len) == 0;
	return len > pattern_len && memcmp(name, pattern, pattern_len) == 0 &&
	       !memchr(name + pattern_len, '.', len - pattern_len);
}

/* An array is allowed if its elements are; primitive types always are. */
static bool class_is_allowed(const struct java_class *class)
{
	const char *name = class->name.at;
	size_t len = class->name.len;

	if (class->is_proxy)
		return false;
	while (len && name[0] == '[') {
		name++;
		len--;
	}
	if (len < class->name.len) {
		if (len == 1)
			return true;
		if (len < 3 || name[0] != 'L' || name[len - 1] != ';')
			return false;
		name++;
		len -= 2;
	}
	for (size_t i = 0;
	     i < sizeof(allowed_classes) / sizeof(*allowed_classes); i++)
		if (class_name_matches(name, len, allowed_classes[i]))
			return true;
	return false;
}

static bool classes_are_allowed(const struct java_list *classes)
{
	for (size_t i = 0; i < classes->count; i++)
		if (!class_is_allowed(classes->at[i]->class))
			return false;
	return true;
}

/* A MarshalledObject contains a stream in an array of bytes. */
static bool marshalled_is_allowed(const struct java_value *marshalled)
{
	const struct java_value *bytes = request_marshalled(marshalled);
	const struct java_value *value;
	struct java_stream stream = { .memory_max = MARSHALLED_MAX };
	bool is_allowed;
	size_t used;

	if (!bytes || bytes->kind == JAVA_NULL)
		return true;
	is_allowed = java_stream_read(&stream, bytes->array.raw,
				      bytes->array.count, &used,
				      &value) == JAVA_DONE &&
		     classes_are_allowed(&stream.classes);
	java_stream_release(&stream);
	return is_allowed;
}

/* Only arguments and elements of array arguments are MarshalledObjects. */
static bool argument_is_allowed(const struct java_value *v)
{
	if (v->kind != JAVA_ARRAY)
		return marshalled_is_allowed(v);
	for (size_t i = 0; i < v->array.elements.count; i++)
		if (!marshalled_is_allowed(v->array.elements.at[i]))
			return false;
	return true;
}

static struct policy_text text_of(struct java_bytes bytes)
{
	return (struct policy_text){ bytes.at, bytes.len };
}

/* One attribute or operation, or an array of them. */
static void rmi_call_add_member(struct policy_call *c,
				const struct java_value *v)
{
	struct java_bytes member = java_string_of(v);

	c->member_count = 1;
	if (v->kind == JAVA_ARRAY && v->array.elements.count) {
		c->member_count = v->array.elements.count;
		member = java_string_of(v->array.elements.at[0]);
	}
	c->member = text_of(member);
}

struct policy_call rmi_call_of(const struct request *r)
{
	static const enum policy_verb verbs[] = {
		[METHOD_READS] = POLICY_READ,
		[METHOD_CHANGES] = POLICY_CHANGE,
		[METHOD_INVOKES] = POLICY_INVOKE,
		[METHOD_NAMES] = POLICY_BIND,
	};
	const struct method *m = r->method;
	struct policy_call c = { .verb = verbs[m->effect], .method = m->name };

	if (m->object >= 0)
		c.object = text_of(
			request_object_name(r->arguments[m->object]));
	if (m->member >= 0)
		rmi_call_add_member(&c, r->arguments[m->member]);
	return c;
}

const char *rmi_call_objection(const struct request *r, bool read_only)
{
	struct policy_call c = rmi_call_of(r);

	if (c.verb != POLICY_BIND && r->objection)
		return r->objection;
	for (size_t i = 0; read_only && i < r->argument_count; i++)
		if (!argument_is_allowed(r->arguments[i]))
			return "--read-only permits only simple values, "
			       "filters "
			       "and queries as arguments";
	return policy_objection(&c, read_only);
}

bool rmi_call_has_password(const struct request *r)
{
	return r->method->is_login && r->arguments[0]->kind != JAVA_NULL;
}

/* A return: its tag, four bytes of the stream, block data of 15, its type. */
#define RETURN_TYPE_AT 7

void rmi_call_log_return(struct call_log *l, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	if (l->len <= RETURN_TYPE_AT && RETURN_TYPE_AT - l->len < len)
		l->is_exception = at[RETURN_TYPE_AT - l->len] ==
				  JRMP_RETURN_EXCEPTION;
	call_log_add(l, len);
}
