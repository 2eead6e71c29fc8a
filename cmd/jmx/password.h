/* SPDX-License-Identifier: Apache-2.0 */
/*
 * password: reads a password from the terminal or a file.
 *
 * sjkc never reads a password from an argument: every user of the machine can
 * read arguments.
 */
#ifndef CMD_JMX_PASSWORD_H
#define CMD_JMX_PASSWORD_H

#include "core/base/error.h"
#include "core/base/text.h"

#define PASSWORD_MAX 8192 /* bytes; tokens of Kubernetes have some 1,500 */

/*
 * Prompts on the terminal without echo.  Restores the terminal, also when a
 * signal ends or stops sjkc.  prompt must be safe for a terminal.  ERROR_MISUSE
 * without a terminal, or when nothing was typed.
 */
int password_ask(const char *prompt, struct text *password, struct error *err);

/*
 * Reads the first line of a file ("-" is stdin), without its newline.  Warns
 * when other users can read the file.  ERROR_INPUT; ERROR_MISUSE for an empty
 * line.
 */
int password_read(const char *path, struct text *password, struct error *err);

/*
 * Reads a file again, a jmx_renew_fn.  ERROR_UNAVAILABLE for "-" and other
 * files that can be read once only.
 */
int password_renew(const char *path, struct text *password, struct error *err);

/* Overwrites and frees the password; accepts a zeroed struct. */
void password_release(struct text *password);

#endif
