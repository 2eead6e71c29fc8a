/* SPDX-License-Identifier: Apache-2.0 */
/* The report of mxping as text and as JSON. */
#include "cmd/jmx/mxping.h"

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/lines.h"
#include "core/base/safe_text.h"

#include <stdlib.h>
#include <string.h>

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
		safe_text(out, p->host, strlen(p->host));
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

void ping_text(const struct ping *p, struct text *out)
{
	safe_text(out, p->target, strlen(p->target));
	if (p->main_class) {
		text_puts(out, "  ");
		safe_text(out, p->main_class, strlen(p->main_class));
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

void ping_json(const struct ping *p, struct text *out)
{
	const struct probe *probe = &p->probe;
	struct json j = json_into(out);

	json_open_object(&j);
	json_add_text(&j, "schema", "sjkc.mxping/1");
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
	json_close_object(&j);
	text_putc(out, '\n');
}
