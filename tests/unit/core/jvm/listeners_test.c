/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/listeners.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define HEADING                                                                \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when "  \
	"retrnsmt   uid  timeout inode\n"
#define REST(inode)                                                            \
	" 00000000:00000000 00:00000000 00000000     0        0 " inode        \
	" 1 0000000000000000 100 0 0 10 0\n"

static const char table[] = HEADING
	"   0: 0100007F:4D41 00000000:0000 0A" REST("17") /**/
	"   1: 00000000:1F90 00000000:0000 0A" REST("18") /**/
	"   2: 0100007F:4D42 0100007F:9C40 01" REST("19");

static const char table6[] = HEADING
	"   0: 00000000000000000000000001000000:0050 "
	"00000000000000000000000000000000:0000 0A" REST("20") /**/
	"   1: 0000000000000000FFFF00000100007F:4D41 "
	"00000000000000000000000000000000:0000 0A" REST("21") /**/
	"   2: 00000000000000000000000000000000:4D43 "
	"00000000000000000000000000000000:0000 0A" REST("22");

static void listeners_parse_reads_listening_sockets(void **state)
{
	struct listeners l = { 0 };
	const struct listener *one;
	size_t at = 0;

	(void)state;
	listeners_parse(&l, table, strlen(table));
	listeners_parse(&l, table6, strlen(table6));
	assert_int_equal(l.count, 5);
	one = listeners_next(&l, 19777, &at);
	assert_int_equal(one->inode, 17);
	assert_int_equal(one->address.ss_family, AF_INET);
	assert_true(listener_is_loopback(one));
	one = listeners_next(&l, 19777, &at);
	assert_int_equal(one->inode, 21);
	assert_int_equal(one->address.ss_family, AF_INET);
	assert_true(listener_is_loopback(one));
	assert_null(listeners_next(&l, 19777, &at));
	at = 0;
	assert_false(listener_is_loopback(listeners_next(&l, 8080, &at)));
	at = 0;
	one = listeners_next(&l, 80, &at);
	assert_int_equal(one->address.ss_family, AF_INET6);
	assert_true(listener_is_loopback(one));
	at = 0;
	assert_false(listener_is_loopback(listeners_next(&l, 19779, &at)));
	at = 0;
	assert_null(listeners_next(&l, 19778, &at));
	listeners_release(&l);
}

static void truncated_table_yields_its_complete_lines(void **state)
{
	(void)state;
	for (size_t len = 0; len <= strlen(table6); len++) {
		struct listeners l = { 0 };

		listeners_parse(&l, table6, len);
		assert_true(l.count <= 3);
		listeners_release(&l);
	}
}

static void listeners_parse_skips_malformed_lines(void **state)
{
	static const char *const wrong[] = {
		"",
		":",
		"0: 1 2 0A 4 5 6 7 8 9",
		"0: 0100007G:4D41 x 0A 4 5 6 7 8 9",
		"0: 0100007F:4D411 x 0A 4 5 6 7 8 9",
		"0: 0100007F00:4D41 x 0A 4 5 6 7 8 9",
		"0: -100007F:4D41 x 0A 4 5 6 7 8 9",
		"0: 0100007F:4D41 x 0A 4 5 6 7 8 -9",
		"0: 0100007F:4D41 x 0A 4 5 6 7 8 99999999999999999999999",
		"0: 0100007F:4D41 x 0A 4 5 6 7 8",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct listeners l = { 0 };

		listeners_parse(&l, wrong[i], strlen(wrong[i]));
		if (l.count)
			fail_msg("taken: %s", wrong[i]);
		listeners_release(&l);
	}
}

/* Opens a socket that listens on a port that the kernel chooses. */
static int listen_somewhere(uint16_t *port)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&to, &len);
	*port = ntohs(to.sin_port);
	return fd;
}

static void port_belongs_to_the_process_with_the_socket(void **state)
{
	struct listeners l;
	struct error err;
	uint16_t port;
	int fd = listen_somewhere(&port), go[2];
	size_t at = 0;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(go), 0);
	child = fork();
	if (child == 0) {
		char c;

		close(fd);
		close(go[1]);
		_exit((int)read(go[0], &c, 1));
	}
	assert_int_equal(listeners_read(&l, getpid(), &err), 0);
	assert_non_null(listeners_next(&l, port, &at));
	listeners_release(&l);
	close(fd);
	at = 0;
	assert_int_equal(listeners_read(&l, getpid(), &err), 0);
	assert_null(listeners_next(&l, port, &at));
	listeners_release(&l);
	close(go[1]);
	waitpid(child, NULL, 0);
	close(go[0]);
	assert_int_equal(listeners_read(&l, child, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	listeners_release(&l);
}

static void port_of_another_process_is_not_listed(void **state)
{
	struct listeners l;
	struct error err;
	uint16_t port;
	int fd = listen_somewhere(&port), go[2], gone[2];
	size_t at = 0;
	pid_t child;
	char c;

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(gone), 0);
	child = fork();
	if (child == 0) {
		close(fd);
		close(go[1]);
		(void)!write(gone[1], "", 1);
		_exit((int)read(go[0], &c, 1));
	}
	assert_int_equal(read(gone[0], &c, 1), 1);
	assert_int_equal(listeners_read(&l, child, &err), 0);
	assert_null(listeners_next(&l, port, &at));
	listeners_release(&l);
	close(go[1]);
	waitpid(child, NULL, 0);
	close(go[0]);
	close(gone[0]);
	close(gone[1]);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listeners_parse_reads_listening_sockets),
		cmocka_unit_test(truncated_table_yields_its_complete_lines),
		cmocka_unit_test(listeners_parse_skips_malformed_lines),
		cmocka_unit_test(port_belongs_to_the_process_with_the_socket),
		cmocka_unit_test(port_of_another_process_is_not_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
