/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy_print: what mxprx prints on standard output: how clients connect, and
 * the log of calls.
 *
 * The functions that return int return 0, or -1 and *err if standard output
 * cannot be written.
 */
#ifndef CMD_JMX_PROXY_PRINT_H
#define CMD_JMX_PROXY_PRINT_H

#include "core/base/error.h"
#include "jmx_http/proxy/door.h"
#include "jmx_http/proxy/http_front.h"
#include "jmx_http/proxy/upstream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* A port of the proxy, as clients see it. */
struct proxy_place {
	const struct sockaddr_storage *bound; /* its port is not used */
	uint16_t port;
	const char *host; /* name of this machine for clients; NULL = bound */
};

/* Prints the commands by which JMX clients reach the JVM with this title. */
int proxy_print_usage(const char *title, const struct proxy_place *place,
		      struct error *err);

/* Prints the options that let a Java program reach a JVM by SOCKS. */
int proxy_print_socks_usage(const struct upstream_options *jvm,
			    const struct proxy_place *place, struct error *err);

/* Prints the agents' URLs for clients. */
int proxy_print_agents(const struct http_target_options *agents, size_t count,
		       const struct proxy_place *place, bool is_https,
		       struct error *err);

/*
 * Prints one line of tab-separated fields; for door_options.call. A line is
 * lost, and counted, if standard output is full: clients never wait for it.
 */
void proxy_print_call(void *self, const struct proxy_call *call);

#endif
