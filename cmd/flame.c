/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc flame: draws recordings as a flame graph, one self-contained page. */
#include "cmd/commands.h"
#include "cmd/shared/flame_output.h"
#include "cmd/shared/log.h"
#include "cmd/shared/recording.h"
#include "cmd/shared/sample_filter.h"
#include "core/base/alloc.h"
#include "core/base/output.h"
#include "core/profile/event_table.h"
#include "render/profile/export.h"

#include <stdlib.h>
#include <string.h>

static struct {
	struct option_list inputs, events;
	const char *format, *from, *to;
	const char *output, *output_format;
	const char *jfr_event, *time_range, *time_zone;
	struct sample_filter_options filter;
	struct flame_output_options drawing;
	bool list_events, json;
} opt = {
	.format = "auto",
	.drawing.min_width = -1,
};

static int flame_list_events(const struct profile *p, const char *output,
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

static struct profile *flame_read(const struct sample_filter *filter,
				  bool keep_moments, struct error *err)
{
	return recording_read(
		&(struct recording_options){
			.tables = opt.list_events ? "" : opt.drawing.event,
			.stacks = opt.list_events
					  ? NULL
					  : sample_filter_stacks(
						    filter, opt.drawing.event),
			.paths = opt.inputs.values,
			.path_count = opt.inputs.count,
			.format = opt.format,
			.from = opt.from,
			.to = opt.to,
			.time_range = opt.time_range,
			.time_zone = opt.time_zone,
			.keep_lines = opt.drawing.style.lines ||
				      sample_filter_wants_lines(filter),
			.keep_moments = keep_moments,
		},
		err);
}

/* Chooses the views; explains events that only prof can list. */
static int flame_choose_event(struct flame_output *d,
			      const struct sample_filter *filter,
			      struct error *err)
{
	const char *event = opt.drawing.event;

	if (flame_output_choose(d, filter, err) == 0)
		return 0;
	if (event && err->kind == ERROR_INPUT &&
	    event_table_find(d->profile, event))
		fail(err, ERROR_INPUT,
		     "%s events have no stack traces; use sjkc prof -e %s -i "
		     "FILE to list them",
		     event, event);
	return fail_in(err, "%s", d->source);
}

static int flame_draw(const struct flame_output_format *format,
		      const struct sample_filter *filter, struct error *err)
{
	const struct option_list *inputs = &opt.inputs;
	struct flame_output d = { .options = &opt.drawing,
				  .output = opt.output };
	char *output = NULL, *source = NULL;
	int ret = -1;

	if (!d.output)
		d.output = output = flame_output_name(inputs->values[0],
						      format);
	d.source = source = flame_output_source_of(inputs->values,
						   inputs->count);
	if (flame_output_check_output(d.output, inputs->values, inputs->count,
				      err))
		goto out;
	d.profile = flame_read(filter, format->is_page, err);
	if (!d.profile)
		goto out;
	if (flame_choose_event(&d, filter, err))
		goto out;
	if (inputs->count == 2 && !profile_is_partial(d.profile))
		log_info("merging %s and %s; `sjkc diff %s %s` compares them",
			 inputs->values[0], inputs->values[1],
			 inputs->values[0], inputs->values[1]);
	flame_output_limit(&d, format);
	recording_log_notes(d.profile, d.source,
			    format->one_event ? &d.views[d.selected] : d.views,
			    format->one_event ? 1 : d.view_count,
			    format->is_page);
	ret = flame_output_write(&d, format, err);
out:
	profile_free(d.profile);
	flame_output_release(&d);
	free(source);
	free(output);
	return ret;
}

static int flame_list(const struct sample_filter *filter, struct error *err)
{
	const char *output = opt.output ? opt.output : "-";
	struct profile *p = NULL;
	char *source;
	int ret;

	if (flame_output_check_output(output, opt.inputs.values,
				      opt.inputs.count, err) == 0)
		p = flame_read(filter, false, err);
	if (!p)
		return -1;
	sample_filter_apply(filter, p);
	source = flame_output_source_of(opt.inputs.values, opt.inputs.count);
	recording_log_notes(p, source, NULL, 0, false);
	free(source);
	ret = flame_list_events(p, output, err);
	if (ret == 0 && profile_is_partial(p))
		ret = fail(err, ERROR_PARTIAL,
			   "the list is incomplete: part of the input is "
			   "unreadable or lost");
	profile_free(p);
	return ret;
}

/* Translates --jfr-event, SJK's option, to --event. */
static const char *flame_event_of_sjk(void)
{
	return strcmp(opt.jfr_event, "EXEC") == 0    ? "cpu"
	       : strcmp(opt.jfr_event, "ALLOC") == 0 ? "alloc"
						     : "exception";
}

static int flame_check_options(struct error *err)
{
	if (opt.inputs.count == 0)
		return misuse(err, "missing <file>; - reads standard input");
	return 0;
}

static int flame_run(int argc, char **argv, struct error *err)
{
	const struct flame_output_format *format;
	struct sample_filter *filter = NULL;
	int ret = -1;

	for (int i = 0; i < argc; i++)
		option_list_add(&opt.inputs, argv[i]);
	opt.drawing.event = opt.jfr_event ? flame_event_of_sjk()
					  : flame_output_events(&opt.events);
	format = flame_output_format(opt.list_events ? NULL : opt.output_format,
				     opt.list_events ? NULL : opt.output,
				     &opt.drawing, err);
	if (!format || flame_check_options(err))
		return -1;
	filter = sample_filter_new(&opt.filter, err);
	if (filter)
		ret = opt.list_events ? flame_list(filter, err)
				      : flame_draw(format, filter, err);
	sample_filter_free(filter);
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
	  "sjkc has one JFR reader for all versions; omit the option" },
	{ "--parsers-info", "sjkc flame --help lists the formats" },
	{ "--inverted",
	  "press i in the browser to turn the graph upside down" },
	{ "--tree",
	  "the HTML flame graph has a table of frames and a sandwich view" },
	{ "--highlight", "press / in the browser to search frames" },
	{ "--dot", "class names always have dots; omit the option" },
	{ NULL, NULL },
};

/* clang-format off */
static const struct command_option options[] = {
	OPT_HEADING("input"),
	OPT_LIST('i', "input", &opt.inputs, "<file>",
		 "merge these recordings; - is stdin",
		 .aliases = "-f --file"),
	OPT_CHOICE(0, "format", &opt.format, NULL,
		   "set the input format", .choices = recording_formats),
	OPT_LIST('e', "event", &opt.events, "<event>",
		 "draw these events: alloc,lock,… (default: all)",
		 .single = true,
		 .complete = "cpu|cpu-time|wall|alloc|lock|park|native|"
			     "exception"),
	OPT_CHOICE(0, "jfr-event", &opt.jfr_event, "EXEC|ALLOC|THROW",
		   "draw cpu, alloc or exception, by SJK's names",
		   .rare = true,
		   .excludes = "event"),
	OPT_FLAG(0, "list-events", &opt.list_events,
		 "list the events of the recording"),
	OPT_FLAG(0, "json", &opt.json, "with --list-events: print JSON",
		 .requires = "list-events"),
	OPT_HEADING("filter"),
	OPT_RECORDING_TIMES(opt),
	OPT_SAMPLE_FILTER(opt.filter),
	OPT_HEADING("output"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file (default: <input>.html)"),
	OPT_CHOICE(0, "output-format", &opt.output_format, NULL,
		   "set the output format (default: by extension)",
		   .choices = flame_output_formats),
	OPT_STRING(0, "title", &opt.drawing.title, "<text>",
		   "set the title of the HTML flame graph"),
	OPT_NUMBER(0, "min-width", &opt.drawing.min_width, "<percent>",
		   "combine frames narrower than this",
		   .aliases = "--minwidth", .most = 100),
	OPT_FLAG('r', "reverse", &opt.drawing.style.reverse,
		 "grow the graph from the leaf frames"),
	OPT_STYLE(opt.drawing,
		  "measure time or bytes, also in collapsed output"),
	OPT_HEADING("messages"),
	OPT_END,
};
/* clang-format on */

const struct command flame_command = {
	.name = "flame",
	.synopsis = "flame [<options>] <recording>…",
	.summary = "draw a recording as an HTML flame graph",
	.group = "profile",
	.examples = "  sjkc flame dump.jfr                # writes dump.html\n"
		    "  sjkc flame -o out.html 1.jfr 2.jfr # merges both\n"
		    "  sjkc flame --list-events dump.jfr  # lists its events\n"
		    "  sjkc flame -e alloc dump.jfr\n"
		    "  jstack 4711 | sjkc flame -o out.html -\n",
	.options = options,
	.has_messages = true,
	.shorthands = shorthands,
	.refusals = refusals,
	.run = flame_run,
};
