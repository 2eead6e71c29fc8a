/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_session: a client's connection to the HTTP proxy.
 *
 *	state      waits for                    next
 *	HEAD       a whole head                 CALL, or ENDING after an error
 *	CALL       body and response            HEAD; or ENDING without
 *	                                        keep-alive, or if the agent
 *	                                        is silent for too long
 *	ENDING     the last bytes to be written LINGERING
 *	LINGERING  the client to close          DEAD
 *	DEAD       the loop to free it
 *
 * A client that closes while it sends, or while its response is incomplete,
 * leads to DEAD from any state.
 */
#ifndef JMX_HTTP_PROXY_HTTP_SESSION_H
#define JMX_HTTP_PROXY_HTTP_SESSION_H

#include "jmx_http/http/http_head.h"
#include "jmx_http/proxy/http_agent.h"
#include "jmx_http/proxy/http_front.h"
#include "jmx_http/proxy/jolokia_call.h"

/* An agent has the whole request in memory. */
#define HTTP_REQUEST_MAX ((uint64_t)256 << 20)
#define HTTP_TOO_LARGE   "the request is larger than 256 MiB"

/* An agent and its place in the clients' paths. */
struct http_target {
	struct http_agent agent;
	struct http_agent metrics; /* without a dialer: as agent */
	bool serves_metrics;       /* the agent does */
	char *name, *title, *authority, *host, *path, *authorization;
	jmx_renew_fn *renew_bearer; /* NULL: the login does not change */
	char *bearer_file;
	unsigned login; /* number of renewals */
};

/*
 * Reads the token again.  True if it is another one; false, and *err with a
 * text if it cannot be read.
 */
bool http_target_renew_login(struct http_target *t, struct error *err);

/* Wipes the authorization of a target. */
void http_target_forget_login(struct http_target *t);

/* The fault of a target whose agent rejects its authorization. */
const char *http_target_login_fault(const struct http_target *t);

struct http_check;

struct http_front {
	struct door_front front;
	struct http_target *targets;
	size_t target_count;
	struct http_names hosts, origins, jolokia_targets;
	struct jolokia_rules rules;
	int64_t reply_ns;          /* see http_front_options */
	bool has_warned;           /* of credentials without TLS */
	struct http_check *checks; /* one for each target, or NULL */
	char *title;
};

enum http_state {
	HTTP_STATE_HEAD,
	HTTP_STATE_CALL,
	HTTP_STATE_ENDING,
	HTTP_STATE_LINGERING,
	HTTP_STATE_DEAD,
};

struct http_session {
	struct door_client base;
	struct http_front *front;
	enum http_state state;
	struct evbuffer *in;
	bool client_ended, has_answered;
	bool is_reading; /* EV_READ is enabled */
	size_t scanned;  /* of an incomplete head */
	size_t held;     /* bytes of an incomplete request */

	/* The call. */
	struct http_target *target;
	bool wants_metrics; /* of the target, not the agent's own paths */
	struct jolokia_call call;
	struct http_body request, response;
	struct text head;      /* for the agent, without framing */
	struct evbuffer *body; /* for the agent, without framing */
	struct evbuffer *out;  /* scratch */
	struct evbuffer *copy; /* of the body, if it may be sent again */
	bool has_copy;
	bool is_again;  /* another connection was made for the request */
	unsigned login; /* of the target, when the request was sent */
	bool is_head, is_old /* HTTP/1.0 */, is_persistent, is_chunked;
	bool has_sent_head;       /* to the agent, or it is about to be */
	bool has_response;        /* its head was forwarded */
	bool is_event_stream;     /* the response may pause for any time */
	bool agent_is_persistent; /* after this response */
	uint64_t length;          /* HTTP_LENGTH */
	struct backend *backend;
	size_t response_scanned;
	unsigned status;
	uint64_t request_len, response_len;
	int64_t begin_ns, body_from_ns;
	uint64_t body_len;
};

/* The ops of http_front; see door_front_ops. */
void http_session_begin(struct door_front *f, evutil_socket_t fd,
			const struct sockaddr_storage *peer);
void http_session_drain(struct door_client *c);
void http_session_on_limit(struct door_client *c);
void http_session_free(struct door_client *c);

/*
 * http_forward: decides whether a request may pass, and writes the heads of
 * both directions.
 *
 * Returns true and sets s->target, or false and *fault.  May refuse a request
 * that HTTP permits.
 */
bool http_forward_check(struct http_session *s, const struct http_head *h,
			struct http_fault *fault);

/* Sets s->head from a request that was checked. */
void http_forward_request(struct http_session *s, const struct http_head *h);

/*
 * Appends s->head with the login of the target and the framing of the body. A
 * complete body gets a Content-Length, even if it was chunked.
 */
void http_forward_frame_head(struct http_session *s, struct evbuffer *out);

/* Moves the collected part of the body to out, framed for the agent. */
void http_forward_frame_body(struct http_session *s, struct evbuffer *out);

/*
 * Appends the head of the response for the client: keeps says whether the
 * client's connection stays open, framing how the body will be delimited.
 */
void http_forward_response(const struct http_session *s,
			   const struct http_head *h, bool keeps,
			   struct evbuffer *out);

/* Appends a whole response of our own. */
void http_forward_fault(const struct http_session *s, unsigned status,
			const char *why, bool keeps, struct evbuffer *out);

#endif
