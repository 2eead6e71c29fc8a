/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_wake: has a HotSpot JVM open its attach socket.
 *
 * The JVM does that when it gets SIGQUIT and finds a file .attach_pid<ns pid>
 * in its working directory or in /tmp.  Without the file, or without the
 * handler, SIGQUIT makes it print all its threads, or kills it: so both are
 * certain before it is sent, and it is sent once.  The file is there as long as
 * it takes, and goes even if we are killed meanwhile.
 */
#ifndef CORE_ATTACH_ATTACH_WAKE_H
#define CORE_ATTACH_ATTACH_WAKE_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdint.h>

/*
 * Gives a connection to the JVM's attach socket, which may have been opened
 * by somebody else's asking meanwhile; or -1 and *err.  What must hold before
 * has been found to hold (attach_conditions.h).  timeout_ns is what the
 * deadline was made of.
 */
int attach_wake(const struct jvm *jvm, int64_t deadline_ns, int64_t timeout_ns,
		struct error *err);

/* As attach_abandon_all() promises. */
void attach_wake_abandon(void);

#endif
