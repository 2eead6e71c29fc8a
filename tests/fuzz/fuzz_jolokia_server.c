/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes requests of Jolokia clients: the input is a body, and the target of a
 * GET, with its first line as the query of the URL.  Each response must be
 * valid JSON with a status for each request, and arguments must have the types
 * of the operation.  If jolokia_call judges that a body only reads, nothing may
 * change.
 */
#include "jmx_http/jolokia/jolokia_server.h"
#include "jmx_http/proxy/jolokia_call.h"
#include "tests/unit/jmx_http/jolokia/table_jmx.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_one(const cJSON *response)
{
	if (!cJSON_IsNumber(
		    cJSON_GetObjectItemCaseSensitive(response, "status")))
		abort();
}

static void check_response(const struct text *out)
{
	cJSON *root = cJSON_ParseWithLengthOpts(out->bytes, out->len + 1, NULL,
						1);
	const cJSON *one;

	if (!root)
		abort();
	if (cJSON_IsArray(root))
		cJSON_ArrayForEach(one, root) check_one(one);
	else
		check_one(root);
	cJSON_Delete(root);
}

/* Whether mxprx --read-only forwards the body. */
static bool body_only_reads(struct line body)
{
	static const struct jolokia_rules reading = { .read_only = true };
	static struct jolokia_call c;

	jolokia_call_begin(&c, &reading);
	jolokia_call_read(&c, body.text, body.len);
	return jolokia_call_end(&c) == JOLOKIA_PASSES;
}

static bool target_only_reads(struct line target)
{
	static const struct jolokia_rules reading = { .read_only = true };
	static struct jolokia_call c;

	jolokia_call_begin(&c, &reading);
	return jolokia_call_of_path(&c, target) == JOLOKIA_PASSES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table_jmx table = {
		.jmx = { .ops = &table_ops, .title = "table", .version = "" }
	};
	struct jolokia_operations o = { .jmx = &table.jmx };
	struct line whole = { (const char *)data, size };
	const char *newline = memchr(data, '\n', size);
	struct line query = { whole.text,
			      newline ? (size_t)(newline - whole.text) : size };
	struct text out = { 0 };

	text_puts(&table.log, "");
	jolokia_operations_post(&o, whole, query, &out);
	check_response(&out);
	/* table_jmx has no MBean of which operations only read. */
	if (table.log.len && body_only_reads(whole))
		abort();
	text_clear(&out);
	text_clear(&table.log);
	jolokia_operations_get(&o, whole, query, &out);
	check_response(&out);
	if (table.log.len && target_only_reads(whole))
		abort();
	text_release(&out);
	text_release(&table.log);
	text_release(&table.runs);
	return 0;
}
