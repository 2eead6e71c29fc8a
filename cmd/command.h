/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: what every command of sjkc is, and the options it takes.
 *
 * One table of options feeds the parser, --help, the completions and the test
 * of the manual.  To add a command: a file that ends with a struct command,
 * and its name in commands.h and in the list of commands.c.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

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
};

struct option_list {
	const char **values;
	size_t count, cap;
};

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
	 * Other spellings, separated by spaces, as another tool has them:
	 * "-ri", "-f", "--minwidth".  Understood, and not in --help.
	 */
	const char *aliases;
	/* The values that a shell completes, "a|b|c", if not those of arg. */
	const char *complete;
	/* For a choice whose choices are known at run time; instead of arg. */
	const char *(*choices)(void);
	/*
	 * For a list: whether a word that follows a value is one more value.
	 * Without it, every word is one that does not start with a dash.
	 */
	bool (*accepts)(const char *word);
};

/*
 * The rows of an option table: letter, name, value, what the value is, help.
 * More members may follow: OPT_FLAG(…, .aliases = "-ri").
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
#define OPT_END { .kind = OPTION_END }
/* clang-format on */

/* The initial value of a count for which 0 is a mistake. */
#define COUNT_NOT_GIVEN UINT64_MAX

/* Another tool's flag for an option of ours and a value of it. */
struct shorthand {
	const char *spelling; /* "--cpu"; NULL ends a list */
	const char *option;   /* "event" */
	const char *value;
};

/* Another tool's option for which there is something else here. */
struct refusal {
	const char *spellings; /* "-x --xyz"; NULL ends a list */
	const char *instead;   /* "the page has …" */
};

struct command {
	const char *name;
	const char *alias;    /* another name of the command, or NULL */
	const char *synopsis; /* "flame [<options>] [<recording>…]" */
	const char *summary;  /* for the list: "draw a recording as …" */
	const char *group;    /* heading in the list of commands */
	const char *examples; /* lines, each "command   # what for" */
	const struct command_option *options;
	/*
	 * "pid|socket command": once a value was given for each of these
	 * options, or one of those between bars, or an argument in its place,
	 * the rest is somebody else's command line: arguments all of them,
	 * whatever they look like.  Or NULL.
	 */
	const char *rest_after;
	/*
	 * Set to the number of arguments before "--" when the command line has
	 * one that is not an option's value; or NULL.
	 */
	size_t *before_dashes;
	const struct shorthand *shorthands; /* or NULL */
	const struct refusal *refusals;     /* or NULL */
	/* Arguments left after the options.  Returns 0, or -1 and *err. */
	int (*run)(int argc, char **argv, struct error *err);
};

/* The value that an option takes: "<file>", "html|collapsed"; NULL for a flag.
 */
const char *command_option_arg(const struct command_option *o);

/*
 * Fills the values of c's options from argv (argv[0] is the command's name),
 * wherever among the arguments they stand.  The other arguments are moved to
 * the end of argv.  Returns the index of the first, argc if there is none.  On
 * misuse fails with -1 and ERROR_MISUSE.  When --help is among the options,
 * sets *help and nothing else.
 */
int command_parse(const struct command *c, int argc, char **argv, bool *help,
		  struct error *err);

/* `return misuse(err, …)`: main adds where to read more. */
#define misuse(err, ...) fail((err), ERROR_MISUSE, __VA_ARGS__)

/*
 * word_list: several words in one string, as in option tables: "a|b|c".
 */
/*
 * True when word, of len bytes, is one of the words between which the character
 * `parting` stands.  words may be NULL: no words.
 */
bool word_list_has(const char *words, char parting, const char *word,
		   size_t len);

#endif
