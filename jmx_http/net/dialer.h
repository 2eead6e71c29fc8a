/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialer: connects to a JVM's ports, over any kind of network.
 *
 * There are five kinds: TCP, a command for each connection, kubectl
 * port-forward, the network namespace of a local JVM, and worker processes of
 * sjkc, which speak another protocol to the JVM.  Each yields a
 * connected socket, either by dialer_dial(), which blocks, or by begin(), which
 * an event loop completes.
 *
 * Clients of the proxy cannot choose the host of a connection: begin() accepts
 * only a port, and each dialer connects to one machine or container.
 */
#ifndef JMX_HTTP_NET_DIALER_H
#define JMX_HTTP_NET_DIALER_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "jmx_http/net/address.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

struct dialer;
struct rmi_transport;

/*
 * Called when an attempt ends.  On success fd is the connected socket,
 * non-blocking and close-on-exec, and the callee owns it.  On failure fd is -1
 * and err has the reason: ERROR_NO_TARGET if nothing listens, else
 * ERROR_REFUSED.
 */
typedef void dial_done_fn(void *self, evutil_socket_t fd,
			  const struct error *err);

/* A connection attempt.  The first member of each kind's own struct. */
struct dial {
	struct dialer *dialer;

	/* Of the kind; see dial_begin(). */
	uint16_t port;
	int64_t deadline_ns;
	struct event *timer;
	dial_done_fn *done;
	void *self;
};

struct dialer_ops {
	/*
	 * As dialer_dial().  NULL: dialer_dial() calls begin() and runs the
	 * dialer's event base.
	 */
	int (*dial)(struct dialer *d, struct net_address *to,
		    int64_t deadline_ns, struct error *err);
	/*
	 * Starts a connection to a port.  Unless the attempt is cancelled,
	 * calls done once, from the event loop and never before this function
	 * returns.  Requires a base.  NULL: dialer_dial() only.
	 */
	struct dial *(*begin)(struct dialer *d, uint16_t port,
			      int64_t timeout_ns, dial_done_fn *done,
			      void *self);
	/* Ends and frees an attempt before its done is called. */
	void (*cancel)(struct dial *dial);
	void (*free)(struct dialer *d);
	/*
	 * Appends the reason why a connection has just ended without a reply,
	 * if the dialer knows it; foreign text.  May be NULL.
	 */
	void (*why)(struct dialer *d, struct text *out);
	/*
	 * A connection has just ended before the server's first byte.  True if
	 * another attempt may succeed: it waits until the dialer has checked
	 * that the server is still the same.  NULL: false.
	 */
	bool (*again)(struct dialer *d);
	/*
	 * A number that changes when connections reach another server, to which
	 * the stubs of the previous one mean nothing.  NULL: it never changes.
	 */
	unsigned (*generation)(const struct dialer *d);
	/*
	 * Makes connections that are not sockets, see rmi_transport_dial().
	 * NULL for all kinds below.
	 */
	struct rmi_transport *(*connect)(struct dialer *d,
					 struct net_address *to,
					 int64_t deadline_ns,
					 struct error *err);
	bool goes_anywhere; /* reaches every port of the JVM */
	/*
	 * True if new attempts wait until another connection is closed; NULL if
	 * they never do.
	 */
	bool (*is_full)(const struct dialer *d);
	/* Bytes cross a network unencrypted, unless the host is this machine.
	 */
	bool crosses_network;
};

/* The first member of each kind's own struct. */
struct dialer {
	const struct dialer_ops *ops;
	struct event_base *base; /* runs begin(); borrowed; may be NULL */
};

/*
 * Connects and waits, at most until the deadline of clock_monotonic_ns().  to
 * has the port, and the host for dialers that reach any host; to->list receives
 * the addresses that were tried, if the dialer resolves them.  Returns the
 * socket, non-blocking and close-on-exec, or -1 and *err as dial_done_fn.
 */
int dialer_dial(struct dialer *d, struct net_address *to, int64_t deadline_ns,
		struct error *err);

/*
 * For kinds of dialers: fills an attempt, and makes a timer that calls
 * on_timer(-1, EV_TIMEOUT, d), which the kind starts by dial_wait() and frees.
 */
void dial_begin(struct dial *d, struct dialer *dialer, uint16_t port,
		int64_t timeout_ns, dial_done_fn *done, void *self,
		event_callback_fn on_timer);
void dial_wait(struct dial *d, int64_t ns);

/* The time until the deadline, at least 0. */
int64_t dial_left_ns(const struct dial *d);

/*
 * Frees the attempt by ops->cancel(), and calls done.  err may belong to the
 * attempt; NULL: none.
 */
void dial_finish(struct dial *d, evutil_socket_t fd, const struct error *err);

/* Frees a dialer whose attempts have ended; NULL is fine. */
void dialer_free(struct dialer *d);

/* Connects to any host from this machine, by TCP.  dialer_dial() only. */
extern struct dialer tcp_dialer;

/*
 * Connects to one host by TCP, trying its addresses one after the other.
 * address must be resolved.  If no address accepts a connection, the dialer
 * resolves the name again for the next attempt, by DNS and /etc/hosts.
 */
struct dialer *tcp_dialer_new(struct event_base *base,
			      const struct net_address *address);

/*
 * Connects to the first address of a that accepts; each gets an equal share of
 * the time left.  Returns a non-blocking socket, or -1 and *err: err->sys is
 * the errno of the last address.
 */
int tcp_connect(const struct net_address *a, int64_t deadline_ns,
		struct error *err);

/* The hosts that a local dialer connects to. */
enum local_scope {
	/*
	 * 127.0.0.1, or else ::1, for any requested host: a stub may name a
	 * host that only remote clients can resolve
	 * (java.rmi.server.hostname).
	 */
	LOCAL_LOOPBACK,
	/* The requested host, resolved outside the namespace.  dial() only. */
	LOCAL_ANY_HOST,
};

/*
 * Connects from within the network namespace of a JVM on this machine: a local
 * JMX connector accepts connections from its own loopback interface only.  jvm
 * is copied.  NULL and *err: ERROR_PERMISSION when the namespace may not be
 * entered, ERROR_NO_TARGET when the JVM has exited.
 */
struct dialer *local_dialer_new(struct event_base *base, const struct jvm *jvm,
				enum local_scope scope, struct error *err);

#define COMMAND_DIALER_MAX 64 /* commands running at a time */

struct command_dialer_options {
	struct event_base *base;
	const char *command; /* see command_line.h */
	const char *host;    /* replaces {host} */
	/* Receives a message about a failed command. */
	void (*report)(void *self, const char *line);
	void *self;
};

/*
 * Runs a command for each connection, whose standard input and output are the
 * connection: `ssh -W {host}:{port} bastion`, `kubectl exec -i POD -- socat -
 * TCP:…`.  NULL and *err as command_line_parse(), command_line_find() and
 * command_line_words().
 */
struct dialer *command_dialer_new(const struct command_dialer_options *options,
				  struct error *err);

struct kubectl_options;

/*
 * Connects to ports of a pod through `kubectl port-forward`.  Runs the event
 * base until the target's port is forwarded, and sets *port to the port of the
 * pod; forwards of other ports start on demand.  Options are copied.  NULL and
 * *err: ERROR_UNAVAILABLE if kubectl is not installed, ERROR_REFUSED if the
 * target does not exist or kubectl cannot forward its port.
 */
struct dialer *kubectl_dialer_new(struct event_base *base,
				  const struct kubectl_options *options,
				  uint16_t *port, struct error *err);

#define WORKER_DIALER_MAX 64 /* worker processes at a time */
#define WORKER_KEPT_MAX   4

struct worker_options {
	struct event_base *base;
	/*
	 * Runs in each worker and serves a connection on fd, a blocking socket
	 * that the worker owns, until the other end is closed.  The worker
	 * exits when run returns.  It has a copy of the memory that the parent
	 * had when it called worker_dialer_new(), but none of its other
	 * descriptors; standard output and error are
	 * /dev/null.
	 */
	void (*run)(void *self, int fd);
	void *self;        /* borrowed, and so is what it refers to */
	const int *kept;   /* further descriptors for run; borrowed */
	size_t kept_count; /* at most WORKER_KEPT_MAX */
	size_t memory_max; /* bytes of address space; a worker that needs more
			      exits */
};

/*
 * Starts a worker process for each connection; ports are ignored.  A worker
 * ends with its connection, or with the dialer.  While WORKER_DIALER_MAX
 * workers are running, an attempt waits for its turn; it fails with
 * ERROR_REFUSED when its time is over.
 */
struct dialer *worker_dialer_new(const struct worker_options *options);

#endif
