/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc help, --help and --list-options: the option tables as text. */
#include "cmd/commands.h"

#include "core/base/ascii.h"
#include "core/base/text.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_WIDTH     12
#define LINE_WIDTH     68 /* of an option with its choices */
#define RELATION_WIDTH 44
#define OPTION_WIDTH   29 /* the help of a wider option is on the next line */

/* The commands of this group are listed in one line, without summaries. */
static const char brief_group[] = "SJK's files";

static bool help_is_first_of_group(const struct command *c)
{
	for (size_t i = 0; commands[i] && commands[i] != c; i++) {
		if (strcmp(commands[i]->group, c->group) == 0)
			return false;
	}
	return true;
}

/* Prints the commands of a group, the first of which is commands[first]. */
static void help_put_group(struct output *out, size_t first)
{
	const char *group = commands[first]->group;
	bool is_brief = strcmp(group, brief_group) == 0;

	output_printf(out, "\n%s\n", group);
	for (size_t i = first; commands[i]; i++) {
		const struct command *c = commands[i];

		if (strcmp(c->group, group) != 0)
			continue;
		if (is_brief)
			output_printf(out, "%s%s", i == first ? "   " : ", ",
				      c->name);
		else
			output_printf(out, "   %-*s%s\n", NAME_WIDTH, c->name,
				      c->summary);
	}
	if (is_brief)
		output_puts(out, "\n");
}

void help_overview(struct output *out, const struct command *unused)
{
	(void)unused;
	output_puts(out, "usage: sjkc <command> [<options>] [<args>]\n");
	for (size_t i = 0; commands[i]; i++) {
		if (help_is_first_of_group(commands[i]))
			help_put_group(out, i);
	}
	output_puts(out,
		    "\n'sjkc help <command>' lists the options of a command, "
		    "'sjkc help -m <command>'\nshows its manual page.\n");
}

/* Appends " (default: VALUE)" unless the default is empty or 0. */
static void help_add_default(struct text *t, const struct command_option *o)
{
	struct text value = { 0 };

	if ((o->kind == OPTION_STRING || o->kind == OPTION_CHOICE) &&
	    *o->value.string)
		text_puts(&value, strcmp(*o->value.string, "-") == 0
					  ? "standard output"
					  : *o->value.string);
	if (o->kind == OPTION_DURATION && *o->value.duration > 0)
		units_add_duration(&value, *o->value.duration);
	if (o->kind == OPTION_SIZE && *o->value.count)
		units_add_size(&value, *o->value.count);
	if (o->kind == OPTION_COUNT && *o->value.count &&
	    *o->value.count != COUNT_NOT_GIVEN)
		text_printf(&value, "%" PRIu64, *o->value.count);
	if (o->kind == OPTION_NUMBER && *o->value.number > 0)
		text_printf(&value, "%g", *o->value.number);
	if (value.len)
		text_printf(t, " (default: %s)", value.bytes);
	text_release(&value);
}

/* Prints an option and its choices, of which long lists take several lines. */
static void help_print_left(struct output *out, struct text *left)
{
	size_t from = 0;

	while (left->len - from > LINE_WIDTH) {
		size_t to = from + LINE_WIDTH;

		while (to > from && left->bytes[to - 1] != '|')
			to--;
		if (to == from)
			break;
		output_printf(out, "  %.*s\n      ", (int)(to - from),
			      left->bytes + from);
		from = to;
	}
	output_printf(out, "  %s\n", left->bytes + from);
}

/*
 * Prints "(LABEL --a, --b)" for names such as "a|b" and the joint ",", without
 * the option o itself, which may be among them; nothing for NULL.
 */
static void help_print_relation(struct output *out, const char *label,
				const char *joint, const char *names,
				const struct command_option *o)
{
	struct text line = { 0 };
	const char *before = "";
	size_t len;

	if (!names)
		return;
	text_printf(&line, "(%s", label);
	for (; *names; names += len + (names[len] == '|')) {
		len = strcspn(names, "|");
		if (word_list_has(o->name, '|', names, len))
			continue;
		text_puts(&line, before);
		if (line.len + len > RELATION_WIDTH) {
			output_printf(out, "  %*s%s\n", OPTION_WIDTH, "",
				      line.bytes);
			text_clear(&line);
		}
		text_printf(&line, " --%.*s", (int)len, names);
		before = joint;
	}
	output_printf(out, "  %*s%s)\n", OPTION_WIDTH, "", line.bytes);
	text_release(&line);
}

static void help_print_option(struct output *out,
			      const struct command_option *o)
{
	const char *arg = command_option_arg(o);
	struct text left = { 0 };
	struct text right = { 0 };

	if (o->letter)
		text_printf(&left, "-%c, --%s", o->letter, o->name);
	else
		text_printf(&left, "    --%s", o->name);
	if (arg)
		text_printf(&left, " %s", arg);
	text_puts(&right, o->help);
	help_add_default(&right, o);
	if (left.len < OPTION_WIDTH) {
		output_printf(out, "  %-*s%s\n", OPTION_WIDTH, left.bytes,
			      right.bytes);
	} else {
		help_print_left(out, &left);
		output_printf(out, "  %*s%s\n", OPTION_WIDTH, "", right.bytes);
	}
	text_release(&left);
	text_release(&right);
}

/* jstat uses -h for another option. */
static bool help_has_letter(const struct command *c, char letter)
{
	const struct command_option *o = NULL;

	while ((o = command_next_option(c, o)) && o->letter != letter)
		;
	return o;
}

/* Prints the options of c, and the headings of groups that are not empty. */
static void help_print_options(struct output *out, const struct command *c,
			       bool all)
{
	const struct command_option *heading = NULL;

	if (c->options->kind != OPTION_HEADING)
		output_puts(out, "\n");
	for (const struct command_option *o = NULL;
	     (o = command_next_row(c, o));) {
		if (o->kind == OPTION_HEADING)
			heading = o;
		if (o->kind == OPTION_HEADING || (o->rare && !all))
			continue;
		if (heading)
			output_printf(out, "\n%s:\n", heading->help);
		heading = NULL;
		help_print_option(out, o);
		if (all) {
			help_print_relation(out, "not with", ",", o->excludes,
					    o);
			help_print_relation(out, "requires", " or", o->requires,
					    o);
		}
	}
}

static bool help_has_rare(const struct command *c)
{
	const struct command_option *o = NULL;

	while ((o = command_next_option(c, o)) && !o->rare)
		;
	return o;
}

static void help_describe(struct output *out, const struct command *c, bool all)
{
	static bool help;
	struct command_option help_option = OPT_FLAG('h', "help", &help,
						     "print this help");

	output_printf(out, "usage: sjkc %s\n\n%s\n", c->synopsis, c->summary);
	help_print_options(out, c, all);
	help_option.letter = help_has_letter(c, 'h') ? 0 : 'h';
	help_print_option(out, &help_option);
	if (c->examples)
		output_printf(out, "\nexamples:\n%s", c->examples);
	output_printf(out, "\nmanual page: sjkc-%s(1)\n", c->name);
	if (!all && help_has_rare(c))
		output_printf(out, "further options: sjkc %s --help-all\n",
			      c->name);
}

void help_of(struct output *out, const struct command *c)
{
	help_describe(out, c, false);
}

void help_of_all(struct output *out, const struct command *c)
{
	help_describe(out, c, true);
}

void help_list(struct output *out, const struct command *unused)
{
	(void)unused;
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];

		output_printf(out, "%s\t\t\t%s\t%s\n", c->name, c->synopsis,
			      c->summary);
		for (const struct command_option *o = NULL;
		     (o = command_next_option(c, o));) {
			char letter[] = { '-', o->letter, '\0' };
			const char *arg = o->complete ? o->complete
						      : command_option_arg(o);

			output_printf(out, "%s\t%s\t--%s\t%s\t%s\n", c->name,
				      o->letter ? letter : "", o->name,
				      arg ? arg : "", o->help);
		}
		output_printf(out, "%s\t%s\t--help\t\tthis text\n", c->name,
			      help_has_letter(c, 'h') ? "" : "-h");
		output_printf(out, "%s\t\t--help-all\t\tall options\n",
			      c->name);
	}
}

int help_print(help_fn *write, const struct command *c, struct error *err)
{
	struct output out;
	int ret;

	if (output_open(&out, "-", err))
		return -1;
	write(&out, c);
	ret = output_commit(&out, err);
	output_close(&out);
	return ret;
}

static bool manual;

/* Becomes man(1); returns only if that fails. */
static int help_show_manual(const struct command *c, struct error *err)
{
	char page[64];

	snprintf(page, sizeof(page), c ? "sjkc-%s" : "sjkc", c ? c->name : "");
	execlp("man", "man", page, (char *)NULL);
	return fail_sys(err, ERROR_UNAVAILABLE, "cannot run man to show %s",
			page);
}

static int help_run(int argc, char **argv, struct error *err)
{
	const struct command *c = argc ? command_find(argv[0]) : NULL;

	if (argc > 1)
		return misuse(err, "help takes one command");
	if (argc && !c)
		return command_unknown(argv[0], err);
	if (manual)
		return help_show_manual(c, err);
	return help_print(c ? help_of : help_overview, c, err);
}

static const struct command_option options[] = {
	OPT_FLAG('m', "man", &manual,
		 "show the manual page instead of the options"),
	OPT_END,
};

const struct command help_command = {
	.name = "help",
	.synopsis = "help [-m] [<command>]",
	.summary = "list the commands, or explain one command",
	.group = "about sjkc itself",
	.options = options,
	.run = help_run,
};
