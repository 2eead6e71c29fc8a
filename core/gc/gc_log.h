/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_log: pauses from GC logs: unified logs of JDK 9 and later (-Xlog:gc,
 * -Xlog:gc*,safepoint, any decorators) and logs of JDK 8 (-Xloggc).
 *
 * A pause line has the collector's own time. Only a safepoint line (-Xlog:
 * safepoint, -XX:+PrintGCApplicationStoppedTime) has the stopped time and the
 * time to safepoint; it is joined with the pause lines before it.
 */
#ifndef CORE_GC_GC_LOG_H
#define CORE_GC_GC_LOG_H

#include "core/base/error.h"
#include "core/gc/gc_pause.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A log, or a part of a rotated log. */
struct gc_log_file {
	const uint8_t *bytes; /* borrowed */
	size_t len;
	const char *name; /* borrowed; for messages */
	bool is_cut;      /* its compressed form ended early */
};

/* True if a line of a GC log is anywhere in the bytes. */
bool gc_log_sniff(const uint8_t *bytes, size_t len);

/*
 * Opens logs of one JVM. Several files are read in the order of their times,
 * or as given if a file has none. ERROR_INPUT if no file has a line of a GC
 * log; gc_source_next() fails with it if no collection of a log is readable.
 * files may be freed, their bytes not.
 */
struct gc_source *gc_log_open(const struct gc_log_file *files, size_t count,
			      struct error *err);

/*
 * Opens the unified log that a JVM is writing, with safepoint lines, and
 * without any lines yet. collector is a constant, or NULL if unknown.
 * gc_source_next() returns GC_NEXT_LATER at the end of the lines, and
 * GC_NEXT_END once is_ending is set.
 */
struct gc_source *gc_log_follow(const char *collector);

/*
 * Gives the next whole lines to gc_log_follow() after GC_NEXT_LATER. The bytes
 * are borrowed until the next GC_NEXT_LATER.
 */
void gc_log_feed(struct gc_source *s, const uint8_t *bytes, size_t len);

/*
 * Number of lines so far that are in no format of a GC log, such as lines that
 * a program has printed. *where and *number are the first line's file and
 * number.
 */
uint64_t gc_log_foreign_lines(const struct gc_source *s, const char **where,
			      uint64_t *number);

/* Likewise for lines that begin like a record but are not whole. */
uint64_t gc_log_broken_lines(const struct gc_source *s, const char **where,
			     uint64_t *number);

/*
 * ---- read_gc_json.c ----
 *
 * Records that `sjkc gc --json` has printed.
 */

/* True if the bytes begin with such a record. */
bool gc_json_sniff(const uint8_t *bytes, size_t len);

/* Opens records of one JVM, perhaps none. The bytes are borrowed. */
struct gc_source *gc_json_open(const uint8_t *bytes, size_t len);

#endif
