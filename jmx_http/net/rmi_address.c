/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/rmi_address.h"

#include "core/base/clock.h"
#include "core/base/units.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child has to say: of one size, so that half of it is nothing. */
struct looked_up {
	int status; /* of getaddrinfo() */
	size_t count;
	struct sockaddr_storage list[RMI_ADDRESSES_MAX];
};

static int not_an_address(const char *text, struct error *err)
{
	return fail(err, ERROR_MISUSE,
		    "invalid address '%s'; use <host>:<port> or "
		    "[<IPv6>]:<port>",
		    text);
}

int rmi_address_parse(struct rmi_address *a, const char *text,
		      struct error *err)
{
	const char *host = text, *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	struct error unused;
	uint64_t port;

	if (len > 1 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	} else if (memchr(host, ':', len)) {
		return not_an_address(text, err);
	}
	if (!len || len > RMI_HOST_MAX ||
	    units_count(colon + 1, &port, &unused) || !port ||
	    port > UINT16_MAX)
		return not_an_address(text, err);
	*a = (struct rmi_address){ .port = (uint16_t)port };
	memcpy(a->host, host, len);
	return 0;
}

static void look_up(const char *host, uint16_t port, int flags,
		    struct looked_up *found)
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
		if (++found->count == RMI_ADDRESSES_MAX)
			break;
	}
	if (list)
		freeaddrinfo(list);
}

static _Noreturn void look_up_for(pid_t parent, const struct rmi_address *a,
				  int pipe)
{
	struct looked_up found;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may have gone before that. */
	if (getppid() == parent) {
		look_up(a->host, a->port, AI_ADDRCONFIG, &found);
		while (write(pipe, &found, sizeof(found)) < 0 && errno == EINTR)
			;
	}
	/* The parent's buffers and handlers at exit are not ours to run. */
	quick_exit(0);
}

/* True when all of it came by the deadline. */
static bool read_found(int fd, struct looked_up *found, int64_t deadline_ns)
{
	size_t len = 0;

	while (len < sizeof(*found)) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		ssize_t got;

		if (poll(&ready, 1, clock_left_ms(deadline_ns)) == 0)
			return false;
		got = read(fd, (char *)found + len, sizeof(*found) - len);
		if (got == 0)
			return false;
		if (got > 0)
			len += (size_t)got;
		else if (errno != EINTR && errno != EAGAIN)
			return false;
	}
	return found->count <= RMI_ADDRESSES_MAX;
}

static int ask_child(const struct rmi_address *a, struct looked_up *found,
		     int64_t deadline_ns, struct error *err)
{
	pid_t child, parent = getpid();
	int fds[2];
	bool done;

	if (pipe2(fds, O_CLOEXEC))
		return fail_sys(err, ERROR_FAILED, "cannot create a pipe");
	child = fork();
	if (child == 0)
		look_up_for(parent, a, fds[1]);
	close(fds[1]);
	done = child > 0 && read_found(fds[0], found, deadline_ns);
	close(fds[0]);
	if (child < 0)
		return fail_sys(err, ERROR_FAILED, "cannot start a process");
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (!done)
		return fail(err, ERROR_REFUSED,
			    "%s: no name server replied in time", a->host);
	return 0;
}

int rmi_address_resolve(struct rmi_address *a, int64_t deadline_ns,
			struct error *err)
{
	struct looked_up found;

	/* What is an address needs nobody to look it up. */
	look_up(a->host, a->port, AI_NUMERICHOST, &found);
	if (!found.count && ask_child(a, &found, deadline_ns, err))
		return -1;
	if (!found.count)
		return fail(err, ERROR_NO_TARGET, "%s: %s", a->host,
			    found.status ? gai_strerror(found.status)
					 : "the host has no address");
	memcpy(a->list, found.list, sizeof(a->list));
	a->count = found.count;
	return 0;
}

void rmi_address_add(struct text *out, const struct sockaddr_storage *one)
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
