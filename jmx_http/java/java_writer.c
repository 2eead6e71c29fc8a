/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the grammar, the objects of JMX calls, and values by their type. */
#include "jmx_http/java/java_writer.h"

#include "core/base/safe_text.h"
#include "jmx_http/value/java_type.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Dimensions of an array; a JVM accepts at most 255. */
#define DIMENSIONS_MAX 8

/* Of a table for count keys, as java.util.HashMap computes it. */
#define MAP_LOAD_FACTOR 0x3f400000 /* 0.75 as a float */
#define MAP_BUCKETS_MAX (UINT32_C(1) << 30)

/* The time to convert digits grows with their square. */
#define DIGITS_MAX         ((size_t)2 * JAVA_MAGNITUDE_MAX)
#define JAVA_MAGNITUDE_MAX 1000 /* bytes */

/* The grammar */

void java_write_u16(struct text *out, uint16_t value)
{
	value = htobe16(value);
	text_add(out, &value, sizeof(value));
}

void java_write_u32(struct text *out, uint32_t value)
{
	value = htobe32(value);
	text_add(out, &value, sizeof(value));
}

void java_write_u64(struct text *out, uint64_t value)
{
	value = htobe64(value);
	text_add(out, &value, sizeof(value));
}

void java_write_header(struct text *out)
{
	java_write_u32(out, TC_STREAM_HEADER);
}

void java_write_block(struct text *out, uint8_t len)
{
	text_putc(out, TC_BLOCKDATA);
	text_putc(out, (char)len);
}

void java_write_null(struct text *out) { text_putc(out, TC_NULL); }

void java_write_end(struct text *out) { text_putc(out, TC_ENDBLOCKDATA); }

/* Returns the next character and advances *at. */
static uint32_t string_next(const uint8_t **at, const uint8_t *end)
{
	size_t used;
	uint32_t c = safe_text_decode(*at, end, &used);

	*at += used;
	return c == SAFE_TEXT_INVALID ? 0xfffd : c;
}

static void string_add_modified(struct text *out, const uint8_t *at,
				const uint8_t *end)
{
	while (at < end) {
		uint32_t c = string_next(&at, end);

		if (c == 0) {
			text_add(out, "\xc0\x80", 2);
		} else if (c < 0x10000) {
			text_utf8(out, c);
		} else {
			text_utf8(out, 0xd800 + ((c - 0x10000) >> 10));
			text_utf8(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
		}
	}
}

/* The number of bytes that string_add_modified() adds. */
static size_t string_modified_len(const uint8_t *at, const uint8_t *end)
{
	size_t total = 0;

	while (at < end) {
		uint32_t c = string_next(&at, end);

		total += c >= 0x10000 ? 6 : c >= 0x800 ? 3 : 1;
		total += c < 0x800 && (c == 0 || c >= 0x80);
	}
	return total;
}

static void string_add_head(struct text *out, size_t len)
{
	if (len <= UINT16_MAX) {
		text_putc(out, TC_STRING);
		java_write_u16(out, (uint16_t)len);
	} else {
		text_putc(out, TC_LONGSTRING);
		java_write_u64(out, len);
	}
}

void java_write_string(struct text *out, const char *utf8, size_t len)
{
	const uint8_t *at = (const uint8_t *)utf8;

	string_add_head(out, string_modified_len(at, at + len));
	string_add_modified(out, at, at + len);
}

/* Writers never use a zero byte, nor four bytes for a character. */
static bool string_is_modified(const uint8_t *at, const uint8_t *end)
{
	size_t used;

	while (at < end) {
		if (*at == 0 ||
		    safe_text_decode(at, end, &used) == SAFE_TEXT_INVALID ||
		    used > 3)
			return false;
		at += used;
	}
	return true;
}

/*
 * A String of modified UTF-8, as read from a stream.  False, and nothing is
 * written, if a JVM would not write these bytes.
 */
static bool string_write_modified(struct text *out, struct java_bytes s)
{
	const uint8_t *at = (const uint8_t *)s.at;

	if (!string_is_modified(at, at + s.len))
		return false;
	string_add_head(out, s.len);
	text_add(out, s.at, s.len);
	return true;
}

/* Objects, with references to earlier ones */

void java_output_release(struct java_output *o)
{
	map64_release(&o->strings);
	map64_release(&o->classes);
}

void java_output_reference(struct java_output *o, uint32_t handle)
{
	text_putc(o->out, TC_REFERENCE);
	java_write_u32(o->out, TC_BASE_HANDLE + handle);
}

/*
 * Writes a reference if the text has a handle; otherwise gives it the next one.
 * hash_bytes() is salted, so texts with colliding hashes cannot be prepared.
 */
static bool output_refer(struct java_output *o, struct map64 *handles,
			 const char *text, size_t len)
{
	uint64_t hash;
	uint32_t handle;

	if (o->has_no_references)
		return false;
	hash = hash_bytes(text, len);
	handle = map64_get(handles, hash);
	if (handle != MAP64_NONE) {
		java_output_reference(o, handle);
		return true;
	}
	map64_add(handles, hash, o->handles++);
	return false;
}

void java_output_string(struct java_output *o, const char *utf8, size_t len)
{
	if (!output_refer(o, &o->strings, utf8, len))
		java_write_string(o->out, utf8, len);
}

bool java_output_modified(struct java_output *o, struct java_bytes s)
{
	o->handles++;
	return string_write_modified(o->out, s);
}

void java_output_text(struct java_output *o, const char *utf8)
{
	if (utf8)
		java_output_string(o, utf8, strlen(utf8));
	else
		java_write_null(o->out);
}

static void output_name(struct java_output *o, const char *name)
{
	size_t len = strlen(name);

	java_write_u16(o->out, (uint16_t)len);
	text_add(o->out, name, len);
}

static void output_fields(struct java_output *o, const struct java_shape *shape)
{
	size_t most = sizeof(shape->fields) / sizeof(*shape->fields);
	size_t count = 0;

	while (count < most && shape->fields[count].name)
		count++;
	java_write_u16(o->out, (uint16_t)count);
	for (size_t i = 0; i < count; i++) {
		const struct java_shape_field *f = &shape->fields[i];

		text_putc(o->out, f->type);
		output_name(o, f->name);
		if (f->signature)
			java_output_text(o, f->signature);
	}
}

/* A class descriptor, followed by those of its superclasses. */
static void output_class(struct java_output *o, const struct java_shape *shape)
{
	for (; shape; shape = shape->super) {
		if (output_refer(o, &o->classes, shape->name,
				 strlen(shape->name)))
			return;
		text_putc(o->out, TC_CLASSDESC);
		output_name(o, shape->name);
		java_write_u64(o->out, shape->suid);
		text_putc(o->out, (char)shape->flags);
		output_fields(o, shape);
		if (o->dialect == JAVA_OF_RMI)
			java_write_null(o->out);
		java_write_end(o->out);
	}
	java_write_null(o->out);
}

uint32_t java_output_object(struct java_output *o,
			    const struct java_shape *shape)
{
	text_putc(o->out, TC_OBJECT);
	output_class(o, shape);
	return o->handles++;
}

/* The suid of an array class as JVMs write it; 0 for other classes. */
static uint64_t array_suid(const char *class_name)
{
	static const struct {
		const char *name;
		uint64_t suid;
	} arrays[] = {
		{ "[B", 0xacf317f8060854e0 },
		{ "[I", 0x4dba602676eab2a5 },
		{ "[J", 0x782004b512b17593 },
		{ "[Z", 0x578f203914b85de2 },
		{ "[C", 0xb02666b0e25d84ac },
		{ "[S", 0xef832e06e55db0fa },
		{ "[F", 0x0b9c818922e00c42 },
		{ "[D", 0x3ea68c14ab635a1e },
		{ "[Ljava.lang.Integer;", 0xfe97ada00183e21b },
		{ "[Ljava.lang.Object;", 0x90ce589f1073296c },
		{ "[Ljava.lang.String;", 0xadd256e7e91d7b47 },
		{ "[Ljava.rmi.MarshalledObject;", 0x9e683287739f6bfe },
		{ "[Ljava.rmi.server.ObjID;", 0x871300b8d02c647e },
		{ "[Ljavax.management.MBeanAttributeInfo;",
		  0x3bf758c468a60141 },
		{ "[Ljavax.management.MBeanConstructorInfo;",
		  0xb4b8c18a1f7b19f5 },
		{ "[Ljavax.management.MBeanNotificationInfo;",
		  0x8586506f12b5d0af },
		{ "[Ljavax.management.MBeanOperationInfo;",
		  0x870f6ca2e31f4f8b },
		{ "[Ljavax.management.MBeanParameterInfo;",
		  0xcd68653603b0ee36 },
		{ "[Ljavax.management.openmbean.CompositeData;",
		  0xeac5607bf0c5f1e2 },
		{ "[Ljavax.management.ObjectName;", 0x11838f543538c9ee },
		{ "[Ljavax.security.auth.Subject;", 0x587fe42963ddea58 },
	};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		if (strcmp(arrays[i].name, class_name) == 0)
			return arrays[i].suid;
	return 0;
}

uint32_t java_output_array(struct java_output *o, const char *class_name,
			   uint32_t count)
{
	const struct java_shape shape = {
		.name = class_name,
		.suid = array_suid(class_name),
		.flags = JAVA_SERIALIZABLE,
	};

	text_putc(o->out, TC_ARRAY);
	output_class(o, &shape);
	java_write_u32(o->out, count);
	return o->handles++;
}

void java_output_object_name(struct java_output *o, const char *name)
{
	if (!name) {
		java_write_null(o->out);
		return;
	}
	java_output_object(o, &java_shape_object_name);
	java_output_text(o, name);
	java_write_end(o->out);
}

void java_output_strings(struct java_output *o, const char *const *strings,
			 size_t count)
{
	java_output_array(o, "[Ljava.lang.String;", (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		java_output_text(o, strings[i]);
}

/* Collections: java.util.X.writeObject() of JDK 17. */

void java_output_list(struct java_output *o, uint32_t count)
{
	java_output_object(o, &java_shape_array_list);
	java_write_u32(o->out, count);
	java_write_block(o->out, 4);
	java_write_u32(o->out, count);
}

static uint32_t output_buckets(uint32_t count)
{
	uint32_t buckets = 16;

	while (buckets < MAP_BUCKETS_MAX && buckets / 4 * 3 < count)
		buckets *= 2;
	return buckets;
}

void java_output_set(struct java_output *o, uint32_t count)
{
	java_output_object(o, &java_shape_hash_set);
	java_write_block(o->out, 12);
	java_write_u32(o->out, output_buckets(count));
	java_write_u32(o->out, MAP_LOAD_FACTOR);
	java_write_u32(o->out, count);
}

void java_output_map(struct java_output *o, uint32_t count)
{
	uint32_t buckets = output_buckets(count);

	java_output_object(o, &java_shape_linked_hash_map);
	java_write_u32(o->out, MAP_LOAD_FACTOR);
	java_write_u32(o->out, buckets / 4 * 3);
	java_write_block(o->out, 8);
	java_write_u32(o->out, buckets);
	java_write_u32(o->out, count);
}

/* The field of LinkedHashMap follows the annotations of HashMap. */
void java_output_map_end(struct java_output *o)
{
	java_write_end(o->out);
	text_putc(o->out, 0); /* accessOrder */
}

void java_output_sorted_map(struct java_output *o, uint32_t count)
{
	java_output_object(o, &java_shape_tree_map);
	java_write_null(o->out);
	java_write_block(o->out, 4);
	java_write_u32(o->out, count);
}

/* Objects without references */

static struct java_output writer_output(struct text *out,
					enum java_dialect dialect)
{
	return (struct java_output){ .out = out,
				     .dialect = dialect,
				     .has_no_references = true };
}

void java_write_object(struct text *out, const struct java_shape *shape,
		       enum java_dialect dialect)
{
	struct java_output o = writer_output(out, dialect);

	java_output_object(&o, shape);
}

void java_write_array(struct text *out, const char *class_name, uint32_t count,
		      enum java_dialect dialect)
{
	struct java_output o = writer_output(out, dialect);

	java_output_array(&o, class_name, count);
}

/* The suid of an enum is 0 (java.io.ObjectStreamClass). */
static void write_enum(struct text *out, const char *class_name,
		       const char *constant)
{
	static const struct java_shape root = {
		.name = "java.lang.Enum",
		.flags = JAVA_SERIALIZABLE | JAVA_IS_ENUM,
	};
	const struct java_shape shape = {
		.name = class_name,
		.flags = JAVA_SERIALIZABLE | JAVA_IS_ENUM,
		.super = &root,
	};
	struct java_output o = writer_output(out, JAVA_PLAIN);

	text_putc(out, TC_ENUM);
	output_class(&o, &shape);
	java_write_string(out, constant, strlen(constant));
}

/* Objects of JMX */

void java_write_text(struct text *out, const char *utf8)
{
	struct java_output o = writer_output(out, JAVA_PLAIN);

	java_output_text(&o, utf8);
}

void java_write_object_name(struct text *out, const char *name,
			    enum java_dialect dialect)
{
	struct java_output o = writer_output(out, dialect);

	java_output_object_name(&o, name);
}

void java_write_strings(struct text *out, const char *const *strings,
			size_t count, enum java_dialect dialect)
{
	struct java_output o = writer_output(out, dialect);

	java_output_strings(&o, strings, count);
}

/* Receivers ignore the hash. */
void java_write_marshalled(struct text *out, const struct text *stream)
{
	java_write_object(out, &java_shape_marshalled, JAVA_OF_RMI);
	java_write_u32(out, 0);
	java_write_null(out);
	java_write_array(out, "[B", (uint32_t)stream->len, JAVA_OF_RMI);
	text_add(out, stream->bytes, stream->len);
}

/* BigInteger, BigDecimal and Date */

/* A BigInteger or BigDecimal. */
struct java_magnitude {
	uint8_t bytes[JAVA_MAGNITUDE_MAX]; /* the least significant first */
	size_t len;                        /* the last byte is not 0 */
	bool is_negative;
	uint32_t scale; /* number of digits after the point */
};

static void magnitude_add_digit(struct java_magnitude *m, unsigned digit)
{
	unsigned carry = digit;

	for (size_t i = 0; i < m->len; i++) {
		carry += m->bytes[i] * 10u;
		m->bytes[i] = (uint8_t)carry;
		carry >>= 8;
	}
	if (carry)
		m->bytes[m->len++] = (uint8_t)carry;
}

/*
 * *scale receives the number of digits after the point.  With scale NULL, a
 * point is not allowed.
 */
static bool magnitude_read_digits(const char *at, struct java_magnitude *m,
				  uint32_t *scale)
{
	size_t digits = 0, behind = 0;
	bool has_point = false;

	for (; *at; at++) {
		if (*at == '.' && scale && !has_point) {
			has_point = true;
			continue;
		}
		if (*at < '0' || *at > '9' || ++digits > DIGITS_MAX)
			return false;
		behind += has_point;
		magnitude_add_digit(m, (unsigned)(*at - '0'));
	}
	if (scale)
		*scale = (uint32_t)behind;
	return digits;
}

static bool magnitude_read(struct java_magnitude *m, const char *text,
			   bool has_scale)
{
	*m = (struct java_magnitude){ .is_negative = *text == '-' };
	return magnitude_read_digits(text + (*text == '-' || *text == '+'), m,
				     has_scale ? &m->scale : NULL);
}

/* BigInteger.writeObject() writes these constants to the four unused fields. */
static void output_big_integer(struct java_output *o,
			       const struct java_magnitude *m)
{
	java_output_object(o, &java_shape_big_integer);
	java_write_u32(o->out, (uint32_t)-1);
	java_write_u32(o->out, (uint32_t)-1);
	java_write_u32(o->out, (uint32_t)-2);
	java_write_u32(o->out, (uint32_t)-2);
	java_write_u32(o->out, m->len ? (m->is_negative ? UINT32_MAX : 1) : 0);
	java_output_array(o, "[B", (uint32_t)m->len);
	for (size_t i = m->len; i-- > 0;)
		text_putc(o->out, (char)m->bytes[i]);
	java_write_end(o->out);
}

bool java_output_big(struct java_output *o, const char *digits, bool is_decimal)
{
	struct java_magnitude m;

	if (!magnitude_read(&m, digits, is_decimal))
		return false;
	if (!is_decimal) {
		output_big_integer(o, &m);
		return true;
	}
	java_output_object(o, &java_shape_big_decimal);
	java_write_u32(o->out, m.scale);
	output_big_integer(o, &m);
	java_write_end(o->out);
	return true;
}

void java_output_date(struct java_output *o, int64_t ms)
{
	java_output_object(o, &java_shape_date);
	java_write_block(o->out, 8);
	java_write_u64(o->out, (uint64_t)ms);
	java_write_end(o->out);
}

/* Values by their type */

const struct java_shape *java_box_shape(const struct java_primitive *p)
{
	static const struct {
		char letter;
		const struct java_shape *shape;
	} boxes[] = {
		{ 'Z', &java_shape_boolean },   { 'B', &java_shape_byte },
		{ 'C', &java_shape_character }, { 'S', &java_shape_short },
		{ 'I', &java_shape_integer },   { 'J', &java_shape_long },
		{ 'F', &java_shape_float },     { 'D', &java_shape_double },
	};
	size_t i = 0;

	while (boxes[i].letter != p->letter)
		i++;
	return boxes[i].shape;
}

static int writer_fail_type(const struct value *v, const char *type,
			    struct error *err)
{
	static const char *const kinds[] = {
		[VALUE_NULL] = "null",
		[VALUE_BOOLEAN] = "a boolean",
		[VALUE_INTEGER] = "a number",
		[VALUE_REAL] = "a number",
		[VALUE_NUMBER] = "a number",
		[VALUE_ARRAY] = "a list",
		[VALUE_COMPOSITE] = "a composite",
		[VALUE_TABULAR] = "a table",
		[VALUE_MAP] = "a map",
		[VALUE_OBJECT] = "an object",
	};
	size_t count = sizeof(kinds) / sizeof(*kinds);
	const char *text = value_text_of(v);

	if (text)
		return fail(err, ERROR_MISUSE, "'%.100s' is not a valid %.100s",
			    text, type);
	return fail(err, ERROR_MISUSE, "%s is not a valid %.100s",
		    v->kind < count && kinds[v->kind] ? kinds[v->kind]
						      : "the value",
		    type);
}

static bool text_to_integer(const char *text, int64_t *integer)
{
	char *end;

	errno = 0;
	*integer = strtoll(text, &end, 10);
	return end != text && !*end && !errno && *text != ' ';
}

static bool text_to_boolean(const char *text, int64_t *integer)
{
	*integer = strcmp(text, "true") == 0;
	return *integer || strcmp(text, "false") == 0;
}

/* Accepts one character of the BMP. */
static bool text_to_char(const struct value_text *text, int64_t *integer)
{
	const uint8_t *at = (const uint8_t *)text->at;

	if (text->len == 1 && at[0] < 0x80)
		*integer = at[0];
	else if (text->len == 2 && (at[0] & 0xe0) == 0xc0)
		*integer = (at[0] & 0x1f) << 6 | (at[1] & 0x3f);
	else if (text->len == 3 && (at[0] & 0xf0) == 0xe0)
		*integer = (at[0] & 0xf) << 12 | (at[1] & 0x3f) << 6 |
			   (at[2] & 0x3f);
	else
		return false;
	return true;
}

static bool value_to_integer(const struct value *v,
			     const struct java_primitive *p, int64_t *integer)
{
	bool is = false;

	if ((v->kind == VALUE_INTEGER && p->letter != 'Z') ||
	    (v->kind == VALUE_BOOLEAN && p->letter == 'Z')) {
		*integer = v->integer;
		is = true;
	} else if (value_text_of(v) && p->letter == 'Z') {
		is = text_to_boolean(v->text.at, integer);
	} else if (value_text_of(v) && p->letter == 'C') {
		is = text_to_char(&v->text, integer);
	} else if (value_text_of(v)) {
		is = text_to_integer(v->text.at, integer);
	}
	return is && *integer >= p->least && *integer <= p->most;
}

static bool text_to_real(const char *text, double *real)
{
	char *end;

	*real = strtod(text, &end);
	return end != text && !*end && *text != ' ';
}

static bool value_to_real(const struct value *v, double *real)
{
	if (v->kind == VALUE_INTEGER)
		*real = (double)v->integer;
	else if (v->kind == VALUE_REAL)
		*real = v->real;
	else
		return value_text_of(v) && text_to_real(v->text.at, real);
	return true;
}

static void primitive_write_real(struct text *out, double real, uint8_t size)
{
	uint64_t bits64;
	uint32_t bits32;
	float narrow = (float)real;

	memcpy(&bits64, &real, sizeof(bits64));
	memcpy(&bits32, &narrow, sizeof(bits32));
	if (size == 8)
		java_write_u64(out, bits64);
	else
		java_write_u32(out, bits32);
}

static void primitive_write_integer(struct text *out, int64_t integer,
				    uint8_t size)
{
	for (int shift = (size - 1) * 8; shift >= 0; shift -= 8)
		text_putc(out, (char)((uint64_t)integer >> shift));
}

int java_write_primitive(struct text *out, const struct value *v,
			 const struct java_primitive *p, struct error *err)
{
	int64_t integer;
	double real;

	if (p->letter == 'F' || p->letter == 'D') {
		if (!value_to_real(v, &real))
			return writer_fail_type(v, p->name, err);
		primitive_write_real(out, real, p->size);
	} else {
		if (!value_to_integer(v, p, &integer))
			return writer_fail_type(v, p->name, err);
		primitive_write_integer(out, integer, p->size);
	}
	return 0;
}

static int writer_text(struct text *out, const struct value *v,
		       const char *type, struct error *err)
{
	if (!value_text_of(v) || v->kind == VALUE_ERROR || v->kind == VALUE_CUT)
		return writer_fail_type(v, type, err);
	java_write_string(out, v->text.at, v->text.len);
	return 0;
}

static int writer_name(struct text *out, const struct value *v,
		       const char *type, struct error *err)
{
	if (!value_text_of(v))
		return writer_fail_type(v, type, err);
	java_write_object_name(out, v->text.at, JAVA_PLAIN);
	return 0;
}

static int writer_date(struct text *out, const struct value *v,
		       const char *type, struct error *err)
{
	struct java_output o;
	int64_t ms;

	if (v->kind == VALUE_DATE || v->kind == VALUE_INTEGER)
		ms = v->integer;
	else if (!value_text_of(v) || !text_to_integer(v->text.at, &ms))
		return writer_fail_type(v, type, err);
	o = writer_output(out, JAVA_PLAIN);
	java_output_date(&o, ms);
	return 0;
}

/* Writes a number of digits, or an integer. */
static int writer_big(struct text *out, const struct value *v, const char *type,
		      struct error *err)
{
	bool is_decimal = strcmp(type, "java.math.BigDecimal") == 0;
	struct java_output o = writer_output(out, JAVA_PLAIN);
	const char *digits = value_text_of(v);
	struct text own = { 0 };
	bool done;

	if (v->kind == VALUE_INTEGER)
		text_printf(&own, "%" PRId64, v->integer);
	if (v->kind == VALUE_INTEGER)
		digits = own.bytes;
	done = digits && java_output_big(&o, digits, is_decimal);
	text_release(&own);
	return done ? 0 : writer_fail_type(v, type, err);
}

static int writer_any(struct text *out, const struct value *v, const char *type,
		      struct error *err)
{
	static const char *const types[] = {
		[VALUE_BOOLEAN] = "boolean",
		[VALUE_INTEGER] = "long",
		[VALUE_REAL] = "double",
		[VALUE_STRING] = "java.lang.String",
		[VALUE_NUMBER] = "java.math.BigDecimal",
		[VALUE_NAME] = "javax.management.ObjectName",
		[VALUE_DATE] = "java.util.Date",
	};
	size_t count = sizeof(types) / sizeof(*types);
	const char *own = v->kind < count ? types[v->kind] : NULL;

	/* An integer keeps its own type: "int". */
	if (v->kind == VALUE_INTEGER &&
	    java_primitive_named(v->type, strlen(v->type)))
		own = v->type;
	if (v->kind == VALUE_NULL) {
		java_write_null(out);
		return 0;
	}
	return own ? java_write_value(out, v, own, err)
		   : writer_fail_type(v, type, err);
}

typedef int writer_fn(struct text *out, const struct value *v, const char *type,
		      struct error *err);

/* clang-format off */
static const struct {
	const char *type;
	writer_fn *write;
} writers[] = {
	{ "java.lang.String", writer_text },
	{ "javax.management.ObjectName", writer_name },
	{ "java.util.Date", writer_date },
	{ "java.math.BigInteger", writer_big },
	{ "java.math.BigDecimal", writer_big },
	{ "java.lang.Object", writer_any },
	{ "java.io.Serializable", writer_any },
	{ "java.lang.Comparable", writer_any },
	{ "java.lang.CharSequence", writer_text },
	{ "java.lang.Number", writer_any },
};
/* clang-format on */

static int writer_primitives(struct text *out, const struct value *v,
			     const struct java_primitive *p, struct error *err)
{
	for (size_t i = 0; i < v->list.count; i++)
		if (java_write_primitive(out, v->list.at[i], p, err))
			return -1;
	return 0;
}

/* Writes the elements of an array of objects ("[Lname;") or arrays. */
static int writer_elements(struct text *out, const struct value *v,
			   const char *type, struct error *err)
{
	struct text element = { 0 };
	size_t len = strlen(type);
	int status = 0;

	if (type[1] == 'L' && type[len - 1] == ';')
		text_add(&element, type + 2, len - 3);
	else
		text_add(&element, type + 1, len - 1);
	for (size_t i = 0; status == 0 && i < v->list.count; i++)
		status = java_write_value(out, v->list.at[i], element.bytes,
					  err);
	text_release(&element);
	return status;
}

static int writer_array(struct text *out, const struct value *v,
			const char *type, struct error *err)
{
	const struct java_primitive *p = type[1] && !type[2]
						 ? java_primitive_of(type[1])
						 : NULL;

	if (v->kind != VALUE_ARRAY || strspn(type, "[") > DIMENSIONS_MAX ||
	    strlen(type) < 2 || strlen(type) > UINT16_MAX)
		return writer_fail_type(v, type, err);
	java_write_array(out, type, (uint32_t)v->list.count, JAVA_PLAIN);
	if (p)
		return writer_primitives(out, v, p, err);
	return writer_elements(out, v, type, err);
}

int java_write_value(struct text *out, const struct value *v, const char *type,
		     struct error *err)
{
	const struct java_primitive *p = java_primitive_named(type,
							      strlen(type));

	if (v->kind == VALUE_NULL && (!p || strchr(type, '.'))) {
		java_write_null(out);
		return 0;
	}
	if (p) {
		java_write_object(out, java_box_shape(p), JAVA_PLAIN);
		return java_write_primitive(out, v, p, err);
	}
	if (type[0] == '[')
		return writer_array(out, v, type, err);
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++)
		if (strcmp(writers[i].type, type) == 0)
			return writers[i].write(out, v, type, err);
	/* Only the JVM can check that the class is an enum. */
	if (v->kind == VALUE_ENUM && strlen(type) <= UINT16_MAX) {
		write_enum(out, type, v->text.at);
		return 0;
	}
	return fail(err, ERROR_MISUSE,
		    "values of type %.100s are not supported", type);
}
