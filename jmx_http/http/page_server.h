/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_server: serves a few pages, such as metrics, over HTTP/1.1 beside the
 * caller's other work.
 *
 * page_server_step() never waits. There are at most PAGE_CLIENTS connections,
 * one request each, for at most PAGE_NS; further clients wait in the kernel's
 * queue. If all connections are taken, a new one replaces the oldest.
 */
#ifndef JMX_HTTP_HTTP_PAGE_SERVER_H
#define JMX_HTTP_HTTP_PAGE_SERVER_H

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/net/cidr.h"

#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>

enum { PAGE_CLIENTS = 8 };
#define PAGE_NS (5 * CLOCK_NS_PER_S)

/* A response; the server releases the body. */
struct page {
	unsigned status;  /* 404 unless it is set */
	const char *type; /* Content-Type; NULL: text/plain; static */
	struct text body;
};

struct page_server_options {
	/* Networks that may connect, beside loopback; borrowed. */
	const struct cidr *allowed;
	size_t allowed_count;
	/* Host names that requests may have, see http_host_is_allowed(). */
	const char *const *hosts;
	size_t host_count;
	/* Makes the page of a path, which comes from the client. */
	void (*answer)(void *self, const char *path, struct page *page);
	/*
	 * Called once, for the first client of another network. Such clients
	 * get the status 403, as long as there is space for others.
	 */
	void (*refused)(void *self, const struct sockaddr_storage *peer);
	void *self;
};

struct page_server;

/*
 * Listens on the address. Returns NULL and ERROR_REFUSED if it is in use or not
 * permitted.
 */
struct page_server *page_server_open(const struct sockaddr_storage *bind,
				     const struct page_server_options *o,
				     struct error *err);
void page_server_close(struct page_server *s); /* NULL is fine */

/* Appends the address, with the port that the kernel chose. */
void page_server_add_address(const struct page_server *s, struct text *out);

/*
 * Sets the descriptors to poll until the next page_server_step(); returns their
 * number.
 */
enum { PAGE_FDS = PAGE_CLIENTS + 1 };
size_t page_server_polls(const struct page_server *s,
			 struct pollfd fds[PAGE_FDS]);

/* Accepts clients, reads requests and writes responses, as far as possible. */
void page_server_step(struct page_server *s);

#endif
