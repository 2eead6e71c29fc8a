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

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/diagnosis/dump_waits.h"
#include "core/diagnosis/trends.h"
#include "core/gc/gc_pause.h"
#include "core/mem/verdict.h"
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
	NEEDS_TRENDS = 1 << 4,  /* trends, of at least two samples */
};
enum { DIAGNOSIS_NEEDS = 5 };

/* Pauses, counted one by one. */
struct diagnosis_pauses {
	double seconds;       /* that were observed */
	bool has_sync;        /* the source knows the time to safepoint */
	uint64_t collections; /* stops for collections */
	uint64_t full;        /* full collections without a request */
	uint64_t humongous;   /* collections that a large array caused (G1) */
	uint64_t code_cache;  /* that free code (JDK 20 and later) */
	int64_t gc_ns;        /* stopped for collections, without sync */
	int64_t longest_gc_ns;
	int64_t least_used; /* bytes of the heap after the last full collection;
			       0 = none, or unknown */
	int64_t sync_ns;    /* time to safepoint of all stops */
	int64_t longest_sync_ns;
	/* Of slow stops: the most frequent last thread, foreign; NULL = none */
	const char *last_thread;
	unsigned last_times, last_of;
};

/* The facts, which are borrowed; NULL: not measured. */
struct diagnosis_facts {
	const char *target; /* what the user types for this JVM: "4711" */
	const char *title;  /* "4711 com.acme.Main, 17.0.21" */
	int pid;            /* 0 = no process: recordings */
	double seconds;     /* that were observed */
	double cpus;        /* on which the JVM may run, without its limit */
	/* Of the whole time, and the first sample of it. */
	const struct top_rates *rates;
	const struct process_sample *before;
	const struct dump_waits *dumps;
	const struct diagnosis_pauses *pauses;
	const struct profile *profile; /* cpu */
	const struct trends *trends;
	const struct jvm_replies *replies; /* never NULL */
	const struct mem_account *account; /* of the end, perhaps no blocks */
	const struct mem_growth *growth;   /* of the memory, if it grew */
	struct busy_process neighbor;      /* the busiest one */
	const struct text *lost; /* as in struct diagnosis; NULL = none */
	/* By the number of the bit: why a fact is missing. */
	const char *missing[DIAGNOSIS_NEEDS];
};

/* A number that a sentence states. */
struct evidence {
	const char *name; /* "stopped_share"; static, as are the others */
	double value;
	const char *unit, *source;
};

enum { EVIDENCE_MAX = 8, FIGURES_MAX = 24 };

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
	/* The number of the cause that explains this one, from 1; 0 = none. */
	size_t explained_by;
};

struct diagnosis {
	struct text title; /* of the facts */
	int pid;
	double seconds;
	size_t dumps;     /* number of thread dumps */
	struct text lost; /* the losses, separated by "; "; or empty */
	/* Numbers for comparisons; each that was measured. */
	struct evidence figures[FIGURES_MAX];
	size_t figure_count;
	/* Where the CPU time goes; share < 0: unknown. */
	struct text busiest;
	double busiest_share;

	struct cause *causes; /* the most important first */
	size_t count, cap;
	const struct rule **fine; /* that found nothing */
	size_t fine_count;
	/* Rules that were not checked, and why; borrowed from the facts. */
	const struct rule **unchecked;
	const char **reasons;
	size_t unchecked_count;
	struct arena texts; /* of a diagnosis that was read */
};

struct verdict;

struct rule {
	const char *name;     /* "deadlock"; a key of JSON */
	const char *topic;    /* "deadlocks", as in "fine: deadlocks" */
	enum cause_rank rank; /* of its causes, if they have no other */
	unsigned needs;
	const char *next; /* command for its causes; %s is the target */
	/*
	 * Adds causes.  Returns NULL, or why the facts are too few to judge;
	 * static text.
	 */
	const char *(*judge)(struct verdict *v,
			     const struct diagnosis_facts *f);
	/* Or: judges each group of waiting threads. */
	void (*judge_wait)(struct verdict *v, const struct dump_wait *g);
	/*
	 * Names of rules whose causes its causes explain, always, or if the
	 * detail names the other's place: collectors and threads that must stop
	 * need a CPU, and the owner of a lock may be the thread that uses it.
	 */
	const char *explains, *explains_place; /* or NULL */
};

/* Judges all rules, and sorts the causes.  diagnosis_release() frees *d. */
void diagnosis_make(struct diagnosis *d, const struct diagnosis_facts *f);
void diagnosis_release(struct diagnosis *d); /* zeroed is allowed */

/* The rules, and their number. */
extern const struct rule diagnosis_rules[];
extern const size_t diagnosis_rule_count;

/*
 * ---- diagnosis_json.c ----
 *
 * Appends the document "sjkc.why/1" with all members of a diagnosis.  Those of
 * the other one, unless it is NULL, are in the member "against".
 */
void diagnosis_add_json(struct text *out, const struct diagnosis *d,
			const struct diagnosis *other);

/*
 * Reads such a document, also of another version, whose unknown rules are
 * omitted.  ERROR_INPUT.  diagnosis_release() must follow in either case.
 */
int diagnosis_read_json(struct diagnosis *d, const char *json, size_t len,
			struct error *err);

/* Adds a record of a source with these columns (enum gc_column). */
void diagnosis_add_pause(struct diagnosis_pauses *to, const struct gc_pause *p,
			 unsigned columns);

#endif
