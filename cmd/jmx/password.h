/* SPDX-License-Identifier: Apache-2.0 */
/*
 * password: a secret that a person types, or that a file has.
 *
 * Never an argument: everybody on a machine can see those.
 */
#ifndef CMD_JMX_PASSWORD_H
#define CMD_JMX_PASSWORD_H

#include "core/base/error.h"
#include "core/base/text.h"

#define PASSWORD_MAX 1024 /* bytes */

/*
 * Asks on the terminal, which shows nothing of it, and is as it was when this
 * returns or a signal ends or stops us.  prompt is safe to be shown.
 * ERROR_MISUSE when there is no terminal, or nothing was typed.
 */
int password_ask(const char *prompt, struct text *password, struct error *err);

/*
 * The first line of a file ("-" is stdin), without its end.  Says so when the
 * file may be read by everybody.  ERROR_INPUT; ERROR_MISUSE for an empty line.
 */
int password_read(const char *path, struct text *password, struct error *err);

/* Overwrites and frees it.  A zeroed one is fine. */
void password_release(struct text *password);

#endif
