/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications of a fake JVM: lost, unreadable, aborted or late. */
#include "tests/unit/rmi_stand_in.h"

#include "core/base/clock.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/methods.h"
#include "jmx_http/rmi/rmi_client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct java_shape result = {
	.name = "javax.management.remote.NotificationResult",
	.flags = JAVA_SERIALIZABLE,
	.fields = { { 'J', "earliestSequenceNumber", NULL },
		    { 'J', "nextSequenceNumber", NULL },
		    { '[', "targetedNotifications",
		      "[Ljavax/management/remote/TargetedNotification;" } },
};

static const struct java_shape targeted = {
	.name = "javax.management.remote.TargetedNotification",
	.flags = JAVA_SERIALIZABLE,
	.fields = { { 'L', "id", "Ljava/lang/Integer;" },
		    { 'L', "notif", "Ljavax/management/Notification;" } },
};

static const struct java_shape notification = {
	.name = "javax.management.Notification",
	.flags = JAVA_SERIALIZABLE,
	.fields = { { 'J', "sequenceNumber", NULL },
		    { 'J', "timeStamp", NULL },
		    { 'L', "message", "Ljava/lang/String;" },
		    { 'L', "type", "Ljava/lang/String;" },
		    { 'L', "userData", "Ljava/lang/Object;" } },
};

static const struct java_shape integer = {
	.name = "java.lang.Integer",
	.flags = JAVA_SERIALIZABLE,
	.fields = { { 'I', "value", NULL } },
};

static void add_integer(struct text *out, uint32_t number)
{
	java_write_object(out, &integer, JAVA_OF_RMI);
	java_write_u32(out, number);
}

/* Returns the listener id 7. */
static void add_listener(struct text *out)
{
	stand_in_head(out);
	java_write_array(out, "[Ljava.lang.Integer;", 1, JAVA_OF_RMI);
	add_integer(out, 7);
}

static void begin_result(struct text *out, int64_t earliest, int64_t next,
			 uint32_t count)
{
	stand_in_head(out);
	java_write_object(out, &result, JAVA_OF_RMI);
	java_write_u64(out, (uint64_t)earliest);
	java_write_u64(out, (uint64_t)next);
	java_write_array(out, "[Ljavax.management.remote.TargetedNotification;",
			 count, JAVA_OF_RMI);
}

static void add_notification(struct text *out, uint32_t id, uint64_t number,
			     uint32_t ints)
{
	java_write_object(out, &targeted, JAVA_OF_RMI);
	add_integer(out, id);
	java_write_object(out, &notification, JAVA_OF_RMI);
	java_write_u64(out, number);
	java_write_u64(out, 1234);
	java_write_text(out, "it happened");
	java_write_text(out, "a.type");
	java_write_array(out, "[I", ints, JAVA_OF_RMI);
	for (uint32_t i = 0; i < ints; i++)
		java_write_u32(out, i);
}

struct heard {
	size_t count;
	int64_t lost, last;
};

static int hear(void *self, const struct jmx_notification *n, struct error *err)
{
	struct heard *heard = self;

	(void)err;
	if (strcmp(n->type, "sjkc.lost") == 0) {
		heard->lost += n->sequence;
		return 0;
	}
	assert_string_equal(n->object, "a:b=c");
	assert_string_equal(n->type, "a.type");
	assert_string_equal(n->message, "it happened");
	assert_int_equal(n->time_ms, 1234);
	heard->last = n->sequence;
	heard->count++;
	return 0;
}

static struct jmx *listen_at(struct stand_in *s)
{
	struct jmx_target o = { 0 };
	struct error err;
	struct jmx *j;

	stand_in_start(s);
	o.address = s->target;
	j = rmi_client_open(&o, &err);
	if (!j || jmx_listen(j, "a:b=c", &err))
		fail_msg("%s", err.text);
	return j;
}

/*
 * The sequence starts at 100.  Ten notifications arrive, three of them for
 * another listener; five are lost.
 */
static enum stand_in_next tell_some(struct stand_in *s,
				    const struct stand_in_call *call,
				    struct text *out)
{
	(void)s;
	if (call->method == JMX_ADD_LISTENERS) {
		add_listener(out);
	} else if (call->from == -1) {
		begin_result(out, 90, 100, 0);
	} else if (call->from == 100) {
		begin_result(out, 105, 115, 10);
		for (uint64_t i = 0; i < 10; i++)
			add_notification(out, i < 3 ? 8 : 7, 105 + i, 3);
	} else {
		begin_result(out, 105, call->from, 0);
	}
	return STAND_IN_GO_ON;
}

static void notifications_arrive_and_losses_are_counted(void **state)
{
	struct stand_in s = { .script = tell_some };
	struct heard heard = { 0 };
	struct error err;
	struct jmx *j = listen_at(&s);

	(void)state;
	assert_int_equal(jmx_fetch(j, CLOCK_NS_PER_S, hear, &heard, &err), 0);
	assert_int_equal(heard.count, 7);
	assert_int_equal(heard.lost, 5);
	assert_int_equal(heard.last, 114);
	/* There are no more notifications, and the client does not wait. */
	assert_int_equal(jmx_fetch(j, 0, hear, &heard, &err), 0);
	assert_int_equal(heard.count, 7);
	jmx_close(j);
	stand_in_end(&s);
}

/*
 * A large notification, followed by 100,000 handles to it of five bytes each.
 */
static enum stand_in_next tell_again(struct stand_in *s,
				     const struct stand_in_call *call,
				     struct text *out)
{
	uint32_t times = 100000;

	(void)s;
	if (call->method == JMX_ADD_LISTENERS) {
		add_listener(out);
	} else if (call->from == -1) {
		begin_result(out, 0, 0, 0);
	} else {
		begin_result(out, 0, times, times);
		add_notification(out, 7, 1, 100000);
		/*
		 * Earlier handles: the result's class, its signature, the
		 * result, the array's class, the array, its class, two
		 * signatures.
		 */
		for (uint32_t i = 1; i < times; i++)
			text_add(out, "q\0~\0\10", 5);
	}
	return STAND_IN_GO_ON;
}

static void repeated_large_notification_is_bounded(void **state)
{
	struct stand_in s = { .script = tell_again };
	struct heard heard = { 0 };
	struct error err;
	struct jmx *j = listen_at(&s);

	(void)state;
	if (jmx_fetch(j, CLOCK_NS_PER_S, hear, &heard, &err))
		fail_msg("%s", err.text);
	/* The timeout includes decoding. */
	assert_in_range(heard.count, 1, 100);
	assert_int_equal(heard.count + (size_t)heard.lost, 100000);
	jmx_close(j);
	stand_in_end(&s);
}

/* The second of three notifications is aborted while it is written. */
static enum stand_in_next abort_second(struct stand_in *s,
				       const struct stand_in_call *call,
				       struct text *out)
{
	(void)s;
	if (call->method == JMX_ADD_LISTENERS) {
		add_listener(out);
	} else if (call->from == -1) {
		begin_result(out, 0, 0, 0);
	} else if (call->from == 1 || (call->from == 0 && !s->shared->done++)) {
		stand_in_abort(out, "java.io.NotSerializableException", "a.B");
		return STAND_IN_CLOSE;
	} else if (call->from < 3) {
		begin_result(out, 0, call->from + 1, 1);
		add_notification(out, 7, (uint64_t)call->from, 0);
	} else {
		begin_result(out, 0, call->from, 0);
	}
	return STAND_IN_GO_ON;
}

static void unserializable_notification_is_skipped(void **state)
{
	struct stand_in s = { .script = abort_second };
	struct heard heard = { 0 };
	struct error err;
	struct jmx *j = listen_at(&s);

	(void)state;
	for (int i = 0; i < 4; i++)
		if (jmx_fetch(j, 0, hear, &heard, &err))
			fail_msg("%s", err.text);
	assert_int_equal(heard.count, 2);
	assert_int_equal(heard.lost, 1);
	assert_int_equal(heard.last, 2);
	jmx_close(j);
	stand_in_end(&s);
}

/* Sequence numbers that would overflow. */
static enum stand_in_next tell_nonsense(struct stand_in *s,
					const struct stand_in_call *call,
					struct text *out)
{
	if (call->method == JMX_ADD_LISTENERS)
		add_listener(out);
	else if (call->from == -1)
		begin_result(out, 0, 0, 0);
	else if (!s->shared->done++)
		begin_result(out, INT64_MAX, INT64_MIN, 0);
	else
		stand_in_null(out);
	return STAND_IN_GO_ON;
}

static void invalid_notification_results_are_rejected(void **state)
{
	struct stand_in s = { .script = tell_nonsense };
	struct heard heard = { 0 };
	struct error err;
	struct jmx *j = listen_at(&s);

	(void)state;
	assert_int_equal(jmx_fetch(j, 0, hear, &heard, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_int_equal(jmx_fetch(j, 0, hear, &heard, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	jmx_close(j);
	stand_in_end(&s);
}

static enum stand_in_next tell_nothing(struct stand_in *s,
				       const struct stand_in_call *call,
				       struct text *out)
{
	(void)s;
	if (call->method == JMX_ADD_LISTENERS)
		add_listener(out);
	else
		begin_result(out, 0, 0, 0);
	return STAND_IN_GO_ON;
}

static void fetching_renews_the_lease(void **state)
{
	struct stand_in s = { .script = tell_nothing, .lease_ms = 100 };
	struct heard heard = { 0 };
	struct error err;
	int64_t began_ns = clock_monotonic_ns();
	struct jmx *j = listen_at(&s);

	(void)state;
	for (int i = 0; i < 60 && s.shared->leases < 3; i++)
		assert_int_equal(
			jmx_fetch(j, CLOCK_NS_PER_S, hear, &heard, &err), 0);
	/* One at the login, then one every 50 ms; the session is acknowledged
	 * once. */
	assert_in_range(s.shared->leases, 3,
			1 + (clock_monotonic_ns() - began_ns) /
					(50 * CLOCK_NS_PER_MS));
	assert_int_equal(s.shared->acks, 2);
	assert_int_equal(s.shared->logins, 1);
	jmx_close(j);
	stand_in_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notifications_arrive_and_losses_are_counted),
		cmocka_unit_test(repeated_large_notification_is_bounded),
		cmocka_unit_test(unserializable_notification_is_skipped),
		cmocka_unit_test(invalid_notification_results_are_rejected),
		cmocka_unit_test(fetching_renews_the_lease),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
