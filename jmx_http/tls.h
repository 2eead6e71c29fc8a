/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls: how TLS is spoken to JVMs and to clients, and what a peer has shown.
 *
 * libssl; only jmx_http includes it.
 */
#ifndef JMX_HTTP_TLS_H
#define JMX_HTTP_TLS_H

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
 * For connections to a JVM: nothing below TLS 1.2, unless insecure.  NULL and
 * *err (ERROR_INPUT: a file that cannot be read).  SSL_CTX_free() is due.
 */
SSL_CTX *tls_client_context(const struct tls_options *options,
			    struct error *err);

/* For clients that connect to us. */
SSL_CTX *tls_server_context(const char *cert, const char *key,
			    struct error *err);

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

/* Fills what the connection shows of its peer; host: who it should be. */
void tls_report_fill(struct tls_report *r, SSL *ssl, const char *host);

#endif
