/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/jdk_version.h"

#include <stddef.h>
#include <string.h>

/* Longer numbers are not versions; this also prevents overflows. */
#define LONGEST_NUMBER 6

/* Reads a number and moves *at behind it; false if there is none. */
static bool version_read_number(const char **at, unsigned *number)
{
	size_t digits = strspn(*at, "0123456789");

	if (digits == 0 || digits > LONGEST_NUMBER)
		return false;
	*number = 0;
	for (size_t i = 0; i < digits; i++)
		*number = *number * 10 + (unsigned)((*at)[i] - '0');
	*at += digits;
	return true;
}

struct jdk_version jdk_version_of(const char *text)
{
	struct jdk_version v = { 0 };
	unsigned part;

	if (!text || !version_read_number(&text, &v.feature))
		return (struct jdk_version){ 0 };
	/* 1.8.0_504 is JDK 8. */
	if (v.feature == 1 && *text == '.') {
		text++;
		if (!version_read_number(&text, &v.feature))
			return (struct jdk_version){ 0 };
	}
	for (unsigned i = 1; *text == '.' && i < 8; i++) {
		text++;
		if (!version_read_number(&text, &part))
			return (struct jdk_version){ 0 };
		if (i == 2)
			v.update = part;
	}
	if ((*text == '_' || *text == 'u') && v.feature <= 8) {
		text++;
		if (!version_read_number(&text, &v.update))
			return (struct jdk_version){ 0 };
	}
	v.is_early = strncmp(text, "-ea", 3) == 0;
	return v;
}
