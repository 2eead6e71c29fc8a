/* SPDX-License-Identifier: Apache-2.0 */
#include "core/push/push.h"

#include "core/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	  "the backend gives no reason", 2 },
	{ 200,
	  "\x0a\x05\x12\x03"
	  "odd",
	  7, PUSH_DELIVERED, "odd", 0 },
	/* A rejected number below 0. */
	{ 200, "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13,
	  PUSH_DELIVERED, "", 0 },
	/* A damaged response, and one of another server. */
	{ 200, "\x0a\x7f\x08", 3, PUSH_REFUSED,
	  "HTTP status 200, but the response is not a profiling backend's (no "
	  "type)",
	  0 },
	{ 200, "OK", 2, PUSH_REFUSED,
	  "HTTP status 200, but the response is not a profiling backend's (no "
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
	/* Behind a tunnel, the status is the backend's. */
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
		  "HTTP status 200, but the response is not a profiling "
		  "backend's "
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

static void
profiles_are_sent_alone_until_ten_minutes_without_a_failure(void **state)
{
	const int64_t minute_ns = 60 * CLOCK_NS_PER_S;
	/* A machine that has just started, and another one. */
	static const int64_t starts_ns[] = { 1, 1000 * 3600 * CLOCK_NS_PER_S };

	(void)state;
	for (size_t i = 0; i < sizeof(starts_ns) / sizeof(*starts_ns); i++) {
		struct push_alone a = { 0 };
		int64_t now_ns = starts_ns[i];

		push_alone_delivered(&a, now_ns);
		assert_false(a.is_wanted);
		push_alone_failed(&a, now_ns);
		assert_true(a.is_wanted);
		push_alone_delivered(&a, now_ns + 1);
		assert_true(a.is_wanted);
		/* Another failure begins the ten minutes again. */
		push_alone_failed(&a, now_ns += 9 * minute_ns);
		push_alone_delivered(&a, now_ns + 10 * minute_ns - 1);
		assert_true(a.is_wanted);
		push_alone_delivered(&a, now_ns + 10 * minute_ns);
		assert_false(a.is_wanted);
		push_alone_failed(&a, now_ns += 20 * minute_ns);
		assert_true(a.is_wanted);
	}
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
			profiles_are_sent_alone_until_ten_minutes_without_a_failure),
		cmocka_unit_test(
			first_intervals_of_nodes_spread_over_an_interval),
		cmocka_unit_test(
			reply_to_an_empty_request_tells_whether_it_is_parca),
		cmocka_unit_test(refusals_have_advice),
		cmocka_unit_test(full_queue_drops_its_oldest_requests),
		cmocka_unit_test(
			unreachable_engine_keeps_requests_in_the_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
