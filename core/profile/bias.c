/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/bias.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The limitations of events; the first row that fits applies. An event may end
 * with '*'. A setting belongs to the event or, if the event lacks it, to the
 * JVM. Its value is one of those listed, separated by spaces; "" is a value
 * that changed, NULL any value.
 *
 * JDK Flight Recorder samples threads that run Java code. In compiled code, it
 * finds the source position among the positions with debug information: only
 * safepoints and calls, unless DebugNonSafepoints is on. async-profiler enables
 * it when it is loaded; its recordings have an interval where the JDK's have a
 * period. CPU-time samples (JEP 509) interrupt any code on the CPU. Thread
 * dumps, and VisualVM's samples, wait for a safepoint.
 *
 * async-profiler's setting "event" is the event that it was asked to sample. It
 * writes jdk.ExecutionSample for samples of the wall clock before 4.0 (the
 * setting "mixed" is of read_jfr.c) and with its option nobatch, and always for
 * perf's other events and for calls of a method; the interval is then their
 * number (FlightRecorder::recordEvent, writeSettings). Its allocation samples
 * are JVMTI's SampledObjectAlloc where the JVM has it, not TLABs.
 *
 * The setting "sjkc" is the event that sjkc wrote as this event of the JDK.
 */
/* clang-format off */
#define TIMES "cpu cpu-clock ctimer itimer wall"

static const struct bias {
	const char *event, *setting, *value;
	const char *text;
} biases[] = {
	{ "jdk.ExecutionSample", "sjkc", "cpu cpu-clock task-clock",
	  "CPU time only; waiting threads are not included" },
	{ "jdk.ExecutionSample", "nobatch", "true",
	  "one event has samples of several kinds" },
	{ "jdk.ExecutionSample", "mixed", "true",
	  "CPU time, and running threads of the wall clock" },
	{ "jdk.ExecutionSample", "event", "",
	  "one event has samples of several kinds" },
	{ "jdk.ExecutionSample", "event", "wall",
	  "counts threads whether they run or wait: not CPU time" },
	{ "jdk.ExecutionSample", "event", TIMES,
	  "CPU time only; code compiled early may lack inlined frames" },
	{ "jdk.ExecutionSample", "event", NULL,
	  "shows where the counted event happened, not the time spent" },
	{ "jdk.ExecutionSample", "interval", NULL,
	  "CPU time only; code compiled early may lack inlined frames" },
	{ "jdk.ExecutionSample", "DebugNonSafepoints", "true",
	  "CPU time in Java only; omits native, kernel and JVM time" },
	{ "jdk.ExecutionSample", "DebugNonSafepoints", "false",
	  "no native code; biased to safepoints (no -XX:+DebugNonSafepoints)" },
	{ "jdk.ExecutionSample", NULL, NULL,
	  "no native code; biased to safepoints unless +DebugNonSafepoints" },
	{ "jdk.CPUTimeSample", "DebugNonSafepoints", "true",
	  "CPU time only; native time counts for the calling Java frame" },
	{ "jdk.CPUTimeSample", "DebugNonSafepoints", "false",
	  "CPU time only; biased to safepoints (no -XX:+DebugNonSafepoints)" },
	{ "jdk.CPUTimeSample", NULL, NULL,
	  "CPU time only; biased to safepoints unless +DebugNonSafepoints" },
	{ "jdk.NativeMethodSample", NULL, NULL,
	  "counts native methods whether they run or wait: not CPU time" },
	{ "profiler.WallClockSample", "mixed", "true",
	  "waiting threads only; running threads are in the event cpu" },
	{ "profiler.WallClockSample", NULL, NULL,
	  "counts threads whether they run or wait: not CPU time" },
	{ "jdk.ObjectAllocationSample", NULL, NULL,
	  "an estimate: a sample covers all bytes since the thread's last sample" },
	{ "jdk.JavaMonitorEnter", "sjkc", "jfr-platform",
	  "monitors only; omits virtual threads, and waits at the start or end" },
	{ "jdk.JavaMonitorEnter", "sjkc", "jfr",
	  "monitors only; omits waits unfinished at the start or the end" },
	{ "jdk.JavaMonitorEnter", "sjkc", "lock",
	  "monitors only: waits for java.util.concurrent are in offcpu and wall" },
	{ "jdk.ObjectAllocationInNewTLAB", "sjkc",
	  "alloc jdk.ObjectAllocationSample",
	  "an estimate: each sample represents many allocations" },
	{ "jdk.ObjectAllocationInNewTLAB", "alloc", NULL,
	  "an estimate: each sample represents many allocations" },
	{ "jdk.ObjectAllocationInNewTLAB", NULL, NULL,
	  "an estimate: only allocations that began a new buffer (TLAB)" },
	{ "jdk.ObjectAllocationOutsideTLAB", NULL, NULL,
	  "only allocations too large for a thread-local buffer (TLAB)" },
	{ "thread-dump", "idle", "none",
	  "at safepoints only: hot loops count for their callers; idleness guessed" },
	{ "thread-dump", NULL, NULL,
	  "at safepoints only: hot loops count for their callers; includes waiting" },
	{ "nps.cpu", "type", "64",
	  "at safepoints only: hot loops count for their callers; CPU use is guessed" },
	{ "nps.wall", "type", "64",
	  "at safepoints only: hot loops count for their callers; includes waiting" },
	{ "nps.live", NULL, NULL,
	  "a single moment: the objects in use when the snapshot was taken" },
	{ "nps.alloc", NULL, NULL,
	  "instrumented: only objects allocated while the profiler recorded" },
	{ "nps.*", "type", NULL,
	  "instrumented: short methods appear slower than they are" },
	{ "nps.*", NULL, NULL,
	  "perhaps sampled at safepoints, or instrumented with an overhead" },
	{ "collapsed", NULL, NULL,
	  "collapsed stack traces record neither event nor unit" },
	{ "cpu", NULL, NULL,
	  "CPU time only; waiting threads are not included" },
	{ "offcpu", "virtual-threads", NULL,
	  "omits waiting virtual threads: use sjkc threads --virtual or JFR" },
	{ "wall", "virtual-threads", NULL,
	  "omits waiting virtual threads: use sjkc threads --virtual or JFR" },
	{ "offcpu", NULL, NULL, "time off the CPU only, including waits for a CPU" },
	{ "wall", NULL, NULL, "running and waiting time of all threads" },
	{ "alloc", NULL, NULL,
	  "an estimate: each sample represents many allocations" },
	{ "lock", "virtual-threads", NULL,
	  "monitors only; waits of virtual threads count for their carriers" },
	{ "nativemem", "source", "maps",
	  "memory that allocators and the JVM mapped, not blocks; not freed since" },
	{ "nativemem", NULL, NULL,
	  "malloc() and mmap() since the start, not freed; omits the Java heap" },
	{ "pagefault", NULL, NULL,
	  "the first touch of each page, not leaks; a huge page counts as 4 KB" },
	{ "probe", NULL, NULL,
	  "calls of one method, not their time; each call is a sample" },
	{ "lock", NULL, NULL,
	  "monitors only: waits for java.util.concurrent are in offcpu and wall" },
};
/* clang-format on */

/* Returns a setting of an event or of the JVM; NULL if unknown. */
static const char *bias_setting(const struct profile *p, const char *event,
				const char *name)
{
	const char *value = profile_setting(p, event, name);

	return value ? value : profile_setting(p, "", name);
}

static bool bias_is_event(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (pattern[len - 1] == '*')
		return strncmp(pattern, name, len - 1) == 0;
	return strcmp(pattern, name) == 0;
}

/* True if value is in a list separated by spaces. */
static bool bias_is_among(const char *list, const char *value)
{
	size_t len = strlen(value);

	for (;;) {
		size_t one = strcspn(list, " ");

		if (one == len && memcmp(list, value, len) == 0)
			return true;
		if (!list[one])
			return false;
		list += one + 1;
	}
}

static bool bias_fits(const struct bias *b, const struct profile *p,
		      const char *event)
{
	const char *value;

	if (!bias_is_event(b->event, event))
		return false;
	if (!b->setting)
		return true;
	value = bias_setting(p, event, b->setting);
	return value && (!b->value || bias_is_among(b->value, value));
}

/*
 * Returns async-profiler's threshold of lock events in ns, which also applies
 * to parking; NULL for other sources.
 */
static const char *bias_lock_threshold(const struct profile *p,
				       const char *event)
{
	static const char monitor[] = "jdk.JavaMonitorEnter";

	if (strcmp(event, monitor) != 0 && strcmp(event, "jdk.ThreadPark") != 0)
		return NULL;
	return profile_setting(p, monitor, "lock");
}

/*
 * Before 4.0 the threshold is the shortest recorded wait; since then, one wait
 * is recorded per this much waiting.
 */
static void bias_add_lock(struct text *out, const struct profile *p,
			  const char *lock)
{
	const char *version = profile_setting(p, "", "version");
	int64_t ns = strtoll(lock, NULL, 10);

	if (!is_digit(*lock) || !version || !is_digit(*version)) {
		text_puts(out,
			  "short waits are missing; the threshold is unknown");
		return;
	}
	if (ns <= 1)
		return; /* no wait is missing */
	if (strtoll(version, NULL, 10) < 4) {
		text_puts(out, "only events of ");
		units_add_time(out, (double)ns);
		text_puts(out, " or longer");
	} else {
		text_puts(out, "one wait is recorded per ");
		units_add_time(out, (double)ns);
		text_puts(out, " of waiting; the sum is too low");
	}
}

/* Handles events with a duration that have no row in the table. */
static void bias_add_shortest(struct text *out, const struct profile *p,
			      const char *event)
{
	const char *threshold = profile_setting(p, event, "threshold");
	const char *lock = bias_lock_threshold(p, event);

	if (lock)
		bias_add_lock(out, p, lock);
	else if (!threshold || !is_digit(*threshold))
		text_puts(out, "events below an unknown threshold are missing");
	else if (strtoll(threshold, NULL, 10) > 0)
		text_printf(out, "only events of %s or longer", threshold);
}

void bias_add(struct text *out, const struct profile *p,
	      const struct event_view *view)
{
	uint32_t first = view->events[0];
	const char *event = profile_text(p, p->events[first].name);

	for (size_t i = 0; i < sizeof(biases) / sizeof(*biases); i++) {
		if (bias_fits(&biases[i], p, event)) {
			text_puts(out, biases[i].text);
			return;
		}
	}
	if (view->unit == UNIT_NS && strncmp(event, "jdk.", 4) == 0)
		bias_add_shortest(out, p, event);
}

#define JAVA_SAMPLE "jdk.ExecutionSample" /* used by async-profiler, too */

/*
 * Returns async-profiler's interval as recorded, "0" for the default of its
 * version; NULL for events of other sources. Wall-clock samples taken beside
 * another event have it in the setting "wall".
 */
static const char *rate_interval(const struct profile *p, const char *event)
{
	const char *what = profile_setting(p, "", "event");
	const char *wall = profile_setting(p, JAVA_SAMPLE, "wall");

	if (strcmp(event, "profiler.WallClockSample") != 0)
		return profile_setting(p, event, "interval");
	if (wall || !what || strcmp(what, "wall") != 0)
		return wall;
	return profile_setting(p, JAVA_SAMPLE, "interval");
}

/* Returns the unit of the interval; NULL for ns. */
static const char *bias_counted(const struct profile *p, const char *event)
{
	const char *what = profile_setting(p, "", "event");

	if (!what || strcmp(event, JAVA_SAMPLE) != 0 ||
	    bias_is_among(TIMES, what))
		return NULL;
	return what;
}

static void rate_add_interval(struct text *out, const char *interval,
			      const char *what)
{
	int64_t every = strtoll(interval, NULL, 10);

	if (every <= 0 || (what && !*what))
		return;
	text_puts(out, "taken every ");
	if (what)
		text_printf(out, "%" PRId64 " %s", every, what);
	else
		units_add_time(out, (double)every);
}

/* JFR writes "20 ms", with a space. */
static uint64_t rate_parse_duration(const char *text)
{
	struct text packed = { 0 };
	int64_t ns;

	for (; *text; text++) {
		if (*text != ' ')
			text_putc(&packed, *text);
	}
	if (units_duration(packed.bytes, &ns, error_unused()) || ns < 0)
		ns = 0;
	text_release(&packed);
	return (uint64_t)ns;
}

/* JFR writes "20 ms" in one setting and "10ms" in another. */
static void rate_add_each(struct text *out, const char *setting)
{
	uint64_t ns = rate_parse_duration(setting);

	text_puts(out, "taken every ");
	if (ns)
		units_add_time(out, (double)ns);
	else
		text_puts(out, setting);
}

/* A throttle is a maximum per second or, for CPU time, a period (JEP 509). */
static bool rate_is_period(const char *throttle)
{
	return is_digit(*throttle) && !strchr(throttle, '/');
}

void rate_add(struct text *out, const struct profile *p,
	      const struct event_view *view)
{
	uint32_t first = view->events[0];
	const char *event = profile_text(p, p->events[first].name);
	const char *interval = rate_interval(p, event);
	const char *period = profile_setting(p, event, "period");
	const char *throttle = profile_setting(p, event, "throttle");
	const char *rate = profile_setting(p, event, "rate");

	if (rate)
		text_puts(out, rate);
	else if (interval)
		rate_add_interval(out, interval, bias_counted(p, event));
	else if (period && is_digit(*period) && view->unit != UNIT_BYTES)
		rate_add_each(out, period);
	else if (throttle && is_digit(*throttle) && rate_is_period(throttle))
		rate_add_each(out, throttle);
	else if (throttle && is_digit(*throttle))
		text_printf(out, "at most %s", throttle);
}

/* Reads "524288 bytes". */
static uint64_t rate_parse_bytes(const char *period)
{
	static const char unit[] = " bytes";
	uint64_t bytes;
	char *end;

	if (!period || !is_digit(*period))
		return 0;
	bytes = strtoull(period, &end, 10);
	return strcmp(end, unit) == 0 && bytes <= INT64_MAX ? bytes : 0;
}

/* Reads "at 19 Hz (cpu-clock)", the rate of live samples. */
static uint64_t rate_parse_hz(const char *rate)
{
	static const char prefix[] = "at ";
	uint64_t hz;
	char *end;

	if (!rate || strncmp(rate, prefix, sizeof(prefix) - 1) != 0 ||
	    !is_digit(rate[sizeof(prefix) - 1]))
		return 0;
	hz = strtoull(rate + sizeof(prefix) - 1, &end, 10);
	return hz && strncmp(end, " Hz", 3) == 0 ? (uint64_t)CLOCK_NS_PER_S / hz
						 : 0;
}

uint64_t rate_period(const struct profile *p, const struct event_view *view)
{
	const char *event = profile_text(p, p->events[view->events[0]].name);
	const char *interval = rate_interval(p, event);
	const char *period = profile_setting(p, event, "period");
	const char *throttle = profile_setting(p, event, "throttle");
	uint64_t ns = 0;

	if (view->unit == UNIT_BYTES)
		return rate_parse_bytes(period);
	if (interval && bias_counted(p, event))
		return 0;
	if (interval && is_digit(*interval))
		ns = strtoull(interval, NULL, 10);
	else if (!interval && period && is_digit(*period))
		ns = rate_parse_duration(period);
	else if (!interval && throttle && rate_is_period(throttle))
		ns = rate_parse_duration(throttle);
	else if (!interval && view->unit == UNIT_NS)
		ns = rate_parse_hz(profile_setting(p, event, "rate"));
	return ns <= INT64_MAX ? ns : 0;
}
