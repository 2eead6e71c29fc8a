/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_output: writes a profile to a file in any output format.
 *
 * To add a format, write a function and add its row to the table at the end of
 * flame_output.c.
 */
#ifndef CMD_SHARED_FLAME_OUTPUT_H
#define CMD_SHARED_FLAME_OUTPUT_H

#include "cmd/shared/command.h"
#include "cmd/shared/sample_filter.h"
#include "core/base/error.h"
#include "core/base/output.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Options that are not given are false, NULL or < 0. */
struct flame_output_options {
	const char *event; /* draw these: "cpu,alloc"; NULL: all events */
	const char *title;
	double min_width;    /* per cent; < 0: choose by the page's size */
	struct style style;  /* style.weights is unset: see the next two */
	bool samples;        /* count samples instead of weights */
	bool total;          /* print weights in collapsed output, too */
	bool by_extension;   /* the command has no --output-format */
	const char *reports; /* the command's other extensions, or NULL */
};

/* The rows of an option table; o is a struct flame_output_options. */
/* clang-format off */
#define OPT_STYLE(o, total_help) \
	OPT_FLAG(0, "samples", &(o).samples, \
		 "count samples instead of time or bytes", \
		 .excludes = "total"), \
	OPT_FLAG(0, "total", &(o).total, total_help), \
	OPT_FLAG('t', "threads", &(o).style.threads, \
		 "add a root frame for each thread"), \
	OPT_FLAG(0, "lines", &(o).style.lines, \
		 "show each line of a method as a frame"), \
	OPT_FLAG(0, "simple-names", &(o).style.simple, \
		 "print classes without their packages"), \
	OPT_FLAG(0, "annotate", &(o).style.annotate, \
		 "mark compiled and interpreted frames: _[j], _[i]", \
		 .aliases = "--ann")
/* clang-format on */

/* Returns the style of the options with this value for its weights. */
static inline struct style
flame_output_style(const struct flame_output_options *o, bool weights)
{
	struct style style = o->style;

	style.weights = weights;
	return style;
}

/*
 * Joins the values of -e by commas. Returns a text for the whole run, or NULL
 * when the list is empty.
 */
const char *flame_output_events(const struct option_list *events);

/* A profile, and the views of it to draw. */
struct flame_output {
	const struct flame_output_options *options;
	struct profile *profile; /* borrowed */
	struct event_view *views;
	size_t view_count;
	size_t selected;
	const char *source; /* input or target, for the title */
	const char *name;   /* a shorter form of source, or NULL */
	const char *output; /* file name, or "-" */
	bool all_asked;     /* the user asked for all events */
};

void flame_output_release(struct flame_output *d); /* frees the views */

/* An output format. */
struct flame_output_format {
	const char *name;       /* value of --output-format */
	const char *extensions; /* ".html .htm", the preferred one first */
	/* Options of flame_output_options that require it. */
	bool is_page, titled, annotates, reverses;
	bool one_event;      /* a file holds one event only */
	bool has_no_threads; /* supports no root frames of threads */
	/* Returns true when the output is complete. */
	bool (*write)(struct output *out, const struct flame_output *d);
};

/* The values of --output-format: "html|…". */
const char *flame_output_formats(void);

/*
 * Returns the format with this name; if name is NULL, the format of output's
 * extension; if both are NULL or there is no extension, the page. Returns NULL
 * and ERROR_MISUSE for an unknown format, or when o has options that the format
 * does not support.
 */
const struct flame_output_format *
flame_output_format(const char *name, const char *output,
		    const struct flame_output_options *o, struct error *err);

/* Returns the extension of the file's name, from its last dot on, or "". */
const char *flame_output_extension(const char *path);

/*
 * Returns "dump.html" for "/x/dump.jfr", a file in the current directory. The
 * caller frees it.
 */
char *flame_output_name(const char *input, const struct flame_output_format *f);

/*
 * Fails with ERROR_OUTPUT when the output would overwrite one of the inputs.
 */
int flame_output_check_output(const char *output, const char *const *inputs,
			      size_t count, struct error *err);

/* Returns "dump.jfr" or "3 recordings"; the caller frees it. */
char *flame_output_source_of(const char *const *inputs, size_t count);

/*
 * Applies the filter to the profile and chooses the views. Fails with
 * ERROR_INPUT when there is no such event, with ERROR_FAILED when the filter
 * leaves no samples of it.
 */
int flame_output_choose(struct flame_output *d,
			const struct sample_filter *filter, struct error *err);

/*
 * Reports which of several events the output shows, or shows first, unless the
 * user asked for all, and limits the views to those that fit on a page.
 */
void flame_output_limit(struct flame_output *d,
			const struct flame_output_format *format);

/*
 * Writes the output and reports its name. Fails with ERROR_PARTIAL when the
 * output is written but incomplete.
 */
int flame_output_write(const struct flame_output *d,
		       const struct flame_output_format *format,
		       struct error *err);

#endif
