/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/elf/demangle.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Demangling keeps the text before the name. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *mangled = xmalloc(size + 3);
	struct text text = { 0 };

	memcpy(mangled, "_Z", 2);
	memcpy(mangled + 2, data, size);
	mangled[size + 2] = '\0';
	text_puts(&text, "before ");
	if (demangle(&text, mangled) != (text.len > 7) ||
	    strncmp(text.bytes, "before ", 7) != 0)
		__builtin_trap();
	text_release(&text);
	free(mangled);
	return 0;
}
