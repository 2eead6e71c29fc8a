/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_probe.h"

#include "core/base/clock.h"
#include "jmx_http/rmi/java_writer.h"
#include "jmx_http/rmi/jmx_methods.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* What the name of the agent's entry in the registry is, by its JMX URL. */
#define ENTRY "jmxrmi"

/* Each gives 0, or -1 and *err; may say what it means in verdict and remedy. */
typedef int step_fn(struct rmi_probe *p, struct text *detail,
		    struct error *err);

static step_fn step_dns, step_tcp, step_protocol, step_registry, step_stub,
	step_server, step_version, step_login, step_mbean;

/* clang-format off */
static const struct {
	const char *name;
	step_fn *run;
	const char *means; /* that it failed, unless it says more itself */
} steps[] = {
	{ "dns", step_dns, "the name is not known here" },
	{ "tcp", step_tcp, "the port cannot be reached" },
	{ "protocol", step_protocol, "this is no port of JMX" },
	{ "registry", step_registry, "the RMI registry there has no JMX" },
	{ "stub", step_stub, "what the registry holds is no JMX server" },
	{ "server", step_server, "the JMX server cannot be reached" },
	{ "version", step_version, "the JMX server does not answer" },
	{ "login", step_login, "the JMX server takes no client" },
	{ "mbean", step_mbean, "the JMX server answers no call" },
};
/* clang-format on */

static void judge(struct rmi_probe *p, const char *verdict, const char *remedy)
{
	text_clear(&p->verdict);
	text_puts(&p->verdict, verdict);
	text_clear(&p->remedy);
	text_puts(&p->remedy, remedy);
}

static int step_dns(struct rmi_probe *p, struct text *detail, struct error *err)
{
	if (rmi_address_resolve(&p->target, p->deadline_ns, err)) {
		judge(p, "the name is not known here",
		      "check its spelling and, inside a cluster or a VPN, "
		      "whether this machine can see its names");
		return -1;
	}
	for (size_t i = 0; i < p->target.count; i++) {
		text_puts(detail, i ? ", " : "");
		rmi_address_add(detail, &p->target.list[i]);
	}
	return 0;
}

static void judge_tcp(struct rmi_probe *p, int sys)
{
	if (sys == ECONNREFUSED)
		judge(p, "nothing listens there",
		      "is the JVM running, and was it started with "
		      "-Dcom.sun.management.jmxremote.port of that number? "
		      "In a container: is that port published or forwarded?");
	else if (sys == ETIMEDOUT)
		judge(p, "nothing answers there: packets are lost",
		      "a firewall or network policy drops them, or the address "
		      "is that of a network that cannot be reached from here");
}

static void add_ends(struct text *detail, const struct rmi_connection *c)
{
	text_puts(detail, "connected to ");
	rmi_address_add(detail, &c->transport->peer);
	text_puts(detail, " from ");
	rmi_address_add(detail, &c->transport->local);
}

static int step_tcp(struct rmi_probe *p, struct text *detail, struct error *err)
{
	struct rmi_transport *t = rmi_tcp_connect(&p->target, p->deadline_ns,
						  err);

	if (!t) {
		judge_tcp(p, err->sys);
		return -1;
	}
	rmi_connection_init(&p->registry, t);
	add_ends(detail, &p->registry);
	return 0;
}

/* What it means, and what to do, when somebody else answers. */
static const struct {
	const char *verdict, *remedy;
} strangers[] = {
	[RMI_UNWILLING] = { "an RMI server answers, but refuses", "" },
	[RMI_TLS] = { "the port speaks TLS; nothing more was looked at, as "
		      "sjkc does not speak it to JMX",
		      "the JVM has com.sun.management.jmxremote.registry.ssl "
		      "set, or this is the port of something else; a client "
		      "needs a truststore (javax.net.ssl.trustStore)" },
	[RMI_HTTP] = { "a web server answers there, not JMX",
		       "is it the port of the application or of Jolokia? That "
		       "of JMX is com.sun.management.jmxremote.port" },
	[RMI_OTHER] = { "something else than JMX answers there",
			"the port of JMX is that of "
			"com.sun.management.jmxremote.port" },
	[RMI_SILENT] = { "somebody takes the connection and says nothing",
			 "the JVM may be stopped or in a long pause; or a "
			 "proxy or port forward listens whose own target is "
			 "gone" },
	[RMI_CLOSED] = { "the connection is closed without an answer",
			 "a port forward whose target does not listen does "
			 "so, and servers of other protocols" },
};

static int greet(struct rmi_probe *p, struct rmi_connection *c,
		 struct text *detail, struct error *err)
{
	enum rmi_answer answer;

	if (rmi_connection_greet(c, p->deadline_ns, &answer, err)) {
		judge(p, strangers[answer].verdict, strangers[answer].remedy);
		return -1;
	}
	text_printf(detail, "RMI; it sees us as %s, port %" PRIu32,
		    c->greeting.host, c->greeting.port);
	return 0;
}

static int step_protocol(struct rmi_probe *p, struct text *detail,
			 struct error *err)
{
	return greet(p, &p->registry, detail, err);
}

/* It greeted, and now gives no answer, or none that RMI has. */
static void judge_silence(struct rmi_probe *p, int sys)
{
	if (sys == ETIMEDOUT)
		judge(p, "RMI greets, but does not answer a call in time",
		      "the JVM may be stopped or in a long pause; --timeout "
		      "has more patience");
	else
		judge(p, "RMI greets, but what follows is not an answer of it",
		      "a proxy between may cut or change what passes");
}

/* A call whose exception is a failure; kind 4 when it is one of security. */
static int call(struct rmi_probe *p, struct rmi_connection *c,
		const struct text *message, struct jrmp_return *r,
		struct error *err)
{
	struct text told = { 0 };
	enum error_kind kind = ERROR_REFUSED;

	if (rmi_connection_call(c, message, r, p->deadline_ns, err)) {
		judge_silence(p, err->sys);
		return -1;
	}
	if (!r->is_exception)
		return 0;
	if (java_is_caused_by(r->value, "java.lang.SecurityException"))
		kind = ERROR_PERMISSION;
	java_add_throwable(&told, r->value);
	fail(err, kind, "%s", told.bytes);
	text_release(&told);
	return -1;
}

static int step_registry(struct rmi_probe *p, struct text *detail,
			 struct error *err)
{
	struct text message = { 0 };
	int status;

	jmx_add_call(&message, &jrmp_registry, JMX_LOOKUP);
	java_write_string(&message, ENTRY, strlen(ENTRY));
	status = call(p, &p->registry, &message, &p->looked_up, err);
	text_release(&message);
	if (status == 0)
		text_puts(detail, "it has an entry " ENTRY);
	else if (java_is_caused_by(p->looked_up.value,
				   "java.rmi.NotBoundException"))
		judge(p, "an RMI registry answers, but has no entry " ENTRY,
		      "it is an application's own registry; that of JMX is at "
		      "com.sun.management.jmxremote.port");
	else if (java_is_caused_by(p->looked_up.value,
				   "java.rmi.NoSuchObjectException"))
		judge(p, "an RMI server answers, but is no registry",
		      "is it the port of com.sun.management.jmxremote."
		      "rmi.port? That of .port is asked first");
	return status;
}

static int step_stub(struct rmi_probe *p, struct text *detail,
		     struct error *err)
{
	static const char
		server[] = "javax.management.remote.rmi.RMIServerImpl_Stub";

	if (stub_of(p->looked_up.value, &p->stub, err))
		return -1;
	if (!java_bytes_are(p->stub.class, server))
		return fail(err, ERROR_REFUSED, "a stub of a class '%.*s'",
			    (int)(p->stub.class.len < 200 ? p->stub.class.len
							  : 200),
			    p->stub.class.at);
	memcpy(p->advertised.host, p->stub.host, sizeof(p->stub.host));
	p->advertised.port = p->stub.port;
	text_printf(detail, "it sends clients to %s, port %d", p->stub.host,
		    p->stub.port);
	if (p->stub.factory.len) {
		text_puts(detail, ", by way of ");
		text_add(detail, p->stub.factory.at, p->stub.factory.len);
	}
	return 0;
}

/* Resolves and connects, *c may be closed in any case. */
static int dial(struct rmi_probe *p, struct rmi_address *to,
		struct rmi_connection *c, struct error *err)
{
	struct rmi_transport *t;

	if (rmi_address_resolve(to, p->deadline_ns, err))
		return -1;
	t = rmi_tcp_connect(to, p->deadline_ns, err);
	if (!t)
		return -1;
	rmi_connection_init(c, t);
	return 0;
}

/* True when RMI answers on the stub's port of the host that was asked for. */
static bool answers_here(struct rmi_probe *p)
{
	struct rmi_address here = p->target;
	struct rmi_connection c = { 0 };
	enum rmi_answer answer;
	struct error unused;
	bool answers;

	here.port = p->stub.port;
	p->deadline_ns = clock_monotonic_ns() + p->timeout_ns;
	answers = !dial(p, &here, &c, &unused) &&
		  !rmi_connection_greet(&c, p->deadline_ns, &answer, &unused);
	rmi_connection_close(&c);
	return answers;
}

static bool is_elsewhere(const struct rmi_probe *p)
{
	return strcmp(p->stub.host, p->target.host) != 0;
}

/* The registry is there: that what it names is not, is the JVM's doing. */
static int judge_server(struct rmi_probe *p, struct error *err)
{
	struct text verdict = { 0 }, remedy = { 0 };
	bool answers = is_elsewhere(p) && answers_here(p);

	text_printf(&verdict,
		    "the JVM sends clients to %s, port %d, which cannot be "
		    "reached from here",
		    p->stub.host, p->stub.port);
	if (answers)
		text_printf(&verdict, "; on %s that port answers",
			    p->target.host);
	if (is_elsewhere(p))
		text_printf(&remedy,
			    "start the JVM with "
			    "-Djava.rmi.server.hostname=%s%s",
			    p->target.host,
			    answers ? "" : " and a fixed, reachable ");
	else
		text_puts(&remedy, "give the JVM a fixed, reachable ");
	if (!answers)
		text_puts(&remedy,
			  "-Dcom.sun.management.jmxremote.rmi.port, best that "
			  "of jmxremote.port");
	judge(p, verdict.bytes, remedy.bytes);
	text_release(&verdict);
	text_release(&remedy);
	/* The target is there, though what it names is not. */
	err->kind = ERROR_REFUSED;
	return -1;
}

static int judge_tls(struct rmi_probe *p, struct error *err)
{
	judge(p,
	      "the registry is plain, but the JMX server wants TLS; nothing "
	      "more was looked at, as sjkc does not speak it to JMX",
	      "a client needs the server's certificate in its truststore "
	      "(javax.net.ssl.trustStore)");
	return fail(
		err, ERROR_REFUSED, "clients are to use %.*s",
		(int)(p->stub.factory.len < 200 ? p->stub.factory.len : 200),
		p->stub.factory.at);
}

static int step_server(struct rmi_probe *p, struct text *detail,
		       struct error *err)
{
	if (dial(p, &p->advertised, &p->server, err))
		return judge_server(p, err);
	if (p->stub.factory.len)
		return judge_tls(p, err);
	if (greet(p, &p->server, detail, err)) {
		if (is_elsewhere(p))
			return judge_server(p, err);
		return -1;
	}
	text_clear(detail);
	add_ends(detail, &p->server);
	return 0;
}

/* A method of the server's, with null for its arguments. */
static int invoke(struct rmi_probe *p, const struct stub *on,
		  enum jmx_method method, unsigned nulls, struct jrmp_return *r,
		  struct error *err)
{
	struct text message = { 0 };
	int status;

	jmx_add_call(&message, &on->id, method);
	for (unsigned i = 0; i < nulls; i++)
		java_write_null(&message);
	status = call(p, &p->server, &message, r, err);
	text_release(&message);
	return status;
}

static int step_version(struct rmi_probe *p, struct text *detail,
			struct error *err)
{
	struct jrmp_return r = { 0 };
	struct java_bytes version;
	int status = invoke(p, &p->stub, JMX_GET_VERSION, 0, &r, err);

	version = java_string_of(r.value);
	if (status == 0 && !version.len)
		status = fail(err, ERROR_REFUSED, "it has no version");
	else if (status == 0)
		text_add(detail, version.at, version.len);
	else if (java_is_caused_by(r.value, "java.rmi.NoSuchObjectException"))
		judge(p, "another JVM answers where the registry sends clients",
		      "a port forward may lead to the registry instead: it "
		      "takes both ports, each with its own number");
	jrmp_return_release(&r);
	return status;
}

static int step_login(struct rmi_probe *p, struct text *detail,
		      struct error *err)
{
	if (invoke(p, &p->stub, JMX_NEW_CLIENT, 1, &p->opened, err)) {
		if (err->kind == ERROR_PERMISSION)
			judge(p,
			      "JMX works up to here; the JVM wants a user and "
			      "a password",
			      "they are in the JVM's "
			      "com.sun.management.jmxremote.password.file; "
			      "sjkc does not send any yet");
		return -1;
	}
	if (stub_of(p->opened.value, &p->session, err))
		return -1;
	text_puts(detail, "without a password");
	return 0;
}

/* The session is where the server is, but for servers of an odd make. */
static int step_mbean(struct rmi_probe *p, struct text *detail,
		      struct error *err)
{
	struct jrmp_return r = { 0 };
	const struct java_value *count;
	int status = invoke(p, &p->session, JMX_GET_MBEAN_COUNT, 1, &r, err);

	count = java_field_of(r.value, "value");
	if (status == 0 && (!count || count->kind != JAVA_INTEGER))
		status = fail(err, ERROR_REFUSED, "a count that is no number");
	else if (status == 0)
		text_printf(detail, "%" PRId64 " MBeans", count->integer);
	jrmp_return_release(&r);
	return status;
}

/*
 * The JVM would keep it open for two minutes, and its object for five, unless
 * that is acknowledged.
 */
static void close_session(struct rmi_probe *p)
{
	struct jrmp_return r = { .is_void = true };
	struct error unused;

	p->deadline_ns = clock_monotonic_ns() + p->timeout_ns;
	if (!invoke(p, &p->session, JMX_CLOSE, 0, &r, &unused))
		rmi_connection_acknowledge(&p->server, &p->opened,
					   p->deadline_ns, &unused);
	jrmp_return_release(&r);
}

static int take_step(struct rmi_probe *p, size_t i)
{
	struct rmi_probe_step *step = &p->steps[p->step_count++];
	int64_t began = clock_monotonic_ns();
	struct error err = { 0 };

	step->name = steps[i].name;
	p->deadline_ns = began + p->timeout_ns;
	step->ok = steps[i].run(p, &step->detail, &err) == 0;
	step->ns = clock_monotonic_ns() - began;
	if (step->ok)
		return 0;
	p->kind = err.kind;
	text_clear(&step->detail);
	text_puts(&step->detail, err.text);
	if (!p->verdict.len)
		judge(p, steps[i].means, "");
	return -1;
}

void rmi_probe_run(struct rmi_probe *p, const struct rmi_address *target,
		   int64_t timeout_ns)
{
	size_t i;

	*p = (struct rmi_probe){ .target = *target, .timeout_ns = timeout_ns };
	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (take_step(p, i))
			break;
	if (p->session.port)
		close_session(p);
	if (p->kind == ERROR_NONE)
		judge(p,
		      "JMX works, and asks for no password: who reaches the "
		      "port can do anything in the JVM",
		      "");
}

void rmi_probe_release(struct rmi_probe *p)
{
	for (size_t i = 0; i < p->step_count; i++)
		text_release(&p->steps[i].detail);
	rmi_connection_close(&p->registry);
	rmi_connection_close(&p->server);
	jrmp_return_release(&p->looked_up);
	jrmp_return_release(&p->opened);
	text_release(&p->verdict);
	text_release(&p->remedy);
	*p = (struct rmi_probe){ 0 };
}
