/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnosis: the rules that find what is wrong with a JVM.
 *
 * The caller measures, and sets the facts that it has.  Each rule judges facts,
 * and adds a cause with its evidence, or nothing.  A rule whose facts are
 * missing is not evaluated, which the diagnosis lists with the reason.
 */
#ifndef CORE_DIAGNOSIS_DIAGNOSIS_H
#define CORE_DIAGNOSIS_DIAGNOSIS_H

#include "core/base/text.h"
#include "core/diagnosis/dump_waits.h"
#include "core/gc/gc_totals.h"
#include "core/jvm/open_files.h"
#include "core/profile/profile.h"
#include "core/threads/thread_rates.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order of causes: what is broken comes first. */
enum cause_rank {
	CAUSE_BROKEN,
	CAUSE_STOPPED,
	CAUSE_STARVED,
	CAUSE_WAITING,
	CAUSE_CPU,
	CAUSE_TREND,
	CAUSE_RANKS,
};

extern const char *const cause_rank_names[CAUSE_RANKS]; /* "BROKEN", … */

/* What a rule judges; bits. */
enum diagnosis_need {
	NEEDS_RATES = 1 << 0,   /* rates */
	NEEDS_DUMPS = 1 << 1,   /* at least two dumps */
	NEEDS_PAUSES = 1 << 2,  /* pauses */
	NEEDS_PROFILE = 1 << 3, /* profile */
	NEEDS_FILES = 1 << 4,   /* files */
};
enum { DIAGNOSIS_NEEDS = 5 };

/* The facts, which are borrowed; NULL: not measured. */
struct diagnosis_facts {
	const char *target; /* what the user types for this JVM: "4711" */
	double seconds;     /* that were observed */
	double uptime_s;    /* of the JVM; negative = unknown */
	/* Of the whole time, and the first sample of it. */
	const struct top_rates *rates;
	const struct process_sample *before;
	const struct dump_waits *dumps;
	const struct gc_totals *pauses;
	/* The thread that was most often the last to stop; foreign. */
	const char *last_thread;
	unsigned last_times, last_of;  /* of slow stops with a known thread */
	const struct profile *profile; /* cpu */
	const struct open_files *files, *files_before;
	/* By the number of the bit: why a fact is missing. */
	const char *missing[DIAGNOSIS_NEEDS];
};

/* A number that a sentence states. */
struct evidence {
	const char *name; /* "blocked_threads"; static, as are the others */
	double value;
	const char *unit, *source;
};

enum { EVIDENCE_MAX = 8 };

/* Texts are safe for a terminal. */
struct cause {
	const struct rule *rule;
	/* Lost time, for the order within a rank: threads times seconds. */
	double lost_s;
	struct text sentence;
	struct text detail; /* or empty */
	struct text place;  /* the application's frame; or empty */
	struct text next;   /* a command without "sjkc"; or empty */
	size_t threads;     /* that it concerns; 0 = all or unknown */
	struct evidence evidence[EVIDENCE_MAX];
	size_t evidence_count;
};

struct diagnosis {
	struct cause *causes; /* the most important first */
	size_t count, cap;
	/* Rules that found nothing, and rules that were not evaluated. */
	const struct rule **fine;
	size_t fine_count;
	const struct rule **unchecked;
	size_t unchecked_count;
};

struct rule {
	const char *name;  /* "deadlock"; a key of JSON */
	const char *topic; /* "deadlocks", as in "fine: deadlocks" */
	enum cause_rank rank;
	unsigned needs;
	/* Adds causes by diagnosis_add(). */
	void (*judge)(struct diagnosis *d, const struct rule *rule,
		      const struct diagnosis_facts *f);
};

/* Judges all rules, and sorts the causes.  diagnosis_release() frees *d. */
void diagnosis_make(struct diagnosis *d, const struct diagnosis_facts *f);
void diagnosis_release(struct diagnosis *d); /* zeroed is allowed */

/* Returns why a rule was not evaluated; static text, or of the facts. */
const char *diagnosis_why_unchecked(const struct rule *rule,
				    const struct diagnosis_facts *f);

/*
 * Sets the place where the JVM uses most CPU time, and its share of the
 * samples.  False if there are fewer than 20 samples, or none is of the
 * application.
 */
bool diagnosis_busiest(const struct diagnosis_facts *f, struct text *place,
		       double *share);

#endif
