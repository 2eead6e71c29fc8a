/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict: what an account of memory means, what grew between two accounts, and
 * the documents "sjkc.mem/1" and "sjkc.mem-growth/1".
 */
#ifndef CORE_MEM_VERDICT_H
#define CORE_MEM_VERDICT_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/cgroup.h"
#include "core/jvm/jvm.h"
#include "core/mem/account.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The control group that has the memory limit; bytes. */
struct mem_container {
	int64_t limit; /* -1 = none; CGROUP_UNKNOWN */
	struct cgroup_memory memory;
};

void mem_container_read(struct mem_container *c, const struct jvm *jvm);

/* ---- verdict ---- */

struct mem_finding {
	const char *rule;     /* a constant: "trim" */
	struct text sentence; /* "1.90 GB are free …", without a full stop */
	struct text now;      /* what helps at once; may be empty */
	struct text lasting;  /* what prevents it; may be empty */
};

enum { MEM_FINDINGS = 4 };

struct mem_verdict {
	struct mem_finding all[MEM_FINDINGS]; /* most important first */
	size_t count;
	/* "the heap may have at most …"; empty if there is no limit. */
	struct text fit;
};

/* Judges an account; c may be NULL.  One account never shows a leak. */
void mem_verdict_judge(struct mem_verdict *v, const struct mem_account *a,
		       const struct mem_container *c);
void mem_verdict_release(struct mem_verdict *v); /* zeroed is allowed */

/* Returns what malloc_trim() would give back, in bytes. */
uint64_t mem_trimmable(const struct mem_account *a);

/* False if the pages of the heap are among those of other parts. */
static inline bool mem_has_heap(const struct mem_account *a)
{
	return a->parts[MEM_HEAP].resident > 0;
}

/* Sums of all arenas. */
struct malloc_arena mem_arena_sum(const struct mem_account *a);

/* Appends what is known about a part: "1,204 threads; largest: …"; or nothing.
 */
void mem_add_detail(struct text *out, const struct mem_account *a,
		    enum mem_part part);

/* ---- growth ---- */

enum { GROWN_SIZES = 8, GROWN_KINDS = 6 };

/* What grew between two accounts of a JVM; all numbers may be negative. */
struct mem_growth {
	pid_t pid;
	int64_t wall_ns;    /* of the second account */
	uint64_t uptime_ns; /* the same; 0 = unknown */
	double seconds;
	int64_t rss, parts[MEM_PARTS]; /* bytes */
	int64_t in_use, blocks;        /* of arenas, and blocks with mappings */
	bool has_blocks;               /* both accounts have a whole walk;
					  otherwise, these are 0 */
	struct {
		uint64_t size;
		int64_t blocks;
	} sizes[GROWN_SIZES]; /* the most bytes first */
	size_t size_count;
	/* What the sizes and other counts are probably those of. */
	struct {
		const char *name; /* "java.util.zip.Inflater" */
		int64_t count;
		bool is_guess; /* by the sizes of blocks */
	} kinds[GROWN_KINDS];
	size_t kind_count;
};

void mem_growth_of(struct mem_growth *g, const struct mem_account *before,
		   const struct mem_account *after);

/* A JVM that is younger warms up. */
enum { MEM_WARM_UP_MIN = 5 };

enum { MEM_TREND = 6 };

/*
 * The last intervals in a row in which malloc grew; zeroed is none.  Rates are
 * bytes per second, the oldest first, of those that began after the warm-up.
 */
struct mem_trend {
	unsigned grown;
	int64_t bytes; /* that malloc grew by in these */
	double rates[MEM_TREND];
	unsigned count;
};

/* Adds the growth in the interval after those before, if it has blocks. */
void mem_trend_add(struct mem_trend *t, const struct mem_growth *g);

enum mem_course {
	MEM_UNCLEAR,  /* malloc did not grow, or in too few intervals */
	MEM_WARMS_UP, /* it grew while the JVM was young */
	MEM_SETTLES,  /* it grew less and less */
	MEM_LEAKS,    /* it grew steadily: probably a leak */
};

enum mem_course mem_trend_course(const struct mem_trend *t);

/*
 * Appends a document "sjkc.mem-growth/1".  of is the kind of comparison:
 * "interval", "watch", "documents" or "trim"; t may be NULL.
 */
void mem_growth_add_json(struct text *out, const struct mem_growth *g,
			 const char *of, const struct mem_trend *t);

/* ---- document ---- */

/* Appends the document; v and c may be NULL. */
void mem_account_add_json(struct text *out, const struct mem_account *a,
			  const struct mem_verdict *v,
			  const struct mem_container *c);

/*
 * Reads what such a document has: sums, parts, sizes and counts, but neither
 * ranges nor stacks.  ERROR_INPUT.  mem_account_release() must follow success.
 */
int mem_account_read_json(struct mem_account *a, const char *json, size_t len,
			  struct error *err);

#endif
