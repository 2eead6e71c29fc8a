/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_writer.h"

#include "jmx_http/value/java_type.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arrays of arrays of …; a JVM accepts at most 255 dimensions. */
#define DIMENSIONS_MAX 8

/* Each costs as many steps as there are before it. */
#define DIGITS_MAX 2000
#define BYTES_MAX  (DIGITS_MAX / 2)

/* The grammar */

/* java.io.ObjectStreamConstants */
#define TC_NULL         0x70
#define TC_CLASSDESC    0x72
#define TC_OBJECT       0x73
#define TC_STRING       0x74
#define TC_ARRAY        0x75
#define TC_BLOCKDATA    0x77
#define TC_ENDBLOCKDATA 0x78
#define TC_LONGSTRING   0x7c
#define TC_ENUM         0x7e

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

void java_write_header(struct text *out) { text_add(out, "\xac\xed\0\5", 4); }

void java_write_block(struct text *out, uint8_t len)
{
	text_putc(out, TC_BLOCKDATA);
	text_putc(out, (char)len);
}

void java_write_null(struct text *out) { text_putc(out, TC_NULL); }

void java_write_end(struct text *out) { text_putc(out, TC_ENDBLOCKDATA); }

/* The four bytes of a character beyond the BMP, as its two surrogates. */
static void add_surrogates(struct text *out, const uint8_t *utf8)
{
	uint32_t c = (uint32_t)(utf8[0] & 7) << 18 |
		     (uint32_t)(utf8[1] & 63) << 12 |
		     (uint32_t)(utf8[2] & 63) << 6 | (uint32_t)(utf8[3] & 63);

	c -= 0x10000;
	text_utf8(out, 0xd800 + (c >> 10));
	text_utf8(out, 0xdc00 + (c & 0x3ff));
}

static bool is_beyond_bmp(const uint8_t *utf8, size_t left)
{
	return utf8[0] >= 0xf0 && left >= 4;
}

static void add_modified(struct text *out, const uint8_t *utf8, size_t len)
{
	size_t i = 0;

	while (i < len) {
		if (utf8[i] == 0) {
			text_add(out, "\xc0\x80", 2);
			i++;
		} else if (is_beyond_bmp(utf8 + i, len - i)) {
			add_surrogates(out, utf8 + i);
			i += 4;
		} else {
			text_putc(out, (char)utf8[i++]);
		}
	}
}

/* How many bytes add_modified() adds. */
static size_t modified_len(const uint8_t *utf8, size_t len)
{
	size_t i = 0, total = 0;

	while (i < len) {
		bool is_long = is_beyond_bmp(utf8 + i, len - i);

		total += is_long ? 6 : utf8[i] == 0 ? 2 : 1;
		i += is_long ? 4 : 1;
	}
	return total;
}

void java_write_string(struct text *out, const char *utf8, size_t len)
{
	const uint8_t *from = (const uint8_t *)utf8;
	size_t written = modified_len(from, len);

	if (written <= UINT16_MAX) {
		text_putc(out, TC_STRING);
		java_write_u16(out, (uint16_t)written);
	} else {
		text_putc(out, TC_LONGSTRING);
		java_write_u64(out, written);
	}
	add_modified(out, from, len);
}

static void add_name(struct text *out, const char *name)
{
	size_t len = strlen(name);

	java_write_u16(out, (uint16_t)len);
	text_add(out, name, len);
}

static void add_fields(struct text *out, const struct java_shape *shape)
{
	size_t most = sizeof(shape->fields) / sizeof(*shape->fields);
	size_t count = 0;

	while (count < most && shape->fields[count].name)
		count++;
	java_write_u16(out, (uint16_t)count);
	for (size_t i = 0; i < count; i++) {
		const struct java_shape_field *f = &shape->fields[i];

		text_putc(out, f->type);
		add_name(out, f->name);
		if (f->signature)
			java_write_string(out, f->signature,
					  strlen(f->signature));
	}
}

/* A class and those above it, each right behind the one below. */
static void add_class(struct text *out, const struct java_shape *shape,
		      enum java_dialect dialect)
{
	for (; shape; shape = shape->super) {
		text_putc(out, TC_CLASSDESC);
		add_name(out, shape->name);
		java_write_u64(out, shape->suid);
		text_putc(out, (char)shape->flags);
		add_fields(out, shape);
		if (dialect == JAVA_OF_RMI)
			java_write_null(out);
		java_write_end(out);
	}
	java_write_null(out);
}

void java_write_object(struct text *out, const struct java_shape *shape,
		       enum java_dialect dialect)
{
	text_putc(out, TC_OBJECT);
	add_class(out, shape, dialect);
}

/* As JVMs write them; one that is not here is written with 0. */
static uint64_t suid_of_array(const char *class_name)
{
	static const struct {
		const char *name;
		uint64_t suid;
	} arrays[] = {
		{ "[B", 0xacf317f8060854e0 },
		{ "[I", 0x4dba602676eab2a5 },
		{ "[J", 0x782004b512b17593 },
		{ "[Ljava.lang.Object;", 0x90ce589f1073296c },
		{ "[Ljava.lang.String;", 0xadd256e7e91d7b47 },
		{ "[Ljava.rmi.MarshalledObject;", 0x9e683287739f6bfe },
		{ "[Ljava.rmi.server.ObjID;", 0x871300b8d02c647e },
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
	struct java_shape shape = {
		.name = class_name,
		.suid = suid_of_array(class_name),
		.flags = JAVA_SERIALIZABLE,
	};

	text_putc(out, TC_ARRAY);
	add_class(out, &shape, dialect);
	java_write_u32(out, count);
}

void java_write_enum(struct text *out, const char *class_name,
		     const char *constant, enum java_dialect dialect)
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

	text_putc(out, TC_ENUM);
	add_class(out, &shape, dialect);
	java_write_string(out, constant, strlen(constant));
}

/* Objects of JMX */

static const struct java_shape object_name = {
	.name = "javax.management.ObjectName",
	.suid = 0x0f03a71beb6d15cf,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
};

static const struct java_shape marshalled_object = {
	.name = "java.rmi.MarshalledObject",
	.suid = 0x7cbd1e97ed63fc3e,
	.flags = JAVA_SERIALIZABLE,
	.fields = { { 'I', "hash", NULL },
		    { '[', "locBytes", "[B" },
		    { '[', "objBytes", "[B" } },
};

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
	java_write_object(out, &object_name, dialect);
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

/* The hash is of no meaning to who receives it. */
void java_write_marshalled(struct text *out, const struct text *stream)
{
	java_write_object(out, &marshalled_object, JAVA_OF_RMI);
	java_write_u32(out, 0);
	java_write_null(out);
	java_write_array(out, "[B", (uint32_t)stream->len, JAVA_OF_RMI);
	text_add(out, stream->bytes, stream->len);
}

/* Numbers without a bound */

static const struct java_shape number = {
	.name = "java.lang.Number",
	.suid = 0x86ac951d0b94e08b,
	.flags = JAVA_SERIALIZABLE,
};

static const struct java_shape big_integer = {
	.name = "java.math.BigInteger",
	.suid = 0x8cfc9f1fa93bfb1d,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = { { 'I', "bitCount", NULL },
		    { 'I', "bitLength", NULL },
		    { 'I', "firstNonzeroByteNum", NULL },
		    { 'I', "lowestSetBit", NULL },
		    { 'I', "signum", NULL },
		    { '[', "magnitude", "[B" } },
	.super = &number,
};

static const struct java_shape big_decimal = {
	.name = "java.math.BigDecimal",
	.suid = 0x54c71557f981284f,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = { { 'I', "scale", NULL },
		    { 'L', "intVal", "Ljava/math/BigInteger;" } },
	.super = &number,
};

/* A number as its bytes, the last first. */
struct magnitude {
	uint8_t bytes[BYTES_MAX];
	size_t len; /* the last one is not 0 */
};

static void add_digit(struct magnitude *m, unsigned digit)
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

/* *scale: how many digits are behind a point, which is allowed unless NULL. */
static bool read_digits(const char *at, struct magnitude *m, uint32_t *scale)
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
		add_digit(m, (unsigned)(*at - '0'));
	}
	if (scale)
		*scale = (uint32_t)behind;
	return digits;
}

static bool read_number(const char *text, struct magnitude *m, bool *negative,
			uint32_t *scale)
{
	*negative = *text == '-';
	return read_digits(text + (*text == '-' || *text == '+'), m, scale);
}

/* The first four fields are of no meaning since JDK 1.2 and so written by it.
 */
static void write_integer(struct text *out, const struct magnitude *m,
			  bool negative)
{
	java_write_object(out, &big_integer, JAVA_PLAIN);
	java_write_u32(out, (uint32_t)-1);
	java_write_u32(out, (uint32_t)-1);
	java_write_u32(out, (uint32_t)-2);
	java_write_u32(out, (uint32_t)-2);
	java_write_u32(out, m->len ? (negative ? UINT32_MAX : 1) : 0);
	java_write_array(out, "[B", (uint32_t)m->len, JAVA_PLAIN);
	for (size_t i = m->len; i-- > 0;)
		text_putc(out, (char)m->bytes[i]);
	java_write_end(out);
}

bool java_write_big_integer(struct text *out, const char *digits)
{
	struct magnitude m = { .len = 0 };
	bool negative;

	if (!read_number(digits, &m, &negative, NULL))
		return false;
	write_integer(out, &m, negative);
	return true;
}

bool java_write_big_decimal(struct text *out, const char *digits)
{
	struct magnitude m = { .len = 0 };
	uint32_t scale;
	bool negative;

	if (!read_number(digits, &m, &negative, &scale))
		return false;
	java_write_object(out, &big_decimal, JAVA_PLAIN);
	java_write_u32(out, scale);
	write_integer(out, &m, negative);
	java_write_end(out);
	return true;
}

/* Values by their type */

/* The serialVersionUID of each primitive type's box. */
static const struct {
	char letter;
	uint64_t suid;
} boxes[] = {
	{ 'Z', 0xcd207280d59cfaee }, { 'B', 0x9c4e6084ee50f51c },
	{ 'C', 0x348b47d96b1a2678 }, { 'S', 0x684d37133460da52 },
	{ 'I', 0x12e2a0a4f7818738 }, { 'J', 0x3b8be490cc8f23df },
	{ 'F', 0xdaedc9a2db3cf0ec }, { 'D', 0x80b3c24a296bfb04 },
};

static const struct java_shape date = {
	.name = "java.util.Date",
	.suid = 0x686a81014b597419,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
};

static int is_none(const struct value *v, const char *type, struct error *err)
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

/* Begins a box; its value is to follow. */
static void write_box(struct text *out, const struct java_primitive *p)
{
	struct java_shape shape = {
		.name = p->box,
		.flags = JAVA_SERIALIZABLE,
		.fields = { { p->letter, "value", NULL } },
		.super = p->letter == 'Z' || p->letter == 'C' ? NULL : &number,
	};

	for (size_t i = 0; i < sizeof(boxes) / sizeof(*boxes); i++)
		if (boxes[i].letter == p->letter)
			shape.suid = boxes[i].suid;
	java_write_object(out, &shape, JAVA_PLAIN);
}

static bool integer_of_text(const char *text, int64_t *integer)
{
	char *end;

	errno = 0;
	*integer = strtoll(text, &end, 10);
	return end != text && !*end && !errno && *text != ' ';
}

static bool boolean_of_text(const char *text, int64_t *integer)
{
	*integer = strcmp(text, "true") == 0;
	return *integer || strcmp(text, "false") == 0;
}

/* One character of the BMP. */
static bool char_of_text(const struct value_text *text, int64_t *integer)
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

static bool integer_of(const struct value *v, const struct java_primitive *p,
		       int64_t *integer)
{
	bool is = false;

	if ((v->kind == VALUE_INTEGER && p->letter != 'Z') ||
	    (v->kind == VALUE_BOOLEAN && p->letter == 'Z')) {
		*integer = v->integer;
		is = true;
	} else if (value_text_of(v) && p->letter == 'Z') {
		is = boolean_of_text(v->text.at, integer);
	} else if (value_text_of(v) && p->letter == 'C') {
		is = char_of_text(&v->text, integer);
	} else if (value_text_of(v)) {
		is = integer_of_text(v->text.at, integer);
	}
	return is && *integer >= p->least && *integer <= p->most;
}

static bool real_of_text(const char *text, double *real)
{
	char *end;

	*real = strtod(text, &end);
	return end != text && !*end && *text != ' ';
}

static bool real_of(const struct value *v, double *real)
{
	if (v->kind == VALUE_INTEGER)
		*real = (double)v->integer;
	else if (v->kind == VALUE_REAL)
		*real = v->real;
	else
		return value_text_of(v) && real_of_text(v->text.at, real);
	return true;
}

static void write_real(struct text *out, double real, uint8_t size)
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

static void write_fixed(struct text *out, int64_t integer, uint8_t size)
{
	for (int shift = (size - 1) * 8; shift >= 0; shift -= 8)
		text_putc(out, (char)((uint64_t)integer >> shift));
}

/* Its bytes alone, as a field or an array has them. */
static int write_primitive(struct text *out, const struct value *v,
			   const struct java_primitive *p, struct error *err)
{
	int64_t integer;
	double real;

	if (p->letter == 'F' || p->letter == 'D') {
		if (!real_of(v, &real))
			return is_none(v, p->name, err);
		write_real(out, real, p->size);
	} else {
		if (!integer_of(v, p, &integer))
			return is_none(v, p->name, err);
		write_fixed(out, integer, p->size);
	}
	return 0;
}

static int write_text(struct text *out, const struct value *v, const char *type,
		      struct error *err)
{
	if (!value_text_of(v) || v->kind == VALUE_ERROR || v->kind == VALUE_CUT)
		return is_none(v, type, err);
	java_write_string(out, v->text.at, v->text.len);
	return 0;
}

static int write_name(struct text *out, const struct value *v, const char *type,
		      struct error *err)
{
	if (!value_text_of(v))
		return is_none(v, type, err);
	java_write_object_name(out, v->text.at, JAVA_PLAIN);
	return 0;
}

static int write_date(struct text *out, const struct value *v, const char *type,
		      struct error *err)
{
	int64_t ms;

	if (v->kind == VALUE_DATE || v->kind == VALUE_INTEGER)
		ms = v->integer;
	else if (!value_text_of(v) || !integer_of_text(v->text.at, &ms))
		return is_none(v, type, err);
	java_write_object(out, &date, JAVA_PLAIN);
	java_write_block(out, 8);
	java_write_u64(out, (uint64_t)ms);
	java_write_end(out);
	return 0;
}

/* Digits may be those of an integer, too. */
static int write_big(struct text *out, const struct value *v, const char *type,
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
	return done ? 0 : is_none(v, type, err);
}

static int write_any(struct text *out, const struct value *v, const char *type,
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

	/* A number may say which it is: "int". */
	if (v->kind == VALUE_INTEGER &&
	    java_primitive_named(v->type, strlen(v->type)))
		own = v->type;
	if (v->kind == VALUE_NULL) {
		java_write_null(out);
		return 0;
	}
	return own ? java_write_value(out, v, own, err) : is_none(v, type, err);
}

typedef int write_fn(struct text *out, const struct value *v, const char *type,
		     struct error *err);

/* clang-format off */
static const struct {
	const char *type;
	write_fn *write;
} writers[] = {
	{ "java.lang.String", write_text },
	{ "javax.management.ObjectName", write_name },
	{ "java.util.Date", write_date },
	{ "java.math.BigInteger", write_big },
	{ "java.math.BigDecimal", write_big },
	{ "java.lang.Object", write_any },
	{ "java.io.Serializable", write_any },
	{ "java.lang.Comparable", write_any },
	{ "java.lang.CharSequence", write_text },
	{ "java.lang.Number", write_any },
};
/* clang-format on */

static int write_primitives(struct text *out, const struct value *v,
			    const struct java_primitive *p, struct error *err)
{
	for (size_t i = 0; i < v->list.count; i++)
		if (write_primitive(out, v->list.at[i], p, err))
			return -1;
	return 0;
}

/* Elements of "[Lname;" and "[[…": of type[1…]. */
static int write_elements(struct text *out, const struct value *v,
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

static int write_array(struct text *out, const struct value *v,
		       const char *type, struct error *err)
{
	const struct java_primitive *p = type[1] && !type[2]
						 ? java_primitive_of(type[1])
						 : NULL;

	if (v->kind != VALUE_ARRAY || strspn(type, "[") > DIMENSIONS_MAX ||
	    strlen(type) < 2 || strlen(type) > UINT16_MAX)
		return is_none(v, type, err);
	java_write_array(out, type, (uint32_t)v->list.count, JAVA_PLAIN);
	if (p)
		return write_primitives(out, v, p, err);
	return write_elements(out, v, type, err);
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
		write_box(out, p);
		return write_primitive(out, v, p, err);
	}
	if (type[0] == '[')
		return write_array(out, v, type, err);
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++)
		if (strcmp(writers[i].type, type) == 0)
			return writers[i].write(out, v, type, err);
	/* Whether it is an enum, and has the constant, the JVM will say. */
	if (v->kind == VALUE_ENUM && strlen(type) <= UINT16_MAX) {
		java_write_enum(out, type, v->text.at, JAVA_PLAIN);
		return 0;
	}
	return fail(err, ERROR_MISUSE,
		    "values of type %.100s are not supported", type);
}
