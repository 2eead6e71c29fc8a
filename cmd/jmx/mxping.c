/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc mxping: tests each step of a JMX connection and explains failures. */
#include "cmd/commands.h"
#include "cmd/jmx/jmx_target.h"
#include "cmd/shared/log.h"
#include "cmd/shared/target.h"
#include "core/attach/attach_conditions.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/lines.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "core/jvm/listeners.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/ping/probe.h"
#include "jmx_http/rmi/rmi_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ping {
	const char *target; /* the word of the user, or the pid */
	/* Has no steps when the JVM offers no address. */
	struct probe probe;
	bool by_pid;
	const struct jvm *jvm; /* by_pid: the JVM, during the probe */
	char *main_class;      /* or NULL */
	char *host;            /* the JVM's java.rmi.server.hostname, or NULL */
	struct rmi_local local; /* by_pid: the JVM's configuration */
};

/* ---- the report, as text and JSON ---- */

#define INDENT "        "

static double report_ms(const struct probe_step *step)
{
	return (double)step->ns / (double)CLOCK_NS_PER_MS;
}

/* Calls fn for each line of the text that is not empty. */
static void report_each_line(const struct text *text, void *self,
			     void (*fn)(void *self, const char *line,
					size_t len))
{
	size_t at = 0;

	while (at < text->len) {
		const char *line = text->bytes + at;
		const char *end = memchr(line, '\n', text->len - at);
		size_t len = end ? (size_t)(end - line) : text->len - at;

		if (len)
			fn(self, line, len);
		at += len + 1;
	}
}

static void report_property(void *self, const char *line, size_t len)
{
	text_puts(self, INDENT);
	safe_text(self, line, len);
	text_putc(self, '\n');
}

static void report_remedy(void *self, const char *line, size_t len)
{
	text_puts(self, "-> ");
	safe_text(self, line, len);
	text_putc(self, '\n');
}

static void report_remote(const struct rmi_local *l, struct text *out)
{
	if (!l->has_remote) {
		text_puts(out,
			  "no JMX port is configured for remote clients\n");
		return;
	}
	text_printf(out, "%u, for remote clients: ", l->remote_port);
	text_puts(out, !l->ssl           ? "without TLS, "
		       : l->registry_ssl ? "TLS, "
					 : "TLS except for the registry, ");
	if (l->ssl && l->need_client_auth)
		text_puts(out, "a client certificate, ");
	text_puts(out, l->authenticate ? "a password\n" : "no password\n");
}

static void report_configuration(const struct ping *p, struct text *out)
{
	const struct rmi_local *l = &p->local;

	text_puts(out, "port    ");
	report_remote(l, out);
	text_puts(out, "local   ");
	if (l->port)
		text_printf(out, "the local JMX connector listens on port %u\n",
			    l->port);
	else
		text_puts(out, "the local JMX connector is not running\n");
	if (p->host) {
		text_puts(out, INDENT "java.rmi.server.hostname=");
		safe_text_puts(out, p->host);
		text_putc(out, '\n');
	}
	report_each_line(&l->properties, out, report_property);
}

static void report_step(const struct probe_step *step, struct text *out)
{
	text_printf(out, "%-6s  %-10s  %7.1f ms  ", step->ok ? "ok" : "failed",
		    step->name, report_ms(step));
	safe_text(out, step->detail.bytes, step->detail.len);
	text_putc(out, '\n');
	if (!step->certificate.len)
		return;
	text_printf(out, "%*s", 32, "");
	safe_text(out, step->certificate.bytes, step->certificate.len);
	text_putc(out, '\n');
}

static void ping_text(const struct ping *p, struct text *out)
{
	safe_text_puts(out, p->target);
	if (p->main_class) {
		text_puts(out, "  ");
		safe_text_puts(out, p->main_class);
	}
	text_putc(out, '\n');
	if (p->by_pid)
		report_configuration(p, out);
	for (size_t i = 0; i < p->probe.step_count; i++)
		report_step(&p->probe.steps[i], out);
	safe_text(out, p->probe.verdict.bytes, p->probe.verdict.len);
	text_putc(out, '\n');
	report_each_line(&p->probe.remedy, out, report_remedy);
}

static void json_step(struct json *j, const struct probe_step *step)
{
	json_open_object(j);
	json_add_text(j, "name", step->name);
	json_add_bool(j, "ok", step->ok);
	json_add_double(j, "ms", report_ms(step));
	json_add_string(j, "detail", step->detail.bytes, step->detail.len);
	if (step->certificate.len) {
		json_add_string(j, "certificate", step->certificate.bytes,
				step->certificate.len);
	}
	json_close_object(j);
}

static void json_property(void *self, const char *line, size_t len)
{
	json_string(self, line, len);
}

static void json_remote(struct json *j, const struct rmi_local *l)
{
	if (!l->has_remote) {
		json_null(j);
		return;
	}
	json_open_object(j);
	json_add_uint(j, "port", l->remote_port);
	json_add_bool(j, "authenticate", l->authenticate);
	json_add_bool(j, "ssl", l->ssl);
	json_add_bool(j, "registry_ssl", l->registry_ssl);
	json_add_bool(j, "need_client_auth", l->need_client_auth);
	json_close_object(j);
}

static void json_configuration(struct json *j, const struct ping *p)
{
	const struct rmi_local *l = &p->local;

	json_open_object(j);
	json_add_text(j, "hostname", p->host);
	json_key(j, "remote");
	json_remote(j, l);
	json_add_id(j, "local_port", l->port);
	json_add_array(j, "properties");
	report_each_line(&l->properties, j, json_property);
	json_close_array(j);
	json_close_object(j);
}

static void ping_json(const struct ping *p, struct text *out)
{
	const struct probe *probe = &p->probe;
	struct json j = json_document(out, "sjkc.mxping/1");

	json_add_text(&j, "target", p->target);
	json_add_bool(&j, "ok", probe->kind == ERROR_NONE);
	json_add_string(&j, "verdict", probe->verdict.bytes,
			probe->verdict.len);
	json_key(&j, "remedy");
	if (probe->remedy.len)
		json_string(&j, probe->remedy.bytes, probe->remedy.len);
	else
		json_null(&j);
	if (p->by_pid) {
		json_key(&j, "configuration");
		json_configuration(&j, p);
	}
	json_add_array(&j, "steps");
	for (size_t i = 0; i < probe->step_count; i++)
		json_step(&j, &probe->steps[i]);
	json_close_array(&j);
	json_end_document(&j);
}

/* ---- the steps ---- */

/* Starting an agent loads classes, which takes long on a busy machine. */
#define START_NS (30 * CLOCK_NS_PER_S)

static struct {
	struct jmx_target_options jmx;
	bool start, json;
} opt = {
	.jmx.timeout_ns = 5 * CLOCK_NS_PER_S,
};

static int ping_report(const struct ping *p, struct error *err)
{
	const struct probe *probe = &p->probe;
	struct text text = { 0 };
	int ret;

	(opt.json ? ping_json : ping_text)(p, &text);
	ret = output_file("-", text.bytes, text.len, err);
	text_release(&text);
	if (ret || probe->kind == ERROR_NONE)
		return ret;
	/* The report ends with the verdict: do not print it twice. */
	if (log_shares_stdout())
		return fail(err, probe->kind, "%s", "");
	return fail(err, probe->kind, "%s: %s", p->target,
		    probe->verdict.bytes);
}

/* Appends a word, quoted for a shell if necessary. */
static void ping_add_word(struct text *line, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789.,:;=_/@%+-[]";

	if (*word && strspn(word, plain) == strlen(word)) {
		text_puts(line, word);
		return;
	}
	text_putc(line, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			text_puts(line, "'\\''");
		else
			text_putc(line, *word);
	}
	text_putc(line, '\'');
}

static void ping_add_option(struct text *line, const char *option,
			    const char *word)
{
	if (!word)
		return;
	text_printf(line, " %s ", option);
	ping_add_word(line, word);
}

/* Appends the options of this run, for the commands of a fix. */
static void ping_add_options(struct text *line, bool is_http)
{
	const struct tls_options *tls = &opt.jmx.tls;

	text_puts(line, opt.jmx.require_tls ? " --tls" : "");
	ping_add_option(line, "--cacert", tls->cacert);
	ping_add_option(line, "--cert", tls->cert);
	ping_add_option(line, "--key", tls->key);
	ping_add_option(line, "--tls-server-name", tls->server_name);
	text_puts(line, tls->insecure ? " --insecure" : "");
	if (!is_http)
		return;
	ping_add_option(line, "--user", opt.jmx.user);
	ping_add_option(line, "--password-file", opt.jmx.password_file);
	ping_add_option(line, "--bearer-file", opt.jmx.bearer_file);
	ping_add_option(line, "--http-proxy", opt.jmx.http_proxy);
	for (size_t i = 0; i < opt.jmx.headers.count; i++)
		ping_add_option(line, "-H", opt.jmx.headers.values[i]);
}

/* Replaces the verdict when the JVM does not reply because it is stopped. */
static void ping_judge_stopped(struct ping *p)
{
	struct condition list[ATTACH_CONDITIONS_MAX];
	struct probe *probe = &p->probe;
	size_t count = attach_conditions(p->jvm, list), i = 0;

	while (i < count && !condition_stops(&list[i]))
		i++;
	if (i == count)
		return;
	text_clear(&probe->verdict);
	text_printf(&probe->verdict, "the JVM is not running: %s",
		    list[i].detail);
	text_clear(&probe->remedy);
	text_puts(&probe->remedy, list[i].remedy);
}

/* Probes and reports; fails when the probe found a problem. */
static int ping_probe(struct ping *p, const char *target, struct dialer *dialer,
		      const char *host, struct error *err)
{
	const struct jmx_target_options *o = &opt.jmx;
	struct jmx_secrets secrets = { 0 };
	struct text as_given = { 0 };
	struct rmi_probe_options options = {
		.host = host,
		.pid = p->by_pid ? p->target : NULL,
	};
	int ret = jmx_check_address(o, target, err);

	if (ret == 0)
		ret = jmx_secrets_read(&secrets, o, err);
	if (ret == 0) {
		ping_add_options(&as_given, jmx_is_http(target));
		options.as_given = as_given.bytes;
		options.target = jmx_target_of(o, &secrets, target);
		options.target.dialer = dialer;
		ret = jmx_is_http(target)
			      ? http_probe_run(&p->probe, &options.target,
					       options.as_given, err)
			      : rmi_probe_run(&p->probe, &options, err);
	}
	if (ret == 0 && p->jvm && p->probe.kind == ERROR_REFUSED)
		ping_judge_stopped(p);
	if (ret == 0)
		ret = ping_report(p, err);
	jmx_secrets_release(&secrets);
	text_release(&as_given);
	return ret;
}

/* Reports a JVM that accepts no JMX connections. */
static int ping_report_no_agent(struct ping *p, struct error *err)
{
	struct probe *probe = &p->probe;

	probe->kind = ERROR_REFUSED;
	text_puts(&probe->verdict, "the JVM has no JMX port, and its local JMX "
				   "connector is not running");
	text_printf(&probe->remedy,
		    "sjkc mxprx -p %s -b 127.0.0.1:7777 starts the local JMX "
		    "connector and serves clients through it\n"
		    "sjkc mxping -p %s --start-agent starts the connector and "
		    "tests it; it listens until the JVM exits\n"
		    "-Dcom.sun.management.jmxremote.port=9010 and "
		    "-Dcom.sun.management.jmxremote.rmi.port=9010 give a JVM a "
		    "JMX port when it starts",
		    p->target, p->target);
	return ping_report(p, err);
}

/* Appends the JVM's address in its network namespace: "10.0.0.7:9010". */
static void ping_add_listener(struct text *out, const struct jvm *jvm,
			      uint16_t port)
{
	struct listeners all;
	const struct listener *one = NULL;
	size_t at = 0;

	if (!listeners_read(&all, jvm->pid, error_unused()))
		one = listeners_next(&all, port, &at);
	if (one)
		net_address_add(out, &one->address);
	if (!one || strncmp(out->bytes, "0.0.0.0:", 8) == 0 ||
	    strncmp(out->bytes, "[::]:", 5) == 0) {
		text_clear(out);
		text_printf(out, "127.0.0.1:%u", port);
	}
	listeners_release(&all);
}

/* Probes the port for remote clients, from the JVM's network namespace. */
static int ping_remote(struct ping *p, const struct jvm *jvm, struct error *err)
{
	struct dialer *dialer = local_dialer_new(NULL, jvm, LOCAL_ANY_HOST,
						 err);
	struct text address = { 0 };
	int ret = -1;

	if (dialer) {
		ping_add_listener(&address, jvm, p->local.remote_port);
		ret = ping_probe(p, address.bytes, dialer, p->host, err);
	}
	text_release(&address);
	dialer_free(dialer);
	return ret;
}

static int ping_local(struct ping *p, const struct jvm *jvm, struct error *err)
{
	struct dialer *dialer;
	int ret;

	rmi_local_release(&p->local);
	ret = rmi_local_find(
		&p->local, jvm, opt.start ? jmx_log_starting : NULL,
		opt.jmx.timeout_ns > START_NS ? opt.jmx.timeout_ns : START_NS,
		err);
	if (ret && err->kind == ERROR_UNAVAILABLE)
		return ping_report_no_agent(p, err);
	if (ret)
		return -1;
	dialer = local_dialer_new(NULL, jvm, LOCAL_LOOPBACK, err);
	ret = dialer ? ping_probe(p, p->local.url.bytes, dialer, NULL, err)
		     : -1;
	dialer_free(dialer);
	return ret;
}

static void ping_copy_info(struct ping *p, const struct jvm_info *info)
{
	static const char host[] = "-Djava.rmi.server.hostname=";
	const char *named = jvm_info_option(info, host);

	if (info->main_class)
		p->main_class = xstrdup(info->main_class);
	if (named)
		p->host = xstrdup(named + strlen(host));
}

static int ping_pid(struct ping *p, int argc, char **argv, struct error *err)
{
	struct jvm_info info = { 0 };
	struct jvm jvm;
	char pid[16];
	int ret;

	if (target_open(&jvm, opt.jmx.pid, argc, argv, err))
		return -1;
	snprintf(pid, sizeof(pid), "%d", (int)jvm.pid);
	p->target = pid;
	p->by_pid = true;
	p->jvm = &jvm;
	ret = jvm_info(&jvm, &info, err);
	if (ret == 0) {
		ping_copy_info(p, &info);
		jvm_info_release(&info);
		ret = rmi_local_look(&p->local, &jvm, err);
	}
	if (ret == 0)
		ret = p->local.has_remote ? ping_remote(p, &jvm, err)
					  : ping_local(p, &jvm, err);
	jvm_close(&jvm);
	free(p->main_class);
	free(p->host);
	rmi_local_release(&p->local);
	return ret;
}

static int ping(struct ping *p, int argc, char **argv, struct error *err)
{
	if (jmx_take_address(&opt.jmx, &argc, &argv, err))
		return -1;
	p->target = opt.jmx.socket;
	if (!p->target && !opt.jmx.pid && !argc)
		return misuse(err, "no JVM given: use -s <host>:<port>, -u "
				   "<url> or -p <pid>");
	if (!p->target)
		return ping_pid(p, argc, argv, err);
	if (argc)
		return misuse(err, "unexpected argument '%s': name one JVM",
			      argv[0]);
	return ping_probe(p, p->target, NULL, NULL, err);
}

static int mxping_run(int argc, char **argv, struct error *err)
{
	struct ping *p = xcalloc(1, sizeof(*p));
	int ret = ping(p, argc, argv, err);

	probe_release(&p->probe);
	free(p);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_JMX_SOCKET(&opt.jmx),
	OPT_JMX_URL(&opt.jmx),
	OPT_TARGET(&opt.jmx.pid),
	OPT_JMX_LOGIN(&opt.jmx),
	OPT_JMX_TLS(&opt.jmx),
	OPT_JMX_FORCE(&opt.jmx),
	OPT_FLAG(0, "start-agent", &opt.start,
		 "with -p: start the local JMX connector if needed",
		 .aliases = "--start"),
	OPT_DURATION(0, "timeout", &opt.jmx.timeout_ns, "<time>",
		     "limit each step to this time", .positive = true),
	OPT_FLAG(0, "json", &opt.json, "print JSON"),
	OPT_END,
};

/* clang-format on */

const struct command mxping_command = {
	.name = "mxping",
	.synopsis = "mxping [<options>] -s <host>:<port> | -u <url> | -p <pid>",
	.summary = "diagnose why a JMX client cannot connect",
	.group = "JMX",
	.examples = "  sjkc mxping -s 10.0.0.7:9010\n"
		    "  sjkc mxping -s localhost:9010 --json\n"
		    "  sjkc mxping -p 4711\n"
		    "  sjkc mxping -u http://10.0.0.7:8778/jolokia\n",
	.options = options,
	.refusals = jmx_refusals,
	.run = mxping_run,
};
