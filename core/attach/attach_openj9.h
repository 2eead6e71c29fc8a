/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_openj9: how an Eclipse OpenJ9 JVM is asked.
 *
 * Its attach API keeps a folder for each JVM in /tmp/.com_ibm_tools_attach.
 * Whoever asks writes a key and a port into the JVM's replyInfo and posts a
 * semaphore that all of them wait for; the JVM connects to that port on the
 * loopback interface and gives the key.  Requests and replies end with NUL; the
 * result of a diagnostic command is a property in the reply (OpenJ9 0.8 on; as
 * its class library, com.ibm.tools.attach, and other tools have it).
 */
#ifndef CORE_ATTACH_ATTACH_OPENJ9_H
#define CORE_ATTACH_ATTACH_OPENJ9_H

#include "core/attach/attach.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stddef.h>
#include <stdint.h>

/*
 * True when the JVM has a folder that is to be trusted; else *err says why:
 * ERROR_REFUSED.
 */
bool openj9_is_enabled(const struct jvm *jvm, struct error *err);

/* A connection from the JVM, whose key was right; -1 and *err. */
int openj9_connect(const struct jvm *jvm, int64_t deadline_ns,
		   struct error *err);

/* Appends a request with its NUL; ERROR_UNAVAILABLE when OpenJ9 has no such. */
int openj9_encode(struct text *out, const struct attach_request *request,
		  struct error *err);

/*
 * Appends what a reply of len bytes, without its NUL, has to say.
 * ERROR_REFUSED when it says that the request failed: *err has its words.
 */
int openj9_decode(const char *reply, size_t len, struct text *out,
		  struct error *err);

#endif
