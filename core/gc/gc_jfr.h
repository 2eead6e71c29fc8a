/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_jfr: pauses from JFR recordings of JDK 8 and later.
 *
 * The stopped time is the time from the begin of a safepoint to the end of its
 * last operation (or jdk.SafepointEnd, if recorded), by the recording's clock.
 * Recordings of the default settings lack short safepoints.
 */
#ifndef CORE_GC_GC_JFR_H
#define CORE_GC_GC_JFR_H

#include "core/base/error.h"
#include "core/gc/gc_pause.h"

#include <stddef.h>
#include <stdint.h>

struct profile;

/* Opens a source without events. */
struct gc_source *gc_jfr_new(void);

/*
 * Adds the events of a recording of one JVM. Losses are remarks of p, which
 * must be a new profile. Fails with ERROR_INPUT if nothing is readable.
 */
int gc_jfr_add(struct gc_source *s, const uint8_t *bytes, size_t len,
	       struct profile *p, struct error *err);

/* Joins the events, after the last recording; records follow. */
void gc_jfr_finish(struct gc_source *s);

#endif
