/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc probe: counts and times the calls of Java methods. */
#include "cmd/probe/probe_options.h"

#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/jvm/main_name.h"
#include "jvmti/client/client_probes.h"

#include <stdlib.h>

enum {
	MAX_METHODS = 1000,
	TOP_METHODS = 20,
	CALLS_PER_S = 100,
	MAX_RATE = 100000
};

static struct probe_options opt = {
	.duration_ns = PROBE_NOT_GIVEN,
	.interval_ns = PROBE_NOT_GIVEN,
	.above_ns = PROBE_NOT_GIVEN,
	.max = MAX_METHODS,
	.top = TOP_METHODS,
	.rate = COUNT_NOT_GIVEN,
	.stack_every = COUNT_NOT_GIVEN,
};

static int probe_check_jfr(struct error *err)
{
	const struct {
		bool given;
		const char *name;
	} agents[] = {
		{ opt.args, "--args" },
		{ opt.stack, "--stack" },
		{ opt.tree, "--tree" },
		{ opt.count, "--count" },
		{ opt.histogram, "--histogram" },
		{ opt.interval_ns != PROBE_NOT_GIVEN, "--interval" },
		{ opt.rate != COUNT_NOT_GIVEN, "--rate" },
		{ opt.stack_every != COUNT_NOT_GIVEN, "--stack-every" },
		{ opt.publish, "--publish" },
	};

	for (size_t i = 0; i < sizeof(agents) / sizeof(*agents); i++) {
		if (opt.jfr && agents[i].given)
			return misuse(err, "%s requires the agent: omit --jfr",
				      agents[i].name);
	}
	return 0;
}

static int probe_check_options(struct error *err)
{
	if (opt.json && opt.csv)
		return misuse(err, "--csv and --json exclude each other");
	if (opt.duration_ns == 0)
		return misuse(err, "--duration must be greater than 0");
	if (opt.interval_ns == 0)
		return misuse(err, "--interval must be greater than 0");
	if (opt.csv && opt.interval_ns != PROBE_NOT_GIVEN)
		return misuse(err, "--csv has only totals: omit --interval, or "
				   "use --json");
	if (opt.max < 1 || opt.max > PROBE_MAX)
		return misuse(err, "--max must be 1 to %d", PROBE_MAX);
	if (opt.output && opt.above_ns < 0)
		return misuse(err, "-o draws the stack traces of slow calls "
				   "and requires --above");
	if (opt.count && (opt.above_ns >= 0 || opt.tree || opt.histogram))
		return misuse(err, "--count measures no times: omit --above, "
				   "--tree and --histogram");
	if (opt.count && opt.publish)
		return misuse(err, "--publish needs the times of calls: omit "
				   "--count");
	if ((opt.args || opt.stack) && opt.above_ns < 0)
		return misuse(err, "%s records slow calls and requires --above",
			      opt.args ? "--args" : "--stack");
	if (opt.rate != COUNT_NOT_GIVEN && (!opt.rate || opt.rate > MAX_RATE))
		return misuse(err, "--rate must be 1 to %d", MAX_RATE);
	if (opt.stack_every != COUNT_NOT_GIVEN &&
	    (!opt.stack_every || opt.stack_every > UINT32_MAX))
		return misuse(err, "--stack-every must be 1 to %u", UINT32_MAX);
	if (probe_check_jfr(err))
		return -1;
	return probe_check_output(&opt, err);
}

static bool word_is_number(const char *word)
{
	for (; *word; word++) {
		if (!is_digit(*word))
			return false;
	}
	return true;
}

/* Without -p, the first argument is the JVM, unless a method stands alone. */
static bool probe_names_target(int argc, char **argv)
{
	return !opt.pid && (argc != 1 || word_is_number(argv[0]));
}

static int probe_read_patterns(struct probe_run *run, int argc, char **argv,
			       struct error *err)
{
	bool selects = false;

	run->patterns = xcalloc((size_t)argc + 1, sizeof(*run->patterns));
	for (int i = 0; i < argc; i++) {
		if (method_pattern_init(&run->patterns[run->pattern_count++],
					argv[i], err))
			return -1;
		selects |= !run->patterns[i].excludes;
	}
	if (!selects)
		return misuse(
			err,
			"missing method (example: com.acme.Orders.submit)");
	return 0;
}

static void probe_find_name(struct probe_run *run)
{
	struct text name = { 0 };

	main_name_add_with_pid(&run->jvm, &name);
	container_pod_read(&run->pod, &run->jvm);
	container_pod_add_to_title(&run->pod, &name);
	safe_text(&run->name, name.bytes, name.len);
	text_release(&name);
}

static int probe_run(int argc, char **argv, struct error *err)
{
	struct probe_run run = { .o = &opt, .jvm.pidfd = -1 };
	int skipped = argc && probe_names_target(argc, argv), ret;

	log_set_level(opt.verbose ? LOG_VERBOSE
		      : opt.quiet ? LOG_QUIET
				  : LOG_NORMAL);
	ret = probe_check_options(err);
	if (ret == 0)
		ret = probe_read_patterns(&run, argc - skipped, argv + skipped,
					  err);
	if (ret == 0)
		ret = skipped || opt.pid ? target_open(&run.jvm, opt.pid, &argc,
						       &argv, err)
					 : target_open_any(&run.jvm, err);
	if (ret == 0) {
		probe_find_name(&run);
		ret = opt.jfr ? probe_by_jfr(&run, err)
			      : probe_by_agent(&run, err);
	}
	for (size_t i = 0; i < run.pattern_count; i++)
		method_pattern_release(&run.patterns[i]);
	free(run.patterns);
	text_release(&run.name);
	container_pod_release(&run.pod);
	jvm_close(&run.jvm);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_DURATION('d', "duration", &opt.duration_ns, "<time>",
		     "measure for this long (default: until Ctrl-C)"),
	OPT_FLAG('l', "list", &opt.list,
		 "list the methods without instrumenting them"),
	OPT_DURATION(0, "above", &opt.above_ns, "<time>",
		     "report calls that take at least this long"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "with --above: draw the stack traces in a file"),
	OPT_FLAG(0, "args", &opt.args,
		 "with --above: record the arguments"),
	OPT_FLAG(0, "stack", &opt.stack,
		 "with --above: record stack traces"),
	OPT_COUNT(0, "stack-every", &opt.stack_every, "<n>",
		  "with --stack: record each n-th stack trace only"),
	OPT_COUNT(0, "rate", &opt.rate, "<count>",
		  "record at most this many calls (default: 100/s)"),
	OPT_FLAG(0, "tree", &opt.tree,
		 "print a call tree of the instrumented methods"),
	OPT_FLAG(0, "count", &opt.count, "only count calls, at less cost"),
	OPT_FLAG(0, "histogram", &opt.histogram,
		 "print the distribution of times of each method"),
	OPT_DURATION('i', "interval", &opt.interval_ns, "<time>",
		     "print counts at this interval (default: 1s)"),
	OPT_FLAG(0, "publish", &opt.publish,
		 "publish the methods as USDT probes for tracers"),
	OPT_FLAG(0, "jfr", &opt.jfr,
		 "measure with JFR (JDK 25 or later)"),
	OPT_FLAG(0, "system", &opt.system, "include classes of the JDK"),
	OPT_COUNT(0, "max", &opt.max, "<count>",
		  "limit the instrumented methods"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "print at most this many methods"),
	OPT_FLAG(0, "yes", &opt.yes,
		 "allow the JVM to discard its compiled code"),
	OPT_FLAG(0, "csv", &opt.csv, "write CSV"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_FLAG('q', "quiet", &opt.quiet,
		 "print only errors and what was lost"),
	OPT_FLAG('v', "verbose", &opt.verbose, "print verbose output"),
	OPT_END,
};
/* clang-format on */

const struct command probe_command = {
	.name = "probe",
	.synopsis = "probe [<options>] <pid> <method>…",
	.summary = "count and time the calls of Java methods",
	.group = "profile",
	.examples = "  sjkc probe 4711 com.acme.Orders.submit\n"
		    "  sjkc probe 4711 'Orders.*' --above 50ms --args --stack\n"
		    "  sjkc probe 4711 '+com.acme.Handler.handle' --list\n"
		    "  sjkc probe 4711 Orders.submit --publish\n"
		    "  sjkc probe 4711 Orders.submit -d 10s --jfr\n",
	.options = options,
	.run = probe_run,
};
