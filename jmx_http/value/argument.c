/* SPDX-License-Identifier: Apache-2.0 */
/* Parses arguments, and ranks the types that an argument could have. */
#include "jmx_http/value/argument.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "jmx_http/value/java_type.h"
#include "jmx_http/value/object_name.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ELEMENTS_MAX 1000000

/* Classes of text; each has a distance to each type. */
enum literal {
	LITERAL_INTEGER,
	LITERAL_REAL,
	LITERAL_BOOLEAN,
	LITERAL_NUMBERS, /* "1,2" */
	LITERAL_NAME,    /* "a:b=c" */
	LITERAL_TEXT,
	LITERALS,
};

#define FAR 60

struct kind;

/* Parses text; type is in the arena already.  NULL and *err on failure. */
typedef const struct value *parse_fn(const struct kind *k, const char *type,
				     const char *text, struct arena *a,
				     struct error *err);

static parse_fn argument_parse_boolean, argument_parse_integer,
	argument_parse_real, argument_parse_number, argument_parse_char,
	argument_parse_string, argument_parse_name, argument_parse_date;

static const struct kind {
	const char *class; /* the box of a primitive type */
	parse_fn *parse;
	bool is_whole; /* of argument_parse_number(): no fraction */
	unsigned char distance[LITERALS];
} kinds[] = {
	/* clang-format off */
	{ "java.lang.Boolean", argument_parse_boolean,
	  .distance = { FAR, FAR, 0, FAR, FAR, FAR } },
	{ "java.lang.Byte", argument_parse_integer,
	  .distance = { 10, FAR, FAR, FAR, FAR, FAR } },
	{ "java.lang.Short", argument_parse_integer,
	  .distance = { 8, FAR, FAR, FAR, FAR, FAR } },
	{ "java.lang.Integer", argument_parse_integer,
	  .distance = { 0, FAR, FAR, FAR, FAR, FAR } },
	{ "java.lang.Long", argument_parse_integer,
	  .distance = { 2, FAR, FAR, FAR, FAR, FAR } },
	{ "java.lang.Float", argument_parse_real,
	  .distance = { 14, 2, FAR, FAR, FAR, 22 } },
	{ "java.lang.Double", argument_parse_real,
	  .distance = { 12, 0, FAR, FAR, FAR, 20 } },
	{ "java.lang.Character", argument_parse_char,
	  .distance = { 22, FAR, FAR, FAR, FAR, 2 } },
	{ "java.math.BigInteger", argument_parse_number, .is_whole = true,
	  .distance = { 16, FAR, FAR, FAR, FAR, FAR } },
	{ "java.math.BigDecimal", argument_parse_number,
	  .distance = { 18, 8, FAR, FAR, FAR, FAR } },
	{ "java.lang.String", argument_parse_string,
	  .distance = { 24, 24, 24, 50, 24, 0 } },
	{ "javax.management.ObjectName", argument_parse_name,
	  .distance = { FAR, FAR, FAR, FAR, 0, FAR } },
	{ "java.util.Date", argument_parse_date,
	  .distance = { 28, FAR, FAR, FAR, FAR, 6 } },
	{ "java.lang.Object", argument_parse_string,
	  .distance = { 26, 26, 26, 52, 26, 4 } },
	/* clang-format on */
};

static bool argument_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const struct java_primitive *argument_primitive(const char *type)
{
	return java_primitive_named(type, strlen(type));
}

/* True for the class that boxes a primitive type. */
static bool argument_is_box(const char *type)
{
	const struct java_primitive *p = argument_primitive(type);

	return p && strcmp(p->box, type) == 0;
}

static const struct kind *argument_kind(const char *type)
{
	const struct java_primitive *p = argument_primitive(type);
	const char *class = p ? p->box : type;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].class, class) == 0)
			return &kinds[i];
	return NULL;
}

/* Reports text that is invalid for the type.  Returns NULL. */
static const struct value *argument_fail(const char *type, const char *text,
					 struct error *err)
{
	const bool is_date = strcmp(type, "java.util.Date") == 0;
	struct text shown = { 0 };

	java_type_add(&shown, type);
	fail(err, ERROR_MISUSE, "'%s' is not a valid %s%s", text, shown.bytes,
	     is_date ? " (examples: 2026-11-21T20:19:00Z, or milliseconds "
		       "since 1970)"
		     : "");
	text_release(&shown);
	return NULL;
}

static const struct value *
argument_parse_boolean(const struct kind *k, const char *type, const char *text,
		       struct arena *a, struct error *err)
{
	bool is_true = strcasecmp(text, "true") == 0;
	struct value *v;

	(void)k;
	if (!is_true && strcasecmp(text, "false") != 0)
		return argument_fail(type, text, err);
	v = value_new(a, VALUE_BOOLEAN, type);
	v->integer = is_true;
	return v;
}

/* "-12" */
static bool text_is_integer(const char *text)
{
	text += text[0] == '-' || text[0] == '+';
	return *text && !text[strspn(text, "0123456789")];
}

static const char *text_skip_digits(const char *at)
{
	return at + strspn(at, "0123456789");
}

/* "-1", "1.5e-3", ".5": numbers that both Java and strtod() read. */
static bool text_is_decimal(const char *text)
{
	const char *at = text + (text[0] == '-' || text[0] == '+');
	const char *whole = at;
	bool has_digits;

	at = text_skip_digits(at);
	has_digits = at > whole;
	if (*at == '.') {
		has_digits |= is_digit(at[1]);
		at = text_skip_digits(at + 1);
	}
	if (!has_digits)
		return false;
	if (*at == 'e' || *at == 'E') {
		at += at[1] == '-' || at[1] == '+' ? 2 : 1;
		if (!is_digit(*at))
			return false;
		at = text_skip_digits(at);
	}
	return !*at;
}

static const struct value *
argument_parse_integer(const struct kind *k, const char *type, const char *text,
		       struct arena *a, struct error *err)
{
	const struct java_primitive *p = argument_primitive(k->class);
	long long number;

	if (!text_is_integer(text))
		return argument_fail(type, text, err);
	errno = 0;
	number = strtoll(text, NULL, 10);
	if (errno || number < p->least || number > p->most) {
		fail(err, ERROR_MISUSE,
		     "%s is too large for %s, which goes from %" PRId64
		     " to %" PRId64,
		     text, p->name, p->least, p->most);
		return NULL;
	}
	return value_integer(a, type, number);
}

static const struct value *
argument_parse_real(const struct kind *k, const char *type, const char *text,
		    struct arena *a, struct error *err)
{
	const char *word = text + (text[0] == '-' || text[0] == '+');
	struct value *v;

	(void)k;
	if (strcmp(word, "NaN") != 0 && strcmp(word, "Infinity") != 0 &&
	    !text_is_decimal(text))
		return argument_fail(type, text, err);
	v = value_new(a, VALUE_REAL, type);
	v->real = strtod(text, NULL);
	return v;
}

static const struct value *
argument_parse_number(const struct kind *k, const char *type, const char *text,
		      struct arena *a, struct error *err)
{
	/* The scale of a Java BigDecimal depends on how it is written. */
	if (k->is_whole ? !text_is_integer(text)
			: !text_is_decimal(text) || strpbrk(text, "eE"))
		return argument_fail(type, text, err);
	return value_text(a, VALUE_NUMBER, type, text, strlen(text));
}

/* A Java char is one UTF-16 unit: at most three bytes of UTF-8. */
static const struct value *
argument_parse_char(const struct kind *k, const char *type, const char *text,
		    struct arena *a, struct error *err)
{
	size_t len = strlen(text), characters = 0;

	(void)k;
	for (size_t i = 0; i < len; i++)
		characters += ((unsigned char)text[i] & 0xc0) != 0x80;
	if (characters != 1 || len > 3)
		return argument_fail(type, text, err);
	return value_text(a, VALUE_STRING, type, text, len);
}

static const struct value *
argument_parse_string(const struct kind *k, const char *type, const char *text,
		      struct arena *a, struct error *err)
{
	(void)k;
	(void)type;
	(void)err;
	if (strcmp(text, "<null>") == 0)
		return &value_null;
	return value_string(a, text);
}

static const struct value *
argument_parse_name(const struct kind *k, const char *type, const char *text,
		    struct arena *a, struct error *err)
{
	(void)k;
	if (strcmp(text, "<null>") == 0)
		return &value_null;
	if (object_name_check(text, NULL, err))
		return NULL;
	return value_text(a, VALUE_NAME, type, text, strlen(text));
}

/* "2026-11-21T20:19:00.5Z" in ms since 1970; false if invalid. */
static bool text_read_time(const char *text, int64_t *ms)
{
	struct tm tm = { 0 }, same;
	const char *at = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t fraction = 0, unit = 100;

	if (!at)
		return false;
	same = tm;
	if (*at == '.') {
		while (is_digit(*++at)) {
			fraction += unit * (*at - '0');
			unit /= 10;
		}
	}
	*ms = (int64_t)timegm(&tm) * 1000 + fraction;
	/* timegm() normalizes dates that do not exist, like February 30. */
	return strcmp(at, "Z") == 0 && tm.tm_mday == same.tm_mday &&
	       tm.tm_mon == same.tm_mon && tm.tm_sec == same.tm_sec;
}

static const struct value *
argument_parse_date(const struct kind *k, const char *type, const char *text,
		    struct arena *a, struct error *err)
{
	struct value *v = value_new(a, VALUE_DATE, type);

	(void)k;
	if (strcmp(text, "<null>") == 0)
		return &value_null;
	if (!text_is_integer(text))
		return text_read_time(text, &v->integer)
			       ? v
			       : argument_fail(type, text, err);
	errno = 0;
	v->integer = strtoll(text, NULL, 10);
	return errno ? argument_fail(type, text, err) : v;
}

/* Copies the next element of "a,b\,c" to out; false after the last. */
static bool argument_next_element(const char **at, struct text *out)
{
	const char *from = *at;

	if (!from)
		return false;
	text_clear(out);
	text_puts(out, "");
	for (; *from && *from != ','; from++) {
		if (from[0] == '\\' && from[1] == ',')
			from++;
		text_putc(out, *from);
	}
	*at = *from ? from + 1 : NULL;
	return true;
}

/* True for an identifier of a class that may be an enum. */
static bool argument_may_be_constant(const char *type, const char *text)
{
	static const char open[] = "javax.management.openmbean.";

	if (!*text || is_digit(*text) || type[0] == '[' ||
	    strncmp(type, open, sizeof(open) - 1) == 0)
		return false;
	for (; *text; text++) {
		if (!is_digit(*text) && !argument_is_letter(*text) &&
		    *text != '_' && *text != '$')
			return false;
	}
	return true;
}

static const struct value *argument_parse_one(const char *type,
					      const char *text, struct arena *a,
					      struct error *err)
{
	const struct kind *k = argument_kind(type);
	struct text shown = { 0 };

	if (argument_is_box(type) && !*text)
		return &value_null;
	if (k)
		return k->parse(k, arena_copy(a, type, strlen(type)), text, a,
				err);
	if (strcmp(text, "<null>") == 0)
		return &value_null;
	if (argument_may_be_constant(type, text))
		return value_text(a, VALUE_ENUM,
				  arena_copy(a, type, strlen(type)), text,
				  strlen(text));
	java_type_add(&shown, type);
	fail(err, ERROR_MISUSE,
	     "a %s cannot be given as text; supported: numbers, true and "
	     "false, "
	     "strings, dates, MBean names, enum constants, and arrays of these "
	     "types",
	     shown.bytes);
	text_release(&shown);
	return NULL;
}

static const struct value *argument_array(const char *type,
					  const struct value *const *elements,
					  size_t count, struct arena *a)
{
	const struct value **copy = arena_alloc(a, count * sizeof(*copy));
	struct value *v = value_new(a, VALUE_ARRAY,
				    arena_copy(a, type, strlen(type)));

	if (count)
		memcpy(copy, elements, count * sizeof(*copy));
	v->list.at = copy;
	v->list.count = count;
	return v;
}

static const struct value *
argument_parse_array(const char *type, const char *element, const char *text,
		     struct arena *a, struct error *err)
{
	const struct value **elements = NULL, *v = NULL;
	size_t count = 0, cap = 0;
	struct text word = { 0 };
	const char *at = text;

	while (argument_next_element(&at, &word)) {
		const struct value *one = argument_parse_one(
			element, word.bytes, a, err);

		if (one && count == ELEMENTS_MAX) {
			fail(err, ERROR_MISUSE, "more than %d elements",
			     ELEMENTS_MAX);
			one = NULL;
		}
		if (!one)
			goto out;
		array_add(elements, count, cap, one);
	}
	v = argument_array(type, elements, count, a);
out:
	if (!v && *text == '[')
		fail_in(err,
			"write elements without brackets and spaces: 1,2,3");
	text_release(&word);
	free(elements);
	return v;
}

const struct value *argument_parse(const char *type, const char *text,
				   struct arena *a, struct error *err)
{
	struct text element = { 0 };
	const struct value *v;

	if (!java_type_element(type, &element))
		return argument_parse_one(type, text, a, err);
	if (strcmp(text, "[]") == 0)
		v = argument_array(type, NULL, 0, a);
	else if (*text)
		v = argument_parse_array(type, element.bytes, text, a, err);
	else
		v = &value_null;
	text_release(&element);
	return v;
}

static bool text_is_numbers(const char *text)
{
	struct text word = { 0 };
	const char *at = text;
	bool all = true;

	while (all && argument_next_element(&at, &word))
		all = text_is_decimal(word.bytes);
	text_release(&word);
	return all;
}

static enum literal text_literal(const char *text)
{
	const char *colon = strchr(text, ':');

	if (text_is_integer(text))
		return LITERAL_INTEGER;
	if (text_is_decimal(text))
		return LITERAL_REAL;
	if (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0)
		return LITERAL_BOOLEAN;
	if (text_is_numbers(text))
		return LITERAL_NUMBERS;
	return colon && strchr(colon, '=') ? LITERAL_NAME : LITERAL_TEXT;
}

/* The distance of "1,2" to an array is that of "1" to its elements. */
static unsigned argument_array_distance(const char *element,
					enum literal literal)
{
	const struct kind *k = argument_kind(element);

	if (!k)
		return 2 * FAR;
	return literal == LITERAL_NUMBERS ? k->distance[LITERAL_INTEGER]
					  : FAR + k->distance[literal];
}

unsigned argument_distance(const char *type, const char *text)
{
	enum literal literal = text_literal(text);
	const struct kind *k = argument_kind(type);
	struct text element = { 0 };
	unsigned distance = 2 * FAR;

	if (k) /* a box is one step farther than its primitive type */
		distance = k->distance[literal] + argument_is_box(type);
	else if (java_type_element(type, &element))
		distance = argument_array_distance(element.bytes, literal);
	text_release(&element);
	return distance;
}
