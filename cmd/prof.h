/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof: what the forms of the command share: the options, and how a profile
 * becomes a report or a file, wherever its samples are from.
 */
#ifndef CMD_PROF_H
#define CMD_PROF_H

#include "cmd/command.h"
#include "cmd/drawing.h"
#include "cmd/sample_filter.h"

#include <stdbool.h>
#include <stdint.h>

struct prof_options {
	/* Of a recording. */
	struct option_list inputs;
	const char *format, *from, *to, *time_range, *time_zone;
	/* What is drawn or reported, and where to. */
	const char *output, *output_format;
	struct drawing_options drawing;
	struct sample_filter_options filter;
	bool samples, csv, json;
	uint64_t top;
	bool quiet, verbose;
};

/* Reads the recordings of --input and writes what is asked for. */
int prof_recording(const struct prof_options *o, struct error *err);

/* How a profile is written: as a report, or as a drawing. */
struct prof_output {
	const struct prof_options *options;
	const struct prof_report_format *report; /* or NULL, and then */
	const struct drawing_format *drawing;
};

/*
 * What the options ask for, before anything is read or sampled, which may take
 * long.  Fails with ERROR_MISUSE when that cannot be.
 */
int prof_output_choose(struct prof_output *output, const struct prof_options *o,
		       struct error *err);

/*
 * Writes d, whose views are chosen, to its output: the view in front as a
 * report, or all of them as a drawing.  May be called again when the profile
 * has grown.  Fails with ERROR_PARTIAL when that is written which could be had.
 */
int prof_write(const struct prof_output *output, struct drawing *d,
	       struct error *err);

#endif
