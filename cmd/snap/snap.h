/* SPDX-License-Identifier: Apache-2.0 */
/* snap: the parts of sjkc snap; snap.c runs them. */
#ifndef CMD_SNAP_SNAP_H
#define CMD_SNAP_SNAP_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file of the bundle, and its row in the manifest. */
struct snap_member {
	char *name;         /* below the directory of the bundle */
	struct text packed; /* its part of the archive, compressed; or empty */
	size_t len;
	double seconds;
	const char *status; /* a constant: ok, partial, failed, … */
	char *error;        /* the reason for any status but ok; or NULL */
	char *messages;     /* what the part printed on standard error */
	bool is_required;   /* removed last for --max-size */
};

/* A zeroed struct with a directory and a size is an empty bundle. */
struct snap_bundle {
	const char *directory; /* "sjkc-snap-HOST-4711-TIME"; borrowed */
	uint64_t max_bytes, bytes;
	struct snap_member *all;
	size_t count, cap;
};

/*
 * Adds a file, whose secrets are masked unless it is JSON or JFR. If the
 * bundle becomes larger than max_bytes, the largest files that are not required
 * are removed. Returns the row, which is valid until the next call.
 */
struct snap_member *snap_bundle_add(struct snap_bundle *b, const char *name,
				    const void *bytes, size_t len,
				    bool is_required);

/* Adds a row without a file. error is copied. */
struct snap_member *snap_bundle_miss(struct snap_bundle *b, const char *name,
				     const char *status, const char *error);

/* The head of the manifest. */
struct snap_about {
	const char *host;
	int64_t begin_ns, end_ns; /* since the epoch */
	bool is_quick, is_interrupted;
	const struct text *jvms; /* "Main (4711) in prod/shop-7" */
	size_t jvm_count;
};

/*
 * Writes the archive, whose first file is the manifest. Only the owner may read
 * a new file. ERROR_OUTPUT.
 */
int snap_bundle_write(const struct snap_bundle *b, const char *path,
		      const struct snap_about *about, struct error *err);
void snap_bundle_release(struct snap_bundle *b);

/*
 * ---- snap_facts.c and snap_logs.c ----
 *
 * Collectors run in a child. They write members as a tar archive to a file; a
 * name that begins with '!' is that of a missing member, with the reason.
 */
typedef void snap_collector(const struct jvm *jvm, int to);

/* Files of /proc/PID, its sockets and its control groups. */
snap_collector snap_process;

/* Files of /proc, and messages of the kernel. jvm may be NULL. */
snap_collector snap_system;

/* Ends of logs that the process has open, fatal error logs, free space. */
snap_collector snap_logs;

/* Writes a member, or the reason for a missing one. */
void snap_put(int to, const char *name, const void *bytes, size_t len);
void snap_put_missing(int to, const char *name, const struct error *why);

/* Reads an open file up to a limit, and closes it; 0 or -1 and *err. */
int snap_read_file(int fd, size_t limit, struct text *out, struct error *err);

/*
 * ---- snap_run.c ----
 */

/* Number of files of each JVM that are required. */
enum { SNAP_REQUIRED = 2 };

struct snap_options {
	bool is_quick;
	const char *const *commands; /* of --exec, for each JVM */
	size_t command_count;
	bool in_directories; /* each JVM has a directory: its PID */
};

/*
 * Collects the parts of some JVMs into the bundle, and with_system those of the
 * machine. Returns false if a signal ended it early.
 */
bool snap_run(const struct snap_options *o, struct snap_bundle *b,
	      const struct jvm *jvms, size_t count, bool with_system);

#endif
