/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child: starts all processes of sjkc.
 *
 * A child runs a job, a function of sjkc, and may become another program by
 * child_exec(). By default it shares nothing with its parent that could outlive
 * the parent or block it: all descriptors except a list are closed, standard
 * input, output and error are /dev/null, signals that end the parent are
 * ignored, and no handler of the parent runs in the child.
 *
 *    parent                            child
 *    child_start() ------- fork -----> job(self, channel, err)
 *    child_wait()  <--- CHILD_TOLD --- child_tell()
 *    child_tell()  ------------------> child_hear()
 *    child_wait()  <--- CHILD_DONE --- the job returns
 *    child_end()                       exits
 */
#ifndef CORE_BASE_CHILD_H
#define CORE_BASE_CHILD_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;   /* 0 = none; reserved until the child is reaped */
	int channel; /* the parent's SOCK_SEQPACKET socket; -1 = closed */
};

/* Returned by a job that has no descriptor to pass. */
enum { CHILD_NOTHING = -2 };

/*
 * Runs in the child and returns a descriptor for the caller of child_start(),
 * CHILD_NOTHING, or -1 and *err. channel is the child's end; child_hear()
 * returns CHILD_GONE once the parent has ended or closed its end.
 */
typedef int child_job(void *self, int channel, struct error *err);

enum child_files {
	CHILD_CLOSES_FILES, /* closes all except those kept; 0 to 2 become
			       /dev/null */
	/*
	 * Replaces all except those kept by /dev/null, for jobs that use
	 * objects of the parent: they read end of file instead of the parent's
	 * connections, and a new descriptor never gets the number of an old
	 * one. Pidfds stay open, because /dev/null in their place would mean
	 * that the process has ended.
	 */
	CHILD_NULLS_FILES,
	CHILD_KEEPS_FILES, /* keeps all */
};

enum child_signals {
	CHILD_IGNORES_SIGNALS, /* ignores those that a terminal or kill(1) sends
				*/
	CHILD_KEEPS_SIGNALS,   /* keeps the parent's actions and handlers */
	CHILD_DEFAULT_SIGNALS, /* default actions for all; none is blocked */
};

enum { CHILD_KEPT_MAX = 8 };

/* Zeroed options close all descriptors, ignore signals and set no limits. */
struct child_options {
	enum child_files files;
	enum child_signals signals;
	const int *kept;       /* descriptors; negative ones are skipped */
	size_t kept_count;     /* at most CHILD_KEPT_MAX */
	bool dies_with_parent; /* the child gets SIGKILL when the parent ends */
	unsigned lifetime_s;   /* the child gets SIGALRM after this time; 0 =
				  never */
};

/*
 * Starts a child; options may be NULL. ERROR_FAILED if fork(2) fails. After
 * success, child_end() or child_leave() must follow.
 */
int child_start(struct child *c, const struct child_options *options,
		child_job *job, void *self, struct error *err);

/*
 * For jobs: becomes the program argv[0], looked up in PATH; argv ends with
 * NULL. The program starts with no signal blocked and with the default actions
 * of SIGPIPE and SIGXFSZ, which sjkc ignores. The parent then gets CHILD_GONE.
 * Returns -1 and *err, with err->sys, if the program cannot be started.
 */
int child_exec(char *const *argv, struct error *err);

enum child_news {
	CHILD_TOLD,   /* the child sent a word with child_tell() */
	CHILD_DONE,   /* the job has succeeded */
	CHILD_FAILED, /* the job has failed */
	CHILD_SILENT, /* the deadline passed */
	CHILD_GONE,   /* the other end is closed, without a result */
};

/*
 * Waits for news of the child until deadline_ns (clock_monotonic_ns()). *fd is
 * the descriptor that came with CHILD_TOLD or CHILD_DONE, which the caller must
 * close, or -1. For the other three, *err is set: to the job's error, to
 * ERROR_REFUSED with err->sys ETIMEDOUT, or to ERROR_FAILED.
 */
enum child_news child_wait(const struct child *c, int64_t deadline_ns, int *fd,
			   struct error *err);

/*
 * Sends a word to the other end of the channel, with a copy of fd unless fd is
 * -1. Returns -1 if the other end is closed.
 */
int child_tell(int channel, char word, int fd);

/* Waits for a word: CHILD_TOLD, CHILD_SILENT or CHILD_GONE. */
enum child_news child_hear(int channel, int64_t deadline_ns, char *word);

/*
 * Closes the channel, gives the child grace_ns to end, then kills it. Returns
 * false if the child is stuck in the kernel; c->pid then stays set for
 * child_reap(). A zeroed struct child is allowed.
 */
bool child_end(struct child *c, int64_t grace_ns);

/* Closes the channel and lets the child finish on its own. */
void child_leave(struct child *c);

/*
 * Waits for a process until until_ns (clock_monotonic_ns(); 0 does not wait).
 * Returns false while the process runs. A process that is not a child, or was
 * reaped already, counts as ended. *status is set as by waitpid(2); status may
 * be NULL.
 */
bool child_reap(pid_t pid, int *status, int64_t until_ns);

/*
 * Zeroed memory that a child shares with its parent, for results other than a
 * descriptor. child_memory_free() accepts NULL.
 */
void *child_memory(size_t size);
void child_memory_free(void *memory, size_t size);

#endif
