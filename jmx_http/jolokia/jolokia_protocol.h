/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_protocol: requests and responses of Jolokia 1.x and 2.x (protocols 7
 * and 8), without HTTP.
 *
 * A POST has one request object, or an array of them, whose responses are an
 * array in the same order.  https://jolokia.org/reference/html/protocol.html
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_PROTOCOL_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_PROTOCOL_H

#include "jmx_http/jmx.h"
#include "jmx_http/jolokia/jolokia_json.h"

/* Replaces the index of a name: all names in one request. */
#define JOLOKIA_WHOLE SIZE_MAX

/* Returns true if requests with this verb change nothing. */
bool jolokia_is_read(enum jmx_verb verb);

/*
 * Appends the JSON object of a request; of JMX_GET, for all names or for the
 * one with the index `name`.  Returns 0; or -1 and ERROR_MISUSE for an invalid
 * object name.
 */
int jolokia_add_request(struct text *out, const struct jmx_request *q,
			size_t name, struct error *err);

/*
 * Returns the failure of a response object, "class: message", in the arena;
 * NULL if the request succeeded.  Sets *kind as in jmx_reply.
 */
const char *jolokia_failure(const cJSON *response, struct arena *a,
			    enum error_kind *kind);

/*
 * Returns true for the text that an agent returns in place of an attribute that
 * it could not read among others.  A real value may be the same text, so the
 * caller must request the attribute alone to decide.
 */
bool jolokia_is_replaced(const cJSON *value);

/*
 * Converts the value of a response to "list" for one MBean, in the arena.
 * Returns NULL if the value does not describe an MBean.
 */
const struct jmx_info *jolokia_to_info(const cJSON *value, struct arena *a);

/* Converts the value of a response to "search": an array of names, or NULL. */
const struct value *jolokia_to_names(const cJSON *value, struct arena *a);

/* An agent, by its response to "version"; foreign, in the arena. */
struct jolokia_agent {
	const char *agent, *protocol; /* "1.7.1", "7.2" */
	/* The agent's limits; 0: none, which requests ask for. */
	int64_t max_depth, max_collection, max_objects;
};

/*
 * Returns the name of the agent's option that truncated a value, or may have,
 * because the value has as many elements as the option allows; else NULL.
 * is_list: the value of a response to "list".
 */
const char *jolokia_limit_reached(const cJSON *value, bool is_list,
				  const struct jolokia_agent *agent);

/* Returns false if the value is not that of an agent. */
bool jolokia_to_agent(const cJSON *value, struct jolokia_agent *agent,
		      struct arena *a);

#endif
