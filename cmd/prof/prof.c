/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc prof: samples JVMs or reads recordings, and reports where time goes. */
#include "cmd/prof/prof_options.h"

#include "cmd/commands.h"
#include "cmd/prof/prof_asprof.h"
#include "cmd/shared/log.h"
#include "cmd/shared/recording.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/formats/reader.h"
#include "core/unwind/unwinder.h"
#include "render/profile/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct prof_options opt = {
	.format = "auto",
	.drawing.min_width = -1,
	.drawing.reports = ".txt, .csv",
	.top = REPORT_TOP,
	.chain = REPORT_CHAIN,
	.min_percent = -1,
	.sampler = "bpf",
	.log_format = "text",
	.tid = COUNT_NOT_GIVEN,
	.push = {
		.interval_ns = -1,
		.shutdown_ns = -1,
	},
	.select.min_age_ns = -1,
	.live = {
		.sampling.duration_ns = -1,
		.sampling.hz = COUNT_NOT_GIVEN,
		.sampling.stack_bytes = 64U << 10,
		.sampling.max_stack = UNWIND_FRAMES,
	},
};

/* The number of arguments before "--"; SIZE_MAX when there is none. */
static size_t before_dashes = SIZE_MAX;

/* True when a program to start, with its arguments, follows "--". */
static bool prof_has_program(int argc)
{
	return before_dashes != SIZE_MAX && (size_t)argc > before_dashes;
}

static void prof_take_rest(struct option_list *list, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		option_list_add(list, argv[i]);
}

static int prof_take_any(struct option_list *pids, struct error *err)
{
	static char pid[16];
	struct jvm jvm;

	if (target_open_any(&jvm, err))
		return -1;
	snprintf(pid, sizeof(pid), "%d", (int)jvm.pid);
	jvm_close(&jvm);
	option_list_add(pids, pid);
	return 0;
}

/* Replaces a target's name by its PID, which async-profiler's %p stands for. */
static int prof_find_pid(pid_t *pid, struct error *err)
{
	static char number[16];
	struct jvm jvm;

	if (opt.live.sampling.all || opt.pids.count != 1) {
		*pid = 0;
		return 0;
	}
	if (target_open_named(&jvm, opt.pids.values[0], err))
		return -1;
	*pid = jvm.pid;
	snprintf(number, sizeof(number), "%d", (int)jvm.pid);
	opt.pids.values[0] = number;
	jvm_close(&jvm);
	return 0;
}

/*
 * Refuses -f if it names a recording: -f means input in other commands. HTML
 * flame graphs are replaced, as by async-profiler.
 */
static int prof_check_file(struct error *err)
{
	const struct reader *reader = NULL;
	struct error unknown = { 0 };
	struct input in = { 0 };
	struct stat st;

	if (!opt.file || stat(opt.file, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (input_open(&in, opt.file, &unknown) == 0)
		reader = reader_for("auto", NULL, in.bytes, in.len, &unknown);
	input_close(&in);
	if (!reader || reader == &page_reader)
		return 0;
	return misuse(err,
		      "%s is a recording (%s), and -f would replace it: use -i "
		      "to read it, or -o to replace it",
		      opt.file, reader->name);
}

static int prof_sample(int argc, char **argv, struct error *err)
{
	bool program = prof_has_program(argc);

	if (before_dashes == (size_t)argc)
		return misuse(err, "missing program after --");
	if (program &&
	    (opt.pids.count || opt.live.sampling.all || before_dashes))
		return misuse(err, "prof either starts a program or samples "
				   "running JVMs, not both");
	if (!program)
		prof_take_rest(&opt.pids, argc, argv);
	if (!program && !opt.pids.count && !opt.live.sampling.all &&
	    prof_take_any(&opt.pids, err))
		return -1;
	if (prof_asprof_file_has_pid(&opt)) {
		pid_t pid;

		if (prof_find_pid(&pid, err) ||
		    prof_asprof_name_file(&opt, pid, err))
			return -1;
	} else if (prof_asprof_name_file(&opt, 0, err)) {
		return -1;
	}
	if (prof_check_file(err))
		return -1;
	return prof_process(&opt, program ? argv : NULL, err);
}

/*
 * A directory takes a file for each interval instead of one file: its name ends
 * with a slash, unless --push says that there are several.
 */
static void prof_take_directory(void)
{
	size_t len = opt.output ? strlen(opt.output) : 0;
	struct stat st;

	if (!len || opt.inputs.count ||
	    (opt.output[len - 1] != '/' &&
	     (!opt.push.backend.url || stat(opt.output, &st) < 0 ||
	      !S_ISDIR(st.st_mode))))
		return;
	opt.push.directory = opt.output;
	opt.output = NULL;
}

/* The options that need a running JVM. */
#define LIVE_OPTIONS                                                           \
	"pid|all|jfr|duration|push|frequency|tid|user-frames|kernel-frames|"   \
	"stack-bytes|max-stack|trace-walk|alloc-interval|older|force|"         \
	"min-blocked|sampler|"                                                 \
	"no-agent|no-agent-if-warned|force-agent"

/* The options of a single file, which --push and -o DIR/ do not write. */
#define FILE_OPTIONS                                                           \
	"file|output-format|csv|json|show|categorizer-file|named-class|by|"    \
	"sort|reverse|callers-of|top|min-percent|chain|samples|threads|"       \
	"lines|simple-names|annotate|from|to|time-range|time-zone"

/* The options of --push and -o DIR/, and those of one of the two. */
#define WINDOW_OPTIONS                                                         \
	"push-format|interval|service|labels|buffer|shutdown-timeout|"         \
	"probability|cpu-limit|memory-limit|metrics"
#define BACKEND_OPTIONS "header-file|cacert|cert|key|server-name"
#define KEEP_OPTIONS    "keep-size|keep-files|keep-time"

/* Rejects options of the output with --push, and those of --push without it. */
static int prof_check_push(struct error *err)
{
	const struct prof_push_options *p = &opt.push;
	const char *name = p->backend.url ? "--push" : "-o DIR/";
	const char *given;

	given = p->directory ? NULL : command_given(KEEP_OPTIONS);
	if (given)
		return misuse(err, "--%s requires -o DIR/", given);
	given = p->backend.url ? NULL : command_given(BACKEND_OPTIONS);
	if (given)
		return misuse(err, "--%s requires --push", given);
	if (!prof_push_is_wanted(p)) {
		given = command_given(WINDOW_OPTIONS);
		return given ? misuse(err, "--%s requires --push or -o DIR/",
				      given)
			     : 0;
	}
	given = command_given(FILE_OPTIONS);
	/* asprof's -o is a format. */
	if (!given && (opt.output || opt.output_format))
		given = "output";
	if (given)
		return misuse(err,
			      "options %s and --%s cannot be used together",
			      name, given);
	if (strcmp(opt.sampler, "dump") == 0)
		return misuse(err, "%s requires --sampler bpf", name);
	return 0;
}

static int prof_run(int argc, char **argv, struct error *err)
{
	int none = 0;

	log_set_json(strcmp(opt.log_format, "json") == 0);
	if (prof_push_is_wanted(&opt.push))
		log_limit_repeats();
	opt.drawing.event = flame_output_events(&opt.events);
	/* A report prints weights, so the other outputs do, too. */
	opt.drawing.total = !opt.drawing.samples;
	/* A program's arguments are not asprof's words. */
	if (prof_take_asprof(&opt, prof_has_program(argc) ? &none : &argc,
			     &argv, err))
		return -1;
	if (argc && !prof_has_program(argc) && !opt.pids.count &&
	    !opt.live.sampling.all && target_is_file(argv[0])) {
		prof_take_rest(&opt.inputs, argc, argv);
		argc = 0;
	}
	if (opt.inputs.count && target_refuse_live(LIVE_OPTIONS, err))
		return -1;
	prof_take_directory();
	if (prof_check_push(err))
		return -1;
	if (opt.inputs.count) {
		if (prof_asprof_name_file(&opt, 0, err) || prof_check_file(err))
			return -1;
		prof_take_rest(&opt.inputs, argc, argv);
		return prof_recording(&opt, err);
	}
	return prof_sample(argc, argv, err);
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_HEADING("target"),
	OPT_LIST('p', "pid", &opt.pids, "<pid>",
		 "sample this JVM: PID, main class, jar or <regex>"),
	OPT_FLAG(0, "all", &opt.live.sampling.all,
		 "sample all JVMs, including JVMs started later"),
	OPT_JVM_SELECTOR(opt.select),
	OPT_LIST('i', "input", &opt.inputs, "<file>",
		 "report on this recording; - reads standard input"),
	OPT_CHOICE(0, "format", &opt.format, NULL,
		   "set the input format", .choices = recording_formats),
	OPT_HEADING("what"),
	OPT_LIST('e', "event", &opt.events, "<event>",
		 "select cpu,offcpu,wall,alloc,lock,nativemem,…",
		 .single = true,
		 .complete = "cpu|offcpu|wall|alloc|lock|nativemem|pagefault"),
	OPT_DURATION('d', "duration", &opt.live.sampling.duration_ns, "<time>",
		     "sample for this long (default: until Ctrl-C)",
		     .positive = true),
	OPT_COUNT('F', "frequency", &opt.live.sampling.hz, "<hz>",
		  "set samples/s of a CPU (default: 99; --push: 19)",
		  .positive = true, .most = 10000),
	OPT_COUNT(0, "tid", &opt.tid, "<tid>", "sample only this thread",
		  .positive = true, .most = INT32_MAX),
	OPT_FLAG(0, "user-frames", &opt.live.sampling.only_user,
		 "omit kernel frames", .aliases = "--user",
		 .excludes = "kernel-frames"),
	OPT_FLAG(0, "kernel-frames", &opt.live.sampling.only_kernel,
		 "omit all frames except kernel frames", .aliases = "--kernel"),
	OPT_SIZE(0, "stack-bytes", &opt.live.sampling.stack_bytes, "<size>",
		 "copy at most this much of a stack"),
	OPT_COUNT(0, "max-stack", &opt.live.sampling.max_stack, "<frames>",
		  "truncate deeper stack traces",
		  .positive = true, .most = UNWIND_FRAMES),
	OPT_COUNT(0, "trace-walk", &opt.live.sampling.trace_walks, "<count>",
		  "print how <count> distinct stacks were unwound",
		  .rare = true),
	OPT_SIZE(0, "alloc-interval", &opt.live.sampling.alloc_interval, "<size>",
		 "with -e alloc, nativemem: bytes between samples"),
	OPT_DURATION(0, "older", &opt.live.sampling.older_ns, "<time>",
		     "with -e nativemem: omit younger blocks"),
	OPT_FLAG(0, "force", &opt.live.sampling.forced,
		 "sample nativemem even if it slows down the JVM"),
	OPT_DURATION(0, "min-blocked", &opt.live.sampling.min_blocked_ns, "<time>",
		     "with -e offcpu, wall: omit shorter waits"),
	OPT_CHOICE(0, "sampler", &opt.sampler, "bpf|dump",
		   "use eBPF or thread dumps"),
	OPT_FLAG(0, "idle", &opt.live.idle,
		 "include idle threads in reports of waits"),
	OPT_HEADING("agent"),
	OPT_FLAG(0, "no-agent", &opt.live.sampling.no_agent,
		 "do not load the sjkc agent into the JVM"),
	OPT_FLAG(0, "no-agent-if-warned", &opt.live.sampling.quiet_target,
		 "do not load the sjkc agent if the JVM would warn",
		 .aliases = "--no-agent-warning --quiet-target"),
	OPT_FLAG(0, "force-agent", &opt.live.sampling.agent,
		 "use the sjkc agent even if it may crash this JDK",
		 .aliases = "--agent", .excludes = "no-agent"),
	OPT_FLAG(0, "jfr", &opt.live.jfr,
		 "record alloc and lock with JFR, without an agent",
		 .excludes = "frequency|tid|alloc-interval|user-frames|"
			     "kernel-frames|force-agent|trace-walk|idle|push"),
	OPT_HEADING("filter"),
	OPT_RECORDING_TIMES(opt),
	OPT_SAMPLE_FILTER(opt.filter),
	OPT_HEADING("output"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file, or regularly to DIR/"),
	OPT_STRING('f', "file", &opt.file, "<file>",
		   "write to this file; %p is the PID, %t the time"),
	OPT_CHOICE(0, "output-format", &opt.output_format, NULL,
		   "set the output format (default: by extension)",
		   .choices = prof_output_formats),
	OPT_FLAG(0, "csv", &opt.csv, "write the report as CSV",
		 .excludes = "json|output-format"),
	OPT_FLAG(0, "json", &opt.json, "write the report as JSON",
		 .excludes = "output-format"),
	OPT_HEADING("report"),
	OPT_STRING(0, "show", &opt.show, "<parts>",
		   "print these parts: frames,classes,threads,…"),
	OPT_CHOICE(0, "by", &opt.by, "frame|class|package",
		   "add up frames by class or package"),
	OPT_CHOICE(0, "sort", &opt.sort, "self|total|occurrences",
		   "sort the frames by this number (default: self)",
		   .also = "TERM|OCCUR|FREQ"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "list at most this many frames"),
	OPT_NUMBER(0, "min-percent", &opt.min_percent, "<percent>",
		   "omit calls with a smaller share (default: 1)", .most = 100),
	OPT_COUNT(0, "chain", &opt.chain, "<count>",
		  "limit the frames of a call chain"),
	OPT_FLAG('r', "reverse", &opt.drawing.style.reverse,
		 "list callers from the leaf frames to the roots",
		 .aliases = "--inverted"),
	OPT_STRING(0, "callers-of", &opt.callers_of, "<regex>",
		   "list the callers of matching frames"),
	OPT_STRING(0, "categorizer-file", &opt.category_file, "<file>",
		   "report categories of a file: NAME: FILTER",
		   .aliases = "-cf --categories", .rare = true,
		   .excludes = "named-class"),
	OPT_LIST(0, "named-class", &opt.named, "<name>=<filter>",
		 "report a category, an SJK filter",
		 .single = true, .aliases = "-nc", .rare = true),
	OPT_STYLE(opt.drawing, "report time or bytes (default)"),
	OPT_HEADING("continuous"),
	OPT_STRING(0, "push", &opt.push.backend.url, "<url>",
		   "send profiles to this OTLP URL, or env: OTEL_…"),
	OPT_PUSH(&opt.push.backend, true),
	OPT_DURATION(0, "interval", &opt.push.interval_ns, "<time>",
		     "set the time between requests (default: 30s)", .rare = true),
	OPT_STRING(0, "service", &opt.push.service, "<name>",
		   "set service.name of all JVMs", .rare = true),
	OPT_CHOICE(0, "labels", &opt.push.labels, "full|low|service",
		   "choose the attributes of a JVM (default: full)", .rare = true),
	OPT_SIZE(0, "buffer", &opt.push.buffer_bytes, "<size>",
		 "limit the queue of requests (default: 32m)", .rare = true),
	OPT_DURATION(0, "shutdown-timeout", &opt.push.shutdown_ns, "<time>",
		     "send for this long at the end (default: 5s)", .rare = true),
	OPT_STRING(0, "probability", &opt.push.probability, "<percent>",
		   "sample only in this share of all minutes", .rare = true),
	OPT_STRING(0, "cpu-limit", &opt.push.cpu_limit, "<percent>",
		   "limit the CPU use of sjkc (default: 1%)", .rare = true),
	OPT_SIZE(0, "memory-limit", &opt.push.memory_bytes, "<size>",
		 "limit the memory of sjkc (default: 100m)", .rare = true),
	OPT_STRING(0, "metrics", &opt.push.metrics, "<address>",
		   "serve metrics of sjkc at [host:]port", .rare = true),
	OPT_LIST(0, "allow", &opt.push.allow, "<network>",
		 "with --metrics: accept clients of this network",
		 .single = true, .requires = "metrics", .rare = true),
	OPT_LIST(0, "allow-host", &opt.push.hosts, "<name>",
		 "with --metrics: accept requests with this host",
		 .single = true, .requires = "metrics", .rare = true),
	OPT_SIZE(0, "keep-size", &opt.push.keep_bytes, "<size>",
		 "-o DIR/: limit the size of files (default: 1g)", .rare = true),
	OPT_COUNT(0, "keep-files", &opt.push.keep_files, "<count>",
		  "-o DIR/: limit the files (default: 100000)", .rare = true),
	OPT_DURATION(0, "keep-time", &opt.push.keep_ns, "<time>",
		     "-o DIR/: limit the age of files (default: 168h)", .rare = true),
	OPT_HEADING("messages"),
	OPT_CHOICE(0, "log-format", &opt.log_format, "text|json",
		   "print messages as text or JSON",
		   .aliases = "--log"),
	OPT_END,
};
/* clang-format on */

const struct command prof_command = {
	.name = "prof",
	.synopsis = "prof [<options>] [<pid>…] | <recording>… | -- "
		    "<program>…",
	.summary = "report where the time goes: frames, calls, threads",
	.group = "profile",
	.examples = "  sjkc prof -p 4711 -d 30s -o out.html\n"
		    "  sjkc prof -e cpu,offcpu -d 10s 4711 # two reports\n"
		    "  sjkc prof -o out.html -- java -jar app.jar\n"
		    "  sjkc prof -i dump.jfr              # hottest frames\n"
		    "  sjkc prof -i dump.jfr -e alloc     # allocation sites\n"
		    "  jstack 4711 | sjkc prof -i -\n"
		    "  sjkc prof --all --push http://localhost:4318\n",
	.options = options,
	.has_messages = true,
	.before_dashes = &before_dashes,
	.refusals = prof_asprof_refusals,
	.run = prof_run,
};
