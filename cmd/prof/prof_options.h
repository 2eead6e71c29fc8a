/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_options: what all forms of prof share: the options, and how a profile
 * becomes a report or a file, wherever its samples are from.
 */
#ifndef CMD_PROF_PROF_OPTIONS_H
#define CMD_PROF_PROF_OPTIONS_H

#include "cmd/command.h"
#include "cmd/flame_output.h"
#include "cmd/prof/prof_live.h"
#include "cmd/sample_filter.h"

#include <stdbool.h>
#include <stdint.h>

struct prof_options {
	/* Of a recording. */
	struct option_list inputs;
	const char *format, *from, *to, *time_range, *time_zone;
	/* Of processes that run. */
	struct option_list pids;
	uint64_t tid; /* or COUNT_NOT_GIVEN, as live.hz */
	const char *sampler;
	struct option_list events; /* each is one or more, comma-separated */
	/* What of it is an option's value; a duration < 0 was not given. */
	struct prof_live_options live;
	/* What is drawn or reported, and where to. */
	const char *output, *output_format;
	const char *file; /* async-profiler's -f */
	struct flame_output_options drawing;
	struct sample_filter_options filter;
	const char
		*show; /* parts of the report, with commas between; or NULL */
	bool csv, json;
	uint64_t top; /* frames, and half as many threads; 0: all */
	uint64_t chain;
	double min_percent; /* < 0: as is fit */
	bool quiet, verbose;
};

/* Reads the recordings of --input and writes what is asked for. */
int prof_recording(const struct prof_options *o, struct error *err);

/*
 * Samples the processes of --pid or --all, or a program that it starts, whose
 * command line ends with NULL; and writes what is asked for.
 */
int prof_process(const struct prof_options *o, char **command,
		 struct error *err);

/* How a profile is written: as a report, or as a drawing. */
struct prof_output {
	const struct prof_options *options;
	const struct prof_report_format *report; /* or NULL, and then */
	const struct flame_output_format *drawing;
	unsigned parts;   /* of a report: bits of enum report_part */
	bool every_event; /* a report is of all views, not the one in front */
};

/* What --output-format takes: "text|csv|json|html|…". */
const char *prof_output_formats(void);

/*
 * What the options ask for, before anything is read or sampled, which may take
 * long: every_event is left to the caller.  Fails with ERROR_MISUSE when that
 * cannot be.
 */
int prof_output_choose(struct prof_output *output, const struct prof_options *o,
		       struct error *err);

/*
 * Writes d, whose views are chosen, to its output, as a report or a drawing.
 * May be called again when the profile has grown.  Fails with ERROR_PARTIAL
 * when that is written which could be had.
 */
int prof_write(const struct prof_output *output, struct flame_output *d,
	       struct error *err);

/* Likewise one of its tables, of which there is no drawing. */
struct event_table;
int prof_write_table(const struct prof_output *output,
		     const struct flame_output *d,
		     const struct event_table *table, struct error *err);

#endif
