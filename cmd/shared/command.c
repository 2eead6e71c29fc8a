/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/command.h"

#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The parser makes one pass over the arguments. It stores each option with its
 * value and moves the other arguments to the front of argv. It sets the values
 * afterwards: --help prints the defaults, also after an error.
 */
struct parser {
	const struct command *command;
	char **next; /* the rest of argv, ends with NULL; borrowed */
	char **others;
	size_t other_count;
	size_t given; /* number of values of rest_after so far */
	enum command_help help;
};

/* The options of the last command line, in its order. */
static struct setting {
	const struct command_option *option;
	const char *value; /* NULL for a flag */
} * settings;
static size_t setting_count, setting_cap;

static bool quiet, verbose;

/* clang-format off */
static const struct command_option message_options[] = {
	OPT_FLAG('q', "quiet", &quiet,
		 "print only errors and what was lost"),
	OPT_FLAG('v', "verbose", &verbose, "print verbose output"),
	OPT_END,
};
/* clang-format on */

const struct command_option *command_next_row(const struct command *c,
					      const struct command_option *o)
{
	o = o ? o + 1 : c->options;
	if (o->kind != OPTION_END)
		return o;
	/* The end of one of the two tables. */
	return c->has_messages && o != &message_options[2] ? message_options
							   : NULL;
}

const struct command_option *command_next_option(const struct command *c,
						 const struct command_option *o)
{
	while ((o = command_next_row(c, o)) && o->kind == OPTION_HEADING)
		;
	return o;
}

const char *command_option_arg(const struct command_option *o)
{
	return o->choices ? o->choices() : o->arg;
}

/* Finds an option by an alias of len bytes. */
static const struct command_option *
option_by_alias(const struct command *c, const char *word, size_t len)
{
	const struct command_option *o = NULL;

	while ((o = command_next_option(c, o)) &&
	       !word_list_has(o->aliases, ' ', word, len))
		;
	return o;
}

static const struct command_option *option_by_letter(const struct command *c,
						     char letter)
{
	const struct command_option *o = NULL;

	while ((o = command_next_option(c, o)) && o->letter != letter)
		;
	return o;
}

/* Finds an option by its name or by an unambiguous abbreviation. */
static const struct command_option *option_by_name(const struct command *c,
						   const char *name, size_t len)
{
	const struct command_option *found = NULL;
	size_t matches = 0;

	for (const struct command_option *o = NULL;
	     (o = command_next_option(c, o));) {
		if (strncmp(o->name, name, len) != 0)
			continue;
		if (o->name[len] == '\0')
			return o;
		found = o;
		matches++;
	}
	return matches == 1 ? found : NULL;
}

/* Finds the option, and its value, of another tool's flag. */
static const struct command_option *option_by_shorthand(const struct command *c,
							const char *word,
							size_t len,
							const char **value)
{
	for (const struct shorthand *s = c->shorthands; s && s->spelling; s++) {
		if (strlen(s->spelling) == len &&
		    memcmp(s->spelling, word, len) == 0) {
			*value = s->value;
			return option_by_name(c, s->option, strlen(s->option));
		}
	}
	return NULL;
}

static void setting_add(const struct command_option *o, const char *value)
{
	array_add(settings, setting_count, setting_cap,
		  (struct setting){ o, value });
}

static bool word_is_argument(const char *word)
{
	return word && (word[0] != '-' || word[1] == '\0');
}

/* True for a further value of a list; "-4" is a number, not an option. */
static bool word_is_next_value(const struct command_option *o, const char *word)
{
	if (!word_is_argument(word) &&
	    !(word &&
	      (is_digit(word[1]) || (word[1] == '.' && is_digit(word[2])))))
		return false;
	return !o->single && (!o->accepts || o->accepts(word));
}

/* True once the remaining arguments belong to another program. */
static bool parser_at_rest(const struct parser *p)
{
	const char *at = p->command->rest_after;
	size_t wanted = 1;

	if (!at)
		return false;
	while ((at = strchr(at, ' '))) {
		wanted++;
		at++;
	}
	return p->given >= wanted;
}

/* True when rest_after names the option: "pid|address command". */
static bool option_counts_for_rest(const struct command *c, const char *name)
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
 * Reads an option that requires a value: the attached one, or the next
 * argument whatever it looks like; a list takes the values that follow, too.
 */
static int parser_read_valued(struct parser *p, const struct command_option *o,
			      const char *attached, struct error *err)
{
	p->given += option_counts_for_rest(p->command, o->name);
	if (!attached)
		attached = *p->next ? *p->next++ : NULL;
	if (!attached)
		return misuse(err, "option --%s requires %s", o->name,
			      command_option_arg(o));
	setting_add(o, attached);
	while (o->kind == OPTION_LIST && word_is_next_value(o, *p->next))
		setting_add(o, *p->next++);
	return 0;
}

/* Fails for an abbreviation of several options and lists them. */
static int option_fail_ambiguous(const struct command *c, const char *word,
				 size_t len, struct error *err)
{
	struct text names = { 0 };

	for (const struct command_option *o = NULL;
	     (o = command_next_option(c, o));) {
		if (strncmp(o->name, word + 2, len - 2) == 0)
			text_printf(&names, "%s--%s", names.len ? ", " : "",
				    o->name);
	}
	misuse(err, "option %.*s is ambiguous: %s", (int)len, word,
	       names.bytes);
	text_release(&names);
	return -1;
}

static size_t word_dashes(const char *word) { return word[1] == '-' ? 2 : 1; }

/* Adds a space and a spelling, of len bytes, longer than a letter. */
static void spellings_add(struct text *out, const char *spelling, size_t len)
{
	if (len > 2) {
		text_putc(out, ' ');
		text_add(out, spelling, len);
	}
}

/* Adds all spellings of all options, with their dashes. */
static void spellings_list(struct text *out, const struct command *c)
{
	text_puts(out, " --help");
	for (const struct command_option *o = NULL;
	     (o = command_next_option(c, o));) {
		const char *alias = o->aliases ? o->aliases : "";

		text_printf(out, " --%s", o->name);
		while (*alias) {
			size_t len = strcspn(alias, " ");

			spellings_add(out, alias, len);
			alias += len + (alias[len] == ' ');
		}
	}
	for (const struct shorthand *s = c->shorthands; s && s->spelling; s++)
		spellings_add(out, s->spelling, strlen(s->spelling));
}

/* Fails for a word of len bytes; suggests the nearest spelling. */
static int option_fail_misspelled(const struct command *c, const char *word,
				  size_t len, struct error *err)
{
	size_t dashes = word_dashes(word);
	struct nearest nearest = nearest_to(word + dashes, len - dashes);
	struct text spellings = { 0 };
	char *rest, *spelling;
	const char *best;

	spellings_list(&spellings, c);
	rest = spellings.bytes;
	while ((spelling = strsep(&rest, " "))) {
		if (*spelling)
			nearest_offer(&nearest,
				      spelling + word_dashes(spelling));
	}
	best = nearest.best;
	while (best && best[-1] == '-')
		best--;
	if (best)
		misuse(err, "unknown option %.*s; did you mean %s?", (int)len,
		       word, best);
	else
		misuse(err, "unknown option %.*s", (int)len, word);
	text_release(&spellings);
	return -1;
}

/* Fails for a word of len bytes, with one dash or two, that is no option. */
static int option_fail_unknown(const struct command *c, const char *word,
			       size_t len, struct error *err)
{
	size_t matches = 0;

	for (const struct command_option *o = NULL;
	     (o = command_next_option(c, o));) {
		if (word[1] == '-' && strncmp(o->name, word + 2, len - 2) == 0)
			matches++;
	}
	return matches > 1 ? option_fail_ambiguous(c, word, len, err)
			   : option_fail_misspelled(c, word, len, err);
}

/* Parses "--name", "--name=value" or an abbreviation. */
static int parser_read_long(struct parser *p, const char *word, size_t len,
			    struct error *err)
{
	const struct command_option *o = option_by_name(p->command, word + 2,
							len - 2);
	const char *value = word[len] ? word + len + 1 : NULL;

	if (!o && len >= 3 && strncmp("--help-all", word, len) == 0) {
		p->help = len > strlen("--help") ? COMMAND_HELP_ALL
						 : COMMAND_HELP;
		return 0;
	}
	if (!o)
		return option_fail_unknown(p->command, word, len, err);
	if (o->kind != OPTION_FLAG)
		return parser_read_valued(p, o, value, err);
	if (value)
		return misuse(err, "option --%s takes no value", o->name);
	setting_add(o, NULL);
	return 0;
}

/* Parses letters after one dash; the last letter may have a value. */
static int parser_read_letters(struct parser *p, const char *word,
			       struct error *err)
{
	enum command_help help = p->help;

	for (const char *at = word + 1; *at; at++) {
		const struct command_option *o = option_by_letter(p->command,
								  *at);

		if (o && o->kind != OPTION_FLAG &&
		    (at == word + 1 || p->help == help))
			return parser_read_valued(p, o, at[1] ? at + 1 : NULL,
						  err);
		if (o && o->kind == OPTION_FLAG) {
			setting_add(o, NULL);
		} else if (*at == 'h') {
			p->help = COMMAND_HELP;
		} else if (word[1] == 'h') {
			/* Report "-hist" as a word, not as letters after -h. */
			p->help = help;
			return option_fail_unknown(p->command, word,
						   strlen(word), err);
		} else {
			return misuse(err, "unknown option -%c", *at);
		}
	}
	return 0;
}

/*
 * Parses another tool's spelling of len bytes: an alias, a shorthand or a
 * refused option. Returns 1 when it was one of them, 0 when not, or -1 and
 * *err.
 */
static int parser_read_foreign(struct parser *p, const char *word, size_t len,
			       struct error *err)
{
	const struct command *c = p->command;
	const struct command_option *o = option_by_alias(c, word, len);
	const char *implied = NULL;

	if (o && o->kind != OPTION_FLAG)
		return parser_read_valued(
			       p, o, word[len] ? word + len + 1 : NULL, err)
			       ? -1
			       : 1;
	for (const struct refusal *r = c->refusals; !o && r && r->spellings;
	     r++) {
		if (word_list_has(r->spellings, ' ', word, len))
			return misuse(err, "option %.*s is not supported: %s",
				      (int)len, word, r->instead);
	}
	if (!o)
		o = option_by_shorthand(c, word, len, &implied);
	if (!o)
		return 0;
	if (word[len])
		return misuse(err, "option %.*s takes no value", (int)len,
			      word);
	setting_add(o, implied);
	return 1;
}

static int parser_read_option(struct parser *p, const char *word,
			      struct error *err)
{
	size_t len = strcspn(word, "=");
	int foreign = parser_read_foreign(p, word, len, err);

	if (foreign)
		return foreign > 0 ? 0 : -1;
	if (word[1] == '-')
		return parser_read_long(p, word, len, err);
	if (len > 2 && word[1] != 'h' && !option_by_letter(p->command, word[1]))
		return option_fail_unknown(p->command, word, len, err);
	return parser_read_letters(p, word, err);
}

/* Moves the remaining arguments to the others, unread. */
static void parser_take_rest(struct parser *p)
{
	while (*p->next)
		p->others[p->other_count++] = *p->next++;
}

/* Reads all arguments, even after an error: --help may follow. */
static int parser_read(struct parser *p, struct error *err)
{
	struct error later;
	int ret = 0;

	while (*p->next) {
		char *word;

		if (parser_at_rest(p)) {
			parser_take_rest(p);
			break;
		}
		word = *p->next++;
		if (strcmp(word, "--") == 0) {
			if (p->command->before_dashes)
				*p->command->before_dashes = p->other_count;
			parser_take_rest(p);
		} else if (word_is_argument(word)) {
			p->given++;
			p->others[p->other_count++] = word;
		} else if (parser_read_option(p, word, ret ? &later : err)) {
			ret = -1;
		}
	}
	return ret;
}

static int option_set_choice(const struct command_option *o, const char *value,
			     struct error *err)
{
	const char *choices = command_option_arg(o);

	if (!word_list_has(choices, '|', value, strlen(value)) &&
	    !(o->also && word_list_has(o->also, '|', value, strlen(value))))
		return nearest_fail_choice("value", value, strlen(value),
					   choices, err);
	*o->value.string = value;
	return 0;
}

void option_list_add(struct option_list *list, const char *value)
{
	array_add(list->values, list->count, list->cap, value);
}

static int option_set(const struct command_option *o, const char *value,
		      struct error *err)
{
	switch (o->kind) {
	case OPTION_FLAG:
		*o->value.flag = true;
		return 0;
	case OPTION_STRING:
		if (!*value && o->arg && strcmp(o->arg, "<file>") == 0)
			return misuse(err, "the file name is empty");
		*o->value.string = value;
		return 0;
	case OPTION_CHOICE:
		return option_set_choice(o, value, err);
	case OPTION_LIST:
		option_list_add(o->value.list, value);
		if (o->sequence)
			option_list_add(o->sequence, o->name);
		return 0;
	case OPTION_DURATION:
		return units_duration(value, o->value.duration, err);
	case OPTION_SIZE:
		return units_size(value, o->value.count, err);
	case OPTION_COUNT:
		return units_count(value, o->value.count, err);
	case OPTION_NUMBER:
		return units_number(value, o->value.number, err);
	case OPTION_HEADING:
	case OPTION_END:
		break;
	}
	return 0;
}

static int option_check_range(const struct command_option *o, struct error *err)
{
	double value = o->kind == OPTION_DURATION ? (double)*o->value.duration
		       : o->kind == OPTION_NUMBER ? *o->value.number
		       : o->positive || o->most   ? (double)*o->value.count
						  : 1;

	if (o->most && (value > (double)o->most || (o->positive && value <= 0)))
		return misuse(err, "--%s must be %s %" PRIu64, o->name,
			      o->positive ? "1 to" : "at most", o->most);
	if (o->positive && value <= 0)
		return misuse(err, "--%s must be greater than 0", o->name);
	return 0;
}

/*
 * Rejects a second text, such as another MBean or file, which would replace the
 * first silently. Of numbers and choices, the last one counts.
 */
static int setting_check_repeated(size_t at, struct error *err)
{
	const struct setting *s = &settings[at];

	if (s->option->kind != OPTION_STRING)
		return 0;
	for (size_t i = 0; i < at; i++) {
		if (settings[i].option == s->option &&
		    strcmp(settings[i].value, s->value) != 0)
			return misuse(err,
				      "option --%s has two values: '%s' and "
				      "'%s'; give one",
				      s->option->name, settings[i].value,
				      s->value);
	}
	return 0;
}

static int settings_apply(struct error *err)
{
	for (size_t i = 0; i < setting_count; i++) {
		const struct setting *s = &settings[i];

		if (setting_check_repeated(i, err))
			return -1;
		if (option_set(s->option, s->value, err))
			return fail_in(err, "option --%s", s->option->name);
		if (option_check_range(s->option, err))
			return -1;
	}
	return 0;
}

/* Like command_given(), without the option `except`. */
static const char *setting_find(const char *names,
				const struct command_option *except)
{
	for (size_t i = 0; names && i < setting_count; i++) {
		const struct command_option *o = settings[i].option;

		if (o != except &&
		    word_list_has(names, '|', o->name, strlen(o->name)))
			return o->name;
	}
	return NULL;
}

const char *command_given(const char *names)
{
	return setting_find(names, NULL);
}

/* Fails because none of o->requires is given: "--a requires --b or --c". */
static int option_fail_requires(const struct command_option *o,
				struct error *err)
{
	struct text names = { 0 };

	for (const char *at = o->requires; *at; at += *at == '|') {
		size_t len = strcspn(at, "|");

		text_printf(&names, "%s--%.*s",
			    !names.len ? ""
			    : at[len]  ? ", "
				       : " or ",
			    (int)len, at);
		at += len;
	}
	misuse(err, "--%s requires %s", o->name, names.bytes);
	text_release(&names);
	return -1;
}

static int settings_check_relations(struct error *err)
{
	for (size_t i = 0; i < setting_count; i++) {
		const struct command_option *o = settings[i].option;
		const char *other = setting_find(o->excludes, o);

		if (other)
			return misuse(err,
				      "options --%s and --%s cannot be used "
				      "together",
				      o->name, other);
		if (o->requires && !setting_find(o->requires, o))
			return option_fail_requires(o, err);
	}
	return 0;
}

int command_parse(const struct command *c, int argc, char **argv,
		  enum command_help *help, struct error *err)
{
	struct parser p = { .command = c,
			    .next = argv + 1,
			    .others = argv + 1 };
	int ret, first;

	setting_count = 0;
	ret = parser_read(&p, err);
	first = argc - (int)p.other_count;
	*help = p.help;
	if (p.help)
		ret = 0;
	else if (ret == 0 && settings_apply(err) == 0)
		ret = settings_check_relations(err);
	else
		ret = -1;
	log_set_level(verbose ? LOG_VERBOSE : quiet ? LOG_QUIET : LOG_NORMAL);
	memmove(argv + first, p.others, p.other_count * sizeof(*argv));
	return ret ? -1 : first;
}

static void option_list_release(struct option_list *list)
{
	free(list->values);
	*list = (struct option_list){ 0 };
}

void command_release(const struct command *c)
{
	for (const struct command_option *o = NULL;
	     (o = command_next_option(c, o));) {
		if (o->kind == OPTION_LIST)
			option_list_release(o->value.list);
		if (o->sequence)
			option_list_release(o->sequence);
	}
	free(settings);
	settings = NULL;
	setting_count = setting_cap = 0;
}
