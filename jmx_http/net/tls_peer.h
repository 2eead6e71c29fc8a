/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls_peer: what a client has learned about its TLS server.
 *
 * Private to tls: tls.c makes contexts, tls_peer.c checks the certificate
 * during the handshake and reports the result.  The check goes on after the
 * first error, to report the host name, too.
 */
#ifndef JMX_HTTP_NET_TLS_PEER_H
#define JMX_HTTP_NET_TLS_PEER_H

#include <openssl/ssl.h>
#include <stdbool.h>

#define TLS_HOST_MAX 255

/* Belongs to an SSL, which frees it. */
struct tls_peer {
	char host[TLS_HOST_MAX + 1]; /* that the certificate must name */
	X509 *certificate;           /* NULL: none was sent */
	int distrust;                /* X509_V_ERR_… of its chain, or 0 */
	bool is_of_host;
	bool wants_certificate; /* it asked for a client certificate */
	int alert;              /* RFC 8446, 6; -1: none was sent */
};

/*
 * Lets the SSLs of a client context check their servers.  by_system: trust what
 * the system trusts, which is read when a certificate arrives, because reading
 * it takes longer than most of what a command does.
 */
void tls_peer_watch(SSL_CTX *context, bool insecure, bool by_system);

/* Creates the peer of an SSL of such a context; once. */
struct tls_peer *tls_peer_new(SSL *ssl, const char *host);

struct tls_peer *tls_peer_of(SSL *ssl);

/* True for a numeric address: "127.0.0.1", "::1". */
bool tls_is_address(const char *host);

#endif
