/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a JVM's JMX can be seen without asking it: where it listens for
 * clients from elsewhere, what it wants of them, and whether it has a connector
 * for those on this machine.
 */
#include "cmd/doctor_checks.h"
#include "core/jvm/listeners.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/rmi_local.h"

#include <string.h>

/* Where it listens for others, as far as that can be seen. */
struct port {
	const struct rmi_local *is;
	const struct listener *listener; /* the one that most get to */
	bool is_seen;                    /* its listeners could be looked at */
	struct text address;             /* to be typed; "127.0.0.1:9010" */
};

static bool is_wildcard(const struct listener *l)
{
	struct text address = { 0 };
	bool is;

	net_address_add(&address, &l->address);
	is = strncmp(address.bytes, "0.0.0.0:", 8) == 0 ||
	     strncmp(address.bytes, "[::]:", 5) == 0;
	text_release(&address);
	return is;
}

/* Of a container's, what is published, or forwarded, is not known here. */
static void add_address(struct port *p, bool is_elsewhere)
{
	if (is_elsewhere)
		text_puts(&p->address, "<its host>");
	else if (p->listener && !is_wildcard(p->listener))
		net_address_add(&p->address, &p->listener->address);
	else
		text_puts(&p->address, "127.0.0.1");
	if (!strchr(p->address.bytes, ':'))
		text_printf(&p->address, ":%u", p->is->remote_port);
}

static void find_port(struct port *p, const struct listeners *all)
{
	const struct listener *one;
	size_t at = 0;

	while ((one = listeners_next(all, p->is->remote_port, &at))) {
		if (!p->listener || listener_is_loopback(p->listener))
			p->listener = one;
	}
}

/* "9010 on all addresses", "127.0.0.1:9010" */
static void add_where(struct text *out, const struct port *p)
{
	if (p->listener && !is_wildcard(p->listener))
		net_address_add(out, &p->listener->address);
	else
		text_printf(out, "%u%s", p->is->remote_port,
			    p->listener ? " on all addresses" : "");
}

/* Who has a certificate that it trusts is known, too. */
static bool is_open_to_anybody(const struct rmi_local *l)
{
	return !l->authenticate && !(l->ssl && l->need_client_auth);
}

static const char *wants(const struct rmi_local *l)
{
	if (l->authenticate)
		return l->ssl ? "requires a password, over TLS"
			      : "requires a password, which is sent in clear";
	if (!is_open_to_anybody(l))
		return "requires a client certificate, over TLS";
	return l->ssl ? "requires no password, over TLS"
		      : "requires no password, without TLS";
}

static void look_at_port(struct doctor_checks *c, const struct port *p)
{
	struct finding *f = doctor_checks_note(c, "JMX port");
	bool is_wide = p->listener ? !listener_is_loopback(p->listener)
				   : !p->is_seen;
	struct text where = { 0 };

	add_where(&where, p);
	if (p->is_seen && !p->listener) {
		finding_detail(
			f,
			"%s is configured, but the JVM does not listen there",
			where.bytes);
	} else if (is_wide && is_open_to_anybody(p->is)) {
		f->is_note = false;
		f->is_warning = true;
		f->is.state = CONDITION_FAILS;
		finding_detail(
			f,
			"%s, %s: anyone who reaches it can run code in the JVM",
			where.bytes, wants(p->is));
		finding_remedy(f, "jmxremote.authenticate=true, or "
				  "jmxremote.host=127.0.0.1 and a tunnel");
	} else {
		finding_detail(f, "%s, %s", where.bytes, wants(p->is));
	}
	text_release(&where);
}

/* What to type, and what when the JVM's own word for its host does not do. */
static void look_at_clients(struct doctor_checks *c, const struct port *p)
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

static void look_at_remote(struct doctor_checks *c, const struct rmi_local *l)
{
	struct port p = { .is = l };
	struct listeners all;
	struct error unseen;

	if (!l->has_remote) {
		finding_detail(doctor_checks_note(c, "JMX port"),
			       "none is configured: JMX works only with -p, "
			       "on this machine");
		return;
	}
	p.is_seen = listeners_read(&all, c->pid, &unseen) == 0;
	find_port(&p, &all);
	add_address(&p, !doctor_checks_same_namespace(c->pid, "net"));
	look_at_port(c, &p);
	if (p.listener)
		look_at_clients(c, &p);
	text_release(&p.address);
	listeners_release(&all);
}

/* Whether the JVM's loopback interface can be reached. */
static void look_at_network(struct doctor_checks *c)
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

static void look_at_local(struct doctor_checks *c, const struct rmi_local *l)
{
	const struct finding *obstacle = doctor_checks_broken(c, NEED_ATTACH);
	struct finding *f = doctor_checks_add(c, "local JMX", CONDITION_HOLDS,
					      NEED_JMX);

	if (l->port) {
		finding_detail(f,
			       "the agent listens on port %u; `sjkc mxping -p "
			       "%d` tests it",
			       l->port, (int)c->pid);
	} else if (obstacle) {
		f->is.state = CONDITION_FAILS;
		f->is.kind = obstacle->is.kind;
		finding_detail(
			f, "the agent is not running and cannot be started: %s",
			obstacle->is.name);
		finding_remedy(f, "start the JVM with "
				  "-Dcom.sun.management.jmxremote");
	} else {
		f->is_note = true;
		finding_detail(f,
			       "the agent is not running; `sjkc mxping -p %d "
			       "--start-agent` starts it, and it listens until "
			       "the JVM exits",
			       (int)c->pid);
	}
}

void doctor_checks_look_at_jmx(struct doctor_checks *c)
{
	struct rmi_local l;
	struct error err;

	if (rmi_local_look(&l, &c->jvm, &err)) {
		finding_error(c,
			      doctor_checks_add(c, "local JMX",
						CONDITION_UNKNOWN, NEED_JMX),
			      &err);
	} else {
		look_at_remote(c, &l);
		look_at_local(c, &l);
		look_at_network(c);
	}
	rmi_local_release(&l);
}
