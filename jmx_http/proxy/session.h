/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: a client's RMI connection, and the connections to the JVM behind it.
 *
 * Private to the RMI front: session.c has the states of a session and parses
 * the client's messages, session_call.c forwards calls, session_reply.c handles
 * returns.
 *
 *	state     the client sends       timer             next states
 *	LOOK      its first byte         sent nothing      HELLO, or DEAD
 *	HELLO     "JRMI"                 sent nothing      ENDPOINT, or DEAD
 *	ENDPOINT  its name               sent nothing      MESSAGES, or DEAD
 *	MESSAGES  a message, see below   half a message    ENDING, or DEAD
 *	ENDING    (not read)             does not read     DEAD, after output
 *	DEAD      (not read)             frees the session
 *
 * In MESSAGES, the session's actions depend on what it expects from the current
 * backend; only session_expect() sets that:
 *
 *	wait     the client's message  the JVM's bytes     the JVM ends
 *	NOTHING  is sent               are forwarded       ENDING
 *	RETURN   is sent if both go    begin a return,     before READY: a
 *	         to one backend and    and are forwarded;  refusal, NOTHING;
 *	         are forwarded; else   NOTHING             else ENDING
 *	         waits
 *	WHOLE    waits                 are parsed, then    as RETURN
 *	                               forwarded; NOTHING;
 *	                               a stub is rewritten
 *	                               or a probe is sent;
 *	                               PROBE
 *	PROBE    waits                 are parsed, then    as RETURN
 *	                               the stub is
 *	                               rewritten; NOTHING
 *
 * Bytes of another backend than the current one end the session, and so do
 * bytes behind a return that was parsed.
 */
#ifndef JMX_HTTP_PROXY_SESSION_H
#define JMX_HTTP_PROXY_SESSION_H

#include "jmx_http/java/java_shapes.h"
#include "jmx_http/proxy/backend.h"
#include "jmx_http/proxy/rmi_front.h"
#include "jmx_http/rmi/request.h"
#include "jmx_http/rmi/stub.h"

#define SESSION_BACKENDS_MAX 4

enum session_state {
	SESSION_LOOK, /* whether the client speaks TLS */
	SESSION_HELLO,
	SESSION_ENDPOINT,
	SESSION_MESSAGES,
	SESSION_ENDING,
	SESSION_DEAD,
};

/* What the session expects from the current backend. */
enum session_wait {
	WAIT_NOTHING,
	WAIT_RETURN, /* the first byte of a return, which is forwarded */
	WAIT_WHOLE,  /* a return that is parsed; it may have a stub */
	WAIT_PROBE,  /* the return of a probe at the registry's port */
};

/* The endpoint of a rewritten stub. */
struct stub_target {
	char host[JRMP_HOST_MAX + 1];
	uint16_t port;
	bool is_tls; /* with javax.rmi.ssl.SslRMIClientSocketFactory */
};

struct rmi_front {
	struct door_front front;
	struct upstream jvm;
	char *advertise_host; /* or NULL */
	uint16_t advertise_port;
};

struct session {
	struct door_client base;
	struct rmi_front *front;
	struct event *look; /* in SESSION_LOOK, else NULL */
	enum session_state state;
	enum session_wait wait;
	struct request request; /* the message that is being parsed */
	bool request_is_whole;  /* the message waits until it may be sent */
	bool client_ended;      /* the client has closed its sending side */
	bool is_piped;   /* the client sent a call before the last return */
	bool is_pinging; /* a ping is the last message sent to the JVM */
	struct backend *backends[SESSION_BACKENDS_MAX];
	struct backend *current; /* received the last message */
	struct reply *reply;     /* the return that is being parsed; or NULL */
	struct call_log log;     /* of the last call, if calls are logged */
	int64_t moved_ns;        /* time of the last bytes from the JVM */
};

static inline struct door *session_door(const struct session *s)
{
	return s->base.front->door;
}

/* Ends the session after all output is written. */
void session_finish(struct session *s);
/* Ends the session now; prints the reason unless it is NULL. */
void session_end(struct session *s, const char *why);

/* Continues parsing the client's messages. */
void session_continue(struct session *s);

/* Ends the session after ns, unless the limit is set again; 0: never. */
void session_limit(struct session *s, int64_t ns);

/* Restarts the limit of a client that sends no more but still reads. */
void session_touch(struct session *s);

/* Writes bytes of a return to the client. */
void session_write(struct session *s, const struct text *bytes);

/* Sets what the session expects; WAIT_NOTHING ends a ping. */
void session_expect(struct session *s, enum session_wait wait);

/* Prints the last call, unless it was printed already. */
void session_log(struct session *s);

/*
 * Forwards or answers the message in s->request.  False if the message must
 * wait for a return: then the caller calls session_call() again later.
 */
bool session_call(struct session *s);

/* The endpoint of rewritten stubs for the session's client. */
struct stub_target session_stub_target(const struct session *s);

/* Prepares to parse the return of the call in s->request. */
void session_expect_whole(struct session *s);

/* Replies to a call on behalf of the JVM, with an exception of the class. */
void session_refuse(struct session *s, const struct java_shape *exception,
		    const char *message);

/* How a session handles the events of its backends. */
extern const struct backend_events session_backend_events;

/* Frees the return that is being parsed, if any. */
void session_reply_release(struct session *s);

/* ---- calls as the policy and the log see them ---- */

/*
 * Returns NULL if a whole call is allowed, else the reason, as
 * policy_objection().
 *
 * A call without r->message is never allowed.  A MarshalledObject for an MBean
 * may contain any class; with read_only, only classes of filters and queries.
 */
const char *rmi_call_objection(const struct request *r, bool read_only);

/* Adds bytes of the return, which may be an exception, to the log. */
void rmi_call_log_return(struct call_log *l, const void *bytes, size_t len);

/* ---- returns that lead to the proxy ---- */

/*
 * Appends the return of a lookup or list call, as a registry in which only
 * "jmxrmi" is bound.  The object is that of stub, at the endpoint `to`.
 */
void returns_add_lookup(struct text *out, const struct request *r,
			const struct stub *stub, const struct stub_target *to);

/*
 * Appends a complete return, and replaces the endpoint of its stub by `to`.
 * Only the stub's reference changes: the host, the port and the socket factory.
 * This may add or remove objects of the stream, but nothing after the reference
 * refers to a handle.  The stub's offsets count from the stream, which starts
 * one byte after the return.
 */
void returns_rewrite(struct text *out, const char *bytes, size_t len,
		     const struct stub *stub, const struct stub_target *to);

#endif
