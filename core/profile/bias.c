/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/bias.h"

#include "core/base/ascii.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The first that fits.  An event may end with '*'.  A setting is of the event,
 * or if it has none of that name, of the JVM; its value is one of several, a
 * blank between them, "" one that is not always the same, NULL any.
 *
 * JDK Flight Recorder samples threads that are in Java code; of compiled code,
 * a pc is looked up among the places that have debug information: safepoints
 * and calls alone, unless DebugNonSafepoints is on.  async-profiler has it on
 * from the moment it is loaded; its recordings have an interval where the
 * JDK's have a period.  CPU-time samples (JEP 509) interrupt whatever is on the
 * CPU.  Thread dumps, and VisualVM's samples, wait for a safepoint.
 *
 * What async-profiler was asked to sample is its setting "event".  Before 4.0
 * samples of the wall clock are jdk.ExecutionSample, as with its option
 * nobatch, and so are always those of perf's other events and of calls of a
 * method: its interval is then their number (FlightRecorder::recordEvent,
 * writeSettings). Its allocations are JVMTI's SampledObjectAlloc where there is
 * that, no TLABs.
 */
/* clang-format off */
#define TIMES "cpu cpu-clock ctimer itimer wall"

static const struct bias {
	const char *event, *setting, *value;
	const char *text;
} biases[] = {
	{ "jdk.ExecutionSample", "nobatch", "true",
	  "unknown: one event has samples of several kinds" },
	{ "jdk.ExecutionSample", "event", "",
	  "unknown: one event has samples of several kinds" },
	{ "jdk.ExecutionSample", "event", "wall",
	  "threads, running or waiting: no CPU time" },
	{ "jdk.ExecutionSample", "event", TIMES,
	  "on-CPU time only; code compiled early may lack inlined frames" },
	{ "jdk.ExecutionSample", "event", NULL,
	  "shows where the counted event happened, not the time spent" },
	{ "jdk.ExecutionSample", "interval", NULL,
	  "on-CPU time only; code compiled early may lack inlined frames" },
	{ "jdk.ExecutionSample", "DebugNonSafepoints", "true",
	  "on-CPU time in Java only: native, kernel and JVM time is missing" },
	{ "jdk.ExecutionSample", "DebugNonSafepoints", "false",
	  "native time missing; skewed to debug info "
	  "(no -XX:+DebugNonSafepoints)" },
	{ "jdk.ExecutionSample", NULL, NULL,
	  "native time missing; skewed unless -XX:+DebugNonSafepoints "
	  "(unknown)" },
	{ "jdk.CPUTimeSample", "DebugNonSafepoints", "true",
	  "on-CPU time only; native time counts for the Java frame before it" },
	{ "jdk.CPUTimeSample", "DebugNonSafepoints", "false",
	  "on-CPU time only; skewed to debug info "
	  "(no -XX:+DebugNonSafepoints)" },
	{ "jdk.CPUTimeSample", NULL, NULL,
	  "on-CPU time only; skewed unless -XX:+DebugNonSafepoints "
	  "(unknown)" },
	{ "jdk.NativeMethodSample", NULL, NULL,
	  "threads in native methods, running or waiting: no CPU time" },
	{ "profiler.WallClockSample", NULL, NULL,
	  "threads, running or waiting: no CPU time" },
	{ "jdk.ObjectAllocationSample", NULL, NULL,
	  "an estimate: a sample covers all bytes since the thread's last sample" },
	{ "jdk.ObjectAllocationInNewTLAB", "alloc", NULL,
	  "an estimate: each sample represents many allocations" },
	{ "jdk.ObjectAllocationInNewTLAB", NULL, NULL,
	  "an estimate: only allocations that began a new buffer (TLAB)" },
	{ "jdk.ObjectAllocationOutsideTLAB", NULL, NULL,
	  "only allocations too large for a thread-local buffer (TLAB)" },
	{ "thread-dump", "idle", "none",
	  "safepoints: hot loops look like their callers; idle is a guess" },
	{ "thread-dump", NULL, NULL,
	  "safepoints: hot loops look like their callers; waiting counts, "
	  "too" },
	{ "nps.cpu", "type", "64",
	  "safepoints: hot loops look like their callers; CPU use is guessed" },
	{ "nps.wall", "type", "64",
	  "safepoints: hot loops look like their callers; waiting counts, "
	  "too" },
	{ "nps.*", "type", NULL,
	  "instrumented: short methods appear slower than they are" },
	{ "nps.*", NULL, NULL,
	  "unknown: sampled at safepoints, or instrumented (short methods too slow)" },
	{ "collapsed", NULL, NULL,
	  "unknown: collapsed stack traces do not record how they were sampled" },
	{ "cpu", NULL, NULL,
	  "CPU time only; waiting threads are not included" },
	{ "offcpu", "virtual-threads", NULL,
	  "time off the CPU; for virtual threads: jcmd Thread.dump_to_file, "
	  "JFR" },
	{ "wall", "virtual-threads", NULL,
	  "idle threads count; waiting virtual threads do not: jcmd "
	  "Thread.dump_to_file, JFR" },
	{ "offcpu", NULL, NULL, "time off the CPU only, including the wait for a CPU" },
	{ "wall", NULL, NULL, "running and waiting: idle threads count, too" },
	{ "alloc", NULL, NULL,
	  "an estimate: each sample represents many allocations" },
	{ "lock", "virtual-threads", NULL,
	  "monitors only; a virtual thread's wait counts for its carrier "
	  "thread" },
	{ "lock", NULL, NULL,
	  "monitors only: waits for java.util.concurrent are in offcpu and wall" },
};
/* clang-format on */

/* Of an event or of the JVM; NULL when it is not known. */
static const char *setting_of(const struct profile *p, const char *event,
			      const char *name)
{
	const char *value = profile_setting(p, event, name);

	return value ? value : profile_setting(p, "", name);
}

static bool is_event(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (pattern[len - 1] == '*')
		return strncmp(pattern, name, len - 1) == 0;
	return strcmp(pattern, name) == 0;
}

/* True when value is among those of a list, a blank between them. */
static bool is_among(const char *list, const char *value)
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

	if (!is_event(b->event, event))
		return false;
	if (!b->setting)
		return true;
	value = setting_of(p, event, b->setting);
	return value && (!b->value || is_among(b->value, value));
}

/*
 * async-profiler's setting of waits for locks, in ns, which is of parking, too;
 * NULL where it is not its.
 */
static const char *lock_of(const struct profile *p, const char *event)
{
	static const char monitor[] = "jdk.JavaMonitorEnter";

	if (strcmp(event, monitor) != 0 && strcmp(event, "jdk.ThreadPark") != 0)
		return NULL;
	return profile_setting(p, monitor, "lock");
}

/* It was the shortest wait; since 4.0 one is recorded in so much of waiting. */
static void add_lock(struct text *out, const struct profile *p,
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
		return; /* all are there */
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

/* Events that have a duration and no line of their own in the table. */
static void add_shortest(struct text *out, const struct profile *p,
			 const char *event)
{
	const char *threshold = profile_setting(p, event, "threshold");
	const char *lock = lock_of(p, event);

	if (lock)
		add_lock(out, p, lock);
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
		add_shortest(out, p, event);
}

#define JAVA_SAMPLE "jdk.ExecutionSample" /* async-profiler's, too */

/*
 * async-profiler's interval, as it wrote it, "0" for the default of its
 * version; NULL for events that are not its.  Those of the wall clock have it
 * elsewhere: as "wall" where there was another event beside it.
 */
static const char *interval_of(const struct profile *p, const char *event)
{
	const char *what = profile_setting(p, "", "event");
	const char *wall = profile_setting(p, JAVA_SAMPLE, "wall");

	if (strcmp(event, "profiler.WallClockSample") != 0)
		return profile_setting(p, event, "interval");
	if (wall || !what || strcmp(what, "wall") != 0)
		return wall;
	return profile_setting(p, JAVA_SAMPLE, "interval");
}

/* The unit of such an interval; NULL: ns. */
static const char *bias_counted(const struct profile *p, const char *event)
{
	const char *what = profile_setting(p, "", "event");

	if (!what || strcmp(event, JAVA_SAMPLE) != 0 || is_among(TIMES, what))
		return NULL;
	return what;
}

static void add_interval(struct text *out, const char *interval,
			 const char *what)
{
	int64_t every = strtoll(interval, NULL, 10);

	if (every <= 0 || (what && !*what))
		return;
	text_puts(out, "each ");
	if (what)
		text_printf(out, "%" PRId64 " %s", every, what);
	else
		units_add_time(out, (double)every);
}

/* "20 ms" is how JFR writes it, with a blank. */
static uint64_t duration_of(const char *text)
{
	struct text packed = { 0 };
	struct error unused;
	int64_t ns;

	for (; *text; text++) {
		if (*text != ' ')
			text_putc(&packed, *text);
	}
	if (units_duration(packed.bytes, &ns, &unused) || ns < 0)
		ns = 0;
	text_release(&packed);
	return (uint64_t)ns;
}

/* JFR writes "20 ms" in one setting and "10ms" in another. */
static void add_each(struct text *out, const char *setting)
{
	uint64_t ns = duration_of(setting);

	text_puts(out, "each ");
	if (ns)
		units_add_time(out, (double)ns);
	else
		text_puts(out, setting);
}

/* At most so many a second, or, of CPU time, one each so long (JEP 509). */
static bool is_period(const char *throttle)
{
	return is_digit(*throttle) && !strchr(throttle, '/');
}

void rate_add(struct text *out, const struct profile *p,
	      const struct event_view *view)
{
	uint32_t first = view->events[0];
	const char *event = profile_text(p, p->events[first].name);
	const char *interval = interval_of(p, event);
	const char *period = profile_setting(p, event, "period");
	const char *throttle = profile_setting(p, event, "throttle");
	const char *rate = profile_setting(p, event, "rate");

	if (rate)
		text_puts(out, rate);
	else if (interval)
		add_interval(out, interval, bias_counted(p, event));
	else if (period && is_digit(*period))
		add_each(out, period);
	else if (throttle && is_digit(*throttle) && is_period(throttle))
		add_each(out, throttle);
	else if (throttle && is_digit(*throttle))
		text_printf(out, "at most %s", throttle);
}

uint64_t rate_period(const struct profile *p, const struct event_view *view)
{
	const char *event = profile_text(p, p->events[view->events[0]].name);
	const char *interval = interval_of(p, event);
	const char *period = profile_setting(p, event, "period");
	const char *throttle = profile_setting(p, event, "throttle");
	uint64_t ns = 0;

	if (view->unit == UNIT_BYTES || (interval && bias_counted(p, event)))
		return 0;
	if (interval && is_digit(*interval))
		ns = strtoull(interval, NULL, 10);
	else if (!interval && period && is_digit(*period))
		ns = duration_of(period);
	else if (!interval && throttle && is_period(throttle))
		ns = duration_of(throttle);
	return ns <= INT64_MAX ? ns : 0;
}
