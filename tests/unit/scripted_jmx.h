/* SPDX-License-Identifier: Apache-2.0 */
/* scripted_jmx: a JMX connection whose replies come from a table. */
#ifndef TESTS_UNIT_SCRIPTED_JMX_H
#define TESTS_UNIT_SCRIPTED_JMX_H

#include "jmx_http/jmx.h"

#define SCRIPTED_ATTRIBUTES_MAX 16
#define SCRIPTED_LOSSES_MAX     8

struct scripted_mbean {
	const char *name, *class;
	struct {
		const char *name;
		const struct value
			*value; /* NULL: the attribute is not readable */
	} attributes[SCRIPTED_ATTRIBUTES_MAX];
	size_t count;
	const char *info_failure, *get_failure; /* or NULL */
};

struct scripted_jmx {
	struct jmx jmx;
	const struct scripted_mbean *mbeans;
	size_t count;
	/* Requests, counted from 1, at which the connection is lost; 0 ends. */
	size_t losses[SCRIPTED_LOSSES_MAX];
	enum error_kind lost_kind;
	size_t runs, requests; /* so far */
	size_t most;           /* requests of one run */
};

void scripted_jmx_init(struct scripted_jmx *s,
		       const struct scripted_mbean *mbeans, size_t count);

#endif
