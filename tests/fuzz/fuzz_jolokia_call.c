/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the check of POST bodies.  If a body passes with --read-only, another
 * JSON parser must find no request in it that changes something, and no target.
 * The verdict must not depend on the pieces in which the body arrives.
 */
#include "jmx_http/proxy/jolokia_call.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum jolokia_verdict judge(struct jolokia_call *c,
				  const struct jolokia_rules *rules,
				  const char *bytes, size_t size, size_t step)
{
	jolokia_call_begin(c, rules);
	for (size_t at = 0; at < size; at += step)
		jolokia_call_read(c, bytes + at,
				  size - at < step ? size - at : step);
	return jolokia_call_end(c);
}

static bool entry_reads(const cJSON *entry)
{
	static const char *const types[] = { "read", "list", "search",
					     "version" };
	const cJSON *type = cJSON_GetObjectItemCaseSensitive(entry, "type");
	const cJSON *mbean = cJSON_GetObjectItemCaseSensitive(entry, "mbean");

	if (!cJSON_IsString(type))
		return false;
	for (size_t i = 0; i < 4; i++)
		if (strcmp(type->valuestring, types[i]) == 0)
			return true;
	return strcmp(type->valuestring, "exec") == 0 &&
	       cJSON_IsString(mbean) &&
	       (strncmp(mbean->valuestring, "java.lang:type=Threading", 24) ==
			0 ||
		strstr(mbean->valuestring, "Logging") ||
		strstr(mbean->valuestring, "HotSpotDiagnostic"));
}

static void check_entry(const cJSON *entry)
{
	/* cJSON_GetObjectItem() ignores case. */
	if (!cJSON_IsObject(entry) || !entry_reads(entry) ||
	    cJSON_GetObjectItem(entry, "target"))
		abort();
}

static void check_by_cjson(const char *bytes, size_t size)
{
	const char *end = NULL;
	const cJSON *entry;
	cJSON *root = cJSON_ParseWithLengthOpts(bytes, size, &end, false);

	if (!root)
		abort();
	if (cJSON_IsArray(root))
		cJSON_ArrayForEach(entry, root) check_entry(entry);
	else
		check_entry(root);
	cJSON_Delete(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct jolokia_rules reading = { .read_only = true };
	static const struct jolokia_rules any = { 0 };
	static struct jolokia_call c;
	const char *bytes = (const char *)data;
	struct line target = { bytes, size };
	enum jolokia_verdict whole = judge(&c, &reading, bytes, size,
					   size ? size : 1);

	if (whole && !c.why)
		abort();
	/*
	 * cJSON ends strings at a NUL, and rejects half a surrogate pair;
	 * agents do neither.
	 */
	if (!whole && !memmem(bytes, size, "\\u0000", 6) &&
	    !memmem(bytes, size, "\\ud", 3) && !memmem(bytes, size, "\\uD", 3))
		check_by_cjson(bytes, size);
	if (judge(&c, &reading, bytes, size, 1) != whole)
		abort();
	/* A body that passes with --read-only must also pass without. */
	if (!whole && judge(&c, &any, bytes, size, 3))
		abort();
	jolokia_call_begin(&c, &reading);
	jolokia_call_of_path(&c, target);
	jolokia_path_escapes(target);
	return 0;
}
