/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts and fixes of http_probe for failures that need no more requests. */
#include "jmx_http/ping/http_probe_parts.h"

#include "core/base/clock.h"
#include "jmx_http/jolokia/jolokia_response.h"

#include <string.h>

void http_judge_certificate(struct http_probe *p)
{
	const struct tls_report *tls = &p->tls;
	int64_t now = clock_wall_ns() / CLOCK_NS_PER_S;
	struct text verdict = { 0 }, remedy = { 0 };

	if (tls->not_after < now) {
		text_puts(&verdict, "the server's certificate has expired");
		text_puts(&remedy, "renew the certificate; check the clocks of "
				   "both machines");
	} else if (tls->not_before > now) {
		text_puts(&verdict,
			  "the server's certificate is not valid yet");
		text_puts(&remedy, "check the clocks of both machines");
	} else if (!tls->is_trusted) {
		text_puts(&verdict,
			  tls->is_self_signed
				  ? "the server's certificate is self-signed "
				    "and not trusted"
				  : "the issuer of the server's certificate is "
				    "not trusted");
		text_printf(&remedy,
			    "if it is the right certificate, trust it: openssl "
			    "s_client -connect %s:%u </dev/null | openssl x509 "
			    ">server.pem; then --cacert server.pem",
			    p->url.host, p->url.port);
	} else {
		text_printf(&verdict,
			    "the server's certificate is for %s, not for %s",
			    tls->names.len ? tls->names.bytes : "no host",
			    p->target->tls.server_name
				    ? p->target->tls.server_name
				    : p->url.host);
		text_puts(&remedy, "use one of these names in the URL or "
				   "with --tls-server-name, or a certificate "
				   "with the right name");
	}
	text_puts(&remedy, "\n--insecure accepts any certificate");
	probe_judge(p->report, verdict.bytes, remedy.bytes);
	text_release(&verdict);
	text_release(&remedy);
}

void http_judge_client_certificate(struct http_probe *p)
{
	if (p->target->tls.cert)
		probe_judge(p->report,
			    "the server rejects the client certificate",
			    "--cert must name a certificate that has not "
			    "expired and whose issuer the server trusts");
	else
		probe_judge(p->report,
			    "the server requires a client certificate",
			    "use --cert FILE --key FILE with a certificate "
			    "whose issuer the server trusts; Jolokia's JVM "
			    "agent requires one with useSslClientAuthentication"
			    "=true");
}

void http_judge_login(struct http_probe *p)
{
	const char *scheme = p->response.authenticate.bytes;
	bool is_basic = strcasestr(scheme, "basic") != NULL;
	bool is_bearer = strcasestr(scheme, "bearer") != NULL;

	if (p->target->credentials.user && is_bearer && !is_basic)
		probe_judge(p->report,
			    "the server requires a token, not a password",
			    "use --bearer-file FILE instead of --user");
	else if (p->target->credentials.user)
		probe_judge(p->report,
			    "the server rejects this user and password",
			    "the login of the Jolokia agent is not that of JMX "
			    "over "
			    "RMI: Jolokia's JVM agent has the options user and "
			    "password");
	else if (p->target->http.bearer && is_basic && !is_bearer)
		probe_judge(p->report,
			    "the server requires a password, not a token",
			    "use --user NAME instead of --bearer-file");
	else if (p->target->http.bearer)
		probe_judge(p->report, "the server rejects the token",
			    "tokens of Kubernetes expire: kubectl create token "
			    "SERVICE-ACCOUNT makes a new one\n"
			    "if the server requires a password, use --user "
			    "NAME instead of --bearer-file");
	else if (is_basic || !*scheme)
		probe_judge(p->report,
			    "HTTP works up to the login; the server requires a "
			    "user and a password",
			    "use --user NAME, with the password from "
			    "--password-file, SJKC_PASSWORD or the prompt");
	else if (is_bearer)
		probe_judge(p->report,
			    "HTTP works up to the login; the server requires a "
			    "token",
			    "use --bearer-file FILE");
	else
		probe_judge(p->report,
			    "the server requires an authentication scheme that "
			    "sjkc does not support",
			    "sjkc supports Basic and Bearer");
}

/* why is the agent's, of 1.x and 2.x. */
void http_judge_policy(struct http_probe *p, const char *why)
{
	if (strstr(why, "HTTP method"))
		probe_judge(
			p->report,
			"the Jolokia agent's policy denies POST, which sjkc "
			"requires",
			"add <method>post</method> to <http> in the policy "
			"(jolokia-access.xml)");
	else if (strstr(why, "No access from client"))
		probe_judge(p->report,
			    "the Jolokia agent's policy denies access from "
			    "this host",
			    "add <host>ADDRESS</host> to <remote> in the "
			    "policy (jolokia-access.xml), or run sjkc on a "
			    "host that the policy allows");
	else if (strstr(why, "Origin"))
		probe_judge(p->report,
			    "the Jolokia agent's policy rejects the header "
			    "Origin of "
			    "the request",
			    "use -H 'Origin: URL' with a URL that <cors> in "
			    "the policy (jolokia-access.xml) allows");
	else if (strstr(why, "Command type"))
		probe_judge(p->report,
			    "the Jolokia agent's policy denies the command "
			    "version, "
			    "which sjkc requires",
			    "add <command>version</command> to <commands> in "
			    "the policy (jolokia-access.xml)");
	else
		probe_judge(p->report,
			    "the Jolokia agent's policy denies access",
			    "the policy is in jolokia-access.xml");
}

void http_judge_read(struct http_probe *p, const char *why)
{
	if (strstr(why, "Command type"))
		probe_judge(p->report,
			    "the Jolokia agent's policy denies reading MBeans",
			    "add <command>read</command> to <commands> in the "
			    "policy (jolokia-access.xml)");
	else
		probe_judge(p->report,
			    "the Jolokia agent's policy permits the command "
			    "read, but "
			    "not for platform MBeans",
			    "add the MBeans to <allow>, or remove them from "
			    "<deny>, in the policy (jolokia-access.xml)");
}

void http_judge_other_server(struct http_probe *p)
{
	struct text verdict = { 0 };

	text_puts(&verdict, "HTTP, but not Jolokia, at this URL; sjkc tried ");
	for (size_t i = 0; jolokia_paths[i]; i++)
		text_printf(&verdict, "%s%s", i ? ", " : "", jolokia_paths[i]);
	text_puts(&verdict, ", too");
	probe_judge(p->report, verdict.bytes,
		    "this may be the port of the application; Jolokia's JVM "
		    "agent has a port of its own (default: 8778)\n"
		    "a Spring Boot application must expose the endpoint: "
		    "management.endpoints.web.exposure.include=jolokia");
	text_release(&verdict);
}

/* clang-format off */
static const struct {
	int status;           /* 0: any */
	const char *part;     /* of the message; NULL: any */
	const char *verdict, *remedy;
} gateways[] = {
	{ 403, "/proxy\"", "the API server of Kubernetes denies this user the proxy",
	  "sjkc sends POST, which requires the verb create on pods/proxy or services/proxy in a Role\n"
	  "or use kubectl port-forward, which requires the verb create on pods/portforward" },
	{ 403, "Kubernetes: ", "the API server of Kubernetes denies this user access",
	  "check the user's roles: kubectl auth can-i create pods/proxy -n NAMESPACE" },
	{ 404, "Kubernetes: ", "the API server of Kubernetes finds no such object",
	  "check the namespace and the name in the URL: kubectl get pods -n NAMESPACE" },
	{ 0, "does not look like a TLS handshake", "the port does not speak TLS, which https: before the name in the URL requires",
	  "use NAME:PORT instead of https:NAME:PORT in the URL" },
	{ 0, "HTTP request to an HTTPS server", "the port requires TLS",
	  "use https:NAME:PORT instead of NAME:PORT in the URL" },
	{ 0, "malformed HTTP response", "the port does not speak HTTP, or requires TLS",
	  "use https:NAME:PORT instead of NAME:PORT in the URL if the port requires TLS" },
	{ 0, "connection refused", "the gateway reaches the host, but nothing listens at the port",
	  "check the port; the Jolokia agent must listen on the pod's address: host=0.0.0.0" },
	{ 0, "no endpoints available", "the service has no ready pods",
	  "check the pods of the service: kubectl get pods -n NAMESPACE" },
	{ 413, NULL, "a proxy in front of the Jolokia agent limits the size of requests",
	  "allow requests of 1 MiB in the proxy (nginx: client_max_body_size), or try the JVM's own port" },
	{ 429, NULL, "a proxy in front of the Jolokia agent limits the rate of requests",
	  "exempt the Jolokia agent's path in the proxy, or try the JVM's own port" },
	{ 405, NULL, "the server rejects the method POST, which sjkc requires",
	  "permit POST for the Jolokia agent's path in the proxy; or no Jolokia agent is at this path" },
};
/* clang-format on */

bool http_judge_gateway(struct http_probe *p, const struct error *err)
{
	for (size_t i = 0; i < sizeof(gateways) / sizeof(*gateways); i++) {
		const char *part = gateways[i].part;

		if ((gateways[i].status &&
		     gateways[i].status != p->response.status) ||
		    (part && !strcasestr(err->text, part)))
			continue;
		probe_judge(p->report, gateways[i].verdict, gateways[i].remedy);
		return true;
	}
	return false;
}
