/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helper_process: a child that opens files or connections of a JVM.
 *
 * A JVM accepts only connections of its own user, and a container's file system
 * may be served by a program that never responds. So a child switches to the
 * JVM's user and group, accesses the file system or the socket, and passes the
 * descriptor to the parent. It inherits no descriptor except standard error,
 * survives Ctrl-C to remove the files that it created, and ends after two
 * minutes at the latest.
 */
#ifndef CORE_ATTACH_HELPER_PROCESS_H
#define CORE_ATTACH_HELPER_PROCESS_H

#include "core/base/child.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns true if the JVM's user, group or root directory differs from this
 * process's.
 */
bool helper_process_is_needed(const struct jvm *jvm);

/* The least that helps root without capabilities, in a container and beside. */
#define HELPER_PROCESS_REMEDY                                                  \
	"run as that user, or with CAP_SETUID, CAP_SETGID and CAP_KILL "       \
	"(kubectl debug --profile=general)"

/*
 * Returns the names of the capabilities that this process lacks to become the
 * JVM's user and group; NULL if it lacks none.
 */
const char *helper_process_lacks(const struct jvm *jvm);

/*
 * For the job: switches permanently to the JVM's user and group, and forbids
 * processes of that user to trace this one.  Does nothing if this process has
 * them already.  Returns -1 and ERROR_PERMISSION on failure.
 */
int helper_process_become(const struct jvm *jvm, struct error *err);

/*
 * Starts the job, which keeps standard error and jvm->pidfd. After success,
 * helper_process_end() or child_leave() must follow.
 */
int helper_process_start(struct child *c, const struct jvm *jvm, child_job *job,
			 void *self, struct error *err);

/* Like child_wait(); CHILD_SILENT blames the JVM's file system. */
enum child_news helper_process_wait(const struct child *c, int64_t deadline_ns,
				    int *fd, struct error *err);

/*
 * Closes the channel, gives the child a second to end, then kills it. Zeroed
 * storage is allowed.
 */
void helper_process_end(struct child *c);

#endif
