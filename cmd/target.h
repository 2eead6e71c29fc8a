/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target: the JVM that a command is for, as its user names it.
 *
 * A pid, the name of a main class, with its package or without, that of a jar,
 * or a regular expression that matches one of those of exactly one JVM; or
 * nothing, where one JVM runs or a terminal can be asked.
 */
#ifndef CMD_TARGET_H
#define CMD_TARGET_H

#include "cmd/command.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"

/* The row of an option table; v is a const char *, for target_open(). */
#define OPT_TARGET(v)                                                          \
	OPT_STRING('p', "pid", (v), "<pid>",                                   \
		   "select a JVM: PID, main class, jar or <regex>")

/*
 * Opens the JVM that --pid names or, when pid_option is NULL, the first
 * argument, which is then removed; without one, target_open_any().
 * ERROR_MISUSE when several match: they are listed on stderr, and a terminal is
 * asked which; ERROR_NO_TARGET; ERROR_PERMISSION.  jvm_close() is due after
 * success.
 */
int target_open(struct jvm *jvm, const char *pid_option, int *argc,
		char ***argv, struct error *err);

/* The same for a name that the command has from elsewhere. */
int target_open_named(struct jvm *jvm, const char *name, struct error *err);

/* Opens the only JVM of this machine, or the one chosen on the terminal. */
int target_open_any(struct jvm *jvm, struct error *err);

/* Appends "no permission to inspect 2 processes …", or nothing. */
void target_add_hidden(const struct jvm_list *list, struct text *out);

#endif
