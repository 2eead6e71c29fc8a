/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: a view of a profile as tables of frames, classes, owners, threads and
 * calls, written as text, CSV or JSON.
 *
 * With a group, frames, hottest frames of threads and calls are classes or
 * packages.
 */
#ifndef RENDER_PROFILE_REPORT_H
#define RENDER_PROFILE_REPORT_H

#include "core/base/pattern.h"
#include "core/base/text.h"
#include "core/profile/event_table.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"
#include "render/profile/call_tree.h"
#include "render/profile/sums.h"
#include "render/tree/frame_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parts of a report; a set of parts is the bits 1 << part. */
enum report_part {
	REPORT_WAITS, /* as APPLICATION, and the call below; of waits only */
	REPORT_FRAMES,
	REPORT_APPLICATION, /* the first frame outside the JDK */
	REPORT_CLASSES, /* in the order of enum class_key, as the next two */
	REPORT_OWNERS,
	REPORT_OWNER_METHODS,
	REPORT_THREADS,
	REPORT_CALLS,
	/* These are printed on request only. */
	REPORT_HISTOGRAM,   /* frames with SJK's TERM, OCCUR and FREQ */
	REPORT_CATEGORIES,  /* stack traces by filters of the user */
	REPORT_THREAD_INFO, /* threads with their states, as in SJK */
	REPORT_TIMELINE,
	REPORT_PARTS
};

#define REPORT_USUAL ((1U << REPORT_HISTOGRAM) - 1)

/* The names of the parts: "frames", "classes", "owners", "threads", … */
extern const char *const report_part_names[REPORT_PARTS];

#define REPORT_TOP         20
#define REPORT_MIN_PERCENT 1
#define REPORT_FIT         80
#define REPORT_CHAIN       12

#define REPORT_TIMELINE_WIDTH                                                  \
	60 /* columns of a row, if they are not limited                        \
	    */

struct report_options {
	const char *source;     /* name of the input: "dump.jfr" */
	bool alone;             /* list the other events of the profile */
	unsigned parts;         /* bits of enum report_part */
	size_t frames, threads; /* maximum rows; 0: all. threads limits classes
				   and owners, too */
	double min_percent;     /* minimum total of a call in percent */
	size_t fit; /* maximum lines of calls; see call_tree.h; 0: unlimited */
	size_t chain; /* maximum lines of a non-branching call chain; 0: all */
	enum frame_group group;
	enum frame_order order; /* of frames and of the histogram */
	/*
	 * With style.reverse: calls start at the matching frame nearest the
	 * root instead of at the leaf; NULL: at the leaf.
	 */
	struct pattern *callers_of;
	/*
	 * style.threads: one call tree per thread. style.reverse: the call tree
	 * leads from leaf frames to their callers. annotate is ignored.
	 */
	struct style style;
	size_t width;   /* width of the terminal in characters; 0: unlimited */
	bool ascii;     /* draw timelines without UTF-8 */
	bool keep_idle; /* waits include those of idle threads */
	/* Omit idle threads in all parts, and name the application's frames. */
	bool for_people;
	/* Names of categories; category_of[cell] is 1 + an index, or 0. */
	const char *const *categories;
	size_t category_count;
	const uint16_t *category_of;
};

struct report_classes {
	struct class_sum *sums; /* sorted by total */
	size_t count;
};

struct report {
	const struct profile *profile; /* borrowed, like view and options */
	const struct event_view *view;
	const struct report_options *options;
	bool weights;           /* values are weights, not samples */
	enum unit unit;         /* unit of the values */
	uint64_t whole;         /* total of the view */
	uint64_t without_stack; /* total without a stack trace */
	/* The idle threads of a view with waits, unless they are kept. */
	struct {
		uint64_t samples, weight;
	} idle;
	uint64_t interpreted;           /* in unit; with a leaf of this kind */
	uint64_t states[THREAD_STATES]; /* samples in each thread state */
	struct frame_table table;
	struct frame_sum *frames; /* sorted by self */
	size_t frame_count;
	/* Without calls; empty unless the stack traces have JDK frames. */
	struct wait_sum *application;
	size_t application_count;
	bool *is_application;   /* by label; NULL without frames of the JDK */
	struct wait_sum *waits; /* empty unless the view has waits */
	size_t wait_count;
	struct report_classes by_class[CLASS_KEYS];
	struct thread_sum *threads; /* sorted by total */
	size_t thread_count;
	struct class_sum *categories; /* by index; at the end all others */
	struct thread_info *infos;    /* sorted by total */
	size_t info_count;
	struct timeline timeline;
	struct call_tree calls;
	bool has_callers;     /* a frame matches options->callers_of */
	size_t reverse_depth; /* callers beyond it are cut; 0: none are */

	/* Private: the profile and the view without idle threads. */
	bool *idle_cells;
	struct profile kept_profile;
	struct event_view kept_view;
};

/* Sums up a view. Parts that are not in options->parts are empty. */
void report_init(struct report *r, const struct profile *p,
		 const struct event_view *view,
		 const struct report_options *options);
void report_release(struct report *r);

/* Returns a frame's name, made safe for a terminal; not NUL-terminated. */
const struct label_name *report_frame_name(const struct report *r,
					   uint32_t label);

/* Returns a part as a percentage of r->whole. */
double report_percent(const struct report *r, uint64_t part);

/* Returns the sums of the parts CLASSES, OWNERS and OWNER_METHODS, or NULL. */
const struct report_classes *report_classes(const struct report *r,
					    enum report_part part);

/* Returns the number of rows to show of a part. */
size_t report_rows(const struct report *r, enum report_part part);

/*
 * Returns the time range of the profile's samples, of any event, within its
 * time filter; false when it is unknown.
 */
bool report_times(const struct report *r, int64_t *from_ns, int64_t *to_ns);

/* Appends the first lines of a text report: samples, losses, bias, states. */
void report_head(struct text *out, const struct report *r);

/*
 * Append the reports of one or more views: as text, with names made safe for a
 * terminal; as CSV, the first of parts only; as one JSON document. sjkc(1)
 * documents the formats.
 */
typedef void report_fn(struct text *out, const struct report *reports,
		       size_t count);
report_fn report_text, report_csv, report_json;

/*
 * event_table_text(), _csv(), _json(): write a table of events without stack
 * traces.
 */

struct event_table_options {
	const char *source; /* name of the input */
	size_t rows;        /* maximum number of rows in text */
	size_t width;       /* maximum width of a line of text; 0: unlimited */
};

typedef void event_table_fn(struct text *out, const struct profile *p,
			    const struct event_table *t,
			    const struct event_table_options *o);

event_table_fn event_table_text, event_table_csv, event_table_json;

#endif
