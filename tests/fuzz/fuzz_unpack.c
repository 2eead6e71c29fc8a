/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/unpack.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decompresses with the limit of format detection, then with a larger one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t limits[] = { 100, (size_t)1 << 20 };
	enum unpack_kind kind = unpack_kind(data, size);

	if (kind == UNPACK_NONE)
		return 0;
	for (size_t i = 0; i < 2; i++) {
		struct inflated out = unpack_bytes(kind, data, size, limits[i]);

		if (out.len > limits[i] || out.used > size)
			abort();
		free(out.bytes);
	}
	return 0;
}
