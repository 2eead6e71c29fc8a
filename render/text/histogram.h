/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram: writes a heap histogram, or the difference of two, as text, CSV or
 * JSON.
 */
#ifndef RENDER_TEXT_HISTOGRAM_H
#define RENDER_TEXT_HISTOGRAM_H

#include "core/base/output.h"
#include "core/jvm/class_histogram.h"

/* Writes the first `top` rows (0: all rows) and the total of all rows. */
typedef void histogram_fn(struct output *out, const struct class_histogram *h,
			  size_t top);

/* "   1:          20355        1158008  [B (java.base@17.0.21)" */
histogram_fn histogram_text;

/* Columns class,module,instances,bytes; without the total. */
histogram_fn histogram_csv;

/*
 * {"schema":"sjkc.histogram/1",namespace,pod,container,
 * "classes":[{name,module,instances,bytes}],"total":{instances,bytes}}
 */
histogram_fn histogram_json;

/* The result of class_histogram_compare(), and the totals of both histograms.
 */
struct histogram_changes {
	const struct class_change *rows;
	size_t count;
	struct class_count before, after;
	const struct container_pod *pod; /* of the JVM, or NULL */
};

/* Writes the first `top` changes (0: all) and the change of the totals. */
typedef void histogram_changes_fn(struct output *out,
				  const struct histogram_changes *c,
				  size_t top);

/* "   1:           +120         +11580        11580  com.acme.Order (new)" */
histogram_changes_fn histogram_changes_text;

/*
 * Columns class,module,instances_before,instances,bytes_before,bytes; without
 * the totals.
 */
histogram_changes_fn histogram_changes_csv;

/*
 * {"schema":"sjkc.histogram-diff/1",namespace,pod,container,
 * "classes":[{name,module,instances_before,instances,bytes_before,bytes}],
 * "total":{instances_before,…}}
 */
histogram_changes_fn histogram_changes_json;

#endif
