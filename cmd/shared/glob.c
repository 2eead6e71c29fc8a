/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/glob.h"

#include "core/base/text.h"

#include <string.h>

/* Appends a character that the expression matches literally. */
static void glob_add_literal(struct text *out, char c)
{
	if (strchr("\\^$.[]|()?*+{}-#", c))
		text_putc(out, '\\');
	text_putc(out, c);
}

/* "**." at the start matches text that ends with a separator, or nothing. */
static bool glob_starts_open(const char *glob, size_t len, char separator)
{
	return separator && len >= 3 && glob[0] == '*' && glob[1] == '*' &&
	       glob[2] == separator;
}

static bool glob_ends_open(const char *glob, size_t len, char separator)
{
	return separator && len >= 3 && glob[len - 1] == '*' &&
	       glob[len - 2] == '*' && glob[len - 3] == separator;
}

struct pattern *glob_new(const char *glob, char separator, struct error *err)
{
	struct text regex = { 0 };
	size_t len = strlen(glob);
	bool open_end = false;
	char other[8] = "."; /* any character but the separator */
	struct pattern *p;

	if (separator)
		snprintf(other, sizeof(other), "[^\\%c]", separator);
	text_puts(&regex, "(?s)");
	if (glob_starts_open(glob, len, separator)) {
		text_printf(&regex, "(?:.*\\%c)?", separator);
		glob += 3;
		len -= 3;
	}
	if (glob_ends_open(glob, len, separator)) {
		open_end = true;
		len -= 3;
	}
	for (size_t i = 0; i < len; i++) {
		if (glob[i] == '*' && i + 1 < len && glob[i + 1] == '*') {
			text_puts(&regex, ".*");
			i++;
		} else if (glob[i] == '*') {
			text_printf(&regex, "%s*", other);
		} else if (glob[i] == '?') {
			text_puts(&regex, other);
		} else {
			glob_add_literal(&regex, glob[i]);
		}
	}
	if (open_end)
		text_printf(&regex, "(?:\\%c.*)?", separator);
	p = pattern_new_whole(regex.bytes, err);
	text_release(&regex);
	return p;
}
