/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfdata_file: finds the file of a JVM's counters, and whether to trust it.
 */
#ifndef CORE_JVM_PERFDATA_FILE_H
#define CORE_JVM_PERFDATA_FILE_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

/* -XX:PerfDataMemorySize is 32k; nobody has use for a thousand counters. */
enum { PERFDATA_FILE_MAX = 1 << 20 };

/*
 * Opens, for reading, /tmp/hsperfdata_<user>/<ns pid> in the JVM's root: in a
 * directory and with a file that are its user's own and nobody else's to write,
 * without following links, and only when the JVM has it mapped: with a /tmp
 * that containers share, another JVM of the same number may own the name.
 * -1 and *err as perfdata_open().
 */
int perfdata_file_open(const struct jvm *jvm, struct error *err);

#endif
