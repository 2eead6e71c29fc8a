/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes a Java stream as text.  Streams with the same values have the same
 * description, although one may refer to objects that the other repeats.
 */
#ifndef TESTS_UNIT_JMX_HTTP_JAVA_SAY_STREAM_H
#define TESTS_UNIT_JMX_HTTP_JAVA_SAY_STREAM_H

#include "jmx_http/java/java_stream.h"

#include <string.h>

/* Append the description of a stream and of its values. */
static size_t say_stream(struct text *out, const char *bytes, size_t len);
static void say_value(struct text *out, const struct java_value *v);

static void say_class(struct text *out, const struct java_class *c)
{
	for (; c; c = c->super) {
		text_printf(out, "%s:%llx:%x(", c->name.at,
			    (unsigned long long)c->suid, c->flags);
		for (size_t i = 0; i < c->field_count; i++)
			text_printf(out, "%c %s %s;", c->fields[i].type,
				    c->fields[i].name.at,
				    c->fields[i].signature.at
					    ? c->fields[i].signature.at
					    : "");
		text_printf(out, ")%zu ", c->annotations.count);
	}
}

/*
 * Appends the description of a nested stream; other bytes are appended
 * unchanged.
 */
static void say_bytes(struct text *out, const char *bytes, size_t len)
{
	if (len > 4 && memcmp(bytes, "\xac\xed", 2) == 0) {
		say_stream(out, bytes, len);
		return;
	}
	for (size_t i = 0; i < len; i++)
		text_printf(out, "%02x", (uint8_t)bytes[i]);
}

static void say_object(struct text *out, const struct java_object *o)
{
	say_class(out, o->class);
	for (size_t i = 0; i < o->part_count; i++) {
		const struct java_part *p = &o->parts[i];

		for (size_t f = 0; p->fields && f < p->class->field_count;
		     f++) {
			const char *name = p->class->fields[f].name.at;

			/* Readers of a MarshalledObject ignore the hash. */
			if (strcmp(name, "hash") == 0)
				continue;
			text_printf(out, "%s=", name);
			say_value(out, p->fields[f]);
		}
		for (size_t a = 0; a < p->annotations.count; a++)
			say_value(out, p->annotations.at[a]);
	}
}

static void say_array(struct text *out, const struct java_array *a)
{
	say_class(out, a->class);
	text_printf(out, "[%zu ", a->count);
	if (a->raw)
		say_bytes(out, (const char *)a->raw,
			  a->count * (a->type == 'B' ? 1 : 8));
	for (size_t i = 0; i < a->elements.count; i++)
		say_value(out, a->elements.at[i]);
}

static void say_value(struct text *out, const struct java_value *v)
{
	text_puts(out, "{");
	switch (v->kind) {
	case JAVA_INTEGER:
		text_printf(out, "%c %lld", v->type, (long long)v->integer);
		break;
	case JAVA_REAL:
		text_printf(out, "%c %g", v->type, v->real);
		break;
	case JAVA_STRING:
	case JAVA_BLOCK:
		text_printf(out, "%d ", v->kind);
		say_bytes(out, v->bytes.at, v->bytes.len);
		break;
	case JAVA_ARRAY:
		say_array(out, &v->array);
		break;
	case JAVA_OBJECT:
		say_object(out, &v->object);
		break;
	default:
		text_printf(out, "%d", v->kind);
	}
	text_puts(out, "}");
}

/*
 * Stops at the first byte that is not part of a stream; returns the length
 * before it.
 */
static size_t say_stream(struct text *out, const char *bytes, size_t len)
{
	struct java_stream s = { 0 };
	const struct java_value *v;
	size_t at = 0, used;

	text_puts(out, "<");
	while (java_stream_read(&s, bytes + at, len - at, &used, &v) ==
	       JAVA_DONE) {
		at += used;
		say_value(out, v);
	}
	text_puts(out, ">");
	java_stream_release(&s);
	return at;
}

#endif
