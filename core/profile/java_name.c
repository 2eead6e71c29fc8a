/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/java_name.h"

#include "core/base/ascii.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST 4096 /* longer class names are not changed */

/* Returns the position of marker in name, or NULL. */
static const char *java_name_find(const char *name, size_t len,
				  const char *marker)
{
	return memmem(name, len, marker, strlen(marker));
}

/*
 * Returns the length without the suffix "/0x…" or "+0x…" of a hidden class, or
 * ".0x…" if a tool has replaced slashes by dots.
 */
static size_t name_cut_address(const char *name, size_t len)
{
	for (size_t i = 1; i + 2 < len; i++) {
		if (strchr("/+.", name[i]) && name[i] && name[i + 1] == '0' &&
		    name[i + 2] == 'x')
			return i;
	}
	return len;
}

/* Removes trailing digits if the text before them ends with stem. */
static size_t name_cut_number(const char *name, size_t len, const char *stem)
{
	size_t stem_len = strlen(stem);
	size_t end = len;

	while (end && is_digit(name[end - 1]))
		end--;
	if (end < len && end >= stem_len &&
	    memcmp(name + end - stem_len, stem, stem_len) == 0)
		return end;
	return len;
}

/* Removes the text after marker, or after the first "$$" behind marker. */
static size_t name_cut_after_marker(const char *name, size_t len,
				    const char *marker, bool to_dollars)
{
	const char *at = java_name_find(name, len, marker);
	const char *end;

	if (!at)
		return len;
	end = at + strlen(marker);
	if (to_dollars) {
		end = java_name_find(end, (size_t)(name + len - end), "$$");
		return end ? (size_t)(end - name) : len;
	}
	return (size_t)(end - name);
}

static size_t name_stable_length(const char *name, size_t len)
{
	static const char *const numbered[] = {
		"GeneratedMethodAccessor",
		"GeneratedConstructorAccessor",
		"GeneratedSerializationConstructorAccessor",
		"$Proxy",
	};

	len = name_cut_after_marker(name, len, "$$Lambda", false);
	len = name_cut_address(name, len);
	len = name_cut_after_marker(name, len, "$$EnhancerBy", true);
	len = name_cut_after_marker(name, len, "$$FastClassBy", true);
	for (size_t i = 0; i < sizeof(numbered) / sizeof(*numbered); i++)
		len = name_cut_number(name, len, numbered[i]);
	return len;
}

uint32_t java_class_name(struct profile *p, const char *name, size_t len)
{
	char dotted[LONGEST];

	if (len == 0)
		return 0;
	if (len > LONGEST)
		return profile_string(p, name, len);
	len = name_stable_length(name, len);
	for (size_t i = 0; i < len; i++)
		dotted[i] = name[i] == '/' ? '.' : name[i];
	return profile_string(p, dotted, len);
}
