/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_wake: makes a HotSpot JVM open its attach socket.
 *
 * The JVM does so when it receives SIGQUIT and finds a file .attach_pid<ns pid>
 * in its working directory or in /tmp. Without the file, SIGQUIT makes it print
 * a thread dump; without a handler, SIGQUIT kills it. So both are verified
 * before the signal is sent, once. A child creates the file and removes it,
 * even if sjkc is killed meanwhile.
 */
#ifndef CORE_ATTACH_ATTACH_WAKE_H
#define CORE_ATTACH_ATTACH_WAKE_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdint.h>

/*
 * Returns a connection to the JVM's attach socket, which another client may
 * have woken meanwhile; or -1 and *err. The caller has checked the conditions
 * (attach_conditions.h). timeout_ns is the timeout that the deadline was
 * computed from, for messages.
 */
int attach_wake(const struct jvm *jvm, int64_t deadline_ns, int64_t timeout_ns,
		struct error *err);

/* Implements attach_abandon_all(). */
void attach_wake_abandon(void);

#endif
