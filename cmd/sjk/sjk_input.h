/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjk_input: the inputs and filters that SJK's commands for stack trace dumps
 * share.
 *
 * Samples are given to the command one by one, with their exact times and
 * counters. Any format that flame reads is supported.
 */
#ifndef CMD_SJK_SJK_INPUT_H
#define CMD_SJK_SJK_INPUT_H

#include "cmd/shared/command.h"
#include "core/base/error.h"
#include "core/profile/profile.h"
#include "core/profile/sample_tap.h"

#include <stdbool.h>

struct sjk_input_options {
	struct option_list files;
	const char *trace_filter, *trace_trim, *thread_name;
	const char *time_range, *time_zone, *jfr_event;
	bool sjk_compat;
	bool is_expanded; /* set by sjk_input_expand() */
};

/* The rows of option tables; o is a struct sjk_input_options. */
/* clang-format off */
#define OPT_SJK_TIMES(o) \
	OPT_STRING(0, "time-range", &(o).time_range, "<from>-<to>", \
		   "keep samples in hh:mm:ss-hh:mm:ss of a day", \
		   .aliases = "-tr"), \
	OPT_STRING(0, "time-zone", &(o).time_zone, "<zone>", \
		   "set the time zone of times (default: UTC)", \
		   .aliases = "-tz --timezone")
#define OPT_SJK_FILTERS(o) \
	OPT_STRING(0, "trace-filter", &(o).trace_filter, "<filter>", \
		   "keep stack traces that match an SJK filter", \
		   .aliases = "-tf"), \
	OPT_STRING(0, "trace-trim", &(o).trace_trim, "<filter>", \
		   "keep the matching frame and its callees", \
		   .aliases = "-tt"), \
	OPT_STRING(0, "thread-name", &(o).thread_name, "<regex>", \
		   "keep threads whose whole name matches", \
		   .aliases = "-tn"), \
	OPT_CHOICE(0, "jfr-event", &(o).jfr_event, "EXEC|ALLOC|THROW", \
		   "use these JFR events (default: EXEC)"), \
	OPT_FLAG(0, "sjk-compat", &(o).sjk_compat, \
		 "apply filters with the deviations of SJK", .rare = true)
/* clang-format on */

/* The options of SJK that choose one of its parsers, for .refusals. */
#define SJK_REFUSE_PARSERS                                                     \
	{ "--force-jdk-parser --force-mc-parser",                              \
	  "sjkc has one JFR reader for all versions; omit the option" },       \
	{                                                                      \
		"--parsers-info", "sjkc flame --help lists the formats"        \
	}

/* SJK's options in each command that reads stack trace dumps. */
extern const struct refusal sjk_refusals[];

/* SJK's name of --verbose, for .shorthands. */
extern const struct shorthand sjk_shorthands[];

/* An option that SJK has in each command. */
#define SJK_REFUSE_COMMANDS                                                    \
	{                                                                      \
		"--commands", "`sjkc help` lists the commands"                 \
	}

struct sjk_sink {
	/* Gets each sample that passes the filters. d may be NULL. */
	void (*add)(void *self, struct profile *p, const struct sample *s,
		    const struct sample_details *d);
	void *self;
	bool wants_events; /* also events that are not samples of threads */
	bool unfiltered;   /* only the time range applies */
	bool any_event;    /* it chooses among events that are not of JFR */
};

/* Adds argv to the files of the options, and replaces wildcards by names. */
void sjk_input_expand(struct sjk_input_options *o, int argc, char **argv);

/*
 * Reads the files of the options and of argv, which may have wildcards. Returns
 * the profile with the names of the samples, or NULL and *err.
 */
struct profile *sjk_input_read(struct sjk_input_options *o, int argc,
			       char **argv, const struct sjk_sink *sink,
			       struct error *err);

/* Fails with ERROR_PARTIAL if part of the input was lost. */
int sjk_input_check(const struct profile *p, struct error *err);

/*
 * sjk_frames: the frames of one stack trace, for output that repeats all of
 * them in each sample. A recording whose stack traces share their callers can
 * be much smaller than that: half a million nested frames, each with a sample,
 * are 10^11 frames. After SJK_FRAMES frames, longer stack traces lose the
 * frames beyond SJK_DEPTH, at their root.
 */
struct sjk_frames {
	uint32_t *at; /* the leaf first */
	size_t count, cap;
	uint64_t total; /* number of frames so far */
	uint64_t cut;   /* number of truncated stack traces */
};

#define SJK_FRAMES UINT64_C(50000000)
#define SJK_DEPTH  512

/* Sets the frames of a stack trace. */
void sjk_frames_set(struct sjk_frames *f, const struct profile *p,
		    uint32_t stack);

/* The same as sjk_input_check(), and reports truncated stack traces. */
int sjk_frames_check(const struct sjk_frames *f, const struct profile *p,
		     struct error *err);

#endif
