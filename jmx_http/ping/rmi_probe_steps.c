/* SPDX-License-Identifier: Apache-2.0 */
/* Steps to the registry, and what it holds; or what a URL holds in its place.
 */
#include "jmx_http/java/java_writer.h"
#include "jmx_http/ping/rmi_probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static bool has_registry(const struct rmi_probe *p)
{
	return !p->target.stub.len;
}

int rmi_step_dns(struct rmi_probe *p, struct text *detail, struct error *err)
{
	struct rmi_address *to = &p->target.address;

	/* A dialer of the caller's knows names of its own. */
	if (!has_registry(p) || p->options->dialer)
		return STEP_SKIPPED;
	if (rmi_address_resolve(to, p->deadline_ns, err)) {
		rmi_judge_dns(p);
		return STEP_FAILED;
	}
	for (size_t i = 0; i < to->count; i++) {
		text_puts(detail, i ? ", " : "");
		rmi_address_add(detail, &to->list[i]);
	}
	return STEP_DONE;
}

int rmi_step_tcp(struct rmi_probe *p, struct text *detail, struct error *err)
{
	struct rmi_transport *t = NULL;
	int fd = -1;

	if (!has_registry(p))
		return STEP_SKIPPED;
	if (p->options->dialer)
		t = rmi_probe_dial(p, &p->target.address, err);
	else
		fd = tcp_connect(&p->target.address, p->deadline_ns, err);
	if (fd >= 0)
		t = rmi_tcp_over(fd);
	if (!t) {
		rmi_judge_tcp(p, err->sys);
		return STEP_FAILED;
	}
	rmi_connection_init(&p->registry, t);
	p->registry_peer = t->peer;
	rmi_probe_add_ends(detail, &p->registry);
	return STEP_DONE;
}

static void add_greeting(struct text *detail, const struct rmi_connection *c)
{
	text_printf(detail, "RMI; it sees us as %s, port %" PRIu32,
		    c->greeting.host, c->greeting.port);
}

/*
 * Not every server of TLS says what it takes a hello of RMI for: some close.
 * One that shows a certificate is told all the same.
 */
static bool speaks_tls(struct rmi_probe *p, struct text *detail)
{
	struct rmi_address *at = &p->target.address;
	struct rmi_connection c = { 0 };
	struct text unused = { 0 };
	struct error why;

	rmi_probe_secure(p, at, at->host, &c, &unused, &why);
	rmi_connection_close(&c);
	text_release(&unused);
	text_release(&p->steps[p->step_count].certificate);
	if (!p->tls.not_after)
		return false;
	text_puts(detail, "TLS, to which RMI means nothing");
	return true;
}

int rmi_step_protocol(struct rmi_probe *p, struct text *detail,
		      struct error *err)
{
	enum rmi_answer answer;
	struct error why = { 0 };

	if (!has_registry(p))
		return STEP_SKIPPED;
	if (!rmi_connection_greet(&p->registry, p->deadline_ns, &answer,
				  &why)) {
		add_greeting(detail, &p->registry);
		return STEP_DONE;
	}
	p->registry_is_tls = answer == RMI_TLS;
	if (p->registry_is_tls)
		text_puts(detail, "TLS");
	else if (answer == RMI_CLOSED)
		p->registry_is_tls = speaks_tls(p, detail);
	if (p->registry_is_tls)
		return STEP_DONE;
	*err = why;
	rmi_judge_stranger(p, answer);
	return STEP_FAILED;
}

/* A server that asks for a certificate may refuse ours only at the greeting. */
int rmi_step_tls(struct rmi_probe *p, struct text *detail, struct error *err)
{
	struct rmi_address *at = &p->target.address;
	const char *host = p->options->host ? p->options->host : at->host;
	enum rmi_answer answer;

	if (!p->registry_is_tls)
		return STEP_SKIPPED;
	rmi_connection_close(&p->registry);
	if (rmi_probe_secure(p, at, host, &p->registry, detail, err)) {
		rmi_judge_tls(p, at, host, err);
		return STEP_FAILED;
	}
	if (!rmi_connection_greet(&p->registry, p->deadline_ns, &answer, err)) {
		text_puts(detail, "; ");
		add_greeting(detail, &p->registry);
		return STEP_DONE;
	}
	if (err->kind == ERROR_PERMISSION)
		rmi_judge_tls(p, at, host, err);
	else
		rmi_judge_stranger(p, answer);
	return STEP_FAILED;
}

int rmi_step_registry(struct rmi_probe *p, struct text *detail,
		      struct error *err)
{
	struct text message = { 0 };
	int status;

	if (!has_registry(p))
		return STEP_SKIPPED;
	jmx_add_call(&message, &jrmp_registry, JMX_LOOKUP);
	java_write_string(&message, p->target.entry.bytes, p->target.entry.len);
	status = rmi_probe_call(p, &p->registry, &message, &p->looked_up, err);
	text_release(&message);
	rmi_connection_close(&p->registry);
	if (status == 0) {
		text_puts(detail, "it has an entry ");
		text_puts(detail, p->target.entry.bytes);
	} else if (p->looked_up.is_exception) {
		rmi_judge_registry(p, p->looked_up.value);
	}
	return status;
}

/* The value that a URL holds in place of a registry; NULL: it is none. */
static const struct java_value *given_value(struct rmi_probe *p)
{
	const struct java_value *value = NULL;
	size_t used;

	if (java_stream_read(&p->given, p->target.stub.bytes,
			     p->target.stub.len, &used, &value) != JAVA_DONE)
		return NULL;
	return value;
}

static void add_place(struct rmi_probe *p, struct text *detail)
{
	struct rmi_address at = rmi_probe_place(p, &p->stub);

	text_printf(detail, "it sends clients to %s, port %d", p->stub.host,
		    p->stub.port);
	if (rmi_probe_is_tls(&p->stub)) {
		text_puts(detail, ", by TLS");
	} else if (p->stub.factory.len) {
		text_puts(detail, ", by way of ");
		text_add(detail, p->stub.factory.at, p->stub.factory.len);
	}
	if (p->stub.names_no_host)
		text_puts(detail, "; the stub names no host, so each Java "
				  "client connects to its own machine");
	else if (rmi_is_loopback(p->stub.host))
		text_puts(detail, ", each to the machine that it runs on");
	if (strcmp(at.host, p->stub.host) != 0 || at.port != p->stub.port)
		text_printf(detail, "; %s, port %d is taken instead", at.host,
			    at.port);
}

int rmi_step_stub(struct rmi_probe *p, struct text *detail, struct error *err)
{
	static const char
		server[] = "javax.management.remote.rmi.RMIServerImpl_Stub";
	const struct java_value *value = has_registry(p) ? p->looked_up.value
							 : given_value(p);

	if (!value)
		return fail(err, ERROR_REFUSED,
			    "what the URL holds is no serialized object");
	if (stub_of(value, &p->stub, err))
		return -1;
	add_place(p, detail);
	/* Whether one of another make is one will be seen. */
	if (!java_bytes_are(p->stub.class, server)) {
		text_puts(detail, "; a stub of a class ");
		text_add(detail, p->stub.class.at, p->stub.class.len);
	}
	return STEP_DONE;
}
