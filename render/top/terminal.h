/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal: shows screens and reads keys.
 *
 * The only file that uses ncurses. A process has one terminal, so this module
 * has global state, like stdout. However the process ends, the terminal is
 * restored: by terminal_close(), or by terminal_restore() in signal handlers.
 */
#ifndef RENDER_TOP_TERMINAL_H
#define RENDER_TOP_TERMINAL_H

#include "core/base/error.h"
#include "render/top/keys.h"
#include "render/top/screen.h"

#include <stdbool.h>

/*
 * Takes over the terminal on standard output; keys are read from standard input
 * if it is a terminal, too, else from the controlling terminal.
 * ERROR_UNAVAILABLE, with the terminal untouched, when there is none or it
 * cannot position the cursor. color: use colors if the terminal has them.
 */
int terminal_open(bool color, struct error *err);

/* Restores the terminal; does nothing when it is not open. */
void terminal_close(void);

/* The same for signal handlers: async-signal-safe, any number of times. */
void terminal_restore(void);

/* Restore the terminal before a stop (SIGTSTP); take it over again. */
void terminal_suspend(void);
void terminal_resume(void);

/*
 * True while another process group owns the terminal: any access would stop the
 * process, and the functions above except terminal_resume() leave it alone.
 */
bool terminal_is_taken(void);

/* Returns the size of the terminal, within the limits of a screen. */
void terminal_size(unsigned *columns, unsigned *rows);

/* A descriptor that is readable when a key was pressed. */
int terminal_fd(void);

/*
 * Reads a key without waiting; KEYS_NONE when none was pressed. False when the
 * terminal has been closed.
 */
bool terminal_key(struct key *key);

/*
 * Shows the screen: the cells that changed, or all cells if redraw is set or
 * the size has changed.
 */
void terminal_draw(const struct screen *s, bool redraw);

#endif
