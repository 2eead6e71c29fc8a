/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_json.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "jmx_http/value/java_type.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JSON_LEVELS_MAX 60 /* of the writer's 64 */

/* The document before it is parsed */

/*
 * cJSON makes a double of each number, ends strings at U+0000 and rejects half
 * a surrogate pair.  So before it parses a document, numbers that a double may
 * not keep become strings that start with this byte, which no valid UTF-8 has,
 * and those characters become modified UTF-8, as Java writes it.
 */
#define NUMBER_MARK '\xff'

/* Integers of this many digits are exact in a double. */
#define EXACT_DIGITS 15

struct json_prepare {
	const char *at, *end;
	struct text out;
	size_t depth, values;
};

static bool prepare_is_word_end(char c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
	case ',':
	case ':':
	case '{':
	case '}':
	case '[':
	case ']':
	case '"':
		return true;
	default:
		return false;
	}
}

/* RFC 8259, 6; and Java's names of NaN and infinities. */
static bool prepare_is_number(const char *word, size_t len)
{
	const char *at = word + (len && *word == '-'), *end = word + len;
	size_t digits = 0;

	if ((end - at == 3 && !memcmp(at, "NaN", 3)) ||
	    (end - at == 8 && !memcmp(at, "Infinity", 8)))
		return true;
	for (; at < end && is_digit(*at); at++)
		digits++;
	if (digits && at < end && *at == '.')
		for (at++, digits = 0; at < end && is_digit(*at); at++)
			digits++;
	if (!digits || at == end || (*at != 'e' && *at != 'E'))
		return digits && at == end;
	at++;
	at += at < end && (*at == '+' || *at == '-');
	for (digits = 0; at < end && is_digit(*at); at++)
		digits++;
	return digits && at == end;
}

/* Copies a number, true, false or null; returns false for any other word. */
static bool prepare_word(struct json_prepare *p)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *from = p->at;
	bool is_plain = true;
	size_t len;

	while (p->at < p->end && !prepare_is_word_end(*p->at)) {
		is_plain &= is_digit(*p->at) ||
			    (p->at == from && *p->at == '-');
		p->at++;
	}
	len = (size_t)(p->at - from);
	if (prepare_is_number(from, len)) {
		if (is_plain && len <= EXACT_DIGITS &&
		    (*from != '-' || from[1] != '0')) {
			text_add(&p->out, from, len);
			return true;
		}
		text_putc(&p->out, '"');
		text_putc(&p->out, NUMBER_MARK);
		text_add(&p->out, from, len);
		text_putc(&p->out, '"');
		return true;
	}
	text_add(&p->out, from, len);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], from, len))
			return true;
	return false;
}

/* At \u: copies the escape, or replaces it if cJSON would not keep it. */
static void prepare_unicode(struct json_prepare *p)
{
	int32_t c = p->end - p->at < 6 ? -1 : hex_value(p->at + 2, 4);
	int32_t low = -1;
	size_t len = 6;

	if (c >= 0xd800 && c < 0xdc00 && p->end - p->at >= 12 &&
	    p->at[6] == '\\' && p->at[7] == 'u')
		low = hex_value(p->at + 8, 4);
	if (c == 0) {
		text_add(&p->out, "\xc0\x80", 2);
	} else if (low >= 0xdc00 && low < 0xe000) {
		len = 12;
		text_add(&p->out, p->at, len);
	} else if (c >= 0xd800 && c < 0xe000) {
		text_utf8(&p->out, (uint32_t)c);
	} else {
		/* cJSON rejects other digits than hexadecimal ones. */
		len = 2;
		text_add(&p->out, p->at, len);
	}
	p->at += len;
}

static bool prepare_string(struct json_prepare *p)
{
	const char *from = p->at++;

	while (p->at < p->end && *p->at != '"') {
		if (*p->at != '\\') {
			p->at++;
			continue;
		}
		if (p->end - p->at < 2)
			return false;
		if (p->at[1] != 'u') {
			p->at += 2;
			continue;
		}
		text_add(&p->out, from, (size_t)(p->at - from));
		prepare_unicode(p);
		from = p->at;
	}
	if (p->at == p->end)
		return false;
	p->at++;
	text_add(&p->out, from, (size_t)(p->at - from));
	return true;
}

static int prepare_document(struct json_prepare *p, struct error *err)
{
	while (p->at < p->end) {
		char c = *p->at;

		p->depth += c == '{' || c == '[';
		if (p->depth > JOLOKIA_DEPTH_MAX)
			return fail(err, ERROR_REFUSED,
				    "JSON is nested more than %d levels deep",
				    JOLOKIA_DEPTH_MAX);
		if (p->depth && (c == '}' || c == ']'))
			p->depth--;
		if (c == '"' && !prepare_string(p))
			return fail(err, ERROR_REFUSED,
				    "JSON ends within a string");
		if (c == '"' || c == ',' || c == ':') {
			if (++p->values > 2 * JOLOKIA_VALUES_MAX)
				return fail(err, ERROR_REFUSED,
					    "JSON has more than %zu values",
					    JOLOKIA_VALUES_MAX);
		}
		if (c == '"')
			continue;
		if (prepare_is_word_end(c)) {
			text_putc(&p->out, c);
			p->at++;
		} else if (!prepare_word(p)) {
			return fail(err, ERROR_REFUSED, "it is not JSON");
		}
	}
	return 0;
}

static bool json_has_rest(const char *at, const char *end)
{
	while (at < end && strchr(" \t\r\n", *at) && *at)
		at++;
	return at < end;
}

cJSON *jolokia_json_parse(const char *bytes, size_t len, struct error *err)
{
	struct json_prepare p = { .at = bytes, .end = bytes + len };
	const char *end = NULL;
	cJSON *json = NULL;

	text_puts(&p.out, "");
	if (memchr(bytes, '\0', len)) {
		fail(err, ERROR_REFUSED, "it is not JSON");
	} else if (prepare_document(&p, err) == 0) {
		json = cJSON_ParseWithLengthOpts(p.out.bytes, p.out.len, &end,
						 false);
		if (json && json_has_rest(end, p.out.bytes + p.out.len)) {
			cJSON_Delete(json);
			json = NULL;
		}
		if (!json)
			fail(err, ERROR_REFUSED, "it is not JSON");
	}
	text_release(&p.out);
	return json;
}

const char *jolokia_json_number(const cJSON *item, char buffer[32])
{
	if (cJSON_IsString(item) && *item->valuestring == NUMBER_MARK &&
	    prepare_is_number(item->valuestring + 1,
			      strlen(item->valuestring + 1)))
		return item->valuestring + 1;
	if (!cJSON_IsNumber(item))
		return NULL;
	/* The remaining doubles are integers of up to 15 digits. */
	snprintf(buffer, 32, "%" PRId64, (int64_t)item->valuedouble);
	return buffer;
}

static struct value_text json_valid_text(const char *bytes, struct arena *a)
{
	size_t len = strlen(bytes);
	struct value_text made = { .len = len };
	struct text utf8 = { 0 };

	if (safe_text_is(bytes, len)) {
		made.at = arena_copy(a, bytes, len);
		return made;
	}
	text_puts(&utf8, "");
	safe_text_valid(&utf8, bytes, len);
	made.at = arena_copy(a, utf8.bytes, utf8.len);
	made.len = utf8.len;
	text_release(&utf8);
	return made;
}

struct value_text jolokia_json_text(const cJSON *item, struct arena *a)
{
	if (!cJSON_IsString(item))
		return (struct value_text){ NULL, 0 };
	return json_valid_text(item->valuestring, a);
}

const cJSON *jolokia_json_member(const cJSON *object, const char *name)
{
	return cJSON_IsObject(object)
		       ? cJSON_GetObjectItemCaseSensitive(object, name)
		       : NULL;
}

const char *jolokia_member_text(const cJSON *object, const char *name,
				const char *absent, struct arena *a)
{
	const char *text = jolokia_json_text(jolokia_json_member(object, name),
					     a)
				   .at;

	return text ? text : absent;
}

/* JSON to values */

struct json_convert {
	struct arena *arena;
	unsigned depth;
};

static const struct value *convert_item(struct json_convert *c,
					const cJSON *item, const char *type);

static bool type_is(const char *type, const char *name)
{
	return strcmp(type, name) == 0;
}

static bool type_is_real(const char *type)
{
	const struct java_primitive *p = java_primitive_named(type,
							      strlen(type));

	return p && (p->letter == 'D' || p->letter == 'F');
}

static bool type_is_integer(const char *type)
{
	const struct java_primitive *p = java_primitive_named(type,
							      strlen(type));

	return p && strchr("BSIJ", p->letter);
}

static bool type_is_big(const char *type)
{
	return type_is(type, "java.math.BigInteger") ||
	       type_is(type, "java.math.BigDecimal");
}

/* An integer that fits; false for everything else. */
static bool number_is_integer(const char *number, int64_t *integer)
{
	char *end;

	if (strspn(number, "-0123456789") != strlen(number))
		return false;
	errno = 0;
	*integer = strtoll(number, &end, 10);
	return !errno && !*end && end != number &&
	       (*integer != 0 || *number != '-');
}

/* More digits than a double has are those of a BigDecimal. */
static bool number_is_big(const char *number)
{
	size_t digits = 0, zeros = 0;
	bool begun = false;

	for (; *number && *number != 'e' && *number != 'E'; number++) {
		if (!is_digit(*number))
			continue;
		begun |= *number != '0';
		digits += begun;
		zeros = *number == '0' ? zeros + 1 : 0;
	}
	return digits - (digits ? zeros : 0) > 17;
}

static const struct value *convert_integer(struct json_convert *c,
					   int64_t integer, const char *type)
{
	return value_integer(c->arena, type_is_integer(type) ? type : "long",
			     integer);
}

static const struct value *convert_number(struct json_convert *c,
					  const char *number, const char *type)
{
	struct value *v;
	int64_t integer;
	bool is_integral = !strpbrk(number, ".eENI");
	bool is_real = type_is_real(type);

	if (type_is_big(type) ||
	    (!is_real && is_integral && !number_is_integer(number, &integer) &&
	     !type_is(type, "")))
		return value_text(c->arena, VALUE_NUMBER, type, number,
				  strlen(number));
	if (!is_real && number_is_integer(number, &integer))
		return convert_integer(c, integer, type);
	if (!is_real &&
	    (is_integral ? strcmp(number, "-0") != 0 : number_is_big(number)))
		return value_text(c->arena, VALUE_NUMBER, "", number,
				  strlen(number));
	v = value_new(c->arena, VALUE_REAL, is_real ? type : "double");
	/* A float's digits read as a double are those of another number. */
	v->real = strcmp(v->type, "float") == 0 ||
				  strcmp(v->type, "java.lang.Float") == 0
			  ? (double)strtof(number, NULL)
			  : strtod(number, NULL);
	return v;
}

/*
 * "2009-02-13T23:31:30.123Z", "…+01:00": the agent's dateFormat may be another;
 * then the text stays a text.
 */
static bool date_parse(const char *text, int64_t *ms)
{
	struct tm tm = { 0 }, zone = { 0 };
	const char *at = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm), *end;
	int64_t offset = 0, fraction = 0;
	int64_t scale = 100;

	if (!at)
		return false;
	if (*at == '.') {
		for (at++; is_digit(*at); at++) {
			fraction += (*at - '0') * scale;
			scale /= 10;
		}
	}
	if ((*at == '+' || *at == '-') &&
	    (end = strptime(at + 1, "%H:%M", &zone))) {
		offset = ((int64_t)zone.tm_hour * 60 + zone.tm_min) * 60;
		offset = *at == '-' ? -offset : offset;
		at = end;
	} else if (*at == 'Z') {
		at++;
	} else {
		return false;
	}
	*ms = ((int64_t)timegm(&tm) - offset) * 1000 + fraction;
	return !*at;
}

/* The agent's marks of a value that it did not convert. */
static bool text_is_cut(const char *text)
{
	return has_any(text,
		       "[Depth limit |[Reference |[Object limit exceeded|"
		       "[Collection limit exceeded",
		       true) &&
	       text[strlen(text) - 1] == ']';
}

static const struct value *convert_string(struct json_convert *c,
					  const cJSON *item, const char *type)
{
	const char *text = item->valuestring;
	struct value_text valid;
	struct value *v;
	int64_t integer;

	if (type_is_integer(type) && number_is_integer(text, &integer))
		return value_integer(c->arena, type, integer);
	if ((type_is_real(type) || type_is_big(type)) &&
	    prepare_is_number(text, strlen(text)))
		return convert_number(c, text, type);
	v = value_new(c->arena, VALUE_STRING,
		      *type ? type : "java.lang.String");
	if (type_is(type, "java.util.Date") && date_parse(text, &integer)) {
		v->kind = VALUE_DATE;
		v->integer = integer;
		return v;
	}
	valid = json_valid_text(text, c->arena);
	if (type_is(type, "javax.management.ObjectName"))
		v->kind = VALUE_NAME;
	else if (text_is_cut(text))
		v->kind = VALUE_CUT;
	v->text = valid;
	return v;
}

static const struct value *convert_array(struct json_convert *c,
					 const cJSON *item, const char *type)
{
	size_t count = 0, i = 0;
	struct text element = { 0 };
	struct value *v = value_new(c->arena, VALUE_ARRAY, type);
	const struct value **at;
	const cJSON *one;

	cJSON_ArrayForEach(one, item) count++;
	text_puts(&element, "");
	if (!java_type_element(type, &element))
		text_clear(&element);
	at = arena_alloc(c->arena, (count + 1) * sizeof(*at));
	cJSON_ArrayForEach(one, item) at[i++] = convert_item(
		c, one, element.len ? element.bytes : "");
	v->list.at = at;
	v->list.count = count;
	text_release(&element);
	return v;
}

static int member_compare(const void *a, const void *b)
{
	return strcmp(((const struct value_member *)a)->name,
		      ((const struct value_member *)b)->name);
}

static size_t json_size(const cJSON *item)
{
	const cJSON *one;
	size_t count = 0;

	cJSON_ArrayForEach(one, item) count++;
	return count;
}

static struct value *convert_composite(struct json_convert *c,
				       const cJSON *item)
{
	struct value *v = value_new(c->arena, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(c->arena, (json_size(item) + 1) *
								sizeof(*at));
	const cJSON *one;
	size_t count = 0;

	cJSON_ArrayForEach(one, item) at[count++] = (struct value_member){
		json_valid_text(one->string, c->arena).at,
		convert_item(c, one, "")
	};
	qsort(at, count, sizeof(*at), member_compare);
	v->members.at = at;
	v->members.count = count;
	return v;
}

static const struct value *convert_key(struct json_convert *c, const char *key)
{
	struct value *v = value_new(c->arena, VALUE_STRING, "java.lang.String");

	v->text = json_valid_text(key, c->arena);
	return v;
}

static const struct value *convert_map(struct json_convert *c,
				       const cJSON *item, const char *type)
{
	struct value *v = value_new(c->arena, VALUE_MAP, type);
	struct value_pair *at = arena_alloc(c->arena, (json_size(item) + 1) *
							      sizeof(*at));
	const cJSON *one;
	size_t count = 0;

	cJSON_ArrayForEach(one, item)
		at[count++] = (struct value_pair){ convert_key(c, one->string),
						   convert_item(c, one, "") };
	v->map.at = at;
	v->map.count = count;
	return v;
}

/*
 * TabularData is an object of its rows by their index, {"a":{"k":"a","v":1}}.
 * The map of an MXBean, a table of the columns key and value, is an object of
 * the values by their keys, {"a":1}.  A table whose index cannot be a key is
 * {"indexNames":[…],"values":[…]}.
 */
struct json_table {
	const cJSON *item, *rows;
	const char *index; /* of rows by their index; or NULL */
};

static bool json_is_text(const cJSON *item, const char *text)
{
	char buffer[32];
	const char *number = jolokia_json_number(item, buffer);

	if (number)
		return strcmp(number, text) == 0;
	return cJSON_IsString(item) && strcmp(item->valuestring, text) == 0;
}

/* The member that has the key of its row in every row, or NULL. */
static const char *table_find_index(const cJSON *item)
{
	const cJSON *first = item->child, *column, *row;

	if (!cJSON_IsObject(first))
		return NULL;
	cJSON_ArrayForEach(column, first)
	{
		bool is_index = true;

		cJSON_ArrayForEach(row, item)
		{
			is_index = json_is_text(
				jolokia_json_member(row, column->string),
				row->string);
			if (!is_index)
				break;
		}
		if (is_index)
			return column->string;
	}
	return NULL;
}

static const struct value *convert_pair_row(struct json_convert *c,
					    const cJSON *pair)
{
	struct value *row = value_new(c->arena, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(c->arena, 2 * sizeof(*at));

	at[0] = (struct value_member){ "key", convert_key(c, pair->string) };
	at[1] = (struct value_member){ "value", convert_item(c, pair, "") };
	row->members.at = at;
	row->members.count = 2;
	return row;
}

static const struct value *convert_table(struct json_convert *c,
					 const cJSON *item)
{
	static const char *const key[] = { "key" };
	const cJSON *rows = jolokia_json_member(item, "values"), *row;
	const cJSON *names = jolokia_json_member(item, "indexNames"), *name;
	bool is_listed = cJSON_IsArray(rows) && cJSON_IsArray(names);
	const char *index = is_listed ? NULL : table_find_index(item);
	size_t count = 0;
	const struct value **at;
	const char **columns;
	struct value *v = value_new(c->arena, VALUE_TABULAR, "");

	rows = is_listed ? rows : item;
	names = is_listed ? names : NULL;
	at = arena_alloc(c->arena, (json_size(rows) + 1) * sizeof(*at));
	cJSON_ArrayForEach(row, rows)
		at[count++] = is_listed || index ? convert_item(c, row, "")
						 : convert_pair_row(c, row);
	v->table.rows = at;
	v->table.row_count = count;
	v->table.index = key;
	v->table.index_count = 1;
	if (!is_listed && !index)
		return v;
	columns = arena_alloc(c->arena,
			      (json_size(names) + 1) * sizeof(*columns));
	count = 0;
	if (index)
		columns[count++] = json_valid_text(index, c->arena).at;
	cJSON_ArrayForEach(name, names) if (cJSON_IsString(name))
		columns[count++] = json_valid_text(name->valuestring, c->arena)
					   .at;
	v->table.index = columns;
	v->table.index_count = count;
	return v;
}

static const struct value *convert_object(struct json_convert *c,
					  const cJSON *item, const char *type)
{
	const cJSON *only = item->child;
	char buffer[32];
	const char *number = NULL;

	if (only && !only->next && type_is(only->string, "objectName") &&
	    cJSON_IsString(only))
		return convert_string(c, only, "javax.management.ObjectName");
	if (only && !only->next && type_is(only->string, "bigint")) {
		number = jolokia_json_number(only, buffer);
		if (!number && cJSON_IsString(only) &&
		    prepare_is_number(only->valuestring,
				      strlen(only->valuestring)))
			number = only->valuestring;
	}
	if (number)
		return value_text(c->arena, VALUE_NUMBER,
				  "java.math.BigInteger", number,
				  strlen(number));
	if (strstr(type, "TabularData"))
		return convert_table(c, item);
	if (strncmp(type, "java.util.", 10) == 0 && strstr(type, "Map"))
		return convert_map(c, item, type);
	return convert_composite(c, item);
}

static const struct value *convert_deep(struct json_convert *c,
					const cJSON *item, const char *type)
{
	static const char why[] = "too deep";
	const struct value *v;

	if (c->depth == VALUE_DEPTH_MAX)
		return value_text(c->arena, VALUE_CUT, "", why, strlen(why));
	c->depth++;
	v = cJSON_IsArray(item) ? convert_array(c, item, type)
				: convert_object(c, item, type);
	c->depth--;
	return v;
}

/* VALUE_DEPTH_MAX bounds this recursion. */
static const struct value *convert_item(struct json_convert *c,
					const cJSON *item, const char *type)
{
	static const char not_finite[] = "NaN or infinite";
	char buffer[32];
	const char *number;
	struct value *v;

	/* Most numbers need not become text; see jolokia_json_number(). */
	if (cJSON_IsNumber(item) && !type_is_real(type) && !type_is_big(type))
		return convert_integer(c, (int64_t)item->valuedouble, type);
	number = jolokia_json_number(item, buffer);
	if (number)
		return convert_number(c, number, type);
	if (cJSON_IsArray(item) || cJSON_IsObject(item))
		return convert_deep(c, item, type);
	if (cJSON_IsString(item))
		return convert_string(c, item, type);
	/* 1.x writes null for each number that is not finite. */
	if (cJSON_IsNull(item) &&
	    (type_is(type, "double") || type_is(type, "float")))
		return value_text(c->arena, VALUE_CUT, type, not_finite,
				  strlen(not_finite));
	if (!cJSON_IsBool(item))
		return &value_null;
	v = value_new(c->arena, VALUE_BOOLEAN, "boolean");
	v->integer = cJSON_IsTrue(item);
	return v;
}

const struct value *jolokia_to_value(const cJSON *item, const char *type,
				     struct arena *a)
{
	struct json_convert c = { .arena = a };

	return item ? convert_item(&c, item, type ? type : "") : &value_null;
}

/* Values to JSON */

/* The writer's levels bound this recursion. */
void jolokia_json_item(struct json *j, const cJSON *item)
{
	char buffer[32];
	const char *number = jolokia_json_number(item, buffer);
	bool is_object = cJSON_IsObject(item);
	const cJSON *one;
	struct text utf8 = { 0 };

	if (number) {
		json_number(j, number);
	} else if ((is_object || cJSON_IsArray(item)) &&
		   j->depth < JSON_LEVELS_MAX) {
		(is_object ? json_open_object : json_open_array)(j);
		cJSON_ArrayForEach(one, item)
		{
			if (is_object)
				json_foreign_key(j, one->string);
			jolokia_json_item(j, one);
		}
		(is_object ? json_close_object : json_close_array)(j);
	} else if (cJSON_IsString(item)) {
		text_puts(&utf8, "");
		safe_text_valid(&utf8, item->valuestring,
				strlen(item->valuestring));
		json_string(j, utf8.bytes, utf8.len);
		text_release(&utf8);
	} else if (cJSON_IsBool(item)) {
		json_bool(j, cJSON_IsTrue(item));
	} else {
		json_null(j);
	}
}

/* Arguments */

/* Agents round JSON numbers. */
static void argument_number(struct json *j, const struct value_dialect *d,
			    const struct value *v)
{
	(void)d;
	json_string(j, v->text.at, v->text.len);
}

/* True for the table of an MXBean's Map whose keys can name members. */
static bool argument_is_map(const struct value *v)
{
	if (v->table.index_count != 1 || strcmp(v->table.index[0], "key") != 0)
		return false;
	for (size_t i = 0; i < v->table.row_count; i++) {
		const struct value *row = v->table.rows[i];

		if (!value_text_of(value_member(row, "key")) ||
		    !value_member(row, "value"))
			return false;
	}
	return true;
}

/*
 * Agents expect an object of keys and values, or for other tables the columns
 * of the index and the rows.
 * https://jolokia.org/reference/html/manual/jolokia_protocol.html#serialization-request
 */
static void argument_table(struct json *j, const struct value_dialect *d,
			   const struct value *v)
{
	bool is_map = argument_is_map(v);

	json_open_object(j);
	if (!is_map) {
		json_add_array(j, "indexNames");
		for (size_t i = 0; i < v->table.index_count; i++)
			json_text(j, v->table.index[i]);
		json_close_array(j);
		json_add_array(j, "values");
	}
	for (size_t i = 0; i < v->table.row_count; i++) {
		const struct value *row = v->table.rows[i];

		if (is_map)
			json_foreign_key(j, value_member(row, "key")->text.at);
		value_json_as(j, d, is_map ? value_member(row, "value") : row);
	}
	if (!is_map)
		json_close_array(j);
	json_close_object(j);
}

/* Arrays contain arrays and simple values, which bounds this recursion. */
static void argument_add(struct json *j, const struct value *v)
{
	struct value_dialect dialect = value_dialect_mx;

	dialect.number = argument_number;
	dialect.table = argument_table;
	if (v->kind == VALUE_ARRAY) {
		json_open_array(j);
		for (size_t i = 0; i < v->list.count; i++)
			argument_add(j, v->list.at[i]);
		json_close_array(j);
	} else if (v->kind == VALUE_DATE) {
		/* Each agent has a dateFormat of its own. */
		json_int(j, v->integer);
	} else {
		value_json_as(j, &dialect, v);
	}
}

void jolokia_add_argument(struct text *out, const struct value *v)
{
	struct json j = json_into(out);

	argument_add(&j, v);
}
