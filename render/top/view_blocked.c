/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are blocked, below those that hold the locks.
 */
#include "render/top/view.h"

#include <string.h>

static bool has(const char *line, size_t len, const char *word)
{
	return memmem(line, len, word, strlen(word)) != NULL;
}

/* Who holds others back stands at the start of a line. */
static enum screen_style look(const char *line, size_t len)
{
	if (has(line, len, "DEADLOCK"))
		return STYLE_HOT;
	if (len && line[0] == '"')
		return STYLE_BOLD;
	if (has(line, len, "holds ") || has(line, len, "waits for "))
		return STYLE_WARM;
	return STYLE_PLAIN;
}

static void draw(struct top *t, struct screen *s, unsigned top, unsigned bottom)
{
	pager_draw(&t->blocked, s, top, bottom - top, look);
}

static void open(struct top *t)
{
	static const char wait[] = "asking the JVM which threads are blocked";

	pager_rewind(&t->blocked);
	pager_set(&t->blocked, wait, sizeof(wait) - 1);
	t->blocked_ns = 0;
	t->actions |= TOP_ACTION_BLOCKED;
}

static bool request(struct top *t, enum top_request request,
		    const struct key *key)
{
	(void)key;
	if (request == REQUEST_REFRESH) {
		t->actions |= TOP_ACTION_BLOCKED;
		return true;
	}
	return pager_request(&t->blocked, request);
}

const struct view view_blocked = {
	.name = "blocked threads",
	.place = PLACE_BLOCKED,
	.open = open,
	.draw = draw,
	.request = request,
};
