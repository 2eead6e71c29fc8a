/* SPDX-License-Identifier: Apache-2.0 */
/* Named filters: -nc NAME=FILTER, and categories in a Java properties file. */
#include "cmd/sjk/ssa.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/input.h"
#include "core/base/lines.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#define CLASSES_MAX 256

/* "web._: Web tier" is the printed name of the category web. */
#define NAME_SUFFIX "._"

static struct ssa_class *classes_find(struct ssa_classes *c, const char *name)
{
	for (size_t i = 0; i < c->count; i++) {
		if (strcmp(c->all[i].name, name) == 0)
			return &c->all[i];
	}
	return NULL;
}

static int classes_add(struct ssa_classes *c, const char *name,
		       const char *filter, unsigned flags, struct error *err)
{
	struct ssa_class new = { 0 };

	if (classes_find(c, name))
		return fail(err, ERROR_MISUSE, "the name '%s' is used twice",
			    name);
	if (c->count == CLASSES_MAX)
		return fail(err, ERROR_MISUSE, "more than %d named filters",
			    CLASSES_MAX);
	new.filter = trace_filter_new(filter, flags, err);
	if (!new.filter)
		return fail_in(err, "%s", name);
	new.name = xstrdup(name);
	new.verdicts = trace_verdicts_new(new.filter);
	array_add(c->all, c->count, c->cap, new);
	return 0;
}

int ssa_classes_add(struct ssa_classes *c, const char *word, unsigned flags,
		    struct error *err)
{
	const char *equals = strchr(word, '=');
	char *name;
	int ret;

	if (!equals)
		return misuse(err, "'%s' is not of the form NAME=FILTER", word);
	name = xstrndup(word, (size_t)(equals - word));
	ret = classes_add(c, name, equals + 1, flags, err);
	free(name);
	return ret;
}

/* java.util.Properties: a backslash escapes a character. */
static void property_unescape(struct text *out, const char *text, size_t len)
{
	static const char from[] = "tnrf", to[] = "\t\n\r\f";

	for (size_t i = 0; i < len; i++) {
		const char *at;

		if (text[i] != '\\' || i + 1 == len) {
			text_putc(out, text[i]);
			continue;
		}
		i++;
		at = strchr(from, text[i]);
		if (text[i] == 'u' && len - i > 4 &&
		    hex_value(text + i + 1, 4) >= 0) {
			text_utf8(out, (uint32_t)hex_value(text + i + 1, 4));
			i += 4;
		} else {
			text_putc(out, at && *at ? to[at - from] : text[i]);
		}
	}
}

/* Returns the length of the key of a property. */
static size_t property_key(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && !is_blank(text[i]) && text[i] != '=' &&
	       text[i] != ':')
		i += text[i] == '\\' && i + 1 < len ? 2 : 1;
	return i;
}

/* Splits "key = value"; either is unescaped. */
static void property_split(const struct text *line, struct text *key,
			   struct text *value)
{
	const char *text = line->bytes;
	size_t at = property_key(text, line->len);

	property_unescape(key, text, at);
	while (at < line->len && is_blank(text[at]))
		at++;
	if (at < line->len && (text[at] == '=' || text[at] == ':'))
		at++;
	while (at < line->len && is_blank(text[at]))
		at++;
	property_unescape(value, text + at, line->len - at);
	/* Both are NUL-terminated, even if they are empty. */
	text_add(key, "", 0);
	text_add(value, "", 0);
}

/* Adds a category, or names one whose filter may follow. */
static int property_use(struct ssa_classes *c, struct ssa_classes *names,
			const struct text *line, unsigned flags,
			struct error *err)
{
	size_t suffix = strlen(NAME_SUFFIX);
	struct text key = { 0 }, value = { 0 };
	int ret = 0;

	property_split(line, &key, &value);
	if (key.len > suffix &&
	    strcmp(key.bytes + key.len - suffix, NAME_SUFFIX) == 0) {
		struct ssa_class name = { 0 };

		key.bytes[key.len - suffix] = '\0';
		if (names->count < CLASSES_MAX) {
			array_reserve(names->all, names->cap, names->count + 1);
			/* The key and the value, each ending with NUL. */
			name.name = xmalloc(key.len + value.len + 2);
			memcpy(name.name, key.bytes, key.len);
			name.name[key.len - suffix] = '\0';
			memcpy(name.name + key.len - suffix + 1,
			       value.len ? value.bytes : "", value.len + 1);
			names->all[names->count++] = name;
		}
	} else if (key.len && value.len) {
		ret = classes_add(c, key.bytes, value.bytes, flags, err);
	} else {
		ret = fail(err, ERROR_INPUT,
			   "the line '%s' is not of the form NAME: FILTER",
			   line->bytes);
	}
	text_release(&key);
	text_release(&value);
	return ret;
}

/* Gives the categories their printed names. */
static void classes_rename(struct ssa_classes *c,
			   const struct ssa_classes *names)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *key = names->all[i].name;
		struct ssa_class *of = classes_find(c, key);

		if (!of)
			continue;
		free(of->name);
		of->name = xstrdup(key + strlen(key) + 1);
	}
}

static bool line_is_comment(const struct text *line)
{
	return !line->len || line->bytes[0] == '#' || line->bytes[0] == '!';
}

/* True if a line ends with an odd number of backslashes. */
static bool line_continues(const struct text *line)
{
	size_t count = 0;

	while (count < line->len && line->bytes[line->len - 1 - count] == '\\')
		count++;
	return count % 2;
}

static int classes_read(struct ssa_classes *c, const struct input *in,
			unsigned flags, struct error *err)
{
	struct lines lines = lines_over(in->bytes, in->len);
	struct ssa_classes names = { 0 };
	struct text logical = { 0 };
	struct line line;
	int ret = 0;

	while (ret == 0 && lines_next(&lines, &line)) {
		while (line.len && is_blank(*line.text)) {
			line.text++;
			line.len--;
		}
		text_add(&logical, line.text, line.len);
		if (!line_is_comment(&logical) && line_continues(&logical)) {
			logical.bytes[--logical.len] = '\0';
			continue;
		}
		if (!line_is_comment(&logical))
			ret = property_use(c, &names, &logical, flags, err);
		text_clear(&logical);
	}
	/* The last line may end with a backslash. */
	if (ret == 0 && logical.len && !line_is_comment(&logical))
		ret = property_use(c, &names, &logical, flags, err);
	classes_rename(c, &names);
	ssa_classes_release(&names);
	text_release(&logical);
	return ret;
}

int ssa_classes_load(struct ssa_classes *c, const char *path, unsigned flags,
		     struct error *err)
{
	struct input in = { 0 };
	int ret = input_open_single(&in, path, err);

	if (ret == 0)
		ret = input_complete(&in, err);
	if (ret == 0)
		ret = classes_read(c, &in, flags, err);
	if (ret)
		fail_in(err, "%s", path);
	input_close(&in);
	return ret;
}

void ssa_classes_release(struct ssa_classes *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->all[i].name);
		trace_verdicts_free(c->all[i].verdicts);
		trace_filter_free(c->all[i].filter);
	}
	free(c->all);
}
