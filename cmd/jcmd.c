/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc jcmd: has a JVM carry out one of its diagnostic commands. */
#include "cmd/commands.h"
#include "cmd/jcmd_jmx.h"
#include "cmd/jcmd_refusal.h"
#include "cmd/jmx/jmx_target.h"
#include "cmd/jps_details.h"
#include "cmd/log.h"
#include "cmd/reply_print.h"
#include "cmd/target.h"
#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/base/text.h"

#include <stdio.h>
#include <string.h>

#define LONG_NS (600 * CLOCK_NS_PER_S) /* for what walks the heap */

static struct {
	const char *command;
	bool list, quiet, verbose;
} opt;

/* By JMX with -s, by attach otherwise. */
static struct jmx_target_options target_opt = { .timeout_ns = -1 };

/* Commands that have to be told apart from the others, by their beginning. */
static const struct trait {
	const char *beginning;
	bool is_long;   /* may take minutes */
	bool streaming; /* prints much, and stops no thread while it does */
} traits[] = {
	{ .beginning = "Compiler.", .is_long = true },
	{ .beginning = "GC.", .is_long = true },
	{ .beginning = "JFR.", .is_long = true },
	{ .beginning = "System.", .is_long = true },
	{ .beginning = "Thread.dump_to_file", .is_long = true },
	{ .beginning = "VM.info", .is_long = true, .streaming = true },
	{ .beginning = "VM.native_memory", .is_long = true },
};

/* Commands of the JDK's own jcmd, which no JVM knows. */
static const struct {
	const char *name, *instead;
} client_commands[] = {
	{ "PerfCounter.print",
	  "sjkc vminfo --perf reads the counters without attaching" },
};

static struct trait trait_of(const char *command)
{
	for (size_t i = 0; i < sizeof(traits) / sizeof(*traits); i++) {
		const char *beginning = traits[i].beginning;

		if (strncmp(command, beginning, strlen(beginning)) == 0)
			return traits[i];
	}
	return (struct trait){ 0 };
}

/*
 * No command of a JVM has an option that is spelt as one of ours: behind the
 * command, that would be an argument of it all the same, such as the name of
 * the file that a heap is written to.
 */
static int check_arguments(const char *command, int argc, char **argv,
			   struct error *err)
{
	for (int i = 0; i < argc; i++) {
		const struct command_option *o = jcmd_command.options;
		size_t len = strcspn(argv[i], "=");

		if (strncmp(argv[i], "--", 2) != 0 || len < 3)
			continue;
		while (o->kind != OPTION_END &&
		       (strlen(o->name) != len - 2 ||
			memcmp(o->name, argv[i] + 2, len - 2) != 0))
			o++;
		if (o->kind != OPTION_END)
			return misuse(err,
				      "%.*s after %s would go to the JVM; put "
				      "it before the command, or quote it with "
				      "the command for the JVM: '%s %s'",
				      (int)len, argv[i], command, command,
				      argv[i]);
	}
	return 0;
}

static int check_command(const char *command, struct error *err)
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
 * Adds an argument as the JVM's own parser reads it: blanks end one that is not
 * in quotes; of "name=value", the value is what is quoted; there is no escape.
 */
static int add_argument(struct text *line, const char *argument,
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
	/* Whoever has quoted it for the JVM has done so. */
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

static int command_line(struct text *line, const char *command, int argc,
			char **argv, struct error *err)
{
	/* "GC.heap_dump /tmp/x" may come as one argument, as jcmd has it. */
	text_puts(line, command);
	for (int i = 0; i < argc; i++) {
		if (add_argument(line, argv[i], err))
			return -1;
	}
	return 0;
}

static void jcmd_explain(struct attach *a, const struct jvm *jvm,
			 const char *line, struct error *err)
{
	static const struct attach_request request = {
		.operation = "jcmd",
		.args = { "help" },
	};
	struct text help = { 0 };
	struct error unused;
	char who[32], how[64];

	snprintf(who, sizeof(who), "%d", (int)jvm->pid);
	snprintf(how, sizeof(how), "sjkc jcmd %d help", (int)jvm->pid);
	if (jcmd_refusal_is_unknown(err)) {
		attach_call(a, &request, &help, &unused);
		jcmd_refusal_unknown(who, line, &help, how, err);
	} else if (err->kind == ERROR_REFUSED) {
		jcmd_refusal_plain(line, how, err);
	}
	text_release(&help);
}

static int jcmd_ask(const struct jvm *jvm, const char *line, struct error *err)
{
	struct trait trait = trait_of(line);
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

static const char *take_command(int *argc, char ***argv)
{
	if (opt.command || *argc == 0)
		return opt.command ? opt.command : "help";
	(*argc)--;
	return *(*argv)++;
}

static int make_line(struct text *line, int *argc, char ***argv,
		     struct error *err)
{
	const char *command = take_command(argc, argv);

	return check_command(command, err) ||
			       check_arguments(command, *argc, *argv, err) ||
			       command_line(line, command, *argc, *argv, err)
		       ? -1
		       : 0;
}

/* "Thread.print", "help": a command in the place of the JVM. */
static void explain_order(const char *name, struct error *err)
{
	const struct error was = *err;

	if (was.kind != ERROR_NO_TARGET ||
	    (strcmp(name, "help") != 0 && !trait_of(name).beginning &&
	     strncmp(name, "VM.", 3) != 0 && strncmp(name, "Thread.", 7) != 0))
		return;
	fail(err, ERROR_MISUSE,
	     "%s; the JVM comes before the command: sjkc jcmd PID %s", was.text,
	     name);
}

static int ask_by_attach(int *argc, char ***argv, struct error *err)
{
	const char *name = target_opt.pid ? target_opt.pid
			   : *argc        ? **argv
					  : "";
	struct text line = { 0 };
	struct jvm jvm = { 0 };
	int ret = -1;

	if (target_open(&jvm, target_opt.pid, argc, argv, err)) {
		explain_order(name, err);
		return -1;
	}
	if (make_line(&line, argc, argv, err) == 0)
		ret = jcmd_ask(&jvm, line.bytes, err);
	text_release(&line);
	jvm_close(&jvm);
	return ret;
}

/* A command that takes long by attaching takes as long over JMX. */
static int ask_by_jmx(int *argc, char ***argv, struct error *err)
{
	struct text line = { 0 };
	struct jmx_client target = { .jvm.pidfd = -1 };
	int ret = -1;

	if (make_line(&line, argc, argv, err))
		goto out;
	*argc = 0;
	if (jmx_client_open(&target, &target_opt, argc, argv, err))
		goto out;
	if (target_opt.timeout_ns < 0 && trait_of(line.bytes).is_long)
		target.jmx->timeout_ns = LONG_NS;
	ret = jcmd_jmx(target.jmx, line.bytes, err);
out:
	jmx_client_close(&target);
	text_release(&line);
	return ret;
}

/* The JVMs in the layout of the JDK's `jcmd -l`. */
static int list_jvms(struct error *err)
{
	const struct jps_plain plain = { .long_names = true,
					 .arguments = true };
	struct jvm_list list;
	struct text lines = { 0 };
	struct error unused;
	int ret;

	if (jvm_list(&list, err))
		return -1;
	for (size_t i = 0; i < list.count; i++) {
		struct process p;

		if (process_init(&p, &list.jvms[i], &unused))
			continue; /* has ended */
		jps_details_plain(&plain, &p, &lines);
		process_release(&p);
	}
	ret = reply_put(lines.bytes ? lines.bytes : "", lines.len, err);
	if (ret == 0 && !lines.len)
		log_info("no JVM runs here%s",
			 list.hidden ? " that sjkc can inspect" : "");
	text_clear(&lines);
	target_add_hidden(&list, &lines);
	if (ret == 0 && lines.len)
		log_info("%s", lines.bytes);
	text_release(&lines);
	jvm_list_release(&list);
	return ret;
}

static int jcmd_run(int argc, char **argv, struct error *err)
{
	log_set_level(opt.verbose ? LOG_VERBOSE
		      : opt.quiet ? LOG_QUIET
				  : LOG_NORMAL);
	if (opt.list && (argc || opt.command || target_opt.pid))
		return misuse(err, "-l lists JVMs; it takes no JVM and no "
				   "command");
	if (opt.list ||
	    (!argc && !opt.command && !target_opt.pid && !target_opt.socket))
		return list_jvms(err);
	if (target_opt.timeout_ns == 0)
		return misuse(err, "option --timeout must be longer than 0");
	jmx_take_address(&target_opt, &argc, &argv);
	if (target_opt.socket)
		return ask_by_jmx(&argc, &argv, err);
	return jmx_check_by_pid(&target_opt, err)
		       ? -1
		       : ask_by_attach(&argc, &argv, err);
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&target_opt.pid),
	OPT_JMX_SOCKET(&target_opt),
	OPT_STRING('c', "command", &opt.command, "<command>",
		   "run this diagnostic command (default: help)"),
	OPT_JMX_LOGIN(&target_opt),
	OPT_JMX_TLS(&target_opt),
	OPT_JMX_FORCE(&target_opt),
	OPT_DURATION(0, "timeout", &target_opt.timeout_ns, "<time>",
		     "give up after this time (default: 10s to 10m)"),
	OPT_FLAG('l', "list", &opt.list,
		 "list the JVMs, as without arguments"),
	OPT_FLAG('q', "quiet", &opt.quiet, "print no messages but errors"),
	OPT_FLAG('v', "verbose", &opt.verbose, "print verbose output"),
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
	.synopsis = "jcmd [<options>] <pid> | -s <address> "
		    "[<command> [<argument>…]]",
	.summary = "run a diagnostic command in a JVM",
	.group = "ask a JVM",
	.examples = "  sjkc jcmd -l                  # list the JVMs\n"
		    "  sjkc jcmd 4711 help           # list its commands\n"
		    "  sjkc jcmd 4711 help GC.heap_dump\n"
		    "  sjkc jcmd 4711 GC.class_histogram -all\n"
		    "  sjkc jcmd com.acme.Main VM.flags\n"
		    "  sjkc jcmd -p 4711 -c JFR.dump filename=/tmp/a.jfr\n"
		    "  sjkc jcmd -s 10.0.0.7:9010 VM.version\n",
	.options = options,
	.refusals = refusals,
	.rest_after = "pid|address command",
	.run = jcmd_run,
};
