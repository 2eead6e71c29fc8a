/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals: the first SIGINT or SIGTERM asks a command to finish its work.
 *
 * The second finds what main() has installed, and ends the process at once,
 * wherever it is.
 */
#ifndef CMD_SIGNALS_H
#define CMD_SIGNALS_H

/* From now on the first of them is only noted; again is fine. */
void signals_listen(void);

/* Readable, for poll(2), once one has come; never read it. */
int signals_fd(void);

#endif
