/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach: requests to a running JVM over its attach socket.
 *
 * HotSpot (JDK 6 on) listens on /tmp/.java_pid<ns pid> after it has found a
 * file .attach_pid<ns pid> and received SIGQUIT. It supports protocol 1, since
 * JDK 24 also protocol 2. OpenJ9 has its own protocol.
 *
 * The target comes first. sjkc signals the JVM only if the JVM handles the
 * signal (attach_conditions.h), at most once per session, and leaves nothing
 * behind in the target. Each wait has a deadline. A reply that a safepoint
 * waits for is read completely before it is processed.
 */
#ifndef CORE_ATTACH_ATTACH_H
#define CORE_ATTACH_ATTACH_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTACH_TIMEOUT_NS INT64_C(10000000000)

struct attach;

struct attach_request {
	const char *operation; /* "jcmd", "threaddump", "properties", … */
	const char *args[4];   /* NULL after the last argument */
	/*
	 * Lets the JVM send the reply while it produces it: for requests that
	 * do not stop the program's threads and have a long or slow reply.
	 * Otherwise the JVM produces the whole reply first (protocol 2,
	 * streaming=0).
	 */
	bool streaming;
};

/* Receives a part of a reply; -1 and *err end the call. */
typedef int attach_sink_fn(void *self, const void *bytes, size_t len,
			   struct error *err);

/*
 * Opens a session with a JVM: checks the preconditions, wakes the attach
 * listener if it sleeps, and finds out which protocol the JVM speaks. jvm is
 * borrowed. timeout_ns bounds the opening, to at most 30 s, and each call.
 * Returns NULL on failure: ERROR_NO_TARGET when the JVM has ended,
 * ERROR_PERMISSION, or ERROR_REFUSED when it does not respond or must not be
 * signalled; *err has the reason and the fix.
 */
struct attach *attach_open(const struct jvm *jvm, int64_t timeout_ns,
			   struct error *err);
void attach_close(struct attach *a); /* NULL is allowed */

/*
 * Sends one request and appends the whole reply, without its status, to *reply.
 * ERROR_REFUSED if the JVM refuses: *err has the reason, *reply the JVM's text.
 * ERROR_PARTIAL if the JVM ended while it replied: *reply has the bytes
 * received.
 */
int attach_call(struct attach *a, const struct attach_request *request,
		struct text *reply, struct error *err);

/*
 * Like attach_call(), but passes the reply to a sink: in parts of any total
 * size if request->streaming, else as one part of at most 512 MB when the reply
 * is complete. The sink gets nothing of a refusal.
 */
int attach_stream(struct attach *a, const struct attach_request *request,
		  attach_sink_fn *sink, void *self, struct error *err);

/*
 * From when fd is readable, calls of this session that wait for a reply fail
 * with ERROR_REFUSED.
 */
void attach_stop_by(struct attach *a, int fd);

/*
 * From now on, report gets each opening, thread dump and question about the VM
 * that took longer than a second, in any session.
 */
void attach_report_slow(void (*report)(const struct jvm *jvm, int64_t took_ns));

/* Sets the timeout of later calls. */
void attach_set_timeout(struct attach *a, int64_t timeout_ns);

/* Returns "HotSpot, protocol 2, streaming", for messages. */
const char *attach_protocol(const struct attach *a);

/*
 * Removes the files that a session has created in the target's file system.
 * Async-signal-safe, for handlers that end the process.
 */
void attach_abandon_all(void);

/*
 * HotSpot's encoding of requests and replies, declared for its tests.
 *
 * A connection carries one request and one reply, which ends with the
 * connection: a status in decimal, LF, and text. Protocol 1 (JDK 6 on) has an
 * operation and exactly three arguments, each terminated by NUL. Protocol 2
 * (JDK 24 on) begins with the length of the rest and has any number of
 * arguments; options may follow the operation, of which "streaming" allows the
 * JVM to send the reply while it produces it. The operation "getversion"
 * returns the protocols that a JVM supports.
 */

/* The protocol that a JVM supports. */
struct hotspot_protocol {
	int version;        /* 1 or 2 */
	bool has_streaming; /* the JVM supports the option of this name */
};

/*
 * Appends an encoded request. ERROR_MISUSE if the protocol does not support it:
 * more than three arguments, or an argument longer than the JVM's buffer
 * (protocol 1).
 */
int hotspot_encode(struct text *out, struct hotspot_protocol protocol,
		   const struct attach_request *request, struct error *err);

/* Parses the reply to "getversion options"; status is the reply's status. */
struct hotspot_protocol hotspot_protocol_of(int status, const char *text,
					    size_t len);

/*
 * The status of a reply, parsed as bytes arrive. Zeroed storage is the initial
 * state.
 */
struct hotspot_status {
	bool is_known; /* the status is complete, including its LF */
	bool is_wrong; /* the bytes are not a status */
	int value;
	/* Private from here on. */
	char digits[16];
	size_t len;
};

/* Parses the bytes of the status; returns their number. */
size_t hotspot_status_feed(struct hotspot_status *s, const char *bytes,
			   size_t len);

#endif
