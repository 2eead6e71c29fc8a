/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class_histogram: how many objects of each class a heap holds.
 *
 * Read from what a HotSpot JVM answers to "inspectheap" and jcmd to
 * GC.class_histogram: JDK 6 to 8 name classes, JDK 9 on their modules, too.
 */
#ifndef CORE_JVM_CLASS_HISTOGRAM_H
#define CORE_JVM_CLASS_HISTOGRAM_H

#include "core/base/arena.h"
#include "core/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct class_count {
	const char *name;   /* as the JVM spells it: "[B"; foreign */
	const char *module; /* "java.base@17.0.21", or "" */
	int64_t instances;
	int64_t bytes;
};

/* A zeroed struct is an empty histogram. */
struct class_histogram {
	struct class_count *rows; /* those of most bytes first */
	size_t count, cap;
	size_t unread; /* lines that are no row, though rows are around them */
	struct arena names;
};

/*
 * Adds the rows of such an answer.  ERROR_INPUT when it holds none, with its
 * first line, which tells why.
 */
int class_histogram_read(struct class_histogram *h, const char *text,
			 size_t len, struct error *err);

/*
 * Takes the objects of `other` away: what is left is in h only.  Classes are
 * the same by name and module.  other must outlive h.
 */
void class_histogram_subtract(struct class_histogram *h,
			      const struct class_histogram *other);

/* Of all rows; name "Total". */
struct class_count class_histogram_total(const struct class_histogram *h);

void class_histogram_release(struct class_histogram *h);

#endif
