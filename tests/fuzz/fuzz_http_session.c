/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session of the HTTP proxy.  The first byte of the input is a set of flags;
 * then each control byte starts a piece: bytes of the client, bytes of the
 * agent, or the end of a connection.
 *
 * Whatever the parties send, each agent receives well-formed requests for its
 * path that the policy allows, one at a time, and the client receives
 * well-formed responses.
 */
#include "jmx_http/proxy/http_session.h"
#include "tests/fuzz/proxy_parties.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AGENT_HOST "agent:9010"
#define AGENT_PATH "/agent"

/* Bits of the first byte. */
enum { FLAG_READ_ONLY = 1, FLAG_RENEWS = 2, FLAG_LOGIN = 4, FLAG_BYTES = 8 };

/* The bytes that start a piece. */
enum {
	PIECE_CLIENT = 1,
	PIECE_AGENT,
	PIECE_CLIENT_ENDS,
	PIECE_AGENT_ENDS,
	PIECES,
};

static struct http_front *session_front;
static unsigned tokens;

static int fuzz_renew(const char *file, struct text *token, struct error *err)
{
	(void)file;
	(void)err;
	text_printf(token, "token-%u", tokens++);
	return 0;
}

static void session_open(void)
{
	static const char *const targets[] = { "db:9010" };
	struct sockaddr_storage here = fuzz_loopback();
	const struct http_target_options agent = {
		.title = "agent",
		.authority = AGENT_HOST,
		.host = "agent",
		.path = AGENT_PATH,
		.port = JVM_PORT,
		.dialer = &fuzz_dialer,
		.authorization = "Bearer token",
		.renew_bearer = fuzz_renew,
		.bearer_file = "file",
	};
	const struct http_front_options options = {
		.bind = &here,
		.targets = &agent,
		.target_count = 1,
		.jolokia_targets = { targets, 1 },
		.reply_ns = 1000000000,
	};
	struct error err;

	parties_open();
	if (http_front_add(parties.door, &options, &err) < 0)
		abort();
	session_front = (struct http_front *)parties.door->fronts;
}

static void session_begin(unsigned flags)
{
	static char login[] = "Bearer token";
	struct http_target *t;

	if (!parties.door)
		session_open();
	t = session_front->targets;
	session_front->rules.read_only = flags & FLAG_READ_ONLY;
	t->renew_bearer = flags & FLAG_RENEWS ? fuzz_renew : NULL;
	free(t->authorization);
	t->authorization = flags & (FLAG_LOGIN | FLAG_RENEWS) ? strdup(login)
							      : NULL;
	parties_connect();
}

static void session_go_on(void)
{
	size_t before;
	int rounds = 0;

	do {
		before = parties.client_heard.len + parties.jvm_count;
		for (size_t i = 0; i < parties.jvm_count; i++)
			before += parties.jvms[i].heard.len;
		for (int i = 0; i < 4; i++)
			parties_step();
		for (size_t i = 0; i < parties.jvm_count; i++)
			before -= parties.jvms[i].heard.len;
	} while (parties.client_heard.len + parties.jvm_count > before &&
		 ++rounds < ROUNDS_MAX);
}

/* The agent that was asked last, or NULL. */
static struct jvm_end *session_agent(void)
{
	return parties.jvm_count ? &parties.jvms[parties.jvm_count - 1] : NULL;
}

static void session_piece(int kind, const uint8_t *bytes, size_t len, bool each)
{
	struct jvm_end *agent = session_agent();
	int fd = kind == PIECE_CLIENT || kind == PIECE_CLIENT_ENDS
			 ? parties.client
		 : agent ? agent->fd
			 : -1;
	size_t step = each ? len / 64 + 1 : len;

	if (fd < 0)
		return;
	if (kind == PIECE_CLIENT_ENDS || kind == PIECE_AGENT_ENDS)
		shutdown(fd, SHUT_WR);
	else
		for (size_t at = 0; at < len; at += step) {
			fuzz_send(fd, bytes + at,
				  len - at < step ? len - at : step);
			if (each)
				session_go_on();
		}
	session_go_on();
}

/* Returns the length of a body; SIZE_MAX: incomplete. */
static size_t body_check(const struct http_head *h, const char *bytes,
			 size_t len, struct text *data)
{
	struct http_body b = http_body_of(h);
	struct http_fault fault;
	size_t at = 0, used;
	struct line piece;

	while (!b.is_done && at < len) {
		if (http_body_read(&b, bytes + at, len - at, &used, &piece,
				   &fault) == HTTP_INVALID)
			abort();
		text_add(data, piece.text, piece.len);
		at += used;
	}
	return b.is_done ? at : SIZE_MAX;
}

static void request_check_policy(const struct http_head *h,
				 const struct text *body)
{
	struct jolokia_call call = { 0 };
	struct line rest = h->target;

	rest.text += strlen(AGENT_PATH);
	rest.len -= strlen(AGENT_PATH);
	jolokia_call_begin(&call, &session_front->rules);
	if (!line_is(h->method, "POST")) {
		if (jolokia_call_of_path(&call, rest) != JOLOKIA_PASSES)
			abort();
		return;
	}
	jolokia_call_read(&call, body->bytes, body->len);
	if (jolokia_call_end(&call) != JOLOKIA_PASSES)
		abort();
}

/* Returns the length of a request; 0: incomplete. */
static size_t request_check(const char *bytes, size_t len)
{
	struct http_fault fault;
	struct text data = { 0 };
	struct http_head h;
	size_t scanned = 0, head, body;

	if (http_head_find(bytes, len, &scanned, &head, &fault) != HTTP_DONE)
		return 0;
	if (!http_request_parse(&h, bytes, head, &fault) ||
	    !line_is(h.host, AGENT_HOST) || h.target.len < strlen(AGENT_PATH) ||
	    memcmp(h.target.text, AGENT_PATH, strlen(AGENT_PATH)) != 0 ||
	    jolokia_path_escapes(h.target))
		abort();
	body = body_check(&h, bytes + head, len - head, &data);
	if (body != SIZE_MAX)
		request_check_policy(&h, &data);
	text_release(&data);
	return body == SIZE_MAX ? 0 : head + body;
}

static void agent_check(const struct jvm_end *agent)
{
	size_t at = 0, len;

	while (at < agent->heard.len) {
		len = request_check(agent->heard.bytes + at,
				    agent->heard.len - at);
		if (!len)
			break;
		at += len;
	}
}

/* Without HEAD requests, whose responses have no body. */
static void client_check(void)
{
	const char *bytes = parties.client_heard.bytes;
	size_t at = 0, all = parties.client_heard.len;

	while (at < all) {
		struct http_fault fault;
		struct text data = { 0 };
		struct http_head h;
		size_t scanned = 0, head, body;

		if (http_head_find(bytes + at, all - at, &scanned, &head,
				   &fault) != HTTP_DONE)
			break;
		if (!http_response_parse(&h, bytes + at, head, false, &fault))
			abort();
		if (h.status >= 200 &&
		    !http_header_find(&h, "Content-Security-Policy"))
			abort();
		body = body_check(&h, bytes + at + head, all - at - head,
				  &data);
		text_release(&data);
		if (body == SIZE_MAX)
			break;
		at += head + body;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = 1, end;

	if (!size)
		return 0;
	session_begin(data[0]);
	while (at < size) {
		int kind = data[at] < PIECES ? data[at] : PIECE_CLIENT;

		at += data[at] && data[at] < PIECES;
		for (end = at;
		     end < size && (!data[end] || data[end] >= PIECES); end++)
			;
		session_piece(kind, data + at, end - at, data[0] & FLAG_BYTES);
		at = end;
	}
	for (size_t i = 0; i < parties.jvm_count; i++)
		agent_check(&parties.jvms[i]);
	if (!memmem(data, size, "HEAD", 4))
		client_check();
	parties_end();
	http_agent_release(&session_front->targets->agent);
	return 0;
}
