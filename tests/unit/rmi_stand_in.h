/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_stand_in: a child process in place of a JVM with JMX, for replies that a
 * real JVM never sends, or not on request.
 *
 * It accepts each login; a script determines the replies to calls.
 */
#ifndef TESTS_UNIT_RMI_STAND_IN_H
#define TESTS_UNIT_RMI_STAND_IN_H

#include "core/base/text.h"
#include "jmx_http/java/java_value.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STAND_IN_ARGUMENTS 5

/* A call that was read. */
struct stand_in_call {
	int method;     /* enum jmx_method */
	uint8_t object; /* the first byte of its ObjID */
	int64_t from;   /* of JMX_FETCH_NOTIFICATIONS: its first argument */
	const struct java_value *arguments[STAND_IN_ARGUMENTS];
};

/* State shared by the test and the stand-in. */
struct stand_in_shared {
	atomic_int logins, connections, calls, done, leases, acks, pings,
		closed;
};

struct stand_in;

/* The next action after a call. */
enum stand_in_next {
	STAND_IN_GO_ON,
	STAND_IN_HOLD,  /* keep the reply until later */
	STAND_IN_CLOSE, /* send the reply and close */
	STAND_IN_DROP,  /* close without sending the reply */
};

/* Appends the reply to a call in a session. */
typedef enum stand_in_next stand_in_script(struct stand_in *s,
					   const struct stand_in_call *call,
					   struct text *out);

struct stand_in {
	/* Set before the start; zeroes are allowed. */
	stand_in_script *script;
	bool has_other_port; /* sessions use the other port */
	const char *address; /* the address where it listens; NULL: 127.0.0.1 */
	const char *host;    /* host of its stubs; NULL: 127.0.0.1 */
	int lease_ms;        /* duration of its leases; 0: not stated */
	int receive_buffer;  /* size for its sockets; 0: the system's default */
	bool is_slow;        /* sends byte by byte */

	char target[32]; /* "ADDRESS:PORT" */
	struct stand_in_shared *shared;

	/* Private. */
	pid_t pid;
	int listeners[2];
	uint16_t ports[2];
};

void stand_in_start(struct stand_in *s);
void stand_in_end(struct stand_in *s); /* may have ended already */

/* Each appends a complete return. */
void stand_in_null(struct text *out);
void stand_in_void(struct text *out);
void stand_in_string(struct text *out, const char *text, size_t len);
void stand_in_integer(struct text *out, uint32_t value); /* an Integer */
void stand_in_throw(struct text *out, const char *class, const char *message);
/* Appends only the head; a value must follow. */
void stand_in_head(struct text *out);
/* Aborts the value with an exception. */
void stand_in_abort(struct text *out, const char *class, const char *message);

#endif
