/* SPDX-License-Identifier: Apache-2.0 */
/* The table of keys: from it come the requests, the help and the bottom line.
 */
#include "render/top/top_keys.h"

enum { KEYS_EACH = 3 };

static const struct binding {
	enum top_request request;
	unsigned places;
	uint32_t codes[KEYS_EACH];
	const char *names; /* printed in the help; NULL: not in the help */
	const char *does;
	const char *label; /* in the bottom line; NULL: not there */
	unsigned labelled; /* views whose bottom line shows the label */
	const char *hint;  /* key in the bottom line; NULL: names */
} bindings[] = {
	/* clang-format off */
	{ REQUEST_HELP, PLACE_LIVE, { '?', 'h', KEYS_F1 }, .names = "? h F1",
	  .does = "show this help", .label = "help", .labelled = PLACE_LIVE,
	  .hint = "?" },
	{ REQUEST_LEAVE, PLACE_TEXTS, { KEYS_ESCAPE, 'q', KEYS_BACKSPACE },
	  .names = NULL },
	{ REQUEST_QUIT, PLACE_THREADS, { 'q', 'Q', KEYS_F10 }, .names = "q",
	  .does = "close the view; quit from the thread list" },
	{ REQUEST_QUIT, PLACE_TEXTS, { 'Q', KEYS_F10 }, .names = "Q F10",
	  .does = "quit from any view" },
	{ REQUEST_LEAVE, PLACE_THREADS, { KEYS_ESCAPE }, .names = "Esc",
	  .does = "close the view; remove the filters" },
	{ REQUEST_UP, PLACE_ALL, { KEYS_UP, 'k', KEYS_CONTROL('P') },
	  .names = "up k", .does = "select the previous thread, or scroll up a line" },
	{ REQUEST_DOWN, PLACE_ALL, { KEYS_DOWN, 'j', KEYS_CONTROL('N') },
	  .names = "down j", .does = "select the next thread, or scroll down a line" },
	{ REQUEST_PAGE_UP, PLACE_ALL, { KEYS_PAGE_UP, KEYS_CONTROL('B') },
	  .names = "PgUp", .does = "scroll up a screen" },
	{ REQUEST_PAGE_DOWN, PLACE_ALL, { KEYS_PAGE_DOWN, KEYS_CONTROL('F') },
	  .names = "PgDn", .does = "scroll down a screen" },
	{ REQUEST_FIRST, PLACE_ALL, { KEYS_HOME, 'g' }, .names = "Home g",
	  .does = "go to the first thread or line" },
	{ REQUEST_LAST, PLACE_ALL, { KEYS_END, 'G' }, .names = "End G",
	  .does = "go to the last thread or line" },
	{ REQUEST_LEFT, PLACE_ALL, { KEYS_LEFT }, .names = "left right",
	  .does = "close or open a pool; scroll text sideways" },
	{ REQUEST_RIGHT, PLACE_ALL, { KEYS_RIGHT }, .names = NULL },
	{ REQUEST_WHEEL_UP, PLACE_ALL, { KEYS_WHEEL_UP }, .names = NULL },
	{ REQUEST_WHEEL_DOWN, PLACE_ALL, { KEYS_WHEEL_DOWN }, .names = NULL },
	{ REQUEST_CLICK, PLACE_THREADS, { KEYS_CLICK }, .names = "mouse",
	  .does = "select a thread; click a title to sort; the wheel scrolls" },
	{ REQUEST_OPEN, PLACE_THREADS, { KEYS_ENTER }, .names = "Enter",
	  .does = "show the stack trace of the thread; open or close a pool",
	  .label = "stack", .labelled = PLACE_THREADS },
	{ REQUEST_REFRESH, PLACE_STACK | PLACE_DEADLOCKS | PLACE_BLOCKED,
	  { 'r' }, .names = "r", .does = "refresh the stack trace, deadlocks or blocked threads",
	  .label = "refresh",
	  .labelled = PLACE_STACK | PLACE_DEADLOCKS | PLACE_BLOCKED },
	{ REQUEST_AUTO, PLACE_STACK, { 'a' }, .names = "a",
	  .does = "refresh the stack trace with every sample, or stop",
	  .label = "auto", .labelled = PLACE_STACK },
	{ REQUEST_BLOCKED, PLACE_THREADS | PLACE_STACK, { 'b' },
	  .names = "b", .does = "show which threads block others, and where",
	  .label = "blocked", .labelled = PLACE_THREADS },
	{ REQUEST_DEADLOCKS, PLACE_THREADS | PLACE_STACK | PLACE_BLOCKED,
	  { 'd' }, .names = "d", .does = "show deadlocks", .label = "deadlocks",
	  .labelled = PLACE_THREADS },
	{ REQUEST_CONTENTION, PLACE_THREADS, { 'C' }, .names = "C",
	  .does = "switch contention monitoring on or off (needs JMX)" },
	{ REQUEST_REGEX, PLACE_THREADS, { '/' }, .names = "/",
	  .does = "show only threads whose names match a regular expression",
	  .label = "filter", .labelled = PLACE_THREADS },
	{ REQUEST_GLOB, PLACE_THREADS, { 'f' }, .names = "f",
	  .does = "show only threads whose names match a glob (* and ?)" },
	{ REQUEST_POOLS, PLACE_THREADS, { 'u', 't' }, .names = "u t",
	  .does = "group threads whose names differ only in numbers",
	  .label = "pools", .labelled = PLACE_THREADS, .hint = "u" },
	{ REQUEST_EXPAND_ALL, PLACE_THREADS, { '*' }, .names = "*",
	  .does = "open or close all groups" },
	{ REQUEST_SORT_LEFT, PLACE_THREADS, { '<', ',' }, .names = "< ,",
	  .does = "sort by the column to the left" },
	{ REQUEST_SORT_RIGHT, PLACE_THREADS, { '>', '.' }, .names = "> .",
	  .does = "sort by the column to the right", .label = "sort",
	  .labelled = PLACE_THREADS, .hint = "<>" },
	{ REQUEST_REVERSE, PLACE_THREADS, { 'R' }, .names = "R",
	  .does = "reverse the sort order" },
	{ REQUEST_SORT_CPU, PLACE_THREADS, { 'P', 'c' }, .names = "P c",
	  .does = "sort by CPU" },
	{ REQUEST_SORT_ALLOC, PLACE_THREADS, { 'A' }, .names = "A",
	  .does = "sort by allocation" },
	{ REQUEST_SORT_USER, PLACE_THREADS, { 'U' }, .names = "U",
	  .does = "sort by user CPU" },
	{ REQUEST_SORT_SYS, PLACE_THREADS, { 'S' }, .names = "S",
	  .does = "sort by system CPU" },
	{ REQUEST_SORT_NAME, PLACE_THREADS, { 'N' }, .names = "N",
	  .does = "sort by name" },
	{ REQUEST_SORT_NUMBER, PLACE_THREADS, { 0 }, .names = "1 to 9",
	  .does = "sort by the column of that number, from the left" },
	{ REQUEST_FOLLOW, PLACE_THREADS, { 'F' }, .names = "F",
	  .does = "follow the selected thread when the order changes",
	  .label = "follow", .labelled = PLACE_THREADS },
	{ REQUEST_IDLE, PLACE_THREADS, { 'i', 'I', 'H' }, .names = "i I H",
	  .does = "hide or show threads that used no CPU", .label = "idle",
	  .labelled = PLACE_THREADS, .hint = "i" },
	{ REQUEST_JAVA, PLACE_THREADS, { 'J' }, .names = "J",
	  .does = "show only Java threads, or all threads" },
	{ REQUEST_PAUSE, PLACE_LIVE, { 'p', ' ' }, .names = "p space",
	  .does = "pause or resume sampling", .label = "pause",
	  .labelled = PLACE_THREADS, .hint = "p" },
	{ REQUEST_FASTER, PLACE_LIVE, { '-', '_' }, .names = "-",
	  .does = "shorten the interval" },
	{ REQUEST_SLOWER, PLACE_LIVE, { '+', '=' }, .names = "+",
	  .does = "lengthen the interval" },
	{ REQUEST_WRITE, PLACE_THREADS, { 'w' }, .names = "w",
	  .does = "write the listed threads to a JSON or CSV file",
	  .label = "write", .labelled = PLACE_THREADS },
	{ REQUEST_REDRAW, PLACE_ALL, { KEYS_CONTROL('L') }, .names = "^L",
	  .does = "redraw the screen" },
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
