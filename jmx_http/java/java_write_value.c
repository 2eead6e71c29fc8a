/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_objects.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arrays of arrays of …; a JVM takes no more than 255. */
#define DIMENSIONS_MAX 8

static const struct java_shape number = {
	.name = "java.lang.Number",
	.suid = 0x86ac951d0b94e08b,
	.flags = JAVA_SERIALIZABLE,
};

/* What a primitive type is as an object, and in an array. */
struct primitive {
	const char *name;
	char type; /* as in java_field; its array is "[" and it */
	uint8_t size;
	int64_t least, most;
	struct java_shape box;
};

/* clang-format off */
#define BOX(name_, suid_, type_, super_) { \
	.name = "java.lang." name_, .suid = (suid_), \
	.flags = JAVA_SERIALIZABLE, .fields = { { (type_), "value", NULL } }, \
	.super = (super_), \
}

static const struct primitive primitives[] = {
	{ "boolean", 'Z', 1, 0, 1,
	  BOX("Boolean", 0xcd207280d59cfaee, 'Z', NULL) },
	{ "byte", 'B', 1, INT8_MIN, INT8_MAX,
	  BOX("Byte", 0x9c4e6084ee50f51c, 'B', &number) },
	{ "char", 'C', 2, 0, UINT16_MAX,
	  BOX("Character", 0x348b47d96b1a2678, 'C', NULL) },
	{ "short", 'S', 2, INT16_MIN, INT16_MAX,
	  BOX("Short", 0x684d37133460da52, 'S', &number) },
	{ "int", 'I', 4, INT32_MIN, INT32_MAX,
	  BOX("Integer", 0x12e2a0a4f7818738, 'I', &number) },
	{ "long", 'J', 8, INT64_MIN, INT64_MAX,
	  BOX("Long", 0x3b8be490cc8f23df, 'J', &number) },
	{ "float", 'F', 4, 0, 0,
	  BOX("Float", 0xdaedc9a2db3cf0ec, 'F', &number) },
	{ "double", 'D', 8, 0, 0,
	  BOX("Double", 0x80b3c24a296bfb04, 'D', &number) },
};
/* clang-format on */

static const struct java_shape date = {
	.name = "java.util.Date",
	.suid = 0x686a81014b597419,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
};

static const struct java_shape array_list = {
	.name = "java.util.ArrayList",
	.suid = 0x7881d21d99c7619d,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = { { 'I', "size", NULL } },
};

static const struct java_shape hash_set = {
	.name = "java.util.HashSet",
	.suid = 0xba44859596b8b734,
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
		return fail(err, ERROR_MISUSE, "'%.100s' is no %.100s", text,
			    type);
	return fail(err, ERROR_MISUSE, "%s is no %.100s",
		    v->kind < count && kinds[v->kind] ? kinds[v->kind]
						      : "the value",
		    type);
}

static const struct primitive *primitive_of(const char *type, size_t len)
{
	for (size_t i = 0; i < sizeof(primitives) / sizeof(*primitives); i++)
		if ((strlen(primitives[i].name) == len &&
		     memcmp(primitives[i].name, type, len) == 0) ||
		    (strlen(primitives[i].box.name) == len &&
		     memcmp(primitives[i].box.name, type, len) == 0))
			return &primitives[i];
	return NULL;
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

static bool integer_of(const struct value *v, const struct primitive *p,
		       int64_t *integer)
{
	bool is = false;

	if ((v->kind == VALUE_INTEGER && p->type != 'Z') ||
	    (v->kind == VALUE_BOOLEAN && p->type == 'Z')) {
		*integer = v->integer;
		is = true;
	} else if (value_text_of(v) && p->type == 'Z') {
		is = boolean_of_text(v->text.at, integer);
	} else if (value_text_of(v) && p->type == 'C') {
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

static void write_integer(struct text *out, int64_t integer, uint8_t size)
{
	for (int shift = (size - 1) * 8; shift >= 0; shift -= 8)
		text_putc(out, (char)((uint64_t)integer >> shift));
}

/* Its bytes alone, as a field or an array has them. */
static int write_primitive(struct text *out, const struct value *v,
			   const struct primitive *p, struct error *err)
{
	int64_t integer;
	double real;

	if (p->type == 'F' || p->type == 'D') {
		if (!real_of(v, &real))
			return is_none(v, p->name, err);
		write_real(out, real, p->size);
	} else {
		if (!integer_of(v, p, &integer))
			return is_none(v, p->name, err);
		write_integer(out, integer, p->size);
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

/* What a list of anything may hold, and what is wanted is not said. */
static int write_any(struct text *out, const struct value *v, const char *type,
		     struct error *err);

static int write_members(struct text *out, const struct value *list,
			 struct error *err)
{
	for (size_t i = 0; i < list->list.count; i++)
		if (write_any(out, list->list.at[i], "java.lang.Object", err))
			return -1;
	java_write_end(out);
	return 0;
}

static int write_list(struct text *out, const struct value *v, const char *type,
		      struct error *err)
{
	if (v->kind != VALUE_ARRAY)
		return is_none(v, type, err);
	java_write_object(out, &array_list, JAVA_PLAIN);
	java_write_u32(out, (uint32_t)v->list.count);
	java_write_block(out, 4);
	java_write_u32(out, (uint32_t)v->list.count);
	return write_members(out, v, err);
}

/* Its capacity is found again from its load factor, 0.75, and its size. */
static int write_set(struct text *out, const struct value *v, const char *type,
		     struct error *err)
{
	if (v->kind != VALUE_ARRAY)
		return is_none(v, type, err);
	java_write_object(out, &hash_set, JAVA_PLAIN);
	java_write_block(out, 12);
	java_write_u32(out, 16);
	write_real(out, 0.75, 4);
	java_write_u32(out, (uint32_t)v->list.count);
	return write_members(out, v, err);
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
		[VALUE_ARRAY] = "java.util.List",
	};
	size_t count = sizeof(types) / sizeof(*types);
	const char *own = v->kind < count ? types[v->kind] : NULL;

	/* A number may say which it is: "int". */
	if (v->kind == VALUE_INTEGER && primitive_of(v->type, strlen(v->type)))
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
	{ "java.util.Set", write_set },
	{ "java.util.HashSet", write_set },
	{ "java.util.List", write_list },
	{ "java.util.Collection", write_list },
	{ "java.util.ArrayList", write_list },
	{ "java.lang.Iterable", write_list },
	{ "java.lang.Object", write_any },
	{ "java.io.Serializable", write_any },
	{ "java.lang.Comparable", write_any },
	{ "java.lang.CharSequence", write_text },
	{ "java.lang.Number", write_any },
};
/* clang-format on */

static int write_primitives(struct text *out, const struct value *v,
			    const struct primitive *p, struct error *err)
{
	for (size_t i = 0; i < v->list.count; i++)
		if (write_primitive(out, v->list.at[i], p, err))
			return -1;
	return 0;
}

static const struct primitive *primitive_of_letter(char letter)
{
	for (size_t i = 0; i < sizeof(primitives) / sizeof(*primitives); i++)
		if (primitives[i].type == letter)
			return &primitives[i];
	return NULL;
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
	const struct primitive *p = type[1] && !type[2]
					    ? primitive_of_letter(type[1])
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
	const struct primitive *p = primitive_of(type, strlen(type));

	if (v->kind == VALUE_NULL && (!p || strchr(type, '.'))) {
		java_write_null(out);
		return 0;
	}
	if (p) {
		java_write_object(out, &p->box, JAVA_PLAIN);
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
	return fail(err, ERROR_MISUSE, "a %.100s cannot be made here", type);
}
