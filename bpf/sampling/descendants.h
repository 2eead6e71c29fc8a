/* SPDX-License-Identifier: Apache-2.0 */
/*
 * descendants: what a program that was started has started, and has
 * become.
 *
 * To look at all processes for JVMs costs milliseconds.  Here it is only asked
 * who the children of children are and which file each runs, which is a few
 * microseconds: a process that is new, or has become another program, may be a
 * JVM soon, and is worth a look, often at first and then less.
 */
#ifndef BPF_SAMPLING_DESCENDANTS_H
#define BPF_SAMPLING_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of more than those, whoever is begun last is found by other looks. */
enum { DESCENDANTS_MAX = 64 };

struct descendant {
	pid_t pid;
	dev_t exe_dev;
	ino_t exe_ino;
	int64_t since_ns; /* it runs that file */
	int64_t next_ns;  /* when to look at it */
};

struct descendants {
	struct descendant all[DESCENDANTS_MAX];
	size_t count;
	int64_t threads_ns; /* when all their threads are to be asked */
};

/*
 * Puts into pids those of a process and its descendants that are worth a look
 * by now, and gives how many.  What another thread than a process's first has
 * started is looked for a few times a second, a thousand threads at most. Where
 * the kernel does not tell children (CONFIG_PROC_CHILDREN) it is the process
 * alone, at most.
 */
size_t descendants_due(struct descendants *d, pid_t ancestor, int64_t now_ns,
		       pid_t pids[DESCENDANTS_MAX]);

/* Whether one of them will be looked at again as it is. */
bool descendants_awaits(const struct descendants *d, pid_t pid);

#endif
