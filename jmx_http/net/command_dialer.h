/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_dialer: a command for each connection, which is its stdin and stdout.
 *
 * `ssh -W {host}:{port} bastion`, `kubectl exec -i POD -- socat - TCP:…`: what
 * can talk to the JVM where nothing can be forwarded ahead of time.
 */
#ifndef JMX_HTTP_NET_COMMAND_DIALER_H
#define JMX_HTTP_NET_COMMAND_DIALER_H

#include "jmx_http/net/command_line.h"
#include "jmx_http/net/dialer.h"

#define COMMAND_DIALER_MAX 64 /* commands that run at a time */

struct command_dialer_options {
	struct event_base *base;
	const char *command;                       /* see command_line.h */
	const char *host;                          /* what {host} is */
	void (*say)(void *self, const char *line); /* a command that failed */
	void *self;
};

/*
 * NULL and *err: as command_line_parse(), command_line_find() and
 * command_line_words().
 */
struct dialer *command_dialer_new(const struct command_dialer_options *options,
				  struct error *err);

#endif
