/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnosis: the rules that find what is wrong with a JVM.
 *
 * The caller measures, and sets the facts that it has.  Each rule judges facts,
 * and adds causes with their evidence, or nothing.  A rule whose facts are
 * missing or too few is not checked, which the diagnosis lists with the reason.
 */
#ifndef CORE_DIAGNOSIS_DIAGNOSIS_H
#define CORE_DIAGNOSIS_DIAGNOSIS_H

#include "core/base/text.h"
#include "core/diagnosis/dump_waits.h"
#include "core/gc/gc_pause.h"
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

/* Pauses, counted one by one. */
struct diagnosis_pauses {
	double seconds;       /* that were observed */
	bool has_sync;        /* the source knows the time to safepoint */
	uint64_t collections; /* stops for collections */
	uint64_t full;        /* full collections without a request */
	uint64_t humongous;   /* collections that a large array caused (G1) */
	int64_t gc_ns;        /* stopped for collections, without sync */
	int64_t longest_gc_ns;
	int64_t sync_ns; /* time to safepoint of all stops */
	int64_t longest_sync_ns;
	/* Of slow stops: the most frequent last thread, foreign; NULL = none */
	const char *last_thread;
	unsigned last_times, last_of;
};

/* The facts, which are borrowed; NULL: not measured. */
struct diagnosis_facts {
	const char *target; /* what the user types for this JVM: "4711" */
	double seconds;     /* that were observed */
	double cpus;        /* on which the JVM may run, without its limit */
	/* Of the whole time, and the first sample of it. */
	const struct top_rates *rates;
	const struct process_sample *before;
	const struct dump_waits *dumps;
	const struct diagnosis_pauses *pauses;
	const struct profile *profile; /* cpu */
	/* Counted several times, from the beginning to the end. */
	const struct open_files *files;
	size_t file_counts; /* number of files; at least 2 */
	/* By the number of the bit: why a fact is missing. */
	const char *missing[DIAGNOSIS_NEEDS];
};

/* A number that a sentence states. */
struct evidence {
	const char *name; /* "stopped_share"; static, as are the others */
	double value;
	const char *unit, *source;
};

enum { EVIDENCE_MAX = 8 };

/* Texts are safe for a terminal. */
struct cause {
	const struct rule *rule;
	enum cause_rank rank;
	/*
	 * For the order within a rank: about how many seconds its threads lost.
	 */
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
	const struct rule **fine; /* that found nothing */
	size_t fine_count;
	/* Rules that were not checked, and why; borrowed from the facts. */
	const struct rule **unchecked;
	const char **reasons;
	size_t unchecked_count;
};

struct rule {
	const char *name;     /* "deadlock"; a key of JSON */
	const char *topic;    /* "deadlocks", as in "fine: deadlocks" */
	enum cause_rank rank; /* of its causes, if they have no other */
	unsigned needs;
	/*
	 * Adds causes.  Returns NULL, or why the facts are too few to judge;
	 * static text.
	 */
	const char *(*judge)(struct diagnosis *d, const struct rule *rule,
			     const struct diagnosis_facts *f);
};

/* Judges all rules, and sorts the causes.  diagnosis_release() frees *d. */
void diagnosis_make(struct diagnosis *d, const struct diagnosis_facts *f);
void diagnosis_release(struct diagnosis *d); /* zeroed is allowed */

/* Adds a record of a source with these columns (enum gc_column). */
void diagnosis_add_pause(struct diagnosis_pauses *to, const struct gc_pause *p,
			 unsigned columns);

/*
 * Sets the place where the JVM uses most CPU time, and its share of the
 * samples.  False if there are too few samples, or none is of the application.
 */
bool diagnosis_busiest(const struct diagnosis_facts *f, struct text *place,
		       double *share);

#endif
