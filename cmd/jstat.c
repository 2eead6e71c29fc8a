/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc jstat: prints a JVM's counters of garbage collection and classes in the
 * columns of the JDK's jstat, once or periodically.
 *
 * sjkc reads the counters from the JVM's shared file, without attaching. Layout
 * and rounding are those of jstat in JDK 17 and later: "-" if the collector has
 * no such counter; a KB has 1,024 bytes.
 */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/reply_print.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hotspot/vm_counters.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const char *pid;
	bool gc, gcutil, gccause, classes;
	bool timestamp;
	uint64_t header_every;
} opt = {
	.header_every = COUNT_NOT_GIVEN,
};

enum column_kind {
	COLUMN_COUNT, /* the sum of its counters */
	COLUMN_KB,
	COLUMN_PERCENT, /* the first counter, used, of the second, capacity */
	COLUMN_SECONDS, /* the sum of its counters, which are ticks */
	COLUMN_TEXT,    /* left-aligned */
};

/* A column, its width and its counters. */
struct column {
	enum column_kind kind;
	int width;
	int digits; /* after the decimal point */
	const char *counters[3];
};

struct statistics {
	const bool *chosen;
	const char *header;
	const struct column *columns; /* ends with a width of 0 */
};

/* clang-format off */
#define SPACE(g, s) "sun.gc.generation." #g ".space." #s
#define COLLECTOR(n) "sun.gc.collector." #n
#define META "sun.gc.metaspace."
#define CCS "sun.gc.compressedclassspace."

#define KB(w, name) { COLUMN_KB, w, 1, { name } }
#define PERCENT(w, used, capacity) \
	{ COLUMN_PERCENT, w, 2, { used, capacity } }
#define COLLECTOR_COLUMNS(first, n) \
	{ COLUMN_COUNT, first, 0, { COLLECTOR(n) ".invocations" } }, \
	{ COLUMN_SECONDS, 10, 3, { COLLECTOR(n) ".time" } }
#define ALL_COLLECTORS \
	COLLECTOR_COLUMNS(7, 0), COLLECTOR_COLUMNS(6, 1), \
	COLLECTOR_COLUMNS(6, 2), \
	{ COLUMN_SECONDS, 10, 3, \
	  { COLLECTOR(0) ".time", COLLECTOR(1) ".time", COLLECTOR(2) ".time" } }

static const struct column gc_columns[] = {
	KB(11, SPACE(0, 1) ".capacity"), KB(12, SPACE(0, 2) ".capacity"),
	KB(12, SPACE(0, 1) ".used"), KB(12, SPACE(0, 2) ".used"),
	KB(13, SPACE(0, 0) ".capacity"), KB(13, SPACE(0, 0) ".used"),
	KB(13, SPACE(1, 0) ".capacity"), KB(13, SPACE(1, 0) ".used"),
	KB(11, META "capacity"), KB(11, META "used"),
	KB(10, CCS "capacity"), KB(10, CCS "used"),
	ALL_COLLECTORS,
	{ .width = 0 },
};

#define UTILIZATION \
	PERCENT(6, SPACE(0, 1) ".used", SPACE(0, 1) ".capacity"), \
	PERCENT(7, SPACE(0, 2) ".used", SPACE(0, 2) ".capacity"), \
	PERCENT(7, SPACE(0, 0) ".used", SPACE(0, 0) ".capacity"), \
	PERCENT(7, SPACE(1, 0) ".used", SPACE(1, 0) ".capacity"), \
	PERCENT(7, META "used", META "capacity"), \
	PERCENT(7, CCS "used", CCS "capacity"), \
	ALL_COLLECTORS

static const struct column gcutil_columns[] = {
	UTILIZATION,
	{ .width = 0 },
};

static const struct column gccause_columns[] = {
	UTILIZATION,
	{ COLUMN_TEXT, 20, 0, { "sun.gc.lastCause" } },
	{ COLUMN_TEXT, 20, 0, { "sun.gc.cause" } },
	{ .width = 0 },
};

static const struct column class_columns[] = {
	{ COLUMN_COUNT, 6, 0,
	  { "java.cls.loadedClasses", "java.cls.sharedLoadedClasses" } },
	{ COLUMN_KB, 8, 1,
	  { "sun.cls.loadedBytes", "sun.cls.sharedLoadedBytes" } },
	{ COLUMN_COUNT, 9, 0,
	  { "java.cls.unloadedClasses", "java.cls.sharedUnloadedClasses" } },
	{ COLUMN_KB, 8, 1,
	  { "sun.cls.unloadedBytes", "sun.cls.sharedUnloadedBytes" } },
	{ COLUMN_SECONDS, 11, 2, { "sun.cls.time" } },
	{ .width = 0 },
};

#define UTILIZATION_HEADER \
	"  S0     S1     E      O      M     CCS    YGC     YGCT     FGC" \
	"    FGCT     CGC    CGCT       GCT   "

static const struct statistics all[] = {
	{ &opt.gc,
	  "    S0C         S1C         S0U         S1U          EC"
	  "           EU           OC           OU          MC         MU"
	  "       CCSC      CCSU     YGC     YGCT     FGC    FGCT     CGC"
	  "    CGCT       GCT   ", gc_columns },
	{ &opt.gcutil, UTILIZATION_HEADER, gcutil_columns },
	{ &opt.gccause,
	  UTILIZATION_HEADER " LGCC                 GCC                 ",
	  gccause_columns },
	{ &opt.classes, "Loaded  Bytes  Unloaded  Bytes     Time   ",
	  class_columns },
};
/* clang-format on */

/* How long a JVM may take to exit after it removed its counters. */
#define EXIT_NS          CLOCK_NS_PER_S

#define TIMESTAMP_HEADER "Timestamp       "

/* Returns the sum of the existing counters; NAN when none exists. */
static double column_sum(const struct perfdata *p, const struct column *c)
{
	double sum = NAN;

	for (size_t i = 0; i < 3 && c->counters[i]; i++) {
		int64_t value;

		if (!perfdata_value(p, c->counters[i], &value))
			continue;
		if (c->kind == COLUMN_SECONDS)
			value = perfdata_ns(p, value);
		sum = (isnan(sum) ? 0 : sum) + (double)value;
	}
	return sum;
}

/* The formula of jstat; NAN for a space without capacity. */
static double column_percent(const struct perfdata *p, const struct column *c)
{
	int64_t used, capacity;

	if (!perfdata_value(p, c->counters[0], &used) ||
	    !perfdata_value(p, c->counters[1], &capacity) || !capacity)
		return NAN;
	return (1 - (double)(capacity - used) / (double)capacity) * 100;
}

static void column_put(struct text *line, const struct perfdata *p,
		       const struct column *c)
{
	double value;

	if (c->kind == COLUMN_TEXT) {
		const char *text = perfdata_text(p, c->counters[0]);

		text_printf(line, " %-*s", c->width, text ? text : "-");
		return;
	}
	value = c->kind == COLUMN_PERCENT ? column_percent(p, c)
					  : column_sum(p, c);
	if (c->kind == COLUMN_KB)
		value /= 1024;
	if (c->kind == COLUMN_SECONDS)
		value /= (double)CLOCK_NS_PER_S;
	if (isnan(value))
		text_printf(line, "%*s", c->width, "-");
	else
		text_printf(line, "%*.*f", c->width, c->digits, value);
}

/* A run of jstat. */
struct watch {
	struct jvm jvm;
	struct perfdata *counters;
	const struct statistics *statistics;
	int64_t start_ns; /* when the JVM started, wall clock */
	int64_t interval_ns;
	uint64_t count, printed; /* lines; count 0: no limit */
};

static int watch_print_line(struct watch *w, struct error *err)
{
	uint64_t every = opt.header_every;
	struct text line = { 0 };
	int ret;

	if (w->printed == 0 ||
	    (every != COUNT_NOT_GIVEN && every && w->printed % every == 0))
		text_printf(&line, "%s%s\n",
			    opt.timestamp ? TIMESTAMP_HEADER : "",
			    w->statistics->header);
	if (opt.timestamp)
		text_printf(&line, "%15.1f ",
			    (double)(clock_wall_ns() - w->start_ns) /
				    (double)CLOCK_NS_PER_S);
	for (const struct column *c = w->statistics->columns; c->width; c++)
		column_put(&line, w->counters, c);
	text_putc(&line, '\n');
	w->printed++;
	ret = reply_put(line.bytes, line.len, err);
	text_release(&line);
	return ret;
}

static int jstat_watch(struct watch *w, struct error *err)
{
	int64_t due_ns = clock_monotonic_ns();
	struct error vanished;

	signals_listen();
	for (;;) {
		if (watch_print_line(w, err))
			return -1;
		if (w->printed == w->count)
			return 0;
		due_ns = clock_after(due_ns, w->interval_ns);
		if (signals_wait(w->jvm.pidfd, due_ns) != WAIT_DUE)
			break;
		if (perfdata_refresh(w->counters, &vanished) == 0)
			continue;
		/* A JVM removes its counters shortly before it exits. */
		if (signals_wait(w->jvm.pidfd,
				 clock_after(clock_monotonic_ns(), EXIT_NS)) ==
		    WAIT_DUE) {
			*err = vanished;
			return fail_in(err, "%d", (int)w->jvm.pid);
		}
		break;
	}
	if (!jvm_runs(&w->jvm))
		log_info("%d has exited", (int)w->jvm.pid);
	return 0;
}

/* The grammar of jstat: 250, 250ms or 2s; a bare number is milliseconds. */
static int watch_read_interval(const char *word, int64_t *ns, struct error *err)
{
	uint64_t ms;

	if (word[strspn(word, "0123456789")] == '\0') {
		if (units_count(word, &ms, err))
			return -1;
		*ns = ms > INT64_MAX / CLOCK_NS_PER_MS
			      ? INT64_MAX
			      : (int64_t)ms * CLOCK_NS_PER_MS;
	} else if (units_duration(word, ns, err)) {
		return fail_in(err, "interval");
	}
	return *ns > 0 ? 0 : misuse(err, "the interval must be greater than 0");
}

/* Parses [interval [count]] after the JVM. */
static int watch_read_times(struct watch *w, int argc, char **argv,
			    struct error *err)
{
	w->count = 1;
	if (argc > 2)
		return misuse(err, "unexpected argument '%s'", argv[2]);
	if (argc >= 1) {
		w->count = 0; /* until the JVM ends */
		if (watch_read_interval(argv[0], &w->interval_ns, err))
			return -1;
	}
	if (argc == 2) {
		if (units_count(argv[1], &w->count, err))
			return -1;
		if (!w->count)
			return misuse(err, "the count must be greater than 0");
	}
	return 0;
}

static int jstat_choose(struct watch *w, struct error *err)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!*all[i].chosen)
			continue;
		if (w->statistics)
			return misuse(err, "choose only one of -gc, -gcutil, "
					   "-gccause and -class");
		w->statistics = &all[i];
	}
	if (!w->statistics)
		return misuse(err, "choose -gcutil, -gc, -gccause or -class");
	return 0;
}

static int watch_open_counters(struct watch *w, struct error *err)
{
	struct jvm_info info;
	int64_t metaspace;

	w->counters = vm_counters_open(&w->jvm, err);
	if (!w->counters)
		return -1;
	if (jvm_info(&w->jvm, &info, err))
		return -1;
	w->start_ns = info.start_ns;
	jvm_info_release(&info);
	if (!opt.classes &&
	    perfdata_value(w->counters, "sun.gc.metaspace.capacity",
			   &metaspace) &&
	    !metaspace)
		log_info("%d: metaspace and class space are 0 until the first "
			 "collection, which sets their counters",
			 (int)w->jvm.pid);
	return 0;
}

/* True for the first argument of `jstat -gcutil 1s 5`, which names no JVM. */
static bool jstat_is_time(const char *word)
{
	int64_t ns;

	return word[strspn(word, "0123456789")] &&
	       units_duration(word, &ns, error_unused()) == 0;
}

static int jstat_run(int argc, char **argv, struct error *err)
{
	struct watch w = { .jvm.pidfd = -1 };
	int ret = jstat_choose(&w, err);

	if (ret == 0 && !opt.pid && argc && jstat_is_time(argv[0]))
		ret = target_open_any(&w.jvm, err);
	else if (ret == 0)
		ret = target_open_first(&w.jvm, opt.pid, &argc, &argv, err);
	if (ret == 0)
		ret = watch_read_times(&w, argc, argv, err);
	if (ret == 0)
		ret = watch_open_counters(&w, err);
	if (ret == 0)
		ret = jstat_watch(&w, err);
	perfdata_close(w.counters);
	jvm_close(&w.jvm);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_FLAG(0, "gcutil", &opt.gcutil,
		 "print spaces in percent, and collections",
		 .aliases = "-gcutil"),
	OPT_FLAG(0, "gc", &opt.gc,
		 "print spaces in KB, and collections",
		 .aliases = "-gc"),
	OPT_FLAG(0, "gccause", &opt.gccause,
		 "print -gcutil and the causes of collections",
		 .aliases = "-gccause"),
	OPT_FLAG(0, "class", &opt.classes,
		 "print loaded and unloaded classes",
		 .aliases = "-class"),
	OPT_FLAG('t', "timestamp", &opt.timestamp,
		 "print the seconds since the JVM started"),
	OPT_COUNT('h', "header-lines", &opt.header_every, "<count>",
		  "repeat the header after this many lines"),
	OPT_END
};

static const struct refusal refusals[] = {
	{ "-gccapacity -gcnew -gcnewcapacity -gcold -gcoldcapacity "
	  "-gcmetacapacity -gcpermcapacity",
	  "-gc prints the spaces; `sjkc vminfo PID --perf` prints every "
	  "counter" },
	{ "-compiler -printcompilation",
	  "`sjkc vminfo PID --perf` prints the sun.ci counters" },
	{ "-options", "`sjkc jstat --help` lists them" },
	{ "-snap -list", "`sjkc vminfo PID --perf` prints every counter" },
	{ NULL, NULL },
};
/* clang-format on */

const struct command jstat_command = {
	.name = "jstat",
	.synopsis = "jstat -gcutil|-gc|-gccause|-class [<pid>] [<interval> "
		    "[<count>]]",
	.summary = "print garbage collection counters, as the JDK's jstat",
	.group = "watch",
	.examples = "  sjkc jstat -gcutil 4711 1s     # a line every second\n"
		    "  sjkc jstat -gc 4711 250 10     # 10 lines, every 250 "
		    "ms\n",
	.options = options,
	.refusals = refusals,
	.run = jstat_run,
};
