/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exposition: metrics in Prometheus' text format, version 0.0.4.
 *
 * Collects series in any order and writes each family once, with its series
 * next to each other, as the format demands.  Names and labels may come from a
 * JVM: they are changed to what the format allows.
 *
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
#ifndef JMX_HTTP_HTTP_EXPOSITION_H
#define JMX_HTTP_HTTP_EXPOSITION_H

#include "core/base/arena.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path and the Content-Type of a document. */
#define EXPOSITION_PATH "/metrics"
#define EXPOSITION_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Limits of one document: beyond them, series are counted, not kept. */
#define EXPOSITION_SERIES_MAX 20000
#define EXPOSITION_BYTES_MAX  ((size_t)8 << 20)
#define EXPOSITION_LABELS_MAX 32

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER,
	METRIC_SUMMARY,
	METRIC_UNTYPED,
};

struct metric_label {
	const char *name, *value; /* any text */
};

/* The labels of one series. */
struct metric_labels {
	struct metric_label at[EXPOSITION_LABELS_MAX];
	size_t count;
};

/* Adds a label; false if there are too many. */
bool metric_labels_add(struct metric_labels *l, const char *name,
		       const char *value);

/* A family of series. */
struct metric {
	const char *name; /* valid, see exposition_add_name() */
	enum metric_type type;
	const char *help; /* any text */
};

struct exposition {
	struct exposition_series *series;
	size_t count, cap;
	struct arena arena;
	/* Series that did not fit, and repeated ones, which are left out. */
	size_t dropped, repeated;
};

/*
 * Adds a series.  suffix: "_sum" or "_count" of a summary, else "".  value: a
 * number as the format spells it.  labels: NULL for none.  Everything is
 * copied.
 */
void exposition_add(struct exposition *e, const struct metric *metric,
		    const char *suffix, const struct metric_labels *labels,
		    const char *value);

/*
 * Appends the document: families sorted by name.  Of series with equal names
 * and labels, and of families with several types, the first one added is
 * written.  e->repeated counts the others.
 */
void exposition_write(struct exposition *e, struct text *out);

void exposition_release(struct exposition *e); /* zeroed storage is fine */

/*
 * Appends text as a part of a metric's name: characters that no name has
 * become "_", and "_" is not repeated.  out holds the parts before.
 */
void exposition_add_name(struct text *out, const char *part);

#endif
