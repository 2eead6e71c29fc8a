/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_lock: one of us at a time asks a JVM.
 *
 * A JVM serves one connection after another; two that wake it at once would
 * make it print its threads.  The lock is flock(2) on /proc/PID/environ, which
 * leaves nothing behind, ends with whoever holds it, and is out of reach for
 * those who may not look into the JVM anyway.
 */
#ifndef CORE_ATTACH_ATTACH_LOCK_H
#define CORE_ATTACH_ATTACH_LOCK_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdint.h>

/*
 * Waits for the lock until the deadline.  *fd holds it until it is closed; -1
 * where it cannot be had, which is no failure.  ERROR_REFUSED names the holder.
 */
int attach_lock(const struct jvm *jvm, int64_t deadline_ns, int *fd,
		struct error *err);

#endif
