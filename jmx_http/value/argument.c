/* SPDX-License-Identifier: Apache-2.0 */
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

/* What a text looks like, to which types are near or far. */
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

/* type is of the arena; NULL and *err. */
typedef const struct value *parse_fn(const struct kind *k, const char *type,
				     const char *text, struct arena *a,
				     struct error *err);

static parse_fn parse_boolean, parse_integer, parse_real, parse_number,
	parse_char, parse_string, parse_name, parse_date;

static const struct kind {
	const char *class; /* of a primitive type its box */
	parse_fn *parse;
	bool is_whole; /* of numbers without a bound */
	unsigned char distance[LITERALS];
} kinds[] = {
	/* clang-format off */
	{ "java.lang.Boolean", parse_boolean,
	  .distance = { FAR, FAR, 0, FAR, FAR, FAR } },
	{ "java.lang.Byte", parse_integer,
	  .distance = { 10, FAR, FAR, FAR, FAR, FAR } },
	{ "java.lang.Short", parse_integer,
	  .distance = { 8, FAR, FAR, FAR, FAR, FAR } },
	{ "java.lang.Integer", parse_integer,
	  .distance = { 0, FAR, FAR, FAR, FAR, FAR } },
	{ "java.lang.Long", parse_integer,
	  .distance = { 2, FAR, FAR, FAR, FAR, FAR } },
	{ "java.lang.Float", parse_real,
	  .distance = { 14, 2, FAR, FAR, FAR, 22 } },
	{ "java.lang.Double", parse_real,
	  .distance = { 12, 0, FAR, FAR, FAR, 20 } },
	{ "java.lang.Character", parse_char,
	  .distance = { 22, FAR, FAR, FAR, FAR, 2 } },
	{ "java.math.BigInteger", parse_number, .is_whole = true,
	  .distance = { 16, FAR, FAR, FAR, FAR, FAR } },
	{ "java.math.BigDecimal", parse_number,
	  .distance = { 18, 8, FAR, FAR, FAR, FAR } },
	{ "java.lang.String", parse_string,
	  .distance = { 24, 24, 24, 50, 24, 0 } },
	{ "javax.management.ObjectName", parse_name,
	  .distance = { FAR, FAR, FAR, FAR, 0, FAR } },
	{ "java.util.Date", parse_date,
	  .distance = { 28, FAR, FAR, FAR, FAR, 6 } },
	{ "java.lang.Object", parse_string,
	  .distance = { 26, 26, 26, 52, 26, 4 } },
	/* clang-format on */
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const struct java_primitive *primitive_of(const char *type)
{
	return java_primitive_named(type, strlen(type));
}

/* True for the class that boxes a primitive type. */
static bool is_box(const char *type)
{
	const struct java_primitive *p = primitive_of(type);

	return p && strcmp(p->box, type) == 0;
}

static const struct kind *kind_of(const char *type)
{
	const struct java_primitive *p = primitive_of(type);
	const char *class = p ? p->box : type;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].class, class) == 0)
			return &kinds[i];
	return NULL;
}

/* NULL, for the parsers to return. */
static const struct value *no(const char *type, const char *text,
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

static const struct value *parse_boolean(const struct kind *k, const char *type,
					 const char *text, struct arena *a,
					 struct error *err)
{
	bool is_true = strcasecmp(text, "true") == 0;
	struct value *v;

	(void)k;
	if (!is_true && strcasecmp(text, "false") != 0)
		return no(type, text, err);
	v = value_new(a, VALUE_BOOLEAN, type);
	v->integer = is_true;
	return v;
}

/* "-12"; at the end of text. */
static bool is_whole(const char *text)
{
	text += text[0] == '-' || text[0] == '+';
	return *text && !text[strspn(text, "0123456789")];
}

static const char *pass_digits(const char *at)
{
	return at + strspn(at, "0123456789");
}

/* "-1", "1.5e-3", ".5": what Java and strtod() both read. */
static bool is_decimal(const char *text)
{
	const char *at = text + (text[0] == '-' || text[0] == '+');
	const char *whole = at;
	bool has_digits;

	at = pass_digits(at);
	has_digits = at > whole;
	if (*at == '.') {
		has_digits |= is_digit(at[1]);
		at = pass_digits(at + 1);
	}
	if (!has_digits)
		return false;
	if (*at == 'e' || *at == 'E') {
		at += at[1] == '-' || at[1] == '+' ? 2 : 1;
		if (!is_digit(*at))
			return false;
		at = pass_digits(at);
	}
	return !*at;
}

static const struct value *parse_integer(const struct kind *k, const char *type,
					 const char *text, struct arena *a,
					 struct error *err)
{
	const struct java_primitive *p = primitive_of(k->class);
	long long number;

	if (!is_whole(text))
		return no(type, text, err);
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

static const struct value *parse_real(const struct kind *k, const char *type,
				      const char *text, struct arena *a,
				      struct error *err)
{
	const char *word = text + (text[0] == '-' || text[0] == '+');
	struct value *v;

	(void)k;
	if (strcmp(word, "NaN") != 0 && strcmp(word, "Infinity") != 0 &&
	    !is_decimal(text))
		return no(type, text, err);
	v = value_new(a, VALUE_REAL, type);
	v->real = strtod(text, NULL);
	return v;
}

static const struct value *parse_number(const struct kind *k, const char *type,
					const char *text, struct arena *a,
					struct error *err)
{
	/* Java's BigDecimal keeps an exponent, and that it is none. */
	if (k->is_whole ? !is_whole(text)
			: !is_decimal(text) || strpbrk(text, "eE"))
		return no(type, text, err);
	return value_text(a, VALUE_NUMBER, type, text, strlen(text));
}

/* One of UTF-16's units, as Java's char is. */
static const struct value *parse_char(const struct kind *k, const char *type,
				      const char *text, struct arena *a,
				      struct error *err)
{
	size_t len = strlen(text), characters = 0;

	(void)k;
	for (size_t i = 0; i < len; i++)
		characters += ((unsigned char)text[i] & 0xc0) != 0x80;
	if (characters != 1 || len > 3)
		return no(type, text, err);
	return value_text(a, VALUE_STRING, type, text, len);
}

static const struct value *parse_string(const struct kind *k, const char *type,
					const char *text, struct arena *a,
					struct error *err)
{
	(void)k;
	(void)type;
	(void)err;
	if (strcmp(text, "<null>") == 0)
		return &value_null;
	return value_string(a, text);
}

static const struct value *parse_name(const struct kind *k, const char *type,
				      const char *text, struct arena *a,
				      struct error *err)
{
	struct object_name name;

	(void)k;
	if (strcmp(text, "<null>") == 0)
		return &value_null;
	if (object_name_parse(&name, text, strlen(text), err))
		return NULL;
	object_name_release(&name);
	return value_text(a, VALUE_NAME, type, text, strlen(text));
}

/* "2026-11-21T20:19:00.5Z" in ms; false when it is no such time. */
static bool read_time(const char *text, int64_t *ms)
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
	/* The 30th of February would be another day. */
	return strcmp(at, "Z") == 0 && tm.tm_mday == same.tm_mday &&
	       tm.tm_mon == same.tm_mon && tm.tm_sec == same.tm_sec;
}

static const struct value *parse_date(const struct kind *k, const char *type,
				      const char *text, struct arena *a,
				      struct error *err)
{
	struct value *v = value_new(a, VALUE_DATE, type);

	(void)k;
	if (strcmp(text, "<null>") == 0)
		return &value_null;
	if (!is_whole(text))
		return read_time(text, &v->integer) ? v : no(type, text, err);
	/* Of it alone: a time zone that is not there sets it, too. */
	errno = 0;
	v->integer = strtoll(text, NULL, 10);
	return errno ? no(type, text, err) : v;
}

/* Takes the next element of "a,b\,c" into out; false behind the last. */
static bool next_element(const char **at, struct text *out)
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

/* "GREEN", of a class that may be an enum: only the JVM knows. */
static bool may_be_constant(const char *type, const char *text)
{
	static const char open[] = "javax.management.openmbean.";

	if (!*text || is_digit(*text) || type[0] == '[' ||
	    strncmp(type, open, sizeof(open) - 1) == 0)
		return false;
	for (; *text; text++) {
		if (!is_digit(*text) && !is_letter(*text) && *text != '_' &&
		    *text != '$')
			return false;
	}
	return true;
}

static const struct value *parse_one(const char *type, const char *text,
				     struct arena *a, struct error *err)
{
	const struct kind *k = kind_of(type);
	struct text shown = { 0 };

	if (is_box(type) && !*text)
		return &value_null;
	if (k)
		return k->parse(k, arena_copy(a, type, strlen(type)), text, a,
				err);
	if (strcmp(text, "<null>") == 0)
		return &value_null;
	if (may_be_constant(type, text))
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

static const struct value *array_of(const char *type,
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

static const struct value *parse_array(const char *type, const char *element,
				       const char *text, struct arena *a,
				       struct error *err)
{
	const struct value **elements = NULL, *v = NULL;
	size_t count = 0, cap = 0;
	struct text word = { 0 };
	const char *at = text;

	while (next_element(&at, &word)) {
		const struct value *one = parse_one(element, word.bytes, a,
						    err);

		if (one && count == ELEMENTS_MAX) {
			fail(err, ERROR_MISUSE, "more than %d elements",
			     ELEMENTS_MAX);
			one = NULL;
		}
		if (!one)
			goto out;
		array_reserve(elements, cap, count + 1);
		elements[count++] = one;
	}
	v = array_of(type, elements, count, a);
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
		return parse_one(type, text, a, err);
	if (*text)
		v = parse_array(type, element.bytes, text, a, err);
	else
		v = &value_null;
	text_release(&element);
	return v;
}

static bool are_numbers(const char *text)
{
	struct text word = { 0 };
	const char *at = text;
	bool all = true;

	while (all && next_element(&at, &word))
		all = is_decimal(word.bytes);
	text_release(&word);
	return all;
}

static enum literal literal_of(const char *text)
{
	const char *colon = strchr(text, ':');

	if (is_whole(text))
		return LITERAL_INTEGER;
	if (is_decimal(text))
		return LITERAL_REAL;
	if (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0)
		return LITERAL_BOOLEAN;
	if (are_numbers(text))
		return LITERAL_NUMBERS;
	return colon && strchr(colon, '=') ? LITERAL_NAME : LITERAL_TEXT;
}

/* Of "1,2" to an array, as of "1" to its elements. */
static unsigned array_distance(const char *element, enum literal literal)
{
	const struct kind *k = kind_of(element);

	if (!k)
		return 2 * FAR;
	return literal == LITERAL_NUMBERS ? k->distance[LITERAL_INTEGER]
					  : FAR + k->distance[literal];
}

unsigned argument_distance(const char *type, const char *text)
{
	enum literal literal = literal_of(text);
	const struct kind *k = kind_of(type);
	struct text element = { 0 };
	unsigned distance = 2 * FAR;

	if (k) /* a box comes right behind its primitive type */
		distance = k->distance[literal] + is_box(type);
	else if (java_type_element(type, &element))
		distance = array_distance(element.bytes, literal);
	text_release(&element);
	return distance;
}
