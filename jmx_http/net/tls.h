/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls: TLS to JVMs and to clients of the proxy, and reports on handshakes.
 *
 * Only jmx_http includes libssl.
 */
#ifndef JMX_HTTP_NET_TLS_H
#define JMX_HTTP_NET_TLS_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <limits.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

struct tls_options {
	const char *cacert; /* PEM file; NULL: the system's certificates */
	const char *cert;   /* PEM file, followed by its chain; or NULL */
	const char *key;    /* PEM file; NULL: the key is in cert */
	/* The name in the server's certificate, and SNI; NULL: the host. */
	const char *server_name;
	bool insecure; /* accept any certificate */
};

/*
 * Creates a context for connections to a JVM: TLS 1.2 and later, unless
 * insecure.  Trusts all certificates in cacert, even a server's own.  NULL and
 * *err: ERROR_INPUT for an unreadable file, ERROR_MISUSE for a key without its
 * certificate.  The caller calls SSL_CTX_free().
 */
SSL_CTX *tls_client_context(const struct tls_options *options,
			    struct error *err);

/* Creates a context for clients of the proxy.  Errors as above. */
SSL_CTX *tls_server_context(const char *cert, const char *key,
			    struct error *err);

/*
 * Creates a client's SSL.  The server's certificate must name host, an address
 * or a name, or the server_name of the context; a name is also sent as SNI. The
 * caller calls SSL_free().
 */
SSL *tls_client_new(SSL_CTX *context, const char *host);

/* True if the server requested a client certificate. */
bool tls_wants_certificate(SSL *ssl);

/* The result of a handshake; texts are foreign.  Zeroed: none yet. */
struct tls_report {
	struct text protocol, cipher;  /* "TLSv1.3" */
	struct text subject, issuer;   /* of the server's certificate */
	struct text names;             /* its SANs: "DNS:a, IP Address:…" */
	int64_t not_before, not_after; /* seconds since 1970 */
	bool is_trusted, is_of_host, is_self_signed;
	bool wants_certificate; /* requests a client certificate */
	struct text
		trouble; /* why sjkc rejects the certificate, or the alert */
};

void tls_report_release(struct tls_report *r);

/* Fills r after a handshake, even a failed one. */
void tls_report_fill(struct tls_report *r, SSL *ssl);

/*
 * Sets *err to the reason why an operation failed: the server's certificate,
 * its alert, or a protocol error.  ERROR_PERMISSION if the server missed or
 * rejected a client certificate, else ERROR_REFUSED.  Returns -1.  Clears
 * libssl's error queue, which must be empty before the operation.
 */
int tls_fail(SSL *ssl, struct error *err);

/*
 * As tls_fail(), for the error of a bufferevent, which is one of libssl, or a
 * number of SSL_get_error() if the connection was lost.
 */
int tls_fail_event(SSL *ssl, unsigned long code, struct error *err);

#endif
