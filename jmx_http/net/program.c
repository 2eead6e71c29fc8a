/* SPDX-License-Identifier: Apache-2.0 */
/* Starts programs under supervisors, and reads their output and reports. */
#include "jmx_http/net/program.h"

#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limit for all programs to end when the proxy ends. */
#define SHUTDOWN_NS (2 * CLOCK_NS_PER_S)
/* Limit for the rest of a killed program's session to die. */
#define ENDING_NS (100 * CLOCK_NS_PER_MS)
/* Limit for a program to end by itself after its connection was closed. */
#define HANG_UP_NS (300 * CLOCK_NS_PER_MS)

/* Reports of a supervisor: first the start of the program, then its end. */
enum program_report {
	PROGRAM_STARTED,
	PROGRAM_NO_START, /* value: the errno of execvp(3) */
	PROGRAM_EXITED,   /* value: the exit status */
	PROGRAM_KILLED,   /* value: the signal */
	PROGRAM_HUNG_UP,  /* the proxy closed the connection */
	PROGRAM_LOST,     /* never sent: the supervisor was killed */
};

/* A pipe that is read line by line. */
struct stream {
	struct event *event; /* NULL: closed */
	int fd;
	struct text line; /* the incomplete line */
	struct program *of;
	void (*take)(struct program *p, const char *line);
};

struct program {
	struct programs *all;
	struct program *before, *after;
	struct program_plan plan;
	char *name;
	struct child supervisor;
	struct event *on_report;
	int fd; /* the connection; -1: taken, or none */
	struct stream out, errors;
	struct text last, last_but_one; /* lines of stderr */
	int kind;                       /* first byte of a report; -1: none */
	enum program_report end;        /* valid if has_end */
	int end_value;
	bool has_started, has_end;
	bool is_told_start, is_told_end, is_ending;
};

struct programs {
	struct event_base *base;
	struct program *first;
	size_t count, max;
};

struct programs *programs_new(struct event_base *base, size_t max)
{
	struct programs *all = xcalloc(1, sizeof(*all));

	all->base = base;
	all->max = max;
	return all;
}

size_t programs_count(const struct programs *all) { return all->count; }

static void stream_close(struct stream *s)
{
	if (s->event) {
		event_free(s->event);
		close(s->fd);
	}
	s->event = NULL;
	text_release(&s->line);
}

/* Passes the line to take() and starts a new line. */
static void stream_end_line(struct stream *s)
{
	struct text line = s->line;

	s->line = (struct text){ 0 };
	if (line.len)
		s->take(s->of, line.bytes);
	text_release(&line);
}

/* Reads a bounded number of bytes, so that no program blocks the others. */
static void stream_read(struct stream *s)
{
	char bytes[4096];
	ssize_t got = -1;

	for (int i = 0; i < 16 && s->event; i++) {
		got = read(s->fd, bytes, sizeof(bytes));
		if (got <= 0)
			break;
		/* take() may end the program, but does not free it. */
		for (ssize_t at = 0; at < got && s->event; at++) {
			if (bytes[at] == '\n')
				stream_end_line(s);
			else if (bytes[at] && bytes[at] != '\r' &&
				 s->line.len < PROGRAM_LINE_MAX)
				text_putc(&s->line, bytes[at]);
		}
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0 && s->event) {
		stream_end_line(s);
		stream_close(s);
	}
}

static void stream_on_readable(evutil_socket_t fd, short what, void *self)
{
	(void)fd;
	(void)what;
	stream_read(self);
}

static void stream_open(struct stream *s, struct program *p, int fd,
			void (*take)(struct program *p, const char *line))
{
	*s = (struct stream){ .fd = fd, .of = p, .take = take };
	s->event = event_new(p->all->base, fd, EV_READ | EV_PERSIST,
			     stream_on_readable, s);
	event_add(s->event, NULL);
}

static void program_take_line(struct program *p, const char *line)
{
	if (!p->is_ending && p->plan.on_line)
		p->plan.on_line(p->plan.self, line);
}

/* Keeps two lines: ssh and kubectl print the reason in the line before last. */
static void program_take_error(struct program *p, const char *line)
{
	struct text before = p->last;

	p->last = p->last_but_one;
	p->last_but_one = before;
	text_clear(&p->last);
	text_puts(&p->last, line);
}

static void program_release(struct program *p, int64_t grace_ns)
{
	event_free(p->on_report);
	child_end(&p->supervisor, grace_ns);
	*(p->before ? &p->before->after : &p->all->first) = p->after;
	if (p->after)
		p->after->before = p->before;
	p->all->count--;
	text_release(&p->last);
	text_release(&p->last_but_one);
	free(p->name);
	free(p);
}

/* A report has two bytes: its kind and its value. */
static void program_take_word(struct program *p, uint8_t word)
{
	int kind = p->kind;

	p->kind = kind < 0 ? word : -1;
	if (kind == PROGRAM_STARTED)
		p->has_started = true;
	/* The first report counts: a hang-up precedes the end it causes. */
	if (kind <= PROGRAM_STARTED || p->has_end)
		return;
	p->has_end = true;
	p->end = (enum program_report)kind;
	p->end_value = word;
}

/* Reads the supervisor's reports; false if the supervisor has exited. */
static bool program_read_reports(struct program *p)
{
	enum child_news news;
	char word;

	while ((news = child_hear(p->supervisor.channel, 0, &word)) ==
	       CHILD_TOLD)
		program_take_word(p, (uint8_t)word);
	return news == CHILD_SILENT;
}

/* Calls the callbacks that are due; each may call program_end(). */
static void program_notify(struct program *p)
{
	if (p->has_started && !p->is_told_start) {
		p->is_told_start = true;
		if (p->plan.on_start)
			p->plan.on_start(p->plan.self);
	}
	if (!p->has_end || p->is_told_end || p->is_ending)
		return;
	p->is_told_end = true;
	stream_read(&p->out);
	stream_read(&p->errors);
	if (!p->is_ending && p->plan.on_end)
		p->plan.on_end(p->plan.self);
}

static void program_on_report(evutil_socket_t fd, short what, void *self)
{
	struct program *p = self;
	bool is_there = program_read_reports(p);

	(void)fd;
	(void)what;
	if (p->is_ending) {
		if (!is_there)
			program_release(p, SHUTDOWN_NS);
		return;
	}
	if (!is_there) {
		event_del(p->on_report);
		/* Without a report, the supervisor was killed. */
		if (!p->has_end)
			p->end = PROGRAM_LOST;
		p->has_end = true;
	}
	program_notify(p);
}

/*
 * The supervisor: a process between the proxy and the program.  It leads a
 * session without a terminal and adopts orphaned processes of the program.  It
 * kills all of them when the channel is closed, by the proxy or by its end.
 *
 *	proxy -- channel -- supervisor -- program -- its own children
 */

/* Descriptors of the program. */
struct program_files {
	const char *const *words;
	int in, out, errors;
	bool is_connection;
};

/* Becomes the program, in a process group of its own. */
static int supervisor_exec(void *self, int channel, struct error *err)
{
	const struct program_files *f = self;
	const int from[] = { f->in, f->out, f->errors };
	int high[3];

	(void)channel;
	setpgid(0, 0);
	/* Duplicate to high numbers first, so that dup2() overwrites none. */
	for (int i = 0; i < 3; i++)
		high[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 16);
	for (int i = 0; i < 3; i++)
		dup2(high[i], i);
	return child_exec((char *const *)f->words, err);
}

struct supervisor {
	int channel;
	struct child program; /* its channel closes when the program runs */
	int signals;          /* readable when a child has ended */
	int connection;       /* the program's end of it, or -1 */
	bool has_ended;       /* the end was reported */
	int64_t deadline_ns;
};

static void supervisor_report(const struct supervisor *s, int kind, int value)
{
	child_tell(s->channel, (char)kind, -1);
	child_tell(s->channel, (char)value, -1);
}

/* Reports the start; false if the program failed to start. */
static bool supervisor_check_start(struct supervisor *s)
{
	struct error err = { 0 };
	int fd;

	if (child_wait(&s->program, 0, &fd, &err) == CHILD_FAILED) {
		supervisor_report(s, PROGRAM_NO_START, err.sys);
		return false;
	}
	close(s->program.channel);
	s->program.channel = -1;
	supervisor_report(s, PROGRAM_STARTED, 0);
	return true;
}

/*
 * Reports how the program ended.  The program stays a zombie, so that its
 * process group keeps its id.  The connection is closed after the report.
 */
static void supervisor_check_end(struct supervisor *s)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)s->program.pid, &info,
		   WEXITED | WNOHANG | WNOWAIT) ||
	    !info.si_pid)
		return;
	supervisor_report(
		s, info.si_code == CLD_EXITED ? PROGRAM_EXITED : PROGRAM_KILLED,
		info.si_status);
	if (s->connection >= 0)
		close(s->connection);
	s->connection = -1;
	s->has_ended = true;
}

/*
 * Returns when the channel is closed, or HANG_UP_NS after the connection was
 * closed.
 */
static void supervisor_watch(struct supervisor *s)
{
	struct signalfd_siginfo unused;

	while (clock_left_ms(s->deadline_ns) &&
	       !(s->has_ended && s->deadline_ns != INT64_MAX)) {
		struct pollfd waits[] = {
			{ .fd = s->channel, .events = POLLIN | POLLRDHUP },
			{ .fd = s->program.channel, .events = POLLIN },
			{ .fd = s->signals, .events = POLLIN },
			{ .fd = s->connection },
		};
		int left_ms = s->deadline_ns == INT64_MAX
				      ? -1
				      : clock_left_ms(s->deadline_ns);

		if (poll(waits, 4, left_ms) < 0 && errno != EINTR)
			break;
		if (waits[0].revents)
			break;
		if (waits[1].revents && !supervisor_check_start(s))
			break;
		if (waits[2].revents &&
		    read(s->signals, &unused, sizeof(unused)) < 0 &&
		    errno != EAGAIN)
			break;
		if (waits[3].revents && s->deadline_ns == INT64_MAX) {
			supervisor_report(s, PROGRAM_HUNG_UP, 0);
			s->deadline_ns = clock_monotonic_ns() + HANG_UP_NS;
			close(s->connection);
			s->connection = -1;
		}
		if (s->program.channel < 0 && !s->has_ended)
			supervisor_check_end(s);
	}
}

/* Kills the session; init reaps processes that are stuck in the kernel. */
static void supervisor_kill_all(pid_t program)
{
	int64_t deadline_ns = clock_monotonic_ns() + ENDING_NS;

	kill(-program, SIGKILL);
	kill(program, SIGKILL);
	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 || clock_monotonic_ns() > deadline_ns)
			break;
		if (pid == 0)
			poll(NULL, 0, 1);
	}
}

static int supervisor_run(void *self, int channel, struct error *err)
{
	struct program_files *f = self;
	const int kept[] = { f->in, f->out, f->errors };
	const struct child_options options = {
		.signals = CHILD_DEFAULT_SIGNALS,
		.kept = kept,
		.kept_count = 3,
		.dies_with_parent = true,
	};
	struct supervisor s = {
		.channel = channel,
		.connection = -1,
		.deadline_ns = INT64_MAX,
	};
	sigset_t child;

	setsid();
	prctl(PR_SET_NAME, "sjkc-supervisor");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	s.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (child_start(&s.program, &options, supervisor_exec, f, err)) {
		supervisor_report(&s, PROGRAM_NO_START, err->sys);
		return CHILD_NOTHING;
	}
	/* The program does the same, because either may run first. */
	setpgid(s.program.pid, s.program.pid);
	/* Keep only one copy of the connection, to detect a hang-up. */
	close(f->in);
	close(f->errors);
	if (f->is_connection)
		s.connection = f->out;
	else
		close(f->out);
	supervisor_watch(&s);
	supervisor_kill_all(s.program.pid);
	return CHILD_NOTHING;
}

static void programs_add(struct programs *all, struct program *p,
			 const struct program_plan *plan, int io, int errors)
{
	p->all = all;
	p->plan = *plan;
	p->plan.words = NULL;
	p->name = xstrdup(plan->words[0]);
	p->kind = -1;
	p->on_report = event_new(all->base, p->supervisor.channel,
				 EV_READ | EV_PERSIST, program_on_report, p);
	event_add(p->on_report, NULL);
	p->fd = plan->is_connection ? io : -1;
	if (!plan->is_connection)
		stream_open(&p->out, p, io, program_take_line);
	stream_open(&p->errors, p, errors, program_take_error);
	p->after = all->first;
	if (p->after)
		p->after->before = p;
	all->first = p;
	all->count++;
}

static void pair_close(const int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* The proxy's ends are non-blocking, the program's ends are blocking. */
static int program_open_files(bool is_connection, int io[2], int errors[2],
			      struct error *err)
{
	if ((is_connection
		     ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, io)
		     : pipe2(io, O_CLOEXEC)) ||
	    pipe2(errors, O_CLOEXEC))
		return fail_sys(err, ERROR_FAILED, "cannot start a command");
	fcntl(io[0], F_SETFL, fcntl(io[0], F_GETFL) | O_NONBLOCK);
	fcntl(errors[0], F_SETFL, fcntl(errors[0], F_GETFL) | O_NONBLOCK);
	return 0;
}

struct program *program_start(struct programs *all,
			      const struct program_plan *plan,
			      struct error *err)
{
	int io[2] = { -1, -1 }, errors[2] = { -1, -1 };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct program *p = NULL;

	if (all->count >= all->max) {
		fail(err, ERROR_REFUSED,
		     "the limit of %zu running commands is reached",
		     all->count);
	} else if (null < 0) {
		fail_sys(err, ERROR_FAILED, "/dev/null");
	} else if (!program_open_files(plan->is_connection, io, errors, err)) {
		struct program_files files = {
			.words = plan->words,
			.in = plan->is_connection
				      ? fcntl(io[1], F_DUPFD_CLOEXEC, 0)
				      : null,
			.out = io[1],
			.errors = errors[1],
			.is_connection = plan->is_connection,
		};
		const int kept[] = { files.in, files.out, files.errors };
		const struct child_options options = { .kept = kept,
						       .kept_count = 3 };

		p = xcalloc(1, sizeof(*p));
		if (child_start(&p->supervisor, &options, supervisor_run,
				&files, err)) {
			free(p);
			p = NULL;
		} else {
			programs_add(all, p, plan, io[0], errors[0]);
			io[0] = errors[0] = -1;
		}
		if (plan->is_connection)
			close(files.in);
	}
	if (null >= 0)
		close(null);
	pair_close(io);
	pair_close(errors);
	return p;
}

int program_take_fd(struct program *p)
{
	int fd = p->fd;

	p->fd = -1;
	return fd;
}

static void program_catch_up(struct program *p)
{
	program_read_reports(p);
	stream_read(&p->errors);
}

bool program_failed(struct program *p)
{
	program_catch_up(p);
	return p->has_end && p->end != PROGRAM_HUNG_UP &&
	       (p->end != PROGRAM_EXITED || p->end_value != 0);
}

bool program_is_missing(const struct program *p)
{
	return p->has_end && p->end == PROGRAM_NO_START &&
	       p->end_value == ENOENT;
}

static void program_add_report(const struct program *p, struct text *out)
{
	switch (p->end) {
	case PROGRAM_NO_START:
		text_puts(out, strerror(p->end_value));
		break;
	case PROGRAM_EXITED:
		text_printf(out, "exit status %d", p->end_value);
		break;
	case PROGRAM_KILLED:
		text_printf(out, "killed by signal %d", p->end_value);
		break;
	case PROGRAM_HUNG_UP:
		text_puts(out, "the connection was closed");
		break;
	case PROGRAM_STARTED:
	case PROGRAM_LOST:
		text_puts(out, "killed by another process");
		break;
	}
}

static void program_add_part(struct text *out, const struct text *part,
			     size_t begin)
{
	if (!part->len)
		return;
	text_puts(out, out->len > begin ? ": " : "");
	text_add(out, part->bytes, part->len);
}

void program_why(struct program *p, struct text *out)
{
	size_t begin;

	program_catch_up(p);
	if (!p->has_end && !p->last.len && !p->errors.line.len)
		return;
	text_printf(out, "%s: ", p->name);
	begin = out->len;
	if (p->has_end)
		program_add_report(p, out);
	program_add_part(out, &p->last_but_one, begin);
	program_add_part(out, &p->last, begin);
	/* The last line may lack a newline. */
	program_add_part(out, &p->errors.line, begin);
}

void program_end(struct program *p)
{
	if (!p)
		return;
	p->is_ending = true;
	/* The supervisor sees the end of its channel. */
	shutdown(p->supervisor.channel, SHUT_WR);
	event_add(p->on_report, NULL);
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	stream_close(&p->out);
	stream_close(&p->errors);
}

void programs_free(struct programs *all)
{
	int64_t deadline_ns = clock_monotonic_ns() + SHUTDOWN_NS;

	if (!all)
		return;
	for (struct program *p = all->first; p; p = p->after)
		if (!p->is_ending)
			program_end(p);
	for (struct program *p = all->first, *next; p; p = next) {
		struct pollfd gone = { .fd = p->supervisor.channel,
				       .events = POLLIN };

		next = p->after;
		while (program_read_reports(p) &&
		       poll(&gone, 1, clock_left_ms(deadline_ns)))
			;
		/* The program dies with its supervisor. */
		program_release(p, 0);
	}
	free(all);
}
