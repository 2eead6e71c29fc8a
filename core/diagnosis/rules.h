/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules: the functions of the table in diagnosis.c, and their thresholds.
 *
 * Each threshold has the measurement that justifies it, of services that were
 * healthy and of the same services with a fault, at 2 CPUs.
 */
#ifndef CORE_DIAGNOSIS_RULES_H
#define CORE_DIAGNOSIS_RULES_H

#include "core/diagnosis/diagnosis.h"

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
 * that wait, and if all threads wake at once 1.1 ms and 0.33; beside a neighbor
 * that uses all CPUs 1.4 to 3.8 ms and 0.73.  That the wait is at least as long
 * as the use was chosen.
 */
#define RUNQ_SWITCH_MS 1.25
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
/*
 * Of the limit of direct buffers: a leak that reached it stayed between 95 and
 * 100 %; healthy services have a few MB.
 */
#define DIRECT_SHARE 0.95
/* Chosen: healthy JVMs resolve names in a millisecond, so dumps see none. */
#define NAMES_MEAN 2
/* Chosen: one thread, on average, waits for a lock whose owner writes. */
#define DISK_MEAN 1
/* The standard error of a share of 40 % is 5 points at 100 samples. */
#define SAMPLES_LEAST 100
#define SAMPLES_FEW   20
/* Chosen. */
#define PLACE_SHARE      0.4
#define PLACE_CPU_SHARE  0.6
#define EXCEPTIONS_SHARE 0.1
#define CPU_SHARE        0.8
/* Healthy: 7 descriptors, constant; a leak opened 100 a second. */
#define FILES_SHARE 0.8
/*
 * A counter grows if it is larger after each quarter of the time.  Pools and
 * caches that warm up grow as well, but not for long, and not to a limit.  The
 * first half minute of a JVM shows no trend (chosen).
 */
#define GROWTH_UPTIME_S 30
#define GROWTH_FULL_S   3600
/* Chosen: a heap that is nearly full after a full collection. */
#define HEAP_SHARE 0.85
/* Chosen: the kernel kills at 1; file pages that it may drop are not counted.
 */
#define MEMORY_SHARE 0.95
/* Healthy: 0 pages a second; chosen. */
#define MAJOR_FAULTS_PER_S 10
#define MEMORY_PRESSURE    0.1
/*
 * The code cache of a service uses 1 to 10 % of 240 MB; one of 4 MB was 87 %
 * full.  In one of 5 MB, the JVM discarded code when 82 % were used, and the
 * compilers used half a CPU all the time, and beside a neighbor that uses a CPU
 * 22 % of the JVM's CPU time; JDK 25 had 8 collections a second.  After their
 * first minutes, compilers are idle.
 */
#define CODE_CACHE_SHARE   0.85
#define CODE_CACHE_MOST    0.8
#define CODE_CACHE_GCS_S   1
#define CODE_CACHE_CPU     0.1
#define COMPILERS_UPTIME_S 300
#define COMPILERS_SHARE    0.25
#define COMPILERS_CORES    0.1
/* Chosen: objects that wait for the thread Finalizer. */
#define FINALIZER_LEAST 1000
/* Chosen: virtual threads that wait for each carrier. */
#define CARRIERS_QUEUE 10

/* What a rule judges with. */
struct verdict {
	struct diagnosis *d;
	const struct rule *rule;
	const struct diagnosis_facts *facts;
};

/*
 * Adds a cause with its sentence, and the next command of the rule.  threads:
 * how many threads lost the whole time, about.
 */
struct cause *verdict_add(struct verdict *v, double threads, const char *format,
			  ...) __attribute__((format(printf, 3, 4)));

/* Replaces the next command; in the format, %s is the target. */
void cause_set_next(struct cause *c, const struct verdict *v,
		    const char *format);

/* Adds a number that a sentence states; all texts are static. */
void cause_add_evidence(struct cause *c, const char *name, double value,
			const char *unit, const char *source);
#define cause_add(c, name, value, unit, source)                                \
	cause_add_evidence(c, name, (double)(value), unit, source)

/* An empty diagnosis, with room for all rules. */
void diagnosis_init(struct diagnosis *d);
void cause_release(struct cause *c);

/*
 * The cores that the JVM's compilers use; NAN if they are unknown.  The
 * kernel's names of threads tell, so the JVM is not asked.
 */
double facts_compilers(const struct diagnosis_facts *f);

/*
 * Sets the place where the JVM uses most CPU time, and its share of the
 * samples.  False if there are too few samples, or none is of the application.
 */
bool facts_busiest(const struct diagnosis_facts *f, struct text *place,
		   double *share);

/* As struct rule declares them. */
typedef const char *rule_function(struct verdict *v,
				  const struct diagnosis_facts *f);
typedef void rule_of_waits(struct verdict *v, const struct dump_wait *g);

rule_of_waits rule_convoy, rule_pool, rule_disk;
rule_function rule_deadlock, rule_finalizer, rule_carriers;
rule_function rule_stopped, rule_collections, rule_humongous, rule_safepoints,
	rule_throttled, rule_starved;
rule_function rule_exceptions, rule_place, rule_code_cache, rule_compilers;
rule_function rule_descriptors, rule_threads, rule_classes, rule_old,
	rule_native, rule_full_heap, rule_memory, rule_direct, rule_swap;

#endif
