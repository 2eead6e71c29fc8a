/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main: finds the command and runs it, and cleans up when a signal or a crash
 * ends sjkc.
 */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/output.h"
#include "core/base/units.h"
#include "core/base/version.h"
#include "core/jvm/opener.h"
#include "jvmti/client/client.h"
#include "render/top/terminal.h"

/* Written by packaging/build_info.sh. */
#include <build_info.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define EXIT_CLOSED_PIPE (128 + SIGPIPE)

/* Removes incomplete files, restores the terminal, detaches from JVMs. */
static void main_clean_up(void)
{
	terminal_restore();
	output_abandon_all();
	attach_abandon_all();
	agent_client_abandon_all();
}

/* Also handles crashes; the second signal then writes the core dump. */
static void main_on_signal(int number)
{
	main_clean_up();
	/* End by the same signal, for the shell; SA_RESETHAND is set. */
	kill(getpid(), number);
	/* The signal is ignored for process 1 of a container. */
	_exit(128 + number);
}

/* SIGBUS: a mapped file shrank and its pages are gone. */
static void main_on_bus_error(int number)
{
	static const char message
		[] = "sjkc: the input became shorter while sjkc read it\n";

	(void)number;
	main_clean_up();
	log_bytes(message, sizeof(message) - 1);
	_exit(ERROR_INPUT);
}

static void main_on_slow_jvm(const struct jvm *jvm, int64_t took_ns)
{
	log_info("%d: the JVM replied after %s: it was busy, or its threads "
		 "stopped slowly, which `sjkc gc --safepoints %d` shows",
		 (int)jvm->pid, units_time((double)took_ns).text,
		 (int)jvm->pid);
}

static void main_on_no_memory(size_t size)
{
	char message[80];
	int len = size ? snprintf(message, sizeof(message),
				  "sjkc: out of memory: cannot allocate %zu "
				  "bytes\n",
				  size)
		       : snprintf(message, sizeof(message),
				  "sjkc: out of memory\n");

	main_clean_up();
	log_bytes(message, (size_t)len);
	_exit(ERROR_FAILED);
}

static void main_handle(int number, void (*handler)(int))
{
	struct sigaction action = {
		.sa_handler = handler,
		.sa_flags = (int)SA_RESETHAND | SA_NODEFER,
	};
	struct sigaction old;

	/* Signals that nohup(1) or a shell ignores stay ignored. */
	if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sigaction(number, &action, NULL);
}

/*
 * Handles crashes of sjkc. Handlers of a sanitizer stay installed. The handler
 * has its own stack: the crash may be a stack overflow.
 */
static void main_handle_crashes(void)
{
	static const int numbers[] = { SIGSEGV, SIGABRT, SIGILL, SIGFPE,
				       SIGQUIT };
	static char stack[64 * 1024];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = {
		.sa_handler = main_on_signal,
		.sa_flags = (int)SA_RESETHAND | SA_NODEFER | SA_ONSTACK,
	};
	struct sigaction old;

	sigaltstack(&other, NULL);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (sigaction(numbers[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
	}
}

/*
 * If standard input, output or error is closed, the next opened file would get
 * its number, and messages could end up in it. Opens /dev/null instead, so that
 * reading or writing fails.
 */
static void main_open_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (open("/dev/null",
			 fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			_exit(ERROR_FAILED);
	}
}

#ifdef __clang__
#define BUILD_COMPILER __VERSION__
#else
#define BUILD_COMPILER "gcc " __VERSION__
#endif

static void main_print_version(struct output *out, const struct command *c)
{
	(void)c;
	output_puts(out, "sjkc " SJKC_VERSION "\n"
			 "commit   " BUILD_COMMIT "\n"
			 "compiler " BUILD_COMPILER ", x86_64 Linux\n");
}

static int main_run(const struct command *c, int argc, char **argv,
		    struct error *err)
{
	enum command_help help;
	int first = command_parse(c, argc, argv, &help, err);
	int ret;

	if (first < 0)
		return -1;
	if (help)
		return help_print(help == COMMAND_HELP ? help_of : help_of_all,
				  c, err);
	ret = c->run(argc - first, argv + first, err);
	command_release(c);
	return ret;
}

/* Runs the command of argv[1] and sets *c to it; other words leave *c NULL. */
static int main_dispatch(int argc, char **argv, const struct command **c,
			 struct error *err)
{
	const char *word = argc > 1 ? argv[1] : "help";

	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return help_print(main_print_version, NULL, err);
	if (strcmp(word, "--list-options") == 0)
		return help_print(help_list, NULL, err);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return help_print(help_overview, NULL, err);
	if (word[0] == '-')
		return command_unknown_option(word, err);
	*c = command_find(word);
	if (!*c)
		return command_unknown(word, err);
	return argc > 1 ? main_run(*c, argc - 1, argv + 1, err)
			: help_print(help_overview, NULL, err);
}

static void main_on_stall(const struct jvm *jvm)
{
	log_always("%d: its file system does not respond; facts from its "
		   "files are missing",
		   (int)jvm->pid);
}

int main(int argc, char **argv)
{
	const struct command *c = NULL;
	struct error err = { 0 };

	main_open_standard_files();
	alloc_on_failure(main_on_no_memory);
	opener_on_stall(main_on_stall);
	attach_report_slow(main_on_slow_jvm);
	main_handle(SIGINT, main_on_signal);
	main_handle(SIGTERM, main_on_signal);
	main_handle(SIGHUP, main_on_signal);
	main_handle(SIGBUS, main_on_bus_error);
	main_handle_crashes();
	signal(SIGPIPE, SIG_IGN); /* write() fails with EPIPE instead */
	/* EFBIG instead: sjkc must remove its files in a JVM's file system. */
	signal(SIGXFSZ, SIG_IGN);

	if (main_dispatch(argc, argv, &c, &err) == 0)
		return 0;
	if (err.kind == ERROR_OUTPUT && err.sys == EPIPE)
		return EXIT_CLOSED_PIPE;
	if (*err.text)
		log_error("%s", err.text);
	if (err.kind == ERROR_MISUSE && c && c != &help_command)
		log_always("try 'sjkc %s --help'", c->name);
	else if (err.kind == ERROR_MISUSE)
		log_always("try 'sjkc help'");
	return (int)err.kind;
}
