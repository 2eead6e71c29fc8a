/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the first messages of a SOCKS client: a greeting and a request. */
#include "jmx_http/proxy/socks_request.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct socks_request r = { .host = "" };
	size_t used = 0, more = 0;

	if (socks_read_greeting(data, size, &used) != SOCKS_DONE)
		return 0;
	if (used > size || used < 3)
		abort();
	data += used;
	size -= used;
	if (socks_read_request(data, size, &r, &more) != SOCKS_DONE)
		return 0;
	if (more > size || more < 7 || !r.host[0])
		abort();
	/* The end is found only with its last byte. */
	if (socks_read_request(data, more - 1, &r, &used) != SOCKS_MORE)
		abort();
	return 0;
}
