/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the changes between two recordings as text. */
#include "render/profile/diff.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "render/text/amount.h"
#include "render/text/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GRAY   "\033[2m"
#define NORMAL "\033[0m"

static const char *const side_names[] = { "before", "after" };
static const char *const part_titles[DIFF_PARTS] = {
	[DIFF_SELF] = "frames by self",
	[DIFF_TOTAL] = "frames by total",
	[DIFF_CLASSES] = "classes",
	[DIFF_THREADS] = "threads",
};

/* Rounds a number >= 0; what exceeds 64 bits becomes the largest number. */
static uint64_t text_round(double value)
{
	return value < 0x1p64 - 0x1p11 ? (uint64_t)(value + 0.5) : UINT64_MAX;
}

/* Appends a number >= 0 with at least three digits. */
static void text_add_number(struct text *out, double value)
{
	if (value >= 999.5)
		units_add_count(out, text_round(value));
	else
		text_printf(out, "%.*f",
			    value >= 99.95   ? 0
			    : value >= 9.995 ? 1
					     : 2,
			    value);
}

/* Appends a value >= 0 in the unit and base of the changes. */
static void text_add_value(struct text *out, const struct diff *d, double value,
			   bool is_change)
{
	if (d->base == DIFF_BY_TOTAL) {
		text_printf(out, "%.2f%s", 100 * value,
			    is_change ? " points" : "%");
		return;
	}
	if (d->units[0] == UNIT_NS)
		units_add_time(out, value);
	else if (d->units[0] == UNIT_BYTES)
		units_add_bytes(out, value);
	else if (d->base == DIFF_BY_NONE)
		units_add_count(out, text_round(value));
	else if (value > 0 && value < 0.01)
		text_printf(out, "%.2g", value);
	else
		text_add_number(out, value);
	if (d->base == DIFF_BY_TIME)
		text_puts(out, "/s");
}

static void text_add_change(struct text *out, const struct diff *d,
			    const struct diff_row *r)
{
	double change = r->values[1] - r->values[0];

	text_putc(out, change < 0 ? '-' : '+');
	text_add_value(out, d, change < 0 ? -change : change, true);
}

/* Appends the relative change: "+17.4%", "new" or "gone". */
static void text_add_relative(struct text *out, const struct diff_row *r)
{
	double change = r->values[1] - r->values[0];

	if (!r->sums[0] || !r->sums[1])
		text_puts(out, r->sums[1] ? "new" : "gone");
	else if (r->values[1] > 10 * r->values[0])
		text_printf(out, "x%.3g", r->values[1] / r->values[0]);
	else
		text_printf(out, "%+.1f%%", 100 * change / r->values[0]);
}

static void text_wrap_line(struct text *out, const struct diff *d,
			   struct text *line)
{
	columns_wrap(out, line->bytes, 0, 2, d->options->width);
	text_clear(line);
}

/* Writes "before: a.jfr: 90 samples taken every 10 ms, total 90 s, for 30 s".
 */
static void text_put_side(struct text *out, const struct diff *d, size_t side)
{
	const struct diff_source *s = &d->pair->sources[side];
	const struct event_view *view = d->views[side];
	const struct text *rate = &s->rates[view - s->side.views];
	double seconds = diff_seconds(d, side);
	struct text line = { 0 };

	text_printf(&line, "%s: ", side_names[side]);
	safe_text_puts(&line, s->name);
	text_puts(&line, ": ");
	units_add_counted(&line, view->samples, "sample");
	if (rate->len) {
		text_putc(&line, ' ');
		safe_text(&line, rate->bytes, rate->len);
	}
	if (d->units[side] != UNIT_SAMPLES) {
		text_puts(&line, ", total ");
		amount_add(&line, d->units[side], d->whole.sums[side]);
	}
	if (seconds > 0) {
		text_puts(&line, ", recorded for ");
		units_add_time(&line, seconds * 1e9);
	}
	text_wrap_line(out, d, &line);
	for (size_t i = 0; i < s->side.remark_count; i++) {
		const struct remark *r = &s->side.remarks[i];

		if (!r->is_loss)
			continue;
		text_printf(&line, "lost in %s: %s: ", side_names[side],
			    r->what);
		remark_add_count(&line, r);
		text_wrap_line(out, d, &line);
	}
	text_release(&line);
}

static void text_put_base(struct text *out, const struct diff *d)
{
	static const char *const bases[] = {
		[DIFF_BY_TIME] = "per second of the recording",
		[DIFF_BY_TOTAL] = "shares of the total",
		[DIFF_BY_NONE] = "sums of the recordings",
	};
	struct text line = { 0 };

	text_puts(&line, "values: ");
	if (d->base == DIFF_BY_EVENT)
		text_printf(&line, "divided by %s", d->options->event);
	else
		text_puts(&line, bases[d->base]);
	if (d->reason)
		text_printf(&line, ", because %s; --normalize changes it",
			    d->reason);
	text_wrap_line(out, d, &line);
	text_release(&line);
}

static void text_put_head(struct text *out, const struct diff *d)
{
	struct text line = { 0 };

	safe_text_puts(&line, d->views[0]->name);
	if (strcmp(d->views[0]->name, d->views[1]->name) != 0) {
		text_puts(&line, " and ");
		safe_text_puts(&line, d->views[1]->name);
	}
	text_wrap_line(out, d, &line);
	text_put_side(out, d, 0);
	text_put_side(out, d, 1);
	text_put_base(out, d);
	if (d->base != DIFF_BY_TOTAL) {
		text_puts(&line, "total: ");
		text_add_value(&line, d, d->whole.values[0], false);
		text_puts(&line, " before, ");
		text_add_value(&line, d, d->whole.values[1], false);
		text_puts(&line, " after, ");
		text_add_change(&line, d, &d->whole);
		text_puts(&line, " (");
		text_add_relative(&line, &d->whole);
		text_puts(&line,
			  d->whole.is_significant ? ")" : "), within noise");
		text_wrap_line(out, d, &line);
	}
	text_puts(&line, "noise: ");
	diff_add_method(&line, d);
	text_wrap_line(out, d, &line);
	text_release(&line);
}

/* The columns of a row before the name. */
enum { COLUMN_BEFORE, COLUMN_AFTER, COLUMN_CHANGE, COLUMN_RELATIVE, COLUMNS };

static const char *const column_heads[COLUMNS] = { "before", "after", "change",
						   "" };

#define NOISE_MARK "within noise"

static void text_add_cells(struct text cells[COLUMNS], const struct diff *d,
			   const struct diff_row *r)
{
	for (size_t i = 0; i < COLUMNS; i++)
		text_clear(&cells[i]);
	text_add_value(&cells[COLUMN_BEFORE], d, r->values[0], false);
	text_add_value(&cells[COLUMN_AFTER], d, r->values[1], false);
	text_add_change(&cells[COLUMN_CHANGE], d, r);
	text_add_relative(&cells[COLUMN_RELATIVE], r);
}

/* The rows to print: increases first, then decreases. */
struct text_rows {
	const struct diff_row **rows;
	size_t count;
	size_t widths[COLUMNS];
	bool has_noise;
};

/* Adds the first rows with this sign of the change. */
static void text_rows_add(struct text_rows *t, const struct diff *d,
			  const struct diff_part *part, bool increases)
{
	size_t most = d->options->rows ? d->options->rows : SIZE_MAX, n = 0;

	for (size_t i = 0; i < part->count && n < most; i++) {
		const struct diff_row *r = &part->rows[i];

		if (r->values[0] == r->values[1] ||
		    (r->values[1] > r->values[0]) != increases)
			continue;
		t->rows[t->count++] = r;
		t->has_noise |= !r->is_significant;
		n++;
	}
}

static void text_rows_measure(struct text_rows *t, const struct diff *d)
{
	struct text cells[COLUMNS] = { 0 };

	for (size_t i = 0; i < COLUMNS; i++)
		t->widths[i] = strlen(column_heads[i]);
	for (size_t i = 0; i < t->count; i++) {
		text_add_cells(cells, d, t->rows[i]);
		for (size_t k = 0; k < COLUMNS; k++) {
			size_t width = text_width(cells[k].bytes, cells[k].len);

			if (width > t->widths[k])
				t->widths[k] = width;
		}
	}
	for (size_t i = 0; i < COLUMNS; i++)
		text_release(&cells[i]);
}

static void text_put_row(struct text *out, const struct diff *d,
			 enum diff_part_kind kind, const struct text_rows *t,
			 const struct diff_row *r)
{
	bool gray = d->options->color && !r->is_significant;
	size_t width = 0, room = SIZE_MAX;
	struct text cells[COLUMNS] = { 0 }, name = { 0 };

	text_add_cells(cells, d, r);
	text_puts(out, gray ? GRAY : "");
	for (size_t i = 0; i < COLUMNS; i++) {
		size_t start = out->len;

		text_add(out, cells[i].bytes, cells[i].len);
		columns_right(out, start, t->widths[i]);
		text_puts(out, "  ");
		width += t->widths[i] + 2;
		text_release(&cells[i]);
	}
	if (t->has_noise) {
		text_printf(out, "%-*s  ", (int)strlen(NOISE_MARK),
			    r->is_significant ? "" : NOISE_MARK);
		width += strlen(NOISE_MARK) + 2;
	}
	if (d->options->width)
		room = d->options->width > width + 20
			       ? d->options->width - width
			       : 20;
	diff_add_name(&name, d, kind, r);
	columns_fit(out, name.bytes, name.len, room);
	text_puts(out, gray ? NORMAL : "");
	text_putc(out, '\n');
	text_release(&name);
}

static void text_put_heads(struct text *out, const struct text_rows *t,
			   enum diff_part_kind kind)
{
	static const char *const names[DIFF_PARTS] = { "frame", "frame",
						       "class", "thread" };

	for (size_t i = 0; i < COLUMNS; i++)
		text_printf(out, "%*s  ", (int)t->widths[i], column_heads[i]);
	if (t->has_noise)
		text_spaces(out, strlen(NOISE_MARK) + 2);
	text_printf(out, "%s\n", names[kind]);
}

static void text_put_part(struct text *out, const struct diff *d,
			  enum diff_part_kind kind)
{
	const struct diff_part *part = &d->parts[kind];
	struct text_rows t = {
		.rows = xmalloc(part->count * sizeof(*t.rows)),
	};

	text_rows_add(&t, d, part, true);
	text_rows_add(&t, d, part, false);
	if (part->count) {
		text_printf(out, "\n%s: ", part_titles[kind]);
		units_add_count(out, part->significant);
		text_puts(out, " of ");
		units_add_count(out, part->count);
		text_puts(out, " changed significantly\n");
	}
	if (t.count) {
		text_rows_measure(&t, d);
		text_put_heads(out, &t, kind);
	}
	for (size_t i = 0; i < t.count; i++)
		text_put_row(out, d, kind, &t, t.rows[i]);
	free(t.rows);
}

void diff_text(struct text *out, const struct diff *diffs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			text_putc(out, '\n');
		text_put_head(out, &diffs[i]);
		for (size_t k = 0; k < DIFF_PARTS; k++)
			text_put_part(out, &diffs[i], (enum diff_part_kind)k);
	}
}
