/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_json: parses Jolokia's JSON, and converts it to and from values.
 *
 * cJSON stores numbers as doubles, so integers beyond 2^53 and fractions are
 * kept as text.  Documents are hostile: nesting and the number of values are
 * limited.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_JSON_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_JSON_H

#include "core/base/error.h"
#include "jmx_http/value/value.h"

#include <cjson/cJSON.h>

#define JOLOKIA_DEPTH_MAX 256
/* A value needs up to 100 bytes while the document is parsed. */
#define JOLOKIA_VALUES_MAX ((size_t)2000000)

/*
 * Parses one document, which the caller frees with cJSON_Delete().  Returns
 * NULL and ERROR_REFUSED if it is not JSON or exceeds a limit; the reason has
 * no prefix.  Accepts NaN and infinities without quotes as numbers.
 */
cJSON *jolokia_json_parse(const char *bytes, size_t len, struct error *err);

/*
 * Returns the text of a parsed number, in buffer if necessary; NULL for other
 * items.
 */
const char *jolokia_json_number(const cJSON *item, char buffer[32]);

/*
 * Returns the string of an item as valid UTF-8 in the arena; it may contain
 * NULs, which len counts.  Returns { NULL, 0 } for other items.
 */
struct value_text jolokia_json_text(const cJSON *item, struct arena *a);

/* Returns the member of an object, or NULL. */
const cJSON *jolokia_json_member(const cJSON *object, const char *name);

/*
 * Returns the string of a member of an object, as jolokia_json_text(), or
 * absent, which may be NULL.
 */
const char *jolokia_member_text(const cJSON *object, const char *name,
				const char *absent, struct arena *a);

/*
 * Converts an item to a value in the arena, never NULL.  type is the Java type
 * that the MBean declares, or "" or NULL if it is unknown: in JSON, a long
 * looks like a Date, and a Map like a CompositeData or a TabularData.
 *
 * An object {"objectName":…} becomes a name, {"bigint":…} a number.  Members of
 * composites are sorted by name, as in CompositeData.  Texts with which Jolokia
 * marks truncated values become VALUE_CUT.
 */
const struct value *jolokia_to_value(const cJSON *item, const char *type,
				     struct arena *a);

/*
 * Writes an item unchanged, with all digits of its numbers.  Truncates items
 * with more levels than the writer supports.
 */
void jolokia_json_item(struct json *j, const cJSON *item);

/*
 * Appends a value in the form in which agents expect arguments and attribute
 * values.
 */
void jolokia_add_argument(struct text *out, const struct value *v);

#endif
