/* SPDX-License-Identifier: Apache-2.0 */
/* The Jolokia client, with a server that fails in all ways. */
#include "jmx_http/jolokia/jolokia_client.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "jmx_http/http/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The server: a child process with one connection at a time */

enum after { KEEP, CLOSE, HANG, ENDLESS, TRICKLE };

struct reply {
	const char *head; /* NULL: 200 with Content-Length */
	const char *body;
	enum after after;
};

struct shared {
	atomic_int connections, requests;
	char last[65536]; /* the last request */
};

struct server {
	const struct reply *replies; /* the last one is repeated */
	size_t count;
	struct shared *shared;
	char url[64];
	pid_t child;
};

static const char version[] = "[{\"value\":{\"agent\":\"1.7.1\",\"protocol\":"
			      "\"7.2\"},\"status\":200}"
			      ",{\"value\":\"17.0.1+2\",\"status\":200}]";

static void write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n <= 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}

/* Returns false at the end of the connection. */
static bool read_request(struct server *s, int fd)
{
	char *at = s->shared->last;
	size_t len = 0, wanted = SIZE_MAX;

	while (len < wanted && len < sizeof(s->shared->last) - 1) {
		ssize_t n = read(fd, at + len,
				 sizeof(s->shared->last) - 1 - len);
		char *end, *length;

		if (n <= 0)
			return false;
		len += (size_t)n;
		at[len] = '\0';
		end = strstr(at, "\r\n\r\n");
		length = strcasestr(at, "Content-Length:");
		if (end)
			wanted = (size_t)(end + 4 - at) +
				 (length ? (size_t)strtol(length + 15, NULL, 10)
					 : 0);
	}
	s->shared->requests++;
	return true;
}

static void send_reply(const struct reply *r, int fd)
{
	struct text out = { 0 };

	if (r->head)
		text_puts(&out, r->head);
	else
		text_printf(&out,
			    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
			    "Content-Length: %zu\r\n\r\n",
			    strlen(r->body));
	text_puts(&out, r->body);
	if (r->after == TRICKLE)
		for (size_t i = 0; i < out.len; i++) {
			write_all(fd, out.bytes + i, 1);
			usleep(20000);
		}
	else
		write_all(fd, out.bytes, out.len);
	while (r->after == ENDLESS)
		write_all(fd, out.bytes, out.len);
	text_release(&out);
	if (r->after == HANG)
		sleep(60);
}

static void serve(struct server *s, int listener)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		size_t at;

		s->shared->connections++;
		while (read_request(s, fd)) {
			at = (size_t)s->shared->requests - 1;
			if (at >= s->count)
				at = s->count - 1;
			send_reply(&s->replies[at], fd);
			if (s->replies[at].after != KEEP)
				break;
		}
		close(fd);
	}
}

static void start(struct server *s, const struct reply *replies, size_t count)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*s = (struct server){ .replies = replies, .count = count };
	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(s->shared, MAP_FAILED);
	assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(listener, 16), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len),
			 0);
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%d/jolokia",
		 ntohs(at.sin_port));
	s->child = fork();
	assert_true(s->child >= 0);
	if (!s->child) {
		signal(SIGPIPE, SIG_IGN);
		alarm(300);
		serve(s, listener);
	}
	close(listener);
}

static void end(struct server *s)
{
	kill(s->child, SIGKILL);
	waitpid(s->child, NULL, 0);
	munmap(s->shared, sizeof(*s->shared));
}

/* The client */

static struct jmx *try_open(const struct server *s, int64_t timeout_ns,
			    struct error *err)
{
	const struct jmx_target target = {
		.address = s->url,
		.timeout_ns = timeout_ns ? timeout_ns : 20 * CLOCK_NS_PER_S,
	};

	*err = (struct error){ 0 };
	return jolokia_client_open(&target, err);
}

static struct jmx *open_at(const struct server *s, int64_t timeout_ns)
{
	struct error err;
	struct jmx *j = try_open(s, timeout_ns, &err);

	if (!j)
		fail_msg("%s", err.text);
	return j;
}

static const char *const names[] = { "A", "B", "C" };

static const struct jmx_request get_all = {
	.verb = JMX_GET, .object = "a:b=c", .names = names, .name_count = 3
};
static const struct jmx_request get_one = {
	.verb = JMX_GET, .object = "a:b=c", .names = names, .name_count = 1
};
static const struct jmx_request invoke = {
	.verb = JMX_INVOKE, .object = "a:b=c", .names = names, .name_count = 1
};

/* Appends each reply to a line, as "{…}" or "!failure". */
static int take(void *self, size_t index, const struct jmx_reply *reply,
		struct error *err)
{
	struct text *out = self;
	struct json j;

	(void)index;
	(void)err;
	text_puts(out, out->len ? " " : "");
	if (reply->failure) {
		text_printf(out, "!%s", reply->failure);
		return 0;
	}
	j = json_into(out);
	value_json(&j, reply->value ? reply->value : &value_null);
	return 0;
}

static int run(struct jmx *j, const struct jmx_request *q, size_t count,
	       struct text *out, struct error *err)
{
	*err = (struct error){ 0 };
	text_clear(out);
	text_puts(out, "");
	return jmx_run(j, q, count, take, out, err);
}

#define START(s, ...)                                                          \
	static const struct reply replies[] = { { NULL, version, KEEP },       \
						__VA_ARGS__ };                 \
	start(s, replies, sizeof(replies) / sizeof(*replies))

static void one_connection_serves_all_requests(void **state)
{
	struct server s;
	struct text out = { 0 };
	struct error err;
	struct jmx *j;

	(void)state;
	START(&s, { NULL,
		    "[{\"value\":{\"A\":1,\"B\":[2],\"C\":null},"
		    "\"status\":200}]",
		    KEEP });
	j = open_at(&s, 0);
	assert_string_equal(j->version, "17.0.1+2");
	assert_string_equal(j->title, s.url);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(run(j, &get_all, 1, &out, &err), 0);
		assert_string_equal(out.bytes,
				    "{\"A\":1,\"B\":[2],\"C\":null}");
	}
	assert_int_equal(s.shared->connections, 1);
	assert_int_equal(s.shared->requests, 4);
	assert_null(strstr(s.shared->last, "Origin"));
	jmx_close(j);
	text_release(&out);
	end(&s);
}

/*
 * A failed attribute of a bulk request is requested alone, to get the reason.
 */
static void failed_attributes_are_requested_alone(void **state)
{
	struct server s;
	struct text out = { 0 };
	struct error err;
	struct jmx *j;

	(void)state;
	START(&s,
	      { NULL,
		"[{\"value\":{\"A\":\"ERROR: bad (class x.Y)\",\"C\":3},"
		"\"status\":200}]",
		KEEP },
	      { NULL,
		"[{\"status\":500,\"error_type\":\"x.Y\",\"error\":\"x.Y : "
		"bad\"},{\"value\":\"late\",\"status\":200}]",
		KEEP });
	j = open_at(&s, 0);
	assert_int_equal(run(j, &get_all, 1, &out, &err), 0);
	assert_string_equal(out.bytes, "{\"A\":{\"$error\":\"x.Y: bad\"},"
				       "\"B\":\"late\",\"C\":3}");
	assert_int_equal(s.shared->requests, 3);
	jmx_close(j);
	text_release(&out);
	end(&s);
}

/*
 * If the agent fails a whole bulk request, smaller parts find the failing
 * request.
 */
static void a_failed_bulk_request_is_repeated_in_parts(void **state)
{
	static const char whole[] = "{\"status\":500,\"error_type\":"
				    "\"java.lang.StackOverflowError\"}";
	static const char one[] = "[{\"value\":7,\"status\":200}]";
	const struct jmx_request all[] = { get_one, get_one, get_one };
	struct server s;
	struct text out = { 0 };
	struct error err;
	struct jmx *j;

	(void)state;
	START(&s, { NULL, whole, KEEP }, { NULL, one, KEEP },
	      { NULL, whole, KEEP }, { NULL, one, KEEP });
	j = open_at(&s, 0);
	assert_int_equal(run(j, all, 3, &out, &err), 0);
	assert_string_equal(out.bytes,
			    "{\"A\":7} {\"A\":{\"$error\":"
			    "\"java.lang.StackOverflowError\"}} {\"A\":7}");
	jmx_close(j);
	text_release(&out);
	end(&s);
}

static void reads_survive_a_connection_that_was_closed(void **state)
{
	struct server s;
	struct text out = { 0 };
	struct error err;
	struct jmx *j;

	(void)state;
	START(&s, { "", "", CLOSE },
	      { NULL, "[{\"value\":1,\"status\":200}]", KEEP });
	j = open_at(&s, 0);
	assert_int_equal(run(j, &get_one, 1, &out, &err), 0);
	assert_string_equal(out.bytes, "{\"A\":1}");
	assert_int_equal(s.shared->connections, 2);
	jmx_close(j);
	text_release(&out);
	end(&s);
}

static void calls_are_sent_once(void **state)
{
	struct server s;
	struct text out = { 0 };
	struct error err;
	struct jmx *j;

	(void)state;
	START(&s, { "", "", CLOSE },
	      { NULL, "[{\"value\":1,\"status\":200}]", KEEP });
	j = open_at(&s, 0);
	assert_int_equal(run(j, &invoke, 1, &out, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "may have executed the call"));
	assert_int_equal(s.shared->requests, 2);
	/* The next run connects again. */
	assert_int_equal(run(j, &invoke, 1, &out, &err), 0);
	assert_string_equal(out.bytes, "1");
	jmx_close(j);
	text_release(&out);
	end(&s);
}

/*
 * Each fault, whether it occurs when the connection is opened, and its error.
 */
static const struct {
	struct reply reply;
	enum error_kind kind;
	const char *text;
} faults[] = {
	{ { NULL, "<!DOCTYPE html><p>hello", KEEP },
	  ERROR_NO_TARGET,
	  "HTTP, but not Jolokia: the response is an HTML page" },
	{ { NULL, "", KEEP }, ERROR_NO_TARGET, "not Jolokia" },
	{ { NULL, "{\"name\":\"elasticsearch\"}", KEEP },
	  ERROR_NO_TARGET,
	  "Jolokia" },
	{ { NULL, "[{\"value\":", KEEP }, ERROR_REFUSED, "it is not JSON" },
	{ { "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"a\033[2J\"\r\n"
	    "Content-Length: 0\r\n\r\n",
	    "", KEEP },
	  ERROR_PERMISSION,
	  "requires a login (Basic realm" },
	{ { "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "", KEEP },
	  ERROR_PERMISSION,
	  "HTTP 403" },
	{ { "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\n", "no", KEEP },
	  ERROR_NO_TARGET,
	  "/actuator/jolokia" },
	{ { "HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\n", "no", KEEP },
	  ERROR_REFUSED,
	  "HTTP 503" },
	{ { "HTTP/1.1 302 No\r\nLocation: http://10.9.9.9/login\r\n"
	    "Content-Length: 0\r\n\r\n",
	    "", KEEP },
	  ERROR_REFUSED,
	  "redirects to http://10.9.9.9/login" },
	{ { "HTTP/1.1 302 No\r\nLocation: /jolokia\r\nContent-Length: "
	    "0\r\n\r\n",
	    "", KEEP },
	  ERROR_REFUSED,
	  "redirects in a loop" },
	{ { "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "[{", CLOSE },
	  ERROR_REFUSED,
	  "connection was lost" },
	{ { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
	    "ffffffffffffffff\r\n[", CLOSE },
	  ERROR_REFUSED,
	  "" },
	{ { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
	    "zz\r\n[]\r\n0\r\n\r\n", CLOSE },
	  ERROR_REFUSED,
	  "" },
	{ { "SSH-2.0-OpenSSH_9.2\r\n", "", CLOSE }, ERROR_REFUSED, "" },
	{ { "\x4e\0\7", "", CLOSE }, ERROR_REFUSED, "" },
	{ { "", "", HANG }, ERROR_REFUSED, "no response arrived within" },
	{ { NULL, version, TRICKLE },
	  ERROR_REFUSED,
	  "no response arrived within" },
	{ { "HTTP/1.1 200 OK\r\nX: ",
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ENDLESS },
	  ERROR_REFUSED,
	  "" },
	{ { "HTTP/1.1 100 Continue\r\n\r\n", "", ENDLESS }, ERROR_REFUSED, "" },
};

static void each_fault_is_an_error_in_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		int64_t begun = clock_monotonic_ns();
		struct server s;
		struct error err;

		start(&s, &faults[i].reply, 1);
		if (try_open(&s, CLOCK_NS_PER_S, &err))
			fail_msg("fault %zu was accepted", i);
		if (err.kind != faults[i].kind ||
		    !strstr(err.text, faults[i].text) ||
		    !strstr(err.text, s.url))
			fail_msg("fault %zu: %d %s", i, (int)err.kind,
				 err.text);
		assert_null(strchr(err.text, '\033'));
		assert_true(clock_monotonic_ns() - begun < 60 * CLOCK_NS_PER_S);
		end(&s);
	}
}

/* Notifications, as an agent of 2.x stores them */

#define REGISTERED                                                             \
	"{\"value\":{\"id\":\"c-1\",\"backend\":{\"pull\":{\"maxEntries\":"    \
	"100,"                                                                 \
	"\"store\":\"jolokia:type=NotificationStore,agent=a\"},\"sse\":{}}},"  \
	"\"status\":200}"
#define ADDED  "{\"value\":\"1\",\"status\":200}"
#define PINGED "{\"value\":null,\"status\":200}"
#define FORGOTTEN                                                              \
	"{\"error_type\":\"java.lang.IllegalArgumentException\","              \
	"\"error\":\"No client c-1 registered\",\"status\":400}"

static int print_notification(void *self, const struct jmx_notification *n,
			      struct error *err)
{
	struct text *out = self;

	(void)err;
	text_printf(out, "%s %s %s %lld %lld", n->object, n->type, n->message,
		    (long long)n->sequence,
		    strcmp(n->type, "sjkc.lost") ? (long long)n->time_ms : 0LL);
	text_putc(out, '\n');
	return 0;
}

static void
notifications_are_pulled_until_the_client_is_unregistered(void **state)
{
	struct text out = { 0 };
	struct server s;
	struct error err;
	struct jmx *j;

	(void)state;
	START(&s, { NULL, REGISTERED, KEEP }, { NULL, ADDED, KEEP },
	      { NULL, "[" PINGED "," PINGED "]", KEEP },
	      { NULL,
		"[" PINGED ",{\"value\":{\"dropped\":3,\"handle\":\"1\","
		"\"handback\":null,\"notifications\":["
		"{\"type\":\"t\",\"message\":\"m\",\"sequenceNumber\":"
		"9007199254740993,\"timeStamp\":1700000000123,\"source\":"
		"{\"objectName\":\"a:b=source\"},\"userData\":null},"
		"{\"type\":\"u\",\"message\":null,\"sequenceNumber\":7,"
		"\"timeStamp\":5,\"source\":\"other\"},"
		"\"[Object limit exceeded]\"]},\"status\":200}]",
		KEEP },
	      { NULL, PINGED, KEEP });
	j = open_at(&s, 0);
	assert_int_equal(jmx_listen(j, "a:b=c", &err), 0);
	assert_non_null(strstr(s.shared->last, "{\"type\":\"notification\","
					       "\"command\":\"add\",\"client\":"
					       "\"c-1\",\"mode\":\"pull\","
					       "\"mbean\":\"a:b=c\"}"));
	assert_int_equal(jmx_fetch(j, 20 * CLOCK_NS_PER_S, print_notification,
				   &out, &err),
			 0);
	assert_string_equal(out.bytes,
			    " sjkc.lost notifications were lost 3 0\n"
			    "a:b=source t m 9007199254740993 "
			    "1700000000123\n"
			    "a:b=c u  7 5\n"
			    " sjkc.lost notifications were lost 1 "
			    "0\n");
	assert_non_null(strstr(
		s.shared->last,
		"\"mbean\":\"jolokia:type=NotificationStore,agent=a\","
		"\"operation\":\"pull(java.lang.String,java.lang.String)\","
		"\"arguments\":[\"c-1\",\"1\"]}"));
	jmx_close(j);
	assert_int_equal(s.shared->requests, 6);
	assert_non_null(strstr(s.shared->last,
			       "\"command\":\"unregister\",\"client\":"
			       "\"c-1\"}"));
	text_release(&out);
	end(&s);
}

static void an_agent_that_forgot_the_client_loses_notifications(void **state)
{
	struct text out = { 0 };
	struct server s;
	struct error err;
	struct jmx *j;

	(void)state;
	START(&s, { NULL, REGISTERED, KEEP }, { NULL, ADDED, KEEP },
	      { NULL, "[" FORGOTTEN "," PINGED "]", KEEP },
	      { NULL, REGISTERED, KEEP }, { NULL, ADDED, KEEP },
	      { NULL, PINGED, KEEP });
	j = open_at(&s, 0);
	assert_int_equal(jmx_listen(j, "a:b=c", &err), 0);
	assert_int_equal(jmx_fetch(j, 20 * CLOCK_NS_PER_S, print_notification,
				   &out, &err),
			 0);
	assert_string_equal(out.bytes,
			    " sjkc.lost notifications were lost 0 0\n");
	assert_non_null(strstr(s.shared->last, "\"command\":\"add\""));
	jmx_close(j);
	text_release(&out);
	end(&s);
}

static void a_pattern_skips_mbeans_without_notifications(void **state)
{
	struct server s;
	struct error err;
	struct jmx *j;

	(void)state;
	START(&s,
	      { NULL, "[{\"value\":[\"a:b=1\",\"a:b=2\"],\"status\":200}]",
		KEEP },
	      { NULL, REGISTERED, KEEP },
	      { NULL,
		"{\"error_type\":\"java.lang.IllegalArgumentException\","
		"\"error\":\"no broadcaster\",\"status\":400}",
		KEEP },
	      { NULL, ADDED, KEEP }, { NULL, PINGED, KEEP });
	j = open_at(&s, 0);
	assert_int_equal(jmx_listen(j, "a:*", &err), 0);
	assert_non_null(strstr(s.shared->last, "\"mbean\":\"a:b=2\""));
	jmx_close(j);
	end(&s);
}

static void an_agent_without_notifications_is_unavailable(void **state)
{
	static const struct reply refusals[][2] = {
		{ { NULL, version, KEEP },
		  { NULL,
		    "{\"error_type\":\"java.lang.UnsupportedOperationException"
		    "\",\"error\":\"No type with name 'notification' exists\","
		    "\"status\":400}",
		    KEEP } },
		{ { NULL, version, KEEP },
		  { NULL,
		    "{\"value\":{\"id\":\"c\",\"backend\":{\"sse\":{}}},"
		    "\"status\":200}",
		    KEEP } },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct server s;
		struct error err;
		struct jmx *j;

		start(&s, refusals[i], 2);
		j = open_at(&s, 0);
		assert_int_equal(jmx_listen(j, "a:b=c", &err), -1);
		assert_int_equal(err.kind, ERROR_UNAVAILABLE);
		assert_non_null(strstr(err.text, "notifications"));
		jmx_close(j);
		end(&s);
	}
}

/* A redirect within the server is followed: /jolokia to /jolokia/. */
static void a_redirect_to_another_path_is_followed(void **state)
{
	static const struct reply replies[] = {
		{ "HTTP/1.1 302 Found\r\nLocation: /jolokia/\r\n"
		  "Content-Length: 0\r\n\r\n",
		  "", KEEP },
		{ NULL, version, KEEP },
	};
	struct server s;

	(void)state;
	start(&s, replies, 2);
	jmx_close(open_at(&s, 0));
	assert_int_equal(memcmp(s.shared->last, "POST /jolokia/ ", 15), 0);
	end(&s);
}

#define EXPIRED                                                                \
	"HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n" \
	"\r\n"

static const char *renewed; /* what the token file contains; NULL: no file */

static int renew(const char *file, struct text *token, struct error *err)
{
	assert_string_equal(file, "token-file");
	if (!renewed)
		return (fail)(err, ERROR_INPUT, "no file");
	text_puts(token, renewed);
	return 0;
}

static struct jmx *open_with_token(const struct server *s)
{
	static const char *const headers[] = { "X-Tenant: blue" };
	const struct jmx_target target = {
		.address = s->url,
		.timeout_ns = 20 * CLOCK_NS_PER_S,
		.http = { .bearer = "first",
			  .renew_bearer = renew,
			  .bearer_file = "token-file",
			  .headers = headers,
			  .header_count = 1 },
	};
	struct error err;
	struct jmx *j = jolokia_client_open(&target, &err);

	if (!j)
		fail_msg("%s", err.text);
	return j;
}

static void an_expired_token_is_read_again_and_the_call_repeated(void **state)
{
	struct server s;
	struct text out = { 0 };
	struct error err;
	struct jmx *j;

	(void)state;
	START(&s, { EXPIRED, "", KEEP },
	      { NULL, "[{\"value\":1,\"status\":200}]", KEEP });
	j = open_with_token(&s);
	assert_non_null(
		strstr(s.shared->last, "Authorization: Bearer first\r\n"));
	renewed = "second";
	/* Even a call: the server has rejected it unseen. */
	assert_int_equal(run(j, &invoke, 1, &out, &err), 0);
	assert_string_equal(out.bytes, "1");
	assert_int_equal(s.shared->requests, 3);
	assert_non_null(
		strstr(s.shared->last, "Authorization: Bearer second\r\n"));
	assert_null(strstr(s.shared->last, "first"));
	assert_non_null(strstr(s.shared->last, "X-Tenant: blue\r\n"));
	jmx_close(j);
	text_release(&out);
	end(&s);
}

static void a_rejected_token_without_a_newer_one_is_reported_once(void **state)
{
	static const char *const files[] = { NULL, "", "first" };
	struct text out = { 0 };
	struct error err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct server s;
		struct jmx *j;

		START(&s, { EXPIRED, "", KEEP });
		j = open_with_token(&s);
		renewed = files[i];
		assert_int_equal(run(j, &get_one, 1, &out, &err), -1);
		assert_int_equal(err.kind, ERROR_PERMISSION);
		assert_non_null(strstr(err.text,
				       "the server rejected the token "
				       "(Bearer)"));
		assert_int_equal(s.shared->requests, 2);
		jmx_close(j);
		end(&s);
	}
	text_release(&out);
}

static void an_endless_body_is_cut_at_the_limit(void **state)
{
	static char piece[1 << 20];
	static const struct reply replies[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[",
		  piece, ENDLESS },
	};
	struct server s;
	struct error err;

	(void)state;
	memset(piece, ' ', sizeof(piece) - 1);
	start(&s, replies, 1);
	assert_null(try_open(&s, 60 * CLOCK_NS_PER_S, &err));
	assert_non_null(strstr(err.text, "larger than 64 MiB"));
	end(&s);
}

static void nothing_listens_is_no_target(void **state)
{
	struct server s;
	struct error err;

	(void)state;
	start(&s, faults[0].reply.head ? &faults[0].reply : &faults[0].reply,
	      1);
	end(&s);
	assert_null(try_open(&s, CLOCK_NS_PER_S, &err));
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	assert_non_null(strstr(err.text, "Connection refused"));
}

static void urls_are_taken_apart(void **state)
{
	static const struct {
		const char *url, *host, *path;
		uint16_t port;
		bool is_tls;
	} good[] = {
		{ "http://h", "h", "", 80, false },
		{ "HTTPS://h/", "h", "/", 443, true },
		{ "http://[::1]:8778/a/b:c", "::1", "/a/b:c", 8778, false },
		{ "http://1.2.3.4:1?x", "1.2.3.4", "?x", 1, false },
	};
	static const char *const bad[] = {
		"http://",      "ftp://h/",    "http://:80/",
		"http://h:0/",  "http://h:x/", "http://h:99999/",
		"http://[::1/", "http://u@h/", "http://u:p@h/",
	};
	struct http_url parts;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(http_url_parse(&parts, good[i].url, &err), 0);
		assert_string_equal(parts.host, good[i].host);
		assert_string_equal(parts.path, good[i].path);
		assert_int_equal(parts.port, good[i].port);
		assert_int_equal(parts.is_tls, good[i].is_tls);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (http_url_parse(&parts, bad[i], &err) == 0 ||
		    err.kind != ERROR_MISUSE)
			fail_msg("%s", bad[i]);
	/* The error does not repeat the URL, because it has a password. */
	assert_null(strstr(err.text, "u:p"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_connection_serves_all_requests),
		cmocka_unit_test(failed_attributes_are_requested_alone),
		cmocka_unit_test(a_failed_bulk_request_is_repeated_in_parts),
		cmocka_unit_test(reads_survive_a_connection_that_was_closed),
		cmocka_unit_test(calls_are_sent_once),
		cmocka_unit_test(each_fault_is_an_error_in_time),
		cmocka_unit_test(
			notifications_are_pulled_until_the_client_is_unregistered),
		cmocka_unit_test(
			an_agent_that_forgot_the_client_loses_notifications),
		cmocka_unit_test(a_pattern_skips_mbeans_without_notifications),
		cmocka_unit_test(an_agent_without_notifications_is_unavailable),
		cmocka_unit_test(a_redirect_to_another_path_is_followed),
		cmocka_unit_test(
			an_expired_token_is_read_again_and_the_call_repeated),
		cmocka_unit_test(
			a_rejected_token_without_a_newer_one_is_reported_once),
		cmocka_unit_test(an_endless_body_is_cut_at_the_limit),
		cmocka_unit_test(nothing_listens_is_no_target),
		cmocka_unit_test(urls_are_taken_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
