/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes a server's replies to a greeting and a call.  In the first byte, the
 * lowest bit selects whether the method is void, the others are the size of the
 * pieces.
 */
#include "jmx_http/rmi/stub.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct jrmp_return *r)
{
	struct stub stub;
	struct error err;

	if (!r->value && !r->is_void)
		abort();
	if (r->is_exception && !r->value)
		abort();
	if (stub_of(r->value, &stub, &err) == 0 &&
	    (!stub.port || !stub.host[0] || strlen(stub.host) > JRMP_HOST_MAX))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jrmp_return r = { 0 };
	struct jrmp_greeting greeting = { .len = 0 };
	size_t at, end, used, step;
	enum java_status status = JAVA_MORE;

	if (!size)
		return 0;
	step = (size_t)data[0] + 1;
	r.is_void = data[0] & 1;
	if (jrmp_read_answer(data + 1, size - 1, &greeting) == JRMP_GREETED &&
	    greeting.len > size - 1)
		abort();
	at = end = greeting.len + 1;
	while (status == JAVA_MORE && end < size) {
		end = size - end < step ? size : end + step;
		status = jrmp_return_read(&r, data + at, end - at, &used);
		if (used > end - at || (status == JAVA_WRONG) != !!r.wrong)
			abort();
		at += used;
	}
	if (status == JAVA_DONE)
		look(&r);
	jrmp_return_release(&r);
	return 0;
}
