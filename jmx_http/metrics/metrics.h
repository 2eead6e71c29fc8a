/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics: metrics of a JVM for Prometheus.
 *
 * The standard metrics have the names of Prometheus' client library for Java
 * (https://prometheus.github.io/client_java/instrumentation/jvm/), so
 * dashboards for it work.  A metric that the JVM does not have is absent.
 *
 * Metrics of chosen MBeans are named as in the default format of Prometheus'
 * JMX exporter: the domain, the value of the first key property, the attribute,
 * and the key of a composite; the other key properties are labels.
 */
#ifndef JMX_HTTP_METRICS_METRICS_H
#define JMX_HTTP_METRICS_METRICS_H

#include "jmx_http/http/exposition.h"
#include "jmx_http/jmx.h"

struct metrics_options {
	/*
	 * Chosen MBeans: "PATTERN[:ATTRIBUTE,…]".  Without attributes, all that
	 * are numbers, booleans, or composites of these.
	 */
	const char *const *chosen;
	size_t chosen_count;
	/* Search for deadlocks, for which the JVM stops all threads. */
	bool deadlocks;
};

/* Returns 0; or -1 and ERROR_MISUSE if the text is not a valid chosen MBean. */
int metrics_check(const char *chosen, struct error *err);

/*
 * Reads the metrics and appends them to out, in the format of EXPOSITION_TYPE.
 * Needs at most two round trips, one more for the states of threads, and two
 * more for chosen MBeans without attributes.
 *
 * Returns 0; or -1 and *err as jmx_run() if the connection fails before
 * anything was read, and out is unchanged.  If the connection fails later,
 * returns 1 and *err: out has the metrics that were read, and jmx_scrape_error
 * is 1.
 */
int metrics_read(struct jmx *j, const struct metrics_options *o,
		 struct text *out, struct error *err);

#endif
