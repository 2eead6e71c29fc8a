/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_filter: leaves out, or cuts, stack traces in the language of SJK's
 * --trace-filter and --trace-trim (core/profile/trace_expression.h).
 *
 * A pattern is matched against a frame as Throwable.printStackTrace() writes
 * it, a.b.Class.method(File.java:12).  A profile holds no files: File is the
 * outermost class, as the compiler wants it of public ones.
 */
#ifndef CORE_PROFILE_TRACE_FILTER_H
#define CORE_PROFILE_TRACE_FILTER_H

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stdbool.h>

struct trace_filter;

/*
 * Fails with NULL, ERROR_MISUSE and the place.  With trim it leaves of each
 * stack trace the part that the expression opens, and drops those without one.
 */
struct trace_filter *trace_filter_new(const char *expression, bool trim,
				      struct error *err);
void trace_filter_free(struct trace_filter *f); /* NULL is fine */

/* True when profile.keep_lines has to be set for it to match anything. */
bool trace_filter_wants_lines(const struct trace_filter *f);

/* How many frames were too costly to decide (core/base/pattern.h). */
size_t trace_filter_undecided(const struct trace_filter *f);

void trace_filter_apply(struct profile *p, struct trace_filter *f);

#endif
