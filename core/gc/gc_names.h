/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_names: what the names of pauses and collectors mean that HotSpot writes to
 * logs and recordings (gcName.hpp and log messages of JDK 9 to 25).
 */
#ifndef CORE_GC_GC_NAMES_H
#define CORE_GC_GC_NAMES_H

#include "core/base/lines.h"
#include "core/gc/gc_pause.h"

/*
 * Returns the kind of a pause by its name in unified logs, without "Pause ":
 * "Young (Mixed) (G1 Evacuation Pause)".
 */
enum gc_kind gc_pause_name_kind(struct line name);

/*
 * Returns the only collector whose pauses have that name, as a constant, or
 * NULL. The name must not be empty.
 */
const char *gc_pause_name_collector(struct line name);

/*
 * Returns the collector for the name that the JVM prints after "Using ", or
 * that a JFR event has: "The Z Garbage Collector", "G1New", "ParNew". A
 * constant, or NULL for an unknown name.
 */
const char *gc_collector_name(struct line name);

#endif
