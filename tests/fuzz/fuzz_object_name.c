/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes a pattern and a name, which a line with only a newline separates.  The
 * canonical form of a canonical name must be the same.
 */
#include "jmx_http/value/object_name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool canonical(const struct object_name *n, struct text *out)
{
	struct object_name again;
	struct text twice = { 0 };
	struct error err;

	object_name_canonical(n, out);
	if (object_name_parse(&again, out->bytes, out->len, &err))
		abort();
	object_name_canonical(&again, &twice);
	if (strcmp(out->bytes, twice.bytes) != 0)
		abort();
	if (!object_name_is_pattern(n) && !object_name_matches(&again, n))
		abort();
	object_name_release(&again);
	text_release(&twice);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *split = memchr(data, '\r', size);
	size_t len = split ? (size_t)(split - data) : size;
	const char *rest = (const char *)data + len + (split != NULL);
	struct object_name pattern, name;
	struct text a = { 0 }, b = { 0 };
	struct error err;
	bool is_pattern, is_name;

	is_pattern = !object_name_parse(&pattern, (const char *)data, len,
					&err) &&
		     canonical(&pattern, &a);
	is_name = split &&
		  !object_name_parse(&name, rest, size - len - 1, &err) &&
		  canonical(&name, &b);
	if (is_pattern && is_name && object_name_matches(&pattern, &name) &&
	    !object_name_is_pattern(&pattern) && strcmp(a.bytes, b.bytes) != 0)
		abort();
	if (is_pattern)
		object_name_release(&pattern);
	if (is_name)
		object_name_release(&name);
	text_release(&a);
	text_release(&b);
	return 0;
}
