/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help: what the option tables say, for people and for scripts.
 */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "cmd/command.h"
#include "core/base/output.h"

/* A text that help_print() puts on stdout; c is NULL where it is of no one. */
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
