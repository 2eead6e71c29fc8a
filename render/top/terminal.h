/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal: where a screen is shown and keys come from.
 *
 * The only file that knows there is ncurses.  A process has one terminal, so
 * this is a state, like stdout.  Whatever ends the process, the terminal is
 * given back as it was: by terminal_close(), or by terminal_restore() in the
 * handlers of signals.
 */
#ifndef RENDER_TOP_TERMINAL_H
#define RENDER_TOP_TERMINAL_H

#include "core/base/error.h"
#include "render/top/keys.h"
#include "render/top/screen.h"

#include <stdbool.h>

/*
 * Takes the terminal that stdout is; keys are read from stdin if it is one,
 * too, else from the process's controlling terminal.  ERROR_UNAVAILABLE, with
 * the terminal untouched, when there is none or it cannot place a cursor.
 * colour: where the terminal has it.
 */
int terminal_open(bool colour, struct error *err);

/* Gives it back; nothing happens when it is not open. */
void terminal_close(void);

/*
 * The same for who cannot wait: async-signal-safe, and may be called at any
 * time, by any thread, again and again.
 */
void terminal_restore(void);

/* Gives it back for a while, as for SIGTSTP; and takes it again. */
void terminal_suspend(void);
void terminal_resume(void);

/*
 * True while another process group has it: then whatever touches it stops the
 * process, and the above but terminal_resume() leave it alone.
 */
bool terminal_is_taken(void);

/* How large it is now, within the limits of a screen. */
void terminal_size(unsigned *columns, unsigned *rows);

/* Readable when there is a key. */
int terminal_fd(void);

/*
 * A key that was pressed, or KEYS_NONE; does not wait.  False when the terminal
 * has gone.
 */
bool terminal_key(struct key *key);

/*
 * Shows the screen: what differs from what it shows already, or all of it when
 * anew is set or the size has changed.
 */
void terminal_draw(const struct screen *s, bool anew);

#endif
