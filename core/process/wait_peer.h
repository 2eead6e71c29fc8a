/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_peer: the peer of a wait: the file, socket or pipe for which a thread
 * waits in a system call.
 *
 * /proc/PID/task/TID/syscall names the system call and its descriptor,
 * /proc/PID/fd the file, and /proc/PID/net the addresses of a socket, in the
 * network namespace of the process. A thread that runs, or waits for a lock or
 * a time, has no peer.
 *
 * A system call that ends while it is examined is not reported. The time is
 * limited to a second, the number of threads to WAIT_PEERS_MAX.
 */
#ifndef CORE_PROCESS_WAIT_PEER_H
#define CORE_PROCESS_WAIT_PEER_H

#include "core/base/error.h"
#include "core/base/intern.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "core/jvm/net_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { WAIT_PEERS_MAX = 20000 };

enum wait_action {
	WAIT_ABSENT, /* the thread has no peer */
	WAIT_READS,
	WAIT_WRITES,
	WAIT_CONNECTS,
	WAIT_ACCEPTS,
	WAIT_WATCHES, /* waits for events of one or several descriptors */
	WAIT_CALLS    /* waits in another system call on a descriptor */
};

enum wait_object {
	WAIT_ON_OTHER, /* path has the text of the link, if that is readable */
	WAIT_ON_FILE,
	WAIT_ON_PIPE,
	WAIT_ON_TCP,
	WAIT_ON_UDP,
	WAIT_ON_UNIX,
	WAIT_ON_SOCKET, /* of another protocol or network namespace */
	WAIT_ON_EVENTFD,
	WAIT_ON_INOTIFY,
	WAIT_ON_EPOLL,
	WAIT_OBJECTS
};

extern const char *const wait_object_names[WAIT_OBJECTS];

/*
 * Of a connection. It is inbound if a socket listens on its local port. A
 * listener that was closed after it accepted makes it look outbound.
 */
enum wait_direction {
	WAIT_UNDIRECTED,
	WAIT_INBOUND,
	WAIT_OUTBOUND,
	WAIT_DIRECTIONS
};

/* "inbound", "outbound"; NULL. */
extern const char *const wait_direction_names[WAIT_DIRECTIONS];

struct wait_peer {
	pid_t tid; /* in the PID namespace of sjkc */
	enum wait_action action;
	/* The members below are valid unless the action is WAIT_ABSENT. */
	const char *call; /* "recvfrom"; static */
	int fd;           /* the first one that is watched; -1 = none */
	enum wait_object object;
	enum wait_direction direction;
	union net_end local, remote; /* TCP and UDP */
	uint32_t path;    /* of paths: file, or address of a Unix socket */
	uint32_t watched; /* descriptors that poll, select or epoll watches */
	uint16_t port;    /* on which a watched TCP socket listens; 0 = none */
};

/* A zeroed struct is empty. */
struct wait_peers {
	struct wait_peer *list; /* in the order of the caller's threads */
	size_t count;
	size_t unread; /* threads that were omitted by the limits */
	/* Not all addresses, or watched descriptors, were read in time. */
	bool is_cut;
	struct intern paths; /* foreign */
};

/*
 * Fills *w. ERROR_PERMISSION if the kernel denies sjkc the system calls of the
 * JVM, ERROR_UNAVAILABLE if it has no such files, ERROR_NO_TARGET.
 * wait_peers_release() must follow in any case.
 */
int wait_peers_read(struct wait_peers *w, const struct jvm *jvm,
		    const pid_t *tids, size_t count, struct error *err);
void wait_peers_release(struct wait_peers *w);

/*
 * Appends "reads from 10.1.2.3:5432", safe for a terminal; nothing if the
 * thread has no peer. For many threads, "read from 10.1.2.3:5432", without the
 * clients of inbound connections: threads with the same text have like peers.
 */
void wait_peer_text(const struct wait_peers *w, const struct wait_peer *p,
		    bool many, struct text *out);

#endif
