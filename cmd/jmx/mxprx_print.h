/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mxprx_print: what mxprx says on stdout: how to connect, and calls.
 */
#ifndef CMD_JMX_MXPRX_PRINT_H
#define CMD_JMX_MXPRX_PRINT_H

#include "core/base/error.h"
#include "jmx_http/proxy/call_log.h"
#include "jmx_http/proxy/upstream.h"

#include <stdint.h>
#include <sys/socket.h>

/*
 * What to type into clients for the JVM of that title, which is at a port of
 * the address; host is who they know it as, or NULL.
 */
int mxprx_print_usage(const char *title, const struct sockaddr_storage *bound,
		      uint16_t port, const char *host, struct error *err);

/*
 * How a Java program is to be started so that it comes by SOCKS, which is
 * listened for there, to a JVM.
 */
int mxprx_print_socks_usage(const struct upstream_options *jvm,
			    const struct sockaddr_storage *bound,
			    const char *host, struct error *err);

/* A line for each call, its fields parted by tabs; for door_options.call. */
void mxprx_print_call(void *self, const struct proxy_call *call);

#endif
