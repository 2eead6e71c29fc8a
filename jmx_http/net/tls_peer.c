/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/tls_peer.h"

#include "core/base/alloc.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

/* The address without the interface behind it: "fe80::1%eth0". */
static void without_scope(char bare[TLS_HOST_MAX + 1], const char *host)
{
	size_t len = strcspn(host, "%");

	if (len > TLS_HOST_MAX)
		len = TLS_HOST_MAX;
	memcpy(bare, host, len);
	bare[len] = '\0';
}

bool tls_is_address(const char *host)
{
	char bare[TLS_HOST_MAX + 1];
	struct in6_addr six;
	struct in_addr four;

	without_scope(bare, host);
	return inet_pton(AF_INET, bare, &four) == 1 ||
	       inet_pton(AF_INET6, bare, &six) == 1;
}

/* True when the certificate has it among its names. */
static bool is_of_host(X509 *certificate, const char *host)
{
	char bare[TLS_HOST_MAX + 1];

	without_scope(bare, host);
	if (tls_is_address(host))
		return X509_check_ip_asc(certificate, bare, 0) == 1;
	return X509_check_host(certificate, bare, strlen(bare),
			       X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, NULL) == 1;
}

static void free_peer(void *parent, void *data, CRYPTO_EX_DATA *all, int index,
		      long argl, void *argp)
{
	struct tls_peer *peer = data;

	(void)parent;
	(void)all;
	(void)index;
	(void)argl;
	(void)argp;
	if (peer)
		X509_free(peer->certificate);
	free(peer);
}

/* Where an SSL has its peer. */
static int slot(void)
{
	static int index = -1;

	if (index < 0)
		index = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_peer);
	return index;
}

struct tls_peer *tls_peer_of(SSL *ssl) { return SSL_get_ex_data(ssl, slot()); }

static struct tls_peer *of_store(X509_STORE_CTX *store)
{
	int index = SSL_get_ex_data_X509_STORE_CTX_idx();

	return tls_peer_of(X509_STORE_CTX_get_ex_data(store, index));
}

/* Goes on after each error, and keeps the first of the chain. */
static int note_error(int ok, X509_STORE_CTX *store)
{
	struct tls_peer *peer = of_store(store);

	if (!ok && !peer->distrust)
		peer->distrust = X509_STORE_CTX_get_error(store);
	return 1;
}

/* How a context looks at certificates. */
struct policy {
	bool insecure, by_system;
};

static void trust_system(X509_STORE *trusted)
{
	if (sk_X509_OBJECT_num(X509_STORE_get0_objects(trusted)) == 0)
		X509_STORE_set_default_paths(trusted);
}

static int verify(X509_STORE_CTX *store, void *self)
{
	const struct policy *policy = self;
	struct tls_peer *peer = of_store(store);
	X509 *certificate = X509_STORE_CTX_get0_cert(store);
	int error;

	if (!peer->certificate && certificate) {
		X509_up_ref(certificate);
		peer->certificate = certificate;
		peer->is_of_host = is_of_host(certificate, peer->host);
	}
	if (policy->by_system)
		trust_system(X509_STORE_CTX_get0_store(store));
	X509_STORE_CTX_set_verify_cb(store, note_error);
	if (X509_verify_cert(store) <= 0 && !peer->distrust)
		peer->distrust = X509_V_ERR_UNSPECIFIED;
	error = peer->distrust;
	if (!error && !peer->is_of_host)
		error = X509_V_ERR_HOSTNAME_MISMATCH;
	X509_STORE_CTX_set_error(store, error);
	return policy->insecure || !error;
}

/* Asked whether or not there is one of ours. */
static int note_request(SSL *ssl, void *self)
{
	(void)self;
	tls_peer_of(ssl)->wants_certificate = true;
	return 1;
}

static void note_alert(const SSL *ssl, int where, int alert)
{
	struct tls_peer *peer = SSL_get_ex_data(ssl, slot());

	/* The first byte of two is how bad it is: 2 ends the connection. */
	if (where == SSL_CB_READ_ALERT && alert >> 8 == 2)
		peer->alert = alert & 0xff;
}

void tls_peer_watch(SSL_CTX *context, bool insecure, bool by_system)
{
	static struct policy policies[2][2] = {
		{ { false, false }, { false, true } },
		{ { true, false }, { true, true } },
	};

	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_cert_verify_callback(context, verify,
					 &policies[insecure][by_system]);
	SSL_CTX_set_cert_cb(context, note_request, NULL);
	SSL_CTX_set_info_callback(context, note_alert);
}

struct tls_peer *tls_peer_new(SSL *ssl, const char *host)
{
	struct tls_peer *peer = xcalloc(1, sizeof(*peer));
	size_t len = strlen(host);

	/* "name." is the name, from the root of all names. */
	if (len && host[len - 1] == '.')
		len--;
	if (len > TLS_HOST_MAX)
		len = TLS_HOST_MAX;
	memcpy(peer->host, host, len);
	peer->alert = -1;
	if (SSL_set_ex_data(ssl, slot(), peer) != 1)
		alloc_give_up(sizeof(*peer));
	return peer;
}
