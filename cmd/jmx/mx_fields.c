/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/mx_fields.h"

#include "cmd/shared/glob.h"
#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/nearest.h"

#include <stdlib.h>
#include <string.h>

static bool field_is_regex(const char *text, size_t len)
{
	return len > 2 && text[0] == '/' && text[len - 1] == '/';
}

/* "*Usage.used" may also mean the part "used" of attributes "*Usage". */
static int field_add_front(struct mx_field *f, struct error *err)
{
	const char *dot = strchr(f->text, '.');
	char *front;

	if (!dot || dot == f->text || !dot[1] || strpbrk(dot, "*?"))
		return 0;
	front = xstrndup(f->text, (size_t)(dot - f->text));
	f->front = glob_new(front, '\0', err);
	f->path = dot + 1;
	free(front);
	return f->front ? 0 : -1;
}

static int fields_add(struct mx_fields *fields, const char *text, size_t len,
		      struct error *err)
{
	struct mx_field *f;

	array_reserve(fields->at, fields->cap, fields->count + 1);
	f = &fields->at[fields->count++];
	*f = (struct mx_field){ .text = xstrndup(text, len) };
	if (field_is_regex(text, len)) {
		char *regex = xstrndup(text + 1, len - 2);

		f->pattern = pattern_new(regex, err);
		free(regex);
		return f->pattern ? 0 : -1;
	}
	if (!strpbrk(f->text, "*?"))
		return 0;
	f->pattern = glob_new(f->text, '\0', err);
	return f->pattern ? field_add_front(f, err) : -1;
}

/* Splits at commas like SJK, except within a regular expression. */
static int fields_add_list(struct mx_fields *fields, const char *given,
			   struct error *err)
{
	size_t len = strlen(given);

	if (field_is_regex(given, len))
		return fields_add(fields, given, len, err);
	fields->was_split |= strchr(given, ',') != NULL;
	while (*given) {
		len = strcspn(given, ",");
		if (len && fields_add(fields, given, len, err))
			return -1;
		given += len + (given[len] == ',');
	}
	return 0;
}

int mx_fields_init(struct mx_fields *f, const struct option_list *given,
		   struct error *err)
{
	*f = (struct mx_fields){ 0 };
	for (size_t i = 0; i < given->count; i++) {
		if (fields_add_list(f, given->values[i], err))
			return -1;
	}
	return 0;
}

void mx_fields_release(struct mx_fields *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->at[i].text);
		text_release(&f->at[i].hint);
		pattern_free(f->at[i].pattern);
		pattern_free(f->at[i].front);
	}
	free(f->at);
	*f = (struct mx_fields){ 0 };
}

/* A search for the columns of one MBean. */
struct search {
	const struct jmx_info *info;
	struct arena *a;
	struct intern keys; /* of columns; id - 1 is the column's index */
	struct mx_column *columns;
	size_t count, cap;
};

static const char *search_copy(struct search *f, const char *text)
{
	return text ? arena_copy(f->a, text, strlen(text)) : NULL;
}

/*
 * Adds a column unless it exists: several fields may find it, and an MBean may
 * have two attributes of one name, which JMX cannot distinguish.
 */
static void search_add_column(struct search *f, const char *attribute,
			      const char *path, bool was_named)
{
	struct text key = { 0 };
	struct mx_column *c;
	uint32_t id;

	text_printf(&key, "%s%s%s", attribute, path ? "." : "",
		    path ? path : "");
	text_add(&key, "", 1); /* intern_id() accepts no empty key */
	id = intern_id(&f->keys, key.bytes, key.len);
	if (id > f->count) {
		array_reserve(f->columns, f->cap, f->count + 1);
		c = &f->columns[f->count++];
		c->key = search_copy(f, key.bytes);
		c->attribute = search_copy(f, attribute);
		c->path = search_copy(f, path);
		c->was_named = false;
	}
	f->columns[id - 1].was_named |= was_named;
	text_release(&key);
}

/* Returns the attribute whose name has these len bytes, or NULL. */
static const struct jmx_feature *find_attribute(const struct jmx_info *info,
						const char *name, size_t len)
{
	for (size_t i = 0; i < info->attribute_count; i++) {
		const struct jmx_feature *a = &info->attributes[i];

		if (strlen(a->name) == len && memcmp(a->name, name, len) == 0)
			return a;
	}
	return NULL;
}

/* Finds the longest start of the name, up to a dot, that is an attribute. */
static void search_name(struct search *f, struct mx_field *field)
{
	size_t len = strlen(field->text);

	while (len) {
		const struct jmx_feature *a = find_attribute(f->info,
							     field->text, len);
		const char *path = field->text + len;

		if (a && a->readable) {
			search_add_column(f, a->name, *path ? path + 1 : NULL,
					  true);
			field->was_found = true;
			return;
		}
		if (a)
			field->not_readable = true;
		do
			len--;
		while (len && field->text[len] != '.');
	}
}

static bool search_pattern(struct search *f, struct pattern *pattern,
			   const char *path)
{
	bool found = false;

	for (size_t i = 0; i < f->info->attribute_count; i++) {
		const struct jmx_feature *a = &f->info->attributes[i];

		if (!a->readable ||
		    !pattern_matches(pattern, a->name, strlen(a->name)))
			continue;
		search_add_column(f, a->name, path, false);
		found = true;
	}
	return found;
}

static void search_all(struct search *f)
{
	for (size_t i = 0; i < f->info->attribute_count; i++) {
		if (f->info->attributes[i].readable)
			search_add_column(f, f->info->attributes[i].name, NULL,
					  false);
	}
}

static bool suggest_attribute(const struct jmx_info *info, const char *name,
			      size_t len, struct text *hint)
{
	struct nearest nearest = nearest_to(name, len);

	for (size_t i = 0; i < info->attribute_count; i++)
		nearest_offer(&nearest, info->attributes[i].name);
	return nearest_suggest(&nearest, hint);
}

void mx_attribute_hint(const struct jmx_info *info, const char *name,
		       struct text *hint)
{
	size_t len = strlen(name), front = strcspn(name, ".");

	text_clear(hint);
	text_puts(hint, "");
	if (!suggest_attribute(info, name, len, hint) &&
	    (front == len || !suggest_attribute(info, name, front, hint)))
		text_puts(hint, "; --info lists them");
}

static void offer_parts(struct nearest *n, const struct value *v)
{
	bool has_members = v->kind == VALUE_COMPOSITE ||
			   v->kind == VALUE_OBJECT;

	for (size_t i = 0; has_members && i < v->members.count; i++)
		nearest_offer(n, v->members.at[i].name);
	for (size_t i = 0; v->kind == VALUE_MAP && i < v->map.count; i++)
		if (value_text_of(v->map.at[i].key))
			nearest_offer(n, value_text_of(v->map.at[i].key));
}

void mx_part_hint(const struct value *v, const char *path, struct text *hint)
{
	const struct value *whole = v;
	size_t known = 0; /* bytes of path that lead to whole */
	struct nearest nearest;

	for (size_t i = 0; path[i]; i++) {
		char *front = path[i] == '.' ? xstrndup(path, i) : NULL;
		const struct value *part = front ? value_path(v, front) : NULL;

		free(front);
		if (part) {
			whole = part;
			known = i + 1;
		}
	}
	nearest = nearest_to(path + known, strlen(path + known));
	offer_parts(&nearest, whole);
	nearest_suggest(&nearest, hint);
}

struct mx_columns mx_fields_of(struct mx_fields *fields,
			       const struct jmx_info *info, struct arena *a)
{
	struct search f = { .info = info, .a = a };
	struct mx_column *copy;

	for (size_t i = 0; i < fields->count; i++) {
		struct mx_field *field = &fields->at[i];

		if (!field->pattern)
			search_name(&f, field);
		else if (search_pattern(&f, field->pattern, NULL) ||
			 (field->front &&
			  search_pattern(&f, field->front, field->path)))
			field->was_found = true;
		if (!field->was_found && !field->pattern && !field->hint.len)
			mx_attribute_hint(info, field->text, &field->hint);
	}
	if (!fields->count)
		search_all(&f);
	copy = arena_alloc(a, f.count * sizeof(*copy));
	if (f.count)
		memcpy(copy, f.columns, f.count * sizeof(*copy));
	free(f.columns);
	intern_release(&f.keys);
	return (struct mx_columns){ .at = copy, .count = f.count };
}

int mx_fields_check(const struct mx_fields *f, const char *bean,
		    struct error *err)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct mx_field *field = &f->at[i];

		if (field->was_found)
			continue;
		if (field->not_readable)
			return misuse(err, "%s: '%s' is write-only", bean,
				      field->text);
		return fail(err, ERROR_NO_TARGET,
			    "%s: there is no attribute '%s'%s", bean,
			    field->text,
			    field->hint.len ? field->hint.bytes
			    : f->was_split  ? "; -f splits at commas: write "
					      "-f '/^a,b$/' for a name with a "
					      "comma"
					    : "; --info lists them");
	}
	return 0;
}
