/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals: signals as descriptors to poll.
 *
 * The first SIGINT or SIGTERM asks a command to finish its work. The second
 * ends the process at once by the handlers that main() installed, unless it
 * follows within 0.2 s, as that of timeout(1) does. ttop's screen also listens
 * for the signals of its terminal.
 */
#ifndef CMD_SHARED_SIGNALS_H
#define CMD_SHARED_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* Catches the first SIGINT or SIGTERM from now on; further calls do nothing. */
void signals_listen(void);

/* Becomes readable when a signal has arrived; callers only poll it. */
int signals_fd(void);

bool signals_arrived(void);

/*
 * In a child that runs a command: restores the former handlers, and forgets a
 * signal that has arrived, so that the command can listen itself.
 */
void signals_forget(void);

/*
 * Lets the first signal end the process, as without signals_listen(), which
 * does nothing from now on. For commands whose results are not needed then.
 */
void signals_end_at_once(void);

enum wait_end {
	WAIT_DUE, /* until_ns is over */
	WAIT_SIGNAL,
	WAIT_EXIT, /* the process has exited */
};

/*
 * Waits for a signal, the exit of a process (pidfd, or -1), or until_ns
 * (clock_monotonic_ns()), and returns what ended the wait.
 */
enum wait_end signals_wait(int pidfd, int64_t until_ns);

/*
 * Ends the process by the signal that has arrived, as without
 * signals_listen(); does nothing if none has.
 */
void signals_repeat(void);

/* Bits. */
enum screen_signal {
	SIGNAL_RESIZED = 1,
	SIGNAL_SUSPEND = 2,   /* SIGTSTP: call screen_signals_stop() */
	SIGNAL_CONTINUED = 4, /* SIGCONT, perhaps after a SIGSTOP */
};

/* Catches these signals from now on; call it before terminal_take(). */
void screen_signals_listen(void);

/* Restores the former handlers. */
void screen_signals_release(void);

/* Is readable while screen_signals_take() would return bits. */
int screen_signals_fd(void);

/* Returns the bits of the signals that arrived since the last call. */
unsigned screen_signals_take(void);

/* Stops the process as SIGTSTP would; returns when the process continues. */
void screen_signals_stop(void);

#endif
