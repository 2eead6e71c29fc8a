/* SPDX-License-Identifier: Apache-2.0 */
#include "core/push/push.h"

#include "core/base/clock.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- replies ---- */

static const struct {
	int status;
	const char *body;
	size_t len;
	enum push_verdict verdict;
	const char *why;
	uint64_t rejected;
} http_rows[] = {
	{ 200, "", 0, PUSH_DELIVERED, "", 0 },
	{ 200, "\x0a\x00", 2, PUSH_DELIVERED, "", 0 },
	{ 202, "", 0, PUSH_DELIVERED, "", 0 },
	{ 200,
	  "\x0a\x07\x08\x02\x12\x03"
	  "bad",
	  9, PUSH_DELIVERED, "bad", 2 },
	{ 200, "\x0a\x02\x08\x02", 4, PUSH_DELIVERED,
	  "the engine gives no reason", 2 },
	{ 200,
	  "\x0a\x05\x12\x03"
	  "odd",
	  7, PUSH_DELIVERED, "odd", 0 },
	/* A rejected number below 0. */
	{ 200, "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13,
	  PUSH_DELIVERED, "", 0 },
	/* A damaged response, and one of another server. */
	{ 200, "\x0a\x7f\x08", 3, PUSH_REFUSED,
	  "HTTP status 200, but the response is not an engine's (no "
	  "type)",
	  0 },
	{ 200, "OK", 2, PUSH_REFUSED,
	  "HTTP status 200, but the response is not an engine's (no "
	  "type)",
	  0 },
	{ 503,
	  "\x08\x0e\x12\x04"
	  "busy",
	  8, PUSH_AGAIN, "HTTP status 503: busy", 0 },
	{ 429, "", 0, PUSH_AGAIN, "HTTP status 429", 0 },
	{ 502, "", 0, PUSH_AGAIN, "HTTP status 502", 0 },
	{ 504, "", 0, PUSH_AGAIN, "HTTP status 504", 0 },
	{ 400, "no such tenant\nmore", 19, PUSH_REFUSED,
	  "HTTP status 400: no such tenant", 0 },
	{ 404, "404 page not found\n", 19, PUSH_REFUSED,
	  "HTTP status 404: 404 page not found", 0 },
	{ 500, "", 0, PUSH_REFUSED, "HTTP status 500", 0 },
	/* Pyroscope 2.0 while a part of it starts, and at a limit. */
	{ 500, "rpc error: code = Unavailable desc = x", 38, PUSH_AGAIN,
	  "HTTP status 500: rpc error: code = Unavailable desc = x", 0 },
	{ 422, "resource_exhausted: push rate limit (2.0 KiB) exceeded", 54,
	  PUSH_AGAIN,
	  "HTTP status 422: resource_exhausted: push rate limit (2.0 "
	  "KiB) exceeded",
	  0 },
	{ 422, "label name too long", 19, PUSH_REFUSED,
	  "HTTP status 422: label name too long", 0 },
	{ 301, "", 0, PUSH_REFUSED, "HTTP status 301", 0 },
	{ 407, "", 0, PUSH_AGAIN,
	  "HTTP status 407: the proxy requires a user and a password", 0 },
	{ 500, "\n  oops\n", 8, PUSH_REFUSED, "HTTP status 500: oops", 0 },
};

static void replies_are_judged_by_the_specification(void **state)
{
	struct push_reply *r = calloc(1, sizeof(*r));

	(void)state;
	for (size_t i = 0; i < sizeof(http_rows) / sizeof(*http_rows); i++) {
		struct text why = { 0 };
		uint64_t rejected;

		r->is_sent = true;
		r->status = http_rows[i].status;
		r->len = http_rows[i].len;
		memcpy(r->body, http_rows[i].body, http_rows[i].len);
		text_puts(&why, "");
		assert_int_equal(push_judge(r, &why, &rejected),
				 http_rows[i].verdict);
		assert_string_equal(why.bytes, http_rows[i].why);
		assert_int_equal(rejected, http_rows[i].rejected);
		text_release(&why);
	}
	free(r);
}

static void page_of_a_login_is_no_delivery(void **state)
{
	static const struct {
		const char *type, *body;
		bool is_plain;
		enum push_verdict verdict;
	} rows[] = {
		{ "text/html; charset=utf-8", "<html>", false, PUSH_REFUSED },
		{ "text/html", "<html>", true, PUSH_REFUSED },
		{ "text/html", "", false, PUSH_REFUSED },
		{ "text/plain", "hello", false, PUSH_REFUSED },
		{ "text/plain", "hello", true, PUSH_DELIVERED },
		{ "text/plain", "", false, PUSH_DELIVERED },
		{ "application/json", "{}", false, PUSH_DELIVERED },
		{ "application/x-protobuf", "", false, PUSH_DELIVERED },
		{ "application/x-protobuf", "hello", false, PUSH_REFUSED },
	};
	struct push_reply *r = calloc(1, sizeof(*r));

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text why = { 0 };
		uint64_t rejected;

		r->is_sent = true;
		r->status = 200;
		r->is_plain = rows[i].is_plain;
		r->len = r->received = strlen(rows[i].body);
		memcpy(r->body, rows[i].body, r->len);
		snprintf(r->type, sizeof(r->type), "%s", rows[i].type);
		text_puts(&why, "");
		assert_int_equal(push_judge(r, &why, &rejected),
				 rows[i].verdict);
		text_release(&why);
	}
	free(r);
}

/* Returns push_judge()'s reason. */
static void expect_reason(const struct push_reply *r, const char *reason)
{
	struct text why = { 0 };
	uint64_t rejected;

	text_puts(&why, "");
	push_judge(r, &why, &rejected);
	assert_string_equal(why.bytes, reason);
	text_release(&why);
}

static void reason_names_the_redirect_and_the_proxy(void **state)
{
	struct push_reply *r = calloc(1, sizeof(*r));
	const struct push_settings s = { .format = PUSH_OTLP };

	(void)state;
	r->is_sent = true;
	r->status = 302;
	snprintf(r->location, sizeof(r->location), "http://b/c");
	expect_reason(r, "HTTP status 302, a redirect to http://b/c");
	assert_non_null(strstr(push_advice(&s, r), "this URL"));
	*r->location = '\0';
	r->status = 403;
	r->len = 6;
	memcpy(r->body, "denied", 6);
	snprintf(r->proxy, sizeof(r->proxy), "p:3128");
	snprintf(r->proxy_from, sizeof(r->proxy_from), "http_proxy");
	expect_reason(r, "HTTP status 403 through the proxy p:3128 "
			 "(http_proxy): denied");
	assert_non_null(strstr(push_advice(&s, r), "proxy"));
	/* Behind a tunnel, the status is the engine's. */
	r->is_tunnelled = true;
	expect_reason(r, "HTTP status 403: denied");
	assert_null(strstr(push_advice(&s, r), "proxy"));
	/* A page is no reason. */
	snprintf(r->type, sizeof(r->type), "text/html");
	expect_reason(r, "HTTP status 403");
	free(r);
}

static void request_without_a_response_is_sent_again(void **state)
{
	struct push_reply *r = calloc(1, sizeof(*r));
	struct text why = { 0 };
	uint64_t rejected;

	(void)state;
	assert_int_equal(push_judge(r, &why, &rejected), PUSH_AGAIN);
	assert_string_equal(why.bytes, "no response");
	text_clear(&why);
	snprintf(r->problem, sizeof(r->problem), "reset");
	r->is_wrong = true;
	assert_int_equal(push_judge(r, &why, &rejected), PUSH_REFUSED);
	assert_string_equal(why.bytes, "reset");
	text_release(&why);
	free(r);
}

static void response_that_is_cut_off_counts_by_its_status(void **state)
{
	static const struct {
		int status;
		const char *type;
		enum push_verdict verdict;
		const char *why;
	} rows[] = {
		{ 200, "application/x-protobuf", PUSH_DELIVERED,
		  "the response is incomplete" },
		{ 202, "", PUSH_DELIVERED, "the response is incomplete" },
		{ 200, "text/html", PUSH_REFUSED,
		  "HTTP status 200, but the response is not an engine's "
		  "(text/html)" },
		{ 503, "", PUSH_AGAIN, "HTTP status 503" },
		{ 400, "", PUSH_REFUSED, "HTTP status 400" },
	};
	struct push_reply *r = calloc(1, sizeof(*r));

	(void)state;
	r->is_sent = r->is_cut = true;
	r->curl_code = 18;
	/* A message of 127 bytes, of which one arrived. */
	memcpy(r->body, "\x0a\x7f\x08", 3);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text why = { 0 };
		uint64_t rejected;

		r->status = rows[i].status;
		r->len = r->received = r->status < 300 ? 3 : 0;
		snprintf(r->type, sizeof(r->type), "%s", rows[i].type);
		assert_int_equal(push_judge(r, &why, &rejected),
				 rows[i].verdict);
		assert_string_equal(why.bytes, rows[i].why);
		assert_int_equal(rejected, 0);
		text_release(&why);
	}
	free(r);
}

static void grpc_statuses_are_judged_by_the_specification(void **state)
{
	static const struct {
		int grpc_status;
		const char *message;
		enum push_verdict verdict;
		const char *why;
	} rows[] = {
		{ 0, "busy", PUSH_DELIVERED, "bad" },
		{ 14, "busy", PUSH_AGAIN, "gRPC status 14: busy" },
		{ 4, "busy", PUSH_AGAIN, "gRPC status 4: busy" },
		{ 8, "busy", PUSH_AGAIN, "gRPC status 8: busy" },
		{ 3, "busy", PUSH_REFUSED, "gRPC status 3: busy" },
		{ 13, "busy", PUSH_REFUSED, "gRPC status 13: busy" },
		{ 2, "resource_exhausted: rate", PUSH_AGAIN,
		  "gRPC status 2: resource_exhausted: rate" },
		{ 13, "code = Unavailable", PUSH_AGAIN,
		  "gRPC status 13: code = Unavailable" },
		{ 2, "resource_exhausted: message larger than max",
		  PUSH_REFUSED,
		  "gRPC status 2: resource_exhausted: message larger than "
		  "max" },
		{ -1, "busy", PUSH_AGAIN, "the response has no grpc-status" },
	};
	static const char body[] = "\0\0\0\0\x07\x0a\x05\x12\x03"
				   "bad";
	struct push_reply *r = calloc(1, sizeof(*r));

	(void)state;
	r->is_sent = r->is_grpc = true;
	r->status = 200;
	r->len = sizeof(body) - 1;
	memcpy(r->body, body, r->len);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text why = { 0 };
		uint64_t rejected;

		snprintf(r->problem, sizeof(r->problem), "%s", rows[i].message);
		r->grpc_status = rows[i].grpc_status;
		assert_int_equal(push_judge(r, &why, &rejected),
				 rows[i].verdict);
		assert_string_equal(why.bytes, rows[i].why);
		text_release(&why);
	}
	free(r);
}

static void too_large_message_is_not_sent_again(void **state)
{
	struct push_reply *r = calloc(1, sizeof(*r));
	struct text why = { 0 };
	uint64_t rejected;

	(void)state;
	r->is_sent = r->is_grpc = true;
	r->status = 200;
	r->grpc_status = 8;
	snprintf(r->problem, sizeof(r->problem),
		 "received message larger than max (5 vs. 4)");
	assert_int_equal(push_judge(r, &why, &rejected), PUSH_REFUSED);
	text_release(&why);
	free(r);
}

/* ---- when to send ---- */

static void expect_between(int64_t ns, double least_s, double most_s)
{
	assert_true((double)ns >= least_s * 1e9);
	assert_true((double)ns <= most_s * 1e9);
}

static void wait_for_another_attempt_doubles_up_to_a_minute(void **state)
{
	static const double most_s[] = { 1, 2, 4, 8, 16, 32, 60, 60 };
	struct push_pace p = { 0 };
	int64_t longest_ns = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(most_s) / sizeof(*most_s); i++) {
		push_pace_retry(&p, 1000, 0);
		expect_between(p.next_ns - 1000, 0, most_s[i]);
	}
	for (int i = 0; i < 1000; i++) {
		push_pace_retry(&p, 0, 0);
		longest_ns = p.next_ns > longest_ns ? p.next_ns : longest_ns;
	}
	/* It is random: the chance of less is 2^-1000. */
	expect_between(longest_ns, 30, 60);
}

static void nodes_told_to_return_at_one_time_spread(void **state)
{
	static const struct {
		int64_t retry_after_s;
		double least_s, most_s;
	} rows[] = { { 1, 1, 2 },
		     { 30, 30, 60 },
		     { 600, 600, 660 },
		     { 100000, 3600, 3660 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t least_ns = INT64_MAX, longest_ns = 0;

		for (int k = 0; k < 1000; k++) {
			struct push_pace p = { 0 };

			push_pace_retry(&p, 0, rows[i].retry_after_s);
			expect_between(p.next_ns, rows[i].least_s,
				       rows[i].most_s);
			if (p.next_ns < least_ns)
				least_ns = p.next_ns;
			if (p.next_ns > longest_ns)
				longest_ns = p.next_ns;
		}
		expect_between(longest_ns - least_ns,
			       (rows[i].most_s - rows[i].least_s) / 2, 60);
	}
}

static void backlog_is_sent_four_times_as_fast_as_it_was_made(void **state)
{
	struct push_pace p = { 0 };
	int64_t sum_ns = 0;

	(void)state;
	/* 120 requests of an hour: 30 s each. */
	for (int i = 0; i < 1000; i++) {
		push_pace_retry(&p, 0, 0);
		push_pace_go_on(&p, 3600 * CLOCK_NS_PER_S, 120, 0);
		assert_int_equal(p.backoff_ns, 0);
		p.next_ns -= 3600 * CLOCK_NS_PER_S;
		expect_between(p.next_ns, 3.75, 11.25);
		sum_ns += p.next_ns;
	}
	expect_between(sum_ns / 1000, 7, 8);
	/* One request, of 40 minutes, needs no wait of its age. */
	push_pace_go_on(&p, 2400 * CLOCK_NS_PER_S, 1, 0);
	expect_between(p.next_ns - 2400 * CLOCK_NS_PER_S, 5, 15);
}

static void requests_without_a_backlog_are_sent_at_once(void **state)
{
	struct push_pace p = { 0 };

	(void)state;
	push_pace_go_on(&p, 5000, 0, 0);
	assert_int_equal(p.next_ns, 5000);
	/* Ten requests of one interval. */
	push_pace_go_on(&p, 5000, 9, 5000);
	assert_int_equal(p.next_ns, 5000);
}

static void first_intervals_of_nodes_spread_over_an_interval(void **state)
{
	int64_t least_ns = INT64_MAX, longest_ns = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		int64_t ns = push_first_interval_ns(30 * CLOCK_NS_PER_S);

		expect_between(ns, 15, 45);
		least_ns = ns < least_ns ? ns : least_ns;
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	expect_between(longest_ns - least_ns, 25, 30);
}

/* ---- settings ---- */

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

static void reply_to_an_empty_request_tells_whether_it_is_parca(void **state)
{
	static const struct {
		int status, grpc_status;
		enum push_format kind;
	} rows[] = {
		{ 200, 0, PUSH_PARCA }, { 200, 12, PUSH_GRPC },
		{ 404, -1, PUSH_GRPC }, { 200, 14, PUSH_AUTO },
		{ 200, 16, PUSH_AUTO }, { 200, -1, PUSH_AUTO },
		{ 502, -1, PUSH_AUTO },
	};
	struct push_reply *r = calloc(1, sizeof(*r));

	(void)state;
	r->is_grpc = true;
	assert_int_equal(push_probe_kind(r), PUSH_AUTO);
	r->is_sent = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		r->status = rows[i].status;
		r->grpc_status = rows[i].grpc_status;
		assert_int_equal(push_probe_kind(r), rows[i].kind);
	}
	free(r);
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

static void refusals_have_advice(void **state)
{
	static const struct {
		enum push_format format;
		int status, grpc_status;
		const char *advice; /* a part of it; NULL: none */
		const char *problem;
	} rows[] = {
		{ PUSH_OTLP, 404, -1, "--push-format pyroscope", NULL },
		{ PUSH_PYROSCOPE, 404, -1, "/ingest", NULL },
		{ PUSH_OTLP, 401, -1, "--header-file", NULL },
		{ PUSH_OTLP, 400, -1, "1.10", NULL },
		{ PUSH_PYROSCOPE, 400, -1, NULL, NULL },
		{ PUSH_OTLP, 413, -1, "--interval", NULL },
		{ PUSH_OTLP, 415, -1, "URL", NULL },
		{ PUSH_OTLP, 500, -1, NULL, NULL },
		{ PUSH_OTLP, 200, -1, "login", NULL },
		{ PUSH_GRPC, 200, 12, "service.profilesSupport", NULL },
		{ PUSH_GRPC, 200, 16, "--header-file", NULL },
		{ PUSH_GRPC, 200, 13, NULL, NULL },
		{ PUSH_GRPC, 200, 13, "1.10",
		  "grpc: error unmarshalling request: proto: wrong wireType" },
		{ PUSH_OTLP, 401, -1, "X-Scope-OrgID", "no org id" },
		{ PUSH_OTLP, 200, -1, "grpc://", NULL },
		{ PUSH_GRPC, 404, -1, "service.profilesSupport", NULL },
	};
	struct push_reply *r = calloc(1, sizeof(*r));

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct push_settings s = { .format = rows[i].format };
		const char *advice;

		r->is_sent = true;
		r->status = rows[i].status;
		r->is_grpc = rows[i].format == PUSH_GRPC;
		r->grpc_status = rows[i].grpc_status;
		snprintf(r->problem, sizeof(r->problem), "%s",
			 rows[i].problem ? rows[i].problem : "");
		advice = push_advice(&s, r);
		assert_int_equal(!advice, !rows[i].advice);
		if (advice)
			assert_non_null(strstr(advice, rows[i].advice));
	}
	free(r);
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

/* ---- the queue ---- */

static void ignore_notice(void *self, bool is_loss, const char *text)
{
	(void)self, (void)is_loss, (void)text;
}

static void add_request(struct push *p, size_t bytes, uint64_t samples)
{
	struct text body = { 0 };

	for (size_t i = 0; i < bytes; i++)
		text_putc(&body, 'x');
	push_add(p, &body, NULL, "", samples);
	assert_null(body.bytes);
}

static void full_queue_drops_its_oldest_requests(void **state)
{
	struct push_settings s;
	struct push_counts c;
	struct error err;
	struct push *p;

	(void)state;
	/* Nothing listens on port 1, and no attempt is made. */
	assert_int_equal(
		push_settings_init(&s, "http://127.0.0.1:1", PUSH_AUTO, &err),
		0);
	s.queue_bytes = 250;
	p = push_open(&s, ignore_notice, NULL, &err);
	if (!p) {
		push_settings_release(&s);
		print_message("%s\n", err.text);
		skip();
	}
	for (uint64_t i = 1; i <= 4; i++)
		add_request(p, 100, i);
	c = push_counts(p);
	assert_int_equal(c.queued, 2);
	assert_int_equal(c.queued_bytes, 200);
	assert_int_equal(c.queued_samples, 3 + 4);
	assert_int_equal(c.too_many, 2);
	assert_int_equal(c.too_many_samples, 1 + 2);
	/* A request larger than the queue is dropped, too. */
	add_request(p, 300, 5);
	c = push_counts(p);
	assert_int_equal(c.queued, 0);
	assert_int_equal(c.too_many_samples, 1 + 2 + 3 + 4 + 5);
	/* No age is allowed: a request is too old at once. */
	s.queue_ns = -1;
	add_request(p, 10, 6);
	c = push_counts(p);
	assert_int_equal(c.queued, 0);
	assert_int_equal(c.too_old_samples, 6);
	push_close(p);
	push_settings_release(&s);
}

static void unreachable_engine_keeps_requests_in_the_queue(void **state)
{
	struct push_settings s;
	struct push_counts c;
	struct error err;
	struct push *p;

	(void)state;
	assert_int_equal(
		push_settings_init(&s, "http://127.0.0.1:1", PUSH_AUTO, &err),
		0);
	p = push_open(&s, ignore_notice, NULL, &err);
	if (!p) {
		push_settings_release(&s);
		print_message("%s\n", err.text);
		skip();
	}
	add_request(p, 100, 3);
	assert_false(push_finish(p, clock_monotonic_ns() + CLOCK_NS_PER_S / 2));
	c = push_counts(p);
	assert_true(c.attempts >= 1);
	assert_int_equal(c.queued_samples, 3);
	assert_int_equal(c.delivered, 0);
	push_close(p);
	push_settings_release(&s);
}

/* ---- a directory ---- */

static size_t list_files(const char *directory, char *last, size_t size)
{
	struct dirent **names;
	int count = scandir(directory, &names, NULL, alphasort);
	size_t files = 0;

	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.') {
			snprintf(last, size, "%s", names[i]->d_name);
			files++;
		}
		free(names[i]);
	}
	free(names);
	return files;
}

static void write_body(struct push *p, const char *bytes, uint64_t samples)
{
	struct text body = { 0 };

	text_puts(&body, bytes);
	push_add(p, &body, NULL, ".otlp.gz", samples);
}

static void directory_keeps_the_newest_files(void **state)
{
	char directory[] = "/tmp/sjkc-push-XXXXXX", last[256], path[512];
	struct push_settings s;
	struct push_counts c;
	struct error err;
	struct push *p;

	(void)state;
	assert_non_null(mkdtemp(directory));
	/* A file of an earlier run, and one that is not sjkc's. */
	snprintf(path, sizeof(path), "%s/sjkc-20200101T000000.000000Z.x",
		 directory);
	fclose(fopen(path, "w"));
	snprintf(path, sizeof(path), "%s/sjkc-notes", directory);
	fclose(fopen(path, "w"));
	push_settings_init_directory(&s, directory, PUSH_AUTO);
	s.limits.files = 3;
	s.limits.bytes = 8;
	p = push_open(&s, ignore_notice, NULL, &err);
	assert_non_null(p);
	write_body(p, "1", 1);
	write_body(p, "22", 2);
	write_body(p, "333", 3);
	write_body(p, "4444", 4);
	assert_true(push_finish(p, clock_monotonic_ns() + 60 * CLOCK_NS_PER_S));
	c = push_counts(p);
	assert_int_equal(c.delivered_samples, 10);
	/* The old one and the first by their number, the second by its size. */
	assert_int_equal(c.removed_files, 3);
	assert_int_equal(c.removed_bytes, 3);
	assert_int_equal(list_files(directory, last, sizeof(last)), 3);
	assert_string_equal(last, "sjkc-notes");
	/* A file larger than the limit is kept: it is the newest. */
	write_body(p, "55555555555", 5);
	assert_true(push_finish(p, clock_monotonic_ns() + 60 * CLOCK_NS_PER_S));
	assert_int_equal(list_files(directory, last, sizeof(last)), 2);
	/* Nothing can be written now. */
	snprintf(path, sizeof(path), "rm -rf %s", directory);
	assert_int_equal(system(path), 0);
	write_body(p, "6", 6);
	assert_false(push_finish(p, clock_monotonic_ns() + CLOCK_NS_PER_S / 2));
	assert_int_equal(push_counts(p).queued_samples, 6);
	assert_int_equal(mkdir(directory, 0700), 0);
	assert_true(push_finish(p, clock_monotonic_ns() + 60 * CLOCK_NS_PER_S));
	assert_int_equal(list_files(directory, last, sizeof(last)), 1);
	snprintf(path, sizeof(path), "%s/%s", directory, last);
	unlink(path);
	rmdir(directory);
	push_close(p);
	push_settings_release(&s);
}

static void full_disk_loses_the_oldest_files(void **state)
{
	char directory[] = "/tmp/sjkc-push-XXXXXX", last[256], body[20001];
	struct push_settings s;
	struct push_counts c;
	struct error err;
	struct push *p;

	(void)state;
	assert_non_null(mkdtemp(directory));
	if (mount("tmpfs", directory, "tmpfs", 0, "size=64k")) {
		rmdir(directory);
		print_message("no right to mount a file system\n");
		skip();
	}
	memset(body, 'b', sizeof(body) - 1);
	body[sizeof(body) - 1] = '\0';
	push_settings_init_directory(&s, directory, PUSH_AUTO);
	p = push_open(&s, ignore_notice, NULL, &err);
	assert_non_null(p);
	for (int i = 0; i < 10; i++)
		write_body(p, body, 1);
	push_finish(p, clock_monotonic_ns() + 60 * CLOCK_NS_PER_S);
	c = push_counts(p);
	push_close(p);
	push_settings_release(&s);
	/* Three files of 20 KB fit into 64 KB. */
	assert_int_equal(list_files(directory, last, sizeof(last)), 3);
	umount(directory);
	rmdir(directory);
	assert_int_equal(c.delivered, 10);
	assert_int_equal(c.removed_files, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replies_are_judged_by_the_specification),
		cmocka_unit_test(page_of_a_login_is_no_delivery),
		cmocka_unit_test(reason_names_the_redirect_and_the_proxy),
		cmocka_unit_test(request_without_a_response_is_sent_again),
		cmocka_unit_test(response_that_is_cut_off_counts_by_its_status),
		cmocka_unit_test(grpc_statuses_are_judged_by_the_specification),
		cmocka_unit_test(too_large_message_is_not_sent_again),
		cmocka_unit_test(
			wait_for_another_attempt_doubles_up_to_a_minute),
		cmocka_unit_test(nodes_told_to_return_at_one_time_spread),
		cmocka_unit_test(
			backlog_is_sent_four_times_as_fast_as_it_was_made),
		cmocka_unit_test(requests_without_a_backlog_are_sent_at_once),
		cmocka_unit_test(
			first_intervals_of_nodes_spread_over_an_interval),
		cmocka_unit_test_setup(url_gets_the_path_of_otlp,
				       clear_environment),
		cmocka_unit_test_setup(format_follows_from_the_url_or_is_given,
				       clear_environment),
		cmocka_unit_test_setup(
			server_name_replaces_the_host_but_not_the_address,
			clear_environment),
		cmocka_unit_test(
			only_a_grpc_url_without_format_asks_for_the_kind),
		cmocka_unit_test(
			reply_to_an_empty_request_tells_whether_it_is_parca),
		cmocka_unit_test(refusals_have_advice),
		cmocka_unit_test(directory_keeps_the_newest_files),
		cmocka_unit_test(full_disk_loses_the_oldest_files),
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
		cmocka_unit_test_setup(full_queue_drops_its_oldest_requests,
				       clear_environment),
		cmocka_unit_test_setup(
			unreachable_engine_keeps_requests_in_the_queue,
			clear_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
