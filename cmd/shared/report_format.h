/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_format: selects the format of a report by its options, or else by the
 * extension of its file.
 */
#ifndef CMD_SHARED_REPORT_FORMAT_H
#define CMD_SHARED_REPORT_FORMAT_H

#include "core/base/error.h"

#include <stdbool.h>

/* The formats besides text; NULL if the command does not support one. */
struct report_format {
	bool *csv, *json; /* set if their option is given */
	bool *page;
};

/*
 * Sets the format that the extension of the file selects: text has none or
 * .txt. Fails for an option that contradicts it and, without an option, for an
 * unknown extension.
 */
int report_format_choose(const struct report_format *f, const char *output,
			 struct error *err);

#endif
