/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc doctor: checks which commands work on a JVM, and why others fail; or
 * whether a backend takes profiles.
 */
#include "cmd/commands.h"
#include "cmd/doctor/doctor_checks.h"
#include "cmd/shared/log.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/jvm/jvm.h"
#include "core/jvm/main_name.h"

#include <stdlib.h>
#include <string.h>

static struct {
	const char *pid;
	struct push_options push;
	bool json;
} opt;

static const char *const state_words[] = {
	[CONDITION_HOLDS] = "ok",
	[CONDITION_WAITS] = "waiting",
	[CONDITION_FAILS] = "failed",
	[CONDITION_UNKNOWN] = "unknown",
};

static void doctor_put_title(const struct doctor_checks *c, struct text *out)
{
	struct text main = { 0 };

	text_printf(out, "%d", (int)c->pid);
	if (c->jvm.pid) {
		main_name_of(&c->jvm, &c->info, &main);
		text_putc(out, ' ');
		safe_text(out, main.bytes, main.len);
		text_puts(out, ", user ");
		safe_text_puts(out, c->info.user ? c->info.user : "?");
	}
	text_putc(out, '\n');
	text_release(&main);
}

static void doctor_put_finding(const struct finding *f, int width,
			       struct text *out)
{
	text_printf(out, "%-7s  %-*s  ",
		    f->is_note      ? ""
		    : f->is_warning ? "warning"
				    : state_words[f->is.state],
		    width, f->is.name);
	safe_text_puts(out, f->is.detail);
	text_putc(out, '\n');
	if (f->is.remedy[0] && f->is.state != CONDITION_HOLDS) {
		text_printf(out, "%*s-> ", width + 11, "");
		safe_text_puts(out, f->is.remedy);
		text_putc(out, '\n');
	}
}

/* Appends "works: a, b", or nothing without such commands. */
static void doctor_put_abilities(const struct doctor_checks *c, bool working,
				 struct text *out)
{
	bool any = false;

	for (size_t i = 0; i < c->ability_count; i++) {
		const struct ability *a = &c->abilities[i];

		if (!a->no != working)
			continue;
		text_printf(out, "%s%s",
			    any       ? ", "
			    : working ? "works: "
				      : "does not work: ",
			    a->command);
		if (a->no)
			text_printf(out, " (%s)", a->no->is.name);
		else if (a->in_part)
			text_printf(out, " (in part: %s)", a->in_part->is.name);
		any = true;
	}
	if (any)
		text_putc(out, '\n');
}

static void doctor_put_text(const struct doctor_checks *c, struct text *out)
{
	int width = 0;

	doctor_put_title(c, out);
	for (size_t i = 0; i < c->count; i++) {
		int len = (int)strlen(c->findings[i].is.name);

		width = len > width ? len : width;
	}
	for (size_t i = 0; i < c->count; i++)
		doctor_put_finding(&c->findings[i], width, out);
	doctor_put_abilities(c, true, out);
	doctor_put_abilities(c, false, out);
}

static void doctor_json_finding(struct json *j, const struct finding *f)
{
	static const char *const states[] = {
		[CONDITION_HOLDS] = "ok",
		[CONDITION_WAITS] = "waiting",
		[CONDITION_FAILS] = "no",
		[CONDITION_UNKNOWN] = "unknown",
	};

	json_open_object(j);
	json_add_text(j, "name", f->is.name);
	json_add_text(j, "state",
		      f->is_note      ? "note"
		      : f->is_warning ? "warning"
				      : states[f->is.state]);
	json_add_text(j, "detail", f->is.detail);
	json_add_text(j, "remedy",
		      f->is.remedy[0] && f->is.state != CONDITION_HOLDS
			      ? f->is.remedy
			      : NULL);
	json_close_object(j);
}

static void doctor_json_name(struct json *j, const char *key,
			     const struct finding *f)
{
	json_add_text(j, key, f ? f->is.name : NULL);
}

static void doctor_json_abilities(struct json *j, const struct doctor_checks *c)
{
	json_add_array(j, "commands");
	for (size_t i = 0; i < c->ability_count; i++) {
		const struct ability *a = &c->abilities[i];

		json_open_object(j);
		json_add_text(j, "command", a->command);
		json_add_bool(j, "works", !a->no);
		doctor_json_name(j, "because", a->no);
		doctor_json_name(j, "in_part", a->no ? NULL : a->in_part);
		json_close_object(j);
	}
	json_close_array(j);
}

static void doctor_put_json(const struct doctor_checks *c, struct text *out)
{
	struct json j = json_document(out, "sjkc.doctor/1");

	json_add_int(&j, "pid", c->pid);
	json_add_text(&j, "main", c->info.main_class);
	json_add_array(&j, "checks");
	for (size_t i = 0; i < c->count; i++)
		doctor_json_finding(&j, &c->findings[i]);
	json_close_array(&j);
	doctor_json_abilities(&j, c);
	json_end_document(&j);
}

/* The first obstacle decides the exit status. */
static int doctor_verdict(const struct doctor_checks *c, struct error *err)
{
	const struct finding *f = doctor_checks_obstacle(c);

	if (!f)
		return 0;
	/* The report has the finding: do not print it twice. */
	if (log_shares_stdout())
		return fail(err, f->is.kind, "%s", "");
	return fail(err, f->is.kind, "%d: %s: %s", (int)c->pid, f->is.name,
		    f->is.detail);
}

static int doctor_report(const struct doctor_checks *c, struct error *err)
{
	struct text text = { 0 };
	int ret;

	if (opt.json)
		doctor_put_json(c, &text);
	else
		doctor_put_text(c, &text);
	ret = output_file("-", text.bytes, text.len, err);
	if (ret == 0)
		ret = doctor_verdict(c, err);
	text_release(&text);
	return ret;
}

static int doctor_examine(int argc, char **argv, struct doctor_checks *c,
			  struct error *err)
{
	const char *name = opt.pid ? opt.pid : argc ? argv[0] : "";
	struct error refused;
	struct jvm jvm;
	int ret;

	if (target_open(&jvm, opt.pid, argc, argv, err)) {
		/* A missing permission is a finding. */
		if (err->kind != ERROR_PERMISSION)
			return -1;
		refused = *err;
		doctor_checks_init_refused(c, (pid_t)strtol(name, NULL, 10),
					   &refused);
		return doctor_report(c, err);
	}
	doctor_checks_init(c, &jvm);
	ret = doctor_report(c, err);
	jvm_close(&jvm);
	return ret;
}

static int doctor_run(int argc, char **argv, struct error *err)
{
	struct doctor_checks *c;
	const char *given;
	int ret;

	if (opt.push.url && (opt.pid || argc))
		return misuse(
			err,
			"doctor checks either a JVM or a profiling backend");
	if (opt.push.url)
		return doctor_push(&opt.push, opt.json, err);
	given = command_given("push-format|header-file|cacert|cert|key|"
			      "server-name");
	if (given)
		return misuse(err, "--%s requires --push", given);
	c = xcalloc(1, sizeof(*c));
	ret = doctor_examine(argc, argv, c, err);
	doctor_checks_release(c);
	free(c);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_STRING(0, "push", &opt.push.url, "<url>",
		   "check the backend of prof --push at this URL"),
	OPT_PUSH(&opt.push, false),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_END,
};
/* clang-format on */

const struct command doctor_command = {
	.name = "doctor",
	.synopsis = "doctor [<options>] [<pid>] | --push <url>",
	.summary = "check which commands work on a JVM and why others fail",
	.group = "inspect",
	.examples = "  sjkc doctor 4711\n"
		    "  sjkc doctor com.acme.Main --json\n"
		    "  sjkc doctor --push http://localhost:4318\n",
	.options = options,
	.has_messages = true,
	.run = doctor_run,
};
