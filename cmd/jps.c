/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc jps: lists the JVMs that run on this machine. */
#include "cmd/commands.h"
#include "cmd/shared/jps_details.h"
#include "cmd/shared/log.h"
#include "cmd/shared/process.h"
#include "cmd/shared/report_format.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/output.h"
#include "core/jvm/container.h"
#include "core/jvm/jvm.h"
#include "render/text/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	const char *description, *output;
	struct option_list properties, details;
	struct jps_plain plain;
	bool csv, json, no_attach, show_secrets, quiet, verbose;
} opt;

/* The JVMs to list, and counts for messages. */
struct listed {
	struct jvm_list list;
	struct process *processes;
	struct container_pod *pods; /* of the processes, or NULL */
	size_t count;
	size_t filtered;
	size_t refused;   /* number of JVMs that did not reply to attach */
	struct error why; /* of the first of them */
};

static void listed_note_refusal(struct listed *l, const struct process *p)
{
	if (p->refused.kind && l->refused++ == 0)
		l->why = p->refused;
}

static int listed_init(struct listed *l, const struct jps_filter *filter,
		       struct error *err)
{
	*l = (struct listed){ 0 };
	if (jvm_list(&l->list, err))
		return -1;
	l->processes = xcalloc(l->list.count, sizeof(*l->processes));
	for (size_t i = 0; i < l->list.count; i++) {
		struct process *p = &l->processes[l->count];
		struct error unused;

		/* Skip a process that has exited since jvm_list(). */
		if (process_init(p, &l->list.jvms[i], &unused))
			continue;
		p->show_secrets = opt.show_secrets;
		p->may_ask = !opt.no_attach;
		if (jps_filter_passes(filter, p)) {
			l->count++;
		} else {
			listed_note_refusal(l, p);
			process_release(p);
			l->filtered++;
		}
	}
	return 0;
}

/* Returns true if the pod of a process is known. */
static bool listed_read_pods(struct listed *l)
{
	bool is_known = false;

	l->pods = xcalloc(l->count, sizeof(*l->pods));
	for (size_t i = 0; i < l->count; i++) {
		container_pod_read(&l->pods[i], l->processes[i].jvm);
		is_known |= l->pods[i].name.len > 0;
	}
	return is_known;
}

static void listed_release(struct listed *l)
{
	for (size_t i = 0; i < l->count; i++) {
		process_release(&l->processes[i]);
		if (l->pods)
			container_pod_release(&l->pods[i]);
	}
	free(l->processes);
	free(l->pods);
	jvm_list_release(&l->list);
}

enum {
	JPS_PID,
	JPS_NS_PID,
	JPS_USER,
	JPS_UPTIME,
	JPS_VERSION,
	JPS_POD,
	JPS_CONTAINER,
	JPS_MAIN,
	JPS_ARGS,
	JPS_OPTIONS,
	JPS_COLUMNS
};

static const struct table_column columns[JPS_COLUMNS] = {
	[JPS_PID] = { "PID", true },
	[JPS_NS_PID] = { "NSPID", true },
	[JPS_USER] = { "USER", false },
	[JPS_UPTIME] = { "UPTIME", true },
	[JPS_VERSION] = { "JAVA", false },
	[JPS_POD] = { "POD", false },
	[JPS_CONTAINER] = { "CONTAINER", false },
	[JPS_MAIN] = { "MAIN", false },
	[JPS_ARGS] = { "ARGUMENTS", false },
	[JPS_OPTIONS] = { "OPTIONS", false },
};

static bool jps_has_column(size_t i, bool has_pods)
{
	return i == JPS_POD || i == JPS_CONTAINER
		       ? has_pods
		       : i != JPS_OPTIONS || opt.verbose;
}

static void jps_add_options(const struct process *p, struct text *out)
{
	char *const *words = p->info.vm_args;

	for (size_t i = 0; words && words[i]; i++) {
		if (i)
			text_putc(out, ' ');
		process_word(p, words, i, out);
	}
}

static void jps_add_pod(struct table *t, const struct container_pod *pod)
{
	if (!pod->name.len) {
		table_add(t, "-");
		table_add(t, "-");
		return;
	}
	text_printf(table_cell(t), "%s/%s", pod->namespace.bytes,
		    pod->name.bytes);
	table_add(t, pod->container.bytes);
}

static void jps_add_row(struct table *t, const struct process *p,
			const struct container_pod *pod, int64_t now)
{
	const struct jvm *jvm = p->jvm;

	text_printf(table_cell(t), "%d", (int)jvm->pid);
	if (jvm->own_pid_ns)
		text_printf(table_cell(t), "%d", (int)jvm->ns_pid);
	else
		table_add(t, "-");
	table_add(t, p->info.user);
	process_add_uptime(table_cell(t), now - p->info.start_ns);
	table_add(t, p->info.version ? p->info.version : "?");
	if (pod)
		jps_add_pod(t, pod);
	table_add(t, p->main.bytes);
	process_args(p, table_cell(t));
	if (p->info.args_cut && !opt.csv)
		text_puts(&t->cells[t->count - 1], " …");
	if (opt.verbose)
		jps_add_options(p, table_cell(t));
}

/* CSV has the same columns on each machine. */
static void jps_put_table(struct listed *l, struct text *out)
{
	bool has_pods = !opt.csv && listed_read_pods(l);
	struct table_column shown[JPS_COLUMNS];
	struct table t = { .columns = shown };
	int64_t now = clock_wall_ns();

	for (size_t i = 0; i < JPS_COLUMNS; i++)
		if (jps_has_column(i, has_pods))
			shown[t.column_count++] = columns[i];
	for (size_t i = 0; i < l->count; i++)
		jps_add_row(&t, &l->processes[i], has_pods ? &l->pods[i] : NULL,
			    now);
	if (opt.csv)
		table_csv(&t, out);
	else if (l->count)
		table_text(&t,
			   opt.verbose ? 0
				       : output_terminal_width(
						 opt.output ? opt.output : "-"),
			   out);
	table_release(&t);
}

static void jps_json_words(struct json *j, const char *key,
			   const struct process *p, char *const *words)
{
	struct text word = { 0 };

	json_add_array(j, key);
	for (size_t i = 0; words && words[i]; i++) {
		text_clear(&word);
		process_word(p, words, i, &word);
		json_string(j, word.bytes, word.len);
	}
	json_close_array(j);
	text_release(&word);
}

static void jps_json_time(struct json *j, const char *key, int64_t ns)
{
	time_t s = (time_t)(ns / CLOCK_NS_PER_S);
	struct tm tm;
	char text[32];

	gmtime_r(&s, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_add_text(j, key, text);
}

static void jps_json_jvm(struct json *j, const struct process *p,
			 const struct container_pod *pod, int64_t now)
{
	const struct jvm *jvm = p->jvm;
	const struct jvm_info *info = &p->info;
	int64_t up_ns = now - info->start_ns;

	json_open_object(j);
	json_add_int(j, "pid", jvm->pid);
	json_add_int(j, "ns_pid", jvm->ns_pid);
	json_add_bool(j, "own_pid_namespace", jvm->own_pid_ns);
	json_add_bool(j, "own_root", jvm->own_root);
	json_add_uint(j, "uid", jvm->uid);
	json_add_text(j, "user", info->user);
	jps_json_time(j, "started", info->start_ns);
	json_add_int(j, "uptime_s", up_ns > 0 ? up_ns / CLOCK_NS_PER_S : 0);
	json_add_text(j, "kind",
		      jvm->kind == JVM_OPENJ9 ? "openj9" : "hotspot");
	json_add_text(j, "version", info->version);
	json_add_text(j, "vm_name", info->vm_name);
	json_add_text(j, "vm_vendor", info->vm_vendor);
	json_add_text(j, "java_home", info->java_home);
	json_add_text(j, "main", info->main_class);
	jps_json_words(j, "args", p, info->args);
	jps_json_words(j, "options", p, info->vm_args);
	json_add_bool(j, "cut", info->args_cut);
	container_pod_json(pod, j);
	json_close_object(j);
}

static void jps_put_json(struct listed *l, struct text *out)
{
	struct json j = json_document(out, "sjkc.jps/1");
	int64_t now = clock_wall_ns();

	listed_read_pods(l);
	json_add_array(&j, "jvms");
	for (size_t i = 0; i < l->count; i++)
		jps_json_jvm(&j, &l->processes[i], &l->pods[i], now);
	json_close_array(&j);
	json_add_uint(&j, "hidden", l->list.hidden);
	json_end_document(&j);
}

/* -l, -m or -q: the layout of the JDK's jps, which scripts read. */
static bool jps_is_plain(void)
{
	return opt.plain.long_names || opt.plain.arguments ||
	       opt.plain.pids_only;
}

static void jps_put(struct listed *l, struct text *out)
{
	for (size_t i = 0; jps_is_plain() && i < l->count; i++)
		jps_details_plain(&opt.plain, &l->processes[i], out);
	if (jps_is_plain())
		return;
	if (opt.details.count == 0 && opt.json)
		jps_put_json(l, out);
	else if (opt.details.count == 0)
		jps_put_table(l, out);
	else if (opt.json)
		jps_details_json(&opt.details, l->processes, l->count, out);
	else if (opt.csv)
		jps_details_csv(&opt.details, l->processes, l->count, out);
	else
		jps_details_text(&opt.details, l->processes, l->count, out);
}

static void jps_explain_empty(struct listed *l)
{
	for (size_t i = 0; i < l->count; i++)
		listed_note_refusal(l, &l->processes[i]);
	if (l->refused)
		log_info("%zu %s did not reply: %s", l->refused,
			 l->refused == 1 ? "JVM" : "JVMs", l->why.text);
	if (l->count == 0 && l->filtered)
		log_info("none of %zu JVMs matches the filter%s", l->filtered,
			 opt.description && !strpbrk(opt.description, "*?")
				 ? ": the pattern must match the whole main "
				   "class and arguments; try '*Main*'"
				 : "");
	else if (l->count == 0)
		log_info("no JVM runs here%s",
			 l->list.hides ? " that sjkc can inspect" : "");
	target_log_hidden(&l->list);
}

static int jps_run(int argc, char **argv, struct error *err)
{
	const struct report_format format = { &opt.csv, &opt.json, NULL };
	struct jps_filter filter = { 0 };
	struct text text = { 0 };
	struct listed l = { 0 };
	int ret = -1;

	log_set_level(opt.verbose ? LOG_VERBOSE
		      : opt.quiet ? LOG_QUIET
				  : LOG_NORMAL);
	if (argc)
		return misuse(err,
			      "unexpected argument '%s': to filter by "
			      "name, use --filter-description '*%s*'",
			      argv[0], argv[0]);
	if (report_format_choose(&format, opt.output ? opt.output : "-", err))
		return -1;
	opt.plain.options = opt.verbose && !opt.plain.pids_only;
	opt.plain.arguments &= !opt.plain.pids_only;
	if (jps_details_check(&opt.details, err) ||
	    jps_filter_init(&filter, opt.description, &opt.properties, err) ||
	    listed_init(&l, &filter, err))
		goto out;
	jps_put(&l, &text);
	ret = output_file(opt.output ? opt.output : "-", text.bytes, text.len,
			  err);
	if (ret == 0 && !l.list.count && l.list.hidden)
		ret = target_fail_no_jvm(&l.list, err);
	else if (ret == 0)
		jps_explain_empty(&l);
out:
	listed_release(&l);
	jps_filter_release(&filter);
	text_release(&text);
	return ret;
}

/* The options that choose another layout than the JDK's. */
#define LAYOUTS "csv|json|process-details"

/* clang-format off */
static const struct command_option options[] = {
	OPT_STRING(0, "filter-description", &opt.description, "<glob>",
		   "list JVMs whose main class and arguments match",
		   .aliases = "-fd"),
	OPT_LIST(0, "filter-property", &opt.properties, "<glob>",
		 "list JVMs with this system property, name=value",
		 .aliases = "-fp"),
	OPT_LIST(0, "process-details", &opt.details, "<tag>",
		 "print PID, MAIN, FDQN_MAIN, ARGS, dNAME, XNAME",
		 .aliases = "-pd"),
	OPT_FLAG(0, "csv", &opt.csv, "write CSV", .excludes = "json"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file (default: standard output)"),
	OPT_FLAG(0, "no-attach", &opt.no_attach,
		 "do not attach to JVMs for missing details"),
	OPT_FLAG(0, "show-secrets", &opt.show_secrets,
		 "print passwords and tokens in arguments"),
	OPT_FLAG('l', "long-names", &opt.plain.long_names,
		 "print PID and main class, as the JDK's jps",
		 .excludes = LAYOUTS),
	OPT_FLAG('m', "arguments", &opt.plain.arguments,
		 "print PID, class name and arguments",
		 .excludes = LAYOUTS),
	OPT_FLAG('q', "pids", &opt.plain.pids_only, "print PIDs only",
		 .excludes = LAYOUTS),
	OPT_FLAG('v', "verbose", &opt.verbose,
		 "also print the JVM's options; truncate no line"),
	OPT_FLAG(0, "quiet", &opt.quiet, "print no messages except errors"),
	OPT_END,
};
/* clang-format on */

static const struct refusal refusals[] = {
	{ "-V", "in the JDK, this reads flags from a file; -v prints the JVM's "
		"options" },
	{ NULL, NULL },
};

const struct command jps_command = {
	.name = "jps",
	.synopsis = "jps [<options>]",
	.summary = "list the JVMs of this machine and its containers",
	.group = "inspect",
	.examples = "  sjkc jps                           # all JVMs\n"
		    "  sjkc jps -lmv                      # as the JDK's jps\n"
		    "  sjkc jps --filter-description '*Kafka*'\n"
		    "  sjkc jps --filter-property 'app.env=prod' --json\n",
	.options = options,
	.refusals = refusals,
	.run = jps_run,
};
