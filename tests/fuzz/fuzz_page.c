/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p = profile_new();
	struct error err;

	page_reader.sniff(data, size < READER_HEAD ? size : READER_HEAD);
	page_reader.read(data, size, p, &err);
	profile_free(p);
	return 0;
}
