/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/program.h"

#include "core/base/clock.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_S 60

/* The events and messages that a test received from its program. */
struct heard {
	struct event_base *base;
	struct programs *all;
	struct text lines; /* each ends with a newline */
	int starts, ends;
};

static void take_line(void *self, const char *line)
{
	struct heard *h = self;

	text_puts(&h->lines, line);
	text_putc(&h->lines, '\n');
}

static void take_start(void *self) { ((struct heard *)self)->starts++; }

static void take_end(void *self) { ((struct heard *)self)->ends++; }

static void too_late(evutil_socket_t fd, short what, void *self)
{
	(void)fd;
	(void)what;
	(void)self;
	fail_msg("nothing happened for %d s", PATIENCE_S);
}

/* Runs the event loop once; fails if no event arrives in time. */
static void turn(struct heard *h)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	struct event *timer = evtimer_new(h->base, too_late, NULL);

	evtimer_add(timer, &patience);
	event_base_loop(h->base, EVLOOP_ONCE);
	event_free(timer);
}

static void set_up(struct heard *h)
{
	*h = (struct heard){ .base = event_base_new() };
	h->all = programs_new(h->base, 4);
}

static void tear_down(struct heard *h)
{
	programs_free(h->all);
	event_base_free(h->base);
	text_release(&h->lines);
	/* No child process is left, not even as a zombie. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static struct program *start(struct heard *h, bool is_connection,
			     const char *const *words)
{
	struct program_plan plan = {
		.words = words,
		.is_connection = is_connection,
		.on_line = take_line,
		.on_start = take_start,
		.on_end = take_end,
		.self = h,
	};
	struct error err = { 0 };
	struct program *c = program_start(h->all, &plan, &err);

	assert_non_null(c);
	return c;
}

static struct program *start_shell(struct heard *h, bool is_connection,
				   const char *script)
{
	const char *const words[] = { "sh", "-c", script, NULL };

	return start(h, is_connection, words);
}

static void assert_why(struct program *c, const char *expected)
{
	struct text why = { 0 };

	text_puts(&why, "");
	program_why(c, &why);
	assert_string_equal(why.bytes, expected);
	text_release(&why);
}

static void lines_are_passed_on_in_order(void **state)
{
	struct heard h;
	struct program *c;

	(void)state;
	set_up(&h);
	c = start_shell(&h, false,
			"echo one; printf 'two\\r\\n\\n'; cat; printf three");
	while (!h.ends)
		turn(&h);
	assert_string_equal(h.lines.bytes, "one\ntwo\nthree\n");
	assert_false(program_failed(c));
	program_end(c);
	tear_down(&h);
}

static void long_line_is_truncated(void **state)
{
	struct heard h;
	struct program *c;

	(void)state;
	set_up(&h);
	c = start_shell(&h, false, "head -c 100000 /dev/zero | tr '\\0' x");
	while (!h.ends)
		turn(&h);
	assert_int_equal(h.lines.len, PROGRAM_LINE_MAX + 1);
	program_end(c);
	tear_down(&h);
}

static void connection_passes_bytes_both_ways(void **state)
{
	const char *const words[] = { "cat", NULL };
	char bytes[8] = "";
	struct pollfd p;
	struct heard h;
	struct program *c;

	(void)state;
	set_up(&h);
	c = start(&h, true, words);
	p = (struct pollfd){ .fd = program_take_fd(c), .events = POLLIN };
	assert_int_equal(write(p.fd, "hello", 5), 5);
	assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
	assert_int_equal(read(p.fd, bytes, sizeof(bytes)), 5);
	assert_string_equal(bytes, "hello");
	shutdown(p.fd, SHUT_WR);
	while (!h.ends)
		turn(&h);
	assert_false(program_failed(c));
	assert_why(c, "cat: exit status 0");
	assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
	assert_int_equal(read(p.fd, bytes, sizeof(bytes)), 0);
	close(p.fd);
	program_end(c);
	tear_down(&h);
}

/* The exit status is reported before the end of the connection. */
static void exit_is_known_before_the_connection_ends(void **state)
{
	char bytes[8] = "";
	struct pollfd p;
	struct heard h;
	struct program *c;

	(void)state;
	set_up(&h);
	for (int i = 0; i < 20; i++) {
		c = start_shell(&h, true, "echo refused >&2; exit 1");
		p = (struct pollfd){ .fd = program_take_fd(c),
				     .events = POLLIN };
		assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
		assert_int_equal(read(p.fd, bytes, sizeof(bytes)), 0);
		assert_true(program_failed(c));
		assert_why(c, "sh: exit status 1: refused");
		close(p.fd);
		program_end(c);
		while (programs_count(h.all))
			turn(&h);
	}
	tear_down(&h);
}

static void closed_connection_ends_its_program(void **state)
{
	struct heard h;
	struct program *c;
	int fd;

	(void)state;
	set_up(&h);
	c = start_shell(&h, true, "trap '' TERM HUP; sleep 1000 & wait; wait");
	fd = program_take_fd(c);
	while (!h.starts)
		turn(&h);
	/* The connection may be half closed. */
	shutdown(fd, SHUT_WR);
	poll(NULL, 0, 50);
	assert_false(program_failed(c));
	assert_int_equal(h.ends, 0);
	close(fd);
	while (!h.ends)
		turn(&h);
	assert_false(program_failed(c));
	program_end(c);
	while (programs_count(h.all))
		turn(&h);
	tear_down(&h);
}

static void reason_of_exit_is_reported(void **state)
{
	const char *const missing[] = { "no-such-command", NULL };
	const char *const folder[] = { "/", NULL };
	struct heard h;
	struct program *c;

	(void)state;
	set_up(&h);
	c = start(&h, true, missing);
	while (!h.ends)
		turn(&h);
	assert_int_equal(h.starts, 0);
	assert_true(program_failed(c));
	assert_true(program_is_missing(c));
	assert_why(c, "no-such-command: No such file or directory");
	program_end(c);
	c = start(&h, true, folder);
	while (h.ends < 2)
		turn(&h);
	assert_why(c, "/: Permission denied");
	program_end(c);
	c = start_shell(&h, true,
			"echo a >&2; echo no >&2; echo; printf b >&2; exit 3");
	while (h.ends < 3)
		turn(&h);
	assert_why(c, "sh: exit status 3: no: b");
	program_end(c);
	c = start_shell(&h, true, "kill -SEGV $$");
	while (h.ends < 4)
		turn(&h);
	assert_why(c, "sh: killed by signal 11");
	program_end(c);
	tear_down(&h);
}

/* Returns true while the process exists and is not a zombie. */
static bool runs(long pid)
{
	struct text path = { 0 };
	char line[512] = "";
	const char *state;
	FILE *f;

	text_printf(&path, "/proc/%ld/stat", pid);
	f = fopen(path.bytes, "r");
	text_release(&path);
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	state = strrchr(line, ')');
	return state && state[2] != 'Z' && state[2] != 'X';
}

static void assert_ends(long pid)
{
	int64_t deadline_ns = clock_after(clock_monotonic_ns(),
					  PATIENCE_S * CLOCK_NS_PER_S);

	while (runs(pid)) {
		assert_true(clock_monotonic_ns() < deadline_ns);
		poll(NULL, 0, 5);
	}
}

static void ended_program_takes_its_children_along(void **state)
{
	long below, itself;
	struct heard h;
	struct program *c;
	char *end;

	(void)state;
	set_up(&h);
	/* The shell and its child ignore SIGTERM, SIGHUP and SIGINT. */
	c = start_shell(&h, false,
			"trap '' TERM HUP INT; sleep 1000 & echo $! $$; wait");
	while (!h.lines.len)
		turn(&h);
	below = strtol(h.lines.bytes, &end, 10);
	itself = strtol(end, NULL, 10);
	assert_true(runs(below) && runs(itself));
	program_end(c);
	while (programs_count(h.all))
		turn(&h);
	assert_false(runs(itself));
	assert_false(runs(below));
	assert_int_equal(h.ends, 0);
	tear_down(&h);
}

static void freeing_all_programs_ends_them(void **state)
{
	struct heard h;
	long pid;

	(void)state;
	set_up(&h);
	start_shell(&h, false, "echo $$; exec sleep 1000");
	while (!h.lines.len)
		turn(&h);
	pid = strtol(h.lines.bytes, NULL, 10);
	assert_true(runs(pid));
	tear_down(&h);
	assert_false(runs(pid));
}

static void number_of_programs_is_limited(void **state)
{
	const char *const words[] = { "sleep", "1000", NULL };
	struct program_plan plan = { .words = words };
	struct error err = { 0 };
	struct heard h;

	(void)state;
	set_up(&h);
	for (int i = 0; i < 4; i++)
		start(&h, true, words);
	assert_null(program_start(h.all, &plan, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	tear_down(&h);
}

/*
 * The program prints its open descriptors, and its ignored and blocked signals.
 */
static void program_inherits_no_descriptors_and_no_signals(void **state)
{
	struct heard h;
	struct program *c;
	int leak = dup(0);

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	set_up(&h);
	c = start_shell(
		&h, false,
		"ls /proc/self/fd | tr '\\n' ' '; echo;"
		/* GNU make ignores the two signals that glibc reserves. */
		"grep -E '^Sig(Blk|Ign)' /proc/self/status |"
		"sed '/^SigIgn/s/00000001800/00000000000/' |"
		"tr '\\t\\n' '  '; echo;"
		"ps -o tty= -p $$ 2>/dev/null || echo '?'");
	while (!h.ends)
		turn(&h);
	/* Descriptor 3 is the directory that ls has opened. */
	assert_string_equal(h.lines.bytes, "0 1 2 3 \n"
					   "SigBlk: 0000000000000000 "
					   "SigIgn: 0000000000000000 \n"
					   "?\n");
	program_end(c);
	tear_down(&h);
	close(leak);
	signal(SIGPIPE, SIG_DFL);
}

static void connected_program_inherits_standard_descriptors_only(void **state)
{
	char bytes[64] = "";
	struct pollfd p;
	struct heard h;
	struct program *c;

	(void)state;
	set_up(&h);
	c = start_shell(&h, true, "ls /proc/self/fd | tr '\\n' ' '");
	p = (struct pollfd){ .fd = program_take_fd(c), .events = POLLIN };
	assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
	assert_true(read(p.fd, bytes, sizeof(bytes) - 1) > 0);
	/* Descriptor 3 is the directory that ls has opened. */
	assert_string_equal(bytes, "0 1 2 3 ");
	close(p.fd);
	program_end(c);
	while (programs_count(h.all))
		turn(&h);
	tear_down(&h);
}

/* SIGKILL ends the proxy, which cannot clean up. */
static void grandchildren_die_with_a_killed_proxy(void **state)
{
	long warded = 0, below = 0;
	char bytes[64] = "";
	int fds[2];
	pid_t proxy;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	proxy = fork();
	if (proxy == 0) {
		struct heard h;

		set_up(&h);
		start_shell(&h, false,
			    "trap '' TERM HUP; sleep 1000 & echo $! $$; wait");
		while (!h.lines.len)
			turn(&h);
		if (write(fds[1], h.lines.bytes, h.lines.len) > 0)
			for (;;)
				pause();
	}
	assert_true(read(fds[0], bytes, sizeof(bytes) - 1) > 0);
	below = strtol(bytes, NULL, 10);
	warded = strtol(strchr(bytes, ' '), NULL, 10);
	assert_true(runs(below) && runs(warded));
	kill(proxy, SIGKILL);
	waitpid(proxy, NULL, 0);
	assert_ends(below);
	assert_ends(warded);
	close(fds[0]);
	close(fds[1]);
}

/* The number of open files is the same after each program. */
static void hundred_programs_leave_no_descriptor(void **state)
{
	const char *const words[] = { "true", NULL };
	int before, after;
	struct heard h;

	(void)state;
	set_up(&h);
	before = dup(0);
	close(before);
	for (int i = 0; i < 100; i++) {
		struct program *c = start(&h, i % 2, words);
		int ends = h.ends;

		/* Some programs are ended while they start. */
		while (i % 3 && h.ends == ends)
			turn(&h);
		program_end(c);
		while (programs_count(h.all))
			turn(&h);
	}
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
	tear_down(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_passed_on_in_order),
		cmocka_unit_test(long_line_is_truncated),
		cmocka_unit_test(connection_passes_bytes_both_ways),
		cmocka_unit_test(exit_is_known_before_the_connection_ends),
		cmocka_unit_test(closed_connection_ends_its_program),
		cmocka_unit_test(reason_of_exit_is_reported),
		cmocka_unit_test(ended_program_takes_its_children_along),
		cmocka_unit_test(freeing_all_programs_ends_them),
		cmocka_unit_test(number_of_programs_is_limited),
		cmocka_unit_test(
			program_inherits_no_descriptors_and_no_signals),
		cmocka_unit_test(
			connected_program_inherits_standard_descriptors_only),
		cmocka_unit_test(grandchildren_die_with_a_killed_proxy),
		cmocka_unit_test(hundred_programs_leave_no_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
