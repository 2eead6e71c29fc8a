/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opener: a child process that opens the files of targets.
 *
 * A file system that another process or machine serves (FUSE, NFS) may never
 * reply, and then blocks each process that opens or reads a file there, or
 * looks up a path that leads there. So sjkc itself opens no file of a target:
 * one child serves all requests of a run. It passes a file on a local file
 * system, whose reads cannot block, and a copy of any other file.
 *
 * A request without progress for a second ends the child; the next request
 * starts another one. The file system is then avoided for a minute and as long
 * as the child is blocked, and other file systems of its owner get a tenth of
 * the time. The owner is the container, the user, or a process of root, so that
 * none takes the time or the children of others. All files of an owner together
 * may block for ten seconds a minute. A blocked child may not end until it gets
 * its reply, so it holds no descriptors of sjkc.
 */
#ifndef CORE_JVM_OPENER_H
#define CORE_JVM_OPENER_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Places of files; for others, the device or any value. */
enum opener_place {
	OPENER_TMP,  /* /tmp of the target */
	OPENER_HOME, /* the JDK */
	OPENER_PROGRAM,
	OPENER_ROOT,
};

/* Maximum size of the argument of a job. */
enum { OPENER_ARGUMENT = 16384 };

/*
 * Runs in the child and returns a regular file or a socket, which the child
 * then passes on, CHILD_NOTHING, or -1 and *err. argument is the child's copy
 * of opening.argument, without pointers; a job may return results in it.
 */
typedef int opener_job(const struct jvm *jvm, void *argument,
		       struct error *err);

/*
 * Runs in the child: copies the parts of a file that matter into an empty one.
 * Adds the number of copied bytes to *copied; ERROR_PARTIAL beyond max bytes.
 */
typedef int opener_copy(int from, int to, size_t max, size_t *copied,
			struct error *err);

struct opening {
	const struct jvm *jvm; /* the process whose files the job accesses */
	opener_job *job;
	void *argument;
	size_t size;     /* of the argument */
	uint64_t place;  /* tells file systems of the target apart; any value */
	size_t copy_max; /* larger files are not copied: ERROR_PARTIAL */
	opener_copy *copy; /* NULL: copies all of a file */
	bool copies;       /* return a constant copy of any file */
	/* Result: the file is a copy. A socket: its file system may stall. */
	bool is_copy;
};

/*
 * Runs the job and returns its descriptor, the caller's, or CHILD_NOTHING. -1
 * and *err: the job's error, or ERROR_REFUSED with err->sys ETIMEDOUT if the
 * file system does not respond or is avoided.
 */
int opener_run(struct opening *o, struct error *err);

/*
 * Returns true for file systems that the kernel serves alone, by their type in
 * statfs(2). A file of any other file system may block the JVM that writes to
 * it and sjkc, which must not keep it open. An overlay counts, because
 * the runtime of the container chooses its layers.
 */
bool opener_is_lasting(long type);

/* Returns true if that file system of the process did not respond lately. */
bool opener_avoids(const struct jvm *jvm, uint64_t place);

/*
 * Sets the function that is called when a file system of a process does not
 * respond for the first time.
 */
typedef void opener_report(const struct jvm *jvm);
void opener_on_stall(opener_report *report);

#endif
