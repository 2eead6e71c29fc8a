/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/zip.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decompresses with the limit of format detection, then with a larger one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t limits[] = { 100, (size_t)1 << 20 };

	for (size_t i = 0; i < 2; i++) {
		struct inflated out = inflate_bytes(INFLATE_GZIP, data, size,
						    limits[i]);

		if (out.len > limits[i] || out.used > size)
			abort();
		free(out.bytes);
		out = inflate_bytes(INFLATE_ZLIB, data, size, limits[i]);
		if (out.len > limits[i] || out.used > size)
			abort();
		free(out.bytes);
	}
	return 0;
}
