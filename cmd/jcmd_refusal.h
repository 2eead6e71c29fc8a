/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jcmd_refusal: why a JVM did not carry out a diagnostic command, in words.
 */
#ifndef CMD_JCMD_REFUSAL_H
#define CMD_JCMD_REFUSAL_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>

/* True when the JVM's words mean that it has no such command. */
bool jcmd_refusal_is_unknown(const struct error *err);

/*
 * Sets err, whose kind is kept, to say that the JVM, who, has no command that
 * line begins with.  help, what the JVM lists, tells which was meant; how is a
 * command of ours that lists them.
 */
void jcmd_refusal_unknown(const char *who, const char *line,
			  const struct text *help, const char *how,
			  struct error *err);

/*
 * Takes the name of Java's exception out of err, and adds how the arguments of
 * the command are listed: "sjkc jcmd 4711 help GC.run".
 */
void jcmd_refusal_plain(const char *line, const char *how, struct error *err);

#endif
