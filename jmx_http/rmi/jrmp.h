/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jrmp: the messages of RMI's wire protocol, and the detection of others.
 *
 * Java RMI Specification, chapter 10; captures of JDK 17 and 25 have the same
 * bytes.  A connection begins with a hello from the client and a greeting from
 * the server; then calls go one way and returns the other.
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

/* An ObjID: which exported object of a JVM. */
struct jrmp_id {
	uint8_t bytes[JRMP_ID_LEN];
};

/* The well-known objects (java.rmi.server.ObjID). */
extern const struct jrmp_id jrmp_registry, jrmp_dgc;

/* What listens on a port, by its first bytes after a hello. */
enum jrmp_answer {
	JRMP_SHORT,   /* more bytes are needed */
	JRMP_GREETED, /* an RMI server */
	JRMP_REFUSED, /* an RMI server that rejects the protocol */
	JRMP_TLS,     /* an alert: the server expects TLS */
	JRMP_HTTP,
	JRMP_OTHER,
};

struct jrmp_greeting {
	char host[JRMP_HOST_MAX + 1]; /* the client's, as the server sees it */
	uint32_t port;
	size_t len; /* of the message */
};

/* Reads the first bytes; fills *greeting for JRMP_GREETED. */
enum jrmp_answer jrmp_read_answer(const void *bytes, size_t len,
				  struct jrmp_greeting *greeting);

/* Each appends a message, or the head of one. */
void jrmp_add_hello(struct text *out);    /* the stream protocol */
void jrmp_add_endpoint(struct text *out); /* after a greeting */
void jrmp_add_ping(struct text *out);
/* True for the reply to a ping. */
bool jrmp_is_pong(char byte);
void jrmp_add_ack(struct text *out, const uint8_t id[JRMP_ACK_LEN]);

/*
 * The object arguments are to follow.  operation is -1 and hash that of the
 * method; for the registry and DGC hash is that of the interface.
 */
void jrmp_add_call(struct text *out, const struct jrmp_id *object,
		   int32_t operation, uint64_t hash);

/* The same with primitive arguments, which come first: at most 200 bytes. */
void jrmp_add_call_with(struct text *out, const struct jrmp_id *object,
			int32_t operation, uint64_t hash,
			const void *primitives, uint8_t len);

/* The return of a call, read as it arrives.  A zeroed struct is a new one. */
struct jrmp_return {
	bool is_void;      /* set by the caller: no object follows */
	bool is_exception; /* thrown by the method or, when aborted, by RMI */
	bool is_aborted;   /* writing the value failed; the server closes */
	uint8_t ack_id[JRMP_ACK_LEN];
	struct java_bytes primitive;    /* a primitive value */
	const struct java_value *value; /* or the Throwable; may be NULL */
	const char *wrong;              /* with JAVA_WRONG */

	/* Private from here on. */
	struct java_stream stream;
	bool has_tag, has_head;
};

/*
 * Continues with the bytes that follow those used before; gives JAVA_MORE,
 * JAVA_DONE or JAVA_WRONG.  Strings and values live until
 * jrmp_return_release().
 */
enum java_status jrmp_return_read(struct jrmp_return *r, const void *bytes,
				  size_t len, size_t *used);

void jrmp_return_release(struct jrmp_return *r);

#endif
