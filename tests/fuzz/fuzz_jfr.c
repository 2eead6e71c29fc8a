/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p = profile_new();
	struct error err;

	/* Frames without their lines are read in a way of their own. */
	p->keep_lines = size % 2;
	jfr_reader.sniff(data, size < READER_HEAD ? size : READER_HEAD);
	jfr_reader.read(data, size, p, &err);
	profile_free(p);
	return 0;
}
