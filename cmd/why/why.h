/* SPDX-License-Identifier: Apache-2.0 */
/* why: what is wrong with a JVM, or why it crashed. */
#ifndef CMD_WHY_WHY_H
#define CMD_WHY_WHY_H

#include "core/base/error.h"
#include "core/base/output.h"
#include "core/base/text.h"
#include "core/diagnosis/diagnosis.h"

#include <stdbool.h>

/*
 * Explains a fatal error log of HotSpot (hs_err_pid4711.log): the cause, the
 * next step, and the evidence, as at most 30 lines of text or as JSON. path
 * may be "-". Fails with ERROR_INPUT if the file is no such log, and, after
 * writing the explanation, with ERROR_PARTIAL if the log ends early.
 */
int why_hs_err(const char *path, bool json, struct output *out,
	       struct error *err);

/*
 * ---- why_text.c ----
 *
 * Appends a diagnosis as lines of 80 columns.  With another one, only the
 * causes that it lacks, and the figures of both.
 */
void why_add_text(struct text *out, const struct diagnosis *d,
		  const struct diagnosis *other);

/*
 * Appends the causes that are new, and the rules of those that have gone, with
 * the time; nothing if there is no change.  before is NULL at first.
 */
void why_add_changes(struct text *out, const struct diagnosis *d,
		     const struct diagnosis *before);

/* Returns the number of causes that the other lacks; NULL lacks all. */
size_t why_count_causes(const struct diagnosis *d,
			const struct diagnosis *other);

#endif
