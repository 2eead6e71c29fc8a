/* SPDX-License-Identifier: Apache-2.0 */
/*
 * std_format: numbers and names of SJK's stack trace dumps, for the decoder and
 * the encoder. Source: org.gridkit.jvmtool.stacktrace of SJK 0.23.
 */
#ifndef CORE_FORMATS_STD_STD_FORMAT_H
#define CORE_FORMATS_STD_STD_FORMAT_H

#include <stdint.h>

enum std_version { STD_V1, STD_V2, STD_V4, STD_VERSIONS };

#define STD_MAGIC_LEN 12

/* Times of V2 and V4 are milliseconds since this one. */
#define STD_EPOCH_MS INT64_C(1391255854894)

#define STD_NONE     INT64_MIN

enum std_tag {
	STD_STRING = 1,
	STD_FRAME,
	STD_EVENT,
	STD_DYNAMIC_STRING,
	STD_COUNTER, /* V2: a column; V4: a set of counters */
	STD_TAG_SET,
};

/* Changes of a set relative to another one. */
enum std_change {
	STD_END,
	STD_ADD,
	STD_ADD_EMPTY,
	STD_REPLACE,
	STD_REMOVE_KEY,
	STD_REMOVE,
};

/* The longest number that a vint can have. */
#define STD_VINT_MAX ((UINT32_C(1) << 29) - 1)

/* Lines are stored with this added, so that -2 (native) is 0. */
#define STD_LINE_BIAS 2

/* Keys of the parts of V4 events, and of threads. */
#define STD_KEY_PARTS     "(stored-parts)"
#define STD_KEY_ID        "thread.javaId"
#define STD_KEY_NAME      "thread.javaName"
#define STD_KEY_STATE     "thread.javaState"

#define STD_PART_TAGS     "tags" /* always */
#define STD_PART_TIME     "timestamp"
#define STD_PART_COUNTERS "counters"
#define STD_PART_TRACE    "thread-stack"

extern const char *const std_magics[STD_VERSIONS];

/* The strings that V4 begins with; NULL ends each list. */
extern const char *const std_first_strings[];
extern const char *const std_first_dynamic[];

#endif
