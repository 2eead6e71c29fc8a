/* SPDX-License-Identifier: Apache-2.0 */
/* why: the causes of a JVM's problems, or of its crash. */
#ifndef CMD_WHY_WHY_H
#define CMD_WHY_WHY_H

#include "cmd/why/observation.h"
#include "core/base/error.h"
#include "core/base/input.h"
#include "core/base/output.h"
#include "core/base/text.h"
#include "core/diagnosis/diagnosis.h"

#include <stdbool.h>

/*
 * Explains a fatal error log of HotSpot (hs_err_pid4711.log): the cause, the
 * next step, and the evidence, as at most 30 lines of text or as JSON. Fails
 * with ERROR_INPUT if the complete input is no such log, and, after writing the
 * explanation, with ERROR_PARTIAL if the log ends early.
 */
int why_hs_err(const struct input *in, bool json, struct output *out,
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

/*
 * ---- why_files.c ----
 *
 * Judges recordings, thread dumps and GC logs of one JVM together, as far as
 * they reach, or reads the document of an earlier diagnosis.  The inputs are
 * complete.  ERROR_INPUT for the first input in another format.
 */
int why_read_files(struct diagnosis *d, const struct input *all, size_t count,
		   struct error *err);

/* Appends "what: count" behind "; ", unless count is 0. */
void why_add_lost(struct text *out, const char *what, uint64_t count);

/*
 * ---- why_page.c ----
 *
 * Writes a diagnosis with its evidence as an HTML page without scripts.
 */
void why_write_page(struct output *out, const struct diagnosis *d,
		    struct observation *o);

#endif
