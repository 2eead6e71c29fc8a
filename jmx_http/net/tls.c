/* SPDX-License-Identifier: Apache-2.0 */
/* Creates TLS contexts and reads their PEM files. */
#include "jmx_http/net/tls.h"

#include "core/base/alloc.h"
#include "jmx_http/net/tls_peer.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rejects keys with a passphrase; libssl would prompt on the terminal. */
static int key_no_passphrase(char *bytes, int size, int writing, void *self)
{
	(void)bytes;
	(void)size;
	(void)writing;
	(void)self;
	return -1;
}

/* Reports an unreadable file by its errno instead of libssl's message. */
static int file_check(const char *path, struct error *err)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return fail_sys(err, ERROR_INPUT, "%s", path);
	fclose(f);
	return 0;
}

/* Formats other than PEM that users pass by mistake. */
enum store { STORE_UNKNOWN, STORE_JKS, STORE_PKCS12, STORE_DER };

/* JKS is recognized by sun.security.provider.JavaKeyStore.MAGIC. */
static enum store file_store_kind(const char *path)
{
	static const unsigned char jks[] = { 0xfe, 0xed, 0xfe, 0xed };
	static const unsigned char jceks[] = { 0xce, 0xce, 0xce, 0xce };
	unsigned char head[4] = { 0 };
	enum store store = STORE_UNKNOWN;
	PKCS12 *pkcs12;
	X509 *der;
	BIO *file = BIO_new_file(path, "rb");

	if (!file)
		return STORE_UNKNOWN;
	if (BIO_read(file, head, sizeof(head)) == (int)sizeof(head) &&
	    (memcmp(head, jks, sizeof(jks)) == 0 ||
	     memcmp(head, jceks, sizeof(jceks)) == 0))
		store = STORE_JKS;
	/* The tag of a DER sequence. */
	if (head[0] == 0x30 && BIO_reset(file) == 0) {
		pkcs12 = d2i_PKCS12_bio(file, NULL);
		store = pkcs12 ? STORE_PKCS12 : STORE_UNKNOWN;
		PKCS12_free(pkcs12);
	}
	if (head[0] == 0x30 && !store && BIO_reset(file) == 0) {
		der = d2i_X509_bio(file, NULL);
		store = der ? STORE_DER : STORE_UNKNOWN;
		X509_free(der);
	}
	BIO_free(file);
	return store;
}

/*
 * Reports a file that contains no `wanted`, and the command that converts the
 * file if it is a key store.
 */
static int file_fail_not_pem(const char *path, const char *wanted,
			     bool with_key, struct error *err)
{
	switch (file_store_kind(path)) {
	case STORE_JKS:
		return fail(err, ERROR_INPUT,
			    with_key ? "%s is a Java key store (JKS), not PEM; "
				       "convert it: "
				       "keytool -importkeystore -srckeystore "
				       "%s -destkeystore new.p12 "
				       "-deststoretype pkcs12, then openssl "
				       "pkcs12 -in new.p12 -nodes -out new.pem"
				     : "%s is a Java key store (JKS), not PEM; "
				       "convert it: "
				       "keytool -list -rfc -keystore %s > "
				       "new.pem",
			    path, path);
	case STORE_PKCS12:
		return fail(err, ERROR_INPUT,
			    "%s is a PKCS#12 key store, not PEM; convert it: "
			    "openssl pkcs12 "
			    "-in %s %s -out new.pem",
			    path, path, with_key ? "-nodes" : "-nokeys");
	case STORE_DER:
		return fail(err, ERROR_INPUT,
			    "%s is a DER certificate, not PEM; convert it: "
			    "openssl x509 "
			    "-inform DER -in %s -out new.pem",
			    path, path);
	case STORE_UNKNOWN:
		break;
	}
	return fail(err, ERROR_INPUT, "%s contains no %s", path, wanted);
}

static int context_use_key(SSL_CTX *context, const char *cert, const char *key,
			   struct error *err)
{
	if (!key)
		key = cert;
	if (file_check(cert, err) || file_check(key, err))
		return -1;
	if (SSL_CTX_use_certificate_chain_file(context, cert) != 1)
		return file_fail_not_pem(
			cert, "readable certificate in PEM format", true, err);
	if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1)
		return 0;
	if (ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH)
		return fail(
			err, ERROR_INPUT,
			"%s: the key does not belong to the certificate in %s",
			key, cert);
	return file_fail_not_pem(key,
				 "readable private key in PEM format without a "
				 "passphrase",
				 true, err);
}

static int context_trust(SSL_CTX *context, const char *cacert,
			 struct error *err)
{
	X509_VERIFY_PARAM *param = SSL_CTX_get0_param(context);

	/* As in a Java truststore, a chain may end at any certificate. */
	X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
	if (!cacert)
		return 0;
	if (file_check(cacert, err))
		return -1;
	if (SSL_CTX_load_verify_file(context, cacert) != 1)
		return file_fail_not_pem(cacert,
					 "readable certificates in PEM format",
					 false, err);
	return 0;
}

/* The list of Go's crypto/x509, root_linux.go. */
static const char *const system_bundles[] = {
	"/etc/ssl/certs/ca-certificates.crt",                /* Debian */
	"/etc/pki/tls/certs/ca-bundle.crt",                  /* Fedora, RHEL */
	"/etc/ssl/ca-bundle.pem",                            /* SUSE */
	"/etc/pki/tls/cacert.pem",                           /* OpenELEC */
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* RHEL 7 */
	"/etc/ssl/cert.pem",                                 /* Alpine */
};

const char *tls_find_system_bundle(char path[PATH_MAX], const char *root)
{
	const char *chosen = getenv("SSL_CERT_FILE");

	if (chosen && *chosen) {
		snprintf(path, PATH_MAX, "%s", chosen);
		return path;
	}
	for (size_t i = 0; i < sizeof(system_bundles) / sizeof(*system_bundles);
	     i++) {
		snprintf(path, PATH_MAX, "%s%s", root, system_bundles[i]);
		if (access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

static SSL_CTX *context_new(const SSL_METHOD *method)
{
	SSL_CTX *context = SSL_CTX_new(method);

	if (!context)
		alloc_give_up(0);
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	SSL_CTX_set_default_passwd_cb(context, key_no_passphrase);
	return context;
}

/* Accepts weak protocols that only old JVMs offer. */
static void context_accept_old(SSL_CTX *context)
{
	SSL_CTX_set_security_level(context, 0);
	SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
	SSL_CTX_set_options(context, SSL_OP_LEGACY_SERVER_CONNECT);
}

/* Returns the context, or frees it after a failure. */
static SSL_CTX *context_unless_failed(SSL_CTX *context, int status)
{
	ERR_clear_error();
	if (status == 0)
		return context;
	SSL_CTX_free(context);
	return NULL;
}

SSL_CTX *tls_client_context(const struct tls_options *options,
			    struct error *err)
{
	SSL_CTX *context;
	int status;

	if (options->key && !options->cert) {
		fail(err, ERROR_MISUSE,
		     "%s: a key requires a certificate; use --cert",
		     options->key);
		return NULL;
	}
	context = context_new(TLS_client_method());
	/* Saves one read(2) for the header of each record. */
	SSL_CTX_set_read_ahead(context, 1);
	if (options->insecure)
		context_accept_old(context);
	tls_peer_watch(context, options->insecure, !options->cacert);
	status = context_trust(context, options->cacert, err);
	if (status == 0 && options->cert)
		status = context_use_key(context, options->cert, options->key,
					 err);
	return context_unless_failed(context, status);
}

SSL_CTX *tls_server_context(const char *cert, const char *key,
			    struct error *err)
{
	SSL_CTX *context = context_new(TLS_server_method());

	/* Clients send passwords. */
	SSL_CTX_set_options(context, SSL_OP_CLEANSE_PLAINTEXT);
	return context_unless_failed(context,
				     context_use_key(context, cert, key, err));
}

/* JVMs fail the handshake for names that javax.net.ssl.SNIHostName rejects. */
static bool host_is_valid_sni(const char *host)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-.";
	size_t len = strlen(host);

	return len && len < 254 && strspn(host, letters) == len &&
	       !tls_is_address(host);
}

SSL *tls_client_new(SSL_CTX *context, const char *host)
{
	SSL *ssl = SSL_new(context);
	struct tls_peer *peer;

	if (!ssl)
		alloc_give_up(0);
	peer = tls_peer_new(ssl, host);
	if (host_is_valid_sni(peer->host))
		SSL_set_tlsext_host_name(ssl, peer->host);
	SSL_set_connect_state(ssl);
	return ssl;
}
