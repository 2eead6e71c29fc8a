/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the waits of children that wait for sockets, pipes and files. */
#include "core/process/wait_peer.h"

#include "core/base/clock.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- waits of children ---- */

/* Descriptors of a wait; the first is the one that the child waits for. */
static int fds[80];
static size_t fd_count;
static struct sockaddr_storage to;
static socklen_t to_len;

static char bytes[1 << 16];

static void wait_in_read(void) { (void)!read(fds[0], bytes, 64); }
static void wait_in_recv(void) { recv(fds[0], &(char){ 0 }, 1, 0); }
static void wait_in_accept(void) { accept(fds[0], NULL, NULL); }

static void wait_in_connect(void)
{
	connect(fds[0], (struct sockaddr *)&to, to_len);
}

static void wait_in_recvmsg(void)
{
	struct iovec to_read = { bytes, 1 };
	struct msghdr message = { .msg_iov = &to_read, .msg_iovlen = 1 };

	recvmsg(fds[0], &message, 0);
}

/* The buffers of a connection have a limit. */
static void wait_in_send(void)
{
	while (send(fds[0], bytes, sizeof(bytes), 0) > 0)
		;
}

static void poll_for(short events)
{
	struct pollfd polled[80];

	for (size_t i = 0; i < fd_count; i++)
		polled[i] = (struct pollfd){ .fd = fds[i], .events = events };
	poll(polled, fd_count, -1);
}

static void wait_in_poll(void) { poll_for(POLLIN); }
static void wait_in_poll_to_write(void) { poll_for(POLLOUT); }

static void wait_in_ppoll(void)
{
	struct pollfd polled = { .fd = fds[0], .events = POLLIN };

	ppoll(&polled, 1, NULL, NULL);
}

static void wait_in_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	for (size_t i = 0; i < fd_count; i++)
		FD_SET(fds[i], &set);
	select(fds[fd_count - 1] + 1, &set, NULL, NULL, NULL);
}

static void wait_in_epoll(void)
{
	struct epoll_event event;

	epoll_wait(fds[0], &event, 1, -1);
}

static void wait_in_sleep(void) { sleep(60); }

static void run_without_a_wait(void)
{
	for (;;)
		*(volatile char *)&(char){ 0 };
}

struct waiter {
	pid_t pid;
	struct jvm jvm;
	struct wait_peers peers;
	struct text one, many;
};

/* Starts a child; wait_for_peer() or waiter_end() follows. */
static void waiter_start(struct waiter *w, void (*wait)(void))
{
	struct error err;

	*w = (struct waiter){ .pid = fork() };
	assert_true(w->pid >= 0);
	if (w->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(60);
		for (;;)
			wait();
	}
	assert_int_equal(jvm_open(&w->jvm, w->pid, &err), 0);
}

static void waiter_end(struct waiter *w)
{
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
	jvm_close(&w->jvm);
	wait_peers_release(&w->peers);
	text_release(&w->one);
	text_release(&w->many);
}

/* Reads until the child has a peer. */
static const struct wait_peer *waiter_read(struct waiter *w)
{
	int64_t until = clock_monotonic_ns() + 20 * CLOCK_NS_PER_S;
	struct error err;

	for (;;) {
		assert_int_equal(
			wait_peers_read(&w->peers, &w->jvm, &w->pid, 1, &err),
			0);
		assert_int_equal(w->peers.count, 1);
		if (w->peers.list[0].action)
			break;
		assert_true(clock_monotonic_ns() < until);
		wait_peers_release(&w->peers);
		usleep(1000);
	}
	wait_peer_text(&w->peers, w->peers.list, false, &w->one);
	wait_peer_text(&w->peers, w->peers.list, true, &w->many);
	return w->peers.list;
}

/* Checks the text of a wait for fds; many is NULL if only the verb differs. */
static void assert_waits(void (*wait)(void), const char *one, const char *many)
{
	struct waiter w;

	waiter_start(&w, wait);
	waiter_read(&w);
	assert_string_equal(w.one.bytes, one);
	if (many)
		assert_string_equal(w.many.bytes, many);
	waiter_end(&w);
}

static void wait_for(int fd)
{
	fds[0] = fd;
	fd_count = 1;
}

/* ---- sockets ---- */

/* A connection over TCP. */
struct connection {
	int listener, client, server;
	unsigned port, client_port;
};

static unsigned port_of(int fd)
{
	struct sockaddr_in6 at;
	socklen_t len = sizeof(at);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	/* Both kinds of addresses have it at the same place. */
	return ntohs(at.sin6_port);
}

static void set_address(int family, const char *host, unsigned port)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&to;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&to;

	to = (struct sockaddr_storage){ .ss_family = (sa_family_t)family };
	if (family == AF_INET) {
		to_len = sizeof(*four);
		four->sin_port = htons((uint16_t)port);
		assert_int_equal(inet_pton(family, host, &four->sin_addr), 1);
	} else {
		to_len = sizeof(*six);
		six->sin6_port = htons((uint16_t)port);
		assert_int_equal(inet_pton(family, host, &six->sin6_addr), 1);
	}
}

/* False if this machine lacks the family. */
static bool listen_at(struct connection *c, int family, const char *host,
		      int backlog)
{
	c->listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	set_address(family, host, 0);
	if (c->listener < 0 ||
	    bind(c->listener, (struct sockaddr *)&to, to_len) < 0)
		return false;
	assert_int_equal(listen(c->listener, backlog), 0);
	c->port = port_of(c->listener);
	return true;
}

static void connect_to(struct connection *c, int family, const char *host)
{
	c->client = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	set_address(family, host, c->port);
	assert_int_equal(connect(c->client, (struct sockaddr *)&to, to_len), 0);
	c->server = accept(c->listener, NULL, NULL);
	assert_true(c->server >= 0);
	c->client_port = port_of(c->client);
}

static void connection_close(struct connection *c)
{
	close(c->listener);
	close(c->client);
	close(c->server);
}

/* Checks both ends of a connection; shown is the host of both in texts. */
static void check_connection(int family, const char *bound, const char *host,
			     const char *shown)
{
	struct connection c;
	char one[200], many[200];

	if (!listen_at(&c, family, bound, 5))
		skip();
	connect_to(&c, family, host);

	wait_for(c.client);
	snprintf(one, sizeof(one), "reads from %s:%u", shown, c.port);
	snprintf(many, sizeof(many), "read from %s:%u", shown, c.port);
	assert_waits(wait_in_recv, one, many);
	assert_waits(wait_in_read, one, many);
	assert_waits(wait_in_poll, one, many);

	wait_for(c.server);
	snprintf(one, sizeof(one), "reads from %s:%u, a client of port %u",
		 shown, c.client_port, c.port);
	snprintf(many, sizeof(many), "read from clients of port %u", c.port);
	assert_waits(wait_in_recvmsg, one, many);
	assert_waits(wait_in_ppoll, one, many);
	assert_waits(wait_in_select, one, many);

	wait_for(c.client);
	snprintf(one, sizeof(one), "writes to %s:%u", shown, c.port);
	assert_waits(wait_in_send, one, NULL);
	connection_close(&c);
}

static void both_ends_of_an_ipv4_connection_are_named(void **state)
{
	(void)state;
	check_connection(AF_INET, "0.0.0.0", "127.0.0.1", "127.0.0.1");
}

static void both_ends_of_an_ipv6_connection_are_named(void **state)
{
	(void)state;
	check_connection(AF_INET6, "::1", "::1", "[::1]");
}

static void ipv4_mapped_addresses_are_printed_as_ipv4(void **state)
{
	(void)state;
	check_connection(AF_INET6, "::", "::ffff:127.0.0.1", "127.0.0.1");
}

static void connection_has_a_direction_and_both_addresses(void **state)
{
	const struct wait_peer *p;
	struct connection c;
	struct waiter w;

	(void)state;
	assert_true(listen_at(&c, AF_INET, "127.0.0.1", 5));
	connect_to(&c, AF_INET, "127.0.0.1");
	wait_for(c.client);
	waiter_start(&w, wait_in_recv);
	p = waiter_read(&w);
	assert_int_equal(p->tid, w.pid);
	assert_int_equal(p->fd, c.client);
	assert_string_equal(p->call, "recvfrom");
	assert_int_equal(p->object, WAIT_ON_TCP);
	assert_int_equal(p->direction, WAIT_OUTBOUND);
	assert_int_equal(net_end_port(&p->local), c.client_port);
	assert_int_equal(net_end_port(&p->remote), c.port);
	waiter_end(&w);
	wait_for(c.server);
	waiter_start(&w, wait_in_recv);
	p = waiter_read(&w);
	assert_int_equal(p->direction, WAIT_INBOUND);
	assert_int_equal(net_end_port(&p->local), c.port);
	waiter_end(&w);
	connection_close(&c);
}

static void check_listener(int family, const char *host, const char *format)
{
	struct connection c;
	char one[100];

	if (!listen_at(&c, family, host, 5))
		skip();
	wait_for(c.listener);
	snprintf(one, sizeof(one), format, c.port);
	assert_waits(wait_in_accept, one, NULL);
	assert_waits(wait_in_poll, one, NULL);
	close(c.listener);
}

static void listener_is_named_by_its_port(void **state)
{
	(void)state;
	check_listener(AF_INET, "0.0.0.0", "accepts at port %u");
	check_listener(AF_INET, "127.0.0.1", "accepts at 127.0.0.1:%u");
	check_listener(AF_INET6, "::", "accepts at port %u");
}

/* With a full backlog, the kernel does not reply to a connection. */
static void connection_without_a_reply_is_named(void **state)
{
	struct connection c;
	char one[100];
	int full;

	(void)state;
	assert_true(listen_at(&c, AF_INET, "127.0.0.1", 0));
	full = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	set_address(AF_INET, "127.0.0.1", c.port);
	assert_int_equal(connect(full, (struct sockaddr *)&to, to_len), 0);
	wait_for(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	snprintf(one, sizeof(one), "connects to 127.0.0.1:%u", c.port);
	assert_waits(wait_in_connect, one, NULL);
	close(fds[0]);
	wait_for(
		socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	assert_int_equal(connect(fds[0], (struct sockaddr *)&to, to_len), -1);
	assert_waits(wait_in_poll_to_write, one, NULL);
	close(fds[0]);
	close(full);
	close(c.listener);
}

static void datagram_socket_is_named_by_its_port_or_peer(void **state)
{
	char one[100];
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)state;
	set_address(AF_INET, "127.0.0.1", 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&to, to_len), 0);
	wait_for(fd);
	snprintf(one, sizeof(one), "reads from UDP port %u", port_of(fd));
	assert_waits(wait_in_recv, one, NULL);
	set_address(AF_INET, "127.0.0.1", 9);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, to_len), 0);
	assert_waits(wait_in_recv, "reads from 127.0.0.1:9 (UDP)", NULL);
	close(fd);
}

/* ---- Unix sockets ---- */

static int listen_at_path(const char *path, int backlog)
{
	struct sockaddr_un *at = (struct sockaddr_un *)&to;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(at->sun_path, sizeof(at->sun_path), "%s", path);
	to_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			     strlen(path) + (path[0] != '@'));
	if (path[0] == '@')
		at->sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)at, to_len), 0);
	assert_int_equal(listen(fd, backlog), 0);
	return fd;
}

static void check_unix(const char *path)
{
	int listener = listen_at_path(path, 0), client, server;
	char one[200], many[200];

	wait_for(listener);
	snprintf(one, sizeof(one), "accepts at the Unix socket %s", path);
	assert_waits(wait_in_accept, one, NULL);

	client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&to, to_len), 0);
	wait_for(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
	snprintf(one, sizeof(one), "connects to the Unix socket %s", path);
	assert_waits(wait_in_connect, one, NULL);
	close(fds[0]);

	server = accept(listener, NULL, NULL);
	wait_for(server);
	snprintf(one, sizeof(one), "reads from a client of the Unix socket %s",
		 path);
	snprintf(many, sizeof(many), "read from clients of the Unix socket %s",
		 path);
	assert_waits(wait_in_read, one, many);
	wait_for(client);
	assert_waits(wait_in_read, "reads from a Unix socket", NULL);
	close(client);
	close(server);
	close(listener);
}

static void unix_sockets_are_named_by_their_path(void **state)
{
	char path[100];

	(void)state;
	snprintf(path, sizeof(path), "/tmp/wait peer-%d", (int)getpid());
	check_unix(path);
	unlink(path);
	snprintf(path, sizeof(path), "@wait-peer-%d", (int)getpid());
	check_unix(path);
}

/* The path of another socket looks like a line of the table. */
static void forged_line_gives_a_socket_no_path(void **state)
{
	struct stat st;
	int pair[2], forged;
	char path[100];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(fstat(pair[0], &st), 0);
	snprintf(path, sizeof(path),
		 "@\n0: 00000003 00000000 00000000 0001 03 %lu /forged",
		 (unsigned long)st.st_ino);
	forged = listen_at_path(path, 1);
	wait_for(pair[0]);
	assert_waits(wait_in_read, "reads from a Unix socket", NULL);
	close(forged);
	close(pair[0]);
	close(pair[1]);
}

/* ---- other files ---- */

static void pipes_and_files_are_named(void **state)
{
	char path[100], one[200];
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	wait_for(pipes[0]);
	assert_waits(wait_in_read, "reads from a pipe", "read from a pipe");
	close(pipes[0]);
	close(pipes[1]);
	snprintf(path, sizeof(path), "/tmp/wait_peer\033-%d", (int)getpid());
	assert_int_equal(mkfifo(path, 0600), 0);
	wait_for(open(path, O_RDWR | O_CLOEXEC));
	snprintf(one, sizeof(one), "reads from /tmp/wait_peer\u241b-%d",
		 (int)getpid());
	assert_waits(wait_in_read, one, NULL);
	close(fds[0]);
	unlink(path);
	wait_for(eventfd(0, EFD_CLOEXEC));
	assert_waits(wait_in_read, "reads from an eventfd", NULL);
	close(fds[0]);
	wait_for(inotify_init1(IN_CLOEXEC));
	assert_waits(wait_in_read, "reads from inotify", NULL);
	close(fds[0]);
}

static void several_descriptors_are_counted(void **state)
{
	struct connection c;
	char one[200];
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_true(listen_at(&c, AF_INET, "127.0.0.1", 5));
	fds[0] = pipes[0];
	fds[1] = c.listener;
	fd_count = 2;
	snprintf(one, sizeof(one),
		 "waits for events of a pipe and 1 other descriptor, one of "
		 "which accepts at port %u",
		 c.port);
	assert_waits(wait_in_poll, one, NULL);
	assert_waits(wait_in_select, one, NULL);
	for (fd_count = 0; fd_count < 80; fd_count++)
		fds[fd_count] = pipes[0];
	assert_waits(wait_in_poll,
		     "waits for events of a pipe and 79 other descriptors",
		     NULL);
	close(pipes[0]);
	close(pipes[1]);
	close(c.listener);
}

static void epoll_names_the_listener_and_counts_descriptors(void **state)
{
	struct epoll_event event = { .events = EPOLLIN };
	int pipes[2], epoll = epoll_create1(EPOLL_CLOEXEC);
	struct connection c;
	char one[200];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event);
	wait_for(epoll);
	assert_waits(wait_in_epoll, "waits for events of 1 descriptor", NULL);
	assert_true(listen_at(&c, AF_INET, "127.0.0.1", 5));
	epoll_ctl(epoll, EPOLL_CTL_ADD, c.listener, &event);
	snprintf(one, sizeof(one),
		 "waits for events of 2 descriptors, one of which accepts at "
		 "port %u",
		 c.port);
	assert_waits(wait_in_epoll, one, NULL);
	close(epoll);
	close(pipes[0]);
	close(pipes[1]);
	close(c.listener);
}

/* ---- threads without a peer, and limits ---- */

static void threads_that_run_or_sleep_have_no_peer(void **state)
{
	static void (*const waits[])(void) = { wait_in_sleep,
					       run_without_a_wait };
	struct error err;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct waiter w;

		waiter_start(&w, waits[i]);
		usleep(20000);
		assert_int_equal(
			wait_peers_read(&w.peers, &w.jvm, &w.pid, 1, &err), 0);
		assert_int_equal(w.peers.list[0].action, WAIT_ABSENT);
		wait_peer_text(&w.peers, w.peers.list, false, &w.one);
		assert_int_equal(w.one.len, 0);
		waiter_end(&w);
	}
}

static pid_t *tids; /* of the child's threads, in shared memory */

static void *read_in_thread(void *fd)
{
	tids[*(int *)fd == fds[1]] = (pid_t)syscall(SYS_gettid);
	(void)!read(*(int *)fd, &(uint64_t){ 0 }, 8);
	return NULL;
}

static void read_in_two_threads(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, read_in_thread, &fds[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void each_thread_has_its_own_peer(void **state)
{
	int64_t until = clock_monotonic_ns() + 20 * CLOCK_NS_PER_S;
	struct waiter w;
	struct error err;
	int pipes[2];
	pid_t asked[3];

	(void)state;
	tids = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(pipe(pipes), 0);
	fds[0] = pipes[0];
	fds[1] = eventfd(0, EFD_CLOEXEC);
	waiter_start(&w, read_in_two_threads);
	do {
		usleep(1000);
		asked[0] = tids[1];
		asked[1] = 1; /* a thread of another process */
		asked[2] = tids[0];
		wait_peers_release(&w.peers);
		assert_int_equal(
			wait_peers_read(&w.peers, &w.jvm, asked, 3, &err), 0);
		assert_true(clock_monotonic_ns() < until);
	} while (!w.peers.list[0].action || !w.peers.list[2].action);
	assert_int_equal(w.peers.list[0].object, WAIT_ON_EVENTFD);
	assert_int_equal(w.peers.list[1].action, WAIT_ABSENT);
	assert_int_equal(w.peers.list[2].object, WAIT_ON_PIPE);
	waiter_end(&w);
	munmap(tids, 4096);
	close(fds[1]);
	close(pipes[0]);
	close(pipes[1]);
}

static void threads_beyond_the_limit_are_counted(void **state)
{
	enum { EXTRA = 5 };
	pid_t *many = calloc(WAIT_PEERS_MAX + EXTRA, sizeof(*many));
	struct waiter w;
	struct error err;

	(void)state;
	for (size_t i = 0; i < WAIT_PEERS_MAX + EXTRA; i++)
		many[i] = INT32_MAX;
	waiter_start(&w, wait_in_sleep);
	assert_int_equal(wait_peers_read(&w.peers, &w.jvm, many,
					 WAIT_PEERS_MAX + EXTRA, &err),
			 0);
	assert_int_equal(w.peers.count, WAIT_PEERS_MAX);
	assert_true(w.peers.unread >= EXTRA);
	waiter_end(&w);
	free(many);
}

/* Returns the kind of the error of another user. */
static int read_as_another_user(const struct waiter *w)
{
	struct wait_peers peers;
	struct error err = { .kind = ERROR_NONE };

	if (setgid(65534) || setuid(65534))
		return ERROR_FAILED;
	wait_peers_read(&peers, &w->jvm, &w->pid, 1, &err);
	return (int)err.kind;
}

static void missing_rights_are_an_error(void **state)
{
	struct waiter w;
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	waiter_start(&w, wait_in_sleep);
	pid = fork();
	if (pid == 0)
		_exit(read_as_another_user(&w));
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), ERROR_PERMISSION);
	waiter_end(&w);
}

static void ended_process_is_an_error(void **state)
{
	struct waiter w;
	struct error err;

	(void)state;
	waiter_start(&w, wait_in_sleep);
	kill(w.pid, SIGKILL);
	waitpid(w.pid, NULL, 0);
	assert_int_equal(wait_peers_read(&w.peers, &w.jvm, &w.pid, 1, &err),
			 -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	jvm_close(&w.jvm);
	wait_peers_release(&w.peers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_an_ipv4_connection_are_named),
		cmocka_unit_test(both_ends_of_an_ipv6_connection_are_named),
		cmocka_unit_test(ipv4_mapped_addresses_are_printed_as_ipv4),
		cmocka_unit_test(connection_has_a_direction_and_both_addresses),
		cmocka_unit_test(listener_is_named_by_its_port),
		cmocka_unit_test(connection_without_a_reply_is_named),
		cmocka_unit_test(datagram_socket_is_named_by_its_port_or_peer),
		cmocka_unit_test(unix_sockets_are_named_by_their_path),
		cmocka_unit_test(forged_line_gives_a_socket_no_path),
		cmocka_unit_test(pipes_and_files_are_named),
		cmocka_unit_test(several_descriptors_are_counted),
		cmocka_unit_test(
			epoll_names_the_listener_and_counts_descriptors),
		cmocka_unit_test(threads_that_run_or_sleep_have_no_peer),
		cmocka_unit_test(each_thread_has_its_own_peer),
		cmocka_unit_test(threads_beyond_the_limit_are_counted),
		cmocka_unit_test(missing_rights_are_an_error),
		cmocka_unit_test(ended_process_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
