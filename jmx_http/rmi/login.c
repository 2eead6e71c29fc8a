/* SPDX-License-Identifier: Apache-2.0 */
/* Parses addresses, runs the steps of a login, and keeps a session. */
#include "jmx_http/rmi/login.h"

#include "core/base/alloc.h"
#include "core/base/base64.h"
#include "core/base/clock.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/net/rmi_transport.h"
#include "jmx_http/rmi/methods.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Maximum delay at exit for closing a session. */
#define CLOSE_NS (2 * CLOCK_NS_PER_S)

/* Addresses */

/* java.rmi.registry.Registry.REGISTRY_PORT, the default of URLs. */
#define REGISTRY_PORT 1099

#define ENTRY         "jmxrmi"

static int target_fail(const char *url, const char *why, struct error *err)
{
	return fail(err, ERROR_MISUSE,
		    "%.200s: %s; use service:jmx:rmi:///jndi/rmi://<host>:"
		    "<port>/jmxrmi",
		    url, why);
}

/* Skips a word, ignoring case like JMXServiceURL; NULL if text lacks it. */
static const char *target_skip_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncasecmp(text, word, len) == 0 ? text + len : NULL;
}

/* "host:port", "host" or "", of len bytes. */
static int target_parse_authority(struct net_address *a, const char *at,
				  size_t len, struct error *err)
{
	struct text whole = { 0 };
	const char *last;
	int status;

	text_add(&whole, at, len);
	if (!len)
		text_puts(&whole, "localhost");
	last = strrchr(whole.bytes, ':');
	if (!last || strchr(last, ']'))
		text_printf(&whole, ":%d", REGISTRY_PORT);
	status = net_address_parse(a, whole.bytes, err);
	text_release(&whole);
	return status;
}

/* Parses "//host:port/entry", the rest of a URL after "/jndi/rmi:". */
static int target_parse_jndi(struct rmi_target *t, const char *url,
			     const char *rest, struct error *err)
{
	size_t len;

	rest = target_skip_word(rest, "//");
	if (!rest)
		return target_fail(url, "the URL has no registry address", err);
	len = strcspn(rest, "/");
	if (!rest[len] || !rest[len + 1])
		return target_fail(url, "the URL names no registry entry", err);
	text_puts(&t->entry, rest + len + 1);
	return target_parse_authority(&t->address, rest, len, err);
}

/* Attributes may follow the stub: ";name=value". */
static int target_parse_stub(struct rmi_target *t, const char *url,
			     const char *rest, struct error *err)
{
	if (!base64_read(&t->stub, rest, strcspn(rest, ";")) || !t->stub.len)
		return target_fail(url, "the stub of the URL is not base64",
				   err);
	return 0;
}

static int target_parse_url(struct rmi_target *t, const char *url,
			    struct error *err)
{
	const char *rest = target_skip_word(url, "service:jmx:rmi://"), *path,
		   *found;

	if (!rest && strncmp(url, "service:jmx:", 12) == 0)
		return fail(err, ERROR_MISUSE,
			    "%.200s: only JMX over RMI is supported; use -p, "
			    "-u for Jolokia, or -s with the port of "
			    "com.sun.management.jmxremote.port",
			    url);
	if (!rest)
		return target_fail(url, "not a URL of JMX over RMI", err);
	/* The first host is for servers; clients ignore it. */
	path = rest + strcspn(rest, "/;");
	found = target_skip_word(path, "/jndi/rmi:");
	if (found)
		return target_parse_jndi(t, url, found, err);
	found = target_skip_word(path, "/stub/");
	if (found)
		return target_parse_stub(t, url, found, err);
	return target_fail(url, "the URL has neither /jndi/rmi: nor /stub/",
			   err);
}

int rmi_target_parse(struct rmi_target *t, const char *target,
		     struct error *err)
{
	int status;

	*t = (struct rmi_target){ 0 };
	if (target_skip_word(target, "service:")) {
		status = target_parse_url(t, target, err);
	} else {
		text_puts(&t->entry, ENTRY);
		status = net_address_parse(&t->address, target, err);
	}
	if (status)
		rmi_target_release(t);
	return status;
}

void rmi_target_release(struct rmi_target *t)
{
	text_release(&t->entry);
	text_release(&t->stub);
	*t = (struct rmi_target){ 0 };
}

/* Copying a target */

static char *access_copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static bool access_has_tls_options(const struct rmi_access *a)
{
	return a->tls.cacert || a->tls.cert || a->tls.key || a->tls.insecure ||
	       a->tls.server_name;
}

int rmi_access_init(struct rmi_access *a, const struct jmx_target *target,
		    struct error *err)
{
	*a = (struct rmi_access){
		.timeout_ns = target->timeout_ns ? target->timeout_ns
						 : JMX_TIMEOUT_NS,
		.dialer = target->dialer,
		.warn_clear = target->warn_clear,
		.require_tls = target->require_tls,
		.force_host = target->force_host,
		.force_port = target->force_port,
		.user = access_copy(target->credentials.user),
		.password = access_copy(target->credentials.password),
		.tls = { .insecure = target->tls.insecure,
			 .cacert = access_copy(target->tls.cacert),
			 .cert = access_copy(target->tls.cert),
			 .key = access_copy(target->tls.key),
			 .server_name = access_copy(target->tls.server_name) },
	};
	if (rmi_target_parse(&a->target, target->address, err))
		return -1;
	/* Report unreadable files before connecting to anything. */
	return access_has_tls_options(a) && !rmi_access_context(a, err) ? -1
									: 0;
}

static void access_free_secret(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

void rmi_access_release(struct rmi_access *a)
{
	access_free_secret(a->user);
	access_free_secret(a->password);
	free((char *)a->tls.cacert);
	free((char *)a->tls.cert);
	free((char *)a->tls.key);
	free((char *)a->tls.server_name);
	SSL_CTX_free(a->context);
	rmi_target_release(&a->target);
	*a = (struct rmi_access){ 0 };
}

SSL_CTX *rmi_access_context(struct rmi_access *a, struct error *err)
{
	if (!a->context)
		a->context = tls_client_context(&a->tls, err);
	return a->context;
}

/* Connecting to an endpoint */

static void login_begin(struct rmi_login *l, enum login_step step)
{
	l->step = step;
	l->deadline_ns = clock_after(clock_monotonic_ns(),
				     l->access->timeout_ns);
	if (l->observer)
		l->observer->begin(l->observer->self, step);
}

static int login_end(struct rmi_login *l, int status, const struct error *err)
{
	if (l->observer)
		l->observer->end(l->observer->self, l->step,
				 status ? err : NULL);
	return status;
}

static struct rmi_transport *login_connect(const struct net_address *to,
					   int64_t deadline_ns,
					   struct error *err)
{
	int fd = tcp_connect(to, deadline_ns, err);

	return fd < 0 ? NULL : rmi_tcp_over(fd);
}

static int login_dial(struct rmi_login *l, struct error *err)
{
	struct dialer *dialer = l->access->dialer;
	struct net_address *to = &l->at.address;
	struct rmi_transport *t;

	rmi_connection_close(&l->connection);
	l->is_answered = l->is_secured = false;
	if (!dialer)
		dialer = &tcp_dialer;
	if (!l->access->dialer && to->count)
		t = login_connect(to, l->deadline_ns, err);
	else
		t = rmi_transport_dial(dialer, to, l->deadline_ns, err);
	if (!t)
		return -1;
	rmi_connection_init(&l->connection, t);
	l->is_answered = l->is_untouched = true;
	return 0;
}

/* Shakes hands over a connection to which nothing was sent, or a new one. */
static int login_shake_hands(struct rmi_login *l, const char *host,
			     struct error *err)
{
	SSL_CTX *context = rmi_access_context(l->access, err);
	struct rmi_transport *t;

	tls_report_release(&l->tls);
	if (!context)
		return -1;
	if (!l->is_untouched && login_dial(l, err))
		return -1;
	l->is_untouched = false;
	t = l->connection.transport;
	l->connection.transport = NULL;
	t = rmi_tls_connect(t, context, host, l->deadline_ns, &l->tls, err);
	if (!t)
		return -1;
	rmi_connection_init(&l->connection, t);
	l->is_secured = true;
	return 0;
}

/*
 * Performs the handshake and greets.  With TLS 1.3, a server rejects a client
 * certificate only after the handshake, in place of the greeting.
 */
static int login_secure(struct rmi_login *l, const char *host,
			struct error *err)
{
	if (login_shake_hands(l, host, err))
		return -1;
	return rmi_connection_greet(&l->connection, l->deadline_ns, &l->answer,
				    err);
}

/*
 * Some TLS servers close a plain connection without an alert.  A certificate
 * proves that the server speaks TLS, even if the handshake fails.
 */
static bool login_finds_tls(struct rmi_login *l)
{
	login_shake_hands(l, l->at.address.host, error_unused());
	rmi_connection_close(&l->connection);
	l->is_secured = false;
	l->is_answered = true;
	return l->tls.not_after != 0 || access_has_tls_options(l->access);
}

/*
 * Sends a plain hello.  Returns 0 and sets at.is_tls if the server requires
 * TLS.  may_be_tls is false if a Java client would not try TLS.
 */
static int login_greet(struct rmi_login *l, bool may_be_tls, struct error *err)
{
	l->is_untouched = false;
	if (!rmi_connection_greet(&l->connection, l->deadline_ns, &l->answer,
				  err))
		return 0;
	if (!may_be_tls)
		return -1;
	l->at.is_tls = l->answer == RMI_TLS ||
		       (l->answer == RMI_CLOSED && login_finds_tls(l));
	return l->at.is_tls ? 0 : -1;
}

int rmi_access_dial(struct rmi_access *a, struct rmi_endpoint *e,
		    struct rmi_connection *c, struct error *err)
{
	struct rmi_login l = {
		.access = a,
		.at = *e,
		.deadline_ns = clock_after(clock_monotonic_ns(), a->timeout_ns),
	};
	int status;

	/* Resolve again: a host that restarted may have another address. */
	l.at.address.count = 0;
	status = login_dial(&l, err);
	if (!status && !l.at.is_tls)
		status = login_greet(&l, true, err);
	if (!status && l.at.is_tls)
		status = login_secure(&l, l.at.address.host, err);
	tls_report_release(&l.tls);
	e->is_tls = l.at.is_tls;
	*c = l.connection;
	return status;
}

/* The registry */

static int login_reach_registry(struct rmi_login *l, struct error *err)
{
	const char *host = l->access->certificate_host;
	int status;

	l->at.address = l->access->target.address;
	l->at.is_tls = l->access->require_tls;
	if (!l->access->dialer) {
		login_begin(l, LOGIN_RESOLVE);
		status = net_address_resolve(&l->at.address, l->deadline_ns,
					     err);
		if (login_end(l, status, err))
			return -1;
	}
	login_begin(l, LOGIN_CONNECT);
	status = login_dial(l, err);
	if (!status)
		l->registry_peer = l->connection.transport->peer;
	if (login_end(l, status, err))
		return -1;
	if (!l->at.is_tls) {
		login_begin(l, LOGIN_GREET);
		if (login_end(l, login_greet(l, true, err), err))
			return -1;
	}
	if (!l->at.is_tls)
		return 0;
	login_begin(l, LOGIN_TLS);
	status = login_secure(l, host ? host : l->at.address.host, err);
	return login_end(l, status, err);
}

void rmi_add_lookup(struct text *out, const char *entry, size_t len)
{
	jmx_add_call(out, &jrmp_registry, JMX_LOOKUP);
	java_write_string(out, entry, len);
}

int rmi_lookup_stub(const struct jrmp_return *r, struct stub *stub,
		    struct error *err)
{
	if (r->is_exception)
		return rmi_thrown(r->value, err);
	return stub_of(r->value, stub, err);
}

/* A call whose exception is a failure. */
static int login_call(struct rmi_login *l, const struct text *message,
		      struct jrmp_return *r, struct error *err)
{
	err->sys = 0;
	l->has_reply = !rmi_connection_call(&l->connection, message, r,
					    l->deadline_ns, err);
	if (!l->has_reply)
		return -1;
	return r->is_exception ? rmi_thrown(r->value, err) : 0;
}

static int login_look_up(struct rmi_login *l, struct error *err)
{
	const struct text *entry = &l->access->target.entry;
	struct text message = { 0 };
	int status;

	if (login_reach_registry(l, err))
		return -1;
	login_begin(l, LOGIN_LOOKUP);
	rmi_add_lookup(&message, entry->bytes, entry->len);
	status = login_call(l, &message, &l->looked_up, err);
	text_release(&message);
	return login_end(l, status, err);
}

/* Reads the stub in the URL; l->given owns its memory. */
static int login_read_given(struct rmi_login *l, struct error *err)
{
	const struct text *stub = &l->access->target.stub;
	const struct java_value *v = NULL;
	size_t used;

	if (java_stream_read(&l->given, stub->bytes, stub->len, &used, &v) !=
	    JAVA_DONE)
		return fail(err, ERROR_REFUSED,
			    "the URL contains no serialized stub: %s",
			    l->given.wrong ? l->given.wrong
					   : "it is truncated");
	return stub_of(v, &l->server, err);
}

static int login_read_stub(struct rmi_login *l, struct error *err)
{
	if (l->access->target.stub.len)
		return login_read_given(l, err);
	if (rmi_lookup_stub(&l->looked_up, &l->server, err))
		return -1;
	/* Else the registry would keep the object for five minutes. */
	if (l->server.is_result)
		return rmi_connection_acknowledge(&l->connection, &l->looked_up,
						  l->deadline_ns, err);
	return 0;
}

static int login_find_server(struct rmi_login *l, struct error *err)
{
	if (!l->access->target.stub.len && login_look_up(l, err))
		return -1;
	login_begin(l, LOGIN_STUB);
	return login_end(l, login_read_stub(l, err), err);
}

/* The endpoints of stubs */

bool stub_is_tls(const struct stub *stub)
{
	return java_bytes_are(stub->factory,
			      "javax.rmi.ssl.SslRMIClientSocketFactory");
}

struct rmi_endpoint rmi_login_endpoint(const struct rmi_login *l,
				       const struct stub *stub)
{
	const struct rmi_access *a = l->access;
	const struct net_address *own = &a->target.address;
	struct rmi_endpoint e = {
		.is_tls = a->require_tls || stub_is_tls(stub),
	};
	/*
	 * A stub without a host makes a Java client connect to its own machine,
	 * where a password would go to whichever program listens.
	 */
	bool use_own = a->force_host || (stub->names_no_host && !a->as_java);

	memcpy(e.address.host, own->port && use_own ? own->host : stub->host,
	       sizeof(e.address.host));
	e.address.port = own->port && a->force_port ? own->port : stub->port;
	return e;
}

/* True if the current connection leads to the wanted endpoint. */
static bool login_is_at(const struct rmi_login *l,
			const struct rmi_endpoint *wanted)
{
	const struct rmi_connection *c = &l->connection;
	struct text peer = { 0 }, address = { 0 };
	bool same;

	if (!c->transport || l->at.is_tls != wanted->is_tls)
		return false;
	text_printf(&address, "%s:%d", wanted->address.host,
		    wanted->address.port);
	if (c->transport->peer.ss_family)
		net_address_add(&peer, &c->transport->peer);
	same = (strcmp(l->at.address.host, wanted->address.host) == 0 &&
		l->at.address.port == wanted->address.port) ||
	       (peer.len && strcmp(peer.bytes, address.bytes) == 0);
	text_release(&peer);
	text_release(&address);
	return same;
}

/*
 * Connects to the stub's endpoint, unless the connection leads there already.
 * Does not perform a TLS handshake.
 */
static int login_move_to(struct rmi_login *l, const struct stub *stub,
			 struct error *err)
{
	struct rmi_endpoint e = rmi_login_endpoint(l, stub);
	bool is_custom = stub->factory.len && !e.is_tls;

	/* A custom socket factory on the same port: use the detected TLS. */
	if (is_custom && e.address.port == l->at.address.port &&
	    strcmp(e.address.host, l->at.address.host) == 0)
		e.is_tls = l->at.is_tls;
	if (login_is_at(l, &e))
		return 0;
	l->at = e;
	if (login_dial(l, err))
		return -1;
	if (l->at.is_tls)
		return 0;
	return login_greet(l, is_custom || !l->access->as_java, err);
}

/* True if the connection still needs a handshake. */
static bool login_owes_handshake(const struct rmi_login *l)
{
	return l->at.is_tls && !l->is_secured;
}

static int login_reach_server(struct rmi_login *l, struct error *err)
{
	login_begin(l, LOGIN_SERVER);
	if (login_end(l, login_move_to(l, &l->server, err), err))
		return -1;
	if (!login_owes_handshake(l))
		return 0;
	login_begin(l, LOGIN_SERVER_TLS);
	return login_end(l, login_secure(l, l->at.address.host, err), err);
}

static int login_reach_session(struct rmi_login *l, struct error *err)
{
	int status;

	login_begin(l, LOGIN_SESSION);
	status = login_move_to(l, &l->session, err);
	if (!status && login_owes_handshake(l))
		status = login_secure(l, l->at.address.host, err);
	return login_end(l, status, err);
}

/* The session */

static bool login_is_on_this_machine(const struct rmi_login *l)
{
	const struct sockaddr_storage *peer = &l->connection.transport->peer;
	const struct sockaddr_in *four = (const struct sockaddr_in *)peer;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)peer;

	if (peer->ss_family == AF_INET)
		return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return peer->ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/*
 * Warns before a password is sent in clear.  Fails if a certificate was given,
 * because the user expects TLS.
 */
static int login_check_secrecy(struct rmi_login *l, struct error *err)
{
	struct rmi_access *a = l->access;

	if (!a->user || l->at.is_tls)
		return 0;
	if (!a->tls.cacert && !a->tls.cert) {
		if (a->warn_clear && !login_is_on_this_machine(l))
			a->warn_clear(l->at.address.host, l->at.address.port);
		a->warn_clear = NULL;
		return 0;
	}
	l->is_withheld = true;
	return fail(err, ERROR_REFUSED,
		    "the password was not sent: %s, port %d does not speak "
		    "TLS, and a certificate was given",
		    l->at.address.host, l->at.address.port);
}

static void login_add_client(const struct rmi_login *l, struct text *message)
{
	const struct rmi_access *a = l->access;
	const char *both[] = { a->user, a->password };

	jmx_add_call(message, &l->server.id, JMX_NEW_CLIENT);
	if (a->user)
		java_write_strings(message, both, 2, JAVA_OF_RMI);
	else
		java_write_null(message);
}

/* Reserves memory: growing the text would leave a copy of the password. */
static void login_reserve(const struct rmi_login *l, struct text *message)
{
	const struct rmi_access *a = l->access;
	size_t len = a->user ? strlen(a->user) + strlen(a->password) : 0;
	char room[512] = { 0 };

	for (size_t i = 0; i < len * 3 + sizeof(room); i += sizeof(room))
		text_add(message, room, sizeof(room));
	text_clear(message);
}

static int login_request_version(struct rmi_login *l, struct error *err)
{
	struct text message = { 0 };
	int status;

	login_begin(l, LOGIN_VERSION);
	jmx_add_call(&message, &l->server.id, JMX_GET_VERSION);
	status = login_call(l, &message, &l->version, err);
	text_release(&message);
	if (!status && !java_string_of(l->version.value).len)
		status = fail(err, ERROR_REFUSED,
			      "the server returned no version");
	return login_end(l, status, err);
}

static int login_send_client(struct rmi_login *l, struct error *err)
{
	struct text message = { 0 };
	int status;

	err->sys = 0;
	login_reserve(l, &message);
	if (!l->observer)
		jmx_add_call(&message, &l->server.id, JMX_GET_VERSION);
	login_add_client(l, &message);
	status = rmi_connection_send(&l->connection, &message, l->deadline_ns,
				     err);
	explicit_bzero(message.bytes, message.cap);
	text_release(&message);
	/* If getVersion() throws, newClient() may still succeed. */
	if (!status && !l->observer)
		status = rmi_connection_receive(&l->connection, &l->version,
						l->deadline_ns, err);
	if (!status)
		status = rmi_connection_receive(&l->connection, &l->opened,
						l->deadline_ns, err);
	l->has_reply = status == 0;
	return status;
}

static int login_open_session(struct rmi_login *l, struct error *err)
{
	int status;

	if (l->observer && login_request_version(l, err))
		return -1;
	login_begin(l, LOGIN_CLIENT);
	status = login_check_secrecy(l, err);
	if (!status)
		status = login_send_client(l, err);
	if (!status && l->opened.is_exception)
		status = rmi_thrown(l->opened.value, err);
	else if (!status)
		status = stub_of(l->opened.value, &l->session, err);
	return login_end(l, status, err);
}

int rmi_login_run(struct rmi_login *l, struct error *err)
{
	if (login_find_server(l, err) || login_reach_server(l, err) ||
	    login_open_session(l, err))
		return -1;
	return login_reach_session(l, err);
}

void rmi_login_release(struct rmi_login *l)
{
	rmi_connection_close(&l->connection);
	jrmp_return_release(&l->looked_up);
	jrmp_return_release(&l->version);
	jrmp_return_release(&l->opened);
	java_stream_release(&l->given);
	tls_report_release(&l->tls);
}

/* A client's session */

int rmi_session_init(struct rmi_session *s, const struct jmx_target *target,
		     struct error *err)
{
	*s = (struct rmi_session){ 0 };
	text_puts(&s->version, "");
	text_puts(&s->title, target->title ? target->title : target->address);
	return rmi_access_init(&s->access, target, err);
}

/* Explains that the endpoint of a stub is unreachable. */
static int session_explain_endpoint(const struct rmi_login *l,
				    struct error *err)
{
	const struct net_address *own = &l->access->target.address;
	const struct net_address *at = &l->at.address;
	struct error cause;

	/* The target is reachable; only the endpoint in its stub is not. */
	if (err->kind == ERROR_NO_TARGET && own->port)
		err->kind = ERROR_REFUSED;
	if (own->port &&
	    (strcmp(own->host, at->host) != 0 || own->port != at->port)) {
		int sys = err->sys;

		cause = *err;
		fail(err, cause.kind,
		     "the JVM sends clients to %s, port %d: %s; try "
		     "--force-hostname or --force-address, or run mxping",
		     at->host, at->port, cause.text);
		err->sys = sys;
		return -1;
	}
	return fail_in(err, "%s, port %d", at->host, at->port);
}

/* The JVM at the endpoint has no such object: it is not the registry's JVM. */
static int session_add_hint(struct error *err)
{
	size_t len = strlen(err->text);

	if (strstr(err->text, "java.rmi.NoSuchObjectException"))
		snprintf(err->text + len, sizeof(err->text) - len,
			 "; another JVM may answer there: try --force-hostname "
			 "or --force-address, or run mxping");
	return -1;
}

/* Adds the step that failed. */
static int session_explain(const struct rmi_login *l, struct error *err)
{
	const struct rmi_access *a = l->access;

	switch (l->step) {
	case LOGIN_TLS:
		if (a->require_tls && !l->tls.not_after)
			fail_in(err, "no TLS, which --tls requires");
		return -1;
	case LOGIN_LOOKUP:
		return fail_in(err, "the RMI registry");
	case LOGIN_STUB:
		if (a->target.stub.len)
			return -1;
		return fail_in(err, "entry %s of the RMI registry",
			       a->target.entry.bytes);
	case LOGIN_SERVER:
	case LOGIN_SERVER_TLS:
	case LOGIN_SESSION:
		return session_explain_endpoint(l, err);
	case LOGIN_CLIENT:
		if (err->kind == ERROR_PERMISSION)
			fail_in(err, a->user ? "the JVM rejects the user or "
					       "the password"
					     : "the JVM requires --user and a "
					       "password");
		fail_in(err, "login");
		return session_add_hint(err);
	default:
		return session_add_hint(err);
	}
}

/* "1.0 java_runtime_17.0.15+6-…": versions of the agent and of the JVM. */
static void session_read_version(struct rmi_session *s,
				 const struct jrmp_return *r)
{
	static const char mark[] = "java_runtime_";
	struct java_bytes all = java_string_of(r->value);
	const char *at = memmem(all.at, all.len, mark, strlen(mark));

	text_clear(&s->version);
	if (r->is_exception || !at)
		return;
	at += strlen(mark);
	text_add(&s->version, at, (size_t)(all.at + all.len - at));
}

static void session_adopt_login(struct rmi_session *s, struct rmi_login *l)
{
	session_read_version(s, &l->version);
	s->connection = l->connection;
	l->connection = (struct rmi_connection){ 0 };
	s->at = l->at;
	s->id = l->session.id;
	s->owes_ack = l->session.is_result;
	memcpy(s->ack_id, l->opened.ack_id, sizeof(s->ack_id));
	s->logins++;
	s->used_ns = clock_monotonic_ns();
}

/* Prepends the title to an error that does not name the JVM's address yet. */
static int session_name_error(const struct rmi_session *s, struct error *err)
{
	return strstr(err->text, s->title.bytes)
		       ? -1
		       : fail_in(err, "%s", s->title.bytes);
}

int rmi_session_login(struct rmi_session *s, struct error *err)
{
	struct rmi_login l = { .access = &s->access };
	int status;

	rmi_session_drop(s);
	status = rmi_login_run(&l, err);
	if (status == 0) {
		session_adopt_login(s, &l);
	} else {
		session_explain(&l, err);
		session_name_error(s, err);
	}
	rmi_login_release(&l);
	return status;
}

int rmi_session_dial(struct rmi_session *s, struct rmi_connection *c,
		     struct error *err)
{
	if (rmi_access_dial(&s->access, &s->at, c, err) == 0)
		return 0;
	rmi_connection_close(c);
	return session_name_error(s, err);
}

int rmi_session_connect(struct rmi_session *s, struct error *err)
{
	if (s->connection.transport)
		return 0;
	/* If this fails, the JVM may have been restarted at another port. */
	if (s->logins && !rmi_session_dial(s, &s->connection, error_unused()))
		return 0;
	return rmi_session_login(s, err);
}

void rmi_session_drop(struct rmi_session *s)
{
	rmi_connection_close(&s->connection);
}

void rmi_session_acknowledge(struct rmi_session *s, struct text *out)
{
	if (!s->owes_ack)
		return;
	jrmp_add_ack(out, s->ack_id);
	s->owes_ack = false;
}

/*
 * Otherwise the JVM would keep the session for two minutes, and its object for
 * five.
 */
static void session_close(struct rmi_session *s)
{
	struct jrmp_return r = { .is_void = true };
	struct text message = { 0 };
	int64_t by_ns = clock_after(clock_monotonic_ns(),
				    s->access.timeout_ns < CLOSE_NS
					    ? s->access.timeout_ns
					    : CLOSE_NS);

	rmi_session_acknowledge(s, &message);
	jmx_add_call(&message, &s->id, JMX_CLOSE);
	rmi_connection_call(&s->connection, &message, &r, by_ns,
			    error_unused());
	text_release(&message);
	jrmp_return_release(&r);
}

void rmi_session_release(struct rmi_session *s)
{
	if (s->logins && s->connection.transport)
		session_close(s);
	rmi_session_drop(s);
	rmi_access_release(&s->access);
	text_release(&s->version);
	text_release(&s->title);
	*s = (struct rmi_session){ 0 };
}
