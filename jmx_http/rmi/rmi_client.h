/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_client: JMX over RMI.
 *
 * The registry's stub, a session, calls on it.  The connection is kept alive
 * while it is used seldom (a call a minute: the JVM ends a session after two),
 * and made anew when the JVM was restarted.  The session's lease is renewed for
 * as long as it is open, as servers that are not the JVM's own agent want it.
 */
#ifndef JMX_HTTP_RMI_RMI_CLIENT_H
#define JMX_HTTP_RMI_RMI_CLIENT_H

#include "jmx_http/jmx.h"
#include "jmx_http/net/rmi_transport.h"
#include "jmx_http/net/tls.h"
#include "jmx_http/rmi/stub.h"

#define RMI_TIMEOUT_NS INT64_C(10000000000)

struct rmi_credentials {
	const char *user, *password; /* UTF-8; both or neither */
};

struct rmi_client_options {
	/*
	 * "host:port" of a registry, or a JMX service URL:
	 * service:jmx:rmi:///jndi/rmi://host:port/name,
	 * service:jmx:rmi://host:port/jndi/…, service:jmx:rmi://host/stub/….
	 */
	const char *target;
	const char *title; /* for messages; NULL: target */
	struct rmi_credentials credentials;
	struct tls_options tls; /* where the JVM speaks it: it is looked at */
	bool force_host;        /* stubs' hosts are replaced by the target's */
	bool force_port;        /* their ports, too */
	int64_t timeout_ns;     /* 0: RMI_TIMEOUT_NS */
	struct dialer *dialer;  /* borrowed; NULL: tcp_dialer */
	/*
	 * Called once, before a password is sent to another machine without
	 * TLS; or NULL.
	 */
	void (*warn_clear)(const struct rmi_address *to);
};

/*
 * Connects.  NULL and *err: ERROR_NO_TARGET when nothing is there;
 * ERROR_PERMISSION when the JVM wants a password, or another;
 * ERROR_REFUSED; ERROR_MISUSE for a URL that is none.
 */
struct jmx *rmi_client_open(const struct rmi_client_options *options,
			    struct error *err);

/*
 * A target of rmi_client_options as an address and what is behind it: entry is
 * the registry's ("jmxrmi"), or the URL has a stub itself, base64, in which
 * case address is not set.  ERROR_MISUSE.
 */
struct rmi_target {
	struct rmi_address address;
	struct text entry, stub;
};
int rmi_target_parse(struct rmi_target *t, const char *target,
		     struct error *err);
void rmi_target_release(struct rmi_target *t);

#endif
