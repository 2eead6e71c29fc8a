/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_call: the operations of a Jolokia request as the policy and the call
 * log see them, and whether they may pass.
 *
 * A POST body is checked while it passes.  The verdict on an entry is known at
 * the latest with the entry's closing brace, which is forwarded only if the
 * entry may pass.  An agent executes nothing before the JSON document is
 * complete, so bodies of any size need no memory here.
 *
 * An agent must not understand a body differently than this parser.  So only
 * strict JSON in UTF-8 passes, and no entry with two equal keys among those of
 * enum jolokia_key.
 */
#ifndef JMX_HTTP_PROXY_JOLOKIA_CALL_H
#define JMX_HTTP_PROXY_JOLOKIA_CALL_H

#include "core/base/lines.h"
#include "core/base/text.h"
#include "jmx_http/proxy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOLOKIA_DEPTH_MAX 256 /* nested objects and arrays */
#define JOLOKIA_NAME_MAX  512 /* bytes of a string that is kept */

struct jolokia_rules {
	bool read_only;
	/*
	 * The URLs that a request may have as "target": the agent connects
	 * there, on behalf of the client (CVE-2018-1000130).  A host:port
	 * stands for the URL of "jmxrmi" in its registry.  Borrowed.
	 */
	const char *const *targets;
	size_t target_count;
};

enum jolokia_verdict {
	JOLOKIA_PASSES,
	JOLOKIA_REFUSED, /* by the rules */
	JOLOKIA_INVALID, /* not a Jolokia request */
};

/* A string of a request, truncated to JOLOKIA_NAME_MAX bytes. */
struct jolokia_name {
	char bytes[JOLOKIA_NAME_MAX];
	size_t len;
	bool is_given, is_truncated;
};

/* The members of an entry that matter, in the order of jolokia_keys[]. */
enum jolokia_key {
	JOLOKIA_TYPE,
	JOLOKIA_MBEAN,
	JOLOKIA_ATTRIBUTE,
	JOLOKIA_OPERATION,
	JOLOKIA_TARGET,
	JOLOKIA_KEYS, /* number of keys; any other key */
};

/* A request while it is checked. */
struct jolokia_call {
	const struct jolokia_rules *rules; /* borrowed */
	const char *why;                   /* the verdict's reason; static */
	const char *method; /* of the first entry; static; NULL: none yet */
	size_t count;       /* of entries */
	bool changes;       /* an entry changes something, or may */
	bool is_jsonp;      /* the response will be a script */

	/* Private from here on: the state of the JSON parser. */
	enum jolokia_verdict verdict;
	unsigned state;
	unsigned depth, entry_depth;
	uint8_t is_object[JOLOKIA_DEPTH_MAX / 8]; /* a bit per level */
	bool is_key;
	unsigned hex_digits, hex;
	unsigned utf8_left, utf8_min, utf8_max;
	const char *literal;
	bool keeps_string;
	enum jolokia_key key; /* of the value at the entry's level */
	bool in_target;
	bool is_url; /* the key in "target" */
	/* Strings last; see jolokia_call_begin(). */
	struct jolokia_name object, member; /* of the first entry */
	struct jolokia_name string;
	struct jolokia_name values[JOLOKIA_KEYS];
};

/* Prepares for a request. */
void jolokia_call_begin(struct jolokia_call *c,
			const struct jolokia_rules *rules);

/* Checks the next piece of a POST body. */
enum jolokia_verdict jolokia_call_read(struct jolokia_call *c,
				       const char *bytes, size_t len);

/* Returns the verdict on the whole body, after the last piece. */
enum jolokia_verdict jolokia_call_end(struct jolokia_call *c);

/*
 * Checks a GET or HEAD request.  target is the undecoded part after the agent's
 * path: "/read/java.lang:type=Memory?maxDepth=2".
 */
enum jolokia_verdict jolokia_call_of_path(struct jolokia_call *c,
					  struct line target);

/* Returns the description for the call log; its texts belong to c. */
struct policy_call jolokia_call_log(const struct jolokia_call *c);

/*
 * Returns true if a path, without query, could leave the agent's path: a
 * segment is "." or "..", perhaps escaped or with a parameter ("..;"), or
 * contains a NUL.
 */
bool jolokia_path_escapes(struct line path);

#endif
