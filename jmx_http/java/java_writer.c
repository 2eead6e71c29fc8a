/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the grammar, the objects of JMX calls, and values by their type. */
#include "jmx_http/java/java_writer.h"

#include "core/base/safe_text.h"
#include "jmx_http/java/java_output.h"
#include "jmx_http/java/java_shapes.h"
#include "jmx_http/value/java_type.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Dimensions of an array; a JVM accepts at most 255. */
#define DIMENSIONS_MAX 8

/* The time to convert digits grows with their square. */
#define DIGITS_MAX ((size_t)2 * JAVA_MAGNITUDE_MAX)

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

bool java_write_modified(struct text *out, struct java_bytes s)
{
	const uint8_t *at = (const uint8_t *)s.at;

	if (!string_is_modified(at, at + s.len))
		return false;
	string_add_head(out, s.len);
	text_add(out, s.at, s.len);
	return true;
}

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

uint64_t java_array_suid(const char *class_name)
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
	java_output_class(&o, &shape);
	java_write_string(out, constant, strlen(constant));
}

/* Objects of JMX */

void java_write_text(struct text *out, const char *utf8)
{
	if (utf8)
		java_write_string(out, utf8, strlen(utf8));
	else
		java_write_null(out);
}

void java_write_object_name(struct text *out, const char *name,
			    enum java_dialect dialect)
{
	if (!name) {
		java_write_null(out);
		return;
	}
	java_write_object(out, &java_shape_object_name, dialect);
	java_write_text(out, name);
	java_write_end(out);
}

void java_write_strings(struct text *out, const char *const *strings,
			size_t count, enum java_dialect dialect)
{
	java_write_array(out, "[Ljava.lang.String;", (uint32_t)count, dialect);
	for (size_t i = 0; i < count; i++)
		java_write_text(out, strings[i]);
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

/* BigInteger and BigDecimal */

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

bool java_magnitude_read(struct java_magnitude *m, const char *text,
			 bool has_scale)
{
	*m = (struct java_magnitude){ .is_negative = *text == '-' };
	return magnitude_read_digits(text + (*text == '-' || *text == '+'), m,
				     has_scale ? &m->scale : NULL);
}

/* BigInteger.writeObject() writes these constants to the four unused fields. */
void java_magnitude_write_fields(struct text *out,
				 const struct java_magnitude *m)
{
	java_write_u32(out, (uint32_t)-1);
	java_write_u32(out, (uint32_t)-1);
	java_write_u32(out, (uint32_t)-2);
	java_write_u32(out, (uint32_t)-2);
	java_write_u32(out, m->len ? (m->is_negative ? UINT32_MAX : 1) : 0);
}

void java_magnitude_write_bytes(struct text *out,
				const struct java_magnitude *m)
{
	for (size_t i = m->len; i-- > 0;)
		text_putc(out, (char)m->bytes[i]);
}

static void magnitude_write(struct text *out, const struct java_magnitude *m)
{
	java_write_object(out, &java_shape_big_integer, JAVA_PLAIN);
	java_magnitude_write_fields(out, m);
	java_write_array(out, "[B", (uint32_t)m->len, JAVA_PLAIN);
	java_magnitude_write_bytes(out, m);
	java_write_end(out);
}

bool java_write_big_integer(struct text *out, const char *digits)
{
	struct java_magnitude m;

	if (!java_magnitude_read(&m, digits, false))
		return false;
	magnitude_write(out, &m);
	return true;
}

bool java_write_big_decimal(struct text *out, const char *digits)
{
	struct java_magnitude m;

	if (!java_magnitude_read(&m, digits, true))
		return false;
	java_write_object(out, &java_shape_big_decimal, JAVA_PLAIN);
	java_write_u32(out, m.scale);
	magnitude_write(out, &m);
	java_write_end(out);
	return true;
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
	int64_t ms;

	if (v->kind == VALUE_DATE || v->kind == VALUE_INTEGER)
		ms = v->integer;
	else if (!value_text_of(v) || !text_to_integer(v->text.at, &ms))
		return writer_fail_type(v, type, err);
	java_write_object(out, &java_shape_date, JAVA_PLAIN);
	java_write_block(out, 8);
	java_write_u64(out, (uint64_t)ms);
	java_write_end(out);
	return 0;
}

/* Writes a number of digits, or an integer. */
static int writer_big(struct text *out, const struct value *v, const char *type,
		      struct error *err)
{
	bool is_integer = strcmp(type, "java.math.BigInteger") == 0;
	const char *digits = value_text_of(v);
	struct text own = { 0 };
	bool done;

	if (v->kind == VALUE_INTEGER)
		text_printf(&own, "%" PRId64, v->integer);
	if (v->kind == VALUE_INTEGER)
		digits = own.bytes;
	done = digits && (is_integer ? java_write_big_integer(out, digits)
				     : java_write_big_decimal(out, digits));
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
