/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jrmp: the messages of RMI's wire protocol, and who answers with others.
 *
 * Java RMI Specification, chapter 10; the bytes were seen to be the same in
 * JDK 17 and 25.  A connection begins with a hello, which is answered with a
 * greeting; then a call goes one way and a return the other.
 */
#ifndef JMX_HTTP_RMI_JRMP_H
#define JMX_HTTP_RMI_JRMP_H

#include "core/base/text.h"
#include "jmx_http/java/java_stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JRMP_HOST_MAX 255 /* of a name; DNS has no longer ones */
#define JRMP_ID_LEN   22
#define JRMP_ACK_LEN  14

/* An ObjID: which exported object of a JVM. */
struct jrmp_id {
	uint8_t bytes[JRMP_ID_LEN];
};

/* Those that are the same everywhere (java.rmi.server.ObjID). */
extern const struct jrmp_id jrmp_registry, jrmp_dgc;

/* Who answers on a port, from the first bytes after a hello. */
enum jrmp_answer {
	JRMP_SHORT,   /* as yet it could be any of them */
	JRMP_GREETED, /* RMI's server */
	JRMP_REFUSED, /* RMI's server, which does not want to */
	JRMP_TLS,     /* an alert: it expected TLS */
	JRMP_HTTP,
	JRMP_OTHER,
};

struct jrmp_greeting {
	char host[JRMP_HOST_MAX + 1]; /* what the server takes ours for */
	uint32_t port;
	size_t len; /* of the message */
};

/* Reads what came first; fills *greeting with JRMP_GREETED. */
enum jrmp_answer jrmp_read_answer(const void *bytes, size_t len,
				  struct jrmp_greeting *greeting);

/* Each appends a message, or the beginning of one. */
void jrmp_add_hello(struct text *out);    /* the stream protocol */
void jrmp_add_endpoint(struct text *out); /* due after a greeting */
void jrmp_add_ping(struct text *out);
/* Whether that is how a ping is answered. */
bool jrmp_is_pong(char byte);
void jrmp_add_ack(struct text *out, const uint8_t id[JRMP_ACK_LEN]);

/*
 * The arguments follow, of those that are objects.  operation: -1, and hash is
 * that of the method, but for the registry and DGC: hash is the interface's.
 */
void jrmp_add_call(struct text *out, const struct jrmp_id *object,
		   int32_t operation, uint64_t hash);

/* The same with arguments of primitive types, which come first: at most 200. */
void jrmp_add_call_with(struct text *out, const struct jrmp_id *object,
			int32_t operation, uint64_t hash,
			const void *primitives, uint8_t len);

/* The answer to a call, read as it arrives.  A zeroed struct is a new one. */
struct jrmp_return {
	bool is_void;      /* to be set before: no object follows */
	bool is_exception; /* thrown by the method or, when aborted, by RMI */
	bool is_aborted;   /* the value could not be written; it closes then */
	uint8_t ack_id[JRMP_ACK_LEN];
	struct java_bytes primitive;    /* a value that is no object */
	const struct java_value *value; /* or the Throwable; may be NULL */
	const char *wrong;              /* with JAVA_WRONG */

	/* Private from here on. */
	struct java_stream stream;
	bool has_tag, has_head;
};

/*
 * Reads on in what follows the bytes that were used before; gives JAVA_MORE,
 * JAVA_DONE or JAVA_WRONG.  Strings and values live until
 * jrmp_return_release().
 */
enum java_status jrmp_return_read(struct jrmp_return *r, const void *bytes,
				  size_t len, size_t *used);

void jrmp_return_release(struct jrmp_return *r);

#endif
