/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_load: has a JVM load the agent's library, and knows whether it did.
 */
#ifndef JVMTI_CLIENT_CLIENT_LOAD_H
#define JVMTI_CLIENT_CLIENT_LOAD_H

#include "core/attach/attach.h"
#include "core/attach/helper_process.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"
#include "jvmti/agent/agent_protocol.h"

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

/*
 * the files that a JVM needs to load the agent and to write to
 * us, where it can reach them.
 *
 * They are in folders of random names that nobody but the JVM's user may enter,
 * made by a child of ours that has become that user
 * (core/attach/helper_process), and each is opened by its folder, not by its
 * path.  The child removes them when it is told to, or when we are no more,
 * however we ended.
 */

enum { AGENT_PATHS = 512 }; /* bytes of a path there, with the NUL */

struct agent_folder {
	struct child child;
	int stream; /* open for reading and writing; the caller's to close */
	/* As the JVM sees them; library is "" when it was not wanted. */
	char library[AGENT_PATHS], stream_path[AGENT_PATHS];
};

/*
 * Makes the stream file, with these orders, and the library if it is wanted.
 * Afterwards agent_folder_remove() is due, by the deadline; from then on what
 * was opened is there and nothing else.  ERROR_REFUSED names what is wrong with
 * each place that there is.
 */
int agent_folder_make(struct agent_folder *f, const struct jvm *jvm,
		      const struct agent_orders *orders, bool with_library,
		      int64_t deadline_ns, struct error *err);
void agent_folder_remove(struct agent_folder *f);

/* As agent_client_abandon_all() promises. */
void agent_folder_abandon(void);

#endif
