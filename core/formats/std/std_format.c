/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/std/std_format.h"

#include <stddef.h>

const char *const std_magics[STD_VERSIONS] = {
	[STD_V1] = "TRACEDUMP_1 ",
	[STD_V2] = "TRACEDUMP_2 ",
	[STD_V4] = "EVENTDUMP_1 ",
};

const char *const std_first_strings[] = {
	STD_KEY_PARTS,
	"jvm.event",
	STD_KEY_ID,
	STD_KEY_NAME,
	STD_KEY_STATE,
	"java.cpu-time.ms",
	"java.cpu-time.user.ms",
	"java.allocated.bytes",
	"java.wait-count",
	"java.wait-time.ms",
	"java.blocked-count",
	"java.blocked-time.ms",
	"jvm.gc.name",
	"jvm.gc.memory-spaces",
	"jvm.gc.count",
	"jvm.gc.total-time",
	NULL,
};

const char *const std_first_dynamic[] = {
	"",
	STD_PART_COUNTERS,
	STD_PART_TAGS,
	"thread-details",
	STD_PART_TRACE,
	STD_PART_TIME,
	"jvm.thread-snapshot",
	"jvm.event.gc",
	"jvm.event.stw",
	NULL,
};
