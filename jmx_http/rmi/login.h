/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login: the way from an address to a session of JMX over RMI.
 *
 * The registry (or the URL) gives the stub of a server; the server opens a
 * session, which has an endpoint of its own.  Whether an endpoint speaks TLS is
 * detected: a server that answers a plain hello with an alert is connected to
 * again with TLS.
 *
 * The client runs a login as a whole.  mxping observes its steps.
 */
#ifndef JMX_HTTP_RMI_LOGIN_H
#define JMX_HTTP_RMI_LOGIN_H

#include "jmx_http/rmi/rmi_connection.h"
#include "jmx_http/rmi/stub.h"
#include "jmx_http/target.h"

/*
 * The address of a jmx_target.  entry is the registry's ("jmxrmi"); a URL that
 * contains a stub fills stub instead, and leaves address unset.
 */
struct rmi_target {
	struct net_address address;
	struct text entry, stub;
};

/* ERROR_MISUSE for anything but the forms of jmx_target.address. */
int rmi_target_parse(struct rmi_target *t, const char *address,
		     struct error *err);
void rmi_target_release(struct rmi_target *t);

struct rmi_endpoint {
	struct net_address address;
	bool is_tls;
};

/* How to connect and log in: a copy of a jmx_target. */
struct rmi_access {
	struct rmi_target target;
	char *user, *password;
	struct tls_options tls;
	SSL_CTX *context;      /* NULL until the first handshake */
	struct dialer *dialer; /* borrowed; NULL: resolve and connect */
	/* The name in the registry's certificate; NULL: its host.  Borrowed. */
	const char *certificate_host;
	bool require_tls, force_host, force_port;
	/*
	 * Connect only where a Java client would: a stub without a host means
	 * loopback, a stub without a socket factory means no TLS.
	 */
	bool as_java;
	int64_t timeout_ns;                                  /* of each step */
	void (*warn_clear)(const char *host, uint16_t port); /* or NULL */
};

/*
 * Copies the target and reads its certificates; connects to nothing.  Fails
 * with ERROR_MISUSE for an invalid address, and as tls_client_context().
 * rmi_access_release() is due in any case; it wipes the password.
 */
int rmi_access_init(struct rmi_access *a, const struct jmx_target *target,
		    struct error *err);
void rmi_access_release(struct rmi_access *a);

/* The TLS context, created on first use; NULL and *err. */
SSL_CTX *rmi_access_context(struct rmi_access *a, struct error *err);

/* In this order; a step with nothing to do is left out. */
enum login_step {
	LOGIN_RESOLVE, /* the registry's host; not with a dialer */
	LOGIN_CONNECT, /* to the registry */
	LOGIN_GREET,   /* who answers: RMI, or TLS */
	LOGIN_TLS,     /* with the registry */
	LOGIN_LOOKUP,  /* the server's stub */
	LOGIN_STUB,    /* where the stub sends clients */
	LOGIN_SERVER,  /* connect to the server */
	LOGIN_SERVER_TLS,
	LOGIN_VERSION, /* of the server; only for an observer */
	LOGIN_CLIENT,  /* user, password and the new session's stub */
	LOGIN_SESSION, /* connect to the session */
	LOGIN_STEPS,
};

/* err: why the step failed; NULL when it succeeded. */
struct login_observer {
	void (*begin)(void *self, enum login_step step);
	void (*end)(void *self, enum login_step step, const struct error *err);
	void *self;
};

struct rmi_login {
	/* Set before rmi_login_run(). */
	struct rmi_access *access;
	const struct login_observer *observer; /* or NULL */

	enum login_step step;             /* the last one begun */
	struct rmi_connection connection; /* to the registry, server, session */
	struct rmi_endpoint at;           /* where it leads, or was to lead */
	struct sockaddr_storage registry_peer;
	struct stub server, session;
	struct jrmp_return looked_up, version, opened;

	/* How far the connection to at came. */
	bool is_answered; /* connected; answer is set once a hello was sent */
	bool is_secured;  /* the handshake succeeded */
	enum rmi_answer answer;
	struct tls_report tls; /* of the last handshake */
	bool has_reply;        /* to the last call */
	bool is_withheld;      /* the password: there is no TLS */

	/* Private from here on. */
	int64_t deadline_ns; /* of the step */
	struct java_stream given;
	bool is_untouched; /* nothing was sent over the connection */
};

/*
 * Logs in.  On success connection leads to the session.  Fails as the step
 * does, without naming it: ERROR_NO_TARGET when nothing listens;
 * ERROR_PERMISSION when the JVM demands a password, or another one;
 * ERROR_REFUSED.  rmi_login_release() is due in any case.
 *
 * Without an observer the version and the session are requested in one message.
 */
int rmi_login_run(struct rmi_login *l, struct error *err);

/* Closes the connection; a caller that keeps it zeroes it first. */
void rmi_login_release(struct rmi_login *l);

/* Where to connect for a stub's object. */
struct rmi_endpoint rmi_login_endpoint(const struct rmi_login *l,
				       const struct stub *stub);

/*
 * Connects to an endpoint and exchanges greetings; sets e->is_tls when TLS
 * turns out to be spoken.  rmi_connection_close() is due in any case.
 */
int rmi_access_dial(struct rmi_access *a, struct rmi_endpoint *e,
		    struct rmi_connection *c, struct error *err);

/* Appends the call that looks an entry up in a registry. */
void rmi_add_lookup(struct text *out, const char *entry, size_t len);

/* Reads the stub that a registry returned, or fails with what it threw. */
int rmi_lookup_stub(const struct jrmp_return *r, struct stub *stub,
		    struct error *err);

/* True when the stub has Java clients speak TLS. */
bool stub_is_tls(const struct stub *stub);

/* A client's session with a JVM, which outlives its connection. */
struct rmi_session {
	struct rmi_connection connection; /* open: its transport is set */
	struct jrmp_id id;
	unsigned logins;          /* how many there were; 0: none */
	struct rmi_access access; /* its timeout_ns may be changed */
	int64_t used_ns;          /* when it was called last */
	struct text version;      /* of the JVM, foreign; "" when unknown */
	struct text title;        /* the target, for messages */

	/* Private from here on. */
	uint8_t ack_id[JRMP_ACK_LEN];
	bool owes_ack; /* of the session's stub */
	struct rmi_endpoint at;
};

/* As rmi_access_init(); rmi_session_release() is due in any case. */
int rmi_session_init(struct rmi_session *s, const struct jmx_target *target,
		     struct error *err);

/* Opens a new session; as rmi_login_run(), with the step in the message. */
int rmi_session_login(struct rmi_session *s, struct error *err);

/*
 * Connects to the session, or opens a new one when it cannot be reached.  Does
 * nothing when there is a connection.
 */
int rmi_session_connect(struct rmi_session *s, struct error *err);

/* Opens one more connection to the session, for a call that waits long. */
int rmi_session_dial(struct rmi_session *s, struct rmi_connection *c,
		     struct error *err);

/*
 * Appends, once, the acknowledgement that the session's stub has arrived; due
 * after the request for a lease.  There is no reply.
 */
void rmi_session_acknowledge(struct rmi_session *s, struct text *out);

/* Closes the connection, not the session. */
void rmi_session_drop(struct rmi_session *s);

/* Closes the session in the JVM, too; wipes the password. */
void rmi_session_release(struct rmi_session *s);

#endif
