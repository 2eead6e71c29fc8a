/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc mxdump: writes all readable attributes of all MBeans as one JSON
 * document.
 *
 * It writes MBean by MBean. The document stays valid JSON after an error; its
 * member $partial then has the reason.  With --prometheus, the document is that
 * of /metrics instead.
 */
#include "cmd/commands.h"
#include "cmd/jmx/jmx_target.h"
#include "cmd/jmx/mx.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/json.h"
#include "jmx_http/jmx_read.h"
#include "jmx_http/metrics/metrics.h"
#include "jmx_http/value/object_name.h"

#include <stdlib.h>
#include <string.h>

static struct {
	struct option_list queries;
	const char *output;
	bool quiet, prometheus;
} opt = { .output = "-" };

static struct jmx_target_options target_opt = {
	.timeout_ns = JMX_TIMEOUT_NS,
};

/* A document being written. */
struct dump {
	struct output *out;
	struct text text;
	struct json json;
	size_t written, lost;
	size_t failed; /* MBeans without attributes, though they exist */
	struct error first;
};

static int dump_flush(struct dump *d, struct error *err)
{
	output_write(d->out, d->text.bytes, d->text.len);
	text_clear(&d->text);
	return output_check(d->out, err);
}

/* Chooses all readable attributes; requests a repeated name once. */
static const char *const *dump_choose(void *self, const char *object,
				      const struct jmx_info *info,
				      struct arena *a, size_t *count,
				      const void **note, struct error *err)
{
	const char **names = arena_alloc(a, info->attribute_count *
						    sizeof(*names));
	struct intern known = { 0 };

	(void)self;
	(void)object;
	(void)note;
	(void)err;
	*count = 0;
	for (size_t i = 0; i < info->attribute_count; i++) {
		const char *name = info->attributes[i].name;
		size_t len = strlen(name);

		/* With the NUL: no name is empty. A new name has a new id. */
		if (info->attributes[i].readable &&
		    intern_id(&known, name, len + 1) > *count)
			names[(*count)++] = arena_copy(a, name, len);
	}
	intern_release(&known);
	return names;
}

static void dump_put_attribute(struct json *j, const char *name,
			       const struct value *v)
{
	struct text key = { 0 };

	/* Keys of sjkc, which start with "$", and those of SJK. */
	if (*name == '$' || strcmp(name, "name") == 0 ||
	    strcmp(name, "modelerType") == 0)
		text_putc(&key, '$');
	text_puts(&key, name);
	json_foreign_key(j, key.bytes);
	value_json(j, v);
	text_release(&key);
}

static int dump_take_bean(void *self, const struct jmx_bean *bean,
			  struct error *err)
{
	struct dump *d = self;
	struct json *j = &d->json;

	text_putc(&d->text, '\n');
	json_open_object(j);
	json_add_text(j, "name", bean->name);
	if (bean->class) {
		json_add_text(j, "modelerType", bean->class);
	}
	for (size_t i = 0; bean->values && i < bean->values->members.count;
	     i++) {
		const struct value_member *m = &bean->values->members.at[i];

		dump_put_attribute(j, m->name, m->value);
	}
	if (bean->failure) {
		json_add_text(j, "$error", bean->failure);
	}
	json_close_object(j);
	d->written++;
	d->lost += bean->was_lost;
	if (bean->failure && !bean->was_lost && bean->kind != ERROR_NO_TARGET &&
	    !d->failed++)
		fail(&d->first, bean->kind, "%s: %s", bean->name,
		     bean->failure);
	if (dump_flush(d, err))
		return -1;
	return signals_arrived()
		       ? fail(err, ERROR_PARTIAL, "stopped by a signal")
		       : 0;
}

int mxdump_write(struct jmx *jmx, const char *const *names, size_t count,
		 struct output *out, struct error *err)
{
	struct dump d = { .out = out };
	const struct jmx_reader reader = { dump_choose, dump_take_bean, &d,
					   NULL };
	struct error why;
	bool is_cut;
	int ret = 0;

	d.json = json_into(&d.text);
	json_open_object(&d.json);
	json_add_array(&d.json, "beans");
	is_cut = jmx_read(jmx, names, count, &reader, &why);
	json_close_array(&d.json);
	if (is_cut)
		json_add_text(&d.json, "$partial", why.text);
	json_close_object(&d.json);
	text_putc(&d.text, '\n');
	if (is_cut && why.kind == ERROR_OUTPUT) {
		*err = why;
		ret = -1;
	} else {
		ret = dump_flush(&d, err);
	}
	if (ret == 0 && is_cut)
		ret = fail(err, ERROR_PARTIAL,
			   "%zu of %zu MBeans were written: %s", d.written,
			   count, why.text);
	else if (ret == 0 && d.lost)
		ret = fail(err, ERROR_PARTIAL,
			   "cannot read %zu of %zu MBeans completely: no reply "
			   "arrived, or the connection was lost",
			   d.lost, count);
	else if (ret == 0 && d.failed)
		ret = fail(err, ERROR_PARTIAL,
			   "cannot read %zu of %zu MBeans: %s", d.failed, count,
			   d.first.text);
	text_release(&d.text);
	return ret;
}

/* Keeps a partial document, too. */
static int mxdump_dump(struct jmx *jmx, const char *const *names, size_t count,
		       struct error *err)
{
	struct error why;
	struct output out;
	int ret = output_open(&out, opt.output, err);

	if (ret == 0) {
		int written = mxdump_write(jmx, names, count, &out, &why);

		if (written == 0 || why.kind == ERROR_PARTIAL)
			ret = output_commit(&out, err);
		if (ret == 0 && written) {
			*err = why;
			ret = -1;
		}
	}
	output_close(&out);
	return ret;
}

static int mxdump_write_metrics(struct jmx *jmx, struct error *err)
{
	const struct metrics_options options = { opt.queries.values,
						 opt.queries.count, false };
	struct text text = { 0 };
	struct error why;
	int read = metrics_read(jmx, &options, &text, &why), ret = -1;

	if (read < 0)
		*err = why;
	else
		ret = output_file(opt.output, text.bytes, text.len, err);
	text_release(&text);
	if (ret == 0 && read)
		ret = fail(err, ERROR_PARTIAL, "some metrics are missing: %s",
			   why.text);
	return ret;
}

static int mxdump_check(struct error *err)
{
	for (size_t i = 0; i < opt.queries.count; i++) {
		const char *query = opt.queries.values[i];

		if (opt.prometheus ? metrics_check(query, err)
				   : object_name_check(query, NULL, err))
			return fail_in(err, "-q '%s'", query);
	}
	return 0;
}

static int mxdump_compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void mxdump_log_no_match(struct jmx *jmx, const char *query)
{
	struct text hint = { 0 };

	text_puts(&hint, "");
	bean_hint(jmx, query, &hint);
	log_info("no MBean matches '%s'%s", query, hint.bytes);
	text_release(&hint);
}

/* The names that match any of the patterns, sorted, each once. */
struct bean_names {
	const char **names;
	size_t count, cap;
};

static int mxdump_add_names(struct bean_names *n, struct jmx *jmx,
			    const char *query, struct arena *a,
			    struct error *err)
{
	const char *const *names;
	size_t count;

	if (jmx_query(jmx, query, a, &names, &count, err))
		return -1;
	if (!count && query)
		mxdump_log_no_match(jmx, query);
	array_reserve(n->names, n->cap, n->count + count);
	for (size_t i = 0; i < count; i++)
		n->names[n->count++] = names[i];
	return 0;
}

static void mxdump_sort_names(struct bean_names *n)
{
	size_t kept = 0;

	if (!n->count)
		return;
	qsort(n->names, n->count, sizeof(*n->names), mxdump_compare_names);
	for (size_t i = 0; i < n->count; i++) {
		if (!kept || strcmp(n->names[kept - 1], n->names[i]) != 0)
			n->names[kept++] = n->names[i];
	}
	n->count = kept;
}

static int mxdump_write_beans(struct jmx *jmx, struct error *err)
{
	struct bean_names n = { 0 };
	struct arena a = { 0 };
	int ret = opt.queries.count ? 0
				    : mxdump_add_names(&n, jmx, NULL, &a, err);

	for (size_t i = 0; ret == 0 && i < opt.queries.count; i++)
		ret = mxdump_add_names(&n, jmx, opt.queries.values[i], &a, err);
	if (ret == 0) {
		mxdump_sort_names(&n);
		ret = mxdump_dump(jmx, n.names, n.count, err);
	}
	free(n.names);
	arena_release(&a);
	return ret;
}

static int mxdump_run(int argc, char **argv, struct error *err)
{
	struct jmx_client target;
	int ret = -1;

	if (opt.quiet)
		log_set_level(LOG_QUIET);
	/* Before a connection, which may start an agent. */
	if (mxdump_check(err) || output_try(opt.output, err))
		return -1;
	if (jmx_client_open(&target, &target_opt, argc, argv, err))
		goto out;
	if (opt.prometheus) {
		ret = mxdump_write_metrics(target.jmx, err);
	} else {
		signals_listen();
		ret = mxdump_write_beans(target.jmx, err);
	}
	if (ret == 0)
		ret = jmx_client_check_limits(err);
out:
	jmx_client_close(&target);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_JMX_SOCKET(&target_opt),
	OPT_JMX_URL(&target_opt),
	OPT_TARGET(&target_opt.pid),
	/* The letter of SJK. */
	OPT_LIST('q', "query", &opt.queries, "<name>",
		 "write only MBeans whose names match",
		 .single = true),
	OPT_STRING('o', "output", &opt.output, "<file>", "write to this file"),
	OPT_FLAG(0, "prometheus", &opt.prometheus,
		 "write the JVM's metrics in Prometheus' format"),
	OPT_JMX_LOGIN(&target_opt),
	OPT_JMX_TLS(&target_opt),
	OPT_JMX_FORCE(&target_opt),
	OPT_JMX_TIMEOUT(&target_opt),
	OPT_FLAG(0, "quiet", &opt.quiet, "print no messages except errors"),
	OPT_END,
};

/* clang-format on */

const struct command mxdump_command = {
	.name = "mxdump",
	.synopsis = "mxdump [<options>] -s <host>:<port> | -u <url> | -p <pid>",
	.summary = "write the attributes of all MBeans as JSON",
	.group = "JMX",
	.examples = "  sjkc mxdump -p 4711 -o mbeans.json\n"
		    "  sjkc mxdump -s 10.0.0.7:9010 -q 'java.lang:*'\n"
		    "  sjkc mxdump -p 4711 --prometheus -o "
		    "/var/lib/node_exporter/jvm.prom\n",
	.options = options,
	.refusals = jmx_refusals,
	.run = mxdump_run,
};
