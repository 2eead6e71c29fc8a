/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_rates.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Ticks are 10 ms apart: over less than this they say little about how a
 * thread's time is shared between user and system.  A shade less than 1 s,
 * since intervals are never exact.
 */
#define SHARING_NS INT64_C(950000000)

#define KINDS      (THREAD_NATIVE + 1)

/* A thread, as it stood in the sample before. */
struct known {
	uint64_t key;
	uint64_t start;
	int64_t counters[THREAD_COUNTERS];
	int64_t alloc_at;  /* when THREAD_ALLOC was known, in ns */
	int64_t shared_at; /* when the next three were */
	int64_t user, sys;
	double sys_share; /* of cpu; NaN until known */
};

/* All threads of a sample, found by their keys. */
struct known_threads {
	struct known *all;
	size_t count, cap;
	struct map64 index;
};

struct thread_rates {
	struct known_threads before, now;
	struct process_sample process; /* before */
	int64_t monotonic_ns;          /* before */
	bool primed;
	struct longest_pause gc_longest, longest; /* since the first sample */
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

/* Tids and Java ids do not mix: the lowest bit tells them apart. */
static uint64_t key_of(const struct thread_sample *t)
{
	return t->tid ? (uint64_t)t->tid << 1 : (uint64_t)t->java_id << 1 | 1;
}

static const struct known *find(const struct known_threads *k,
				const struct thread_sample *t)
{
	uint32_t i = map64_get(&k->index, key_of(t));

	/* Another thread may have got the tid since. */
	if (i == MAP64_NONE || k->all[i].start != t->start)
		return NULL;
	return &k->all[i];
}

static bool is_known(int64_t counter) { return counter != COUNTER_ABSENT; }

/* What was added to a counter; -1 when that is not known. */
static int64_t added(int64_t before, int64_t now)
{
	int64_t more;

	if (!is_known(before) || !is_known(now))
		return -1;
	if (__builtin_sub_overflow(now, before, &more) || more < 0)
		return 0;
	return more;
}

static double rate(int64_t more, double per)
{
	return more < 0 ? NAN : (double)more / per;
}

static double at_most(double value, double limit)
{
	return value > limit ? limit : value; /* NaN stays */
}

static double at_least(double value, double limit)
{
	return value < limit ? limit : value;
}

/*
 * Which part of user and sys together was sys; NaN when there was nothing.  A
 * thread's times are of its whole life, so they may be large.
 */
static double share_of(int64_t user, int64_t sys)
{
	double sum = (double)user + (double)sys;

	return user < 0 || sys < 0 || sum <= 0 ? NAN : (double)sys / sum;
}

static void share_anew(struct known *k, double share, int64_t at)
{
	k->shared_at = at;
	k->user = k->counters[THREAD_USER];
	k->sys = k->counters[THREAD_SYS];
	if (!isnan(share))
		k->sys_share = share;
}

/* How a thread shares its CPU time now, given how it did before. */
static void share_time(struct known *now, const struct known *before,
		       int64_t at)
{
	if (!before || !is_known(before->user) || !is_known(before->sys)) {
		now->sys_share = NAN;
		share_anew(now,
			   share_of(now->counters[THREAD_USER],
				    now->counters[THREAD_SYS]),
			   at);
		return;
	}
	now->user = before->user;
	now->sys = before->sys;
	now->shared_at = before->shared_at;
	now->sys_share = before->sys_share;
	if (at - now->shared_at >= SHARING_NS)
		share_anew(
			now,
			share_of(added(now->user, now->counters[THREAD_USER]),
				 added(now->sys, now->counters[THREAD_SYS])),
			at);
}

/* Makes cpu, user and sys agree: exact cpu, shared out by coarse ticks. */
static void agree(double *rates, double sys_share)
{
	double *cpu = &rates[THREAD_CPU];
	double *user = &rates[THREAD_USER];
	double *sys = &rates[THREAD_SYS];

	if (isnan(*cpu))
		*cpu = *user + *sys;
	*cpu = at_most(*cpu, 1);
	if (isnan(*cpu) || isnan(*user)) {
		*sys = *user = NAN;
		return;
	}
	if (isnan(*sys)) /* JMX knows cpu and user, no more */
		*sys = at_least(*cpu - *user, 0);
	else if (!isnan(sys_share))
		*sys = *cpu * sys_share;
	else
		*sys = 0;
	*user = *cpu - *sys;
}

static bool is_time(size_t counter)
{
	return counter == THREAD_CPU || counter == THREAD_USER ||
	       counter == THREAD_SYS || counter == THREAD_RUNQ ||
	       counter == THREAD_WAIT_TIME || counter == THREAD_BLOCK_TIME;
}

static bool is_of_cpu(size_t counter)
{
	return counter == THREAD_CPU || counter == THREAD_USER ||
	       counter == THREAD_SYS;
}

static void rate_thread(struct thread_row *row, const struct known *before,
			const struct known *now, int64_t interval_ns)
{
	double seconds = (double)interval_ns / (double)CLOCK_NS_PER_S;

	for (size_t i = 0; i < THREAD_COUNTERS; i++) {
		int64_t more = added(before->counters[i], now->counters[i]);

		row->rates[i] = rate(more, is_time(i) ? (double)interval_ns
						      : seconds);
		if (is_time(i) && !is_of_cpu(i))
			row->rates[i] = at_most(row->rates[i], 1);
	}
	agree(row->rates, now->sys_share);
}

/* Allocation may be known in few samples: between two of them is a rate. */
static void rate_alloc(struct thread_row *row, const struct known *before,
		       struct known *now, int64_t at)
{
	const struct thread_sample *t = row->thread;
	int64_t since = at - before->alloc_at;

	if (!is_known(t->counters[THREAD_ALLOC])) {
		now->counters[THREAD_ALLOC] = before->counters[THREAD_ALLOC];
		now->alloc_at = before->alloc_at;
		row->rates[THREAD_ALLOC] = NAN;
	}
	if (t->has_alloc_mean)
		row->rates[THREAD_ALLOC] = (double)t->alloc_mean;
	if (!is_known(t->counters[THREAD_ALLOC]) || t->has_alloc_mean)
		return;
	now->alloc_at = at;
	row->rates[THREAD_ALLOC] = rate(added(before->counters[THREAD_ALLOC],
					      t->counters[THREAD_ALLOC]),
					(double)since / (double)CLOCK_NS_PER_S);
}

static struct known *remember(struct known_threads *k,
			      const struct thread_sample *t, int64_t at)
{
	struct known *now;

	array_reserve(k->all, k->cap, k->count + 1);
	now = &k->all[k->count];
	now->key = key_of(t);
	now->start = t->start;
	memcpy(now->counters, t->counters, sizeof(now->counters));
	now->alloc_at = at;
	map64_add(&k->index, now->key, (uint32_t)k->count++);
	return now;
}

/* Sums of the threads of one kind. */
struct kind_sum {
	double cpu, sys, alloc;
	size_t count, alloc_count;
};

/* All that a thread has used, as rates: it began since the sample before. */
static void rate_newcomer(double *rates, const struct known *now,
			  int64_t interval_ns)
{
	struct thread_row row;
	struct known nothing = { .alloc_at = 0 };

	rate_thread(&row, &nothing, now, interval_ns);
	memcpy(rates, row.rates, sizeof(row.rates));
}

static void sum_up(struct kind_sum *sum, const double *rates)
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
	const struct known *before = find(&r->before, t);
	struct known *now = remember(&r->now, t, s->monotonic_ns);
	double newcomer[THREAD_COUNTERS];

	share_time(now, before, s->monotonic_ns);
	row->is_new = !before;
	if (before) {
		rate_thread(row, before, now, interval_ns);
		rate_alloc(row, before, now, s->monotonic_ns);
		sum_up(&sums[t->kind], row->rates);
		return;
	}
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		row->rates[i] = NAN;
	r->rates.process.new_threads++;
	rate_newcomer(newcomer, now, interval_ns);
	sum_up(&sums[t->kind], newcomer);
}

static const struct gc_sample *find_gc(const struct process_sample *p,
				       const char *name)
{
	for (size_t i = 0; i < p->gc_count; i++) {
		if (strcmp(p->gc[i].name, name) == 0)
			return &p->gc[i];
	}
	return NULL;
}

static void rate_gc(struct process_rates *out, const struct top_sample *s,
		    const struct process_sample *before, double interval_ns)
{
	out->gc_count = s->process.gc_count;
	out->gc_pauses = out->gc_count ? 0 : NAN;
	for (size_t i = 0; i < out->gc_count; i++) {
		const struct gc_sample *gc = &s->process.gc[i];
		const struct gc_sample *old = find_gc(before, gc->name);

		out->gc[i] = (struct gc_rate){
			.name = gc->name,
			.share = old ? at_most(rate(added(old->time_ns,
							  gc->time_ns),
						    interval_ns),
					       1)
				     : NAN,
			.count = old ? added(old->count, gc->count) : -1,
			.at_most = gc->at_most,
		};
		out->gc_pauses += out->gc[i].share;
		out->gc_at_most |= gc->at_most;
	}
	out->gc_pauses = at_most(out->gc_pauses, 1);
}

/* Pauses that ended between two samples: how many, how long, and the last. */
struct pauses {
	int64_t count, sum_ns;
	int64_t last_ns; /* COUNTER_ABSENT: unknown */
};

/*
 * Takes the longest of some pauses for the longest of all, if it is.  Of one
 * pause, or of two when the last is known, each length is known; of several
 * others one is as long as their mean at least, and as their sum at most.
 */
static void take_longest(struct longest_pause *l, const struct pauses *p,
			 const struct top_sample *s)
{
	int64_t rest = p->sum_ns, others = p->count, longest = 0, most;

	if (rest <= 0)
		return;
	if (is_known(p->last_ns) && p->last_ns <= rest && others > 0) {
		longest = p->last_ns;
		rest -= longest;
		others--;
	}
	if (others < 1)
		others = rest ? 1 : 0;
	if (others && rest / others > longest)
		longest = rest / others;
	most = others > 1 && rest > longest ? rest : longest;
	if (!is_known(l->ns) || longest > l->ns) {
		l->ns = longest;
		l->wall_ns = s->wall_ns;
		memcpy(l->cause, s->process.gc_cause, sizeof(l->cause));
	}
	if (most > l->most_ns)
		l->most_ns = most;
}

/*
 * A pause counts as soon as it begins, its time when it ends: between the two
 * the length of the last one is not known.
 */
static bool is_in_pause(const struct gc_sample *gc)
{
	return gc->count > 0 && !gc->at_most && !is_known(gc->last_ns);
}

static bool is_in_any_pause(const struct process_sample *p)
{
	for (size_t i = 0; i < p->gc_count; i++) {
		if (is_in_pause(&p->gc[i]))
			return true;
	}
	return false;
}

static int64_t ended(int64_t count, bool was_in_pause, bool is_in_pause_now)
{
	return count < 0 ? count : count + was_in_pause - is_in_pause_now;
}

static void find_longest_gc(struct thread_rates *r, const struct top_sample *s)
{
	const struct process_sample *now = &s->process;

	for (size_t i = 0; i < now->gc_count; i++) {
		const struct gc_sample *gc = &now->gc[i];
		const struct gc_sample *old = find_gc(&r->process, gc->name);
		struct pauses p = { .last_ns = gc->last_ns };

		/* Neither all safepoints nor a cycle is a pause. */
		if (!old || gc->at_most || gc->is_cycles)
			continue;
		p.count = ended(added(old->count, gc->count), is_in_pause(old),
				is_in_pause(gc));
		p.sum_ns = added(old->time_ns, gc->time_ns);
		take_longest(&r->gc_longest, &p, s);
	}
}

static void find_longest(struct thread_rates *r, const struct top_sample *s)
{
	const struct process_sample *now = &s->process, *before = &r->process;
	int64_t at = added(before->safepoint_ns, now->safepoint_ns);
	int64_t sync = added(before->sync_ns, now->sync_ns);
	struct pauses stops = { .last_ns = COUNTER_ABSENT };

	find_longest_gc(r, s);
	if (at >= 0 && sync >= 0 &&
	    !__builtin_add_overflow(at, sync, &stops.sum_ns)) {
		stops.count = ended(added(before->safepoints, now->safepoints),
				    is_in_any_pause(before),
				    is_in_any_pause(now));
		take_longest(&r->longest, &stops, s);
	}
	/* Other safepoints than those of collections have other causes. */
	r->longest.cause[0] = '\0';
	r->rates.process.gc_longest = r->gc_longest;
	r->rates.process.longest = r->longest;
}

static void rate_machine(struct process_rates *out,
			 const struct process_sample *now,
			 const struct process_sample *before,
			 double interval_ns)
{
	int64_t busy = added(before->machine_busy_ns, now->machine_busy_ns);
	int64_t idle = added(before->machine_idle_ns, now->machine_idle_ns);
	double all = (double)busy + (double)idle;

	out->machine = busy < 0 || idle < 0 || all <= 0 ? NAN
							: (double)busy / all;
	out->throttled = at_most(
		rate(added(before->throttled_ns, now->throttled_ns),
		     interval_ns),
		1);
}

static void rate_safepoints(struct process_rates *out,
			    const struct process_sample *now,
			    const struct process_sample *before,
			    double interval_ns)
{
	int64_t count = added(before->safepoints, now->safepoints);
	int64_t sync = added(before->sync_ns, now->sync_ns);
	int64_t at = added(before->safepoint_ns, now->safepoint_ns);

	out->safepoints = rate(count, interval_ns / (double)CLOCK_NS_PER_S);
	out->sync = at_most(rate(sync, interval_ns), 1);
	out->safepoint = at_most(rate(at, interval_ns), 1);
	out->safepoint_pause_ms = count > 0 && sync >= 0 && at >= 0
					  ? ((double)sync + (double)at) /
						    ((double)count *
						     (double)CLOCK_NS_PER_MS)
					  : NAN;
}

/* What all threads of a sample used. */
static double threads_cpu(const struct kind_sum *sums)
{
	double cpu = 0;

	for (size_t i = 0; i < KINDS; i++)
		cpu += sums[i].cpu;
	return cpu;
}

/*
 * The process's own time has its ended threads in it, but may be in ticks,
 * coarser than what its threads used.
 */
static double process_cpu(const struct process_sample *now,
			  const struct process_sample *before,
			  const struct kind_sum *sums, double interval_ns)
{
	int64_t cpu = added(before->cpu_ns, now->cpu_ns);
	int64_t user = added(before->user_ns, now->user_ns);
	int64_t sys = added(before->sys_ns, now->sys_ns);
	double share = cpu >= 0 ? rate(cpu, interval_ns)
				: rate(user, interval_ns) +
					  rate(sys, interval_ns);

	if (isnan(share))
		return NAN;
	share = at_least(share, threads_cpu(sums));
	return now->cpus > 0 ? at_most(share, (double)now->cpus) : share;
}

/*
 * The VM's own threads are known without asking it.  So one that is not named
 * yet, where others are, is taken for one of Java.
 */
static void rate_application(struct process_rates *out,
			     const struct kind_sum *sums)
{
	const struct kind_sum *java = &sums[THREAD_JAVA];
	const struct kind_sum *unnamed = &sums[THREAD_UNKNOWN];
	double cpu = java->cpu + unnamed->cpu;
	bool named = java->count > 0;
	/* Over JMX there are Java's alone: of the others nothing is known. */
	bool others = sums[THREAD_VM].count + sums[THREAD_GC].count +
			      sums[THREAD_JIT].count +
			      sums[THREAD_NATIVE].count >
		      0;

	out->java_threads = java->count + (named ? unnamed->count : 0);
	out->application = named ? cpu : NAN;
	if (named && !isnan(out->cpu))
		out->application = at_most(cpu, out->cpu);
	out->sys = named ? at_most(java->sys + unnamed->sys, out->application)
			 : NAN;
	out->user = out->application - out->sys;
	out->other = out->cpu - out->application;
	out->vm_cpu = named && others ? sums[THREAD_VM].cpu : NAN;
	out->gc_cpu = named && others ? sums[THREAD_GC].cpu : NAN;
	out->jit_cpu = named && others ? sums[THREAD_JIT].cpu : NAN;
	out->native_cpu = named && others ? sums[THREAD_NATIVE].cpu : NAN;
}

/* Allocation of the process: exact if it is known, else of its threads. */
static void rate_allocation(struct process_rates *out,
			    const struct top_sample *s,
			    const struct process_sample *before,
			    const struct kind_sum *sums, double seconds)
{
	out->alloc = rate(added(before->alloc_bytes, s->process.alloc_bytes),
			  seconds);
	out->alloc_is_coarse = false;
	if (!isnan(out->alloc) || !sums[THREAD_JAVA].alloc_count)
		return;
	out->alloc = sums[THREAD_JAVA].alloc;
	for (size_t i = 0; i < s->thread_count; i++)
		out->alloc_is_coarse |= s->threads[i].alloc_is_coarse;
}

static void rate_process(struct thread_rates *r, const struct top_sample *s,
			 const struct kind_sum *sums)
{
	struct process_rates *out = &r->rates.process;
	double interval_ns = (double)(s->monotonic_ns - r->monotonic_ns);
	size_t stayed = s->thread_count - out->new_threads;

	out->cpu = process_cpu(&s->process, &r->process, sums, interval_ns);
	out->ended_threads = r->before.count > stayed ? r->before.count - stayed
						      : 0;
	rate_application(out, sums);
	rate_allocation(out, s, &r->process, sums,
			interval_ns / (double)CLOCK_NS_PER_S);
	rate_safepoints(out, &s->process, &r->process, interval_ns);
	rate_gc(out, s, &r->process, interval_ns);
	rate_machine(out, &s->process, &r->process, interval_ns);
}

/* The later sample becomes the earlier one. */
static void turn_over(struct thread_rates *r, const struct top_sample *s)
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

	/* Nothing of a sample that was not before this one is comparable. */
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
	for (size_t i = 0; i < s->thread_count; i++) {
		r->rows[i] = (struct thread_row){ .thread = &s->threads[i] };
		rate_row(r, &r->rows[i], s, sums);
	}
	rate_process(r, s, sums);
	if (comparable)
		find_longest(r, s);
	turn_over(r, s);
	return comparable ? &r->rates : NULL;
}
