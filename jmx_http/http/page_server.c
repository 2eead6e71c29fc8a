/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/http/page_server.h"

#include "core/base/alloc.h"
#include "jmx_http/http/http_head.h"
#include "jmx_http/net/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096, BACKLOG = 16, READS = 16 };
/* A connection that is younger is not replaced. */
#define PAGE_KEPT_NS (1 * CLOCK_NS_PER_S)

/*
 *	head ──► reply ──► end: the client closes
 */
struct page_client {
	int fd; /* -1 = none */
	int64_t since_ns;
	bool is_refused;
	char head[HEAD_BYTES];
	size_t len, scanned; /* of head */
	struct text reply;   /* empty: the head is incomplete */
	size_t sent;
};

struct page_server {
	struct page_server_options options;
	int listener;
	bool has_refused;
	struct page_client clients[PAGE_CLIENTS];
};

static void client_close(struct page_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	text_release(&c->reply);
	c->fd = -1;
}

static const char *client_reason(unsigned status)
{
	switch (status) {
	case 200:
		return "OK";
	case 400:
		return "Bad Request";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 503:
		return "Service Unavailable";
	default:
		return "Error";
	}
}

/* Starts the response; without its body for the method HEAD. */
static void client_reply(struct page_client *c, const struct page *page,
			 bool is_head)
{
	text_printf(&c->reply,
		    "HTTP/1.1 %u %s\r\n"
		    "Content-Type: %s\r\n"
		    "Content-Length: %zu\r\n"
		    "%s"
		    "Connection: close\r\n\r\n",
		    page->status, client_reason(page->status),
		    page->type ? page->type : "text/plain; charset=utf-8",
		    page->body.len,
		    page->status == 405 ? "Allow: GET, HEAD\r\n" : "");
	if (!is_head)
		text_add(&c->reply, page->body.bytes, page->body.len);
}

static void client_answer(struct page_server *s, struct page_client *c,
			  const struct http_head *head)
{
	bool is_head = http_text_is(head->method, "HEAD");
	struct page page = { .status = 404 };
	struct text path = { 0 };
	const char *query = memchr(head->target.text, '?', head->target.len);

	text_puts(&path, "");
	text_add(&path, head->target.text,
		 query ? (size_t)(query - head->target.text)
		       : head->target.len);
	if (c->is_refused) {
		page.status = 403;
		text_puts(&page.body, "the network of this address is not "
				      "allowed; use --allow\n");
	} else if (!http_host_is_allowed(head->host, s->options.hosts,
					 s->options.host_count)) {
		page.status = 403;
		text_puts(&page.body, "the Host header is not allowed; use "
				      "--allow-host\n");
	} else if (is_head || http_text_is(head->method, "GET")) {
		s->options.answer(s->options.self, path.bytes, &page);
	} else {
		page.status = 405;
	}
	if (!page.body.len)
		text_printf(&page.body, "%s\n", client_reason(page.status));
	client_reply(c, &page, is_head);
	text_release(&page.body);
	text_release(&path);
}

static void client_reject(struct page_client *c, const struct http_fault *fault)
{
	struct page page = { .status = fault->status ? fault->status : 400 };

	text_printf(&page.body, "%s\n", fault->why ? fault->why : "invalid");
	client_reply(c, &page, false);
	text_release(&page.body);
}

/* Reads the head. Returns false if the client has gone. */
static bool client_read(struct page_server *s, struct page_client *c)
{
	struct http_fault fault = { 431, "the request is too long" };
	struct http_head head;
	size_t len = 0;
	ssize_t got = recv(c->fd, c->head + c->len, sizeof(c->head) - c->len,
			   0);

	if (got <= 0)
		return got < 0 && (errno == EAGAIN || errno == EINTR);
	c->len += (size_t)got;
	switch (http_head_find(c->head, c->len, &c->scanned, &len, &fault)) {
	case HTTP_MORE:
		if (c->len == sizeof(c->head))
			client_reject(c, &fault);
		break;
	case HTTP_DONE:
		if (http_request_parse(&head, c->head, len, &fault))
			client_answer(s, c, &head);
		else
			client_reject(c, &fault);
		break;
	case HTTP_INVALID:
		client_reject(c, &fault);
		break;
	}
	return true;
}

/* Writes the reply. Returns false if the client has gone. */
static bool client_write(struct page_client *c)
{
	ssize_t put = send(c->fd, c->reply.bytes + c->sent,
			   c->reply.len - c->sent, MSG_NOSIGNAL);

	if (put < 0)
		return errno == EAGAIN || errno == EINTR;
	c->sent += (size_t)put;
	if (c->sent == c->reply.len)
		shutdown(c->fd, SHUT_WR);
	return true;
}

/*
 * Closing a socket that has unread bytes resets the connection, and the client
 * may lose the response. Returns false when the client has closed it.
 */
static bool client_await_end(struct page_client *c)
{
	for (int i = 0; i < READS; i++) {
		ssize_t got = recv(c->fd, c->head, sizeof(c->head), 0);

		if (got <= 0)
			return got < 0 && (errno == EAGAIN || errno == EINTR);
	}
	return true;
}

static void client_step(struct page_server *s, struct page_client *c)
{
	bool goes_on = clock_monotonic_ns() - c->since_ns < PAGE_NS;

	if (goes_on && !c->reply.len)
		goes_on = client_read(s, c);
	if (goes_on && c->sent < c->reply.len)
		goes_on = client_write(c);
	if (goes_on && c->reply.len && c->sent == c->reply.len)
		goes_on = client_await_end(c);
	if (!goes_on)
		client_close(c);
}

/* A free place, or that of the oldest connection; NULL = none. */
static struct page_client *server_find_place(struct page_server *s)
{
	struct page_client *oldest = &s->clients[0];

	for (size_t i = 0; i < PAGE_CLIENTS; i++) {
		if (s->clients[i].fd < 0)
			return &s->clients[i];
		if (s->clients[i].since_ns < oldest->since_ns)
			oldest = &s->clients[i];
	}
	return clock_monotonic_ns() - oldest->since_ns >= PAGE_KEPT_NS ? oldest
								       : NULL;
}

static bool server_allows(const struct page_server *s,
			  const struct sockaddr_storage *peer)
{
	const struct page_server_options *o = &s->options;

	if (cidr_is_loopback(peer))
		return true;
	for (size_t i = 0; i < o->allowed_count; i++)
		if (cidr_has(&o->allowed[i], peer))
			return true;
	return false;
}

static void server_accept(struct page_server *s)
{
	for (int i = 0; i < BACKLOG; i++) {
		struct page_client *c = server_find_place(s);
		struct sockaddr_storage peer = { 0 };
		socklen_t len = sizeof(peer);
		bool is_refused;
		int fd = c ? accept4(s->listener, (struct sockaddr *)&peer,
				     &len, SOCK_NONBLOCK | SOCK_CLOEXEC)
			   : -1;

		if (fd < 0)
			return;
		is_refused = !server_allows(s, &peer);
		if (is_refused && !s->has_refused && s->options.refused)
			s->options.refused(s->options.self, &peer);
		s->has_refused |= is_refused;
		if (is_refused && c->fd >= 0) {
			close(fd);
			continue;
		}
		client_close(c);
		*c = (struct page_client){ .fd = fd,
					   .is_refused = is_refused,
					   .since_ns = clock_monotonic_ns() };
		client_step(s, c);
	}
}

size_t page_server_polls(const struct page_server *s,
			 struct pollfd fds[PAGE_FDS])
{
	size_t count = 0;

	for (size_t i = 0; i < PAGE_CLIENTS; i++) {
		const struct page_client *c = &s->clients[i];
		bool writes = c->sent < c->reply.len;

		if (c->fd >= 0)
			fds[count++] = (struct pollfd){
				.fd = c->fd,
				.events = writes ? POLLOUT : POLLIN,
			};
	}
	/* Without a free place, a client would wake the caller in vain. */
	if (count < PAGE_CLIENTS)
		fds[count++] = (struct pollfd){ .fd = s->listener,
						.events = POLLIN };
	return count;
}

void page_server_step(struct page_server *s)
{
	for (size_t i = 0; i < PAGE_CLIENTS; i++)
		if (s->clients[i].fd >= 0)
			client_step(s, &s->clients[i]);
	server_accept(s);
}

void page_server_add_address(const struct page_server *s, struct text *out)
{
	struct sockaddr_storage local = { 0 };
	socklen_t len = sizeof(local);

	if (getsockname(s->listener, (struct sockaddr *)&local, &len) == 0)
		net_address_add(out, &local);
}

static int server_listen(const struct sockaddr_storage *bind_to,
			 struct error *err)
{
	socklen_t len = bind_to->ss_family == AF_INET6
				? sizeof(struct sockaddr_in6)
				: sizeof(struct sockaddr_in);
	struct text name = { 0 };
	int yes = 1;
	int fd = socket(bind_to->ss_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
	    bind(fd, (const struct sockaddr *)bind_to, len) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	net_address_add(&name, bind_to);
	fail_sys(err, ERROR_REFUSED, "cannot listen on %s", name.bytes);
	text_release(&name);
	if (fd >= 0)
		close(fd);
	return -1;
}

struct page_server *page_server_open(const struct sockaddr_storage *bind_to,
				     const struct page_server_options *o,
				     struct error *err)
{
	struct page_server *s;
	int fd = server_listen(bind_to, err);

	if (fd < 0)
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->options = *o;
	s->listener = fd;
	for (size_t i = 0; i < PAGE_CLIENTS; i++)
		s->clients[i].fd = -1;
	return s;
}

void page_server_close(struct page_server *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < PAGE_CLIENTS; i++)
		client_close(&s->clients[i]);
	close(s->listener);
	free(s);
}
