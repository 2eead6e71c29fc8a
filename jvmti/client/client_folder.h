/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_folder: the files that a JVM needs to load the agent and to write to
 * us, where it can reach them.
 *
 * They are in folders of random names that nobody but the JVM's user may enter,
 * made by a child of ours that has become that user
 * (core/attach/helper_process), and each is opened by its folder, not by its
 * path.  The child removes them when it is told to, or when we are no more,
 * however we ended.
 */
#ifndef JVMTI_CLIENT_CLIENT_FOLDER_H
#define JVMTI_CLIENT_CLIENT_FOLDER_H

#include "core/attach/helper_process.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"
#include "jvmti/agent/agent_protocol.h"

#include <stdbool.h>
#include <stdint.h>

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
