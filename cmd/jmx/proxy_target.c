/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/proxy_target.h"

#include "cmd/jmx/jmx_target.h"
#include "cmd/target.h"
#include "core/base/clock.h"
#include "jmx_http/net/kubectl.h"
#include "jmx_http/rmi/login.h"
#include "jmx_http/rmi/rmi_local.h"

#include <stdlib.h>
#include <string.h>

static struct dialer *
proxy_target_by_command(const struct proxy_target *t,
			const struct proxy_target_options *o,
			struct event_base *base, struct error *err)
{
	struct command_dialer_options options = {
		.base = base,
		.command = o->proxy_command,
		.host = t->host.bytes,
		.report = o->report,
	};
	struct dialer *d = command_dialer_new(&options, err);

	if (!d)
		fail_in(err, "--proxy-command");
	return d;
}

struct dialer *proxy_target_socket(struct proxy_target *t, const char *name,
				   const struct proxy_target_options *o,
				   struct event_base *base, struct error *err)
{
	int64_t deadline_ns = clock_after(clock_monotonic_ns(), o->timeout_ns);
	struct net_address address;

	if (net_address_parse(&address, name, err))
		return NULL;
	text_puts(&t->title, name);
	text_puts(&t->host, address.host);
	t->port = address.port;
	/* The command resolves the name, perhaps on another machine. */
	if (o->proxy_command)
		return proxy_target_by_command(t, o, base, err);
	if (net_address_resolve(&address, deadline_ns, err))
		return NULL;
	return tcp_dialer_new(base, &address);
}

struct dialer *proxy_target_pod(struct proxy_target *t, const char *name,
				const struct proxy_target_options *o,
				struct event_base *base, struct error *err)
{
	struct kubectl_options options = {
		.namespace = o->namespace,
		.report = o->report,
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

/* Copies the fields of the stub that outlive its stream. */
static int proxy_target_copy_stub(struct proxy_target *t,
				  const struct text *bytes, struct error *err)
{
	struct java_stream stream = { 0 };
	const struct java_value *value;
	size_t used;
	int ret = -1;

	if (java_stream_read(&stream, bytes->bytes, bytes->len, &used,
			     &value) != JAVA_DONE)
		fail(err, ERROR_REFUSED,
		     "the stub of the JVM's local connector is invalid");
	else if (stub_of(value, &t->stub, err) == 0)
		ret = t->stub.factory.len
			      ? fail(err, ERROR_REFUSED,
				     "the JVM's local connector requires TLS")
			      : 0;
	t->stub.class = t->stub.reference = (struct java_bytes){ 0 };
	t->stub.factory = (struct java_bytes){ 0 };
	java_stream_release(&stream);
	t->has_stub = ret == 0;
	t->port = t->stub.port;
	return ret;
}

static int proxy_target_find_stub(struct proxy_target *t, const struct jvm *jvm,
				  int64_t timeout_ns, struct error *err)
{
	struct rmi_local local = { 0 };
	struct rmi_target url = { 0 };
	int ret = rmi_local_find(&local, jvm, jmx_log_starting, timeout_ns,
				 err);

	if (ret == 0)
		ret = rmi_target_parse(&url, local.url.bytes, err);
	if (ret == 0)
		ret = proxy_target_copy_stub(t, &url.stub, err);
	rmi_target_release(&url);
	rmi_local_release(&local);
	return ret;
}

struct dialer *proxy_target_process(struct proxy_target *t, const char *name,
				    const struct proxy_target_options *o,
				    struct event_base *base, struct error *err)
{
	struct dialer *d;
	struct jvm jvm;

	if (target_open_named(&jvm, name, err))
		return NULL;
	text_printf(&t->title, "JVM %d", (int)jvm.pid);
	text_puts(&t->host, "localhost");
	/* Check the connection before starting the connector. */
	d = local_dialer_new(base, &jvm, LOCAL_LOOPBACK, err);
	if (d && proxy_target_find_stub(t, &jvm, o->timeout_ns, err)) {
		dialer_free(d);
		d = NULL;
	}
	jvm_close(&jvm);
	return d;
}

void proxy_target_release(struct proxy_target *t)
{
	text_release(&t->title);
	text_release(&t->host);
	*t = (struct proxy_target){ 0 };
}
