/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/formats/reader.h"
#include "core/formats/std/std_format.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_read(const uint8_t *data, size_t size)
{
	struct profile *p = profile_new();
	struct error err;

	std_reader.sniff(data, size < READER_HEAD ? size : READER_HEAD);
	std_reader.read(data, size, p, &err);
	profile_free(p);
}

/*
 * An input that is no dump is used as the records of one, because the fuzzer
 * cannot produce correct zlib checksums. Its first byte selects the version.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uLongf len = compressBound(size);
	uint8_t *file;

	if (!size || (size >= 9 && memcmp(data, "TRACEDUMP", 9) == 0)) {
		fuzz_read(data, size);
		return 0;
	}
	file = xmalloc(STD_MAGIC_LEN + len);
	memcpy(file, std_magics[data[0] % STD_VERSIONS], STD_MAGIC_LEN);
	compress2(file + STD_MAGIC_LEN, &len, data + 1, size - 1, 0);
	fuzz_read(file, STD_MAGIC_LEN + len);
	free(file);
	return 0;
}
