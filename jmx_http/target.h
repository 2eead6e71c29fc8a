/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target: the address of a JVM and the credentials for it, for any protocol.
 */
#ifndef JMX_HTTP_TARGET_H
#define JMX_HTTP_TARGET_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/net/tls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JMX_TIMEOUT_NS INT64_C(10000000000)

struct dialer;
struct jmx;
struct jvm;

struct jmx_credentials {
	const char *user, *password; /* UTF-8; both or neither */
};

/* Appends the token that the file has now; -1 and *err. */
typedef int jmx_renew_fn(const char *file, struct text *token,
			 struct error *err);

/* Options of HTTP alone. */
struct jmx_http_options {
	const char *bearer; /* a token; NULL: none */
	/*
	 * Called when the server rejects the token: a token of Kubernetes
	 * expires, and its file gets another one before.  May be NULL.
	 */
	jmx_renew_fn *renew_bearer;
	const char *bearer_file;    /* for renew_bearer() */
	const char *const *headers; /* "Name: value" */
	size_t header_count;
	const char *proxy; /* URL; NULL: as http_proxy and the like say */
};

/* All pointers are borrowed; a client copies the data that it keeps. */
struct jmx_target {
	/*
	 * "host:port" of an RMI registry, or a JMX service URL:
	 * service:jmx:rmi:///jndi/rmi://host:port/name,
	 * service:jmx:rmi://host:port/jndi/…, service:jmx:rmi://host/stub/…;
	 * or the URL of a Jolokia agent: http[s]://host:port/path.
	 */
	const char *address;
	/* If address is NULL: a JVM of this machine, by its local JMX
	 * connector. */
	const struct jvm *jvm;
	/*
	 * Called before sjkc makes the JVM start its local JMX connector, which
	 * stays until the JVM exits.  NULL: sjkc starts no connector.
	 */
	void (*starting_agent)(const struct jvm *jvm);
	const char *title; /* for messages; NULL: address */
	struct jmx_credentials credentials;
	struct tls_options tls;
	struct jmx_http_options http;
	/* Refuse plain connections.  Default: use TLS if the JVM does. */
	bool require_tls;
	bool force_host;       /* replace the host in stubs by the address's */
	bool force_port;       /* and the port, too */
	int64_t timeout_ns;    /* limit for each step; 0: JMX_TIMEOUT_NS */
	struct dialer *dialer; /* NULL: TCP from this network namespace */
	/*
	 * Called once before a password is sent to another machine without
	 * TLS.  May be NULL.
	 */
	void (*warn_clear)(const char *host, uint16_t port);
	/*
	 * Called once when a reply has as many elements as a limit of the
	 * Jolokia agent allows, "maxCollectionSize" or "maxObjects", so some
	 * may be missing.  May be NULL.
	 */
	void (*warn_limit)(const char *option, int64_t limit);
	bool warn_any_limit; /* when connected, even if no reply reached it */
};

/*
 * Connects and logs in; close the connection with jmx_close().  NULL and *err:
 * ERROR_NO_TARGET if nothing listens; ERROR_PERMISSION if the JVM requires a
 * password or rejects it; ERROR_MISUSE for an invalid address;
 * ERROR_UNAVAILABLE for an http:// address without libcurl, or if the local
 * connector is not running and starting_agent is NULL; else ERROR_REFUSED.
 */
struct jmx *jmx_open(const struct jmx_target *target, struct error *err);

/* True for the URL of a Jolokia agent, http:// or https://. */
bool jmx_is_http(const char *address);

#endif
