/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_perfdata: pauses from a JVM's counters, read every 2
 * to 20 ms, more often after a pause.
 *
 * It needs no rights but the JVM's user and touches nothing. Durations are
 * those of the JVM, exact to the ns; several pauses between two readings are
 * one record with their sums.
 */
#ifndef CORE_GC_GC_PERFDATA_H
#define CORE_GC_GC_PERFDATA_H

#include "core/gc/gc_pause.h"
#include "core/jvm/jvm.h"

/* Opens the counters; jvm is borrowed. Errors as gc_counters_open(). */
struct gc_source *gc_perfdata_open(const struct jvm *jvm, struct error *err);

#endif
