/* SPDX-License-Identifier: Apache-2.0 */
/* Explains a failed step of the login, and suggests fixes. */
#include "core/base/clock.h"
#include "jmx_http/ping/rmi_probe_parts.h"

#include <errno.h>
#include <string.h>

#define REMOTE "com.sun.management.jmxremote."

void rmi_judge_dns(struct rmi_probe *p)
{
	probe_judge(p->report, "the host name does not resolve",
		    "check the spelling; names of a cluster or a VPN may not "
		    "resolve on this machine");
}

void rmi_judge_tcp(struct rmi_probe *p, int sys)
{
	if (sys == ECONNREFUSED)
		probe_judge(p->report, "nothing listens on the port",
			    "start the JVM with -D" REMOTE
			    "port of this number; for a container, publish or "
			    "forward the port; a JVM may listen on another "
			    "address only (" REMOTE "host; Cassandra: "
			    "LOCAL_JMX): run sjkc mxping -p PID beside it");
	else
		probe_judge_unreached(p->report, sys);
}

/* A web server waits for the end of the request line, which RMI lacks. */
static bool diagnosis_finds_http(struct rmi_probe *p)
{
	static const char request[] = "GET / HTTP/1.0\r\n\r\n";
	struct net_address to = p->access.target.address;
	struct rmi_transport *t;
	char reply[5];
	bool is_http;

	rmi_probe_set_deadline(p);
	t = rmi_probe_dial(p, &to, error_unused());
	if (!t)
		return false;
	is_http = t->kind->write(t, request, sizeof(request) - 1,
				 p->deadline_ns, error_unused()) == 0 &&
		  t->kind->read(t, reply, sizeof(reply), p->deadline_ns,
				error_unused()) == sizeof(reply) &&
		  memcmp(reply, "HTTP/", sizeof(reply)) == 0;
	rmi_transport_close(t);
	return is_http;
}

void rmi_judge_protocol(struct rmi_probe *p, enum rmi_answer answer)
{
	static const struct {
		const char *verdict, *remedy;
	} answers[] = {
		[RMI_UNWILLING] = { "an RMI server rejects the protocol", "" },
		[RMI_TLS] = { "the server requires TLS inside TLS",
			      "a proxy between client and server may add its "
			      "own TLS" },
		[RMI_HTTP] = { "a web server listens on the port, not JMX",
			       "this may be the port of the application or of "
			       "Jolokia (use -u http://HOST:PORT/jolokia); the "
			       "JMX port is that of " REMOTE "port" },
		[RMI_OTHER] = { "something other than JMX listens on the port",
				"the JMX port is that of " REMOTE "port" },
		[RMI_SILENT] = { "the server accepts the connection, but sends "
				 "nothing",
				 "the JVM may be stopped or in a long pause, a "
				 "port forward may have lost its target, or "
				 "the port may belong to another protocol; the "
				 "JMX port is that of " REMOTE "port" },
		[RMI_CLOSED] = { "the server closes the connection without a "
				 "reply",
				 "port forwards without a listening target do "
				 "this, and servers of other protocols" },
	};

	if (answer == RMI_SILENT && diagnosis_finds_http(p))
		answer = RMI_HTTP;
	probe_judge(p->report, answers[answer].verdict, answers[answer].remedy);
}

void rmi_judge_silence(struct rmi_probe *p, int sys)
{
	if (sys == ETIMEDOUT)
		probe_judge(p->report,
			    "the RMI server greets, but does not reply to a "
			    "call in time",
			    "the JVM may be stopped or in a long pause; "
			    "--timeout sets a longer limit");
	else
		probe_judge(p->report,
			    "the RMI server greets, but sends no valid reply",
			    "a proxy between client and server may truncate or "
			    "change the data");
}

/* sun.management.jmxremote.SingleEntryRegistry names its only entry. */
static bool diagnosis_names_jmxrmi(const struct java_value *thrown)
{
	struct text told = { 0 };
	bool names;

	text_puts(&told, "");
	java_add_throwable(&told, thrown);
	names = strstr(told.bytes, "only bound name is \"jmxrmi\"") != NULL;
	text_release(&told);
	return names;
}

void rmi_judge_registry(struct rmi_probe *p, const struct java_value *thrown)
{
	struct text verdict = { 0 };

	if (java_is_caused_by(thrown, "java.rmi.NotBoundException")) {
		text_puts(&verdict, "the RMI registry has no entry ");
		text_puts(&verdict, p->access.target.entry.bytes);
		probe_judge(p->report, verdict.bytes,
			    diagnosis_names_jmxrmi(thrown)
				    ? "use the entry jmxrmi: the URL must end "
				      "with /jmxrmi"
				    : "this may be an application's own "
				      "registry; that of JMX is at " REMOTE
				      "port");
	} else if (java_is_caused_by(thrown,
				     "java.rmi.NoSuchObjectException")) {
		probe_judge(p->report, "the RMI server is not a registry",
			    "this may be the port of " REMOTE
			    "rmi.port; use that of .port");
	}
	text_release(&verdict);
}

void rmi_judge_withheld(struct rmi_probe *p)
{
	probe_judge(p->report,
		    "the password was not sent: the JMX server does not use "
		    "TLS, and a certificate was given",
		    "start the JVM with -D" REMOTE
		    "ssl=true, or omit --cacert and --cert");
}

void rmi_judge_login(struct rmi_probe *p, const struct error *err)
{
	if (err->kind != ERROR_PERMISSION)
		return;
	if (p->access.user)
		probe_judge(p->report,
			    "JMX works up to the login; the JVM rejects this "
			    "user and password",
			    "the JVM reads them from " REMOTE
			    "password.file, with lines \"user password\", or "
			    "from the login module of " REMOTE "login.config");
	else
		probe_judge(p->report,
			    "JMX works up to the login; the JVM requires a "
			    "user and a password",
			    "use --user NAME, with the password from "
			    "--password-file, SJKC_PASSWORD or the prompt; the "
			    "JVM reads them from " REMOTE "password.file");
}

static void diagnosis_judge_client_certificate(struct rmi_probe *p)
{
	if (p->access.tls.cert)
		probe_judge(p->report, "the JVM rejects the client certificate",
			    "--cert must name a certificate that has not "
			    "expired and whose issuer is in the JVM's "
			    "javax.net.ssl.trustStore");
	else
		probe_judge(p->report, "the JVM requires a client certificate",
			    "use --cert FILE --key FILE with a certificate "
			    "whose issuer is in the JVM's "
			    "javax.net.ssl.trustStore; the JVM sets " REMOTE
			    "ssl.need.client.auth\n"
			    "a Java client needs it in a key store: "
			    "-Djavax.net.ssl.keyStore, .keyStorePassword");
}

/* Returns a foreign host for a command line that users paste into a shell. */
static const char *diagnosis_shell_host(const char *host)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789.:_-";

	return strspn(host, plain) == strlen(host) ? host : "HOST";
}

void rmi_add_target(struct text *out, const struct net_address *at)
{
	bool is_six = strchr(at->host, ':') != NULL;

	text_printf(out, "%s%s%s:%d", is_six ? "[" : "",
		    diagnosis_shell_host(at->host), is_six ? "]" : "",
		    at->port);
}

static void diagnosis_add_distrust(struct rmi_probe *p,
				   const struct net_address *at,
				   struct text *verdict, struct text *remedy)
{
	text_puts(
		verdict,
		p->login.tls.is_self_signed
			? "the JVM's certificate is self-signed and not trusted"
			: "the issuer of the JVM's certificate is not trusted");
	text_puts(remedy, "if it is the right certificate, trust it: openssl "
			  "s_client -connect ");
	rmi_add_target(remedy, at);
	text_puts(remedy,
		  " </dev/null | openssl x509 >jvm.pem; then --cacert jvm.pem\n"
		  "a Java client needs it in a trust store: keytool "
		  "-importcert -file jvm.pem -keystore trust.p12; "
		  "-Djavax.net.ssl.trustStore=trust.p12\n"
		  "--insecure accepts any certificate");
}

static void diagnosis_add_names(struct rmi_probe *p, const char *host,
				struct text *verdict, struct text *remedy)
{
	text_puts(verdict, "the JVM's certificate is for ");
	text_puts(verdict, p->login.tls.names.len ? p->login.tls.names.bytes
						  : "no host");
	text_printf(verdict, ", not for %s",
		    p->access.tls.server_name ? p->access.tls.server_name
					      : host);
	text_printf(remedy,
		    "use a certificate with %s among its SANs, or set "
		    "-Djava.rmi.server.hostname to one of its names\n"
		    "--tls-server-name requires one of these names instead\n"
		    "Java clients check the name since the updates of January "
		    "2026, unless they set "
		    "-Djdk.rmi.ssl.client.enableEndpointIdentification=false\n"
		    "--insecure accepts any certificate",
		    diagnosis_shell_host(host));
}

static void diagnosis_judge_server_certificate(struct rmi_probe *p,
					       const struct net_address *at,
					       const char *host)
{
	int64_t now = clock_wall_ns() / CLOCK_NS_PER_S;
	struct text verdict = { 0 }, remedy = { 0 };

	if (p->login.tls.not_after < now || p->login.tls.not_before > now) {
		text_puts(&verdict, p->login.tls.not_after < now
					    ? "the JVM's certificate has "
					      "expired"
					    : "the JVM's certificate is not "
					      "valid yet");
		text_puts(&remedy, "put a new certificate into the JVM's "
				   "javax.net.ssl.keyStore and restart the "
				   "JVM; check the clocks of both machines\n"
				   "--insecure accepts any certificate");
	} else if (!p->login.tls.is_trusted) {
		diagnosis_add_distrust(p, at, &verdict, &remedy);
	} else {
		diagnosis_add_names(p, host, &verdict, &remedy);
	}
	probe_judge(p->report, verdict.bytes, remedy.bytes);
	text_release(&verdict);
	text_release(&remedy);
}

void rmi_judge_tls(struct rmi_probe *p, const char *host,
		   const struct error *err)
{
	const struct net_address *at = &p->login.at.address;

	if (err->kind == ERROR_PERMISSION)
		diagnosis_judge_client_certificate(p);
	else if (p->login.tls.not_after && !p->access.tls.insecure &&
		 !(p->login.tls.is_trusted && p->login.tls.is_of_host))
		diagnosis_judge_server_certificate(p, at, host);
	else if (p->access.require_tls && !p->login.tls.not_after)
		probe_judge(p->report,
			    "the port does not speak TLS, which --tls requires",
			    "start the JVM with -D" REMOTE "ssl=true and "
			    "-D" REMOTE "registry.ssl=true, or omit --tls");
	else if (err->sys == ETIMEDOUT)
		probe_judge(p->report, "the TLS handshake timed out",
			    "the JVM may be stopped or in a long pause; "
			    "--timeout sets a longer limit");
	else
		probe_judge(p->report, "the TLS handshake failed",
			    "the JVM's " REMOTE "ssl.enabled.protocols and "
			    ".ssl.enabled.cipher.suites must allow TLS 1.2 or "
			    "1.3; --insecure also allows older versions");
}

/* JMX works from this machine only. */
static void diagnosis_add_no_host(const struct rmi_probe *p,
				  struct text *verdict, struct text *remedy)
{
	text_puts(verdict,
		  "; but the stub names no host, so each Java client connects "
		  "to its own machine: clients on other machines fail");
	text_puts(remedy,
		  "for clients on other machines, start the JVM with "
		  "-Djava.rmi.server.hostname=HOST, or make its host name "
		  "resolve where it runs (/etc/hosts), and restart it");
	if (p->pid)
		text_printf(remedy,
			    "\nor run a proxy: sjkc mxprx -p %s -b "
			    "ADDRESS:7777 --allow CIDR",
			    p->pid);
}

/* Adds how the client logged in, and who else could. */
static void diagnosis_add_login(const struct rmi_probe *p, struct text *verdict)
{
	const char *user = p->ignores_login ? NULL : p->access.user;

	if (p->access.target.stub.len)
		text_puts(verdict, ", through the local JMX connector");
	else if (user && p->server_is_tls)
		text_puts(verdict, ", over TLS, with a password");
	else if (user)
		text_puts(verdict, ", with a password that is sent in clear: "
				   "anyone on the network can read it");
	else if (p->login.tls.wants_certificate && p->access.tls.cert)
		text_puts(verdict, "; the JVM requires a client certificate, "
				   "but no password");
	else if (p->may_execute)
		text_puts(verdict, "; the JVM requires no password: anyone "
				   "who reaches the port can run code in it");
	else
		text_puts(verdict, "; no password is required");
	if (p->ignores_login)
		text_printf(verdict, "; it ignores the user %s",
			    p->access.user);
}

void rmi_judge_filter(struct rmi_probe *p)
{
	probe_judge(p->report,
		    "the JVM's serial filter rejects the classes of a call "
		    "with an object name",
		    "allow java.lang, java.util, java.rmi and "
		    "javax.management in " REMOTE
		    "serial.filter.pattern or jdk.serialFilter");
}

void rmi_judge_success(struct rmi_probe *p)
{
	struct text verdict = { 0 }, remedy = { 0 };

	text_puts(&verdict, "JMX works");
	diagnosis_add_login(p, &verdict);
	if (!p->may_execute)
		text_puts(&verdict, "; the server denies operations");
	text_puts(&remedy, "");
	/* A test from within the JVM's network proves little for others. */
	if (p->login.server.names_no_host && !p->access.target.stub.len &&
	    !p->access.force_host)
		diagnosis_add_no_host(p, &verdict, &remedy);
	else if (p->pid && !p->access.target.stub.len)
		text_printf(&verdict,
			    "; this was tested from the JVM's own network; "
			    "clients elsewhere must reach %s, port %d",
			    p->login.server.host, p->login.server.port);
	probe_judge(p->report, verdict.bytes, remedy.bytes);
	text_release(&verdict);
	text_release(&remedy);
}
