/* SPDX-License-Identifier: Apache-2.0 */
/* What follows each tag of a stream. */
#include "core/base/cursor.h"
#include "jmx_http/java/java_frame.h"

#define FIRST_HANDLE 0x7e0000u /* baseWireHandle */
#define FIRST_TAG    0x70      /* TC_NULL */
#define NO_MORE_TAGS 0x7f

/* The readers of what follows a tag; none keeps anything unless all is there.
 */

static void read_null(struct java_stream *s, struct cursor *c)
{
	(void)c;
	s->pending = &java_null;
}

static void read_reference(struct java_stream *s, struct cursor *c)
{
	uint32_t handle = cursor_u32(c) - FIRST_HANDLE;

	if (!cursor_ok(c))
		return;
	if (handle < s->handle_count)
		s->pending = s->handles[handle];
	else
		java_stream_wrong(s, "a reference to what is not there");
}

static void begin_class(struct java_stream *s, enum frame_state state,
			struct java_class class)
{
	struct java_value *v = java_stream_value(s, JAVA_CLASS_DESC);
	struct java_class *kept = java_stream_zeroed(s, sizeof(*kept));
	struct java_frame *f = java_frame_push(s, state);

	*kept = class;
	kept->fields = java_stream_zeroed(s, class.field_count *
						     sizeof(*kept->fields));
	v->class = kept;
	f->value = v;
	f->class = kept;
	java_stream_handle(s, v);
	java_stream_list(s, &s->classes, v);
}

static void read_class(struct java_stream *s, struct cursor *c)
{
	struct java_class class = { 0 };
	uint16_t len = cursor_u16(c);
	const uint8_t *name = cursor_bytes(c, len);

	class.suid = cursor_u64(c);
	class.flags = cursor_u8(c);
	class.field_count = cursor_u16(c);
	if (!cursor_ok(c))
		return;
	class.name = java_stream_bytes(s, name, len);
	begin_class(s, CLASS_FIELDS, class);
}

static void read_proxy(struct java_stream *s, struct cursor *c)
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
		java_stream_wrong(s, "a proxy of too many interfaces");
		return;
	}
	begin_class(s, PROXY_INTERFACES, class);
	java_frame_top(s)->count = count;
}

static struct java_value *read_bytes(struct java_stream *s, struct cursor *c,
				     uint64_t len, enum java_kind kind)
{
	const uint8_t *bytes;
	struct java_value *v;

	if (len > JAVA_BYTES_MAX) {
		java_stream_wrong(s, "a string or block that is too long");
		return NULL;
	}
	bytes = cursor_bytes(c, len);
	if (!cursor_ok(c))
		return NULL;
	v = java_stream_value(s, kind);
	v->bytes = java_stream_bytes(s, bytes, (size_t)len);
	if (kind == JAVA_STRING)
		java_stream_handle(s, v);
	s->pending = v;
	return v;
}

static void read_string(struct java_stream *s, struct cursor *c)
{
	uint16_t len = cursor_u16(c);

	read_bytes(s, c, len, JAVA_STRING);
}

static void read_long_string(struct java_stream *s, struct cursor *c)
{
	uint64_t len = cursor_u64(c);

	read_bytes(s, c, len, JAVA_STRING);
}

/* Where the stream stands is the tag, as what is read at once begins there. */
static void read_block_of(struct java_stream *s, struct cursor *c, size_t head,
			  uint32_t len)
{
	struct java_value *v = read_bytes(s, c, len, JAVA_BLOCK);

	if (!v)
		return;
	v->block.begin = s->offset;
	v->block.end = s->offset + head + len;
}

static void read_block(struct java_stream *s, struct cursor *c)
{
	uint8_t len = cursor_u8(c);

	read_block_of(s, c, 2, len);
}

static void read_long_block(struct java_stream *s, struct cursor *c)
{
	uint32_t len = cursor_u32(c);

	read_block_of(s, c, 5, len);
}

static void read_object(struct java_stream *s, struct cursor *c)
{
	(void)c;
	java_frame_push(s, OBJECT_CLASS);
}

static void read_array(struct java_stream *s, struct cursor *c)
{
	(void)c;
	java_frame_push(s, ARRAY_CLASS);
}

static void read_enum(struct java_stream *s, struct cursor *c)
{
	(void)c;
	java_frame_push(s, ENUM_CLASS);
}

static void read_class_object(struct java_stream *s, struct cursor *c)
{
	(void)c;
	java_frame_push(s, CLASS_OBJECT);
}

static void read_reset(struct java_stream *s, struct cursor *c)
{
	(void)c;
	s->handle_count = 0;
}

/* The writer gave up: what had begun will not end. */
static void read_exception(struct java_stream *s, struct cursor *c)
{
	(void)c;
	if (s->depth && s->frames[0].state == EXCEPTION) {
		java_stream_wrong(s, "an exception within an exception");
		return;
	}
	s->depth = 0;
	s->handle_count = 0;
	java_frame_push(s, EXCEPTION);
}

static void read_end(struct java_stream *s, struct cursor *c)
{
	struct java_frame *f = java_frame_top(s);

	(void)c;
	if (f->state == CLASS_ANNOTATIONS) {
		f->state = CLASS_SUPER;
	} else {
		f->state = OBJECT_FIELDS;
		f->part++;
		f->at = 0;
	}
}

/* java.io.ObjectStreamConstants, TC_* from 0x70 on. */
/* clang-format off */
static const struct tag {
	unsigned wanted; /* where it may stand */
	void (*read)(struct java_stream *s, struct cursor *c);
} tags[NO_MORE_TAGS - FIRST_TAG] = {
	[0x0] = { WANT_CLASS | WANT_VALUE, read_null },
	[0x1] = { WANT_CLASS | WANT_STRING | WANT_VALUE, read_reference },
	[0x2] = { WANT_CLASS | WANT_VALUE, read_class },
	[0x3] = { WANT_VALUE, read_object },
	[0x4] = { WANT_STRING | WANT_VALUE, read_string },
	[0x5] = { WANT_VALUE, read_array },
	[0x6] = { WANT_VALUE, read_class_object },
	[0x7] = { WANT_BLOCK, read_block },
	[0x8] = { WANT_END, read_end },
	[0x9] = { WANT_RESET, read_reset },
	[0xa] = { WANT_BLOCK, read_long_block },
	[0xb] = { WANT_CLASS | WANT_STRING | WANT_VALUE, read_exception },
	[0xc] = { WANT_STRING | WANT_VALUE, read_long_string },
	[0xd] = { WANT_CLASS | WANT_VALUE, read_proxy },
	[0xe] = { WANT_VALUE, read_enum },
};
/* clang-format on */

void java_tag_read(struct java_stream *s, struct cursor *c, unsigned wanted)
{
	uint8_t tag = cursor_u8(c);

	if (!cursor_ok(c))
		return;
	if (tag < FIRST_TAG || tag >= NO_MORE_TAGS)
		java_stream_wrong(s, "a tag that there is not");
	else if (!(tags[tag - FIRST_TAG].wanted & wanted))
		java_stream_wrong(s, "a tag that cannot stand there");
	else
		tags[tag - FIRST_TAG].read(s, c);
}
