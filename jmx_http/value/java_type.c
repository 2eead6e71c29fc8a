/* SPDX-License-Identifier: Apache-2.0 */
/* Converts and compares the spellings of Java types. */
#include "jmx_http/value/java_type.h"

#include <string.h>

/* clang-format off */
static const struct java_primitive java_primitives[] = {
	{ 'Z', "boolean", "java.lang.Boolean", 1, 0, 1 },
	{ 'B', "byte", "java.lang.Byte", 1, INT8_MIN, INT8_MAX },
	{ 'C', "char", "java.lang.Character", 2, 0, UINT16_MAX },
	{ 'S', "short", "java.lang.Short", 2, INT16_MIN, INT16_MAX },
	{ 'I', "int", "java.lang.Integer", 4, INT32_MIN, INT32_MAX },
	{ 'J', "long", "java.lang.Long", 8, INT64_MIN, INT64_MAX },
	{ 'F', "float", "java.lang.Float", 4, 0, 0 },
	{ 'D', "double", "java.lang.Double", 8, 0, 0 },
};
/* clang-format on */

#define PRIMITIVES (sizeof(java_primitives) / sizeof(*java_primitives))

const struct java_primitive *java_primitive_of(char letter)
{
	for (size_t i = 0; i < PRIMITIVES; i++)
		if (java_primitives[i].letter == letter)
			return &java_primitives[i];
	return NULL;
}

static bool java_type_text_is(const char *name, const char *given, size_t len)
{
	return strlen(name) == len && memcmp(name, given, len) == 0;
}

const struct java_primitive *java_primitive_named(const char *name, size_t len)
{
	/* Types of JSON values are often unknown. */
	for (size_t i = 0; len && i < PRIMITIVES; i++)
		if (java_type_text_is(java_primitives[i].name, name, len) ||
		    java_type_text_is(java_primitives[i].box, name, len))
			return &java_primitives[i];
	return NULL;
}

/* Types that SJK prints without their package. */
static const char *const java_type_short[] = {
	"java.lang.String",
	"javax.management.openmbean.CompositeData",
	"javax.management.openmbean.TabularData",
};

static const char *java_type_simple_name(const char *type)
{
	const char *dot = strrchr(type, '.');

	return dot ? dot + 1 : type;
}

/* Skips the '[' of an array type.  Returns the number of dimensions. */
static size_t java_type_skip_dimensions(const char **at)
{
	size_t count = strspn(*at, "[");

	*at += count;
	return count;
}

/* Appends the name of an element type: "I", "Ljava.lang.String;". */
static void java_type_add_element(const char *at, struct text *out)
{
	size_t len = strlen(at);
	const struct java_primitive *p = len == 1 ? java_primitive_of(*at)
						  : NULL;

	if (p)
		text_puts(out, p->name);
	else if (len > 2 && at[0] == 'L' && at[len - 1] == ';')
		text_add(out, at + 1, len - 2);
	else
		text_puts(out, at);
}

void java_type_add(struct text *out, const char *type)
{
	const char *at = type;
	size_t count = java_type_skip_dimensions(&at);
	struct text name = { 0 };
	const char *shown;

	text_puts(&name, "");
	if (count)
		java_type_add_element(at, &name);
	else
		text_puts(&name, type);
	shown = name.bytes;
	for (size_t i = 0;
	     i < sizeof(java_type_short) / sizeof(*java_type_short); i++) {
		if (strcmp(name.bytes, java_type_short[i]) == 0)
			shown = java_type_simple_name(shown);
	}
	text_puts(out, shown);
	while (count--)
		text_puts(out, "[]");
	text_release(&name);
}

bool java_type_is(const char *type, const char *given, size_t len)
{
	struct text shown = { 0 }, element = { 0 };
	bool is = java_type_text_is(type, given, len);

	if (!is) {
		java_type_add(&shown, type);
		is = java_type_text_is(shown.bytes, given, len) ||
		     java_type_text_is(java_type_simple_name(shown.bytes),
				       given, len);
	}
	/* "java.lang.String[]" */
	if (!is && java_type_element(type, &element)) {
		text_puts(&element, "[]");
		is = java_type_text_is(element.bytes, given, len);
	}
	text_release(&shown);
	text_release(&element);
	return is;
}

bool java_type_element(const char *type, struct text *out)
{
	if (type[0] != '[')
		return false;
	if (type[1] == '[')
		text_puts(out, type + 1);
	else
		java_type_add_element(type + 1, out);
	return true;
}
