/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls: how TLS is spoken to JVMs and to clients, and what a peer has shown.
 *
 * libssl; only jmx_http includes it.
 */
#ifndef JMX_HTTP_NET_TLS_H
#define JMX_HTTP_NET_TLS_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

struct tls_options {
	const char *cacert; /* PEM; NULL: those that the system trusts */
	const char *cert;   /* PEM, its chain behind it; or NULL */
	const char *key;    /* PEM; NULL: in cert */
	bool insecure;      /* take any certificate, of any host */
};

/*
 * For connections to a JVM: nothing below TLS 1.2, unless insecure.  Whatever
 * is in cacert is trusted, a server's own certificate, too.  NULL and *err:
 * ERROR_INPUT for a file that cannot be read, ERROR_MISUSE for a key without
 * its certificate.  SSL_CTX_free() is due.
 */
SSL_CTX *tls_client_context(const struct tls_options *options,
			    struct error *err);

/* For clients that connect to us. */
SSL_CTX *tls_server_context(const char *cert, const char *key,
			    struct error *err);

/*
 * An SSL of a client's context whose peer is to have a certificate of host: an
 * address, or a name, which is told to it (SNI).  SSL_free() is due.
 */
SSL *tls_client_new(SSL_CTX *context, const char *host);

/* True when it asked for a certificate of ours. */
bool tls_wants_certificate(SSL *ssl);

/* What a handshake came to; texts are foreign.  Zeroed: nothing yet. */
struct tls_report {
	struct text protocol, cipher;  /* "TLSv1.3" */
	struct text subject, issuer;   /* of the peer's certificate */
	struct text names;             /* its SANs: "DNS:a, IP Address:…" */
	int64_t not_before, not_after; /* seconds since 1970 */
	bool is_trusted, is_of_host, is_self_signed;
	bool wants_certificate; /* it asked for one of ours */
	struct text trouble;    /* why it is not trusted, or the alert */
};

void tls_report_release(struct tls_report *r);

/*
 * Fills what the connection shows of its peer, after a handshake that failed,
 * too.
 */
void tls_report_fill(struct tls_report *r, SSL *ssl);

/*
 * Says why an operation on it failed: what of the peer's certificate is wrong,
 * the alert that it sent, or what it broke of TLS.  ERROR_PERMISSION when it is
 * about a certificate of ours, else ERROR_REFUSED; gives -1.  Empties libssl's
 * queue of errors, which is to be empty before the operation.
 */
int tls_fail(SSL *ssl, struct error *err);

/* The same for an error that was taken from the queue: ERR_get_error()'s. */
int tls_fail_with(SSL *ssl, unsigned long code, struct error *err);

/* True when the peer ended it by an alert. */
bool tls_has_alert(SSL *ssl);

#endif
