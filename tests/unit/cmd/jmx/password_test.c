/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/password.h"

#include "cmd/shared/log.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <cmocka.h>

#define WAIT_MS 20000

static char path[] = "/tmp/password_test.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	log_set_level(LOG_QUIET);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void put_file(const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void reads(const char *file, const char *wanted)
{
	struct text got = { 0 };
	struct error err;

	put_file(file, strlen(file));
	assert_int_equal(password_read(path, &got, &err), 0);
	assert_string_equal(got.bytes, wanted);
	password_release(&got);
}

static void refuses(enum error_kind kind, const char *why)
{
	struct text got = { 0 };
	struct error err;

	assert_int_equal(password_read(path, &got, &err), -1);
	assert_int_equal(err.kind, kind);
	assert_non_null(strstr(err.text, why));
	assert_null(got.bytes);
}

static void first_line_of_a_file_is_the_password(void **state)
{
	(void)state;
	reads("secret", "secret");
	reads("secret\n", "secret");
	reads("secret\r\nsecond\n", "secret");
	reads(" with blanks \n", " with blanks ");
	reads("\xc3\xa4\n", "\xc3\xa4");
}

static void invalid_password_is_rejected(void **state)
{
	char large[PASSWORD_MAX + 2];

	(void)state;
	put_file("", 0);
	refuses(ERROR_MISUSE, "the password is empty");
	put_file("\nsecond\n", 8);
	refuses(ERROR_MISUSE, "the password is empty");
	put_file("a\0b\n", 4);
	refuses(ERROR_INPUT, "contains a NUL byte");
	memset(large, 'x', sizeof(large));
	put_file(large, sizeof(large));
	refuses(ERROR_INPUT, "cannot read");
	/* A password of the maximum length. */
	large[PASSWORD_MAX] = '\n';
	put_file(large, PASSWORD_MAX + 1);
	large[PASSWORD_MAX] = '\0';
	reads(large, large);
}

static void missing_file_is_reported(void **state)
{
	struct text got = { 0 };
	struct error err;

	(void)state;
	assert_int_equal(password_read("/nonexistent", &got, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
}

/* A child process with its own terminal, which asks for a password. */
struct user {
	int master, slave,
		result; /* result: the pipe for the result of password_ask() */
	pid_t pid;
};

static void child(int slave, int say)
{
	struct text got = { 0 };
	struct error err;

	alarm(WAIT_MS / 1000); /* ends the child if the test dies */
	if (login_tty(slave))
		_exit(99);
	if (password_ask("Sesame? ", &got, &err))
		_exit((int)err.kind);
	if (write(say, got.bytes, got.len) != (ssize_t)got.len)
		_exit(98);
	_exit(0);
}

static void sit_down(struct user *p)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(openpty(&p->master, &p->slave, NULL, NULL, NULL), 0);
	p->pid = fork();
	assert_true(p->pid >= 0);
	if (p->pid == 0)
		child(p->slave, fds[1]);
	close(fds[1]);
	p->result = fds[0];
}

/* Waits for the text on the terminal; true if the echo is off then. */
static bool user_sees(struct user *p, const char *text)
{
	char shown[256];
	size_t len = 0;
	struct termios modes;

	do {
		struct pollfd in = { .fd = p->master, .events = POLLIN };
		ssize_t got;

		assert_int_equal(poll(&in, 1, WAIT_MS), 1);
		got = read(p->master, shown + len, sizeof(shown) - 1 - len);
		assert_true(got > 0);
		len += (size_t)got;
		shown[len] = '\0';
		assert_null(strstr(shown, "open"));
	} while (!strstr(shown, text));
	assert_int_equal(tcgetattr(p->master, &modes), 0);
	return !(modes.c_lflag & ECHO);
}

static void types(struct user *p, const char *text)
{
	ssize_t len = (ssize_t)strlen(text);

	assert_int_equal(write(p->master, text, (size_t)len), len);
}

/* Returns the exit status, after checking the result and that echo is on. */
static int user_leave(struct user *p, const char *wanted)
{
	struct termios modes;
	char got[64] = "";
	int status;

	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	assert_true(read(p->result, got, sizeof(got) - 1) >= 0);
	assert_string_equal(got, wanted);
	assert_int_equal(tcgetattr(p->slave, &modes), 0);
	assert_true(modes.c_lflag & ECHO);
	close(p->result);
	close(p->slave);
	close(p->master);
	return status;
}

static void terminal_does_not_echo_the_password(void **state)
{
	struct user p;

	(void)state;
	sit_down(&p);
	assert_true(user_sees(&p, "Sesame? "));
	types(&p, "open up\n");
	user_sees(&p, "\n");
	assert_int_equal(user_leave(&p, "open up"), 0);
}

static void empty_line_is_rejected(void **state)
{
	struct user p;
	int status;

	(void)state;
	sit_down(&p);
	assert_true(user_sees(&p, "Sesame? "));
	types(&p, "\n");
	status = user_leave(&p, "");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), ERROR_MISUSE);
}

static void signal_restores_the_terminal(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct user p;
		int status;

		sit_down(&p);
		assert_true(user_sees(&p, "Sesame? "));
		types(&p, "op");
		kill(p.pid, numbers[i]);
		status = user_leave(&p, "");
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), numbers[i]);
	}
}

/* An orphaned process group is not stopped by SIGTSTP: it goes on at once. */
static void stopped_prompt_asks_again(void **state)
{
	struct user p;

	(void)state;
	sit_down(&p);
	assert_true(user_sees(&p, "Sesame? "));
	types(&p, "half");
	kill(p.pid, SIGTSTP);
	assert_true(user_sees(&p, "Sesame? "));
	types(&p, "open\n");
	assert_int_equal(user_leave(&p, "open"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_line_of_a_file_is_the_password),
		cmocka_unit_test(invalid_password_is_rejected),
		cmocka_unit_test(missing_file_is_reported),
		cmocka_unit_test(terminal_does_not_echo_the_password),
		cmocka_unit_test(empty_line_is_rejected),
		cmocka_unit_test(signal_restores_the_terminal),
		cmocka_unit_test(stopped_prompt_asks_again),
	};

	/* Under nohup(1), SIGHUP is ignored and would stay so. */
	signal(SIGHUP, SIG_DFL);
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
