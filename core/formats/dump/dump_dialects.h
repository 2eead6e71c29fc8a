/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_dialects: what the format "jstack" is told apart into by read_dump.c.
 */
#ifndef CORE_FORMATS_DUMP_DUMP_DIALECTS_H
#define CORE_FORMATS_DUMP_DUMP_DIALECTS_H

#include "core/formats/reader.h"

extern const struct reader dump_to_file_dialect; /* plain text, JDK 21 */
extern const struct reader javacore_dialect;     /* OpenJ9 */
extern const struct reader hotspot_dialect;      /* and what resembles it */

#endif
