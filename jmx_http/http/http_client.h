/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_client: HTTP requests to one server, by libcurl.
 *
 * libcurl and its 30 libraries are loaded when the first client is made:
 * linking them would double the start-up time of every other command.
 * Redirects are returned, not followed.
 */
#ifndef JMX_HTTP_HTTP_HTTP_CLIENT_H
#define JMX_HTTP_HTTP_HTTP_CLIENT_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/target.h"

#include <stdbool.h>
#include <stdint.h>

#define HTTP_BODY_MAX ((size_t)64 << 20)

/* The parts of a URL "http[s]://host[:port]/path". */
struct http_url {
	char host[256]; /* without the brackets of an IPv6 address */
	uint16_t port;
	bool is_tls;
	const char *path; /* within the URL: "/jolokia", or "" */
};

/*
 * Parses a URL, to which parts->path refers.  Returns 0; or -1 and ERROR_MISUSE
 * for another scheme, an invalid port, and a user or password in the URL, which
 * other users of the machine could read.
 */
int http_url_parse(struct http_url *parts, const char *url, struct error *err);

/*
 * Returns true if http_url_add() can write this host: it is not empty, has less
 * than 256 bytes, and none that would end the host of a URL.
 */
bool http_host_is_valid(const char *host);

/* Appends a URL with the host and port of parts and another path. */
void http_url_add(struct text *out, const struct http_url *parts,
		  const char *path);

/* A response.  Texts are foreign, and "" if absent. */
struct http_response {
	int status;
	struct text body, type, authenticate, server;
	struct text location; /* of a redirect, as a whole URL */
};

void http_response_release(struct http_response *r);

struct http_client;

/*
 * Borrows the target and its texts.  Returns NULL and *err: ERROR_UNAVAILABLE
 * if libcurl is missing, ERROR_MISUSE for an invalid option.  With the target's
 * tls.server_name, https:// requests go to the host of the URL, and their Host
 * header, SNI and the certificate name that server.
 */
struct http_client *http_client_new(const struct jmx_target *target,
				    struct error *err);
void http_client_free(struct http_client *c); /* NULL is fine */

/* Returns true if an option or the environment sets an HTTP proxy. */
bool http_client_uses_proxy(const struct http_client *c);

/*
 * Sends a POST, or a GET if body is NULL, and receives the response.  The
 * connection stays open for the next request.  is_once: do not repeat the
 * request if the connection is lost after it was sent.
 *
 * Returns 0 for any HTTP response, which the caller releases.  Returns -1 and
 * *err if there is none: ERROR_NO_TARGET if nothing listens or the host does
 * not resolve; ERROR_REFUSED, with sys ETIMEDOUT after timeout_ns and EMSGSIZE
 * for a body of more than HTTP_BODY_MAX; ERROR_PERMISSION if the server
 * requires a client certificate.
 */
int http_client_send(struct http_client *c, const char *url,
		     const struct text *body, bool is_once, int64_t timeout_ns,
		     struct http_response *r, struct error *err);

#endif
