/* SPDX-License-Identifier: Apache-2.0 */
/* The classes that calls may contain, and the names in calls. */
#include "jmx_http/proxy/rmi_call.h"

#include <string.h>

#define MARSHALLED     "java.rmi.MarshalledObject"

#define MARSHALLED_MAX ((size_t)16 << 20) /* memory of an object's values */

enum where {
	IN_DGC = 1,
	IN_CALL = 2,       /* of RMIServer and RMIConnection */
	IN_SUBJECT = 4,    /* in delegation subjects; not with --read-only */
	IN_MARSHALLED = 8, /* in filters, queries and simple values */
};

/*
 * A name that ends with a dot allows a package without its subpackages.  JDK
 * 17, javax.management.remote.rmi.RMIConnectionImpl, and the serial filters of
 * sun.rmi.transport.DGCImpl.
 */
static const struct {
	const char *name;
	unsigned where;
} allowed_classes[] = {
	{ "java.rmi.server.ObjID", IN_DGC },
	{ "java.rmi.server.UID", IN_DGC },
	{ "java.rmi.dgc.VMID", IN_DGC },
	{ "java.rmi.dgc.Lease", IN_DGC },
	{ "java.lang.String", IN_CALL | IN_MARSHALLED },
	{ "java.lang.Number", IN_CALL | IN_MARSHALLED },
	{ "java.lang.Integer", IN_CALL | IN_MARSHALLED },
	{ MARSHALLED, IN_CALL },
	{ "javax.management.ObjectName", IN_CALL | IN_MARSHALLED },
	{ "javax.security.auth.Subject", IN_CALL | IN_SUBJECT },
	{ "javax.security.auth.Subject$SecureSet", IN_SUBJECT },
	{ "javax.security.auth.x500.X500Principal", IN_SUBJECT },
	{ "javax.management.remote.JMXPrincipal", IN_SUBJECT },
	{ "java.util.", IN_SUBJECT },
	/*
	 * No hash tables: a few hundred bytes of nested sets keep the JVM's CPU
	 * busy for years ("SerialDOS"), and readers may send them.
	 * NotificationFilterSupport contains a Vector, queries Numbers.
	 */
	{ "java.util.Vector", IN_MARSHALLED },
	{ "java.util.ArrayList", IN_MARSHALLED },
	{ "java.util.Date", IN_MARSHALLED },
	{ "java.lang.Object", IN_MARSHALLED },
	{ "java.lang.Boolean", IN_MARSHALLED },
	{ "java.lang.Character", IN_MARSHALLED },
	{ "java.lang.Byte", IN_MARSHALLED },
	{ "java.lang.Short", IN_MARSHALLED },
	{ "java.lang.Long", IN_MARSHALLED },
	{ "java.lang.Float", IN_MARSHALLED },
	{ "java.lang.Double", IN_MARSHALLED },
	{ "java.math.", IN_MARSHALLED },
	{ "javax.management.", IN_MARSHALLED },
};

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
static bool class_is_allowed(const struct java_class *class, unsigned where)
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
		if (allowed_classes[i].where & where &&
		    class_name_matches(name, len, allowed_classes[i].name))
			return true;
	return false;
}

static bool classes_are_allowed(const struct java_list *classes, unsigned where)
{
	for (size_t i = 0; i < classes->count; i++)
		if (!class_is_allowed(classes->at[i]->class, where))
			return false;
	return true;
}

/*
 * The field with the name; NULL if the object has none, or more than one.  Of
 * several fields, the JVM may read any: the last field of a class
 * (java.io.ObjectStreamClass.matchFields), or that of another class.
 */
static const struct java_value *marshalled_field(const struct java_value *v,
						 const char *name)
{
	const struct java_value *found = NULL;

	for (size_t i = 0; i < v->object.part_count; i++) {
		const struct java_part *part = &v->object.parts[i];

		for (size_t k = 0; part->class && k < part->class->field_count;
		     k++) {
			if (!java_bytes_are(part->class->fields[k].name, name))
				continue;
			if (found || !part->fields)
				return NULL;
			found = part->fields[k];
		}
	}
	return found;
}

/*
 * A MarshalledObject contains a stream in an array of bytes.  It may contain a
 * second stream with code bases, which the JVM deserializes, too
 * (java.rmi.MarshalledObject.get); JMX clients send none.
 */
static bool marshalled_is_allowed(const struct java_value *marshalled)
{
	const struct java_value *bytes = marshalled_field(marshalled,
							  "objBytes");
	const struct java_value *where = marshalled_field(marshalled,
							  "locBytes");
	const struct java_value *value;
	struct java_stream stream = { .memory_max = MARSHALLED_MAX };
	enum java_status status;
	size_t used;
	bool simple;

	if (!bytes || !where || where->kind != JAVA_NULL)
		return false;
	if (bytes->kind == JAVA_NULL)
		return true;
	if (bytes->kind != JAVA_ARRAY || bytes->array.type != 'B')
		return false;
	status = java_stream_read(&stream, bytes->array.raw, bytes->array.count,
				  &used, &value);
	simple = status == JAVA_DONE &&
		 classes_are_allowed(&stream.classes, IN_MARSHALLED);
	java_stream_release(&stream);
	return simple;
}

/* Only arguments and elements of array arguments are MarshalledObjects. */
static bool argument_is_allowed(const struct java_value *v)
{
	if (java_is(v, MARSHALLED))
		return marshalled_is_allowed(v);
	if (v->kind != JAVA_ARRAY)
		return true;
	for (size_t i = 0; i < v->array.elements.count; i++) {
		const struct java_value *e = v->array.elements.at[i];

		if (e->kind == JAVA_ARRAY ||
		    (java_is(e, MARSHALLED) && !marshalled_is_allowed(e)))
			return false;
	}
	return true;
}

static bool value_is_text(const struct java_value *v)
{
	return v->kind == JAVA_NULL || v->kind == JAVA_STRING;
}

static bool value_is_credentials(const struct java_value *v)
{
	if (value_is_text(v))
		return true;
	if (v->kind != JAVA_ARRAY ||
	    !java_bytes_are(v->array.class->name, "[Ljava.lang.String;"))
		return false;
	for (size_t i = 0; i < v->array.elements.count; i++)
		if (!value_is_text(v->array.elements.at[i]))
			return false;
	return true;
}

/* ObjectName.writeObject() writes only the text of the name. */
static struct policy_text value_object_name(const struct java_value *v)
{
	const struct java_part *part = java_part_of(
		v, "javax.management.ObjectName");
	struct java_bytes name = { 0 };

	if (part && part->annotations.count)
		name = java_string_of(part->annotations.at[0]);
	return (struct policy_text){ name.at, name.len };
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
	c->member = (struct policy_text){ member.at, member.len };
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
		c.object = value_object_name(r->arguments[m->object]);
	if (m->member >= 0)
		rmi_call_add_member(&c, r->arguments[m->member]);
	return c;
}

static bool rmi_call_classes_fit(const struct request *r, bool read_only)
{
	unsigned where = IN_CALL | (read_only ? 0 : IN_SUBJECT);

	if (r->method->interface == METHOD_OF_REGISTRY)
		return !r->stream.classes.count;
	if (r->method->interface == METHOD_OF_DGC)
		return classes_are_allowed(&r->stream.classes, IN_DGC);
	if (!classes_are_allowed(&r->stream.classes, where))
		return false;
	for (size_t i = 0; read_only && i < r->argument_count; i++)
		if (!argument_is_allowed(r->arguments[i]))
			return false;
	return true;
}

const char *rmi_call_objection(const struct request *r, bool read_only)
{
	struct policy_call c = rmi_call_of(r);

	if (c.verb != POLICY_BIND && r->method->is_login &&
	    !value_is_credentials(r->arguments[0]))
		return "credentials must be a user name and a password";
	if (c.verb != POLICY_BIND && !rmi_call_classes_fit(r, read_only))
		return "the call contains an object of a class that JMX "
		       "methods do not use";
	return policy_objection(&c, read_only);
}

bool rmi_call_has_password(const struct request *r)
{
	return r->method->is_login && r->arguments[0]->kind != JAVA_NULL;
}

/* A return: its tag, four bytes of the stream, block data of 15, its type. */
#define RETURN_TYPE_AT   7
#define RETURN_EXCEPTION 2

void rmi_call_log_return(struct call_log *l, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	if (l->len <= RETURN_TYPE_AT && RETURN_TYPE_AT - l->len < len)
		l->is_exception = at[RETURN_TYPE_AT - l->len] ==
				  RETURN_EXCEPTION;
	call_log_add(l, len);
}
