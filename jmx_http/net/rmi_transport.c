/* SPDX-License-Identifier: Apache-2.0 */
/* The two kinds of transport: TCP sockets, and TLS over a transport. */
#include "jmx_http/net/rmi_transport.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Maximum number of bytes to read ahead while writing. */
#define EARLY_MAX ((size_t)64 << 20)
#define PIECE     65536

/* Limit for sending close_notify to a peer that does not read. */
#define CLOSE_NOTIFY_NS (50 * CLOCK_NS_PER_MS)

struct tcp {
	struct rmi_transport base;
	int fd; /* non-blocking */
	struct text early;
	size_t early_at; /* offset of the first unread byte */
};

/* Returns the poll events; -1 and errno, ETIMEDOUT at the deadline. */
static int tcp_wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd ready = { .fd = fd, .events = events };

	for (;;) {
		int left_ms = clock_left_ms(deadline_ns);
		int count = left_ms ? poll(&ready, 1, left_ms) : 0;

		if (count > 0)
			return ready.revents;
		if (count == 0 && clock_left_ms(deadline_ns) == 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		if (count < 0 && errno != EINTR)
			return -1;
	}
}

static size_t tcp_read_early(struct tcp *tcp, void *bytes, size_t len)
{
	size_t left = tcp->early.len - tcp->early_at;

	if (len > left)
		len = left;
	memcpy(bytes, tcp->early.bytes + tcp->early_at, len);
	tcp->early_at += len;
	if (tcp->early_at == tcp->early.len) {
		text_release(&tcp->early);
		tcp->early_at = 0;
	}
	return len;
}

static ssize_t tcp_read(struct rmi_transport *t, void *bytes, size_t len,
			int64_t deadline_ns, struct error *err)
{
	struct tcp *tcp = (struct tcp *)t;

	if (tcp->early.len)
		return (ssize_t)tcp_read_early(tcp, bytes, len);
	for (;;) {
		ssize_t got;

		/* Checks the deadline even if bytes arrive without end. */
		if (tcp_wait_for(tcp->fd, POLLIN, deadline_ns) < 0)
			break;
		got = recv(tcp->fd, bytes, len, 0);
		if (got >= 0)
			return got;
		if (errno != EAGAIN && errno != EINTR)
			break;
	}
	return fail_sys(err, ERROR_REFUSED, "cannot read");
}

/* Reads ahead; false at the limit, at the end and after an error. */
static bool tcp_take_early(struct tcp *tcp)
{
	char piece[PIECE];
	ssize_t got;

	if (tcp->early.len >= EARLY_MAX)
		return false;
	got = recv(tcp->fd, piece, sizeof(piece), 0);
	if (got > 0)
		text_add(&tcp->early, piece, (size_t)got);
	return got > 0;
}

/*
 * Waits until the socket is writable, and reads ahead meanwhile.  Otherwise two
 * peers that both write without reading would deadlock.
 */
static int tcp_wait_to_write(struct tcp *tcp, int64_t deadline_ns)
{
	short wanted = POLLIN | POLLOUT;

	for (;;) {
		int seen = tcp_wait_for(tcp->fd, wanted, deadline_ns);

		if (seen < 0)
			return -1;
		if (seen & ~POLLIN)
			return 0;
		if (!tcp_take_early(tcp))
			wanted = POLLOUT;
	}
}

static int tcp_write(struct rmi_transport *t, const void *bytes, size_t len,
		     int64_t deadline_ns, struct error *err)
{
	struct tcp *tcp = (struct tcp *)t;
	const char *at = bytes;

	while (len) {
		ssize_t put = send(tcp->fd, at, len, MSG_NOSIGNAL);

		if (put > 0) {
			at += put;
			len -= (size_t)put;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return fail_sys(err, ERROR_REFUSED, "cannot write");
		/* A request usually fits into the socket's buffer. */
		if (tcp_wait_to_write(tcp, deadline_ns))
			return fail_sys(err, ERROR_REFUSED, "cannot write");
	}
	return 0;
}

static void tcp_close(struct rmi_transport *t)
{
	struct tcp *tcp = (struct tcp *)t;

	close(tcp->fd);
	text_release(&tcp->early);
	free(tcp);
}

static const struct rmi_transport_kind tcp_kind = {
	.read = tcp_read,
	.write = tcp_write,
	.close = tcp_close,
};

struct rmi_transport *rmi_tcp_over(int fd)
{
	struct tcp *tcp = xcalloc(1, sizeof(*tcp));
	socklen_t len = sizeof(tcp->base.local);

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	tcp->base.kind = &tcp_kind;
	tcp->fd = fd;
	getsockname(fd, (struct sockaddr *)&tcp->base.local, &len);
	len = sizeof(tcp->base.peer);
	getpeername(fd, (struct sockaddr *)&tcp->base.peer, &len);
	return &tcp->base;
}

/* TLS around another transport; libssl reads and writes it by a BIO. */
struct tls {
	struct rmi_transport base;
	struct rmi_transport *inner;
	SSL *ssl;
	int64_t deadline_ns;   /* of the current operation of libssl */
	struct error *trouble; /* receives the error of inner */
	bool is_broken;        /* inner has failed */
	bool was_read;         /* a read has succeeded */
};

static int tls_bio_read(BIO *bio, char *bytes, size_t len, size_t *got)
{
	struct tls *tls = BIO_get_data(bio);
	ssize_t count = tls->inner->kind->read(tls->inner, bytes, len,
					       tls->deadline_ns, tls->trouble);

	*got = count > 0 ? (size_t)count : 0;
	if (count < 0)
		tls->is_broken = true;
	return count > 0;
}

static int tls_bio_write(BIO *bio, const char *bytes, size_t len, size_t *put)
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

static long tls_bio_control(BIO *bio, int command, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	/* Writes are not buffered. */
	return command == BIO_CTRL_FLUSH;
}

static const BIO_METHOD *tls_bio_method(void)
{
	static BIO_METHOD *method;

	if (method)
		return method;
	method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK,
			      "rmi_transport");
	if (!method)
		alloc_give_up(0);
	BIO_meth_set_read_ex(method, tls_bio_read);
	BIO_meth_set_write_ex(method, tls_bio_write);
	BIO_meth_set_ctrl(method, tls_bio_control);
	return method;
}

static void tls_begin(struct tls *tls, int64_t deadline_ns, struct error *err)
{
	ERR_clear_error();
	tls->deadline_ns = deadline_ns;
	tls->trouble = err;
	tls->is_broken = false;
}

/*
 * True if the server requested a client certificate, got none, and closed the
 * connection without an alert.  With TLS 1.3 this happens after the client's
 * side of the handshake is complete.
 */
static bool tls_lacks_client_certificate(const struct tls *tls)
{
	return !tls->was_read && tls_wants_certificate(tls->ssl) &&
	       !SSL_get_certificate(tls->ssl);
}

static int tls_fail_no_certificate(struct error *err)
{
	return fail(err, ERROR_PERMISSION,
		    "the server requires a client certificate (--cert, --key) "
		    "and closed the connection without one");
}

/*
 * Sets *err after a failed operation.  libssl's reason takes precedence over a
 * failure to send an alert.
 */
static int tls_fail_operation(struct tls *tls, struct error *err)
{
	if (ERR_peek_error())
		return tls_fail(tls->ssl, err);
	if (tls->is_broken && err->sys == ETIMEDOUT)
		return -1;
	if (tls_lacks_client_certificate(tls))
		return tls_fail_no_certificate(err);
	if (tls->is_broken)
		return -1;
	return fail(err, ERROR_REFUSED, "the connection was closed");
}

static ssize_t tls_read(struct rmi_transport *t, void *bytes, size_t len,
			int64_t deadline_ns, struct error *err)
{
	struct tls *tls = (struct tls *)t;
	size_t got = 0;

	tls_begin(tls, deadline_ns, err);
	if (SSL_read_ex(tls->ssl, bytes, len, &got) == 1) {
		tls->was_read = true;
		return (ssize_t)got;
	}
	/*
	 * JVMs close without close_notify.  The parser of the reply detects
	 * truncation.
	 */
	if (!ERR_peek_error() && !tls->is_broken &&
	    !tls_lacks_client_certificate(tls))
		return 0;
	return tls_fail_operation(tls, err);
}

/* Looks for an alert that explains a failed write. */
static int tls_explain_write(struct tls *tls, struct error *err)
{
	char byte;
	size_t got;

	if (err->sys == ETIMEDOUT)
		return -1;
	tls_begin(tls, clock_monotonic_ns() + CLOSE_NOTIFY_NS, error_unused());
	if (SSL_peek_ex(tls->ssl, &byte, 1, &got) == 1)
		return -1;
	if (ERR_peek_error())
		return tls_fail(tls->ssl, err);
	return tls_lacks_client_certificate(tls) ? tls_fail_no_certificate(err)
						 : -1;
}

static int tls_write(struct rmi_transport *t, const void *bytes, size_t len,
		     int64_t deadline_ns, struct error *err)
{
	struct tls *tls = (struct tls *)t;
	size_t put;

	if (!len)
		return 0;
	tls_begin(tls, deadline_ns, err);
	if (SSL_write_ex(tls->ssl, bytes, len, &put) == 1)
		return 0;
	return tls->is_broken ? tls_explain_write(tls, err)
			      : tls_fail_operation(tls, err);
}

static void tls_send_close_notify(struct tls *tls)
{
	if (!SSL_is_init_finished(tls->ssl) || tls->is_broken)
		return;
	tls_begin(tls, clock_monotonic_ns() + CLOSE_NOTIFY_NS, error_unused());
	SSL_shutdown(tls->ssl);
	ERR_clear_error();
}

static void tls_close(struct rmi_transport *t)
{
	struct tls *tls = (struct tls *)t;

	tls_send_close_notify(tls);
	SSL_free(tls->ssl);
	rmi_transport_close(tls->inner);
	free(tls);
}

static const struct rmi_transport_kind tls_kind = {
	.read = tls_read,
	.write = tls_write,
	.close = tls_close,
};

static struct tls *tls_wrap(struct rmi_transport *t, SSL_CTX *context,
			    const char *host)
{
	struct tls *tls = xcalloc(1, sizeof(*tls));
	BIO *bio = BIO_new(tls_bio_method());

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
	struct tls *tls = tls_wrap(t, context, host);
	bool done;

	tls_begin(tls, deadline_ns, err);
	done = SSL_do_handshake(tls->ssl) == 1;
	if (!done) {
		tls_fail_operation(tls, err);
		fail_in(err, "TLS handshake");
	}
	if (report)
		tls_report_fill(report, tls->ssl);
	if (done)
		return &tls->base;
	/* No close_notify before the handshake is complete. */
	tls->is_broken = true;
	tls_close(&tls->base);
	return NULL;
}

struct rmi_transport *rmi_transport_dial(struct dialer *d,
					 struct net_address *a,
					 int64_t deadline_ns, struct error *err)
{
	int fd;

	if (d->ops->connect)
		return d->ops->connect(d, a, deadline_ns, err);
	fd = dialer_dial(d, a, deadline_ns, err);
	return fd < 0 ? NULL : rmi_tcp_over(fd);
}

void rmi_transport_close(struct rmi_transport *t)
{
	if (t)
		t->kind->close(t);
}
