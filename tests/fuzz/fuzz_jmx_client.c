/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a server sends in a whole session.  In the first byte, the lowest
 * bit selects whether the server stays silent at the end, the others are the
 * size of the pieces.  For each connection follow two bytes with the length of
 * its data, and the data.
 */
#include "tests/fuzz/memory_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_server server = { 0 };
	struct memory_talk talk;
	size_t at = 1;

	if (!size)
		return 0;
	server.step = data[0] >> 1;
	server.is_silent = data[0] & 1;
	while (size - at > 2 && server.count < MEMORY_CONNECTIONS_MAX) {
		size_t len = (size_t)data[at] << 8 | data[at + 1];

		at += 2;
		if (len > size - at)
			len = size - at;
		server.connections[server.count].at = data + at;
		server.connections[server.count++].len = len;
		at += len;
	}
	talk = memory_talk_to(&server);
	if (talk.replies > MEMORY_REQUESTS ||
	    (talk.replies < MEMORY_REQUESTS && !talk.err.kind))
		abort();
	return 0;
}
