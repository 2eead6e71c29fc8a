/* SPDX-License-Identifier: Apache-2.0 */
/* A value on one line. */
#include "jmx_http/value/value_text.h"

#include <inttypes.h>
#include <string.h>

/* What a hostile table of tables could cost; nobody reads more of a line. */
#define CELL_DEPTH_MAX 64

static void add_cell(struct text *out, const struct value *v, unsigned depth);

static void add_list(struct text *out, const struct value *const *at,
		     size_t count, unsigned depth)
{
	text_putc(out, '[');
	for (size_t i = 0; i < count; i++) {
		text_puts(out, i ? ", " : "");
		add_cell(out, at[i], depth);
	}
	text_putc(out, ']');
}

static void add_members(struct text *out, const struct value *v, unsigned depth)
{
	if (v->kind == VALUE_OBJECT)
		text_puts(out, v->type);
	text_putc(out, '{');
	for (size_t i = 0; i < v->members.count; i++) {
		text_puts(out, i ? ", " : "");
		text_puts(out, v->members.at[i].name);
		text_putc(out, '=');
		add_cell(out, v->members.at[i].value, depth);
	}
	text_putc(out, '}');
}

static void add_map(struct text *out, const struct value *v, unsigned depth)
{
	text_putc(out, '{');
	for (size_t i = 0; i < v->map.count; i++) {
		text_puts(out, i ? ", " : "");
		add_cell(out, v->map.at[i].key, depth);
		text_putc(out, '=');
		add_cell(out, v->map.at[i].value, depth);
	}
	text_putc(out, '}');
}

static void add_said(struct text *out, const struct value *v)
{
	text_putc(out, '<');
	text_add(out, v->text.at, v->text.len);
	text_putc(out, '>');
}

/* Values are within one another VALUE_DEPTH_MAX times at most. */
static void add_cell(struct text *out, const struct value *v, unsigned depth)
{
	if (depth == CELL_DEPTH_MAX) {
		text_puts(out, "<too deep>");
		return;
	}
	switch (v->kind) {
	case VALUE_NULL:
		text_puts(out, "null");
		break;
	case VALUE_BOOLEAN:
		text_puts(out, v->integer ? "true" : "false");
		break;
	case VALUE_INTEGER:
		text_printf(out, "%" PRId64, v->integer);
		break;
	case VALUE_REAL:
		value_add_real(out, v);
		break;
	case VALUE_NUMBER:
	case VALUE_STRING:
	case VALUE_NAME:
	case VALUE_ENUM:
		text_add(out, v->text.at, v->text.len);
		break;
	case VALUE_DATE:
		value_add_date(out, v->integer);
		break;
	case VALUE_ARRAY:
		add_list(out, v->list.at, v->list.count, depth + 1);
		break;
	case VALUE_TABULAR:
		add_list(out, v->table.rows, v->table.row_count, depth + 1);
		break;
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		add_members(out, v, depth + 1);
		break;
	case VALUE_MAP:
		add_map(out, v, depth + 1);
		break;
	case VALUE_ERROR:
	case VALUE_CUT:
		add_said(out, v);
		break;
	}
}

void value_cell(struct text *out, const struct value *v)
{
	add_cell(out, v, 0);
}
