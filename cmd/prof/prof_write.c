/* SPDX-License-Identifier: Apache-2.0 */
/* The output of prof: chooses its format and writes reports and drawings. */
#include "cmd/prof/prof_options.h"

#include "cmd/shared/command.h"
#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/base/nearest.h"
#include "core/base/pattern.h"
#include "core/base/text.h"
#include "core/profile/filter.h"
#include "render/profile/report.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct prof_report_format {
	const char *name;
	const char *extension;
	report_fn *put;
	event_table_fn *put_table;
	unsigned parts; /* default parts, for a report without --show */
	bool one_part;  /* supports a single part only */
	bool has_notes; /* contains the notes of the profile */
	bool fits;      /* for people: hide small calls of a long report */
};

/* The first is for names without an extension. */
static const struct prof_report_format formats[] = {
	{ "text", ".txt", report_text, event_table_text, REPORT_USUAL,
	  .has_notes = true, .fits = true },
	{ "csv", ".csv", report_csv, event_table_csv, 1U << REPORT_FRAMES,
	  .one_part = true },
	/* The extension .json means speedscope; --json asks for the report. */
	{ "json", NULL, report_json, event_table_json, REPORT_USUAL,
	  .has_notes = true },
};

#define FORMATS (sizeof(formats) / sizeof(*formats))

const char *prof_output_formats(void)
{
	static struct text choices;

	if (!choices.len) {
		for (size_t i = 0; i < FORMATS; i++)
			text_printf(&choices, "%s|", formats[i].name);
		text_puts(&choices, flame_output_formats());
	}
	return choices.bytes;
}

/* Returns the format of the report, or NULL for a drawing. */
static const struct prof_report_format *
prof_find_report(const struct prof_options *o)
{
	const char *name = o->json ? "json" : o->csv ? "csv" : o->output_format;
	const char *dot = o->output ? flame_output_extension(o->output) : "";

	for (size_t i = 0; i < FORMATS; i++) {
		const struct prof_report_format *f = &formats[i];

		if (name ? strcmp(f->name, name) == 0
			 : f->extension && strcmp(f->extension, dot) == 0)
			return f;
	}
	return name || *dot ? NULL : &formats[0];
}

/* Fails for an unknown part of a report, of len bytes. */
static int prof_fail_part(const char *part, size_t len, struct error *err)
{
	struct text choices = { 0 };

	for (size_t i = 0; i < REPORT_PARTS; i++)
		text_printf(&choices, "%s ", report_part_names[i]);
	nearest_fail_choice("part", part, len, choices.bytes, err);
	text_release(&choices);
	return fail_in(err, "option --show");
}

static int prof_choose_parts(struct prof_output *output, struct error *err)
{
	const char *list = output->options->show;

	output->parts = list ? 0 : output->report->parts;
	if (!list && output->categories.count)
		output->parts = output->report->one_part
					? 1U << REPORT_CATEGORIES
					: output->parts |
						  1U << REPORT_CATEGORIES;
	while (list && *list) {
		size_t len = strcspn(list, ",");
		size_t part = 0;

		while (part < REPORT_PARTS &&
		       (strlen(report_part_names[part]) != len ||
			strncmp(report_part_names[part], list, len) != 0))
			part++;
		if (part == REPORT_PARTS)
			return prof_fail_part(list, len, err);
		output->parts |= 1U << part;
		list += len + (list[len] == ',');
	}
	if (!output->parts)
		return misuse(err, "--show requires at least one part");
	if (output->parts & 1U << REPORT_CATEGORIES &&
	    !output->categories.count)
		return misuse(
			err,
			"--show categories requires categories: "
			"name them with --named-class or --categorizer-file");
	if (output->report->one_part && output->parts & (output->parts - 1))
		return misuse(err, "--show: CSV output has one table; choose "
				   "one part");
	return 0;
}

/* Returns the index of a name in a list; 0 if it is NULL. */
static unsigned prof_choice(const char *const *names, const char *name)
{
	unsigned i = 0;

	while (name && strcmp(names[i], name) != 0)
		i++;
	return i;
}

static enum frame_order prof_order(const struct prof_options *o)
{
	unsigned order = prof_choice(frame_order_names, o->sort);

	return (enum frame_order)(order % FRAME_ORDERS);
}

/* Rejects options of parts that the report does not have. */
static int prof_check_parts(const struct prof_output *output, struct error *err)
{
	const struct prof_options *o = output->options;
	unsigned frames = 1U << REPORT_FRAMES,
		 histogram = 1U << REPORT_HISTOGRAM;
	bool by_occurrences = prof_order(o) == FRAME_OCCURRENCES;

	if (!(output->parts & 1U << REPORT_CALLS) &&
	    (o->callers_of || o->drawing.style.reverse))
		return misuse(err, "%s requires --show calls",
			      o->callers_of ? "--callers-of" : "--reverse");
	if (by_occurrences && !(output->parts & histogram))
		return misuse(err, "--sort %s requires --show histogram",
			      o->sort);
	if (o->sort && !(output->parts & (frames | histogram)))
		return misuse(err, "--sort requires --show frames or "
				   "--show histogram");
	return 0;
}

/* Rejects options of reports for a drawing. */
static int prof_check_drawing(struct error *err)
{
	const char *given = command_given("show|by|sort|callers-of|"
					  "categorizer-file|named-class");

	return given ? misuse(err, "--%s requires a report", given) : 0;
}

static int prof_choose_categories(struct prof_output *output, struct error *err)
{
	const struct prof_options *o = output->options;
	unsigned flags = o->filter.sjk_compat ? 0 : TRACE_EXCLUSIVE;

	for (size_t i = 0; i < o->named.count; i++) {
		if (ssa_classes_add(&output->categories, o->named.values[i],
				    flags, err))
			return fail_in(err, "option --named-class");
	}
	if (o->category_file)
		return ssa_classes_load(&output->categories, o->category_file,
					flags, err);
	return 0;
}

static int prof_choose_report(struct prof_output *output, struct error *err)
{
	const struct prof_options *o = output->options;

	if (o->drawing.style.annotate)
		return misuse(
			err,
			"reports have no --annotate; use -o out.collapsed");
	if (o->callers_of) {
		output->callers_of = pattern_new(o->callers_of, err);
		if (!output->callers_of)
			return fail_in(err, "option --callers-of");
	}
	if (prof_choose_categories(output, err) ||
	    prof_choose_parts(output, err))
		return -1;
	return prof_check_parts(output, err);
}

int prof_output_choose(struct prof_output *output, const struct prof_options *o,
		       struct error *err)
{
	*output = (struct prof_output){ .options = o };
	output->report = prof_find_report(o);
	if (output->report)
		return prof_choose_report(output, err);
	output->drawing = flame_output_format(o->output_format, o->output,
					      &o->drawing, err);
	return output->drawing ? prof_check_drawing(err) : -1;
}

void prof_output_release(struct prof_output *output)
{
	pattern_free(output->callers_of);
	output->callers_of = NULL;
	ssa_classes_release(&output->categories);
	output->categories = (struct ssa_classes){ 0 };
}

bool prof_output_shows_notes(const struct prof_output *output)
{
	return output->report ? output->report->has_notes
			      : output->drawing->is_page;
}

/* True if the user's locale, not the program's, is one of UTF-8. */
static bool prof_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool is_utf8;

	if (!locale)
		return false;
	is_utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
	freelocale(locale);
	return is_utf8;
}

static struct report_options report_options(const struct prof_output *output,
					    const struct flame_output *d)
{
	const struct prof_options *o = output->options;
	struct style style = flame_output_style(&o->drawing,
						!o->drawing.samples);

	style.reverse |= o->callers_of != NULL;
	return (struct report_options){
		.source = d->name ? d->name : d->source,
		.alone = !output->every_event,
		.parts = output->parts,
		.frames = o->top,
		.threads = (o->top + 1) / 2,
		.min_percent = o->min_percent < 0 ? REPORT_MIN_PERCENT
						  : o->min_percent,
		.fit = output->report->fits && o->min_percent < 0 ? REPORT_FIT
								  : 0,
		.chain = o->chain,
		.style = style,
		.group = (enum frame_group)prof_choice(frame_group_names,
						       o->by),
		.order = prof_order(o),
		.callers_of = output->callers_of,
		.width = output_terminal_width(d->output),
		.ascii = !prof_is_utf8(),
		.keep_idle = o->live.idle,
		.for_people = output->report->fits,
	};
}

/*
 * Returns 1 + the index of the first category that matches, or 0, for each
 * cell. The caller frees the array; NULL without categories.
 */
static uint16_t *prof_categorize(const struct prof_output *output,
				 struct profile *p)
{
	const struct ssa_classes *c = &output->categories;
	uint16_t *of = c->count ? xcalloc(p->cell_count + 1, sizeof(*of))
				: NULL;

	for (size_t i = 0; of && i < p->cell_count; i++) {
		const struct cell *cell = &p->cells[i];

		for (size_t k = 0; !of[i] && k < c->count; k++) {
			uint32_t stack = profile_calls(p, cell->stack);

			if (trace_verdicts_pass(c->all[k].verdicts, p, &stack,
						cell->state))
				of[i] = (uint16_t)(k + 1);
		}
	}
	return of;
}

/* Appends the report of the chosen views. */
static void prof_make_report(const struct prof_output *output,
			     const struct flame_output *d, struct text *out)
{
	struct report_options options = report_options(output, d);
	size_t first = output->every_event ? 0 : d->selected;
	size_t count = output->every_event ? d->view_count : 1;
	struct report *reports = xcalloc(count, sizeof(*reports));
	const char **names = xcalloc(output->categories.count + 1,
				     sizeof(*names));
	uint16_t *category_of = prof_categorize(output, d->profile);

	for (size_t i = 0; i < output->categories.count; i++)
		names[i] = output->categories.all[i].name;
	options.categories = names;
	options.category_count = output->categories.count;
	options.category_of = category_of;
	for (size_t i = 0; i < count; i++)
		report_init(&reports[i], d->profile, &d->views[first + i],
			    &options);
	output->report->put(out, reports, count);
	for (size_t i = 0; i < count; i++)
		report_release(&reports[i]);
	free(reports);
	free(category_of);
	free(names);
}

static int prof_write_text(const struct flame_output *d,
			   const struct text *text, struct error *err)
{
	int ret = output_file(d->output, text->bytes, text->len, err);

	if (ret == 0 && strcmp(d->output, "-") != 0)
		log_info("wrote %s", d->output);
	if (ret == 0 && profile_is_partial(d->profile))
		ret = fail(err, ERROR_PARTIAL,
			   "the report covers only part of the input");
	return ret;
}

static int prof_write_report(const struct prof_output *output,
			     const struct flame_output *d, struct error *err)
{
	struct text text = { 0 };
	int ret = output_try(d->output, err);

	if (ret == 0) {
		prof_make_report(output, d, &text);
		ret = prof_write_text(d, &text, err);
	}
	text_release(&text);
	return ret;
}

int prof_write_table(const struct prof_output *output,
		     const struct flame_output *d,
		     const struct event_table *table, struct error *err)
{
	const struct event_table_options options = {
		.source = d->name ? d->name : d->source,
		.rows = output->options->top,
		.width = output_terminal_width(d->output),
	};
	struct text text = { 0 };
	int ret;

	if (!output->report)
		return fail(err, ERROR_MISUSE,
			    "%s events have no stack traces to draw: use text, "
			    "CSV or JSON",
			    table->name);
	output->report->put_table(&text, d->profile, table, &options);
	ret = prof_write_text(d, &text, err);
	text_release(&text);
	return ret;
}

int prof_write(const struct prof_output *output, struct flame_output *d,
	       struct error *err)
{
	if (output->report)
		return prof_write_report(output, d, err);
	flame_output_limit(d, output->drawing);
	return flame_output_write(d, output->drawing, err);
}
