/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class_histogram: the number of objects of each class in a heap.
 *
 * Parses HotSpot's reply to "inspectheap" and jcmd's to GC.class_histogram, and
 * files with such a reply or with the output of sjkc hh. JDK 6 to 8 print class
 * names, JDK 9 on also modules.
 */
#ifndef CORE_JVM_CLASS_HISTOGRAM_H
#define CORE_JVM_CLASS_HISTOGRAM_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/jvm/container.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct class_count {
	const char *name;   /* as the JVM writes it: "[B"; foreign */
	const char *module; /* "java.base@17.0.21", or "" */
	int64_t instances;
	int64_t bytes;
};

/* A zeroed struct is an empty histogram. */
struct class_histogram {
	struct class_count *rows; /* in descending order of bytes */
	size_t count, cap;
	size_t unread;         /* malformed lines between rows */
	uint64_t first_unread; /* number of the first of these lines */
	/* The total that the text states; it may have fewer rows (-n). */
	bool has_total;
	int64_t stated_bytes;
	struct arena names;
	const struct container_pod *pod; /* of the JVM, borrowed, or NULL */
};

/* A class in two histograms; it is missing where it has no instances. */
struct class_change {
	const char *name, *module;
	int64_t instances_before, instances;
	int64_t bytes_before, bytes;
};

/*
 * Adds the rows of such a reply. ERROR_INPUT if there are none; *err quotes the
 * reply's first line, which has the reason.
 */
int class_histogram_read(struct class_histogram *h, const char *text,
			 size_t len, struct error *err);

/*
 * Reads a file ("-": standard input) with a reply of the JVM (jmap -histo, jcmd
 * GC.class_histogram) or the output of sjkc hh, as text, CSV or JSON. The rows
 * are sorted. ERROR_INPUT for other formats, and for a file that states a
 * total but lacks rows: a difference to it would be wrong.
 */
int class_histogram_read_file(struct class_histogram *h, const char *path,
			      struct error *err);

/*
 * Compares two histograms, which must outlive the result: an array of *count
 * changes to free(), of the classes whose instances or bytes differ, the
 * largest differences in bytes first. Classes are equal if their names and
 * modules are.
 */
struct class_change *
class_histogram_compare(const struct class_histogram *before,
			const struct class_histogram *after, size_t *count);

/*
 * Subtracts the objects of `other`, which must outlive h. Classes are equal if
 * their names and modules are.
 */
void class_histogram_subtract(struct class_histogram *h,
			      const struct class_histogram *other);

/* The sum of all rows, with the name "Total". */
struct class_count class_histogram_total(const struct class_histogram *h);

void class_histogram_release(struct class_histogram *h);

#endif
