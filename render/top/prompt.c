/* SPDX-License-Identifier: Apache-2.0 */
/* Edits and draws the line that the user types. */
#include "render/top/top.h"

#include <string.h>

enum { TYPED_MAX = 1000 }; /* bytes */

void prompt_start(struct prompt *p, const char *label, const char *typed)
{
	p->label = label;
	text_clear(&p->typed);
	if (typed)
		text_puts(&p->typed, typed);
}

void prompt_end(struct prompt *p) { p->label = NULL; }

void prompt_release(struct prompt *p)
{
	text_release(&p->typed);
	*p = (struct prompt){ 0 };
}

const char *prompt_typed(const struct prompt *p)
{
	return p->typed.len ? p->typed.bytes : "";
}

static void prompt_cut(struct text *t, size_t len)
{
	t->len = len;
	t->bytes[len] = '\0';
}

/* Removes the last UTF-8 character. */
static void prompt_cut_character(struct text *t)
{
	size_t len = t->len - 1;

	while (len && ((uint8_t)t->bytes[len] & 0xc0) == 0x80)
		len--;
	prompt_cut(t, len);
}

static void prompt_cut_word(struct text *t)
{
	size_t len = t->len;

	while (len && t->bytes[len - 1] == ' ')
		len--;
	while (len && t->bytes[len - 1] != ' ')
		len--;
	prompt_cut(t, len);
}

enum prompt_answer prompt_key(struct prompt *p, const struct key *key)
{
	bool empty = p->typed.len == 0;

	switch (key->code) {
	case KEYS_ENTER:
		return PROMPT_DONE;
	case KEYS_ESCAPE:
		return PROMPT_LEFT;
	case KEYS_BACKSPACE:
	case KEYS_CONTROL('H'):
		if (!empty)
			prompt_cut_character(&p->typed);
		return empty ? PROMPT_LEFT : PROMPT_CHANGED;
	case KEYS_CONTROL('W'):
		if (!empty)
			prompt_cut_word(&p->typed);
		return PROMPT_CHANGED;
	case KEYS_CONTROL('U'):
		if (!empty)
			prompt_cut(&p->typed, 0);
		return PROMPT_CHANGED;
	default:
		if (key->code < 0x20 || key->code >= KEYS_UP ||
		    p->typed.len >= TYPED_MAX)
			return PROMPT_UNCHANGED;
		text_utf8(&p->typed, key->code);
		return PROMPT_CHANGED;
	}
}

void prompt_draw(const struct prompt *p, struct screen *s, unsigned row)
{
	struct pen pen = pen_at(s, row);
	const char *typed = prompt_typed(p);
	unsigned room;

	pen_put(&pen, STYLE_KEY, p->label);
	pen_put(&pen, STYLE_KEY, ": ");
	room = pen.end - pen.column;
	/* Show the end of a long text: the user types there. */
	while (*typed && screen_width(s, typed, strlen(typed)) + 1 > room)
		do
			typed++;
		while (((uint8_t)*typed & 0xc0) == 0x80);
	pen_put(&pen, STYLE_PLAIN, typed);
	screen_paint(s, row, pen.column, 1, STYLE_SELECTED);
}
