/* SPDX-License-Identifier: Apache-2.0 */
/* crash: explains the crash of a JVM by its fatal error log. */
#ifndef CMD_WHY_CRASH_H
#define CMD_WHY_CRASH_H

#include "core/base/text.h"
#include "core/formats/hs_err.h"

/*
 * Appends the cause, the next step, and the evidence, as at most 30 lines of
 * text or as the JSON document "sjkc.hs_err/1", which names the path.
 */
void crash_explain(struct text *out, const struct hs_err *e, const char *path,
		   bool json);

#endif
