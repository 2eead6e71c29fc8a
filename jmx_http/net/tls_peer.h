/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls_peer: what a client has learnt of who it speaks TLS with.
 *
 * Private to tls: tls.c makes contexts, tls_peer.c looks at the certificate
 * while hands are shaken, tls_report.c says what came of it.  All that is wrong
 * with a certificate is looked for, not just what comes first.
 */
#ifndef JMX_HTTP_NET_TLS_PEER_H
#define JMX_HTTP_NET_TLS_PEER_H

#include <openssl/ssl.h>
#include <stdbool.h>

#define TLS_HOST_MAX 255

/* One an SSL; it goes with it. */
struct tls_peer {
	char host[TLS_HOST_MAX + 1]; /* who it should be */
	X509 *certificate;           /* the peer's; NULL: none came */
	int distrust;                /* X509_V_ERR_… of its chain, or 0 */
	bool is_of_host;
	bool wants_certificate; /* it asked for one of ours */
	int alert;              /* RFC 8446, 6; -1: it sent none */
};

/*
 * Has the SSLs of a client's context look at their peers; by_system: trust what
 * the system does, which is read when a certificate has come, as that takes
 * longer than most of what else is done.
 */
void tls_peer_watch(SSL_CTX *context, bool insecure, bool by_system);

/* Of an SSL of such a context; once. */
struct tls_peer *tls_peer_new(SSL *ssl, const char *host);

struct tls_peer *tls_peer_of(SSL *ssl);

/* True for what is no name: "127.0.0.1", "::1". */
bool tls_is_address(const char *host);

#endif
