/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/safe_text.h"
#include "render/amount.h"
#include "render/report.h"
#include "render/table.h"

#include <inttypes.h>
#include <string.h>

static void put_head(struct text *out, const struct report *r)
{
	const struct event_view *view = r->view;

	safe_text(out, view->name, strlen(view->name));
	text_puts(out, " of ");
	safe_text(out, r->options->source, strlen(r->options->source));
	text_printf(out, ": %" PRIu64 " samples", view->samples);
	if (r->unit != UNIT_SAMPLES) {
		text_puts(out, ", ");
		amount_add(out, r->unit, r->whole);
	}
	text_putc(out, '\n');
}

static const struct table_column frame_columns[] = {
	{ "self", true }, { "", true },       { "total", true },
	{ "", true },     { "frame", false },
};

static void add_amount(struct table *t, const struct report *r, uint64_t part)
{
	amount_add_share(table_cell(t), part, r->whole);
	amount_add(table_cell(t), r->unit, part);
}

static void put_frames(struct text *out, const struct report *r)
{
	struct table t = { .columns = frame_columns, .column_count = 5 };

	for (size_t i = 0; i < r->frame_count && i < r->options->top; i++) {
		const struct frame_sum *f = &r->frames[i];
		const struct frame_label *label = &r->table.labels[f->label];
		const struct label_name *name = &r->table.names[label->name];

		if (!f->self)
			break;
		add_amount(&t, r, f->self);
		add_amount(&t, r, f->total);
		text_add(table_cell(&t), name->text, name->len);
	}
	text_puts(out, "\nhottest frames\n");
	table_text(&t, r->options->width, out);
	table_release(&t);
}

void report_text(struct text *out, const struct report *r)
{
	put_head(out, r);
	put_frames(out, r);
}
