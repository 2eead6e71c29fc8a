/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc flame: draws recordings as a flame graph, one self-contained page. */
#include "cmd/commands.h"
#include "cmd/recording.h"
#include "cmd/sample_filter.h"
#include "cmd/talk.h"
#include "cmd/words.h"
#include "core/base/alloc.h"
#include "core/base/output.h"
#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "render/flame.h"
#include "render/folded.h"
#include "render/listing.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	struct option_list inputs;
	const char *format, *from, *to;
	const char *output, *output_format;
	const char *event, *title;
	const char *jfr_event, *time_range, *time_zone;
	struct sample_filter_options filter;
	double min_width;
	bool list_events, json;
	bool threads, lines, simple_names, annotate, reverse, total;
	bool quiet, verbose;
} opt = {
	.format = "auto",
	.min_width = -1,
};

/* A recording read, and the views into it. */
struct drawing {
	struct profile *profile;
	struct event_view *views;
	size_t view_count;
	size_t selected;
	const char *output; /* file name, or "-" */
	char *default_output;
	char *title;
};

/* True when it could write all. */
typedef bool write_fn(struct output *out, const struct drawing *d);

static write_fn write_page, write_collapsed;

/* What can be written; the first is for names without an extension. */
static const struct output_format {
	const char *name;
	const char *extensions;
	write_fn *write;
} output_formats[] = {
	{ "html", ".html .htm", write_page },
	{ "collapsed", ".collapsed .folded", write_collapsed },
};

#define NAMED_VIEWS    8   /* so many are named when one is chosen */
#define PAGE_VIEWS     100 /* so many have a tab of the page */
#define OUTPUT_FORMATS (sizeof(output_formats) / sizeof(*output_formats))

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *extension(const char *path)
{
	const char *base = base_name(path);
	const char *dot = strrchr(base, '.');

	return dot && dot != base ? dot : "";
}

static const struct output_format *choose_format(struct error *err)
{
	const char *dot = opt.output ? extension(opt.output) : "";

	for (size_t i = 0; i < OUTPUT_FORMATS; i++) {
		const struct output_format *f = &output_formats[i];

		if (opt.output_format
			    ? strcmp(f->name, opt.output_format) == 0
			    : words_have(f->extensions, ' ', dot, strlen(dot)))
			return f;
	}
	if (!*dot)
		return &output_formats[0];
	misuse(err, "%s: no output format is called %s; say --output-format",
	       opt.output, dot);
	return NULL;
}

/* dump.jfr gives dump.html, here and not beside the recording. */
static char *default_output(const char *input, const struct output_format *f)
{
	const char *base = strcmp(input, "-") == 0 ? "flame" : base_name(input);
	size_t len = strlen(base) - strlen(extension(base));
	struct text name = { 0 };

	text_add(&name, base, len);
	text_add(&name, f->extensions, strcspn(f->extensions, " "));
	return name.bytes;
}

/* An output that replaces an input loses a recording for ever. */
static int check_output(const char *output, struct error *err)
{
	struct stat out, in;

	if (stat(output, &out) < 0 || !S_ISREG(out.st_mode))
		return 0;
	for (size_t i = 0; i < opt.inputs.count; i++) {
		const char *input = opt.inputs.values[i];
		int ret = strcmp(input, "-") ? stat(input, &in)
					     : fstat(STDIN_FILENO, &in);

		if (ret == 0 && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return fail(
				err, ERROR_OUTPUT,
				"%s is an input, too; choose another --output",
				output);
	}
	return 0;
}

static bool write_page(struct output *out, const struct drawing *d)
{
	const struct event_view *front = &d->views[d->selected];
	const struct flame_options options = {
		.title = opt.title ? opt.title : d->title,
		.source = d->title,
		.reverse = opt.reverse,
		.threads = opt.threads,
		.lines = opt.lines,
		.simple = opt.simple_names,
		/* One record may stand for many samples of that unit. */
		.weights = opt.total || (front->unit == UNIT_SAMPLES &&
					 front->weight != front->samples),
		.min_width = opt.min_width,
	};
	struct flame_result result;

	result = flame_write(out, d->profile, d->views, d->view_count,
			     d->selected, &options);
	if (result.elided && opt.min_width < 0)
		talk("%zu of %zu stack traces, narrower than %g %%, are left "
		     "out; --min-width 0 draws them",
		     result.elided, result.elided + result.nodes, result.below);
	return true;
}

static bool write_collapsed(struct output *out, const struct drawing *d)
{
	const struct event_view *view = &d->views[d->selected];
	const struct folded_options options = {
		.style = {
			.simple = opt.simple_names,
			.lines = opt.lines,
			.annotate = opt.annotate,
		},
		.threads = opt.threads,
		.reverse = opt.reverse,
		.weights = opt.total || view->unit == UNIT_SAMPLES,
	};
	struct folded_result result;

	result = folded_write(out, d->profile, view, &options);
	if (result.cut)
		talk_always("lost: stack traces cut to %zu frames: %" PRIu64,
			    result.depth, result.cut);
	return !result.cut;
}

static int list_events(const struct profile *p, const char *output,
		       struct error *err)
{
	struct output out;
	int ret = output_open(&out, output, err);

	if (ret == 0) {
		(opt.json ? listing_events_json : listing_events)(&out, p);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	return ret;
}

/* Fails: the filters, which it names, left none of so many samples. */
static int nothing_left(const struct event_view *view,
			const struct sample_filter *filter, struct error *err)
{
	struct text names = { 0 };

	sample_filter_name(filter, &names);
	fail(err, ERROR_FAILED,
	     "none of %" PRIu64 " %s samples is left by %s; nothing is written",
	     view->samples, view->name, names.bytes);
	text_release(&names);
	return -1;
}

static void say_choice(const struct drawing *d)
{
	const struct event_view *front = &d->views[d->selected];
	struct text others = { 0 };
	size_t more = 0;

	for (size_t i = 0; i < d->view_count; i++) {
		if (i != d->selected && i <= NAMED_VIEWS)
			text_printf(&others, "%s%s", others.len ? ", " : "",
				    d->views[i].name);
		else if (i != d->selected)
			more++;
	}
	if (more)
		text_printf(&others, " and %zu more", more);
	if (others.len)
		talk("drawing %s (%" PRIu64 " samples); there are also %s: "
		     "--event",
		     front->name, front->samples, others.bytes);
	text_release(&others);
}

/* Each kind of event costs as much as a graph, whatever it holds. */
static void limit_views(struct drawing *d)
{
	size_t count = d->view_count;

	d->view_count = event_views_limit(d->views, count, PAGE_VIEWS,
					  &d->selected);
	if (count > d->view_count)
		talk("the page has tabs for %zu of the %zu kinds of events; "
		     "--event draws any",
		     d->view_count, count);
}

/*
 * Chooses what is drawn.  First without the filters, so that an event that is
 * not there and a filter that leaves nothing of it are told apart.
 */
static int choose_views(struct drawing *d, const struct sample_filter *filter,
			struct error *err)
{
	struct event_view whole, front;
	struct error unused;

	if (event_view_choose(d->profile, opt.event, &whole, err))
		return -1;
	sample_filter_apply(filter, d->profile);
	if (event_view_choose(d->profile, opt.event, &front, &unused))
		return nothing_left(&whole, filter, err);
	d->view_count = event_views(d->profile, &d->views);
	for (size_t i = 0; i < d->view_count; i++) {
		if (strcmp(d->views[i].name, front.name) == 0)
			d->selected = i;
	}
	if (!opt.event) {
		say_choice(d);
		limit_views(d);
		return 0;
	}
	/* One event type of a family is no view of its own. */
	d->views[0] = front;
	d->view_count = 1;
	d->selected = 0;
	return 0;
}

static int write_drawing(const struct drawing *d,
			 const struct output_format *format, struct error *err)
{
	struct output out;
	int ret = output_open(&out, d->output, err);

	bool whole = false;

	if (ret == 0) {
		whole = format->write(&out, d);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	if (ret)
		return -1;
	if (strcmp(d->output, "-") != 0)
		talk("wrote %s", d->output);
	if (!whole || profile_is_partial(d->profile))
		return fail(err, ERROR_PARTIAL,
			    "%s is not drawn from all of the input",
			    strcmp(d->output, "-") ? d->output : "<stdout>");
	return 0;
}

static char *title_of_inputs(void)
{
	struct text title = { 0 };
	const char *first = opt.inputs.values[0];

	if (opt.inputs.count > 1)
		text_printf(&title, "%zu recordings", opt.inputs.count);
	else
		text_puts(&title, strcmp(first, "-") == 0 ? "<stdin>"
							  : base_name(first));
	return title.bytes;
}

static struct profile *read_inputs(const struct sample_filter *filter,
				   struct error *err)
{
	return recording_read(
		&(struct recording_options){
			.paths = opt.inputs.values,
			.path_count = opt.inputs.count,
			.format = opt.format,
			.from = opt.from,
			.to = opt.to,
			.time_range = opt.time_range,
			.time_zone = opt.time_zone,
			.keep_lines = opt.lines ||
				      sample_filter_wants_lines(filter),
		},
		err);
}

static int draw(const struct output_format *format,
		const struct sample_filter *filter, struct error *err)
{
	struct drawing d = { .output = opt.output };
	int ret = -1;

	if (!d.output) {
		d.default_output = default_output(opt.inputs.values[0], format);
		d.output = d.default_output;
	}
	d.title = title_of_inputs();
	if (check_output(d.output, err))
		goto out;
	d.profile = read_inputs(filter, err);
	if (!d.profile)
		goto out;
	if (choose_views(&d, filter, err)) {
		fail_in(err, "%s", d.title);
		goto out;
	}
	ret = write_drawing(&d, format, err);
out:
	profile_free(d.profile);
	free(d.views);
	free(d.title);
	free(d.default_output);
	return ret;
}

static int list(const struct sample_filter *filter, struct error *err)
{
	const char *output = opt.output ? opt.output : "-";
	struct profile *p = NULL;
	int ret;

	if (check_output(output, err) == 0)
		p = read_inputs(filter, err);
	if (!p)
		return -1;
	sample_filter_apply(filter, p);
	ret = list_events(p, output, err);
	if (ret == 0 && profile_is_partial(p))
		ret = fail(err, ERROR_PARTIAL,
			   "the list is not of all of the input");
	profile_free(p);
	return ret;
}

/* --event by SJK's name for it. */
static int resolve_event(struct error *err)
{
	static const struct {
		const char *sjk, *event;
	} events[] = {
		{ "EXEC", "cpu" },
		{ "ALLOC", "alloc" },
		{ "THROW", "exception" },
	};

	if (!opt.jfr_event)
		return 0;
	if (opt.event)
		return misuse(err, "--jfr-event and --event are the same");
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (strcmp(events[i].sjk, opt.jfr_event) == 0)
			opt.event = events[i].event;
	}
	return 0;
}

static int check_options(const struct output_format *format, struct error *err)
{
	bool page = format->write == write_page;

	if (opt.inputs.count == 0)
		return misuse(err, "which recording is to be drawn?");
	if (opt.output && !*opt.output)
		return misuse(err, "--output has no file name");
	if (opt.json && !opt.list_events)
		return misuse(err, "--json goes with --list-events");
	if (opt.annotate && page)
		return misuse(err, "--annotate goes with collapsed output");
	if ((opt.title || opt.min_width >= 0) && !page)
		return misuse(err, "%s goes with html output",
			      opt.title ? "--title" : "--min-width");
	return 0;
}

static int run(int argc, char **argv, struct error *err)
{
	struct option_list *inputs = &opt.inputs;
	const struct output_format *format;
	struct sample_filter *filter = NULL;
	int ret = -1;

	talk_set(opt.verbose ? TALK_VERBOSE
		 : opt.quiet ? TALK_QUIET
			     : TALK_NORMAL);
	for (int i = 0; i < argc; i++) {
		array_reserve(inputs->values, inputs->cap, inputs->count + 1);
		inputs->values[inputs->count++] = argv[i];
	}
	format = opt.list_events ? &output_formats[0] : choose_format(err);
	if (!format || check_options(format, err) || resolve_event(err))
		goto out;
	filter = sample_filter_new(&opt.filter, err);
	if (filter)
		ret = opt.list_events ? list(filter, err)
				      : draw(format, filter, err);
out:
	sample_filter_free(filter);
	free(inputs->values);
	return ret;
}

/* jfrconv has a flag for each event. */
static const struct shorthand shorthands[] = {
	{ "--cpu", "event", "cpu" },
	{ "--cpu-time", "event", "cpu-time" },
	{ "--wall", "event", "wall" },
	{ "--alloc", "event", "alloc" },
	{ "--lock", "event", "lock" },
	{ "--nativemem", "event", "native-memory" },
	{ "--live", "event", "profiler.LiveObject" },
	{ "--nativelock", "event", "profiler.NativeLock" },
	{ "--trace", "event", "jdk.MethodTrace" },
	{ NULL, NULL, NULL },
};

static const struct refusal refusals[] = {
	{ "--force-jdk-parser --force-mc-parser",
	  "there is one reader of JFR, which takes every version; leave it "
	  "out" },
	{ "--parsers-info", "sjkc flame --help lists the formats" },
	{ "--inverted", "the page turns the graph round with the key i" },
	{ "--tree", "the page has a table of frames, and a sandwich of each" },
	{ "--highlight", "the page searches frames, with the key /" },
	{ "--dot", "classes always have dots; leave it out" },
	{ NULL, NULL },
};

/* clang-format off */
static const struct command_option options[] = {
	OPT_LIST('i', "input", &opt.inputs, "<file>",
		 "a recording; several are merged; - is stdin",
		 .aliases = "-f --file"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write here; - is stdout [<input>.html]"),
	OPT_CHOICE(0, "format", &opt.format, NULL,
		   "what the input is", .choices = recording_formats),
	OPT_CHOICE(0, "output-format", &opt.output_format, "html|collapsed",
		   "what to write [by the extension]"),
	OPT_STRING('e', "event", &opt.event, "<event>",
		   "cpu, alloc, lock, … or an event type [cpu]"),
	OPT_CHOICE(0, "jfr-event", &opt.jfr_event, "EXEC|ALLOC|THROW",
		   "cpu, alloc and exception, as SJK calls them"),
	OPT_FLAG(0, "list-events", &opt.list_events,
		 "list the events in the recording instead"),
	OPT_FLAG(0, "json", &opt.json, "with --list-events: as JSON"),
	OPT_STRING(0, "from", &opt.from, "<time>",
		   "leave out what was before: 10s, -10s, 10:32:59"),
	OPT_STRING(0, "to", &opt.to, "<time>",
		   "leave out what was then and after"),
	OPT_STRING(0, "time-range", &opt.time_range, "<from>-<to>",
		   "[[[[YYYY.]MM.]DD_]hh:]mm:ss of each …, in UTC",
		   .aliases = "-tr"),
	OPT_STRING(0, "time-zone", &opt.time_zone, "<zone>",
		   "of these times: UTC, Europe/Paris, GMT+02:00",
		   .aliases = "-tz --timezone"),
	OPT_STRING(0, "thread-name", &opt.filter.thread_name, "<regex>",
		   "only threads whose name matches"),
	OPT_STRING(0, "full-thread-name", &opt.filter.full_thread_name,
		   "<regex>", "likewise, the whole name",
		   .aliases = "-tn"),
	OPT_STRING(0, "state", &opt.filter.state, "<states>",
		   "only samples in these states: RUNNABLE,BLOCKED",
		   .aliases = "-s --states"),
	OPT_STRING('I', "include", &opt.filter.include, "<regex>",
		   "only stack traces with a matching frame"),
	OPT_STRING('X', "exclude", &opt.filter.exclude, "<regex>",
		   "no stack traces with a matching frame"),
	OPT_STRING(0, "trace-filter", &opt.filter.trace_filter, "<filter>",
		   "only stack traces that pass, as SJK writes it",
		   .aliases = "-tf"),
	OPT_STRING(0, "trace-trim", &opt.filter.trace_trim, "<filter>",
		   "only what lies above the frame it finds",
		   .aliases = "-tt"),
	OPT_FLAG('t', "threads", &opt.threads, "a root frame for each thread"),
	OPT_FLAG('r', "reverse", &opt.reverse, "grow from the leaf frames"),
	OPT_FLAG(0, "total", &opt.total,
		 "measure time or bytes, not samples"),
	OPT_FLAG(0, "lines", &opt.lines, "tell lines of a method apart"),
	OPT_FLAG(0, "simple-names", &opt.simple_names,
		 "classes without their packages"),
	OPT_FLAG(0, "annotate", &opt.annotate,
		 "mark frames in collapsed output: _[j], _[i], …",
		 .aliases = "--ann"),
	OPT_STRING(0, "title", &opt.title, "<text>", "head the page with this"),
	OPT_NUMBER(0, "min-width", &opt.min_width, "<percent>",
		   "leave out frames narrower than this",
		   .aliases = "--minwidth"),
	OPT_FLAG('q', "quiet", &opt.quiet, "say nothing but errors and losses"),
	OPT_FLAG('v', "verbose", &opt.verbose, "say more"),
	OPT_END,
};
/* clang-format on */

const struct command flame_command = {
	.name = "flame",
	.synopsis = "flame [<options>] <recording>…",
	.summary = "draw a recording as a flame graph page",
	.group = "see where time goes",
	.examples = "  sjkc flame dump.jfr                # writes dump.html\n"
		    "  sjkc flame -o out.html 1.jfr 2.jfr # both in one page\n"
		    "  sjkc flame --list-events dump.jfr  # what is in it\n"
		    "  sjkc flame -e alloc --total dump.jfr\n"
		    "  jstack 4711 | sjkc flame -o out.html -\n",
	.options = options,
	.shorthands = shorthands,
	.refusals = refusals,
	.run = run,
};
