/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_query: a request of a Jolokia client, as a server reads it.
 *
 * A request arrives as a JSON object in a POST, or as the path of a GET:
 * /read/MBEAN/ATTRIBUTE/PATH, where "!" escapes "/", "!" and '"'.
 * https://jolokia.org/reference/html/manual/jolokia_protocol.html
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_QUERY_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_QUERY_H

#include "core/base/lines.h"
#include "jmx_http/jolokia/jolokia_json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nesting of arguments; the JSON writer supports 64 levels. */
#define JOLOKIA_ARGUMENT_DEPTH_MAX 40

enum jolokia_query_type {
	JOLOKIA_QUERY_READ,
	JOLOKIA_QUERY_WRITE,
	JOLOKIA_QUERY_EXEC,
	JOLOKIA_QUERY_SEARCH,
	JOLOKIA_QUERY_LIST,
	JOLOKIA_QUERY_VERSION,
	JOLOKIA_QUERY_NONE, /* the request has no valid type */
};

struct jolokia_query_options {
	/* Limits for values; 0: none.  Negative: no value is below it. */
	int64_t max_depth, max_collection, max_objects;
	bool ignore_errors;
	bool canonical_naming;    /* print names with sorted keys */
	bool has_long_texts;      /* serializeLong=string */
	bool serialize_exception; /* add error_value */
	bool include_stack_trace;
	bool include_request;
};

/* All texts and items live as long as the JSON and the arena of the parser. */
struct jolokia_query {
	enum jolokia_query_type type;
	const char *object; /* NULL: none */
	const char *const *attributes;
	size_t attribute_count;  /* 0: all */
	bool has_attribute_list; /* the value is an object of attributes */
	const char *operation;   /* "name" or "name(type,…)" */
	const cJSON *arguments;  /* an array, or NULL */
	const cJSON *value;      /* of a write; NULL: null */
	const char *const *path; /* the parts, without escapes */
	size_t path_count;
	struct jolokia_query_options options;
	const cJSON *json; /* the whole request */
};

/*
 * Parses the target of a GET behind the agent's path ("/read/…?maxDepth=2", or
 * "?p=/read/…") into a request object, which the caller frees with
 * cJSON_Delete().  NULL and ERROR_MISUSE if the target is invalid.
 */
cJSON *jolokia_query_of_path(struct line target, struct error *err);

/*
 * Parses a request object.  query: the query of the URL, without "?"; its
 * options apply unless the object has its own.  Returns 0; or -1 and
 * ERROR_MISUSE, with the options and all members that are valid.
 */
int jolokia_query_parse(struct jolokia_query *q, const cJSON *json,
			struct line query, struct arena *a, struct error *err);

/* Writes the request as the member "request" of a response has it. */
void jolokia_query_json(struct json *j, const struct jolokia_query *q);

#endif
