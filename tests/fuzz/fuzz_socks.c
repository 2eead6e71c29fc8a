/* SPDX-License-Identifier: Apache-2.0 */
/* What a client of SOCKS says first: a greeting, and then a request. */
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
	/* It was not known before its last byte. */
	if (socks_read_request(data, more - 1, &r, &used) != SOCKS_MORE)
		abort();
	return 0;
}
