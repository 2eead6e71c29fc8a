/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc mxping: says how far a JMX client gets with a JVM, and what stops it. */
#include "cmd/commands.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "jmx_http/rmi/rmi_probe.h"

#include <stdlib.h>
#include <string.h>

static struct {
	const char *socket;
	int64_t timeout_ns;
	bool json;
} opt = {
	.timeout_ns = 5 * CLOCK_NS_PER_S,
};

static double ms_of(const struct rmi_probe_step *step)
{
	return (double)step->ns / (double)CLOCK_NS_PER_MS;
}

static void put_text(const struct rmi_probe *p, const char *target,
		     struct text *out)
{
	safe_text(out, target, strlen(target));
	text_putc(out, '\n');
	for (size_t i = 0; i < p->step_count; i++) {
		const struct rmi_probe_step *step = &p->steps[i];

		text_printf(out, "%-6s  %-8s  %8.1f ms  ",
			    step->ok ? "ok" : "failed", step->name,
			    ms_of(step));
		safe_text(out, step->detail.bytes, step->detail.len);
		text_putc(out, '\n');
	}
	safe_text(out, p->verdict.bytes, p->verdict.len);
	text_putc(out, '\n');
	if (p->remedy.len) {
		text_puts(out, "-> ");
		safe_text(out, p->remedy.bytes, p->remedy.len);
		text_putc(out, '\n');
	}
}

static void put_json_step(struct json *j, const struct rmi_probe_step *step)
{
	json_open_object(j);
	json_key(j, "name");
	json_text(j, step->name);
	json_key(j, "ok");
	json_bool(j, step->ok);
	json_key(j, "ms");
	json_double(j, ms_of(step));
	json_key(j, "detail");
	json_string(j, step->detail.bytes, step->detail.len);
	json_close_object(j);
}

static void put_json(const struct rmi_probe *p, const char *target,
		     struct text *out)
{
	struct json j = json_into(out);

	json_open_object(&j);
	json_key(&j, "schema");
	json_text(&j, "sjkc.mxping/1");
	json_key(&j, "target");
	json_text(&j, target);
	json_key(&j, "ok");
	json_bool(&j, p->kind == ERROR_NONE);
	json_key(&j, "verdict");
	json_string(&j, p->verdict.bytes, p->verdict.len);
	json_key(&j, "remedy");
	if (p->remedy.len)
		json_string(&j, p->remedy.bytes, p->remedy.len);
	else
		json_null(&j);
	json_key(&j, "steps");
	json_open_array(&j);
	for (size_t i = 0; i < p->step_count; i++)
		put_json_step(&j, &p->steps[i]);
	json_close_array(&j);
	json_close_object(&j);
	text_putc(out, '\n');
}

static int write_text(const struct text *text, struct error *err)
{
	struct output out;
	int ret = output_open(&out, "-", err);

	if (ret == 0) {
		output_write(&out, text->bytes, text->len);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	return ret;
}

static int report(const struct rmi_probe *p, const char *target,
		  struct error *err)
{
	struct text text = { 0 };
	int ret;

	(opt.json ? put_json : put_text)(p, target, &text);
	ret = write_text(&text, err);
	text_release(&text);
	if (ret == 0 && p->kind != ERROR_NONE)
		ret = fail(err, p->kind, "%s: %s", target, p->verdict.bytes);
	return ret;
}

static int run(int argc, char **argv, struct error *err)
{
	const char *target = opt.socket;
	struct rmi_address address;
	struct rmi_probe *p;
	int ret;

	if (!target && argc) {
		target = *argv++;
		argc--;
	}
	if (!target)
		return misuse(err, "which JVM? -s <host>:<port>");
	if (argc)
		return misuse(err, "%s: one JVM at a time", argv[0]);
	if (opt.timeout_ns <= 0)
		return misuse(err, "--timeout: some time is needed");
	if (rmi_address_parse(&address, target, err))
		return -1;
	p = xcalloc(1, sizeof(*p));
	rmi_probe_run(p, &address, opt.timeout_ns);
	ret = report(p, target, err);
	rmi_probe_release(p);
	free(p);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_STRING('s', "socket", &opt.socket, "<host>:<port>",
		   "where the JVM has its JMX port"),
	OPT_DURATION(0, "timeout", &opt.timeout_ns, "<time>",
		     "how long a step may take"),
	OPT_FLAG(0, "json", &opt.json, "as JSON"),
	OPT_END,
};
/* clang-format on */

const struct command mxping_command = {
	.name = "mxping",
	.synopsis = "mxping [<options>] -s <host>:<port>",
	.summary = "say why a JMX client can, or cannot, connect",
	.group = "ask a JVM",
	.examples = "  sjkc mxping -s 10.0.0.7:9010\n"
		    "  sjkc mxping -s localhost:9010 --json\n",
	.options = options,
	.run = run,
};
