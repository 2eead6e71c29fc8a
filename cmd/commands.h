/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands: the commands of sjkc; each is defined at the end of its file.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/command.h"
#include "core/base/output.h"

extern const struct command completion_command;
extern const struct command doctor_command;
extern const struct command flame_command;
extern const struct command help_command;
extern const struct command hh_command;
extern const struct command jcmd_command;
extern const struct command jps_command;
extern const struct command jstack_command;
extern const struct command jstat_command;
extern const struct command mx_command;
extern const struct command mxdump_command;
extern const struct command mxping_command;
extern const struct command mxprx_command;
extern const struct command perfmap_command;
extern const struct command prof_command;
extern const struct command ttop_command;
extern const struct command vminfo_command;

extern const struct command *const commands[]; /* ends with NULL */

/* The command of that name or alias, or NULL. */
const struct command *command_find(const char *name);

/* Fails with ERROR_MISUSE: no command has that name; one may be like it. */
int command_unknown(const char *name, struct error *err);

/*
 * help: what the option tables say, for people and for scripts.
 */

/* Prints a text for help_print(); c is NULL if it is about no command. */
typedef void help_fn(struct output *out, const struct command *c);

int help_print(help_fn *what, const struct command *c, struct error *err);

/* The commands, by what they are for. */
help_fn help_overview;

/* One command: its usage, options and examples. */
help_fn help_of;

/*
 * All commands and options, a line each of five fields between tabs: command,
 * letter with its dash, name with its dashes, value, help.  A command's own
 * line comes before its options; it has neither letter nor name, and its value
 * is its synopsis.  Completions and tests read this.
 */
help_fn help_list;

#endif
