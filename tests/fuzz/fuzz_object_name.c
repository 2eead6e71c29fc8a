/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes a name or a pattern.  The canonical form of a canonical name must be
 * the same, and a pattern only if the name is one.
 */
#include "jmx_http/value/object_name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void canonical(const struct object_name *n)
{
	struct object_name again;
	struct text once = { 0 }, twice = { 0 };
	struct error err;

	object_name_canonical(n, &once);
	if (object_name_parse(&again, once.bytes, once.len, &err))
		abort();
	object_name_canonical(&again, &twice);
	if (strcmp(once.bytes, twice.bytes) != 0 ||
	    object_name_is_pattern(n) != object_name_is_pattern(&again))
		abort();
	object_name_release(&again);
	text_release(&once);
	text_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object_name name;
	struct error err;

	if (object_name_parse(&name, (const char *)data, size, &err))
		return 0;
	canonical(&name);
	object_name_release(&name);
	return 0;
}
