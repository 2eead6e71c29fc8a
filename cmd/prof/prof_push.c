/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof --push: samples JVMs in windows and sends the profiles to an engine.
 *
 * At the end of a window, each JVM has a profile, which is encoded and freed.
 * The requests wait in the queue of core/push, which never delays sampling.
 */
#include "cmd/prof/prof_push.h"

#include "bpf/sampling/sampling.h"
#include "cmd/prof/prof_budget.h"
#include "cmd/prof/prof_metrics.h"
#include "cmd/prof/prof_requests.h"
#include "cmd/shared/log.h"
#include "cmd/shared/sample_filter.h"
#include "cmd/shared/signals.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/jvm/cgroup.h"
#include "core/push/push.h"
#include "render/profile/export.h"

#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define INTERVAL_NS (30 * CLOCK_NS_PER_S)
/* Maximum time between two batches of samples; a window has ten or more. */
#define DRAIN_NS    CLOCK_NS_PER_S
#define SHUTDOWN_NS (5 * CLOCK_NS_PER_S)
/* The least time at a frequency whose costs are judged at a turn of a minute.
 */
#define JUDGED_NS (10 * CLOCK_NS_PER_S)
/* Of a core, and of all processes of sjkc. */
#define CPU_PERCENT  1
#define MEMORY_BYTES ((uint64_t)100 << 20)
/* The memory that sjkc's child processes may take; they take 5 MB to 10 MB. */
#define OTHERS_BYTES ((uint64_t)12 << 20)
/* A window may take this, however much memory the rest of sjkc takes. */
#define LEAST_BYTES ((uint64_t)2 << 20)
/* Growth after which the memory is checked within a window. */
#define WATCH_BYTES ((uint64_t)2 << 20)
/* The smallest memory for symbols; that of three JVMs. */
#define FILES_BYTES ((uint64_t)24 << 20)
/* The smallest queue that has room for a few requests. */
#define BUFFER_BYTES ((uint64_t)4 << 20)
/* Rates that are low enough for all JVMs of a node, day and night. */
enum { PUSH_HZ = 19, REMARKS_MAX = 48, SINKS_MAX = 2 };

/* Where requests go: an engine or a directory. */
struct push_sink {
	struct push_settings settings;
	struct push *push;
	struct text problem; /* the last one */
};

struct push_loop {
	struct prof_live_options *live;
	const struct prof_push_options *options;
	const struct sample_filter *filter;
	struct sampling *sampling;
	struct push_sink sinks[SINKS_MAX];
	size_t sink_count;
	struct prof_requests requests;
	uint64_t samples;  /* of all windows */
	uint64_t omitted;  /* attributes of JVMs */
	bool has_cut_args; /* of a JVM; this is reported */
	struct prof_remark remarks[REMARKS_MAX]; /* of the session */
	size_t remark_count;
	uint64_t other_losses, other_notes; /* of further kinds */
	struct prof_budget budget;
	uint64_t memory_bytes;  /* limit */
	uint64_t dropped;       /* how often caches of a JVM were dropped */
	bool refuses_new;       /* the limit of memory was reached */
	uint64_t began_bytes;   /* memory at the start of the window */
	bool is_full;           /* the window has to end: push_is_full() */
	uint64_t watched_bytes; /* own memory that is not looked at again */
	double probability;     /* percent of minutes; 0 = all */
	bool is_paused;
	int64_t paused_since_ns, paused_ns; /* monotonic; before that */
	struct prof_metrics *metrics;
};

/* ---- a window ---- */

/* Hands a request to the queues. */
static void push_queue_request(void *self, struct text *body,
			       struct text *parca, const char *query,
			       const char *ending, uint64_t samples)
{
	struct push_loop *l = self;

	for (size_t i = 0; i < l->sink_count; i++) {
		const struct push_sink *s = &l->sinks[i];
		bool is_directory = s->settings.directory;
		enum push_format kind = push_kind(s->push);
		struct text own = { 0 };

		if (is_directory || kind != PUSH_PARCA)
			text_add(&own, body->bytes, body->len);
		push_add(s->push, &own, is_directory ? NULL : parca,
			 is_directory ? ending : query, samples);
	}
}

static void push_step_all(struct push_loop *l)
{
	for (size_t i = 0; i < l->sink_count; i++)
		push_step(l->sinks[i].push);
}

/* The launched program is no part of sjkc's costs; 0 = none. */
static pid_t push_launched(const struct push_loop *l)
{
	return sampling_result(l->sampling).launched;
}

/* Adds up the losses and notes of a window; reports each kind once. */
static void push_add_remarks(struct push_loop *l, const struct profile *p)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];
		size_t at = 0;

		while (at < l->remark_count &&
		       (l->remarks[at].is_loss != r->is_loss ||
			strcmp(l->remarks[at].what, r->what) != 0))
			at++;
		if (at == REMARKS_MAX) {
			*(r->is_loss ? &l->other_losses
				     : &l->other_notes) += r->count;
			continue;
		}
		if (at == l->remark_count) {
			(r->is_loss ? log_always
				    : log_info)("%s: %" PRIu64 " (%s)", r->what,
						r->count, r->first);
			l->remarks[l->remark_count++] = (struct prof_remark){
				.what = r->what, .is_loss = r->is_loss
			};
		}
		l->remarks[at].count += r->count;
	}
}

/* A server that has not told whether it is Parca may be either. */
static void push_choose_encodings(struct push_loop *l)
{
	struct prof_requests *r = &l->requests;

	r->otlp = r->parca = false;
	for (size_t i = 0; i < l->sink_count; i++) {
		enum push_format kind = push_kind(l->sinks[i].push);

		r->parca |= kind == PUSH_PARCA || kind == PUSH_AUTO;
		r->otlp |= kind != PUSH_PARCA;
	}
}

/* Sends the profiles of the window that ends now. */
static void push_end_window(struct push_loop *l)
{
	struct sampling_part *parts;
	struct profile *remarks;
	size_t count;

	prof_metrics_end_window(l->metrics);
	remarks = sampling_next_parts(l->sampling, &parts, &count);
	push_add_remarks(l, remarks);
	profile_free(remarks);
	for (size_t i = 0; i < count; i++) {
		push_add_remarks(l, parts[i].profile);
		sample_filter_apply(l->filter, parts[i].profile);
		prof_live_set_interval(&l->live->sampling, parts[i].profile);
		l->samples += prof_requests_samples(parts[i].profile);
	}
	l->requests.alone = push_counts(l->sinks[0].push).wants_alone;
	push_choose_encodings(l);
	prof_requests_add(&l->requests, parts, count);
	for (size_t i = 0; i < count; i++)
		sampling_part_release(&parts[i]);
	free(parts);
	push_step_all(l);
	/* Caches that live longer lie between the freed profiles. */
	malloc_trim(0);
	l->began_bytes = prof_usage_own_bytes();
	l->watched_bytes = 0;
}

/*
 * Pauses or stops sampling.  Samples that exceed the memory limit get windows
 * of their own.
 */
static void push_read_all(struct push_loop *l,
			  bool (*read)(struct sampling *sampling))
{
	while (!read(l->sampling))
		push_end_window(l);
	l->is_full = false;
}

/* Samples at another frequency from now on; the window has to end. */
static int push_set_hz(struct push_loop *l, uint64_t hz, struct error *why)
{
	push_read_all(l, sampling_pause);
	return sampling_set_hz(l->sampling, hz, why);
}

/* Changes the frequency if the last window used too much or little. */
static void push_keep_cpu_limit(struct push_loop *l, int64_t cpu_ns)
{
	struct prof_budget *b = &l->budget;
	uint64_t hz = b->hz ? b->hz : b->wanted_hz, next;
	bool was_at_least = b->is_at_least;
	struct error why;

	next = prof_budget_next(b, cpu_ns, clock_monotonic_ns());
	if (next != hz && push_set_hz(l, next, &why))
		log_always("cannot sample at %" PRIu64 " Hz: %s", next,
			   why.text);
	else if (next < hz)
		log_always("sampling at %" PRIu64 " Hz instead of %" PRIu64
			   " Hz: sjkc used %.2f %% of a core, more than "
			   "--cpu-limit %g%%",
			   next, hz, b->percent, b->limit_percent);
	else if (next > hz)
		log_info("sampling at %" PRIu64 " Hz again: sjkc used %.2f %% "
			 "of a core",
			 next, b->percent);
	else if (b->is_at_least && !was_at_least)
		log_always("sjkc used %.2f %% of a core, more than --cpu-limit "
			   "%g%%, at the lowest frequency, %" PRIu64 " Hz",
			   b->percent, b->limit_percent, hz);
}

/*
 * Judges the costs since the last call. Those of a pause are not those of a
 * frequency, and a short time has mostly those of the end of a window.
 */
static void push_judge_costs(struct push_loop *l, int64_t cpu_ns)
{
	int64_t now_ns = clock_monotonic_ns();

	if (l->is_paused)
		prof_budget_skip(&l->budget, cpu_ns, now_ns);
	else if (now_ns - l->budget.time_ns >= JUDGED_NS)
		push_keep_cpu_limit(l, cpu_ns);
}

/* Drops caches until the memory is below the limit, or refuses new JVMs. */
static void push_keep_memory_limit(struct push_loop *l, uint64_t used_bytes)
{
	struct text limit = { 0 }, used = { 0 };
	uint64_t before = l->dropped;

	while (used_bytes > l->memory_bytes &&
	       sampling_drop_caches(l->sampling)) {
		l->dropped++;
		malloc_trim(0);
		used_bytes = prof_usage_read(push_launched(l)).memory_bytes;
	}
	units_add_bytes(&limit, (double)l->memory_bytes);
	units_add_bytes(&used, (double)used_bytes);
	if (l->dropped > before && !before)
		log_info("dropping caches: sjkc used more memory than "
			 "--memory-limit %s",
			 limit.bytes);
	if (used_bytes > l->memory_bytes && !l->refuses_new)
		log_always("no further JVMs are sampled: sjkc uses %s of "
			   "memory, more than --memory-limit %s",
			   used.bytes, limit.bytes);
	else if (used_bytes <= l->memory_bytes && l->refuses_new)
		log_info("new JVMs are sampled again: sjkc uses %s of memory",
			 used.bytes);
	l->refuses_new = used_bytes > l->memory_bytes;
	sampling_refuse_new(l->sampling, l->refuses_new);
	text_release(&limit);
	text_release(&used);
}

/* ---- minutes that are not sampled ---- */

static bool push_hits_minute(const struct push_loop *l)
{
	return l->probability <= 0 ||
	       prof_budget_hits(prof_host_name(),
				clock_wall_ns() / (60 * CLOCK_NS_PER_S),
				l->probability);
}

static void push_pause(struct push_loop *l)
{
	push_read_all(l, sampling_pause);
	l->is_paused = true;
	l->paused_since_ns = clock_monotonic_ns();
	log_detail("not sampling in this minute (--probability %g%%)",
		   l->probability);
}

static void push_go_on(struct push_loop *l)
{
	uint64_t hz = l->budget.hz ? l->budget.hz : l->budget.wanted_hz;
	struct error why;

	if (push_set_hz(l, hz, &why))
		log_always("cannot sample at %" PRIu64 " Hz: %s", hz, why.text);
	l->is_paused = false;
	l->paused_ns += clock_monotonic_ns() - l->paused_since_ns;
	log_detail("sampling in this minute (--probability %g%%)",
		   l->probability);
}

/*
 * Pauses or goes on at the turn of a minute. Returns true if that ended the
 * window, so that no profile has a time that was not sampled.
 */
static bool push_keep_minutes(struct push_loop *l)
{
	struct prof_usage usage;

	if (push_hits_minute(l) != l->is_paused)
		return false;
	/* The minutes may turn more often than intervals end. */
	usage = prof_usage_read(push_launched(l));
	push_judge_costs(l, usage.cpu_ns);
	(l->is_paused ? push_go_on : push_pause)(l);
	push_end_window(l);
	push_keep_memory_limit(l, usage.memory_bytes);
	return true;
}

/* ---- the loop ---- */

/* The memory for this process, without the ring buffer of the samples. */
static uint64_t push_own_most(const struct push_loop *l)
{
	uint64_t others = OTHERS_BYTES + l->live->sampling.memory_bytes / 2;

	return l->memory_bytes > others ? l->memory_bytes - others : 0;
}

/*
 * Returns true if there is no memory for more samples of this window.  A
 * quarter of what is left is for the profiles, since their request, which has
 * the same stack traces, and its compressed form are made beside them.
 */
static bool push_is_full(void *self, bool lasts)
{
	struct push_loop *l = self;
	uint64_t own_bytes = prof_usage_own_bytes(), left = 0;
	uint64_t most = push_own_most(l);

	if (lasts)
		return own_bytes > most / 3;
	if (most > l->began_bytes)
		left = (most - l->began_bytes) / 4;
	if (left < LEAST_BYTES)
		left = LEAST_BYTES;
	l->is_full = own_bytes > l->began_bytes + left;
	return l->is_full;
}

/*
 * Keeps the limit of memory within a window, too, which may last five minutes.
 * Returns true if the window has ended early.
 */
static bool push_watch_memory(struct push_loop *l)
{
	uint64_t own_bytes = prof_usage_own_bytes(), used_bytes;
	bool is_full = l->is_full;

	if (!is_full &&
	    (own_bytes < l->watched_bytes || own_bytes < push_own_most(l)))
		return false;
	l->is_full = false;
	if (is_full)
		push_end_window(l);
	used_bytes = prof_usage_read(push_launched(l)).memory_bytes;
	if (used_bytes > l->memory_bytes)
		push_keep_memory_limit(l, used_bytes);
	/* All that is read costs time: only after it has grown again. */
	l->watched_bytes = prof_usage_own_bytes() + WATCH_BYTES;
	return is_full;
}

/* Ends a window after its interval. */
static void push_end_interval(struct push_loop *l)
{
	struct prof_usage usage = prof_usage_read(push_launched(l));

	if (l->is_paused)
		push_judge_costs(l, usage.cpu_ns);
	else
		push_keep_cpu_limit(l, usage.cpu_ns);
	push_end_window(l);
	push_keep_memory_limit(l, usage.memory_bytes);
}

static void push_run(struct push_loop *l)
{
	struct pollfd fds[1 + SINKS_MAX + PROF_METRICS_FDS] = {
		{ .fd = signals_fd(), .events = POLLIN },
	};
	nfds_t own = 1 + l->sink_count;
	int64_t interval_ns = l->options->interval_ns;
	int64_t next_ns = clock_monotonic_ns() +
			  push_first_interval_ns(interval_ns);

	l->began_bytes = prof_usage_own_bytes();
	for (;;) {
		for (size_t i = 0; i < l->sink_count; i++)
			fds[1 + i] = (struct pollfd){
				.fd = push_fd(l->sinks[i].push),
				.events = POLLIN,
			};
		if (!sampling_step(
			    l->sampling, fds,
			    own + prof_metrics_polls(l->metrics, fds + own)) ||
		    fds[0].revents)
			break;
		push_step_all(l);
		prof_metrics_step(l->metrics);
		log_flush_repeats(clock_monotonic_ns());
		if (push_keep_minutes(l))
			next_ns = clock_monotonic_ns() + interval_ns;
		if (push_watch_memory(l))
			next_ns = clock_monotonic_ns() + interval_ns;
		if (clock_monotonic_ns() < next_ns)
			continue;
		push_end_interval(l);
		/* Windows that were missed are not made up for. */
		while (next_ns <= clock_monotonic_ns())
			next_ns += interval_ns;
	}
}

static void push_log_removed(const struct push_counts *c, const char *name)
{
	struct text bytes = { 0 };

	units_add_bytes(&bytes, (double)c->removed_bytes);
	if (c->removed_files)
		log_info("%s: removed %" PRIu64 " old file%s (%s)", name,
			 c->removed_files, units_plural(c->removed_files),
			 bytes.bytes);
	text_release(&bytes);
}

/* Prints what became of the requests. */
static void push_log_sink(const struct push_loop *l, const struct push_sink *s,
			  const struct push_counts *c)
{
	const struct {
		const char *why;
		uint64_t requests, samples;
	} lost[] = {
		{ "the queue was full", c->too_many, c->too_many_samples },
		{ "they were too old", c->too_old, c->too_old_samples },
		{ "the engine refused them", c->refused, c->refused_samples },
		{ "not sent before the end", c->queued, c->queued_samples },
	};
	const struct log_field fields[] = {
		{ "delivered_samples", c->delivered_samples, NULL },
		{ "samples", l->samples, NULL },
		{ "requests", c->delivered, NULL },
		{ "bytes", c->delivered_bytes, NULL },
		{ 0 },
	};
	bool is_directory = s->settings.directory;
	struct text bytes = { 0 };

	units_add_bytes(&bytes, (double)c->delivered_bytes);
	log_with(false, fields,
		 "%s %" PRIu64 " of %" PRIu64 " sample%s in %" PRIu64
		 " %s%s (%s)",
		 is_directory ? "wrote" : "delivered", c->delivered_samples,
		 l->samples, units_plural(l->samples), c->delivered,
		 is_directory ? "file" : "request", units_plural(c->delivered),
		 bytes.bytes);
	text_release(&bytes);
	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
		const struct log_field counts[] = {
			{ "samples", lost[i].samples, NULL },
			{ "requests", lost[i].requests, NULL },
			{ "reason", 0, lost[i].why },
			{ 0 },
		};

		if (lost[i].requests)
			log_with(true, counts,
				 "lost: %" PRIu64 " sample%s in %" PRIu64
				 " request%s: %s",
				 lost[i].samples, units_plural(lost[i].samples),
				 lost[i].requests,
				 units_plural(lost[i].requests), lost[i].why);
	}
	if (c->rejected_profiles)
		log_always("lost: %" PRIu64
			   " profile%s: the engine rejected them",
			   c->rejected_profiles,
			   units_plural(c->rejected_profiles));
	if (c->partly_samples)
		log_always("lost or stored in part: %" PRIu64
			   " of the lost samples, in requests that failed in "
			   "the engine",
			   c->partly_samples);
	if (c->repeated_samples)
		log_always("perhaps stored again: %" PRIu64
			   " samples, sent again after an attempt that failed "
			   "in the engine",
			   c->repeated_samples);
	push_log_removed(c, s->settings.shown_url);
}

/* Prints what never became a request. */
static void push_log_result(const struct push_loop *l)
{
	const struct prof_requests *r = &l->requests;

	if (r->too_large)
		log_always("lost: %" PRIu64
			   " samples in profiles that were too large",
			   r->too_large);
	if (r->omitted)
		log_always("lost: %" PRIu64
			   " samples of events without any stack trace",
			   r->omitted);
	for (size_t i = 0; i < l->remark_count; i++) {
		const struct prof_remark *one = &l->remarks[i];

		(one->is_loss ? log_always : log_info)(
			"%s: %s: %" PRIu64, one->is_loss ? "lost" : "note",
			one->what, one->count);
	}
	if (l->other_losses)
		log_always("lost: losses of other kinds: %" PRIu64,
			   l->other_losses);
	if (l->other_notes)
		log_info("note: notes of other kinds: %" PRIu64,
			 l->other_notes);
	if (r->truncated)
		log_info("stack traces truncated to %d frames or fewer: "
			 "%" PRIu64,
			 OTLP_DEPTH, r->truncated);
	if (l->omitted)
		log_info("omitted resource attributes: %" PRIu64, l->omitted);
	if (l->probability > 0)
		log_info("not sampled by --probability: %.0f s",
			 (double)(l->paused_ns +
				  (l->is_paused ? clock_monotonic_ns() -
							  l->paused_since_ns
						: 0)) /
				 CLOCK_NS_PER_S);
}

static bool push_has_losses(const struct push_loop *l)
{
	for (size_t i = 0; i < l->remark_count; i++)
		if (l->remarks[i].is_loss)
			return true;
	return l->other_losses;
}

/* Sends the last window and the queued requests. */
static int push_finish_all(struct push_loop *l, struct error *err)
{
	int64_t left_ns = l->options->shutdown_ns;
	bool is_whole;

	push_read_all(l, sampling_stop);
	push_end_window(l);
	is_whole = !push_has_losses(l);
	log_flush_repeats(INT64_MAX);
	/* The directory first, with half the time: a disk is usually fast. */
	for (size_t i = l->sink_count; i-- > 0;) {
		int64_t now_ns = clock_monotonic_ns();

		push_finish(l->sinks[i].push,
			    clock_after(now_ns, i ? left_ns / 2 : left_ns));
		left_ns -= clock_monotonic_ns() - now_ns;
	}
	for (size_t i = l->sink_count; i-- > 0;) {
		const struct push_sink *s = &l->sinks[i];
		struct push_counts c = push_counts(s->push);

		push_log_sink(l, s, &c);
		is_whole &= c.delivered_samples == l->samples &&
			    !c.rejected_profiles;
	}
	push_log_result(l);
	return is_whole ? 0
			: fail(err, ERROR_PARTIAL,
			       "part of the samples is lost");
}

/* ---- set-up ---- */

static void push_on_notice(void *self, bool is_loss, const char *text)
{
	struct push_sink *s = self;

	(is_loss ? log_always : log_info)("%s", text);
	text_clear(&s->problem);
	text_puts(&s->problem, is_loss ? text : "");
}

static void push_fill_metrics(void *self, struct prof_metrics_values *v)
{
	const struct push_loop *l = self;

	v->push = push_counts(l->sinks[0].push);
	v->has_files = l->sink_count > 1;
	if (v->has_files)
		v->files = push_counts(l->sinks[1].push);
	v->sampling = sampling_status(l->sampling);
	if (l->is_paused)
		v->sampling.hz = 0;
	v->samples = l->samples;
	v->too_large = l->requests.too_large;
	v->without_stack = l->requests.omitted;
	v->other_losses = l->other_losses;
	v->other_notes = l->other_notes;
	v->remarks = l->remarks;
	v->remark_count = l->remark_count;
	if (l->sinks[0].problem.len)
		v->problem = l->sinks[0].problem.bytes;
}

/* True if metrics are served, or not wanted. */
static bool push_open_metrics(struct push_loop *l, struct error *err)
{
	const struct prof_push_options *o = l->options;

	if (o->metrics)
		l->metrics = prof_metrics_open(o->metrics, &o->allow, &o->hosts,
					       push_fill_metrics, l, err);
	return !o->metrics || l->metrics;
}

static enum prof_labels push_labels(const char *word)
{
	if (word && strcmp(word, "low") == 0)
		return PROF_LABELS_LOW;
	return word && strcmp(word, "service") == 0 ? PROF_LABELS_SERVICE
						    : PROF_LABELS_FULL;
}

/* The sampling session describes the JVMs by this. */
static void push_describe(void *self, const struct jvm *jvm, struct text *out)
{
	struct push_loop *l = self;
	const struct prof_push_options *o = l->options;
	bool args_cut = false;
	uint64_t omitted = prof_resource_add(
		jvm, o->service, push_labels(o->labels), out, &args_cut);

	if (args_cut && !l->has_cut_args)
		log_always("PID %d: some arguments are in an @file or too "
			   "long; its service.name and other attributes may "
			   "be incomplete",
			   (int)jvm->pid);
	l->has_cut_args |= args_cut;
	if (omitted && !l->omitted)
		log_always("PID %d: omitting %" PRIu64
			   " resource attributes: keys must be different and "
			   "of A-Z a-z 0-9 . _ -, values at most 1 KB; at most "
			   "16 are sent",
			   (int)jvm->pid, omitted);
	l->omitted += omitted;
}

static void push_on_hangup(int number) { (void)number; }

/*
 * A service manager asks for a reload by SIGHUP, and the headers are read again
 * anyway. A program that --push starts would inherit that it is ignored.
 */
static void push_survive_hangup(void)
{
	struct sigaction action = { .sa_handler = push_on_hangup,
				    .sa_flags = SA_RESTART },
			 old;

	/* A terminal that closes ends the program. */
	if (isatty(STDERR_FILENO))
		return;
	/* nohup(1) wants the program to ignore it, too. */
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

static int push_check_options(struct prof_push_options *o, struct error *err)
{
	if (o->interval_ns < 0)
		o->interval_ns = INTERVAL_NS;
	if (o->shutdown_ns < 0)
		o->shutdown_ns = SHUTDOWN_NS;
	if (o->interval_ns < CLOCK_NS_PER_S ||
	    o->interval_ns > 300 * CLOCK_NS_PER_S)
		return misuse(err, "--interval must be 1s to 5m");
	if (o->buffer_bytes && o->buffer_bytes < BUFFER_BYTES)
		return misuse(err, "--buffer must be at least 4m");
	if (o->service && !*o->service)
		return misuse(err, "--service requires a name");
	return 0;
}

/* Adds the engine and the directory. */
static int push_add_sinks(struct push_loop *l, struct error *err)
{
	const struct prof_push_options *o = l->options;
	struct push_settings *s = &l->sinks[0].settings;

	if (o->engine.url) {
		l->sink_count++;
		if (push_options_set(s, &o->engine, err))
			return -1;
		push_options_warn(s);
	}
	if (o->directory) {
		s = &l->sinks[l->sink_count].settings;
		push_settings_init_directory(
			s, o->directory,
			l->sink_count ? l->sinks[0].settings.format
				      : push_options_format(&o->engine));
		if (o->keep_bytes)
			s->limits.bytes = o->keep_bytes;
		if (o->keep_files)
			s->limits.files = o->keep_files;
		if (o->keep_ns > 0)
			s->limits.age_ns = o->keep_ns;
		l->sink_count++;
		if (access(s->directory, W_OK | X_OK) < 0)
			return fail_sys(err, ERROR_OUTPUT, "%s", s->directory);
	}
	for (size_t i = 0; i < l->sink_count; i++)
		if (o->buffer_bytes)
			l->sinks[i].settings.queue_bytes = o->buffer_bytes;
	return 0;
}

/* Starts the sending processes, while this process is small. */
static int push_open_sinks(struct push_loop *l, struct error *err)
{
	for (size_t i = 0; i < l->sink_count; i++) {
		struct push_sink *s = &l->sinks[i];

		s->push = push_open(&s->settings, push_on_notice, s, err);
		if (!s->push)
			return -1;
	}
	return 0;
}

/*
 * Tells a service manager the state, as sd_notify(3) does: "READY=1". Errors
 * are ignored: the service manager notices the missing state.
 */
static void push_notify_manager(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, len);
	/* The name of an abstract socket begins with a null byte. */
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL,
	       (const struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

static void push_log_start(const struct push_loop *l)
{
	for (size_t i = 0; i < l->sink_count; i++) {
		const struct push_settings *s = &l->sinks[i].settings;

		if (s->directory)
			log_info("writing profiles to %s", s->directory);
		else
			log_info("sending profiles to %s", s->shown_url);
	}
	if (l->probability > 0)
		log_info("sampling in %g%% of the minutes, which the name of "
			 "the node chooses: %s",
			 l->probability, prof_host_name());
}

static int push_loop_run(struct push_loop *l, struct error *err)
{
	int ret = -1;

	if (push_open_sinks(l, err) == 0 && push_open_metrics(l, err))
		l->sampling = prof_live_start(l->live, err);
	if (l->sampling) {
		push_log_start(l);
		prof_requests_init(&l->requests, l->sinks[0].settings.format);
		l->requests.threads = push_labels(l->options->labels) ==
						      PROF_LABELS_FULL
					      ? THREADS_FOLDED
					      : THREADS_OMITTED;
		l->requests.send = push_queue_request;
		l->requests.self = l;
		push_notify_manager("READY=1");
		push_keep_minutes(l);
		push_run(l);
		push_notify_manager("STOPPING=1");
		ret = push_finish_all(l, err);
	}
	prof_requests_release(&l->requests);
	sampling_close(l->sampling);
	prof_metrics_close(l->metrics);
	for (size_t i = 0; i < l->sink_count; i++) {
		push_close(l->sinks[i].push);
		text_release(&l->sinks[i].problem);
	}
	return ret;
}

bool prof_push_is_wanted(const struct prof_push_options *o)
{
	return o->engine.url || o->directory;
}

/*
 * Returns the memory limit: three quarters of the limit of the control group
 * of sjkc, if that is less than the default. The kernel would kill sjkc without
 * a message.
 */
static uint64_t push_memory_limit(uint64_t given)
{
	struct text own = { 0 }, group = { 0 };
	struct cgroup_limits limits = { .memory = -1, .cpu_stat = -1 };
	uint64_t bytes = given ? given : MEMORY_BYTES;
	struct error unused;
	struct jvm self;

	if (jvm_open(&self, getpid(), &unused) == 0) {
		cgroup_limits_read(&limits, &self);
		jvm_close(&self);
	}
	if (limits.memory > 0 && !given &&
	    (uint64_t)limits.memory / 4 * 3 < bytes)
		bytes = (uint64_t)limits.memory / 4 * 3;
	units_add_bytes(&own, (double)bytes);
	units_add_bytes(&group, (double)limits.memory);
	if (!given && bytes < MEMORY_BYTES)
		log_always("--memory-limit is %s, three quarters of the limit "
			   "of the control group, %s",
			   own.bytes, group.bytes);
	else if (given && limits.memory > 0 && (uint64_t)limits.memory < given)
		log_always("--memory-limit %s is above the limit of the "
			   "control group, %s: the kernel may kill sjkc",
			   own.bytes, group.bytes);
	text_release(&own);
	text_release(&group);
	cgroup_limits_release(&limits);
	return bytes;
}

static int push_parse_probability(struct push_loop *l, struct error *err)
{
	if (prof_budget_parse("--probability", l->options->probability,
			      &l->probability, err))
		return -1;
	if (l->probability > 100)
		return misuse(err, "--probability must be at most 100%%");
	if (l->live->sampling.events != SAMPLING_CPU)
		return misuse(err, "--probability requires -e cpu");
	return 0;
}

int prof_push(const struct prof_live_options *given,
	      const struct prof_push_options *options,
	      const struct sample_filter *filter, struct error *err)
{
	struct prof_push_options o = *options;
	struct prof_live_options live = *given;
	struct push_loop l = { .live = &live, .options = &o, .filter = filter };
	int ret = -1;

	live.sampling.separate = true;
	live.sampling.describe = push_describe;
	live.sampling.is_full = push_is_full;
	live.sampling.self = &l;
	if (!live.sampling.hz)
		live.sampling.hz = PUSH_HZ;
	if (!live.sampling.agent &&
	    !(live.sampling.events & (SAMPLING_ALLOC | SAMPLING_LOCK)))
		live.sampling.no_agent = true;
	l.budget.wanted_hz = live.sampling.hz;
	/* A frequency that the user chose is kept, unless there is a limit. */
	l.budget.limit_percent = given->sampling.hz ? 0 : CPU_PERCENT;
	l.memory_bytes = push_memory_limit(o.memory_bytes);
	/* The profiles and the queue need the other half. */
	live.sampling.memory_bytes = l.memory_bytes / 2 > FILES_BYTES
					     ? l.memory_bytes / 2
					     : FILES_BYTES;
	push_survive_hangup();
	if ((o.cpu_limit && prof_budget_parse("--cpu-limit", o.cpu_limit,
					      &l.budget.limit_percent, err)) ||
	    (o.probability && push_parse_probability(&l, err)))
		return -1;
	if (push_check_options(&o, err) == 0 && push_add_sinks(&l, err) == 0) {
		live.sampling.drain_ns = o.interval_ns / 10 < DRAIN_NS
						 ? o.interval_ns / 10
						 : DRAIN_NS;
		ret = push_loop_run(&l, err);
	}
	for (size_t i = 0; i < SINKS_MAX; i++)
		push_settings_release(&l.sinks[i].settings);
	return ret;
}
