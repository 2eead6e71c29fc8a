/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules.  Each threshold has the measurement that justifies it, of services
 * that were healthy and of the same services with a fault, at 2 CPUs.
 */
#include "core/diagnosis/diagnosis.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Stopped share: healthy services 0.4 %, a heap that was full 35 %.  A stop of
 * a second, and two full collections in some seconds, were chosen.
 */
#define STOPPED_SHARE      0.10
#define STOPPED_LONGEST_NS (INT64_C(1000) * 1000000)
#define FULL_LEAST         2
/*
 * Of collections that large arrays cause: a service that exported reports had
 * eight each second, which cost 0.8 % of the time.  Healthy: none.
 */
#define HUMONGOUS_PER_S 1
#define HUMONGOUS_SHARE 0.01
/*
 * Time to safepoint: healthy 0.004 % of the time; a counted loop without
 * safepoints 27 to 70 %, and stops of over a second.
 */
#define SYNC_SHARE      0.05
#define SYNC_LONGEST_NS (INT64_C(200) * 1000000)
/*
 * Of the periods: without a limit none; a mild limit, which only the slowest
 * requests noticed, 19 %, and a hard one 100 %.  Five periods are half a
 * second.
 */
#define THROTTLED_SHARE   0.10
#define THROTTLED_PERIODS 5
/*
 * Healthy, on a busy machine: 0.2 ms for each context switch and 0.11 threads
 * that wait; beside a neighbor that uses all CPUs 1.4 to 3.8 ms and 0.73.  That
 * the wait is at least as long as the use was chosen.
 */
#define RUNQ_SWITCH_MS 1.0
#define RUNQ_SHARE     0.5
#define RUNQ_CORES     0.2
/*
 * Threads that wait for one lock, on average: healthy 0, faults 14 to 56. Five,
 * or three that are a quarter of their pool, were chosen.
 */
#define BLOCKED_MEAN  5
#define BLOCKED_LEAST 3
#define BLOCKED_POOL  0.25
/*
 * Chosen: nearly all threads of a pool wait for the same thing, and the pool is
 * no single thread that does it on purpose.
 */
#define POOL_LEAST 4
#define POOL_SHARE 0.9
/* Chosen: healthy JVMs resolve names in a millisecond, so dumps see none. */
#define NAMES_MEAN 2
/* Chosen: one thread, on average, waits for a lock whose owner writes. */
#define DISK_MEAN 1
/* The standard error of a share of 40 % is 5 points at 100 samples. */
#define SAMPLES_LEAST 100
#define SAMPLES_FEW   20
/* Chosen. */
#define PLACE_SHARE      0.4
#define EXCEPTIONS_SHARE 0.1
#define CPU_SHARE        0.8
/*
 * Healthy: 7 descriptors, constant; a leak opened 100 a second.  A pool that
 * warms up grows for a while only.
 */
#define FILES_SHARE  0.8
#define FILES_PER_S  1
#define FILES_MORE   50
#define FILES_FULL_S 3600

const char *const cause_rank_names[CAUSE_RANKS] = {
	"BROKEN", "STOPPED", "STARVED", "WAITING", "CPU", "TREND",
};

static struct cause *diagnosis_add(struct diagnosis *d, const struct rule *rule)
{
	array_add(d->causes, d->count, d->cap,
		  (struct cause){ .rule = rule, .rank = rule->rank });
	return &d->causes[d->count - 1];
}

static void cause_add_evidence(struct cause *c, const char *name, double value,
			       const char *unit, const char *source)
{
	if (c->evidence_count < EVIDENCE_MAX)
		c->evidence[c->evidence_count++] = (struct evidence){
			name, value, unit, source
		};
}

/* ---- threads ---- */

/* One dump can see a cycle that never was: it reads thread by thread. */
static const char *rule_deadlock(struct diagnosis *d, const struct rule *rule,
				 const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;
	struct cause *c;

	if (w->deadlock_dumps < 2 || !w->deadlock.len)
		return NULL;
	c = diagnosis_add(d, rule);
	c->threads = w->deadlocked + w->behind;
	c->lost_s = (double)c->threads * f->seconds;
	text_printf(&c->sentence, "deadlock of %zu threads", w->deadlocked);
	if (w->behind)
		text_printf(&c->sentence, "; %zu more thread%s behind them",
			    w->behind, w->behind == 1 ? " waits" : "s wait");
	text_puts(&c->detail, w->deadlock.bytes);
	if (w->deadlocks > 1)
		text_printf(&c->detail, "; %s in all",
			    units_counted(w->deadlocks, "deadlock").text);
	text_printf(&c->next, "threads %s", f->target);
	cause_add_evidence(c, "deadlocked_threads", (double)w->deadlocked,
			   "threads", "thread dumps");
	cause_add_evidence(c, "threads_behind", (double)w->behind, "threads",
			   "thread dumps");
	return NULL;
}

static void wait_add_place(struct cause *c, const struct dump_wait *g)
{
	if (!*g->place)
		return;
	text_puts(&c->place, g->place);
	text_printf(&c->detail, "in %s", g->place);
}

static void wait_add_dumps(struct cause *c, const struct dump_waits *w,
			   const struct dump_wait *g)
{
	double mean = dump_wait_mean(w, g);

	text_printf(&c->detail, "%sin %zu of %zu thread dumps",
		    c->detail.len ? ", " : "", g->dumps, w->dumps);
	c->threads = (size_t)(mean + 0.5);
	cause_add_evidence(c, "waiting_threads_mean", mean, "threads",
			   "thread dumps");
	cause_add_evidence(c, "pool_threads_mean", dump_wait_pool(g), "threads",
			   "thread dumps");
	cause_add_evidence(c, "dumps_seen", (double)g->dumps, "thread dumps",
			   "thread dumps");
	cause_add_evidence(c, "dumps_taken", (double)w->dumps, "thread dumps",
			   "thread dumps");
}

static bool wait_is_for_lock(const struct dump_wait *g)
{
	return g->kind == DUMP_WAIT_MONITOR || g->kind == DUMP_WAIT_LOCK;
}

static void wait_add_owner(struct cause *c, const struct dump_wait *g)
{
	if (!*g->owner)
		return;
	text_printf(&c->detail, "; the owner, %s, %s", g->owner,
		    g->owner_kind == DUMP_WAIT_DISK     ? "waits for a file"
		    : g->owner_kind == DUMP_WAIT_SOCKET ? "waits for a socket"
		    : g->owner_kind == DUMP_WAIT_NAMES  ? "resolves a name"
		    : g->owner_kind == DUMP_WAIT_SLEEP  ? "sleeps"
		    : g->owner_kind == DUMP_WAIT_KINDS  ? "runs"
							: "waits");
	if (*g->owner_place)
		text_printf(&c->detail, " in %s", g->owner_place);
}

static const char *rule_convoy(struct diagnosis *d, const struct rule *rule,
			       const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;

	for (size_t i = 0; i < w->count; i++) {
		const struct dump_wait *g = &w->all[i];
		double mean = dump_wait_mean(w, g), pool = dump_wait_pool(g);
		struct cause *c;

		if (!wait_is_for_lock(g) || g->dumps < w->dumps ||
		    (mean < BLOCKED_MEAN &&
		     (mean < BLOCKED_LEAST || mean < BLOCKED_POOL * pool)))
			continue;
		c = diagnosis_add(d, rule);
		c->lost_s = mean * f->seconds;
		text_printf(&c->sentence,
			    "%.0f of %.0f threads of %s wait for the %s %s",
			    mean, pool, g->pool,
			    g->kind == DUMP_WAIT_MONITOR ? "monitor" : "lock",
			    *g->lock ? g->lock : "of an unknown class");
		wait_add_place(c, g);
		wait_add_dumps(c, w, g);
		wait_add_owner(c, g);
		text_printf(&c->next, "prof %s -e lock", f->target);
	}
	return NULL;
}

/* NULL: not reported; the thread may wait on purpose. */
static const char *const wait_sentences[DUMP_WAIT_KINDS] = {
	[DUMP_WAIT_PERMIT] = "wait for a permit of a Semaphore",
	[DUMP_WAIT_RESULT] = "wait for the result of another thread",
	[DUMP_WAIT_NAMES] = "resolve host names",
	[DUMP_WAIT_SOCKET] = "wait for a socket",
	[DUMP_WAIT_DISK] = "wait for a file",
};

/* True if the threads are enough to be a cause; clients may be silent. */
static bool wait_matters(const struct dump_waits *w, const struct dump_wait *g)
{
	double mean = dump_wait_mean(w, g), pool = dump_wait_pool(g);

	if (!*g->place || g->dumps < w->dumps || g->is_inbound ||
	    !wait_sentences[g->kind])
		return false;
	if (g->kind == DUMP_WAIT_NAMES)
		return mean >= NAMES_MEAN;
	return pool >= POOL_LEAST && mean >= POOL_SHARE * pool;
}

static const char *rule_pool(struct diagnosis *d, const struct rule *rule,
			     const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;

	for (size_t i = 0; i < w->count; i++) {
		const struct dump_wait *g = &w->all[i];
		double mean = dump_wait_mean(w, g), pool = dump_wait_pool(g);
		struct cause *c;

		if (!wait_matters(w, g))
			continue;
		c = diagnosis_add(d, rule);
		c->lost_s = mean * f->seconds;
		if (mean >= pool)
			text_printf(&c->sentence, "all %.0f", pool);
		else
			text_printf(&c->sentence, "%.0f of %.0f", mean, pool);
		text_printf(&c->sentence, " threads of %s ", g->pool);
		if (g->kind == DUMP_WAIT_SOCKET && *g->peer)
			text_printf(&c->sentence, "wait to %s", g->peer);
		else
			text_puts(&c->sentence, wait_sentences[g->kind]);
		wait_add_place(c, g);
		wait_add_dumps(c, w, g);
		if (g->kind == DUMP_WAIT_NAMES)
			text_printf(&c->next,
				    "probe %s InetAddress.getAllByName "
				    "--system --above 100ms --args",
				    f->target);
		else
			text_printf(&c->next, "threads %s --count 3",
				    f->target);
	}
	return NULL;
}

/* A lock whose owner waits for the disk comes before the lock. */
static const char *rule_disk(struct diagnosis *d, const struct rule *rule,
			     const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;

	for (size_t i = 0; i < w->count; i++) {
		const struct dump_wait *g = &w->all[i];
		double mean = dump_wait_mean(w, g);
		struct cause *c;

		if (!wait_is_for_lock(g) || g->dumps < w->dumps ||
		    g->owner_kind != DUMP_WAIT_DISK || mean < DISK_MEAN)
			continue;
		c = diagnosis_add(d, rule);
		c->lost_s = mean * f->seconds;
		text_printf(&c->sentence,
			    "a thread that owns a lock waits for a file; %.0f "
			    "threads wait for the lock",
			    mean);
		if (*g->owner_place) {
			text_puts(&c->place, g->owner_place);
			text_printf(&c->detail, "in %s", g->owner_place);
		}
		wait_add_dumps(c, w, g);
		text_printf(&c->next, "prof %s -e offcpu", f->target);
	}
	return NULL;
}

/* ---- stops ---- */

/* By the kernel's states of all threads. */
static const char *rule_stopped(struct diagnosis *d, const struct rule *rule,
				const struct diagnosis_facts *f)
{
	struct cause *c;

	for (size_t i = 0; i < f->rates->row_count; i++)
		if (f->rates->rows[i].thread->state != RUN_STOPPED)
			return NULL;
	if (!f->rates->row_count)
		return "the threads are unknown";
	c = diagnosis_add(d, rule);
	c->threads = f->rates->row_count;
	c->lost_s = (double)c->threads * f->seconds;
	text_puts(&c->sentence,
		  "all threads are stopped by a signal or a debugger");
	text_printf(&c->detail, "kill -CONT %s continues the JVM", f->target);
	text_printf(&c->next, "doctor %s", f->target);
	cause_add_evidence(c, "stopped_threads", (double)c->threads, "threads",
			   "/proc");
	return NULL;
}

/* A full collection without a request. */
static bool pause_is_needed_full(const struct gc_pause *p)
{
	static const char *const requests[] = {
		"System.gc()",
		"Heap Inspection Initiated GC",
		"Heap Dump Initiated GC",
		"Diagnostic Command",
		"JvmtiEnv ForceGarbageCollection",
		"WhiteBox Initiated Full GC",
	};

	if (p->kind != GC_FULL)
		return false;
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (p->cause &&
		    strncmp(p->cause, requests[i], strlen(requests[i])) == 0)
			return false;
	return true;
}

/*
 * The time of a collection is the stop without the time to safepoint, which the
 * rule of slow stops judges.  Of several stops in a record, the longest is
 * unknown: their mean is at most as long.
 */
void diagnosis_add_pause(struct diagnosis_pauses *to, const struct gc_pause *p,
			 unsigned columns)
{
	int64_t sync_ns = p->sync_ns > 0 ? p->sync_ns : 0;
	int64_t count = p->count ? p->count : 1;

	to->has_sync |= columns & GC_HAS_SYNC;
	if (!gc_kind_stops(p->kind))
		return;
	to->sync_ns += sync_ns;
	if (sync_ns / count > to->longest_sync_ns)
		to->longest_sync_ns = sync_ns / count;
	if (!gc_pause_is_collection(p) || p->stopped_ns < sync_ns)
		return;
	to->collections += p->count;
	to->full += pause_is_needed_full(p);
	to->humongous += p->cause &&
			 strcmp(p->cause, "G1 Humongous Allocation") == 0;
	to->gc_ns += p->stopped_ns - sync_ns;
	if ((p->stopped_ns - sync_ns) / count > to->longest_gc_ns)
		to->longest_gc_ns = (p->stopped_ns - sync_ns) / count;
}

static const char *rule_collections(struct diagnosis *d,
				    const struct rule *rule,
				    const struct diagnosis_facts *f)
{
	const struct diagnosis_pauses *p = f->pauses;
	double share = (double)p->gc_ns / 1e9 / p->seconds;
	struct cause *c;

	if (share < STOPPED_SHARE && p->longest_gc_ns < STOPPED_LONGEST_NS &&
	    p->full < FULL_LEAST)
		return NULL;
	c = diagnosis_add(d, rule);
	c->lost_s = share * f->seconds;
	text_printf(&c->sentence,
		    "garbage collection stops the program %.1f%% of the time",
		    100 * share);
	text_printf(&c->detail, "%s, the longest %s",
		    units_counted(p->collections, "pause").text,
		    units_time((double)p->longest_gc_ns).text);
	if (p->full)
		text_printf(&c->detail,
			    ", %s: the heap is too small, or the application "
			    "leaks memory",
			    units_counted(p->full, "full collection").text);
	text_printf(&c->next, "hh %s --live", f->target);
	cause_add_evidence(c, "stopped_share", share, "of the time", "pauses");
	cause_add_evidence(c, "longest_s", (double)p->longest_gc_ns / 1e9, "s",
			   "pauses");
	cause_add_evidence(c, "full_collections", (double)p->full,
			   "collections", "pauses");
	return NULL;
}

/* They cost more than their pauses: regions are partly used. */
static const char *rule_humongous(struct diagnosis *d, const struct rule *rule,
				  const struct diagnosis_facts *f)
{
	const struct diagnosis_pauses *p = f->pauses;
	double per_s = (double)p->humongous / p->seconds;
	double share = (double)p->gc_ns / 1e9 / p->seconds;
	struct cause *c;

	if (per_s < HUMONGOUS_PER_S)
		return NULL;
	c = diagnosis_add(d, rule);
	if (share < HUMONGOUS_SHARE)
		c->rank = CAUSE_TREND;
	c->lost_s = share * f->seconds;
	text_printf(&c->sentence,
		    "arrays of at least half a heap region cause %.1f "
		    "collections each second",
		    per_s);
	text_printf(&c->detail,
		    "%s (G1 Humongous Allocation); they stop the program "
		    "%.1f%% of the time",
		    units_counted(p->humongous, "collection").text,
		    100 * share);
	text_printf(&c->next, "prof %s -e alloc", f->target);
	cause_add_evidence(c, "humongous_collections_per_s", per_s,
			   "collections/s", "pauses");
	cause_add_evidence(c, "stopped_share", share, "of the time", "pauses");
	return NULL;
}

static const char *rule_safepoints(struct diagnosis *d, const struct rule *rule,
				   const struct diagnosis_facts *f)
{
	const struct diagnosis_pauses *p = f->pauses;
	double share = (double)p->sync_ns / 1e9 / p->seconds;
	struct cause *c;

	if (share < SYNC_SHARE && p->longest_sync_ns < SYNC_LONGEST_NS)
		return p->has_sync ? NULL : "no pause had a time to safepoint";
	c = diagnosis_add(d, rule);
	c->lost_s = share * f->seconds;
	text_printf(&c->sentence,
		    "threads are slow to stop for safepoints: %.1f%% of the "
		    "time",
		    100 * share);
	text_printf(&c->detail, "longest %s",
		    units_time((double)p->longest_sync_ns).text);
	if (p->last_thread && *p->last_thread) {
		text_puts(&c->detail, "; last to stop: ");
		safe_text_puts(&c->detail, p->last_thread);
		text_printf(&c->detail, " (%u of %u)", p->last_times,
			    p->last_of);
	}
	text_printf(&c->next, "gc %s --safepoints", f->target);
	cause_add_evidence(c, "sync_share", share, "of the time", "pauses");
	cause_add_evidence(c, "longest_sync_s",
			   (double)p->longest_sync_ns / 1e9, "s", "pauses");
	return NULL;
}

/* ---- CPU ---- */

/* The CPUs that the JVM may use, with its limit. */
static double facts_cores(const struct diagnosis_facts *f)
{
	double limit = (double)f->rates->sample->process.cpu_limit / 1000;

	return limit > 0 && limit < f->cpus ? limit : f->cpus;
}

static const char *rule_throttled(struct diagnosis *d, const struct rule *rule,
				  const struct diagnosis_facts *f)
{
	const struct process_sample *now = &f->rates->sample->process;
	const struct process_sample *old = f->before;
	double share = f->rates->process.throttled_periods;
	double periods;
	struct cause *c;

	if (now->cpu_limit == CPU_LIMIT_UNKNOWN)
		return "the limit is unknown";
	if (isnan(share) || share < THROTTLED_SHARE)
		return NULL;
	periods = (double)(now->throttled_periods - old->throttled_periods);
	if (periods < THROTTLED_PERIODS)
		return NULL;
	c = diagnosis_add(d, rule);
	c->lost_s = share * f->seconds;
	text_printf(&c->sentence,
		    "the container limit of %.3g CPUs stopped the JVM in "
		    "%.0f%% of the periods",
		    (double)now->cpu_limit / 1000, 100 * share);
	text_printf(&c->detail,
		    "%.0f of %" PRId64 " periods; the JVM uses "
		    "%.2f cores",
		    periods, now->cfs_periods - old->cfs_periods,
		    f->rates->process.cpu);
	text_printf(&c->next, "prof %s -e cpu", f->target);
	cause_add_evidence(c, "throttled_periods_share", share,
			   "of the periods", "cgroup");
	cause_add_evidence(c, "cpu_limit", (double)now->cpu_limit / 1000,
			   "CPUs", "cgroup");
	return NULL;
}

static double rates_switches(const struct top_rates *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->row_count; i++) {
		const double *rates = r->rows[i].rates;

		if (!isnan(rates[THREAD_VOLUNTARY]))
			sum += rates[THREAD_VOLUNTARY];
		if (!isnan(rates[THREAD_INVOLUNTARY]))
			sum += rates[THREAD_INVOLUNTARY];
	}
	return sum;
}

static const char *rule_starved(struct diagnosis *d, const struct rule *rule,
				const struct diagnosis_facts *f)
{
	const struct process_rates *r = &f->rates->process;
	double switches = rates_switches(f->rates), others, per_switch_ms;
	double machine = (double)f->rates->sample->process.cpus;
	struct cause *c;

	if (isnan(r->runq) || isnan(r->machine) || isnan(r->cpu))
		return "the kernel does not count the waits for a CPU";
	if (switches <= 0 || (!isnan(r->throttled_periods) &&
			      r->throttled_periods >= THROTTLED_SHARE))
		return NULL;
	per_switch_ms = r->runq / switches * 1000;
	others = r->machine * machine - r->cpu;
	/* Its own threads may be enough to fill its CPUs. */
	if (r->runq < RUNQ_CORES || per_switch_ms < RUNQ_SWITCH_MS ||
	    r->runq < RUNQ_SHARE * (r->runq + r->cpu) || others < r->cpu ||
	    r->cpu > CPU_SHARE * f->cpus)
		return NULL;
	c = diagnosis_add(d, rule);
	c->lost_s = r->runq * f->seconds;
	text_printf(&c->sentence,
		    "threads wait %.1f ms for a CPU each time they become "
		    "runnable",
		    per_switch_ms);
	text_printf(&c->detail,
		    "the JVM uses %.2f of %.0f CPUs, other processes %.2f of "
		    "the machine's %.0f",
		    r->cpu, f->cpus, others, machine);
	text_printf(&c->next, "ttop %s -o RUNQ", f->target);
	cause_add_evidence(c, "run_queue_ms_per_switch", per_switch_ms, "ms",
			   "schedstat");
	cause_add_evidence(c, "run_queue", r->runq, "threads", "schedstat");
	cause_add_evidence(c, "other_processes", others, "cores", "/proc/stat");
	return NULL;
}

/* The application's methods in the event cpu, by their samples. */
struct places {
	uint64_t all, exceptions;
	uint32_t best; /* a frame of the method; 0 = none */
	uint64_t best_count;
};

static bool frame_fills_trace(const struct profile *p, const struct frame *f)
{
	return strcmp(profile_text(p, f->class_name), "java.lang.Throwable") ==
		       0 &&
	       strcmp(profile_text(p, f->method), "fillInStackTrace") == 0;
}

/* Counts of methods, in the order of their first samples. */
struct place_counts {
	struct map64 by_method; /* index by class and method */
	uint64_t *all;
	size_t count, cap;
};

static void places_count(struct places *sum, struct place_counts *counts,
			 const struct profile *p, uint32_t frame, uint64_t n)
{
	const struct frame *f = &p->frames[frame];
	uint64_t key = (uint64_t)f->class_name << 32 | f->method;
	uint32_t at = map64_get(&counts->by_method, key);

	if (at == MAP64_NONE) {
		at = (uint32_t)counts->count;
		map64_add(&counts->by_method, key, at);
		array_add(counts->all, counts->count, counts->cap, 0);
	}
	counts->all[at] += n;
	if (counts->all[at] > sum->best_count) {
		sum->best_count = counts->all[at];
		sum->best = frame;
	}
}

static void places_add(struct places *sum, struct place_counts *counts,
		       const struct profile *p, const struct cell *c)
{
	bool throws = false;
	uint32_t place = 0;

	for (uint32_t at = c->stack; at && !place; at = p->stacks[at].caller) {
		uint32_t frame = p->stacks[at].frame;

		throws |= frame_fills_trace(p, &p->frames[frame]);
		if (frame_is_application(p, &p->frames[frame]))
			place = frame;
	}
	sum->all += c->count;
	sum->exceptions += throws ? c->count : 0;
	if (place)
		places_count(sum, counts, p, place, c->count);
}

static bool places_find(const struct profile *p, struct places *sum)
{
	struct event_view view;
	struct place_counts counts = { 0 };
	bool *in_view;

	*sum = (struct places){ 0 };
	if (event_view_choose(p, "cpu", &view, error_unused()))
		return false;
	in_view = view_events(p, &view);
	for (size_t i = 0; i < p->cell_count; i++)
		if (in_view[p->cells[i].event])
			places_add(sum, &counts, p, &p->cells[i]);
	free(in_view);
	map64_release(&counts.by_method);
	free(counts.all);
	return sum->all;
}

bool diagnosis_busiest(const struct diagnosis_facts *f, struct text *place,
		       double *share)
{
	static const struct style style = { .simple = true };
	struct places sum;

	if (!f->profile || !places_find(f->profile, &sum) ||
	    sum.all < SAMPLES_FEW || !sum.best)
		return false;
	frame_name(place, f->profile, &f->profile->frames[sum.best], &style);
	*share = (double)sum.best_count / (double)sum.all;
	return true;
}

static const char few_samples[] = "fewer than 100 samples of the CPU";

static const char *rule_exceptions(struct diagnosis *d, const struct rule *rule,
				   const struct diagnosis_facts *f)
{
	struct places sum;
	struct cause *c;
	double share;

	if (!places_find(f->profile, &sum) || sum.all < SAMPLES_LEAST)
		return few_samples;
	share = (double)sum.exceptions / (double)sum.all;
	if (share < EXCEPTIONS_SHARE)
		return NULL;
	c = diagnosis_add(d, rule);
	c->lost_s = share * f->seconds;
	text_printf(&c->sentence,
		    "%.0f%% of the CPU time fills the stack traces of "
		    "exceptions",
		    100 * share);
	text_printf(&c->detail, "%s of %s",
		    units_counted(sum.exceptions, "sample").text,
		    units_counted(sum.all, "sample").text);
	text_printf(&c->next,
		    "probe %s Throwable.fillInStackTrace --system --count",
		    f->target);
	cause_add_evidence(c, "exceptions_share", share, "of the samples",
			   "prof");
	cause_add_evidence(c, "samples", (double)sum.all, "samples", "prof");
	return NULL;
}

/*
 * All CPUs that the JVM may use are in use, much of it in one place.  A batch
 * job does the same: it is where the CPU time goes, and no fault by itself.
 */
static const char *rule_place(struct diagnosis *d, const struct rule *rule,
			      const struct diagnosis_facts *f)
{
	double cores = f->rates->process.cpu, available = facts_cores(f), share;
	struct text place = { 0 };
	struct places sum;
	struct cause *c;

	if (isnan(cores))
		return "the CPU time is unknown";
	if (cores < CPU_SHARE * available)
		return NULL;
	if (!places_find(f->profile, &sum) || sum.all < SAMPLES_LEAST)
		return few_samples;
	c = diagnosis_add(d, rule);
	c->lost_s = cores * f->seconds;
	text_printf(&c->sentence, "the JVM uses %.2f of %.3g CPUs", cores,
		    available);
	if (diagnosis_busiest(f, &place, &share) && share >= PLACE_SHARE) {
		text_printf(&c->sentence,
			    "; %.0f%% of the CPU time is in or below %s",
			    100 * share, place.bytes);
		text_puts(&c->place, place.bytes);
		cause_add_evidence(c, "place_share", share, "of the samples",
				   "prof");
	}
	text_puts(&c->detail, units_counted(sum.all, "sample").text);
	text_printf(&c->next, "prof %s", f->target);
	cause_add_evidence(c, "cpu", cores, "cores", "/proc");
	cause_add_evidence(c, "samples", (double)sum.all, "samples", "prof");
	text_release(&place);
	return NULL;
}

/* ---- descriptors ---- */

static double files_count(const struct open_files *o)
{
	return (double)(o->sockets + o->files + o->pipes + o->others);
}

/* Descriptors per second; 0 unless they grew between all counts. */
static double files_growth(const struct diagnosis_facts *f)
{
	const struct open_files *last = &f->files[f->file_counts - 1];
	double more = files_count(last) - files_count(f->files);

	for (size_t i = 1; i < f->file_counts; i++)
		if (files_count(&f->files[i]) <= files_count(&f->files[i - 1]))
			return 0;
	return more < FILES_MORE ? 0 : more / f->seconds;
}

static void files_add_next(struct cause *c, const struct diagnosis_facts *f)
{
	const struct open_files *last = &f->files[f->file_counts - 1];

	if (last->files - f->files[0].files >=
	    last->sockets - f->files[0].sockets)
		text_printf(&c->next,
			    "probe %s 'FileInputStream.<init>' --system "
			    "--stack --above 0",
			    f->target);
	else
		text_printf(&c->next, "threads %s", f->target);
}

static const char *rule_descriptors(struct diagnosis *d,
				    const struct rule *rule,
				    const struct diagnosis_facts *f)
{
	const struct open_files *last = &f->files[f->file_counts - 1];
	double now = files_count(last), growth = files_growth(f);
	double limit = (double)last->limit, full_s = INFINITY;
	bool is_full = now >= FILES_SHARE * limit;
	struct cause *c;

	if (limit <= 0)
		return NULL;
	if (growth >= FILES_PER_S)
		full_s = (limit - now) / growth;
	if (!is_full && full_s > FILES_FULL_S)
		return NULL;
	c = diagnosis_add(d, rule);
	if (!is_full)
		c->rank = CAUSE_TREND;
	c->lost_s = f->seconds;
	text_printf(&c->sentence, "%.0f of %.0f descriptors are open", now,
		    limit);
	if (growth >= FILES_PER_S)
		text_printf(&c->sentence,
			    ", %.0f more each second; the limit is reached in "
			    "%s",
			    growth, units_time(full_s * 1e9).text);
	open_files_add(&c->detail, last);
	files_add_next(c, f);
	cause_add_evidence(c, "descriptors", now, "descriptors", "/proc");
	cause_add_evidence(c, "limit", limit, "descriptors", "/proc");
	cause_add_evidence(c, "growth", growth, "descriptors/s", "/proc");
	return NULL;
}

/* ---- the table ---- */

/* clang-format off */
static const struct rule rules[] = {
	{ "deadlock", "deadlocks", CAUSE_BROKEN, NEEDS_DUMPS, rule_deadlock },
	{ "stopped", "signals", CAUSE_BROKEN, NEEDS_RATES, rule_stopped },
	{ "descriptors", "descriptors", CAUSE_BROKEN, NEEDS_FILES,
	  rule_descriptors },
	{ "collections", "garbage collection", CAUSE_STOPPED, NEEDS_PAUSES,
	  rule_collections },
	{ "humongous", "large arrays", CAUSE_STOPPED, NEEDS_PAUSES,
	  rule_humongous },
	{ "safepoints", "safepoints", CAUSE_STOPPED, NEEDS_PAUSES,
	  rule_safepoints },
	{ "throttled", "CPU limit", CAUSE_STARVED, NEEDS_RATES,
	  rule_throttled },
	{ "no_cpu", "waits for a CPU", CAUSE_STARVED, NEEDS_RATES,
	  rule_starved },
	{ "disk", "disk", CAUSE_WAITING, NEEDS_DUMPS, rule_disk },
	{ "convoy", "locks", CAUSE_WAITING, NEEDS_DUMPS, rule_convoy },
	{ "pool", "pools", CAUSE_WAITING, NEEDS_DUMPS, rule_pool },
	{ "exceptions", "exceptions", CAUSE_CPU, NEEDS_PROFILE,
	  rule_exceptions },
	{ "place", "CPU use", CAUSE_CPU, NEEDS_RATES | NEEDS_PROFILE,
	  rule_place },
};
/* clang-format on */

enum { RULES = sizeof(rules) / sizeof(*rules) };

static unsigned facts_missing(const struct diagnosis_facts *f)
{
	unsigned missing = 0;

	if (!f->rates)
		missing |= NEEDS_RATES;
	if (!f->dumps || f->dumps->dumps < 2)
		missing |= NEEDS_DUMPS;
	if (!f->pauses || f->pauses->seconds <= 0)
		missing |= NEEDS_PAUSES;
	if (!f->profile)
		missing |= NEEDS_PROFILE;
	if (f->file_counts < 2 || f->seconds <= 0)
		missing |= NEEDS_FILES;
	return missing;
}

/* Returns why a rule cannot be judged; NULL = it can. */
static const char *rule_lacks(const struct rule *rule,
			      const struct diagnosis_facts *f, unsigned missing)
{
	missing &= rule->needs;
	for (unsigned i = 0; i < DIAGNOSIS_NEEDS; i++)
		if (missing & 1U << i && f->missing[i])
			return f->missing[i];
	return missing ? "not measured" : NULL;
}

static int cause_compare(const void *left, const void *right)
{
	const struct cause *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->lost_s != b->lost_s)
		return a->lost_s > b->lost_s ? -1 : 1;
	return a->rule < b->rule ? -1 : a->rule > b->rule;
}

void diagnosis_make(struct diagnosis *d, const struct diagnosis_facts *f)
{
	unsigned missing = facts_missing(f);

	*d = (struct diagnosis){ 0 };
	d->fine = xcalloc(RULES, sizeof(*d->fine));
	d->unchecked = xcalloc(RULES, sizeof(*d->unchecked));
	d->reasons = xcalloc(RULES, sizeof(*d->reasons));
	for (size_t i = 0; i < RULES; i++) {
		const char *why = rule_lacks(&rules[i], f, missing);
		size_t before = d->count;

		if (!why)
			why = rules[i].judge(d, &rules[i], f);
		if (why) {
			d->reasons[d->unchecked_count] = why;
			d->unchecked[d->unchecked_count++] = &rules[i];
		} else if (d->count == before) {
			d->fine[d->fine_count++] = &rules[i];
		}
	}
	if (d->count)
		qsort(d->causes, d->count, sizeof(*d->causes), cause_compare);
}

void diagnosis_release(struct diagnosis *d)
{
	for (size_t i = 0; i < d->count; i++) {
		text_release(&d->causes[i].sentence);
		text_release(&d->causes[i].detail);
		text_release(&d->causes[i].place);
		text_release(&d->causes[i].next);
	}
	free(d->causes);
	free(d->fine);
	free(d->unchecked);
	free(d->reasons);
	*d = (struct diagnosis){ 0 };
}
