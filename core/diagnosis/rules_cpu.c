/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that judge the use of the CPU. */
#include "core/diagnosis/rules.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/map64.h"
#include "core/base/units.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/idle_method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double facts_compilers(const struct diagnosis_facts *f)
{
	const struct top_rates *r = f->rates;
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < r->row_count; i++) {
		const char *name = r->rows[i].thread->name;
		double cpu = r->rows[i].rates[THREAD_CPU];

		/* HotSpot: "C2 CompilerThread0", "C1 CompilerThre" */
		if (name[0] != 'C' || !is_digit(name[1]) ||
		    strncmp(name + 2, " Compiler", 9) != 0 || isnan(cpu))
			continue;
		sum += cpu;
		known++;
	}
	return known ? sum : NAN;
}

/* The application's methods in the event cpu, by their samples. */
struct places {
	uint64_t all, exceptions;
	uint32_t best; /* a frame of the method; 0 = none */
	uint64_t best_count;
	uint64_t java, slow; /* in Java code; interpreted, or compiled by C1 */
};

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
	static const struct method_call fill = { "java.lang.Throwable",
						 "fillInStackTrace", 1 };
	bool throws = false, has_java = false;
	uint32_t place = 0;

	for (uint32_t at = c->stack; at && !place; at = p->stacks[at].caller) {
		uint32_t frame = p->stacks[at].frame;
		enum frame_kind kind = p->frames[frame].kind;

		if (!has_java && frame_is_java_call(&p->frames[frame])) {
			has_java = true;
			sum->java += c->count;
			if (kind == FRAME_INTERPRETED || kind == FRAME_C1)
				sum->slow += c->count;
		}
		throws |= method_call_find(&fill, 1, p, &p->frames[frame], 0);
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

bool facts_busiest(const struct diagnosis_facts *f, struct text *place,
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

const char *rule_exceptions(struct verdict *v, const struct diagnosis_facts *f)
{
	struct places sum;
	struct cause *c;
	double share;

	if (!places_find(f->profile, &sum) || sum.all < SAMPLES_LEAST)
		return few_samples;
	share = (double)sum.exceptions / (double)sum.all;
	if (share < EXCEPTIONS_SHARE)
		return NULL;
	c = verdict_add(v, share,
			"%.0f%% of the CPU time fills the stack traces of "
			"exceptions",
			100 * share);
	text_printf(&c->detail, "%s of %s",
		    units_counted(sum.exceptions, "sample").text,
		    units_counted(sum.all, "sample").text);
	cause_add(c, "exceptions_share", share, "of the samples", "prof");
	cause_add(c, "samples", sum.all, "samples", "prof");
	return NULL;
}

/*
 * All CPUs that the JVM may use are in use, or most of them in one place.  A
 * batch job on all CPUs does the same: it is where the CPU time goes, and no
 * fault by itself.
 */
const char *rule_place(struct verdict *v, const struct diagnosis_facts *f)
{
	double limit = (double)f->rates->sample->process.cpu_limit / 1000;
	double available = limit > 0 && limit < f->cpus ? limit : f->cpus;
	double cores = f->rates->process.cpu, share;
	struct text place = { 0 };
	struct places sum;
	struct cause *c;

	if (isnan(cores))
		return "the CPU time is unknown";
	if (cores < PLACE_CPU_SHARE * available)
		return NULL;
	if (!places_find(f->profile, &sum) || sum.all < SAMPLES_LEAST)
		return few_samples;
	if (!facts_busiest(f, &place, &share) || share < PLACE_SHARE)
		text_clear(&place);
	if (!place.len && cores < CPU_SHARE * available)
		goto out;
	c = verdict_add(v, cores, "the JVM uses %.2f of %.3g CPUs", cores,
			available);
	if (place.len) {
		text_printf(&c->sentence,
			    "; %.0f%% of the CPU time is in or below %s",
			    100 * share, place.bytes);
		text_puts(&c->place, place.bytes);
		cause_add(c, "place_share", share, "of the samples", "prof");
	}
	text_puts(&c->detail, units_counted(sum.all, "sample").text);
	cause_add(c, "cpu", cores, "cores", "/proc");
	cause_add(c, "samples", sum.all, "samples", "prof");
out:
	text_release(&place);
	return NULL;
}

/* The JVM discards code, and compiles it again, before the cache is full. */
static bool code_cache_is_small(const struct diagnosis_facts *f)
{
	double compilers = facts_compilers(f), cpu = f->rates->process.cpu;
	const struct jvm_replies *r = f->replies;

	if (f->pauses && f->pauses->seconds > 0 &&
	    (double)f->pauses->code_cache >=
		    CODE_CACHE_GCS_S * f->pauses->seconds)
		return true;
	return (double)r->code_most >= CODE_CACHE_MOST * (double)r->code_size &&
	       compilers >= COMPILERS_CORES &&
	       compilers >= CODE_CACHE_CPU * cpu;
}

const char *rule_code_cache(struct verdict *v, const struct diagnosis_facts *f)
{
	static const char command[] = "Compiler.codecache";
	const struct jvm_replies *r = f->replies;
	double share, size = (double)r->code_size, used = (double)r->code_used;
	struct cause *c;

	/* Compilers that are idle are asked for nothing. */
	if (size <= 0)
		return NULL;
	share = used / size;
	if (share < CODE_CACHE_SHARE && !r->code_is_off &&
	    !code_cache_is_small(f))
		return NULL;
	c = verdict_add(v, share, "the code cache is %.0f%% full", 100 * share);
	if (r->code_is_off)
		text_puts(&c->sentence, ", and compilation is disabled");
	else if (share < CODE_CACHE_SHARE)
		text_puts(&c->sentence,
			  r->code_used < r->code_most
				  ? ": the JVM discards code, and compiles it "
				    "again"
				  : ", and the compilers do not rest");
	text_printf(&c->detail,
		    "%s of %s, at most %s so far; ReservedCodeCacheSize sets "
		    "the size",
		    units_bytes(used).text, units_bytes(size).text,
		    units_bytes((double)r->code_most).text);
	if (!isnan(facts_compilers(f)))
		text_printf(&c->detail, "; compilers use %.2f cores",
			    facts_compilers(f));
	cause_add(c, "code_cache_share", share, "of the size", command);
	cause_add(c, "code_cache", used, "bytes", command);
	cause_add(c, "code_cache_most", r->code_most, "bytes", command);
	return NULL;
}

/* Code that waits for the compilers is slow. */
static void compilers_add_slow(struct cause *c, const struct diagnosis_facts *f)
{
	struct places sum;
	double share;

	if (!f->profile || !places_find(f->profile, &sum) ||
	    sum.java < SAMPLES_LEAST)
		return;
	share = (double)sum.slow / (double)sum.java;
	text_printf(&c->detail,
		    "; %.0f%% of the samples in Java code are interpreted or "
		    "compiled by C1",
		    100 * share);
	cause_add(c, "slow_code_share", share, "of the samples", "prof");
}

/* A JVM compiles little after its first minutes. */
const char *rule_compilers(struct verdict *v, const struct diagnosis_facts *f)
{
	double compilers = facts_compilers(f), cpu = f->rates->process.cpu;
	struct cause *c;

	if (isnan(compilers) || isnan(cpu))
		return "the compilers' CPU time is unknown";
	if (f->trends->uptime_s < COMPILERS_UPTIME_S)
		return "the JVM started less than 5 minutes ago";
	if (compilers < COMPILERS_CORES || compilers < COMPILERS_SHARE * cpu)
		return NULL;
	c = verdict_add(v, compilers,
			"the compilers use %.0f%% of the JVM's CPU time, %s "
			"after its start",
			100 * compilers / cpu,
			units_time(f->trends->uptime_s * 1e9).text);
	text_printf(&c->detail,
		    "%.2f of %.2f cores: methods are compiled again and again",
		    compilers, cpu);
	compilers_add_slow(c, f);
	cause_add(c, "compilers_cpu", compilers, "cores", "/proc");
	cause_add(c, "cpu", cpu, "cores", "/proc");
	return NULL;
}
