/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces numbers and UUIDs in thread names by "*". */
#include "core/threads/pool_name.h"

#include "core/base/ascii.h"

#include <stdbool.h>
#include <stddef.h>

static bool pool_name_is_hex(char c) { return hex_digit(c) >= 0; }

/* Returns the length of the UUID at the start of a name, or 0. */
static size_t pool_name_uuid_length(const char *name)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; form[i]; i++) {
		if (form[i] == 'x' ? !pool_name_is_hex(name[i])
				   : name[i] != '-')
			return 0;
	}
	return sizeof(form) - 1;
}

void pool_name(struct text *out, const char *name)
{
	while (*name) {
		size_t len = pool_name_uuid_length(name);

		while (!pool_name_uuid_length(name + len) &&
		       is_digit(name[len]))
			len++;
		if (len)
			text_putc(out, '*');
		else
			text_putc(out, name[len++]);
		name += len;
	}
}
