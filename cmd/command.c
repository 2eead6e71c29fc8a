/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/command.h"

#include "cmd/nearest.h"
#include "cmd/word_list.h"
#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/ascii.h"
#include "core/base/text.h"
#include "core/base/units.h"

#include <getopt.h>
#include <string.h>

static char dashes[] = "--"; /* no options behind it */

/* getopt_long()'s values for long names; below are the letters. */
#define LONG_BASE 256

/*
 * The arguments as getopt_long() can read them: spellings of other tools are
 * the long names they stand for, and a list's further values have the option
 * repeated before each.
 */
struct arguments {
	const struct command *command;
	char **from; /* NULL-terminated; borrowed */
	char **to;
	size_t count, cap;
	struct arena words; /* those of to that are not in from */
	size_t given;       /* of what the command has in rest_after */
	bool help;
};

const char *command_option_arg(const struct command_option *o)
{
	return o->choices ? o->choices() : o->arg;
}

/* The option that another tool's spelling, of len bytes, stands for. */
static const struct command_option *by_alias(const struct command *c,
					     const char *word, size_t len)
{
	const struct command_option *o = c->options;

	while (o->kind != OPTION_END &&
	       !word_list_has(o->aliases, ' ', word, len))
		o++;
	return o->kind == OPTION_END ? NULL : o;
}

static const struct command_option *by_letter(const struct command *c,
					      char letter)
{
	const struct command_option *o = c->options;

	while (o->kind != OPTION_END && o->letter != letter)
		o++;
	return o->kind == OPTION_END ? NULL : o;
}

/* By its name, or by the beginning of just one name. */
static const struct command_option *by_name(const struct command *c,
					    const char *name, size_t len)
{
	const struct command_option *found = NULL;
	size_t matches = 0;

	for (const struct command_option *o = c->options; o->kind != OPTION_END;
	     o++) {
		if (strncmp(o->name, name, len) != 0)
			continue;
		if (o->name[len] == '\0')
			return o;
		found = o;
		matches++;
	}
	return matches == 1 ? found : NULL;
}

/* The option, and its value, that another tool's spelling stands for. */
static const struct command_option *by_shorthand(const struct command *c,
						 const char *word, size_t len,
						 const char **value)
{
	for (const struct shorthand *s = c->shorthands; s && s->spelling; s++) {
		if (strlen(s->spelling) == len &&
		    memcmp(s->spelling, word, len) == 0) {
			*value = s->value;
			return by_name(c, s->option, strlen(s->option));
		}
	}
	return NULL;
}

static int refuse(const struct command *c, const char *word, size_t len,
		  struct error *err)
{
	for (const struct refusal *r = c->refusals; r && r->spellings; r++) {
		if (word_list_has(r->spellings, ' ', word, len))
			return misuse(err, "option %.*s is not supported: %s",
				      (int)len, word, r->instead);
	}
	return 0;
}

static void push(struct arguments *a, char *argument)
{
	/* One more for the NULL at the end. */
	array_reserve(a->to, a->cap, a->count + 2);
	a->to[a->count++] = argument;
	a->to[a->count] = NULL;
}

static void push_option(struct arguments *a, const struct command_option *o)
{
	size_t len = strlen(o->name);
	char *word = arena_alloc(&a->words, len + 3);

	snprintf(word, len + 3, "--%s", o->name);
	push(a, word);
}

static bool is_value(const char *argument)
{
	return argument && (argument[0] != '-' || argument[1] == '\0');
}

/* One more value of a list; "-4" is a number, as no option is. */
static bool is_next_value(const char *argument)
{
	return is_value(argument) ||
	       (argument && (is_digit(argument[1]) ||
			     (argument[1] == '.' && is_digit(argument[2]))));
}

/* True once the rest of the arguments is not ours to read. */
static bool is_rest(const struct arguments *a)
{
	const char *at = a->command->rest_after;
	size_t wanted = 1;

	if (!at)
		return false;
	while ((at = strchr(at, ' '))) {
		wanted++;
		at++;
	}
	return a->given >= wanted;
}

/* True when rest_after has the option: "pid|socket command". */
static bool is_waited_for(const struct command *c, const char *name)
{
	const char *at = c->rest_after ? c->rest_after : "";
	size_t len;

	for (; *at; at += len + (at[len] != '\0')) {
		len = strcspn(at, " |");
		if (strlen(name) == len && memcmp(at, name, len) == 0)
			return true;
	}
	return false;
}

/*
 * Takes the values of an option that are arguments of their own: one, unless
 * it was attached, and for a list those that follow it.
 */
static void take_values(struct arguments *a, const struct command_option *o,
			bool attached)
{
	a->given += is_waited_for(a->command, o->name);
	if (!attached && *a->from)
		push(a, *a->from++);
	while (o->kind == OPTION_LIST && is_next_value(*a->from)) {
		push_option(a, o);
		push(a, *a->from++);
	}
}

static void take_alias(struct arguments *a, const struct command_option *o,
		       char *value)
{
	push_option(a, o);
	if (value)
		push(a, value);
	if (o->kind != OPTION_FLAG)
		take_values(a, o, value != NULL);
}

static void take_long(struct arguments *a, char *word, size_t len)
{
	const struct command_option *o = by_name(a->command, word + 2, len - 2);

	if (len >= 3 && strncmp("--help", word, len) == 0 && !o)
		a->help = true;
	push(a, word);
	if (o && o->kind != OPTION_FLAG)
		take_values(a, o, word[len] == '=');
}

/* One or more letters behind one dash; the last may have a value. */
static void take_letters(struct arguments *a, char *word)
{
	push(a, word);
	for (char *at = word + 1; *at; at++) {
		const struct command_option *o = by_letter(a->command, *at);

		if (*at == 'h' && !o)
			a->help = true;
		if (o && o->kind != OPTION_FLAG) {
			take_values(a, o, at[1] != '\0');
			return;
		}
	}
}

/* "-gcutli": offers the names and aliases of one dash and several letters. */
static int unknown_word(const struct command *c, const char *word, size_t len,
			struct error *err)
{
	struct nearest nearest = nearest_to(word + 1, len - 1);

	for (const struct command_option *o = c->options; o->kind != OPTION_END;
	     o++)
		nearest_offer(&nearest, o->name);
	if (nearest.best)
		return misuse(err, "unknown option %.*s; did you mean --%s?",
			      (int)len, word, nearest.best);
	return misuse(err, "unknown option %.*s", (int)len, word);
}

/* One word with a dash that is no alias. */
static int take_option(struct arguments *a, char *word, size_t len,
		       struct error *err)
{
	const char *implied = NULL;
	const struct command_option *o = by_shorthand(a->command, word, len,
						      &implied);

	if (refuse(a->command, word, len, err))
		return -1;
	if (o && word[len])
		return misuse(err, "option %.*s takes no value", (int)len,
			      word);
	if (o) {
		push_option(a, o);
		/* Nobody writes to it: getopt_long() moves pointers only. */
		push(a, (char *)implied);
	} else if (word[1] == '-') {
		take_long(a, word, len);
	} else if (len > 2 && word[1] != 'h' &&
		   !by_letter(a->command, word[1])) {
		return unknown_word(a->command, word, len, err);
	} else {
		take_letters(a, word);
	}
	return 0;
}

static void take_argument(struct arguments *a, char *word)
{
	a->given++;
	push(a, word);
}

static int normalise(struct arguments *a, struct error *err)
{
	while (*a->from) {
		char *word = is_rest(a) ? dashes : *a->from++;
		size_t len = strcspn(word, "=");
		char *value = word[len] ? word + len + 1 : NULL;
		const struct command_option *o;

		if (strcmp(word, "--") == 0) {
			push(a, word);
			while (*a->from)
				push(a, *a->from++);
			return 0;
		}
		o = word[0] == '-' ? by_alias(a->command, word, len) : NULL;
		if (o && o->kind == OPTION_FLAG && value)
			return misuse(err, "option %.*s takes no value",
				      (int)len, word);
		if (o)
			take_alias(a, o, value);
		else if (is_value(word))
			take_argument(a, word);
		else if (take_option(a, word, len, err))
			return -1;
	}
	return 0;
}

static int set_choice(const struct command_option *o, const char *value,
		      struct error *err)
{
	const char *choices = command_option_arg(o);

	if (!word_list_has(choices, '|', value, strlen(value)))
		return misuse(err, "invalid value '%s'; valid: %s", value,
			      choices);
	*o->value.string = value;
	return 0;
}

static int set_value(const struct command_option *o, const char *value,
		     struct error *err)
{
	struct option_list *list;

	switch (o->kind) {
	case OPTION_FLAG:
		*o->value.flag = true;
		return 0;
	case OPTION_STRING:
		*o->value.string = value;
		return 0;
	case OPTION_CHOICE:
		return set_choice(o, value, err);
	case OPTION_LIST:
		list = o->value.list;
		array_reserve(list->values, list->cap, list->count + 1);
		list->values[list->count++] = value;
		return 0;
	case OPTION_DURATION:
		return units_duration(value, o->value.duration, err);
	case OPTION_SIZE:
		return units_size(value, o->value.count, err);
	case OPTION_COUNT:
		return units_count(value, o->value.count, err);
	case OPTION_NUMBER:
		return units_number(value, o->value.number, err);
	case OPTION_END:
		break;
	}
	return 0;
}

/* What getopt_long() wants to know, out of the option table. */
struct grammar {
	struct text letters;
	struct option *longs;
	size_t count;
};

static void grammar_init(struct grammar *g, const struct command *c)
{
	size_t count = 0;

	while (c->options[count].kind != OPTION_END)
		count++;
	g->count = count;
	g->longs = xcalloc(count + 1, sizeof(*g->longs));
	/* '+' would stop at the first argument; ':' keeps getopt silent. */
	g->letters = (struct text){ 0 };
	text_putc(&g->letters, ':');
	for (size_t i = 0; i < count; i++) {
		const struct command_option *o = &c->options[i];
		bool valued = o->kind != OPTION_FLAG;

		g->longs[i].name = o->name;
		g->longs[i].has_arg = valued ? required_argument : no_argument;
		g->longs[i].val = LONG_BASE + (int)i;
		if (o->letter)
			text_putc(&g->letters, o->letter);
		if (o->letter && valued)
			text_putc(&g->letters, ':');
	}
}

static void grammar_release(struct grammar *g)
{
	text_release(&g->letters);
	free(g->longs);
}

static const struct command_option *option_of(const struct command *c, int code)
{
	return code >= LONG_BASE ? &c->options[code - LONG_BASE]
				 : by_letter(c, (char)code);
}

static int unknown_option(const struct command *c, const char *word,
			  struct error *err)
{
	size_t len = strcspn(word, "=");
	struct nearest nearest = nearest_to(word + 2, len - 2);
	size_t beginnings = 0;

	for (const struct command_option *o = c->options; o->kind != OPTION_END;
	     o++) {
		if (strncmp(o->name, word + 2, len - 2) == 0)
			beginnings++;
		nearest_offer(&nearest, o->name);
	}
	nearest_offer(&nearest, "help");
	if (beginnings > 1)
		return misuse(err, "option %.*s is ambiguous", (int)len, word);
	if (nearest.best)
		return misuse(err, "unknown option %.*s; did you mean --%s?",
			      (int)len, word, nearest.best);
	return misuse(err, "unknown option %.*s", (int)len, word);
}

/* Puts into words why getopt_long() stopped. */
static int explain(const struct command *c, int code, char *word,
		   struct error *err)
{
	const struct command_option *o;

	if (code == ':') {
		o = option_of(c, optopt);
		return misuse(err, "option --%s requires %s", o->name,
			      command_option_arg(o));
	}
	if (optopt >= LONG_BASE)
		return misuse(err, "option --%s takes no value",
			      option_of(c, optopt)->name);
	if (optopt)
		return misuse(err, "unknown option -%c", optopt);
	return unknown_option(c, word, err);
}

/* Sets all values; the other arguments are then last in a->to. */
static int set_values(const struct arguments *a, const struct grammar *g,
		      struct error *err)
{
	const struct command *c = a->command;
	int argc = (int)a->count;

	opterr = 0;
	optind = 0; /* glibc: starts anew */
	for (;;) {
		const struct command_option *o;
		int code = getopt_long(argc, a->to, g->letters.bytes, g->longs,
				       NULL);

		if (code == -1)
			return optind;
		if (code == '?' || code == ':')
			return explain(c, code, a->to[optind - 1], err);
		o = option_of(c, code);
		if (set_value(o, optarg, err))
			return fail_in(err, "option --%s", o->name);
	}
}

int command_parse(const struct command *c, int argc, char **argv, bool *help,
		  struct error *err)
{
	struct arguments a = { .command = c, .from = argv + 1 };
	struct grammar g;
	int first = -1;

	*help = false;
	push(&a, argv[0]);
	grammar_init(&g, c);
	if (normalise(&a, err))
		goto out;
	*help = a.help;
	first = a.help ? (int)a.count : set_values(&a, &g, err);
	if (first < 0)
		goto out;
	/* No more of them than came in: they fit at the end of argv. */
	memcpy(argv + argc - ((int)a.count - first), a.to + first,
	       (a.count - (size_t)first) * sizeof(*argv));
	first = argc - ((int)a.count - first);
out:
	grammar_release(&g);
	arena_release(&a.words);
	free(a.to);
	return first;
}
