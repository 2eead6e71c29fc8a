/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording: reads one or more files into one profile.
 *
 * It prints losses with the name of their file while reading.
 */
#ifndef CMD_SHARED_RECORDING_H
#define CMD_SHARED_RECORDING_H

#include "cmd/shared/command.h"
#include "core/base/error.h"
#include "core/profile/event_view.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct recording_options {
	const char *const *paths; /* "-" is stdin */
	size_t path_count;
	const char *format, *wanted; /* of reader_for() */
	/* In the syntax of core/profile/time_range.h, or NULL. */
	const char *from, *to, *time_range, *time_zone;
	bool keep_lines;
	bool keep_moments;  /* see core/profile/moments.h */
	const char *tables; /* wants_tables of struct profile */
	const char *stacks; /* wants_stacks of struct profile */
	/* Called with the profile before it is filled, or NULL. */
	void (*prepare)(void *self, struct profile *p);
	void *prepare_self;
	struct profile *into; /* fill this profile; NULL: a new one */
};

/*
 * The rows of an option table that select a part of a recording; o is a struct
 * with these members.
 */
/* clang-format off */
#define OPT_RECORDING_TIMES(o) \
	OPT_STRING(0, "from", &(o).from, "<time>", \
		   "omit samples before this: 10s, -10s, 10:32:59"), \
	OPT_STRING(0, "to", &(o).to, "<time>", \
		   "omit samples from this time on"), \
	OPT_STRING(0, "time-range", &(o).time_range, "<from>-<to>", \
		   "keep samples in hh:mm:ss-hh:mm:ss of a day (UTC)", \
		   .aliases = "-tr"), \
	OPT_STRING(0, "time-zone", &(o).time_zone, "<zone>", \
		   "set the time zone: UTC, Europe/Paris, GMT+02:00", \
		   .aliases = "-tz --timezone")
/* clang-format on */

/* The values of --format: "auto|jfr|…". */
const char *recording_formats(void);

/*
 * Returns a profile with at least one sample or table row, or NULL and *err;
 * the caller still owns `into` then. An unreadable file among readable files
 * makes the profile partial (profile_is_partial()).
 */
struct profile *recording_read(const struct recording_options *o,
			       struct error *err);

/*
 * Returns the process that still writes the file, found by its descriptors in
 * /proc, or 0. path may be "-".
 */
pid_t recording_writer(const char *path);

/*
 * Prints the readers' notes about the views or, if views is NULL, all notes.
 * are_shown: the output has the notes itself, so that they appear only with -v.
 * name is the input's name.
 */
void recording_log_notes(const struct profile *p, const char *name,
			 const struct event_view *views, size_t view_count,
			 bool are_shown);

#endif
