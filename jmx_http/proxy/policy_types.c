/* SPDX-License-Identifier: Apache-2.0 */
/* Of which classes the objects of a call are. */
#include "jmx_http/proxy/policy.h"

#include <string.h>

#define MARSHALLED     "java.rmi.MarshalledObject"

#define MARSHALLED_MAX ((size_t)16 << 20) /* of what one of them holds */

enum where {
	IN_DGC = 1,
	IN_CALL = 2,       /* of RMIServer and RMIConnection */
	IN_SUBJECT = 4,    /* to act for others; not with --read-only */
	IN_MARSHALLED = 8, /* of filters, queries and simple values */
};

/*
 * A name that ends with a dot is a package's, without those below it: JDK 17,
 * javax.management.remote.rmi.RMIConnectionImpl, and the serial filters of
 * sun.rmi.transport.DGCImpl.
 */
static const struct {
	const char *name;
	unsigned where;
} allowed[] = {
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
	 * No hash tables: sets within one another, a few hundred bytes, keep a
	 * CPU busy for years ("SerialDOS"), by a reader's right.
	 * NotificationFilterSupport has a Vector, queries have Numbers.
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

static bool is_of(const char *name, size_t len, const char *pattern)
{
	size_t pattern_len = strlen(pattern);

	if (pattern[pattern_len - 1] != '.')
		return len == pattern_len && memcmp(name, pattern, len) == 0;
	return len > pattern_len && memcmp(name, pattern, pattern_len) == 0 &&
	       !memchr(name + pattern_len, '.', len - pattern_len);
}

/* "[[Ljava.lang.String;" is what its elements are; a primitive type, always. */
static bool may_be(const struct java_class *class, unsigned where)
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
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if (allowed[i].where & where &&
		    is_of(name, len, allowed[i].name))
			return true;
	return false;
}

static bool all_may_be(const struct java_list *classes, unsigned where)
{
	for (size_t i = 0; i < classes->count; i++)
		if (!may_be(classes->at[i]->class, where))
			return false;
	return true;
}

/*
 * The field of that name; NULL when there is none, or more than one: of those
 * the JVM takes the last (java.io.ObjectStreamClass.matchFields), or that of a
 * class that it does not look into here.
 */
static const struct java_value *only_field_of(const struct java_value *v,
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
 * A stream of its own, in an array of bytes.  There is another, of where
 * classes are from, whose objects the JVM makes as well
 * (java.rmi.MarshalledObject.get): who has none of a code base has no such.
 */
static bool holds_simple_values(const struct java_value *marshalled)
{
	const struct java_value *bytes = only_field_of(marshalled, "objBytes");
	const struct java_value *where = only_field_of(marshalled, "locBytes");
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
		 all_may_be(&stream.classes, IN_MARSHALLED);
	java_stream_release(&stream);
	return simple;
}

/* Of an argument, or of the elements of one; nothing else can hold any. */
static bool hands_over_simple_values(const struct java_value *v)
{
	if (java_is(v, MARSHALLED))
		return holds_simple_values(v);
	if (v->kind != JAVA_ARRAY)
		return true;
	for (size_t i = 0; i < v->array.elements.count; i++) {
		const struct java_value *e = v->array.elements.at[i];

		if (e->kind == JAVA_ARRAY ||
		    (java_is(e, MARSHALLED) && !holds_simple_values(e)))
			return false;
	}
	return true;
}

bool policy_types_fit(const struct request *r, bool read_only)
{
	unsigned where = IN_CALL | (read_only ? 0 : IN_SUBJECT);

	if (r->method->of == METHOD_OF_REGISTRY)
		return !r->stream.classes.count;
	if (r->method->of == METHOD_OF_DGC)
		return all_may_be(&r->stream.classes, IN_DGC);
	if (!all_may_be(&r->stream.classes, where))
		return false;
	for (size_t i = 0; read_only && i < r->argument_count; i++)
		if (!hands_over_simple_values(r->arguments[i]))
			return false;
	return true;
}
