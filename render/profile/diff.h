/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff: a view of two recordings as tables of changes by frame, class and
 * thread, written as text, CSV or JSON.
 */
#ifndef RENDER_PROFILE_DIFF_H
#define RENDER_PROFILE_DIFF_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"
#include "core/profile/sides.h"
#include "render/tree/frame_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * noise: decides whether the difference between two sampled values is more than
 * sampling explains; noise.c has the method.
 */

/* The proportion of changes reported as significant that are noise. */
#define NOISE_FALSE_DISCOVERIES 0.05

/* Fewer samples on both sides together are never significant. */
#define NOISE_SAMPLES 10

/* A sum of samples; parts[i] is its value in part i of the recording. */
struct noise_sum {
	double value;
	double samples;
	const float *parts;
};

/* The base of one side. */
struct noise_base {
	double value;   /* > 0 */
	double samples; /* 0 if it is not a sum of samples */
	double parts[SIDE_PARTS];
	size_t part_count; /* 0: unknown, samples count as independent */
	bool has_sums;     /* each sum is a part of the base: a share */
	/* Makes values of both sides comparable if their units differ; 0 = 1.
	 */
	double scale;
};

/*
 * Returns the probability (two-sided) that ratios of equal sources differ at
 * least as much; NaN if there are too few samples, or none on a side has a
 * variance.
 */
double noise_probability(const struct noise_sum sums[2],
			 const struct noise_base bases[2]);

/*
 * Returns the largest of `count` probabilities that is significant, or a
 * negative number if none is: by Benjamini and Hochberg (J. R. Statist. Soc. B
 * 57, 1995), which limits the proportion of false reports although many
 * changes are tested. It holds for values that rise together, as those of a
 * caller and its callee (Benjamini and Yekutieli, Ann. Statist. 29, 2001). NaN
 * is not counted.
 */
double noise_threshold(const double *probabilities, size_t count);

/* The comparison of two recordings. */

enum diff_part_kind {
	DIFF_SELF,    /* frames by self */
	DIFF_TOTAL,   /* frames by total */
	DIFF_CLASSES, /* allocated classes, or classes of locks */
	DIFF_THREADS, /* threads whose names differ only in numbers */
	DIFF_PARTS
};

/* "self", "total", "classes", "threads" */
extern const char *const diff_part_names[DIFF_PARTS];

/* The base that values are divided by. */
enum diff_base {
	DIFF_BY_DEFAULT,
	DIFF_BY_TIME,  /* seconds of the recording */
	DIFF_BY_TOTAL, /* the sum of the view: shares in percent */
	DIFF_BY_EVENT, /* the sum of another event */
	DIFF_BY_NONE,  /* nothing: the sums of the recordings */
};

/* "default", "time", "total", "event", "none" */
extern const char *const diff_base_names[];

/* A recording. */
struct diff_source {
	const char *name; /* of the input: "dump.jfr" */
	struct side side;
	struct text *rates; /* by view: "taken every 10 ms", or empty */
};

/* A pair of recordings, joined in one profile. */
struct diff_pair {
	struct profile *profile;
	struct diff_source sources[2];
	struct frame_table table; /* of all frames, by name */
	uint8_t *is_outer; /* by stack trace: its leaf occurs once in it */
};

struct diff_options {
	enum diff_base base;
	const char *event; /* of DIFF_BY_EVENT */
	struct style style;
	size_t rows;  /* maximum rows of a table in text; 0: all */
	size_t width; /* of the terminal in characters; 0: unlimited */
	bool color;   /* text: gray rows of changes within noise */
};

/* A change. */
struct diff_row {
	uint32_t id;      /* frame: label; class: string; thread: thread id */
	uint64_t sums[2]; /* before and after, in the unit */
	uint64_t samples[2];
	double values[2];   /* the sums divided by the base */
	double probability; /* of chance alone; NaN: too few samples */
	bool is_significant;
};

struct diff_part {
	/* Significant changes first, then by the size of the change. */
	struct diff_row *rows;
	size_t count;
	size_t significant; /* number of rows */
};

struct diff {
	const struct diff_pair *pair; /* borrowed, like options */
	const struct diff_options *options;
	const struct event_view *views[2];
	bool weights;        /* sums are weights, not samples */
	enum unit units[2];  /* of the sums; equal unless DIFF_BY_TOTAL */
	enum diff_base base; /* never DIFF_BY_DEFAULT */
	const char *reason;  /* for the default; or NULL */
	struct noise_base bases[2];
	/* Variation is known from parts of both recordings. */
	bool has_parts;
	struct diff_row whole;
	struct diff_part parts[DIFF_PARTS];
};

/*
 * Names the frames and replaces threads by their pools. The sources' sides
 * were taken from the profile, which has no other samples.
 */
void diff_pair_join(struct diff_pair *pair, const struct style *style);
void diff_pair_release(struct diff_pair *pair); /* may be zeroed */

/* Returns the view of that name of a side, or NULL. */
const struct event_view *diff_find_view(const struct diff_pair *pair,
					size_t side, const char *name);

/*
 * Likewise, by the name or by the last part of it. Fails with ERROR_INPUT,
 * naming the views of the side, when there is none.
 */
const struct event_view *diff_choose_view(const struct diff_pair *pair,
					  size_t side, const char *name,
					  struct error *err);

/*
 * Compares a view of each side. Fails with ERROR_FAILED when the base of the
 * options is unknown or 0 on a side, with ERROR_INPUT when a side does not have
 * the event of the base. diff_release() must follow in any case.
 */
int diff_init(struct diff *d, const struct diff_pair *pair,
	      const struct event_view *before, const struct event_view *after,
	      const struct diff_options *options, struct error *err);
void diff_release(struct diff *d);

/* Appends the name of a row, made safe for a terminal. */
void diff_add_name(struct text *out, const struct diff *d,
		   enum diff_part_kind part, const struct diff_row *row);

/* Returns the compared length of a recording in seconds; 0: unknown. */
double diff_seconds(const struct diff *d, size_t side);

/*
 * Returns the factor that makes sums of the first recording, or numbers of
 * samples, comparable with those of the second.
 */
double diff_scale(const struct diff *d, bool samples);

/* Appends the names of a part's significant rows, a line each. */
void diff_add_significant(struct text *out, const struct diff *d,
			  enum diff_part_kind part);

/* Appends how significance was determined. */
void diff_add_method(struct text *out, const struct diff *d);

/*
 * Append the changes of one or more views: as text, as CSV with one table, as
 * one JSON document. sjkc(1) documents the formats.
 */
typedef void diff_fn(struct text *out, const struct diff *diffs, size_t count);
diff_fn diff_text, diff_csv, diff_json;

#endif
