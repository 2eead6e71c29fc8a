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

#endif
