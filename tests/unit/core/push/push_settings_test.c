/* SPDX-License-Identifier: Apache-2.0 */
#include "core/push/push.h"

#include "core/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int clear_environment(void **state)
{
	static const char *const names[] = {
		"OTEL_EXPORTER_OTLP_ENDPOINT",
		"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT",
		"OTEL_EXPORTER_OTLP_HEADERS",
		"OTEL_EXPORTER_OTLP_PROFILES_HEADERS",
		"OTEL_EXPORTER_OTLP_TIMEOUT",
		"OTEL_EXPORTER_OTLP_PROTOCOL",
		"OTEL_EXPORTER_OTLP_COMPRESSION",
		"OTEL_EXPORTER_OTLP_CERTIFICATE",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unsetenv(names[i]);
	return 0;
}

static void expect_url(const char *given, const char *expected)
{
	struct push_settings s;
	struct error err;

	assert_int_equal(push_settings_init(&s, given, PUSH_AUTO, &err), 0);
	assert_string_equal(s.url, expected);
	push_settings_release(&s);
}

static void expect_refused(const char *given, const char *message)
{
	struct push_settings s;
	struct error err;

	assert_int_equal(push_settings_init(&s, given, PUSH_AUTO, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
	assert_non_null(strstr(err.text, message));
	push_settings_release(&s);
}

static void url_gets_the_path_of_otlp(void **state)
{
	(void)state;
	expect_url("http://h:4318", "http://h:4318/v1development/profiles");
	expect_url("http://h:4318/", "http://h:4318/v1development/profiles");
	expect_url("https://h/otlp/x", "https://h/otlp/x");
	expect_url("grpc://h:4317", "http://h:4317" PUSH_GRPC_PATH);
	expect_url("grpcs://h/", "https://h" PUSH_GRPC_PATH);
	expect_refused("h:4318", "'h:4318' is not the URL");
	expect_refused("ftp://h", "is not the URL");
	expect_refused("http://", "is not the URL");
	expect_url("http://[::1]", "http://[::1]/v1development/profiles");
	expect_url("http://[::1]:1/x", "http://[::1]:1/x");
	expect_refused("http://::1:4318", "is not the URL");
	expect_refused("http://[::1", "is not the URL");
	expect_refused("http://[::1]4318", "is not the URL");
	expect_refused("http://h:", "is not the URL");
	expect_refused("http://h:/x", "is not the URL");
	expect_refused("http://h:0", "is not the URL");
	expect_refused("http://h:65536", "is not the URL");
	expect_refused("http://h:4318a", "is not the URL");
	expect_refused("http://:4318", "is not the URL");
	expect_refused("grpc://h/x", "has no path");
	expect_refused("grpc://h?a=b", "has no path");
	expect_url("grpc://h" PUSH_GRPC_PATH, "http://h" PUSH_GRPC_PATH);
	expect_refused("http://me:secret@h/", "must not have a password");
	expect_refused("htp://me:secret@h/", "must not have a password");
	expect_url("http://h?a=b", "http://h/v1development/profiles?a=b");
	expect_url("http://h/x?a=b@c", "http://h/x?a=b@c");
}

static void expect_format(const char *given, enum push_format format,
			  const char *url, const char *shown)
{
	struct push_settings s;
	struct error err;

	assert_int_equal(push_settings_init(&s, given, format, &err), 0);
	assert_string_equal(s.url, url);
	assert_string_equal(s.shown_url, shown);
	assert_int_equal(s.format == PUSH_PYROSCOPE,
			 strstr(url, "/ingest") != NULL);
	assert_int_equal(s.format == PUSH_GRPC,
			 strstr(url, PUSH_GRPC_PATH) != NULL);
	push_settings_release(&s);
}

static void format_follows_from_the_url_or_is_given(void **state)
{
	struct push_settings s;
	struct error err;

	(void)state;
	expect_format("http://h/ingest", PUSH_AUTO, "http://h/ingest",
		      "http://h/ingest");
	expect_format("http://h/x/ingest?a=b#c", PUSH_AUTO,
		      "http://h/x/ingest?a=b", "http://h/x/ingest");
	expect_format("http://h:4040/", PUSH_PYROSCOPE, "http://h:4040/ingest",
		      "http://h:4040/ingest");
	expect_format("https://h:1/", PUSH_GRPC, "https://h:1" PUSH_GRPC_PATH,
		      "grpcs://h:1");
	expect_format("unix:/run/x.sock", PUSH_AUTO,
		      "http://localhost/v1development/profiles",
		      "unix:/run/x.sock");
	expect_format("unix:///run/x.sock", PUSH_GRPC,
		      "http://localhost" PUSH_GRPC_PATH, "unix:///run/x.sock");
	assert_int_equal(
		push_settings_init(&s, "unix:///run/x.sock", PUSH_AUTO, &err),
		0);
	assert_string_equal(s.socket, "/run/x.sock");
	push_settings_release(&s);
	assert_int_equal(push_settings_init(&s, "grpc://h", PUSH_OTLP, &err),
			 -1);
	push_settings_release(&s);
	expect_refused("unix:x.sock", "is not a unix socket");
	expect_format("grpc://h:7070", PUSH_PARCA,
		      "http://h:7070" PUSH_PARCA_PATH, "grpc://h:7070");
	expect_format("https://h", PUSH_PARCA, "https://h" PUSH_PARCA_PATH,
		      "grpcs://h");
}

static void only_a_grpc_url_without_format_asks_for_the_kind(void **state)
{
	static const struct {
		const char *url;
		enum push_format format;
		bool detects;
	} rows[] = {
		{ "grpc://h", PUSH_AUTO, true },
		{ "grpcs://h", PUSH_AUTO, true },
		{ "grpc://h", PUSH_GRPC, false },
		{ "grpc://h", PUSH_PARCA, false },
		{ "http://h", PUSH_AUTO, false },
		{ "http://h", PUSH_GRPC, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct push_settings s;
		struct error err;

		assert_int_equal(push_settings_init(&s, rows[i].url,
						    rows[i].format, &err),
				 0);
		assert_int_equal(s.detects, rows[i].detects);
		push_settings_release(&s);
	}
}

static void expect_server(const char *given, const char *url, const char *to)
{
	struct push_settings s;
	struct error err;

	assert_int_equal(push_settings_init(&s, given, PUSH_AUTO, &err), 0);
	assert_int_equal(push_settings_set_server(&s, "otel.test", &err), 0);
	assert_string_equal(s.url, url);
	assert_string_equal(s.connect_to, to);
	push_settings_release(&s);
}

static void environment_that_chooses_grpc_asks_for_the_kind(void **state)
{
	struct push_settings s;
	struct error err;

	(void)state;
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", 1);
	setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", 1);
	assert_int_equal(push_settings_init(&s, "env", PUSH_AUTO, &err), 0);
	assert_true(s.detects);
	push_settings_release(&s);
	assert_int_equal(push_settings_init(&s, "env", PUSH_GRPC, &err), 0);
	assert_false(s.detects);
	push_settings_release(&s);
	setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", 1);
	assert_int_equal(push_settings_init(&s, "env", PUSH_AUTO, &err), 0);
	assert_false(s.detects);
	push_settings_release(&s);
}

static void server_name_replaces_the_host_but_not_the_address(void **state)
{
	struct push_settings s;
	struct error err;

	(void)state;
	expect_server("https://10.0.0.1/x?a=b", "https://otel.test/x?a=b",
		      "::10.0.0.1:");
	expect_server("https://h:4318/x", "https://otel.test:4318/x",
		      "::h:4318");
	expect_server("https://[::1]:4318/x", "https://otel.test:4318/x",
		      "::[::1]:4318");
	expect_server("https://[::1]/x", "https://otel.test/x", "::[::1]:");
	assert_int_equal(push_settings_init(&s, "http://h", PUSH_AUTO, &err),
			 0);
	assert_int_equal(push_settings_set_server(&s, "a:1", &err), -1);
	assert_int_equal(push_settings_set_server(&s, "", &err), -1);
	push_settings_release(&s);
}

static void query_of_the_url_is_not_shown(void **state)
{
	struct push_settings s;
	struct error err;

	(void)state;
	assert_int_equal(push_settings_init(&s, "http://h/x?key=secret",
					    PUSH_AUTO, &err),
			 0);
	assert_string_equal(s.url, "http://h/x?key=secret");
	assert_string_equal(s.shown_url, "http://h/x");
	push_settings_release(&s);
	assert_int_equal(
		push_settings_init(&s, "h?key=secret", PUSH_AUTO, &err), -1);
	assert_null(strstr(err.text, "secret"));
	push_settings_release(&s);
}

static void environment_names_the_receiver(void **state)
{
	(void)state;
	expect_refused("env", "OTEL_EXPORTER_OTLP_ENDPOINT");
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318/base/", 1);
	expect_url("env", "http://h:4318/base/v1development/profiles");
	setenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://p/as/is", 1);
	expect_url("env", "http://p/as/is");
	setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", 1);
	expect_url("env", "http://p" PUSH_GRPC_PATH);
	expect_url("http://x:1", "http://x:1/v1development/profiles");
}

static void environment_sets_headers_and_timeout(void **state)
{
	struct push_settings s;
	struct error err;

	(void)state;
	setenv("OTEL_EXPORTER_OTLP_HEADERS",
	       "X-Tenant = blue%20one , Authorization=Basic%20YQ%3D%3D,bad", 1);
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2500", 1);
	setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem", 1);
	assert_int_equal(push_settings_init(&s, "http://h", PUSH_AUTO, &err),
			 0);
	assert_string_equal(s.headers.bytes, "X-Tenant: blue one\n"
					     "Authorization: Basic YQ==\n");
	assert_int_equal(s.timeout_ns, 2500 * CLOCK_NS_PER_MS);
	assert_string_equal(s.cacert, "/ca.pem");
	push_settings_release(&s);
	setenv("OTEL_EXPORTER_OTLP_HEADERS", "X=a%0d%0aY: b", 1);
	assert_int_equal(push_settings_init(&s, "http://h", PUSH_AUTO, &err),
			 0);
	assert_string_equal(s.headers.bytes, "X: aY: b\n");
	push_settings_release(&s);
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon", 1);
	expect_refused("http://h", "OTEL_EXPORTER_OTLP_TIMEOUT");
}

static void variables_of_no_use_are_named(void **state)
{
	struct push_settings s;
	struct error err;

	(void)state;
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", 1);
	setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", 1);
	setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none", 1);
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0", 1);
	assert_int_equal(push_settings_init(&s, "env", PUSH_AUTO, &err), 0);
	assert_non_null(strstr(s.ignored.bytes, "_PROTOCOL is ignored"));
	assert_non_null(strstr(s.ignored.bytes, "_COMPRESSION is ignored"));
	assert_non_null(strstr(s.ignored.bytes, "_TIMEOUT is ignored"));
	push_settings_release(&s);
}

static void header_file_is_read_without_quoting_secrets(void **state)
{
	char path[] = "/tmp/sjkc-headers-XXXXXX";
	const char good[] = "# comment\n\nX-Tenant: blue\r\nA:b";
	const char bad[] = "X-Tenant: blue\nsecret token\n";
	struct text out = { 0 };
	struct error err;
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, good, strlen(good)), strlen(good));
	assert_int_equal(push_headers_read(&out, path, &err), 0);
	assert_string_equal(out.bytes, "X-Tenant: blue\nA:b\n");
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, bad, strlen(bad), 0), strlen(bad));
	assert_int_equal(push_headers_read(&out, path, &err), -1);
	assert_non_null(strstr(err.text, ":2: not a header"));
	assert_null(strstr(err.text, "secret"));
	close(fd);
	unlink(path);
	assert_int_equal(push_headers_read(&out, path, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(url_gets_the_path_of_otlp,
				       clear_environment),
		cmocka_unit_test_setup(format_follows_from_the_url_or_is_given,
				       clear_environment),
		cmocka_unit_test_setup(
			server_name_replaces_the_host_but_not_the_address,
			clear_environment),
		cmocka_unit_test(
			only_a_grpc_url_without_format_asks_for_the_kind),
		cmocka_unit_test_setup(
			environment_that_chooses_grpc_asks_for_the_kind,
			clear_environment),
		cmocka_unit_test_setup(query_of_the_url_is_not_shown,
				       clear_environment),
		cmocka_unit_test_setup(environment_names_the_receiver,
				       clear_environment),
		cmocka_unit_test_setup(environment_sets_headers_and_timeout,
				       clear_environment),
		cmocka_unit_test_setup(variables_of_no_use_are_named,
				       clear_environment),
		cmocka_unit_test_setup(
			header_file_is_read_without_quoting_secrets,
			clear_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
