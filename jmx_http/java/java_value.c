/* SPDX-License-Identifier: Apache-2.0 */
/* Searches in parsed Java objects, and describes exceptions. */
#include "jmx_http/java/java_value.h"

#include <string.h>

/* Maximum length of a chain of causes. */
#define CAUSES_MAX 16

const struct java_value java_null = { .kind = JAVA_NULL };

bool java_bytes_are(struct java_bytes bytes, const char *text)
{
	return bytes.len == strlen(text) &&
	       memcmp(bytes.at, text, bytes.len) == 0;
}

const struct java_part *java_part_of(const struct java_value *v,
				     const char *class_name)
{
	if (!v || v->kind != JAVA_OBJECT)
		return NULL;
	for (size_t i = v->object.part_count; i-- > 0;) {
		const struct java_part *part = &v->object.parts[i];

		if (part->class &&
		    java_bytes_are(part->class->name, class_name))
			return part;
	}
	return NULL;
}

bool java_is(const struct java_value *v, const char *class_name)
{
	return java_part_of(v, class_name);
}

static const struct java_value *part_find_field(const struct java_part *part,
						const char *name)
{
	/* An object that refers to itself may be incomplete. */
	if (!part->class || !part->fields)
		return NULL;
	for (size_t i = 0; i < part->class->field_count; i++)
		if (java_bytes_are(part->class->fields[i].name, name))
			return part->fields[i];
	return NULL;
}

const struct java_value *java_field_of(const struct java_value *v,
				       const char *name)
{
	const struct java_value *found = NULL;

	if (!v || v->kind != JAVA_OBJECT)
		return NULL;
	for (size_t i = v->object.part_count; !found && i-- > 0;)
		found = part_find_field(&v->object.parts[i], name);
	return found;
}

struct java_bytes java_string_of(const struct java_value *v)
{
	if (!v || v->kind != JAVA_STRING)
		return (struct java_bytes){ "", 0 };
	return v->bytes;
}

struct java_bytes java_class_name_of(const struct java_value *v)
{
	if (!v || v->kind != JAVA_OBJECT)
		return (struct java_bytes){ "", 0 };
	return v->object.class->name;
}

const struct java_value *java_cause_of(const struct java_value *throwable)
{
	/* Throwable, RemoteException, and JMX's MBeanException and others. */
	static const char *const names[] = { "cause", "detail", "exception",
					     "runtimeException", "error" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct java_value *inner = java_field_of(throwable,
							       names[i]);

		/* A Throwable without a cause refers to itself. */
		if (inner && inner != throwable && inner->kind == JAVA_OBJECT)
			return inner;
	}
	return NULL;
}

bool java_is_caused_by(const struct java_value *v, const char *class_name)
{
	for (int i = 0; v && i < CAUSES_MAX; i++) {
		if (java_is(v, class_name))
			return true;
		v = java_cause_of(v);
	}
	return false;
}

static struct java_bytes throwable_message(const struct java_value *throwable)
{
	return java_string_of(java_field_of(throwable, "detailMessage"));
}

/* Throwable(Throwable) makes the cause's toString() its own message. */
static bool throwable_repeats_cause(struct java_bytes message,
				    const struct java_value *throwable)
{
	const struct java_value *cause = java_cause_of(throwable);
	struct java_bytes class = java_class_name_of(cause), its;
	static const char between[] = ": ";
	const size_t gap = sizeof(between) - 1;

	if (!cause || message.len < class.len ||
	    memcmp(message.at, class.at, class.len) != 0)
		return false;
	its = throwable_message(cause);
	if (message.len == class.len)
		return its.len == 0;
	return message.len == class.len + gap + its.len &&
	       memcmp(message.at + class.len, between, gap) == 0 &&
	       memcmp(message.at + class.len + gap, its.at, its.len) == 0;
}

void java_add_throwable(struct text *out, const struct java_value *v)
{
	for (int i = 0; v && i < CAUSES_MAX; i++) {
		struct java_bytes class = java_class_name_of(v);
		struct java_bytes message = throwable_message(v);

		if (i)
			text_puts(out, " <- ");
		text_add(out, class.at, class.len);
		if (message.len && !throwable_repeats_cause(message, v)) {
			text_puts(out, ": ");
			text_add(out, message.at, message.len);
		}
		v = java_cause_of(v);
	}
	/* java.io.ObjectInputStream.filterCheck() */
	if (out->len && strstr(out->bytes, "filter status: REJECTED"))
		text_puts(out, " (by the JVM's serial filter: "
			       "com.sun.management.jmxremote.serial.filter."
			       "pattern or jdk.serialFilter)");
}
