/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_render: values as JSON, as an agent of Jolokia 2.x writes them.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_RENDER_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_RENDER_H

#include "jmx_http/jolokia/jolokia_query.h"

/* Values of a response that are written; counts against maxObjects. */
struct jolokia_render {
	const struct jolokia_query_options *options; /* borrowed */
	int64_t objects;                             /* so far */
};

/*
 * Finds a part of a value by a path: members of composites and objects, keys of
 * maps and tables, and indices of arrays.  "*" matches all of them and yields
 * an object or array of the parts that exist.  The result is in the arena or
 * part of v; NULL if the part does not exist.
 */
const struct value *jolokia_find_part(const struct value *v,
				      const char *const *path, size_t count,
				      struct arena *a);

/*
 * Writes a value.  depth: the level of the value in the response's value, from
 * 0.  Values at the level of maxDepth become strings; collections are truncated
 * after maxCollectionSize elements; the values beyond maxObjects become
 * "[Object limit exceeded]".
 */
void jolokia_render(struct jolokia_render *r, struct json *j,
		    const struct value *v, unsigned depth);

/* Writes an ObjectName as a string; with canonical naming, with sorted keys. */
void jolokia_render_name(struct jolokia_render *r, struct text *out,
			 const char *name);

#endif
