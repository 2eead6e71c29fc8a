/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the protocol by the address, and connects. */
#include "core/base/clock.h"
#include "jmx_http/jolokia/jolokia_client.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/rmi_client.h"
#include "jmx_http/rmi/rmi_local.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool jmx_is_http(const char *address)
{
	return strncasecmp(address, "http://", strlen("http://")) == 0 ||
	       strncasecmp(address, "https://", strlen("https://")) == 0;
}

/*
 * The JVM loads hundreds of classes when it starts its agent.  That takes a
 * second of CPU time, and longer than a reply on a busy machine.  A shorter
 * timeout than the default is the user's.
 */
static int64_t local_find_timeout(int64_t timeout_ns)
{
	const int64_t start_ns = 30 * CLOCK_NS_PER_S;

	return timeout_ns >= JMX_TIMEOUT_NS && timeout_ns < start_ns
		       ? start_ns
		       : timeout_ns;
}

/*
 * Connects to the local JMX connector, which requires no password: only users
 * who may attach to the JVM find its address.
 */
static struct jmx *jmx_open_local(const struct jmx_target *target,
				  struct error *err)
{
	const struct jvm *jvm = target->jvm;
	struct jmx_target local = *target;
	struct rmi_local found = { 0 };
	struct dialer *dialer = NULL;
	struct jmx *jmx = NULL;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)jvm->pid);
	if (!local.timeout_ns)
		local.timeout_ns = JMX_TIMEOUT_NS;
	if (rmi_local_find(&found, jvm, target->starting_agent,
			   local_find_timeout(local.timeout_ns), err) == 0)
		dialer = local_dialer_new(NULL, jvm, LOCAL_LOOPBACK, err);
	if (dialer) {
		local.address = found.url.bytes;
		local.title = pid;
		local.dialer = dialer;
		jmx = rmi_client_open(&local, err);
	}
	if (jmx)
		jmx->dialer = dialer;
	else
		dialer_free(dialer);
	rmi_local_release(&found);
	return jmx;
}

struct jmx *jmx_open(const struct jmx_target *target, struct error *err)
{
	if (!target->address)
		return jmx_open_local(target, err);
	if (jmx_is_http(target->address))
		return jolokia_client_open(target, err);
	return rmi_client_open(target, err);
}
