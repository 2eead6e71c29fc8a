/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands: the commands of sjkc; each is defined at the end of its file.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/shared/command.h"
#include "core/base/output.h"

extern const struct command completion_command;
extern const struct command diff_command;
extern const struct command doctor_command;
extern const struct command flame_command;
extern const struct command gc_command;
extern const struct command help_command;
extern const struct command hh_command;
extern const struct command jcmd_command;
extern const struct command jps_command;
extern const struct command jstack_command;
extern const struct command threads_command;
extern const struct command jstat_command;
extern const struct command mcp_command;
extern const struct command mem_command;
extern const struct command mx_command;
extern const struct command mxdump_command;
extern const struct command mxping_command;
extern const struct command mxprx_command;
extern const struct command perfmap_command;
extern const struct command dexp_command;
extern const struct command ssa_command;
extern const struct command jfr2json_command;
extern const struct command stcap_command;
extern const struct command stcpy_command;
extern const struct command prfi_command;
extern const struct command prof_command;
extern const struct command probe_command;
extern const struct command ttop_command;
extern const struct command snap_command;
extern const struct command vminfo_command;
extern const struct command why_command;

extern const struct command *const commands[]; /* ends with NULL */

/* Returns the command with this name or alias, or NULL. */
const struct command *command_find(const char *name);

/* Fails with ERROR_MISUSE for an option in place of the command. */
int command_unknown_option(const char *word, struct error *err);

/* Fails with ERROR_MISUSE for an unknown command; suggests a near miss. */
int command_unknown(const char *name, struct error *err);

/*
 * help: prints the option tables for people and for scripts.
 */

/* Writes a text; c is NULL if the text is about no command. */
typedef void help_fn(struct output *out, const struct command *c);

/* Prints a text on standard output. Returns 0, or -1 and ERROR_OUTPUT. */
int help_print(help_fn *write, const struct command *c, struct error *err);

/* Lists the commands in groups. */
help_fn help_overview;

/*
 * Describes one command: usage, options and examples. The first function omits
 * rare options, the second one also prints which options exclude or require
 * each other.
 */
help_fn help_of, help_of_all;

/*
 * Lists all commands and options, one per line with five fields separated by
 * tabs: command, letter with its dash, name with its dashes, value, help. The
 * line of a command precedes those of its options; it has neither letter nor
 * name, and its value is the synopsis. Completions and tests read this.
 */
help_fn help_list;

#endif
