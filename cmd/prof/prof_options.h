/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_options: the options of prof, and the functions that read, sample and
 * write a profile.
 */
#ifndef CMD_PROF_PROF_OPTIONS_H
#define CMD_PROF_PROF_OPTIONS_H

#include "cmd/prof/prof_live.h"
#include "cmd/shared/command.h"
#include "cmd/shared/flame_output.h"
#include "cmd/shared/jvm_selector.h"
#include "cmd/shared/push_options.h"
#include "cmd/shared/sample_filter.h"
#include "cmd/sjk/ssa.h"

#include <stdbool.h>
#include <stdint.h>

/* Only the values of options are set; times < 0: not given. */
struct prof_push_options {
	struct push_options backend; /* its url may be NULL */
	const char *directory;       /* write files there; or NULL */
	/* Limits of the directory; 0: not given. */
	uint64_t keep_bytes, keep_files;
	int64_t keep_ns;
	const char *service; /* of all JVMs; NULL: each has its own */
	const char *labels;  /* full, low or service; NULL: full */
	int64_t interval_ns, shutdown_ns;
	uint64_t buffer_bytes;
	const char *probability;  /* percent of the minutes; NULL: all */
	const char *cpu_limit;    /* percent of a core; NULL: the default */
	uint64_t memory_bytes;    /* of all processes of sjkc; 0: the default */
	const char *metrics;      /* an address to serve them at; or NULL */
	struct option_list allow; /* networks of other machines */
	struct option_list hosts; /* names of this machine for metrics */
};

struct prof_options {
	/* For recordings. */
	struct option_list inputs;
	const char *format, *from, *to, *time_range, *time_zone;
	/* For running processes. */
	struct option_list pids;
	uint64_t tid; /* COUNT_NOT_GIVEN: all; live.sampling.hz likewise */
	const char *sampler;
	struct option_list events; /* each a comma-separated list */
	/* Only the values of options are set; a duration < 0: not given. */
	struct prof_live_options live;
	struct prof_push_options push;
	struct jvm_selector_options select;
	/* For the output. */
	const char *output, *output_format;
	const char *file; /* async-profiler's -f */
	struct flame_output_options drawing;
	struct sample_filter_options filter;
	const char *show; /* parts of the report, comma-separated; or NULL */
	bool csv, json;
	uint64_t top; /* number of frames, twice that of threads; 0: all */
	uint64_t chain;
	const char *category_file; /* SJK's categories, or NULL */
	struct option_list named;  /* NAME=FILTER */
	const char *by, *sort;     /* choices, or NULL */
	const char *callers_of;    /* a regular expression, or NULL */
	double min_percent;        /* < 0: choose by the size of the report */
	const char *log_format;    /* text or json */
};

/* Reads the recordings of --input and writes the output. */
int prof_recording(const struct prof_options *o, struct error *err);

/*
 * Samples the processes of --pid or --all, or starts and samples a program (its
 * command line ends with NULL; or NULL), and writes the output.
 */
int prof_process(const struct prof_options *o, char **command,
		 struct error *err);

/* True if prof sends profiles instead of writing one. */
bool prof_push_is_wanted(const struct prof_push_options *o);

/*
 * Samples until a signal or the end of the duration, and sends a profile for
 * each JVM and interval.  ERROR_PARTIAL if samples were lost.
 */
int prof_push(const struct prof_live_options *live,
	      const struct prof_push_options *o,
	      const struct sample_filter *filter, struct error *err);

/* The output: a report or a drawing. */
struct prof_output {
	const struct prof_options *options;
	/* One of these two is NULL. */
	const struct prof_report_format *report;
	const struct flame_output_format *drawing;
	unsigned parts; /* of the report: bits of enum report_part */
	struct pattern *callers_of; /* compiled; or NULL */
	struct ssa_classes categories;
	bool every_event; /* report all views, not only the selected one */
};

/* The values of --output-format: "text|csv|json|html|…". */
const char *prof_output_formats(void);

/*
 * Chooses the output by the options; call it before reading or sampling, which
 * may take long. The caller sets every_event. ERROR_MISUSE.
 */
int prof_output_choose(struct prof_output *output, const struct prof_options *o,
		       struct error *err);
void prof_output_release(struct prof_output *output);

/* True for outputs that contain the notes of the profile: reports and pages. */
bool prof_output_shows_notes(const struct prof_output *output);

/*
 * Writes the chosen views of d as a report or a drawing. It may be called again
 * after the profile has grown. Fails with ERROR_PARTIAL when the output is
 * written but incomplete.
 */
int prof_write(const struct prof_output *output, struct flame_output *d,
	       struct error *err);

/* Writes a table of the profile, which is never drawn. */
struct event_table;
int prof_write_table(const struct prof_output *output,
		     const struct flame_output *d,
		     const struct event_table *table, struct error *err);

#endif
