/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target: finds the JVM that the user names.
 *
 * A name is a PID, a main class with or without its package, a jar, or a
 * regular expression that matches one of these for exactly one JVM. Without a
 * name, sjkc uses the only JVM of the machine, or asks on a terminal.
 */
#ifndef CMD_SHARED_TARGET_H
#define CMD_SHARED_TARGET_H

#include "cmd/shared/command.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>

/* The row of an option table; v points to a const char *, see target_open(). */
#define OPT_TARGET(v)                                                          \
	OPT_STRING('p', "pid", (v), "<pid>",                                   \
		   "select a JVM: PID, main class, jar or <regex>")

/*
 * Opens the JVM that pid_option names or, when it is NULL, the only argument;
 * without arguments, as target_open_any(). Further arguments are rejected. When
 * several JVMs match, it lists them on stderr and asks on a terminal; without
 * one, ERROR_MISUSE. Also ERROR_NO_TARGET, ERROR_PERMISSION. Call jvm_close()
 * after success.
 */
int target_open(struct jvm *jvm, const char *pid_option, int argc, char **argv,
		struct error *err);

/* Like target_open(), but removes the argument and leaves those after it. */
int target_open_first(struct jvm *jvm, const char *pid_option, int *argc,
		      char ***argv, struct error *err);

/*
 * Returns true if an argument names a file and not a JVM: "-", a path from the
 * root or the working directory, or the name of a file. Numbers are PIDs, JVMs
 * are also selected by their jar, and an executable file is a program.
 */
bool target_is_file(const char *argument);

/*
 * For a command that reads a file: returns -1 and *err if one of these options,
 * "a|b", was given.  They require a running JVM.
 */
int target_refuse_live(const char *options, struct error *err);

/* Opens the JVM with this name. Errors as target_open(). */
int target_open_named(struct jvm *jvm, const char *name, struct error *err);

/* Opens the only JVM of this machine, or the user's choice on a terminal. */
int target_open_any(struct jvm *jvm, struct error *err);

/* Logs that processes that may be JVMs cannot be inspected, if there are any.
 */
void target_log_hidden(const struct jvm_list *list);

/*
 * Fails for a list without a JVM: ERROR_PERMISSION if processes that may be
 * JVMs cannot be inspected, else ERROR_NO_TARGET. Returns -1.
 */
int target_fail_no_jvm(const struct jvm_list *list, struct error *err);

#endif
