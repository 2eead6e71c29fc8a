/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates TLS contexts, reads their PEM files, checks the certificates of
 * servers, and explains failed handshakes. The check continues after the first
 * error, to check the host name, too.
 */
#include "jmx_http/net/tls.h"

#include "core/base/alloc.h"
#include "core/base/libcurl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the server of a connection ---- */

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

/* Copies an address without its interface: "fe80::1%eth0". */
static void host_copy_bare(char bare[TLS_HOST_MAX + 1], const char *host)
{
	size_t len = strcspn(host, "%");

	if (len > TLS_HOST_MAX)
		len = TLS_HOST_MAX;
	memcpy(bare, host, len);
	bare[len] = '\0';
}

static bool tls_is_address(const char *host)
{
	char bare[TLS_HOST_MAX + 1];
	struct in6_addr six;
	struct in_addr four;

	host_copy_bare(bare, host);
	return inet_pton(AF_INET, bare, &four) == 1 ||
	       inet_pton(AF_INET6, bare, &six) == 1;
}

/* True if the certificate names host. */
static bool certificate_is_of_host(X509 *certificate, const char *host)
{
	char bare[TLS_HOST_MAX + 1];

	host_copy_bare(bare, host);
	if (tls_is_address(host))
		return X509_check_ip_asc(certificate, bare, 0) == 1;
	return X509_check_host(certificate, bare, strlen(bare),
			       X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, NULL) == 1;
}

static void peer_free(void *parent, void *data, CRYPTO_EX_DATA *all, int index,
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

/* The index of the peer among the data of an SSL. */
static int peer_slot(void)
{
	static int index = -1;

	if (index < 0)
		index = SSL_get_ex_new_index(0, NULL, NULL, NULL, peer_free);
	return index;
}

/* The peer of an SSL, after peer_new(). */
static struct tls_peer *peer_of(SSL *ssl)
{
	return SSL_get_ex_data(ssl, peer_slot());
}

static struct tls_peer *peer_of_store(X509_STORE_CTX *store)
{
	int index = SSL_get_ex_data_X509_STORE_CTX_idx();

	return peer_of(X509_STORE_CTX_get_ex_data(store, index));
}

/* Continues after each error, and keeps the first. */
static int peer_note_error(int ok, X509_STORE_CTX *store)
{
	struct tls_peer *peer = peer_of_store(store);

	if (!ok && !peer->distrust)
		peer->distrust = X509_STORE_CTX_get_error(store);
	return 1;
}

/* Options of the certificate check of a context. */
struct policy {
	bool insecure, by_system;
};

static bool store_is_empty(X509_STORE *store)
{
	return sk_X509_OBJECT_num(X509_STORE_get0_objects(store)) == 0;
}

static void store_trust_system(X509_STORE *trusted)
{
	char path[PATH_MAX];

	if (!store_is_empty(trusted))
		return;
	ERR_set_mark();
	/* $SSL_CERT_FILE and $SSL_CERT_DIR, or the paths of the distribution
	 * that built libcrypto, which is linked statically. */
	X509_STORE_set_default_paths(trusted);
	if (store_is_empty(trusted) && !getenv("SSL_CERT_DIR") &&
	    trusted_find_bundle(path, ""))
		X509_STORE_load_file(trusted, path);
	ERR_pop_to_mark();
}

static int peer_verify(X509_STORE_CTX *store, void *self)
{
	const struct policy *policy = self;
	struct tls_peer *peer = peer_of_store(store);
	X509 *certificate = X509_STORE_CTX_get0_cert(store);
	int error;

	if (!peer->certificate && certificate) {
		X509_up_ref(certificate);
		peer->certificate = certificate;
		peer->is_of_host = certificate_is_of_host(certificate,
							  peer->host);
	}
	if (policy->by_system)
		store_trust_system(X509_STORE_CTX_get0_store(store));
	X509_STORE_CTX_set_verify_cb(store, peer_note_error);
	if (X509_verify_cert(store) <= 0 && !peer->distrust)
		peer->distrust = X509_V_ERR_UNSPECIFIED;
	error = peer->distrust;
	if (!error && !peer->is_of_host)
		error = X509_V_ERR_HOSTNAME_MISMATCH;
	X509_STORE_CTX_set_error(store, error);
	return policy->insecure || !error;
}

/* libssl calls this with and without a client certificate. */
static int peer_note_request(SSL *ssl, void *self)
{
	(void)self;
	peer_of(ssl)->wants_certificate = true;
	return 1;
}

static void peer_note_alert(const SSL *ssl, int where, int alert)
{
	struct tls_peer *peer = SSL_get_ex_data(ssl, peer_slot());

	/* The first byte is the level: 2 is fatal. */
	if (where == SSL_CB_READ_ALERT && alert >> 8 == 2)
		peer->alert = alert & 0xff;
}

/*
 * Makes the SSLs of a client context check their servers. With by_system, the
 * system's certificates are trusted; they are read when a certificate arrives,
 * because reading them is slow.
 */
static void peer_watch(SSL_CTX *context, bool insecure, bool by_system)
{
	static struct policy policies[2][2] = {
		{ { false, false }, { false, true } },
		{ { true, false }, { true, true } },
	};

	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_cert_verify_callback(context, peer_verify,
					 &policies[insecure][by_system]);
	SSL_CTX_set_cert_cb(context, peer_note_request, NULL);
	SSL_CTX_set_info_callback(context, peer_note_alert);
}

/* Creates the peer of an SSL of such a context; once. */
static struct tls_peer *peer_new(SSL *ssl, const char *host)
{
	struct tls_peer *peer = xcalloc(1, sizeof(*peer));
	size_t len = strlen(host);

	/* "name." is an absolute name. */
	if (len && host[len - 1] == '.')
		len--;
	if (len > TLS_HOST_MAX)
		len = TLS_HOST_MAX;
	memcpy(peer->host, host, len);
	peer->alert = -1;
	if (SSL_set_ex_data(ssl, peer_slot(), peer) != 1)
		alloc_give_up(sizeof(*peer));
	return peer;
}

/* Reports and errors */

/* Maximum number of names in a report, and of bytes of each name. */
#define NAMES_MAX 32
#define NAME_LEN  256

struct word {
	int code;
	const char *text;
};

/* clang-format off */
static const struct word distrusts[] = {
	{ X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
	  "it is self-signed and not trusted" },
	{ X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
	  "its certificate authority is not trusted" },
	{ X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
	  "its issuer is not trusted" },
	{ X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
	  "its issuer is not trusted" },
	{ X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
	  "its issuer is not trusted" },
	{ X509_V_ERR_CERT_HAS_EXPIRED, "it expired" },
	{ X509_V_ERR_CERT_NOT_YET_VALID, "it is not valid" },
	{ 0, NULL },
};

/* Better texts for errors that libssl describes by its internals. */
static const struct word reasons[] = {
	{ SSL_R_WRONG_VERSION_NUMBER, "the server does not speak TLS" },
	{ SSL_R_UNSUPPORTED_PROTOCOL,
	  "the server supports only protocols older than TLS 1.2" },
	{ SSL_R_UNEXPECTED_EOF_WHILE_READING, "the connection was closed" },
	{ 0, NULL },
};
/* clang-format on */

static const char *report_find_word(const struct word *words, int code)
{
	while (words->text && words->code != code)
		words++;
	return words->text;
}

static void report_add_alert(struct text *out, int alert)
{
	text_printf(out, "the server ended TLS with alert %d, '%s'", alert,
		    SSL_alert_desc_string_long(alert));
}

/* Alerts that may concern a client certificate, if one was requested. */
static bool alert_is_about_client(int alert)
{
	return alert == 40 || (alert >= 41 && alert <= 46) || alert == 48 ||
	       alert == 49 || alert == 116;
}

static int64_t report_seconds(const ASN1_TIME *time)
{
	struct tm tm;

	return ASN1_TIME_to_tm(time, &tm) == 1 ? (int64_t)timegm(&tm) : 0;
}

static void report_add_date(struct text *out, const ASN1_TIME *time)
{
	struct tm tm;
	char date[40];

	if (ASN1_TIME_to_tm(time, &tm) != 1 ||
	    !strftime(date, sizeof(date), "%Y-%m-%d", &tm))
		date[0] = '\0';
	text_puts(out, date[0] ? date : "an unknown day");
}

static void report_add_distrust(struct text *out, const struct tls_peer *peer)
{
	const char *word = report_find_word(distrusts, peer->distrust);

	text_puts(out,
		  word ? word : X509_verify_cert_error_string(peer->distrust));
	if (peer->distrust == X509_V_ERR_CERT_HAS_EXPIRED) {
		text_puts(out, " on ");
		report_add_date(out, X509_get0_notAfter(peer->certificate));
	} else if (peer->distrust == X509_V_ERR_CERT_NOT_YET_VALID) {
		text_puts(out, " before ");
		report_add_date(out, X509_get0_notBefore(peer->certificate));
	}
}

/* Appends a foreign name, truncated. */
static void report_add_cut(struct text *out, const void *bytes, long len)
{
	text_add(out, bytes, (size_t)(len < NAME_LEN ? len : NAME_LEN));
	text_puts(out, len > NAME_LEN ? "…" : "");
}

static void report_add_name(struct text *out, X509_NAME *name)
{
	BIO *memory = BIO_new(BIO_s_mem());
	char *bytes;
	long len;

	if (!memory)
		return;
	X509_NAME_print_ex(memory, name, 0,
			   XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
	len = BIO_get_mem_data(memory, &bytes);
	if (len > 0)
		report_add_cut(out, bytes, len);
	BIO_free(memory);
}

static void report_add_ip(struct text *out, const ASN1_OCTET_STRING *ip)
{
	int family = ASN1_STRING_length(ip) == 4 ? AF_INET : AF_INET6;
	char address[INET6_ADDRSTRLEN] = "?";

	if (family == AF_INET || ASN1_STRING_length(ip) == 16)
		inet_ntop(family, ASN1_STRING_get0_data(ip), address,
			  sizeof(address));
	text_printf(out, "IP Address:%s", address);
}

static void report_add_alternative(struct text *out, const GENERAL_NAME *name)
{
	if (name->type != GEN_DNS && name->type != GEN_IPADD)
		return;
	text_puts(out, out->len ? ", " : "");
	if (name->type == GEN_IPADD) {
		report_add_ip(out, name->d.iPAddress);
		return;
	}
	text_puts(out, "DNS:");
	report_add_cut(out, ASN1_STRING_get0_data(name->d.dNSName),
		       ASN1_STRING_length(name->d.dNSName));
}

static void report_add_alternatives(struct text *out, X509 *certificate)
{
	GENERAL_NAMES *names = X509_get_ext_d2i(
		certificate, NID_subject_alt_name, NULL, NULL);
	int count = sk_GENERAL_NAME_num(names); /* -1 for NULL */

	for (int i = 0; i < count && i < NAMES_MAX; i++)
		report_add_alternative(out, sk_GENERAL_NAME_value(names, i));
	if (count > NAMES_MAX)
		text_puts(out, ", …");
	GENERAL_NAMES_free(names);
}

static void report_fill_certificate(struct tls_report *r, X509 *certificate)
{
	report_add_name(&r->subject, X509_get_subject_name(certificate));
	report_add_name(&r->issuer, X509_get_issuer_name(certificate));
	report_add_alternatives(&r->names, certificate);
	r->not_before = report_seconds(X509_get0_notBefore(certificate));
	r->not_after = report_seconds(X509_get0_notAfter(certificate));
	r->is_self_signed = X509_self_signed(certificate, 0) == 1;
}

/* Appends why a certificate is rejected. */
static void report_add_fault(struct text *out, const struct tls_peer *peer)
{
	if (peer->distrust)
		report_add_distrust(out, peer);
	else
		text_printf(out, "it is not valid for host %s", peer->host);
}

void tls_report_fill(struct tls_report *r, SSL *ssl)
{
	struct tls_peer *peer = peer_of(ssl);

	tls_report_release(r);
	if (SSL_get_current_cipher(ssl)) {
		text_puts(&r->protocol, SSL_get_version(ssl));
		text_puts(&r->cipher, SSL_get_cipher_name(ssl));
	}
	r->wants_certificate = peer->wants_certificate;
	if (peer->certificate) {
		report_fill_certificate(r, peer->certificate);
		r->is_trusted = !peer->distrust;
		r->is_of_host = peer->is_of_host;
		if (!r->is_trusted || !peer->is_of_host)
			report_add_fault(&r->trouble, peer);
	}
	if (!r->trouble.len && peer->alert >= 0)
		report_add_alert(&r->trouble, peer->alert);
	ERR_clear_error();
}

void tls_report_release(struct tls_report *r)
{
	text_release(&r->protocol);
	text_release(&r->cipher);
	text_release(&r->subject);
	text_release(&r->issuer);
	text_release(&r->names);
	text_release(&r->trouble);
	*r = (struct tls_report){ 0 };
}

bool tls_wants_certificate(SSL *ssl) { return peer_of(ssl)->wants_certificate; }

static int tls_fail_client_certificate(SSL *ssl, const char *alert,
				       struct error *err)
{
	if (!SSL_get_certificate(ssl))
		return fail(err, ERROR_PERMISSION,
			    "the server requires a client certificate (--cert, "
			    "--key): %s",
			    alert);
	return fail(err, ERROR_PERMISSION,
		    "the server rejected our client certificate: %s", alert);
}

static int tls_fail_alert(SSL *ssl, const struct tls_peer *peer,
			  struct error *err)
{
	struct text alert = { 0 };

	report_add_alert(&alert, peer->alert);
	if (peer->wants_certificate && alert_is_about_client(peer->alert))
		tls_fail_client_certificate(ssl, alert.bytes, err);
	else
		fail(err, ERROR_REFUSED, "%s", alert.bytes);
	text_release(&alert);
	return -1;
}

static int tls_fail_certificate(const struct tls_peer *peer, struct error *err)
{
	struct text fault = { 0 };

	report_add_fault(&fault, peer);
	fail(err, ERROR_REFUSED,
	     "the server's certificate is rejected: %s; use %s--insecure",
	     fault.bytes,
	     peer->distrust && peer->distrust != X509_V_ERR_CERT_HAS_EXPIRED &&
			     peer->distrust != X509_V_ERR_CERT_NOT_YET_VALID
		     ? "--cacert to trust it, or "
		     : "");
	err->sys = EKEYREJECTED;
	text_release(&fault);
	return -1;
}

static int tls_fail_protocol(unsigned long code, struct error *err)
{
	const char *word = report_find_word(reasons, ERR_GET_REASON(code));
	const char *reason = ERR_reason_error_string(code);

	if (ERR_GET_LIB(code) == ERR_LIB_SSL && word)
		return fail(err, ERROR_REFUSED, "%s", word);
	return fail(err, ERROR_REFUSED, "TLS protocol error: %s",
		    reason ? reason : "unknown reason");
}

static int tls_fail_with(SSL *ssl, unsigned long code, struct error *err)
{
	const struct tls_peer *peer = peer_of(ssl);

	if (peer->alert >= 0)
		return tls_fail_alert(ssl, peer, err);
	if (ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED)
		return tls_fail_certificate(peer, err);
	/* HttpsServer of JDK 17 sends no alert; others close for other reasons.
	 */
	if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING &&
	    peer->wants_certificate && !SSL_get_certificate(ssl))
		return fail(err, ERROR_REFUSED,
			    "the connection was closed; if the server requires "
			    "a client certificate, use --cert and --key");
	return tls_fail_protocol(code, err);
}

int tls_fail(SSL *ssl, struct error *err)
{
	unsigned long code = ERR_peek_error();

	ERR_clear_error();
	return tls_fail_with(ssl, code, err);
}

int tls_fail_event(SSL *ssl, unsigned long code, struct error *err)
{
	if (ERR_GET_LIB(code) || peer_of(ssl)->alert >= 0)
		return tls_fail_with(ssl, code, err);
	/* A reset may arrive before the alert. */
	if (tls_wants_certificate(ssl) && !SSL_get_certificate(ssl))
		return fail(err, ERROR_PERMISSION,
			    "the server requires a client certificate (--cert, "
			    "--key) and closed the connection");
	return fail(err, ERROR_REFUSED,
		    "the server closed the connection during the TLS "
		    "handshake");
}

/* ---- contexts and their files ---- */

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

static void context_free_name(void *parent, void *name, CRYPTO_EX_DATA *data,
			      int index, long argument, void *pointer)
{
	(void)parent;
	(void)data;
	(void)index;
	(void)argument;
	(void)pointer;
	free(name);
}

/* The index of the server_name among the data of a context. */
static int context_name_slot(void)
{
	static int index = -1;

	if (index < 0)
		index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL,
						 context_free_name);
	return index;
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
	peer_watch(context, options->insecure, !options->cacert);
	if (options->server_name)
		SSL_CTX_set_ex_data(context, context_name_slot(),
				    xstrdup(options->server_name));
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
	const char *name = SSL_CTX_get_ex_data(context, context_name_slot());
	SSL *ssl = SSL_new(context);
	struct tls_peer *peer;

	if (!ssl)
		alloc_give_up(0);
	peer = peer_new(ssl, name ? name : host);
	if (host_is_valid_sni(peer->host))
		SSL_set_tlsext_host_name(ssl, peer->host);
	SSL_set_connect_state(ssl);
	return ssl;
}
