/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses in steps.  A tag begins a value, which is a frame until it is
 * complete; each step of a frame reads one part.  Nested values are a stack of
 * frames, not of function calls.
 */
#include "jmx_http/java/java_stream.h"

#include "core/base/alloc.h"
#include "jmx_http/java/java_time.h"
#include "jmx_http/value/java_type.h"

#include <stdlib.h>
#include <string.h>

/* Grammar rules that allow a tag at the current position. */
enum wanted {
	WANT_CLASS = 1,
	WANT_STRING = 2,
	WANT_VALUE = 4,
	WANT_BLOCK = 8,
	WANT_END = 16,
	WANT_RESET = 32,
};

#define JAVA_ONLY_ITS_CLASS "an object that only its class could read"

/* The next part of an incomplete value; see frame_states, below. */
enum frame_state {
	CLASS_FIELDS,
	CLASS_SIGNATURE,
	PROXY_INTERFACES,
	CLASS_ANNOTATIONS,
	CLASS_SUPER,
	OBJECT_CLASS,
	OBJECT_FIELDS,
	OBJECT_ANNOTATIONS,
	OBJECT_TIME,
	ARRAY_CLASS,
	ARRAY_SIZE,
	ARRAY_ELEMENTS,
	ENUM_CLASS,
	ENUM_NAME,
	CLASS_OBJECT,
	EXCEPTION,
};

/* An incomplete value. */
struct java_frame {
	enum frame_state state;
	struct java_value *value;
	struct java_class *class; /* of a class descriptor */
	size_t part;              /* index of an object's part */
	size_t at;                /* index of a field or element */
	size_t count;             /* number of a proxy's interfaces */
};

/* Memory of the stream, handles and frames */

static struct java_frame *frame_top(struct java_stream *s)
{
	return &s->frames[s->depth - 1];
}

static void stream_wrong(struct java_stream *s, const char *what)
{
	if (!s->wrong)
		s->wrong = what;
}

static void *stream_zeroed(struct java_stream *s, size_t size)
{
	return memset(arena_alloc(&s->arena, size), 0, size);
}

static struct java_value *stream_value(struct java_stream *s,
				       enum java_kind kind)
{
	struct java_value *v = stream_zeroed(s, sizeof(*v));

	v->kind = kind;
	return v;
}

static struct java_bytes stream_bytes(struct java_stream *s, const void *bytes,
				      size_t len)
{
	return (struct java_bytes){ arena_copy(&s->arena, bytes, len), len };
}

static void stream_list(struct java_stream *s, struct java_list *list,
			const struct java_value *v)
{
	if (list->count == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 4;
		const struct java_value **at = arena_alloc(&s->arena,
							   cap * sizeof(*at));

		if (list->count)
			memcpy(at, list->at, list->count * sizeof(*at));
		list->at = at;
		list->cap = cap;
	}
	list->at[list->count++] = v;
}

static void stream_handle(struct java_stream *s, const struct java_value *v)
{
	if (s->handle_count == JAVA_HANDLES_MAX) {
		stream_wrong(s, "too many objects");
		return;
	}
	array_add(s->handles, s->handle_count, s->handle_cap, v);
}

static struct java_frame *frame_push(struct java_stream *s,
				     enum frame_state state)
{
	if (s->depth == JAVA_DEPTH_MAX) {
		/* The stream ends here; callers still need a frame. */
		stream_wrong(s, "nested too deeply");
		return frame_top(s);
	}
	array_add(s->frames, s->depth, s->frame_cap,
		  (struct java_frame){ .state = state });
	return frame_top(s);
}

static void frame_finish(struct java_stream *s)
{
	s->pending = frame_top(s)->value;
	s->depth--;
}

static void tag_read(struct java_stream *s, struct cursor *c, unsigned wanted);

/* Steps of frames */

static void frame_want_class(struct java_stream *s, struct cursor *c)
{
	tag_read(s, c, WANT_CLASS);
}

static void frame_want_string(struct java_stream *s, struct cursor *c)
{
	tag_read(s, c, WANT_STRING);
}

static void frame_want_value(struct java_stream *s, struct cursor *c)
{
	tag_read(s, c, WANT_VALUE);
}

static void frame_want_annotation(struct java_stream *s, struct cursor *c)
{
	tag_read(s, c, WANT_VALUE | WANT_BLOCK | WANT_END);
}

/* Returns the class of a descriptor or reference; NULL if v is invalid. */
static const struct java_class *frame_class_in(struct java_stream *s,
					       const struct java_value *v)
{
	if (v->kind != JAVA_CLASS_DESC)
		stream_wrong(s, "something else in place of a class");
	else if (!v->class->is_complete)
		stream_wrong(s, "a class that is part of itself");
	else
		return v->class;
	return NULL;
}

/* Size of a primitive type in bytes; 0 for a reference. */
static size_t type_width(char type)
{
	const struct java_primitive *p = java_primitive_of(type);

	return p ? p->size : 0;
}

static void frame_step_class_field(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = frame_top(s);
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
	field.name = stream_bytes(s, name, len);
	f->class->fields[f->at] = field;
	if (field.type == 'L' || field.type == '[')
		f->state = CLASS_SIGNATURE;
	else if (type_width(field.type))
		f->at++;
	else
		stream_wrong(s, "a field of an unknown type");
}

static void frame_take_signature(struct java_stream *s,
				 const struct java_value *v)
{
	struct java_frame *f = frame_top(s);

	if (v->kind != JAVA_STRING) {
		stream_wrong(s, "a type name that is not a string");
		return;
	}
	f->class->fields[f->at++].signature = v->bytes;
	f->state = CLASS_FIELDS;
}

static void frame_step_interface(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = frame_top(s);
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
		f->class->name = stream_bytes(s, name, len);
}

static void frame_take_class_annotation(struct java_stream *s,
					const struct java_value *v)
{
	stream_list(s, &frame_top(s)->class->annotations, v);
}

static void frame_take_super(struct java_stream *s, const struct java_value *v)
{
	struct java_class *class = frame_top(s)->class;

	if (v->kind != JAVA_NULL)
		class->super = frame_class_in(s, v);
	if (s->wrong)
		return;
	class->generation = class->super ? class->super->generation + 1 : 1;
	if (class->generation > JAVA_SUPERS_MAX) {
		stream_wrong(s, "too many classes above one another");
		return;
	}
	class->is_complete = true;
	frame_finish(s);
}

static void frame_take_object_class(struct java_stream *s,
				    const struct java_value *v)
{
	const struct java_class *class = frame_class_in(s, v);
	struct java_frame *f = frame_top(s);
	struct java_object *o;

	if (!class)
		return;
	f->value = stream_value(s, JAVA_OBJECT);
	stream_handle(s, f->value);
	o = &f->value->object;
	o->class = class;
	/* An externalizable class writes its superclasses' data itself. */
	o->part_count = class->flags & JAVA_EXTERNALIZABLE ? 1
							   : class->generation;
	o->parts = stream_zeroed(s, o->part_count * sizeof(*o->parts));
	for (size_t i = o->part_count; i-- > 0; class = class->super)
		o->parts[i].class = class;
	f->state = OBJECT_FIELDS;
}

struct java_value java_read_primitive(struct cursor *c, char type)
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
	return v;
}

static const struct java_value *frame_primitive(struct java_stream *s,
						struct cursor *c, char type)
{
	struct java_value v = java_read_primitive(c, type), *kept;

	if (!cursor_ok(c))
		return NULL;
	kept = stream_value(s, v.kind);
	*kept = v;
	return kept;
}

/* Continues after the fields of a part. */
static void frame_end_fields(struct java_stream *s, struct java_frame *f,
			     const struct java_class *class)
{
	unsigned external = JAVA_EXTERNALIZABLE | JAVA_BLOCK_DATA;

	if ((class->flags & external) == JAVA_EXTERNALIZABLE) {
		/* Version 1 of the protocol, that of RMI, has no length. */
		if (java_bytes_are(class->name, "java.time.Ser"))
			f->state = OBJECT_TIME;
		else
			stream_wrong(s, JAVA_ONLY_ITS_CLASS);
	} else if (class->flags & (JAVA_EXTERNALIZABLE | JAVA_WRITE_METHOD)) {
		f->state = OBJECT_ANNOTATIONS;
	} else {
		f->part++;
		f->at = 0;
	}
}

/* Keeps the value of java.time as block data, which version 2 writes. */
static void frame_step_time(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = frame_top(s);
	struct cursor rest = *c;
	struct java_value *v;
	size_t len;

	if (!java_time_skip(&rest)) {
		stream_wrong(s, JAVA_ONLY_ITS_CLASS);
		return;
	}
	if (!cursor_ok(&rest)) {
		cursor_fail(c);
		return;
	}
	len = cursor_offset(&rest) - cursor_offset(c);
	v = stream_value(s, JAVA_BLOCK);
	v->bytes = stream_bytes(s, cursor_bytes(c, len), len);
	v->block.begin = s->offset;
	v->block.end = s->offset + len;
	stream_list(s, &f->value->object.parts[f->part].annotations, v);
	f->state = OBJECT_FIELDS;
	f->part++;
	f->at = 0;
}

static bool frame_has_fields(const struct java_class *class)
{
	return class->flags & JAVA_SERIALIZABLE &&
	       !(class->flags & JAVA_EXTERNALIZABLE);
}

static void frame_step_object_field(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = frame_top(s);
	struct java_part *part;
	char type;

	if (f->part == f->value->object.part_count) {
		frame_finish(s);
		return;
	}
	part = &f->value->object.parts[f->part];
	if (!frame_has_fields(part->class) ||
	    f->at == part->class->field_count) {
		frame_end_fields(s, f, part->class);
		return;
	}
	if (!part->fields)
		part->fields = stream_zeroed(s, part->class->field_count *
							sizeof(*part->fields));
	type = part->class->fields[f->at].type;
	if (type_width(type)) {
		part->fields[f->at] = frame_primitive(s, c, type);
		if (cursor_ok(c))
			f->at++;
	} else {
		frame_want_value(s, c);
	}
}

static void frame_take_object_field(struct java_stream *s,
				    const struct java_value *v)
{
	struct java_frame *f = frame_top(s);

	f->value->object.parts[f->part].fields[f->at++] = v;
}

static void frame_take_object_annotation(struct java_stream *s,
					 const struct java_value *v)
{
	struct java_frame *f = frame_top(s);

	stream_list(s, &f->value->object.parts[f->part].annotations, v);
}

static void frame_take_array_class(struct java_stream *s,
				   const struct java_value *v)
{
	const struct java_class *class = frame_class_in(s, v);
	struct java_frame *f = frame_top(s);

	if (!class)
		return;
	if (class->name.len < 2 || class->name.at[0] != '[') {
		stream_wrong(s, "an array whose class is not an array class");
		return;
	}
	f->value = stream_value(s, JAVA_ARRAY);
	f->value->array.class = class;
	f->value->array.type = class->name.at[1];
	stream_handle(s, f->value);
	f->state = ARRAY_SIZE;
}

static void frame_step_array_size(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = frame_top(s);
	struct java_array *a = &f->value->array;
	size_t width = type_width(a->type);
	uint32_t count = cursor_u32(c);
	const uint8_t *raw;

	if (!cursor_ok(c))
		return;
	if (count > INT32_MAX || count > JAVA_BYTES_MAX / (width ? width : 1)) {
		stream_wrong(s, "an array that is too long");
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
		frame_finish(s);
	else
		f->state = ARRAY_ELEMENTS;
}

static void frame_step_element(struct java_stream *s, struct cursor *c)
{
	struct java_array *a = &frame_top(s)->value->array;

	if (a->elements.count == a->count)
		frame_finish(s);
	else
		frame_want_value(s, c);
}

static void frame_take_element(struct java_stream *s,
			       const struct java_value *v)
{
	stream_list(s, &frame_top(s)->value->array.elements, v);
}

static void frame_take_enum_class(struct java_stream *s,
				  const struct java_value *v)
{
	struct java_frame *f = frame_top(s);

	f->value = stream_value(s, JAVA_ENUM);
	f->value->constant.name = (struct java_bytes){ "", 0 };
	f->value->constant.class = frame_class_in(s, v);
	stream_handle(s, f->value);
	f->state = ENUM_NAME;
}

static void frame_take_enum_name(struct java_stream *s,
				 const struct java_value *v)
{
	if (v->kind != JAVA_STRING) {
		stream_wrong(s, "a constant whose name is not a string");
		return;
	}
	frame_top(s)->value->constant.name = v->bytes;
	frame_finish(s);
}

static void frame_take_class_object(struct java_stream *s,
				    const struct java_value *v)
{
	struct java_frame *f = frame_top(s);

	f->value = stream_value(s, JAVA_CLASS);
	f->value->class = frame_class_in(s, v);
	stream_handle(s, f->value);
	frame_finish(s);
}

/*
 * step reads the next part of the frame.  take receives a nested value when it
 * is complete.
 */
/* clang-format off */
static const struct {
	void (*step)(struct java_stream *s, struct cursor *c);
	void (*take)(struct java_stream *s, const struct java_value *v);
} frame_states[] = {
	[CLASS_FIELDS] = { frame_step_class_field, NULL },
	[CLASS_SIGNATURE] = { frame_want_string, frame_take_signature },
	[PROXY_INTERFACES] = { frame_step_interface, NULL },
	[CLASS_ANNOTATIONS] = { frame_want_annotation, frame_take_class_annotation },
	[CLASS_SUPER] = { frame_want_class, frame_take_super },
	[OBJECT_CLASS] = { frame_want_class, frame_take_object_class },
	[OBJECT_FIELDS] = { frame_step_object_field, frame_take_object_field },
	[OBJECT_ANNOTATIONS] = { frame_want_annotation, frame_take_object_annotation },
	[OBJECT_TIME] = { frame_step_time, NULL },
	[ARRAY_CLASS] = { frame_want_class, frame_take_array_class },
	[ARRAY_SIZE] = { frame_step_array_size, NULL },
	[ARRAY_ELEMENTS] = { frame_step_element, frame_take_element },
	[ENUM_CLASS] = { frame_want_class, frame_take_enum_class },
	[ENUM_NAME] = { frame_want_string, frame_take_enum_name },
	[CLASS_OBJECT] = { frame_want_class, frame_take_class_object },
	[EXCEPTION] = { frame_want_value, NULL },
};
/* clang-format on */

static void frame_step(struct java_stream *s, struct cursor *c)
{
	frame_states[frame_top(s)->state].step(s, c);
}

static void frame_take(struct java_stream *s, const struct java_value *v)
{
	frame_states[frame_top(s)->state].take(s, v);
}

/*
 * Readers of the bytes after a tag.  A reader changes nothing unless all its
 * bytes are available.
 */

static void tag_read_null(struct java_stream *s, struct cursor *c)
{
	(void)c;
	s->pending = &java_null;
}

static void tag_read_reference(struct java_stream *s, struct cursor *c)
{
	uint32_t handle = cursor_u32(c) - TC_BASE_HANDLE;

	if (!cursor_ok(c))
		return;
	if (handle < s->handle_count)
		s->pending = s->handles[handle];
	else
		stream_wrong(s, "a reference to an unknown handle");
}

static void tag_begin_class(struct java_stream *s, enum frame_state state,
			    struct java_class class)
{
	struct java_value *v = stream_value(s, JAVA_CLASS_DESC);
	struct java_class *kept = stream_zeroed(s, sizeof(*kept));
	struct java_frame *f = frame_push(s, state);

	*kept = class;
	kept->fields = stream_zeroed(s,
				     class.field_count * sizeof(*kept->fields));
	v->class = kept;
	f->value = v;
	f->class = kept;
	stream_handle(s, v);
	stream_list(s, &s->classes, v);
}

static void tag_read_class(struct java_stream *s, struct cursor *c)
{
	struct java_class class = { 0 };
	uint16_t len = cursor_u16(c);
	const uint8_t *name = cursor_bytes(c, len);

	class.suid = cursor_u64(c);
	class.flags = cursor_u8(c);
	class.field_count = cursor_u16(c);
	if (!cursor_ok(c))
		return;
	class.name = stream_bytes(s, name, len);
	tag_begin_class(s, CLASS_FIELDS, class);
}

static void tag_read_proxy(struct java_stream *s, struct cursor *c)
{
	struct java_class class = {
		.name = { "", 0 },
		.flags = JAVA_SERIALIZABLE,
		.is_proxy = true,
	};
	uint32_t count = cursor_u32(c);

	if (!cursor_ok(c))
		return;
	if (count > UINT16_MAX) {
		stream_wrong(s, "a proxy with too many interfaces");
		return;
	}
	tag_begin_class(s, PROXY_INTERFACES, class);
	frame_top(s)->count = count;
}

static struct java_value *tag_read_bytes(struct java_stream *s,
					 struct cursor *c, uint64_t len,
					 enum java_kind kind)
{
	const uint8_t *bytes;
	struct java_value *v;

	if (len > JAVA_BYTES_MAX) {
		stream_wrong(s, "a string or block that is too long");
		return NULL;
	}
	bytes = cursor_bytes(c, len);
	if (!cursor_ok(c))
		return NULL;
	v = stream_value(s, kind);
	v->bytes = stream_bytes(s, bytes, (size_t)len);
	if (kind == JAVA_STRING)
		stream_handle(s, v);
	s->pending = v;
	return v;
}

static void tag_read_string(struct java_stream *s, struct cursor *c)
{
	uint16_t len = cursor_u16(c);

	tag_read_bytes(s, c, len, JAVA_STRING);
}

static void tag_read_long_string(struct java_stream *s, struct cursor *c)
{
	uint64_t len = cursor_u64(c);

	tag_read_bytes(s, c, len, JAVA_STRING);
}

/* s->offset is still that of the tag: it advances after a complete step. */
static void tag_read_block_of(struct java_stream *s, struct cursor *c,
			      size_t head, uint32_t len)
{
	struct java_value *v = tag_read_bytes(s, c, len, JAVA_BLOCK);

	if (!v)
		return;
	v->block.begin = s->offset;
	v->block.end = s->offset + head + len;
}

static void tag_read_block(struct java_stream *s, struct cursor *c)
{
	uint8_t len = cursor_u8(c);

	tag_read_block_of(s, c, 2, len);
}

static void tag_read_long_block(struct java_stream *s, struct cursor *c)
{
	uint32_t len = cursor_u32(c);

	tag_read_block_of(s, c, 5, len);
}

static void tag_read_object(struct java_stream *s, struct cursor *c)
{
	(void)c;
	frame_push(s, OBJECT_CLASS);
}

static void tag_read_array(struct java_stream *s, struct cursor *c)
{
	(void)c;
	frame_push(s, ARRAY_CLASS);
}

static void tag_read_enum(struct java_stream *s, struct cursor *c)
{
	(void)c;
	frame_push(s, ENUM_CLASS);
}

static void tag_read_class_object(struct java_stream *s, struct cursor *c)
{
	(void)c;
	frame_push(s, CLASS_OBJECT);
}

static void tag_read_reset(struct java_stream *s, struct cursor *c)
{
	(void)c;
	s->handle_count = 0;
}

/* The writer failed: all incomplete values stay incomplete. */
static void tag_read_exception(struct java_stream *s, struct cursor *c)
{
	(void)c;
	if (s->depth && s->frames[0].state == EXCEPTION) {
		stream_wrong(s, "an exception within an exception");
		return;
	}
	s->depth = 0;
	s->handle_count = 0;
	frame_push(s, EXCEPTION);
}

static void tag_read_end(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = frame_top(s);

	(void)c;
	if (f->state == CLASS_ANNOTATIONS) {
		f->state = CLASS_SUPER;
	} else {
		f->state = OBJECT_FIELDS;
		f->part++;
		f->at = 0;
	}
}

/* clang-format off */
static const struct tag {
	unsigned wanted; /* positions that allow the tag */
	void (*read)(struct java_stream *s, struct cursor *c);
} tags[TC_COUNT] = {
	[TC_NULL] = { WANT_CLASS | WANT_VALUE, tag_read_null },
	[TC_REFERENCE] = { WANT_CLASS | WANT_STRING | WANT_VALUE, tag_read_reference },
	[TC_CLASSDESC] = { WANT_CLASS | WANT_VALUE, tag_read_class },
	[TC_OBJECT] = { WANT_VALUE, tag_read_object },
	[TC_STRING] = { WANT_STRING | WANT_VALUE, tag_read_string },
	[TC_ARRAY] = { WANT_VALUE, tag_read_array },
	[TC_CLASS] = { WANT_VALUE, tag_read_class_object },
	[TC_BLOCKDATA] = { WANT_BLOCK, tag_read_block },
	[TC_ENDBLOCKDATA] = { WANT_END, tag_read_end },
	[TC_RESET] = { WANT_RESET, tag_read_reset },
	[TC_BLOCKDATALONG] = { WANT_BLOCK, tag_read_long_block },
	[TC_EXCEPTION] = { WANT_CLASS | WANT_STRING | WANT_VALUE, tag_read_exception },
	[TC_LONGSTRING] = { WANT_STRING | WANT_VALUE, tag_read_long_string },
	[TC_PROXYCLASSDESC] = { WANT_CLASS | WANT_VALUE, tag_read_proxy },
	[TC_ENUM] = { WANT_VALUE, tag_read_enum },
};
/* clang-format on */

static void tag_read(struct java_stream *s, struct cursor *c, unsigned wanted)
{
	uint8_t tag = cursor_u8(c);

	if (!cursor_ok(c))
		return;
	if (tag < TC_NULL || tag >= TC_COUNT)
		stream_wrong(s, "an unknown tag");
	else if (!(tags[tag].wanted & wanted))
		stream_wrong(s, "a tag that is not allowed there");
	else
		tags[tag].read(s, c);
}

/* The stream */

static void stream_read_header(struct java_stream *s, struct cursor *c)
{
	uint32_t header = cursor_u32(c);

	if (!cursor_ok(c))
		return;
	if (header == TC_STREAM_HEADER)
		s->has_header = true;
	else
		stream_wrong(s, "not a stream of Java objects");
}

static void stream_step(struct java_stream *s, struct cursor *c)
{
	if (!s->has_header)
		stream_read_header(s, c);
	else if (s->depth)
		frame_step(s, c);
	else
		tag_read(s, c, WANT_VALUE | WANT_BLOCK | WANT_RESET);
	if (s->arena.total > (s->memory_max ? s->memory_max : JAVA_MEMORY_MAX))
		stream_wrong(s, "the objects need too much memory");
}

/*
 * Passes a complete value to the frame that contains it.  True if no frame
 * does: then java_stream_read() returns the value.
 */
static bool stream_hand_on(struct java_stream *s,
			   const struct java_value **value)
{
	const struct java_value *v = s->pending;

	s->pending = NULL;
	*value = v;
	if (!s->depth || frame_top(s)->state == EXCEPTION)
		return true;
	frame_take(s, v);
	return false;
}

enum java_status java_stream_read(struct java_stream *s, const void *bytes,
				  size_t len, size_t *used,
				  const struct java_value **value)
{
	struct cursor c = cursor_over(bytes, len);

	*used = 0;
	while (!s->wrong) {
		if (s->pending) {
			if (!stream_hand_on(s, value))
				continue;
			return s->depth ? JAVA_ABORTED : JAVA_DONE;
		}
		stream_step(s, &c);
		if (s->wrong)
			break;
		if (!cursor_ok(&c))
			return JAVA_MORE;
		s->offset += cursor_offset(&c) - *used;
		*used = cursor_offset(&c);
	}
	return JAVA_WRONG;
}

void java_stream_release(struct java_stream *s)
{
	arena_release(&s->arena);
	free(s->frames);
	free(s->handles);
	*s = (struct java_stream){ 0 };
}
