/* SPDX-License-Identifier: Apache-2.0 */
#include "render/top_keys.h"

enum { KEYS_EACH = 3 };

static const struct binding {
	enum top_request request;
	unsigned places;
	uint32_t codes[KEYS_EACH];
	const char *names; /* as the help has them; NULL: not in the help */
	const char *does;
	const char *label; /* for the lowest line, or NULL */
	unsigned labelled; /* in these places */
} bindings[] = {
	/* clang-format off */
	{ REQUEST_HELP, PLACE_LIVE, { '?', 'h', KEYS_F1 },
	  "? h F1", "this help", "help", PLACE_LIVE },
	{ REQUEST_LEAVE, PLACE_TEXTS, { KEYS_ESCAPE, 'q', KEYS_BACKSPACE },
	  NULL, NULL, NULL, 0 },
	{ REQUEST_QUIT, PLACE_THREADS, { 'q', 'Q', KEYS_F10 },
	  "q", "leave a view; quit", NULL, 0 },
	{ REQUEST_QUIT, PLACE_TEXTS, { 'Q', KEYS_F10 },
	  "Q F10", "quit from anywhere", NULL, 0 },
	{ REQUEST_LEAVE, PLACE_THREADS, { KEYS_ESCAPE },
	  "Esc", "leave a view; drop the filters", NULL, 0 },

	{ REQUEST_UP, PLACE_ALL, { KEYS_UP, 'k', KEYS_CONTROL('P') },
	  "up k", "the thread, or line, before", NULL, 0 },
	{ REQUEST_DOWN, PLACE_ALL, { KEYS_DOWN, 'j', KEYS_CONTROL('N') },
	  "down j", "the next", NULL, 0 },
	{ REQUEST_PAGE_UP, PLACE_ALL, { KEYS_PAGE_UP, KEYS_CONTROL('B') },
	  "PgUp", "a screen up", NULL, 0 },
	{ REQUEST_PAGE_DOWN, PLACE_ALL, { KEYS_PAGE_DOWN, KEYS_CONTROL('F') },
	  "PgDn", "a screen down", NULL, 0 },
	{ REQUEST_FIRST, PLACE_ALL, { KEYS_HOME, 'g' },
	  "Home g", "the first", NULL, 0 },
	{ REQUEST_LAST, PLACE_ALL, { KEYS_END, 'G' },
	  "End G", "the last", NULL, 0 },
	{ REQUEST_LEFT, PLACE_ALL, { KEYS_LEFT },
	  "left right", "close or open a pool; scroll a text", NULL, 0 },
	{ REQUEST_RIGHT, PLACE_ALL, { KEYS_RIGHT }, NULL, NULL, NULL, 0 },
	{ REQUEST_WHEEL_UP, PLACE_ALL, { KEYS_WHEEL_UP }, NULL, NULL, NULL, 0 },
	{ REQUEST_WHEEL_DOWN, PLACE_ALL, { KEYS_WHEEL_DOWN },
	  NULL, NULL, NULL, 0 },
	{ REQUEST_CLICK, PLACE_THREADS, { KEYS_CLICK },
	  "mouse", "choose a thread; sort by a title; the wheel scrolls",
	  NULL, 0 },

	{ REQUEST_OPEN, PLACE_THREADS, { KEYS_ENTER },
	  "Enter", "the stack trace of a thread; open or close a pool",
	  "stack", PLACE_THREADS },
	{ REQUEST_REFRESH, PLACE_STACK | PLACE_DEADLOCKS, { 'r' },
	  "r", "there: ask for it anew", "refresh",
	  PLACE_STACK | PLACE_DEADLOCKS },
	{ REQUEST_AUTO, PLACE_STACK, { 'a' },
	  "a", "there: ask anew with every sample, or no longer", "auto",
	  PLACE_STACK },
	{ REQUEST_DEADLOCKS, PLACE_THREADS | PLACE_STACK, { 'd' },
	  "d", "deadlocks", "deadlocks", PLACE_THREADS },

	{ REQUEST_REGEX, PLACE_THREADS, { '/' },
	  "/", "only names that match a regular expression", "filter",
	  PLACE_THREADS },
	{ REQUEST_GLOB, PLACE_THREADS, { 'f' },
	  "f", "only names that match a pattern of * and ?", NULL, 0 },
	{ REQUEST_POOLS, PLACE_THREADS, { 'u', 't' },
	  "u t", "put threads together whose names differ in numbers only",
	  "pools", PLACE_THREADS },
	{ REQUEST_EXPAND_ALL, PLACE_THREADS, { '*' },
	  "*", "open or close all pools", NULL, 0 },
	{ REQUEST_SORT_LEFT, PLACE_THREADS, { '<', ',' },
	  "< ,", "sort by the column to the left", "", PLACE_THREADS },
	{ REQUEST_SORT_RIGHT, PLACE_THREADS, { '>', '.' },
	  "> .", "sort by the column to the right", "sort", PLACE_THREADS },
	{ REQUEST_REVERSE, PLACE_THREADS, { 'R' },
	  "R", "turn the order around", NULL, 0 },
	{ REQUEST_SORT_CPU, PLACE_THREADS, { 'P', 'c' },
	  "P c", "sort by CPU", NULL, 0 },
	{ REQUEST_SORT_ALLOC, PLACE_THREADS, { 'A' },
	  "A", "sort by allocation", NULL, 0 },
	{ REQUEST_SORT_USER, PLACE_THREADS, { 'U' },
	  "U", "sort by CPU in user mode", NULL, 0 },
	{ REQUEST_SORT_SYS, PLACE_THREADS, { 'S' },
	  "S", "sort by CPU in the kernel", NULL, 0 },
	{ REQUEST_SORT_NAME, PLACE_THREADS, { 'N' },
	  "N", "sort by name", NULL, 0 },
	{ REQUEST_SORT_NUMBER, PLACE_THREADS, { 0 },
	  "1 to 9", "sort by the column of that number, from the left", NULL, 0 },
	{ REQUEST_FOLLOW, PLACE_THREADS, { 'F' },
	  "F", "stay with the thread, wherever it is sorted to", "follow",
	  PLACE_THREADS },
	{ REQUEST_IDLE, PLACE_THREADS, { 'i', 'I', 'H' },
	  "i I H", "hide, or show, threads that used no CPU", "idle",
	  PLACE_THREADS },
	{ REQUEST_JAVA, PLACE_THREADS, { 'J' },
	  "J", "only Java's threads, or all", NULL, 0 },

	{ REQUEST_PAUSE, PLACE_LIVE, { 'p', ' ' },
	  "p space", "take no more samples, or go on", "pause",
	  PLACE_THREADS },
	{ REQUEST_FASTER, PLACE_LIVE, { '-', '_' },
	  "-", "a shorter interval", NULL, 0 },
	{ REQUEST_SLOWER, PLACE_LIVE, { '+', '=' },
	  "+", "a longer interval", NULL, 0 },
	{ REQUEST_WRITE, PLACE_THREADS, { 'w' },
	  "w", "write the threads shown to a file: .csv, .json", "write",
	  PLACE_THREADS },
	{ REQUEST_REDRAW, PLACE_ALL, { KEYS_CONTROL('L') },
	  "^L", "draw the screen anew", NULL, 0 },
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

bool top_keys_hint(enum top_place place, size_t i, const char **keys,
		   const char **label)
{
	for (size_t at = 0; at < BINDINGS; at++) {
		if (!(bindings[at].labelled & place))
			continue;
		if (i-- == 0) {
			*keys = bindings[at].names;
			*label = bindings[at].label;
			return true;
		}
	}
	return false;
}
