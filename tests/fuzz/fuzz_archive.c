/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/archive.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LIMIT ((size_t)1 << 20)

/* Lists and unpacks all members, whose number the input bounds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct archive_member m;
	struct archive archive;
	size_t count = 0, bytes = 0;

	archive_is_zip(data, size);
	archive_is_empty(data, size);
	archive_open(&archive, data, size);
	while (archive_next(&archive, &m)) {
		struct inflated out = archive_unpack(&m, LIMIT, LIMIT / 2);

		if (out.len > LIMIT || out.used > m.size)
			abort();
		free(out.bytes);
		archive_is_file(&m);
		bytes += m.size;
		count++;
	}
	if (count > size / ARCHIVE_LOCAL_SIZE || bytes > size)
		abort();
	return 0;
}
