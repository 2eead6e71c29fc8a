/* SPDX-License-Identifier: Apache-2.0 */
/* Splits commands and finds programs. */
#include "jmx_http/net/command_line.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Appends the quoted text at *at; false for an unterminated quote. */
static bool word_add_quoted(struct text *word, const char **at)
{
	char quote = *(*at)++;

	for (; **at && **at != quote; (*at)++) {
		if (quote == '"' && **at == '\\' &&
		    ((*at)[1] == '"' || (*at)[1] == '\\'))
			(*at)++;
		text_putc(word, **at);
	}
	if (!**at)
		return false;
	(*at)++;
	return true;
}

/* Appends the word at *at; false for an unterminated quote. */
static bool word_add(struct text *word, const char **at)
{
	while (**at && !is_blank(**at)) {
		if (**at == '\'' || **at == '"') {
			if (!word_add_quoted(word, at))
				return false;
			continue;
		}
		if (**at == '\\' && (*at)[1])
			(*at)++;
		text_putc(word, *(*at)++);
	}
	return true;
}

static int command_line_check(const struct command_line *c, struct error *err)
{
	if (!c->count || !c->words[0][0])
		return fail(err, ERROR_MISUSE, "the command is empty");
	if (strstr(c->words[0], "{host}") || strstr(c->words[0], "{port}"))
		return fail(err, ERROR_MISUSE,
			    "%s: the JVM would choose the program; use {host} "
			    "and {port} only in arguments",
			    c->words[0]);
	return 0;
}

int command_line_parse(struct command_line *c, const char *text,
		       struct error *err)
{
	const char *at = text;
	int ret = 0;

	*c = (struct command_line){
		.words = xcalloc(COMMAND_WORDS_MAX + 1, sizeof(*c->words)),
	};
	while (ret == 0) {
		struct text word = { 0 };

		while (is_blank(*at))
			at++;
		if (!*at)
			break;
		text_puts(&word, "");
		if (!word_add(&word, &at))
			ret = fail(err, ERROR_MISUSE, "unterminated quote: %s",
				   text);
		else if (c->count == COMMAND_WORDS_MAX)
			ret = fail(err, ERROR_MISUSE,
				   "the command has more than %d words",
				   COMMAND_WORDS_MAX);
		else
			c->words[c->count++] = xstrdup(word.bytes);
		text_release(&word);
	}
	if (ret == 0)
		ret = command_line_check(c, err);
	if (ret)
		command_line_release(c);
	return ret;
}

void command_line_release(struct command_line *c)
{
	command_words_free(c->words);
	*c = (struct command_line){ 0 };
}

void command_words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

static bool host_is_plain(const char *host)
{
	static const char letters
		[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		     "0123456789.:_-";

	return *host && *host != '-' && !host[strspn(host, letters)];
}

static char *word_replace(const char *word, const char *host, uint16_t port)
{
	struct text out = { 0 };

	text_puts(&out, "");
	while (*word) {
		if (strncmp(word, "{host}", 6) == 0) {
			text_puts(&out, host);
			word += 6;
		} else if (strncmp(word, "{port}", 6) == 0) {
			text_printf(&out, "%d", port);
			word += 6;
		} else {
			text_putc(&out, *word++);
		}
	}
	return out.bytes;
}

char **command_line_words(const struct command_line *c, const char *host,
			  uint16_t port, struct error *err)
{
	char **words;

	if (!host_is_plain(host)) {
		fail(err, ERROR_REFUSED, "%s: invalid host name for a command",
		     host);
		return NULL;
	}
	words = xcalloc(c->count + 1, sizeof(*words));
	for (size_t i = 0; i < c->count; i++)
		words[i] = word_replace(c->words[i], host, port);
	return words;
}

int command_line_find(const char *program, struct error *err)
{
	const char *path = getenv("PATH");
	bool found = strchr(program, '/') && access(program, X_OK) == 0;

	/* A path is not looked up in PATH. */
	if (!path || strchr(program, '/'))
		path = "";
	while (*path && !found) {
		size_t len = strcspn(path, ":");
		struct text whole = { 0 };

		text_add(&whole, path, len);
		text_puts(&whole, len ? "/" : "./");
		text_puts(&whole, program);
		found = access(whole.bytes, X_OK) == 0;
		text_release(&whole);
		path += len + (path[len] == ':');
	}
	if (!found)
		return fail(err, ERROR_UNAVAILABLE, "%s: command not found",
			    program);
	return 0;
}
