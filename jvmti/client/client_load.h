/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_load: has a JVM load the agent's library, and knows whether it did.
 */
#ifndef JVMTI_CLIENT_CLIENT_LOAD_H
#define JVMTI_CLIENT_CLIENT_LOAD_H

#include "core/attach/attach.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Fails with ERROR_REFUSED, and the remedy, when a flag of the JVM keeps it
 * from loading agents: a load that fails leaks a little in the JVM, so that it
 * is not tried.
 */
int agent_load_allowed(const struct jvm *jvm, struct error *err);

/*
 * The path by which this version's library was loaded into the JVM before, so
 * that its loader, given the same path, wakes that one instead of looking for
 * the file, which has gone (glibc's does).  False when there is none, or the
 * loader would look.
 */
bool agent_load_known(const struct jvm *jvm, char *path, size_t size);

/* The part of /proc/PID/map_files with its code: "7f00-7f01"; false = none. */
bool agent_load_mapping(const struct jvm *jvm, char *name, size_t size);

/*
 * The operation "load" with these options.  ERROR_REFUSED has the JVM's words.
 * A JVM that has just begun is asked again for a second.
 */
int agent_load(struct attach *a, const struct jvm *jvm, const char *path,
	       const char *options, struct error *err);

/*
 * What the reply to a load means: 0 when the agent has run and said so.  Text
 * says why not on JDK 21 on, with a status of success.
 */
int agent_load_verdict(const char *reply, size_t len, struct error *err);

#endif
