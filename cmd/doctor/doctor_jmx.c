/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor's checks of JMX, without connecting to the JVM: the port for remote
 * clients and its requirements, and the connector for local clients.
 */
#include "cmd/doctor/doctor_checks.h"
#include "core/base/clock.h"
#include "core/jvm/listeners.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/rmi_connection.h"
#include "jmx_http/rmi/rmi_local.h"

#include <string.h>

/* The JMX port for remote clients. */
struct port {
	const struct rmi_local *local;
	const struct listener *listener; /* the most reachable one, or NULL */
	bool is_seen;                    /* sjkc could read the listeners */
	struct text address;             /* for clients: "127.0.0.1:9010" */
};

static bool port_is_wildcard(const struct listener *l)
{
	struct text address = { 0 };
	bool is;

	net_address_add(&address, &l->address);
	is = strncmp(address.bytes, "0.0.0.0:", 8) == 0 ||
	     strncmp(address.bytes, "[::]:", 5) == 0;
	text_release(&address);
	return is;
}

/* In a container, the published or forwarded address is unknown. */
static void port_add_address(struct port *p, bool is_elsewhere)
{
	if (is_elsewhere)
		text_puts(&p->address, "<its host>");
	else if (p->listener && !port_is_wildcard(p->listener))
		net_address_add(&p->address, &p->listener->address);
	else
		text_puts(&p->address, "127.0.0.1");
	if (!strchr(p->address.bytes, ':'))
		text_printf(&p->address, ":%u", p->local->remote_port);
}

static void port_find(struct port *p, const struct listeners *all)
{
	const struct listener *one;
	size_t at = 0;

	while ((one = listeners_next(all, p->local->remote_port, &at))) {
		if (!p->listener || listener_is_loopback(p->listener))
			p->listener = one;
	}
}

/* A client certificate that the JVM trusts is a login, too. */
static bool port_is_open(const struct rmi_local *l)
{
	return !l->authenticate && !(l->ssl && l->need_client_auth);
}

static const char *port_requirement(const struct rmi_local *l)
{
	if (l->authenticate)
		return l->ssl ? "requires a password, over TLS"
			      : "requires a password, which is sent in clear";
	if (!port_is_open(l))
		return "requires a client certificate, over TLS";
	return l->ssl ? "requires no password, over TLS"
		      : "requires no password, without TLS";
}

static void check_port(struct doctor_checks *c, const struct port *p)
{
	struct finding *f = doctor_checks_note(c, "JMX port");
	bool is_wide = p->listener ? !listener_is_loopback(p->listener)
				   : !p->is_seen;
	struct text where = { 0 };

	if (p->listener && !port_is_wildcard(p->listener))
		net_address_add(&where, &p->listener->address);
	else
		text_printf(&where, "%u%s", p->local->remote_port,
			    p->listener ? " on all addresses" : "");
	if (p->is_seen && !p->listener) {
		finding_detail(
			f,
			"%s is configured, but the JVM does not listen there",
			where.bytes);
	} else if (is_wide && port_is_open(p->local)) {
		f->is_note = false;
		f->is_warning = true;
		f->is.state = CONDITION_FAILS;
		finding_detail(
			f,
			"%s, %s: anyone who reaches it can run code in the JVM",
			where.bytes, port_requirement(p->local));
		finding_remedy(f, "jmxremote.authenticate=true, or "
				  "jmxremote.host=127.0.0.1 and a tunnel");
	} else {
		finding_detail(f, "%s, %s", where.bytes,
			       port_requirement(p->local));
	}
	text_release(&where);
}

/* Prints how clients connect, and how if the JVM's host name fails. */
static void check_clients(struct doctor_checks *c, const struct port *p)
{
	static const char host[] = "-Djava.rmi.server.hostname=";
	const char *named = jvm_info_option(&c->info, host);
	struct finding *f = doctor_checks_note(c, "JMX clients");

	finding_detail(f,
		       "are sent to %.80s; `sjkc mxping -s %s` tests whether "
		       "they can connect",
		       named ? named + strlen(host) : "its host's own name",
		       p->address.bytes);
	if (!doctor_checks_knows("mxprx"))
		return;
	f = doctor_checks_note(c, "JMX clients");
	finding_detail(
		f,
		"if clients cannot reach that address: `sjkc mxprx -s %s -b "
		"127.0.0.1:7777`",
		p->address.bytes);
}

/* ---- ports that the application opened ---- */

enum { RMI_PORTS_MAX = 16 }; /* listening ports that doctor greets */

#define RMI_GREETING_NS (CLOCK_NS_PER_S / 2)

/* True if an RMI server replies to a greeting of 7 bytes at the address. */
static bool address_speaks_rmi(struct dialer *d, struct net_address *to)
{
	int64_t deadline_ns = clock_after(clock_monotonic_ns(),
					  RMI_GREETING_NS);
	struct rmi_connection connection = { 0 };
	struct rmi_transport *t;
	enum rmi_answer answer;
	bool is;

	t = rmi_transport_dial(d, to, deadline_ns, error_unused());
	if (!t)
		return false;
	rmi_connection_init(&connection, t);
	is = rmi_connection_greet(&connection, deadline_ns, &answer,
				  error_unused()) == 0;
	rmi_connection_close(&connection);
	return is;
}

/* Adds the addresses of the JVM's ports that speak RMI; returns the greeted. */
static size_t ports_add_rmi(const struct doctor_checks *c, struct dialer *d,
			    const struct rmi_local *l, struct text *out)
{
	struct listeners all;
	size_t greeted = 0;

	listeners_read(&all, c->pid, error_unused());
	for (size_t i = 0; i < all.count && greeted < RMI_PORTS_MAX; i++) {
		struct port p = { .local = l, .listener = &all.list[i] };
		struct text address = { 0 };
		struct net_address to;

		net_address_add(&address, &all.list[i].address);
		if (port_is_wildcard(&all.list[i]))
			text_printf(&p.address, "127.0.0.1%s",
				    strrchr(address.bytes, ':'));
		else
			text_puts(&p.address, address.bytes);
		/* The local JMX connector has a line of its own. */
		if (net_address_parse(&to, p.address.bytes, error_unused()) ==
			    0 &&
		    to.port != l->port) {
			greeted++;
			if (address_speaks_rmi(d, &to))
				text_printf(out, "%s%s", out->len ? ", " : "",
					    p.address.bytes);
		}
		text_release(&address);
		text_release(&p.address);
	}
	listeners_release(&all);
	return greeted;
}

/*
 * Finds ports for JMX that the application opened itself, like Cassandra and
 * Tomcat's listener: greets the ports that the JVM listens on. A debugger's
 * port would end its connection, and on some JDKs the JVM, so no port is
 * greeted if the JVM waits for a debugger.
 */
static void check_own_ports(struct doctor_checks *c, const struct rmi_local *l)
{
	struct finding *f = doctor_checks_note(c, "JMX port");
	struct text ports = { 0 };
	struct dialer *d = NULL;
	size_t greeted = 0;

	if (!jvm_info_option(&c->info, "-agentlib:jdwp") &&
	    !jvm_info_option(&c->info, "-Xrunjdwp"))
		d = local_dialer_new(NULL, &c->jvm, LOCAL_ANY_HOST,
				     error_unused());
	if (d)
		greeted = ports_add_rmi(c, d, l, &ports);
	dialer_free(d);
	if (ports.len)
		finding_detail(f,
			       "none is configured, but RMI servers of the "
			       "application reply at %s; `sjkc mxping -s "
			       "ADDRESS` tests JMX (doctor sent a greeting of "
			       "7 bytes to each listening port)",
			       ports.bytes);
	else
		finding_detail(f,
			       "no port is configured: JMX works only with -p, "
			       "on this machine%s",
			       greeted ? "; no listening port replies to the "
					 "7-byte RMI greeting that doctor sent"
				       : "");
	text_release(&ports);
}

static void check_remote(struct doctor_checks *c, const struct rmi_local *l)
{
	struct port p = { .local = l };
	struct listeners all;

	if (!l->has_remote) {
		check_own_ports(c, l);
		return;
	}
	p.is_seen = listeners_read(&all, c->pid, error_unused()) == 0;
	port_find(&p, &all);
	port_add_address(&p, !doctor_checks_same_namespace(c->pid, "net"));
	check_port(c, &p);
	if (p.listener)
		check_clients(c, &p);
	text_release(&p.address);
	listeners_release(&all);
}

/* Checks that sjkc can reach the JVM's loopback interface. */
static void check_network(struct doctor_checks *c)
{
	struct error err;
	struct dialer *d = local_dialer_new(NULL, &c->jvm, LOCAL_LOOPBACK,
					    &err);
	struct finding *f;

	if (!d) {
		f = doctor_checks_add(c, "JMX network", CONDITION_FAILS,
				      NEED_JMX);
		finding_error(c, f, &err);
	}
	dialer_free(d);
}

static void check_local(struct doctor_checks *c, const struct rmi_local *l)
{
	const struct finding *obstacle = doctor_checks_broken(c, NEED_ATTACH);
	struct finding *f = doctor_checks_add(c, "local JMX", CONDITION_HOLDS,
					      NEED_JMX);

	if (l->port) {
		finding_detail(
			f,
			"the connector listens on port %u; `sjkc mxping -p "
			"%d` tests it",
			l->port, (int)c->pid);
	} else if (jvm_lacks_module(&c->jvm, &c->info,
				    "jdk.management.agent")) {
		f->is.state = CONDITION_FAILS;
		finding_detail(f, "the JVM's run-time image lacks the module "
				  "jdk.management.agent");
		finding_remedy(f, "add the module with jlink's option "
				  "--add-modules, or use Jolokia");
	} else if (obstacle) {
		f->is.state = CONDITION_FAILS;
		f->is.kind = obstacle->is.kind;
		finding_detail(f,
			       "the connector is not running and cannot be "
			       "started: %s",
			       obstacle->is.name);
		finding_remedy(f, "start the JVM with "
				  "-Dcom.sun.management.jmxremote");
	} else {
		f->is_note = true;
		finding_detail(
			f,
			"the connector is not running; `sjkc mxping -p %d "
			"--start-agent` starts it, and it listens until "
			"the JVM exits",
			(int)c->pid);
	}
}

void doctor_check_jmx(struct doctor_checks *c)
{
	struct rmi_local l;
	struct error err;

	if (rmi_local_look(&l, &c->jvm, &err)) {
		finding_error(c,
			      doctor_checks_add(c, "local JMX",
						CONDITION_UNKNOWN, NEED_JMX),
			      &err);
	} else {
		check_remote(c, &l);
		check_local(c, &l);
		check_network(c);
	}
	rmi_local_release(&l);
}
