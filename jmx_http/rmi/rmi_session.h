/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_session: how a client of JMX gets in, and in again.
 *
 * A registry or a URL gives the stub of a server, that gives a session, which
 * is at a place of its own.  Whether TLS is spoken is looked at, not assumed:
 * what answers a plain hello with an alert is connected to anew.
 *
 * The session outlives its connection: rmi_session_connect() goes on with it.
 */
#ifndef JMX_HTTP_RMI_RMI_SESSION_H
#define JMX_HTTP_RMI_RMI_SESSION_H

#include "jmx_http/rmi/rmi_client.h"
#include "jmx_http/rmi/rmi_connection.h"

struct rmi_endpoint {
	struct rmi_address address; /* only its host and port count */
	bool is_tls;
};

struct rmi_session {
	struct rmi_connection connection; /* open: its transport is set */
	struct jrmp_id id;
	unsigned logins;     /* how many there were; 0: none */
	int64_t timeout_ns;  /* of each step */
	int64_t used_ns;     /* when it was called last */
	struct text version; /* of the JVM, foreign; "" when not known */
	struct text title;   /* the target, for messages */

	/* Private from here on. */
	uint8_t ack_id[JRMP_ACK_LEN];
	bool owes_ack; /* of the session's stub */
	struct rmi_target target;
	struct rmi_endpoint at;
	char *user, *password;
	struct tls_options tls;
	SSL_CTX *context;
	struct dialer *dialer;
	void (*warn_clear)(const struct rmi_address *to); /* or NULL */
	bool force_host, force_port;
};

/*
 * Takes what is asked for, copied; connects to nothing yet.  ERROR_MISUSE, and
 * as tls_client_context(); rmi_session_release() is due in any case.
 */
int rmi_session_init(struct rmi_session *s,
		     const struct rmi_client_options *options,
		     struct error *err);

/* From the registry to a new session; as rmi_client_open(). */
int rmi_session_login(struct rmi_session *s, struct error *err);

/*
 * A connection to the session; when there is none where it was, a new session.
 * Nothing is done when there is a connection already.
 */
int rmi_session_connect(struct rmi_session *s, struct error *err);

/* One more connection to the session, such as for a call that waits long. */
int rmi_session_dial(struct rmi_session *s, struct rmi_connection *c,
		     struct error *err);

/*
 * Appends, once, that the session's stub arrived and the JVM need not keep its
 * object for that: after what asks for a lease.  There is no answer.
 */
void rmi_session_acknowledge(struct rmi_session *s, struct text *out);

/* Closes the connection, not the session. */
void rmi_session_drop(struct rmi_session *s);

/* Has the JVM close the session, too, when there is one; wipes the password. */
void rmi_session_release(struct rmi_session *s);

/*
 * Sets *err to what was thrown, "class: message <- …": ERROR_PERMISSION when it
 * is one of security, else ERROR_REFUSED.
 */
int rmi_session_thrown(const struct java_value *throwable, struct error *err);

#endif
