/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_socket: finds and verifies the attach socket of a HotSpot JVM, and
 * makes the JVM open it.
 *
 * Any user can create a file of the socket's name in /tmp. So the file is
 * opened with O_PATH, checked and connected through that descriptor, and the
 * kernel tells which process listens on it.
 */
#ifndef CORE_ATTACH_ATTACH_SOCKET_H
#define CORE_ATTACH_ATTACH_SOCKET_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ATTACH_NAMES = 32 }; /* bytes of a file name in /tmp, with the NUL */

/* Sets ".java_pid7", with the PID in the JVM's namespace. */
void attach_socket_name(const struct jvm *jvm, char name[ATTACH_NAMES]);

/*
 * Opens the JVM's /tmp with O_PATH; HotSpot ignores TMPDIR and java.io.tmpdir.
 */
int attach_socket_dir(const struct jvm *jvm, struct error *err);

/*
 * Opens the socket file in dir with O_PATH. -1 and *err: ERROR_UNAVAILABLE with
 * err->sys ENOENT if there is none, ERROR_REFUSED if it cannot be trusted.
 */
int attach_socket_hold(const struct jvm *jvm, int dir, struct error *err);

/*
 * Connects to the file that held refers to, and verifies that the JVM listens.
 * Waits until the deadline while the JVM's backlog is full. ERROR_REFUSED with
 * err->sys ECONNREFUSED if no process listens: an ended JVM left the file.
 */
int attach_socket_connect(const struct jvm *jvm, int held, int64_t deadline_ns,
			  struct error *err);

/*
 * True if the JVM listens according to /proc/PID/net/unix, even if the file has
 * been removed; false if that file cannot be read.
 */
bool attach_socket_listens(const struct jvm *jvm);

/*
 * True if a JVM with this java.version creates a removed socket again on
 * request: JDK-8225690, fixed in JDK 14 and 11.0.13.
 */
bool attach_socket_reopens(const char *version);

/*
 * Waits until the deadline for the lock of a JVM, so that only one process at a
 * time attaches to it: a JVM serves one connection after another, and two
 * processes that wake it at once would make it print a thread dump. The lock is
 * flock(2) on /proc/PID/environ. It leaves nothing behind, ends with its
 * holder, and is out of reach for processes that may not inspect the JVM.
 *
 * *fd holds the lock until it is closed. If locking is unavailable, *fd is -1,
 * which is not a failure. ERROR_REFUSED names the holder.
 */
int attach_lock(const struct jvm *jvm, int64_t deadline_ns, int *fd,
		struct error *err);

/*
 * Makes a HotSpot JVM open its attach socket.
 *
 * The JVM does so when it receives SIGQUIT and finds a file .attach_pid<ns pid>
 * in its working directory or in /tmp. Without the file, SIGQUIT makes it print
 * a thread dump; without a handler, SIGQUIT kills it. So both are verified
 * before the signal is sent, once. A child creates the file and removes it,
 * even if sjkc is killed meanwhile.
 *
 * Returns a connection to the socket, which another client may have woken
 * meanwhile; or -1 and *err. The caller has checked the conditions
 * (attach_conditions.h). *is_silent is true if the JVM got the signal but did
 * not open the socket in time: the caller knows more about the reason.
 */
int attach_wake(const struct jvm *jvm, int64_t deadline_ns, bool *is_silent,
		struct error *err);

/*
 * Fails if a seccomp filter or an old kernel prevents the signal by pidfd that
 * attach_wake() sends. The message names the system call.
 */
int attach_check_pidfd(const struct jvm *jvm, struct error *err);

/* Implements attach_abandon_all(). */
void attach_wake_abandon(void);

#endif
