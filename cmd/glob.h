/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob: wild cards as SJK's options have them.
 */
#ifndef CMD_GLOB_H
#define CMD_GLOB_H

#include "core/base/pattern.h"

/*
 * A pattern that matches whole texts: ? is a character and * any text, neither
 * of them the separator; ** is any text; at the beginning "**.", at the end
 * ".**" may match nothing at all.  separator is '\0' for none.  NULL and
 * ERROR_MISUSE on failure.
 */
struct pattern *glob_new(const char *glob, char separator, struct error *err);

#endif
