/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/value/java_type.h"

#include <string.h>

/* clang-format off */
static const struct java_primitive primitives[] = {
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

#define PRIMITIVES (sizeof(primitives) / sizeof(*primitives))

const struct java_primitive *java_primitive_of(char letter)
{
	for (size_t i = 0; i < PRIMITIVES; i++)
		if (primitives[i].letter == letter)
			return &primitives[i];
	return NULL;
}

static bool same(const char *name, const char *given, size_t len)
{
	return strlen(name) == len && memcmp(name, given, len) == 0;
}

const struct java_primitive *java_primitive_named(const char *name, size_t len)
{
	for (size_t i = 0; i < PRIMITIVES; i++)
		if (same(primitives[i].name, name, len) ||
		    same(primitives[i].box, name, len))
			return &primitives[i];
	return NULL;
}

/* Known to everybody without their packages. */
static const char *const plain[] = {
	"java.lang.String",
	"javax.management.openmbean.CompositeData",
	"javax.management.openmbean.TabularData",
};

static const char *simple_name(const char *type)
{
	const char *dot = strrchr(type, '.');

	return dot ? dot + 1 : type;
}

/* Takes off what makes it an array; at is then a letter or a class's name. */
static size_t dimensions(const char **at)
{
	size_t count = strspn(*at, "[");

	*at += count;
	return count;
}

/* The element's name into out: of "I", "Ljava.lang.String;". */
static void add_element(const char *at, struct text *out)
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
	size_t count = dimensions(&at);
	struct text name = { 0 };
	const char *shown;

	text_puts(&name, "");
	if (count)
		add_element(at, &name);
	else
		text_puts(&name, type);
	shown = name.bytes;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		if (strcmp(name.bytes, plain[i]) == 0)
			shown = simple_name(shown);
	}
	text_puts(out, shown);
	while (count--)
		text_puts(out, "[]");
	text_release(&name);
}

bool java_type_is(const char *type, const char *given, size_t len)
{
	struct text shown = { 0 }, element = { 0 };
	bool is = same(type, given, len);

	if (!is) {
		java_type_add(&shown, type);
		is = same(shown.bytes, given, len) ||
		     same(simple_name(shown.bytes), given, len);
	}
	/* "java.lang.String[]" */
	if (!is && java_type_element(type, &element)) {
		text_puts(&element, "[]");
		is = same(element.bytes, given, len);
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
		add_element(type + 1, out);
	return true;
}
