/* SPDX-License-Identifier: Apache-2.0 */
/* Parses, resolves and prints addresses. */
#include "jmx_http/net/address.h"

#include "core/base/child.h"
#include "core/base/units.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>

/* The result of a lookup. */
struct lookup_result {
	int status; /* of getaddrinfo() */
	size_t count;
	struct sockaddr_storage list[NET_ADDRESSES_MAX];
};

static int address_fail_syntax(const char *text, struct error *err)
{
	return fail(err, ERROR_MISUSE,
		    "invalid address '%s'; use <host>:<port> or "
		    "[<IPv6>]:<port>",
		    text);
}

int net_address_parse(struct net_address *a, const char *text,
		      struct error *err)
{
	const char *host = text, *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	uint64_t port;

	if (len > 1 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	} else if (memchr(host, ':', len)) {
		return address_fail_syntax(text, err);
	}
	if (!len || len > NET_HOST_MAX)
		return address_fail_syntax(text, err);
	if (units_count(colon + 1, &port, error_unused()) || !port ||
	    port > UINT16_MAX)
		return fail(err, ERROR_MISUSE,
			    "invalid port in '%s'; valid: 1 to 65535", text);
	*a = (struct net_address){ .port = (uint16_t)port };
	memcpy(a->host, host, len);
	return 0;
}

static void address_look_up(const char *host, uint16_t port, int flags,
			    struct lookup_result *found)
{
	struct addrinfo hints = {
		.ai_flags = flags,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *list = NULL;

	memset(found, 0, sizeof(*found));
	found->status = getaddrinfo(host, NULL, &hints, &list);
	for (struct addrinfo *one = list; !found->status && one;
	     one = one->ai_next) {
		struct sockaddr_storage *at = &found->list[found->count];

		if (one->ai_family != AF_INET && one->ai_family != AF_INET6)
			continue;
		memcpy(at, one->ai_addr, one->ai_addrlen);
		if (one->ai_family == AF_INET)
			((struct sockaddr_in *)at)->sin_port = htons(port);
		else
			((struct sockaddr_in6 *)at)->sin6_port = htons(port);
		if (++found->count == NET_ADDRESSES_MAX)
			break;
	}
	if (list)
		freeaddrinfo(list);
}

/* The child's input; parent and child share the memory of found. */
struct address_lookup {
	const struct net_address *address;
	struct lookup_result *found;
};

static int address_look_up_job(void *self, int channel, struct error *err)
{
	const struct address_lookup *l = self;

	(void)channel;
	(void)err;
	address_look_up(l->address->host, l->address->port, AI_ADDRCONFIG,
			l->found);
	return CHILD_NOTHING;
}

static int address_look_up_in_child(const struct net_address *a,
				    struct lookup_result *found,
				    int64_t deadline_ns, struct error *err)
{
	const struct child_options options = { .dies_with_parent = true };
	struct address_lookup l = {
		.address = a,
		.found = child_memory(sizeof(*l.found)),
	};
	struct child child;
	int fd, ret = -1;

	if (child_start(&child, &options, address_look_up_job, &l, err) == 0) {
		if (child_wait(&child, deadline_ns, &fd, err) == CHILD_DONE)
			ret = 0;
		else
			fail(err, ERROR_REFUSED,
			     "%s: no name server replied in time", a->host);
		child_end(&child, 0);
	}
	*found = *l.found;
	child_memory_free(l.found, sizeof(*l.found));
	return ret;
}

int net_address_resolve(struct net_address *a, int64_t deadline_ns,
			struct error *err)
{
	struct lookup_result found;

	/* A numeric address needs no lookup. */
	address_look_up(a->host, a->port, AI_NUMERICHOST, &found);
	if (!found.count &&
	    address_look_up_in_child(a, &found, deadline_ns, err))
		return -1;
	if (!found.count)
		return fail(err, ERROR_NO_TARGET, "%s: %s", a->host,
			    found.status ? gai_strerror(found.status)
					 : "the host has no address");
	memcpy(a->list, found.list, sizeof(a->list));
	a->count = found.count;
	return 0;
}

int net_address_parse_bind(struct sockaddr_storage *to, const char *text,
			   int64_t deadline_ns, struct error *err)
{
	const char *colon = strrchr(text, ':');
	const char *port = colon ? colon + 1 : text;
	struct net_address address;
	struct text whole = { 0 };
	uint64_t number;
	int ret;

	if (units_count(port, &number, error_unused()) || number > UINT16_MAX)
		return fail(err, ERROR_MISUSE,
			    "invalid address '%s'; use <port> or "
			    "<host>:<port>",
			    text);
	/* net_address_parse() rejects port 0. */
	text_printf(&whole, "%.*s:1", colon ? (int)(colon - text) : 9,
		    colon ? text : "127.0.0.1");
	ret = net_address_parse(&address, whole.bytes, err);
	text_release(&whole);
	if (ret || net_address_resolve(&address, deadline_ns, err))
		return -1;
	*to = address.list[0];
	/* The port is at the same place in a sockaddr_in6. */
	((struct sockaddr_in *)to)->sin_port = htons((uint16_t)number);
	return 0;
}

void net_address_add(struct text *out, const struct sockaddr_storage *one)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)one;
	const struct sockaddr_in *four = (const struct sockaddr_in *)one;
	char host[INET6_ADDRSTRLEN] = "?";

	if (one->ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
		text_printf(out, "[%s]:%d", host, ntohs(six->sin6_port));
	} else {
		inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
		text_printf(out, "%s:%d", host, ntohs(four->sin_port));
	}
}

bool net_address_is_any(const struct sockaddr_storage *a)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
	const struct sockaddr_in *four = (const struct sockaddr_in *)a;

	if (a->ss_family == AF_INET6)
		return IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
	return four->sin_addr.s_addr == htonl(INADDR_ANY);
}
