/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: a client's message, parsed and checked as it arrives.
 *
 * A message becomes REQUEST_WHOLE only if it is complete, follows the grammar
 * and calls a JMX method.  Its bytes are never forwarded: request_write()
 * writes another message with the same values.
 */
#ifndef JMX_HTTP_RMI_REQUEST_H
#define JMX_HTTP_RMI_REQUEST_H

#include "jmx_http/rmi/jrmp.h"
#include "jmx_http/rmi/methods.h"

#define REQUEST_ARGUMENTS_MAX 8
/*
 * Limits of one message, and of the memory of its values.  Before a login,
 * clients call only a registry and a server, and such messages are small.
 */
#define REQUEST_BYTES_MAX        ((size_t)16 << 20)
#define REQUEST_MEMORY_MAX       ((size_t)64 << 20)
#define REQUEST_EARLY_BYTES_MAX  ((size_t)48 << 10)
#define REQUEST_EARLY_MEMORY_MAX ((size_t)160 << 10)
/* The object and the method of a call are within these first bytes. */
#define REQUEST_HEAD_MAX 64

enum request_kind {
	REQUEST_NONE, /* no byte has arrived */
	REQUEST_CALL,
	REQUEST_PING,
	REQUEST_DGC_ACK,
};

enum request_status {
	REQUEST_MORE,
	REQUEST_WHOLE,
	REQUEST_ENDED, /* the client aborted the message */
	REQUEST_WRONG, /* see .wrong */
};

/* Zeroed: a new message without bytes. */
struct request {
	enum request_kind kind;
	const char *wrong;
	size_t used; /* bytes of the message, as received */

	/* Set by request_write(). */
	struct text message;   /* the message to forward; or empty */
	const char *objection; /* the reason if it is empty */

	/* For REQUEST_CALL. */
	struct jrmp_id object;
	const struct method *method;
	const struct java_value *arguments[REQUEST_ARGUMENTS_MAX];
	size_t argument_count;
	struct java_bytes primitives; /* within the head */

	bool has_head; /* object and method are known */

	/* Private from here on. */
	bool is_trusted;
	struct text bytes; /* received */
	struct java_stream stream;
};

/* Parses more bytes; *used is how many of them belong to the message. */
enum request_status request_read(struct request *r, const void *bytes,
				 size_t len, size_t *used);

/* Applies the limits of a client that has logged in. */
void request_trust(struct request *r);

/*
 * Writes r->message from the values of a whole message: its class descriptors,
 * references and lengths are the writer's own, and its strings are valid.  Sets
 * r->objection instead if a value is not of the type that the method declares.
 */
void request_write(struct request *r);

/* The name that request_write() writes of an ObjectName; or "". */
struct java_bytes request_object_name(const struct java_value *v);

/*
 * The array of bytes that request_write() writes of a MarshalledObject: a Java
 * stream, or a Java null.  NULL for other values.
 */
const struct java_value *request_marshalled(const struct java_value *v);

/* The memory of the message, in bytes. */
size_t request_memory(const struct request *r);

/* True for a login, whose credentials request_release() wipes. */
bool request_is_login(const struct request *r);

/* Frees the message and zeroes r.  Zeroed storage is fine. */
void request_release(struct request *r);

/*
 * Iterates over the ObjIDs of a DGC call: sets *id to the ObjID at index *at,
 * which starts at 0, and advances *at.  False at the end.
 */
bool request_dgc_id(const struct request *r, size_t *at, struct jrmp_id *id);

/* Read an object of the class ObjID or UID. */
void request_object_id(const struct java_value *v, struct jrmp_id *id);
void request_uid(const struct java_value *v, uint8_t bytes[14]);

/* True for the ObjID of the distributed garbage collector. */
bool request_is_dgc(const struct jrmp_id *id);

#endif
