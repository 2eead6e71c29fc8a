/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jrmp: the messages of RMI's wire protocol, and the detection of others.
 *
 * Java RMI Specification, chapter 10; captures of JDK 17 and 25 have the same
 * bytes.  A connection begins with a hello from the client and a greeting from
 * the server.  Then the client sends calls, and the server returns.
 */
#ifndef JMX_HTTP_RMI_JRMP_H
#define JMX_HTTP_RMI_JRMP_H

#include "core/base/text.h"
#include "jmx_http/java/java_stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JRMP_HOST_MAX 255 /* bytes of a host name, the limit of DNS */
#define JRMP_ID_LEN   22
#define JRMP_ACK_LEN  14

/* Java RMI Specification, 10.2. */
enum jrmp_tag {
	JRMP_STREAM = 0x4b, /* the protocols of a client */
	JRMP_MULTI = 0x4d,
	JRMP_ACK = 0x4e, /* the server's reply */
	JRMP_NACK,
	JRMP_CALL, /* messages */
	JRMP_RETURN,
	JRMP_PING,
	JRMP_PING_ACK,
	JRMP_DGC_ACK,
	JRMP_RETURN_VALUE = 1, /* types of returns */
	JRMP_RETURN_EXCEPTION,
};

/* An ObjID, the identifier of an exported object of a JVM. */
struct jrmp_id {
	uint8_t bytes[JRMP_ID_LEN];
};

/* The well-known objects (java.rmi.server.ObjID). */
extern const struct jrmp_id jrmp_registry, jrmp_dgc;

/* The kind of server, by the first bytes that it sends after a hello. */
enum jrmp_answer {
	JRMP_SHORT,   /* more bytes are needed */
	JRMP_GREETED, /* an RMI server */
	JRMP_REFUSED, /* an RMI server that rejects the protocol */
	JRMP_TLS,     /* an alert: the server expects TLS */
	JRMP_HTTP,
	JRMP_OTHER,
};

struct jrmp_greeting {
	char host[JRMP_HOST_MAX + 1]; /* the client, as seen by the server */
	uint32_t port;
	size_t len; /* of the message */
};

/* Classifies the first bytes; fills *greeting on JRMP_GREETED. */
enum jrmp_answer jrmp_read_answer(const void *bytes, size_t len,
				  struct jrmp_greeting *greeting);

/* Each appends a message, or the head of one. */
void jrmp_add_hello(struct text *out);    /* the stream protocol */
void jrmp_add_endpoint(struct text *out); /* after a greeting */
void jrmp_add_ping(struct text *out);
void jrmp_add_ack(struct text *out, const uint8_t id[JRMP_ACK_LEN]);

/*
 * The head of a call; the caller appends the object arguments.  operation is -1
 * and hash the hash of the method.  Calls of the registry and of DGC have an
 * operation number and the hash of the interface.
 */
void jrmp_add_call(struct text *out, const struct jrmp_id *object,
		   int32_t operation, uint64_t hash);

/* As above, followed by at most 200 bytes of primitive arguments. */
void jrmp_add_call_with(struct text *out, const struct jrmp_id *object,
			int32_t operation, uint64_t hash,
			const void *primitives, uint8_t len);

/* The return of a call, parsed as its bytes arrive.  Zero it before use. */
struct jrmp_return {
	bool is_void;      /* set by the caller: the return has no value */
	bool is_exception; /* thrown by the method or, if aborted, by RMI */
	bool is_aborted;   /* the server failed to write the value; it closes */
	uint8_t ack_id[JRMP_ACK_LEN];
	struct java_bytes primitive;    /* a primitive value */
	const struct java_value *value; /* or the Throwable; may be NULL */
	const char *wrong;              /* with JAVA_WRONG */

	/* Private from here on. */
	struct java_stream stream;
	bool has_tag, has_head;
};

/*
 * Parses the bytes after the bytes used before.  Returns JAVA_MORE, JAVA_DONE
 * or JAVA_WRONG.  Strings and values are valid until jrmp_return_release().
 */
enum java_status jrmp_return_read(struct jrmp_return *r, const void *bytes,
				  size_t len, size_t *used);

void jrmp_return_release(struct jrmp_return *r);

#endif
