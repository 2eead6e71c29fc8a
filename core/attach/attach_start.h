/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_start: whether a HotSpot JVM has come far enough to be woken.
 *
 * It handles SIGQUIT a moment before it removes what an earlier JVM of its pid
 * may have left in /tmp (AttachListener::vm_start(), JDK 6 to 25 at least).
 * Woken in between, it removes the socket that it has just made.  So the
 * handler alone does not do: a thread that is started afterwards must be there.
 */
#ifndef CORE_ATTACH_ATTACH_START_H
#define CORE_ATTACH_ATTACH_START_H

#include "core/jvm/jvm.h"

#include <stdbool.h>

/* True, too, of a JVM that has run for some seconds. */
bool attach_has_started(const struct jvm *jvm);

#endif
