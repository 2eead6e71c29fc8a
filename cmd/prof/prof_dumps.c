/* SPDX-License-Identifier: Apache-2.0 */
/* prof --sampler dump: samples by thread dumps. */
#include "cmd/prof/prof_live.h"

#include "cmd/prof/prof_snapshot.h"
#include "cmd/shared/command.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/formats/reader.h"
#include "core/jvm/main_name.h"
#include "core/profile/moments.h"

#include <inttypes.h>
#include <poll.h>

/* Each dump stops the program, so the default rate is low. */
enum { DUMPS_DEFAULT_HZ = 10, DUMPS_MAX_HZ = 100, DUMPS_MAX_QUOTED = 60 };

struct dumping {
	const struct prof_live_options *o;
	struct jvm jvm;
	struct text name;
	struct attach *attach;
	struct profile *profile;
	uint64_t hz, taken, late;
	int64_t start_ns, end_ns, stopped_ns;
	struct error end; /* why dumping ended; kind ERROR_NONE: as planned */
};

/*
 * Keeps samples with a stack trace: threads of the JVM itself have none in a
 * dump, and are always runnable.
 */
static bool dumps_is_wanted(void *self, struct cell *cell)
{
	const struct dumping *d = self;

	return cell->stack && (d->o->sampling.events == SAMPLING_WALL ||
			       cell->state == STATE_RUNNABLE);
}

/*
 * Thread dumps are dated to the second, so their dates make a recording up to a
 * second shorter. A JVM of another time zone keeps its dates.
 */
static void dumps_set_times(const struct dumping *d, int64_t until_ns)
{
	struct profile *p = d->profile;
	int64_t until = clock_wall_of(until_ns);
	int64_t from = until - (until_ns - d->start_ns);

	if (!p->earliest_ns || p->earliest_ns < from - CLOCK_NS_PER_S ||
	    p->latest_ns > until)
		return;
	p->earliest_ns = from;
	p->latest_ns = until;
}

static int dumps_write(void *self, struct error *err)
{
	struct dumping *d = self;
	int64_t until = d->stopped_ns ? d->stopped_ns : clock_monotonic_ns();
	struct text title = { 0 }, rate = { 0 };
	int ret;

	profile_retain(d->profile, dumps_is_wanted, d);
	dumps_set_times(d, until);
	if (d->o->sampling.events == SAMPLING_CPU && !d->profile->cell_count)
		return fail(err, ERROR_FAILED,
			    "%s: no thread was busy in %" PRIu64
			    " thread dump%s; -e wall shows the waiting "
			    "threads, too",
			    d->name.bytes, d->taken, units_plural(d->taken));
	text_printf(&title,
		    "%s: %s by %" PRIu64 " thread dump%s, %" PRIu64 " Hz, "
		    "%.1f s: biased towards safepoints",
		    d->name.bytes,
		    d->o->sampling.events == SAMPLING_CPU ? "runnable threads"
							  : "all threads",
		    d->taken, units_plural(d->taken), d->hz,
		    (double)(until - d->start_ns) / CLOCK_NS_PER_S);
	text_printf(&rate, "of threads at %" PRIu64 " Hz", d->hz);
	profile_set(d->profile, "thread-dump", "rate", rate.bytes);
	if (d->profile->leave_out_idle)
		profile_set(d->profile, "thread-dump", "idle", "none");
	ret = d->o->write(d->o->self, d->profile, d->name.bytes, title.bytes,
			  err);
	text_release(&rate);
	text_release(&title);
	return ret;
}

/* Returns the first line of a reply, escaped; the caller releases it. */
static struct text dumps_first_line(const struct text *reply)
{
	struct lines lines = lines_over(reply->bytes, reply->len);
	struct text safe = { 0 };
	struct line line = { 0 };

	while (!line.len && lines_next(&lines, &line))
		;
	safe_text(&safe, line.text,
		  line.len < DUMPS_MAX_QUOTED ? line.len : DUMPS_MAX_QUOTED);
	return safe;
}

/* Reads the reply as a thread dump and explains a failure. */
static int dumps_add(struct dumping *d, const struct text *reply,
		     struct error *err)
{
	const uint8_t *bytes = (const uint8_t *)reply->bytes;
	struct text line;

	if (dump_reader.read(bytes, reply->len, d->profile, err) == 0)
		return 0;
	line = dumps_first_line(reply);
	fail_in(err,
		"%d: cannot read the JVM's thread dump, which begins with "
		"'%s' (`sjkc jstack %d` prints it)",
		d->jvm.pid, line.len ? line.bytes : "", d->jvm.pid);
	text_release(&line);
	return -1;
}

static int dumps_take(struct dumping *d, struct error *err)
{
	static const struct attach_request request = {
		.operation = "threaddump",
	};
	struct text reply = { 0 };
	int ret = attach_call(d->attach, &request, &reply, err);

	if (ret == 0)
		ret = dumps_add(d, &reply, err);
	d->taken += ret == 0;
	text_release(&reply);
	return ret;
}

/* Returns true when a signal asks to stop before until_ns. */
static bool dumps_wait_until(struct dumping *d, int64_t until_ns)
{
	struct pollfd fds[] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .fd = prof_snapshot_fd(), .events = POLLIN },
	};

	do {
		if (poll(fds, 2, clock_left_ms(until_ns)) <= 0)
			continue;
		if (fds[0].revents)
			return true;
		if (prof_snapshot_taken())
			prof_snapshot_write(dumps_write, d);
	} while (clock_left_ms(until_ns) > 0);
	return false;
}

static void dumps_run(struct dumping *d)
{
	int64_t step_ns = CLOCK_NS_PER_S / (int64_t)d->hz;
	int64_t due_ns = d->start_ns;

	do {
		if (dumps_take(d, &d->end)) {
			/* The dumps until the signal are the profile. */
			if (signals_arrived() && d->taken)
				d->end = (struct error){ 0 };
			return;
		}
		due_ns += step_ns;
		if (due_ns < clock_monotonic_ns()) {
			due_ns = clock_monotonic_ns();
			d->late++;
		}
		if (due_ns > d->end_ns)
			due_ns = d->end_ns;
		if (d->o->sampling.duration_ns)
			progress_show(
				NULL,
				(uint64_t)(clock_monotonic_ns() - d->start_ns),
				(uint64_t)d->o->sampling.duration_ns);
	} while (!dumps_wait_until(d, due_ns) &&
		 clock_monotonic_ns() < d->end_ns);
}

static int dumps_check_options(const struct prof_live_options *o,
			       struct error *err)
{
	const char *given;

	if (o->sampling.events != SAMPLING_CPU &&
	    o->sampling.events != SAMPLING_WALL)
		return misuse(err, "--sampler dump supports -e cpu (runnable "
				   "threads) or -e wall (all threads)");
	if (o->sampling.all || o->command || o->pid_count != 1)
		return misuse(err, "--sampler dump requires one running JVM: "
				   "name its PID");
	if (o->idle && o->sampling.events == SAMPLING_WALL)
		return misuse(err, "--idle requires -e cpu: -e wall includes "
				   "all threads");
	given = command_given("tid|user-frames|kernel-frames");
	if (given)
		return misuse(err, "--sampler dump does not support --%s",
			      given);
	if (o->sampling.hz > DUMPS_MAX_HZ)
		return misuse(err,
			      "-F is at most %d with --sampler dump: each "
			      "dump stops the program",
			      DUMPS_MAX_HZ);
	return 0;
}

static int dumps_start(struct dumping *d, struct error *err)
{
	if (target_open_named(&d->jvm, d->o->pids[0], err))
		return -1;
	main_name_add_with_pod(&d->jvm, &d->name);
	log_info("thread dumps are taken only at safepoints and stop the "
		 "program "
		 "each time, so the reported methods may not be the hot ones");
	d->attach = attach_open(&d->jvm, ATTACH_TIMEOUT_NS, err);
	if (!d->attach)
		return -1;
	signals_listen();
	attach_stop_by(d->attach, signals_fd());
	prof_snapshot_listen();
	d->start_ns = clock_monotonic_ns();
	d->end_ns = d->o->sampling.duration_ns
			    ? clock_after(d->start_ns,
					  d->o->sampling.duration_ns)
			    : INT64_MAX;
	return 0;
}

static int dumps_finish(struct dumping *d, struct error *err)
{
	int ret;

	d->stopped_ns = clock_monotonic_ns();
	prof_snapshot_await(clock_monotonic_ns() + PROF_SNAPSHOT_NS);
	if (!d->taken) {
		*err = d->end;
		return -1;
	}
	if (d->late)
		log_info("%" PRIu64 " of %" PRIu64
			 " thread dumps took longer than "
			 "the sampling interval",
			 d->late, d->taken);
	ret = dumps_write(d, err);
	if (ret == 0 && d->end.kind)
		ret = fail(err, ERROR_PARTIAL, "sampled until %s", d->end.text);
	return ret;
}

int prof_dumps(const struct prof_live_options *o, struct error *err)
{
	struct dumping d = {
		.o = o,
		.hz = o->sampling.hz ? o->sampling.hz : DUMPS_DEFAULT_HZ,
		.jvm.pidfd = -1,
	};
	int ret = -1;

	if (dumps_check_options(o, err))
		return -1;
	d.profile = profile_new();
	d.profile->keep_lines = o->sampling.lines;
	if (o->sampling.moments)
		profile_keep_moments(d.profile, MOMENTS_LIVE);
	d.profile->leave_out_idle = o->sampling.events == SAMPLING_CPU &&
				    !o->idle;
	if (dumps_start(&d, err) == 0) {
		if (o->sampling.duration_ns)
			progress_start("taking thread dumps");
		dumps_run(&d);
		progress_end();
		ret = dumps_finish(&d, err);
	}
	attach_close(d.attach);
	profile_free(d.profile);
	text_release(&d.name);
	jvm_close(&d.jvm);
	return ret;
}
