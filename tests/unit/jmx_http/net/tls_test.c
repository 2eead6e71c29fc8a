/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"
#include "jmx_http/net/tls.h"

#include "core/base/libcurl.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A root directory for bundles. */
static char root[] = "/tmp/sjkc-tls-XXXXXX";

/* The bundles from the last choice to the first. */
static const char *const bundles[] = {
	"/etc/ssl/cert.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
	"/etc/pki/tls/cacert.pem",
	"/etc/ssl/ca-bundle.pem",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/certs/ca-certificates.crt",
};

/* Creates an empty file and its directories. */
static void make_file(const char *path)
{
	char partial[PATH_MAX];
	FILE *f;

	for (const char *slash = path + 1; (slash = strchr(slash, '/'));
	     slash++) {
		snprintf(partial, sizeof(partial), "%.*s", (int)(slash - path),
			 path);
		mkdir(partial, 0700);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static int make_root(void **state)
{
	(void)state;
	unsetenv("SSL_CERT_FILE");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	return system(command);
}

static void bundle_of_each_distribution_is_found_in_order(void **state)
{
	char path[PATH_MAX], wanted[PATH_MAX];

	(void)state;
	assert_null(trusted_find_bundle(path, root));
	for (size_t i = 0; i < sizeof(bundles) / sizeof(*bundles); i++) {
		snprintf(wanted, sizeof(wanted), "%s%s", root, bundles[i]);
		make_file(wanted);
		assert_ptr_equal(trusted_find_bundle(path, root), path);
		assert_string_equal(path, wanted);
	}
}

static void environment_names_another_bundle(void **state)
{
	char path[PATH_MAX];

	(void)state;
	setenv("SSL_CERT_FILE", "/srv/own.pem", 1);
	assert_non_null(trusted_find_bundle(path, root));
	assert_string_equal(path, "/srv/own.pem");
	setenv("SSL_CERT_FILE", "", 1);
	assert_non_null(trusted_find_bundle(path, root));
	assert_string_not_equal(path, "");
	unsetenv("SSL_CERT_FILE");
}

/* Runs a handshake in memory; returns why the client distrusts the server. */
static const char *handshake(const char *bundle, struct tls_report *r)
{
	struct tls_options options = { 0 };
	struct error err = { 0 };
	SSL_CTX *contexts[2];
	SSL *client, *server;
	BIO *ends[2];

	setenv("SSL_CERT_FILE", bundle, 1);
	contexts[0] = tls_client_context(&options, &err);
	contexts[1] = tls_server_context("tests/data/tls/server.pem", NULL,
					 &err);
	assert_non_null(contexts[0]);
	assert_non_null(contexts[1]);
	client = tls_client_new(contexts[0], "localhost");
	server = SSL_new(contexts[1]);
	SSL_set_accept_state(server);
	assert_int_equal(BIO_new_bio_pair(&ends[0], 65536, &ends[1], 65536), 1);
	SSL_set_bio(client, ends[0], ends[0]);
	SSL_set_bio(server, ends[1], ends[1]);
	for (int i = 0; i < 10; i++) {
		SSL_do_handshake(client);
		SSL_do_handshake(server);
	}
	tls_report_fill(r, client);
	SSL_free(client);
	SSL_free(server);
	SSL_CTX_free(contexts[0]);
	SSL_CTX_free(contexts[1]);
	unsetenv("SSL_CERT_FILE");
	return r->trouble.bytes;
}

static void bundle_of_the_environment_decides_what_is_trusted(void **state)
{
	struct tls_report r = { 0 };

	(void)state;
	handshake("tests/data/tls/authority.pem", &r);
	assert_true(r.is_trusted);
	tls_report_release(&r);
	assert_non_null(strstr(handshake("tests/data/tls/self.pem", &r),
			       "not trusted"));
	assert_false(r.is_trusted);
	tls_report_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bundle_of_each_distribution_is_found_in_order),
		cmocka_unit_test(environment_names_another_bundle),
		cmocka_unit_test(
			bundle_of_the_environment_decides_what_is_trusted),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
