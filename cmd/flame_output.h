/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_output: writes a profile to a file in any output format.
 *
 * To add one: a function that writes it, and its line in the table at the foot
 * of flame_output.c.
 */
#ifndef CMD_FLAME_OUTPUT_H
#define CMD_FLAME_OUTPUT_H

#include "cmd/command.h"
#include "cmd/sample_filter.h"
#include "core/base/error.h"
#include "core/base/output.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* How it is drawn; what was not asked for is false, NULL or < 0. */
struct flame_output_options {
	const char *event; /* only this; NULL: the page has a tab for each */
	const char *title;
	double min_width;   /* per cent; < 0: as is fit */
	struct style style; /* without weights, which these two decide: */
	bool samples;       /* count samples, whatever they weigh */
	bool total;         /* weigh in collapsed output, too */
};

/* The rows of an option table; o is a struct flame_output_options. */
/* clang-format off */
#define OPT_STYLE(o) \
	OPT_FLAG(0, "samples", &(o).samples, \
		 "count samples instead of time or bytes"), \
	OPT_FLAG(0, "total", &(o).total, \
		 "measure time or bytes, in collapsed output too"), \
	OPT_FLAG('t', "threads", &(o).style.threads, \
		 "add a root frame for each thread"), \
	OPT_FLAG(0, "lines", &(o).style.lines, \
		 "separate the lines of a method"), \
	OPT_FLAG(0, "simple-names", &(o).style.simple, \
		 "print classes without their packages"), \
	OPT_FLAG(0, "annotate", &(o).style.annotate, \
		 "mark how frames ran (not in html): _[j], _[i]", \
		 .aliases = "--ann")
/* clang-format on */

/* The style that the options ask for, with weights or without. */
static inline struct style
flame_output_style(const struct flame_output_options *o, bool weights)
{
	struct style style = o->style;

	style.weights = weights;
	return style;
}

/* A profile, and the views into it that are drawn. */
struct flame_output {
	const struct flame_output_options *options;
	struct profile *profile; /* borrowed */
	struct event_view *views;
	size_t view_count;
	size_t selected;
	const char *source; /* what was read or sampled, for people */
	const char *name;   /* the same in fewer words; or NULL */
	const char *output; /* file name, or "-" */
	bool all_asked;     /* for each of its events: none has to be named */
};

void flame_output_release(struct flame_output *d); /* its views */

/* An output format. */
struct flame_output_format {
	const char *name;       /* what --output-format takes */
	const char *extensions; /* ".html .htm", the usual one first */
	/* Options of flame_output_options that require it. */
	bool is_page, titled, annotates, reverses;
	bool one_event; /* it has no room for another */
	/* True when it could write all. */
	bool (*write)(struct output *out, const struct flame_output *d);
};

/* The values of --output-format: "html|…". */
const char *flame_output_formats(void);

/*
 * The format called name, or where that is NULL, of output's extension; the
 * page when both are NULL or there is no extension.  NULL and ERROR_MISUSE when
 * there is none, or options that it has no use for.
 */
const struct flame_output_format *
flame_output_format(const char *name, const char *output,
		    const struct flame_output_options *o, struct error *err);

/* dump.html for /x/dump.jfr: here, not beside it.  The caller's to free. */
char *flame_output_name(const char *input, const struct flame_output_format *f);

/*
 * Fails with ERROR_OUTPUT when an output would replace one of the inputs, which
 * would lose a recording for ever.
 */
int flame_output_check_output(const char *output, const char *const *inputs,
			      size_t count, struct error *err);

/* "dump.jfr", "3 recordings": the caller's to free. */
char *flame_output_source_of(const char *const *inputs, size_t count);

/*
 * Chooses what is drawn, after it applied the filter to the profile.  Fails
 * with ERROR_INPUT when there is no such event, with ERROR_FAILED when the
 * filter left nothing of it.
 */
int flame_output_choose(struct flame_output *d,
			const struct sample_filter *filter, struct error *err);

/*
 * Says which of several kinds of events is in front, unless all were asked for,
 * and leaves those that a page has room for.
 */
void flame_output_limit(struct flame_output *d);

/*
 * Writes it and says so.  Fails with ERROR_PARTIAL when that is written which
 * could be had.
 */
int flame_output_write(const struct flame_output *d,
		       const struct flame_output_format *format,
		       struct error *err);

#endif
