/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/password.h"

#include "cmd/log.h"
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

#define PERSON_NS (300 * CLOCK_NS_PER_S) /* so long may somebody think */
#define FILE_NS   (10 * CLOCK_NS_PER_S)

/* A line as it comes in; not on the heap, where copies would be left. */
struct line_in {
	char bytes[PASSWORD_MAX + 1];
	size_t len;
	bool whole;
};

/*
 * Reads more of a line, once.  0 at its end or the file's, 1 when more is to
 * come, -1 and errno.
 */
static int read_some(int fd, struct line_in *line)
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

static int hand_over(struct line_in *line, const char *from,
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

static int open_file(const char *path, struct error *err)
{
	int fd = strcmp(path, "-") == 0
			 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			 : open(path,
				O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return fail_sys(err, ERROR_INPUT, "%s: cannot open", path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & S_IROTH)
		log_info("%s: every user can read the password; use chmod 600",
			 path);
	return fd;
}

int password_read(const char *path, struct text *password, struct error *err)
{
	int64_t deadline_ns = clock_monotonic_ns() + FILE_NS;
	struct line_in line = { .len = 0 };
	int status, fd = open_file(path, err);

	if (fd < 0)
		return -1;
	do {
		struct pollfd in = { .fd = fd, .events = POLLIN };
		int ready = poll(&in, 1, clock_left_ms(deadline_ns));

		if (ready == 0)
			errno = ETIMEDOUT;
		status = ready > 0                     ? read_some(fd, &line)
			 : ready < 0 && errno == EINTR ? 1
						       : -1;
	} while (status > 0);
	if (status)
		status = fail_sys(err, ERROR_INPUT, "%s: cannot read", path);
	else
		status = hand_over(&line, path, password, err);
	explicit_bzero(&line, sizeof(line));
	close(fd);
	return status;
}

/* What would leave the terminal without its echo. */
static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

static volatile sig_atomic_t caught;

static void note(int number) { caught = number; }

/* Signals as they were, and the terminal. */
struct asking {
	int fd;
	sigset_t mask;
	struct sigaction before[NUMBERS];
	struct termios modes;
	bool has_modes;
};

/* They come only while ask_once() waits: none is missed, none comes late. */
static void take_signals(struct asking *a)
{
	const struct sigaction action = { .sa_handler = note };
	sigset_t ours;

	caught = 0;
	sigemptyset(&ours);
	for (int i = 0; i < NUMBERS; i++)
		sigaddset(&ours, numbers[i]);
	sigprocmask(SIG_BLOCK, &ours, &a->mask);
	for (int i = 0; i < NUMBERS; i++) {
		sigaction(numbers[i], NULL, &a->before[i]);
		/* What nohup(1) or a shell had ignored stays ignored. */
		if (a->before[i].sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

static void give_signals_back(const struct asking *a)
{
	for (int i = 0; i < NUMBERS; i++)
		sigaction(numbers[i], &a->before[i], NULL);
	sigprocmask(SIG_SETMASK, &a->mask, NULL);
}

static void hide(struct asking *a)
{
	struct termios silent;

	a->has_modes = tcgetattr(a->fd, &a->modes) == 0;
	silent = a->modes;
	silent.c_lflag &= ~(tcflag_t)ECHO;
	silent.c_lflag |= ICANON | ISIG;
	if (a->has_modes)
		tcsetattr(a->fd, TCSAFLUSH, &silent);
}

static void say(int fd, const char *text)
{
	ssize_t unused = write(fd, text, strlen(text));

	(void)unused; /* a person who sees no prompt sees no more of us */
}

static void show(const struct asking *a)
{
	if (a->has_modes)
		tcsetattr(a->fd, TCSAFLUSH, &a->modes);
	say(a->fd, "\n"); /* that of the person was not shown */
}

/* As read_some(), and 1 with `caught` when a signal came. */
static int wait_and_read(struct asking *a, struct line_in *line,
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
		return read_some(a->fd, line);
	return ready == 0 || errno == EINTR ? 1 : -1;
}

static int ask_once(struct asking *a, const char *prompt, struct line_in *line)
{
	int64_t deadline_ns = clock_monotonic_ns() + PERSON_NS;
	int status, sys;

	*line = (struct line_in){ .len = 0 };
	take_signals(a);
	hide(a);
	say(a->fd, prompt);
	do
		status = wait_and_read(a, line, deadline_ns);
	while (status > 0 && !caught);
	sys = errno;
	show(a);
	give_signals_back(a);
	if (caught)
		kill(getpid(), caught); /* ends us, or stops us for a while */
	errno = sys;
	return status;
}

int password_ask(const char *prompt, struct text *password, struct error *err)
{
	struct asking a = {
		.fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY),
	};
	struct line_in line;
	int status;

	if (a.fd < 0)
		return fail(err, ERROR_MISUSE,
			    "cannot ask for the password: no terminal; use "
			    "--password-file or SJKC_PASSWORD");
	do
		status = ask_once(&a, prompt, &line);
	while (caught);
	if (status)
		status = fail_sys(err, ERROR_MISUSE, "no password was typed");
	else
		status = hand_over(&line, "the terminal", password, err);
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
