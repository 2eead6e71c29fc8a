/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snap_bundle: the tar archives that `sjkc snap` writes.
 *
 *	sjkc-snap-HOST-4711-TIME/why.json	of one JVM
 *	sjkc-snap-HOST-all-TIME/4711/why.json	of several
 */
#ifndef CORE_FORMATS_SNAP_BUNDLE_H
#define CORE_FORMATS_SNAP_BUNDLE_H

#include "core/base/error.h"
#include "core/base/input.h"

#define SNAP_DIRECTORY "sjkc-snap-"
#define SNAP_PROFILE   "profile.jfr"
#define SNAP_DUMP      "threads-" /* and a number: threads-1.txt */
#define SNAP_GC        "gc.json"
#define SNAP_WHY       "why.json"
#define SNAP_MANIFEST  "manifest.json"

/*
 * Replaces the bytes of a complete input that is a tar archive by those of the
 * member with this name, "why.json", which may be empty; other inputs remain as
 * they are. Returns 1 after a replacement, or 0. -1 and ERROR_INPUT if the
 * archive is no bundle, has no such member or several: of several JVMs.
 */
int snap_bundle_narrow(struct input *in, const char *name, struct error *err);

#endif
