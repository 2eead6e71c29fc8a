/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/java_command.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void java_words_add(struct java_words *w, const char *text, size_t len)
{
	if (w->count == JAVA_WORDS_MAX) {
		w->is_cut = true;
		return;
	}
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
	size_t room = JAVA_WORDS_MAX - to->count;
	size_t count = from->count < room ? from->count : room;

	to->is_cut |= from->is_cut || from->count > room;
	if (count) {
		array_reserve(to->at, to->cap, to->count + count + 1);
		memcpy(to->at + to->count, from->at, count * sizeof(*to->at));
		memmove(from->at, from->at + count,
			(from->count - count) * sizeof(*from->at));
		from->count -= count;
		to->count += count;
		to->at[to->count] = NULL;
	}
	java_words_release(from);
}

void java_words_of_nuls(struct java_words *w, const char *bytes, size_t len)
{
	for (size_t at = 0; at < len && !w->is_cut;) {
		size_t word = strnlen(bytes + at, len - at);

		java_words_add(w, bytes + at, word);
		at += word + 1;
	}
}

static bool words_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

void java_words_of_options(struct java_words *w, const char *text, size_t len)
{
	char *word = xmalloc(len + 1);
	size_t used = 0;
	bool within = false;
	char quote = 0;

	for (size_t i = 0; i < len && !w->is_cut; i++) {
		char c = text[i];

		if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? 0 : c;
			within = true;
		} else if (quote || !words_is_space(c)) {
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

/* Launcher options whose value is the next word. */
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

/* Options whose value is the jar or module to run. */
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

/*
 * Reads the options; returns the index of the first word after the main class.
 */
static size_t command_read_options(struct java_command *c,
				   const struct java_words *w)
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
			/*
			 * With an @file, the word may be an argument: the file
			 * may have the class.
			 */
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

/* JDK tools pass the text after -J to the JVM. */
static void command_read_tool(struct java_command *c,
			      const struct java_words *w)
{
	for (size_t i = 1; i < w->count; i++) {
		const char *word = w->at[i];

		if (strncmp(word, "-J", 2) == 0)
			words_keep(&c->vm_args, word + 2);
		else
			words_keep(&c->args, word);
	}
}

/* Options of jsvc whose value is the next word: arguments.c, 1.0 to 1.4. */
static const char *const jsvc_with_value[] = {
	"-cp",       "-classpath", "-jvm",     "-home",     "-java-home",
	"-user",     "-cwd",       "-pidfile", "-outfile",  "-errfile",
	"-procname", "-wait",      "-umask",   "-restarts", NULL,
};

/* As command_read_options(); all options count as the JVM's. */
static size_t command_read_jsvc(struct java_command *c,
				const struct java_words *w)
{
	size_t i = 1;

	while (i < w->count) {
		const char *word = w->at[i++];

		if (word[0] != '-') {
			c->main_class = xstrdup(word);
			break;
		}
		words_keep(&c->vm_args, word);
		if (i < w->count && words_contain(jsvc_with_value, word))
			words_keep(&c->vm_args, w->at[i++]);
	}
	return i;
}

enum java_launcher java_launcher_of(const char *name)
{
	static const char deleted[] = " (deleted)"; /* proc(5) */
	size_t len = strlen(name);

	if (len >= sizeof(deleted) &&
	    strcmp(name + len - (sizeof(deleted) - 1), deleted) == 0)
		len -= sizeof(deleted) - 1;
	if (len == 4 && memcmp(name, "java", len) == 0)
		return JAVA_LAUNCHER_JAVA;
	/* Its child, which runs the JVM, sets its own name. */
	if ((len == 4 && memcmp(name, "jsvc", len) == 0) ||
	    (len == 9 && memcmp(name, "jsvc.exec", len) == 0))
		return JAVA_LAUNCHER_JSVC;
	return JAVA_LAUNCHER_OTHER;
}

void java_command_read(struct java_command *c, const struct java_words *words,
		       enum java_launcher launcher)
{
	*c = (struct java_command){ 0 };
	if (launcher == JAVA_LAUNCHER_OTHER) {
		command_read_tool(c, words);
		return;
	}
	for (size_t i = launcher == JAVA_LAUNCHER_JSVC
				? command_read_jsvc(c, words)
				: command_read_options(c, words);
	     i < words->count; i++)
		words_keep(&c->args, words->at[i]);
}

/* ---- secrets ---- */

/* Matched in any case and anywhere in a name. */
static const char *const secret_words[] = {
	"password", "passwd", "pwd",        "passphrase",
	"secret",   "token",  "credential", "key",
};

/* True for "keystore", which contains "key" but is not a secret. */
static bool secrets_is_keystore(const char *word, const char *at, size_t left)
{
	static const char store[] = "keystore";

	return strcmp(word, "key") == 0 && left >= sizeof(store) - 1 &&
	       strncasecmp(at, store, sizeof(store) - 1) == 0;
}

static bool secrets_has_word(const char *name, size_t len, const char *word)
{
	size_t word_len = strlen(word);

	for (size_t i = 0; i + word_len <= len; i++) {
		if (strncasecmp(name + i, word, word_len) == 0 &&
		    !secrets_is_keystore(word, name + i, len - i))
			return true;
	}
	return false;
}

/* True if a value with this name is a secret. */
static bool secrets_is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(secret_words) / sizeof(*secret_words);
	     i++) {
		if (secrets_has_word(name, len, secret_words[i]))
			return true;
	}
	return false;
}

static bool secrets_is_name_byte(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-';
}

/* True for characters that end a value in a list. */
static bool secrets_is_end(char c)
{
	return c == '&' || c == ';' || c == ',' || c == ' ' || c == '"' ||
	       c == '\'' || c == '\0';
}

/*
 * Finds the password in "://user:password@"; sets *at and returns its length,
 * or 0.
 */
static size_t secrets_find_password(const char *authority, size_t *at)
{
	size_t len = strcspn(authority, "/?# \"'");
	const char *end = memrchr(authority, '@', len);
	const char *colon = end ? memchr(authority, ':',
					 (size_t)(end - authority))
				: NULL;

	if (!colon || colon + 1 == end)
		return 0;
	*at = (size_t)(colon + 1 - authority);
	return (size_t)(end - colon - 1);
}

/*
 * Appends text that may contain name=value and URLs, with their secrets masked.
 */
static void secrets_add_masked(struct text *out, const char *text)
{
	const char *name = text;

	while (*text) {
		size_t at, len = 0;

		if (strncmp(text, "://", 3) == 0)
			len = secrets_find_password(text + 3, &at);
		if (len) {
			text_add(out, text, 3 + at);
			text_puts(out, SECRETS_MASK);
			text += 3 + at + len;
			name = text;
			continue;
		}
		text_putc(out, *text);
		if (*text == '=' &&
		    secrets_is_name(name, (size_t)(text - name)) &&
		    !secrets_is_end(text[1])) {
			text_puts(out, SECRETS_MASK);
			while (!secrets_is_end(text[1]))
				text++;
		}
		if (!secrets_is_name_byte(*text++))
			name = text;
	}
}

void secrets_add_lines(struct text *out, const char *bytes, size_t len)
{
	const char *end = bytes + len;
	struct text line = { 0 };

	while (bytes < end) {
		const char *newline = memchr(bytes, '\n',
					     (size_t)(end - bytes));

		text_clear(&line);
		text_add(&line, bytes,
			 (size_t)((newline ? newline : end) - bytes));
		for (size_t i = 0; i < line.len; i++)
			line.bytes[i] = line.bytes[i] ? line.bytes[i] : ' ';
		if (line.len)
			secrets_add_masked(out, line.bytes);
		if (newline)
			text_putc(out, '\n');
		bytes = newline ? newline + 1 : end;
	}
	text_release(&line);
}

void secrets_add_value(struct text *out, const char *name, const char *value)
{
	if (*value && secrets_is_name(name, strlen(name)))
		text_puts(out, SECRETS_MASK);
	else
		secrets_add_masked(out, value);
}

void secrets_add_arg(struct text *out, const char *before, const char *arg)
{
	size_t name = 0;

	if (before && before[0] == '-' && !strchr(before, '=') &&
	    secrets_is_name(before, strlen(before)) && arg[0] != '-') {
		text_puts(out, SECRETS_MASK);
		return;
	}
	while (secrets_is_name_byte(arg[name]))
		name++;
	/* The value extends to the end of the argument. */
	if (arg[name] == '=' && arg[name + 1] && secrets_is_name(arg, name)) {
		text_add(out, arg, name + 1);
		text_puts(out, SECRETS_MASK);
		return;
	}
	secrets_add_masked(out, arg);
}
