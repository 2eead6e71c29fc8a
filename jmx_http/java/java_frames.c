/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of a value that has begun, and in what order. */
#include "core/base/cursor.h"
#include "jmx_http/java/java_frame.h"

static void want_class(struct java_stream *s, struct cursor *c)
{
	java_tag_read(s, c, WANT_CLASS);
}

static void want_string(struct java_stream *s, struct cursor *c)
{
	java_tag_read(s, c, WANT_STRING);
}

static void want_value(struct java_stream *s, struct cursor *c)
{
	java_tag_read(s, c, WANT_VALUE);
}

static void want_annotation(struct java_stream *s, struct cursor *c)
{
	java_tag_read(s, c, WANT_VALUE | WANT_BLOCK | WANT_END);
}

/* The class that was read or referred to; NULL, when it is none, is wrong. */
static const struct java_class *class_in(struct java_stream *s,
					 const struct java_value *v)
{
	if (v->kind != JAVA_CLASS_DESC)
		java_stream_wrong(s, "something else in place of a class");
	else if (!v->class->is_complete)
		java_stream_wrong(s, "a class that is part of itself");
	else
		return v->class;
	return NULL;
}

static size_t width_of(char type)
{
	switch (type) {
	case 'B':
	case 'Z':
		return 1;
	case 'C':
	case 'S':
		return 2;
	case 'F':
	case 'I':
		return 4;
	case 'D':
	case 'J':
		return 8;
	default:
		return 0;
	}
}

static void step_class_field(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = java_frame_top(s);
	struct java_field field = { .signature = { "", 0 } };
	const uint8_t *name;
	uint16_t len;

	if (f->at == f->class->field_count) {
		f->state = CLASS_ANNOTATIONS;
		return;
	}
	field.type = (char)cursor_u8(c);
	len = cursor_u16(c);
	name = cursor_bytes(c, len);
	if (!cursor_ok(c))
		return;
	field.name = java_stream_bytes(s, name, len);
	f->class->fields[f->at] = field;
	if (field.type == 'L' || field.type == '[')
		f->state = CLASS_SIGNATURE;
	else if (width_of(field.type))
		f->at++;
	else
		java_stream_wrong(s, "a field of a type that there is not");
}

static void take_signature(struct java_stream *s, const struct java_value *v)
{
	struct java_frame *f = java_frame_top(s);

	if (v->kind != JAVA_STRING) {
		java_stream_wrong(s, "a type that is no string");
		return;
	}
	f->class->fields[f->at++].signature = v->bytes;
	f->state = CLASS_FIELDS;
}

static void step_interface(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = java_frame_top(s);
	const uint8_t *name;
	uint16_t len;

	if (f->at == f->count) {
		f->state = CLASS_ANNOTATIONS;
		return;
	}
	len = cursor_u16(c);
	name = cursor_bytes(c, len);
	if (!cursor_ok(c))
		return;
	if (f->at++ == 0)
		f->class->name = java_stream_bytes(s, name, len);
}

static void take_class_annotation(struct java_stream *s,
				  const struct java_value *v)
{
	java_stream_list(s, &java_frame_top(s)->class->annotations, v);
}

static void take_super(struct java_stream *s, const struct java_value *v)
{
	struct java_class *class = java_frame_top(s)->class;

	if (v->kind != JAVA_NULL)
		class->super = class_in(s, v);
	if (s->wrong)
		return;
	class->generation = class->super ? class->super->generation + 1 : 1;
	if (class->generation > JAVA_SUPERS_MAX) {
		java_stream_wrong(s, "too many classes above one another");
		return;
	}
	class->is_complete = true;
	java_frame_finish(s);
}

static void take_object_class(struct java_stream *s, const struct java_value *v)
{
	const struct java_class *class = class_in(s, v);
	struct java_frame *f = java_frame_top(s);
	struct java_object *o;

	if (!class)
		return;
	f->value = java_stream_value(s, JAVA_OBJECT);
	java_stream_handle(s, f->value);
	o = &f->value->object;
	o->class = class;
	/* Such an object is written by its class alone. */
	o->part_count = class->flags & JAVA_EXTERNALIZABLE ? 1
							   : class->generation;
	o->parts = java_stream_zeroed(s, o->part_count * sizeof(*o->parts));
	for (size_t i = o->part_count; i-- > 0; class = class->super)
		o->parts[i].class = class;
	f->state = OBJECT_FIELDS;
}

static const struct java_value *primitive(struct java_stream *s,
					  struct cursor *c, char type)
{
	union {
		uint64_t bits;
		double real;
	} wide;
	union {
		uint32_t bits;
		float real;
	} narrow;
	struct java_value v = { .kind = JAVA_INTEGER, .type = type };
	struct java_value *kept;

	switch (type) {
	case 'F':
		narrow.bits = cursor_u32(c);
		v.kind = JAVA_REAL;
		v.real = (double)narrow.real;
		break;
	case 'D':
		wide.bits = cursor_u64(c);
		v.kind = JAVA_REAL;
		v.real = wide.real;
		break;
	case 'B':
		v.integer = cursor_u8(c);
		if (v.integer > INT8_MAX)
			v.integer -= 1 << 8;
		break;
	case 'Z':
		v.integer = cursor_u8(c) != 0;
		break;
	case 'C':
		v.integer = cursor_u16(c);
		break;
	case 'S':
		v.integer = (int16_t)cursor_u16(c);
		break;
	case 'I':
		v.integer = (int32_t)cursor_u32(c);
		break;
	default:
		v.integer = (int64_t)cursor_u64(c);
		break;
	}
	if (!cursor_ok(c))
		return NULL;
	kept = java_stream_value(s, v.kind);
	*kept = v;
	return kept;
}

/* Behind the fields of a part. */
static void end_fields(struct java_stream *s, struct java_frame *f,
		       const struct java_class *class)
{
	unsigned external = JAVA_EXTERNALIZABLE | JAVA_BLOCK_DATA;

	if ((class->flags & external) == JAVA_EXTERNALIZABLE) {
		java_stream_wrong(s,
				  "an object that only its class could read");
	} else if (class->flags & (JAVA_EXTERNALIZABLE | JAVA_WRITE_METHOD)) {
		f->state = OBJECT_ANNOTATIONS;
	} else {
		f->part++;
		f->at = 0;
	}
}

static bool has_fields(const struct java_class *class)
{
	return class->flags & JAVA_SERIALIZABLE &&
	       !(class->flags & JAVA_EXTERNALIZABLE);
}

static void step_object_field(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = java_frame_top(s);
	struct java_part *part;
	char type;

	if (f->part == f->value->object.part_count) {
		java_frame_finish(s);
		return;
	}
	part = &f->value->object.parts[f->part];
	if (!has_fields(part->class) || f->at == part->class->field_count) {
		end_fields(s, f, part->class);
		return;
	}
	if (!part->fields)
		part->fields = java_stream_zeroed(
			s, part->class->field_count * sizeof(*part->fields));
	type = part->class->fields[f->at].type;
	if (width_of(type)) {
		part->fields[f->at] = primitive(s, c, type);
		if (cursor_ok(c))
			f->at++;
	} else {
		want_value(s, c);
	}
}

static void take_object_field(struct java_stream *s, const struct java_value *v)
{
	struct java_frame *f = java_frame_top(s);

	f->value->object.parts[f->part].fields[f->at++] = v;
}

static void take_object_annotation(struct java_stream *s,
				   const struct java_value *v)
{
	struct java_frame *f = java_frame_top(s);

	java_stream_list(s, &f->value->object.parts[f->part].annotations, v);
}

static void take_array_class(struct java_stream *s, const struct java_value *v)
{
	const struct java_class *class = class_in(s, v);
	struct java_frame *f = java_frame_top(s);

	if (!class)
		return;
	if (class->name.len < 2 || class->name.at[0] != '[') {
		java_stream_wrong(s,
				  "an array of a class that is none of arrays");
		return;
	}
	f->value = java_stream_value(s, JAVA_ARRAY);
	f->value->array.class = class;
	f->value->array.type = class->name.at[1];
	java_stream_handle(s, f->value);
	f->state = ARRAY_SIZE;
}

static void step_array_size(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = java_frame_top(s);
	struct java_array *a = &f->value->array;
	size_t width = width_of(a->type);
	uint32_t count = cursor_u32(c);
	const uint8_t *raw;

	if (!cursor_ok(c))
		return;
	if (count > INT32_MAX || count > JAVA_BYTES_MAX / (width ? width : 1)) {
		java_stream_wrong(s, "an array that is too long");
		return;
	}
	if (width) {
		raw = cursor_bytes(c, count * width);
		if (!cursor_ok(c))
			return;
		a->raw = (uint8_t *)arena_copy(&s->arena, raw, count * width);
	}
	a->count = count;
	if (width)
		java_frame_finish(s);
	else
		f->state = ARRAY_ELEMENTS;
}

static void step_element(struct java_stream *s, struct cursor *c)
{
	struct java_array *a = &java_frame_top(s)->value->array;

	if (a->elements.count == a->count)
		java_frame_finish(s);
	else
		want_value(s, c);
}

static void take_element(struct java_stream *s, const struct java_value *v)
{
	java_stream_list(s, &java_frame_top(s)->value->array.elements, v);
}

static void take_enum_class(struct java_stream *s, const struct java_value *v)
{
	struct java_frame *f = java_frame_top(s);

	f->value = java_stream_value(s, JAVA_ENUM);
	f->value->constant.name = (struct java_bytes){ "", 0 };
	f->value->constant.class = class_in(s, v);
	java_stream_handle(s, f->value);
	f->state = ENUM_NAME;
}

static void take_enum_name(struct java_stream *s, const struct java_value *v)
{
	if (v->kind != JAVA_STRING) {
		java_stream_wrong(s, "a constant whose name is no string");
		return;
	}
	java_frame_top(s)->value->constant.name = v->bytes;
	java_frame_finish(s);
}

static void take_class_object(struct java_stream *s, const struct java_value *v)
{
	struct java_frame *f = java_frame_top(s);

	f->value = java_stream_value(s, JAVA_CLASS);
	f->value->class = class_in(s, v);
	java_stream_handle(s, f->value);
	java_frame_finish(s);
}

/* step: reads what comes next there.  take: has it when it is whole. */
/* clang-format off */
static const struct {
	void (*step)(struct java_stream *s, struct cursor *c);
	void (*take)(struct java_stream *s, const struct java_value *v);
} states[] = {
	[CLASS_FIELDS] = { step_class_field, NULL },
	[CLASS_SIGNATURE] = { want_string, take_signature },
	[PROXY_INTERFACES] = { step_interface, NULL },
	[CLASS_ANNOTATIONS] = { want_annotation, take_class_annotation },
	[CLASS_SUPER] = { want_class, take_super },
	[OBJECT_CLASS] = { want_class, take_object_class },
	[OBJECT_FIELDS] = { step_object_field, take_object_field },
	[OBJECT_ANNOTATIONS] = { want_annotation, take_object_annotation },
	[ARRAY_CLASS] = { want_class, take_array_class },
	[ARRAY_SIZE] = { step_array_size, NULL },
	[ARRAY_ELEMENTS] = { step_element, take_element },
	[ENUM_CLASS] = { want_class, take_enum_class },
	[ENUM_NAME] = { want_string, take_enum_name },
	[CLASS_OBJECT] = { want_class, take_class_object },
	[EXCEPTION] = { want_value, NULL },
};
/* clang-format on */

void java_frame_step(struct java_stream *s, struct cursor *c)
{
	states[java_frame_top(s)->state].step(s, c);
}

void java_frame_take(struct java_stream *s, const struct java_value *v)
{
	states[java_frame_top(s)->state].take(s, v);
}
