/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helper_process: a child that opens or connects what belongs to a JVM.
 *
 * A JVM accepts connections of its own user only.  A container's file system
 * may be served by a program that never answers.  So a child takes on the
 * JVM's user and group, touches the file system or the socket, and hands over
 * what it has opened.  It has none of our descriptors but standard error,
 * survives Ctrl-C so that it can remove the files that it made, and ends after
 * two minutes at the latest.
 */
#ifndef CORE_ATTACH_HELPER_PROCESS_H
#define CORE_ATTACH_HELPER_PROCESS_H

#include "core/base/child.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>

/* True when this JVM has another user, group or root directory than we have. */
bool helper_process_is_needed(const struct jvm *jvm);

/*
 * For the job: takes on the JVM's user and group for good; nobody of that user
 * may trace it.  Does nothing when they are ours already.  ERROR_PERMISSION.
 */
int helper_process_become(const struct jvm *jvm, struct error *err);

/*
 * Starts the job, which keeps standard error and jvm->pidfd.  After success,
 * helper_process_end() or child_leave() is due.
 */
int helper_process_start(struct child *c, const struct jvm *jvm, child_job *job,
			 void *self, struct error *err);

/* As child_wait(); CHILD_SILENT is blamed on the JVM's file system. */
enum child_news helper_process_wait(const struct child *c, int64_t deadline_ns,
				    int *fd, struct error *err);

/*
 * Closes the channel, gives the child a second to end by itself, then kills it.
 * Zeroed storage is fine.
 */
void helper_process_end(struct child *c);

#endif
