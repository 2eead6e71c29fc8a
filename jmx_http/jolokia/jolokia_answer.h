/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_answer: a request of a Jolokia client while it is answered.
 *
 * A function that fails returns -1 or NULL and has set the failure of the
 * answer; its caller returns at once.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_ANSWER_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_ANSWER_H

#include "jmx_http/jmx.h"
#include "jmx_http/jolokia/jolokia_query.h"
#include "jmx_http/target.h"

/* ---- jolokia_render: values as JSON, as an agent of Jolokia 2.x writes them
 * ---- */

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

/* ---- jolokia_list: descriptions of MBeans, as an agent of 2.x lists them ----
 */

/*
 * Returns the description of an MBean, a composite of "op", "attr", "notif",
 * "class" and "desc", in the arena.  Texts are copied.  The operations of one
 * name are an array.
 */
const struct value *jolokia_list_bean(const struct jmx_info *info,
				      struct arena *a);

/*
 * Truncates a description below `levels` levels, as agents do: objects become
 * "1", arrays their JSON as text.  levels: 0 for no limit.  Returns v, or a
 * value in the arena that has parts of v.
 */
const struct value *jolokia_list_truncate(const struct value *v, int64_t levels,
					  struct arena *a);

/* ---- the answer ---- */

struct jolokia_answer {
	const struct jmx_target *target; /* borrowed */
	struct jmx **jmx; /* the connection to it, made on demand */
	struct jolokia_query q;
	struct jolokia_render render;
	struct text value; /* of the response: JSON */
	struct json j;     /* writes value */
	struct arena arena;
	/* The reply to its first request to the JVM, if that was made before.
	 */
	const struct jmx_reply *early;
	/* "class: message <- class: message" of a failure; else NULL. */
	const char *failure;
	int status; /* of a failure; 0: by its class */
};

/* An exception; texts are parts of its text. */
struct jolokia_failure {
	struct line class, message;
	struct line cause; /* "class: message <- class: message", or empty */
};

/* Parses "class: message <- class: message". */
struct jolokia_failure jolokia_failure_parse(const char *text);

/*
 * As jolokia_failure_parse(), for the exception of the MBean, which the MBean
 * server wraps.
 */
struct jolokia_failure jolokia_failure_innermost(const char *text);

/*
 * Fails with "class: message <- class: message", which is copied, and a status
 * of the response, 0: by the class.  Returns -1.
 */
int jolokia_answer_fail(struct jolokia_answer *a, int status,
			const char *failure);

/* Fails because the request is invalid, as agents do.  Returns -1. */
int jolokia_answer_fail_request(struct jolokia_answer *a, const char *why);

/* Fails because the request's path leads nowhere.  Returns -1. */
int jolokia_answer_fail_path(struct jolokia_answer *a);

/* Fails because of err: ERROR_MISUSE is an invalid request.  Returns -1. */
int jolokia_answer_fail_error(struct jolokia_answer *a,
			      const struct error *err);

/* Adds the members of a failure to a response object. */
void jolokia_answer_add_failure(const struct jolokia_answer *a, struct json *j);

/*
 * Makes a request to the JVM, unless the answer has an early reply; the reply's
 * parts are in the arena, those of an early reply in its arena.
 */
int jolokia_answer_run(struct jolokia_answer *a, const struct jmx_request *q,
		       struct jmx_reply *reply);

/* Returns the description of an MBean, in the arena. */
const struct jmx_info *jolokia_answer_info(struct jolokia_answer *a,
					   const char *object);

/* Finds the names that match a pattern, in the arena. */
int jolokia_answer_names(struct jolokia_answer *a, const char *pattern,
			 const char *const **names, size_t *count);

/* Writes the value of the response: v, or its part by the request's path. */
int jolokia_answer_render(struct jolokia_answer *a, const struct value *v);

/*
 * jolokia_change: requests that may change the JVM.  Each writes the value of
 * the response; -1: it failed.
 *
 * A write returns the old value.
 */
int jolokia_change_write(struct jolokia_answer *a);
int jolokia_change_exec(struct jolokia_answer *a);

#endif
