/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smaps: the mappings of a process with the sizes that the kernel counts for
 * each, from /proc/PID/smaps; proc(5).
 *
 * The text of 65,000 mappings has 45 MB, so it is parsed in parts.
 */
#ifndef CORE_MEM_SMAPS_H
#define CORE_MEM_SMAPS_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"
#include "core/process/mappings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes in bytes; 0 where the kernel does not have the field. */
struct smap {
	uint64_t resident, pss, swapped;
	uint64_t huge;    /* of resident, in transparent huge pages */
	uint64_t hugetlb; /* in pages of hugetlbfs, not part of resident */
	bool has_no_huge; /* VmFlags nh: of MAP_STACK since Linux 6.7 */
	bool is_again;    /* set by users: a lower mapping has the same pages */
};

/* A zeroed struct has no mappings. */
struct smaps {
	struct mappings mappings;
	struct smap *all; /* one per mapping */
	size_t cap;
	bool is_cut;   /* there were more mappings or longer paths than read */
	bool has_last; /* the lines of fields belong to the last mapping */
	size_t line_bytes; /* of the lines with addresses */
};

/* smaps_release() must follow, also after failure. */
int smaps_read(struct smaps *s, const struct jvm *jvm, struct error *err);
/*
 * Parses whole lines that follow those of the last call; returns false if the
 * struct smaps wants no more.
 */
bool smaps_parse(void *smaps, const char *text, size_t len);
void smaps_release(struct smaps *s); /* zeroed is allowed */

/* True for memory without a file; the kernel may show its name. */
bool smaps_is_anonymous(const struct mapping *m);

#endif
