/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the title line, the bottom line and the view between them. */
#include "core/base/units.h"
#include "render/top/top.h"

#include <inttypes.h>
#include <string.h>

/* Minimum rows of a screen with a title, and with a bottom line. */
enum { ROWS_WITH_TITLE = 6, ROWS_WITH_FOOT = 2 };

#define NS_PER_S INT64_C(1000000000)

static void draw_add_time(struct text *out, int64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm parts;

	if (localtime_r(&s, &parts))
		text_printf(out, "%02d:%02d:%02d", parts.tm_hour, parts.tm_min,
			    parts.tm_sec);
}

/* Appends the mode, the interval and the time of the sample. */
static void draw_add_modes(const struct top *t, struct text *out)
{
	if (t->ended)
		text_puts(out, "ended  ");
	else if (t->paused)
		text_puts(out, "PAUSED  ");
	text_puts(out, "every ");
	units_add_time(out, (double)t->interval_ns);
	if (t->sample) {
		text_puts(out, "  ");
		draw_add_time(out, t->sample->wall_ns);
	}
	text_putc(out, ' ');
}

static void draw_title(const struct top *t, struct screen *s)
{
	struct text right = { 0 };
	struct pen pen = pen_at(s, 0);
	unsigned taken;

	screen_paint(s, 0, 0, s->columns, STYLE_TITLE);
	draw_add_modes(t, &right);
	taken = screen_width(s, right.bytes, right.len);
	pen_put(&pen, STYLE_TITLE, " sjkc ttop  ");
	if (view_of(t) == &view_help)
		pen_put(&pen, STYLE_TITLE, "help  ");
	else if (view_of(t) != &view_threads)
		pen_printf(&pen, STYLE_TITLE, "%s of ", view_of(t)->name);
	if (pen.column + taken + 8 < s->columns) {
		screen_put_right(s, 0, pen.column, s->columns - pen.column,
				 STYLE_TITLE, right.bytes, right.len);
		pen.end = s->columns - taken - 1;
	}
	screen_put(s, 0, pen.column, pen.end - pen.column, STYLE_TITLE,
		   t->title, strlen(t->title));
	text_release(&right);
}

/* Appends the filters and the position in the table. */
static void draw_add_table_position(const struct top *t, struct text *out)
{
	if (t->follow)
		text_puts(out, " following ");
	if (t->filter.hide_idle)
		text_puts(out, " no idle ");
	if (t->filter.java_only)
		text_puts(out, " Java ");
	if (t->glob)
		text_printf(out, " %s ", t->glob);
	if (t->regex)
		text_printf(out, " /%s/ ", t->regex);
	if (t->passed < t->rates->row_count)
		text_printf(out, " %zu of %zu threads ", t->passed,
			    t->rates->row_count);
	if (t->line_count)
		text_printf(out, " %zu/%zu", t->chosen + 1, t->line_count);
}

static void draw_add_refresh_time(const struct top *t, const struct view *v,
				  struct text *out)
{
	int64_t ns = t->pages[v->page].ns;

	if (v == &view_blocked && ns && t->blocked_every_ns > 0) {
		text_puts(out, " every ");
		units_add_time(out, (double)t->blocked_every_ns);
		text_putc(out, ' ');
	}
	if (t->stack_auto && v == &view_stack)
		text_puts(out, " every sample ");
	if (ns) {
		text_puts(out, " at ");
		draw_add_time(out, ns);
	}
}

static void draw_add_lines(const struct pager *p, struct text *out)
{
	size_t last = p->first + p->height;

	text_printf(out, " %zu-%zu/%zu", p->count ? p->first + 1 : 0,
		    last < p->count ? last : p->count, p->count);
}

static void draw_add_position(const struct top *t, struct text *out)
{
	const struct view *v = view_of(t);

	if (v != &view_threads) {
		draw_add_refresh_time(t, v, out);
		draw_add_lines(&t->pages[v->page].pager, out);
	} else if (t->rates) {
		draw_add_table_position(t, out);
	}
	text_putc(out, ' ');
}

/* Puts a key and its label; false, and neither, when they do not fit. */
static bool draw_put_hint(struct pen *pen, const char *key, const char *label)
{
	unsigned at = pen->column;

	if (pen_put(pen, STYLE_KEY, key) &&
	    pen_printf(pen, STYLE_LABEL, " %s  ", label))
		return true;
	for (; at < pen->column; at++)
		screen_put(pen->screen, pen->row, at, 1, STYLE_PLAIN, " ", 1);
	return false;
}

static void draw_hints(const struct top *t, struct pen *pen)
{
	const char *key, *label;
	enum top_place place = view_of(t)->place;

	if (place != PLACE_THREADS && !draw_put_hint(pen, "q", "back"))
		return;
	for (size_t i = 0; top_keys_hint(place, i, &key, &label); i++) {
		if (!draw_put_hint(pen, key, label))
			return;
	}
}

static void draw_foot(const struct top *t, struct screen *s, unsigned row)
{
	struct text place = { 0 };
	struct pen pen = pen_at(s, row);
	unsigned taken;

	if (t->prompt.label) {
		prompt_draw(&t->prompt, s, row);
		pen.column = s->columns / 2;
		if (t->message[0])
			screen_put_right(s, row, pen.column, pen.column,
					 STYLE_HOT, t->message,
					 strlen(t->message));
		return;
	}
	if (t->message[0]) {
		screen_put(s, row, 0, s->columns,
			   t->message_is_error ? STYLE_HOT : STYLE_BOLD,
			   t->message, strlen(t->message));
		return;
	}
	draw_add_position(t, &place);
	taken = screen_width(s, place.bytes, place.len);
	if (taken * 2 < s->columns || taken < 20) {
		screen_put_right(s, row, 0, s->columns, STYLE_DIM, place.bytes,
				 place.len);
		pen.end = s->columns > taken ? s->columns - taken : 0;
	}
	draw_hints(t, &pen);
	text_release(&place);
}

void top_draw(struct top *t, struct screen *s)
{
	unsigned top = 0, bottom = s->rows;

	screen_clear(s);
	if (s->rows >= ROWS_WITH_TITLE) {
		draw_title(t, s);
		top = 1;
	}
	bottom -= s->rows >= ROWS_WITH_FOOT;
	if (t->rates || view_of(t) == &view_help)
		view_of(t)->draw(t, s, top, bottom);
	/* Last: the bottom line prints the scroll position of the view. */
	if (bottom < s->rows)
		draw_foot(t, s, bottom);
}
