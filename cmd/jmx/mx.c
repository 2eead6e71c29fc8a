/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc mx: reads, sets, calls and describes MBeans, prints notifications. */
#include "cmd/jmx/mx.h"

#include "cmd/commands.h"
#include "cmd/jmx/jmx_target.h"
#include "cmd/jmx/mx_fields.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/value/object_name.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_MAX 20 /* MBeans to list when several match */

static struct mx_options opt = {
	.width = 40,
	.interval_ns = CLOCK_NS_PER_S,
};
static struct jmx_target_options target_opt = {
	.timeout_ns = JMX_TIMEOUT_NS,
};

void mx_failed(struct mx *m, enum error_kind kind, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (m->failed++ == 0 && vasprintf(&text, fmt, args) >= 0) {
		fail(&m->first, kind, "%s", text);
		free(text);
	}
	va_end(args);
}

int mx_flush(struct mx *m, struct text *text, struct error *err)
{
	if (text->len)
		output_write(m->out, text->bytes, text->len);
	text_clear(text);
	return output_check(m->out, err);
}

typedef int action_fn(struct mx *m, struct error *err);

static int mx_choose_action(action_fn **action, struct error *err)
{
	const struct {
		bool chosen;
		action_fn *action;
	} actions[] = {
		{ opt.get, mx_get },
		{ opt.set, mx_set },
		{ opt.call, mx_call },
		{ opt.info, mx_info },
		{ opt.notifications, mx_notifications },
	};

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		if (!actions[i].chosen)
			continue;
		*action = actions[i].action;
		return 0;
	}
	return misuse(err, "missing --get, --set, --call, --info or "
			   "--notifications");
}

/* Rejects options that the action would ignore. */
static int mx_check_action(struct error *err)
{
	if (opt.set && opt.fields.count != 1)
		return misuse(err, "--set requires one attribute: -f <name>");
	if (opt.set && !opt.value)
		return misuse(err, "--set requires a value: -v <value>");
	if (opt.csv && !opt.fields.count)
		return misuse(err, "--csv requires attributes: -f <name>");
	if (opt.call && !opt.operation)
		return misuse(
			err,
			"--call requires an operation: --operation <name>");
	if (!opt.get && opt.beans.count > 1)
		return misuse(err, "several -b require --get");
	return 0;
}

/* Checks the fields before jmx_client_open() asks for a password. */
static int mx_check_fields(struct error *err)
{
	struct mx_fields fields;
	int ret = opt.set ? 0 : mx_fields_init(&fields, &opt.fields, err);

	if (!opt.set)
		mx_fields_release(&fields);
	return ret;
}

static int mx_check_bean(struct error *err)
{
	if (!opt.beans.count)
		return misuse(err, "no MBean given: use -b <name>");
	for (size_t i = 0; i < opt.beans.count; i++) {
		if (object_name_check(opt.beans.values[i], NULL, err))
			return fail_in(err, "-b '%s'", opt.beans.values[i]);
	}
	return 0;
}

static int mx_compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int mx_fail_several(const struct mx_group *g, struct error *err)
{
	log_always("%s matches %zu MBeans:", g->bean, g->count);
	for (size_t i = 0; i < g->count && i < LISTED_MAX; i++)
		log_always("  %s", g->names[i]);
	if (g->count > LISTED_MAX)
		log_always("  … and %zu more", g->count - LISTED_MAX);
	return misuse(err, "several MBeans match; name one, or use --all");
}

static int mx_fail_no_bean(const struct mx *m, const char *bean,
			   struct error *err)
{
	struct text hint = { 0 };

	text_puts(&hint, "");
	if (!bean_hint(m->jmx, bean, &hint))
		text_puts(&hint, "; -b '*:*' --all --info lists all MBeans");
	fail(err, ERROR_NO_TARGET, "%s has no MBean %s%s", m->title, bean,
	     hint.bytes);
	text_release(&hint);
	return -1;
}

/* Sets g->names to the selected MBeans, sorted by name. */
static int mx_find_beans(struct mx *m, struct mx_group *g, struct arena *a,
			 struct error *err)
{
	const char **sorted;

	if (jmx_query(m->jmx, g->bean, a, &g->names, &g->count, err)) {
		/* A policy may permit reading, but not searching. */
		if (err->kind != ERROR_PERMISSION || strpbrk(g->bean, "*?"))
			return -1;
		g->names = memcpy(arena_alloc(a, sizeof(g->bean)), &g->bean,
				  sizeof(g->bean));
		g->count = 1;
		return 0;
	}
	if (g->count == 0)
		return mx_fail_no_bean(m, g->bean, err);
	sorted = arena_alloc(a, g->count * sizeof(*sorted));
	memcpy(sorted, g->names, g->count * sizeof(*sorted));
	qsort(sorted, g->count, sizeof(*sorted), mx_compare_names);
	g->names = sorted;
	return g->count > 1 && !opt.all ? mx_fail_several(g, err) : 0;
}

/*
 * A -f applies to the -b before it.  A -f before the first -b, and each -f of a
 * command line with one -b, applies to all.
 */
static struct option_list mx_fields_of_bean(size_t bean, struct arena *a)
{
	const struct option_list *all = &opt.fields;
	struct option_list own = {
		.values = arena_alloc(a,
				      (all->count + 1) * sizeof(*own.values)),
	};
	size_t before = 0, field = 0;

	for (size_t i = 0; i < opt.sequence.count; i++) {
		if (strcmp(opt.sequence.values[i], "bean") == 0) {
			before++;
			continue;
		}
		if (!before || before == bean + 1 || opt.beans.count == 1)
			own.values[own.count++] = all->values[field];
		field++;
	}
	return own;
}

static int mx_find_groups(struct mx *m, struct arena *a, struct error *err)
{
	struct mx_group *all = arena_alloc(a, opt.beans.count * sizeof(*all));
	int ret = 0;

	m->groups = all;
	m->group_count = opt.beans.count;
	for (size_t i = 0; ret == 0 && i < m->group_count; i++) {
		all[i] = (struct mx_group){
			.bean = opt.beans.values[i],
			.fields = mx_fields_of_bean(i, a),
		};
		ret = mx_find_beans(m, &all[i], a, err);
	}
	m->names = all->names;
	m->count = all->count;
	return ret;
}

/* Fails when some requests failed, with ERROR_PARTIAL unless all did. */
static int mx_outcome(const struct mx *m, struct error *err)
{
	if (!m->failed)
		return 0;
	if (m->failed < m->had)
		return fail(err, ERROR_PARTIAL, "%zu of %zu failed: %s",
			    m->failed, m->had, m->first.text);
	*err = m->first;
	return -1;
}

static int mx_act(struct mx *m, action_fn *action, struct error *err)
{
	struct output out;
	int ret = output_open(&out, "-", err);

	m->out = &out;
	if (ret == 0) {
		ret = action(m, err);
		if (output_commit(&out, ret ? error_unused() : err))
			ret = -1;
	}
	output_close(&out);
	m->out = NULL;
	return ret ? ret : mx_outcome(m, err);
}

/* Acts --repeat times, at a fixed rate, until the first failure or signal. */
static int mx_repeat(struct mx *m, action_fn *action, struct error *err)
{
	int64_t next_ns = clock_monotonic_ns();
	int ret = mx_act(m, action, err);

	if (opt.repeat > 1)
		signals_listen();
	for (uint64_t i = 1; ret == 0 && i < opt.repeat; i++) {
		next_ns = clock_after(next_ns, opt.interval_ns);
		if (signals_wait(-1, next_ns) != WAIT_DUE)
			break;
		if (!opt.quiet && !opt.json && !opt.json_array && !opt.csv)
			putchar('\n');
		ret = mx_act(m, action, err);
	}
	return ret;
}

static int mx_run(int argc, char **argv, struct error *err)
{
	struct mx m = { .opt = &opt };
	struct jmx_client target;
	struct arena a = { 0 };
	action_fn *action = NULL;
	int ret = -1;

	if (opt.quiet)
		log_set_level(LOG_QUIET);
	if (mx_check_bean(err) || mx_choose_action(&action, err) ||
	    mx_check_action(err) || mx_check_fields(err))
		return -1;
	if (jmx_client_open(&target, &target_opt, argc, argv, err))
		goto out;
	m.jmx = target.jmx;
	m.title = target.jmx->title;
	ret = mx_find_groups(&m, &a, err);
	if (ret == 0)
		ret = mx_repeat(&m, action, err);
	if (ret == 0)
		ret = jmx_client_check_limits(err);
out:
	jmx_client_close(&target);
	arena_release(&a);
	return ret;
}

#define ACTIONS "get|set|call|info|notifications"

/* clang-format off */
static const struct command_option options[] = {
	OPT_HEADING("target"),
	OPT_JMX_SOCKET(&target_opt),
	OPT_JMX_URL(&target_opt),
	OPT_TARGET(&target_opt.pid),
	OPT_JMX_LOGIN(&target_opt),
	OPT_JMX_TLS(&target_opt),
	OPT_JMX_FORCE(&target_opt),
	OPT_JMX_TIMEOUT(&target_opt),
	OPT_HEADING("what"),
	OPT_LIST('b', "bean", &opt.beans, "<name>",
		 "select MBeans by name or pattern; repeatable",
		 .single = true, .sequence = &opt.sequence),
	OPT_FLAG(0, "all", &opt.all, "use all MBeans that match",
		 .aliases = "-all --allMatched"),
	OPT_FLAG(0, "get", &opt.get, "print attributes", .aliases = "-mg",
		 .excludes = ACTIONS),
	OPT_FLAG(0, "set", &opt.set, "set an attribute", .aliases = "-ms",
		 .excludes = ACTIONS),
	OPT_FLAG(0, "call", &opt.call, "call an operation", .aliases = "-mc",
		 .excludes = ACTIONS),
	OPT_FLAG(0, "info", &opt.info, "list attributes and operations",
		 .aliases = "-mi",
		 .excludes = ACTIONS),
	OPT_FLAG(0, "notifications", &opt.notifications,
		 "print notifications as they arrive",
		 .excludes = ACTIONS),
	OPT_LIST('f', "attribute", &opt.fields, "<name>",
		 "select attributes: Name, *Count, /regex/, A.key",
		 .aliases = "--field", .sequence = &opt.sequence,
		 .requires = "get|set"),
	OPT_STRING('v', "value", &opt.value, "<value>", "set this value",
		   .requires = "set"),
	OPT_STRING(0, "operation", &opt.operation, "<name>",
		   "call this operation: sum, or sum(int,int)", .aliases = "-op",
		   .requires = "call"),
	OPT_LIST('a', "arguments", &opt.arguments, "<value>",
		 "pass these arguments to the operation", .requires = "call"),
	OPT_COUNT(0, "repeat", &opt.repeat, "<count>",
		  "with --get: print this many times (default: 1)",
		  .requires = "get"),
	OPT_DURATION(0, "interval", &opt.interval_ns, "<time>",
		     "set the time between these prints", .positive = true),
	OPT_DURATION('d', "duration", &opt.duration_ns, "<time>",
		     "wait this long for notifications",
		     .requires = "notifications"),
	OPT_HEADING("output"),
	OPT_FLAG(0, "csv", &opt.csv, "print attributes as CSV",
		 .requires = "get", .excludes = "json|json-array"),
	OPT_FLAG(0, "json", &opt.json, "print a JSON document for each MBean",
		 .excludes = "json-array|set"),
	OPT_FLAG(0, "json-array", &opt.json_array, "print one JSON array",
		 .excludes = "set"),
	OPT_FLAG(0, "add-mbean-name", &opt.add_name,
		 "add the MBean's name to CSV and JSON"),
	OPT_LIST(0, "col-list", &opt.columns, "<column>",
		 "print only these CSV columns", .requires = "csv"),
	OPT_COUNT(0, "max-col-width", &opt.width, "<count>",
		  "limit the width of cells"),
	OPT_FLAG('q', "quiet", &opt.quiet, "print values without names"),
	OPT_END,
};

/* clang-format on */

const struct command mx_command = {
	.name = "mx",
	.synopsis = "mx [<options>] -s <host>:<port> | -u <url> | -p <pid> "
		    "-b <name> …",
	.summary = "read, set, call and describe MBeans",
	.group = "JMX",
	.examples = "  sjkc mx -p 4711 -b java.lang:type=Memory --get -f "
		    "HeapMemoryUsage.used\n"
		    "  sjkc mx -s 10.0.0.7:9010 -b "
		    "'java.lang:type=GarbageCollector,*' --all --get\n"
		    "  sjkc mx -p Main -b java.lang:type=Memory --call "
		    "--operation gc\n"
		    "  sjkc mx -p Main -b java.lang:type=Threading --set \\\n"
		    "      -f ThreadCpuTimeEnabled -v true\n",
	.options = options,
	.refusals = jmx_refusals,
	.run = mx_run,
};
