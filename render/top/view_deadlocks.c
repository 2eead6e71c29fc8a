/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wait for each other, and for what.
 */
#include "render/top/view.h"

#include <string.h>

static enum screen_style look(const char *line, size_t len)
{
	if (memmem(line, len, "waiting", 7) || memmem(line, len, "held by", 7))
		return STYLE_HOT;
	return len && line[0] == '"' ? STYLE_BOLD : STYLE_PLAIN;
}

static void draw(struct top *t, struct screen *s, unsigned top, unsigned bottom)
{
	pager_draw(&t->deadlocks, s, top, bottom - top, look);
}

static void open(struct top *t)
{
	static const char wait[] = "looking for deadlocks";

	pager_rewind(&t->deadlocks);
	pager_set(&t->deadlocks, wait, sizeof(wait) - 1);
	t->deadlocks_ns = 0;
	t->actions |= TOP_ACTION_DEADLOCKS;
}

static bool request(struct top *t, enum top_request request,
		    const struct key *key)
{
	(void)key;
	if (request == REQUEST_REFRESH) {
		t->actions |= TOP_ACTION_DEADLOCKS;
		return true;
	}
	return pager_request(&t->deadlocks, request);
}

const struct view view_deadlocks = {
	.name = "deadlocks",
	.place = PLACE_DEADLOCKS,
	.open = open,
	.draw = draw,
	.request = request,
};
