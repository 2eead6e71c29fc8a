/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen_signals: what happens to a terminal, as something to wait for.
 */
#ifndef CMD_SCREEN_SIGNALS_H
#define CMD_SCREEN_SIGNALS_H

/* Bits. */
enum screen_signal {
	SIGNAL_RESIZED = 1,
	SIGNAL_SUSPEND = 2,   /* SIGTSTP: screen_signals_stop() is due */
	SIGNAL_CONTINUED = 4, /* after a stop that nobody could see coming */
};

/* From now on they are noted; before the terminal is opened. */
void screen_signals_listen(void);
void screen_signals_release(void); /* as it was */

/* Readable when there are some. */
int screen_signals_fd(void);

/* Those since the last call. */
unsigned screen_signals_take(void);

/* Stops the process, as SIGTSTP would have; returns when it goes on. */
void screen_signals_stop(void);

#endif
