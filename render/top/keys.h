/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: key presses and mouse events as values.
 *
 * The code of a character is its code point; keys without a character have
 * codes beyond Unicode.
 */
#ifndef RENDER_TOP_KEYS_H
#define RENDER_TOP_KEYS_H

#include "core/base/error.h"

#include <stdint.h>

enum key_code {
	KEYS_NONE = 0,
	KEYS_TAB = '\t',
	KEYS_ENTER = '\n',
	KEYS_ESCAPE = 0x1b,
	KEYS_BACKSPACE = 0x7f,
	KEYS_UP = 0x110000,
	KEYS_DOWN,
	KEYS_LEFT,
	KEYS_RIGHT,
	KEYS_PAGE_UP,
	KEYS_PAGE_DOWN,
	KEYS_HOME,
	KEYS_END,
	KEYS_F1,
	KEYS_F10,
	KEYS_CLICK, /* first mouse button, at row and column */
	KEYS_WHEEL_UP,
	KEYS_WHEEL_DOWN,
	/* Only in scripts: */
	KEYS_TICK, /* read the next sample */
	KEYS_SHOW, /* print the screen */
	KEYS_SIZE, /* resize to rows and columns */
};

struct key {
	uint32_t code;
	unsigned row, column; /* from 0 */
};

/* The code of Control with a letter. */
#define KEYS_CONTROL(letter) ((uint32_t)(letter)&0x1fu)

/*
 * Reads the first key of a script and moves *script behind it: a character, or
 * <up> <enter> <click:ROW,COLUMN> <size:COLUMNSxROWS> <tick> and so on; <lt> is
 * "<". KEYS_NONE at the end of the script. ERROR_MISUSE for an unknown name.
 */
int keys_next(const char **script, struct key *key, struct error *err);

/* Parses "80x24": columns and rows, each at least 1. ERROR_MISUSE. */
int keys_size(const char *text, unsigned *columns, unsigned *rows,
	      struct error *err);

#endif
