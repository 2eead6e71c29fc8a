/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_keys: maps keys to requests.
 *
 * One table serves the screen, the help and the manual.
 */
#ifndef RENDER_TOP_TOP_KEYS_H
#define RENDER_TOP_TOP_KEYS_H

#include "core/base/text.h"
#include "render/top/keys.h"

#include <stdbool.h>
#include <stddef.h>

enum top_request {
	REQUEST_NONE,
	REQUEST_UP,
	REQUEST_DOWN,
	REQUEST_PAGE_UP,
	REQUEST_PAGE_DOWN,
	REQUEST_FIRST,
	REQUEST_LAST,
	REQUEST_LEFT,
	REQUEST_RIGHT,
	REQUEST_WHEEL_UP,
	REQUEST_WHEEL_DOWN,
	REQUEST_CLICK,
	REQUEST_OPEN,  /* the stack trace of a thread, the threads of a pool */
	REQUEST_LEAVE, /* this view */
	REQUEST_QUIT,
	REQUEST_HELP,
	REQUEST_DEADLOCKS,
	REQUEST_BLOCKED,
	REQUEST_CONTENTION,
	REQUEST_REFRESH,
	REQUEST_AUTO,
	REQUEST_SORT_LEFT,
	REQUEST_SORT_RIGHT,
	REQUEST_REVERSE,
	REQUEST_SORT_CPU,
	REQUEST_SORT_USER,
	REQUEST_SORT_SYS,
	REQUEST_SORT_ALLOC,
	REQUEST_SORT_NAME,
	REQUEST_SORT_NUMBER,
	REQUEST_REGEX,
	REQUEST_GLOB,
	REQUEST_FOLLOW,
	REQUEST_POOLS,
	REQUEST_EXPAND_ALL,
	REQUEST_IDLE,
	REQUEST_JAVA,
	REQUEST_PAUSE,
	REQUEST_FASTER,
	REQUEST_SLOWER,
	REQUEST_WRITE,
	REQUEST_REDRAW,
};

/* The views in which a key is valid; bits. */
enum top_place {
	PLACE_THREADS = 1,
	PLACE_STACK = 2,
	PLACE_DEADLOCKS = 4,
	PLACE_HELP = 8,
	PLACE_BLOCKED = 16,
	PLACE_TEXTS = PLACE_STACK | PLACE_DEADLOCKS | PLACE_HELP |
		      PLACE_BLOCKED,
	PLACE_LIVE = PLACE_THREADS | PLACE_STACK | PLACE_DEADLOCKS |
		     PLACE_BLOCKED,
	PLACE_ALL = PLACE_THREADS | PLACE_TEXTS,
};

/* Returns the request of a key in a view. */
enum top_request top_keys_request(const struct key *key, enum top_place place);

/* Appends one line per request: its keys and its description. */
void top_keys_help(struct text *out);

/*
 * Returns in *key and *label the i-th hint of the bottom line of a view; false
 * at the end. Strings are static.
 */
bool top_keys_hint(enum top_place place, size_t i, const char **key,
		   const char **label);

#endif
