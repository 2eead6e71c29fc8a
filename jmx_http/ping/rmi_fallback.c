/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches for a remote object whose stub names an unreachable endpoint.  A
 * stub contains the JVM's own host name, or java.rmi.server.hostname, and a
 * port; both may be valid only on the JVM's side.  Each fix is tested before
 * mxping suggests it.
 */
#include "core/base/clock.h"
#include "jmx_http/net/rmi_transport.h"
#include "jmx_http/ping/rmi_probe_parts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#define RMI_PORT "-Dcom.sun.management.jmxremote.rmi.port"
#define HOSTNAME "-Djava.rmi.server.hostname"

enum host_kind {
	HOST_UNKNOWN,  /* a name without an address */
	HOST_ANY,      /* 0.0.0.0 */
	HOST_LOOPBACK, /* of this machine */
	HOST_LINK,     /* 169.254.…, fe80:… */
	HOST_PRIVATE,  /* RFC 1918, RFC 4193, RFC 6598 */
	HOST_PUBLIC,
};

/* What listens on an endpoint that was tried. */
enum found {
	FOUND_NOTHING,
	FOUND_OTHER,     /* another server */
	FOUND_OBJECT,    /* the object of the stub */
	FOUND_UNTRUSTED, /* the object, with an untrusted certificate */
};

static enum host_kind host_kind_of_ipv4(uint32_t a)
{
	if (a == 0)
		return HOST_ANY;
	if (a >> 24 == 127)
		return HOST_LOOPBACK;
	if (a >> 16 == 0xa9fe)
		return HOST_LINK;
	if (a >> 24 == 10 || a >> 20 == 0xac1 || a >> 16 == 0xc0a8 ||
	    a >> 22 == 0x6440 >> 6)
		return HOST_PRIVATE;
	return HOST_PUBLIC;
}

static enum host_kind host_kind_of_address(const struct sockaddr_storage *s)
{
	const struct in6_addr *six = &((const struct sockaddr_in6 *)s)
					      ->sin6_addr;
	const struct sockaddr_in *four = (const struct sockaddr_in *)s;

	if (s->ss_family == AF_INET)
		return host_kind_of_ipv4(ntohl(four->sin_addr.s_addr));
	if (s->ss_family != AF_INET6)
		return HOST_UNKNOWN;
	if (IN6_IS_ADDR_UNSPECIFIED(six))
		return HOST_ANY;
	if (IN6_IS_ADDR_LOOPBACK(six))
		return HOST_LOOPBACK;
	if (IN6_IS_ADDR_LINKLOCAL(six))
		return HOST_LINK;
	return (six->s6_addr[0] & 0xfe) == 0xfc ? HOST_PRIVATE : HOST_PUBLIC;
}

/* Judges an address; resolves no other name than "localhost". */
static enum host_kind host_kind_of_text(const char *host)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };

	if (inet_pton(AF_INET, host, &four.sin_addr) == 1)
		return host_kind_of_address((struct sockaddr_storage *)&four);
	if (inet_pton(AF_INET6, host, &six.sin6_addr) == 1)
		return host_kind_of_address((struct sockaddr_storage *)&six);
	return strcmp(host, "localhost") == 0 ? HOST_LOOPBACK : HOST_UNKNOWN;
}

bool rmi_is_loopback(const char *host)
{
	return host_kind_of_text(host) == HOST_LOOPBACK;
}

bool rmi_is_own_machine(const char *host)
{
	enum host_kind kind = host_kind_of_text(host);

	return kind == HOST_LOOPBACK || kind == HOST_ANY;
}

/* Checks for the object by a call that needs no password. */
static enum found fallback_call_object(struct rmi_probe *p,
				       struct rmi_connection *c,
				       const struct stub *stub)
{
	bool is_session = stub == &p->login.session;
	struct jrmp_return r = { 0 };
	enum rmi_answer answer;
	enum found found = FOUND_OTHER;

	if (!rmi_connection_greet(c, p->deadline_ns, &answer, error_unused()) &&
	    !rmi_probe_invoke(p, c, stub,
			      is_session ? JMX_GET_DEFAULT_DOMAIN
					 : JMX_GET_VERSION,
			      is_session, &r, error_unused()))
		found = FOUND_OBJECT;
	jrmp_return_release(&r);
	return found;
}

static enum found fallback_try_with(struct rmi_probe *p,
				    const struct net_address *at,
				    const struct stub *stub, SSL_CTX *context)
{
	struct net_address to = *at;
	struct rmi_connection c = { 0 };
	struct rmi_transport *t;
	enum found found = FOUND_OTHER;

	rmi_probe_set_deadline(p);
	t = rmi_probe_dial(p, &to, error_unused());
	if (!t)
		return FOUND_NOTHING;
	if (context)
		t = rmi_tls_connect(t, context, at->host, p->deadline_ns, NULL,
				    error_unused());
	if (t) {
		rmi_connection_init(&c, t);
		found = fallback_call_object(p, &c, stub);
	}
	rmi_connection_close(&c);
	return found;
}

static enum found fallback_try(struct rmi_probe *p,
			       const struct net_address *at,
			       const struct stub *stub)
{
	struct tls_options options = p->access.tls;
	SSL_CTX *context = NULL;
	enum found found;

	if (stub_is_tls(stub))
		context = rmi_access_context(&p->access, error_unused());
	found = fallback_try_with(p, at, stub, context);
	if (found != FOUND_OTHER || !stub_is_tls(stub))
		return found;
	options.insecure = true;
	context = tls_client_context(&options, error_unused());
	if (context && fallback_try_with(p, at, stub, context) == FOUND_OBJECT)
		found = FOUND_UNTRUSTED;
	SSL_CTX_free(context);
	return found;
}

static bool address_is_same(const struct net_address *a,
			    const struct net_address *b)
{
	return strcmp(a->host, b->host) == 0 && a->port == b->port;
}

static const char *answer_description(enum rmi_answer answer)
{
	static const char *const words[] = {
		[RMI_JRMP] = "where another JVM answers, or another port of "
			     "this one",
		[RMI_UNWILLING] = "where an RMI server rejects the protocol",
		[RMI_TLS] = "where the server speaks TLS, which the stub does "
			    "not announce",
		[RMI_HTTP] = "where a web server listens",
		[RMI_OTHER] = "where something other than RMI listens",
		[RMI_SILENT] = "where the server accepts the connection, but "
			       "sends nothing",
		[RMI_CLOSED] = "where the server closes the connection without "
			       "a reply",
	};

	return words[answer];
}

/*
 * Why the endpoint is unreachable.  The registry's address shows whether the
 * JVM is remote.
 */
static const char *fallback_absence(const struct rmi_probe *p,
				    const struct stub *stub,
				    const struct rmi_failure *f,
				    enum host_kind kind)
{
	bool is_remote = host_kind_of_address(&p->login.registry_peer) !=
			 HOST_LOOPBACK;

	if (f->is_unknown)
		return "a name that does not resolve here";
	if (kind == HOST_ANY)
		return "which is not an address to connect to";
	if (kind == HOST_LOOPBACK && is_remote && !stub->names_no_host)
		return "a loopback address: for a remote client, the client's "
		       "own machine";
	if (kind == HOST_LINK)
		return "an address that is valid only on the JVM's own link";
	if (f->sys == ECONNREFUSED)
		return "where nothing listens";
	if (f->sys == ETIMEDOUT && kind == HOST_PRIVATE)
		return "a private address that does not answer from here";
	if (f->sys == ETIMEDOUT)
		return "which does not answer";
	return kind == HOST_PRIVATE ? "a private address of another network"
				    : "which is unreachable from here";
}

static enum host_kind host_kind_of_name(struct rmi_probe *p,
					const struct net_address *at)
{
	struct net_address a = *at;

	if (p->access.dialer ||
	    net_address_resolve(&a, p->deadline_ns, error_unused()))
		return HOST_UNKNOWN;
	return host_kind_of_address(&a.list[0]);
}

static void fallback_add_failure(struct rmi_probe *p, struct text *verdict,
				 const struct stub *stub,
				 const struct rmi_failure *f)
{
	struct net_address at = rmi_login_endpoint(&p->login, stub).address;
	bool is_forced = strcmp(at.host, stub->host) != 0 ||
			 at.port != stub->port;

	if (is_forced)
		text_printf(verdict, "--force-… selects %s, port %d, ", at.host,
			    at.port);
	else if (stub->names_no_host)
		text_printf(verdict,
			    "the JVM's stub names no host, so each Java client "
			    "connects to its own machine, %s, port %d, ",
			    at.host, at.port);
	else
		text_printf(verdict, "the JVM %s %s, port %d, ",
			    stub == &p->login.session ? "opens sessions at"
						      : "sends clients to",
			    at.host, at.port);
	text_puts(verdict,
		  f->is_answered
			  ? answer_description(f->answer)
			  : fallback_absence(
				    p, stub, f,
				    f->is_unknown ? HOST_UNKNOWN
						  : host_kind_of_name(p, &at)));
	if (f->is_answered && f->answer == RMI_OTHER)
		text_puts(verdict,
			  " (Java clients report: non-JRMP server at remote "
			  "endpoint)");
}

/* A free loopback port: the given number, or one of the next. */
static int fallback_free_port(uint16_t from)
{
	int port = from, limit = port + 20;

	while (port < limit && port < 65536) {
		struct sockaddr_in here = {
			.sin_family = AF_INET,
			.sin_port = htons((uint16_t)port),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		};
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		int failed = fd < 0 ||
			     bind(fd, (struct sockaddr *)&here, sizeof(here));

		if (fd >= 0)
			close(fd);
		if (!failed)
			return port;
		port++;
	}
	return from;
}

/* Suggests mxprx, which finds the port that works by itself. */
static void fallback_add_proxy(struct rmi_probe *p, enum found found,
			       struct text *remedy)
{
	const struct net_address *target = &p->access.target.address;
	int port = fallback_free_port(target->port);

	text_printf(
		remedy,
		"\nor run a proxy for clients at 127.0.0.1:%d: sjkc mxprx -s ",
		port);
	rmi_add_target(remedy, target);
	text_printf(remedy, "%s%s -b 127.0.0.1:%d", p->as_given,
		    found == FOUND_UNTRUSTED && !p->access.tls.insecure
			    ? " --insecure"
			    : "",
		    port);
}

/* The object is at the stub's port of the target's host. */
static void fallback_judge_same_host(struct rmi_probe *p,
				     const struct stub *stub,
				     const struct net_address *at,
				     enum found found, struct text *verdict,
				     struct text *remedy)
{
	text_printf(verdict, "; the same port of %s reaches the JVM", at->host);
	text_printf(remedy, "start the JVM with " HOSTNAME "=%s", at->host);
	fallback_add_proxy(p, found, remedy);
	if (stub->names_no_host)
		text_printf(remedy,
			    "\nsjkc's own commands connect to %s when a stub "
			    "names no host",
			    at->host);
	else
		text_puts(remedy,
			  "\nsjkc's own commands need --force-hostname");
}

/* The object is at the registry's own port. */
static void fallback_judge_same_port(struct rmi_probe *p,
				     const struct net_address *at,
				     enum found found, struct text *verdict,
				     struct text *remedy)
{
	text_printf(verdict,
		    "; it also answers at %s, port %d, the registry's port",
		    at->host, at->port);
	text_printf(remedy,
		    "forward or publish the port under its own number, and "
		    "start the JVM with " HOSTNAME "=%s",
		    at->host);
	fallback_add_proxy(p, found, remedy);
	text_puts(remedy, "\nsjkc's own commands need --force-address");
}

static void fallback_judge_nowhere(const struct rmi_probe *p,
				   const struct rmi_failure *f,
				   const struct stub *stub, struct text *remedy)
{
	const char *host = p->access.target.address.host;

	if (f->is_answered && f->answer == RMI_JRMP)
		text_puts(remedy,
			  "a port forward may lead to the registry instead: "
			  "forward both ports, each under its own number\n");
	else if (rmi_is_loopback(host))
		text_printf(
			remedy,
			"if %s, port %d is a port forward: forward port %d as "
			"well, under the same number, and run mxping again\n",
			host, p->access.target.address.port, stub->port);
	if (strcmp(stub->host, host) == 0)
		text_puts(remedy, "give the JVM a fixed, reachable " RMI_PORT
				  ", preferably that of jmxremote.port");
	else
		text_printf(remedy,
			    "start the JVM with " HOSTNAME "=%s and a fixed, "
			    "reachable " RMI_PORT
			    ", preferably that of jmxremote.port",
			    host);
	text_puts(remedy,
		  "\nor run a proxy that reaches all ports of the JVM: sjkc "
		  "mxprx -s HOST:PORT --proxy-command 'ssh -W "
		  "{host}:{port} BASTION' -b 127.0.0.1:7777, or sjkc mxprx "
		  "--kubectl POD:PORT -b 127.0.0.1:7777");
}

/* From inside the JVM's network, the addresses of clients are unknown. */
static void fallback_judge_from_within(const struct rmi_probe *p,
				       struct text *remedy)
{
	text_printf(remedy,
		    "start the JVM with " HOSTNAME
		    "= a name or address that clients can reach\n"
		    "or run a proxy: sjkc mxprx -p %s -b 127.0.0.1:7777 serves "
		    "clients through the local JMX connector",
		    p->pid);
}

/* Tries the target's host: first with the stub's port, then with its own. */
static void fallback_search(struct rmi_probe *p, const struct stub *stub,
			    const struct rmi_failure *f, struct text *verdict,
			    struct text *remedy)
{
	struct net_address tried = rmi_login_endpoint(&p->login, stub).address;
	struct net_address here = p->access.target.address, same = here;
	enum found found = FOUND_NOTHING;

	here.port = stub->port;
	if (!address_is_same(&here, &tried))
		found = fallback_try(p, &here, stub);
	if (found >= FOUND_OBJECT) {
		fallback_judge_same_host(p, stub, &here, found, verdict,
					 remedy);
		return;
	}
	found = FOUND_NOTHING;
	if (!address_is_same(&same, &tried) && !address_is_same(&same, &here))
		found = fallback_try(p, &same, stub);
	if (found >= FOUND_OBJECT)
		fallback_judge_same_port(p, &same, found, verdict, remedy);
	else
		fallback_judge_nowhere(p, f, stub, remedy);
}

void rmi_judge_unreachable(struct rmi_probe *p, const struct stub *stub,
			   const struct rmi_failure *f, struct error *err)
{
	struct text verdict = { 0 }, remedy = { 0 };

	fallback_add_failure(p, &verdict, stub, f);
	if (p->access.target.stub.len)
		text_puts(&remedy, "");
	else if (p->pid)
		fallback_judge_from_within(p, &remedy);
	else
		fallback_search(p, stub, f, &verdict, &remedy);
	probe_judge(p->report, verdict.bytes, remedy.bytes);
	text_release(&verdict);
	text_release(&remedy);
	/* The target is reachable, only the stub's endpoint is not. */
	err->kind = ERROR_REFUSED;
}
