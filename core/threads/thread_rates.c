/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_rates.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Ticks are 10 ms apart, so shorter times cannot be divided into user and
 * system time. A little less than 1 s, since intervals are never exact.
 */
#define SHARING_NS INT64_C(950000000)

#define KINDS      (THREAD_NATIVE + 1)

/* The state of a thread in the previous sample. */
struct known {
	uint64_t key;
	uint64_t start;
	int64_t counters[THREAD_COUNTERS];
	int64_t alloc_at;  /* last time with a known THREAD_ALLOC, in ns */
	int64_t shared_at; /* time of the next three values */
	int64_t user, sys;
	double sys_share; /* share of cpu; NaN if unknown */
};

/* All threads of a sample, indexed by key. */
struct known_threads {
	struct known *all;
	size_t count, cap;
	struct map64 index;
};

/*
 * Stops that the JVM counted and that were not measured, since the first
 * sample. Negative if a sample has measured a stop that ended after its
 * counters were read.
 */
struct missed {
	int64_t count, at_ns, sync_ns;
	int64_t collections, collect_ns;
};

struct thread_rates {
	struct known_threads before, now;
	struct process_sample process; /* of the previous sample */
	int64_t monotonic_ns;          /* of the previous sample */
	bool primed;
	struct longest_pause gc_longest, longest; /* since the first sample */
	struct missed missed;
	struct thread_row *rows;
	size_t row_cap;
	struct top_rates rates;
};

struct thread_rates *thread_rates_new(void)
{
	struct thread_rates *r = xcalloc(1, sizeof(*r));

	r->gc_longest.ns = r->longest.ns = COUNTER_ABSENT;
	return r;
}

static void known_clear(struct known_threads *k)
{
	k->count = 0;
	map64_clear(&k->index);
}

static void known_release(struct known_threads *k)
{
	free(k->all);
	map64_release(&k->index);
}

void thread_rates_free(struct thread_rates *r)
{
	if (!r)
		return;
	known_release(&r->before);
	known_release(&r->now);
	free(r->rows);
	free(r);
}

/* The lowest bit distinguishes tids from Java ids. */
static uint64_t thread_key(const struct thread_sample *t)
{
	return t->tid ? (uint64_t)t->tid << 1 : (uint64_t)t->java_id << 1 | 1;
}

static const struct known *known_find(const struct known_threads *k,
				      const struct thread_sample *t)
{
	uint32_t i = map64_get(&k->index, thread_key(t));

	/* Another thread has the tid if the start times differ. */
	if (i == MAP64_NONE || k->all[i].start != t->start)
		return NULL;
	return &k->all[i];
}

static bool counter_is_known(int64_t counter)
{
	return counter != COUNTER_ABSENT;
}

/* Increase of a counter; -1 if unknown. */
static int64_t counter_added(int64_t before, int64_t now)
{
	int64_t more;

	if (!counter_is_known(before) || !counter_is_known(now))
		return -1;
	if (__builtin_sub_overflow(now, before, &more) || more < 0)
		return 0;
	return more;
}

static double rate(int64_t more, double per)
{
	return more < 0 ? NAN : (double)more / per;
}

static double rate_at_most(double value, double limit)
{
	return value > limit ? limit : value; /* keeps NaN */
}

static double rate_at_least(double value, double limit)
{
	return value < limit ? limit : value;
}

/*
 * The share of sys in user + sys; NaN if both are 0. Times are totals of a
 * thread and may be large.
 */
static double share_of_sys(int64_t user, int64_t sys)
{
	double sum = (double)user + (double)sys;

	return user < 0 || sys < 0 || sum <= 0 ? NAN : (double)sys / sum;
}

static void share_renew(struct known *k, double share, int64_t at)
{
	k->shared_at = at;
	k->user = k->counters[THREAD_USER];
	k->sys = k->counters[THREAD_SYS];
	if (!isnan(share))
		k->sys_share = share;
}

/* Updates how a thread divides its CPU time into user and system time. */
static void share_time(struct known *now, const struct known *before,
		       int64_t at)
{
	if (!before || !counter_is_known(before->user) ||
	    !counter_is_known(before->sys)) {
		now->sys_share = NAN;
		share_renew(now,
			    share_of_sys(now->counters[THREAD_USER],
					 now->counters[THREAD_SYS]),
			    at);
		return;
	}
	now->user = before->user;
	now->sys = before->sys;
	now->shared_at = before->shared_at;
	now->sys_share = before->sys_share;
	if (at - now->shared_at >= SHARING_NS)
		share_renew(
			now,
			share_of_sys(counter_added(now->user,
						   now->counters[THREAD_USER]),
				     counter_added(now->sys,
						   now->counters[THREAD_SYS])),
			at);
}

/*
 * Makes cpu, user and sys consistent: cpu is exact, and coarse ticks divide it.
 */
static void rates_reconcile(double *rates, double sys_share)
{
	double *cpu = &rates[THREAD_CPU];
	double *user = &rates[THREAD_USER];
	double *sys = &rates[THREAD_SYS];

	if (isnan(*cpu))
		*cpu = *user + *sys;
	*cpu = rate_at_most(*cpu, 1);
	if (isnan(*cpu) || isnan(*user)) {
		*sys = *user = NAN;
		return;
	}
	if (isnan(*sys)) /* JMX has only cpu and user */
		*sys = rate_at_least(*cpu - *user, 0);
	else if (!isnan(sys_share))
		*sys = *cpu * sys_share;
	else
		*sys = 0;
	*user = *cpu - *sys;
}

static bool counter_is_time(size_t counter)
{
	return counter == THREAD_CPU || counter == THREAD_USER ||
	       counter == THREAD_SYS || counter == THREAD_RUNQ ||
	       counter == THREAD_WAIT_TIME || counter == THREAD_BLOCK_TIME;
}

static bool counter_is_cpu(size_t counter)
{
	return counter == THREAD_CPU || counter == THREAD_USER ||
	       counter == THREAD_SYS;
}

static void rate_thread(struct thread_row *row, const struct known *before,
			const struct known *now, int64_t interval_ns)
{
	double seconds = (double)interval_ns / (double)CLOCK_NS_PER_S;

	for (size_t i = 0; i < THREAD_COUNTERS; i++) {
		int64_t more = counter_added(before->counters[i],
					     now->counters[i]);

		row->rates[i] = rate(more, counter_is_time(i)
						   ? (double)interval_ns
						   : seconds);
		if (counter_is_time(i) && !counter_is_cpu(i))
			row->rates[i] = rate_at_most(row->rates[i], 1);
	}
	rates_reconcile(row->rates, now->sys_share);
}

/*
 * Only some samples may have allocation; the rate is computed between two of
 * them.
 */
static void rate_alloc(struct thread_row *row, const struct known *before,
		       struct known *now, int64_t at)
{
	const struct thread_sample *t = row->thread;
	int64_t since = at - before->alloc_at;

	if (!counter_is_known(t->counters[THREAD_ALLOC])) {
		now->counters[THREAD_ALLOC] = before->counters[THREAD_ALLOC];
		now->alloc_at = before->alloc_at;
		row->rates[THREAD_ALLOC] = NAN;
	}
	if (t->has_alloc_mean)
		row->rates[THREAD_ALLOC] = (double)t->alloc_mean;
	if (!counter_is_known(t->counters[THREAD_ALLOC]) || t->has_alloc_mean)
		return;
	now->alloc_at = at;
	row->rates[THREAD_ALLOC] = rate(
		counter_added(before->counters[THREAD_ALLOC],
			      t->counters[THREAD_ALLOC]),
		(double)since / (double)CLOCK_NS_PER_S);
}

static struct known *known_remember(struct known_threads *k,
				    const struct thread_sample *t, int64_t at)
{
	struct known *now;

	array_reserve(k->all, k->cap, k->count + 1);
	now = &k->all[k->count];
	now->key = thread_key(t);
	now->start = t->start;
	memcpy(now->counters, t->counters, sizeof(now->counters));
	now->alloc_at = at;
	map64_add(&k->index, now->key, (uint32_t)k->count++);
	return now;
}

/* Sums over the threads of one kind. */
struct kind_sum {
	double cpu, sys, alloc;
	size_t count, alloc_count;
};

/* Rates of a thread that started after the previous sample. */
static void rate_newcomer(double *rates, const struct known *now,
			  int64_t interval_ns)
{
	struct thread_row row;
	struct known nothing = { .alloc_at = 0 };

	rate_thread(&row, &nothing, now, interval_ns);
	memcpy(rates, row.rates, sizeof(row.rates));
}

static void rates_sum(struct kind_sum *sum, const double *rates)
{
	sum->count++;
	if (!isnan(rates[THREAD_CPU]))
		sum->cpu += rates[THREAD_CPU];
	if (!isnan(rates[THREAD_SYS]))
		sum->sys += rates[THREAD_SYS];
	if (!isnan(rates[THREAD_ALLOC])) {
		sum->alloc += rates[THREAD_ALLOC];
		sum->alloc_count++;
	}
}

static void rate_row(struct thread_rates *r, struct thread_row *row,
		     const struct top_sample *s, struct kind_sum *sums)
{
	const struct thread_sample *t = row->thread;
	int64_t interval_ns = s->monotonic_ns - r->monotonic_ns;
	const struct known *before = known_find(&r->before, t);
	struct known *now = known_remember(&r->now, t, s->monotonic_ns);
	double newcomer[THREAD_COUNTERS];

	share_time(now, before, s->monotonic_ns);
	row->is_new = !before;
	if (before) {
		rate_thread(row, before, now, interval_ns);
		rate_alloc(row, before, now, s->monotonic_ns);
		rates_sum(&sums[t->kind], row->rates);
		return;
	}
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		row->rates[i] = NAN;
	r->rates.process.new_threads++;
	rate_newcomer(newcomer, now, interval_ns);
	rates_sum(&sums[t->kind], newcomer);
}

static const struct gc_sample *rates_find_gc(const struct process_sample *p,
					     const char *name)
{
	for (size_t i = 0; i < p->gc_count; i++) {
		if (strcmp(p->gc[i].name, name) == 0)
			return &p->gc[i];
	}
	return NULL;
}

/* Nothing was measured before the probe was attached. */
static int64_t measured_added(int64_t before, int64_t now)
{
	return counter_added(counter_is_known(before) ? before : 0, now);
}

static bool process_is_measured(const struct process_sample *p)
{
	const struct measured *m = &p->measured;

	return counter_is_known(m->all.count) &&
	       counter_is_known(m->all.time_ns) &&
	       counter_is_known(m->gc.count) &&
	       counter_is_known(m->gc.time_ns) &&
	       counter_is_known(m->sync_ns) &&
	       counter_is_known(m->collections) &&
	       counter_is_known(m->collect_ns);
}

/*
 * Replaces an upper bound by the measured stops, unless some are missing. At
 * the begin and the end of the interval, one may be counted only in the
 * other.
 */
static void rate_measured(struct gc_rate *gc, const struct process_sample *now,
			  const struct process_sample *old, double interval_ns)
{
	const struct measured *m = &now->measured, *before = &old->measured;
	int64_t counted = counter_added(old->safepoints, now->safepoints);
	int64_t seen = measured_added(before->all.count, m->all.count);

	if (!process_is_measured(now) || counted - seen > 1)
		return;
	gc->at_most = false;
	gc->count = measured_added(before->gc.count, m->gc.count);
	gc->share = rate_at_most(
		rate(measured_added(before->gc.time_ns, m->gc.time_ns),
		     interval_ns),
		1);
}

static void rate_gc(struct process_rates *out, const struct top_sample *s,
		    const struct process_sample *before, double interval_ns)
{
	out->gc_count = s->process.gc_count;
	out->gc_pauses = out->gc_count ? 0 : NAN;
	for (size_t i = 0; i < out->gc_count; i++) {
		const struct gc_sample *gc = &s->process.gc[i];
		const struct gc_sample *old = rates_find_gc(before, gc->name);

		out->gc[i] = (struct gc_rate){
			.name = gc->name,
			.share = old ? rate_at_most(
					       rate(counter_added(old->time_ns,
								  gc->time_ns),
						    interval_ns),
					       1)
				     : NAN,
			.count = old ? counter_added(old->count, gc->count)
				     : -1,
			.at_most = gc->at_most,
		};
		if (gc->at_most)
			rate_measured(&out->gc[i], &s->process, before,
				      interval_ns);
		out->gc_pauses += out->gc[i].share;
		out->gc_at_most |= out->gc[i].at_most;
	}
	out->gc_pauses = rate_at_most(out->gc_pauses, 1);
}

/* Pauses that ended between two samples: number, total and last. */
struct pauses {
	int64_t count, sum_ns;
	int64_t last_ns; /* COUNTER_ABSENT: unknown */
};

/*
 * Updates the longest pause. The lengths are known of one pause, or of two if
 * the last is known. Of more pauses, the longest has at least the mean and at
 * most the sum.
 */
static void longest_update(struct longest_pause *l, const struct pauses *p,
			   const struct top_sample *s)
{
	int64_t rest = p->sum_ns, others = p->count, longest = 0, most;

	if (rest <= 0)
		return;
	if (counter_is_known(p->last_ns) && p->last_ns <= rest && others > 0) {
		longest = p->last_ns;
		rest -= longest;
		others--;
	}
	if (others < 1)
		others = rest ? 1 : 0;
	if (others && rest / others > longest)
		longest = rest / others;
	most = others > 1 && rest > longest ? rest : longest;
	if (!counter_is_known(l->ns) || longest > l->ns) {
		l->ns = longest;
		l->wall_ns = s->wall_ns;
		memcpy(l->cause, s->process.gc_cause, sizeof(l->cause));
	}
	if (most > l->most_ns)
		l->most_ns = most;
}

/*
 * The counter of pauses grows at the begin, the time at the end of a pause. In
 * between, the length of the last pause is unknown.
 */
static bool gc_is_in_pause(const struct gc_sample *gc)
{
	return gc->count > 0 && !gc->at_most && !counter_is_known(gc->last_ns);
}

static bool gc_is_in_any_pause(const struct process_sample *p)
{
	for (size_t i = 0; i < p->gc_count; i++) {
		if (gc_is_in_pause(&p->gc[i]))
			return true;
	}
	return false;
}

static int64_t pauses_ended(int64_t count, bool was_in_pause,
			    bool is_in_pause_now)
{
	return count < 0 ? count : count + was_in_pause - is_in_pause_now;
}

/* Returns false if a collector does not count single pauses. */
static bool pauses_of_gc(const struct gc_sample *old,
			 const struct gc_sample *gc, struct pauses *p)
{
	/* Safepoints and cycles are not single pauses. */
	if (!old || gc->at_most || gc->is_cycles)
		return false;
	p->count = pauses_ended(counter_added(old->count, gc->count),
				gc_is_in_pause(old), gc_is_in_pause(gc));
	p->sum_ns = counter_added(old->time_ns, gc->time_ns);
	p->last_ns = gc->last_ns;
	return true;
}

static void rates_find_longest_gc(struct thread_rates *r,
				  const struct top_sample *s)
{
	const struct process_sample *now = &s->process;

	for (size_t i = 0; i < now->gc_count; i++) {
		const struct gc_sample *old = rates_find_gc(&r->process,
							    now->gc[i].name);
		struct pauses p;

		if (pauses_of_gc(old, &now->gc[i], &p))
			longest_update(&r->gc_longest, &p, s);
	}
}

/* All stops of the interval; sum_ns is 0 if they are unknown. */
static struct pauses rates_stops(const struct process_sample *before,
				 const struct process_sample *now)
{
	int64_t at = counter_added(before->safepoint_ns, now->safepoint_ns);
	int64_t sync = counter_added(before->sync_ns, now->sync_ns);
	struct pauses p = { .last_ns = COUNTER_ABSENT };

	if (at < 0 || sync < 0 || __builtin_add_overflow(at, sync, &p.sum_ns))
		return (struct pauses){ .last_ns = COUNTER_ABSENT };
	p.count = pauses_ended(
		counter_added(before->safepoints, now->safepoints),
		gc_is_in_any_pause(before), gc_is_in_any_pause(now));
	return p;
}

/* Adds a difference of counters; saturates. */
static void missed_add(int64_t *sum, int64_t counted, int64_t measured)
{
	/* Both are 0 or more, so their difference does not overflow. */
	if (__builtin_add_overflow(*sum, counted - measured, sum))
		*sum = 0;
}

/* Adds the stops of an interval; false if the JVM did not count them. */
static bool missed_update(struct missed *m, const struct process_sample *before,
			  const struct process_sample *now)
{
	const struct measured *old = &before->measured, *new = &now->measured;
	int64_t at = counter_added(before->safepoint_ns, now->safepoint_ns);
	int64_t sync = counter_added(before->sync_ns, now->sync_ns);
	int64_t seen_sync = measured_added(old->sync_ns, new->sync_ns);
	int64_t seen = measured_added(old->all.time_ns, new->all.time_ns);
	struct pauses stops = rates_stops(before, now), p;

	if (at < 0 || sync < 0 || stops.count < 0)
		return false;
	missed_add(&m->count, stops.count,
		   measured_added(old->all.count, new->all.count));
	missed_add(&m->at_ns, at, seen > seen_sync ? seen - seen_sync : 0);
	missed_add(&m->sync_ns, sync, seen_sync);
	missed_add(&m->collections, 0,
		   measured_added(old->collections, new->collections));
	missed_add(&m->collect_ns, 0,
		   measured_added(old->collect_ns, new->collect_ns));
	for (size_t i = 0; i < now->gc_count; i++) {
		const struct gc_sample *gc = rates_find_gc(before,
							   now->gc[i].name);

		if (!pauses_of_gc(gc, &now->gc[i], &p) || p.count < 0 ||
		    p.sum_ns < 0)
			continue;
		missed_add(&m->collections, p.count, 0);
		missed_add(&m->collect_ns, p.sum_ns, 0);
	}
	return true;
}

/* The longest pause is at least the one, and at most the other. */
static void longest_bound(struct longest_pause *l, int64_t least_ns,
			  int64_t most_ns, const char *cause,
			  const struct top_sample *s)
{
	if (most_ns > l->most_ns)
		l->most_ns = most_ns;
	if (least_ns <= 0 || least_ns <= l->ns)
		return;
	l->ns = least_ns;
	l->wall_ns = s->wall_ns;
	snprintf(l->cause, sizeof(l->cause), "%s", cause);
}

/*
 * Stops that ended before the probe was attached, or whose records were lost.
 * The time to safepoint may include that of a stop that has not ended.
 */
static void rates_find_missed(struct thread_rates *r,
			      const struct top_sample *s)
{
	const struct process_sample *now = &s->process;
	struct missed *m = &r->missed;
	int64_t most, each;

	if (!missed_update(m, &r->process, now) || m->count < 1 ||
	    m->at_ns <= 0)
		return;
	if (m->sync_ns <= 0 ||
	    __builtin_add_overflow(m->at_ns, m->sync_ns, &most))
		most = m->at_ns;
	longest_bound(&r->longest, m->at_ns / m->count, most, "", s);
	if (m->collections > 0) {
		each = m->collect_ns / m->collections;
		longest_bound(&r->gc_longest, each < most ? each : most, most,
			      now->gc_cause, s);
	} else if (now->gc_count && now->gc[0].at_most) {
		longest_bound(&r->gc_longest, 0, most, "", s);
	}
}

static void rates_find_longest(struct thread_rates *r,
			       const struct top_sample *s)
{
	const struct process_sample *now = &s->process;
	const struct measured *m = &now->measured;
	struct pauses stops;

	if (process_is_measured(now)) {
		longest_bound(&r->gc_longest, m->gc.longest_ns, 0, m->cause, s);
		longest_bound(&r->longest, m->all.longest_ns, 0, "", s);
		rates_find_missed(r, s);
	} else {
		rates_find_longest_gc(r, s);
		stops = rates_stops(&r->process, now);
		longest_update(&r->longest, &stops, s);
	}
	/* Safepoints without a collection have other causes. */
	r->longest.cause[0] = '\0';
	r->rates.process.gc_longest = r->gc_longest;
	r->rates.process.longest = r->longest;
}

static void rate_machine(struct process_rates *out,
			 const struct process_sample *now,
			 const struct process_sample *before,
			 double interval_ns)
{
	int64_t busy = counter_added(before->machine_busy_ns,
				     now->machine_busy_ns);
	int64_t idle = counter_added(before->machine_idle_ns,
				     now->machine_idle_ns);
	double all = (double)busy + (double)idle;

	out->machine = busy < 0 || idle < 0 || all <= 0 ? NAN
							: (double)busy / all;
	out->throttled = rate_at_most(
		rate(counter_added(before->throttled_ns, now->throttled_ns),
		     interval_ns),
		1);
	out->throttled_periods = rate_at_most(
		rate(counter_added(before->throttled_periods,
				   now->throttled_periods),
		     (double)counter_added(before->cfs_periods,
					   now->cfs_periods)),
		1);
}

static void rate_safepoints(struct process_rates *out,
			    const struct process_sample *now,
			    const struct process_sample *before,
			    double interval_ns)
{
	int64_t count = counter_added(before->safepoints, now->safepoints);
	int64_t sync = counter_added(before->sync_ns, now->sync_ns);
	int64_t at = counter_added(before->safepoint_ns, now->safepoint_ns);

	out->safepoints = rate(count, interval_ns / (double)CLOCK_NS_PER_S);
	out->sync = rate_at_most(rate(sync, interval_ns), 1);
	out->safepoint = rate_at_most(rate(at, interval_ns), 1);
	out->safepoint_pause_ms = count > 0 && sync >= 0 && at >= 0
					  ? ((double)sync + (double)at) /
						    ((double)count *
						     (double)CLOCK_NS_PER_MS)
					  : NAN;
}

/* CPU time of all threads of a sample. */
static double rate_threads_cpu(const struct kind_sum *sums)
{
	double cpu = 0;

	for (size_t i = 0; i < KINDS; i++)
		cpu += sums[i].cpu;
	return cpu;
}

/*
 * The process counter includes ended threads but may be in ticks, coarser than
 * the sum of its threads.
 */
static double rate_process_cpu(const struct process_sample *now,
			       const struct process_sample *before,
			       const struct kind_sum *sums, double interval_ns)
{
	int64_t cpu = counter_added(before->cpu_ns, now->cpu_ns);
	int64_t user = counter_added(before->user_ns, now->user_ns);
	int64_t sys = counter_added(before->sys_ns, now->sys_ns);
	double share = cpu >= 0 ? rate(cpu, interval_ns)
				: rate(user, interval_ns) +
					  rate(sys, interval_ns);

	if (isnan(share))
		return NAN;
	share = rate_at_least(share, rate_threads_cpu(sums));
	return now->cpus > 0 ? rate_at_most(share, (double)now->cpus) : share;
}

/*
 * The VM's own threads are recognized without asking the JVM. So a thread
 * without a name, while others have names, counts as a Java thread.
 */
static void rate_application(struct process_rates *out,
			     const struct kind_sum *sums)
{
	const struct kind_sum *java = &sums[THREAD_JAVA];
	const struct kind_sum *unnamed = &sums[THREAD_UNKNOWN];
	double cpu = java->cpu + unnamed->cpu;
	bool named = java->count > 0;
	/* JMX lists only Java threads, so the others are unknown. */
	bool others = sums[THREAD_VM].count + sums[THREAD_GC].count +
			      sums[THREAD_JIT].count +
			      sums[THREAD_NATIVE].count >
		      0;

	out->java_threads = java->count + (named ? unnamed->count : 0);
	out->application = named ? cpu : NAN;
	if (named && !isnan(out->cpu))
		out->application = rate_at_most(cpu, out->cpu);
	out->sys = named ? rate_at_most(java->sys + unnamed->sys,
					out->application)
			 : NAN;
	out->user = out->application - out->sys;
	out->other = out->cpu - out->application;
	out->vm_cpu = named && others ? sums[THREAD_VM].cpu : NAN;
	out->gc_cpu = named && others ? sums[THREAD_GC].cpu : NAN;
	out->jit_cpu = named && others ? sums[THREAD_JIT].cpu : NAN;
	out->native_cpu = named && others ? sums[THREAD_NATIVE].cpu : NAN;
}

/*
 * Allocation of the process: the exact value if known, else the sum of its
 * threads.
 */
static void rate_allocation(struct process_rates *out,
			    const struct top_sample *s,
			    const struct process_sample *before,
			    const struct kind_sum *sums, double seconds)
{
	out->alloc = rate(
		counter_added(before->alloc_bytes, s->process.alloc_bytes),
		seconds);
	out->alloc_is_coarse = false;
	if (!isnan(out->alloc) || !sums[THREAD_JAVA].alloc_count)
		return;
	out->alloc = sums[THREAD_JAVA].alloc;
	for (size_t i = 0; i < s->thread_count; i++)
		out->alloc_is_coarse |= s->threads[i].alloc_is_coarse;
}

/*
 * Counts threads that started and ended. A thread that did both between two
 * samples is in neither; the JVM's counter of started threads includes it.
 */
static void rate_thread_count(struct process_rates *out,
			      const struct top_sample *s, int64_t started,
			      size_t before)
{
	if (started > 0 && (uint64_t)started > out->new_threads)
		out->new_threads = (size_t)started;
	out->ended_threads = before + out->new_threads > s->thread_count
				     ? before + out->new_threads -
					       s->thread_count
				     : 0;
}

static void rate_process(struct thread_rates *r, const struct top_sample *s,
			 const struct kind_sum *sums)
{
	struct process_rates *out = &r->rates.process;
	double interval_ns = (double)(s->monotonic_ns - r->monotonic_ns);

	out->cpu = rate_process_cpu(&s->process, &r->process, sums,
				    interval_ns);
	rate_thread_count(out, s,
			  counter_added(r->process.threads_started,
					s->process.threads_started),
			  r->before.count);
	rate_application(out, sums);
	rate_allocation(out, s, &r->process, sums,
			interval_ns / (double)CLOCK_NS_PER_S);
	rate_safepoints(out, &s->process, &r->process, interval_ns);
	rate_gc(out, s, &r->process, interval_ns);
	rate_machine(out, &s->process, &r->process, interval_ns);
}

/* Makes the current sample the previous one. */
static void rates_turn_over(struct thread_rates *r, const struct top_sample *s)
{
	struct known_threads old = r->before;

	r->before = r->now;
	r->now = old;
	known_clear(&r->now);
	r->process = s->process;
	r->monotonic_ns = s->monotonic_ns;
	r->primed = true;
}

struct top_rates *thread_rates_update(struct thread_rates *r,
				      const struct top_sample *s)
{
	struct kind_sum sums[KINDS] = { 0 };
	bool comparable = r->primed && s->monotonic_ns > r->monotonic_ns;

	/*
	 * A sample that is not later than the previous one cannot be compared.
	 */
	if (!comparable)
		known_clear(&r->before);
	array_reserve(r->rows, r->row_cap, s->thread_count);
	r->rates = (struct top_rates){
		.sample = s,
		.interval_s = (double)(s->monotonic_ns - r->monotonic_ns) /
			      (double)CLOCK_NS_PER_S,
		.rows = r->rows,
		.row_count = s->thread_count,
	};
	r->rates.process.runq = NAN;
	for (size_t i = 0; i < s->thread_count; i++) {
		double *runq = &r->rates.process.runq;
		double share;

		r->rows[i] = (struct thread_row){ .thread = &s->threads[i] };
		rate_row(r, &r->rows[i], s, sums);
		share = r->rows[i].rates[THREAD_RUNQ];
		if (!isnan(share))
			*runq = isnan(*runq) ? share : *runq + share;
	}
	rate_process(r, s, sums);
	if (comparable)
		rates_find_longest(r, s);
	rates_turn_over(r, s);
	return comparable ? &r->rates : NULL;
}
