/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target: the JVM to connect to and how to log in, whatever protocol its MBeans
 * are reached by.
 */
#ifndef JMX_HTTP_TARGET_H
#define JMX_HTTP_TARGET_H

#include "jmx_http/net/tls.h"

#include <stdbool.h>
#include <stdint.h>

#define JMX_TIMEOUT_NS INT64_C(10000000000)

struct dialer;
struct jmx;
struct jvm;

struct jmx_credentials {
	const char *user, *password; /* UTF-8; both or neither */
};

/* Everything is borrowed; a client copies what it keeps. */
struct jmx_target {
	/*
	 * "host:port" of an RMI registry, or a JMX service URL:
	 * service:jmx:rmi:///jndi/rmi://host:port/name,
	 * service:jmx:rmi://host:port/jndi/…, service:jmx:rmi://host/stub/….
	 */
	const char *address;
	/*
	 * With address NULL: a JVM of this machine, by its local connector.
	 */
	const struct jvm *jvm;
	/*
	 * Called before the JVM is asked to start its local connector, which
	 * stays until the JVM exits; NULL: it must not be started.
	 */
	void (*starting_agent)(const struct jvm *jvm);
	const char *title; /* for messages; NULL: address */
	struct jmx_credentials credentials;
	struct tls_options tls;
	/* Refuse plain connections; otherwise TLS is used where it is spoken.
	 */
	bool require_tls;
	bool force_host;       /* use the address's host in place of a stub's */
	bool force_port;       /* and its port */
	int64_t timeout_ns;    /* of each step; 0: JMX_TIMEOUT_NS */
	struct dialer *dialer; /* NULL: TCP from this network namespace */
	/*
	 * Called once before a password is sent to another machine without
	 * TLS; or NULL.
	 */
	void (*warn_clear)(const char *host, uint16_t port);
};

/*
 * Connects, over RMI today; jmx_close() is due.  NULL and *err: ERROR_NO_TARGET
 * when nothing listens; ERROR_PERMISSION when the JVM demands a password, or
 * another one; ERROR_REFUSED; ERROR_MISUSE for an invalid address;
 * ERROR_UNAVAILABLE for an http:// address, and when the local connector does
 * not run and must not be started.
 */
struct jmx *jmx_open(const struct jmx_target *target, struct error *err);

/* ERROR_UNAVAILABLE for an address of a protocol that is not supported. */
int jmx_check_scheme(const char *address, struct error *err);

#endif
