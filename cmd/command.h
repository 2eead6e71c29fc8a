/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: what every command of sjkc is, and the options it takes.
 *
 * One table of options feeds the parser, --help, the completions and the test
 * of the manual.  To add a command: a file that ends with a struct command,
 * and a line in the list of commands.c.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
	OPTION_END,
	OPTION_FLAG,	 /* bool, set to true */
	OPTION_STRING,	 /* const char * */
	OPTION_CHOICE,	 /* const char *, one of choices, "a|b|c" */
	OPTION_LIST,	 /* struct option_list: may be repeated, and may take
			    several values at once: -i A B */
	OPTION_DURATION, /* int64_t nanoseconds: 10ms 2s 1m; bare: seconds */
	OPTION_SIZE,	 /* uint64_t bytes: 64k 1g */
	OPTION_COUNT,	 /* uint64_t */
	OPTION_NUMBER,	 /* double */
};

struct option_list {
	const char **values;
	size_t count, cap;
};

struct command_option {
	enum option_kind kind;
	char letter;	  /* 0 = none */
	const char *name; /* long name, without the dashes */
	union {
		bool *flag;
		const char **string;
		struct option_list *list;
		int64_t *duration;
		uint64_t *count; /* and size */
		double *number;
	} value;
	const char *arg;  /* "<file>"; for a choice, the choices */
	const char *help; /* lower case, no full stop */
	/*
	 * Other spellings, separated by blanks, as another tool has them:
	 * "-ri", "-f", "--min-width".  Understood, and not in --help.
	 */
	const char *aliases;
};

struct command {
	const char *name;
	const char *alias;    /* another name of the command, or NULL */
	const char *synopsis; /* "flame [<options>] [<recording>…]" */
	const char *summary;  /* for the list: "draw a recording as …" */
	const char *group;    /* heading in the list of commands */
	const char *examples; /* lines, each "command   # what for" */
	const struct command_option *options;
	/* Arguments left after the options.  Returns 0, or -1 and *err. */
	int (*run)(int argc, char **argv, struct error *err);
};

extern const struct command *const commands[]; /* ends with NULL */

/*
 * Fills the values of c's options from argv (argv[0] is the command's name).
 * Gives the index of the first argument that is no option.  On misuse fails
 * with -1 and ERROR_MISUSE; *help tells that --help was asked for.
 */
int command_parse(const struct command *c, int argc, char **argv, bool *help,
		  struct error *err);

/* `return misuse(err, …)`: fail() with ERROR_MISUSE. */
#define misuse(err, ...) fail((err), ERROR_MISUSE, __VA_ARGS__)

#endif
