/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/mxprx.h"

#include "cmd/jmx/jmx_target.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/kubectl.h"
#include "jmx_http/rmi/login.h"
#include "jmx_http/rmi/rmi_local.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct dialer *
proxy_target_by_command(const char *host, const struct proxy_target_options *o,
			struct event_base *base, struct error *err)
{
	struct command_dialer_options options = {
		.base = base,
		.command = o->proxy_command,
		.host = host,
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
		return proxy_target_by_command(t->host.bytes, o, base, err);
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
		.context = o->context,
		.kubeconfig = o->kubeconfig,
		.report = o->report,
	};
	struct dialer *d;
	const char *slash;
	char *pod, *port;

	if (kubectl_parse(name, &pod, &port, err)) {
		fail_in(err, "--kubectl");
		return NULL;
	}
	slash = strrchr(pod, '/');
	text_puts(&t->title, name);
	text_puts(&t->host, slash ? slash + 1 : pod);
	options.pod = pod;
	options.port = port;
	d = kubectl_dialer_new(base, &options, &t->port, err);
	free(pod);
	free(port);
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
		     "the stub of the JVM's local JMX connector is invalid");
	else if (stub_of(value, &t->stub, err) == 0)
		ret = t->stub.factory.len ? fail(err, ERROR_REFUSED,
						 "the JVM's local JMX "
						 "connector requires TLS")
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

/* The name of a path: letters that need no escaping in a URL. */
static bool url_name_is_valid(const char *name, size_t len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_";

	return len && len <= 64 && strspn(name, letters) >= len;
}

static int url_parse_authority(struct proxy_url *u, const char *text,
			       size_t len, struct error *err)
{
	struct net_address address;
	char *authority = xstrndup(text, len);
	const char *end = strrchr(authority, ']');
	bool has_port = strchr(end ? end : authority, ':');
	struct text whole = { 0 };
	int ret;

	text_printf(&whole, "%s%s", authority,
		    has_port    ? ""
		    : u->is_tls ? ":443"
				: ":80");
	ret = net_address_parse(&address, whole.bytes, err);
	if (ret == 0) {
		text_puts(&u->authority, authority);
		text_puts(&u->host, address.host);
		u->port = address.port;
	}
	text_release(&whole);
	free(authority);
	return ret;
}

static bool url_path_is_valid(const char *path)
{
	for (; *path; path++)
		if (*path <= ' ' || *path > '~' || strchr("?#\\", *path))
			return false;
	return true;
}

int proxy_url_parse(struct proxy_url *u, const char *text, struct error *err)
{
	const char *url = text, *equals = strchr(text, '=');
	const char *colon = strchr(text, ':'), *end;

	if (equals && colon && equals < colon) {
		if (!url_name_is_valid(text, (size_t)(equals - text)))
			return misuse(err,
				      "-u: invalid name in '%s'; use letters, "
				      "digits, '-' and '_'",
				      text);
		text_add(&u->name, text, (size_t)(equals - text));
		url = equals + 1;
	}
	u->is_tls = strncasecmp(url, "https://", 8) == 0;
	if (!u->is_tls && strncasecmp(url, "http://", 7) != 0)
		return misuse(err,
			      "-u: invalid URL '%s'; use "
			      "http[s]://<host>[:<port>]/<path>",
			      text);
	text_puts(&u->title, url);
	url += u->is_tls ? 8 : 7;
	end = url + strcspn(url, "/?#");
	if (memchr(url, '@', (size_t)(end - url)))
		return misuse(err, "-u: other users could read a password in "
				   "the URL; use --user and --password-file");
	if (!url_path_is_valid(end))
		return misuse(err,
			      "-u: invalid path '%s': a query, a fragment and "
			      "spaces are not supported",
			      end);
	text_puts(&u->path, end);
	if (url_parse_authority(u, url, (size_t)(end - url), err))
		return fail_in(err, "-u");
	return 0;
}

void proxy_url_release(struct proxy_url *u)
{
	text_release(&u->name);
	text_release(&u->title);
	text_release(&u->authority);
	text_release(&u->host);
	text_release(&u->path);
}

struct dialer *proxy_url_dialer(const struct proxy_url *u,
				const struct proxy_target_options *o,
				struct event_base *base, struct error *err)
{
	int64_t deadline_ns = clock_after(clock_monotonic_ns(), o->timeout_ns);
	struct net_address address = { .port = u->port };

	/* The command resolves the name, perhaps on another machine. */
	if (o->proxy_command)
		return proxy_target_by_command(u->host.bytes, o, base, err);
	memcpy(address.host, u->host.bytes, u->host.len + 1);
	if (net_address_resolve(&address, deadline_ns, err))
		return NULL;
	return tcp_dialer_new(base, &address);
}

struct dialer *proxy_url_dialer_in_jvm(const char *name,
				       struct event_base *base,
				       struct error *err)
{
	struct dialer *d;
	struct jvm jvm;

	if (target_open_named(&jvm, name, err))
		return NULL;
	d = local_dialer_new(base, &jvm, LOCAL_LOOPBACK, err);
	jvm_close(&jvm);
	return d;
}
