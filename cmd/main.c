/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main: finds the command and runs it; what it leaves behind when it cannot.
 */
#include "cmd/commands.h"
#include "cmd/log.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/output.h"
#include "core/base/version.h"
#include "jvmti/client/client.h"
#include "render/top/terminal.h"

/* packaging/build_info.sh writes it. */
#include <build_info.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define EXIT_CLOSED_PIPE (128 + SIGPIPE)

/* Nothing is left behind: no half a file, no terminal that shows nothing. */
static void abandon_all(void)
{
	terminal_restore();
	output_abandon_all();
	attach_abandon_all();
	agent_client_abandon_all();
}

/* Also of crashes: then the dump of memory is for whoever mends it. */
static void on_stop(int number)
{
	abandon_all();
	/* Shells want to see that it was the signal; SA_RESETHAND is set. */
	kill(getpid(), number);
	/* As process 1 of a container it does not end us. */
	_exit(128 + number);
}

/* A mapped file that shrinks takes its pages with it. */
static void on_vanished_page(int number)
{
	static const char
		said[] = "sjkc: the input became shorter while it was read\n";

	(void)number;
	abandon_all();
	log_bytes(said, sizeof(said) - 1);
	_exit(ERROR_INPUT);
}

static void on_no_memory(size_t size)
{
	char said[80];
	int len = size ? snprintf(said, sizeof(said),
				  "sjkc: out of memory: cannot allocate %zu "
				  "bytes\n",
				  size)
		       : snprintf(said, sizeof(said), "sjkc: out of memory\n");

	abandon_all();
	log_bytes(said, (size_t)len);
	_exit(ERROR_FAILED);
}

static void main_handle(int number, void (*handler)(int))
{
	struct sigaction action = {
		.sa_handler = handler,
		.sa_flags = (int)SA_RESETHAND | SA_NODEFER,
	};
	struct sigaction old;

	/* What nohup(1) or a shell had ignored stays ignored. */
	if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sigaction(number, &action, NULL);
}

/*
 * A fault of ours.  What a sanitizer has installed stays; the stack may be
 * what has run out, so the handler has another.
 */
static void handle_crashes(void)
{
	static const int numbers[] = { SIGSEGV, SIGABRT, SIGILL, SIGFPE,
				       SIGQUIT };
	static char stack[64 * 1024];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = {
		.sa_handler = on_stop,
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
 * With one of the first three closed, a file that we open would take its
 * number and be talked into.  These fail to be read or written instead.
 */
static void fill_standard_files(void)
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

static void print_version(struct output *out, const struct command *c)
{
	(void)c;
	output_puts(out, "sjkc " SJKC_VERSION "\n"
			 "commit   " BUILD_COMMIT "\n"
			 "compiler " BUILD_COMPILER ", x86_64 Linux\n");
}

static int run_command(const struct command *c, int argc, char **argv,
		       struct error *err)
{
	bool help;
	int first = command_parse(c, argc, argv, &help, err);

	if (first < 0)
		return -1;
	if (help)
		return help_print(help_of, c, err);
	return c->run(argc - first, argv + first, err);
}

/* *c is set to the command that was asked for, if there is one. */
static int main_dispatch(int argc, char **argv, const struct command **c,
			 struct error *err)
{
	const char *word = argc > 1 ? argv[1] : "help";

	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return help_print(print_version, NULL, err);
	if (strcmp(word, "--list-options") == 0)
		return help_print(help_list, NULL, err);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return help_print(help_overview, NULL, err);
	if (word[0] == '-')
		return misuse(err, "unknown option %s", word);
	*c = command_find(word);
	if (!*c)
		return command_unknown(word, err);
	return argc > 1 ? run_command(*c, argc - 1, argv + 1, err)
			: help_print(help_overview, NULL, err);
}

int main(int argc, char **argv)
{
	const struct command *c = NULL;
	struct error err = { 0 };

	fill_standard_files();
	alloc_on_failure(on_no_memory);
	main_handle(SIGINT, on_stop);
	main_handle(SIGTERM, on_stop);
	main_handle(SIGHUP, on_stop);
	main_handle(SIGBUS, on_vanished_page);
	handle_crashes();
	signal(SIGPIPE, SIG_IGN); /* seen as EPIPE where it is written */
	/* And EFBIG: who has files in a JVM's file system has to remove them.
	 */
	signal(SIGXFSZ, SIG_IGN);

	if (main_dispatch(argc, argv, &c, &err) == 0)
		return 0;
	if (err.kind == ERROR_OUTPUT && err.sys == EPIPE)
		return EXIT_CLOSED_PIPE;
	log_always("%s", err.text);
	if (err.kind == ERROR_MISUSE && c && c != &help_command)
		log_always("try 'sjkc %s --help'", c->name);
	else if (err.kind == ERROR_MISUSE)
		log_always("try 'sjkc help'");
	return (int)err.kind;
}
