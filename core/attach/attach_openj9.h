/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_openj9: the attach API of Eclipse OpenJ9.
 *
 * Each JVM has a directory in /tmp/.com_ibm_tools_attach. A client writes a key
 * and a port into the JVM's replyInfo and posts a semaphore that all JVMs wait
 * for; the JVM connects to the port on the loopback interface and sends the
 * key. Requests and replies end with NUL. The result of a diagnostic command is
 * a property in the reply (OpenJ9 0.8 on; source: its class library
 * com.ibm.tools.attach).
 */
#ifndef CORE_ATTACH_ATTACH_OPENJ9_H
#define CORE_ATTACH_ATTACH_OPENJ9_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stddef.h>
#include <stdint.h>

/*
 * True if the JVM has a directory that can be trusted; else *err is
 * ERROR_REFUSED with the reason.
 */
bool openj9_is_enabled(const struct jvm *jvm, struct error *err);

/*
 * Returns a connection over which the JVM has sent the right key; -1 and *err.
 */
int openj9_connect(const struct jvm *jvm, int64_t deadline_ns,
		   struct error *err);

/*
 * Appends a request with its NUL: an operation of HotSpot ("jcmd") and up to
 * four arguments, NULL after the last. ERROR_UNAVAILABLE if OpenJ9 does not
 * support the operation.
 */
int openj9_encode(struct text *out, const char *operation,
		  const char *const args[4], struct error *err);

/*
 * Appends the result of a reply of len bytes, without the reply's NUL.
 * ERROR_REFUSED if the request failed: *err has OpenJ9's reason.
 */
int openj9_decode(const char *reply, size_t len, struct text *out,
		  struct error *err);

#endif
