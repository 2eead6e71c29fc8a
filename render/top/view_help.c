/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the keys do, what the columns are, and where figures are from.
 */
#include "render/top/top_header.h"
#include "render/top/view.h"

/* What begins a line stands out. */
static enum screen_style look(const char *line, size_t len)
{
	return len && line[0] != ' ' ? STYLE_BOLD : STYLE_PLAIN;
}

static void add_columns(struct text *out)
{
	size_t count;
	const struct top_column *columns = top_columns_all(&count);

	for (size_t i = 0; i < count; i++)
		text_printf(out, "  %-12s%s\n", columns[i].title,
			    columns[i].about);
}

static void open(struct top *t)
{
	struct text text = { 0 };

	text_puts(&text, "Keys\n");
	top_keys_help(&text);
	text_puts(&text, "\nColumns (wider screens show more)\n");
	add_columns(&text);
	text_puts(&text, "\nWhere the values come from\n");
	top_header_notes(t, &text);
	text_puts(&text,
		  "\nThe bar: | in user mode, # in the kernel, "
		  "G garbage collection,\n  J compilers, V the VM's other "
		  "threads, N native threads.\n"
		  "  100 % is one core.\n");
	pager_rewind(&t->help);
	pager_set(&t->help, text.bytes, text.len);
	text_release(&text);
}

static void draw(struct top *t, struct screen *s, unsigned top, unsigned bottom)
{
	pager_draw(&t->help, s, top, bottom - top, look);
}

static bool request(struct top *t, enum top_request request,
		    const struct key *key)
{
	(void)key;
	return pager_request(&t->help, request);
}

const struct view view_help = {
	.name = "help",
	.place = PLACE_HELP,
	.open = open,
	.draw = draw,
	.request = request,
};
