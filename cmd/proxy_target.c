/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/proxy_target.h"

#include "cmd/command.h"
#include "core/base/clock.h"
#include "jmx_http/proxy/command_dialer.h"
#include "jmx_http/proxy/kubectl_dialer.h"

#include <stdlib.h>
#include <string.h>

static struct dialer *by_command(const struct proxy_target *t,
				 const struct proxy_target_options *o,
				 struct event_base *base, struct error *err)
{
	struct command_dialer_options options = {
		.base = base,
		.command = o->via,
		.host = t->host.bytes,
		.say = o->say,
	};
	struct dialer *d = command_dialer_new(&options, err);

	if (!d)
		fail_in(err, "--via");
	return d;
}

struct dialer *proxy_target_socket(struct proxy_target *t, const char *name,
				   const struct proxy_target_options *o,
				   struct event_base *base, struct error *err)
{
	int64_t deadline_ns = clock_after(clock_monotonic_ns(), o->timeout_ns);
	struct rmi_address address;

	if (rmi_address_parse(&address, name, err))
		return NULL;
	text_puts(&t->title, name);
	text_puts(&t->host, address.host);
	t->port = address.port;
	/* Where the command runs, the name may be another's, or known at all.
	 */
	if (o->via)
		return by_command(t, o, base, err);
	if (rmi_address_resolve(&address, deadline_ns, err))
		return NULL;
	return tcp_dialer_new(base, &address);
}

struct dialer *proxy_target_pod(struct proxy_target *t, const char *name,
				const struct proxy_target_options *o,
				struct event_base *base, struct error *err)
{
	struct kubectl_options options = {
		.namespace = o->namespace,
		.say = o->say,
	};
	struct dialer *d;
	const char *slash;
	char *pod;

	if (kubectl_parse(name, &pod, &t->port, err)) {
		fail_in(err, "--kubectl");
		return NULL;
	}
	slash = strrchr(pod, '/');
	text_puts(&t->title, name);
	text_puts(&t->host, slash ? slash + 1 : pod);
	options.pod = pod;
	d = kubectl_dialer_new(base, &options, t->port, err);
	free(pod);
	return d;
}

void proxy_target_release(struct proxy_target *t)
{
	text_release(&t->title);
	text_release(&t->host);
	*t = (struct proxy_target){ 0 };
}
