/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes a stream of Java objects.  Each is converted to a value and printed as
 * text and as JSON, which must be valid.
 */
#include "jmx_http/java/java_convert.h"
#include "jmx_http/java/java_stream.h"
#include "jmx_http/java/java_to_value.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* Lower limits than usual, so that the fuzzer reaches them. */
#define COST_MAX 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct java_value *v)
{
	struct arena a = { 0 };
	struct java_convert c = java_convert_into(&a);
	struct text json = { 0 }, text = { 0 };
	struct json j = json_into(&json);
	const struct value *made;
	cJSON *read;

	c.left = COST_MAX;
	made = java_convert_value(&c, v);
	value_json(&j, made);
	read = cJSON_ParseWithLengthOpts(json.bytes, json.len + 1, NULL, 1);
	if (!read)
		abort();
	cJSON_Delete(read);
	value_print(&text, made, 4, 20);
	value_cell(&text, made);
	java_to_info(v, &a);
	java_convert_end(&c);
	text_release(&json);
	text_release(&text);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct java_stream s = { 0 };
	const struct java_value *v = NULL;
	size_t at = 0, used;
	enum java_status status;

	do {
		status = java_stream_read(&s, data + at, size - at, &used, &v);
		at += used;
		if (status == JAVA_DONE || status == JAVA_ABORTED)
			look(v);
	} while (status == JAVA_DONE);
	java_stream_release(&s);
	return 0;
}
