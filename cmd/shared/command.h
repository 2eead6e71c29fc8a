/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: the definition of a command and its options, and the option parser.
 *
 * One table of options feeds the parser, --help, the completions and the test
 * of the manual. To add a command, write a file that ends with a struct command
 * and add its name to commands.h and to the list in commands.c.
 */
#ifndef CMD_SHARED_COMMAND_H
#define CMD_SHARED_COMMAND_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
	OPTION_END,
	OPTION_FLAG,     /* bool, set to true */
	OPTION_STRING,   /* const char * */
	OPTION_CHOICE,   /* const char *, one of choices, "a|b|c" */
	OPTION_LIST,     /* struct option_list: may be repeated, and may take
			    several values at once: -i A B -1 */
	OPTION_DURATION, /* int64_t nanoseconds: 10ms 2s 1m; bare: seconds */
	OPTION_SIZE,     /* uint64_t bytes: 64k 1g */
	OPTION_COUNT,    /* uint64_t */
	OPTION_NUMBER,   /* double */
	OPTION_HEADING,  /* no option: --help prints its help above a group */
};

struct option_list {
	const char **values;
	size_t count, cap;
};

/* Appends a value, which the list borrows. */
void option_list_add(struct option_list *list, const char *value);

struct command_option {
	enum option_kind kind;
	char letter;      /* 0 = none */
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
	 * Other spellings, separated by spaces, as in another tool:
	 * "-ri", "-f", "--minwidth". --help does not list them.
	 */
	const char *aliases;
	/*
	 * A list that gets the names of such options in the order of the
	 * command line, or NULL.
	 */
	struct option_list *sequence;
	/* Further choices, "a|b|c".  --help does not list them. */
	const char *also;
	/* The values that a shell completes, "a|b|c", unless arg lists them. */
	const char *complete;
	/* Returns the choices when they are known only at run time, or NULL. */
	const char *(*choices)(void);
	/*
	 * For a list: true when the word after a value is a further value.
	 * NULL: every word without a dash at its start is.
	 */
	bool (*accepts)(const char *word);
	/* Names of options, "csv|json": none of them may be given, too. */
	const char *excludes;
	/* Names of options: at least one of them must be given, too. */
	const char *requires;
	bool single;   /* a list that takes one value each time */
	bool positive; /* a duration or count that must be greater than 0 */
	uint64_t most; /* maximum of a count or number; 0: none */
	bool rare;     /* only --help-all describes it */
};

/*
 * The rows of an option table: letter, name, pointer to the value, placeholder
 * of the value, help. More members may follow: OPT_FLAG(…, .aliases = "-ri").
 */
/* clang-format off */
#define OPT_ROW(k, l, n, a, h, ...) \
	{ .kind = OPTION_##k, .letter = (l), .name = (n), .arg = (a), \
	  .help = (h), __VA_ARGS__ }
#define OPT_FLAG(l, n, v, h, ...) \
	OPT_ROW(FLAG, l, n, NULL, h, .value.flag = (v), __VA_ARGS__)
#define OPT_STRING(l, n, v, a, h, ...) \
	OPT_ROW(STRING, l, n, a, h, .value.string = (v), __VA_ARGS__)
#define OPT_CHOICE(l, n, v, a, h, ...) \
	OPT_ROW(CHOICE, l, n, a, h, .value.string = (v), __VA_ARGS__)
#define OPT_LIST(l, n, v, a, h, ...) \
	OPT_ROW(LIST, l, n, a, h, .value.list = (v), __VA_ARGS__)
#define OPT_DURATION(l, n, v, a, h, ...) \
	OPT_ROW(DURATION, l, n, a, h, .value.duration = (v), __VA_ARGS__)
#define OPT_SIZE(l, n, v, a, h, ...) \
	OPT_ROW(SIZE, l, n, a, h, .value.count = (v), __VA_ARGS__)
#define OPT_COUNT(l, n, v, a, h, ...) \
	OPT_ROW(COUNT, l, n, a, h, .value.count = (v), __VA_ARGS__)
#define OPT_NUMBER(l, n, v, a, h, ...) \
	OPT_ROW(NUMBER, l, n, a, h, .value.number = (v), __VA_ARGS__)
#define OPT_HEADING(h) { .kind = OPTION_HEADING, .help = (h) }
#define OPT_END { .kind = OPTION_END }
/* clang-format on */

/* The initial value of a count for which 0 is invalid. */
#define COUNT_NOT_GIVEN UINT64_MAX

/* Another tool's flag for an option of sjkc with a value. */
struct shorthand {
	const char *spelling; /* "--cpu"; NULL ends a list */
	const char *option;   /* "event" */
	const char *value;
};

/* An option of another tool that sjkc does not support. */
struct refusal {
	const char *spellings; /* "-x --xyz"; NULL ends a list */
	const char *instead;   /* the alternative: "the page has …" */
};

struct command {
	const char *name;
	const char *alias;    /* another name of the command, or NULL */
	const char *synopsis; /* "flame [<options>] [<recording>…]" */
	const char *summary;  /* "draw a recording as …" */
	const char *group;    /* heading in the list of commands */
	const char *examples; /* lines: "command   # purpose" */
	const struct command_option *options;
	bool has_messages; /* the command also has -q and -v */
	/*
	 * "pid|address command": after a value for each of these options (one
	 * of the alternatives between bars), or an argument in its place, the
	 * remaining words are arguments even if they start with a dash. NULL:
	 * all words are parsed.
	 */
	const char *rest_after;
	/*
	 * Gets the number of arguments before "--" when the command line has a
	 * "--" that is not an option's value. NULL: not needed.
	 */
	size_t *before_dashes;
	const struct shorthand *shorthands; /* or NULL */
	const struct refusal *refusals;     /* or NULL */
	/*
	 * Gets the arguments after the options. Returns 0, or -1 and *err; an
	 * empty error text prints nothing.
	 */
	int (*run)(int argc, char **argv, struct error *err);
};

/*
 * Returns the row of c's options after o, or the first one if o is NULL; NULL
 * after the last one. -q and -v are the last rows.
 */
const struct command_option *command_next_row(const struct command *c,
					      const struct command_option *o);

/* Like command_next_row(), without headings. */
const struct command_option *
command_next_option(const struct command *c, const struct command_option *o);

/* Returns an option's placeholder or choices; NULL for a flag. */
const char *command_option_arg(const struct command_option *o);

enum command_help {
	COMMAND_HELP_NONE,
	COMMAND_HELP,
	COMMAND_HELP_ALL, /* also rare options */
};

/*
 * Sets the values of c's options from argv (argv[0] is the command's name) and
 * the level of messages, and moves the other arguments to the end of argv.
 * Returns the index of the first of them, argc if there are none, or -1 and
 * ERROR_MISUSE. If --help or --help-all is among the options, it only sets
 * *help. Call command_release() once the values are not needed.
 */
int command_parse(const struct command *c, int argc, char **argv,
		  enum command_help *help, struct error *err);

/*
 * Returns the first option of the command line that is among names, "csv|json",
 * or NULL. It has no dashes.
 */
const char *command_given(const char *names);

/* Frees the lists that command_parse() filled. */
void command_release(const struct command *c);

/* `return misuse(err, …)`: main() adds a hint at --help. */
#define misuse(err, ...) fail((err), ERROR_MISUSE, __VA_ARGS__)

#endif
