/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes Java streams.  The first byte is the size of the pieces. */
#include "jmx_http/java/java_stream.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t look(const struct java_value *v)
{
	struct text told = { 0 };
	size_t len;

	java_add_throwable(&told, v);
	java_is_caused_by(v, "E");
	java_field_of(v, "cause");
	len = told.len + java_string_of(v).len;
	text_release(&told);
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct java_stream s = { 0 };
	const struct java_value *v = NULL;
	size_t step = size ? (size_t)data[0] + 1 : 1;
	size_t at = 1, end = 1, used, seen = 0;
	enum java_status status = JAVA_MORE;

	while (size && status < JAVA_ABORTED) {
		if (status == JAVA_MORE && end == size)
			break;
		if (status == JAVA_MORE)
			end = size - end < step ? size : end + step;
		status = java_stream_read(&s, data + at, end - at, &used, &v);
		if (used > end - at || (status == JAVA_WRONG) != !!s.wrong)
			abort();
		at += used;
		if (s.offset != at - 1)
			abort();
		if (status == JAVA_DONE || status == JAVA_ABORTED)
			seen += look(v);
	}
	java_stream_release(&s);
	return seen == SIZE_MAX;
}
