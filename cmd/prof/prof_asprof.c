/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_asprof.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* async-profiler's values of -o, and the equivalent options of prof. */
static const struct {
	const char *name, *format, *show;
} outputs[] = {
	{ "flamegraph", "html", NULL },     { "html", "html", NULL },
	{ "collapsed", "collapsed", NULL }, { "text", "text", NULL },
	{ "flat", "text", "frames" },       { "traces", "text", "calls" },
	{ "tree", "text", "calls" },        { "otlp", "otlp", NULL },
};

static const struct {
	const char *name, *instead;
} other_outputs[] = {
	{ "jfr", "`sjkc jcmd PID JFR.start` makes a recording; -o out.html "
		 "keeps every event of a profile" },
	{ "heatmap", "the timeline of the HTML flame graph selects a time" },
	{ "metrics", "`sjkc ttop PID --json` prints metrics of the JVM" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* asprof's actions, as its first argument. */
static const struct {
	const char *name, *instead;
} actions[] = {
	{ "start", "prof samples until Ctrl-C or for -d TIME" },
	{ "resume", "prof samples until Ctrl-C or for -d TIME" },
	{ "stop", "prof ends by itself after -d TIME, or with Ctrl-C" },
	{ "dump", "SIGUSR1 to a running prof writes what was sampled" },
	{ "check", "`sjkc doctor PID` checks what can be sampled" },
	{ "status", "no profiler stays in the JVM" },
	{ "list", "-e takes cpu, offcpu, wall, alloc, lock, nativemem and "
		  "pagefault" },
};

static int asprof_take_action(int *argc, char ***argv, struct error *err)
{
	const char *word = *argc ? **argv : "";

	if (*argc > 1 && strcmp(word, "collect") == 0) {
		--*argc; /* the default action of prof */
		++*argv;
	}
	for (size_t i = 0; i < COUNT(actions); i++) {
		if (strcmp(actions[i].name, word) == 0)
			return misuse(err, "prof has no action '%s': %s", word,
				      actions[i].instead);
	}
	return 0;
}

static int asprof_use_output(struct prof_options *o, const char *name,
			     struct error *err)
{
	const char *given;

	for (size_t i = 0; i < COUNT(other_outputs); i++) {
		if (strcmp(other_outputs[i].name, name) == 0)
			return misuse(err, "-o %s is not supported: %s", name,
				      other_outputs[i].instead);
	}
	for (size_t i = 0; i < COUNT(outputs); i++) {
		if (strcmp(outputs[i].name, name) != 0)
			continue;
		given = command_given("output-format|csv|json");
		if (given)
			return misuse(err,
				      "-o %s and --%s both choose a format",
				      name, given);
		o->output_format = outputs[i].format;
		if (!o->show)
			o->show = outputs[i].show;
		o->output = o->file;
		return 1;
	}
	return 0;
}

/* In asprof, -o is the format and -f the file; in prof, -o is the file. */
static int asprof_take_output(struct prof_options *o, struct error *err)
{
	int used = o->output ? asprof_use_output(o, o->output, err) : 0;

	if (used < 0)
		return -1;
	if (used || !o->file)
		return 0;
	if (o->output)
		return misuse(err, "-o and -f both name a file; with -f, -o is "
				   "a format: flamegraph, collapsed, flat, "
				   "traces or tree");
	o->output = o->file;
	return 0;
}

/* asprof's interval: 10ms, 500us; a bare number is nanoseconds. */
static bool asprof_is_interval(const char *word)
{
	uint64_t size;
	int64_t ns;

	return access(word, F_OK) < 0 &&
	       (units_duration(word, &ns, error_unused()) == 0 ||
		units_size(word, &size, error_unused()) == 0);
}

static int asprof_set_rate(struct prof_options *o, const char *word,
			   struct error *err)
{
	bool is_bare = word[strspn(word, "0123456789")] == '\0';
	uint64_t count;
	int64_t ns;

	if (o->live.sampling.hz != COUNT_NOT_GIVEN)
		return misuse(err, "-i %s and -F both set the rate", word);
	if (is_bare ? units_count(word, &count, err)
		    : units_duration(word, &ns, err))
		return fail_in(err, "-i");
	if (is_bare)
		ns = count < INT64_MAX ? (int64_t)count : INT64_MAX;
	if (ns < 100000 || ns > CLOCK_NS_PER_S)
		return misuse(err, "-i %s: the interval must be 100us to 1s",
			      word);
	o->live.sampling.hz = (uint64_t)((CLOCK_NS_PER_S + ns / 2) / ns);
	return 0;
}

static int asprof_set_interval(struct prof_options *o, const char *word,
			       struct error *err)
{
	const char *event = o->drawing.event ? o->drawing.event : "cpu";

	if (strcmp(event, "alloc") == 0 || strcmp(event, "nativemem") == 0)
		return units_size(word, &o->live.sampling.alloc_interval, err)
			       ? fail_in(err, "-i")
			       : 0;
	if (strcmp(event, "lock") == 0)
		return misuse(err,
			      "-i %s: -e lock records every wait for a "
			      "monitor; omit -i",
			      word);
	return asprof_set_rate(o, word, err);
}

/* "-i 10ms 4711": the words after the interval are JVMs. */
static int asprof_take_interval(struct prof_options *o, struct error *err)
{
	struct option_list *inputs = &o->inputs, *pids = &o->pids;

	if (!inputs->count || !asprof_is_interval(inputs->values[0]))
		return 0;
	if (asprof_set_interval(o, inputs->values[0], err))
		return -1;
	for (size_t i = 1; i < inputs->count; i++) {
		array_add(pids->values, pids->count, pids->cap,
			  inputs->values[i]);
	}
	inputs->count = 0;
	return 0;
}

int prof_take_asprof(struct prof_options *o, int *argc, char ***argv,
		     struct error *err)
{
	return asprof_take_action(argc, argv, err) ||
			       asprof_take_output(o, err) ||
			       asprof_take_interval(o, err)
		       ? -1
		       : 0;
}

/* As in asprof, only -f has patterns; -o names a file literally. */
static bool asprof_has_pattern(const struct prof_options *o)
{
	return o->file && o->output == o->file && strchr(o->file, '%');
}

bool prof_asprof_file_has_pid(const struct prof_options *o)
{
	return asprof_has_pattern(o) && strstr(o->file, "%p");
}

/* Expands the pattern with this letter; false for an unknown one. */
static bool asprof_add_pattern(struct text *name, char letter, pid_t pid)
{
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;

	if (letter == 'p' && pid) {
		text_printf(name, "%d", (int)pid);
	} else if (letter == 't' && localtime_r(&now, &tm)) {
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
		text_puts(name, stamp);
	} else {
		return false;
	}
	return true;
}

int prof_asprof_name_file(struct prof_options *o, pid_t pid, struct error *err)
{
	static struct text name; /* kept for the whole run */

	if (!asprof_has_pattern(o))
		return 0;
	for (const char *at = o->file; *at; at++) {
		if (*at != '%') {
			text_putc(&name, *at);
		} else if (asprof_add_pattern(&name, at[1], pid)) {
			at++;
		} else if (at[1] == 'p') {
			return misuse(err,
				      "-f %s: %%p requires one running JVM; "
				      "use %%t, the time",
				      o->file);
		} else {
			return misuse(err,
				      "-f %s: unknown pattern; use %%p for the "
				      "PID and %%t for the time, or -o to "
				      "write to a file of that name",
				      o->file);
		}
	}
	o->file = o->output = name.bytes;
	return 0;
}

const struct refusal prof_asprof_refusals[] = {
	{ "--alloc", "use -e alloc and --alloc-interval SIZE" },
	{ "--lock", "use -e lock" },
	{ "--wall", "use -e wall and -F HZ" },
	{ "--cpu", "use -e cpu" },
	{ "--nativemem", "use -e nativemem and --alloc-interval SIZE" },
	{ "--nativelock", "use -e offcpu for native waits" },
	{ "--trace", "JDK 25 and later: `sjkc jcmd PID JFR.start "
		     "method-trace=CLASS::METHOD`" },
	{ "--live", "`sjkc hh --live PID` counts live objects" },
	{ "--title --minwidth --width --height",
	  "`sjkc flame` takes --title and --min-width" },
	{ "--loop --timeout", "run prof from cron or in a shell loop" },
	{ "--cstack --safe-mode", "native and Java frames are always unwound" },
	{ "--jfrsync --jfropts --chunksize --chunktime",
	  "`sjkc jcmd PID JFR.start` makes a recording" },
	{ "--fdtransfer --libpath", "prof needs neither; omit the option" },
	{ "-l --lib",
	  "the HTML flame graph shows the library of a native frame" },
	{ "-g --sig", "frames have no signatures; --lines tells overloads "
		      "apart" },
	{ "--norm", "names of hidden classes are always normalized; omit "
		    "the option" },
	{ "-b", "the frame buffer has no limit; omit the option" },
	{ NULL, NULL },
};

/* Other profilers' names of events. */
static const struct {
	const char *name, *event;
} event_names[] = {
	{ "itimer", "cpu" },
	{ "ctimer", "cpu" },
	{ "cpu-clock", "cpu" },
	{ "task-clock", "cpu" },
	{ "on-cpu", "cpu" },
	{ "off-cpu", "offcpu" },
	{ "context-switches", "offcpu" },
	{ "page-faults", "pagefault" },
};

static const struct {
	const char *name, *instead;
} other_events[] = {
	{ "cycles", "hardware counters are not sampled; -e cpu samples CPU "
		    "time" },
	{ "instructions", "hardware counters are not sampled; -e cpu samples "
			  "CPU time" },
	{ "cache-misses", "hardware counters are not sampled; use perf record "
			  "-e cache-misses, and `sjkc perfmap PID` for names" },
	{ "cache-references", "hardware counters are not sampled; use perf "
			      "record and `sjkc perfmap PID`" },
	{ "branch-misses", "hardware counters are not sampled; use perf record "
			   "and `sjkc perfmap PID`" },
	{ "nativelock", "native locks are not sampled; -e offcpu shows where "
			"threads wait for them" },
	{ "help", "the events are cpu, offcpu, wall, alloc, lock, nativemem, "
		  "pagefault, gc and probe:NAME" },
	{ "all", "use -e cpu,offcpu,wall,alloc,lock" },
};

static bool asprof_is_word(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && memcmp(name, word, len) == 0;
}

const char *prof_asprof_event(const char *word, size_t len)
{
	for (size_t i = 0; i < COUNT(event_names); i++) {
		if (asprof_is_word(event_names[i].name, word, len))
			return event_names[i].event;
	}
	return NULL;
}

/* True for a method, which asprof instruments: "java.util.HashMap.put". */
static bool asprof_is_method(const char *word, size_t len)
{
	const char *dot = memrchr(word, '.', len);
	const char *colons = memmem(word, len, "::", 2);

	return (dot && dot > word && dot + 1 < word + len) || colons;
}

int prof_asprof_refuse_event(const char *word, size_t len, struct error *err)
{
	for (size_t i = 0; i < COUNT(other_events); i++) {
		if (asprof_is_word(other_events[i].name, word, len))
			return misuse(err, "-e %.*s is not supported: %s",
				      (int)len, word, other_events[i].instead);
	}
	if (memchr(word, ':', len) && !memmem(word, len, "::", 2))
		return misuse(err,
			      "-e %.*s is not supported: tracepoints and "
			      "probes are not sampled; use perf record and "
			      "`sjkc perfmap PID`",
			      (int)len, word);
	if (asprof_is_method(word, len))
		return misuse(err,
			      "-e %.*s is not supported: `sjkc probe PID "
			      "CLASS.METHOD` counts and times calls; with its "
			      "--publish, -e probe:METHOD samples the callers",
			      (int)len, word);
	return 0;
}
