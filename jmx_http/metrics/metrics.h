/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics: a JVM's figures as Prometheus scrapes them.
 *
 * The usual figures have the names that Prometheus' client library for Java
 * gives them (https://prometheus.github.io/client_java/instrumentation/jvm/),
 * so dashboards for it work.  A figure that the JVM does not have is absent.
 *
 * Chosen MBeans are named as the default format of Prometheus' JMX exporter
 * names them: the domain, the value of the first key property, the attribute,
 * and the key of a composite; the other key properties are labels.
 */
#ifndef JMX_HTTP_METRICS_METRICS_H
#define JMX_HTTP_METRICS_METRICS_H

#include "jmx_http/jmx.h"
#include "jmx_http/metrics/exposition.h"

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

/* ERROR_MISUSE if a chosen MBean is not as above. */
int metrics_check(const char *chosen, struct error *err);

/*
 * Reads the figures and appends them to out, in the format of EXPOSITION_TYPE.
 * Needs at most two round trips, one more for the states of threads, and two
 * more for chosen MBeans without attributes.
 *
 * Returns 0; or -1 and *err as jmx_run() if the connection fails before
 * anything was read, and out is unchanged.  If the connection fails later,
 * returns 1 and *err: out has the figures that were read, and jmx_scrape_error
 * is 1.
 */
int metrics_read(struct jmx *j, const struct metrics_options *o,
		 struct text *out, struct error *err);

#endif
