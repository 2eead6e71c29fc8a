/* SPDX-License-Identifier: Apache-2.0 */
/* histogram: writes a heap histogram as text, CSV or JSON. */
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
 * {"schema":"sjkc.histogram/1","classes":[{name,module,instances,bytes}],
 * "total":{instances,bytes}}
 */
histogram_fn histogram_json;

#endif
