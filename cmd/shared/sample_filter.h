/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_filter: the options that select samples by thread, state and frames,
 * and that trim their stack traces.
 */
#ifndef CMD_SHARED_SAMPLE_FILTER_H
#define CMD_SHARED_SAMPLE_FILTER_H

#include "cmd/shared/command.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/profile/profile.h"

#include <stdbool.h>

/* The values of the options, or NULL. */
struct sample_filter_options {
	const char *thread_name;      /* part of a name matches */
	const char *full_thread_name; /* the whole name matches */
	const char *state;
	const char *include, *exclude;
	const char *trace_filter, *trace_trim;
	bool sjk_compat; /* of the trace filters: TRACE_EXCLUSIVE is unset */
	bool no_class;   /* no leaf for the class allocated or locked */
};

/* The rows of an option table; f is a struct sample_filter_options. */
/* clang-format off */
#define OPT_SAMPLE_FILTER(f) \
	OPT_STRING(0, "thread-name", &(f).thread_name, "<regex>", \
		   "keep threads whose name contains a match"), \
	OPT_STRING(0, "full-thread-name", &(f).full_thread_name, \
		   "<regex>", "keep threads whose whole name matches", \
		   .aliases = "-tn", .rare = true), \
	OPT_STRING(0, "state", &(f).state, "<states>", \
		   "keep samples in these states: RUNNABLE,BLOCKED", \
		   .aliases = "-s --states"), \
	OPT_STRING('I', "include", &(f).include, "<regex>", \
		   "keep stack traces with a matching frame"), \
	OPT_STRING('X', "exclude", &(f).exclude, "<regex>", \
		   "omit stack traces with a matching frame"), \
	OPT_STRING(0, "trace-filter", &(f).trace_filter, "<filter>", \
		   "keep stack traces that match an SJK filter", \
		   .aliases = "-tf"), \
	OPT_STRING(0, "trace-trim", &(f).trace_trim, "<filter>", \
		   "keep the matching frame and its callees", \
		   .aliases = "-tt"), \
	OPT_FLAG(0, "sjk-compat", &(f).sjk_compat, \
		 "apply SJK filters with the deviations of SJK", .rare = true), \
	OPT_FLAG(0, "no-class", &(f).no_class, \
		 "omit the frame of the allocated or locked class")
/* clang-format on */

struct sample_filter;

/*
 * Compiles the options; call it before reading, which may take long. Returns
 * NULL and ERROR_MISUSE, naming the option, when a value is invalid. Borrows
 * the strings.
 */
struct sample_filter *sample_filter_new(const struct sample_filter_options *o,
					struct error *err);
void sample_filter_free(struct sample_filter *f); /* accepts NULL */

/* True when the filter needs line numbers of frames. */
bool sample_filter_wants_lines(const struct sample_filter *f);

/*
 * Returns the events whose stack traces are needed to select samples and to
 * draw these events, for recording_options.stacks: all if a filter looks at
 * stack traces, since the totals of the other events are printed, too.
 */
const char *sample_filter_stacks(const struct sample_filter *f,
				 const char *events);

/* Removes samples that do not match; warns when a pattern gave up. */
void sample_filter_apply(const struct sample_filter *f, struct profile *p);

/* Appends the options of the filter: "--include 'x', --state 'y'". */
void sample_filter_name(const struct sample_filter *f, struct text *out);

#endif
