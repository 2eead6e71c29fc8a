/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop: the first SIGINT or SIGTERM asks a command to end well.
 *
 * The second finds what main() has installed, and ends the process at once,
 * wherever it is.
 */
#ifndef CMD_STOP_H
#define CMD_STOP_H

/* From now on the first of them is only noted; again is fine. */
void stop_listen(void);

/* Readable, for poll(2), once one has come; never read it. */
int stop_fd(void);

#endif
