/* SPDX-License-Identifier: Apache-2.0 */
/* client_load: loads the agent's library into a JVM, and finds a loaded one. */
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
 * Fails with ERROR_REFUSED and a fix when a flag of the JVM forbids loading
 * agents.  Each failed load leaks a little memory in the JVM, so it is not
 * tried.
 */
int agent_load_allowed(const struct jvm *jvm, struct error *err);

/*
 * Finds the path by which this version's library was loaded into the JVM
 * before.  glibc's loader reuses a library that it has loaded by the same path,
 * even if the file was removed.  musl's loader opens the file, which leads to
 * the loaded library if it is the same file: for musl, the path is that of a
 * descriptor that the agent has kept.  Returns false when there is no library
 * that the loader would use again.
 */
bool agent_load_known(const struct jvm *jvm, char *path, size_t size);

/*
 * Fails with ERROR_REFUSED if the JVM's root directory has no /proc, which the
 * path of a kept descriptor requires.
 */
int agent_load_reachable(const struct jvm *jvm, const char *path,
			 struct error *err);

/*
 * Returns true if the library must be told to keep a descriptor of its file.
 */
bool agent_load_needs_file(const struct jvm *jvm);

/*
 * Finds the name in /proc/PID/map_files of the code of the library that was
 * loaded by this path: "7f00-7f01".  Returns false when there is none.
 */
bool agent_load_mapping(const struct jvm *jvm, const char *library, char *name,
			size_t size);

/*
 * Requests the operation "load" with these options.  ERROR_REFUSED has the
 * JVM's message.  Repeats the request for a second if the JVM has just started.
 */
int agent_load(struct attach *a, const struct jvm *jvm, const char *path,
	       const char *options, struct error *err);

/*
 * Interprets the reply to a load; returns 0 when the agent has run and reports
 * success.  JDK 21 and later report a failure as text, with a status of
 * success.
 */
int agent_load_verdict(const char *reply, size_t len, struct error *err);

/*
 * ---- the files for the agent ----
 *
 * The JVM loads the library and writes to the stream file.  Both are in
 * directories with random names, which only the JVM's user may enter.  A child
 * process creates them with the identity of that user
 * (core/attach/helper_process), and opens each file relative to its directory,
 * not by its path.  The child removes them when requested, or when sjkc exits,
 * even if sjkc is killed.
 */

enum { AGENT_PATHS = 512 }; /* bytes of a path there, with the NUL */

struct agent_directory {
	struct child child;
	int stream; /* open for reading and writing; the caller closes it */
	/* As the JVM sees them; library is "" if it was not requested. */
	char library[AGENT_PATHS], stream_path[AGENT_PATHS];
};

/*
 * Creates the stream file, with these orders, and the library if requested.
 * agent_directory_remove() must follow before the deadline; afterwards only the
 * open descriptors remain.  ERROR_REFUSED names the defect of each possible
 * place.
 */
int agent_directory_make(struct agent_directory *f, const struct jvm *jvm,
			 const struct agent_orders *orders, bool with_library,
			 int64_t deadline_ns, struct error *err);
void agent_directory_remove(struct agent_directory *f);

/*
 * Creates a library, of a name below AGENT_NAMES bytes, instead of the two
 * files; library is its path.  It exists until agent_directory_remove(), which
 * must follow, or until sjkc exits.
 */
int agent_directory_publish(struct agent_directory *f, const struct jvm *jvm,
			    const char *name, const void *bytes, size_t len,
			    struct error *err);

/* See agent_client_abandon_all(). */
void agent_directory_abandon(void);

#endif
