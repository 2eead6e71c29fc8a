/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc diff: compares two recordings. */
#include "cmd/commands.h"
#include "cmd/shared/flame_output.h"
#include "cmd/shared/gates.h"
#include "cmd/shared/log.h"
#include "cmd/shared/recording.h"
#include "cmd/shared/report_format.h"
#include "cmd/shared/sample_filter.h"
#include "core/base/alloc.h"
#include "core/base/output.h"
#include "core/profile/bias.h"
#include "render/page/flame.h"
#include "render/profile/diff.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIFF_TOP   10
#define PAGE_PAIRS 50 /* maximum number of tabs of a page */

static struct {
	struct option_list events;
	const char *format, *from, *to;
	const char *time_range, *time_zone;
	struct sample_filter_options filter;
	struct style style;
	const char *normalize, *output;
	bool samples, csv, json, page;
	uint64_t top;
	double min_width;
	double fail_above; /* percent; negative: no gates */
	const char *junit;
} opt = {
	.format = "auto",
	.output = "-",
	.top = DIFF_TOP,
	.min_width = -1,
	.fail_above = -1,
};

/* One for each event that is compared. */
static struct gates gates;

static int diff_parse_base(struct diff_options *o, struct error *err)
{
	static const char event[] = "event:";
	const char *word = opt.normalize;

	if (!word)
		return 0;
	if (strncmp(word, event, strlen(event)) == 0 && word[strlen(event)]) {
		o->base = DIFF_BY_EVENT;
		o->event = word + strlen(event);
		return 0;
	}
	for (enum diff_base b = DIFF_BY_TIME; b <= DIFF_BY_NONE; b++) {
		if (b != DIFF_BY_EVENT &&
		    strcmp(word, diff_base_names[b]) == 0) {
			o->base = b;
			return 0;
		}
	}
	return misuse(err,
		      "option --normalize: unknown base '%s'; valid: time, "
		      "total, none, event:NAME",
		      word);
}

/* Reads and filters one side, and takes its samples out of the profile. */
static int diff_read_side(struct diff_pair *pair, size_t side, const char *path,
			  struct error *err)
{
	struct sample_filter *filter = sample_filter_new(&opt.filter, err);
	struct diff_source *s = &pair->sources[side];
	struct event_view *views;
	struct profile *p = NULL;
	size_t count;

	if (!filter)
		return -1;
	p = recording_read(
		&(struct recording_options){
			.paths = &path,
			.path_count = 1,
			.format = opt.format,
			.from = opt.from,
			.to = opt.to,
			.time_range = opt.time_range,
			.time_zone = opt.time_zone,
			.keep_lines = opt.style.lines ||
				      sample_filter_wants_lines(filter),
			.into = pair->profile,
		},
		err);
	if (p) {
		count = event_views(p, &views);
		s->rates = xcalloc(count, sizeof(*s->rates));
		for (size_t i = 0; i < count; i++)
			rate_add(&s->rates[i], p, &views[i]);
		sample_filter_apply(filter, p);
		recording_log_notes(p, s->name, views, count, false);
		side_take(&s->side, p, views, count);
		s->side.has_gaps = opt.time_range != NULL;
	}
	sample_filter_free(filter);
	return p ? 0 : -1;
}

/* The views to compare, pair by pair. */
struct diff_choice {
	const struct event_view *(*views)[2];
	size_t count;
	size_t selected; /* the first to show */
};

static void choice_add(struct diff_choice *c, const struct event_view *before,
		       const struct event_view *after)
{
	c->views[c->count][0] = before;
	c->views[c->count++][1] = after;
}

static bool choice_has(const struct diff_choice *c,
		       const struct event_view *const views[2])
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->views[i][0] == views[0] && c->views[i][1] == views[1])
			return true;
	}
	return false;
}

/*
 * Returns the only view of a side, to be compared with another event, or NULL:
 * formats such as collapsed stack traces do not name events.
 */
static const struct event_view *diff_find_only(const struct diff_pair *pair,
					       size_t side)
{
	const struct side *s = &pair->sources[side].side;

	return s->view_count == 1 &&
			       !diff_find_view(pair, !side, s->views->name)
		       ? s->views
		       : NULL;
}

static void diff_log_different(const struct diff_pair *pair,
			       const struct event_view *before,
			       const struct event_view *after)
{
	log_info("comparing different events: %s of %s with %s of %s",
		 before->name, pair->sources[0].name, after->name,
		 pair->sources[1].name);
}

/* Finds the views of a name: at least one side has that name. */
static int diff_find_named(const struct event_view *views[2],
			   const struct diff_pair *pair, const char *name,
			   struct error *err)
{
	struct error errors[2];

	for (size_t i = 0; i < 2; i++)
		views[i] = diff_choose_view(pair, i, name, &errors[i]);
	for (size_t i = 0; i < 2; i++) {
		if (views[i])
			continue;
		if (views[!i])
			views[i] = diff_find_only(pair, i);
		if (!views[i]) {
			*err = errors[i];
			return -1;
		}
		diff_log_different(pair, views[0], views[1]);
	}
	return 0;
}

/* Adds the named events, each once. */
static int choice_add_named(struct diff_choice *c, const struct diff_pair *pair,
			    const char *events, struct error *err)
{
	char *names = xstrdup(events), *rest = names, *name;
	int ret = 0;

	while (ret == 0 && (name = strsep(&rest, ","))) {
		const struct event_view *views[2];

		ret = diff_find_named(views, pair, name, err);
		if (ret == 0 && !choice_has(c, views))
			choice_add(c, views[0], views[1]);
	}
	free(names);
	return ret;
}

static uint64_t choice_samples(const struct diff_choice *c, size_t i)
{
	return c->views[i][0]->samples + c->views[i][1]->samples;
}

/* Removes the pairs without samples on both sides, unless that removes all. */
static void choice_drop_empty(struct diff_choice *c)
{
	struct text names = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (!choice_samples(c, i)) {
			text_printf(&names, "%s%s", names.len ? ", " : "",
				    c->views[i][0]->name);
			continue;
		}
		c->views[kept][0] = c->views[i][0];
		c->views[kept++][1] = c->views[i][1];
	}
	if (kept) {
		c->count = kept;
		if (names.len)
			log_info("the filter leaves no samples of %s",
				 names.bytes);
	}
	text_release(&names);
}

/* Selects cpu, which is the first, or the event with the most samples. */
static void choice_select(struct diff_choice *c)
{
	for (size_t i = 1; i < c->count; i++) {
		if (strcmp(c->views[c->selected][0]->name, "cpu") != 0 &&
		    choice_samples(c, i) > choice_samples(c, c->selected))
			c->selected = i;
	}
}

static void diff_add_views(struct text *out, const struct diff_pair *pair,
			   size_t side)
{
	const struct side *s = &pair->sources[side].side;

	text_printf(out, "%s has ", pair->sources[side].name);
	for (size_t i = 0; i < s->view_count; i++)
		text_printf(out, "%s%s", i ? ", " : "", s->views[i].name);
}

/* Fails when no event is on both sides. */
static int diff_fail_common(const struct diff_pair *pair, struct error *err)
{
	bool has_only = diff_find_only(pair, 0) || diff_find_only(pair, 1);
	struct text names = { 0 };

	diff_add_views(&names, pair, 0);
	text_puts(&names, "; ");
	diff_add_views(&names, pair, 1);
	fail(err, ERROR_INPUT, "the recordings have no event in common%s: %s",
	     has_only ? "; choose one with -e" : "", names.bytes);
	text_release(&names);
	return -1;
}

/* Adds the events of both sides. */
static int choice_add_common(struct diff_choice *c,
			     const struct diff_pair *pair, struct error *err)
{
	const struct side *before = &pair->sources[0].side;
	const struct side *after = &pair->sources[1].side;

	for (size_t i = 0; i < before->view_count; i++) {
		const struct event_view *v = &before->views[i];
		const struct event_view *other = diff_find_view(pair, 1,
								v->name);

		if (other)
			choice_add(c, v, other);
	}
	if (!c->count && before->view_count == 1 && after->view_count == 1) {
		diff_log_different(pair, before->views, after->views);
		choice_add(c, before->views, after->views);
	}
	if (!c->count)
		return diff_fail_common(pair, err);
	choice_drop_empty(c);
	choice_select(c);
	return 0;
}

/* Reports the events of one side only. */
static void diff_log_lonely(const struct diff_pair *pair, size_t side)
{
	const struct side *s = &pair->sources[side].side;
	struct text names = { 0 };

	for (size_t i = 0; i < s->view_count; i++) {
		if (!diff_find_view(pair, !side, s->views[i].name))
			text_printf(&names, "%s%s", names.len ? ", " : "",
				    s->views[i].name);
	}
	if (names.len)
		log_info("only %s has %s", pair->sources[side].name,
			 names.bytes);
	text_release(&names);
}

/* Names the events that the report does not compare. */
static void choice_log_others(const struct diff_choice *c)
{
	struct text names = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		if (i != c->selected)
			text_printf(&names, "%s%s", names.len ? ", " : "",
				    c->views[i][0]->name);
	}
	if (names.len)
		log_info("comparing %s; use -e for %s",
			 c->views[c->selected][0]->name, names.bytes);
	text_release(&names);
}

/* Keeps the selected pair and those with the most stack traces. */
static void choice_limit(struct diff_choice *c)
{
	struct event_view *sums = xcalloc(c->count, sizeof(*sums));
	size_t kept;

	for (size_t i = 0; i < c->count; i++) {
		sums[i].events[0] = (uint32_t)i;
		for (size_t k = 0; k < 2; k++) {
			sums[i].samples += c->views[i][k]->samples;
			sums[i].without_stack += c->views[i][k]->without_stack;
		}
	}
	kept = event_views_limit(sums, c->count, PAGE_PAIRS, &c->selected);
	for (size_t i = 0; i < kept; i++) {
		c->views[i][0] = c->views[sums[i].events[0]][0];
		c->views[i][1] = c->views[sums[i].events[0]][1];
	}
	if (kept < c->count)
		log_info("the HTML flame graph omits %zu of the %zu kinds of "
			 "events; use "
			 "--event for them",
			 c->count - kept, c->count);
	c->count = kept;
	free(sums);
}

/* Chooses the views: for a report one, unless the user named several. */
static int diff_choose(struct diff_choice *c, const struct diff_pair *pair,
		       bool all, struct error *err)
{
	const char *events = flame_output_events(&opt.events);
	size_t room = pair->sources[0].side.view_count + 1;

	if (events)
		room += strlen(events);
	c->views = xcalloc(room, sizeof(*c->views));
	if (events)
		return choice_add_named(c, pair, events, err);
	if (choice_add_common(c, pair, err))
		return -1;
	if (strcmp(c->views[0][0]->name, c->views[0][1]->name) == 0) {
		diff_log_lonely(pair, 0);
		diff_log_lonely(pair, 1);
	}
	if (all) {
		choice_limit(c);
		return 0;
	}
	choice_log_others(c);
	c->views[0][0] = c->views[c->selected][0];
	c->views[0][1] = c->views[c->selected][1];
	c->count = 1;
	c->selected = 0;
	return 0;
}

/* Fails when the filter leaves no samples on either side. */
static int choice_check_samples(const struct diff_choice *c, struct error *err)
{
	for (size_t i = 0; i < c->count; i++) {
		if (!choice_samples(c, i))
			return fail(err, ERROR_FAILED,
				    "the filter leaves no %s samples on either "
				    "side",
				    c->views[i][0]->name);
	}
	return 0;
}

/* The differences of all pairs. */
static int diff_init_all(struct diff *diffs, const struct diff_choice *c,
			 const struct diff_pair *pair,
			 const struct diff_options *options, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < c->count; i++)
		ret = diff_init(&diffs[i], pair, c->views[i][0], c->views[i][1],
				options, err);
	return ret;
}

static int diff_write_report(const struct diff *diffs, size_t count,
			     struct error *err)
{
	struct text text = { 0 };
	int ret;

	(opt.json  ? diff_json
	 : opt.csv ? diff_csv
		   : diff_text)(&text, diffs, count);
	ret = output_file(opt.output, text.bytes, text.len, err);
	text_release(&text);
	return ret;
}

/* The page's data about each pair. */
struct diff_page {
	struct event_view *views; /* two of each pair */
	const char **bases;
	double *weight_scales, *sample_scales;
	struct text *selfs, *totals;
};

static void diff_page_fill(struct diff_page *page, const struct diff *diffs,
			   size_t count)
{
	*page = (struct diff_page){
		.views = xcalloc(2 * count, sizeof(*page->views)),
		.bases = xcalloc(count, sizeof(*page->bases)),
		.weight_scales = xcalloc(count, sizeof(double)),
		.sample_scales = xcalloc(count, sizeof(double)),
		.selfs = xcalloc(count, sizeof(*page->selfs)),
		.totals = xcalloc(count, sizeof(*page->totals)),
	};
	for (size_t i = 0; i < count; i++) {
		page->views[2 * i] = *diffs[i].views[0];
		page->views[2 * i + 1] = *diffs[i].views[1];
		page->bases[i] = diff_base_names[diffs[i].base];
		page->weight_scales[i] = diff_scale(&diffs[i], false);
		page->sample_scales[i] = diff_scale(&diffs[i], true);
		diff_add_significant(&page->selfs[i], &diffs[i], DIFF_SELF);
		diff_add_significant(&page->totals[i], &diffs[i], DIFF_TOTAL);
	}
}

static void diff_page_release(struct diff_page *page, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		text_release(&page->selfs[i]);
		text_release(&page->totals[i]);
	}
	free(page->selfs);
	free(page->totals);
	free(page->bases);
	free(page->weight_scales);
	free(page->sample_scales);
	free(page->views);
}

static int diff_write_page(const struct diff_pair *pair,
			   const struct diff *diffs, size_t count,
			   size_t selected, struct error *err)
{
	struct diff_page page;
	struct text title = { 0 };
	const struct flame_comparison comparison = {
		.names = { pair->sources[0].name, pair->sources[1].name },
	};
	struct flame_options options = {
		.style = diffs->options->style,
		.min_width = opt.min_width,
	};
	struct flame_comparison filled = comparison;
	struct flame_result result;
	struct output out;
	int ret;

	diff_page_fill(&page, diffs, count);
	filled.bases = page.bases;
	filled.weight_scales = page.weight_scales;
	filled.sample_scales = page.sample_scales;
	filled.changed_selfs = page.selfs;
	filled.changed_totals = page.totals;
	options.comparison = &filled;
	text_printf(&title, "%s → %s", comparison.names[0],
		    comparison.names[1]);
	options.title = options.source = title.bytes;
	sides_forget_parts(pair->profile);
	ret = output_open(&out, opt.output, err);
	if (ret == 0) {
		result = flame_write(&out, pair->profile, page.views, 2 * count,
				     2 * selected + 1, &options);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	if (ret == 0 && result.elided && opt.min_width < 0)
		log_info("omitted %zu of %zu stack traces, which are narrower "
			 "than %g %%; --min-width 0 draws them",
			 result.elided, result.elided + result.nodes,
			 result.below);
	text_release(&title);
	diff_page_release(&page, count);
	return ret;
}

/* ---- gates ---- */

/* Returns the increase in percent of the total before. */
static double diff_increase(const struct diff *d, const struct diff_row *r)
{
	return 100 * (r->values[1] - r->values[0]) / d->whole.values[0];
}

/* Returns why a comparison cannot be judged, or NULL. */
static const char *diff_find_doubt(const struct diff *d)
{
	const struct event_view *const *views = d->views;

	if (views[0]->samples < NOISE_SAMPLES ||
	    views[1]->samples < NOISE_SAMPLES || !(d->whole.values[0] > 0))
		return "a recording has too few samples";
	/* The event that a recording lost must not be exchanged. */
	if (!opt.events.count && (strcmp(views[0]->name, views[1]->name) != 0 ||
				  !diff_find_view(d->pair, 0, "cpu") !=
					  !diff_find_view(d->pair, 1, "cpu")))
		return "the recordings have different events; choose one with "
		       "-e";
	return NULL;
}

/* Adds the number of a part's increases above the limit, and the largest. */
static void diff_add_increases(struct text *out, const struct diff *d,
			       enum diff_part_kind kind)
{
	const struct diff_part *part = &d->parts[kind];
	size_t count = 0;

	for (size_t i = 0; i < part->significant; i++) {
		const struct diff_row *r = &part->rows[i];

		if (!(diff_increase(d, r) > opt.fail_above) || count++)
			continue;
		text_printf(out, "%s%s: +%.2f%% ", out->len ? ", " : "",
			    diff_part_names[kind], diff_increase(d, r));
		diff_add_name(out, d, kind, r);
	}
	if (count > 1)
		text_printf(out, " and %zu more", count - 1);
}

/* Changes within noise do not count. */
static void diff_judge(struct gate *gate, const struct diff *d)
{
	const char *doubt = diff_find_doubt(d);
	struct text *reason = &gate->reason;

	if (doubt) {
		text_puts(reason, doubt);
		return;
	}
	if (d->whole.is_significant &&
	    diff_increase(d, &d->whole) > opt.fail_above)
		text_printf(reason, "all samples: +%.2f%%",
			    diff_increase(d, &d->whole));
	for (size_t i = 0; i < DIFF_PARTS; i++)
		diff_add_increases(reason, d, (enum diff_part_kind)i);
	gate->result = reason->len ? GATE_EXCEEDED : GATE_PASSED;
	text_puts(reason, reason->len ? " (of the total before)"
				      : "no significant increase is larger");
}

/* Judges the events that the user chose, or the one that a report shows. */
static void diff_judge_all(const struct diff *diffs,
			   const struct diff_choice *c)
{
	size_t from = opt.events.count ? 0 : c->selected;
	size_t to = opt.events.count ? c->count : c->selected + 1;
	struct text text = { 0 };

	diff_add_method(&text, &diffs[from]);
	gates_add_property(&gates, "before", diffs->pair->sources[0].name);
	gates_add_property(&gates, "after", diffs->pair->sources[1].name);
	gates_add_property(&gates, "noise", text.bytes);
	for (size_t i = from; i < to; i++) {
		text_clear(&text);
		text_printf(&text, "%s above %g%%", diffs[i].views[0]->name,
			    opt.fail_above);
		diff_judge(gates_add(&gates, text.bytes), &diffs[i]);
	}
	text_release(&text);
}

static int diff_report(const struct diff_pair *pair,
		       const struct diff_options *options, struct error *err)
{
	struct diff_choice choice = { 0 };
	struct diff *diffs = NULL;
	int ret = diff_choose(&choice, pair, opt.page, err);

	if (ret == 0)
		ret = choice_check_samples(&choice, err);
	diffs = xcalloc(choice.count + 1, sizeof(*diffs));
	if (ret == 0)
		ret = diff_init_all(diffs, &choice, pair, options, err);
	if (ret == 0 && opt.fail_above >= 0)
		diff_judge_all(diffs, &choice);
	if (ret == 0)
		ret = opt.page ? diff_write_page(pair, diffs, choice.count,
						 choice.selected, err)
			       : diff_write_report(diffs, choice.count, err);
	if (ret == 0 && strcmp(opt.output, "-") != 0)
		log_info("wrote %s", opt.output);
	if (ret == 0 && profile_is_partial(pair->profile))
		ret = fail(err, ERROR_PARTIAL,
			   "the comparison covers only part of the input");
	for (size_t i = 0; i < choice.count; i++)
		diff_release(&diffs[i]);
	free(diffs);
	free(choice.views);
	return ret;
}

/* A file compared with itself has no changes, which looks like a result. */
static void diff_log_same(const char *const *paths)
{
	struct stat before, after;

	if (strcmp(paths[0], "-") != 0 && strcmp(paths[1], "-") != 0 &&
	    stat(paths[0], &before) == 0 && stat(paths[1], &after) == 0 &&
	    before.st_dev == after.st_dev && before.st_ino == after.st_ino)
		log_info("%s and %s are the same file, so nothing can change",
			 paths[0], paths[1]);
}

static int diff_compare(const char *const *paths, struct diff_options *options,
			struct error *err)
{
	struct diff_pair pair = { .profile = profile_new() };
	char *names[2];
	int ret = 0;

	for (size_t i = 0; i < 2; i++) {
		names[i] = flame_output_source_of(&paths[i], 1);
		pair.sources[i].name = names[i];
	}
	/* Equal names of files in two directories. */
	if (strcmp(names[0], names[1]) == 0) {
		pair.sources[0].name = paths[0];
		pair.sources[1].name = paths[1];
	}
	for (size_t i = 0; ret == 0 && i < 2; i++)
		ret = diff_read_side(&pair, i, paths[i], err);
	if (ret == 0) {
		diff_pair_join(&pair, &options->style);
		ret = diff_report(&pair, options, err);
	}
	if (ret == 0)
		diff_log_same(paths);
	diff_pair_release(&pair);
	free(names[0]);
	free(names[1]);
	return ret;
}

static int diff_check_options(int argc, char **argv, struct error *err)
{
	const struct report_format format = { &opt.csv, &opt.json, &opt.page };
	const char *const *paths = (const char *const *)argv;

	if (argc != 2)
		return misuse(err,
			      "diff compares two recordings: name BEFORE and "
			      "AFTER");
	if (strcmp(argv[0], "-") == 0 && strcmp(argv[1], "-") == 0)
		return misuse(err, "only one recording can be standard input");
	if (report_format_choose(&format, opt.output, err))
		return -1;
	if (opt.min_width >= 0 && !opt.page)
		return misuse(err, "--min-width requires -o with .html");
	return flame_output_check_output(opt.output, paths, 2, err);
}

static int diff_run(int argc, char **argv, struct error *err)
{
	struct diff_options options = { .style = opt.style };
	const char *const *paths = (const char *const *)argv;
	int ret;

	options.style.weights = !opt.samples;
	options.rows = opt.top;
	options.width = output_terminal_width(opt.output);
	options.color = output_wants_color(opt.output);
	ret = diff_check_options(argc, argv, err);
	if (ret == 0)
		ret = diff_parse_base(&options, err);
	if (ret == 0)
		ret = gates_init(&gates, "diff", opt.junit, paths, 2, err);
	if (ret)
		return ret;
	ret = diff_compare(paths, &options, err);
	if (opt.fail_above >= 0)
		ret = gates_finish(&gates, ret, err);
	gates_release(&gates);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_CHOICE(0, "format", &opt.format, NULL,
		   "set the input format", .choices = recording_formats),
	OPT_LIST('e', "event", &opt.events, "<event>",
		 "compare these events: alloc,lock,…",
		 .single = true,
		 .complete = "cpu|cpu-time|wall|alloc|lock|park|native|"
			     "exception"),
	OPT_STRING(0, "normalize", &opt.normalize, "<base>",
		   "divide by time, total, none or event:NAME",
		   .complete = "time|total|none|event:"),
	OPT_RECORDING_TIMES(opt),
	OPT_SAMPLE_FILTER(opt.filter),
	OPT_FLAG(0, "samples", &opt.samples,
		 "count samples instead of time or bytes"),
	OPT_FLAG(0, "lines", &opt.style.lines,
		 "compare each line of a method as a frame"),
	OPT_FLAG(0, "simple-names", &opt.style.simple,
		 "print classes without their packages"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "text only: print this many changes"),
	OPT_FLAG(0, "csv", &opt.csv, "write CSV", .excludes = "json"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file"),
	OPT_NUMBER(0, "min-width", &opt.min_width, "<percent>",
		   "combine HTML frames narrower than this",
		   .most = 100),
	OPT_NUMBER(0, "fail-above", &opt.fail_above, "<percent>",
		   "exit with status 10 after a larger increase"),
	OPT_STRING(0, "junit", &opt.junit, "<file>",
		   "write the result as JUnit XML",
		   .requires = "fail-above"),
	OPT_END,
};
/* clang-format on */

const struct command diff_command = {
	.name = "diff",
	.alias = "compare",
	.synopsis = "diff [<options>] <before> <after>",
	.summary = "compare two recordings",
	.group = "profile",
	.examples = "  sjkc diff old.jfr new.jfr\n"
		    "  sjkc diff -o out.html old.jfr new.jfr # draws it\n"
		    "  sjkc diff -e alloc old.jfr new.jfr\n"
		    "  sjkc diff --normalize total 1.txt 2.txt\n"
		    "  sjkc diff --json old.jfr new.jfr\n"
		    "  sjkc diff --fail-above 5% old.jfr new.jfr\n",
	.options = options,
	.has_messages = true,
	.run = diff_run,
};
