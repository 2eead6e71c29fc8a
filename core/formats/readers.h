/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readers: the formats there are.  Each is at the foot of its read_<name>.c.
 */
#ifndef CORE_FORMATS_READERS_H
#define CORE_FORMATS_READERS_H

#include "core/formats/reader.h"

extern const struct reader jfr_reader;
extern const struct reader nps_reader;
extern const struct reader dump_json_reader; /* Thread.dump_to_file JSON */
extern const struct reader dump_reader;      /* text thread dumps */
extern const struct reader collapsed_reader;

#endif
