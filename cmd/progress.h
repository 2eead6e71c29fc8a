/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress: a bar on stderr for work that takes over a second.
 *
 * Shown on a terminal only; there is one at a time.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdint.h>

/* Begins work called what ("reading dump.jfr"), which is borrowed. */
void progress_start(const char *what);

/* So much is done; cheap.  Has the shape of struct profile's callback. */
void progress_show(void *unused, uint64_t done, uint64_t total);

/* Takes the bar off the screen until the next progress_show(). */
void progress_hide(void);

/* The work is over. */
void progress_end(void);

#endif
