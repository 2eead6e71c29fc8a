/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: a profile as tables of frames, classes, threads and calls.
 *
 * One event view of a profile is summed up once, by frames, by threads and by
 * calls, and then written as text for a person, as CSV or as JSON.
 */
#ifndef RENDER_PROFILE_REPORT_H
#define RENDER_PROFILE_REPORT_H

#include "core/base/text.h"
#include "core/profile/event_table.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"
#include "render/profile/call_tree.h"
#include "render/profile/frame_table.h"
#include "render/profile/sums.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parts of a report; a set of parts is the bits 1 << part. */
enum report_part {
	REPORT_FRAMES,
	REPORT_CLASSES,
	REPORT_OWNERS,
	REPORT_THREADS,
	REPORT_CALLS,
	REPORT_PARTS
};

#define REPORT_ALL ((1U << REPORT_PARTS) - 1)

/* As people name them: "frames", "classes", "owners", "threads", "calls". */
extern const char *const report_part_names[REPORT_PARTS];

#define REPORT_TOP         20
#define REPORT_MIN_PERCENT 1
#define REPORT_FIT         80
#define REPORT_CHAIN       12

struct report_options {
	const char *source;     /* "dump.jfr", "4711 Main" */
	bool alone;             /* others of its events are to be named */
	unsigned parts;         /* bits of enum report_part */
	size_t frames, threads; /* rows of each at most; 0: all: of classes
				   and owners as of threads */
	double min_percent;     /* what calls come to that are shown, */
	size_t fit;             /* or more, where rows are more (call_tree.h) */
	size_t chain; /* calls without a choice are shown up to so many
			 as text; 0: all */
	/* threads: calls of each thread apart; reverse and annotate are
	 * ignored.
	 */
	struct style style;
	size_t width; /* of the terminal, in characters; 0: of any width */
};

struct report {
	const struct profile *profile; /* borrowed, as are these two */
	const struct event_view *view;
	const struct report_options *options;
	bool weights;                   /* what is measured is */
	enum unit unit;                 /* in this unit, */
	uint64_t whole;                 /* the total, */
	uint64_t without_stack;         /* and its part without a stack trace */
	uint64_t states[THREAD_STATES]; /* samples in each */
	struct frame_table table;
	struct frame_sum *frames; /* the hottest first */
	size_t frame_count;
	struct class_sum *classes; /* those with most first, as these two */
	size_t class_count;
	struct class_sum *owners;
	size_t owner_count;
	struct thread_sum *threads;
	size_t thread_count;
	struct call_tree calls;
};

/* Sums up a view; what options->parts leaves out is empty. */
void report_init(struct report *r, const struct profile *p,
		 const struct event_view *view,
		 const struct report_options *options);
void report_release(struct report *r);

/* The name of a frame, made safe for a terminal; not NUL-terminated. */
const struct label_name *report_frame_name(const struct report *r,
					   uint32_t label);

/* The percentage of the whole. */
double report_percent(const struct report *r, uint64_t part);

/* The number of rows of a part that are shown. */
size_t report_rows(const struct report *r, enum report_part part);

/*
 * From when to when samples were taken that could be in the report, whatever
 * their events; false when it is not known.
 */
bool report_times(const struct report *r, int64_t *from_ns, int64_t *to_ns);

/* Appends lines that say what was sampled, and what that does not show. */
void report_head(struct text *out, const struct report *r);

/*
 * Each appends a report, or for several views all of them: as text, names made
 * safe for a terminal; as CSV, one part of it (the first of parts), a line for
 * each row; as JSON, one document.  sjkc(1) says what is in them.
 */
typedef void report_fn(struct text *out, const struct report *reports,
		       size_t count);
report_fn report_text, report_csv, report_json;

/*
 * report_table.c: a table of events, for a person, as CSV and as JSON.
 */

struct event_table_options {
	const char *source; /* what was read, for people */
	size_t rows;        /* maximum number in text */
	size_t width;       /* of a line of text; 0: as wide as it is */
};

typedef void event_table_fn(struct text *out, const struct profile *p,
			    const struct event_table *t,
			    const struct event_table_options *o);

event_table_fn event_table_text, event_table_csv, event_table_json;

#endif
