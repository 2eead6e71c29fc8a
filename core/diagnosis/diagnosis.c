/* SPDX-License-Identifier: Apache-2.0 */
#include "core/diagnosis/diagnosis.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/diagnosis/rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cause_rank_names[CAUSE_RANKS] = {
	"BROKEN", "STOPPED", "STARVED", "WAITING", "CPU", "TREND",
};

/* clang-format off */
const struct rule diagnosis_rules[] = {
	{ "deadlock", "deadlocks", CAUSE_BROKEN, NEEDS_DUMPS, "threads %s", .judge = rule_deadlock, .explains_place = "convoy" },
	{ "stopped", "signals", CAUSE_BROKEN, NEEDS_RATES, "doctor %s", .judge = rule_stopped, .explains = "safepoints" },
	{ "descriptors", "descriptors", CAUSE_BROKEN, NEEDS_TRENDS, "threads %s", .judge = rule_descriptors },
	{ "collections", "garbage collection", CAUSE_STOPPED, NEEDS_PAUSES, "hh %s --live", .judge = rule_collections },
	{ "full_heap", "heap", CAUSE_STOPPED, NEEDS_PAUSES, "hh %s --live", .judge = rule_full_heap },
	{ "humongous", "large arrays", CAUSE_STOPPED, NEEDS_PAUSES, "prof %s -e alloc", .judge = rule_humongous },
	{ "safepoints", "safepoints", CAUSE_STOPPED, NEEDS_PAUSES, "gc %s --safepoints", .judge = rule_safepoints },
	{ "throttled", "CPU limit", CAUSE_STARVED, NEEDS_RATES, "prof %s -e cpu", .judge = rule_throttled, .explains = "collections safepoints" },
	{ "no_cpu", "waits for a CPU", CAUSE_STARVED, NEEDS_RATES, "ttop %s -o RUNQ", .judge = rule_starved, .explains = "collections safepoints" },
	{ "memory", "memory limit", CAUSE_STARVED, NEEDS_TRENDS, "mem %s", .judge = rule_memory },
	{ "swap", "swap space", CAUSE_STARVED, NEEDS_TRENDS, "mem %s", .judge = rule_swap, .explains = "collections safepoints" },
	{ "direct", "direct buffers", CAUSE_STARVED, NEEDS_TRENDS, "mem %s", .judge = rule_direct },
	{ "disk", "disk", CAUSE_WAITING, NEEDS_DUMPS, "prof %s -e offcpu", .judge_wait = rule_disk, .explains_place = "convoy" },
	{ "convoy", "locks", CAUSE_WAITING, NEEDS_DUMPS, "prof %s -e lock", .judge_wait = rule_convoy, .explains_place = "place" },
	{ "pool", "pools", CAUSE_WAITING, NEEDS_DUMPS, "threads %s --count 3", .judge_wait = rule_pool },
	{ "carriers", "carriers", CAUSE_WAITING, NEEDS_DUMPS, "threads %s --virtual", .judge = rule_carriers, .explains_place = "place" },
	{ "finalizer", "finalizers", CAUSE_WAITING, NEEDS_DUMPS, "jcmd %s GC.finalizer_info", .judge = rule_finalizer },
	{ "code_cache", "code cache", CAUSE_CPU, NEEDS_RATES, "jcmd %s Compiler.codecache", .judge = rule_code_cache, .explains = "compilers place collections" },
	{ "compilers", "compilers", CAUSE_CPU, NEEDS_RATES | NEEDS_TRENDS, "jcmd %s Compiler.queue", .judge = rule_compilers },
	{ "exceptions", "exceptions", CAUSE_CPU, NEEDS_PROFILE, "probe %s Throwable.fillInStackTrace --system --count", .judge = rule_exceptions, .explains = "place" },
	{ "place", "CPU use", CAUSE_CPU, NEEDS_RATES | NEEDS_PROFILE, "prof %s", .judge = rule_place },
	{ "old", "old generation", CAUSE_TREND, NEEDS_TRENDS, "hh %s --live", .judge = rule_old },
	{ "native", "native memory", CAUSE_TREND, NEEDS_TRENDS, "mem %s --watch 10s", .judge = rule_native },
	{ "classes", "classes", CAUSE_TREND, NEEDS_TRENDS, "jcmd %s VM.classloaders", .judge = rule_classes },
	{ "threads", "threads", CAUSE_TREND, NEEDS_TRENDS, "threads %s", .judge = rule_threads },
};
/* clang-format on */

enum { RULES = sizeof(diagnosis_rules) / sizeof(*diagnosis_rules) };
const size_t diagnosis_rule_count = RULES;

void cause_set_next(struct cause *c, const struct verdict *v,
		    const char *format)
{
	text_clear(&c->next);
	text_printf(&c->next, format, v->facts->target);
}

struct cause *verdict_add(struct verdict *v, double threads, const char *format,
			  ...)
{
	struct diagnosis *d = v->d;
	struct cause c = {
		.rule = v->rule,
		.rank = v->rule->rank,
		.lost_s = threads * v->facts->seconds,
	};
	char *sentence;
	va_list args;

	va_start(args, format);
	if (vasprintf(&sentence, format, args) >= 0) {
		text_puts(&c.sentence, sentence);
		free(sentence);
	}
	va_end(args);
	cause_set_next(&c, v, v->rule->next);
	array_add(d->causes, d->count, d->cap, c);
	return &d->causes[d->count - 1];
}

void cause_add_evidence(struct cause *c, const char *name, double value,
			const char *unit, const char *source)
{
	if (c->evidence_count < EVIDENCE_MAX)
		c->evidence[c->evidence_count++] = (struct evidence){
			name, value, unit, source
		};
}

static unsigned facts_missing(const struct diagnosis_facts *f)
{
	bool has_dumps = f->dumps && f->dumps->dumps >= 2;
	bool has_pauses = f->pauses && f->pauses->seconds > 0;
	bool has_trends = f->trends && f->trends->count >= 2 && f->seconds > 0;

	return (f->rates ? 0 : NEEDS_RATES) | (has_dumps ? 0 : NEEDS_DUMPS) |
	       (has_pauses ? 0 : NEEDS_PAUSES) |
	       (f->profile ? 0 : NEEDS_PROFILE) |
	       (has_trends ? 0 : NEEDS_TRENDS);
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

/* ---- figures ---- */

static void figure_put(struct diagnosis *d, const char *name, double value,
		       const char *unit, const char *source)
{
	if (!isnan(value) && value >= 0 && d->figure_count < FIGURES_MAX)
		d->figures[d->figure_count++] = (struct evidence){ name, value,
								   unit,
								   source };
}

#define figure_add(d, name, value, unit, source)                               \
	figure_put(d, name, (double)(value), unit, source)

static void figures_add_rates(struct diagnosis *d,
			      const struct diagnosis_facts *f)
{
	const struct process_rates *r = &f->rates->process;
	const struct process_sample *p = &f->rates->sample->process;
	double throttled = 100 * r->throttled_periods;

	figure_add(d, "cpu", r->cpu, "cores", "/proc");
	figure_add(d, "compilers_cpu", facts_compilers(f), "cores", "/proc");
	figure_add(d, "run_queue", r->runq, "threads", "schedstat");
	figure_add(d, "machine_cpu", 100 * r->machine, "%", "/proc/stat");
	figure_add(d, "throttled_periods", throttled, "%", "cgroup");
	figure_add(d, "allocation", r->alloc, "bytes/s", "counters");
	figure_add(d, "heap_used", p->heap_used, "bytes", "counters");
	figure_add(d, "heap_max", p->heap_max, "bytes", "counters");
	figure_add(d, "resident", p->rss_bytes, "bytes", "/proc");
}

static void figures_add_pauses(struct diagnosis *d,
			       const struct diagnosis_pauses *p)
{
	double gc = 100e-9 * (double)p->gc_ns / p->seconds;
	double gc_longest = (double)p->longest_gc_ns / 1e6;
	double rate = (double)p->collections / p->seconds;
	double sync = 100e-9 * (double)p->sync_ns / p->seconds;
	double sync_longest = (double)p->longest_sync_ns / 1e6;

	figure_add(d, "gc_stopped", gc, "%", "pauses");
	figure_add(d, "gc_longest", gc_longest, "ms", "pauses");
	figure_add(d, "collections", rate, "/s", "pauses");
	if (!p->has_sync)
		return;
	figure_add(d, "safepoint_sync", sync, "%", "pauses");
	figure_add(d, "safepoint_sync_longest", sync_longest, "ms", "pauses");
}

/* Threads that wait for locks, and of pools that wait for others. */
static void figures_add_dumps(struct diagnosis *d, const struct dump_waits *w)
{
	double locks = 0, sockets = 0;

	for (size_t i = 0; i < w->count; i++) {
		double mean = dump_wait_mean(w, &w->all[i]);

		if (dump_wait_is_for_lock(&w->all[i]))
			locks += mean;
		if (w->all[i].kind == DUMP_WAIT_SOCKET && !w->all[i].is_inbound)
			sockets += mean;
	}
	figure_add(d, "waiting_for_locks", locks, "threads", "thread dumps");
	figure_add(d, "waiting_for_servers", sockets, "threads",
		   "thread dumps");
}

static void figures_add_trends(struct diagnosis *d, const struct trends *t)
{
	figure_add(d, "descriptors", trends_last(t, TREND_DESCRIPTORS), "",
		   "/proc");
	figure_add(d, "threads", trends_last(t, TREND_THREADS), "", "/proc");
	figure_add(d, "classes", trends_last(t, TREND_CLASSES), "", "counters");
	figure_add(d, "swapped", trends_last(t, TREND_SWAPPED), "bytes",
		   "/proc");
	figure_add(d, "memory", trends_last(t, TREND_MEMORY), "bytes",
		   "cgroup");
}

static void diagnosis_set_head(struct diagnosis *d,
			       const struct diagnosis_facts *f,
			       unsigned missing)
{
	text_puts(&d->title, f->title ? f->title : f->target);
	d->pid = f->pid;
	d->seconds = f->seconds;
	d->dumps = f->dumps ? f->dumps->dumps : 0;
	if (f->lost && f->lost->len)
		text_puts(&d->lost, f->lost->bytes);
	facts_busiest(f, &d->busiest, &d->busiest_share);
	if (!(missing & NEEDS_RATES))
		figures_add_rates(d, f);
	if (!(missing & NEEDS_PAUSES))
		figures_add_pauses(d, f->pauses);
	if (!(missing & NEEDS_DUMPS))
		figures_add_dumps(d, f->dumps);
	if (!(missing & NEEDS_TRENDS))
		figures_add_trends(d, f->trends);
}

/* ---- the order ---- */

static bool cause_explains(const struct cause *c, const struct cause *other)
{
	const char *name = other->rule->name;
	size_t len = strlen(name);

	return word_list_has(c->rule->explains, ' ', name, len) ||
	       (word_list_has(c->rule->explains_place, ' ', name, len) &&
		other->place.len && c->detail.len &&
		strstr(c->detail.bytes, other->place.bytes));
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

/* Sorts the causes; those that others explain come last, with the number. */
static void diagnosis_order(struct diagnosis *d)
{
	struct cause *all = d->causes;
	struct cause *sorted = xcalloc(d->count + 1, sizeof(*sorted));
	size_t *numbers = xcalloc(d->count + 1, sizeof(*numbers)), count = 0;

	if (d->count)
		qsort(all, d->count, sizeof(*all), cause_compare);
	for (size_t i = 0; i < d->count; i++)
		for (size_t j = 0; j < d->count; j++)
			if (i != j && !all[j].explained_by &&
			    cause_explains(&all[j], &all[i]))
				all[i].explained_by = j + 1;
	for (size_t i = 0; i < d->count; i++) {
		if (all[i].explained_by)
			continue;
		sorted[count++] = all[i];
		numbers[i + 1] = count;
	}
	for (size_t i = 0; i < d->count; i++) {
		if (!all[i].explained_by)
			continue;
		all[i].explained_by = numbers[all[i].explained_by];
		sorted[count++] = all[i];
	}
	free(numbers);
	free(all);
	d->causes = sorted;
}

void diagnosis_init(struct diagnosis *d)
{
	*d = (struct diagnosis){
		.busiest_share = -1,
		.fine = xcalloc(RULES, sizeof(*d->fine)),
		.unchecked = xcalloc(RULES, sizeof(*d->unchecked)),
		.reasons = xcalloc(RULES, sizeof(*d->reasons)),
	};
}

void diagnosis_make(struct diagnosis *d, const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;
	unsigned missing = facts_missing(f);

	diagnosis_init(d);
	diagnosis_set_head(d, f, missing);
	for (size_t i = 0; i < RULES; i++) {
		const struct rule *rule = &diagnosis_rules[i];
		const char *why = rule_lacks(rule, f, missing);
		struct verdict v = { d, rule, f };
		size_t before = d->count;

		if (!why && rule->judge)
			why = rule->judge(&v, f);
		for (size_t k = 0; !why && rule->judge_wait && k < w->count;
		     k++)
			rule->judge_wait(&v, &w->all[k]);
		if (why) {
			d->reasons[d->unchecked_count] = why;
			d->unchecked[d->unchecked_count++] = rule;
		} else if (d->count == before) {
			d->fine[d->fine_count++] = rule;
		}
	}
	diagnosis_order(d);
}

void cause_release(struct cause *c)
{
	text_release(&c->sentence);
	text_release(&c->detail);
	text_release(&c->place);
	text_release(&c->next);
}

void diagnosis_release(struct diagnosis *d)
{
	for (size_t i = 0; i < d->count; i++)
		cause_release(&d->causes[i]);
	text_release(&d->title);
	text_release(&d->lost);
	text_release(&d->busiest);
	arena_release(&d->texts);
	free(d->causes);
	free(d->fine);
	free(d->unchecked);
	free(d->reasons);
	*d = (struct diagnosis){ 0 };
}
