/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/tls.h"

#include "jmx_http/net/tls_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <time.h>

/* Said of a certificate. */
#define NAMES_MAX 32
#define NAME_LEN  256 /* at most, of each */

struct word {
	int code;
	const char *text;
};

/* clang-format off */
static const struct word distrusts[] = {
	{ X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
	  "it is self-signed, and not among those that are trusted" },
	{ X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
	  "its authority is not among those that are trusted" },
	{ X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
	  "its issuer is not among those that are trusted" },
	{ X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
	  "its issuer is not among those that are trusted" },
	{ X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
	  "its issuer is not among those that are trusted" },
	{ X509_V_ERR_CERT_HAS_EXPIRED, "it has expired" },
	{ X509_V_ERR_CERT_NOT_YET_VALID, "it is not valid yet" },
	{ 0, NULL },
};

/* RFC 8446, 6.2, and those of RFC 5246 that it left out; what a JVM sends. */
static const struct word alerts[] = {
	{ 20, "bad record MAC" },
	{ 40, "handshake failure: nothing that both can, or will, speak" },
	{ 41, "no certificate" },
	{ 42, "bad certificate" },
	{ 43, "unsupported certificate" },
	{ 44, "certificate revoked" },
	{ 45, "certificate expired" },
	{ 46, "certificate unknown" },
	{ 47, "illegal parameter" },
	{ 48, "unknown certificate authority" },
	{ 49, "access denied" },
	{ 50, "decode error" },
	{ 51, "decrypt error" },
	{ 70, "protocol version: it does not speak ours" },
	{ 71, "insufficient security" },
	{ 80, "internal error" },
	{ 109, "missing extension" },
	{ 112, "unrecognized name" },
	{ 116, "certificate required" },
	{ 120, "no application protocol" },
	{ 0, NULL },
};

/* What libssl says in words that only it understands. */
static const struct word reasons[] = {
	{ SSL_R_WRONG_VERSION_NUMBER, "what came is not TLS" },
	{ SSL_R_UNSUPPORTED_PROTOCOL,
	  "it speaks only what is older than TLS 1.2" },
	{ SSL_R_UNEXPECTED_EOF_WHILE_READING, "the connection was closed" },
	{ 0, NULL },
};
/* clang-format on */

static const char *word_of(const struct word *words, int code)
{
	while (words->text && words->code != code)
		words++;
	return words->text;
}

static void add_alert(struct text *out, int alert)
{
	const char *word = word_of(alerts, alert);

	if (word)
		text_printf(out, "it ended TLS with the alert '%s'", word);
	else
		text_printf(out, "it ended TLS with alert %d", alert);
}

/* Alerts that may be about a certificate of ours, when one was asked for. */
static bool is_of_ours(int alert)
{
	return alert == 40 || (alert >= 41 && alert <= 46) || alert == 48 ||
	       alert == 49 || alert == 116;
}

static int64_t seconds_of(const ASN1_TIME *time)
{
	struct tm tm;

	return ASN1_TIME_to_tm(time, &tm) == 1 ? (int64_t)timegm(&tm) : 0;
}

static void add_date(struct text *out, const ASN1_TIME *time)
{
	struct tm tm;
	char date[40];

	if (ASN1_TIME_to_tm(time, &tm) != 1 ||
	    !strftime(date, sizeof(date), "%Y-%m-%d", &tm))
		date[0] = '\0';
	text_puts(out, date[0] ? date : "an unknown day");
}

static void add_distrust(struct text *out, const struct tls_peer *peer)
{
	const char *word = word_of(distrusts, peer->distrust);

	text_puts(out,
		  word ? word : X509_verify_cert_error_string(peer->distrust));
	if (peer->distrust == X509_V_ERR_CERT_HAS_EXPIRED) {
		text_puts(out, ", on ");
		add_date(out, X509_get0_notAfter(peer->certificate));
	} else if (peer->distrust == X509_V_ERR_CERT_NOT_YET_VALID) {
		text_puts(out, ", but from ");
		add_date(out, X509_get0_notBefore(peer->certificate));
	}
}

/* As much of a foreign name as a person reads. */
static void add_cut(struct text *out, const void *bytes, long len)
{
	text_add(out, bytes, (size_t)(len < NAME_LEN ? len : NAME_LEN));
	text_puts(out, len > NAME_LEN ? "…" : "");
}

static void add_name(struct text *out, X509_NAME *name)
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
		add_cut(out, bytes, len);
	BIO_free(memory);
}

static void add_ip(struct text *out, const ASN1_OCTET_STRING *ip)
{
	int family = ASN1_STRING_length(ip) == 4 ? AF_INET : AF_INET6;
	char address[INET6_ADDRSTRLEN] = "?";

	if (family == AF_INET || ASN1_STRING_length(ip) == 16)
		inet_ntop(family, ASN1_STRING_get0_data(ip), address,
			  sizeof(address));
	text_printf(out, "IP Address:%s", address);
}

static void add_alternative(struct text *out, const GENERAL_NAME *name)
{
	if (name->type != GEN_DNS && name->type != GEN_IPADD)
		return;
	text_puts(out, out->len ? ", " : "");
	if (name->type == GEN_IPADD) {
		add_ip(out, name->d.iPAddress);
		return;
	}
	text_puts(out, "DNS:");
	add_cut(out, ASN1_STRING_get0_data(name->d.dNSName),
		ASN1_STRING_length(name->d.dNSName));
}

static void add_alternatives(struct text *out, X509 *certificate)
{
	GENERAL_NAMES *names = X509_get_ext_d2i(
		certificate, NID_subject_alt_name, NULL, NULL);
	int count = sk_GENERAL_NAME_num(names); /* -1 for NULL */

	for (int i = 0; i < count && i < NAMES_MAX; i++)
		add_alternative(out, sk_GENERAL_NAME_value(names, i));
	if (count > NAMES_MAX)
		text_puts(out, ", …");
	GENERAL_NAMES_free(names);
}

static void fill_certificate(struct tls_report *r, X509 *certificate)
{
	add_name(&r->subject, X509_get_subject_name(certificate));
	add_name(&r->issuer, X509_get_issuer_name(certificate));
	add_alternatives(&r->names, certificate);
	r->not_before = seconds_of(X509_get0_notBefore(certificate));
	r->not_after = seconds_of(X509_get0_notAfter(certificate));
	r->is_self_signed = X509_self_signed(certificate, 0) == 1;
}

/* Appends what is wrong with a certificate that is not taken. */
static void add_fault(struct text *out, const struct tls_peer *peer)
{
	if (peer->distrust)
		add_distrust(out, peer);
	else
		text_printf(out, "it is not one of %s", peer->host);
}

void tls_report_fill(struct tls_report *r, SSL *ssl)
{
	struct tls_peer *peer = tls_peer_of(ssl);

	tls_report_release(r);
	if (SSL_get_current_cipher(ssl)) {
		text_puts(&r->protocol, SSL_get_version(ssl));
		text_puts(&r->cipher, SSL_get_cipher_name(ssl));
	}
	r->wants_certificate = peer->wants_certificate;
	if (peer->certificate) {
		fill_certificate(r, peer->certificate);
		r->is_trusted = !peer->distrust;
		r->is_of_host = peer->is_of_host;
		if (!r->is_trusted || !peer->is_of_host)
			add_fault(&r->trouble, peer);
	}
	if (!r->trouble.len && peer->alert >= 0)
		add_alert(&r->trouble, peer->alert);
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

bool tls_wants_certificate(SSL *ssl)
{
	return tls_peer_of(ssl)->wants_certificate;
}

bool tls_has_alert(SSL *ssl) { return tls_peer_of(ssl)->alert >= 0; }

static int fail_at_ours(SSL *ssl, const char *alert, struct error *err)
{
	if (!SSL_get_certificate(ssl))
		return fail(err, ERROR_PERMISSION,
			    "it wants a certificate of ours (--cert, --key): "
			    "%s",
			    alert);
	return fail(err, ERROR_PERMISSION,
		    "it does not take our certificate: %s", alert);
}

static int fail_at_alert(SSL *ssl, const struct tls_peer *peer,
			 struct error *err)
{
	struct text alert = { 0 };

	add_alert(&alert, peer->alert);
	if (peer->wants_certificate && is_of_ours(peer->alert))
		fail_at_ours(ssl, alert.bytes, err);
	else
		fail(err, ERROR_REFUSED, "%s", alert.bytes);
	text_release(&alert);
	return -1;
}

static int fail_at_certificate(const struct tls_peer *peer, struct error *err)
{
	struct text fault = { 0 };

	add_fault(&fault, peer);
	if (peer->distrust && peer->distrust != X509_V_ERR_CERT_HAS_EXPIRED &&
	    peer->distrust != X509_V_ERR_CERT_NOT_YET_VALID)
		text_puts(&fault, "; --cacert has those that are");
	fail(err, ERROR_REFUSED, "its certificate: %s; --insecure takes any",
	     fault.bytes);
	text_release(&fault);
	return -1;
}

static int fail_at_protocol(unsigned long code, struct error *err)
{
	const char *word = word_of(reasons, ERR_GET_REASON(code));
	const char *reason = ERR_reason_error_string(code);

	if (ERR_GET_LIB(code) == ERR_LIB_SSL && word)
		return fail(err, ERROR_REFUSED, "%s", word);
	return fail(err, ERROR_REFUSED, "it breaks TLS: %s",
		    reason ? reason : "nothing more is known");
}

int tls_fail(SSL *ssl, struct error *err)
{
	unsigned long code = ERR_peek_error();

	ERR_clear_error();
	return tls_fail_with(ssl, code, err);
}

int tls_fail_with(SSL *ssl, unsigned long code, struct error *err)
{
	const struct tls_peer *peer = tls_peer_of(ssl);

	if (peer->alert >= 0)
		return fail_at_alert(ssl, peer, err);
	if (ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED)
		return fail_at_certificate(peer, err);
	return fail_at_protocol(code, err);
}
