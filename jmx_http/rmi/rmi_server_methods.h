/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_server_methods: the methods of RMIConnection.
 *
 * Private to rmi_server: rmi_server.c serves the connection, the sessions and
 * the registry, rmi_server_methods.c the methods that concern MBeans.  A method
 * replaces .out by its reply, which may be an exception.
 */
#ifndef JMX_HTTP_RMI_RMI_SERVER_METHODS_H
#define JMX_HTTP_RMI_RMI_SERVER_METHODS_H

#include "core/base/arena.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/request.h"
#include "jmx_http/rmi/rmi_server.h"

#define BEANS_KEPT 256 /* descriptions of MBeans; the oldest is replaced */

struct bean {
	uint64_t hash; /* of the name; 0: unused */
	char *name;
	int64_t read_ns;
	struct arena arena;
	const struct jmx_info *info;
};

struct rmi_server {
	const struct rmi_server_options *options;
	int fd;
	struct request request;
	struct text out;
	/* The connection to the MBeans, and its login. */
	struct jmx *jmx;
	struct rmi_credentials login;
	struct arena arena; /* of one call */
	struct bean beans[BEANS_KEPT];
	size_t bean_next;
};

typedef void rmi_server_fn(struct rmi_server *s);

/* By enum jmx_method; NULL: rmi_server.c has it, or it is unsupported. */
extern rmi_server_fn *const rmi_server_methods[JMX_METHODS];

/* Forgets the descriptions of the MBeans. */
void rmi_server_forget_beans(struct rmi_server *s);

/* An argument of the call; java_null if the call has fewer. */
static inline const struct java_value *
rmi_server_argument(const struct rmi_server *s, size_t index)
{
	return index < s->request.argument_count ? s->request.arguments[index]
						 : &java_null;
}

#endif
