/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses and matches names as ObjectName.construct() of JDK 17, including its
 * oddities: any one character after a quoted value counts as the comma.
 */
#include "jmx_http/value/object_name.h"

#include "core/base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The parser splits the name's storage into strings in place. */
struct parser {
	struct object_name *n;
	char *text;
	size_t at, len;
	size_t property_cap;
};

static int name_fail(const struct parser *p, const char *what,
		     struct error *err)
{
	return fail(err, ERROR_MISUSE,
		    "invalid MBean name: %s, at character %zu", what,
		    p->at + 1);
}

/* c is not NUL: object_name_parse() rejects NULs first. */
static bool name_is_one_of(char c, const char *set) { return strchr(set, c); }

static bool name_is_wild(char c) { return c == '*' || c == '?'; }

static bool name_has_wild(const char *text)
{
	return text[strcspn(text, "*?")];
}

static int name_parse_domain(struct parser *p, struct error *err)
{
	char *colon = memchr(p->text, ':', p->len);
	char *feed = memchr(p->text, '\n', p->len);

	if (!colon) {
		p->at = p->len;
		return name_fail(p, "no ':' after the domain", err);
	}
	if (feed && feed < colon) {
		p->at = (size_t)(feed - p->text);
		return name_fail(p, "a newline in the domain", err);
	}
	*colon = '\0';
	p->n->domain = p->text;
	p->n->domain_is_pattern = name_has_wild(p->text);
	p->at = (size_t)(colon - p->text) + 1;
	if (p->at == p->len)
		return name_fail(p, "no properties", err);
	return 0;
}

/* The '*' that matches further properties. */
static int name_parse_star(struct parser *p, struct error *err)
{
	if (p->n->list_is_pattern)
		return name_fail(p, "a second '*' for a property", err);
	p->n->list_is_pattern = true;
	p->at++;
	if (p->at < p->len && p->text[p->at] != ',')
		return name_fail(p, "a character other than ',' after '*'",
				 err);
	p->at += p->at < p->len;
	return 0;
}

static int name_parse_key(struct parser *p, struct error *err)
{
	size_t begin = p->at;

	while (p->at < p->len && p->text[p->at] != '=') {
		if (name_is_one_of(p->text[p->at], "*?,:\n"))
			return name_fail(
				p, "a character that is not allowed in a key",
				err);
		p->at++;
	}
	if (p->at == p->len)
		return name_fail(p, "a key without '=' and a value", err);
	if (p->at == begin)
		return name_fail(p, "an empty key", err);
	p->text[p->at++] = '\0';
	return 0;
}

/* Skips a quoted value and its closing quote. */
static int name_skip_quoted(struct parser *p, bool *is_pattern,
			    struct error *err)
{
	for (p->at++; p->at < p->len && p->text[p->at] != '"'; p->at++) {
		char c = p->text[p->at];

		if (c == '\n')
			return name_fail(p, "a newline in a quoted value", err);
		*is_pattern |= name_is_wild(c);
		if (c != '\\')
			continue;
		if (++p->at == p->len)
			break;
		if (!name_is_one_of(p->text[p->at], "\\\"?*n"))
			return name_fail(p, "unknown escape sequence", err);
	}
	if (p->at == p->len)
		return name_fail(p, "no closing quote", err);
	p->at++;
	return 0;
}

static int name_skip_plain(struct parser *p, bool *is_pattern,
			   struct error *err)
{
	for (; p->at < p->len && p->text[p->at] != ','; p->at++) {
		if (name_is_one_of(p->text[p->at], "=:\"\n"))
			return name_fail(
				p,
				"a character that is allowed only in a "
				"quoted value",
				err);
		*is_pattern |= name_is_wild(p->text[p->at]);
	}
	return 0;
}

static int name_parse_property(struct parser *p, struct error *err)
{
	struct object_name *n = p->n;
	struct object_name_property property = { 0 };
	bool is_quoted;

	property.key = p->text + p->at;
	if (name_parse_key(p, err))
		return -1;
	property.value = p->text + p->at;
	is_quoted = p->at < p->len && p->text[p->at] == '"';
	if ((is_quoted ? name_skip_quoted
		       : name_skip_plain)(p, &property.is_pattern, err))
		return -1;
	if (p->at + 1 == p->len)
		return name_fail(p, "no property after the last comma", err);
	if (p->at < p->len)
		p->text[p->at++] = '\0';
	array_add(n->properties, n->property_count, p->property_cap, property);
	return 0;
}

/*
 * Compares as String.compareTo(), by UTF-16 units: surrogate pairs, which are
 * four bytes in UTF-8, sort before U+E000 to U+FFFF.
 */
static int name_compare_strings(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if ((uint8_t)*a >= 0xf0 && ((uint8_t)*b & 0xfe) == 0xee)
		return -1;
	if ((uint8_t)*b >= 0xf0 && ((uint8_t)*a & 0xfe) == 0xee)
		return 1;
	return (uint8_t)*a - (uint8_t)*b;
}

static int name_compare_keys(const void *a, const void *b)
{
	const struct object_name_property *const *x = a, *const *y = b;

	return name_compare_strings((*x)->key, (*y)->key);
}

/* The properties sorted by key; the caller frees the list. */
static const struct object_name_property **
name_sort_properties(const struct object_name *n)
{
	const struct object_name_property **list = xcalloc(
		n->property_count, sizeof(struct object_name_property *));

	for (size_t i = 0; i < n->property_count; i++)
		list[i] = &n->properties[i];
	qsort(list, n->property_count, sizeof(*list), name_compare_keys);
	return list;
}

static int name_check_keys(const struct parser *p, struct error *err)
{
	const struct object_name_property **list = name_sort_properties(p->n);
	int status = 0;

	for (size_t i = 1; !status && i < p->n->property_count; i++)
		if (!strcmp(list[i - 1]->key, list[i]->key))
			status = name_fail(p, "a duplicate key", err);
	free(list);
	return status;
}

static int name_parse(struct parser *p, struct error *err)
{
	if (memchr(p->text, '\0', p->len)) {
		p->at = strlen(p->text);
		return name_fail(p, "a NUL", err);
	}
	if (name_parse_domain(p, err))
		return -1;
	while (p->at < p->len) {
		if ((p->text[p->at] == '*' ? name_parse_star
					   : name_parse_property)(p, err))
			return -1;
	}
	return name_check_keys(p, err);
}

int object_name_parse(struct object_name *n, const char *text, size_t len,
		      struct error *err)
{
	/* "" matches all MBeans. */
	struct parser p = { .n = n };
	int status;

	*n = (struct object_name){ 0 };
	n->storage = xstrndup(len ? text : "*:*", len ? len : 3);
	p.text = n->storage;
	p.len = len ? len : 3;
	status = name_parse(&p, err);
	if (status)
		object_name_release(n);
	return status;
}

void object_name_release(struct object_name *n)
{
	free(n->storage);
	free(n->properties);
	*n = (struct object_name){ 0 };
}

static bool name_has_pattern_value(const struct object_name *n)
{
	for (size_t i = 0; i < n->property_count; i++)
		if (n->properties[i].is_pattern)
			return true;
	return false;
}

bool object_name_is_pattern(const struct object_name *n)
{
	return n->domain_is_pattern || n->list_is_pattern ||
	       name_has_pattern_value(n);
}

int object_name_check(const char *text, bool *is_pattern, struct error *err)
{
	struct object_name name;

	if (object_name_parse(&name, text, strlen(text), err))
		return -1;
	if (is_pattern)
		*is_pattern = object_name_is_pattern(&name);
	object_name_release(&name);
	return 0;
}

const char *object_name_property(const struct object_name *n, const char *key)
{
	for (size_t i = 0; i < n->property_count; i++)
		if (!strcmp(n->properties[i].key, key))
			return n->properties[i].value;
	return NULL;
}

void object_name_canonical(const struct object_name *n, struct text *out)
{
	const struct object_name_property **list = name_sort_properties(n);

	text_puts(out, n->domain);
	text_putc(out, ':');
	for (size_t i = 0; i < n->property_count; i++) {
		text_puts(out, i ? "," : "");
		text_puts(out, list[i]->key);
		text_putc(out, '=');
		text_puts(out, list[i]->value);
	}
	if (n->list_is_pattern)
		text_puts(out, n->property_count ? ",*" : "*");
	free(list);
}
