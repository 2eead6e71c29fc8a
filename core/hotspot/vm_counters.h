/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_counters: the performance counters of a HotSpot JVM, from its file or its
 * memory.
 *
 * A JVM has its counters in memory of its own, in the layout of the file, if
 * its user has no name (JDK-8341518), if /tmp is not writable, or with
 * -XX:+PerfDisableSharedMem. PerfMemory::_start leads there.
 */
#ifndef CORE_HOTSPOT_VM_COUNTERS_H
#define CORE_HOTSPOT_VM_COUNTERS_H

#include "core/base/error.h"
#include "core/jvm/perfdata.h"

/*
 * Like perfdata_open(), and reads the counters from the JVM's memory if it has
 * no file that sjkc can use. The error then names the reason for both, or the
 * JVM option that disables the counters. jvm is borrowed.
 */
struct perfdata *vm_counters_open(const struct jvm *jvm, struct error *err);

#endif
