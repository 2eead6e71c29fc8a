/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: a client's connection, and those to the JVM that serve it.
 *
 * Private to the proxy: session.c has its life and what the client sends,
 * session_call.c where calls go, session_reply.c what comes back.
 */
#ifndef JMX_HTTP_PROXY_SESSION_H
#define JMX_HTTP_PROXY_SESSION_H

#include "jmx_http/proxy/backend.h"
#include "jmx_http/proxy/call_log.h"
#include "jmx_http/proxy/listener.h"
#include "jmx_http/proxy/refusal.h"
#include "jmx_http/proxy/request.h"
#include "jmx_http/proxy/rewrite.h"

#define SESSION_BACKENDS_MAX 4

enum session_state {
	SESSION_LOOK,     /* whether the client speaks TLS */
	SESSION_HELLO,    /* the client's "JRMI" is awaited */
	SESSION_ENDPOINT, /* who it says it is */
	SESSION_MESSAGES,
	SESSION_ENDING, /* what is still to be written, is */
	SESSION_DEAD,   /* freed when the loop is next back */
};

/* What is expected of the current backend. */
enum session_wait {
	WAIT_NOTHING, /* the client's turn */
	WAIT_RETURN,  /* the first byte of a return that is passed on */
	WAIT_STUB,    /* a return that holds a stub */
	WAIT_PROBE,   /* whether the server is at the registry's port */
};

struct session {
	struct session *next, **at; /* of the proxy's list */
	struct listener *listener;
	struct sockaddr_storage peer;
	struct bufferevent *client;
	struct event *timer; /* what it is for follows from the state */
	enum session_state state;
	enum session_wait wait;
	struct request request; /* that is being read */
	size_t request_held;    /* its memory, as the proxy has counted it */
	bool request_is_whole;  /* and has to wait for its turn */
	bool client_ended;      /* it sends nothing more */
	bool is_piped;   /* it sent a call before the last one's return */
	bool is_tls;     /* the client speaks it */
	bool is_pinging; /* the JVM is asked whether it is there */
	struct backend *backends[SESSION_BACKENDS_MAX];
	struct backend *current; /* who the last message was for */
	struct reply *reply;     /* that is being read; see session_reply.c */
	struct call_log log;     /* of the last call, if there is a log */
	int64_t moved_ns;        /* when the JVM last sent something */
};

/* Takes the socket. */
void session_begin(struct listener *l, evutil_socket_t fd,
		   const struct sockaddr_storage *peer);

/* Ends it when what waits to be written is; or now, saying why, unless NULL. */
void session_finish(struct session *s);
void session_end(struct session *s, const char *why);

void session_free(struct session *s); /* not from its own callbacks */

/* Ends one that is between two messages. */
void session_drain(struct session *s);

/* Reads on in what the client has sent. */
void session_go_on(struct session *s);

/* When it ends unless something happens before; 0: no more. */
void session_limit(struct session *s, int64_t ns);

/* Something has moved: a client that sends no more gets time for the next. */
void session_touch(struct session *s);

void session_write(struct session *s, const struct text *bytes);

/* Says the call that is over, if there is one. */
void session_log(struct session *s);

/*
 * Does what the message in s->request asks for; false when it has to wait,
 * and session_call() is due again.  The message is done with otherwise.
 */
bool session_call(struct session *s);

/* Where stubs lead a session's client. */
struct session_way {
	char host[RMI_HOST_MAX + 1];
	uint16_t port;
	enum rewrite_tls tls;
};
void session_way(const struct session *s, struct session_way *way);

/* The current backend is to return a stub: the server's, or a session's. */
void session_expect_stub(struct session *s, bool is_login);

/* Answers a call in the JVM's place. */
void session_refuse(struct session *s, enum refusal_kind kind,
		    const char *message);

/* What a session does with its backends. */
extern const struct backend_events session_backend_events;

/* Frees what it keeps of a return. */
void session_reply_release(struct session *s);

#endif
