/* SPDX-License-Identifier: Apache-2.0 */
/* The RMI client, with a fake JVM that fails in all ways. */
#include "tests/unit/rmi_stand_in.h"

#include "core/base/clock.h"
#include "jmx_http/net/rmi_transport.h"
#include "jmx_http/rmi/methods.h"
#include "jmx_http/rmi/rmi_client.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#define REQUESTS_MAX 256

static struct jmx *open_at(const struct stand_in *s, int64_t timeout_ns)
{
	struct jmx_target o = { .address = s->target,
				.timeout_ns = timeout_ns };
	struct error err;
	struct jmx *j = rmi_client_open(&o, &err);

	if (!j)
		fail_msg("%s", err.text);
	return j;
}

/* The results: the text of each reply, "" for null, or its failure. */
struct answers {
	char *texts[REQUESTS_MAX];
	bool failed[REQUESTS_MAX];
	size_t count, stop_at;
};

static int keep(void *self, size_t index, const struct jmx_reply *reply,
		struct error *err)
{
	struct answers *a = self;
	const struct value *v = reply->value;
	const char *text;

	assert_int_equal(index, a->count);
	if (v && v->kind == VALUE_COMPOSITE && v->members.count == 1)
		v = v->members.at[0].value;
	text = value_text_of(v);
	a->failed[index] = reply->failure || (v && v->kind == VALUE_ERROR);
	a->texts[index] = strdup(reply->failure ? reply->failure
				 : text         ? text
						: "");
	a->count++;
	if (a->stop_at && a->count == a->stop_at)
		return (fail)(err, ERROR_OUTPUT, "enough"); /* no macro */
	return 0;
}

static void forget(struct answers *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->texts[i]);
	*a = (struct answers){ 0 };
}

/* A client of a fake JVM, and the results of its requests. */
struct client {
	struct stand_in s;
	struct answers a;
	struct error err;
	struct jmx *j;
};

static void client_open(struct client *c, struct stand_in s)
{
	*c = (struct client){ .s = s };
	stand_in_start(&c->s);
	c->j = open_at(&c->s, 0);
}

static void client_close(struct client *c)
{
	jmx_close(c->j);
	stand_in_end(&c->s);
	forget(&c->a);
}

static long number_of(const char *text) { return strtol(text, NULL, 10); }

static const char *const name = "A";

static const struct jmx_request get = {
	.verb = JMX_GET, .object = "a:b=c", .names = &name, .name_count = 1
};
static const struct jmx_request invoke = {
	.verb = JMX_INVOKE, .object = "a:b=c", .names = &name, .name_count = 1
};
static const struct jmx_request count = { .verb = JMX_COUNT };

/* Runs requests, of which each nth invokes an operation; 0: none. */
static int run(struct jmx *j, size_t requests, size_t nth, struct answers *a,
	       struct error *err)
{
	struct jmx_request all[REQUESTS_MAX];

	for (size_t i = 0; i < requests; i++)
		all[i] = nth && i % nth == nth - 1 ? invoke : get;
	return jmx_run(j, all, requests, keep, a, err);
}

/* Returns the number of calls so far, including this one. */
static void say_number(struct stand_in *s, struct text *out)
{
	struct text number = { 0 };

	text_printf(&number, "%d", (int)++s->shared->done);
	stand_in_string(out, number.bytes, number.len);
	text_release(&number);
}

static enum stand_in_next
always(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	(void)call;
	say_number(s, out);
	return STAND_IN_GO_ON;
}

static void session_is_leased_acknowledged_and_closed(void **state)
{
	struct stand_in s = { .script = always };
	struct answers a = { 0 };
	struct error err;
	struct jmx *j;

	(void)state;
	stand_in_start(&s);
	j = open_at(&s, 0);
	assert_string_equal(j->version, "99+1");
	assert_string_equal(j->title, s.target);
	assert_int_equal(run(j, 3, 0, &a, &err), 0);
	forget(&a);
	assert_int_equal(run(j, 3, 0, &a, &err), 0);
	jmx_close(j);
	assert_int_equal(s.shared->logins, 1);
	assert_int_equal(s.shared->connections, 1);
	assert_int_equal(s.shared->leases, 1);
	assert_int_equal(s.shared->closed, 1);
	/* One for the server's stub, one for the session's. */
	assert_int_equal(s.shared->acks, 2);
	stand_in_end(&s);
	forget(&a);
}

/* Replies only after sixty calls have arrived. */
static enum stand_in_next hold_back(struct stand_in *s,
				    const struct stand_in_call *call,
				    struct text *out)
{
	(void)call;
	say_number(s, out);
	return s->shared->done < 60 ? STAND_IN_HOLD : STAND_IN_GO_ON;
}

static void many_calls_are_sent_before_the_first_reply(void **state)
{
	struct client c;

	(void)state;
	client_open(&c, (struct stand_in){ .script = hold_back });
	assert_int_equal(run(c.j, 200, 0, &c.a, &c.err), 0);
	assert_int_equal(c.a.count, 200);
	for (size_t i = 0; i < 200; i++)
		assert_int_equal(number_of(c.a.texts[i]), i + 1);
	client_close(&c);
}

/* Each reply is larger than all buffers in between. */
static enum stand_in_next
say_much(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	size_t len = 4 << 20;
	char *text = malloc(len);

	(void)s, (void)call;
	memset(text, 'x', len);
	stand_in_string(out, text, len);
	free(text);
	return STAND_IN_GO_ON;
}

static int check_length(void *self, size_t index, const struct jmx_reply *reply,
			struct error *err)
{
	size_t *answers = self;

	(void)index, (void)err;
	assert_null(reply->failure);
	assert_int_equal(reply->value->members.at[0].value->text.len, 4 << 20);
	++*answers;
	return 0;
}

/* Connects with small buffers, so that writes block until the peer reads. */
static int dial_narrow(struct dialer *d, struct net_address *a,
		       int64_t deadline_ns, struct error *err)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), size = 4096;

	(void)d, (void)deadline_ns, (void)err;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	assert_int_equal(net_address_resolve(a, deadline_ns, err), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&a->list[0],
				 sizeof(struct sockaddr_in)),
			 0);
	return fd;
}

static void large_calls_and_replies_do_not_deadlock(void **state)
{
	static const struct dialer_ops ops = { .dial = dial_narrow };
	struct dialer narrow = { .ops = &ops };
	struct jmx_target o = { .dialer = &narrow,
				.timeout_ns = 60 * CLOCK_NS_PER_S };
	struct stand_in s = { .script = say_much, .receive_buffer = 4096 };
	struct jmx_request all[12];
	char *long_name = malloc(30001);
	const char *names[1] = { long_name };
	struct error err;
	size_t answers = 0;
	struct jmx *j;

	(void)state;
	memset(long_name, 'n', 30000);
	long_name[30000] = '\0';
	for (size_t i = 0; i < 12; i++) {
		all[i] = get;
		all[i].names = names;
	}
	stand_in_start(&s);
	o.address = s.target;
	j = rmi_client_open(&o, &err);
	assert_non_null(j);
	if (jmx_run(j, all, 12, check_length, &answers, &err))
		fail_msg("%s", err.text);
	assert_int_equal(answers, 12);
	jmx_close(j);
	stand_in_end(&s);
	free(long_name);
}

/* The tenth return is aborted while it is written, and the server closes. */
static enum stand_in_next abort_tenth(struct stand_in *s,
				      const struct stand_in_call *call,
				      struct text *out)
{
	(void)call;
	if (s->shared->done == 9) {
		s->shared->done++;
		stand_in_abort(out, "java.io.NotSerializableException",
			       "a.Secret");
		return STAND_IN_CLOSE;
	}
	say_number(s, out);
	return STAND_IN_GO_ON;
}

static void requests_after_an_aborted_reply_are_repeated(void **state)
{
	struct client c;

	(void)state;
	client_open(&c, (struct stand_in){ .script = abort_tenth });
	/* Each second request changes something, and is executed once. */
	if (run(c.j, 40, 2, &c.a, &c.err))
		fail_msg("%s", c.err.text);
	for (size_t i = 0; i < 40; i++) {
		assert_int_equal(c.a.failed[i], i == 9);
		if (i == 9)
			assert_string_equal(c.a.texts[i],
					    "not serializable: a.Secret");
		else
			assert_int_equal(number_of(c.a.texts[i]), i + 1);
	}
	assert_int_equal(c.s.shared->done, 40);
	assert_int_equal(c.s.shared->connections, 2);
	assert_int_equal(c.s.shared->logins, 1);
	client_close(&c);
}

/* The 31st call is executed, but its reply is lost. */
static enum stand_in_next lose_31st(struct stand_in *s,
				    const struct stand_in_call *call,
				    struct text *out)
{
	(void)call;
	if (s->shared->done == 30) {
		s->shared->done++;
		return STAND_IN_DROP;
	}
	say_number(s, out);
	return STAND_IN_GO_ON;
}

static void lost_change_is_not_repeated(void **state)
{
	struct client c;
	int lost = 0;

	(void)state;
	client_open(&c, (struct stand_in){ .script = lose_31st });
	if (run(c.j, 60, 3, &c.a, &c.err))
		fail_msg("%s", c.err.text);
	assert_int_equal(c.a.count, 60);
	for (size_t i = 0; i < 60; i++) {
		bool changes = i % 3 == 2;

		if (!c.a.failed[i])
			continue;
		assert_true(changes && i >= 30);
		assert_non_null(strstr(c.a.texts[i],
				       "the JVM may have executed the call"));
		lost++;
	}
	/* The calls among the 30 that were in flight. */
	assert_int_equal(lost, 10);
	assert_int_equal(c.s.shared->connections, 2);
	client_close(&c);
}

static enum stand_in_next
never(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	(void)s, (void)call, (void)out;
	return STAND_IN_DROP;
}

static void client_gives_up_after_repeated_losses(void **state)
{
	struct client c;

	(void)state;
	client_open(&c, (struct stand_in){ .script = never });
	assert_int_equal(run(c.j, 5, 0, &c.a, &c.err), -1);
	assert_int_equal(c.err.kind, ERROR_REFUSED);
	assert_non_null(strstr(c.err.text, c.s.target));
	assert_int_equal(c.a.count, 0);
	/* One connection per attempt, and one for a later call. */
	assert_int_equal(c.s.shared->connections, 3);
	client_close(&c);
}

/*
 * After five calls, the server forgets the first session. Its connection has a
 * process of its own, where waiting calls also arrive after the second login.
 */
static enum stand_in_next forget_session(struct stand_in *s,
					 const struct stand_in_call *call,
					 struct text *out)
{
	static bool is_forgotten;

	(void)call;
	is_forgotten |= s->shared->logins == 1 && s->shared->done == 5;
	if (is_forgotten) {
		stand_in_throw(out, "java.rmi.NoSuchObjectException",
			       "no such object in table");
		return STAND_IN_GO_ON;
	}
	say_number(s, out);
	return STAND_IN_GO_ON;
}

static void ended_session_is_replaced(void **state)
{
	struct client c;

	(void)state;
	client_open(&c, (struct stand_in){ .script = forget_session });
	if (run(c.j, 50, 2, &c.a, &c.err))
		fail_msg("%s", c.err.text);
	for (size_t i = 0; i < 50; i++)
		assert_int_equal(number_of(c.a.texts[i]), i + 1);
	assert_int_equal(c.s.shared->logins, 2);
	assert_int_equal(c.s.shared->leases, 2);
	client_close(&c);
}

static enum stand_in_next no_session(struct stand_in *s,
				     const struct stand_in_call *call,
				     struct text *out)
{
	(void)s, (void)call;
	stand_in_throw(out, "java.rmi.NoSuchObjectException", "none at all");
	return STAND_IN_GO_ON;
}

static void client_gives_up_if_sessions_end_at_once(void **state)
{
	struct client c;

	(void)state;
	client_open(&c, (struct stand_in){ .script = no_session });
	assert_int_equal(run(c.j, 5, 0, &c.a, &c.err), -1);
	assert_non_null(strstr(c.err.text, "none at all"));
	assert_int_equal(c.s.shared->logins, 2);
	client_close(&c);
}

static void session_at_another_port_is_used(void **state)
{
	struct client c;

	(void)state;
	client_open(&c, (struct stand_in){ .script = always,
					   .has_other_port = true });
	assert_int_equal(run(c.j, 3, 0, &c.a, &c.err), 0);
	assert_int_equal(c.s.shared->connections, 2);
	client_close(&c);
}

static enum stand_in_next
silent(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	(void)s, (void)call, (void)out;
	return STAND_IN_GO_ON;
}

/* Opens with a timeout of 100 ms, or longer if a loaded machine needs longer
 * for the login, so that the timeout of the calls is as short as possible. */
static struct jmx *open_with_short_timeout(const struct stand_in *s)
{
	struct jmx_target o = { .address = s->target };
	struct jmx *j = NULL;
	struct error err;

	for (int64_t ms = 100; !j && ms <= 60000; ms *= 2) {
		o.timeout_ns = ms * CLOCK_NS_PER_MS;
		j = rmi_client_open(&o, &err);
	}
	if (!j)
		fail_msg("%s", err.text);
	return j;
}

static void unanswered_call_times_out_and_is_not_retried(void **state)
{
	struct stand_in s = { .script = silent };
	struct answers a = { 0 };
	struct error err;
	struct jmx *j;
	int connections;

	(void)state;
	stand_in_start(&s);
	j = open_with_short_timeout(&s);
	connections = s.shared->connections;
	/*
	 * Only reads, because before a change a slow client would send a ping.
	 */
	assert_int_equal(run(j, 5, 0, &a, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "timed out"));
	assert_int_equal(s.shared->connections, connections);
	jmx_close(j);
	stand_in_end(&s);
	forget(&a);
}

static void replies_byte_by_byte_are_parsed(void **state)
{
	struct client c;

	(void)state;
	client_open(&c, (struct stand_in){ .script = always, .is_slow = true });
	assert_int_equal(run(c.j, 20, 0, &c.a, &c.err), 0);
	for (size_t i = 0; i < 20; i++)
		assert_int_equal(number_of(c.a.texts[i]), i + 1);
	client_close(&c);
}

/*
 * A late reply to a call of a stopped run must not be used for the next run,
 * whose reply has the number of the last call that the server counted.
 */
static void stopped_run_leaves_no_unread_replies(void **state)
{
	struct stand_in s = { .script = always };
	struct answers a = { .stop_at = 3 };
	struct error err;
	struct jmx *j;

	(void)state;
	stand_in_start(&s);
	j = open_at(&s, 0);
	assert_int_equal(run(j, 40, 0, &a, &err), -1);
	assert_int_equal(err.kind, ERROR_OUTPUT);
	assert_int_equal(a.count, 3);
	forget(&a);
	assert_int_equal(run(j, 1, 0, &a, &err), 0);
	jmx_close(j);
	assert_true(number_of(a.texts[0]) > 3);
	assert_int_equal(number_of(a.texts[0]), s.shared->done);
	stand_in_end(&s);
	forget(&a);
}

/* The list omits attributes; the client requests each of them alone. */
static enum stand_in_next leave_out(struct stand_in *s,
				    const struct stand_in_call *call,
				    struct text *out)
{
	if (call->method == JMX_GET_ATTRIBUTES)
		stand_in_null(out);
	else if (call->method == JMX_GET_MBEAN_COUNT)
		stand_in_string(out, "counted", 7);
	else
		say_number(s, out);
	return STAND_IN_GO_ON;
}

static int check_three(void *self, size_t index, const struct jmx_reply *reply,
		       struct error *err)
{
	size_t *next = self;

	(void)err;
	assert_int_equal(index, (*next)++);
	assert_null(reply->failure);
	if (index == 1) {
		assert_string_equal(value_text_of(reply->value), "counted");
		return 0;
	}
	assert_int_equal(reply->value->members.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(number_of(value_text_of(
					 reply->value->members.at[i].value)),
				 (index ? 3 : 0) + i + 1);
	return 0;
}

static void omitted_attributes_are_requested_one_by_one(void **state)
{
	static const char *const names[] = { "A", "B", "C" };
	struct jmx_request three = get;
	struct stand_in s = { .script = leave_out };
	struct error err;
	struct jmx *j;
	size_t next = 0;

	(void)state;
	three.names = names;
	three.name_count = 3;
	stand_in_start(&s);
	j = open_at(&s, 0);
	assert_int_equal(jmx_run(j,
				 (struct jmx_request[]){ three, count, three },
				 3, check_three, &next, &err),
			 0);
	assert_int_equal(next, 3);
	jmx_close(j);
	stand_in_end(&s);
}

/*
 * Before the client uses an idle connection, it checks that the JVM responds.
 */
static enum stand_in_next close_after_one(struct stand_in *s,
					  const struct stand_in_call *call,
					  struct text *out)
{
	(void)call;
	say_number(s, out);
	return s->shared->done == 1 ? STAND_IN_CLOSE : STAND_IN_GO_ON;
}

static void stale_connection_loses_no_change(void **state)
{
	struct client c;

	(void)state;
	client_open(&c, (struct stand_in){ .script = close_after_one });
	assert_int_equal(run(c.j, 1, 0, &c.a, &c.err), 0);
	forget(&c.a);
	clock_sleep_until(clock_monotonic_ns() + 1100 * CLOCK_NS_PER_MS);
	assert_int_equal(run(c.j, 1, 1, &c.a, &c.err), 0);
	assert_false(c.a.failed[0]);
	assert_string_equal(c.a.texts[0], "2");
	client_close(&c);
}

/* Otherwise, a process on this machine could receive the password. */
static void stub_without_a_host_leads_to_the_targets_host(void **state)
{
	struct stand_in s = { .script = always,
			      .address = "127.0.0.2",
			      .host = "" };
	struct answers a = { 0 };
	struct error err;
	struct jmx *j;

	(void)state;
	stand_in_start(&s);
	j = open_at(&s, 10 * CLOCK_NS_PER_S);
	assert_int_equal(run(j, 1, 0, &a, &err), 0);
	assert_false(a.failed[0]);
	jmx_close(j);
	stand_in_end(&s);
	forget(&a);
}

static void exited_jvm_is_no_target(void **state)
{
	struct stand_in s = { .script = always };
	struct answers a = { 0 };
	struct error err;
	struct jmx *j;

	(void)state;
	stand_in_start(&s);
	j = open_at(&s, 0);
	assert_int_equal(run(j, 1, 0, &a, &err), 0);
	stand_in_end(&s);
	assert_int_equal(run(j, 1, 0, &a, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	/* The same without an open connection. */
	assert_int_equal(run(j, 1, 1, &a, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	jmx_close(j);
	forget(&a);
}

/* Nothing is sent without encryption, not even a greeting. */
static void required_tls_refuses_a_plain_server(void **state)
{
	struct stand_in s = { .script = say_much };
	struct jmx_target o = {
		.credentials = { "user", "secret" },
		.require_tls = true,
	};
	struct error err = { 0 };

	(void)state;
	stand_in_start(&s);
	o.address = s.target;
	assert_null(rmi_client_open(&o, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "TLS"));
	assert_int_equal(s.shared->calls + s.shared->logins, 0);
	o.require_tls = false;
	jmx_close(rmi_client_open(&o, &err));
	assert_int_equal(s.shared->logins, 1);
	stand_in_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(required_tls_refuses_a_plain_server),
		cmocka_unit_test(session_is_leased_acknowledged_and_closed),
		cmocka_unit_test(many_calls_are_sent_before_the_first_reply),
		cmocka_unit_test(large_calls_and_replies_do_not_deadlock),
		cmocka_unit_test(requests_after_an_aborted_reply_are_repeated),
		cmocka_unit_test(lost_change_is_not_repeated),
		cmocka_unit_test(client_gives_up_after_repeated_losses),
		cmocka_unit_test(ended_session_is_replaced),
		cmocka_unit_test(client_gives_up_if_sessions_end_at_once),
		cmocka_unit_test(session_at_another_port_is_used),
		cmocka_unit_test(unanswered_call_times_out_and_is_not_retried),
		cmocka_unit_test(replies_byte_by_byte_are_parsed),
		cmocka_unit_test(stopped_run_leaves_no_unread_replies),
		cmocka_unit_test(omitted_attributes_are_requested_one_by_one),
		cmocka_unit_test(stale_connection_loses_no_change),
		cmocka_unit_test(stub_without_a_host_leads_to_the_targets_host),
		cmocka_unit_test(exited_jvm_is_no_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
