/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/command.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/base/units.h"

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
	struct setting {
		const struct command_option *option;
		const char *value; /* NULL for a flag */
	} * settings;
	size_t setting_count, setting_cap;
	size_t given; /* number of values of rest_after so far */
	bool help;
};

const char *command_option_arg(const struct command_option *o)
{
	return o->choices ? o->choices() : o->arg;
}

/* Finds an option by an alias of len bytes. */
static const struct command_option *
option_by_alias(const struct command *c, const char *word, size_t len)
{
	const struct command_option *o = c->options;

	while (o->kind != OPTION_END &&
	       !word_list_has(o->aliases, ' ', word, len))
		o++;
	return o->kind == OPTION_END ? NULL : o;
}

static const struct command_option *option_by_letter(const struct command *c,
						     char letter)
{
	const struct command_option *o = c->options;

	while (o->kind != OPTION_END && o->letter != letter)
		o++;
	return o->kind == OPTION_END ? NULL : o;
}

/* Finds an option by its name or by an unambiguous abbreviation. */
static const struct command_option *option_by_name(const struct command *c,
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

static void parser_add(struct parser *p, const struct command_option *o,
		       const char *value)
{
	array_reserve(p->settings, p->setting_cap, p->setting_count + 1);
	p->settings[p->setting_count++] = (struct setting){ o, value };
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
	return !o->accepts || o->accepts(word);
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
	parser_add(p, o, attached);
	while (o->kind == OPTION_LIST && word_is_next_value(o, *p->next))
		parser_add(p, o, *p->next++);
	return 0;
}

/* Fails for an abbreviation of several options and lists them. */
static int option_fail_ambiguous(const struct command *c, const char *word,
				 size_t len, struct error *err)
{
	struct text names = { 0 };

	for (const struct command_option *o = c->options; o->kind != OPTION_END;
	     o++) {
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
	for (const struct command_option *o = c->options; o->kind != OPTION_END;
	     o++) {
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

	for (const struct command_option *o = c->options; o->kind != OPTION_END;
	     o++) {
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

	if (!o && len >= 3 && strncmp("--help", word, len) == 0) {
		p->help = true;
		return 0;
	}
	if (!o)
		return option_fail_unknown(p->command, word, len, err);
	if (o->kind != OPTION_FLAG)
		return parser_read_valued(p, o, value, err);
	if (value)
		return misuse(err, "option --%s takes no value", o->name);
	parser_add(p, o, NULL);
	return 0;
}

/* Parses letters after one dash; the last letter may have a value. */
static int parser_read_letters(struct parser *p, const char *word,
			       struct error *err)
{
	bool help = p->help;

	for (const char *at = word + 1; *at; at++) {
		const struct command_option *o = option_by_letter(p->command,
								  *at);

		if (o && o->kind != OPTION_FLAG &&
		    (at == word + 1 || p->help == help))
			return parser_read_valued(p, o, at[1] ? at + 1 : NULL,
						  err);
		if (o && o->kind == OPTION_FLAG) {
			parser_add(p, o, NULL);
		} else if (*at == 'h') {
			p->help = true;
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
	parser_add(p, o, implied);
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

	if (!word_list_has(choices, '|', value, strlen(value)))
		return nearest_fail_choice("value", value, strlen(value),
					   choices, err);
	*o->value.string = value;
	return 0;
}

void option_list_add(struct option_list *list, const char *value)
{
	array_reserve(list->values, list->cap, list->count + 1);
	list->values[list->count++] = value;
}

static int option_set(const struct command_option *o, const char *value,
		      struct error *err)
{
	switch (o->kind) {
	case OPTION_FLAG:
		*o->value.flag = true;
		return 0;
	case OPTION_STRING:
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
	case OPTION_END:
		break;
	}
	return 0;
}

/*
 * Rejects a second text, such as another MBean or file, which would replace the
 * first silently. Of numbers and choices, the last one counts.
 */
static int parser_check_repeated(const struct parser *p, size_t at,
				 struct error *err)
{
	const struct setting *s = &p->settings[at];

	if (s->option->kind != OPTION_STRING)
		return 0;
	for (size_t i = 0; i < at; i++) {
		if (p->settings[i].option == s->option &&
		    strcmp(p->settings[i].value, s->value) != 0)
			return misuse(err,
				      "option --%s has two values: '%s' and "
				      "'%s'; give one",
				      s->option->name, p->settings[i].value,
				      s->value);
	}
	return 0;
}

static int parser_set_values(const struct parser *p, struct error *err)
{
	for (size_t i = 0; i < p->setting_count; i++) {
		const struct setting *s = &p->settings[i];

		if (parser_check_repeated(p, i, err))
			return -1;
		if (option_set(s->option, s->value, err))
			return fail_in(err, "option --%s", s->option->name);
	}
	return 0;
}

int command_parse(const struct command *c, int argc, char **argv, bool *help,
		  struct error *err)
{
	struct parser p = { .command = c,
			    .next = argv + 1,
			    .others = argv + 1 };
	int ret = parser_read(&p, err);
	int first = argc - (int)p.other_count;

	*help = p.help;
	if (p.help)
		ret = 0;
	else if (ret == 0)
		ret = parser_set_values(&p, err);
	memmove(argv + first, p.others, p.other_count * sizeof(*argv));
	free(p.settings);
	return ret ? -1 : first;
}

bool command_takes_one(const char *word)
{
	(void)word;
	return false;
}

bool word_list_has(const char *words, char separator, const char *word,
		   size_t len)
{
	while (words && *words) {
		const char *end = strchrnul(words, separator);

		if ((size_t)(end - words) == len &&
		    memcmp(words, word, len) == 0)
			return true;
		words = *end ? end + 1 : end;
	}
	return false;
}
