/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach: requests to a running JVM over its attach socket.
 *
 * HotSpot (JDK 6 on) listens on /tmp/.java_pid<ns pid> after it has found a
 * file .attach_pid<ns pid> and received SIGQUIT. It speaks protocol 1, since
 * JDK 24 also protocol 2. OpenJ9 has a protocol of its own.
 *
 * The target comes first. The JVM gets a signal only when it handles it
 * (attach_conditions.h), and at most one per session. Nothing of ours stays in
 * the target. No wait is without a deadline. A reply that a safepoint waits for
 * is read to its end before anything else is done.
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
	const char *args[4];   /* the arguments; NULL ends them */
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
void attach_close(struct attach *a); /* NULL is fine */

/*
 * Sends one request and appends the whole reply, without its status, to *reply.
 * ERROR_REFUSED when the JVM refuses: *err has its reason, *reply its whole
 * answer. ERROR_PARTIAL when the JVM ended while replying; *reply has the part
 * that was received.
 */
int attach_call(struct attach *a, const struct attach_request *request,
		struct text *reply, struct error *err);

/*
 * The same, but passes the reply to a sink: in parts of any total size if
 * request->streaming, else in one part of at most 512 MB when the reply is
 * complete.  A refused request passes nothing to the sink.
 */
int attach_stream(struct attach *a, const struct attach_request *request,
		  attach_sink_fn *sink, void *self, struct error *err);

/* Sets the timeout of later calls. */
void attach_set_timeout(struct attach *a, int64_t timeout_ns);

/* Returns "HotSpot, protocol 2, streaming", for messages. */
const char *attach_protocol(const struct attach *a);

/*
 * Removes the files that a session has put into the target's file system.
 * Async-signal-safe: for handlers that are about to end the process.
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
	bool has_streaming; /* the option of that name */
};

/*
 * Appends an encoded request. ERROR_MISUSE when the protocol cannot carry it:
 * more than three arguments, or one longer than the JVM's buffer for protocol
 * 1.
 */
int hotspot_encode(struct text *out, struct hotspot_protocol protocol,
		   const struct attach_request *request, struct error *err);

/* Parses the reply to "getversion options"; status is that of the reply. */
struct hotspot_protocol hotspot_protocol_of(int status, const char *text,
					    size_t len);

/*
 * The status of a reply, parsed as bytes arrive. Zeroed storage is the start.
 */
struct hotspot_status {
	bool is_known; /* value has been read, and the LF behind it */
	bool is_wrong; /* what came is no status */
	int value;
	/* Private from here on. */
	char digits[16];
	size_t len;
};

/* Parses the bytes that belong to the status; returns how many they are. */
size_t hotspot_status_feed(struct hotspot_status *s, const char *bytes,
			   size_t len);

#endif
