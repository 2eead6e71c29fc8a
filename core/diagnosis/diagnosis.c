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

/* Healthy services stopped 0.4 % of the time, a full heap 35 %. */
#define STOPPED_SHARE      0.10
#define STOPPED_LONGEST_NS (INT64_C(1000) * 1000000)
#define FULL_MOST          2
/* Healthy: 0.004 %; a counted loop without safepoints: 27 to 70 %. */
#define SYNC_SHARE      0.05
#define SYNC_LONGEST_NS (INT64_C(200) * 1000000)
/* A mild limit stopped 19 % of the periods, and 1.5 % of the time. */
#define THROTTLED_SHARE   0.10
#define THROTTLED_PERIODS 5
/* Healthy: 0.2 ms a switch, 11 % of a core in sum; a busy neighbour: 1.4 ms. */
#define RUNQ_SWITCH_MS 1.0
#define RUNQ_SHARE     0.5
#define RUNQ_CORES     0.2
/* Healthy: none; convoys: 14 to 56 threads. */
#define BLOCKED_MEAN  5
#define BLOCKED_LEAST 3
#define BLOCKED_POOL  0.25
/* All threads of a pool wait for the same thing. */
#define POOL_LEAST 4
#define POOL_SHARE 0.9
#define NAMES_MEAN 2
#define DISK_MEAN  1
/* Samples below this number tell nothing. */
#define SAMPLES_LEAST    100
#define PLACE_SHARE      0.4
#define EXCEPTIONS_SHARE 0.1
#define CPU_SHARE        0.8
/* Healthy: 7 descriptors; a leak opened 100 a second. */
#define FILES_SHARE  0.8
#define FILES_PER_S  1
#define FILES_FULL_S 3600
#define FILES_LEAST  100

const char *const cause_rank_names[CAUSE_RANKS] = {
	"BROKEN", "STOPPED", "STARVED", "WAITING", "CPU", "TREND",
};

static struct cause *diagnosis_add(struct diagnosis *d, const struct rule *rule)
{
	array_add(d->causes, d->count, d->cap, (struct cause){ .rule = rule });
	return &d->causes[d->count - 1];
}

static void cause_prove(struct cause *c, const char *name, double value,
			const char *unit, const char *source)
{
	if (c->evidence_count < EVIDENCE_MAX)
		c->evidence[c->evidence_count++] = (struct evidence){
			name, value, unit, source
		};
}

/* ---- threads ---- */

static void rule_deadlock(struct diagnosis *d, const struct rule *rule,
			  const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;
	struct cause *c;

	/* One dump can see a cycle that never was: it reads thread by thread.
	 */
	if (w->deadlock_dumps < 2 || !w->deadlock.len)
		return;
	c = diagnosis_add(d, rule);
	c->threads = w->deadlocked + w->behind;
	c->lost_s = (double)c->threads * f->seconds;
	text_printf(&c->sentence, "deadlock of %zu threads", w->deadlocked);
	if (w->behind)
		text_printf(&c->sentence, "; %zu more thread%s behind them",
			    w->behind, w->behind == 1 ? " waits" : "s wait");
	text_puts(&c->detail, w->deadlock.bytes);
	text_printf(&c->next, "threads %s", f->target);
	cause_prove(c, "deadlocked_threads", (double)w->deadlocked, "threads",
		    "thread dumps");
	cause_prove(c, "threads_behind", (double)w->behind, "threads",
		    "thread dumps");
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
	text_printf(&c->detail, "%sin %zu of %zu thread dumps",
		    c->detail.len ? ", " : "", g->dumps, w->dumps);
	c->threads = (size_t)(dump_wait_mean(w, g) + 0.5);
	cause_prove(c, "waiting_threads_mean", dump_wait_mean(w, g), "threads",
		    "thread dumps");
	cause_prove(c, "pool_threads", (double)g->pool_size, "threads",
		    "thread dumps");
	cause_prove(c, "dumps", (double)w->dumps, "thread dumps",
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

static void rule_convoy(struct diagnosis *d, const struct rule *rule,
			const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;

	for (size_t i = 0; i < w->count; i++) {
		const struct dump_wait *g = &w->all[i];
		double mean = dump_wait_mean(w, g);
		struct cause *c;

		if (!wait_is_for_lock(g) || !(g->dumps == w->dumps) ||
		    (mean < BLOCKED_MEAN &&
		     (mean < BLOCKED_LEAST ||
		      mean < BLOCKED_POOL * (double)g->pool_size)))
			continue;
		/* The members of a deadlock are no convoy. */
		if (w->deadlock_dumps >= 2 && !g->owner[0])
			continue;
		c = diagnosis_add(d, rule);
		c->lost_s = mean * f->seconds;
		text_printf(&c->sentence,
			    "%.0f of %zu threads of %s wait for the %s %s",
			    mean, g->pool_size, g->pool,
			    g->kind == DUMP_WAIT_MONITOR ? "monitor" : "lock",
			    *g->lock ? g->lock : "of an unknown class");
		wait_add_place(c, g);
		wait_add_dumps(c, w, g);
		wait_add_owner(c, g);
		text_printf(&c->next, "prof %s -e lock", f->target);
	}
}

static const char *const wait_sentences[DUMP_WAIT_KINDS] = {
	[DUMP_WAIT_PERMIT] = "wait for a permit of a Semaphore",
	[DUMP_WAIT_RESULT] = "wait for the result of another thread",
	[DUMP_WAIT_NAMES] = "resolve host names",
	[DUMP_WAIT_SOCKET] = "wait for a reply from a socket",
	[DUMP_WAIT_DISK] = "wait for a file",
	[DUMP_WAIT_SLEEP] = "sleep",
	[DUMP_WAIT_OTHER] = "wait in the same place",
};

/* True if the threads are enough to be a cause. */
static bool wait_matters(const struct dump_waits *w, const struct dump_wait *g)
{
	double mean = dump_wait_mean(w, g);

	if (!*g->place || g->dumps < w->dumps || wait_is_for_lock(g))
		return false;
	if (g->kind == DUMP_WAIT_NAMES)
		return mean >= NAMES_MEAN;
	if (g->pool_size < POOL_LEAST)
		return false;
	return mean >= POOL_SHARE * (double)g->pool_size;
}

static void rule_pool(struct diagnosis *d, const struct rule *rule,
		      const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;

	for (size_t i = 0; i < w->count; i++) {
		const struct dump_wait *g = &w->all[i];
		double mean = dump_wait_mean(w, g);
		struct cause *c;

		if (!wait_matters(w, g))
			continue;
		c = diagnosis_add(d, rule);
		c->lost_s = mean * f->seconds;
		if (mean >= (double)g->pool_size)
			text_printf(&c->sentence, "all %zu", g->pool_size);
		else
			text_printf(&c->sentence, "%.0f of %zu", mean,
				    g->pool_size);
		text_printf(&c->sentence, " threads of %s %s", g->pool,
			    wait_sentences[g->kind]);
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
}

/* A lock whose owner waits for the disk: the disk is the cause. */
static void rule_disk(struct diagnosis *d, const struct rule *rule,
		      const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;

	for (size_t i = 0; i < w->count; i++) {
		const struct dump_wait *g = &w->all[i];
		struct cause *c;

		if (!wait_is_for_lock(g) || g->owner_kind != DUMP_WAIT_DISK ||
		    dump_wait_mean(w, g) < DISK_MEAN)
			continue;
		c = diagnosis_add(d, rule);
		c->lost_s = dump_wait_mean(w, g) * f->seconds + 1;
		text_printf(&c->sentence,
			    "the owner of a lock that %.0f threads wait for "
			    "waits for a file",
			    dump_wait_mean(w, g));
		if (*g->owner_place) {
			text_puts(&c->place, g->owner_place);
			text_printf(&c->detail, "in %s", g->owner_place);
		}
		wait_add_dumps(c, w, g);
		text_printf(&c->next, "prof %s -e offcpu", f->target);
	}
}

/* ---- stops ---- */

static uint64_t pauses_count_full(const struct gc_totals *t)
{
	uint64_t full = 0;

	for (size_t i = 0; i < t->count; i++)
		if (t->groups[i].kind == GC_FULL &&
		    strncmp(t->groups[i].reason, "System.gc()", 11) != 0)
			full += t->groups[i].stops;
	return full;
}

/*
 * Without the time to safepoint, which is the rule of slow stops; the longest
 * is the collector's own time, if that is known.
 */
static void rule_collections(struct diagnosis *d, const struct rule *rule,
			     const struct diagnosis_facts *f)
{
	const struct gc_group *all = &f->pauses->collections;
	double share = (double)(all->stopped.sum_ns - all->sync.sum_ns) / 1e9 /
		       f->seconds;
	int64_t longest_ns = all->gc.count ? all->gc.longest_ns
					   : all->stopped.longest_ns;
	uint64_t full = pauses_count_full(f->pauses);
	struct cause *c;

	if (share < STOPPED_SHARE && longest_ns < STOPPED_LONGEST_NS &&
	    full < FULL_MOST)
		return;
	c = diagnosis_add(d, rule);
	c->lost_s = share * f->seconds;
	text_printf(&c->sentence,
		    "garbage collection stops the program %.1f %% of the time",
		    100 * share);
	text_printf(&c->detail, "%s, the longest %s",
		    units_counted(all->stops, "pause").text,
		    units_time((double)longest_ns).text);
	if (full)
		text_printf(&c->detail,
			    ", %s: the heap is too small, or it leaks",
			    units_counted(full, "full collection").text);
	text_printf(&c->next, "hh %s --live", f->target);
	cause_prove(c, "stopped_share", share, "of the time", "pauses");
	cause_prove(c, "longest_s", (double)longest_ns / 1e9, "s", "pauses");
	cause_prove(c, "full_collections", (double)full, "collections",
		    "pauses");
}

static void rule_safepoints(struct diagnosis *d, const struct rule *rule,
			    const struct diagnosis_facts *f)
{
	const struct gc_durations *a = &f->pauses->collections.sync,
				  *b = &f->pauses->safepoints.sync;
	double share = (double)(a->sum_ns + b->sum_ns) / 1e9 / f->seconds;
	int64_t longest_ns = a->longest_ns > b->longest_ns ? a->longest_ns
							   : b->longest_ns;
	struct cause *c;

	if (share < SYNC_SHARE && longest_ns < SYNC_LONGEST_NS)
		return;
	c = diagnosis_add(d, rule);
	c->lost_s = share * f->seconds;
	text_printf(&c->sentence,
		    "stops begin late: %.1f %% of the time, all threads wait "
		    "until the last one stops",
		    100 * share);
	text_printf(&c->detail, "longest %s",
		    units_time((double)longest_ns).text);
	if (f->last_thread && *f->last_thread) {
		text_puts(&c->detail, "; last to stop: ");
		safe_text_puts(&c->detail, f->last_thread);
		text_printf(&c->detail, " (%u of %u)", f->last_times,
			    f->last_of);
	}
	text_printf(&c->next, "gc %s --safepoints", f->target);
	cause_prove(c, "sync_share", share, "of the time", "pauses");
	cause_prove(c, "longest_sync_s", (double)longest_ns / 1e9, "s",
		    "pauses");
}

/* ---- CPU ---- */

static double rates_available_cores(const struct process_sample *p)
{
	double cpus = p->cpus > 0 ? (double)p->cpus : 1;

	return p->cpu_limit > 0 && (double)p->cpu_limit / 1000 < cpus
		       ? (double)p->cpu_limit / 1000
		       : cpus;
}

static void rule_throttled(struct diagnosis *d, const struct rule *rule,
			   const struct diagnosis_facts *f)
{
	const struct process_sample *now = &f->rates->sample->process;
	const struct process_sample *old = f->before;
	double share = f->rates->process.throttled_periods;
	double periods;
	struct cause *c;

	if (isnan(share) || share < THROTTLED_SHARE)
		return;
	periods = (double)(now->throttled_periods - old->throttled_periods);
	if (periods < THROTTLED_PERIODS)
		return;
	c = diagnosis_add(d, rule);
	c->lost_s = share * f->seconds;
	text_printf(&c->sentence,
		    "the container limit of %.3g CPUs stopped the JVM in "
		    "%.0f %% of the periods",
		    (double)now->cpu_limit / 1000, 100 * share);
	text_printf(&c->detail,
		    "%.0f of %" PRId64 " periods; the JVM uses "
		    "%.2f cores",
		    periods, now->cfs_periods - old->cfs_periods,
		    f->rates->process.cpu);
	text_printf(&c->next, "prof %s -e cpu", f->target);
	cause_prove(c, "throttled_periods_share", share, "of the periods",
		    "cgroup");
	cause_prove(c, "cpu_limit", (double)now->cpu_limit / 1000, "CPUs",
		    "cgroup");
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

static void rule_starved(struct diagnosis *d, const struct rule *rule,
			 const struct diagnosis_facts *f)
{
	const struct process_rates *r = &f->rates->process;
	double switches = rates_switches(f->rates), others, per_switch_ms;
	double cpus = (double)f->rates->sample->process.cpus;
	struct cause *c;

	if (isnan(r->runq) || switches <= 0 ||
	    (!isnan(r->throttled_periods) &&
	     r->throttled_periods >= THROTTLED_SHARE))
		return;
	per_switch_ms = r->runq / switches * 1000;
	if (r->runq < RUNQ_CORES || per_switch_ms < RUNQ_SWITCH_MS ||
	    r->runq < RUNQ_SHARE * (r->runq + r->cpu))
		return;
	/* Its own threads are enough to fill the machine. */
	others = r->machine * cpus - r->cpu;
	if (isnan(others) || others < r->cpu)
		return;
	c = diagnosis_add(d, rule);
	c->lost_s = r->runq * f->seconds;
	text_printf(&c->sentence,
		    "threads wait %.1f ms for a CPU each time they could run",
		    per_switch_ms);
	text_printf(&c->detail,
		    "the JVM uses %.2f of %.0f CPUs, other processes %.2f",
		    r->cpu, cpus, others);
	text_printf(&c->next, "ttop %s -o RUNQ", f->target);
	cause_prove(c, "run_queue_ms_per_switch", per_switch_ms, "ms",
		    "schedstat");
	cause_prove(c, "run_queue", r->runq, "threads", "schedstat");
	cause_prove(c, "other_processes", others, "cores", "/proc/stat");
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

	if (!f->profile || !places_find(f->profile, &sum) || sum.all < 20 ||
	    !sum.best)
		return false;
	frame_name(place, f->profile, &f->profile->frames[sum.best], &style);
	*share = (double)sum.best_count / (double)sum.all;
	return true;
}

static void rule_exceptions(struct diagnosis *d, const struct rule *rule,
			    const struct diagnosis_facts *f)
{
	struct places sum;
	struct cause *c;
	double share;

	if (!places_find(f->profile, &sum) || sum.all < SAMPLES_LEAST)
		return;
	share = (double)sum.exceptions / (double)sum.all;
	if (share < EXCEPTIONS_SHARE)
		return;
	c = diagnosis_add(d, rule);
	c->lost_s = share * f->seconds;
	text_printf(&c->sentence,
		    "%.0f %% of the CPU time fills the stack traces of "
		    "exceptions",
		    100 * share);
	text_printf(&c->detail, "%s of %s",
		    units_counted(sum.exceptions, "sample").text,
		    units_counted(sum.all, "sample").text);
	text_printf(&c->next,
		    "probe %s Throwable.fillInStackTrace --system --count",
		    f->target);
	cause_prove(c, "exceptions_share", share, "of the samples", "prof");
	cause_prove(c, "samples", (double)sum.all, "samples", "prof");
}

/*
 * All CPUs that the JVM may use are in use, most of it in one place.  A batch
 * job does the same: it is where the CPU time goes, and no fault by itself.
 */
static void rule_place(struct diagnosis *d, const struct rule *rule,
		       const struct diagnosis_facts *f)
{
	double cores = f->rates->process.cpu, share;
	double available = rates_available_cores(&f->rates->sample->process);
	struct places sum;
	struct cause *c;
	struct text place = { 0 };

	if (isnan(cores) || cores < CPU_SHARE * available ||
	    !places_find(f->profile, &sum) || sum.all < SAMPLES_LEAST ||
	    !diagnosis_busiest(f, &place, &share))
		return;
	if (share >= PLACE_SHARE) {
		c = diagnosis_add(d, rule);
		c->lost_s = cores * f->seconds;
		text_printf(&c->sentence,
			    "%.2f of %.3g CPUs are used, %.0f %% of that in or "
			    "below %s",
			    cores, available, 100 * share, place.bytes);
		text_puts(&c->place, place.bytes);
		text_printf(&c->detail, "%s",
			    units_counted(sum.all, "sample").text);
		text_printf(&c->next, "prof %s", f->target);
		cause_prove(c, "cpu", cores, "cores", "/proc");
		cause_prove(c, "place_share", share, "of the samples", "prof");
		cause_prove(c, "samples", (double)sum.all, "samples", "prof");
	}
	text_release(&place);
}

/* ---- descriptors ---- */

static size_t files_count(const struct open_files *o)
{
	return o->sockets + o->files + o->pipes + o->others;
}

static void rule_descriptors(struct diagnosis *d, const struct rule *rule,
			     const struct diagnosis_facts *f)
{
	double now = (double)files_count(f->files);
	double growth = (now - (double)files_count(f->files_before)) /
			f->seconds;
	double limit = (double)f->files->limit;
	double full_s = growth > 0 ? (limit - now) / growth : INFINITY;
	struct cause *c;

	if (limit <= 0 || now < FILES_LEAST ||
	    (now < FILES_SHARE * limit &&
	     (growth < FILES_PER_S || full_s > FILES_FULL_S)))
		return;
	c = diagnosis_add(d, rule);
	c->lost_s = now;
	text_printf(&c->sentence, "%.0f of %.0f descriptors are open", now,
		    limit);
	if (growth >= FILES_PER_S)
		text_printf(&c->sentence, ", %.0f more each second: full in %s",
			    growth, units_time(full_s * 1e9).text);
	open_files_add(&c->detail, f->files);
	text_printf(&c->next,
		    "probe %s FileInputStream.\\<init\\> --system --stack",
		    f->target);
	cause_prove(c, "descriptors", now, "descriptors", "/proc");
	cause_prove(c, "limit", limit, "descriptors", "/proc");
	cause_prove(c, "growth", growth, "descriptors/s", "/proc");
}

/* ---- the table ---- */

/* clang-format off */
static const struct rule rules[] = {
	{ "deadlock", "deadlocks", CAUSE_BROKEN, NEEDS_DUMPS, rule_deadlock },
	{ "descriptors", "descriptors", CAUSE_BROKEN, NEEDS_FILES,
	  rule_descriptors },
	{ "collections", "garbage collection", CAUSE_STOPPED, NEEDS_PAUSES,
	  rule_collections },
	{ "safepoints", "safepoints", CAUSE_STOPPED, NEEDS_PAUSES,
	  rule_safepoints },
	{ "throttled", "CPU limit", CAUSE_STARVED, NEEDS_RATES,
	  rule_throttled },
	{ "no_cpu", "run queue", CAUSE_STARVED, NEEDS_RATES, rule_starved },
	{ "disk", "disk", CAUSE_WAITING, NEEDS_DUMPS, rule_disk },
	{ "convoy", "locks", CAUSE_WAITING, NEEDS_DUMPS, rule_convoy },
	{ "pool", "pools", CAUSE_WAITING, NEEDS_DUMPS, rule_pool },
	{ "exceptions", "exceptions", CAUSE_CPU, NEEDS_PROFILE,
	  rule_exceptions },
	{ "place", "CPU", CAUSE_CPU, NEEDS_RATES | NEEDS_PROFILE, rule_place },
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
	if (!f->pauses || f->seconds <= 0)
		missing |= NEEDS_PAUSES;
	if (!f->profile)
		missing |= NEEDS_PROFILE;
	if (!f->files || !f->files_before || f->seconds <= 0)
		missing |= NEEDS_FILES;
	return missing;
}

const char *diagnosis_why_unchecked(const struct rule *rule,
				    const struct diagnosis_facts *f)
{
	unsigned missing = rule->needs & facts_missing(f);

	for (unsigned i = 0; i < DIAGNOSIS_NEEDS; i++)
		if (missing & 1U << i && f->missing[i])
			return f->missing[i];
	return "not measured";
}

static int cause_compare(const void *left, const void *right)
{
	const struct cause *a = left, *b = right;

	if (a->rule->rank != b->rule->rank)
		return a->rule->rank < b->rule->rank ? -1 : 1;
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
	for (size_t i = 0; i < RULES; i++) {
		size_t before = d->count;

		if (rules[i].needs & missing) {
			d->unchecked[d->unchecked_count++] = &rules[i];
			continue;
		}
		rules[i].judge(d, &rules[i], f);
		if (d->count == before)
			d->fine[d->fine_count++] = &rules[i];
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
	*d = (struct diagnosis){ 0 };
}
