/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_live.h"

#include "bpf/sampling/drain_interval.h"
#include "bpf/sampling/idle_threads.h"
#include "bpf/sampling/launch.h"
#include "bpf/sampling/sampling_targets.h"
#include "cmd/command.h"
#include "cmd/log.h"
#include "cmd/main_name.h"
#include "cmd/nearest.h"
#include "cmd/open_files.h"
#include "cmd/prof/prof_asprof.h"
#include "cmd/prof/prof_dumps.h"
#include "cmd/prof/prof_snapshot.h"
#include "cmd/progress.h"
#include "cmd/signals.h"
#include "cmd/target.h"
#include "core/attach/attach_conditions.h"
#include "core/base/clock.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of samples that are looked at without looking at what is beside them. */
#define BATCH_NS (50 * CLOCK_NS_PER_MS)
#define STALE_NS (10 * CLOCK_NS_PER_MS)
/* No divisor of what programs do at even intervals. */
enum { USUAL_HZ = 99 };

/*
 * Open at a time: what all sessions need, some for each CPU and each process;
 * and what is enough for any number of those.
 */
enum { FILES_BASE = 32, FILES_CPU = 2, FILES_TARGET = 6, FILES_MANY = 65536 };

/* Names that a JVM is asked for at the end. */
#define FINISH_NS (2 * CLOCK_NS_PER_S)

#define LAUNCH_NS (10 * CLOCK_NS_PER_S)

struct session {
	const struct prof_live_options *o;
	struct sampling_shared shared;
	struct sampling_targets targets;
	struct launch launch;
	int64_t start_ns, end_ns; /* when it is over, if not before */
	int64_t stopped_ns;
	int64_t batch_end_ns; /* when a batch is long enough */
	bool is_behind;       /* the last one was ended by that */
	struct drain_interval pace;
	uint64_t batch, astray;
};

/* By the numbers of their bits. */
static const struct {
	const char *name;
	enum unit unit;
	unsigned kinds; /* of samples that make it up */
	/* What it means that there are none, and what to do. */
	const char *none;
} events[] = {
	{ "cpu", UNIT_NS, 1 << SAMPLE_CPU,
	  "no thread used a CPU for long enough; -e wall shows what they wait "
	  "for, -d a longer time" },
	{ "offcpu", UNIT_NS, 1 << SAMPLE_OFFCPU,
	  "no thread waited (for as long as --min-blocked)" },
	{ "wall", UNIT_NS, 1 << SAMPLE_CPU | 1 << SAMPLE_OFFCPU,
	  "no thread ran, or waited for as long as --min-blocked" },
	{ "alloc", UNIT_BYTES, 1 << SAMPLE_ALLOC,
	  "too little was allocated; --alloc-interval, -d" },
	{ "lock", UNIT_NS, 1 << SAMPLE_LOCK,
	  "no thread had to wait for a monitor; waits of other kinds are in "
	  "-e offcpu" },
};

#define EVENTS (sizeof(events) / sizeof(*events))

static unsigned event_of(const char *name, size_t len)
{
	const char *other = prof_asprof_event(name, len);

	if (other) {
		name = other;
		len = strlen(other);
	}
	for (unsigned i = 0; i < EVENTS; i++) {
		if (strlen(events[i].name) == len &&
		    memcmp(events[i].name, name, len) == 0)
			return 1U << i;
	}
	return 0;
}

/* Where it is empty, the list is what was typed wrong. */
static void unknown_event(const char *list, const char *word, size_t len,
			  struct error *err)
{
	struct nearest nearest = nearest_to(word, len);
	bool listed = len > 0;

	if (listed && prof_asprof_refuse_event(word, len, err))
		return;
	for (unsigned i = 0; i < EVENTS; i++)
		nearest_offer(&nearest, events[i].name);
	misuse(err,
	       "-e '%.*s': unknown event%s%s%s events: cpu, offcpu, wall, "
	       "alloc, lock, separated by commas",
	       listed ? (int)len : (int)strlen(list), listed ? word : list,
	       nearest.best ? "; did you mean " : ";",
	       nearest.best ? nearest.best : "", nearest.best ? "?" : "");
}

unsigned prof_live_events(const char *list, struct error *err)
{
	unsigned bits = 0;
	size_t len;

	for (const char *at = list;; at += len + 1) {
		unsigned bit;

		len = strcspn(at, ",");
		bit = event_of(at, len);
		if (!bit) {
			unknown_event(list, at, len, err);
			return 0;
		}
		bits |= bit;
		if (!at[len])
			return bits;
	}
}

static unsigned kinds_of(unsigned wanted)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i < EVENTS; i++) {
		if (wanted & 1U << i)
			kinds |= events[i].kinds;
	}
	return kinds;
}

/*
 * A target may make more samples than can be unwound: what is beside them (the
 * end, signals, what the agent tells) must not wait for the last.
 */
static bool is_in_time(struct session *s)
{
	s->is_behind = clock_monotonic_ns() >= s->batch_end_ns;
	return !s->is_behind;
}

static bool on_sample(void *self, const struct sample_event *e,
		      const uint64_t *kernel, const uint64_t *user,
		      const uint8_t *stack)
{
	struct session *s = self;
	struct sampling_target *t = sampling_targets_find(&s->targets,
							  (pid_t)e->tgid);

	(void)user;
	if (!t) {
		s->astray++;
		return is_in_time(s);
	}
	/* Code may have changed since it was looked at. */
	if (t->batch != s->batch ||
	    (int64_t)e->time_ns > t->looked_ns + STALE_NS) {
		t->batch = s->batch;
		sampling_target_begin(t);
	}
	sampling_target_sample(t, e, kernel, stack);
	return is_in_time(s);
}

static void read_batch(struct session *s, int64_t end_ns)
{
	s->batch++;
	s->batch_end_ns = end_ns;
	s->is_behind = false;
	sampler_read(s->shared.sampler, on_sample, s);
}

/* Whether --sampler dump would do instead: it is advised only then. */
static bool may_dump(const struct prof_live_options *o)
{
	struct condition list[ATTACH_CONDITIONS_MAX];
	struct error unused;
	bool may = true;
	struct jvm jvm;
	size_t count;

	if (o->command || o->sampling.all || o->pid_count != 1 ||
	    o->sampling.tid || o->sampling.only_user ||
	    o->sampling.only_kernel ||
	    (o->sampling.events != SAMPLING_CPU &&
	     o->sampling.events != SAMPLING_WALL) ||
	    jvm_open_java(&jvm, (pid_t)strtol(o->pids[0], NULL, 10), &unused))
		return false;
	count = attach_conditions(&jvm, list);
	for (size_t i = 0; i < count; i++)
		may &= list[i].state != CONDITION_FAILS;
	jvm_close(&jvm);
	return may;
}

static int open_sampler(const struct prof_live_options *o,
			struct sampling_shared *s, struct error *err)
{
	const struct sampler_options options = {
		.kinds = kinds_of(o->sampling.events),
		.hz = (unsigned)s->hz,
		.stack_bytes = o->sampling.stack_bytes,
		.kernel = !o->sampling.only_user,
		.user = !o->sampling.only_kernel,
		.tid = o->sampling.tid,
	};
	static const char what[] = "BPF programs: ";
	const char *cause;
	struct error was;

	s->sampler = sampler_open(&options, err);
	if (s->sampler)
		return 0;
	was = *err;
	cause = was.text;
	if (strncmp(cause, what, sizeof(what) - 1) == 0)
		cause += sizeof(what) - 1;
	return fail(err, was.kind, "cannot sample with eBPF: %s%s", cause,
		    may_dump(o) ? "; or use the less accurate --sampler dump"
				: "");
}

/* In the words of a report; how often it is has no other place there. */
static void say_rates(struct sampling_shared *s)
{
	struct text rate = { 0 };

	text_printf(&rate, "at %" PRIu64 " Hz (%s)", s->hz,
		    sampler_clock(s->sampler));
	if (s->o->events & SAMPLING_CPU)
		profile_set(s->profile, "cpu", "rate", rate.bytes);
	if (s->o->events & SAMPLING_WALL)
		profile_set(s->profile, "wall", "rate", rate.bytes);
	text_clear(&rate);
	/* Of the JVM's own it is not known whether it was changed. */
	if (s->o->alloc_interval) {
		text_puts(&rate, "each ");
		units_add_bytes(&rate, (double)s->o->alloc_interval);
		text_puts(&rate, " on average");
		profile_set(s->profile, "alloc", "rate", rate.bytes);
	}
	text_release(&rate);
}

static void init(struct session *s, const struct prof_live_options *o)
{
	*s = (struct session){ .o = o, .shared.o = &o->sampling };
	s->shared.profile = profile_new();
	s->shared.kernel = sampling_kernel_new(&o->sampling);
	s->shared.profile->keep_lines = o->sampling.lines;
	s->shared.hz = o->sampling.hz ? o->sampling.hz : USUAL_HZ;
	s->shared.tick_ns = (uint64_t)CLOCK_NS_PER_S / s->shared.hz;
	s->shared.epoch_ns = clock_wall_ns() - clock_monotonic_ns();
	for (unsigned i = 0; i < EVENTS; i++) {
		if (o->sampling.events & 1U << i)
			s->shared.events[i] = profile_event(s->shared.profile,
							    events[i].name,
							    events[i].unit);
	}
	sampling_targets_init(&s->targets, &s->shared);
}

static void release(struct session *s)
{
	launch_close(&s->launch);
	sampling_targets_release(&s->targets);
	sampler_close(s->shared.sampler);
	sampling_kernel_free(s->shared.kernel);
	profile_free(s->shared.profile);
}

static void add_events(struct text *out, unsigned bits)
{
	const char *comma = "";

	for (unsigned i = 0; i < EVENTS; i++) {
		if (!(bits & 1U << i))
			continue;
		text_printf(out, "%s%s", comma, events[i].name);
		comma = ", ";
	}
}

/* "Main (4711): cpu at 99 Hz (cpu-clock), lock, 10.0 s, 990 samples, 2 lost" */
static int64_t sampled_until(const struct session *s)
{
	return s->stopped_ns ? s->stopped_ns : clock_monotonic_ns();
}

/* A program may be idle before its first sample and after its last. */
static void set_times(const struct session *s)
{
	struct profile *p = s->shared.profile;
	int64_t from = s->start_ns + s->shared.epoch_ns;
	int64_t until = sampled_until(s) + s->shared.epoch_ns;

	if (!p->earliest_ns)
		return;
	if (from < p->earliest_ns)
		p->earliest_ns = from;
	if (until > p->latest_ns)
		p->latest_ns = until;
}

static void add_title(const struct session *s, struct text *out)
{
	int64_t until = sampled_until(s);
	struct sampling_counts had = sampling_targets_counts(&s->targets);
	struct sampler_counts counts;
	unsigned ticks = s->o->sampling.events & (SAMPLING_CPU | SAMPLING_WALL);

	sampling_targets_name(&s->targets, out);
	text_puts(out, ": ");
	/* The rate is of these alone. */
	add_events(out, ticks);
	if (ticks)
		text_printf(out, " at %" PRIu64 " Hz (%s), ", s->shared.hz,
			    sampler_clock(s->shared.sampler));
	add_events(out, s->o->sampling.events & ~ticks);
	if (s->o->sampling.events & ~ticks)
		text_puts(out, ", ");
	sampler_counts(s->shared.sampler, &counts);
	text_printf(out, "%.1f s, ",
		    (double)(until - s->start_ns) / CLOCK_NS_PER_S);
	units_add_counted(out, had.samples, "sample");
	text_puts(out, ", ");
	units_add_count(out,
			counts.lost + s->shared.ends[SAMPLING_END_STALLED]);
	text_puts(out, " lost");
}

static int write_out(void *self, struct error *err)
{
	struct session *s = self;
	struct text name = { 0 }, title = { 0 };
	int ret;

	set_times(s);
	sampling_targets_name(&s->targets, &name);
	add_title(s, &title);
	ret = s->o->write(s->o->self, s->shared.profile, name.bytes,
			  title.bytes, err);
	text_release(&name);
	text_release(&title);
	return ret;
}

static void count_losses(struct session *s);

/* In a process of its own, whose profile ends here. */
static int write_snapshot(void *self, struct error *err)
{
	count_losses(self);
	return write_out(self, err);
}

static void take_snapshot(struct session *s)
{
	read_batch(s, clock_monotonic_ns() + BATCH_NS);
	prof_snapshot_write(write_snapshot, s);
}

/* True when it is over: told to stop, nobody there any more, or time is up. */
static bool is_over(struct session *s)
{
	size_t running = sampling_targets_running(&s->targets);

	if (clock_monotonic_ns() >= s->end_ns)
		return true;
	if (s->launch.pid)
		return launch_has_ended(&s->launch) && !running;
	return !running && !s->o->sampling.all;
}

static bool wants_sleepers(const struct session *s)
{
	return s->o->sampling.events & (SAMPLING_OFFCPU | SAMPLING_WALL);
}

static bool on_sleeper(void *self, const struct sample_event *e,
		       const uint64_t *kernel, const uint64_t *user,
		       const uint8_t *stack)
{
	struct session *s = self;
	struct sampling_target *t = sampling_targets_find(&s->targets,
							  (pid_t)e->tgid);

	(void)user, (void)stack;
	if (t && t->idle)
		idle_threads_catch(t->idle, e, kernel);
	return true;
}

static bool on_sleeper_again(void *self, const struct sample_event *e,
			     const uint64_t *kernel, const uint64_t *user,
			     const uint8_t *stack)
{
	struct session *s = self;
	struct sampling_target *t = sampling_targets_find(&s->targets,
							  (pid_t)e->tgid);

	(void)kernel, (void)user, (void)stack;
	if (t && t->idle)
		idle_threads_confirm(t->idle, e);
	return true;
}

/* All at a time, since a thread that goes on is where it was no more. */
static void catch_sleepers(struct session *s, bool is_new)
{
	struct sampler *sampler = s->shared.sampler;
	struct error unused;

	if (!is_new || sampler_look(sampler, on_sleeper, s, &unused))
		return;
	for (size_t i = 0; i < s->targets.count; i++)
		if (s->targets.all[i]->idle)
			idle_threads_copy(s->targets.all[i]);
	sampler_look(sampler, on_sleeper_again, s, &unused);
	for (size_t i = 0; i < s->targets.count; i++)
		if (s->targets.all[i]->idle)
			idle_threads_told(s->targets.all[i]->idle);
}

/*
 * Where those are that sleep, as far as there is time: samples must not wait.
 * True when all were looked at.
 */
static bool look_at_sleepers(struct session *s)
{
	int64_t until_ns = clock_monotonic_ns() + BATCH_NS / 2;
	bool is_new = false;

	for (size_t i = 0; wants_sleepers(s) && i < s->targets.count; i++) {
		struct sampling_target *t = s->targets.all[i];

		is_new |= !t->idle;
		if (!t->idle)
			t->idle = idle_threads_new(t, t->since_ns > s->start_ns
							      ? t->since_ns
							      : s->start_ns);
	}
	catch_sleepers(s, is_new);
	for (size_t i = 0; wants_sleepers(s) && i < s->targets.count; i++) {
		struct sampling_target *t = s->targets.all[i];

		if (!t->has_ended && !idle_threads_look(t, until_ns))
			return false;
	}
	return true;
}

/* How long samples may wait; a program that was started may become another. */
static int64_t wait_ns(struct session *s)
{
	int64_t ns = drain_interval_next(&s->pace,
					 sampling_targets_changes(&s->targets));

	return s->launch.pid && ns > BATCH_NS ? BATCH_NS : ns;
}

static bool await(struct session *s, struct pollfd *fds, nfds_t count,
		  int64_t ns)
{
	int64_t next_ns = clock_monotonic_ns() + ns;

	if (next_ns > s->end_ns)
		next_ns = s->end_ns;
	return poll(fds, count, clock_left_ms(next_ns)) > 0;
}

/*
 * Waits for the next batch; true when there is something else to do.  Where
 * code goes fast, the first sample after a wait is looked at when it is taken:
 * not so when the sampler's own waits would be samples.
 */
static bool await_batch(struct session *s, struct pollfd fds[3])
{
	int64_t ns = wait_ns(s);
	bool each = drain_interval_is_short(&s->pace) && !wants_sleepers(s);

	sampler_wake(s->shared.sampler, each);
	if (s->is_behind)
		return await(s, fds, 2, 0);
	if (!each)
		return await(s, fds, 3, ns);
	return await(s, fds, 2, ns) || await(s, fds, 3, BATCH_NS);
}

static void run(struct session *s)
{
	struct pollfd fds[] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .fd = prof_snapshot_fd(), .events = POLLIN },
		/* Before there is no more room for samples. */
		{ .fd = sampler_fd(s->shared.sampler), .events = POLLIN },
	};

	while (!is_over(s)) {
		s->is_behind |= !look_at_sleepers(s);
		if (await_batch(s, fds)) {
			if (fds[0].revents)
				return;
			if (prof_snapshot_taken())
				take_snapshot(s);
		}
		sampling_targets_look(&s->targets);
		read_batch(s, clock_monotonic_ns() + BATCH_NS);
		if (s->o->duration_ns)
			progress_show(
				NULL,
				(uint64_t)(clock_monotonic_ns() - s->start_ns),
				(uint64_t)s->o->duration_ns);
	}
}

static void say_start(const struct session *s)
{
	struct text name = { 0 };

	sampling_targets_name(&s->targets, &name);
	if (!s->o->duration_ns && !s->o->command)
		log_info("sampling %s; Ctrl-C ends it", name.bytes);
	else
		log_detail("sampling %s", name.bytes);
	text_release(&name);
}

/* Said before it is half done: what lacks a file then is named otherwise. */
static int allow_files(const struct prof_live_options *o, struct error *err)
{
	uint64_t least = FILES_BASE + FILES_TARGET * o->pid_count +
			 FILES_CPU * (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	uint64_t allowed = open_files_raise(FILES_MANY);

	if (allowed >= least)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "Too many open files: sampling takes %" PRIu64
		    ", and %" PRIu64 " are allowed (ulimit -n 1024)",
		    least, allowed);
}

static int start(struct session *s, struct error *err)
{
	if (allow_files(s->o, err) || open_sampler(s->o, &s->shared, err))
		return -1;
	if (s->o->command &&
	    (launch_open(&s->launch, s->o->command, open_files_restore, err) ||
	     sampling_targets_launched(&s->targets, s->launch.pid,
				       s->o->command[0], err)))
		return -1;
	for (size_t i = 0; i < s->o->pid_count; i++) {
		struct jvm jvm;

		if (target_open_named(&jvm, s->o->pids[i], err) ||
		    sampling_targets_add(&s->targets, &jvm, err))
			return -1;
	}
	if (sampling_targets_open(&s->targets, err))
		return -1;
	signals_listen();
	prof_snapshot_listen();
	say_start(s);
	if (sampler_start(s->shared.sampler, err))
		return -1;
	say_rates(&s->shared);
	/* A program that is begun is all there is to be sampled, until there is
	 * a JVM. */
	s->shared.has_begun = !s->launch.pid;
	/* What it takes to begin is no part of the time it is sampled for. */
	if (s->launch.pid &&
	    launch_begin(&s->launch, clock_monotonic_ns() + LAUNCH_NS, err))
		return -1;
	s->start_ns = clock_monotonic_ns();
	s->end_ns = s->o->duration_ns
			    ? clock_after(s->start_ns, s->o->duration_ns)
			    : INT64_MAX;
	return 0;
}

/* Those that were named and have ended before their time. */
static size_t ended_early(const struct session *s)
{
	size_t early = 0;

	if (s->launch.pid || s->o->sampling.all)
		return 0;
	for (size_t i = 0; i < s->targets.count; i++) {
		if (!s->targets.all[i]->has_ended)
			continue;
		early++;
		log_always("%s has ended; it was sampled until then",
			   s->targets.all[i]->name.bytes);
	}
	return early;
}

static void say_launched(struct session *s)
{
	int status = s->launch.status;

	if (!s->launch.pid)
		return;
	if (!launch_has_ended(&s->launch))
		log_info("%d goes on", (int)s->launch.pid);
	else if (WIFSIGNALED(status))
		log_info("%s was ended by signal %d (%s)", s->o->command[0],
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		log_info("%s ended with status %d", s->o->command[0],
			 WEXITSTATUS(status));
}

/* Short waits are lost as sampling begins: what comes to nothing is no news. */
static void note_waits(struct sampling_shared *s, enum sampling_end end,
		       const char *what, const char *why)
{
	double percent = s->waited_ns ? 100.0 * (double)s->ends_ns[end] /
						(double)s->waited_ns
				      : 100;

	if (s->ends[end] && percent >= 0.05)
		profile_note(s->profile, what, s->ends[end],
			     "%s; %.1f %% of the time", why, percent);
}

/* Stack traces that do not reach the thread's root, by the reason. */
static void note_ends(struct sampling_shared *s)
{
	static const struct {
		enum sampling_end end;
		const char *what, *why;
	} notes[] = {
		{ SAMPLING_END_BYTES, "stack traces truncated at --stack-bytes",
		  "a larger --stack-bytes shows the rest" },
		{ SAMPLING_END_FRAMES, "stack traces truncated at --max-stack",
		  "a larger --max-stack shows the rest" },
		{ SAMPLING_END_PAGE,
		  "stack traces truncated where they are read",
		  "a page of the stack was not in memory" },
	};
	static const char lost[] = "stack traces that end in [unknown]";
	struct text whys = { 0 };
	uint64_t walks = 0;

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (s->ends[notes[i].end])
			profile_note(s->profile, notes[i].what,
				     s->ends[notes[i].end], "%s", notes[i].why);
	note_waits(s, SAMPLING_END_OFTEN, "waits without a stack trace",
		   "threads waited too often to copy each stack");
	note_waits(s, SAMPLING_END_EARLIER,
		   "waits from before sampling truncated",
		   "they ended before their stacks were read");
	if (s->likened)
		profile_note(s->profile, "waits with an estimated stack trace",
			     s->likened,
			     "threads waited too often to copy each whole "
			     "stack: they have the one of another wait of the "
			     "thread at the same place");
	for (size_t i = 0; i < SAMPLING_WHYS && s->whys[i].why; i++)
		text_printf(&whys, "%s%" PRIu64 " %s", i ? "; " : "",
			    s->whys[i].count, s->whys[i].why);
	if (whys.len)
		profile_note(s->profile, lost, s->ends[SAMPLING_END_LOST], "%s",
			     whys.bytes);
	text_release(&whys);
	for (size_t i = 0; i < SAMPLING_ENDS; i++)
		walks += s->ends[i];
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		profile_remark_of(s->profile, notes[i].what, walks);
	profile_remark_of(s->profile, lost, walks);
}

static void count_losses(struct session *s)
{
	struct profile *p = s->shared.profile;
	struct sampling_counts had = sampling_targets_counts(&s->targets);
	struct sampler_counts counts;

	sampler_counts(s->shared.sampler, &counts);
	if (had.untold)
		profile_lost(p, "names lost", had.untold,
			     "the agent had no room to tell of code");
	if (counts.lost)
		profile_lost(p, "samples lost", counts.lost,
			     "there was no room for them: a lower -F or "
			     "--stack-bytes helps");
	if (s->astray)
		profile_lost(p, "samples left out", s->astray,
			     "of processes that could not be looked at");
	if (s->shared.ends[SAMPLING_END_STALLED])
		profile_lost(p, "stack traces lost",
			     s->shared.ends[SAMPLING_END_STALLED],
			     "memory of the target did not come within a "
			     "second");
	else if (had.stalls)
		profile_lost(p, "reads lost", had.stalls,
			     "memory of the target did not come within a "
			     "second");
	note_ends(&s->shared);
	if (had.files)
		profile_lost(p, "files left out", had.files,
			     "their file system does not answer in time: "
			     "functions in "
			     "them have no names");
	if (had.refused)
		profile_lost(p, "looks at code left out", had.refused,
			     "there is more of it than a JVM has");
	if (had.classless)
		profile_note(p, "allocations and locks without a class",
			     had.classless,
			     "the object or its class could not be read");
	if (had.ownerless)
		profile_note(p, "waits for a monitor without its owner",
			     had.ownerless,
			     "the monitor did not name it yet, or it had "
			     "ended");
	if (had.unnamed)
		profile_note(p, "Java frames without a name", had.unnamed,
			     "their code or class was gone");
}

/* A report or page shows notes; what has no room for them does not. */
static void say_remarks(const struct session *s)
{
	const struct profile *p = s->shared.profile;
	struct text count = { 0 };

	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];

		text_clear(&count);
		remark_add_count(&count, r);
		(r->is_loss             ? log_always
		 : s->o->shows_no_notes ? log_info
					: log_detail)("%s: %s (%s)", r->what,
						      count.bytes, r->first);
	}
	text_release(&count);
}

static void add_sleepers(struct session *s, int64_t until_ns)
{
	struct sampler_counts counts;

	sampler_counts(s->shared.sampler, &counts);
	for (size_t i = 0; wants_sleepers(s) && i < s->targets.count; i++) {
		if (s->targets.all[i]->idle)
			idle_threads_add(s->targets.all[i], s->stopped_ns,
					 counts.lost, until_ns);
	}
}

static void finish(struct session *s)
{
	int64_t until_ns;

	s->stopped_ns = clock_monotonic_ns();
	sampler_stop(s->shared.sampler);
	/* No more come, so that it ends. */
	read_batch(s, INT64_MAX);
	add_sleepers(s, clock_monotonic_ns() + FINISH_NS);
	until_ns = clock_monotonic_ns() + FINISH_NS;
	for (size_t i = 0; i < s->targets.count; i++)
		sampling_threads_finish(s->targets.all[i]->threads, until_ns);
	prof_snapshot_await(clock_monotonic_ns() + PROF_SNAPSHOT_NS);
	say_launched(s);
	sampling_targets_say_refused(&s->targets);
	count_losses(s);
	say_remarks(s);
}

static bool has_samples(const struct profile *p)
{
	for (size_t i = 0; i < p->event_count; i++) {
		if (p->events[i].samples)
			return true;
	}
	return false;
}

/* Why a process that is there did not run; nothing, if it might have. */
static void add_stop(const struct session *s, struct text *why)
{
	struct condition list[ATTACH_CONDITIONS_MAX];
	size_t count = s->targets.count == 1
			       ? attach_conditions(&s->targets.all[0]->jvm,
						   list)
			       : 0;

	for (size_t i = 0; i < count && !why->len; i++) {
		if (condition_stops(&list[i]))
			text_printf(why, "%s; %s", list[i].detail,
				    list[i].remedy);
	}
}

/* Of several events, those that nothing was sampled of have no report. */
static void say_missing(const struct session *s)
{
	const struct profile *p = s->shared.profile;

	for (unsigned i = 0; i < EVENTS; i++) {
		if (s->o->sampling.events & ~s->shared.unavailable & 1U << i &&
		    !p->events[s->shared.events[i]].samples)
			log_info("no samples of %s: %s", events[i].name,
				 events[i].none);
	}
}

static int no_samples(const struct session *s, size_t early, struct error *err)
{
	unsigned wanted = s->o->sampling.events & ~s->shared.unavailable;
	struct text name = { 0 }, why = { 0 };

	sampling_targets_name(&s->targets, &name);
	add_stop(s, &why);
	if (why.len)
		wanted = 0;
	for (unsigned i = 0; i < EVENTS; i++) {
		if (wanted & 1U << i)
			text_printf(&why, "%s%s", why.len ? "; " : "",
				    events[i].none);
	}
	if (!s->targets.count && !s->launch.pid)
		fail(err, ERROR_NO_TARGET, "no JVM to sample");
	else if (early || !s->targets.count)
		fail(err, ERROR_NO_TARGET, "%s ended before it was sampled",
		     name.bytes);
	else
		fail(err, ERROR_FAILED, "%s: no samples: %s", name.bytes,
		     why.bytes);
	text_release(&why);
	text_release(&name);
	return -1;
}

/* What the library reports, as a message on stderr. */
static void on_notice(void *self, enum sampling_notice level, const char *text)
{
	static void (*const print[])(const char *fmt, ...) = {
		[SAMPLING_DETAIL] = log_detail,
		[SAMPLING_INFO] = log_info,
		[SAMPLING_LOSS] = log_always,
	};

	(void)self;
	print[level]("%s", text);
}

int prof_live(const struct prof_live_options *given, struct error *err)
{
	struct prof_live_options options = *given;
	const struct prof_live_options *o = &options;
	struct session s;
	size_t early;
	int ret = -1;

	if (o->dumps)
		return prof_dumps(o, err);
	options.sampling.several = o->pid_count > 1;
	options.sampling.notice = on_notice;
	options.sampling.add_name = main_name_add_with_pid;
	options.sampling.before_exec = open_files_restore;
	init(&s, o);
	if (start(&s, err))
		goto out;
	if (o->duration_ns)
		progress_start("sampling");
	run(&s);
	progress_end();
	finish(&s);
	early = ended_early(&s);
	if (has_samples(s.shared.profile)) {
		say_missing(&s);
		ret = write_out(&s, err);
	} else {
		ret = no_samples(&s, early, err);
	}
	if (ret == 0 && early)
		ret = fail(err, ERROR_PARTIAL,
			   "not all was sampled that was to be");
out:
	release(&s);
	return ret;
}
