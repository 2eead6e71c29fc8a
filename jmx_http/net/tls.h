/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls: TLS to JVMs and to clients of the proxy, and reports about the server.
 *
 * Only jmx_http includes libssl.
 */
#ifndef JMX_HTTP_NET_TLS_H
#define JMX_HTTP_NET_TLS_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

struct tls_options {
	const char *cacert; /* PEM; NULL: certificates the system trusts */
	const char *cert;   /* PEM, followed by its chain; or NULL */
	const char *key;    /* PEM; NULL: in cert */
	bool insecure;      /* accept every certificate */
};

/*
 * Creates a context for connections to a JVM: TLS 1.2 and later, unless
 * insecure.  Trusts all certificates in cacert, even a server's own.  NULL and
 * *err: ERROR_INPUT for an unreadable file, ERROR_MISUSE for a key without its
 * certificate.  SSL_CTX_free() is due.
 */
SSL_CTX *tls_client_context(const struct tls_options *options,
			    struct error *err);

/* Creates a context for clients that connect to us. */
SSL_CTX *tls_server_context(const char *cert, const char *key,
			    struct error *err);

/*
 * Creates an SSL whose server's certificate must name host: an address, or a
 * name, which is sent as SNI.  SSL_free() is due.
 */
SSL *tls_client_new(SSL_CTX *context, const char *host);

/* True when the server asked for a client certificate. */
bool tls_wants_certificate(SSL *ssl);

/* The result of a handshake; texts are foreign.  Zeroed: none yet. */
struct tls_report {
	struct text protocol, cipher;  /* "TLSv1.3" */
	struct text subject, issuer;   /* of the server's certificate */
	struct text names;             /* its SANs: "DNS:a, IP Address:…" */
	int64_t not_before, not_after; /* seconds since 1970 */
	bool is_trusted, is_of_host, is_self_signed;
	bool wants_certificate; /* asks for a client certificate */
	struct text trouble; /* why the certificate is rejected, or the alert */
};

void tls_report_release(struct tls_report *r);

/* Fills r after a handshake, even one that failed. */
void tls_report_fill(struct tls_report *r, SSL *ssl);

/*
 * Sets *err to the reason why an operation failed: the server's certificate,
 * its alert, or a protocol error.  ERROR_PERMISSION when the reason is a client
 * certificate, else ERROR_REFUSED.  Returns -1.  Clears libssl's queue of
 * errors, which must be empty before the operation.
 */
int tls_fail(SSL *ssl, struct error *err);

/* The same for an error taken from the queue by ERR_get_error(). */
int tls_fail_with(SSL *ssl, unsigned long code, struct error *err);

/* True when the server ended the connection by an alert. */
bool tls_has_alert(SSL *ssl);

#endif
