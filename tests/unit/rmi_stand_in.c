/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/rmi_stand_in.h"

#include "jmx_http/java/java_stream.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/methods.h"

#include <arpa/inet.h>
#include <endian.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SESSION 'S' /* first byte of the object ids */
#define SERVER  'R'

static const uint8_t arguments_of[JMX_METHODS] = {
	[JMX_LOOKUP] = 1,
	[JMX_DIRTY] = 3,
	[JMX_NEW_CLIENT] = 1,
	[JMX_GET_ATTRIBUTE] = 3,
	[JMX_GET_ATTRIBUTES] = 3,
	[JMX_SET_ATTRIBUTE] = 3,
	[JMX_INVOKE_OPERATION] = 5,
	[JMX_QUERY_NAMES] = 3,
	[JMX_GET_MBEAN_INFO] = 2,
	[JMX_GET_MBEAN_COUNT] = 1,
	[JMX_GET_DEFAULT_DOMAIN] = 1,
	[JMX_ADD_LISTENERS] = 3,
};

static void add_head(struct text *out, char type)
{
	text_puts(out, "Q");
	java_write_header(out);
	java_write_block(out, 15);
	text_putc(out, type);
	text_add(out, "\0\0\0\1\0\0\0\0\0\0\0\2\0\3", 14);
}

void stand_in_head(struct text *out) { add_head(out, 1); }

void stand_in_null(struct text *out)
{
	add_head(out, 1);
	java_write_null(out);
}

void stand_in_void(struct text *out) { add_head(out, 1); }

void stand_in_string(struct text *out, const char *text, size_t len)
{
	add_head(out, 1);
	java_write_string(out, text, len);
}

void stand_in_integer(struct text *out, uint32_t value)
{
	static const struct java_shape shape = {
		.name = "java.lang.Integer",
		.flags = JAVA_SERIALIZABLE,
		.fields = { { 'I', "value", NULL } },
	};

	add_head(out, 1);
	java_write_object(out, &shape, JAVA_OF_RMI);
	java_write_u32(out, value);
}

static void add_throwable(struct text *out, const char *class,
			  const char *message)
{
	struct java_shape shape = {
		.name = class,
		.flags = JAVA_SERIALIZABLE,
		.fields = { { 'L', "detailMessage", "Ljava/lang/String;" } },
	};

	java_write_object(out, &shape, JAVA_OF_RMI);
	java_write_text(out, message);
}

void stand_in_throw(struct text *out, const char *class, const char *message)
{
	add_head(out, 2);
	add_throwable(out, class, message);
}

void stand_in_abort(struct text *out, const char *class, const char *message)
{
	add_head(out, 1);
	text_putc(out, 0x7b);
	add_throwable(out, class, message);
}

static void add_stub(struct text *out, const char *class, const char *host,
		     uint16_t port, char id)
{
	static const struct java_shape object = {
		.name = "java.rmi.server.RemoteObject",
		.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	};
	struct java_shape stub = { .name = class,
				   .flags = JAVA_SERIALIZABLE,
				   .super = &object };
	char bytes[22] = { id };

	add_head(out, 1);
	java_write_object(out, &stub, JAVA_OF_RMI);
	if (!host)
		host = "127.0.0.1";
	java_write_block(out, (uint8_t)(12 + 2 + strlen(host) + 4 + 22 + 1));
	java_write_u16(out, 10);
	text_puts(out, "UnicastRef");
	java_write_u16(out, (uint16_t)strlen(host));
	text_puts(out, host);
	java_write_u32(out, port);
	text_add(out, bytes, sizeof(bytes));
	text_putc(out, 1);
	java_write_end(out);
}

static void add_lease(struct text *out, int ms)
{
	static const struct java_shape lease = {
		.name = "java.rmi.dgc.Lease",
		.flags = JAVA_SERIALIZABLE,
		.fields = { { 'J', "value", NULL } },
	};

	add_head(out, 1);
	if (!ms) {
		java_write_null(out);
		return;
	}
	java_write_object(out, &lease, JAVA_OF_RMI);
	java_write_u64(out, (uint64_t)ms);
}

static void send_all(const struct stand_in *s, int fd, struct text *out)
{
	size_t at = 0;

	while (at < out->len) {
		size_t len = s->is_slow ? 1 : out->len - at;
		ssize_t put = send(fd, out->bytes + at, len, MSG_NOSIGNAL);

		if (put <= 0)
			break;
		at += (size_t)put;
	}
	text_clear(out);
}

static int64_t number_at(const char *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return (int64_t)be64toh(number);
}

static int call_method(const char *head)
{
	uint32_t operation;
	uint64_t hash;

	memcpy(&operation, head + 22, sizeof(operation));
	memcpy(&hash, head + 26, sizeof(hash));
	for (int i = 0; i < JMX_METHODS; i++)
		if (jmx_methods[i].hash == be64toh(hash) &&
		    jmx_methods[i].operation == (int32_t)be32toh(operation))
			return i;
	return -1;
}

/* Reads the next value.  The bytes of a call may arrive one by one. */
static const struct java_value *next_value(struct java_stream *stream,
					   const struct text *in, size_t *at)
{
	const struct java_value *v = NULL;
	size_t used;
	enum java_status status = java_stream_read(stream, in->bytes + *at,
						   in->len - *at, &used, &v);

	*at += used;
	if (status == JAVA_WRONG)
		_exit(3);
	return status == JAVA_DONE ? v : NULL;
}

static void count_call(struct stand_in *s, int method)
{
	s->shared->leases += method == JMX_DIRTY;
	s->shared->logins += method == JMX_NEW_CLIENT;
	s->shared->closed += method == JMX_CLOSE;
}

static enum stand_in_next
answer(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	count_call(s, call->method);
	switch (call->method) {
	case JMX_LOOKUP:
		add_stub(out, "a.Server_Stub", s->host, s->ports[0], SERVER);
		break;
	case JMX_NEW_CLIENT:
		add_stub(out, "a.Session_Stub", s->host,
			 s->ports[s->has_other_port], SESSION);
		break;
	case JMX_GET_VERSION:
		stand_in_string(out, "1.0 java_runtime_99+1", 21);
		break;
	case JMX_DIRTY:
		add_lease(out, s->lease_ms);
		break;
	case JMX_CLOSE:
		stand_in_void(out);
		break;
	default:
		s->shared->calls++;
		return s->script(s, call, out);
	}
	return STAND_IN_GO_ON;
}

/*
 * Returns true if a call, an acknowledgement or a ping was read and consumed.
 */
static bool take_message(struct stand_in *s, struct text *in, struct text *out,
			 enum stand_in_next *next)
{
	struct java_stream stream = { 0 };
	struct stand_in_call call = { 0 };
	const struct java_value *head = NULL;
	size_t used = 1;
	bool whole = true;

	if (!in->len)
		return false;
	if (in->bytes[0] == 0x52) {
		s->shared->pings++;
		text_putc(out, 0x53);
	} else if (in->bytes[0] == 0x54) {
		whole = in->len >= 15;
		s->shared->acks += whole;
		used = 15;
	} else {
		head = next_value(&stream, in, &used);
		call.method = head ? call_method(head->bytes.at) : 0;
		if (call.method < 0)
			_exit(4);
		whole = head;
		for (int i = 0; whole && i < arguments_of[call.method]; i++) {
			call.arguments[i] = next_value(&stream, in, &used);
			whole = call.arguments[i];
		}
	}
	if (whole && head) {
		call.object = (uint8_t)head->bytes.at[0];
		if (head->bytes.len >= 42)
			call.from = number_at(head->bytes.at + 34);
		*next = answer(s, &call, out);
	}
	if (whole) {
		in->len -= used;
		memmove(in->bytes, in->bytes + used, in->len);
	}
	java_stream_release(&stream);
	return whole;
}

static void serve(struct stand_in *s, int fd)
{
	static const char hello[] = "N\0\11"
				    "127.0.0.1\0\0\0\1";
	struct text in = { 0 }, out = { 0 };
	enum stand_in_next next = STAND_IN_GO_ON;
	bool is_greeted = false;

	for (;;) {
		char piece[4096];
		ssize_t got = recv(fd, piece, sizeof(piece), 0);

		if (got <= 0)
			break;
		text_add(&in, piece, (size_t)got);
		if (!is_greeted) {
			/* The client's endpoint follows the greeting. */
			if (in.len < 7)
				continue;
			text_add(&out, hello, sizeof(hello) - 1);
			send_all(s, fd, &out);
			text_clear(&in);
			if (recv(fd, piece, 10, MSG_WAITALL) != 10)
				break;
			is_greeted = true;
			continue;
		}
		while (next <= STAND_IN_HOLD &&
		       take_message(s, &in, &out, &next))
			if (next != STAND_IN_DROP && next != STAND_IN_HOLD)
				send_all(s, fd, &out);
		if (next > STAND_IN_HOLD)
			break;
	}
	/* The reply arrives first; a reset would discard it. */
	shutdown(fd, SHUT_WR);
	while (recv(fd, s->target, sizeof(s->target), 0) > 0)
		;
	text_release(&in);
	text_release(&out);
	close(fd);
}

/* A process per connection, since one call may wait for another. */
static void serve_apart(struct stand_in *s, int fd)
{
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(600);
		serve(s, fd);
		_exit(0);
	}
	close(fd);
}

static _Noreturn void run(struct stand_in *s)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	signal(SIGCHLD, SIG_IGN);
	alarm(600);
	for (;;) {
		struct pollfd ready[2] = {
			{ .fd = s->listeners[0], .events = POLLIN },
			{ .fd = s->listeners[1], .events = POLLIN },
		};
		int one = 1, fd;

		if (poll(ready, 2, -1) < 0)
			_exit(5);
		fd = accept(s->listeners[!ready[0].revents], NULL, NULL);
		if (fd < 0)
			_exit(6);
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		s->shared->connections++;
		serve_apart(s, fd);
	}
}

static void listen_at(struct stand_in *s, int i)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (s->address)
		inet_pton(AF_INET, s->address, &at.sin_addr);
	if (s->receive_buffer)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &s->receive_buffer,
			   sizeof(s->receive_buffer));
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 16), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	s->listeners[i] = fd;
	s->ports[i] = ntohs(at.sin_port);
}

void stand_in_start(struct stand_in *s)
{
	struct text target = { 0 };

	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(s->shared, MAP_FAILED);
	listen_at(s, 0);
	listen_at(s, 1);
	text_printf(&target, "%s:%d", s->address ? s->address : "127.0.0.1",
		    s->ports[0]);
	memcpy(s->target, target.bytes, target.len + 1);
	text_release(&target);
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (!s->pid)
		run(s);
	setpgid(s->pid, s->pid);
	close(s->listeners[0]);
	close(s->listeners[1]);
}

void stand_in_end(struct stand_in *s)
{
	if (s->pid > 0) {
		kill(-s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	s->pid = 0;
}
