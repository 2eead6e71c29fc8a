/* SPDX-License-Identifier: Apache-2.0 */
/* What a step that failed means to who wants to connect, and what to do. */
#include "core/base/clock.h"
#include "jmx_http/ping/rmi_probe_parts.h"

#include <errno.h>
#include <string.h>

#define REMOTE "com.sun.management.jmxremote."

void rmi_judge_dns(struct rmi_probe *p)
{
	probe_judge(
		p->report, "the name is not known here",
		"check its spelling and, inside a cluster or a VPN, whether "
		"this machine can see its names");
}

void rmi_judge_tcp(struct rmi_probe *p, int sys)
{
	if (sys == ECONNREFUSED)
		probe_judge(p->report, "nothing listens there",
			    "is the JVM running, and was it started with "
			    "-D" REMOTE
			    "port of that number? In a container: is "
			    "that port published or forwarded?");
	else if (sys == ETIMEDOUT)
		probe_judge(
			p->report, "nothing answers there: packets are lost",
			"a firewall or network policy drops them, or the "
			"address is that of a network that cannot be reached "
			"from here");
	else if (sys == ENETUNREACH || sys == EHOSTUNREACH)
		probe_judge(
			p->report, "no way leads there from here",
			"the address is that of another network: a VPN, or a "
			"port forward to it, is needed");
}

void rmi_judge_stranger(struct rmi_probe *p, enum rmi_answer answer)
{
	static const struct {
		const char *verdict, *remedy;
	} strangers[] = {
		[RMI_UNWILLING] = { "an RMI server answers, but refuses", "" },
		[RMI_TLS] = { "TLS within TLS is asked for",
			      "a proxy between may add TLS of its own" },
		[RMI_HTTP] = { "a web server answers there, not JMX",
			       "is it the port of the application or of "
			       "Jolokia? That of JMX is " REMOTE "port" },
		[RMI_OTHER] = { "something else than JMX answers there",
				"the port of JMX is that of " REMOTE "port" },
		[RMI_SILENT] = { "somebody takes the connection and says "
				 "nothing",
				 "the JVM may be stopped or in a long pause; "
				 "a proxy or port forward may listen whose own "
				 "target is gone; or it is a port of another "
				 "protocol, that of JMX is " REMOTE "port" },
		[RMI_CLOSED] = { "the connection is closed without an answer",
				 "a port forward whose target does not listen "
				 "does so, and servers of other protocols" },
	};

	probe_judge(p->report, strangers[answer].verdict,
		    strangers[answer].remedy);
}

void rmi_judge_silence(struct rmi_probe *p, int sys)
{
	if (sys == ETIMEDOUT)
		probe_judge(p->report,
			    "RMI greets, but does not answer a call in time",
			    "the JVM may be stopped or in a long pause; "
			    "--timeout has more patience");
	else
		probe_judge(
			p->report,
			"RMI greets, but what follows is not an answer of it",
			"a proxy between may cut or change what passes");
}

void rmi_judge_registry(struct rmi_probe *p, const struct java_value *thrown)
{
	struct text verdict = { 0 };

	if (java_is_caused_by(thrown, "java.rmi.NotBoundException")) {
		text_puts(&verdict,
			  "an RMI registry answers, but has no entry ");
		text_puts(&verdict, p->access.target.entry.bytes);
		probe_judge(
			p->report, verdict.bytes,
			"it is an application's own registry; that of JMX is "
			"at " REMOTE "port");
	} else if (java_is_caused_by(thrown,
				     "java.rmi.NoSuchObjectException")) {
		probe_judge(
			p->report, "an RMI server answers, but is no registry",
			"is it the port of " REMOTE "rmi.port? That of .port "
			"is asked first");
	}
	text_release(&verdict);
}

void rmi_judge_login(struct rmi_probe *p, const struct error *err)
{
	if (err->kind != ERROR_PERMISSION)
		return;
	if (p->access.user)
		probe_judge(
			p->report,
			"JMX works up to here; the JVM does not take that "
			"user and password",
			"they are in the JVM's " REMOTE "password.file, "
			"whose lines are \"user password\", or those of the "
			"login that " REMOTE "login.config names");
	else
		probe_judge(
			p->report,
			"JMX works up to here; the JVM wants a user and a "
			"password",
			"--user NAME, and the password from --password-file, "
			"SJKC_PASSWORD or the terminal; they are in the "
			"JVM's " REMOTE "password.file");
}

static void judge_ours(struct rmi_probe *p)
{
	if (p->access.tls.cert)
		probe_judge(p->report, "the JVM does not take our certificate",
			    "--cert is to be one whose issuer is in the JVM's "
			    "javax.net.ssl.trustStore, and has not expired");
	else
		probe_judge(
			p->report, "the JVM wants a certificate of its clients",
			"--cert FILE --key FILE: one whose issuer is in the "
			"JVM's javax.net.ssl.trustStore; it is started "
			"with " REMOTE "ssl.need.client.auth\n"
			"a Java client needs it in a key store: "
			"-Djavax.net.ssl.keyStore, .keyStorePassword");
}

/* A host of the JVM's in what may be copied to a shell. */
static const char *for_shell(const char *host)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789.:_-";

	return strspn(host, plain) == strlen(host) ? host : "HOST";
}

/* "[::1]:9010" */
static void add_address(struct text *out, const struct rmi_address *at)
{
	bool is_six = strchr(at->host, ':') != NULL;

	text_printf(out, "%s%s%s:%d", is_six ? "[" : "", for_shell(at->host),
		    is_six ? "]" : "", at->port);
}

static void judge_distrust(struct rmi_probe *p, const struct rmi_address *at,
			   struct text *verdict, struct text *remedy)
{
	text_puts(verdict, p->login.tls.is_self_signed
				   ? "the JVM's certificate is self-signed, "
				     "and not trusted here"
				   : "the JVM's certificate is of an issuer "
				     "that is not trusted here");
	text_puts(remedy, "get it, and trust it when it is the right one: "
			  "openssl s_client -connect ");
	add_address(remedy, at);
	text_puts(remedy,
		  " </dev/null | openssl x509 >jvm.pem; then --cacert jvm.pem\n"
		  "a Java client needs it in a trust store: keytool "
		  "-importcert -file jvm.pem -keystore trust.p12; "
		  "-Djavax.net.ssl.trustStore=trust.p12\n"
		  "--insecure takes any certificate");
}

static void judge_names(struct rmi_probe *p, const char *host,
			struct text *verdict, struct text *remedy)
{
	text_puts(verdict, "the JVM's certificate is for ");
	text_puts(verdict, p->login.tls.names.len ? p->login.tls.names.bytes
						  : "no host");
	text_printf(verdict, ", and not for %s, where it was asked for", host);
	text_printf(remedy,
		    "a certificate that names %s among its SANs; or "
		    "-Djava.rmi.server.hostname of one of its names, which "
		    "clients are then sent to\n"
		    "Java clients look at it since the updates of January "
		    "2026, unless told "
		    "-Djdk.rmi.ssl.client.enableEndpointIdentification=false\n"
		    "--insecure takes any certificate",
		    for_shell(host));
}

static void judge_certificate(struct rmi_probe *p, const struct rmi_address *at,
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
		text_puts(&remedy, "the JVM needs a new one in its "
				   "javax.net.ssl.keyStore, and a restart; or "
				   "is a clock wrong, here or there?\n"
				   "--insecure takes any certificate");
	} else if (!p->login.tls.is_trusted) {
		judge_distrust(p, at, &verdict, &remedy);
	} else {
		judge_names(p, host, &verdict, &remedy);
	}
	probe_judge(p->report, verdict.bytes, remedy.bytes);
	text_release(&verdict);
	text_release(&remedy);
}

void rmi_judge_tls(struct rmi_probe *p, const char *host,
		   const struct error *err)
{
	const struct rmi_address *at = &p->login.at.address;

	if (err->kind == ERROR_PERMISSION)
		judge_ours(p);
	else if (p->login.tls.not_after && !p->access.tls.insecure &&
		 !(p->login.tls.is_trusted && p->login.tls.is_of_host))
		judge_certificate(p, at, host);
	else if (p->access.require_tls && !p->login.tls.not_after)
		probe_judge(p->report,
			    "the port does not speak TLS, which --tls requires",
			    "start the JVM with -D" REMOTE "ssl=true and "
			    "-D" REMOTE "registry.ssl=true, or omit --tls");
	else if (err->sys == ETIMEDOUT)
		probe_judge(p->report, "TLS is begun, and not answered in time",
			    "the JVM may be stopped or in a long pause; "
			    "--timeout has more patience");
	else
		probe_judge(
			p->report, "TLS is begun, and not agreed upon",
			"the JVM's " REMOTE "ssl.enabled.protocols and "
			".ssl.enabled.cipher.suites have to leave TLS 1.2 or "
			"1.3; --insecure speaks older ones, too");
}

/* Works from here, and from nowhere else. */
static void judge_no_host(const struct rmi_probe *p, struct text *verdict,
			  struct text *remedy)
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
			    "\nor leave the JVM as it is: sjkc mxprx -p %s "
			    "-b ADDRESS:7777 --allow CIDR",
			    p->pid);
}

void rmi_judge_success(struct rmi_probe *p)
{
	const char *user = p->access.user;
	struct text verdict = { 0 }, remedy = { 0 };

	text_puts(&verdict, "JMX works");
	if (p->access.target.stub.len)
		text_puts(&verdict, ", by the connector for this machine");
	else if (user && p->server_is_tls)
		text_puts(&verdict, ", by TLS, with a password");
	else if (user)
		text_puts(&verdict, ", with a password, which passes without "
				    "TLS: who sees the traffic has it");
	else if (p->login.tls.wants_certificate && p->access.tls.cert)
		text_puts(&verdict, ", and asks for no password but a "
				    "certificate");
	else
		text_puts(&verdict,
			  ", and asks for no password: who reaches the port "
			  "can do anything in the JVM");
	text_puts(&remedy, "");
	/* Seen from within its network, that says little of other ones. */
	if (p->login.server.names_no_host && !p->access.target.stub.len &&
	    !p->access.force_host)
		judge_no_host(p, &verdict, &remedy);
	else if (p->pid && !p->access.target.stub.len)
		text_printf(&verdict,
			    "; seen from the JVM's own network: who is "
			    "elsewhere has to get to %s, port %d",
			    p->login.server.host, p->login.server.port);
	probe_judge(p->report, verdict.bytes, remedy.bytes);
	text_release(&verdict);
	text_release(&remedy);
}
