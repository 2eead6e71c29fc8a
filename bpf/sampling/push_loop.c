/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/push_loop.h"

#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/push/push_resource.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* The least time at a frequency whose costs are judged at a turn of a minute.
 */
#define JUDGED_NS (10 * CLOCK_NS_PER_S)
/* The memory that sjkc's child processes may take; they take 5 MB to 10 MB. */
#define OTHERS_BYTES ((uint64_t)12 << 20)
/* A window may take this, however much memory the rest of sjkc takes. */
#define LEAST_BYTES ((uint64_t)2 << 20)
/* Growth after which the memory is checked within a window. */
#define WATCH_BYTES ((uint64_t)2 << 20)

/* ---- a window ---- */

void push_loop_queue(struct push_loop *l, const struct text *body,
		     struct text *parca, const char *query, const char *ending,
		     uint64_t samples)
{
	for (size_t i = 0; i < l->sink_count; i++) {
		const struct push_sink *s = &l->sinks[i];
		struct text own = { 0 };

		if (s->is_directory || push_kind(s->push) != PUSH_PARCA)
			text_add(&own, body->bytes, body->len);
		push_add(s->push, &own, s->is_directory ? NULL : parca,
			 s->is_directory ? ending : query, samples);
	}
}

static void loop_send(struct push_loop *l)
{
	for (size_t i = 0; i < l->sink_count; i++)
		push_step(l->sinks[i].push);
}

/* The launched program is no part of sjkc's costs; 0 = none. */
static pid_t loop_launched(const struct push_loop *l)
{
	return sampling_result(l->sampling).launched;
}

/* Adds up the losses and notes of a window; reports each kind once. */
static void loop_add_remarks(struct push_loop *l, const struct profile *p)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];
		size_t at = 0;

		while (at < l->remark_count &&
		       (l->remarks[at].is_loss != r->is_loss ||
			strcmp(l->remarks[at].what, r->what) != 0))
			at++;
		if (at == PUSH_REMARKS_MAX) {
			*(r->is_loss ? &l->other_losses
				     : &l->other_notes) += r->count;
			continue;
		}
		if (at == l->remark_count) {
			sampling_notify(l->options,
					r->is_loss ? SAMPLING_LOSS
						   : SAMPLING_INFO,
					"%s: %" PRIu64 " (%s)", r->what,
					r->count, r->first);
			l->remarks[l->remark_count++] = (struct remark){
				.what = r->what, .is_loss = r->is_loss
			};
		}
		l->remarks[at].count += r->count;
	}
}

/* Queues and sends the profiles of the window that ends now. */
static void loop_end_window(struct push_loop *l)
{
	struct profile_part *parts;
	struct profile *remarks;
	size_t count;

	remarks = sampling_next_parts(l->sampling, &parts, &count);
	loop_add_remarks(l, remarks);
	profile_free(remarks);
	for (size_t i = 0; i < count; i++)
		loop_add_remarks(l, parts[i].profile);
	l->samples += l->encode(l->self, parts, count);
	for (size_t i = 0; i < count; i++)
		profile_part_release(&parts[i]);
	free(parts);
	loop_send(l);
	/* Caches that live longer lie between the freed profiles. */
	malloc_trim(0);
	l->began_bytes = push_usage_own_bytes();
	l->watched_bytes = 0;
}

/*
 * Pauses or stops sampling.  Samples that exceed the memory limit get windows
 * of their own.
 */
static void loop_read_all(struct push_loop *l,
			  bool (*read)(struct sampling *sampling))
{
	while (!read(l->sampling))
		loop_end_window(l);
	l->is_full = false;
}

/* Samples at another frequency from now on; the window has to end. */
static int loop_set_hz(struct push_loop *l, uint64_t hz, struct error *why)
{
	loop_read_all(l, sampling_pause);
	return sampling_set_hz(l->sampling, hz, why);
}

/* Changes the frequency if the last window used too much or little. */
static void loop_keep_cpu_limit(struct push_loop *l, int64_t cpu_ns)
{
	struct push_budget *b = &l->budget;
	uint64_t hz = b->hz ? b->hz : b->wanted_hz, next;
	bool was_at_least = b->is_at_least;
	struct error why;

	next = push_budget_next(b, cpu_ns, clock_monotonic_ns());
	if (next != hz && loop_set_hz(l, next, &why))
		sampling_notify(l->options, SAMPLING_LOSS,
				"cannot sample at %" PRIu64 " Hz: %s", next,
				why.text);
	else if (next < hz)
		sampling_notify(l->options, SAMPLING_LOSS,
				"sampling at %" PRIu64 " Hz instead of %" PRIu64
				" Hz: sjkc used %.2f %% of a core, more than "
				"--cpu-limit %g%%",
				next, hz, b->percent, b->limit_percent);
	else if (next > hz)
		sampling_notify(l->options, SAMPLING_INFO,
				"sampling at %" PRIu64
				" Hz again: sjkc used %.2f %% "
				"of a core",
				next, b->percent);
	else if (b->is_at_least && !was_at_least)
		sampling_notify(
			l->options, SAMPLING_LOSS,
			"sjkc used %.2f %% of a core, more than --cpu-limit "
			"%g%%, at the lowest frequency, %" PRIu64 " Hz",
			b->percent, b->limit_percent, hz);
}

/*
 * Judges the costs since the last call. Those of a pause are not those of a
 * frequency, and a short time has mostly those of the end of a window.
 */
static void loop_judge_costs(struct push_loop *l, int64_t cpu_ns)
{
	int64_t now_ns = clock_monotonic_ns();

	if (l->is_paused)
		push_budget_skip(&l->budget, cpu_ns, now_ns);
	else if (now_ns - l->budget.time_ns >= JUDGED_NS)
		loop_keep_cpu_limit(l, cpu_ns);
}

/* Drops caches until the memory is below the limit, or refuses new JVMs. */
static void loop_keep_memory_limit(struct push_loop *l, uint64_t used_bytes)
{
	struct text limit = { 0 }, used = { 0 };
	uint64_t before = l->dropped;

	while (used_bytes > l->memory_bytes &&
	       sampling_drop_caches(l->sampling)) {
		l->dropped++;
		malloc_trim(0);
		used_bytes = push_usage_read(loop_launched(l)).memory_bytes;
	}
	units_add_bytes(&limit, (double)l->memory_bytes);
	units_add_bytes(&used, (double)used_bytes);
	if (l->dropped > before && !before)
		sampling_notify(l->options, SAMPLING_INFO,
				"dropping caches: sjkc used more memory than "
				"--memory-limit %s",
				limit.bytes);
	if (used_bytes > l->memory_bytes && !l->refuses_new)
		sampling_notify(l->options, SAMPLING_LOSS,
				"no further JVMs are sampled: sjkc uses %s of "
				"memory, more than --memory-limit %s",
				used.bytes, limit.bytes);
	else if (used_bytes <= l->memory_bytes && l->refuses_new)
		sampling_notify(
			l->options, SAMPLING_INFO,
			"new JVMs are sampled again: sjkc uses %s of memory",
			used.bytes);
	l->refuses_new = used_bytes > l->memory_bytes;
	sampling_refuse_new(l->sampling, l->refuses_new);
	text_release(&limit);
	text_release(&used);
}

/* ---- minutes that are not sampled ---- */

static bool loop_hits_minute(const struct push_loop *l)
{
	return l->probability <= 0 ||
	       push_budget_hits(push_host_name(),
				clock_wall_ns() / (60 * CLOCK_NS_PER_S),
				l->probability);
}

static void loop_pause(struct push_loop *l)
{
	loop_read_all(l, sampling_pause);
	l->is_paused = true;
	l->paused_since_ns = clock_monotonic_ns();
	sampling_notify(l->options, SAMPLING_DETAIL,
			"not sampling in this minute (--probability %g%%)",
			l->probability);
}

static void loop_go_on(struct push_loop *l)
{
	uint64_t hz = l->budget.hz ? l->budget.hz : l->budget.wanted_hz;
	struct error why;

	if (loop_set_hz(l, hz, &why))
		sampling_notify(l->options, SAMPLING_LOSS,
				"cannot sample at %" PRIu64 " Hz: %s", hz,
				why.text);
	l->is_paused = false;
	l->paused_ns += clock_monotonic_ns() - l->paused_since_ns;
	sampling_notify(l->options, SAMPLING_DETAIL,
			"sampling in this minute (--probability %g%%)",
			l->probability);
}

/*
 * Pauses or goes on at the turn of a minute. Returns true if that ended the
 * window, so that no profile has a time that was not sampled.
 */
static bool loop_keep_minutes(struct push_loop *l)
{
	struct push_usage usage;

	if (loop_hits_minute(l) != l->is_paused)
		return false;
	/* The minutes may turn more often than intervals end. */
	usage = push_usage_read(loop_launched(l));
	loop_judge_costs(l, usage.cpu_ns);
	(l->is_paused ? loop_go_on : loop_pause)(l);
	loop_end_window(l);
	loop_keep_memory_limit(l, usage.memory_bytes);
	return true;
}

/* ---- memory within a window ---- */

/* The memory for this process, without the ring buffer of the samples. */
static uint64_t loop_own_most(const struct push_loop *l)
{
	uint64_t others = OTHERS_BYTES + l->options->memory_bytes / 2;

	return l->memory_bytes > others ? l->memory_bytes - others : 0;
}

/*
 * Returns true if there is no memory for more samples of this window.  Profiles
 * may use a quarter of the free memory: their request has the same stack traces
 * again, and both exist beside its compressed form.
 */
bool push_loop_is_full(struct push_loop *l, bool lasts)
{
	uint64_t own_bytes = push_usage_own_bytes(), left = 0;
	uint64_t most = loop_own_most(l);

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
static bool loop_watch_memory(struct push_loop *l)
{
	uint64_t own_bytes = push_usage_own_bytes(), used_bytes;
	bool is_full = l->is_full;

	if (!is_full &&
	    (own_bytes < l->watched_bytes || own_bytes < loop_own_most(l)))
		return false;
	l->is_full = false;
	if (is_full)
		loop_end_window(l);
	used_bytes = push_usage_read(loop_launched(l)).memory_bytes;
	if (used_bytes > l->memory_bytes)
		loop_keep_memory_limit(l, used_bytes);
	/* All that is read costs time: only after it has grown again. */
	l->watched_bytes = push_usage_own_bytes() + WATCH_BYTES;
	return is_full;
}

/* ---- the loop ---- */

/* Ends a window after its interval. */
static void loop_end_interval(struct push_loop *l)
{
	struct push_usage usage = push_usage_read(loop_launched(l));

	if (l->is_paused)
		loop_judge_costs(l, usage.cpu_ns);
	else
		loop_keep_cpu_limit(l, usage.cpu_ns);
	loop_end_window(l);
	loop_keep_memory_limit(l, usage.memory_bytes);
}

void push_loop_begin(struct push_loop *l)
{
	loop_keep_minutes(l);
	l->next_ns = clock_monotonic_ns() +
		     push_first_interval_ns(l->interval_ns);
	l->began_bytes = push_usage_own_bytes();
}

bool push_loop_step(struct push_loop *l, const struct pollfd *given,
		    size_t count)
{
	struct pollfd fds[PUSH_LOOP_FDS + PUSH_SINKS_MAX];

	memcpy(fds, given, count * sizeof(*fds));
	for (size_t i = 0; i < l->sink_count; i++)
		fds[count + i] = (struct pollfd){
			.fd = push_fd(l->sinks[i].push),
			.events = POLLIN,
		};
	if (!sampling_step(l->sampling, fds, count + l->sink_count) ||
	    fds[0].revents)
		return false;
	loop_send(l);
	if (loop_keep_minutes(l))
		l->next_ns = clock_monotonic_ns() + l->interval_ns;
	if (loop_watch_memory(l))
		l->next_ns = clock_monotonic_ns() + l->interval_ns;
	if (clock_monotonic_ns() < l->next_ns)
		return true;
	loop_end_interval(l);
	/* Skip missed windows. */
	while (l->next_ns <= clock_monotonic_ns())
		l->next_ns += l->interval_ns;
	return true;
}

void push_loop_finish(struct push_loop *l, int64_t shutdown_ns)
{
	loop_read_all(l, sampling_stop);
	loop_end_window(l);
	/* The directory first, with half the time: a disk is usually fast. */
	for (size_t i = l->sink_count; i-- > 0;) {
		int64_t now_ns = clock_monotonic_ns();

		push_finish(
			l->sinks[i].push,
			clock_after(now_ns, i ? shutdown_ns / 2 : shutdown_ns));
		shutdown_ns -= clock_monotonic_ns() - now_ns;
	}
}

int64_t push_loop_paused_ns(const struct push_loop *l)
{
	return l->paused_ns +
	       (l->is_paused ? clock_monotonic_ns() - l->paused_since_ns : 0);
}
