/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/password.h"

#include "cmd/shared/log.h"
#include "core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define PERSON_NS (300 * CLOCK_NS_PER_S) /* time to type a password */
#define FILE_NS   (10 * CLOCK_NS_PER_S)

/* A line being read; on the stack, since a growing buffer leaves copies. */
struct line_in {
	char bytes[PASSWORD_MAX + 1];
	size_t len;
	bool whole;
};

/*
 * Reads once. Returns 0 at the end of the line or file, 1 when more may come,
 * -1 and errno on failure.
 */
static int line_in_read(int fd, struct line_in *line)
{
	ssize_t got = read(fd, line->bytes + line->len,
			   sizeof(line->bytes) - line->len);
	char *end;

	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : -1;
	end = memchr(line->bytes + line->len, '\n', (size_t)got);
	line->len += (size_t)got;
	if (end) {
		line->len = (size_t)(end - line->bytes);
		line->whole = true;
		return 0;
	}
	if (line->len == sizeof(line->bytes)) {
		errno = EMSGSIZE;
		return -1;
	}
	return got > 0;
}

static int line_in_finish(struct line_in *line, const char *from,
			  struct text *password, struct error *err)
{
	int ret = 0;

	if (line->len && line->bytes[line->len - 1] == '\r')
		line->len--;
	if (!line->len)
		ret = fail(err, ERROR_MISUSE, "%s: the password is empty",
			   from);
	else if (memchr(line->bytes, '\0', line->len))
		ret = fail(err, ERROR_INPUT,
			   "%s: the password contains a NUL byte", from);
	else
		text_add(password, line->bytes, line->len);
	explicit_bzero(line, sizeof(*line));
	return ret;
}

static int password_open_file(const char *path, struct error *err)
{
	static const char *warned_of; /* a file that is read again */
	int fd = strcmp(path, "-") == 0
			 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			 : open(path,
				O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return fail_sys(err, ERROR_INPUT, "%s: cannot open", path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_mode & S_IROTH && warned_of != path) {
		warned_of = path;
		log_info("%s: every user can read the password; use chmod 600",
			 path);
	}
	return fd;
}

int password_read(const char *path, struct text *password, struct error *err)
{
	int64_t deadline_ns = clock_monotonic_ns() + FILE_NS;
	struct line_in line = { .len = 0 };
	int status, fd = password_open_file(path, err);

	if (fd < 0)
		return -1;
	do {
		struct pollfd in = { .fd = fd, .events = POLLIN };
		int ready = poll(&in, 1, clock_left_ms(deadline_ns));

		if (ready == 0)
			errno = ETIMEDOUT;
		status = ready > 0                     ? line_in_read(fd, &line)
			 : ready < 0 && errno == EINTR ? 1
						       : -1;
	} while (status > 0);
	if (status)
		status = fail_sys(err, ERROR_INPUT, "%s: cannot read", path);
	else
		status = line_in_finish(&line, path, password, err);
	explicit_bzero(&line, sizeof(line));
	close(fd);
	return status;
}

int password_renew(const char *path, struct text *password, struct error *err)
{
	struct stat st;

	if (strcmp(path, "-") == 0 ||
	    (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
		return fail(err, ERROR_UNAVAILABLE,
			    "%s: not a regular file, so it is not read again",
			    path);
	return password_read(path, password, err);
}

/* Signals that would end or stop sjkc while the echo is off. */
static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

static volatile sig_atomic_t caught;

static void prompt_on_signal(int number) { caught = number; }

/* The terminal, and the signal handlers and mask to restore. */
struct prompt {
	int fd;
	sigset_t mask;
	struct sigaction before[NUMBERS];
	struct termios modes;
	bool has_modes;
};

/* Blocks the signals; only ppoll() in prompt_wait() lets them through. */
static void prompt_block_signals(struct prompt *a)
{
	const struct sigaction action = { .sa_handler = prompt_on_signal };
	sigset_t ours;

	caught = 0;
	sigemptyset(&ours);
	for (int i = 0; i < NUMBERS; i++)
		sigaddset(&ours, numbers[i]);
	sigprocmask(SIG_BLOCK, &ours, &a->mask);
	for (int i = 0; i < NUMBERS; i++) {
		sigaction(numbers[i], NULL, &a->before[i]);
		/* Signals that nohup(1) or a shell ignores stay ignored. */
		if (a->before[i].sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

static void prompt_restore_signals(const struct prompt *a)
{
	for (int i = 0; i < NUMBERS; i++)
		sigaction(numbers[i], &a->before[i], NULL);
	sigprocmask(SIG_SETMASK, &a->mask, NULL);
}

static void prompt_hide_input(struct prompt *a)
{
	struct termios silent;

	a->has_modes = tcgetattr(a->fd, &a->modes) == 0;
	silent = a->modes;
	silent.c_lflag &= ~(tcflag_t)ECHO;
	silent.c_lflag |= ICANON | ISIG;
	if (a->has_modes)
		tcsetattr(a->fd, TCSAFLUSH, &silent);
}

static void prompt_write(int fd, const char *text)
{
	ssize_t unused = write(fd, text, strlen(text));

	(void)unused; /* an unwritable terminal fails when it is read */
}

static void prompt_show_input(const struct prompt *a)
{
	if (a->has_modes)
		tcsetattr(a->fd, TCSAFLUSH, &a->modes);
	prompt_write(a->fd, "\n"); /* the typed newline was not echoed */
}

/* As line_in_read(); returns 1 and sets `caught` after a signal. */
static int prompt_wait(struct prompt *a, struct line_in *line,
		       int64_t deadline_ns)
{
	int left_ms = clock_left_ms(deadline_ns);
	const struct timespec left = {
		.tv_sec = left_ms / 1000,
		.tv_nsec = left_ms % 1000 * CLOCK_NS_PER_MS,
	};
	struct pollfd in = { .fd = a->fd, .events = POLLIN };
	int ready;

	if (left_ms == 0) {
		errno = ETIMEDOUT;
		return -1;
	}
	ready = ppoll(&in, 1, &left, &a->mask);
	if (ready > 0)
		return line_in_read(a->fd, line);
	return ready == 0 || errno == EINTR ? 1 : -1;
}

static int prompt_once(struct prompt *a, const char *prompt,
		       struct line_in *line)
{
	int64_t deadline_ns = clock_monotonic_ns() + PERSON_NS;
	int status, sys;

	*line = (struct line_in){ .len = 0 };
	prompt_block_signals(a);
	prompt_hide_input(a);
	prompt_write(a->fd, prompt);
	do
		status = prompt_wait(a, line, deadline_ns);
	while (status > 0 && !caught);
	sys = errno;
	prompt_show_input(a);
	prompt_restore_signals(a);
	if (caught)
		kill(getpid(), caught); /* ends or stops sjkc */
	errno = sys;
	return status;
}

int password_ask(const char *prompt, struct text *password, struct error *err)
{
	struct prompt a = {
		.fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY),
	};
	struct line_in line;
	int status;

	if (a.fd < 0)
		return fail(err, ERROR_MISUSE,
			    "cannot ask for the password: no terminal; use "
			    "--password-file or SJKC_PASSWORD");
	do
		status = prompt_once(&a, prompt, &line);
	while (caught);
	if (status)
		status = fail_sys(err, ERROR_MISUSE, "no password was typed");
	else
		status = line_in_finish(&line, "the terminal", password, err);
	explicit_bzero(&line, sizeof(line));
	close(a.fd);
	return status;
}

void password_release(struct text *password)
{
	if (password->bytes)
		explicit_bzero(password->bytes, password->cap);
	text_release(password);
}
