/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invalid performance counters.  The test process itself poses as a JVM, with a
 * file of counters that it has mapped.
 */
#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/rmi_local.h"

#include "core/base/base64.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNTER "sun.management.JMXConnectorServer."

static char directory[64], path[96];

/* A stub of JDK 17's local JMX connector, whose port is 38129. */
static const char stub[] =
	"rO0ABXNyAC5qYXZheC5tYW5hZ2VtZW50LnJlbW90ZS5ybWkuUk1JU2VydmVySW1wbF9T"
	"dHViAAAAAAAAAAICAAB4cgAaamF2YS5ybWkuc2VydmVyLlJlbW90ZVN0dWLp/tzJi+Fl"
	"GgIAAHhyABxqYXZhLnJtaS5zZXJ2ZXIuUmVtb3RlT2JqZWN002G0kQxhMx4DAAB4cHc0"
	"AAtVbmljYXN0UmVmMgAACTEyNy4wLjAuMQAAlPGGPhbmVFxx/qPQBSUAAAGiAHqlAYAB"
	"AHg=";

/* The URL of a connector on that port. */
static void add_url(struct text *url, uint16_t port)
{
	static const char host[] = "127.0.0.1";
	struct text bytes = { 0 };
	uint8_t *at;

	assert_true(base64_read(&bytes, stub, strlen(stub)));
	at = memmem(bytes.bytes, bytes.len, host, strlen(host));
	at += strlen(host);
	assert_int_equal(at[2] << 8 | at[3], 38129);
	at[2] = (uint8_t)(port >> 8);
	at[3] = (uint8_t)port;
	text_puts(url, "service:jmx:rmi://127.0.0.1/stub/");
	base64_add(url, bytes.bytes, bytes.len);
	text_release(&bytes);
}

static void put_u32(struct text *out, uint32_t value)
{
	text_add(out, &value, sizeof(value));
}

/* A counter: a text, or a number if text is NULL. */
struct counter {
	const char *name, *text;
	int64_t value;
};

static void put_counter(struct text *out, const struct counter *c)
{
	uint32_t name = (uint32_t)(strlen(c->name) + 8) / 8 * 8;
	uint32_t data = c->text ? (uint32_t)strlen(c->text) + 1 : 8;
	uint32_t size = (20 + name + data + 7) / 8 * 8;
	size_t end = out->len + size;

	put_u32(out, size);
	put_u32(out, 20);
	put_u32(out, c->text ? data : 0);
	text_putc(out, c->text ? 'B' : 'J');
	text_putc(out, 0);
	text_putc(out, c->text ? 5 : 1);
	text_putc(out, 1);
	put_u32(out, 20 + name);
	text_add(out, c->name, strlen(c->name) + 1);
	while (out->len < end - (size - 20 - name))
		text_putc(out, 0);
	if (c->text)
		text_add(out, c->text, data);
	else
		text_add(out, &c->value, sizeof(c->value));
	while (out->len < end)
		text_putc(out, 0);
}

/* Maps a file with the counters up to the first without a name. */
static void *map_counters(const struct counter *counters)
{
	static const uint8_t begin[] = { 0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1 };
	struct text out = { 0 };
	uint32_t count = 0;
	void *mapped;
	int fd;

	text_add(&out, begin, sizeof(begin));
	for (int i = 0; i < 4; i++)
		put_u32(&out, 0);
	put_u32(&out, 32);
	put_u32(&out, 0);
	for (; counters->name; counters++, count++)
		put_counter(&out, counters);
	memcpy(out.bytes + 28, &count, sizeof(count));
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, out.bytes, out.len), out.len);
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	text_release(&out);
	return mapped;
}

static void look(struct rmi_local *l, const struct counter *counters)
{
	void *mapped = map_counters(counters);
	struct error err = { 0 };
	struct jvm jvm;

	/* The child that opens the counters checks when the process began. */
	if (jvm_open(&jvm, getpid(), &err))
		fail_msg("%s", err.text);
	jvm.kind = JVM_HOTSPOT;
	if (rmi_local_look(l, &jvm, &err))
		fail_msg("%s", err.text);
	munmap(mapped, 4096);
	jvm_close(&jvm);
}

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

static void address_is_accepted_while_the_jvm_listens(void **state)
{
	struct text url = { 0 };
	struct counter counters[] = { { COUNTER "address", NULL, 0 }, { 0 } };
	struct rmi_local l;
	uint16_t port;
	int fd = listen_somewhere(&port);

	(void)state;
	add_url(&url, port);
	counters[0].text = url.bytes;
	look(&l, counters);
	assert_int_equal(l.port, port);
	assert_string_equal(l.url.bytes, url.bytes);
	assert_false(l.has_remote);
	rmi_local_release(&l);
	close(fd);
	look(&l, counters);
	assert_int_equal(l.port, 0);
	assert_int_equal(l.url.len, 0);
	rmi_local_release(&l);
	text_release(&url);
}

/* Each address is wrong in one way; *port is the JVM's port. */
static void address_without_a_stub_is_rejected(void **state)
{
	static const char *const before[] = {
		"",
		"service:jmx:rmi:///jndi/rmi://127.0.0.1:9010/jmxrmi",
		"service:jmx:iiop://127.0.0.1/stub/",
		"http://service:jmx:rmi://127.0.0.1/stub/",
		"service:jmx:rmi://127.0.0.1/stub/!",
		"service:jmx:rmi://127.0.0.1/stub/rO0ABXA=/stub/",
	};
	struct rmi_local l;
	uint16_t port;
	int fd = listen_somewhere(&port);

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		struct counter c[] = { { COUNTER "address", NULL, 0 }, { 0 } };
		struct text url = { 0 }, whole = { 0 };

		add_url(&whole, port);
		text_puts(&url, before[i]);
		text_puts(&url, strstr(whole.bytes, "/stub/") + 6);
		c[0].text = url.bytes;
		look(&l, c);
		if (l.port || l.url.len)
			fail_msg("believed: %s", url.bytes);
		rmi_local_release(&l);
		text_release(&url);
		text_release(&whole);
	}
	close(fd);
}

static void truncated_address_is_rejected(void **state)
{
	struct counter c[] = { { COUNTER "address", NULL, 0 }, { 0 } };
	struct text url = { 0 };
	struct rmi_local l;
	uint16_t port;
	int fd = listen_somewhere(&port);

	(void)state;
	add_url(&url, port);
	c[0].text = url.bytes;
	while (url.len--) {
		url.bytes[url.len] = '\0';
		look(&l, c);
		if (l.port)
			fail_msg("believed: %s", url.bytes);
		rmi_local_release(&l);
	}
	text_release(&url);
	close(fd);
}

/* A stub of another object, or endlessly nested arrays. */
static void stream_of_another_object_is_rejected(void **state)
{
	struct counter c[] = { { COUNTER "address", NULL, 0 }, { 0 } };
	struct text bytes = { 0 }, url = { 0 };
	struct rmi_local l;

	(void)state;
	text_add(&bytes, "\xac\xed\0\5", 4);
	for (int i = 0; i < 5000; i++)
		text_putc(&bytes, 0x75);
	text_puts(&url, "service:jmx:rmi://127.0.0.1/stub/");
	base64_add(&url, bytes.bytes, bytes.len);
	c[0].text = url.bytes;
	look(&l, c);
	assert_int_equal(l.port, 0);
	rmi_local_release(&l);
	/* Longer than any valid address. */
	while (url.len < 20000)
		text_puts(&url, "AAAA");
	c[0].text = url.bytes;
	look(&l, c);
	assert_int_equal(l.port, 0);
	rmi_local_release(&l);
	text_release(&bytes);
	text_release(&url);
}

static void running_remote_agent_is_selected(void **state)
{
	static const char one[] = "service:jmx:rmi:///jndi/rmi://a:1/jmxrmi";
	static const char two[] = "service:jmx:rmi:///jndi/rmi://[::1]:2/x";
	struct counter c[] = {
		{ COUNTER "0.remoteAddress", one, 0 },
		{ COUNTER "0.authenticate", "true", 0 },
		{ COUNTER "1.remoteAddress", two, 0 },
		{ COUNTER "1.ssl", "true", 0 },
		{ COUNTER "1.authenticate", "TRUE", 0 },
		{ COUNTER "remote.enabled", NULL, 0 },
		{ 0 },
	};
	static const struct {
		int64_t enabled;
		uint16_t port;
	} ports[] = {
		{ 0, 1 }, { 1, 2 },         { -1, 0 },
		{ 2, 0 }, { INT64_MAX, 0 }, { INT64_MIN, 0 },
	};
	struct rmi_local l;

	(void)state;
	for (size_t i = 0; i < sizeof(ports) / sizeof(*ports); i++) {
		c[5].value = ports[i].enabled;
		look(&l, c);
		assert_int_equal(l.remote_port, ports[i].port);
		assert_int_equal(l.has_remote, ports[i].port != 0);
		assert_int_equal(l.authenticate, ports[i].port == 1);
		assert_int_equal(l.ssl, ports[i].port == 2);
		rmi_local_release(&l);
	}
	/* JDK 8 does not mark the current connector: the last one is used. */
	c[5].name = "another";
	look(&l, c);
	assert_int_equal(l.remote_port, 2);
	rmi_local_release(&l);
}

static void hostile_remote_addresses_are_parsed(void **state)
{
	static const char *const addresses[] = {
		"",
		"/jndi/rmi://",
		"/jndi/rmi://:",
		"/jndi/rmi://a:/",
		"/jndi/rmi://a:99999/x",
		"/jndi/rmi://a:-1/x",
		"/jndi/rmi://a:12",
		"/jndi/rmi:/",
		"service:jmx:rmi:///jndi/rmi://a/x",
	};
	struct rmi_local l;

	(void)state;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		struct counter c[] = {
			{ COUNTER "0.remoteAddress", addresses[i], 0 },
			{ 0 },
		};

		look(&l, c);
		assert_true(l.has_remote);
		assert_int_equal(l.remote_port, 0);
		assert_string_equal(l.remote_url.bytes, addresses[i]);
		rmi_local_release(&l);
	}
}

#define OF(what) "  com.sun.management.jmxremote." what "\n"

static void status_of_the_remote_agent_is_parsed(void **state)
{
	static const char words[] =
		"Agent: enabled\n\nConnection Type: local\n"
		"Properties     :\n" OF("authenticate = true [default]") OF(
			"ssl = true")
			OF("port = 7") "\nConnection Type: remote\nProtocol    "
				       "   : rmi\n"
				       "Properties     :\n" OF(
					       "authenticate = "
					       "false") OF("ssl = true "
							   "[default]")
					       OF("ssl.need.client.auth = true")
						       OF("registry.ssl = "
							  "false [default]")
							       OF("port = "
								  "9010");
	struct text status = { 0 };
	struct rmi_local l = { .authenticate = true, .registry_ssl = true };

	(void)state;
	text_puts(&status, words);
	rmi_local_read_status(&l, &status);
	assert_true(l.has_remote);
	assert_int_equal(l.remote_port, 9010);
	assert_false(l.authenticate);
	assert_true(l.ssl && l.need_client_auth);
	assert_false(l.registry_ssl);
	text_clear(&status);
	text_puts(&status, "Agent: disabled\n");
	rmi_local_read_status(&l, &status);
	assert_false(l.has_remote);
	rmi_local_release(&l);
	text_release(&status);
}

/* After the JVM has exited, another process may listen on its port. */
static void exited_jvm_is_not_dialed(void **state)
{
	struct net_address a = { .host = "nowhere.invalid" };
	int64_t deadline_ns = clock_monotonic_ns() + 20 * CLOCK_NS_PER_S;
	struct jvm jvm = { .kind = JVM_HOTSPOT };
	int fd = listen_somewhere(&a.port), connection;
	struct dialer *d;
	struct proc_stat stat;
	struct error err;

	(void)state;
	jvm.pid = jvm.ns_pid = fork();
	if (jvm.pid == 0) {
		pause();
		_exit(0);
	}
	jvm.pidfd = (int)syscall(SYS_pidfd_open, jvm.pid, 0);
	assert_int_equal(procfs_stat(jvm.pid, &stat, &err), 0);
	jvm.start_ticks = stat.start_ticks;
	d = local_dialer_new(NULL, &jvm, LOCAL_LOOPBACK, &err);
	assert_non_null(d);
	connection = dialer_dial(d, &a, deadline_ns, &err);
	assert_true(connection >= 0);
	close(connection);
	kill(jvm.pid, SIGKILL);
	waitpid(jvm.pid, NULL, 0);
	assert_int_equal(dialer_dial(d, &a, deadline_ns, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	dialer_free(d);
	assert_null(local_dialer_new(NULL, &jvm, LOCAL_LOOPBACK, &err));
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	close(jvm.pidfd);
	close(fd);
}

static int make_directory(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/hsperfdata_test%d",
		 (int)getpid());
	snprintf(path, sizeof(path), "%s/%d", directory, (int)getpid());
	return mkdir(directory, 0700);
}

static int remove_directory(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_is_accepted_while_the_jvm_listens),
		cmocka_unit_test(address_without_a_stub_is_rejected),
		cmocka_unit_test(truncated_address_is_rejected),
		cmocka_unit_test(stream_of_another_object_is_rejected),
		cmocka_unit_test(running_remote_agent_is_selected),
		cmocka_unit_test(hostile_remote_addresses_are_parsed),
		cmocka_unit_test(status_of_the_remote_agent_is_parsed),
		cmocka_unit_test(exited_jvm_is_not_dialed),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
