/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests replies that a real JVM sends never or not on request. A child of the
 * test listens on the attach socket in place of a JVM and replies as scripted.
 */
#include "core/attach/attach.h"

#include "core/attach/attach_conditions.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"
#include "tests/unit/refuse_call.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SHORT_NS (400 * CLOCK_NS_PER_MS)
/* Long enough for a reply, short enough for a test to wait. */
#define SOME_NS (2 * CLOCK_NS_PER_S)
/* A kept deadline ends long before this on any machine. */
#define GENEROUS_NS (20 * CLOCK_NS_PER_S)

/* Replies on a connection after the request was read. */
typedef void answer_fn(int fd, const char *request, size_t len);

struct stand_in {
	struct jvm jvm;
	char path[64];
};

static void say(int fd, const char *text)
{
	(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
}

static void serve(int listener, const char *probe, answer_fn *answer)
{
	for (int i = 0;; i++) {
		char request[4096];
		int fd = accept(listener, NULL, NULL);
		ssize_t len = recv(fd, request, sizeof(request), 0);

		if (len <= 0)
			_exit(1);
		if (i == 0 && probe)
			say(fd, probe);
		else
			answer(fd, request, (size_t)len);
		close(fd);
	}
}

static void fill(struct jvm *jvm, pid_t pid)
{
	struct proc_stat stat;
	struct error err;

	*jvm = (struct jvm){
		.pid = pid,
		.ns_pid = pid,
		.uid = geteuid(),
		.gid = getegid(),
		.kind = JVM_HOTSPOT,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
	};
	assert_int_equal(procfs_stat(pid, &stat, &err), 0);
	jvm->start_ticks = stat.start_ticks;
}

static void start(struct stand_in *s, const char *probe, answer_fn *answer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		int listener = socket(AF_UNIX, SOCK_STREAM, 0);

		signal(SIGPIPE, SIG_IGN);
		alarm(60);
		snprintf(address.sun_path, sizeof(address.sun_path),
			 "/tmp/.java_pid%d", (int)getpid());
		unlink(address.sun_path);
		umask(077);
		if (bind(listener, (struct sockaddr *)&address,
			 sizeof(address)) ||
		    listen(listener, 5) || write(ready[1], "r", 1) != 1)
			_exit(1);
		serve(listener, probe, answer);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	snprintf(s->path, sizeof(s->path), "/tmp/.java_pid%d", (int)pid);
	fill(&s->jvm, pid);
}

static void end(struct stand_in *s)
{
	kill(s->jvm.pid, SIGKILL);
	waitpid(s->jvm.pid, NULL, 0);
	unlink(s->path);
	jvm_close(&s->jvm);
}

static const char v1_probe[] = "-1\nOperation getversion not recognized!\n";
static const char v2_probe[] = "0\n2 streaming";
static const struct attach_request request = { .operation = "threaddump" };

/* Makes one call to a stand-in with protocol 1; returns its error. */
static struct error call_within(int64_t timeout_ns, answer_fn *answer,
				struct text *reply)
{
	int64_t began = clock_monotonic_ns();
	struct stand_in s = { .path = "" };
	struct attach *a;
	struct error err = { 0 };

	start(&s, v1_probe, answer);
	/* A loaded machine may take long to open a session. */
	a = attach_open(&s.jvm, GENEROUS_NS, &err);
	assert_non_null(a);
	attach_set_timeout(a, timeout_ns);
	if (attach_call(a, &request, reply, &err) == 0)
		err.kind = ERROR_NONE;
	attach_close(a);
	assert_true(clock_monotonic_ns() - began < 2 * GENEROUS_NS);
	end(&s);
	return err;
}

static struct error call(answer_fn *answer, struct text *reply)
{
	return call_within(GENEROUS_NS, answer, reply);
}

static void answers_well(int fd, const char *bytes, size_t len)
{
	static const char wanted[] = "1\0threaddump\0\0\0\0";

	if (len == sizeof(wanted) - 1 && memcmp(bytes, wanted, len) == 0)
		say(fd, "0\nall threads\n");
}

static void attach_call_returns_the_reply(void **state)
{
	struct text reply = { 0 };
	struct error err = call(answers_well, &reply);

	(void)state;
	assert_int_equal(err.kind, ERROR_NONE);
	assert_string_equal(reply.bytes, "all threads\n");
	text_release(&reply);
}

static unsigned slow_replies;

static void on_slow(const struct jvm *jvm, int64_t took_ns)
{
	(void)jvm;
	slow_replies += took_ns > CLOCK_NS_PER_S;
}

static void answers_late(int fd, const char *bytes, size_t len)
{
	clock_sleep_until(clock_monotonic_ns() + CLOCK_NS_PER_S +
			  100 * CLOCK_NS_PER_MS);
	answers_well(fd, bytes, len);
}

/* Such a thread dump had to wait until the last thread stopped. */
static void attach_call_reports_a_slow_reply(void **state)
{
	struct text reply = { 0 };

	(void)state;
	attach_report_slow(on_slow);
	slow_replies = 0;
	assert_int_equal(call(answers_late, &reply).kind, ERROR_NONE);
	assert_string_equal(reply.bytes, "all threads\n");
	assert_in_range(slow_replies, 1, 2);
	attach_report_slow(NULL);
	text_release(&reply);
}

static void answers_v2(int fd, const char *bytes, size_t len)
{
	static const char wanted[] = "2\0"
				     "23\0"
				     "threaddump streaming=0";

	if (len == sizeof(wanted) && memcmp(bytes, wanted, len) == 0)
		say(fd, "0\nwhole\n");
}

static void attach_call_disables_streaming_of_protocol_2(void **state)
{
	struct text reply = { 0 };
	struct error err = { 0 };
	struct stand_in s = { .path = "" };
	struct attach *a;

	(void)state;
	start(&s, v2_probe, answers_v2);
	a = attach_open(&s.jvm, GENEROUS_NS, &err);
	assert_non_null(a);
	assert_string_equal(attach_protocol(a),
			    "HotSpot, protocol 2, streaming");
	assert_int_equal(attach_call(a, &request, &reply, &err), 0);
	assert_string_equal(reply.bytes, "whole\n");
	attach_close(a);
	end(&s);
	text_release(&reply);
}

static void refuses(int fd, const char *bytes, size_t len)
{
	(void)bytes;
	(void)len;
	say(fd, "-1\nI will not\n");
}

static void attach_call_quotes_the_refusal(void **state)
{
	struct text reply = { 0 };
	struct error err = call(refuses, &reply);

	(void)state;
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "I will not"));
	assert_string_equal(reply.bytes, "I will not\n");
	text_release(&reply);
}

static void is_mute(int fd, const char *bytes, size_t len)
{
	(void)fd;
	(void)bytes;
	(void)len;
	for (;;)
		pause();
}

static void attach_call_without_a_reply_meets_the_deadline(void **state)
{
	struct error err = { 0 };
	struct stand_in s = { .path = "" };

	(void)state;
	start(&s, NULL, is_mute);
	assert_null(attach_open(&s.jvm, SHORT_NS, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "400 ms"));
	/* A safepoint that a thread does not reach has no other sign. */
	assert_non_null(strstr(
		err.text, "or wait for a thread to reach a safepoint (sjkc "
			  "gc reports this, prof shows the code); the "
			  "request may stay queued in the JVM"));
	end(&s);
}

static void trickles(int fd, const char *bytes, size_t len)
{
	(void)bytes;
	(void)len;
	say(fd, "0\nx");
	for (;;) {
		usleep(50000);
		say(fd, "x");
	}
}

static void attach_call_with_a_slow_reply_meets_the_deadline(void **state)
{
	struct text reply = { 0 };
	struct error err = call_within(SOME_NS, trickles, &reply);

	(void)state;
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_true(reply.len > 0);
	text_release(&reply);
}

static void floods(int fd, const char *bytes, size_t len)
{
	static char block[1 << 20];

	(void)bytes;
	(void)len;
	say(fd, "0\n");
	for (;;)
		(void)!send(fd, block, sizeof(block), MSG_NOSIGNAL);
}

static int count(void *self, const void *bytes, size_t len, struct error *err)
{
	(void)bytes;
	(void)err;
	*(uint64_t *)self += len;
	return 0;
}

static void attach_call_with_an_endless_reply_meets_the_deadline(void **state)
{
	const struct attach_request streamed = { .operation = "jcmd",
						 .args = { "VM.info" },
						 .streaming = true };
	uint64_t came = 0;
	struct error err = { 0 };
	struct stand_in s = { .path = "" };
	struct attach *a;

	(void)state;
	start(&s, v1_probe, floods);
	a = attach_open(&s.jvm, GENEROUS_NS, &err);
	assert_non_null(a);
	attach_set_timeout(a, SOME_NS);
	assert_int_equal(attach_stream(a, &streamed, count, &came, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_true(came > 0);
	attach_close(a);
	end(&s);
}

static void attach_call_limits_replies_that_are_short(void **state)
{
	const struct attach_request version = { .operation = "jcmd",
						.args = { "VM.version" } };
	struct stand_in s = { .path = "" };
	struct text reply = { 0 };
	struct error err = { 0 };
	struct attach *a;

	(void)state;
	start(&s, v1_probe, floods);
	a = attach_open(&s.jvm, GENEROUS_NS, &err);
	assert_non_null(a);
	assert_int_equal(attach_call(a, &version, &reply, &err), -1);
	assert_non_null(strstr(err.text, "larger than 16 MB"));
	assert_true(reply.len <= (size_t)16 << 20);
	text_release(&reply);
	attach_close(a);
	end(&s);
}

static void breaks_off(int fd, const char *bytes, size_t len)
{
	(void)fd;
	(void)bytes;
	(void)len;
}

static void breaks_off_amid_the_status(int fd, const char *bytes, size_t len)
{
	(void)bytes;
	(void)len;
	say(fd, "0");
}

static void speaks_http(int fd, const char *bytes, size_t len)
{
	(void)bytes;
	(void)len;
	say(fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
}

static void attach_call_rejects_a_malformed_reply(void **state)
{
	static answer_fn *const answers[] = {
		breaks_off,
		breaks_off_amid_the_status,
		speaks_http,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		struct text reply = { 0 };
		struct error err = call(answers[i], &reply);

		assert_int_equal(err.kind, ERROR_REFUSED);
		assert_int_equal(reply.len, 0);
		text_release(&reply);
	}
}

static void answers_with_nothing(int fd, const char *bytes, size_t len)
{
	(void)bytes;
	(void)len;
	say(fd, "0\n");
}

static void attach_call_accepts_an_empty_reply(void **state)
{
	struct text reply = { 0 };
	struct error err = call(answers_with_nothing, &reply);

	(void)state;
	assert_int_equal(err.kind, ERROR_NONE);
	assert_int_equal(reply.len, 0);
	text_release(&reply);
}

static void dies_amid(int fd, const char *bytes, size_t len)
{
	(void)bytes;
	(void)len;
	say(fd, "0\nhalf of it");
	kill(getpid(), SIGKILL);
}

static void dies_before(int fd, const char *bytes, size_t len)
{
	(void)fd;
	(void)bytes;
	(void)len;
	kill(getpid(), SIGKILL);
}

static void attach_call_keeps_the_partial_reply_of_a_killed_jvm(void **state)
{
	struct text reply = { 0 };
	struct error err = call(dies_amid, &reply);

	(void)state;
	assert_int_equal(err.kind, ERROR_PARTIAL);
	assert_string_equal(reply.bytes, "half of it");
	text_release(&reply);
}

static void attach_call_reports_the_end_of_a_killed_jvm(void **state)
{
	struct text reply = { 0 };
	struct error err = call(dies_before, &reply);

	(void)state;
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	assert_non_null(strstr(err.text, "exited"));
	text_release(&reply);
}

static unsigned forks;

static void count_fork(void) { forks++; }

/*
 * The child acts as a JVM in a container that has not installed its handlers.
 */
static void conditions_met_awaits_a_starting_jvm_with_one_child(void **state)
{
	pid_t pid = fork();
	struct error err;
	struct jvm jvm;

	(void)state;
	if (pid == 0) {
		signal(SIGQUIT, SIG_DFL);
		alarm(60);
		for (;;)
			pause();
	}
	fill(&jvm, pid);
	jvm.own_root = true;
	assert_int_equal(pthread_atfork(count_fork, NULL, NULL), 0);
	forks = 0;
	assert_int_equal(attach_conditions_met(
				 &jvm, clock_monotonic_ns() + SHORT_NS, &err),
			 -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "SIGQUIT is not handled"));
	assert_int_equal(forks, 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	jvm_close(&jvm);
}

static bool conditions_have(const struct jvm *jvm, const char *detail)
{
	struct condition list[ATTACH_CONDITIONS_MAX];
	size_t count = attach_conditions(jvm, list);

	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, "pidfd") == 0)
			return list[i].kind == ERROR_PERMISSION &&
			       list[i].state == CONDITION_FAILS &&
			       strstr(list[i].detail, detail);
	return false;
}

static void conditions_name_a_filter_of_pidfds(void **state)
{
	static const struct {
		unsigned number;
		const char *name;
	} calls[] = {
		{ SYS_pidfd_open, "blocks pidfd_open(2)" },
		{ SYS_pidfd_send_signal, "blocks pidfd_send_signal(2)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct jvm jvm;
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			if (!refuse_call(calls[i].number, EPERM))
				_exit(77);
			fill(&jvm, getpid());
			_exit(!conditions_have(&jvm, calls[i].name));
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WEXITSTATUS(status) == 77)
			skip();
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_name_a_filter_of_pidfds),
		cmocka_unit_test(attach_call_returns_the_reply),
		cmocka_unit_test(attach_call_reports_a_slow_reply),
		cmocka_unit_test(attach_call_disables_streaming_of_protocol_2),
		cmocka_unit_test(attach_call_quotes_the_refusal),
		cmocka_unit_test(
			attach_call_without_a_reply_meets_the_deadline),
		cmocka_unit_test(
			attach_call_with_a_slow_reply_meets_the_deadline),
		cmocka_unit_test(
			attach_call_with_an_endless_reply_meets_the_deadline),
		cmocka_unit_test(attach_call_limits_replies_that_are_short),
		cmocka_unit_test(attach_call_rejects_a_malformed_reply),
		cmocka_unit_test(attach_call_accepts_an_empty_reply),
		cmocka_unit_test(
			attach_call_keeps_the_partial_reply_of_a_killed_jvm),
		cmocka_unit_test(attach_call_reports_the_end_of_a_killed_jvm),
		cmocka_unit_test(
			conditions_met_awaits_a_starting_jvm_with_one_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
