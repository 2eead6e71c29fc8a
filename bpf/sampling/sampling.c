/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling.h"

#include "bpf/launch.h"
#include "bpf/sampling/idle_threads.h"
#include "bpf/sampling/sampling_targets.h"
#include "bpf/sampling/session.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/profile/moments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Samples are unwound for this long before signals and new processes are
 * checked.
 */
#define BATCH_NS (50 * CLOCK_NS_PER_MS)
/* Read the mappings and the code of a target again after this time. */
#define STALE_NS (10 * CLOCK_NS_PER_MS)
/*
 * The default rate is not a divisor of the rates at which programs work
 * periodically.
 */
enum { USUAL_HZ = 99 };

/*
 * Limits of the memory for symbols and call frame information: of all
 * processes, of each that --all finds, which may be hostile, and of each that
 * the user has chosen. Those of a JVM with debug symbols take 8 MB.
 */
#define SESSION_BYTES ((uint64_t)256 << 20)
#define FOREIGN_BYTES ((uint64_t)24 << 20)
#define CHOSEN_BYTES  ((uint64_t)64 << 20)

/*
 * Time limits for thread names that are requested at the end, and for starting
 * a program.
 */
#define FINISH_NS (2 * CLOCK_NS_PER_S)
/*
 * Time limit for the stacks of threads that slept all the time, at the end.
 * Four thousand take 0.5 s of CPU time, which many processes may share.
 */
#define SLEEPERS_NS (10 * CLOCK_NS_PER_S)
#define LAUNCH_NS   (10 * CLOCK_NS_PER_S)

/* The same at the end of a window, while the ring buffer fills. */
#define WINDOW_SLEEPERS_NS (CLOCK_NS_PER_S / 4)

/* Time limit for samples of the frequency or the window before. */
#define LAST_TICKS_NS CLOCK_NS_PER_S
/* How often to try to start ticks that could not be started. */
#define TICKS_AGAIN_NS CLOCK_NS_PER_S

/* The longest window of prof --push: one or two time buckets. */
#define WINDOW_NS      (300 * CLOCK_NS_PER_S)

#define DRAIN_FIRST_NS (50 * CLOCK_NS_PER_MS)
/* Less than a tick at 99 Hz: each sample is read separately then. */
#define DRAIN_LEAST_NS (8 * CLOCK_NS_PER_MS)
/* The ring buffer has room for a quarter of a second. */
#define DRAIN_MOST_NS (200 * CLOCK_NS_PER_MS)
/*
 * A process that has been sampled for this time is not likely to end soon: its
 * last samples, which are read too late, have no names.
 */
#define CALM_NS (30 * CLOCK_NS_PER_S)

struct sampling {
	const struct sampling_options *o;
	struct sampling_shared shared;
	struct sampling_targets targets;
	struct launch launch;
	int64_t start_ns, end_ns; /* of the session; end_ns is the latest end */
	int64_t stopped_ns;       /* 0 = sampling */
	bool is_over;             /* after that, all samples have been read */
	int64_t batch_end_ns;     /* when a batch is long enough */
	bool is_behind;           /* the last batch had no time or memory */
	bool is_full;             /* it had no memory */
	struct drain_interval drain;
	uint64_t batch;
	/* Of the current window. */
	uint64_t foreign; /* samples of processes that are not targets */
	/* All counts until the current window began. */
	struct sampling_counts counts_before;
	/*
	 * CPU samples are wanted, but their ticks could not be started: since
	 * when (0 = no), when to try again, and until then in this window.
	 */
	int64_t tickless_ns, ticks_again_ns, tickless_before_ns;
	int64_t paused_ns; /* since when there are no ticks; 0 = there are */
};

/* By bit number. */
static const struct {
	const char *name;
	enum unit unit;
	unsigned kinds; /* kinds of samples that the event consists of */
} events[] = {
	{ "cpu", UNIT_NS, 1 << SAMPLE_CPU },
	{ "offcpu", UNIT_NS, 1 << SAMPLE_OFFCPU },
	{ "wall", UNIT_NS, 1 << SAMPLE_CPU | 1 << SAMPLE_OFFCPU },
	{ "alloc", UNIT_BYTES, 1 << SAMPLE_ALLOC },
	{ "lock", UNIT_NS, 1 << SAMPLE_LOCK | 1 << SAMPLE_EXIT },
	{ "probe", UNIT_SAMPLES, 1 << SAMPLE_PROBE },
	{ "gc", UNIT_NS, 0 }, /* not from the sampler: target_open_pauses() */
	{ "nativemem", UNIT_BYTES, 1 << SAMPLE_BLOCK | 1 << SAMPLE_MAP },
	{ "pagefault", UNIT_BYTES, 1 << SAMPLE_FAULT },
};

#define EVENTS (sizeof(events) / sizeof(*events))

const char *sampling_event_name(unsigned bit)
{
	return bit < EVENTS ? events[bit].name : NULL;
}

static unsigned sampling_kinds(unsigned wanted)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i < EVENTS; i++) {
		if (wanted & 1U << i)
			kinds |= events[i].kinds;
	}
	return kinds;
}

static void sampling_set_rates(struct sampling_shared *s, struct profile *p)
{
	struct text rate = { 0 };

	/* Exporters need the period as a number. */
	text_printf(&rate, "%" PRIu64 " ns", s->tick_ns);
	if (s->o->events & SAMPLING_CPU)
		profile_set(p, "cpu", "period", rate.bytes);
	text_clear(&rate);
	text_printf(&rate, "at %" PRIu64 " Hz (%s)", s->hz,
		    sampler_clock(s->sampler));
	if (s->o->events & SAMPLING_CPU)
		profile_set(p, "cpu", "rate", rate.bytes);
	if (s->o->events & SAMPLING_WALL)
		profile_set(p, "wall", "rate", rate.bytes);
	text_clear(&rate);
	/*
	 * The JVM's default interval is unknown: the JVM may have changed it.
	 */
	if (s->o->alloc_interval) {
		text_puts(&rate, "taken every ");
		units_add_bytes(&rate, (double)s->o->alloc_interval);
		text_puts(&rate, " on average");
		profile_set(p, "alloc", "rate", rate.bytes);
	}
	sampling_set_memory_rates(s, p);
	text_release(&rate);
}

/* Returns an empty profile with the session's events. */
static struct profile *sampling_new_profile(struct sampling_shared *s)
{
	struct profile *p = profile_new();

	p->keep_lines = s->o->lines;
	if (s->o->moments)
		profile_keep_moments(p, MOMENTS_LIVE);
	for (unsigned i = 0; i < EVENTS; i++) {
		if (s->o->events & 1U << i)
			s->events[i] = profile_event(p, events[i].name,
						     events[i].unit);
	}
	return p;
}

struct profile *sampling_shared_new_profile(struct sampling_shared *s)
{
	struct profile *p = sampling_new_profile(s);
	int64_t now_ns = clock_wall_ns();

	sampling_set_rates(s, p);
	/* A window needs no times of samples, which would take memory. */
	if (s->o->separate)
		profile_expect_times(p, now_ns,
				     now_ns + PROFILE_BUCKETS * WINDOW_NS);
	return p;
}

struct sampling *sampling_open(const struct sampling_options *o,
			       struct error *err)
{
	struct sampling *s = xcalloc(1, sizeof(*s));
	struct sampler_options options = {
		.kinds = sampling_kinds(o->events),
		.hz = (unsigned)(o->hz ? o->hz : USUAL_HZ),
		.stack_bytes = o->stack_bytes,
		.kernel = !o->only_user,
		.user = !o->only_kernel,
		.tid = o->tid,
		.targets = o->targets,
		.waits_bytes = o->memory_bytes / 2,
		.ring_most = o->memory_bytes / 2,
		.block_interval = o->alloc_interval,
		.fault_period = o->alloc_interval > SAMPLING_FAULT_BYTES
					? o->alloc_interval /
						  SAMPLING_FAULT_BYTES
					: 1,
	};

	s->o = o;
	s->shared.o = o;
	s->shared.kernel = sampling_kernel_new(o);
	s->shared.hz = options.hz;
	s->shared.tick_ns = (uint64_t)CLOCK_NS_PER_S / options.hz;
	s->shared.fault_bytes = options.fault_period * SAMPLING_FAULT_BYTES;
	s->shared.epoch_ns = clock_wall_of(0);
	s->shared.profile = sampling_new_profile(&s->shared);
	s->launch.child.channel = -1;
	s->shared.views.images.budget.limit = o->memory_bytes ? o->memory_bytes
							      : SESSION_BYTES;
	s->shared.views.images.process_bytes = o->all ? FOREIGN_BYTES
						      : CHOSEN_BYTES;
	sampling_targets_init(&s->targets, &s->shared);
	/* Before this process grows. */
	s->shared.views.readers = memory_readers_open(err);
	if (s->shared.views.readers)
		s->shared.sampler = sampler_open(&options, err);
	if (s->shared.sampler)
		return s;
	sampling_close(s);
	return NULL;
}

void sampling_close(struct sampling *s)
{
	if (!s)
		return;
	launch_close(&s->launch);
	sampling_targets_release(&s->targets);
	memory_readers_close(s->shared.views.readers);
	sampler_close(s->shared.sampler);
	map64_release(&s->shared.traced);
	sampling_kernel_free(s->shared.kernel);
	profile_free(s->shared.profile);
	for (size_t i = 0; i < s->shared.ended_count; i++)
		profile_part_release(&s->shared.ended[i]);
	free(s->shared.ended);
	free(s);
}

int sampling_add(struct sampling *s, struct jvm *jvm, struct error *err)
{
	return sampling_targets_add(&s->targets, jvm, err);
}

int sampling_launch(struct sampling *s, char *const *argv, struct error *err)
{
	if (launch_open(&s->launch, argv, s->o->before_exec, err))
		return -1;
	return sampling_targets_launched(&s->targets, s->launch.child.pid,
					 argv[0], err);
}

int sampling_find(struct sampling *s, struct error *err)
{
	return sampling_targets_open(&s->targets, err);
}

/* Chooses the uprobes of nativemem by their cost. */
static int sampling_choose_probes(struct sampling *s, struct error *err)
{
	/* The rate of calls of a program that starts is unknown. */
	if (s->launch.child.pid)
		return 0;
	if (sampling_check_calls(&s->shared, err))
		return -1;
	for (size_t i = 0; s->shared.maps_only && i < s->targets.count; i++)
		if (sampling_target_probe_blocks(s->targets.all[i], err))
			return -1;
	return 0;
}

int sampling_start(struct sampling *s, struct error *err)
{
	if (sampling_choose_probes(s, err) ||
	    sampler_start(s->shared.sampler, err))
		return -1;
	sampling_set_rates(&s->shared, s->shared.profile);
	/* Until the first JVM of a launched program appears, no samples wait
	 * while a target is opened: opening may take longer. */
	s->shared.has_begun = !s->launch.child.pid;
	/* The time to start the program is not part of the duration. */
	if (s->launch.child.pid &&
	    launch_begin(&s->launch, clock_monotonic_ns() + LAUNCH_NS, err))
		return -1;
	s->start_ns = clock_monotonic_ns();
	s->shared.window_ns = s->start_ns;
	s->end_ns = s->o->duration_ns
			    ? clock_after(s->start_ns, s->o->duration_ns)
			    : INT64_MAX;
	return 0;
}

/*
 * Ends a batch after BATCH_NS: targets may take samples faster than sjkc
 * unwinds them, and signals, the agent and the end of the session must not
 * wait for the last sample.  Samples beyond the memory limit stay in the ring
 * buffer until the window has ended.
 */
static bool sampling_is_in_time(struct sampling *s)
{
	s->is_full = sampling_shared_is_full(&s->shared, false);
	s->is_behind = s->is_full || clock_monotonic_ns() >= s->batch_end_ns;
	return !s->is_behind;
}

/* Returns the target of a sample, ready to unwind it; NULL = none. */
static struct sampling_target *
sampling_begin_sample(struct sampling *s, const struct sample_event *e)
{
	struct sampling_target *t = sampling_targets_find(&s->targets,
							  (pid_t)e->tgid);

	if (!t) {
		s->foreign++;
		return NULL;
	}
	/* The JVM may have changed code since the last read. */
	if (t->batch != s->batch ||
	    (int64_t)e->time_ns > t->read_ns + STALE_NS) {
		t->batch = s->batch;
		sampling_target_begin(t);
	}
	return t;
}

static bool sampling_on_sample(void *self, const struct sample_event *e,
			       const uint64_t *kernel, const uint8_t *stack)
{
	struct sampling *s = self;
	struct sampling_target *t = sampling_begin_sample(s, e);

	if (t)
		sampling_target_sample(t, e, kernel, stack);
	return sampling_is_in_time(s);
}

/*
 * Linux does not trace every context switch: a thread may have ended since its
 * last part.  A wait for a monitor may continue on another thread.
 */
static bool sampling_still_waits(struct sampling *s, struct sample_event *e)
{
	char path[48];

	if (e->kind != SAMPLE_OFFCPU ||
	    !(e->flags & (SAMPLE_CONTINUED | SAMPLE_BEGAN_EARLIER)))
		return true;
	if (e->flags & SAMPLE_BEGAN_EARLIER &&
	    sampler_has_lost(s->shared.sampler, &s->shared.before) &&
	    !idle_threads_sleeps(e))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/task/%u", (unsigned)e->tgid,
		 (unsigned)e->tid);
	return access(path, F_OK) == 0;
}

static bool sampling_on_part(void *self, struct sample_event *e,
			     const uint64_t *kernel, const uint8_t *stack)
{
	struct sampling *s = self;
	struct sampling_target *t;

	if (!sampling_still_waits(s, e))
		return false;
	t = sampling_begin_sample(s, e);
	/* The last part may be the only one, and too short. */
	if (t && s->is_over && !(e->flags & SAMPLE_BEGAN_EARLIER))
		sampling_target_sample(t, e, kernel, stack);
	else if (t)
		sampling_target_part(t, e, kernel, stack);
	return true;
}

/* Returns false if there was no memory for all samples. */
static bool sampling_read_batch(struct sampling *s, int64_t end_ns)
{
	s->batch++;
	s->batch_end_ns = end_ns;
	s->is_behind = s->is_full = false;
	sampler_read(s->shared.sampler, sampling_on_sample, s);
	for (size_t i = 0; i < s->targets.count; i++)
		sampling_target_read_pauses(s->targets.all[i], INT64_MAX);
	return !s->is_full;
}

/*
 * ---- threads that sleep when sampling begins ----
 *
 * The kernel's programs see a thread when it leaves or gets a CPU, so sleeping
 * threads are listed once for each new target.
 */

static bool sampling_wants_sleepers(const struct sampling *s)
{
	return s->o->events & (SAMPLING_OFFCPU | SAMPLING_WALL);
}

static bool sampling_on_sleeper(void *self, const struct sample_event *e,
				const uint64_t *kernel, const uint8_t *stack)
{
	struct sampling *s = self;
	struct sampling_target *t = sampling_targets_find(&s->targets,
							  (pid_t)e->tgid);

	(void)stack;
	if (t && t->idle)
		idle_threads_catch(t->idle, e, kernel);
	return true;
}

static bool sampling_on_sleeper_again(void *self, const struct sample_event *e,
				      const uint64_t *kernel,
				      const uint8_t *stack)
{
	struct sampling *s = self;
	struct sampling_target *t = sampling_targets_find(&s->targets,
							  (pid_t)e->tgid);

	(void)kernel, (void)stack;
	if (t && t->idle)
		idle_threads_confirm(t->idle, e);
	return true;
}

/* Lists all sleeping threads at once: a thread that wakes up has moved. */
static void sampling_catch_sleepers(struct sampling *s)
{
	struct sampler *sampler = s->shared.sampler;

	if (sampler_read_sleepers(sampler, sampling_on_sleeper, s,
				  error_unused()))
		return;
	for (size_t i = 0; i < s->targets.count; i++)
		if (s->targets.all[i]->idle)
			idle_threads_copy(s->targets.all[i]);
	sampler_read_sleepers(sampler, sampling_on_sleeper_again, s,
			      error_unused());
	for (size_t i = 0; i < s->targets.count; i++)
		if (s->targets.all[i]->idle)
			idle_threads_end_round(s->targets.all[i]->idle);
}

/*
 * Finds the stacks of sleeping threads for half a batch, since samples must not
 * wait.  Returns true when all are found.
 */
static bool sampling_walk_sleepers(struct sampling *s)
{
	int64_t until_ns = clock_monotonic_ns() + BATCH_NS / 2;
	bool is_new = false;

	if (!sampling_wants_sleepers(s))
		return true;
	for (size_t i = 0; i < s->targets.count; i++) {
		struct sampling_target *t = s->targets.all[i];

		is_new |= !t->idle;
		if (!t->idle)
			t->idle = idle_threads_new(t, t->since_ns > s->start_ns
							      ? t->since_ns
							      : s->start_ns);
	}
	if (is_new)
		sampling_catch_sleepers(s);
	for (size_t i = 0; i < s->targets.count; i++) {
		struct sampling_target *t = s->targets.all[i];

		if (!t->has_ended && !idle_threads_walk(t, until_ns))
			return false;
	}
	return true;
}

/* Finds the remaining stacks of sleeping threads, before a window ends. */
static void sampling_finish_sleepers(struct sampling *s, int64_t until_ns)
{
	for (size_t i = 0; i < s->targets.count; i++)
		if (s->targets.all[i]->idle && !s->targets.all[i]->has_ended)
			idle_threads_walk(s->targets.all[i], until_ns);
}

/*
 * Reads all samples, and adds the parts of unfinished waits in the window that
 * ends now.  Returns its end.
 */
static int64_t sampling_cut_waits(struct sampling *s)
{
	int64_t end_ns = (int64_t)sampler_cut(
		s->shared.sampler, sampling_on_sample, sampling_on_part, s);
	bool has_lost = sampler_has_lost(s->shared.sampler, &s->shared.before);

	for (size_t i = 0; i < s->targets.count; i++)
		if (s->targets.all[i]->idle && !s->targets.all[i]->has_ended)
			idle_threads_count_lost(s->targets.all[i], has_lost);
	return end_ns > s->shared.window_ns ? end_ns : s->shared.window_ns;
}

/* Returns the end of the window that ends now. */
static int64_t sampling_cut(struct sampling *s)
{
	int64_t now_ns = clock_monotonic_ns();

	if (s->is_over)
		return s->stopped_ns;
	sampling_targets_running(&s->targets);
	sampling_read_batch(s, now_ns + LAST_TICKS_NS);
	if (!s->is_behind)
		sampling_targets_forget_waits(&s->targets);
	sampling_finish_sleepers(s, clock_monotonic_ns() + WINDOW_SLEEPERS_NS);
	return sampling_cut_waits(s);
}

/* True when the duration has passed or no target is left. */
static bool sampling_is_over(struct sampling *s)
{
	size_t running = sampling_targets_running(&s->targets);

	if (clock_monotonic_ns() >= s->end_ns)
		return true;
	if (s->launch.child.pid)
		return launch_has_ended(&s->launch) && !running;
	return !running && !s->o->all;
}

bool drain_interval_is_short(const struct drain_interval *d)
{
	return d->ns && d->ns < DRAIN_FIRST_NS;
}

int64_t drain_interval_next(struct drain_interval *d, uint64_t changes,
			    int64_t most_ns)
{
	if (!d->ns)
		d->ns = DRAIN_FIRST_NS;
	else if (changes != d->changes)
		d->ns /= 2;
	else
		d->ns += d->ns / 4;
	d->changes = changes;
	if (d->ns < DRAIN_LEAST_NS)
		d->ns = DRAIN_LEAST_NS;
	if (d->ns > most_ns)
		d->ns = most_ns;
	return d->ns;
}

/*
 * Returns the maximum time between two batches.  A full ring buffer ends the
 * wait for the next batch.
 */
static int64_t sampling_drain_most(const struct sampling *s)
{
	int64_t since_ns = clock_monotonic_ns() - CALM_NS;

	if (s->o->drain_ns <= DRAIN_MOST_NS || s->launch.child.pid)
		return DRAIN_MOST_NS;
	for (size_t i = 0; i < s->targets.count; i++) {
		const struct sampling_target *t = s->targets.all[i];

		if (!t->has_ended && t->since_ns > since_ns)
			return DRAIN_MOST_NS;
	}
	return s->o->drain_ns;
}

/* A launched program may become a JVM soon, so check it often. */
static int64_t sampling_drain_ns(struct sampling *s)
{
	int64_t ns = drain_interval_next(&s->drain,
					 sampling_targets_changes(&s->targets),
					 sampling_drain_most(s));

	return s->launch.child.pid && ns > BATCH_NS ? BATCH_NS : ns;
}

static bool sampling_poll(struct sampling *s, struct pollfd *fds, nfds_t count,
			  int64_t ns)
{
	int64_t next_ns = clock_monotonic_ns() + ns;

	if (next_ns > s->end_ns)
		next_ns = s->end_ns;
	return poll(fds, count, clock_left_ms(next_ns)) > 0;
}

/*
 * Waits for the next batch: for the caller's count descriptors and, after them,
 * the sampler's.  If code is freed fast, the first sample after a wait is read
 * at once, unless the reader's own waits would be samples.
 */
static void sampling_await_batch(struct sampling *s, struct pollfd *fds,
				 nfds_t count)
{
	int64_t ns = sampling_drain_ns(s);
	bool each = drain_interval_is_short(&s->drain) &&
		    !sampling_wants_sleepers(s);

	sampler_wake(s->shared.sampler, each);
	if (s->is_behind || sampling_targets_have_more(&s->targets))
		sampling_poll(s, fds, count, 0);
	else if (!each)
		sampling_poll(s, fds, count + 1, ns);
	else if (!sampling_poll(s, fds, count, ns))
		sampling_poll(s, fds, count + 1, BATCH_NS);
}

/* Tries to start ticks that could not be started. */
static void sampling_retry_ticks(struct sampling *s)
{
	int64_t now_ns = clock_monotonic_ns();

	if (!s->tickless_ns || now_ns < s->ticks_again_ns)
		return;
	s->ticks_again_ns = now_ns + TICKS_AGAIN_NS;
	if (sampler_start_ticks(s->shared.sampler, (unsigned)s->shared.hz,
				error_unused()))
		return;
	s->tickless_before_ns += now_ns - s->tickless_ns;
	s->tickless_ns = 0;
	sampling_notify(s->o, SAMPLING_LOSS, "sampling at %" PRIu64 " Hz again",
			s->shared.hz);
}

bool sampling_step(struct sampling *s, struct pollfd *fds, nfds_t count)
{
	struct pollfd *all = xcalloc(count + 1, sizeof(*all));
	bool is_ready = false;

	for (nfds_t i = 0; i < count; i++)
		fds[i].revents = 0;
	if (sampling_is_over(s)) {
		free(all);
		return false;
	}
	sampling_retry_ticks(s);
	sampling_watch_calls(&s->shared);
	s->is_behind |= !sampling_walk_sleepers(s);
	for (nfds_t i = 0; i < count; i++)
		all[i] = fds[i];
	/* Becomes readable before the ring buffer is full. */
	all[count] = (struct pollfd){ .fd = sampler_fd(s->shared.sampler),
				      .events = POLLIN };
	sampling_await_batch(s, all, count);
	for (nfds_t i = 0; i < count; i++) {
		fds[i].revents = all[i].revents;
		is_ready |= all[i].revents != 0;
	}
	free(all);
	/*
	 * The caller must not wait for a process that is slow to open, unless
	 * its descriptors are ready all the time.
	 */
	if (!is_ready || sampling_targets_are_overdue(&s->targets))
		sampling_targets_find_new(&s->targets);
	sampling_read_batch(s, clock_monotonic_ns() + BATCH_NS);
	if (!s->is_behind) {
		sampling_targets_forget_waits(&s->targets);
		sampling_targets_retire_ended(&s->targets);
	}
	return true;
}

/* Returns the counts of the targets in the current window. */
static struct sampling_counts sampling_window_counts(const struct sampling *s)
{
	struct sampling_counts had = sampling_targets_counts(&s->targets);
	const uint64_t *before = (const uint64_t *)&s->counts_before;
	uint64_t *counts = (uint64_t *)&had;

	for (size_t i = 0; i < sizeof(had) / sizeof(*counts); i++)
		counts[i] -= before[i];
	return had;
}

/* Returns the time without ticks in the current window. */
static uint64_t sampling_tickless_ns(const struct sampling *s)
{
	int64_t until_ns = s->stopped_ns ? s->stopped_ns : clock_monotonic_ns();

	return (uint64_t)(s->tickless_before_ns +
			  (s->tickless_ns ? until_ns - s->tickless_ns : 0));
}

static void sampling_add_losses(struct sampling *s)
{
	const struct sampling_losses losses = {
		.had = sampling_window_counts(s),
		.sampler = sampling_shared_window(&s->shared),
		.foreign = s->foreign,
		.tickless_ms = sampling_tickless_ns(s) / CLOCK_NS_PER_MS,
	};

	sampling_losses_add(&s->shared, &losses);
}

static int64_t sampling_until_ns(const struct sampling *s)
{
	return s->stopped_ns ? s->stopped_ns : clock_monotonic_ns();
}

/* A program may be idle before its first sample and after its last. */
static void sampling_set_times(const struct sampling *s, struct profile *p,
			       int64_t until_ns)
{
	int64_t from = s->shared.window_ns + s->shared.epoch_ns;
	int64_t until = until_ns + s->shared.epoch_ns;

	if (!p->earliest_ns)
		return;
	if (from < p->earliest_ns)
		p->earliest_ns = from;
	if (until > p->latest_ns)
		p->latest_ns = until;
}

struct profile *sampling_profile(struct sampling *s)
{
	for (size_t i = 0; i < s->targets.count && !s->o->separate; i++) {
		sampling_target_add_live(s->targets.all[i],
					 sampling_until_ns(s));
		sampling_target_note_huge(s->targets.all[i]);
	}
	sampling_add_losses(s);
	sampling_set_times(s, s->shared.profile, sampling_until_ns(s));
	return s->shared.profile;
}

/* Starts the counts of a new window. */
static void sampling_clear_window(struct sampling *s, int64_t now_ns)
{
	s->counts_before = sampling_targets_counts(&s->targets);
	sampler_counts(s->shared.sampler, &s->shared.before);
	s->foreign = 0;
	s->tickless_before_ns = 0;
	if (s->tickless_ns)
		s->tickless_ns = clock_monotonic_ns();
	s->shared.window_ns = now_ns;
	/* The wall clock may have been set. */
	s->shared.epoch_ns = clock_wall_of(0);
	sampling_shared_clear(&s->shared);
}

static void sampling_renew_wait(void *self, struct sample_event *e)
{
	struct sampling *s = self;
	struct sampling_target *t = sampling_targets_find(&s->targets,
							  (pid_t)e->tgid);

	if (t)
		sampling_target_renew_wait(t, e);
}

/* Replaces the ids of waits; the profiles of the window before still exist. */
static void sampling_end_renewal(struct sampling *s)
{
	sampler_each_known_wait(s->shared.sampler, sampling_renew_wait, s);
	for (size_t i = 0; i < s->targets.count; i++)
		sampling_target_end_renewal(s->targets.all[i]);
}

/* Moves the profiles of all targets to parts, and gives them new ones. */
static size_t sampling_take_parts(struct sampling *s,
				  struct profile_part *parts, int64_t until_ns)
{
	struct sampling_shared *shared = &s->shared;
	size_t count = shared->ended_count;

	for (size_t i = 0; i < count; i++)
		parts[i] = shared->ended[i];
	shared->ended_count = 0;
	for (size_t i = 0; i < s->targets.count; i++) {
		struct sampling_target *t = s->targets.all[i];
		struct profile_part *part = &parts[count++];

		*part = (struct profile_part){ .profile = t->profile };
		text_add(&part->about, t->about.bytes, t->about.len);
		sampling_target_renew(t, sampling_shared_new_profile(shared));
	}
	for (size_t i = 0; i < count; i++)
		sampling_set_times(s, parts[i].profile, until_ns);
	return count;
}

struct profile *sampling_next_parts(struct sampling *s,
				    struct profile_part **parts, size_t *count)
{
	int64_t now_ns = sampling_cut(s);
	struct profile *remarks;

	for (size_t i = 0; i < s->targets.count; i++)
		sampling_target_add_live(s->targets.all[i], now_ns);
	sampling_add_losses(s);
	remarks = s->shared.profile;
	*parts = xcalloc(s->shared.ended_count + s->targets.count + 1,
			 sizeof(**parts));
	*count = sampling_take_parts(s, *parts, now_ns);
	sampling_end_renewal(s);
	sampling_clear_window(s, now_ns);
	s->shared.profile = sampling_shared_new_profile(&s->shared);
	return remarks;
}

struct sampling_status sampling_status(const struct sampling *s)
{
	return (struct sampling_status){
		.sampled = sampling_targets_sampled(&s->targets),
		.refused = sampling_targets_refused(&s->targets),
		.excluded = jvm_search_excluded(&s->targets.search) +
			    s->targets.young,
		.unnamed = sampling_targets_counts(&s->targets).unnamed,
		.hz = s->shared.hz,
	};
}

/* Ends the time without ticks. */
static void sampling_end_tickless(struct sampling *s)
{
	s->tickless_before_ns = (int64_t)sampling_tickless_ns(s);
	s->tickless_ns = 0;
}

bool sampling_pause(struct sampling *s)
{
	int64_t now_ns = clock_monotonic_ns();

	sampling_end_tickless(s);
	sampler_stop_ticks(s->shared.sampler);
	if (!s->paused_ns)
		s->paused_ns = now_ns;
	return sampling_read_batch(s, s->paused_ns + LAST_TICKS_NS) ||
	       now_ns >= s->paused_ns + LAST_TICKS_NS;
}

int sampling_set_hz(struct sampling *s, uint64_t hz, struct error *err)
{
	struct sampling_shared *shared = &s->shared;

	s->paused_ns = 0;
	shared->hz = hz;
	shared->tick_ns = (uint64_t)CLOCK_NS_PER_S / hz;
	if (sampler_start_ticks(shared->sampler, (unsigned)hz, err) == 0)
		return 0;
	s->tickless_ns = clock_monotonic_ns();
	s->ticks_again_ns = s->tickless_ns + TICKS_AGAIN_NS;
	return -1;
}

bool sampling_drop_caches(struct sampling *s)
{
	struct sampling_target *oldest = NULL;

	for (size_t i = 0; i < s->targets.count; i++) {
		struct sampling_target *t = s->targets.all[i];

		if (!t->has_dropped &&
		    (!oldest || t->read_ns < oldest->read_ns))
			oldest = t;
	}
	if (oldest)
		sampling_target_drop_caches(oldest);
	return oldest != NULL;
}

void sampling_refuse_new(struct sampling *s, bool refuses)
{
	s->targets.refuses_new = refuses;
}

/*
 * Returns true if the end of a process makes the session incomplete.  With a
 * launched program or all JVMs, processes start and end at any time.
 */
static bool sampling_ends_early(const struct sampling *s)
{
	return !s->launch.child.pid && !s->o->all;
}

bool sampling_stop(struct sampling *s)
{
	int64_t until_ns;

	if (!s->stopped_ns)
		s->stopped_ns = sampler_stop(s->shared.sampler);
	/* This ends: no samples are added any more. */
	if (!sampling_read_batch(s, INT64_MAX))
		return false;
	s->is_over = true;
	sampling_finish_sleepers(s, clock_monotonic_ns() + SLEEPERS_NS);
	sampling_cut_waits(s);
	until_ns = clock_monotonic_ns() + FINISH_NS;
	for (size_t i = 0; i < s->targets.count; i++)
		sampling_threads_finish(s->targets.all[i]->threads, until_ns);
	launch_has_ended(&s->launch);
	sampling_targets_report_refused(&s->targets);
	for (size_t i = 0; sampling_ends_early(s) && i < s->targets.count;
	     i++) {
		if (s->targets.all[i]->has_ended)
			sampling_notify(s->o, SAMPLING_LOSS,
					"%s has exited; its samples until then "
					"are kept",
					s->targets.all[i]->name.bytes);
	}
	return true;
}

void sampling_add_name(const struct sampling *s, struct text *out)
{
	sampling_targets_name(&s->targets, out);
}

static void sampling_add_events(const struct sampling_options *o,
				struct text *out, unsigned bits)
{
	const char *comma = "";

	for (unsigned i = 0; i < EVENTS; i++) {
		if (!(bits & 1U << i))
			continue;
		text_printf(out, "%s%s", comma, events[i].name);
		if (1U << i == SAMPLING_PROBE)
			text_printf(out, ":%s", o->probe);
		comma = ", ";
	}
}

void sampling_add_title(const struct sampling *s, struct text *out)
{
	unsigned ticks = s->o->events & (SAMPLING_CPU | SAMPLING_WALL);
	struct sampling_counts had = sampling_window_counts(s);

	sampling_add_name(s, out);
	text_puts(out, ": ");
	/* The rate applies to these events alone. */
	sampling_add_events(s->o, out, ticks);
	if (ticks)
		text_printf(out, " at %" PRIu64 " Hz (%s), ", s->shared.hz,
			    sampler_clock(s->shared.sampler));
	sampling_add_events(s->o, out, s->o->events & ~ticks);
	if (s->o->events & ~ticks)
		text_puts(out, ", ");
	text_printf(out, "%.1f s, ",
		    (double)(sampling_until_ns(s) - s->shared.window_ns) /
			    CLOCK_NS_PER_S);
	units_add_counted(out, had.samples, "sample");
	text_puts(out, ", ");
	units_add_count(out, sampling_shared_window(&s->shared).lost +
				     s->shared.ends[SAMPLING_END_STALLED]);
	text_puts(out, " lost");
}

struct sampling_result sampling_result(const struct sampling *s)
{
	size_t total = sampling_targets_total(&s->targets);
	struct sampling_result r = {
		.events = s->o->events & ~s->shared.unavailable,
		.processes = total,
		.is_launched = s->launch.child.pid != 0,
		.has_exited = s->launch.has_ended,
		.status = s->launch.status,
		.launched = s->launch.child.pid,
		.only = total == 1 ? &s->targets.all[0]->jvm : NULL,
	};

	for (size_t i = 0; sampling_ends_early(s) && i < s->targets.count; i++)
		r.ended += s->targets.all[i]->has_ended;
	return r;
}
