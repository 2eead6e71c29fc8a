/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/formats/reader.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const uint8_t *data, size_t size)
{
	struct profile *p = profile_new();
	struct error err;

	nps_reader.sniff(data, size < READER_HEAD ? size : READER_HEAD);
	nps_reader.read(data, size, p, &err);
	profile_free(p);
}

/*
 * An input that is no snapshot is used as the uncompressed content of one,
 * because the fuzzer cannot produce correct zlib checksums.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t
		header[] = "nBpRoFiLeR\1\1\0\0\0\1\0\0\0\0\0\0\0\0";
	uLongf len = compressBound(size);
	uint8_t *file;

	if (size >= 10 && memcmp(data, header, 10) == 0) {
		read_all(data, size);
		return 0;
	}
	file = xmalloc(sizeof(header) - 1 + len);
	memcpy(file, header, sizeof(header) - 1);
	compress2(file + sizeof(header) - 1, &len, data, size, 0);
	read_all(file, sizeof(header) - 1 + len);
	free(file);
	return 0;
}
