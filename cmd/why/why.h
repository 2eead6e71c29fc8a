/* SPDX-License-Identifier: Apache-2.0 */
/* why: explains the failure of a JVM. */
#ifndef CMD_WHY_WHY_H
#define CMD_WHY_WHY_H

#include "core/base/error.h"
#include "core/base/output.h"

#include <stdbool.h>

/*
 * Explains a fatal error log of HotSpot (hs_err_pid4711.log): the cause, the
 * next step, and the evidence, as at most 30 lines of text or as JSON. path
 * may be "-". Fails with ERROR_INPUT if the file is no such log, and, after
 * writing the explanation, with ERROR_PARTIAL if the log ends early.
 */
int why_hs_err(const char *path, bool json, struct output *out,
	       struct error *err);

#endif
