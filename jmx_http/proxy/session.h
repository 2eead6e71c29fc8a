/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: a client's RMI connection, and the connections to the JVM behind it.
 *
 * Private to the RMI front: session.c has the session's life and what the
 * client sends, session_call.c where calls go, session_reply.c what comes back.
 *
 *	state     the client sends       timer          leads to
 *	LOOK      its first byte         says nothing   HELLO, or DEAD
 *	HELLO     "JRMI"                 says nothing   ENDPOINT, or DEAD
 *	ENDPOINT  its name               says nothing   MESSAGES, or DEAD
 *	MESSAGES  a message, see below   half a message ENDING, or DEAD
 *	ENDING    (not read)             does not read  DEAD, all being written
 *	DEAD      (not read)             frees it
 *
 * In MESSAGES, what happens depends on what the current backend owes; only
 * session_expect() writes it:
 *
 *	wait     the client's message    the JVM's bytes       the JVM ends
 *	NOTHING  is sent                 are passed on         ENDING
 *	RETURN   is sent if both go to   begin a return, and   a refusal if it
 *was one backend and pass    are passed on;        not connected, and on; else
 *it waits       NOTHING               NOTHING; or ENDING STUB     waits are
 *read until whole; as RETURN rewritten, NOTHING; or a probe is sent, PROBE
 *	PROBE    waits                   are read until whole; as RETURN
 *	                                 the stub is rewritten,
 *	                                 NOTHING
 *
 * Bytes of another backend than the current one end the session.
 */
#ifndef JMX_HTTP_PROXY_SESSION_H
#define JMX_HTTP_PROXY_SESSION_H

#include "jmx_http/proxy/backend.h"
#include "jmx_http/proxy/request.h"
#include "jmx_http/proxy/returns.h"
#include "jmx_http/proxy/rmi_call.h"
#include "jmx_http/proxy/rmi_front.h"

#define SESSION_BACKENDS_MAX 4

enum session_state {
	SESSION_LOOK, /* whether the client speaks TLS */
	SESSION_HELLO,
	SESSION_ENDPOINT,
	SESSION_MESSAGES,
	SESSION_ENDING,
	SESSION_DEAD,
};

/* What the current backend owes. */
enum session_wait {
	WAIT_NOTHING,
	WAIT_RETURN, /* the first byte of a return that is passed on */
	WAIT_STUB,   /* a return that holds a stub */
	WAIT_PROBE,  /* the reply of the server at the registry's port */
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
	struct bufferevent *client;
	struct event *timer; /* its meaning depends on the state */
	enum session_state state;
	enum session_wait wait;
	struct request request; /* that is being read */
	bool request_is_whole;  /* and has to wait for its turn */
	bool client_ended;      /* it sends nothing more */
	bool is_piped;   /* it sent a call before the last one's return */
	bool is_tls;     /* the client speaks TLS */
	bool is_pinging; /* a ping is the last message sent to the JVM */
	struct backend *backends[SESSION_BACKENDS_MAX];
	struct backend *current; /* that got the last message */
	struct reply *reply;     /* that is being read; see session_reply.c */
	struct call_log log;     /* of the last call, if calls are logged */
	int64_t moved_ns;        /* when the JVM last sent something */
};

static inline struct door *session_door(const struct session *s)
{
	return s->base.front->door;
}

/* Starts the session of a client, whose socket it takes. */
void session_begin(struct door_front *f, evutil_socket_t fd,
		   const struct sockaddr_storage *peer);

/* Ends the session once all output is written. */
void session_finish(struct session *s);
/* Ends the session now; prints why unless it is NULL. */
void session_end(struct session *s, const char *why);

/* Not from the session's own callbacks. */
void session_free(struct session *s);

/* Ends a session that is between two messages. */
void session_drain(struct session *s);

/* Continues reading what the client has sent. */
void session_go_on(struct session *s);

/* Ends the session in that time unless the limit is set anew; 0: never. */
void session_limit(struct session *s, int64_t ns);

/* Restarts the limit of a client that sends no more but still reads. */
void session_touch(struct session *s);

void session_write(struct session *s, const struct text *bytes);

/* Sets what the current backend owes; WAIT_NOTHING ends a ping. */
void session_expect(struct session *s, enum session_wait wait);

/* Prints the call that is over, if there is one. */
void session_log(struct session *s);

/*
 * Does what the message in s->request asks for.  False: the message has to wait
 * for its turn, and session_call() is due again; else the message is done.
 */
bool session_call(struct session *s);

/* Where rewritten stubs lead the session's client. */
struct stub_target session_stub_target(const struct session *s);

/* Prepares to read the return of a lookup or a login. */
void session_expect_stub(struct session *s, bool is_login);

/* Replies to a call on behalf of the JVM, with an exception. */
void session_refuse(struct session *s, enum refusal_kind kind,
		    const char *message);

/* How a session handles the events of its backends. */
extern const struct backend_events session_backend_events;

/* Frees what is kept of a return. */
void session_reply_release(struct session *s);

#endif
