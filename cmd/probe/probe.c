/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc probe: counts and times the calls of Java methods. */
#include "cmd/probe/probe_options.h"

#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/jvm/main_name.h"
#include "jvmti/client/client_probes.h"

#include <stdlib.h>
#include <string.h>

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
	/* Without -p, the first argument is the JVM, if it has company. */
	int skipped = !opt.pid &&
		      (argc > 1 ||
		       (argc == 1 && !argv[0][strspn(argv[0], "0123456789")]));
	int ret;

	ret = probe_check_output(&opt, err);
	if (ret == 0)
		ret = probe_read_patterns(&run, argc - skipped, argv + skipped,
					  err);
	if (ret == 0)
		ret = skipped || opt.pid ? target_open_first(&run.jvm, opt.pid,
							     &argc, &argv, err)
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
	OPT_HEADING("target"),
	OPT_TARGET(&opt.pid),
	OPT_FLAG('l', "list", &opt.list,
		 "list the methods without instrumenting them"),
	OPT_FLAG(0, "system", &opt.system, "include classes of the JDK"),
	OPT_COUNT(0, "max", &opt.max, "<count>",
		  "limit the instrumented methods",
		  .positive = true, .most = PROBE_MAX),
	OPT_FLAG(0, "yes", &opt.yes,
		 "allow the JVM to discard its compiled code"),
	OPT_HEADING("what"),
	OPT_DURATION('d', "duration", &opt.duration_ns, "<time>",
		     "measure for this long (default: until Ctrl-C)",
		     .positive = true),
	OPT_FLAG(0, "count", &opt.count, "only count calls, at less cost",
		 .excludes = "above|tree|histogram|publish"),
	OPT_FLAG(0, "tree", &opt.tree,
		 "print a call tree of the instrumented methods"),
	OPT_FLAG(0, "histogram", &opt.histogram,
		 "print the distribution of times of each method"),
	OPT_DURATION(0, "above", &opt.above_ns, "<time>",
		     "report calls that take at least this long"),
	OPT_FLAG(0, "args", &opt.args,
		 "with --above: record the arguments", .requires = "above"),
	OPT_FLAG(0, "stack", &opt.stack,
		 "with --above: record stack traces", .requires = "above"),
	OPT_COUNT(0, "stack-every", &opt.stack_every, "<n>",
		  "with --stack: record each n-th stack trace only",
		  .positive = true, .most = UINT32_MAX),
	OPT_COUNT(0, "rate", &opt.rate, "<count>",
		  "record at most this many calls (default: 100/s)",
		  .positive = true, .most = MAX_RATE),
	OPT_FLAG(0, "jfr", &opt.jfr,
		 "measure with JFR (JDK 25 or later)",
		 .excludes = "args|stack|tree|count|histogram|interval|rate|"
			     "stack-every|publish"),
	OPT_FLAG(0, "publish", &opt.publish,
		 "publish the methods as USDT probes for tracers"),
	OPT_HEADING("output"),
	OPT_DURATION('i', "interval", &opt.interval_ns, "<time>",
		     "print counts at this interval (default: 1s)",
		     .positive = true),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "print at most this many methods"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "with --above: draw the stack traces in a file",
		   .requires = "above"),
	OPT_FLAG(0, "csv", &opt.csv, "write CSV",
		 .excludes = "json|interval"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_HEADING("messages"),
	OPT_END,
};
/* clang-format on */

const struct command probe_command = {
	.name = "probe",
	.synopsis = "probe [<options>] [<pid>] <method>…",
	.summary = "count and time the calls of Java methods",
	.group = "profile",
	.examples = "  sjkc probe 4711 com.acme.Orders.submit\n"
		    "  sjkc probe 4711 'Orders.*' --above 50ms --args --stack\n"
		    "  sjkc probe 4711 '+com.acme.Handler.handle' --list\n"
		    "  sjkc probe 4711 Orders.submit --publish\n"
		    "  sjkc probe 4711 Orders.submit -d 10s --jfr\n",
	.options = options,
	.has_messages = true,
	.run = probe_run,
};
