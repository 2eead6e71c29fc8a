/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/perfdata.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	struct perfdata *p = perfdata_of(data, size, &err);
	size_t len = 0;

	for (size_t i = 0; p && i < perfdata_count(p); i++) {
		struct perfdata_counter c = perfdata_at(p, i);

		len += strlen(c.name) + (c.text ? strlen(c.text) : 0);
		perfdata_value(p, c.name, &c.value);
		perfdata_text(p, c.name);
	}
	perfdata_close(p);
	return len == SIZE_MAX;
}
