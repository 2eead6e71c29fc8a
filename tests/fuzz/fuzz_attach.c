/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes replies of a JVM, or of a process in its place.  The first byte is the
 * size of the parts in which they arrive.
 */
#include "core/attach/attach.h"
#include "core/attach/attach_openj9.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_hotspot(const char *bytes, size_t len, size_t step)
{
	struct hotspot_status status = { 0 };
	struct hotspot_protocol protocol;
	const struct attach_request request = { .operation = "threaddump" };
	struct text out = { 0 };
	struct error err;
	size_t at = 0;

	while (at < len) {
		size_t part = len - at < step ? len - at : step;
		size_t used = hotspot_status_feed(&status, bytes + at, part);

		if (used > part || (status.is_known && status.is_wrong))
			abort();
		at += used;
		if (used < part)
			break;
	}
	if (!status.is_known)
		return;
	protocol = hotspot_protocol_of(status.value, bytes + at, len - at);
	if (protocol.version != 1 && protocol.version != 2)
		abort();
	if (hotspot_encode(&out, protocol, &request, &err))
		abort();
	text_release(&out);
}

static void read_openj9(const char *bytes, size_t len)
{
	struct text out = { 0 };
	struct error err;

	openj9_decode(bytes, len, &out, &err);
	text_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		read_openj9((const char *)data + 1, size - 1);
	if (size)
		read_hotspot((const char *)data + 1, size - 1,
			     (size_t)data[0] + 1);
	return 0;
}
