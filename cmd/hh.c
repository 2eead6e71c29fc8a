/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc hh: heap histograms of all, live, dead or new objects. */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/report_format.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "cmd/shared/vm_flags.h"
#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/hotspot/vm_counters.h"
#include "core/jvm/class_histogram.h"
#include "render/text/histogram.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Walking a large heap takes minutes; SJK waits as long. */
#define TIMEOUT_NS (300 * CLOCK_NS_PER_S)
#define DEPTH_NS   (10 * CLOCK_NS_PER_S)

/* The options that select objects. */
#define KINDS "all|live|dead|dead-young|young"

/* Each histogram stops the program; a screen shows this many classes. */
#define WATCH_LEAST_NS CLOCK_NS_PER_S
#define WATCH_TOP      20

static struct {
	const char *pid;
	bool all, live, dead, dead_young, young;
	bool csv, json;
	int64_t depth, timeout_ns, watch_ns; /* watch_ns: 0 = not given */
	uint64_t top, iterations;
	const char *diff, *input;
	const char *output;
} opt = {
	.depth = DEPTH_NS,
	.timeout_ns = TIMEOUT_NS,
	.output = "-",
};

/* The JVM and the options of a histogram. */
struct heap {
	struct jvm jvm;
	struct container_pod pod;
	struct attach *attach;
	struct perfdata *counters; /* NULL when the JVM has none */
	/* NULL when it is unknown. */
	const struct vm_collector *collector;
};

/* As in SJK: all objects, or those that survive a full collection. */
static const char which_all[] = "-all", which_live[] = "-live";

static int hh_take(struct heap *heap, const char *which,
		   struct class_histogram *h, struct error *err)
{
	struct attach_request request = {
		.operation = "inspectheap",
		.args = { which },
	};
	struct text reply = { 0 };
	int status;

	if (which == which_live)
		log_info("%d: counting live objects forces a full GC",
			 heap->jvm.pid);
	status = attach_call(heap->attach, &request, &reply, err);
	if (status == 0)
		status = class_histogram_read(h, reply.bytes, reply.len, err);
	h->pod = &heap->pod;
	if (status)
		fail_in(err, "%d", heap->jvm.pid);
	if (status == 0 && h->unread)
		log_always("%d: unreadable lines of the JVM's reply: %zu "
			   "(first: line %" PRIu64 ")",
			   heap->jvm.pid, h->unread, h->first_unread);
	text_release(&reply);
	return status;
}

/* Returns the number of collections so far; 0 without counters. */
static int64_t hh_collections(struct heap *heap)
{
	int64_t sum = 0, one;
	char name[48];

	if (!heap->counters || perfdata_refresh(heap->counters, error_unused()))
		return 0;
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "sun.gc.collector.%d.invocations",
			 i);
		if (perfdata_value(heap->counters, name, &one))
			sum += one;
	}
	return sum;
}

static int hh_take_all(struct heap *heap, struct class_histogram *h,
		       struct error *err)
{
	return hh_take(heap, which_all, h, err);
}

static int hh_take_live(struct heap *heap, struct class_histogram *h,
			struct error *err)
{
	/* If the JVM never collects, "-live" counts garbage, too. */
	if (heap->collector && heap->collector->never_collects)
		return hh_take(heap, which_all, h, err);
	return hh_take(heap, which_live, h, err);
}

/* Garbage: objects that a full collection removes. */
static int hh_take_dead(struct heap *heap, struct class_histogram *h,
			struct error *err)
{
	struct class_histogram live = { 0 };
	int status = hh_take(heap, which_all, h, err);

	if (status == 0)
		status = hh_take_live(heap, &live, err);
	if (status == 0)
		class_histogram_subtract(h, &live);
	class_histogram_release(&live);
	return status;
}

/*
 * Waits for --sample-depth while the program allocates; warns when a collection
 * removed new objects.
 */
static void hh_wait_for_objects(struct heap *heap)
{
	int64_t before = hh_collections(heap), count;

	log_info("waiting %s for new objects",
		 units_time((double)opt.depth).text);
	clock_sleep_until(clock_monotonic_ns() + opt.depth);
	count = hh_collections(heap) - before;
	if (!heap->counters)
		log_info("the JVM has no counters, so sjkc cannot tell whether "
			 "a garbage collection ran meanwhile");
	else if (count > 0)
		log_always("%" PRId64 " garbage %s removed some new objects, "
			   "which are not counted; wait for a shorter time "
			   "(-d)",
			   count, count == 1 ? "collection" : "collections");
}

/* Garbage that was made within --sample-depth: a full collection comes first.
 */
static int hh_take_dead_young(struct heap *heap, struct class_histogram *h,
			      struct error *err)
{
	struct class_histogram before = { 0 };
	int status = hh_take_live(heap, &before, err);

	if (status == 0) {
		hh_wait_for_objects(heap);
		status = hh_take_dead(heap, h, err);
	}
	class_histogram_release(&before);
	return status;
}

static int hh_take_young(struct heap *heap, struct class_histogram *h,
			 struct error *err)
{
	struct class_histogram before = { 0 };
	int status = hh_take_live(heap, &before, err);

	if (status == 0) {
		hh_wait_for_objects(heap);
		status = hh_take(heap, which_all, h, err);
	}
	if (status == 0)
		class_histogram_subtract(h, &before);
	class_histogram_release(&before);
	return status;
}

typedef int take_fn(struct heap *heap, struct class_histogram *h,
		    struct error *err);

static int hh_choose(take_fn **take, struct error *err)
{
	const struct report_format format = { &opt.csv, &opt.json, NULL };

	*take = opt.live         ? hh_take_live
		: opt.dead       ? hh_take_dead
		: opt.dead_young ? hh_take_dead_young
		: opt.young      ? hh_take_young
				 : hh_take_all;
	if (report_format_choose(&format, opt.output, err))
		return -1;
	if (opt.watch_ns && strcmp(opt.output, "-") != 0)
		return misuse(err,
			      "--watch writes to standard output: omit -o");
	if (opt.watch_ns && opt.watch_ns < WATCH_LEAST_NS)
		return misuse(err, "--watch takes at least 1s, because each "
				   "histogram stops the program");
	if (opt.watch_ns && !opt.json && !opt.top)
		opt.top = WATCH_TOP;
	return 0;
}

static int hh_write(const struct class_histogram *h, struct error *err)
{
	histogram_fn *write = opt.json  ? histogram_json
			      : opt.csv ? histogram_csv
					: histogram_text;
	struct output out;
	int status = output_open(&out, opt.output, err);

	if (status == 0) {
		write(&out, h, opt.top);
		status = output_commit(&out, err);
	}
	output_close(&out);
	return status;
}

static int hh_write_changes(const struct class_histogram *before,
			    const struct class_histogram *after,
			    const char *title, size_t top, struct error *err)
{
	histogram_changes_fn *write = opt.json  ? histogram_changes_json
				      : opt.csv ? histogram_changes_csv
						: histogram_changes_text;
	struct histogram_changes c = {
		.before = class_histogram_total(before),
		.after = class_histogram_total(after),
		.pod = after->pod,
	};
	struct class_change *rows = class_histogram_compare(before, after,
							    &c.count);
	struct output out;
	int status = output_open(&out, opt.output, err);

	c.rows = rows;
	if (status == 0) {
		if (title && !opt.json)
			output_printf(&out, "%s\n", title);
		write(&out, &c, top);
		status = output_commit(&out, err);
	}
	output_close(&out);
	free(rows);
	return status;
}

/* "12:00:10, prod/shop-7, container web, changes in 10 s" */
static void hh_add_title(struct text *title, const struct heap *heap,
			 int64_t begin_ns)
{
	time_t now = time(NULL);
	struct tm local;
	char clock[16] = "";

	if (localtime_r(&now, &local))
		strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	text_clear(title);
	text_printf(title, "%s, ", clock);
	if (heap->pod.name.len) {
		struct text pod = { 0 };

		container_pod_add(&heap->pod, &pod);
		safe_text(title, pod.bytes, pod.len);
		text_puts(title, ", ");
		text_release(&pod);
	}
	text_puts(title, "changes in ");
	units_add_time(title, (double)(clock_monotonic_ns() - begin_ns));
	if (opt.diff) {
		text_puts(title, " and since ");
		safe_text_puts(title, opt.diff);
	}
}

/*
 * Prints the changes since the first histogram, or since that of --diff, until
 * the JVM or the user ends it.
 */
static int hh_watch(struct heap *heap, take_fn *take,
		    const struct class_histogram *first, struct error *err)
{
	int64_t begin_ns = clock_monotonic_ns(), due_ns = begin_ns;
	struct text title = { 0 };
	int64_t taken_ns;
	bool is_slow = false;
	uint64_t printed = 0;
	int status = 0;

	signals_listen();
	if (heap->attach)
		attach_stop_by(heap->attach, signals_fd());
	while (status == 0 && (!opt.iterations || printed < opt.iterations)) {
		struct class_histogram h = { 0 };

		due_ns = clock_after(due_ns, opt.watch_ns);
		if (signals_wait(heap->jvm.pidfd, due_ns) != WAIT_DUE)
			break;
		taken_ns = clock_monotonic_ns();
		status = take(heap, &h, err);
		taken_ns = clock_monotonic_ns() - taken_ns;
		if (status == 0) {
			hh_add_title(&title, heap, begin_ns);
			status = hh_write_changes(first, &h, title.bytes,
						  opt.top, err);
			printed++;
		}
		class_histogram_release(&h);
		/* The program is stopped for at most a tenth of the time. */
		if (taken_ns > opt.watch_ns / 10) {
			due_ns = clock_monotonic_ns() + 9 * taken_ns -
				 opt.watch_ns;
			if (!is_slow)
				log_always("taking a histogram stops the "
					   "program for long; increasing the "
					   "interval");
			is_slow = true;
		}
	}
	text_release(&title);
	if (signals_arrived())
		status = 0; /* even if it interrupted a request */
	if (!jvm_runs(&heap->jvm)) {
		log_info("%d has exited", (int)heap->jvm.pid);
		status = 0;
	}
	return status;
}

/*
 * Garbage is the difference of two histograms. With a collector whose
 * histograms never count garbage, or that never removes it, the difference is
 * empty, so that the options for garbage fail.
 */
static int hh_check_collector(struct heap *heap, struct error *err)
{
	static const struct attach_request request = {
		.operation = "jcmd",
		.args = { "VM.flags -all" },
	};
	const bool wants_garbage = opt.dead || opt.dead_young;
	const struct vm_collector *c;
	struct text flags = { 0 };

	if (attach_call(heap->attach, &request, &flags, error_unused()) == 0)
		heap->collector = vm_collector_of(&flags);
	text_release(&flags);
	c = heap->collector;
	if (c && c->counts_reachable_only && wants_garbage)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: --dead and --dead-young are unavailable with "
			    "%s: its histograms count reachable objects only, "
			    "never garbage; use --live or --young",
			    heap->jvm.pid, c->name);
	if (c && c->never_collects && (wants_garbage || opt.live))
		return fail(
			err, ERROR_UNAVAILABLE,
			"%d: %s never collects garbage, so live objects "
			"cannot be distinguished from garbage; use hh without "
			"--live, --dead and --dead-young",
			heap->jvm.pid, c->name);
	if (c && c->counts_reachable_only && !opt.live)
		log_info("%d: %s counts reachable objects only: garbage is not "
			 "included",
			 heap->jvm.pid, c->name);
	return 0;
}

static int hh_open(struct heap *heap, int argc, char **argv, struct error *err)
{
	if (target_open(&heap->jvm, opt.pid, argc, argv, err))
		return -1;
	container_pod_read(&heap->pod, &heap->jvm);
	heap->attach = attach_open(&heap->jvm, ATTACH_TIMEOUT_NS, err);
	if (!heap->attach)
		return -1;
	if (hh_check_collector(heap, err))
		return -1;
	attach_set_timeout(heap->attach, opt.timeout_ns);
	if (opt.dead_young || opt.young)
		heap->counters = vm_counters_open(&heap->jvm, error_unused());
	return 0;
}

static int hh_read(const char *path, struct class_histogram *h,
		   struct error *err)
{
	int status = class_histogram_read_file(h, path, err);

	/* Its classes would be missing in the differences. */
	if (status == 0 && h->unread)
		return fail(err, ERROR_INPUT,
			    "%s: unreadable lines: %zu (first: line %" PRIu64
			    ")",
			    path, h->unread, h->first_unread);
	if (status == 0 && !h->has_total)
		log_always("%s: has no total line, so sjkc cannot tell whether "
			   "it lacks classes",
			   path);
	return status;
}

static int hh_get(struct heap *heap, take_fn *take, int argc, char **argv,
		  struct class_histogram *h, struct error *err)
{
	if (!opt.input)
		return hh_open(heap, argc, argv, err) || take(heap, h, err) ? -1
									    : 0;
	if (argc > 0)
		return misuse(err, "-i reads a file: omit the JVM");
	return hh_read(opt.input, h, err);
}

static int hh_run(int argc, char **argv, struct error *err)
{
	struct heap heap = { .jvm.pidfd = -1 };
	struct class_histogram before = { 0 }, h = { 0 };
	take_fn *take_one;
	int status;

	if (!opt.input && !opt.pid && argc == 1 && target_is_file(argv[0])) {
		if (target_refuse_live("watch|timeout|" KINDS, err))
			return -1;
		opt.input = argv[0];
		argc = 0;
	}
	status = hh_choose(&take_one, err);
	if (status == 0 && opt.diff)
		status = hh_read(opt.diff, &before, err);
	if (status == 0)
		status = hh_get(&heap, take_one, argc, argv, &h, err);
	if (status == 0)
		status = opt.diff ? hh_write_changes(&before, &h, NULL, opt.top,
						     err)
				  : hh_write(&h, err);
	if (status == 0 && opt.watch_ns)
		status = hh_watch(&heap, take_one, opt.diff ? &before : &h,
				  err);
	class_histogram_release(&before);
	class_histogram_release(&h);
	perfdata_close(heap.counters);
	attach_close(heap.attach);
	container_pod_release(&heap.pod);
	jvm_close(&heap.jvm);
	return status;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_FLAG(0, "all", &opt.all,
		 "count all objects including garbage (default)",
		 .aliases = "-histo -histo:all", .excludes = KINDS),
	OPT_FLAG(0, "live", &opt.live,
		 "count objects in use; forces a full GC",
		 .aliases = "-histo:live", .excludes = KINDS),
	OPT_FLAG(0, "dead", &opt.dead,
		 "count garbage; forces a full GC",
		 .excludes = KINDS "|diff|watch"),
	OPT_FLAG(0, "dead-young", &opt.dead_young,
		 "count garbage created during -d; forces GCs",
		 .excludes = KINDS "|diff|watch"),
	OPT_FLAG(0, "young", &opt.young,
		 "count objects created during -d; forces a GC",
		 .excludes = KINDS "|diff|watch"),
	OPT_DURATION('d', "sample-depth", &opt.depth, "<time>",
		     "wait this long for new objects",
		     .requires = "young|dead-young"),
	OPT_STRING(0, "diff", &opt.diff, "<file>",
		   "print changes since the histogram in this file"),
	OPT_STRING('i', "input", &opt.input, "<file>",
		   "read a histogram from a file instead of a JVM",
		   .excludes = "watch|pid|timeout|" KINDS),
	OPT_DURATION(0, "watch", &opt.watch_ns, "<time>",
		     "print the changes at this interval",
		     .excludes = "csv", .aliases = "--interval"),
	OPT_COUNT(0, "iterations", &opt.iterations, "<count>",
		  "stop --watch after this many comparisons",
		  .requires = "watch"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "print this many classes (default: all)", .aliases = "--top-number"),
	OPT_FLAG(0, "csv", &opt.csv, "write CSV", .excludes = "json"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_STRING('o', "output", &opt.output, "<file>", "write to this file",
		   .aliases = "-histo:file -histo:all,file"),
	OPT_DURATION(0, "timeout", &opt.timeout_ns, "<time>",
		     "give up after this time"),
	OPT_END
};
/* clang-format on */

/* Options of the JDK's jmap. */
static const struct refusal refusals[] = {
	{ "-dump -dump:live -dump:all -dump:format -dump:file "
	  "-dump:live,format -dump:live,file -dump:all,format -dump:all,file "
	  "-dump:gz",
	  "`sjkc jcmd PID GC.heap_dump FILE` writes live objects, "
	  "`GC.heap_dump -all FILE` all objects" },
	{ "-heap", "`sjkc jcmd PID GC.heap_info` prints the heap's spaces" },
	{ "-clstats -permstat",
	  "`sjkc jcmd PID VM.classloader_stats` prints class loaders" },
	{ "-finalizerinfo", "use `sjkc jcmd PID GC.finalizer_info`" },
	{ "-histo:live,file -histo:file,live", "use -histo:live and -o FILE" },
	{ "-histo:parallel -histo:live,parallel",
	  "the JVM chooses the number of threads; use -histo or -histo:live" },
	{ "-F", "`sjkc doctor PID` prints why a JVM does not answer" },
	{ NULL, NULL },
};

const struct command hh_command = {
	.name = "hh",
	.alias = "jmap",
	.synopsis = "hh [<options>] [<pid>|<file>]",
	.summary = "count the objects of a heap by class",
	.group = "threads and heap",
	.examples = "  sjkc hh 4711 -n 20                # the 20 largest\n"
		    "  sjkc hh 4711 --dead-young -d 5s   # what makes "
		    "garbage\n"
		    "  sjkc hh 4711 --live --watch 1m    # what grows; "
		    "forces GCs\n"
		    "  sjkc hh --diff before.txt 4711    # since a file\n"
		    "  sjkc jmap -histo:live 4711        # as the JDK's "
		    "jmap\n",
	.options = options,
	.has_messages = true,
	.refusals = refusals,
	.run = hh_run,
};
