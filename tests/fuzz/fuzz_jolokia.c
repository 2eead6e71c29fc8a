/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes responses of Jolokia agents.  The first byte selects a declared type.
 * Each response object of the rest is read as every kind of response, and the
 * result is printed as JSON, which must be valid.
 */
#include "jmx_http/jolokia/jolokia_protocol.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const types[] = {
	"",
	"long",
	"double",
	"float",
	"java.util.Date",
	"java.util.Map",
	"java.math.BigDecimal",
	"java.lang.String",
	"javax.management.ObjectName",
	"javax.management.openmbean.TabularData",
	"[J",
	"[[D",
	"[Ljavax.management.ObjectName;",
};

static void check_value(const struct value *v)
{
	struct text text = { 0 };
	struct json j = json_into(&text);
	cJSON *read;

	value_json(&j, v);
	read = cJSON_ParseWithLengthOpts(text.bytes, text.len + 1, NULL, 1);
	if (!read)
		abort();
	cJSON_Delete(read);
	text_clear(&text);
	value_print(&text, v, 0, 40);
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.bytes[i] < ' ' && text.bytes[i] != '\n')
			abort();
	text_clear(&text);
	value_cell(&text, v);
	text_release(&text);
}

static void check_features(const struct jmx_feature *f, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!f[i].name || !f[i].type || !f[i].description)
			abort();
		check_features(f[i].parameters, f[i].parameter_count);
	}
}

static void check_info(const struct jmx_info *info)
{
	if (!info)
		return;
	if (!info->class || !info->description)
		abort();
	check_features(info->attributes, info->attribute_count);
	check_features(info->operations, info->operation_count);
	check_features(info->notifications, info->notification_count);
}

static void check_response(const cJSON *response, const char *type)
{
	const cJSON *value = jolokia_json_member(response, "value");
	struct arena a = { 0 };
	struct jolokia_agent agent;
	enum error_kind kind = ERROR_NONE;
	const char *why = jolokia_failure(response, &a, &kind);
	const struct value *names = jolokia_to_names(value, &a);

	if (why && (!*why || kind == ERROR_NONE))
		abort();
	check_value(jolokia_to_value(value, type, &a));
	check_info(jolokia_to_info(value, &a));
	if (names)
		check_value(names);
	if (jolokia_to_agent(value, &agent, &a) &&
	    (!agent.agent || !agent.protocol))
		abort();
	(void)jolokia_is_replaced(value);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *type;
	struct error err;
	const cJSON *one;
	cJSON *json;

	if (!size)
		return 0;
	type = types[data[0] % (sizeof(types) / sizeof(*types))];
	json = jolokia_json_parse((const char *)data + 1, size - 1, &err);
	if (!json)
		return 0;
	check_response(json, type);
	if (cJSON_IsArray(json))
		cJSON_ArrayForEach(one, json) check_response(one, type);
	cJSON_Delete(json);
	return 0;
}
