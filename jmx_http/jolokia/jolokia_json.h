/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_json: JSON as Jolokia's protocol uses it, and values.
 *
 * Parsed by cJSON, whose numbers are doubles: integers beyond 2^53 and
 * fractions are kept as their text.  Documents are hostile: nesting and the
 * number of values are limited.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_JSON_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_JSON_H

#include "core/base/error.h"
#include "jmx_http/value/value.h"

#include <cjson/cJSON.h>

#define JOLOKIA_DEPTH_MAX 256
/* Each takes up to 100 bytes while the document is parsed. */
#define JOLOKIA_VALUES_MAX ((size_t)2000000)

/*
 * Parses one document.  NULL and ERROR_REFUSED when it is not JSON or exceeds a
 * limit; the reason has no prefix.  cJSON_Delete() is due.  NaN and infinities
 * without quotes are accepted as numbers.
 */
cJSON *jolokia_json_parse(const char *bytes, size_t len, struct error *err);

/*
 * The text of a number that was parsed, in *buffer if necessary; NULL for other
 * items.
 */
const char *jolokia_json_number(const cJSON *item, char buffer[32]);

/*
 * The string of an item as valid UTF-8 in the arena; len counts NULs.
 * { NULL, 0 } for other items.
 */
struct value_text jolokia_json_text(const cJSON *item, struct arena *a);

/* The member of an object, or NULL. */
const cJSON *jolokia_json_member(const cJSON *object, const char *name);

/*
 * Converts an item, in the arena.  type: the Java type that the MBean declares,
 * "" or NULL when it is unknown; JSON does not tell a long from a Date, a Map
 * from a CompositeData, or a TabularData from either.
 *
 * An object {"objectName":…} is a name, {"bigint":…} a number.  Members of
 * composites are sorted by name, as CompositeData has them.  Texts by which
 * Jolokia marks truncated values become VALUE_CUT.
 */
const struct value *jolokia_to_value(const cJSON *item, const char *type,
				     struct arena *a);

/*
 * Writes an item as it was parsed, with all digits of its numbers.  Items of
 * more levels than the writer has are truncated.
 */
void jolokia_json_item(struct json *j, const cJSON *item);

/* Appends a value as agents expect an argument or the value of an attribute. */
void jolokia_add_argument(struct text *out, const struct value *v);

#endif
