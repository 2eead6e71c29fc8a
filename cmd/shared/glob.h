/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob: the wildcards of SJK's options.
 */
#ifndef CMD_SHARED_GLOB_H
#define CMD_SHARED_GLOB_H

#include "core/base/pattern.h"

/*
 * Returns a pattern that matches whole texts. ? matches one character and * any
 * text, both without the separator; ** matches any text. "**." at the start and
 * ".**" at the end may also match nothing. separator is '\0' for none. Returns
 * NULL and ERROR_MISUSE on failure.
 */
struct pattern *glob_new(const char *glob, char separator, struct error *err);

#endif
