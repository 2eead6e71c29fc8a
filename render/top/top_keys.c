/* SPDX-License-Identifier: Apache-2.0 */
#include "render/top/top_keys.h"

enum { KEYS_EACH = 3 };

static const struct binding {
	enum top_request request;
	unsigned places;
	uint32_t codes[KEYS_EACH];
	const char *names; /* as the help has them; NULL: not in the help */
	const char *does;
	const char *label; /* for the lowest line, or NULL */
	unsigned labelled; /* in these places */
	const char *hint;  /* the key there, when names are too long */
} bindings[] = {
	/* clang-format off */
	{ REQUEST_HELP, PLACE_LIVE, { '?', 'h', KEYS_F1 }, .names = "? h F1",
	  .does = "this help", .label = "help", .labelled = PLACE_LIVE,
	  .hint = "?" },
	{ REQUEST_LEAVE, PLACE_TEXTS, { KEYS_ESCAPE, 'q', KEYS_BACKSPACE },
	  .names = NULL },
	{ REQUEST_QUIT, PLACE_THREADS, { 'q', 'Q', KEYS_F10 }, .names = "q",
	  .does = "leave a view; quit" },
	{ REQUEST_QUIT, PLACE_TEXTS, { 'Q', KEYS_F10 }, .names = "Q F10",
	  .does = "quit from anywhere" },
	{ REQUEST_LEAVE, PLACE_THREADS, { KEYS_ESCAPE }, .names = "Esc",
	  .does = "leave a view; drop the filters" },
	{ REQUEST_UP, PLACE_ALL, { KEYS_UP, 'k', KEYS_CONTROL('P') },
	  .names = "up k", .does = "the thread, or line, before" },
	{ REQUEST_DOWN, PLACE_ALL, { KEYS_DOWN, 'j', KEYS_CONTROL('N') },
	  .names = "down j", .does = "the next" },
	{ REQUEST_PAGE_UP, PLACE_ALL, { KEYS_PAGE_UP, KEYS_CONTROL('B') },
	  .names = "PgUp", .does = "a screen up" },
	{ REQUEST_PAGE_DOWN, PLACE_ALL, { KEYS_PAGE_DOWN, KEYS_CONTROL('F') },
	  .names = "PgDn", .does = "a screen down" },
	{ REQUEST_FIRST, PLACE_ALL, { KEYS_HOME, 'g' }, .names = "Home g",
	  .does = "the first" },
	{ REQUEST_LAST, PLACE_ALL, { KEYS_END, 'G' }, .names = "End G",
	  .does = "the last" },
	{ REQUEST_LEFT, PLACE_ALL, { KEYS_LEFT }, .names = "left right",
	  .does = "close or open a pool; scroll a text" },
	{ REQUEST_RIGHT, PLACE_ALL, { KEYS_RIGHT }, .names = NULL },
	{ REQUEST_WHEEL_UP, PLACE_ALL, { KEYS_WHEEL_UP }, .names = NULL },
	{ REQUEST_WHEEL_DOWN, PLACE_ALL, { KEYS_WHEEL_DOWN }, .names = NULL },
	{ REQUEST_CLICK, PLACE_THREADS, { KEYS_CLICK }, .names = "mouse",
	  .does = "choose a thread; sort by a title; the wheel scrolls" },
	{ REQUEST_OPEN, PLACE_THREADS, { KEYS_ENTER }, .names = "Enter",
	  .does = "the stack trace of a thread; open or close a pool",
	  .label = "stack", .labelled = PLACE_THREADS },
	{ REQUEST_REFRESH, PLACE_STACK | PLACE_DEADLOCKS, { 'r' },
	  .names = "r", .does = "there: ask for it anew", .label = "refresh",
	  .labelled = PLACE_STACK | PLACE_DEADLOCKS },
	{ REQUEST_AUTO, PLACE_STACK, { 'a' }, .names = "a",
	  .does = "there: ask anew with every sample, or no longer",
	  .label = "auto", .labelled = PLACE_STACK },
	{ REQUEST_DEADLOCKS, PLACE_THREADS | PLACE_STACK, { 'd' },
	  .names = "d", .does = "deadlocks", .label = "deadlocks",
	  .labelled = PLACE_THREADS },
	{ REQUEST_REGEX, PLACE_THREADS, { '/' }, .names = "/",
	  .does = "only names that match a regular expression",
	  .label = "filter", .labelled = PLACE_THREADS },
	{ REQUEST_GLOB, PLACE_THREADS, { 'f' }, .names = "f",
	  .does = "only names that match a pattern of * and ?" },
	{ REQUEST_POOLS, PLACE_THREADS, { 'u', 't' }, .names = "u t",
	  .does = "put threads together whose names differ in numbers only",
	  .label = "pools", .labelled = PLACE_THREADS, .hint = "u" },
	{ REQUEST_EXPAND_ALL, PLACE_THREADS, { '*' }, .names = "*",
	  .does = "open or close all pools" },
	{ REQUEST_SORT_LEFT, PLACE_THREADS, { '<', ',' }, .names = "< ,",
	  .does = "sort by the column to the left" },
	{ REQUEST_SORT_RIGHT, PLACE_THREADS, { '>', '.' }, .names = "> .",
	  .does = "sort by the column to the right", .label = "sort",
	  .labelled = PLACE_THREADS, .hint = "<>" },
	{ REQUEST_REVERSE, PLACE_THREADS, { 'R' }, .names = "R",
	  .does = "turn the order around" },
	{ REQUEST_SORT_CPU, PLACE_THREADS, { 'P', 'c' }, .names = "P c",
	  .does = "sort by CPU" },
	{ REQUEST_SORT_ALLOC, PLACE_THREADS, { 'A' }, .names = "A",
	  .does = "sort by allocation" },
	{ REQUEST_SORT_USER, PLACE_THREADS, { 'U' }, .names = "U",
	  .does = "sort by CPU in user mode" },
	{ REQUEST_SORT_SYS, PLACE_THREADS, { 'S' }, .names = "S",
	  .does = "sort by CPU in the kernel" },
	{ REQUEST_SORT_NAME, PLACE_THREADS, { 'N' }, .names = "N",
	  .does = "sort by name" },
	{ REQUEST_SORT_NUMBER, PLACE_THREADS, { 0 }, .names = "1 to 9",
	  .does = "sort by the column of that number, from the left" },
	{ REQUEST_FOLLOW, PLACE_THREADS, { 'F' }, .names = "F",
	  .does = "stay with the thread, wherever it is sorted to",
	  .label = "follow", .labelled = PLACE_THREADS },
	{ REQUEST_IDLE, PLACE_THREADS, { 'i', 'I', 'H' }, .names = "i I H",
	  .does = "hide, or show, threads that used no CPU", .label = "idle",
	  .labelled = PLACE_THREADS, .hint = "i" },
	{ REQUEST_JAVA, PLACE_THREADS, { 'J' }, .names = "J",
	  .does = "only Java's threads, or all" },
	{ REQUEST_PAUSE, PLACE_LIVE, { 'p', ' ' }, .names = "p space",
	  .does = "take no more samples, or go on", .label = "pause",
	  .labelled = PLACE_THREADS, .hint = "p" },
	{ REQUEST_FASTER, PLACE_LIVE, { '-', '_' }, .names = "-",
	  .does = "a shorter interval" },
	{ REQUEST_SLOWER, PLACE_LIVE, { '+', '=' }, .names = "+",
	  .does = "a longer interval" },
	{ REQUEST_WRITE, PLACE_THREADS, { 'w' }, .names = "w",
	  .does = "write the threads shown to a file, as JSON or CSV",
	  .label = "write", .labelled = PLACE_THREADS },
	{ REQUEST_REDRAW, PLACE_ALL, { KEYS_CONTROL('L') }, .names = "^L",
	  .does = "draw the screen anew" },
	/* clang-format on */
};

#define BINDINGS (sizeof(bindings) / sizeof(*bindings))

enum top_request top_keys_request(const struct key *key, enum top_place place)
{
	for (size_t i = 0; i < BINDINGS; i++) {
		const struct binding *b = &bindings[i];

		for (unsigned k = 0; k < KEYS_EACH && b->codes[k]; k++) {
			if (b->places & place && b->codes[k] == key->code)
				return b->request;
		}
	}
	if (place == PLACE_THREADS && key->code >= '1' && key->code <= '9')
		return REQUEST_SORT_NUMBER;
	return REQUEST_NONE;
}

void top_keys_help(struct text *out)
{
	for (size_t i = 0; i < BINDINGS; i++) {
		const struct binding *b = &bindings[i];

		if (b->names)
			text_printf(out, "  %-12s%s\n", b->names, b->does);
	}
}

bool top_keys_hint(enum top_place place, size_t i, const char **key,
		   const char **label)
{
	for (size_t at = 0; at < BINDINGS; at++) {
		if (!(bindings[at].labelled & place))
			continue;
		if (i-- == 0) {
			*key = bindings[at].hint ? bindings[at].hint
						 : bindings[at].names;
			*label = bindings[at].label;
			return true;
		}
	}
	return false;
}
