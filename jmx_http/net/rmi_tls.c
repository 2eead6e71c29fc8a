/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/rmi_tls.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <stdlib.h>

/* How long a peer that does not read holds up a farewell. */
#define FAREWELL_NS (50 * CLOCK_NS_PER_MS)

struct tls {
	struct rmi_transport base;
	struct rmi_transport *inner;
	SSL *ssl;
	int64_t deadline_ns;   /* of the operation that libssl is in */
	struct error *trouble; /* what its reads and writes fail with */
	bool is_broken;        /* they failed */
	bool was_read;         /* by who uses it */
};

static int bio_read(BIO *bio, char *bytes, size_t len, size_t *got)
{
	struct tls *tls = BIO_get_data(bio);
	ssize_t count = tls->inner->kind->read(tls->inner, bytes, len,
					       tls->deadline_ns, tls->trouble);

	*got = count > 0 ? (size_t)count : 0;
	if (count < 0)
		tls->is_broken = true;
	return count > 0;
}

static int bio_write(BIO *bio, const char *bytes, size_t len, size_t *put)
{
	struct tls *tls = BIO_get_data(bio);

	*put = 0;
	if (tls->inner->kind->write(tls->inner, bytes, len, tls->deadline_ns,
				    tls->trouble)) {
		tls->is_broken = true;
		return 0;
	}
	*put = len;
	return 1;
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	/* What is written is gone. */
	return command == BIO_CTRL_FLUSH;
}

static const BIO_METHOD *bio_method(void)
{
	static BIO_METHOD *method;

	if (method)
		return method;
	method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK,
			      "rmi_transport");
	if (!method)
		alloc_give_up(0);
	BIO_meth_set_read_ex(method, bio_read);
	BIO_meth_set_write_ex(method, bio_write);
	BIO_meth_set_ctrl(method, bio_control);
	return method;
}

static void begin(struct tls *tls, int64_t deadline_ns, struct error *err)
{
	ERR_clear_error();
	tls->deadline_ns = deadline_ns;
	tls->trouble = err;
	tls->is_broken = false;
}

/*
 * Of one that has gone, and no alert arrived: it wanted a certificate, and got
 * none.  With TLS 1.3 that comes after our side of the handshake is done.
 */
static bool left_for_want_of_ours(const struct tls *tls)
{
	return !tls->was_read && tls_wants_certificate(tls->ssl) &&
	       !SSL_get_certificate(tls->ssl);
}

static int fail_at_want(struct error *err)
{
	return fail(err, ERROR_PERMISSION,
		    "the server requires a client certificate (--cert, --key) "
		    "and closed the connection without one");
}

/*
 * After an operation that did not succeed.  What libssl has to say of the peer
 * comes first: that it could not be told so matters less.
 */
static int fail_in_tls(struct tls *tls, struct error *err)
{
	if (ERR_peek_error())
		return tls_fail(tls->ssl, err);
	if (tls->is_broken && err->sys == ETIMEDOUT)
		return -1;
	if (left_for_want_of_ours(tls))
		return fail_at_want(err);
	if (tls->is_broken)
		return -1;
	return fail(err, ERROR_REFUSED, "the connection was closed");
}

static ssize_t tls_read(struct rmi_transport *t, void *bytes, size_t len,
			int64_t deadline_ns, struct error *err)
{
	struct tls *tls = (struct tls *)t;
	size_t got = 0;

	begin(tls, deadline_ns, err);
	if (SSL_read_ex(tls->ssl, bytes, len, &got) == 1) {
		tls->was_read = true;
		return (ssize_t)got;
	}
	/*
	 * JVMs close without a farewell.  Whether an answer was cut short, its
	 * stream says.
	 */
	if (!ERR_peek_error() && !tls->is_broken && !left_for_want_of_ours(tls))
		return 0;
	return fail_in_tls(tls, err);
}

/*
 * Who is refused may learn it by a write that fails, while the alert that says
 * why has arrived.
 */
static int why_not_written(struct tls *tls, struct error *err)
{
	struct error unused = { 0 };
	char byte;
	size_t got;

	if (err->sys == ETIMEDOUT)
		return -1;
	begin(tls, clock_monotonic_ns() + FAREWELL_NS, &unused);
	if (SSL_peek_ex(tls->ssl, &byte, 1, &got) == 1)
		return -1;
	if (ERR_peek_error())
		return tls_fail(tls->ssl, err);
	return left_for_want_of_ours(tls) ? fail_at_want(err) : -1;
}

static int tls_write(struct rmi_transport *t, const void *bytes, size_t len,
		     int64_t deadline_ns, struct error *err)
{
	struct tls *tls = (struct tls *)t;
	size_t put;

	if (!len)
		return 0;
	begin(tls, deadline_ns, err);
	if (SSL_write_ex(tls->ssl, bytes, len, &put) == 1)
		return 0;
	return tls->is_broken ? why_not_written(tls, err)
			      : fail_in_tls(tls, err);
}

static void say_farewell(struct tls *tls)
{
	struct error unused = { 0 };

	if (!SSL_is_init_finished(tls->ssl) || tls->is_broken)
		return;
	begin(tls, clock_monotonic_ns() + FAREWELL_NS, &unused);
	SSL_shutdown(tls->ssl);
	ERR_clear_error();
}

static void tls_close(struct rmi_transport *t)
{
	struct tls *tls = (struct tls *)t;

	say_farewell(tls);
	SSL_free(tls->ssl);
	rmi_transport_close(tls->inner);
	free(tls);
}

static const struct rmi_transport_kind tls_kind = {
	.read = tls_read,
	.write = tls_write,
	.close = tls_close,
};

static struct tls *wrap(struct rmi_transport *t, SSL_CTX *context,
			const char *host)
{
	struct tls *tls = xcalloc(1, sizeof(*tls));
	BIO *bio = BIO_new(bio_method());

	if (!bio)
		alloc_give_up(0);
	tls->base = *t;
	tls->base.kind = &tls_kind;
	tls->inner = t;
	tls->ssl = tls_client_new(context, host);
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	SSL_set_bio(tls->ssl, bio, bio);
	return tls;
}

struct rmi_transport *rmi_tls_connect(struct rmi_transport *t, SSL_CTX *context,
				      const char *host, int64_t deadline_ns,
				      struct tls_report *report,
				      struct error *err)
{
	struct tls *tls = wrap(t, context, host);
	bool done;

	begin(tls, deadline_ns, err);
	done = SSL_do_handshake(tls->ssl) == 1;
	if (!done) {
		fail_in_tls(tls, err);
		fail_in(err, "TLS handshake");
	}
	if (report)
		tls_report_fill(report, tls->ssl);
	if (done)
		return &tls->base;
	/* Nothing is to be said to who did not get that far. */
	tls->is_broken = true;
	tls_close(&tls->base);
	return NULL;
}
