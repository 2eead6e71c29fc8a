/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the lines of a text, scrolls and draws them. */
#include "render/top/pager.h"

#include "core/base/alloc.h"

#include <string.h>

#define TAB                                                                    \
	"    " /* each frame is indented by a tab; 8 columns waste space       \
		*/

enum { LEFT_STEP = 8, WHEEL_STEP = 3 };

static size_t pager_last_first(const struct pager *p)
{
	return p->count > p->height ? p->count - p->height : 0;
}

void pager_set(struct pager *p, const char *bytes, size_t len)
{
	text_clear(&p->text);
	p->count = 0;
	for (size_t at = 0; at < len; at++) {
		if (at == 0 || bytes[at - 1] == '\n') {
			array_add(p->lines, p->count, p->cap, p->text.len);
		}
		if (bytes[at] == '\t')
			text_puts(&p->text, TAB);
		else if (bytes[at] != '\r')
			text_putc(&p->text, bytes[at]);
	}
}

void pager_rewind(struct pager *p)
{
	p->first = 0;
	p->left = 0;
}

void pager_release(struct pager *p)
{
	text_release(&p->text);
	free(p->lines);
	*p = (struct pager){ 0 };
}

static void pager_scroll_up(struct pager *p, size_t lines)
{
	p->first -= lines < p->first ? lines : p->first;
}

static void pager_scroll_down(struct pager *p, size_t lines)
{
	size_t last = pager_last_first(p);

	p->first = p->first + lines < last ? p->first + lines : last;
}

bool pager_request(struct pager *p, enum top_request request)
{
	size_t page = p->height > 1 ? p->height - 1 : 1;

	switch (request) {
	case REQUEST_UP:
		pager_scroll_up(p, 1);
		return true;
	case REQUEST_DOWN:
		pager_scroll_down(p, 1);
		return true;
	case REQUEST_WHEEL_UP:
		pager_scroll_up(p, WHEEL_STEP);
		return true;
	case REQUEST_WHEEL_DOWN:
		pager_scroll_down(p, WHEEL_STEP);
		return true;
	case REQUEST_PAGE_UP:
		pager_scroll_up(p, page);
		return true;
	case REQUEST_PAGE_DOWN:
		pager_scroll_down(p, page);
		return true;
	case REQUEST_FIRST:
		pager_rewind(p);
		return true;
	case REQUEST_LAST:
		p->first = pager_last_first(p);
		return true;
	case REQUEST_LEFT:
		p->left -= p->left < LEFT_STEP ? p->left : LEFT_STEP;
		return true;
	case REQUEST_RIGHT:
		if (p->left < SCREEN_COLUMNS_MAX)
			p->left += LEFT_STEP;
		return true;
	default:
		return false;
	}
}

/* Returns the offset after a number of UTF-8 characters. */
static size_t pager_skip_characters(const char *line, size_t len,
				    size_t characters)
{
	size_t at = 0;

	while (at < len && characters--) {
		do
			at++;
		while (at < len && ((uint8_t)line[at] & 0xc0) == 0x80);
	}
	return at;
}

static void pager_draw_line(const struct pager *p, struct screen *s,
			    unsigned row, size_t i, pager_style_fn *style)
{
	const char *line = p->text.bytes + p->lines[i];
	size_t end = i + 1 < p->count ? p->lines[i + 1] : p->text.len;
	size_t len = end - p->lines[i];
	size_t skipped;
	enum screen_style look;

	if (len && line[len - 1] == '\n')
		len--;
	look = style ? style(line, len) : STYLE_PLAIN;
	skipped = pager_skip_characters(line, len, p->left);
	screen_put(s, row, 0, s->columns, look, line + skipped, len - skipped);
}

void pager_draw(struct pager *p, struct screen *s, unsigned row,
		unsigned height, pager_style_fn *style)
{
	p->height = height;
	/* The text may have become shorter, or the screen higher. */
	if (p->first > pager_last_first(p))
		p->first = pager_last_first(p);
	for (unsigned i = 0; i < height && p->first + i < p->count; i++)
		pager_draw_line(p, s, row + i, p->first + i, style);
}
