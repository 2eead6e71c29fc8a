/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc gc: prints each pause for garbage collection as it happens, and totals
 * at the end.
 *
 * The stopped time is what the application feels; the collector's own time is
 * another measurement inside of it.
 */
#include "cmd/commands.h"
#include "cmd/gc/gc_command.h"
#include "cmd/shared/log.h"
#include "cmd/shared/reply_print.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/nearest.h"
#include "core/base/units.h"
#include "core/gc/gc_pending.h"
#include "core/gc/gc_totals.h"
#include "render/page/gc_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct gc_options opt = {
	.jmx.timeout_ns = -1,
	.select.min_age_ns = -1,
};

#define CHECK_NS    CLOCK_NS_PER_S
#define WAIT_MAX_NS CLOCK_NS_PER_S
#define RECORDS_MAX 10000 /* written at once */

/* A run of the command. */
struct watch {
	struct gc_streams streams;
	struct gc_layout layout;
	struct gc_totals totals;
	struct gc_timeline timeline; /* with --output */
	struct text out;             /* not yet written */
	int64_t end_ns;              /* 0: the measurement failed */
	int64_t check_ns;
	bool has_head;
};

static void watch_put_head(struct watch *w)
{
	if (w->has_head || opt.json)
		return;
	w->has_head = true;
	if (opt.csv)
		gc_record_csv_head(&w->out);
	else
		gc_record_text_head(&w->layout, &w->out);
}

static void watch_add_record(struct watch *w, const struct gc_stream *s,
			     const struct gc_pause *p)
{
	gc_totals_add(&w->totals, p);
	if (opt.output)
		gc_timeline_add(&w->timeline, p);
	if ((p->kind == GC_OTHER && !opt.safepoints) ||
	    (opt.min_ns && p->stopped_ns < opt.min_ns))
		return;
	watch_put_head(w);
	if (opt.json)
		gc_record_json(s->source, p, &w->out);
	else if (opt.csv)
		gc_record_csv(s->source, p, &w->out);
	else
		gc_record_text(&w->layout, s->source, p, &w->out);
}

static int watch_flush(struct watch *w, struct error *err)
{
	int ret = w->out.len ? reply_put(w->out.bytes, w->out.len, err) : 0;

	text_clear(&w->out);
	return ret;
}

/*
 * Takes the records that are there, at most as many as are written at once.
 * Returns -1 and *err on failure.
 */
static int watch_drain(struct watch *w, struct gc_stream *s, struct error *err)
{
	struct gc_pause p;
	enum gc_next next;
	unsigned count = 0;

	while ((next = gc_source_next(s->source, &p, err)) == GC_NEXT_RECORD &&
	       ++count < RECORDS_MAX)
		watch_add_record(w, s, &p);
	if (next == GC_NEXT_RECORD)
		watch_add_record(w, s, &p);
	if (next == GC_NEXT_END)
		s->has_ended = true;
	if (next != GC_NEXT_FAILED)
		return 0;
	s->has_ended = true;
	return fail_in(err, "%s", s->source->label.bytes);
}

/* Reports once that a stop does not end: it has no record before. */
static void watch_check_pending(struct gc_stream *s)
{
	const struct gc_pending *p = &s->source->pending;
	struct text why = { 0 };

	if (p->since_ns != s->pending_ns && gc_pending_add(&why, p, &s->jvm)) {
		log_always("%s: the JVM %s", s->source->label.bytes, why.bytes);
		s->pending_ns = p->since_ns;
	}
	text_release(&why);
}

/* Returns false when no source is left. */
static bool watch_step(struct watch *w, int64_t *wait_ns, struct error *err)
{
	bool is_left = false;

	*wait_ns = WAIT_MAX_NS;
	for (size_t i = 0; i < w->streams.count; i++) {
		struct gc_stream *s = w->streams.all[i];
		struct error why;

		if (s->has_ended)
			continue;
		if (watch_drain(w, s, &why)) {
			*err = why;
			if (!opt.inputs.count)
				log_always("%s", why.text);
		}
		if (s->has_ended)
			continue;
		is_left = true;
		watch_check_pending(s);
		if (s->source->wait_ns < *wait_ns)
			*wait_ns = s->source->wait_ns;
	}
	return is_left;
}

static void watch_check(struct watch *w)
{
	int64_t now_ns = clock_monotonic_ns();

	if (now_ns < w->check_ns)
		return;
	w->check_ns = now_ns + CHECK_NS;
	for (size_t i = 0; i < w->streams.count; i++) {
		struct gc_stream *s = w->streams.all[i];
		struct error unused;

		if (s->has_ended)
			continue;
		gc_live_check(s);
		if (!s->has_ended)
			continue;
		/* The last records of a JVM that is gone. */
		s->source->is_ending = true;
		watch_drain(w, s, &unused);
		s->has_ended = true;
		s->end_ns = now_ns;
	}
}

/* Waits for a signal or the next reading; returns false for a signal. */
static bool watch_wait(struct watch *w, int64_t wait_ns)
{
	struct pollfd *fds = xcalloc(2 * w->streams.count + 1, sizeof(*fds));
	struct timespec wait = { wait_ns / CLOCK_NS_PER_S,
				 wait_ns % CLOCK_NS_PER_S };
	bool goes_on;
	nfds_t count = 0;

	fds[count++] = (struct pollfd){ signals_fd(), POLLIN, 0 };
	for (size_t i = 0; i < w->streams.count; i++) {
		const struct gc_stream *s = w->streams.all[i];

		if (s->has_ended)
			continue;
		fds[count++] = (struct pollfd){ s->jvm.pidfd, POLLIN, 0 };
		fds[count++] = (struct pollfd){ s->source->fd, POLLIN, 0 };
	}
	ppoll(fds, count, &wait, NULL);
	goes_on = !fds[0].revents;
	/* A JVM that ended is drained by the next step, then found ended. */
	for (nfds_t i = 1; i < count; i += 2) {
		if (fds[i].revents)
			w->check_ns = 0;
	}
	free(fds);
	return goes_on;
}

static int watch_run(struct watch *w, struct error *err)
{
	struct error failed = { 0 };
	bool goes_on = true;
	int64_t wait_ns;

	w->end_ns = opt.duration_ns
			    ? clock_after(clock_monotonic_ns(), opt.duration_ns)
			    : INT64_MAX;
	while (watch_step(w, &wait_ns, &failed)) {
		int64_t left_ns = w->end_ns - clock_monotonic_ns();

		watch_check(w);
		if (watch_flush(w, err)) {
			w->end_ns = 0;
			return -1;
		}
		if (!goes_on || left_ns <= 0)
			break;
		goes_on = watch_wait(w, wait_ns < left_ns ? wait_ns : left_ns);
	}
	w->end_ns = clock_monotonic_ns();
	for (size_t i = 0; i < w->streams.count; i++)
		w->streams.all[i]->source->is_ending = true;
	watch_step(w, &wait_ns, &failed);
	if (failed.kind)
		*err = failed;
	if (!failed.kind || opt.inputs.count)
		return failed.kind ? -1 : 0;
	return fail(err, ERROR_PARTIAL, "the measurement is incomplete: %s",
		    failed.text);
}

/* ---- the end ---- */

static int64_t watch_cpu_ns(const struct watch *w)
{
	int64_t sum = GC_ABSENT;

	for (size_t i = 0; i < w->streams.count; i++) {
		int64_t one = gc_live_cpu_ns(w->streams.all[i]);

		if (one != GC_ABSENT)
			sum = (sum == GC_ABSENT ? 0 : sum) + one;
	}
	return sum;
}

static struct gc_summary watch_summary(struct watch *w)
{
	return (struct gc_summary){
		.totals = &w->totals,
		/*
		 * The time that was observed, the sum of all JVMs; of files,
		 * from the first record to the last. 0 = unknown.
		 */
		.wall_ns = opt.inputs.count ? gc_totals_span(&w->totals)
					    : gc_streams_observed_ns(
						      &w->streams, w->end_ns),
		.jvms = opt.inputs.count ? 0 : w->streams.count,
		.cpu_ns = watch_cpu_ns(w),
		.columns = w->layout.columns,
		.shows_safepoints = opt.safepoints,
	};
}

static void watch_put_summary(struct watch *w, struct text *out)
{
	struct gc_summary summary = watch_summary(w);

	gc_summary_text(&summary, out);
}

static void watch_put_totals(struct watch *w)
{
	if (!w->totals.collections.stops)
		text_puts(&w->out, "no collections\n");
	for (size_t i = 0; i < w->streams.count; i++) {
		const struct gc_stream *s = w->streams.all[i];
		struct text why = { 0 };

		if (!s->has_ended &&
		    gc_pending_add(&why, &s->source->pending, &s->jvm))
			text_printf(&w->out, "not included: the JVM %s\n",
				    why.bytes);
		text_release(&why);
	}
	if (w->has_head)
		text_putc(&w->out, '\n');
	watch_put_summary(w, &w->out);
	if (!opt.histogram || !w->totals.collections.stops)
		return;
	text_putc(&w->out, '\n');
	gc_summary_histogram(&w->totals, &w->out);
}

/* Appends what was lost; false if nothing was. */
static bool watch_put_losses(const struct watch *w, struct text *out)
{
	struct gc_lost sum = { 0 };

	for (size_t i = 0; i < w->streams.count; i++) {
		struct gc_lost lost;

		gc_source_lost(w->streams.all[i]->source, &lost);
		sum.pauses += lost.pauses;
		sum.records += lost.records;
		sum.lines += lost.lines;
		sum.more_pauses |= lost.more_pauses;
	}
	if (!sum.pauses && !sum.records && !sum.lines)
		return false;
	text_printf(out,
		    "incomplete: %" PRIu64 "%s pause%s missed, %" PRIu64
		    " record%s lost, "
		    "%" PRIu64 " line%s unreadable",
		    sum.pauses, sum.more_pauses ? " or more" : "",
		    sum.more_pauses ? "s" : units_plural(sum.pauses),
		    sum.records, units_plural(sum.records), sum.lines,
		    units_plural(sum.lines));
	return true;
}

/* Prints what was lost; ERROR_PARTIAL if anything was. */
static int watch_report_losses(const struct watch *w, struct error *err)
{
	uint64_t files = gc_files_report();
	struct text lost = { 0 };
	int ret = 0;

	if (files)
		ret = fail(err, ERROR_PARTIAL,
			   "%" PRIu64 " of %zu inputs "
			   "are unreadable or incomplete",
			   files, opt.inputs.count);
	else if (watch_put_losses(w, &lost))
		ret = fail(err, ERROR_PARTIAL, "the output is %s", lost.bytes);
	text_release(&lost);
	return ret;
}

/* The period in which live sources were observed, on the page's clock. */
static void watch_set_period(struct watch *w)
{
	int64_t begin_ns = w->end_ns;

	for (size_t i = 0; i < w->streams.count; i++) {
		const struct gc_source *s = w->streams.all[i]->source;

		if (s->begin_ns < begin_ns)
			begin_ns = s->begin_ns;
	}
	w->timeline.from_ns = clock_wall_of(begin_ns);
	w->timeline.to_ns = clock_wall_of(w->end_ns);
}

/* Writes the page. */
static int watch_write_page(struct watch *w, struct error *err)
{
	const struct gc_source *first = w->streams.all[0]->source;
	struct text title = { 0 }, description = { 0 }, summary = { 0 };
	struct output out;
	int ret;

	text_puts(&title, first->label.bytes);
	container_pod_add_to_title(&first->pod, &title);
	if (w->streams.count > 1)
		text_printf(&title, " and %zu more", w->streams.count - 1);
	if (watch_put_losses(w, &description))
		text_puts(&description, "; ");
	text_puts(&description, first->description.bytes);
	watch_put_summary(w, &summary);
	if (!opt.inputs.count)
		watch_set_period(w);
	ret = output_open(&out, opt.output, err);
	if (ret == 0) {
		gc_timeline_write(&w->timeline, title.bytes, description.bytes,
				  w->layout.columns, &summary, &out);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	if (ret == 0 && w->timeline.omitted)
		log_always("%s: %" PRIu64 " record%s omitted", opt.output,
			   w->timeline.omitted,
			   units_plural(w->timeline.omitted));
	text_release(&title);
	text_release(&description);
	text_release(&summary);
	return ret;
}

static int watch_finish(struct watch *w, struct error *err)
{
	if (!opt.json && !opt.csv)
		watch_put_totals(w);
	else if (opt.csv)
		watch_put_head(w);
	if (watch_flush(w, err) || (opt.output && watch_write_page(w, err)))
		return -1;
	return watch_report_losses(w, err);
}

/* ---- gates ---- */

static int watch_finish_gates(struct watch *w, struct gates *gates, int ret,
			      struct error *err)
{
	struct gc_measurement m = { .summary = watch_summary(w) };

	for (size_t i = 0; i < w->streams.count; i++) {
		const struct gc_source *s = w->streams.all[i]->source;
		int64_t ns = w->end_ns - s->pending.since_ns;

		gates_add_property(gates, "source", s->label.bytes);
		gates_add_property(gates, "method", s->description.bytes);
		if (w->streams.all[i]->has_ended || !s->pending.since_ns)
			continue;
		m.pending++;
		m.pending_ns = ns > m.pending_ns ? ns : m.pending_ns;
	}
	if (w->end_ns)
		gc_gates_judge(gates, &m);
	if (ret == 0 && w->streams.skipped)
		ret = fail(err, ERROR_PARTIAL,
			   "%zu of the JVMs could not be observed",
			   w->streams.skipped);
	return gates_finish(gates, ret, err);
}

/* ---- arguments ---- */

static const char sources[] = "auto uprobes counters log jmx";

/* Returns the name of a source for a word, which may be an earlier name. */
static const char *gc_source_name(const char *word)
{
	if (strcmp(word, "probe") == 0)
		return "uprobes";
	if (strcmp(word, "perfdata") == 0)
		return "counters";
	return word;
}

/* True for "30s", and for a number that is not the PID of a JVM. */
static bool gc_is_duration(const char *word)
{
	struct jvm jvm;
	int64_t ns;

	if (units_duration(word, &ns, error_unused()))
		return false;
	if (word[strspn(word, "0123456789")])
		return true;
	if (jvm_open_java(&jvm, (pid_t)strtol(word, NULL, 10), error_unused()))
		return true;
	jvm_close(&jvm);
	return false;
}

static int gc_check_output(struct error *err)
{
	const char *dot = strrchr(opt.output, '.');

	if (strcmp(opt.output, "-") == 0)
		return misuse(err, "--output needs a file: standard output has "
				   "the pauses");
	if (!dot || (strcmp(dot, ".html") != 0 && strcmp(dot, ".htm") != 0))
		return misuse(err, "unknown output format '%s'; valid: *.html",
			      opt.output);
	return output_try(opt.output, err);
}

/* Parses <pid>… [<seconds>]. */
static int gc_read_arguments(int argc, char **argv, struct error *err)
{
	bool has_files = argc && !opt.all && !opt.pids.count &&
			 target_is_file(argv[0]);
	bool has_jvm = opt.all || opt.pids.count || argc > 1;

	if (has_files || opt.inputs.count) {
		for (int i = 0; i < argc; i++)
			option_list_add(&opt.inputs, argv[i]);
		argc = 0;
	}
	if (argc && (has_jvm || argv[0][strspn(argv[0], "0123456789")]) &&
	    gc_is_duration(argv[argc - 1])) {
		if (opt.duration_ns)
			return misuse(err, "the duration is given twice: '%s'",
				      argv[argc - 1]);
		if (units_duration(argv[argc - 1], &opt.duration_ns, err))
			return -1;
		argc--;
	}
	if (argc && opt.all)
		return misuse(err, "--all and '%s' cannot be used together",
			      argv[0]);
	for (int i = 0; i < argc; i++)
		option_list_add(&opt.pids, argv[i]);
	if (opt.source)
		opt.source = gc_source_name(opt.source);
	if (opt.log && opt.source && strcmp(opt.source, "log") != 0)
		return misuse(err,
			      "options --log and --source %s cannot be used "
			      "together",
			      opt.source);
	if (opt.log)
		opt.source = "log";
	if (opt.source &&
	    !word_list_has(sources, ' ', opt.source, strlen(opt.source)))
		return nearest_fail_choice("source", opt.source,
					   strlen(opt.source), sources, err);
	if (opt.inputs.count &&
	    target_refuse_live("log|address|url|source|duration|timeout|"
			       "no-heap-uprobe",
			       err))
		return -1;
	if (!opt.jmx.socket && !opt.jmx.url && jmx_check_by_pid(err))
		return -1;
	if (opt.pids.count && (opt.jmx.socket || opt.jmx.url))
		return misuse(err, "an address excludes PIDs: '%s'",
			      opt.pids.values[0]);
	if (opt.output && gc_check_output(err))
		return -1;
	return 0;
}

static int gc_open(struct gc_streams *streams, struct error *err)
{
	if (opt.inputs.count)
		return gc_files_open(&opt, streams, err);
	if (gc_jmx_is_wanted(&opt))
		return gc_jmx_open(&opt, streams, err);
	return gc_live_open(&opt, streams, err);
}

static int gc_run(int argc, char **argv, struct error *err)
{
	struct watch w = { 0 };
	struct gates gates = { 0 };
	int ret;

	ret = gc_read_arguments(argc, argv, err);
	if (ret == 0)
		ret = gates_init(&gates, "gc", opt.junit, opt.inputs.values,
				 opt.inputs.count, err);
	if (ret == 0)
		ret = gc_gates_add(&opt.fail, &gates, err);
	if (ret) {
		gates_release(&gates);
		return ret;
	}
	ret = gc_open(&w.streams, err);
	if (ret == 0) {
		signals_listen();
		for (size_t i = 0; i < w.streams.count; i++)
			w.layout.columns |= w.streams.all[i]->source->columns;
		w.layout.has_label = w.streams.count > 1;
		w.layout.shows_phases = opt.phases;
		ret = watch_run(&w, err);
		/* Input without a record has nothing to print. */
		if (ret == 0 ||
		    (err->kind != ERROR_OUTPUT && !opt.inputs.count))
			ret |= watch_finish(&w, ret ? error_unused() : err);
	}
	if (ret == 0)
		ret = jmx_client_check_limits(err);
	if (gates.count)
		ret = watch_finish_gates(&w, &gates, ret, err);
	gates_release(&gates);
	gc_streams_close(&w.streams);
	gc_files_close();
	gc_jmx_close();
	gc_totals_release(&w.totals);
	gc_timeline_release(&w.timeline);
	text_release(&w.out);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_HEADING("target"),
	OPT_LIST('p', "pid", &opt.pids, "<pid>",
		 "observe this JVM: PID, class, jar or <regex>",
		 .single = true),
	OPT_FLAG(0, "all", &opt.all, "observe all running JVMs"),
	OPT_JVM_SELECTOR(opt.select),
	OPT_LIST('i', "input", &opt.inputs, "<file>",
		 "read GC logs or a JFR recording; - is stdin",
		 .aliases = "-f --file", .excludes = "pid|all"),
	OPT_JMX_SOCKET(&opt.jmx),
	OPT_JMX_URL(&opt.jmx),
	OPT_JMX_LOGIN(&opt.jmx),
	OPT_JMX_TLS(&opt.jmx),
	OPT_JMX_FORCE(&opt.jmx),
	OPT_JMX_TIMEOUT(&opt.jmx),
	OPT_HEADING("what"),
	OPT_DURATION('d', "duration", &opt.duration_ns, "<time>",
		     "observe for this long (default: until Ctrl-C)"),
	OPT_STRING(0, "source", &opt.source, "<source>",
		   "use uprobes, counters, log, jmx (default: auto)",
		   .complete = "auto|uprobes|counters|log|jmx"),
	OPT_FLAG(0, "log", &opt.log,
		 "make the JVM write a log; requires no root",
		 .excludes = "address|url"),
	OPT_FLAG(0, "phases", &opt.phases,
		 "print the phases of collections and cycles"),
	OPT_FLAG(0, "safepoints", &opt.safepoints,
		 "also print stops for other reasons"),
	OPT_DURATION(0, "min", &opt.min_ns, "<time>",
		     "omit pauses shorter than this"),
	OPT_FLAG(0, "no-heap-uprobe", &opt.no_heap,
		 "do not measure the heap before collections",
		 .aliases = "--no-heap-probe"),
	OPT_HEADING("output"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write HTML with a timeline of pauses (*.html)"),
	OPT_FLAG(0, "histogram", &opt.histogram,
		 "print a histogram of stopped times at the end",
		 .excludes = "csv|json"),
	OPT_FLAG(0, "csv", &opt.csv, "write CSV, a row per pause",
		 .excludes = "json"),
	OPT_FLAG(0, "json", &opt.json, "write JSON, an object per pause"),
	OPT_HEADING("gates"),
	OPT_LIST(0, "fail", &opt.fail, "<gate>",
		 "exit with status 10 if it holds: 'p99>200ms'",
		 .single = true),
	OPT_STRING(0, "junit", &opt.junit, "<file>",
		   "write the results of the gates as JUnit XML",
		   .requires = "fail"),
	OPT_HEADING("messages"),
	OPT_END,
};
/* clang-format on */

const struct command gc_command = {
	.name = "gc",
	.synopsis = "gc [<options>] [<pid>…] [<seconds>] | <file>…",
	.summary = "print garbage collection pauses as they happen",
	.group = "watch",
	.examples = "  sjkc gc 4711                 # until Ctrl-C\n"
		    "  sjkc gc 4711 30s --min 10ms  # only long pauses\n"
		    "  sjkc gc 4711 --json | jq .stopped_ns\n"
		    "  sjkc gc -i gc.log            # pauses of a log\n"
		    "  sjkc gc -i gc.log -o gc.html # a timeline of a log\n"
		    "  sjkc gc gc.log --fail 'p99>200ms' # in a pipeline\n"
		    "  sjkc gc -s db1:9010          # collections over JMX\n",
	.options = options,
	.has_messages = true,
	.refusals = jmx_refusals,
	.run = gc_run,
};
