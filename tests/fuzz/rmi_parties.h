/* SPDX-License-Identifier: Apache-2.0 */
/* The RMI front of the proxy between the parties. */
#ifndef TESTS_FUZZ_RMI_PARTIES_H
#define TESTS_FUZZ_RMI_PARTIES_H

#include "jmx_http/proxy/session.h"
#include "tests/fuzz/proxy_parties.h"

#define ENDPOINT_DISCOVERY_HOST "proxy.example"
#define ENDPOINT_DISCOVERY_PORT 7777
#define GREETING                "N\0\1a\0\0\0\1"

static void rmi_parties_open(void)
{
	struct sockaddr_storage here = fuzz_loopback();
	const struct rmi_front_options jvm = {
		.jvm = { .title = "jvm",
			 .host = "jvm",
			 .dialer = &fuzz_dialer,
			 .port = JVM_PORT },
		.bind = &here,
		.advertise_host = ENDPOINT_DISCOVERY_HOST,
		.advertise_port = ENDPOINT_DISCOVERY_PORT,
	};
	struct error err;

	if (parties.door)
		return;
	parties_open();
	if (rmi_front_add(parties.door, &jvm, &err) < 0)
		abort();
}

/* Accepts a client in a proxy that has not yet contacted the JVM. */
static void rmi_parties_begin(bool read_only)
{
	struct upstream *pair;

	rmi_parties_open();
	parties.door->options.read_only = read_only;
	pair = &((struct rmi_front *)parties.door->fronts)->jvm;
	pair->has_server = false;
	pair->route_count = pair->next_route = 0;
	pair->registry.tls = ENDPOINT_LOOK;
	parties_connect();
}

#endif
