/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording: one or more files read into one profile.
 *
 * What readers had to skip is said as they go, with the file's name.
 */
#ifndef CMD_RECORDING_H
#define CMD_RECORDING_H

#include "cmd/command.h"
#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct recording_options {
	const char *const *paths; /* "-" is stdin */
	size_t path_count;
	const char *format;    /* a reader's name, or "auto" */
	const char *from, *to; /* as core/profile/time_range.h has them; or
				  NULL */
	const char *time_range, *time_zone; /* as time_period.h has them */
	bool keep_lines;
	const char *tables; /* as profile.h has wants_tables */
};

/*
 * The rows of an option table for a part of a recording; o is a struct with
 * these members.
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
 * The profile, which holds some sample, or NULL and *err.  A file that cannot
 * be read beside others that can is a loss, profile_is_partial().
 */
struct profile *recording_read(const struct recording_options *o,
			       struct error *err);

#endif
