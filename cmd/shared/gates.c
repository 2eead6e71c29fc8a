/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/gates.h"

#include "cmd/shared/command.h"
#include "cmd/shared/flame_output.h"
#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const result_names[] = { "unknown", "passed", "exceeded" };

int gates_init(struct gates *g, const char *command, const char *junit,
	       const char *const *inputs, size_t count, struct error *err)
{
	*g = (struct gates){ .command = command, .junit = junit };
	g->begin_ns = clock_monotonic_ns();
	if (!junit)
		return 0;
	if (strcmp(junit, "-") == 0)
		return misuse(err, "--junit needs a file: standard output has "
				   "the report");
	if (flame_output_check_output(junit, inputs, count, error_unused()))
		return fail(err, ERROR_OUTPUT,
			    "%s is also an input; choose another --junit",
			    junit);
	return output_try(junit, err);
}

void gates_release(struct gates *g)
{
	for (size_t i = 0; i < g->count; i++) {
		text_release(&g->all[i].name);
		text_release(&g->all[i].reason);
	}
	free(g->all);
	text_release(&g->properties);
	*g = (struct gates){ 0 };
}

struct gate *gates_add(struct gates *g, const char *name)
{
	struct gate gate = { 0 };

	text_puts(&gate.name, name);
	text_puts(&gate.reason, "");
	array_add(g->all, g->count, g->cap, gate);
	return &g->all[g->count - 1];
}

/* Appends foreign text between markup. */
static void junit_add(struct text *out, const char *before, const char *value,
		      const char *after)
{
	struct text safe = { 0 };

	safe_text_puts(&safe, value);
	text_puts(out, before);
	safe_text_xml(out, safe.bytes, safe.len);
	text_puts(out, after);
	text_release(&safe);
}

void gates_add_property(struct gates *g, const char *name, const char *value)
{
	text_printf(&g->properties, "<property name=\"%s\"", name);
	junit_add(&g->properties, " value=\"", value, "\"/>\n");
}

static void junit_add_gate(struct text *out, const char *command,
			   const struct gate *gate)
{
	const char *element = gate->result == GATE_EXCEEDED ? "failure"
							    : "error";

	text_printf(out, "<testcase classname=\"sjkc.%s\"", command);
	junit_add(out, " name=\"", gate->name.bytes, "\" time=\"0\">\n");
	if (gate->result != GATE_PASSED) {
		text_printf(out, "<%s type=\"%s\"", element,
			    result_names[gate->result]);
		junit_add(out, " message=\"", gate->reason.bytes, "\">");
		junit_add(out, "", gate->reason.bytes, "</");
		text_printf(out, "%s>\n", element);
	}
	text_puts(out, "</testcase>\n");
}

/* Writes a file that is valid for the schemas of Ant and of Jenkins. */
static int gates_write_junit(const struct gates *g, const size_t counts[3],
			     struct error *err)
{
	double seconds = (double)(clock_monotonic_ns() - g->begin_ns) / 1e9;
	struct text out = { 0 };
	int ret;

	text_printf(&out,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		    "<testsuite name=\"sjkc %s\" tests=\"%zu\" "
		    "failures=\"%zu\" errors=\"%zu\" time=\"%.3f\" "
		    "package=\"sjkc\" id=\"0\" hostname=\"localhost\" "
		    "timestamp=\"",
		    g->command, g->count, counts[GATE_EXCEEDED],
		    counts[GATE_UNKNOWN], seconds);
	units_add_local_time(&out, clock_wall_ns());
	text_printf(&out, "\">\n<properties>\n%s</properties>\n",
		    g->properties.len ? g->properties.bytes : "");
	for (size_t i = 0; i < g->count; i++)
		junit_add_gate(&out, g->command, &g->all[i]);
	text_puts(&out, "<system-out>\n");
	for (size_t i = 0; i < g->count; i++) {
		junit_add(&out, "", g->all[i].name.bytes, ": ");
		junit_add(&out, "", g->all[i].reason.bytes, "\n");
	}
	text_puts(&out, "</system-out>\n<system-err></system-err>\n"
			"</testsuite>\n</testsuites>\n");
	ret = output_file(g->junit, out.bytes, out.len, err);
	text_release(&out);
	return ret;
}

/* Prints a result. A command that failed has passed no gate. */
static void gate_finish(struct gate *gate, const struct error *failed)
{
	bool is_passed = gate->result == GATE_PASSED;

	if (!failed->kind || (!is_passed && gate->reason.len)) {
		(is_passed ? log_info : log_error)(
			"%s: %s: %s", gate->name.bytes,
			result_names[gate->result], gate->reason.bytes);
		return;
	}
	gate->result = GATE_UNKNOWN;
	text_clear(&gate->reason);
	text_puts(&gate->reason, failed->text);
}

int gates_finish(struct gates *g, int ret, struct error *err)
{
	struct error why = ret ? *err : (struct error){ 0 }, unwritten;
	size_t counts[3] = { 0 };

	/* The command failed before it knew its gates. */
	if (!g->count)
		gates_add(g, g->command);
	for (size_t i = 0; i < g->count; i++) {
		gate_finish(&g->all[i], &why);
		counts[g->all[i].result]++;
	}
	if (!why.kind && counts[GATE_UNKNOWN])
		why.kind = ERROR_INPUT;
	if (g->junit && gates_write_junit(g, counts, &unwritten)) {
		if (why.kind)
			log_error("%s", unwritten.text);
		else
			why = unwritten;
	}
	if (counts[GATE_EXCEEDED]) {
		/* The reader of a closed pipe wants no message. */
		if (*why.text && why.sys != EPIPE)
			log_error("%s", why.text);
		why = (struct error){ .kind = ERROR_GATE };
	}
	if (why.kind)
		*err = why;
	return why.kind ? -1 : 0;
}
