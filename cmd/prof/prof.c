/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc prof: says where the time goes, in words and figures. */
#include "cmd/prof/prof.h"

#include "cmd/commands.h"
#include "cmd/recording.h"
#include "cmd/talk.h"
#include "core/base/alloc.h"
#include "core/native/unwind/unwinder.h"
#include "render/report.h"

#include <stdlib.h>
#include <string.h>

static struct prof_options opt = {
	.format = "auto",
	.drawing.min_width = -1,
	.top = REPORT_TOP,
	.chain = REPORT_CHAIN,
	.min_percent = -1,
	.sampler = "bpf",
	.tid = COUNT_NOT_GIVEN,
	.live = {
		.hz = COUNT_NOT_GIVEN,
		.duration_ns = -1,
		.stack_bytes = 64 * 1024,
		.max_stack = UNWIND_FRAMES,
	},
};

/* What is behind the options belongs to them. */
static void take_rest(struct option_list *list, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		array_reserve(list->values, list->cap, list->count + 1);
		list->values[list->count++] = argv[i];
	}
}

/* Behind "--" stands a program, which command_parse() leaves in its place. */
static int sample(int argc, char **argv, struct error *err)
{
	bool is_program = argc && strcmp(argv[-1], "--") == 0;

	if (is_program && (opt.pids.count || opt.live.all))
		return misuse(err, "either a program is started or JVMs that "
				   "run are sampled");
	if (!is_program)
		take_rest(&opt.pids, argc, argv);
	if (!is_program && !opt.pids.count && !opt.live.all)
		return misuse(err, "which JVM? -p <pid>; or -i <file>, a "
				   "recording; or -- <program>");
	return prof_process(&opt, is_program ? argv : NULL, err);
}

static int run(int argc, char **argv, struct error *err)
{
	int ret;

	talk_set(opt.verbose ? TALK_VERBOSE
		 : opt.quiet ? TALK_QUIET
			     : TALK_NORMAL);
	/* A report says the weights; a drawing is to agree with it. */
	if (opt.drawing.total && opt.samples)
		return misuse(err, "--total and --samples exclude each other");
	opt.drawing.total = !opt.samples;
	opt.drawing.samples = opt.samples;
	if (opt.inputs.count && (opt.pids.count || opt.live.all))
		return misuse(err, "either a recording is read or JVMs are "
				   "sampled");
	if (opt.live.idle &&
	    (opt.inputs.count || strcmp(opt.sampler, "dump") != 0))
		return misuse(err, "--idle goes with --sampler dump");
	if (opt.inputs.count) {
		take_rest(&opt.inputs, argc, argv);
		ret = prof_recording(&opt, err);
	} else {
		ret = sample(argc, argv, err);
	}
	free(opt.inputs.values);
	free(opt.pids.values);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_LIST('p', "pid", &opt.pids, "<pid>",
		 "a JVM: its pid, main class, jar or a <regex>"),
	OPT_FLAG(0, "all", &opt.live.all,
		 "every JVM, those that begin meanwhile, too"),
	OPT_DURATION('d', "duration", &opt.live.duration_ns, "<time>",
		     "sample for so long [until Ctrl-C]"),
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
		   "cpu,offcpu,wall,alloc,lock or a type [cpu]"),
	OPT_COUNT('F', "frequency", &opt.live.hz, "<hz>",
		  "so many samples a second and CPU [99]"),
	OPT_COUNT(0, "tid", &opt.tid, "<tid>", "only this thread"),
	OPT_FLAG(0, "user", &opt.live.only_user,
		 "no frames of the kernel's"),
	OPT_FLAG(0, "kernel", &opt.live.only_kernel,
		 "no frames but the kernel's"),
	OPT_SIZE(0, "stack-bytes", &opt.live.stack_bytes, "<size>",
		 "copy so much of a stack at most"),
	OPT_COUNT(0, "max-stack", &opt.live.max_stack, "<frames>",
		  "cut stack traces that are deeper"),
	OPT_SIZE(0, "alloc-interval", &opt.live.alloc_interval, "<size>",
		 "with -e alloc: bytes between samples, on average"),
	OPT_DURATION(0, "min-blocked", &opt.live.min_blocked_ns, "<time>",
		     "with -e offcpu, wall: leave out shorter waits"),
	OPT_FLAG(0, "agent", &opt.live.agent,
		 "use the agent even if it may crash this JDK"),
	OPT_FLAG(0, "no-agent", &opt.live.no_agent,
		 "load nothing into the JVM"),
	OPT_FLAG(0, "quiet-target", &opt.live.quiet_target,
		 "load nothing that the JVM warns of"),
	OPT_CHOICE(0, "sampler", &opt.sampler, "bpf|dump",
		   "dump: by thread dumps, which are biased"),
	OPT_FLAG(0, "idle", &opt.live.idle,
		 "with --sampler dump: keep idle threads"),
	OPT_RECORDING_TIMES(opt),
	OPT_SAMPLE_FILTER(opt.filter),
	OPT_STRING(0, "show", &opt.show, "<parts>",
		   "of a report only: frames, classes, owners, …"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "so many frames, half as many of others"),
	OPT_NUMBER(0, "min-percent", &opt.min_percent, "<percent>",
		   "only calls that come to so much"),
	OPT_COUNT(0, "chain", &opt.chain, "<count>",
		  "of calls without a choice, so many"),
	OPT_FLAG(0, "samples", &opt.samples,
		 "count samples, not time or bytes"),
	OPT_FLAG(0, "total", &opt.drawing.total,
		 "measure time or bytes, as is the default"),
	OPT_FLAG('t', "threads", &opt.drawing.threads,
		 "a root frame for each thread"),
	OPT_FLAG(0, "lines", &opt.drawing.lines,
		 "tell lines of a method apart"),
	OPT_FLAG(0, "simple-names", &opt.drawing.simple_names,
		 "classes without their packages"),
	OPT_FLAG(0, "annotate", &opt.drawing.annotate,
		 "mark frames in collapsed output: _[j], _[i], …",
		 .aliases = "--ann"),
	OPT_FLAG('q', "quiet", &opt.quiet, "say nothing but errors and losses"),
	OPT_FLAG('v', "verbose", &opt.verbose, "say more"),
	OPT_END,
};
/* clang-format on */

const struct command prof_command = {
	.name = "prof",
	.synopsis = "prof [<options>] <pid>… | -i <recording>… | -- "
		    "<program>…",
	.summary = "say where the time goes: hottest frames, calls, threads",
	.group = "see where time goes",
	.examples = "  sjkc prof -p 4711 -d 30s -o out.html\n"
		    "  sjkc prof -e cpu,offcpu -d 10s 4711 # a report of each\n"
		    "  sjkc prof -o out.html -- java -jar app.jar\n"
		    "  sjkc prof -i dump.jfr              # hottest frames\n"
		    "  sjkc prof -i dump.jfr -e alloc     # of allocation\n"
		    "  jstack 4711 | sjkc prof -i -\n",
	.options = options,
	.run = run,
};
