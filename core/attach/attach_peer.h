/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_peer: a child process that acts for us where the target's word counts.
 *
 * A JVM talks to its own user; a container's file system is its own, and may
 * hold up whoever looks into it.  So what touches either is done by a child
 * that takes on the JVM's user and group, and hands what it has opened back.
 * It runs nothing but our own code, lives until its deadline at most, and is
 * killed, by pidfd, when it does not end by itself.
 */
#ifndef CORE_ATTACH_ATTACH_PEER_H
#define CORE_ATTACH_ATTACH_PEER_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_peer {
	pid_t pid;   /* 0 = none */
	int pidfd;   /* of the child; -1 where there are none */
	int channel; /* to the child */
};

/*
 * What the child does.  It gives an fd to be handed back, or -1 and *err.
 * channel is the child's end: its end of file says that the parent has gone.
 */
typedef int attach_peer_job(void *self, int channel, struct error *err);

/* True when a child is needed for this JVM, not just to be safe. */
bool attach_peer_is_needed(const struct jvm *jvm);

/*
 * For the job: takes on the JVM's user and group for good.  Does nothing when
 * they are ours already.  ERROR_PERMISSION.
 */
int attach_peer_become(const struct jvm *jvm, struct error *err);

/* Starts the child; attach_peer_end() is due after success. */
int attach_peer_start(struct attach_peer *p, attach_peer_job *job, void *self,
		      struct error *err);

/*
 * Tells the other end a byte; waits for one from it.  The latter gives -1 when
 * none came by the deadline, and -2 when the other end has gone.
 */
int attach_peer_tell(int channel, char what);
/* Tells a byte, and hands over an fd, which stays open here, too. */
int attach_peer_hand(int channel, char what, int fd);
int attach_peer_hear(int channel, int64_t deadline_ns, char *what);

enum attach_peer_word {
	PEER_FAILED = -1, /* *err */
	PEER_TOLD,        /* a byte; *fd is -1, or the caller's now */
	PEER_DONE,        /* *fd, which is the caller's now */
};

/*
 * Waits until the deadline for what the child has to say; (*err).sys is
 * ETIMEDOUT when it says nothing.
 */
enum attach_peer_word attach_peer_wait(struct attach_peer *p,
				       int64_t deadline_ns, int *fd,
				       struct error *err);

/* Lets the child end what it has begun, without us. */
void attach_peer_leave(struct attach_peer *p);

/* Waits for the child to end, a moment, or ends it.  Zeroed storage is fine. */
void attach_peer_end(struct attach_peer *p);

#endif
