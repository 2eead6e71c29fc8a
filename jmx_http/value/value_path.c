/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/value/value_path.h"

#include "core/base/ascii.h"

#include <string.h>

static bool is_called(const char *name, const char *step, size_t len)
{
	return strlen(name) == len && memcmp(name, step, len) == 0;
}

static const struct value *member(const struct value *v, const char *step,
				  size_t len)
{
	for (size_t i = 0; i < v->members.count; i++) {
		if (is_called(v->members.at[i].name, step, len))
			return v->members.at[i].value;
	}
	return NULL;
}

/* True when a key, as a person would write it, is the step. */
static bool is_key(const struct value *key, const char *step, size_t len)
{
	struct text shown = { 0 };
	bool is;

	text_puts(&shown, "");
	value_cell(&shown, key);
	is = is_called(shown.bytes, step, len);
	text_release(&shown);
	return is;
}

static const struct value *mapped(const struct value *v, const char *step,
				  size_t len)
{
	for (size_t i = 0; i < v->map.count; i++) {
		if (is_key(v->map.at[i].key, step, len))
			return v->map.at[i].value;
	}
	return NULL;
}

static const struct value *element(const struct value *v, const char *step,
				   size_t len)
{
	size_t index = 0;

	if (len == 0 || len > 9)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(step[i]))
			return NULL;
		index = index * 10 + (size_t)(step[i] - '0');
	}
	return index < v->list.count ? v->list.at[index] : NULL;
}

/* What else a row of a key has, when that is one thing; else the row. */
static const struct value *beside(const struct value *row, const char *key)
{
	if (row->kind != VALUE_COMPOSITE || row->members.count != 2)
		return row;
	return row->members
		.at[strcmp(row->members.at[0].name, key) == 0 ? 1 : 0]
		.value;
}

static const struct value *row_of(const struct value *v, const char *step,
				  size_t len)
{
	if (v->table.index_count != 1)
		return NULL;
	for (size_t i = 0; i < v->table.row_count; i++) {
		const struct value *row = v->table.rows[i];
		const struct value *key = value_member(row, v->table.index[0]);

		if (key && is_key(key, step, len))
			return beside(row, v->table.index[0]);
	}
	return NULL;
}

static const struct value *one_step(const struct value *v, const char *step,
				    size_t len)
{
	switch (v->kind) {
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		return member(v, step, len);
	case VALUE_MAP:
		return mapped(v, step, len);
	case VALUE_TABULAR:
		return row_of(v, step, len);
	case VALUE_ARRAY:
		return element(v, step, len);
	default:
		return NULL;
	}
}

/* Takes the longest name at *path that is there; NULL when none is. */
static const struct value *longest_step(const struct value *v,
					const char **path)
{
	size_t len = strlen(*path);

	for (;;) {
		const struct value *part = one_step(v, *path, len);

		if (part) {
			*path += len;
			*path += **path == '.';
			return part;
		}
		while (len && (*path)[len - 1] != '.')
			len--;
		if (!len)
			return NULL;
		len--;
	}
}

const struct value *value_path(const struct value *v, const char *path)
{
	while (v && v->kind != VALUE_NULL && *path)
		v = longest_step(v, &path);
	return v;
}
