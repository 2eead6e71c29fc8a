/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_socket: the socket that a HotSpot JVM listens on, and whether what
 * has its name is that.
 *
 * Anybody may put a file of that name into /tmp.  So it is held, not followed,
 * looked at and connected to through what is held, and the kernel is asked who
 * listens.
 */
#ifndef CORE_ATTACH_ATTACH_SOCKET_H
#define CORE_ATTACH_ATTACH_SOCKET_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ATTACH_NAMES = 32 }; /* bytes of a name in /tmp, with the NUL */

/* ".java_pid7", ".attach_pid7": by the pid that the JVM has in its namespace.
 */
void attach_socket_name(const struct jvm *jvm, char name[ATTACH_NAMES]);
void attach_trigger_name(const struct jvm *jvm, char name[ATTACH_NAMES]);

/* The JVM's /tmp (O_PATH); HotSpot heeds no TMPDIR, nor java.io.tmpdir. */
int attach_socket_dir(const struct jvm *jvm, struct error *err);

/*
 * Holds what has the socket's name in dir (O_PATH): an fd, or -1 and *err,
 * ERROR_UNAVAILABLE with sys ENOENT when there is none, ERROR_REFUSED when it
 * is not to be trusted.
 */
int attach_socket_hold(const struct jvm *jvm, int dir, struct error *err);

/*
 * Connects to what is held; the JVM must be who listens.  Waits until the
 * deadline while there are more before us than the JVM admits.  ERROR_REFUSED
 * with sys ECONNREFUSED when nobody listens: the file is a dead JVM's.
 */
int attach_socket_connect(const struct jvm *jvm, int held, int64_t deadline_ns,
			  struct error *err);

/*
 * Says by /proc/PID/net/unix whether the JVM listens, though the file may have
 * gone.  False, too, when that cannot be found out.
 */
bool attach_socket_listens(const struct jvm *jvm);

/*
 * True when a JVM of that java.version makes its socket anew, when asked, after
 * the file was removed: JDK-8225690, in JDK 14 and 11.0.13.
 */
bool attach_socket_reopens(const char *version);

/*
 * Waits until the deadline for the lock that one process asks a JVM at a time:
 * a JVM serves one connection after another, and two processes that wake it at
 * once would make it print its threads.  The lock is flock(2) on
 * /proc/PID/environ, which leaves nothing behind, ends with its holder, and is
 * out of reach for processes that may not inspect the JVM.
 *
 * *fd holds the lock until it is closed; it is -1, which is no failure, where
 * the lock is unavailable.  ERROR_REFUSED names the holder.
 */
int attach_lock(const struct jvm *jvm, int64_t deadline_ns, int *fd,
		struct error *err);

#endif
