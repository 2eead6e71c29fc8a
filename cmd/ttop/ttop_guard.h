/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttop_guard: a child that puts back what ttop switched on in a JVM, should
 * ttop end without doing so: by a signal that cannot be handled, a closed
 * terminal, a crash.
 */
#ifndef CMD_TTOP_TTOP_GUARD_H
#define CMD_TTOP_TTOP_GUARD_H

#include "core/base/child.h"
#include "core/jvm/jvm.h"
#include "core/threads/thread_source.h"

struct ttop_guard {
	struct child child; /* its channel is open as long as ttop lives */
};

/*
 * Puts it back; says so when that cannot be: nobody may be there any more, or
 * only the way to the JVM is closed.  jvm, unless NULL, is the one on this
 * machine: when that has ended, all is well.
 */
void ttop_guard_put_back(struct thread_source *source, const struct jvm *jvm);

/*
 * Nothing happens unless the source, a jmx_source, has switched something on.
 * Without a child, which is said, ttop is its own guard.
 */
void ttop_guard_open(struct ttop_guard *g, struct thread_source *source,
		     const struct jvm *jvm);

/* ttop has done it, or tried to: the child ends.  Zeroed storage is fine. */
void ttop_guard_close(struct ttop_guard *g);

#endif
