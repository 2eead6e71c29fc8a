/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the key scripts that drive ttop without a terminal, in tests. */
#include "render/top/keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	uint32_t code;
} names[] = {
	{ "lt", '<' },
	{ "tab", KEYS_TAB },
	{ "enter", KEYS_ENTER },
	{ "esc", KEYS_ESCAPE },
	{ "backspace", KEYS_BACKSPACE },
	{ "up", KEYS_UP },
	{ "down", KEYS_DOWN },
	{ "left", KEYS_LEFT },
	{ "right", KEYS_RIGHT },
	{ "pgup", KEYS_PAGE_UP },
	{ "pgdn", KEYS_PAGE_DOWN },
	{ "home", KEYS_HOME },
	{ "end", KEYS_END },
	{ "wheelup", KEYS_WHEEL_UP },
	{ "wheeldown", KEYS_WHEEL_DOWN },
	{ "tick", KEYS_TICK },
	{ "show", KEYS_SHOW },
};

/* Parses two numbers with a separator between them, and nothing else. */
static bool keys_parse_pair(const char *text, size_t len, char between,
			    unsigned *first, unsigned *second)
{
	unsigned *to[] = { first, second };
	size_t at = 0;

	for (unsigned i = 0; i < 2; i++) {
		size_t begin = at;

		*to[i] = 0;
		while (at < len && at - begin < 6 && text[at] >= '0' &&
		       text[at] <= '9')
			*to[i] = *to[i] * 10 + (unsigned)(text[at++] - '0');
		if (at == begin ||
		    (i == 0 && (at == len || text[at++] != between)))
			return false;
	}
	return at == len;
}

int keys_size(const char *text, unsigned *columns, unsigned *rows,
	      struct error *err)
{
	if (!keys_parse_pair(text, strlen(text), 'x', columns, rows) ||
	    !*columns || !*rows)
		return fail(err, ERROR_MISUSE,
			    "invalid size '%s' (example: 80x24)", text);
	return 0;
}

/* Finds the key of a name, without < and >. */
static bool keys_find_name(const char *name, size_t len, struct key *key)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strlen(names[i].name) == len &&
		    memcmp(names[i].name, name, len) == 0) {
			key->code = names[i].code;
			return true;
		}
	}
	if (len > 6 && memcmp(name, "click:", 6) == 0) {
		key->code = KEYS_CLICK;
		return keys_parse_pair(name + 6, len - 6, ',', &key->row,
				       &key->column);
	}
	if (len > 5 && memcmp(name, "size:", 5) == 0) {
		key->code = KEYS_SIZE;
		return keys_parse_pair(name + 5, len - 5, 'x', &key->column,
				       &key->row);
	}
	return false;
}

int keys_next(const char **script, struct key *key, struct error *err)
{
	const char *begin = *script;
	const char *end;

	*key = (struct key){ .code = (uint8_t)*begin };
	if (!*begin)
		return 0;
	*script = begin + 1;
	if (*begin != '<')
		return 0;
	end = strchr(begin, '>');
	if (!end || !keys_find_name(begin + 1, (size_t)(end - begin - 1), key))
		return fail(err, ERROR_MISUSE, "invalid key: '%s'", begin);
	*script = end + 1;
	return 0;
}
