/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/probe/method_pattern.h"

#include "cmd/shared/command.h"
#include "cmd/shared/glob.h"
#include "core/base/alloc.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/profile/frame_name.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_WORD 4096

static int pattern_fail(const struct method_pattern *m, const char *why,
			struct error *err)
{
	return misuse(err,
		      "invalid method '%s': %s (examples: "
		      "com.acme.Orders.submit, 'Orders.sub*(long,..)')",
		      m->word, why);
}

/* Nested classes are written with '$' or '.', so both compare as '.'. */
static void pattern_unify(char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '/' || name[i] == '$')
			name[i] = '.';
	}
}

/* Adds a parameter: "long", "String", "java.lang.String[]", "*". */
static int pattern_add_parameter(struct method_pattern *m, struct line part,
				 struct error *err)
{
	struct text glob = { 0 };
	struct pattern *p;

	if (line_ends(part, "...")) { /* varargs */
		text_add(&glob, part.text, part.len - 3);
		text_puts(&glob, "[]");
	} else {
		text_add(&glob, part.text, part.len);
	}
	pattern_unify(glob.bytes, glob.len);
	/* A simple name is that of a class in any package. */
	if (!strchr(glob.bytes, '.') && glob.bytes[0] != '*') {
		struct text any = { 0 };

		text_printf(&any, "**.%s", glob.bytes);
		text_release(&glob);
		glob = any;
	}
	p = glob_new(glob.bytes, '.', err);
	/* With a separator, '*' would be one word of a name. */
	if (p && strcmp(glob.bytes, "*") == 0) {
		pattern_free(p);
		p = glob_new("**", '.', err);
	}
	text_release(&glob);
	if (!p)
		return -1;
	array_add(m->parameters, m->parameter_count, m->parameter_cap, p);
	return 0;
}

/* Parses "long, String" without its parentheses. */
static int pattern_read_parameters(struct method_pattern *m, struct line rest,
				   struct error *err)
{
	rest = line_trimmed(rest);
	while (rest.len) {
		struct line part = line_trimmed(line_cut(&rest, ','));

		if (m->is_open)
			return pattern_fail(m, "'..' must be the last", err);
		if (!part.len)
			return pattern_fail(m, "a parameter is empty", err);
		if (line_is(part, "..") || line_is(part, "..."))
			m->is_open = true;
		else if (pattern_add_parameter(m, part, err))
			return -1;
	}
	return 0;
}

/* Parses what begins with '(': types of Java, or a descriptor of the JVM. */
static int pattern_read_signature(struct method_pattern *m, const char *at,
				  struct error *err)
{
	const char *end = strrchr(at, ')');
	struct text types = { 0 };
	int ret = -1;

	if (!end)
		return pattern_fail(m, "')' is missing", err);
	m->has_parameters = true;
	if (end[1] || memchr(at, ';', (size_t)(end - at))) {
		if (!frame_parameters(&types, at, strlen(at), false))
			pattern_fail(m, "the descriptor is damaged", err);
		else
			ret = pattern_read_parameters(
				m,
				(struct line){ types.bytes + 1, types.len - 2 },
				err);
	} else {
		ret = pattern_read_parameters(
			m, (struct line){ at + 1, (size_t)(end - at - 1) },
			err);
	}
	text_release(&types);
	return ret;
}

static bool pattern_is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/*
 * A name that begins with a capital is a class, so a dot behind it belongs to a
 * nested class: com.acme.Orders.Line is com.acme.Orders$Line.
 */
static void pattern_join_nested(char *name)
{
	bool is_class = pattern_is_capital(*name);

	for (char *at = name; *at; at++) {
		if (*at != '.')
			continue;
		if (is_class)
			*at = '$';
		else
			is_class = pattern_is_capital(at[1]);
	}
}

/* Sets the class from "com.acme.Orders", "Lcom/acme/Orders;" or "Orders+". */
static void pattern_read_class(struct method_pattern *m, struct line name)
{
	if (name.len && name.text[name.len - 1] == '+') {
		m->with_subtypes = true;
		name.len--;
	}
	if (name.len > 2 && name.text[0] == 'L' && line_ends(name, ";")) {
		name.text++;
		name.len -= 2;
	}
	m->class_name = xstrndup(name.text, name.len);
	for (char *c = m->class_name; *c; c++) {
		if (*c == '/')
			*c = '.';
	}
	pattern_join_nested(m->class_name);
	m->any_package = !strpbrk(m->class_name, ".*");
}

/* Splits the text before the parameters at the last separator. */
static int pattern_split(struct method_pattern *m, struct line name,
			 struct error *err)
{
	size_t at = name.len, width = 1;

	while (at && name.text[at - 1] != '.' && name.text[at - 1] != ':' &&
	       name.text[at - 1] != '#')
		at--;
	if (!at)
		return pattern_fail(m, "the class is missing", err);
	if (at > 1 && name.text[at - 1] == ':' && name.text[at - 2] == ':')
		width = 2;
	if (at == name.len)
		return pattern_fail(m, "the name of the method is missing",
				    err);
	m->method = xstrndup(name.text + at, name.len - at);
	pattern_read_class(m, (struct line){ name.text, at - width });
	if (!*m->class_name)
		return pattern_fail(m, "the class is missing", err);
	return 0;
}

int method_pattern_init(struct method_pattern *m, const char *word,
			struct error *err)
{
	const char *at = word;
	struct line name;

	*m = (struct method_pattern){ .word = word };
	for (; *at == '!' || *at == '+'; at++) {
		m->excludes |= *at == '!';
		m->with_subtypes |= *at == '+';
	}
	name = (struct line){ at, strcspn(at, "(") };
	if (strlen(word) > LONGEST_WORD)
		return misuse(err,
			      "the pattern of a method has more than %d "
			      "characters",
			      LONGEST_WORD);
	if (pattern_split(m, name, err))
		return -1;
	if (at[name.len] && pattern_read_signature(m, at + name.len, err))
		return -1;
	m->classes = glob_new(m->class_name, '\0', err);
	m->methods = m->classes ? glob_new(m->method, '\0', err) : NULL;
	return m->methods ? 0 : -1;
}

void method_pattern_release(struct method_pattern *m)
{
	for (size_t i = 0; i < m->parameter_count; i++)
		pattern_free(m->parameters[i]);
	free(m->parameters);
	free(m->class_name);
	free(m->method);
	pattern_free(m->classes);
	pattern_free(m->methods);
	*m = (struct method_pattern){ 0 };
}

bool method_pattern_has_class(const struct method_pattern *m, const char *name)
{
	size_t len = strlen(name), at = len;

	if (pattern_matches(m->classes, name, len))
		return true;
	if (!m->any_package)
		return false;
	/* "Line" and "Orders$Line" match com.acme.Orders$Line. */
	while (at && name[at - 1] != '.') {
		at--;
		if (at && name[at - 1] == '$' &&
		    pattern_matches(m->classes, name + at, len - at))
			return true;
	}
	return pattern_matches(m->classes, name + at, len - at);
}

/* Compares the types of "(long, java.lang.String)". */
static bool pattern_has_parameters(const struct method_pattern *m,
				   const struct text *types)
{
	struct line rest = { types->bytes + 1, types->len - 2 };
	size_t i = 0;

	for (; rest.len; i++) {
		struct line one = line_trimmed(line_cut(&rest, ','));

		if (i == m->parameter_count)
			return m->is_open;
		if (!pattern_matches(m->parameters[i], one.text, one.len))
			return false;
	}
	return i == m->parameter_count;
}

bool method_pattern_has_method(const struct method_pattern *m, const char *name,
			       const char *descriptor)
{
	struct text types = { 0 };
	bool has;

	if (!pattern_matches(m->methods, name, strlen(name)))
		return false;
	if (!m->has_parameters)
		return true;
	if (!descriptor ||
	    !frame_parameters(&types, descriptor, strlen(descriptor), false))
		return false;
	pattern_unify(types.bytes, types.len);
	has = pattern_has_parameters(m, &types);
	text_release(&types);
	return has;
}
