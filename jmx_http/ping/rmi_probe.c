/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the login, whose steps it observes, and then two calls.  Each step
 * becomes a step of the probe.
 */
#include "jmx_http/ping/probe.h"

#include "core/base/clock.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/ping/rmi_probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_NS (CLOCK_NS_PER_S / 2)

#define CALLS    10 /* calls to measure the round trip */

/* clang-format off */
static const struct {
	const char *name;
	const char *means; /* verdict if the step fails for other reasons */
} steps[LOGIN_STEPS] = {
	[LOGIN_RESOLVE] = { "dns", "the host name does not resolve" },
	[LOGIN_CONNECT] = { "tcp", "the port cannot be reached" },
	[LOGIN_GREET] = { "protocol", "this is not a JMX port" },
	[LOGIN_TLS] = { "tls", "the TLS handshake failed" },
	[LOGIN_LOOKUP] = { "registry", "the RMI registry returned no JMX entry" },
	[LOGIN_STUB] = { "stub", "the registry's entry is not a JMX server" },
	[LOGIN_SERVER] = { "server", "the JMX server cannot be reached" },
	[LOGIN_SERVER_TLS] = { "server-tls", "the TLS handshake failed" },
	[LOGIN_VERSION] = { "version", "the JMX server does not reply" },
	[LOGIN_CLIENT] = { "login", "the JMX server rejects clients" },
	[LOGIN_SESSION] = { "session", "the session cannot be reached" },
};
/* clang-format on */

void rmi_probe_set_deadline(struct rmi_probe *p)
{
	p->deadline_ns = clock_after(clock_monotonic_ns(),
				     p->access.timeout_ns);
}

struct rmi_transport *rmi_probe_dial(struct rmi_probe *p,
				     struct net_address *to, struct error *err)
{
	struct dialer *dialer = p->access.dialer;

	if (!dialer)
		dialer = &tcp_dialer;
	return rmi_transport_dial(dialer, to, p->deadline_ns, err);
}

/* Details of each step */

static void detail_add_addresses(struct text *detail,
				 const struct net_address *of)
{
	for (size_t i = 0; i < of->count; i++) {
		text_puts(detail, i ? ", " : "");
		net_address_add(detail, &of->list[i]);
	}
}

/* "connected to 10.0.0.7:9010 from 10.0.0.1:50000" */
static void detail_add_ends(struct text *detail, const struct rmi_connection *c)
{
	text_puts(detail, "connected to ");
	net_address_add(detail, &c->transport->peer);
	text_puts(detail, " from ");
	net_address_add(detail, &c->transport->local);
}

static void detail_add_greeting(struct text *detail,
				const struct rmi_connection *c)
{
	text_printf(detail,
		    "RMI; the server sees this client as %s, port %" PRIu32,
		    c->greeting.host, c->greeting.port);
}

static void detail_add_protocol(struct text *detail, const struct rmi_login *l)
{
	if (!l->at.is_tls)
		detail_add_greeting(detail, &l->connection);
	else if (l->answer == RMI_TLS)
		text_puts(detail, "TLS");
	else
		text_puts(detail, "TLS; the server closes plain connections");
}

static void detail_add_stub(struct text *detail, const struct rmi_login *l)
{
	static const char
		server[] = "javax.management.remote.rmi.RMIServerImpl_Stub";
	const struct stub *stub = &l->server;
	struct rmi_endpoint e = rmi_login_endpoint(l, stub);

	text_printf(detail, "the stub sends clients to %s, port %d", stub->host,
		    stub->port);
	if (stub_is_tls(stub)) {
		text_puts(detail, ", over TLS");
	} else if (stub->factory.len) {
		text_puts(detail, ", with the socket factory ");
		text_add(detail, stub->factory.at, stub->factory.len);
	}
	if (stub->names_no_host)
		text_puts(detail, "; the stub names no host, so each Java "
				  "client connects to its own machine");
	else if (rmi_is_own_machine(stub->host))
		text_printf(detail, ", %s address: each client's own machine",
			    rmi_is_loopback(stub->host) ? "a loopback"
							: "an unspecified");
	if (strcmp(e.address.host, stub->host) != 0 ||
	    e.address.port != stub->port)
		text_printf(detail, "; %s, port %d is used instead",
			    e.address.host, e.address.port);
	/* Other JMX implementations have a stub class of their own. */
	if (!java_bytes_are(stub->class, server)) {
		text_puts(detail, "; the class of the stub is ");
		text_add(detail, stub->class.at, stub->class.len);
	}
}

static bool stub_has_same_endpoint(const struct stub *a, const struct stub *b)
{
	return strcmp(a->host, b->host) == 0 && a->port == b->port &&
	       stub_is_tls(a) == stub_is_tls(b);
}

/* The session's stub has its own endpoint, rarely that of the server. */
static void detail_add_session(struct rmi_probe *p, struct text *detail)
{
	const struct rmi_login *l = &p->login;

	text_printf(detail, "the session is at %s, port %d", l->session.host,
		    l->session.port);
	if (stub_has_same_endpoint(&l->server, &l->session)) {
		text_puts(detail, ", like the server");
	} else if (l->at.is_tls && l->is_answered) {
		text_puts(detail, ", over TLS: ");
		probe_add_tls(p->report, &l->tls, l->at.address.host,
			      &p->access.tls);
	} else if (l->connection.transport) {
		text_puts(detail, ", ");
		detail_add_ends(detail, &l->connection);
	}
}

/* The host that the endpoint's certificate must name. */
static const char *rmi_probe_certificate_host(const struct rmi_probe *p)
{
	const struct rmi_login *l = &p->login;

	return l->step == LOGIN_TLS && p->access.certificate_host
		       ? p->access.certificate_host
		       : l->at.address.host;
}

static void detail_add_step(struct rmi_probe *p, struct text *detail)
{
	struct rmi_login *l = &p->login;
	const char *user = p->access.user;

	switch (l->step) {
	case LOGIN_RESOLVE:
		detail_add_addresses(detail, &l->at.address);
		break;
	case LOGIN_CONNECT:
		detail_add_ends(detail, &l->connection);
		break;
	case LOGIN_GREET:
		detail_add_protocol(detail, l);
		break;
	case LOGIN_TLS:
		text_puts(detail, "; ");
		detail_add_greeting(detail, &l->connection);
		break;
	case LOGIN_LOOKUP:
		text_puts(detail, "found the entry ");
		text_puts(detail, p->access.target.entry.bytes);
		break;
	case LOGIN_STUB:
		detail_add_stub(detail, l);
		break;
	case LOGIN_SERVER:
		p->server_is_tls = l->at.is_tls;
		detail_add_ends(detail, &l->connection);
		break;
	case LOGIN_VERSION: {
		struct java_bytes version = java_string_of(l->version.value);

		text_add(detail, version.at, version.len);
		break;
	}
	case LOGIN_CLIENT:
		text_puts(detail, user ? "as " : "without a password");
		text_puts(detail, user ? user : "");
		break;
	default:
		break;
	}
}

/* Verdicts */

/* The endpoint lacks the stub's object, so another JVM answers there. */
static void rmi_probe_judge_missing(struct rmi_probe *p,
				    const struct stub *stub,
				    const struct jrmp_return *r,
				    struct error *err)
{
	struct rmi_failure f = { .is_answered = true, .answer = RMI_JRMP };

	if (r->is_exception &&
	    java_is_caused_by(r->value, "java.rmi.NoSuchObjectException"))
		rmi_judge_unreachable(p, stub, &f, err);
}

static void rmi_probe_judge_handshake(struct rmi_probe *p,
				      const struct stub *stub,
				      struct error *err)
{
	const struct rmi_login *l = &p->login;
	struct rmi_failure f = { .is_answered = true, .answer = RMI_OTHER };

	/* The peer sent no TLS at all: the port belongs to another server. */
	if (stub && err->sys != ETIMEDOUT && !l->is_secured &&
	    !l->tls.not_after && !l->tls.trouble.len)
		rmi_judge_unreachable(p, stub, &f, err);
	else if (!l->is_secured || err->kind == ERROR_PERMISSION)
		rmi_judge_tls(p, rmi_probe_certificate_host(p), err);
	else
		rmi_judge_protocol(p, l->answer);
	/* The probe prints the fixes, so the error needs only the reason. */
	if (!l->is_secured && l->tls.not_after && l->tls.trouble.len &&
	    !p->access.tls.insecure)
		fail(err, err->kind, "%s", l->tls.trouble.bytes);
}

static void rmi_probe_judge_endpoint(struct rmi_probe *p,
				     const struct stub *stub, struct error *err)
{
	const struct rmi_login *l = &p->login;
	struct rmi_failure f = {
		.sys = err->sys,
		.is_answered = l->is_answered,
		.answer = l->answer,
		.is_unknown = !l->is_answered && !l->at.address.count,
	};

	if (l->is_answered && l->at.is_tls)
		rmi_probe_judge_handshake(p, stub, err);
	else
		rmi_judge_unreachable(p, stub, &f, err);
}

static void rmi_probe_judge(struct rmi_probe *p, struct error *err)
{
	const struct rmi_login *l = &p->login;

	switch (l->step) {
	case LOGIN_RESOLVE:
		rmi_judge_dns(p);
		break;
	case LOGIN_CONNECT:
		rmi_judge_tcp(p, err->sys);
		break;
	case LOGIN_GREET:
		rmi_judge_protocol(p, l->answer);
		break;
	case LOGIN_TLS:
		rmi_probe_judge_handshake(p, NULL, err);
		break;
	case LOGIN_LOOKUP:
		if (!l->has_reply)
			rmi_judge_silence(p, err->sys);
		else
			rmi_judge_registry(p, l->looked_up.value);
		break;
	case LOGIN_SERVER:
	case LOGIN_SERVER_TLS:
		rmi_probe_judge_endpoint(p, &l->server, err);
		break;
	case LOGIN_SESSION:
		rmi_probe_judge_endpoint(p, &l->session, err);
		break;
	case LOGIN_VERSION:
		if (!l->has_reply)
			rmi_judge_silence(p, err->sys);
		else
			rmi_probe_judge_missing(p, &l->server, &l->version,
						err);
		break;
	case LOGIN_CLIENT:
		if (l->is_withheld)
			rmi_judge_withheld(p);
		else if (!l->has_reply)
			rmi_judge_silence(p, err->sys);
		else if (l->opened.is_exception)
			rmi_judge_login(p, err);
		break;
	default:
		break;
	}
}

static void rmi_probe_on_begin(void *self, enum login_step step)
{
	struct rmi_probe *p = self;

	probe_begin(p->report, steps[step].name);
}

static void rmi_probe_on_end(void *self, enum login_step step,
			     const struct error *err)
{
	struct rmi_probe *p = self;
	struct text *detail = &p->report->steps[p->report->step_count].detail;
	struct error why;

	/* These steps have details even if they failed. */
	if (step == LOGIN_TLS || step == LOGIN_SERVER_TLS)
		probe_add_tls(p->report, &p->login.tls,
			      rmi_probe_certificate_host(p), &p->access.tls);
	else if (step == LOGIN_SESSION)
		detail_add_session(p, detail);
	if (!err) {
		detail_add_step(p, detail);
		probe_end(p->report);
		return;
	}
	why = *err;
	rmi_probe_set_deadline(p);
	rmi_probe_judge(p, &why);
	probe_fail(p->report, steps[step].means, &why);
}

/* Calls on the session */

int rmi_probe_invoke(struct rmi_probe *p, struct rmi_connection *c,
		     const struct stub *on, enum jmx_method method,
		     unsigned nulls, struct jrmp_return *r, struct error *err)
{
	struct text message = { 0 };
	int status;

	r->is_void = method_is_void(method);
	jmx_add_call(&message, &on->id, method);
	for (unsigned i = 0; i < nulls; i++)
		java_write_null(&message);
	err->sys = 0;
	status = rmi_connection_call(c, &message, r, p->deadline_ns, err);
	text_release(&message);
	if (status)
		rmi_judge_silence(p, err->sys);
	else if (r->is_exception)
		status = rmi_thrown(r->value, err);
	return status;
}

static int rmi_probe_count_mbeans(struct rmi_probe *p, struct text *detail,
				  struct error *err)
{
	struct rmi_login *l = &p->login;
	struct jrmp_return r = { 0 };
	const struct java_value *count;
	int status = rmi_probe_invoke(p, &l->connection, &l->session,
				      JMX_GET_MBEAN_COUNT, 1, &r, err);

	count = java_field_of(r.value, "value");
	if (status)
		rmi_probe_judge_missing(p, &l->session, &r, err);
	else if (!count || count->kind != JAVA_INTEGER)
		status = fail(err, ERROR_REFUSED, "the count is not a number");
	else
		text_printf(detail, "%" PRId64 " MBeans", count->integer);
	jrmp_return_release(&r);
	return status;
}

static int compare_durations(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return (one > other) - (one < other);
}

static double duration_in_ms(int64_t ns)
{
	return (double)ns / CLOCK_NS_PER_MS;
}

static int rmi_probe_time_calls(struct rmi_probe *p, struct text *detail,
				struct error *err)
{
	struct rmi_login *l = &p->login;
	int64_t took[CALLS];

	for (size_t i = 0; i < CALLS; i++) {
		struct jrmp_return r = { 0 };
		int64_t began = clock_monotonic_ns();
		int status;

		rmi_probe_set_deadline(p);
		status = rmi_probe_invoke(p, &l->connection, &l->session,
					  JMX_GET_DEFAULT_DOMAIN, 1, &r, err);
		took[i] = clock_monotonic_ns() - began;
		jrmp_return_release(&r);
		if (status)
			return -1;
	}
	qsort(took, CALLS, sizeof(*took), compare_durations);
	text_printf(detail, "median %.2f ms of %d calls, %.2f to %.2f ms",
		    duration_in_ms((took[CALLS / 2 - 1] + took[CALLS / 2]) / 2),
		    CALLS, duration_in_ms(took[0]),
		    duration_in_ms(took[CALLS - 1]));
	return 0;
}

/*
 * Calls an operation that does not exist, which executes nothing. It shows
 * whether a serial filter rejects object names, which nearly all calls have.
 * mxprx --read-only denies operations, and a JVM denies them to some users;
 * both check the permission before they look for the operation.
 */
static int rmi_probe_name_object(struct rmi_probe *p, struct text *detail,
				 struct error *err)
{
	struct rmi_login *l = &p->login;
	struct jrmp_return r = { 0 };
	struct text message = { 0 };
	int status;

	p->may_execute = true;
	jmx_add_call(&message, &l->session.id, JMX_INVOKE_OPERATION);
	java_write_object_name(&message,
			       "JMImplementation:type=MBeanServerDelegate",
			       JAVA_OF_RMI);
	java_write_text(&message, "doesNotExist");
	for (int i = 0; i < 3; i++) /* arguments, signature, subject */
		java_write_null(&message);
	status = rmi_connection_call(&l->connection, &message, &r,
				     p->deadline_ns, err);
	text_release(&message);
	if (status) {
		rmi_judge_silence(p, err->sys);
	} else if (r.is_exception && rmi_thrown(r.value, err)) {
		p->may_execute = err->kind != ERROR_PERMISSION;
		if (strstr(err->text, "filter status: REJECTED")) {
			rmi_judge_filter(p);
			status = -1;
		}
	}
	if (status == 0)
		text_puts(detail, p->may_execute ? "accepted"
						 : "operations are denied");
	jrmp_return_release(&r);
	return status;
}

/*
 * Otherwise the JVM would keep the session for two minutes, and the exported
 * object for five.  After a failure the JVM gets only CLOSE_NS to reply.
 */
static void rmi_probe_close_session(struct rmi_probe *p)
{
	struct rmi_login *l = &p->login;
	struct jrmp_return r = { .is_void = true };
	struct text message = { 0 };

	rmi_probe_set_deadline(p);
	if (p->report->kind != ERROR_NONE)
		p->deadline_ns = clock_monotonic_ns() + CLOSE_NS;
	jmx_add_call(&message, &l->session.id, JMX_CLOSE);
	if (!rmi_connection_call(&l->connection, &message, &r, p->deadline_ns,
				 error_unused()))
		rmi_connection_acknowledge(&l->connection, &l->opened,
					   p->deadline_ns, error_unused());
	text_release(&message);
	jrmp_return_release(&r);
}

/*
 * True if a login without the user succeeds, too. A JVM without authentication
 * accepts any user and password.
 */
static bool rmi_probe_ignores_login(struct rmi_probe *p)
{
	struct rmi_login login = p->login;
	char *user = p->access.user;
	bool ignores;

	if (!user || p->access.target.stub.len)
		return false;
	p->login = (struct rmi_login){ .access = &p->access };
	p->access.user = NULL;
	ignores = !rmi_login_run(&p->login, error_unused());
	if (ignores)
		rmi_probe_close_session(p);
	rmi_login_release(&p->login);
	p->access.user = user;
	p->login = login;
	return ignores;
}

static int rmi_probe_run_step(
	struct rmi_probe *p, const char *name, const char *means,
	int (*run)(struct rmi_probe *p, struct text *detail, struct error *err))
{
	struct text *detail = probe_begin(p->report, name);
	struct error err = { 0 };

	rmi_probe_set_deadline(p);
	if (run(p, detail, &err)) {
		probe_fail(p->report, means, &err);
		return -1;
	}
	probe_end(p->report);
	return 0;
}

static void rmi_probe_run_steps(struct rmi_probe *p)
{
	struct rmi_login *l = &p->login;
	struct rmi_endpoint server;

	if (rmi_login_run(l, error_unused())) {
		/* Close an unreachable session through the server's port. */
		server = rmi_login_endpoint(l, &l->server);
		rmi_connection_close(&l->connection);
		if (l->step == LOGIN_SESSION &&
		    !rmi_access_dial(&p->access, &server, &l->connection,
				     error_unused()))
			rmi_probe_close_session(p);
		return;
	}
	if (!rmi_probe_run_step(p, "mbean",
				"the JMX server does not reply to calls",
				rmi_probe_count_mbeans) &&
	    !rmi_probe_run_step(p, "round-trip", "calls get no reply",
				rmi_probe_time_calls) &&
	    !rmi_probe_run_step(p, "object-name",
				"the JMX server rejects calls with an object "
				"name",
				rmi_probe_name_object)) {
		p->ignores_login = rmi_probe_ignores_login(p);
		rmi_judge_success(p);
	}
	rmi_probe_close_session(p);
}

int rmi_probe_run(struct probe *report, const struct rmi_probe_options *options,
		  struct error *err)
{
	struct rmi_probe p = {
		.report = report,
		.as_given = options->as_given,
		.pid = options->pid,
	};
	const struct login_observer observer = {
		.begin = rmi_probe_on_begin,
		.end = rmi_probe_on_end,
		.self = &p,
	};
	int status;

	*report = (struct probe){ 0 };
	p.login.access = &p.access;
	p.login.observer = &observer;
	status = rmi_access_init(&p.access, &options->target, err);
	p.access.certificate_host = options->host;
	p.access.as_java = true;
	if (status == 0)
		rmi_probe_run_steps(&p);
	rmi_login_release(&p.login);
	rmi_access_release(&p.access);
	return status;
}
