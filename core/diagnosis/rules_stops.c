/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that judge stops, and waits for a CPU. */
#include "core/diagnosis/rules.h"

#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* By the kernel's states of all threads. */
const char *rule_stopped(struct verdict *v, const struct diagnosis_facts *f)
{
	size_t count = f->rates->row_count;
	struct cause *c;

	for (size_t i = 0; i < count; i++)
		if (f->rates->rows[i].thread->state != RUN_STOPPED)
			return NULL;
	if (!count)
		return "the threads are unknown";
	c = verdict_add(v, (double)count,
			"all threads are stopped by a signal or a debugger");
	c->threads = count;
	text_printf(&c->detail, "kill -CONT %s continues the JVM", f->target);
	cause_add(c, "stopped_threads", count, "threads", "/proc");
	return NULL;
}

/* A full collection without a request. */
static bool pause_is_needed_full(const struct gc_pause *p)
{
	return p->kind == GC_FULL &&
	       !has_any(p->cause,
			"System.gc()|Heap Inspection Initiated GC|"
			"Heap Dump Initiated GC|Diagnostic Command|"
			"JvmtiEnv ForceGarbageCollection|"
			"WhiteBox Initiated Full GC",
			true);
}

/*
 * The time of a collection is the stop without the time to safepoint, which the
 * rule of slow stops judges; logs without safepoints have the collector's time.
 * Of several stops in a record, the longest is unknown: their mean is at most
 * as long.
 */
void diagnosis_add_pause(struct diagnosis_pauses *to, const struct gc_pause *p,
			 unsigned columns)
{
	int64_t sync_ns = p->sync_ns > 0 ? p->sync_ns : 0;
	int64_t count = p->count ? p->count : 1;
	int64_t gc_ns = p->stopped_ns >= 0 ? p->stopped_ns - sync_ns : p->gc_ns;

	to->has_sync |= columns & GC_HAS_SYNC;
	if (!gc_kind_stops(p->kind))
		return;
	to->sync_ns += sync_ns;
	if (sync_ns / count > to->longest_sync_ns)
		to->longest_sync_ns = sync_ns / count;
	if (!gc_pause_is_collection(p) || gc_ns < 0)
		return;
	to->collections += p->count;
	to->full += pause_is_needed_full(p);
	if (p->kind == GC_FULL && p->after > 0)
		to->least_used = p->after;
	to->humongous += p->cause &&
			 strcmp(p->cause, "G1 Humongous Allocation") == 0;
	to->code_cache += has_any(p->cause, "CodeCache GC", true);
	to->gc_ns += gc_ns;
	if (gc_ns / count > to->longest_gc_ns)
		to->longest_gc_ns = gc_ns / count;
}

/* Returns the share of the heap that the last full collection left in use. */
static double heap_least_share(const struct diagnosis_facts *f)
{
	double most = f->rates ? (double)f->rates->sample->process.heap_max : 0;

	return f->pauses->least_used > 0 && most > 0
		       ? (double)f->pauses->least_used / most
		       : NAN;
}

static void heap_add_least(struct cause *c, const struct diagnosis_facts *f)
{
	double share = heap_least_share(f);

	if (isnan(share))
		return;
	text_printf(
		&c->detail, "%s%s of %s stay in use", c->detail.len ? "; " : "",
		units_bytes((double)f->pauses->least_used).text,
		units_bytes((double)f->rates->sample->process.heap_max).text);
	cause_add(c, "used_after_full_share", share, "of the heap", "pauses");
}

/* A heap that is full, before it costs much time. */
const char *rule_full_heap(struct verdict *v, const struct diagnosis_facts *f)
{
	double share = heap_least_share(f);

	if (!isnan(share) && share >= HEAP_SHARE &&
	    f->pauses->full < FULL_LEAST)
		heap_add_least(verdict_add(v, share,
					   "%.0f%% of the heap is in use after "
					   "a full collection",
					   100 * share),
			       f);
	return NULL;
}

const char *rule_collections(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct diagnosis_pauses *p = f->pauses;
	double share = (double)p->gc_ns / 1e9 / p->seconds;
	double longest_ns = (double)p->longest_gc_ns;
	struct cause *c;

	if (share < STOPPED_SHARE && longest_ns < STOPPED_LONGEST_NS &&
	    p->full < FULL_LEAST)
		return NULL;
	c = verdict_add(v, share,
			"garbage collection stops the program %.1f%% of the "
			"time",
			100 * share);
	text_printf(&c->detail, "%s, the longest %s",
		    units_counted(p->collections, "pause").text,
		    units_time(longest_ns).text);
	if (p->full)
		text_printf(&c->detail,
			    ", %s: the heap is too small, or the application "
			    "leaks memory",
			    units_counted(p->full, "full collection").text);
	heap_add_least(c, f);
	cause_add(c, "stopped_share", share, "of the time", "pauses");
	cause_add(c, "longest_s", longest_ns / 1e9, "s", "pauses");
	cause_add(c, "full_collections", p->full, "collections", "pauses");
	return NULL;
}

/* They cost more than their pauses: regions are partly used. */
const char *rule_humongous(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct diagnosis_pauses *p = f->pauses;
	double per_s = (double)p->humongous / p->seconds;
	double share = (double)p->gc_ns / 1e9 / p->seconds;
	struct cause *c;

	if (per_s < HUMONGOUS_PER_S)
		return NULL;
	c = verdict_add(v, share,
			"arrays of at least half a heap region cause %.1f "
			"collections each second",
			per_s);
	if (share < HUMONGOUS_SHARE)
		c->rank = CAUSE_TREND;
	text_printf(&c->detail,
		    "%s (G1 Humongous Allocation); they stop the program "
		    "%.1f%% of the time",
		    units_counted(p->humongous, "collection").text,
		    100 * share);
	cause_add(c, "humongous_collections_per_s", per_s, "collections/s",
		  "pauses");
	cause_add(c, "stopped_share", share, "of the time", "pauses");
	return NULL;
}

const char *rule_safepoints(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct diagnosis_pauses *p = f->pauses;
	double share = (double)p->sync_ns / 1e9 / p->seconds;
	double longest_ns = (double)p->longest_sync_ns;
	struct cause *c;

	if (share < SYNC_SHARE && longest_ns < SYNC_LONGEST_NS)
		return p->has_sync ? NULL : "no pause had a time to safepoint";
	c = verdict_add(v, share,
			"threads are slow to stop for safepoints: %.1f%% of "
			"the time",
			100 * share);
	text_printf(&c->detail, "longest %s", units_time(longest_ns).text);
	if (p->last_thread && *p->last_thread) {
		text_puts(&c->detail, "; last to stop: ");
		safe_text_puts(&c->detail, p->last_thread);
		text_printf(&c->detail, " (%u of %u)", p->last_times,
			    p->last_of);
	}
	cause_add(c, "sync_share", share, "of the time", "pauses");
	cause_add(c, "longest_sync_s", longest_ns / 1e9, "s", "pauses");
	return NULL;
}

const char *rule_throttled(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct process_sample *now = &f->rates->sample->process;
	const struct process_sample *old = f->before;
	double share = f->rates->process.throttled_periods;
	double limit = (double)now->cpu_limit / 1000, periods;
	struct cause *c;

	if (now->cpu_limit == CPU_LIMIT_UNKNOWN)
		return "the limit is unknown";
	if (isnan(share) || share < THROTTLED_SHARE)
		return NULL;
	periods = (double)(now->throttled_periods - old->throttled_periods);
	if (periods < THROTTLED_PERIODS)
		return NULL;
	c = verdict_add(v, share,
			"the container limit of %.3g CPUs stopped the JVM in "
			"%.0f%% of the periods",
			limit, 100 * share);
	text_printf(&c->detail,
		    "%.0f of %" PRId64 " periods; the JVM uses %.2f cores",
		    periods, now->cfs_periods - old->cfs_periods,
		    f->rates->process.cpu);
	cause_add(c, "throttled_periods_share", share, "of the periods",
		  "cgroup");
	cause_add(c, "cpu_limit", limit, "CPUs", "cgroup");
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

const char *rule_starved(struct verdict *v, const struct diagnosis_facts *f)
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
	c = verdict_add(v, r->runq,
			"threads wait %.1f ms for a CPU each time they become "
			"runnable",
			per_switch_ms);
	text_printf(&c->detail,
		    "the JVM uses %.2f of %.0f CPUs, other processes %.2f of "
		    "the machine's %.0f",
		    r->cpu, f->cpus, others, machine);
	if (f->neighbor.pid && f->neighbor.cores >= others / 2) {
		text_puts(&c->detail, "; of these, ");
		safe_text_puts(&c->detail, f->neighbor.name);
		text_printf(&c->detail, " (%d) %.2f", f->neighbor.pid,
			    f->neighbor.cores);
	}
	cause_add(c, "run_queue_ms_per_switch", per_switch_ms, "ms",
		  "schedstat");
	cause_add(c, "run_queue", r->runq, "threads", "schedstat");
	cause_add(c, "other_processes", others, "cores", "/proc/stat");
	return NULL;
}
