/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: a message of a client, read as it arrives and checked.
 *
 * Only what is whole, follows the grammar and is a call that a client of JMX
 * makes becomes REQUEST_WHOLE; its bytes are then those to pass on, unchanged.
 */
#ifndef JMX_HTTP_PROXY_REQUEST_H
#define JMX_HTTP_PROXY_REQUEST_H

#include "jmx_http/rmi/jrmp.h"
#include "jmx_http/rmi/methods.h"

#define REQUEST_ARGUMENTS_MAX 8
/*
 * Of one message, and of the values that it holds.  Until a client has logged
 * in it has a registry and a server to call, which takes little.
 */
#define REQUEST_BYTES_MAX        ((size_t)16 << 20)
#define REQUEST_MEMORY_MAX       ((size_t)64 << 20)
#define REQUEST_EARLY_BYTES_MAX  ((size_t)48 << 10)
#define REQUEST_EARLY_MEMORY_MAX ((size_t)160 << 10)
/* A call's object and method are within its first so many bytes. */
#define REQUEST_HEAD_MAX 64

enum request_kind {
	REQUEST_NONE, /* nothing of it has come */
	REQUEST_CALL,
	REQUEST_PING,
	REQUEST_DGC_ACK,
};

enum request_status {
	REQUEST_MORE,
	REQUEST_WHOLE,
	REQUEST_ENDED, /* the client gave up in the middle of it */
	REQUEST_WRONG, /* see .wrong */
};

/* A zeroed struct is the next message; it can be read into once. */
struct request {
	struct text bytes; /* all of the message, once it is whole */
	enum request_kind kind;
	const char *wrong;

	/* Of a call. */
	struct jrmp_id object;
	const struct method *method;
	const struct java_value *arguments[REQUEST_ARGUMENTS_MAX];
	size_t argument_count;

	bool has_head; /* object and method are known */

	/* Private from here on. */
	bool is_trusted;
	struct java_stream stream;
	size_t used;
};

/* Reads on in bytes; *used says how many of them belong to the message. */
enum request_status request_read(struct request *r, const void *bytes,
				 size_t len, size_t *used);

/* The rest of it is of a client that has logged in. */
void request_trust(struct request *r);

/* Bytes of memory that it holds, about. */
size_t request_memory(const struct request *r);

/* True for a login, whose credentials are wiped with the request. */
bool request_is_login(const struct request *r);

/* Gives back its memory: a new message.  Zeroed storage is fine. */
void request_release(struct request *r);

/*
 * The ObjIDs that a call of DGC is for: the next behind *at, from 0 on; NULL
 * when there is none.
 */
bool request_dgc_id(const struct request *r, size_t *at, struct jrmp_id *id);

/* True for the ObjID of the garbage collection, which every JVM has. */
bool request_is_dgc(const struct jrmp_id *id);

#endif
