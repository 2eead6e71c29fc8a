/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_keys: what each key asks for.
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

/* Where a key is understood; bits. */
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

/* What a key asks for in that place. */
enum top_request top_keys_request(const struct key *key, enum top_place place);

/*
 * Appends a line for each thing that can be asked for: its keys, and what it
 * does.
 */
void top_keys_help(struct text *out);

/*
 * The things worth a word in the lowest line of that place: the i-th of them,
 * or false.  Strings are static.
 */
bool top_keys_hint(enum top_place place, size_t i, const char **key,
		   const char **label);

#endif
