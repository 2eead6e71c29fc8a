/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/secrets.h"

#include "core/base/ascii.h"

#include <string.h>
#include <strings.h>

/* In any case, anywhere in a name. */
static const char *const words[] = {
	"password", "passwd", "pwd",        "passphrase",
	"secret",   "token",  "credential", "key",
};

/* A word that is part of a longer one which is no secret. */
static bool is_store(const char *word, const char *at, size_t left)
{
	static const char store[] = "keystore";

	return strcmp(word, "key") == 0 && left >= sizeof(store) - 1 &&
	       strncasecmp(at, store, sizeof(store) - 1) == 0;
}

static bool has_word(const char *name, size_t len, const char *word)
{
	size_t word_len = strlen(word);

	for (size_t i = 0; i + word_len <= len; i++) {
		if (strncasecmp(name + i, word, word_len) == 0 &&
		    !is_store(word, name + i, len - i))
			return true;
	}
	return false;
}

bool secrets_is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (has_word(name, len, words[i]))
			return true;
	}
	return false;
}

static bool is_name_byte(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-';
}

/* Ends a value that is one of several. */
static bool is_end(char c)
{
	return c == '&' || c == ';' || c == ',' || c == ' ' || c == '"' ||
	       c == '\'' || c == '\0';
}

/* The password in "://user:password@": where, and how long; or 0. */
static size_t password_in(const char *authority, size_t *at)
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

/* Appends what may hold name=value and addresses, with those masked. */
static void add_masked(struct text *out, const char *text)
{
	const char *name = text;

	while (*text) {
		size_t at, len = 0;

		if (strncmp(text, "://", 3) == 0)
			len = password_in(text + 3, &at);
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
		    !is_end(text[1])) {
			text_puts(out, SECRETS_MASK);
			while (!is_end(text[1]))
				text++;
		}
		if (!is_name_byte(*text++))
			name = text;
	}
}

void secrets_add_value(struct text *out, const char *name, const char *value)
{
	if (*value && secrets_is_name(name, strlen(name)))
		text_puts(out, SECRETS_MASK);
	else
		add_masked(out, value);
}

void secrets_add_arg(struct text *out, const char *before, const char *arg)
{
	size_t name = 0;

	if (before && before[0] == '-' && !strchr(before, '=') &&
	    secrets_is_name(before, strlen(before)) && arg[0] != '-') {
		text_puts(out, SECRETS_MASK);
		return;
	}
	while (is_name_byte(arg[name]))
		name++;
	/* The value is all that is left, whatever is in it. */
	if (arg[name] == '=' && arg[name + 1] && secrets_is_name(arg, name)) {
		text_add(out, arg, name + 1);
		text_puts(out, SECRETS_MASK);
		return;
	}
	add_masked(out, arg);
}
