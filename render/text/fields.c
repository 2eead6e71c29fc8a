/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the values of a row as CSV or JSON. */
#include "render/text/fields.h"

#include "core/base/safe_text.h"
#include "render/text/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Begins a member or a cell; returns true if the value is of CSV. */
static bool fields_begin(struct fields *f, const char *key)
{
	if (!f->csv) {
		json_key(f->json, key);
		return false;
	}
	if (f->has_cells)
		text_putc(f->csv, ',');
	f->has_cells = true;
	return true;
}

void fields_end(struct fields *f)
{
	if (f->csv)
		text_putc(f->csv, '\n');
	else
		json_close_object(f->json);
	f->has_cells = false;
}

static void fields_add(struct fields *f, const char *key, const char *bytes,
		       size_t len, enum csv_quotes quotes)
{
	struct text safe = { 0 };

	if (!fields_begin(f, key)) {
		json_string(f->json, bytes, len);
		return;
	}
	text_puts(&safe, "");
	safe_text(&safe, bytes, len);
	csv_field(f->csv, safe.bytes, safe.len, quotes);
	text_release(&safe);
}

void fields_string(struct fields *f, const char *key, const char *bytes,
		   size_t len)
{
	fields_add(f, key, bytes, len, CSV_TEXT);
}

void fields_quoted(struct fields *f, const char *key, const char *text)
{
	fields_add(f, key, text, strlen(text), CSV_QUOTED);
}

void fields_text(struct fields *f, const char *key, const char *text)
{
	if (text)
		fields_string(f, key, text, strlen(text));
	else if (!fields_begin(f, key))
		json_null(f->json);
}

void fields_uint(struct fields *f, const char *key, uint64_t value,
		 bool is_known)
{
	bool is_csv = fields_begin(f, key);

	if (is_csv && is_known)
		text_printf(f->csv, "%" PRIu64, value);
	else if (!is_csv && is_known)
		json_uint(f->json, value);
	else if (!is_csv)
		json_null(f->json);
}

void fields_int(struct fields *f, const char *key, int64_t value, bool is_known)
{
	bool is_csv = fields_begin(f, key);

	if (is_csv && is_known)
		text_printf(f->csv, "%" PRId64, value);
	else if (!is_csv && is_known)
		json_int(f->json, value);
	else if (!is_csv)
		json_null(f->json);
}

void fields_id(struct fields *f, const char *key, int64_t id)
{
	fields_int(f, key, id, id != 0);
}

void fields_bool(struct fields *f, const char *key, bool value)
{
	if (fields_begin(f, key))
		text_puts(f->csv, value ? "true" : "false");
	else
		json_bool(f->json, value);
}

void fields_number(struct fields *f, const char *key, const char *number)
{
	if (fields_begin(f, key))
		text_puts(f->csv, number);
	else
		json_number(f->json, number);
}

void fields_double(struct fields *f, const char *key, double value,
		   int decimals)
{
	if (!fields_begin(f, key))
		json_double(f->json, value);
	else if (isfinite(value))
		text_printf(f->csv, "%.*f", decimals, value);
}
