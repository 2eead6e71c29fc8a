/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict: what an account of memory means, what grew between two accounts, and
 * the document "sjkc.mem/1".
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
	double seconds;
	int64_t rss, parts[MEM_PARTS]; /* bytes */
	int64_t in_use, blocks;        /* of arenas, and blocks with mappings */
	bool has_blocks;               /* both accounts have a walk */
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
