/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc jcmd: runs diagnostic commands in a JVM, by attach or by JMX. */
#include "cmd/commands.h"
#include "cmd/jmx/jmx_target.h"
#include "cmd/shared/jps_details.h"
#include "cmd/shared/log.h"
#include "cmd/shared/reply_print.h"
#include "cmd/shared/target.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "jmx_http/jmx.h"
#include "jmx_http/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_NS (600 * CLOCK_NS_PER_S) /* for commands that walk the heap */

static struct {
	const char *command;
	bool list;
} opt;

/* With -s, sjkc uses JMX; otherwise it attaches. */
static struct jmx_target_options target_opt = { .timeout_ns = -1 };

/* Commands with special needs, by the start of their names. */
static const struct trait {
	const char *beginning;
	bool is_long;   /* may take minutes */
	bool streaming; /* prints much, without stopping threads */
} traits[] = {
	{ .beginning = "Compiler.", .is_long = true },
	{ .beginning = "GC.", .is_long = true },
	{ .beginning = "JFR.", .is_long = true },
	{ .beginning = "System.", .is_long = true },
	{ .beginning = "Thread.dump_to_file", .is_long = true },
	{ .beginning = "VM.info", .is_long = true, .streaming = true },
	{ .beginning = "VM.native_memory", .is_long = true },
};

/* Commands that the JDK's jcmd runs itself; a JVM rejects them. */
static const struct {
	const char *name, *instead;
} client_commands[] = {
	{ "PerfCounter.print",
	  "sjkc vminfo --perf reads the counters without attaching" },
};

static struct trait jcmd_trait(const char *command)
{
	for (size_t i = 0; i < sizeof(traits) / sizeof(*traits); i++) {
		const char *beginning = traits[i].beginning;

		if (strncmp(command, beginning, strlen(beginning)) == 0)
			return traits[i];
	}
	return (struct trait){ 0 };
}

/*
 * Rejects options of sjkc after the command. The JVM would read them as
 * arguments, for example as the file name of GC.heap_dump. No diagnostic
 * command has an option with such a name.
 */
static int jcmd_check_arguments(const char *command, int argc, char **argv,
				struct error *err)
{
	for (int i = 0; i < argc; i++) {
		const struct command_option *o = NULL;
		size_t len = strcspn(argv[i], "=");

		if (strncmp(argv[i], "--", 2) != 0 || len < 3)
			continue;
		while ((o = command_next_option(&jcmd_command, o)) &&
		       (strlen(o->name) != len - 2 ||
			memcmp(o->name, argv[i] + 2, len - 2) != 0))
			;
		if (o)
			return misuse(err,
				      "%.*s after %s would go to the JVM; put "
				      "it before the command, or quote it with "
				      "the command for the JVM: '%s %s'",
				      (int)len, argv[i], command, command,
				      argv[i]);
	}
	return 0;
}

static int jcmd_check_command(const char *command, struct error *err)
{
	if (!command[strspn(command, " \t\n")])
		return misuse(err, "the command is empty; `sjkc jcmd PID help` "
				   "lists the commands");
	for (size_t i = 0;
	     i < sizeof(client_commands) / sizeof(*client_commands); i++) {
		if (strcmp(command, client_commands[i].name) == 0)
			return misuse(err,
				      "%s is a command of the JDK's jcmd, not "
				      "of the JVM: %s",
				      command, client_commands[i].instead);
	}
	return 0;
}

/*
 * Appends an argument, quoted for the JVM's parser: spaces end an unquoted
 * argument, only the value of "name=value" is quoted, and there is no escape.
 */
static int jcmd_add_argument(struct text *line, const char *argument,
			     struct error *err)
{
	const char *equals = strchr(argument, '=');
	const char *value = equals ? equals + 1 : argument;
	char quote = strchr(value, '"') ? '\'' : '"';

	text_putc(line, ' ');
	if (*value && !strpbrk(value, " \t\n")) {
		text_puts(line, argument);
		return 0;
	}
	/* The user quoted the value for the JVM. */
	if (*value == '"' || *value == '\'') {
		text_puts(line, argument);
		return 0;
	}
	if (strchr(value, quote))
		return misuse(err,
			      "'%s' has spaces and both kinds of quotes; the "
			      "JVM cannot read such an argument",
			      argument);
	text_add(line, argument, (size_t)(value - argument));
	text_putc(line, quote);
	text_puts(line, value);
	text_putc(line, quote);
	return 0;
}

static int jcmd_add_line(struct text *line, const char *command, int argc,
			 char **argv, struct error *err)
{
	/* As with jcmd, the command may contain its arguments. */
	text_puts(line, command);
	for (int i = 0; i < argc; i++) {
		if (jcmd_add_argument(line, argv[i], err))
			return -1;
	}
	return 0;
}

/* Errors */

/* DCmd::parse_and_execute() throws it for every error (JDK 8 to 28). */
static const char refusal_exception[] = "java.lang.IllegalArgumentException: ";

/* Appends near misses; in the JVM's help, names stand alone on their lines. */
static void refusal_suggest(const char *command, size_t len,
			    const struct text *help, struct text *out)
{
	struct nearest nearest = nearest_to(command, len);
	struct lines lines = lines_over(help->bytes, help->len);
	char *names = xmalloc(help->len + 1), *at = names;
	struct line line;

	while (lines_next(&lines, &line)) {
		line = line_trimmed(line);
		if (!line.len || memchr(line.text, ' ', line.len))
			continue;
		memcpy(at, line.text, line.len);
		at[line.len] = '\0';
		nearest_offer(&nearest, at);
		at += line.len + 1;
	}
	nearest_suggest(&nearest, out);
	free(names);
}

/*
 * Replaces the text of err: the JVM `target` has no command with the name at
 * the start of line. help is the JVM's list of commands; lister is the sjkc
 * command that prints this list.
 */
static void refusal_unknown(const char *target, const char *line,
			    const struct text *help, const char *lister,
			    struct error *err)
{
	size_t len = strcspn(line, " ");
	struct text hint = { 0 };

	text_puts(&hint, "");
	if (help->len)
		refusal_suggest(line, len, help, &hint);
	if (!hint.len)
		text_puts(&hint, ";");
	fail(err, err->kind,
	     "%s: the JVM has no command '%.*s'%s `%s` lists its commands",
	     target, (int)len, line, hint.bytes, lister);
	text_release(&hint);
}

/*
 * Removes the name of the Java exception from err, and adds the command that
 * lists the arguments: lister, "sjkc jcmd 4711 help", and the command's name.
 */
static void refusal_shorten(const char *line, const char *lister,
			    struct error *err)
{
	/* JMX wraps the exception; with attach, err already has "refused". */
	static const char around[] = "javax.management.RuntimeMBeanException "
				     "<- ";
	const struct error was = *err;
	const char *at = strstr(was.text, refusal_exception), *why;
	const char *front = strstr(was.text, around);
	size_t len;

	if (!at)
		return;
	why = at + strlen(refusal_exception);
	len = strlen(why);
	if (len && why[len - 1] == '.')
		len--;
	if (!front || front > at)
		front = NULL;
	fail(err, was.kind, "%.*s%s%.*s; `%s %.*s` lists its arguments",
	     (int)((front ? front : at) - was.text), was.text,
	     front ? "the JVM refused: " : "", (int)len, why, lister,
	     (int)strcspn(line, " "), line);
}

/* By attach */

static void jcmd_explain(struct attach *a, const struct jvm *jvm,
			 const char *line, struct error *err)
{
	static const struct attach_request request = {
		.operation = "jcmd",
		.args = { "help" },
	};
	struct text help = { 0 };
	char target[32], lister[64];

	snprintf(target, sizeof(target), "%d", (int)jvm->pid);
	snprintf(lister, sizeof(lister), "sjkc jcmd %d help", (int)jvm->pid);
	if (err->kind == ERROR_REFUSED &&
	    strstr(err->text, "Unknown diagnostic command")) {
		attach_call(a, &request, &help, error_unused());
		refusal_unknown(target, line, &help, lister, err);
	} else if (err->kind == ERROR_REFUSED) {
		refusal_shorten(line, lister, err);
	}
	text_release(&help);
}

static int jcmd_call(const struct jvm *jvm, const char *line, struct error *err)
{
	struct trait trait = jcmd_trait(line);
	const struct attach_request request = {
		.operation = "jcmd",
		.args = { line },
		.streaming = trait.streaming,
	};
	int64_t timeout_ns = target_opt.timeout_ns > 0 ? target_opt.timeout_ns
			     : trait.is_long           ? LONG_NS
						       : ATTACH_TIMEOUT_NS;
	struct attach *a = attach_open(jvm, timeout_ns, err);
	int ret = -1;

	if (a) {
		log_detail("%s", attach_protocol(a));
		ret = reply_print(a, &request, err);
		if (ret)
			jcmd_explain(a, jvm, line, err);
	}
	attach_close(a);
	return ret;
}

static const char *jcmd_take_command(int *argc, char ***argv)
{
	if (opt.command || *argc == 0)
		return opt.command ? opt.command : "help";
	(*argc)--;
	return *(*argv)++;
}

static int jcmd_make_line(struct text *line, int *argc, char ***argv,
			  struct error *err)
{
	const char *command = jcmd_take_command(argc, argv);

	return jcmd_check_command(command, err) ||
			       jcmd_check_arguments(command, *argc, *argv,
						    err) ||
			       jcmd_add_line(line, command, *argc, *argv, err)
		       ? -1
		       : 0;
}

/* "sjkc jcmd Thread.print": the command stands where the JVM belongs. */
static void jcmd_explain_order(const char *name, struct error *err)
{
	const struct error was = *err;

	if (was.kind != ERROR_NO_TARGET ||
	    (strcmp(name, "help") != 0 && !jcmd_trait(name).beginning &&
	     strncmp(name, "VM.", 3) != 0 && strncmp(name, "Thread.", 7) != 0))
		return;
	fail(err, ERROR_MISUSE,
	     "%s; the JVM comes before the command: sjkc jcmd PID %s", was.text,
	     name);
}

static int jcmd_by_attach(int *argc, char ***argv, struct error *err)
{
	const char *name = target_opt.pid ? target_opt.pid
			   : *argc        ? **argv
					  : "";
	struct text line = { 0 };
	struct jvm jvm = { 0 };
	int ret = -1;

	if (target_open_first(&jvm, target_opt.pid, argc, argv, err)) {
		jcmd_explain_order(name, err);
		return -1;
	}
	if (jcmd_make_line(&line, argc, argv, err) == 0)
		ret = jcmd_call(&jvm, line.bytes, err);
	text_release(&line);
	jvm_close(&jvm);
	return ret;
}

/*
 * By JMX
 *
 * A JVM has an MBean with one operation for each command that remote clients
 * may run: com.sun.management.internal.DiagnosticCommandImpl.
 */

static const char bean[] = "com.sun.management:type=DiagnosticCommand";
static const char strings[] = "[Ljava.lang.String;";

struct jmx_command {
	const char *line;
	size_t len; /* of the command name at the start of line */
	struct text operation;
	bool is_known, takes_arguments;
	struct text *result; /* gets the result; NULL: print it */
};

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/*
 * Appends the name of a command's operation: "gcClassHistogram". Letters before
 * the first '.' or '_' become lower case, a letter after either becomes upper
 * case, all others are kept (DiagnosticCommandImpl.transform, JDK 17 and 25).
 */
static void jmx_command_operation(struct text *out, const char *command,
				  size_t len)
{
	bool first = true, raise = false;

	for (size_t i = 0; i < len; i++) {
		char c = command[i];

		if (c == '.' || c == '_') {
			first = false;
			raise = true;
			continue;
		}
		if (raise && is_lower(c))
			c = (char)(c - 'a' + 'A');
		else if (!raise && first && is_upper(c))
			c = (char)(c - 'A' + 'a');
		raise = false;
		text_putc(out, c);
	}
}

static int jmx_command_info(void *self, size_t index,
			    const struct jmx_reply *reply, struct error *err)
{
	struct jmx_command *a = self;

	(void)index;
	if (reply->failure)
		return fail(err, reply->kind, "%s", reply->failure);
	for (size_t i = 0; i < reply->info->operation_count; i++) {
		const struct jmx_feature *f = &reply->info->operations[i];

		if (strcmp(f->name, a->operation.bytes) != 0)
			continue;
		a->is_known = true;
		a->takes_arguments = f->parameter_count > 0;
		if (!a->takes_arguments && a->line[a->len])
			return misuse(err, "%.*s takes no arguments",
				      (int)a->len, a->line);
		return 0;
	}
	return 0;
}

static int jmx_command_result(void *self, size_t index,
			      const struct jmx_reply *reply, struct error *err)
{
	const struct jmx_command *a = self;
	const struct value *v = reply->value;

	(void)index;
	if (reply->failure)
		return fail(err, reply->kind, "%s", reply->failure);
	if (!v || v->kind != VALUE_STRING)
		return fail(err, ERROR_REFUSED, "the result is not a string");
	if (!a->result)
		return reply_put(v->text.at, v->text.len, err);
	text_add(a->result, v->text.at, v->text.len);
	return 0;
}

/*
 * Passes all arguments as one string: the JVM appends the strings to the
 * command, separated by spaces, and parses the line.
 */
static int jmx_command_invoke(struct jmx *jmx, struct jmx_command *a,
			      struct error *err)
{
	struct arena arena = { 0 };
	const char *arguments = a->line + a->len + (a->line[a->len] == ' ');
	const struct value *one = value_string(&arena, arguments);
	struct value *list = value_new(&arena, VALUE_ARRAY, strings);
	const struct value *argument = list;
	const char *signature = strings;
	const char *operation = a->operation.bytes;
	const struct jmx_request request = {
		.verb = JMX_INVOKE,
		.object = bean,
		.names = &operation,
		.name_count = 1,
		.arguments = &argument,
		.signature = &signature,
		.argument_count = a->takes_arguments,
	};
	int ret;

	list->list.at = &one;
	list->list.count = *arguments != '\0';
	ret = jmx_run(jmx, &request, 1, jmx_command_result, a, err);
	arena_release(&arena);
	return ret;
}

/* "sjkc jcmd -s 10.0.0.7:9010 help", or -u and the URL of an agent */
static char *jmx_help_command(const struct jmx *jmx)
{
	struct text lister = { 0 };

	text_printf(&lister, "sjkc jcmd %s %s help",
		    jmx_is_http(jmx->title) ? "-u" : "-s", jmx->title);
	return lister.bytes;
}

static int jmx_command_unknown(struct jmx *jmx, const char *line,
			       struct error *err)
{
	struct text help = { 0 };
	struct jmx_command a = { .line = "help",
				 .len = strlen("help"),
				 .takes_arguments = true,
				 .result = &help };
	char *lister = jmx_help_command(jmx);

	text_puts(&a.operation, a.line);
	jmx_command_invoke(jmx, &a, error_unused());
	err->kind = ERROR_NO_TARGET;
	refusal_unknown(jmx->title, line, &help, lister, err);
	text_release(&a.operation);
	text_release(&help);
	free(lister);
	return -1;
}

static int jmx_command_run(struct jmx *jmx, struct jmx_command *a,
			   struct error *err)
{
	char *lister;

	if (jmx_command_invoke(jmx, a, err) == 0)
		return 0;
	lister = jmx_help_command(jmx);
	fail_in(err, "%s", jmx->title);
	refusal_shorten(a->line, lister, err);
	free(lister);
	return -1;
}

/*
 * Runs a line, "GC.class_histogram -all", and prints the result.
 * ERROR_NO_TARGET when the JVM has no such command, ERROR_MISUSE when the
 * command takes no arguments; otherwise as jmx_run().
 */
static int jcmd_jmx(struct jmx *jmx, const char *line, struct error *err)
{
	const struct jmx_request info = { .verb = JMX_INFO, .object = bean };
	struct jmx_command a = { .line = line, .len = strcspn(line, " ") };
	int ret;

	text_puts(&a.operation, "");
	jmx_command_operation(&a.operation, line, a.len);
	ret = jmx_run(jmx, &info, 1, jmx_command_info, &a, err);
	if (ret)
		fail_in(err, "%s", jmx->title);
	else
		ret = a.is_known ? jmx_command_run(jmx, &a, err)
				 : jmx_command_unknown(jmx, line, err);
	text_release(&a.operation);
	return ret;
}

static int jcmd_by_jmx(int *argc, char ***argv, struct error *err)
{
	struct text line = { 0 };
	struct jmx_client target = { .jvm.pidfd = -1 };
	int ret = -1;

	if (jcmd_make_line(&line, argc, argv, err))
		goto out;
	if (jmx_client_open(&target, &target_opt, 0, NULL, err))
		goto out;
	if (target_opt.timeout_ns < 0 && jcmd_trait(line.bytes).is_long)
		target.jmx->timeout_ns = LONG_NS;
	ret = jcmd_jmx(target.jmx, line.bytes, err);
	if (ret == 0)
		ret = jmx_client_check_limits(err);
out:
	jmx_client_close(&target);
	text_release(&line);
	return ret;
}

/* Lists the JVMs in the layout of the JDK's `jcmd -l`. */
static int jcmd_list_jvms(struct error *err)
{
	const struct jps_plain plain = { .long_names = true,
					 .arguments = true };
	struct jvm_list list;
	struct text lines = { 0 };
	int ret;

	if (jvm_list(&list, err))
		return -1;
	for (size_t i = 0; i < list.count; i++) {
		struct process p;

		if (process_init(&p, &list.jvms[i], error_unused()))
			continue; /* the process has ended */
		jps_details_plain(&plain, &p, &lines);
		process_release(&p);
	}
	ret = reply_put(lines.bytes ? lines.bytes : "", lines.len, err);
	if (ret == 0 && !list.count && list.hidden)
		ret = target_fail_no_jvm(&list, err);
	else if (ret == 0 && !lines.len)
		log_info("no JVM runs here");
	if (ret == 0)
		target_log_hidden(&list);
	text_release(&lines);
	jvm_list_release(&list);
	return ret;
}

static int jcmd_run(int argc, char **argv, struct error *err)
{
	if (opt.list && argc)
		return misuse(err, "-l does not work with a JVM or a command");
	if (opt.list || (!argc && !opt.command && !target_opt.pid &&
			 !target_opt.socket && !target_opt.url))
		return jcmd_list_jvms(err);
	if (jmx_take_address(&target_opt, &argc, &argv, err))
		return -1;
	if (target_opt.socket)
		return jcmd_by_jmx(&argc, &argv, err);
	return jmx_check_by_pid(err) ? -1 : jcmd_by_attach(&argc, &argv, err);
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&target_opt.pid),
	OPT_JMX_SOCKET(&target_opt),
	OPT_JMX_URL(&target_opt),
	OPT_STRING('c', "command", &opt.command, "<command>",
		   "run this diagnostic command (default: help)"),
	OPT_JMX_LOGIN(&target_opt),
	OPT_JMX_TLS(&target_opt),
	OPT_JMX_FORCE(&target_opt),
	OPT_DURATION(0, "timeout", &target_opt.timeout_ns, "<time>",
		     "give up after this time (default: 10s to 10m)",
		     .positive = true),
	OPT_FLAG('l', "list", &opt.list, "list the JVMs",
		 .excludes = "pid|command"),
	OPT_END,
};

static const struct refusal refusals[] = {
	{ "-f", "run one command at a time, from a shell script" },
	JMX_REFUSE_PASSWORD,
	{ NULL, NULL },
};
/* clang-format on */

const struct command jcmd_command = {
	.name = "jcmd",
	.synopsis = "jcmd [<options>] <pid> | -s <address> | -u <url> "
		    "[<command> …]",
	.summary = "run a diagnostic command in a JVM",
	.group = "inspect",
	.examples = "  sjkc jcmd -l                  # list the JVMs\n"
		    "  sjkc jcmd 4711 help           # list its commands\n"
		    "  sjkc jcmd 4711 help GC.heap_dump\n"
		    "  sjkc jcmd 4711 GC.class_histogram -all\n"
		    "  sjkc jcmd com.acme.Main VM.flags\n"
		    "  sjkc jcmd -p 4711 -c JFR.dump filename=/tmp/a.jfr\n"
		    "  sjkc jcmd -s 10.0.0.7:9010 VM.version\n",
	.options = options,
	.has_messages = true,
	.refusals = refusals,
	.rest_after = "pid|address command",
	.run = jcmd_run,
};
