/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc ttop: which threads of a JVM use what, as they do. */
#include "cmd/ttop.h"

#include "cmd/commands.h"
#include "cmd/stop.h"
#include "cmd/talk.h"
#include "cmd/ttop_batch.h"
#include "core/base/clock.h"
#include "core/base/input.h"
#include "core/jvm/top_record.h"
#include "render/top_csv.h"
#include "render/top_json.h"
#include "render/top_text.h"

#include <string.h>
#include <unistd.h>

static struct {
	const char *replay;
	int64_t report_interval;
	uint64_t top, iterations;
	struct option_list order;
	const char *filter;
	bool contention, csv, json;
	const char *screen, *keys;
	bool quiet, verbose;
} opt = {
	.report_interval = -1,
	.top = 20,
};

static struct top_report report_of(const struct top_rates *rates,
				   size_t passing, const struct ttop_options *o)
{
	return (struct top_report){
		.rates = rates,
		.passing = passing,
		.shown = o->rows ? o->rows : SIZE_MAX,
		.contention = o->contention,
	};
}

static void add_text(struct text *out, const struct top_rates *rates,
		     size_t passing, const struct ttop_options *o)
{
	const struct top_report report = report_of(rates, passing, o);

	top_text_add(out, &report);
}

static void add_csv(struct text *out, const struct top_rates *rates,
		    size_t passing, const struct ttop_options *o)
{
	const struct top_report report = report_of(rates, passing, o);

	top_csv_add(out, &report, o->source->pid);
}

static void add_json(struct text *out, const struct top_rates *rates,
		     size_t passing, const struct ttop_options *o)
{
	const struct top_report report = report_of(rates, passing, o);

	top_json_add(out, &report, o->source->pid);
}

static int run_batch(const struct ttop_options *o, int64_t first_ns,
		     bool *ended, struct error *err)
{
	ttop_format_fn *add = opt.json  ? add_json
			      : opt.csv ? add_csv
					: add_text;

	return ttop_batch_run(o, add, opt.csv ? top_csv_head : NULL, first_ns,
			      ended, err);
}

/* What a replay reads from; the source borrows its bytes. */
static struct thread_source *open_replay(struct input *in, struct error *err)
{
	struct thread_source *source = NULL;

	if (input_open(in, opt.replay, err) == 0 &&
	    input_complete(in, err) == 0)
		source = replay_source_open((const char *)in->bytes, in->len,
					    err);
	if (!source)
		fail_in(err, "%s", in->name ? in->name : opt.replay);
	return source;
}

static int read_order(struct top_order *order, struct error *err)
{
	for (size_t i = 0; i < opt.order.count; i++) {
		if (top_order_parse(opt.order.values[i], order, err))
			return fail_in(err, "option --order");
	}
	return order->count ? 0 : top_order_parse("CPU", order, err);
}

/*
 * The screen, where there is one or it is asked for.  False: then reports are
 * written, and it was said why if that is not what was to be expected.
 */
static bool show_screen(const struct ttop_options *o, int *ret,
			struct error *err)
{
	if (opt.screen) {
		*ret = ttop_screen_print(o, opt.screen, err);
		return true;
	}
	if (opt.csv || opt.json || !isatty(STDOUT_FILENO))
		return false;
	*ret = ttop_screen_run(o, err);
	if (*ret == 0 || err->kind != ERROR_UNAVAILABLE)
		return true;
	talk("%s: here are reports instead", err->text);
	return false;
}

static int replay(struct ttop_options *o, struct error *err)
{
	struct input in = { 0 };
	bool ended = false;
	int ret = -1;

	o->source = open_replay(&in, err);
	if (!o->source)
		goto out;
	o->is_replay = true;
	/* Unless it was asked for otherwise, every sample is a report. */
	o->interval_ns = opt.report_interval < 0 ? 0 : opt.report_interval;
	if (!show_screen(o, &ret, err))
		ret = run_batch(o, o->interval_ns, &ended, err);
	if (ret && ended)
		fail(err, ERROR_INPUT, "it holds nothing to report");
	if (ret)
		fail_in(err, "%s", in.name);
out:
	if (o->source)
		o->source->ops->close(o->source);
	input_close(&in);
	return ret;
}

static int run(int argc, char **argv, struct error *err)
{
	struct ttop_options o = {
		.pidfd = -1,
		.rows = opt.top,
		.iterations = opt.iterations,
		.filter.glob = opt.filter,
		.contention = opt.contention,
		.keys = opt.keys,
	};
	int ret = -1;

	(void)argv;
	talk_set(opt.verbose ? TALK_VERBOSE
		 : opt.quiet ? TALK_QUIET
			     : TALK_NORMAL);
	if (opt.csv && opt.json)
		misuse(err, "--csv and --json are two things");
	else if (argc)
		misuse(err, "one target, please");
	else if (opt.keys && !opt.screen)
		misuse(err, "--keys goes with --screen");
	else if (!opt.replay)
		misuse(err, "which recording is to be replayed?");
	else if (ttop_screen_check(opt.screen, opt.keys, err) == 0 &&
		 read_order(&o.order, err) == 0)
		ret = replay(&o, err);
	free(opt.order.values);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_DURATION(0, "report-interval", &opt.report_interval, "<time>",
		     "between two reports", .aliases = "-ri"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "show so many threads; 0 is all [20]"),
	OPT_LIST('o', "order", &opt.order, "<keys>",
		 "sort by these: CPU,ALLOC or -NAME [CPU]"),
	OPT_STRING('f', "filter", &opt.filter, "<glob>",
		   "only threads of such a name: pool-*"),
	OPT_FLAG('c', "contention", &opt.contention,
		 "show how often and long threads wait"),
	OPT_FLAG(0, "csv", &opt.csv, "comma-separated values"),
	OPT_FLAG(0, "json", &opt.json, "a JSON document for each report"),
	OPT_COUNT(0, "iterations", &opt.iterations, "<count>",
		  "end after so many reports"),
	OPT_STRING(0, "replay", &opt.replay, "<file>",
		   "show a recording; - is stdin"),
	OPT_STRING(0, "screen", &opt.screen, "<size>",
		   "print the screen as text: 80x24"),
	OPT_STRING(0, "keys", &opt.keys, "<keys>",
		   "with --screen: type these first"),
	OPT_FLAG('q', "quiet", &opt.quiet, "say nothing but errors and losses"),
	OPT_FLAG('v', "verbose", &opt.verbose, "say more"),
	OPT_END,
};
/* clang-format on */

const struct command ttop_command = {
	.name = "ttop",
	.synopsis = "ttop [<options>]",
	.summary = "show which threads use the CPU, allocate and wait",
	.group = "see where time goes",
	.examples = "  sjkc ttop --replay monday.jsonl\n",
	.options = options,
	.run = run,
};
