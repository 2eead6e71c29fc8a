/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields: writes the values of a row once for two formats: as the cells of a
 * line of CSV, or as the members of a JSON object.
 *
 * Unknown values are empty in CSV and null in JSON. Where the formats differ,
 * the caller writes to the one that is set.
 */
#ifndef RENDER_TEXT_FIELDS_H
#define RENDER_TEXT_FIELDS_H

#include "core/base/json.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With one of the first two set, it is ready for a row. */
struct fields {
	struct text *csv;  /* borrowed, as is json; NULL: writes JSON */
	struct json *json; /* has an open object; NULL: writes CSV */
	bool has_cells;    /* private: the line has a cell */
};

/* Ends the line, or closes the object; another row may follow. */
void fields_end(struct fields *f);

/* Foreign text, or NULL: unknown. CSV is as that of table_csv(). */
void fields_text(struct fields *f, const char *key, const char *text);
void fields_string(struct fields *f, const char *key, const char *bytes,
		   size_t len);

/* Foreign text, in CSV with quotes whatever it is. */
void fields_quoted(struct fields *f, const char *key, const char *text);

void fields_uint(struct fields *f, const char *key, uint64_t value,
		 bool is_known);
void fields_int(struct fields *f, const char *key, int64_t value,
		bool is_known);
void fields_id(struct fields *f, const char *key, int64_t id); /* 0: unknown */
void fields_bool(struct fields *f, const char *key, bool value);

/* A number with the digits to write. */
void fields_number(struct fields *f, const char *key, const char *number);

/* A number with this number of decimals in CSV, with all of them in JSON. */
void fields_double(struct fields *f, const char *key, double value,
		   int decimals);

#endif
