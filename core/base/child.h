/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child: the only way in which sjkc starts processes.
 *
 * A child runs a job, a function of ours, and may become another program by
 * child_exec().  By default it shares nothing with its parent that could
 * outlive the parent or hold it up: all descriptors but a list are closed,
 * standard input, output and error are /dev/null, signals that end the parent
 * are ignored, and no handler of the parent runs in it.
 *
 *	parent                            child
 *	child_start() ------- fork -----> job(self, channel, err)
 *	child_wait()  <--- CHILD_TOLD --- child_tell()
 *	child_tell()  ------------------> child_hear()
 *	child_wait()  <--- CHILD_DONE --- the job returns a descriptor or
 *nothing child_end()                       exits
 */
#ifndef CORE_BASE_CHILD_H
#define CORE_BASE_CHILD_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;   /* 0 = none; until it is reaped, the pid is not reused */
	int channel; /* our end, a SOCK_SEQPACKET socket; -1 = closed */
};

/* What the job returns when it has no descriptor to hand over. */
enum { CHILD_NOTHING = -2 };

/*
 * Runs in the child and returns a descriptor that child_start()'s caller gets,
 * CHILD_NOTHING, or -1 and *err.  channel is the child's end; child_hear()
 * returns CHILD_GONE on it once the parent has ended or let go.
 */
typedef int child_job(void *self, int channel, struct error *err);

enum child_files {
	CHILD_CLOSES_FILES, /* all but those kept; 0 to 2 become /dev/null */
	/*
	 * All but those kept become /dev/null: for jobs that use objects of
	 * the parent.  They read end of file where the parent has a connection,
	 * and cannot confuse an old descriptor with a new one.  Pidfds stay:
	 * /dev/null in place of one means that its process has ended.
	 */
	CHILD_NULLS_FILES,
	CHILD_KEEPS_FILES, /* all of them */
};

enum child_signals {
	CHILD_IGNORES_SIGNALS, /* those that a terminal or kill(1) sends */
	CHILD_KEEPS_SIGNALS,   /* as the parent has them, with its handlers */
	CHILD_DEFAULT_SIGNALS, /* default actions for all, none is blocked */
};

enum { CHILD_KEPT_MAX = 8 };

/* Zeroed: everything is closed, signals are ignored, no limits. */
struct child_options {
	enum child_files files;
	enum child_signals signals;
	const int *kept;       /* descriptors; negative ones are skipped */
	size_t kept_count;     /* at most CHILD_KEPT_MAX */
	bool dies_with_parent; /* by SIGKILL, when the parent ends */
	unsigned lifetime_s;   /* SIGALRM ends the child then; 0 = never */
};

/*
 * Starts a child; options may be NULL.  ERROR_FAILED when there can be none.
 * After success, child_end() or child_leave() is due.
 */
int child_start(struct child *c, const struct child_options *options,
		child_job *job, void *self, struct error *err);

/*
 * For jobs: becomes the program argv[0], looked up in PATH; argv ends with
 * NULL.  No signal is blocked in it, and SIGPIPE and SIGXFSZ, which sjkc
 * ignores, have their default actions.  The parent then gets CHILD_GONE.
 * Returns -1 and *err, with err->sys, when the program cannot be started.
 */
int child_exec(char *const *argv, struct error *err);

enum child_news {
	CHILD_TOLD,   /* a word, by child_tell() */
	CHILD_DONE,   /* the job has succeeded */
	CHILD_FAILED, /* the job has failed */
	CHILD_SILENT, /* nothing came by the deadline */
	CHILD_GONE,   /* the other end is closed, and no result came */
};

/*
 * Waits for news of the child until deadline_ns (clock_monotonic_ns()).
 * *fd is the descriptor that came with CHILD_TOLD or CHILD_DONE, the caller's
 * from then on, or -1.  *err is set for the other three: to the job's own, to
 * ERROR_REFUSED with err->sys ETIMEDOUT, or to ERROR_FAILED.
 */
enum child_news child_wait(const struct child *c, int64_t deadline_ns, int *fd,
			   struct error *err);

/*
 * Sends a word to the other end of the channel, with a descriptor unless fd is
 * -1, which stays open here.  -1 when the other end has gone.
 */
int child_tell(int channel, char word, int fd);

/* Waits for a word: CHILD_TOLD, CHILD_SILENT or CHILD_GONE. */
enum child_news child_hear(int channel, int64_t deadline_ns, char *word);

/*
 * Closes the channel, gives the child grace_ns to end by itself, then kills it.
 * False when it has not ended even so: it is stuck in the kernel, c->pid stays
 * for child_reap().  A zeroed struct child is fine.
 */
bool child_end(struct child *c, int64_t grace_ns);

/* Closes the channel and lets the child finish without us. */
void child_leave(struct child *c);

/*
 * Waits for a process until until_ns (clock_monotonic_ns(); 0 does not wait).
 * False while it runs.  A process that is not our child, or was reaped already,
 * counts as ended.  *status is set as by waitpid(2); status may be NULL.
 */
bool child_reap(pid_t pid, int *status, int64_t until_ns);

/*
 * Zeroed memory that a child shares with its parent, for results that are more
 * than a descriptor; child_memory_free() takes NULL.
 */
void *child_memory(size_t size);
void child_memory_free(void *memory, size_t size);

#endif
