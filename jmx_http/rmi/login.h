/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login: opens a session of JMX over RMI, given an address.
 *
 * The registry (or the URL) provides the stub of a server; the server opens a
 * session, which has its own endpoint.  The login detects TLS: if a server
 * replies to a plain hello with a TLS alert, it connects again with TLS.
 *
 * The client runs a login as a whole.  mxping observes its steps.
 */
#ifndef JMX_HTTP_RMI_LOGIN_H
#define JMX_HTTP_RMI_LOGIN_H

#include "jmx_http/rmi/rmi_connection.h"
#include "jmx_http/rmi/stub.h"
#include "jmx_http/target.h"

/*
 * A parsed jmx_target.address.  entry is the name in the registry ("jmxrmi"). A
 * URL that contains a stub fills stub instead, and leaves address unset.
 */
struct rmi_target {
	struct net_address address;
	struct text entry, stub;
};

/* -1 and ERROR_MISUSE for other forms than those of jmx_target.address. */
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
	/* The name in the registry's certificate, borrowed; NULL: its host. */
	const char *certificate_host;
	bool require_tls, force_host, force_port;
	/*
	 * Connect exactly as a Java client: a stub without a host means
	 * loopback, a stub without a socket factory means no TLS.
	 */
	bool as_java;
	int64_t timeout_ns;                                  /* for each step */
	void (*warn_clear)(const char *host, uint16_t port); /* or NULL */
};

/*
 * Copies the target and reads its certificates, without connecting.  -1 and
 * *err: ERROR_MISUSE for an invalid address, or the errors of
 * tls_client_context().  The caller calls rmi_access_release() in either case,
 * which wipes the password.
 */
int rmi_access_init(struct rmi_access *a, const struct jmx_target *target,
		    struct error *err);
void rmi_access_release(struct rmi_access *a);

/* The TLS context, created on first use; NULL and *err. */
SSL_CTX *rmi_access_context(struct rmi_access *a, struct error *err);

/* In this order; a login omits steps that have nothing to do. */
enum login_step {
	LOGIN_RESOLVE, /* the registry's host; not with a dialer */
	LOGIN_CONNECT, /* to the registry */
	LOGIN_GREET,   /* detect RMI or TLS */
	LOGIN_TLS,     /* with the registry */
	LOGIN_LOOKUP,  /* request the server's stub */
	LOGIN_STUB,    /* parse the stub */
	LOGIN_SERVER,  /* connect to the server */
	LOGIN_SERVER_TLS,
	LOGIN_VERSION, /* of the server; only with an observer */
	LOGIN_CLIENT,  /* send user and password, receive the session's stub */
	LOGIN_SESSION, /* connect to the session */
	LOGIN_STEPS,
};

/* err is the reason of a failure; NULL if the step succeeded. */
struct login_observer {
	void (*begin)(void *self, enum login_step step);
	void (*end)(void *self, enum login_step step, const struct error *err);
	void *self;
};

struct rmi_login {
	/* Set before rmi_login_run(). */
	struct rmi_access *access;
	const struct login_observer *observer; /* or NULL */

	enum login_step step;             /* the current or failed step */
	struct rmi_connection connection; /* to the registry, server, session */
	struct rmi_endpoint at;           /* the endpoint of the connection */
	struct sockaddr_storage registry_peer;
	struct stub server, session;
	struct jrmp_return looked_up, version, opened;

	/* The progress of the connection to `at`. */
	bool is_answered; /* connected; answer is valid after a hello */
	bool is_secured;  /* the handshake succeeded */
	enum rmi_answer answer;
	struct tls_report tls; /* of the last handshake */
	bool has_reply;        /* the last call was replied to */
	bool is_withheld;      /* the password was not sent: no TLS */

	/* Private from here on. */
	int64_t deadline_ns;      /* of the step */
	struct java_stream given; /* the stub in a URL */
	bool is_untouched;        /* nothing was sent over the connection */
};

/*
 * Logs in.  On success, connection leads to the session.  -1 and *err, whose
 * text does not name the step: ERROR_NO_TARGET if nothing listens;
 * ERROR_PERMISSION if the JVM requires a password or rejects it; else
 * ERROR_REFUSED.  The caller calls rmi_login_release() in either case.
 *
 * Without an observer the version and the session are requested in one message.
 */
int rmi_login_run(struct rmi_login *l, struct error *err);

/* Closes the connection; to keep it, a caller zeroes the member first. */
void rmi_login_release(struct rmi_login *l);

/* The endpoint to connect to for a stub, considering --force-… options. */
struct rmi_endpoint rmi_login_endpoint(const struct rmi_login *l,
				       const struct stub *stub);

/*
 * Connects to an endpoint and exchanges greetings.  Sets e->is_tls if the
 * endpoint speaks TLS.  The caller calls rmi_connection_close() in either case.
 */
int rmi_access_dial(struct rmi_access *a, struct rmi_endpoint *e,
		    struct rmi_connection *c, struct error *err);

/* Appends the call that looks an entry up in a registry. */
void rmi_add_lookup(struct text *out, const char *entry, size_t len);

/* Reads the stub that a registry returned; fails if it threw an exception. */
int rmi_lookup_stub(const struct jrmp_return *r, struct stub *stub,
		    struct error *err);

/* True if the stub makes Java clients use TLS. */
bool stub_is_tls(const struct stub *stub);

/* A client's session with a JVM, which outlives its connection. */
struct rmi_session {
	struct rmi_connection connection; /* open: its transport is set */
	struct jrmp_id id;
	unsigned logins;          /* number of logins so far */
	struct rmi_access access; /* its timeout_ns may be changed */
	int64_t used_ns;          /* time of the last call */
	struct text version;      /* of the JVM, foreign; "" if unknown */
	struct text title;        /* the target, for messages */

	/* Private from here on. */
	uint8_t ack_id[JRMP_ACK_LEN];
	bool owes_ack; /* the session's stub is not acknowledged yet */
	struct rmi_endpoint at;
};

/* As rmi_access_init(); the caller calls rmi_session_release(). */
int rmi_session_init(struct rmi_session *s, const struct jmx_target *target,
		     struct error *err);

/* Opens a new session; fails as rmi_login_run(), and names the step. */
int rmi_session_login(struct rmi_session *s, struct error *err);

/*
 * Connects to the session unless there is a connection.  Opens a new session if
 * the old one is unreachable.
 */
int rmi_session_connect(struct rmi_session *s, struct error *err);

/* Opens one more connection to the session, for a call that blocks. */
int rmi_session_dial(struct rmi_session *s, struct rmi_connection *c,
		     struct error *err);

/*
 * Appends, once, the acknowledgement of the session's stub.  Send it after the
 * request for a lease.  The server sends no reply.
 */
void rmi_session_acknowledge(struct rmi_session *s, struct text *out);

/* Closes the connection, not the session. */
void rmi_session_drop(struct rmi_session *s);

/* Closes the session in the JVM and the connection; wipes the password. */
void rmi_session_release(struct rmi_session *s);

#endif
