/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc prof: says where the time goes, in words and figures. */
#include "cmd/prof.h"

#include "cmd/commands.h"
#include "cmd/recording.h"
#include "cmd/talk.h"
#include "core/base/alloc.h"
#include "render/report.h"

#include <stdlib.h>

static struct prof_options opt = {
	.format = "auto",
	.drawing.min_width = -1,
	.top = REPORT_TOP,
	.chain = REPORT_CHAIN,
	.min_percent = -1,
};

/* What is behind the options belongs to them. */
static void take_inputs(int argc, char **argv)
{
	struct option_list *inputs = &opt.inputs;

	for (int i = 0; i < argc; i++) {
		array_reserve(inputs->values, inputs->cap, inputs->count + 1);
		inputs->values[inputs->count++] = argv[i];
	}
}

static int run(int argc, char **argv, struct error *err)
{
	int ret;

	talk_set(opt.verbose ? TALK_VERBOSE
		 : opt.quiet ? TALK_QUIET
			     : TALK_NORMAL);
	/* A report says the weights; a drawing is to agree with it. */
	opt.drawing.total = !opt.samples;
	if (opt.inputs.count == 0)
		return misuse(err, "which recording? -i <file>");
	take_inputs(argc, argv);
	ret = prof_recording(&opt, err);
	free(opt.inputs.values);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_LIST('i', "input", &opt.inputs, "<file>",
		 "a recording; several are merged; - is stdin"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write here, a report or a drawing [-]"),
	OPT_CHOICE(0, "format", &opt.format, NULL,
		   "what the input is", .choices = recording_formats),
	OPT_CHOICE(0, "output-format", &opt.output_format, NULL,
		   "what to write [by the extension]",
		   .choices = prof_output_formats),
	OPT_FLAG(0, "csv", &opt.csv, "write the report as CSV"),
	OPT_FLAG(0, "json", &opt.json, "write the report as JSON"),
	OPT_STRING('e', "event", &opt.drawing.event, "<event>",
		   "cpu, alloc, lock, … or an event type [cpu]"),
	OPT_RECORDING_TIMES(opt),
	OPT_SAMPLE_FILTER(opt.filter),
	OPT_STRING(0, "show", &opt.show, "<parts>",
		   "of a report only: frames, threads, calls"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "so many frames, half as many threads"),
	OPT_NUMBER(0, "min-percent", &opt.min_percent, "<percent>",
		   "only calls that come to so much"),
	OPT_COUNT(0, "chain", &opt.chain, "<count>",
		  "of calls without a choice, so many"),
	OPT_FLAG(0, "samples", &opt.samples,
		 "count samples, not time or bytes"),
	OPT_FLAG('t', "threads", &opt.drawing.threads,
		 "a root frame for each thread"),
	OPT_FLAG(0, "lines", &opt.drawing.lines,
		 "tell lines of a method apart"),
	OPT_FLAG(0, "simple-names", &opt.drawing.simple_names,
		 "classes without their packages"),
	OPT_FLAG('q', "quiet", &opt.quiet, "say nothing but errors and losses"),
	OPT_FLAG('v', "verbose", &opt.verbose, "say more"),
	OPT_END,
};
/* clang-format on */

const struct command prof_command = {
	.name = "prof",
	.synopsis = "prof [<options>] -i <recording>…",
	.summary = "say where the time goes: hottest frames, calls, threads",
	.group = "see where time goes",
	.examples = "  sjkc prof -i dump.jfr              # hottest frames\n"
		    "  sjkc prof -i dump.jfr -e alloc     # of allocation\n"
		    "  jstack 4711 | sjkc prof -i -\n",
	.options = options,
	.run = run,
};
