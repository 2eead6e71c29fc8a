/* SPDX-License-Identifier: Apache-2.0 */
/* TLS transports.  The peer is a child process that uses libssl, or no TLS. */
#include "core/base/clock.h"
#include "jmx_http/net/rmi_transport.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PEM(name) "tests/data/tls/" name ".pem"
#define WHILE_NS  (60 * CLOCK_NS_PER_S) /* timeout of each read */
#define BIG       300000                /* bytes, more than a TLS record has */

/* The properties of the child process. */
struct server {
	const char *cert;    /* NULL: no TLS, the server sends .bytes */
	const char *clients; /* CA of requested client certificates */
	int max_version;     /* 0: all */
	int is_demanding;    /* a client certificate is required */
	const void *bytes;
	size_t len;
	int stays; /* the server sends nothing more and does not close */
};

static void serve_tls(const struct server *s, int fd)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	SSL *ssl;
	char byte;
	size_t count;

	SSL_CTX_set_security_level(context, 0);
	SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
	if (s->max_version)
		SSL_CTX_set_max_proto_version(context, s->max_version);
	SSL_CTX_use_certificate_chain_file(context, s->cert);
	SSL_CTX_use_PrivateKey_file(context, s->cert, SSL_FILETYPE_PEM);
	if (s->clients) {
		SSL_CTX_load_verify_file(context, s->clients);
		SSL_CTX_set_verify(
			context,
			SSL_VERIFY_PEER |
				(s->is_demanding
					 ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT
					 : 0),
			NULL);
	}
	ssl = SSL_new(context);
	SSL_set_fd(ssl, fd);
	if (SSL_accept(ssl) == 1)
		/* Echoes until the client closes the TLS connection. */
		while (SSL_read_ex(ssl, &byte, 1, &count) == 1)
			SSL_write_ex(ssl, &byte, 1, &count);
	SSL_shutdown(ssl);
	/* Unread bytes would turn the close into a reset. */
	shutdown(fd, SHUT_WR);
	while (recv(fd, &byte, 1, 0) > 0)
		;
	SSL_free(ssl);
	SSL_CTX_free(context);
}

static void serve_bytes(const struct server *s, int fd)
{
	char byte;

	if (s->len && write(fd, s->bytes, s->len) < 0)
		return;
	if (!s->stays)
		shutdown(fd, SHUT_WR);
	while (recv(fd, &byte, 1, 0) > 0)
		;
}

/*
 * Returns a transport to a child process, which ends when the transport is
 * closed.
 */
static struct rmi_transport *serve(const struct server *s, pid_t *child)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	*child = fork();
	assert_true(*child >= 0);
	if (*child == 0) {
		alarm(120);
		signal(SIGPIPE, SIG_IGN);
		close(fds[0]);
		(s->cert ? serve_tls : serve_bytes)(s, fds[1]);
		_Exit(0);
	}
	close(fds[1]);
	return rmi_tcp_over(fds[0]);
}

static void ends(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
}

static int64_t in_a_while(void) { return clock_monotonic_ns() + WHILE_NS; }

/*
 * Sends len bytes and reads their echo; more than one record if len is large.
 */
static int converses(struct rmi_transport *t, size_t len, struct error *err)
{
	char *said = malloc(len), *heard = malloc(len);
	size_t at = 0;
	int status = 0;

	for (size_t i = 0; i < len; i++)
		said[i] = (char)(i * 7 + i / 251);
	while (status == 0 && at < len) {
		size_t piece = len - at < 10000 ? len - at : 10000, to = at;

		status = t->kind->write(t, said + at, piece, in_a_while(), err);
		while (status == 0 && to < at + piece) {
			ssize_t got = t->kind->read(t, heard + to,
						    at + piece - to,
						    in_a_while(), err);

			if (got <= 0)
				status = got < 0 ? -1 : 1;
			else
				to += (size_t)got;
		}
		at += piece;
	}
	if (status == 0)
		assert_memory_equal(said, heard, len);
	free(said);
	free(heard);
	return status;
}

/* The result of a connection. */
struct outcome {
	bool connects, converses;
	struct error err;
	struct tls_report report;
};

static struct outcome meet(const struct server *s,
			   const struct tls_options *options, const char *host)
{
	struct outcome o = { .err = { 0 } };
	SSL_CTX *context = tls_client_context(options, &o.err);
	struct rmi_transport *t;
	pid_t child;

	assert_non_null(context);
	t = serve(s, &child);
	t = rmi_tls_connect(t, context, host, in_a_while(), &o.report, &o.err);
	o.connects = t != NULL;
	if (t)
		o.converses = converses(t, 100, &o.err) == 0;
	rmi_transport_close(t);
	SSL_CTX_free(context);
	ends(child);
	return o;
}

static const struct tls_options trusting = { .cacert = PEM("authority") };
static const struct tls_options insecure = { .insecure = true };

static void trusted_server_is_accepted(void **state)
{
	static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };
	static const char *const hosts[] = { "localhost", "jvm.example",
					     "jvm.example.", "127.0.0.1",
					     "::1" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < 5; k++) {
			struct server s = { .cert = PEM("server"),
					    .max_version = versions[i] };
			struct outcome o = meet(&s, &trusting, hosts[k]);

			assert_string_equal(o.err.text, "");
			assert_true(o.converses);
			assert_string_equal(o.report.protocol.bytes,
					    i ? "TLSv1.3" : "TLSv1.2");
			assert_true(o.report.is_trusted);
			assert_true(o.report.is_of_host);
			assert_false(o.report.wants_certificate);
			assert_false(o.report.is_self_signed);
			assert_string_equal(o.report.subject.bytes,
					    "CN=server");
			assert_string_equal(o.report.issuer.bytes,
					    "CN=authority");
			assert_string_equal(
				o.report.names.bytes,
				"DNS:localhost, DNS:jvm.example, "
				"IP Address:127.0.0.1, IP Address:::1");
			assert_int_equal(o.report.not_before, 1577836800);
			assert_int_equal(o.report.not_after, 4733510400);
			assert_int_equal(o.report.trouble.len, 0);
			tls_report_release(&o.report);
		}
	}
}

static void large_data_arrives_complete(void **state)
{
	struct server s = { .cert = PEM("server") };
	struct error err = { 0 };
	SSL_CTX *context = tls_client_context(&trusting, &err);
	struct rmi_transport *t;
	pid_t child;

	(void)state;
	t = rmi_tls_connect(serve(&s, &child), context, "localhost",
			    in_a_while(), NULL, &err);
	assert_non_null(t);
	assert_int_equal(converses(t, BIG, &err), 0);
	rmi_transport_close(t);
	SSL_CTX_free(context);
	ends(child);
}

/* Each has its error, and is accepted with --insecure. */
static void invalid_certificates_are_rejected(void **state)
{
	static const struct {
		const char *cert, *cacert, *host, *words;
		bool is_trusted, is_of_host;
	} wrong[] = {
		{ PEM("server"), NULL, "localhost", "its issuer is not trusted",
		  false, true },
		{ PEM("self"), NULL, "localhost",
		  "it is self-signed and not trusted", false, true },
		{ PEM("self"), PEM("authority"), "elsewhere.example",
		  "it is self-signed", false, false },
		{ PEM("expired"), PEM("authority"), "localhost",
		  "it expired on 2021-01-01", false, true },
		{ PEM("future"), PEM("authority"), "localhost",
		  "it is not valid before 2110-01-01", false, true },
		{ PEM("elsewhere"), PEM("authority"), "localhost",
		  "it is not valid for host localhost", true, false },
		{ PEM("elsewhere"), PEM("authority"), "127.0.0.1",
		  "it is not valid for host 127.0.0.1", true, false },
		{ PEM("elsewhere"), PEM("authority"), "a.b.far.example",
		  "it is not valid for host a.b.far.example", true, false },
		{ PEM("server"), PEM("authority"), "10.0.0.7",
		  "it is not valid for host 10.0.0.7", true, false },
		{ PEM("server"), PEM("authority"), "",
		  "it is not valid for host ", true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct server s = { .cert = wrong[i].cert };
		struct tls_options options = { .cacert = wrong[i].cacert };
		struct outcome o = meet(&s, &options, wrong[i].host);

		assert_false(o.connects);
		assert_int_equal(o.err.kind, ERROR_REFUSED);
		assert_non_null(strstr(
			o.err.text, "the server's certificate is rejected: "));
		assert_non_null(strstr(o.err.text, wrong[i].words));
		assert_non_null(strstr(o.report.trouble.bytes, wrong[i].words));
		assert_int_equal(o.report.is_trusted, wrong[i].is_trusted);
		assert_int_equal(o.report.is_of_host, wrong[i].is_of_host);
		assert_true(o.report.subject.len > 0);
		tls_report_release(&o.report);

		o = meet(&s, &insecure, wrong[i].host);
		assert_true(o.converses);
		assert_false(o.report.is_trusted && o.report.is_of_host);
		assert_true(o.report.trouble.len > 0);
		tls_report_release(&o.report);
	}
}

/*
 * As in a truststore of Java, the server's own certificate or its CA is
 * trusted.
 */
static void server_certificate_in_cacert_is_trusted(void **state)
{
	static const char *const files[] = { PEM("server"), PEM("self") };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct server s = { .cert = files[i] };
		struct tls_options options = { .cacert = files[i] };
		struct outcome o = meet(&s, &options, "localhost");

		assert_string_equal(o.err.text, "");
		assert_true(o.converses);
		assert_int_equal(o.report.is_self_signed, i == 1);
		tls_report_release(&o.report);
	}
}

/* The files are libssl's defaults, or those of these environment variables. */
static void system_certificates_are_trusted(void **state)
{
	static const struct tls_options none = { .cacert = NULL };
	struct server s = { .cert = PEM("server") };
	struct outcome o;

	(void)state;
	setenv("SSL_CERT_DIR", "/nonexistent", 1);
	setenv("SSL_CERT_FILE", PEM("authority"), 1);
	o = meet(&s, &none, "localhost");
	unsetenv("SSL_CERT_FILE");
	assert_string_equal(o.err.text, "");
	assert_true(o.converses);
	tls_report_release(&o.report);
	o = meet(&s, &none, "localhost");
	unsetenv("SSL_CERT_DIR");
	assert_false(o.connects);
	tls_report_release(&o.report);
}

static void wildcard_certificate_is_accepted(void **state)
{
	struct server s = { .cert = PEM("elsewhere") };
	struct outcome o = meet(&s, &trusting, "a.far.example");

	(void)state;
	assert_true(o.converses);
	tls_report_release(&o.report);
}

/* With TLS 1.3, the first read reports that the server rejected the client. */
static void client_certificate_is_sent_on_request(void **state)
{
	static const struct {
		const char *cert;
		int is_demanding;
		bool works;
		const char *words;
	} given[] = {
		{ PEM("client"), 1, true, "" },
		{ NULL, 0, true, "" },
		{ NULL, 1, false,
		  "the server requires a client certificate (--cert, --key): "
		  "the server ended TLS with alert " },
		{ PEM("self"), 1, false,
		  "the server rejected our client certificate: the server "
		  "ended TLS with alert 48, 'unknown CA'" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(given) / sizeof(*given); i++) {
		size_t k = i / 2;
		struct server s = { .cert = PEM("server"),
				    .clients = PEM("clients"),
				    .is_demanding = given[k].is_demanding,
				    .max_version = i % 2 ? TLS1_2_VERSION : 0 };
		struct tls_options options = { .cacert = PEM("authority"),
					       .cert = given[k].cert };
		struct outcome o = meet(&s, &options, "localhost");

		assert_true(o.report.wants_certificate);
		assert_true(o.report.is_trusted);
		assert_int_equal(o.converses, given[k].works);
		assert_non_null(strstr(o.err.text, given[k].words));
		if (!given[k].works) {
			assert_int_equal(o.err.kind, ERROR_PERMISSION);
			assert_int_equal(o.connects, i % 2 == 0);
		}
		tls_report_release(&o.report);
	}
}

static void protocols_older_than_tls_1_2_are_rejected(void **state)
{
	struct server s = { .cert = PEM("server"),
			    .max_version = TLS1_1_VERSION };
	struct outcome o = meet(&s, &trusting, "localhost");

	(void)state;
	assert_false(o.connects);
	assert_int_equal(o.err.kind, ERROR_REFUSED);
	assert_non_null(strstr(o.err.text, "TLS"));
	tls_report_release(&o.report);
	o = meet(&s, &insecure, "localhost");
	assert_true(o.converses);
	assert_string_equal(o.report.protocol.bytes, "TLSv1.1");
	tls_report_release(&o.report);
}

static void server_without_tls_is_reported(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *words;
	} strangers[] = {
		{ "", 0, "the connection was closed" },
		{ "\x16\3\3", 3, "the connection was closed" },
		{ "\x16\3\3\0\x40\2\0\0\x3c\3\3", 11,
		  "the connection was closed" },
		{ "HTTP/1.1 400 Bad Request\r\n\r\n", 28,
		  "the server does not speak TLS" },
		{ "SSH-2.0-OpenSSH_9.2\r\n", 21,
		  "the server does not speak TLS" },
		{ "N\0\11127.0.0.1\0\0\1\2", 16,
		  "the server does not speak TLS" },
		{ "\x15\3\3\0\2\2\x28", 7, "alert 40, 'handshake failure'" },
		{ "\x15\3\3\0\2\2\x46", 7, "alert 70, 'protocol version'" },
		{ "\x15\3\3\0\2\2\xee", 7, "alert 238, 'unknown'" },
		{ "\x16\3\3\xff\xff", 5, "TLS protocol error" },
		{ "\x16\3\3\0\4\2\0\0\0", 9, "TLS protocol error" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(strangers) / sizeof(*strangers); i++) {
		struct server s = { .bytes = strangers[i].bytes,
				    .len = strangers[i].len };
		struct outcome o = meet(&s, &trusting, "localhost");

		assert_false(o.connects);
		assert_int_equal(o.err.kind, ERROR_REFUSED);
		assert_non_null(strstr(o.err.text, "TLS handshake: "));
		assert_non_null(strstr(o.err.text, strangers[i].words));
		assert_int_equal(o.report.subject.len, 0);
		tls_report_release(&o.report);
	}
}

static void stalled_handshake_fails_at_the_deadline(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} stalls[] = { { "", 0 }, { "\x16\3\3\0\x40\2\0\0", 8 } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct server s = { .bytes = stalls[i].bytes,
				    .len = stalls[i].len,
				    .stays = 1 };
		struct error err = { 0 };
		SSL_CTX *context = tls_client_context(&trusting, &err);
		int64_t began = clock_monotonic_ns();
		pid_t child;

		assert_null(rmi_tls_connect(
			serve(&s, &child), context, "localhost",
			began + 100 * CLOCK_NS_PER_MS, NULL, &err));
		assert_int_equal(err.sys, ETIMEDOUT);
		assert_int_equal(err.kind, ERROR_REFUSED);
		assert_true(clock_monotonic_ns() - began >=
			    100 * CLOCK_NS_PER_MS);
		SSL_CTX_free(context);
		ends(child);
	}
}

/*
 * An end of file is one with or without close_notify; a later write fails
 * normally.
 */
static void killed_server_is_an_end_of_file(void **state)
{
	struct server s = { .cert = PEM("server") };
	struct error err = { 0 };
	SSL_CTX *context = tls_client_context(&trusting, &err);
	struct rmi_transport *t;
	char byte;
	pid_t child;

	(void)state;
	t = rmi_tls_connect(serve(&s, &child), context, "localhost",
			    in_a_while(), NULL, &err);
	assert_non_null(t);
	assert_int_equal(converses(t, 10, &err), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(t->kind->read(t, &byte, 1, in_a_while(), &err), 0);
	assert_int_equal(t->kind->write(t, "a", 1, in_a_while(), &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	rmi_transport_close(t);
	SSL_CTX_free(context);
}

static void unreadable_files_are_named(void **state)
{
	static const struct {
		struct tls_options options;
		enum error_kind kind;
		const char *words;
	} files[] = {
		{ { .cacert = "/nonexistent" },
		  ERROR_INPUT,
		  "/nonexistent: No such file" },
		{ { .cacert = "tests/data/tls/make.sh" },
		  ERROR_INPUT,
		  "contains no readable certificates" },
		{ { .cert = "/nonexistent" },
		  ERROR_INPUT,
		  "/nonexistent: No such file" },
		{ { .cert = "tests/data/tls/make.sh" },
		  ERROR_INPUT,
		  "contains no readable certificate" },
		{ { .cert = PEM("authority") },
		  ERROR_INPUT,
		  "contains no readable private key" },
		{ { .cert = PEM("client"), .key = PEM("server") },
		  ERROR_INPUT,
		  "the key does not belong to the certificate in" },
		{ { .cert = PEM("server"), .key = PEM("locked") },
		  ERROR_INPUT,
		  "PEM format without a passphrase" },
		{ { .key = PEM("client") }, ERROR_MISUSE, "--cert" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct error err = { 0 };

		assert_null(tls_client_context(&files[i].options, &err));
		assert_int_equal(err.kind, files[i].kind);
		assert_non_null(strstr(err.text, files[i].words));
	}
}

static void server_context_requires_a_certificate(void **state)
{
	struct error err = { 0 };
	SSL_CTX *context = tls_server_context(PEM("server"), NULL, &err);

	(void)state;
	assert_non_null(context);
	SSL_CTX_free(context);
	assert_null(tls_server_context(PEM("authority"), NULL, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trusted_server_is_accepted),
		cmocka_unit_test(large_data_arrives_complete),
		cmocka_unit_test(invalid_certificates_are_rejected),
		cmocka_unit_test(server_certificate_in_cacert_is_trusted),
		cmocka_unit_test(system_certificates_are_trusted),
		cmocka_unit_test(wildcard_certificate_is_accepted),
		cmocka_unit_test(client_certificate_is_sent_on_request),
		cmocka_unit_test(protocols_older_than_tls_1_2_are_rejected),
		cmocka_unit_test(server_without_tls_is_reported),
		cmocka_unit_test(stalled_handshake_fails_at_the_deadline),
		cmocka_unit_test(killed_server_is_an_end_of_file),
		cmocka_unit_test(unreadable_files_are_named),
		cmocka_unit_test(server_context_requires_a_certificate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
