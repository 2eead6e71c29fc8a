/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls_peer: properties of a TLS server that a client records.
 *
 * Private to tls: tls.c makes contexts, tls_peer.c checks the certificate
 * during the handshake and reports the result.  The check continues after the
 * first error, to check the host name, too.
 */
#ifndef JMX_HTTP_NET_TLS_PEER_H
#define JMX_HTTP_NET_TLS_PEER_H

#include <openssl/ssl.h>
#include <stdbool.h>

#define TLS_HOST_MAX 255

/* Belongs to an SSL, which frees it. */
struct tls_peer {
	char host[TLS_HOST_MAX + 1]; /* the name required in the certificate */
	X509 *certificate;           /* NULL: the server sent none */
	int distrust;                /* X509_V_ERR_… of its chain, or 0 */
	bool is_of_host;
	bool wants_certificate; /* the server requested a client certificate */
	int alert;              /* RFC 8446, 6; -1: the server sent none */
};

/*
 * Makes the SSLs of a client context check their servers.  With by_system, the
 * system's certificates are trusted; they are read when a certificate arrives,
 * because reading them is slow.
 */
void tls_peer_watch(SSL_CTX *context, bool insecure, bool by_system);

/* Creates the peer of an SSL of such a context; once. */
struct tls_peer *tls_peer_new(SSL *ssl, const char *host);

/* True for a numeric address: "127.0.0.1", "::1". */
bool tls_is_address(const char *host);

#endif
