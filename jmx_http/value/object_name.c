/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is accepted is what ObjectName.construct() of JDK 17 accepts, its
 * oddities too: behind a quoted value any one character stands for the comma.
 */
#include "jmx_http/value/object_name.h"

#include "core/base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A name that is being read: its storage becomes strings as it goes. */
struct parser {
	struct object_name *n;
	char *text;
	size_t at, len;
	size_t property_cap;
};

static int wrong(const struct parser *p, const char *what, struct error *err)
{
	return fail(err, ERROR_MISUSE,
		    "invalid MBean name: %s, at character %zu", what,
		    p->at + 1);
}

/* Of names, which hold no NUL. */
static bool is_one_of(char c, const char *set) { return strchr(set, c); }

static bool is_wild(char c) { return c == '*' || c == '?'; }

static bool has_wild(const char *text) { return text[strcspn(text, "*?")]; }

static int parse_domain(struct parser *p, struct error *err)
{
	char *colon = memchr(p->text, ':', p->len);
	char *feed = memchr(p->text, '\n', p->len);

	if (!colon) {
		p->at = p->len;
		return wrong(p, "no ':' after the domain", err);
	}
	if (feed && feed < colon) {
		p->at = (size_t)(feed - p->text);
		return wrong(p, "a newline in the domain", err);
	}
	*colon = '\0';
	p->n->domain = p->text;
	p->n->domain_is_pattern = has_wild(p->text);
	p->at = (size_t)(colon - p->text) + 1;
	if (p->at == p->len)
		return wrong(p, "no properties", err);
	return 0;
}

/* The '*' that stands for other properties. */
static int parse_star(struct parser *p, struct error *err)
{
	if (p->n->list_is_pattern)
		return wrong(p, "a second '*' for a property", err);
	p->n->list_is_pattern = true;
	p->at++;
	if (p->at < p->len && p->text[p->at] != ',')
		return wrong(p, "a character other than ',' after '*'", err);
	p->at += p->at < p->len;
	return 0;
}

static int parse_key(struct parser *p, struct error *err)
{
	size_t begin = p->at;

	while (p->at < p->len && p->text[p->at] != '=') {
		if (is_one_of(p->text[p->at], "*?,:\n"))
			return wrong(p,
				     "a character that is not allowed in a key",
				     err);
		p->at++;
	}
	if (p->at == p->len)
		return wrong(p, "a key without '=' and a value", err);
	if (p->at == begin)
		return wrong(p, "an empty key", err);
	p->text[p->at++] = '\0';
	return 0;
}

/* Goes behind the closing quote. */
static int pass_quoted(struct parser *p, bool *is_pattern, struct error *err)
{
	for (p->at++; p->at < p->len && p->text[p->at] != '"'; p->at++) {
		char c = p->text[p->at];

		if (c == '\n')
			return wrong(p, "a newline in a quoted value", err);
		*is_pattern |= is_wild(c);
		if (c != '\\')
			continue;
		if (++p->at == p->len)
			break;
		if (!is_one_of(p->text[p->at], "\\\"?*n"))
			return wrong(p, "unknown escape sequence", err);
	}
	if (p->at == p->len)
		return wrong(p, "no closing quote", err);
	p->at++;
	return 0;
}

static int pass_plain(struct parser *p, bool *is_pattern, struct error *err)
{
	for (; p->at < p->len && p->text[p->at] != ','; p->at++) {
		if (is_one_of(p->text[p->at], "=:\"\n"))
			return wrong(p,
				     "a character that is allowed only in a "
				     "quoted value",
				     err);
		*is_pattern |= is_wild(p->text[p->at]);
	}
	return 0;
}

static int parse_property(struct parser *p, struct error *err)
{
	struct object_name *n = p->n;
	struct object_name_property property = { 0 };
	bool is_quoted;

	property.key = p->text + p->at;
	if (parse_key(p, err))
		return -1;
	property.value = p->text + p->at;
	is_quoted = p->at < p->len && p->text[p->at] == '"';
	if ((is_quoted ? pass_quoted : pass_plain)(p, &property.is_pattern,
						   err))
		return -1;
	if (p->at + 1 == p->len)
		return wrong(p, "no property after the last comma", err);
	if (p->at < p->len)
		p->text[p->at++] = '\0';
	array_reserve(n->properties, p->property_cap, n->property_count + 1);
	n->properties[n->property_count++] = property;
	return 0;
}

/*
 * As String.compareTo(): by units of UTF-16, where what UTF-8 has in four bytes
 * (surrogates) comes before U+E000 to U+FFFF.
 */
static int compare_strings(const char *a, const char *b)
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

static int compare_keys(const void *a, const void *b)
{
	const struct object_name_property *const *x = a, *const *y = b;

	return compare_strings((*x)->key, (*y)->key);
}

/* Its properties by their keys; to be freed. */
static const struct object_name_property **sorted(const struct object_name *n)
{
	const struct object_name_property **list = xcalloc(
		n->property_count, sizeof(struct object_name_property *));

	for (size_t i = 0; i < n->property_count; i++)
		list[i] = &n->properties[i];
	qsort(list, n->property_count, sizeof(*list), compare_keys);
	return list;
}

static int check_keys(const struct parser *p, struct error *err)
{
	const struct object_name_property **list = sorted(p->n);
	int status = 0;

	for (size_t i = 1; !status && i < p->n->property_count; i++)
		if (!strcmp(list[i - 1]->key, list[i]->key))
			status = wrong(p, "a duplicate key", err);
	free(list);
	return status;
}

static int parse(struct parser *p, struct error *err)
{
	if (memchr(p->text, '\0', p->len)) {
		p->at = strlen(p->text);
		return wrong(p, "a NUL", err);
	}
	if (parse_domain(p, err))
		return -1;
	while (p->at < p->len) {
		if ((p->text[p->at] == '*' ? parse_star : parse_property)(p,
									  err))
			return -1;
	}
	return check_keys(p, err);
}

int object_name_parse(struct object_name *n, const char *text, size_t len,
		      struct error *err)
{
	/* "" means all of them. */
	struct parser p = { .n = n };
	int status;

	*n = (struct object_name){ 0 };
	n->storage = xstrndup(len ? text : "*:*", len ? len : 3);
	p.text = n->storage;
	p.len = len ? len : 3;
	status = parse(&p, err);
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

static bool has_pattern_value(const struct object_name *n)
{
	for (size_t i = 0; i < n->property_count; i++)
		if (n->properties[i].is_pattern)
			return true;
	return false;
}

bool object_name_is_pattern(const struct object_name *n)
{
	return n->domain_is_pattern || n->list_is_pattern ||
	       has_pattern_value(n);
}

/*
 * Goes over one unit of UTF-16, which is what a '?' stands for: half of what
 * UTF-8 has in four bytes.
 */
static const char *past_unit(const char *at)
{
	uint8_t byte = (uint8_t)*at;
	size_t len = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 2;

	while (len-- && *at)
		at++;
	return at;
}

/* com.sun.jmx.mbeanserver.Util.wildmatch: quotes and escapes are literal. */
static bool wild_match(const char *text, const char *pattern)
{
	const char *star = NULL, *tried = NULL;

	for (;;) {
		if (*pattern == '*') {
			star = ++pattern;
			tried = text;
		} else if (*pattern == '?' && *text) {
			text = past_unit(text);
			pattern++;
		} else if (*pattern && *pattern != '?' && *pattern == *text) {
			text++;
			pattern++;
		} else if (!*pattern && !*text) {
			return true;
		} else {
			/* One more of the text belongs to the last star. */
			if (!star || !*tried)
				return false;
			pattern = star;
			text = tried = past_unit(tried);
		}
	}
}

const char *object_name_property(const struct object_name *n, const char *key)
{
	for (size_t i = 0; i < n->property_count; i++)
		if (!strcmp(n->properties[i].key, key))
			return n->properties[i].value;
	return NULL;
}

static bool matches_property(const struct object_name_property *pattern,
			     const struct object_name *name)
{
	const char *value = object_name_property(name, pattern->key);

	if (!value)
		return false;
	return pattern->is_pattern ? wild_match(value, pattern->value)
				   : !strcmp(value, pattern->value);
}

bool object_name_matches(const struct object_name *pattern,
			 const struct object_name *name)
{
	if (object_name_is_pattern(name))
		return false;
	if (pattern->domain_is_pattern
		    ? !wild_match(name->domain, pattern->domain)
		    : strcmp(name->domain, pattern->domain) != 0)
		return false;
	if (!pattern->list_is_pattern &&
	    pattern->property_count != name->property_count)
		return false;
	for (size_t i = 0; i < pattern->property_count; i++)
		if (!matches_property(&pattern->properties[i], name))
			return false;
	return true;
}

void object_name_canonical(const struct object_name *n, struct text *out)
{
	const struct object_name_property **list = sorted(n);

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
