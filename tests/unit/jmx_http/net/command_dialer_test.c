/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/dialer.h"

#include "core/base/clock.h"
#include "core/base/text.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_S 60

struct heard {
	struct event_base *base;
	struct dialer *dialer;
	struct text said;
	int dones;
	evutil_socket_t fd;
	struct error err;
};

static void take_saying(void *self, const char *line)
{
	struct heard *h = self;

	text_puts(&h->said, line);
	text_putc(&h->said, '\n');
}

static void take_done(void *self, evutil_socket_t fd, const struct error *err)
{
	struct heard *h = self;

	h->dones++;
	h->fd = fd;
	if (fd < 0)
		h->err = *err;
}

static void too_late(evutil_socket_t fd, short what, void *self)
{
	(void)fd;
	(void)what;
	(void)self;
	fail_msg("nothing happened for %d s", PATIENCE_S);
}

static void turn(struct heard *h)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	struct event *timer = evtimer_new(h->base, too_late, NULL);

	evtimer_add(timer, &patience);
	event_base_loop(h->base, EVLOOP_ONCE);
	event_free(timer);
}

static void set_up(struct heard *h, const char *command)
{
	struct command_dialer_options options = {
		.command = command,
		.host = "10.0.0.7",
		.report = take_saying,
		.self = h,
	};
	struct error err = { 0 };

	*h = (struct heard){ .base = event_base_new() };
	options.base = h->base;
	h->dialer = command_dialer_new(&options, &err);
	assert_non_null(h->dialer);
}

static void tear_down(struct heard *h)
{
	dialer_free(h->dialer);
	/* libevent frees a cancelled lookup from its loop. */
	event_base_loop(h->base, EVLOOP_NONBLOCK);
	event_base_free(h->base);
	text_release(&h->said);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void dial(struct heard *h)
{
	h->dones = 0;
	assert_non_null(h->dialer->ops->begin(
		h->dialer, 9010, PATIENCE_S * CLOCK_NS_PER_S, take_done, h));
	assert_int_equal(h->dones, 0);
	while (!h->dones)
		turn(h);
}

/* Reads until the end of the connection, at most len - 1 bytes. */
static void read_all(const struct heard *h, char *bytes, size_t len)
{
	struct pollfd p = { .fd = h->fd, .events = POLLIN };
	size_t at = 0;
	ssize_t got = 1;

	while (got > 0 && at + 1 < len) {
		assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
		got = read(h->fd, bytes + at, len - 1 - at);
		at += got > 0 ? (size_t)got : 0;
	}
	bytes[at] = '\0';
}

/* dialer_dial() runs the loop until the command has started. */
static void dialer_dial_waits_for_the_command(void **state)
{
	struct net_address to = { .port = 9010 };
	int64_t deadline_ns = clock_monotonic_ns() +
			      PATIENCE_S * CLOCK_NS_PER_S;
	struct heard h;
	char bytes[64];

	(void)state;
	set_up(&h, "echo {host} {port}");
	h.fd = dialer_dial(h.dialer, &to, deadline_ns, &h.err);
	assert_true(h.fd >= 0);
	read_all(&h, bytes, sizeof(bytes));
	assert_string_equal(bytes, "10.0.0.7 9010\n");
	close(h.fd);
	tear_down(&h);

	set_up(&h, "echo");
	dialer_free(h.dialer);
	h.dialer = tcp_dialer_new(h.base, &(struct net_address){ 0 });
	assert_int_equal(dialer_dial(h.dialer, &to, deadline_ns, &h.err), -1);
	assert_int_equal(h.err.kind, ERROR_NO_TARGET);
	tear_down(&h);
}

static void each_connection_is_a_command(void **state)
{
	char bytes[64];
	struct heard h;

	(void)state;
	set_up(&h, "sh -c 'echo to {host} {port}; exec cat'");
	for (int i = 0; i < 2; i++) {
		dial(&h);
		assert_true(h.fd >= 0);
		assert_true(fcntl(h.fd, F_GETFL) & O_NONBLOCK);
		assert_true(fcntl(h.fd, F_GETFD) & FD_CLOEXEC);
		assert_int_equal(write(h.fd, "hello", 5), 5);
		shutdown(h.fd, SHUT_WR);
		read_all(&h, bytes, sizeof(bytes));
		assert_string_equal(bytes, "to 10.0.0.7 9010\nhello");
		close(h.fd);
	}
	assert_int_equal(h.said.len, 0);
	tear_down(&h);
}

static void missing_command_fails_the_dial(void **state)
{
	char script[] = "/tmp/sjkc-script-XXXXXX";
	int file = mkstemp(script);
	struct text expected = { 0 };
	struct heard h;

	(void)state;
	/* The script exists, but its interpreter does not. */
	assert_true(write(file, "#!/no/such/shell\n", 17) == 17);
	fchmod(file, 0700);
	close(file);
	set_up(&h, script);
	dial(&h);
	assert_int_equal(h.fd, -1);
	assert_int_equal(h.err.kind, ERROR_UNAVAILABLE);
	text_printf(&expected, "%s: No such file or directory", script);
	assert_string_equal(h.err.text, expected.bytes);
	text_release(&expected);
	tear_down(&h);
	unlink(script);
}

static void failed_command_is_reported(void **state)
{
	char bytes[8];
	struct heard h;

	(void)state;
	set_up(&h, "sh -c 'echo Connection refused >&2; exit 1'");
	dial(&h);
	assert_true(h.fd >= 0);
	read_all(&h, bytes, sizeof(bytes));
	assert_string_equal(bytes, "");
	while (!h.said.len)
		turn(&h);
	assert_string_equal(h.said.bytes, "sh: exit status 1: "
					  "Connection refused\n");
	close(h.fd);
	tear_down(&h);
}

static void closed_connection_ends_its_command(void **state)
{
	struct pollfd p = { .events = POLLIN };
	char bytes[16] = "";
	pid_t pid;
	struct heard h;

	(void)state;
	set_up(&h, "sh -c 'echo $$; exec sleep 1000'");
	dial(&h);
	p.fd = h.fd;
	assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
	assert_true(read(h.fd, bytes, sizeof(bytes) - 1) > 0);
	pid = (pid_t)strtol(bytes, NULL, 10);
	assert_int_equal(kill(pid, 0), 0);
	close(h.fd);
	while (kill(pid, 0) == 0)
		event_base_loop(h.base, EVLOOP_NONBLOCK);
	/*
	 * Closing the connection is not reported as a failure of the command.
	 */
	assert_int_equal(h.said.len, 0);
	tear_down(&h);
}

static void cancelled_dial_ends_its_command(void **state)
{
	struct dial *d;
	struct heard h;

	(void)state;
	set_up(&h, "sleep 1000");
	for (int i = 0; i < 10; i++) {
		d = h.dialer->ops->begin(h.dialer, 9010, CLOCK_NS_PER_S,
					 take_done, &h);
		h.dialer->ops->cancel(d);
	}
	h.dialer->ops->begin(h.dialer, 9010, CLOCK_NS_PER_S, take_done, &h);
	tear_down(&h);
	assert_int_equal(h.dones, 0);
}

static void number_of_programs_is_limited(void **state)
{
	int fds[COMMAND_DIALER_MAX];
	struct heard h;

	(void)state;
	set_up(&h, "sleep 1000");
	for (int i = 0; i < COMMAND_DIALER_MAX; i++) {
		dial(&h);
		fds[i] = h.fd;
		assert_true(h.fd >= 0);
	}
	dial(&h);
	assert_int_equal(h.fd, -1);
	assert_int_equal(h.err.kind, ERROR_REFUSED);
	for (int i = 0; i < COMMAND_DIALER_MAX; i++)
		close(fds[i]);
	tear_down(&h);
}

static void missing_command_is_reported_at_once(void **state)
{
	struct command_dialer_options options = { .command = "ssh 'x",
						  .host = "h" };
	struct error err = { 0 };

	(void)state;
	options.base = event_base_new();
	assert_null(command_dialer_new(&options, &err));
	assert_int_equal(err.kind, ERROR_MISUSE);
	options.command = "no-such-command {port}";
	assert_null(command_dialer_new(&options, &err));
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	options.command = "cat {host} {port}";
	options.host = "-e/bin/sh";
	assert_null(command_dialer_new(&options, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	event_base_free(options.base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dialer_dial_waits_for_the_command),
		cmocka_unit_test(each_connection_is_a_command),
		cmocka_unit_test(missing_command_fails_the_dial),
		cmocka_unit_test(failed_command_is_reported),
		cmocka_unit_test(closed_connection_ends_its_command),
		cmocka_unit_test(cancelled_dial_ends_its_command),
		cmocka_unit_test(number_of_programs_is_limited),
		cmocka_unit_test(missing_command_is_reported_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
