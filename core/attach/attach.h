/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach: asks a running JVM to do something, over its attach socket.
 *
 * HotSpot (JDK 6 on) listens on /tmp/.java_pid<ns pid> once it has been asked
 * to by a file .attach_pid<ns pid> and SIGQUIT; protocol 1, and 2 since JDK 24.
 * OpenJ9 has a protocol of its own.  The target comes first: it gets a
 * signal only when it is ready for one (attach_conditions.h), one a session at
 * most; nothing of ours stays in it; no wait is without a deadline; and what
 * a safepoint waits for is read to its end before anything else is done.
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
	 * The reply may be written while it is made: only for what does not
	 * stop the program's threads, and is long or slow.  Otherwise the JVM
	 * is asked to make all of it first (protocol 2, streaming=0).
	 */
	bool streaming;
};

/* Takes a part of a reply; -1 and *err end the call. */
typedef int attach_sink_fn(void *self, const void *bytes, size_t len,
			   struct error *err);

/*
 * Begins a session with a JVM: checks that it can be asked, wakes its listener
 * when that sleeps, and finds out which protocol it speaks.  jvm is borrowed.
 * timeout_ns is for the whole of it, at most 30 s, and for every call.  NULL on
 * failure: ERROR_NO_TARGET when the JVM has ended, ERROR_PERMISSION,
 * ERROR_REFUSED when it does not answer or must not be asked, with the reason
 * and the remedy.
 */
struct attach *attach_open(const struct jvm *jvm, int64_t timeout_ns,
			   struct error *err);
void attach_close(struct attach *a); /* NULL is fine */

/*
 * Makes one request and appends all of the reply, without its status, to
 * *reply.  ERROR_REFUSED when the JVM says no: *err has its words, *reply all
 * that it said.  ERROR_PARTIAL when the JVM went away amid the reply, which
 * has what came before.
 */
int attach_call(struct attach *a, const struct attach_request *request,
		struct text *reply, struct error *err);

/* The same, part by part into a sink, however long it is. */
int attach_stream(struct attach *a, const struct attach_request *request,
		  attach_sink_fn *sink, void *self, struct error *err);

/* How long each call that follows may take. */
void attach_set_timeout(struct attach *a, int64_t timeout_ns);

/* "HotSpot, protocol 2, streaming", for a person. */
const char *attach_protocol(const struct attach *a);

/*
 * Removes what a session has put into the target's file system, if anything.
 * Async-signal-safe: for handlers that are about to end the process.
 */
void attach_abandon_all(void);

#endif
