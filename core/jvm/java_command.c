/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/java_command.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

void java_words_add(struct java_words *w, const char *text, size_t len)
{
	array_reserve(w->at, w->cap, w->count + 2);
	w->at[w->count++] = xstrndup(text, len);
	w->at[w->count] = NULL;
}

void java_words_release(struct java_words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->at[i]);
	free(w->at);
	*w = (struct java_words){ 0 };
}

void java_words_move(struct java_words *to, struct java_words *from)
{
	if (from->count == 0)
		return;
	array_reserve(to->at, to->cap, to->count + from->count + 1);
	memcpy(to->at + to->count, from->at, from->count * sizeof(*to->at));
	to->count += from->count;
	to->at[to->count] = NULL;
	from->count = 0;
	java_words_release(from);
}

void java_words_of_nuls(struct java_words *w, const char *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t word = strnlen(bytes + at, len - at);

		java_words_add(w, bytes + at, word);
		at += word + 1;
	}
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void java_words_of_options(struct java_words *w, const char *text, size_t len)
{
	char *word = xmalloc(len + 1);
	size_t used = 0;
	bool within = false;
	char quote = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? 0 : c;
			within = true;
		} else if (quote || !is_space(c)) {
			word[used++] = c;
			within = true;
		} else if (within) {
			java_words_add(w, word, used);
			used = 0;
			within = false;
		}
	}
	if (within)
		java_words_add(w, word, used);
	free(word);
}

/* Options of the launcher whose value is the next word. */
static const char *const with_value[] = {
	"-cp",
	"-classpath",
	"--class-path",
	"-p",
	"--module-path",
	"--upgrade-module-path",
	"--add-modules",
	"--limit-modules",
	"--add-exports",
	"--add-opens",
	"--add-reads",
	"--patch-module",
	"--enable-native-access",
	"--illegal-native-access",
	"--sun-misc-unsafe-memory-access",
	"--source",
	NULL,
};

/* Options whose value is what is run. */
static const char *const with_main[] = { "-jar", "-m", "--module", NULL };

static bool words_contain(const char *const *words, const char *word)
{
	for (size_t i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0)
			return true;
	}
	return false;
}

static void words_keep(struct java_words *w, const char *word)
{
	java_words_add(w, word, strlen(word));
}

/* Reads the options; gives the index of the first word behind the main one. */
static size_t read_options(struct java_command *c, const struct java_words *w)
{
	static const char module[] = "--module=";
	bool expands = true;
	size_t i = 1;

	while (i < w->count) {
		const char *word = w->at[i++];
		bool more = i < w->count;

		if (word[0] == '@' && expands && word[1] != '@') {
			c->has_file = true;
		} else if (strcmp(word, "--disable-@files") == 0) {
			expands = false;
		} else if (strncmp(word, module, sizeof(module) - 1) == 0) {
			c->main_class = xstrdup(word + sizeof(module) - 1);
			return i;
		} else if (words_contain(with_main, word)) {
			c->main_class = more ? xstrdup(w->at[i++]) : NULL;
			return i;
		} else if (word[0] != '-') {
			/* It may as well be an argument, the class in @file. */
			if (!c->has_file)
				c->main_class = xstrdup(word);
			return c->has_file ? i - 1 : i;
		} else {
			words_keep(&c->vm_args, word);
			if (more && words_contain(with_value, word))
				words_keep(&c->vm_args, w->at[i++]);
		}
	}
	return i;
}

/* A tool of the JDK hands on what stands behind -J. */
static void read_tool(struct java_command *c, const struct java_words *w)
{
	for (size_t i = 1; i < w->count; i++) {
		const char *word = w->at[i];

		if (strncmp(word, "-J", 2) == 0)
			words_keep(&c->vm_args, word + 2);
		else
			words_keep(&c->args, word);
	}
}

void java_command_read(struct java_command *c, const struct java_words *words,
		       bool is_java)
{
	*c = (struct java_command){ 0 };
	if (!is_java) {
		read_tool(c, words);
		return;
	}
	for (size_t i = read_options(c, words); i < words->count; i++)
		words_keep(&c->args, words->at[i]);
}

void java_command_release(struct java_command *c)
{
	free(c->main_class);
	java_words_release(&c->vm_args);
	java_words_release(&c->args);
	*c = (struct java_command){ 0 };
}
