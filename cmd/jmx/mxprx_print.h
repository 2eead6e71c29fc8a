/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mxprx_print: output of mxprx: how to connect, and the log of calls.
 */
#ifndef CMD_JMX_MXPRX_PRINT_H
#define CMD_JMX_MXPRX_PRINT_H

#include "core/base/error.h"
#include "jmx_http/proxy/call_log.h"
#include "jmx_http/proxy/upstream.h"

#include <stdint.h>
#include <sys/socket.h>

/*
 * Prints what to type into JMX clients to reach the JVM of that title.  host is
 * the name of this machine for clients; NULL: the address of bound.
 */
int mxprx_print_usage(const char *title, const struct sockaddr_storage *bound,
		      uint16_t port, const char *host, struct error *err);

/* Prints the options that let a Java program reach a JVM by SOCKS. */
int mxprx_print_socks_usage(const struct upstream_options *jvm,
			    const struct sockaddr_storage *bound,
			    const char *host, struct error *err);

/* Prints a line of tab-separated fields for a call; for door_options.call. */
void mxprx_print_call(void *self, const struct proxy_call *call);

#endif
