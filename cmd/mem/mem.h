/* SPDX-License-Identifier: Apache-2.0 */
/* mem: the texts of sjkc mem. */
#ifndef CMD_MEM_MEM_H
#define CMD_MEM_MEM_H

#include "core/base/text.h"
#include "core/mem/verdict.h"

#include <stdbool.h>

/* Which tables follow the account. */
struct mem_tables {
	bool threads, arenas, sizes, maps;
};

/* An account and what it means. */
struct mem_view {
	const char *name; /* of the JVM; foreign */
	const struct mem_account *account;
	const struct mem_verdict *verdict;
	const struct mem_container *container; /* NULL = unknown */
};

/* Appends the verdict, the parts, and the tables. */
void mem_add_text(struct text *out, const struct mem_view *v,
		  const struct mem_tables *tables);

/* Appends what grew: sums, parts, blocks by size, and their probable kinds. */
void mem_add_growth(struct text *out, const struct mem_growth *g);

/*
 * Appends what the intervals until the account g->wall_ns is of show, and the
 * next command; nothing if they show nothing.
 */
void mem_add_course(struct text *out, const struct mem_trend *t,
		    const struct mem_growth *g);

#endif
