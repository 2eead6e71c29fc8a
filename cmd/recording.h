/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording: one or more files read into one profile.
 *
 * What readers had to skip is said as they go, with the file's name.
 */
#ifndef CMD_RECORDING_H
#define CMD_RECORDING_H

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
};

/* What --format takes: "auto|jfr|…". */
const char *recording_formats(void);

/*
 * The profile, which holds some sample, or NULL and *err.  A file that cannot
 * be read beside others that can is a loss, profile_is_partial().
 */
struct profile *recording_read(const struct recording_options *o,
			       struct error *err);

#endif
