/* SPDX-License-Identifier: Apache-2.0 */
/* Collections over a JMX connection that a test answers. */
#include "jmx_http/threads/jmx_gc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define BEAN "java.lang:type=GarbageCollector,name=PS Scavenge"

/* The state of the JVM. */
struct stand_in {
	struct jmx jmx;
	int64_t id;       /* of the last collection */
	int64_t capacity; /* of a pool; 0: pools without sizes */
	bool has_notifications;
	int64_t lost; /* notifications that were discarded */
};

static void member_of(struct arena *a, struct value_member *m, const char *name,
		      int64_t integer)
{
	m->name = name;
	m->value = value_integer(a, "long", integer);
}

static struct value *composite(struct arena *a, struct value_member *members,
			       size_t count)
{
	struct value *v = value_new(a, VALUE_COMPOSITE, "");

	v->members.at = members;
	v->members.count = count;
	return v;
}

static struct value *usage(struct arena *a, int64_t used, int64_t committed)
{
	struct value_member *m = arena_alloc(a, 2 * sizeof(*m));

	member_of(a, &m[0], "used", used);
	member_of(a, &m[1], "committed", committed);
	return composite(a, m, 2);
}

/* Two pools of the heap, and one outside of it. */
static struct value *pools(struct arena *a, int64_t used, int64_t committed)
{
	static const char *const names[] = { "PS Eden Space", "PS Old Gen",
					     "Metaspace" };
	struct value_member *m = arena_alloc(a, 3 * sizeof(*m));

	for (int i = 0; i < 3; i++)
		m[i] = (struct value_member){ names[i],
					      usage(a, used, committed) };
	return composite(a, m, 3);
}

static struct value *info_of(const struct stand_in *s, struct arena *a)
{
	struct value_member *m = arena_alloc(a, 5 * sizeof(*m));
	int64_t used = s->capacity ? 10 : 0;

	member_of(a, &m[0], "id", s->id);
	member_of(a, &m[1], "duration", 7);
	member_of(a, &m[2], "endTime", 5000);
	m[3] = (struct value_member){ "memoryUsageBeforeGc",
				      pools(a, 2 * used, s->capacity) };
	m[4] = (struct value_member){ "memoryUsageAfterGc",
				      pools(a, used, s->capacity) };
	return composite(a, m, 5);
}

static const struct value *answer(const struct stand_in *s,
				  const struct jmx_request *r, struct arena *a)
{
	struct value_member *m = arena_alloc(a, 2 * sizeof(*m));
	const struct value **names;
	struct value *v;

	if (r->verb == JMX_QUERY) {
		names = arena_alloc(a, sizeof(*names));
		names[0] = value_text(a, VALUE_NAME, "", BEAN, strlen(BEAN));
		v = value_new(a, VALUE_ARRAY, "");
		v->list.at = names;
		v->list.count = 1;
		return v;
	}
	if (strcmp(r->object, BEAN) != 0) {
		member_of(a, m, "StartTime", 1000000);
		return composite(a, m, 1);
	}
	member_of(a, &m[0], "CollectionCount", s->id);
	m[1] = (struct value_member){ "LastGcInfo", info_of(s, a) };
	return composite(a, m, 2);
}

static int run(struct jmx *j, const struct jmx_request *requests, size_t count,
	       jmx_reply_fn *fn, void *self, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct arena own = { 0 }, *a = j->keep ? j->keep : &own;
		struct jmx_reply reply = {
			.value = answer((struct stand_in *)j, &requests[i], a),
		};
		int ret = fn(self, i, &reply, err);

		arena_release(&own);
		if (ret)
			return -1;
	}
	return 0;
}

static int listen_to(struct jmx *j, const char *object, struct error *err)
{
	(void)object;
	if (((struct stand_in *)j)->has_notifications)
		return 0;
	return (fail)(err, ERROR_UNAVAILABLE, "no notifications");
}

static int fetch(struct jmx *j, int64_t timeout_ns, jmx_notification_fn *fn,
		 void *self, struct error *err)
{
	struct stand_in *s = (struct stand_in *)j;
	struct jmx_notification n = { .object = "",
				      .type = "sjkc.lost",
				      .message = "",
				      .sequence = s->lost };
	struct arena a = { 0 };
	struct value_member *m = arena_alloc(&a, 3 * sizeof(*m));
	int ret;

	(void)timeout_ns;
	if (s->lost && fn(self, &n, err))
		return -1;
	s->lost = 0;
	m[0] = (struct value_member){ "gcName",
				      value_string(&a, "PS Scavenge") };
	m[1] = (struct value_member){ "gcCause",
				      value_string(&a, "Allocation Failure") };
	m[2] = (struct value_member){ "gcInfo", info_of(s, &a) };
	n = (struct jmx_notification){
		.object = "java.lang:name=PS Scavenge,type=GarbageCollector",
		.type = "com.sun.management.gc.notification",
		.message = "",
		.user_data = composite(&a, m, 3),
	};
	ret = fn(self, &n, err);
	arena_release(&a);
	return ret;
}

static const struct jmx_ops ops = {
	.name = "script", .run = run, .listen = listen_to, .fetch = fetch
};

static struct gc_source *open_stand_in(struct stand_in *s)
{
	struct error err;
	struct gc_source *source;

	s->jmx = (struct jmx){ .ops = &ops, .title = "t", .version = "" };
	source = jmx_gc_open(&s->jmx, &err);
	if (!source)
		fail_msg("%s", err.text);
	return source;
}

/* Waits for the next reading; the test has no deadline of its own. */
static struct gc_pause next(struct gc_source *source)
{
	const struct timespec wait = { 0, 10000000 };
	struct gc_pause p;
	struct error err;
	enum gc_next got;

	while ((got = gc_source_next(source, &p, &err)) == GC_NEXT_LATER)
		nanosleep(&wait, NULL);
	assert_int_equal(got, GC_NEXT_RECORD);
	return p;
}

static uint64_t lost_of(const struct gc_source *source)
{
	struct gc_lost lost;

	gc_source_lost(source, &lost);
	return lost.pauses;
}

static void collections_between_two_readings_are_counted(void **state)
{
	struct stand_in s = { .id = 3, .capacity = 50 };
	struct gc_source *source = open_stand_in(&s);
	struct gc_pause p;

	(void)state;
	assert_false(source->columns & (GC_HAS_STOPPED | GC_HAS_CAUSE));
	s.id = 4;
	p = next(source);
	assert_int_equal(p.number, 4);
	assert_int_equal(p.kind, GC_YOUNG);
	assert_string_equal(p.collector, "Parallel");
	assert_int_equal(p.gc_ns, 7000000);
	assert_int_equal(p.stopped_ns, GC_ABSENT);
	assert_int_equal(p.uptime_ns, 5000000000);
	assert_int_equal(p.end_ns, 1005000000000);
	/* Metaspace is not a part of the heap. */
	assert_int_equal(p.before, 40);
	assert_int_equal(p.after, 20);
	assert_int_equal(p.committed, 100);
	assert_int_equal(lost_of(source), 0);
	s.id = 9;
	assert_int_equal(next(source).number, 9);
	assert_int_equal(lost_of(source), 4);
	gc_source_close(source);
}

static void notifications_have_causes_and_report_losses(void **state)
{
	struct stand_in s = { .id = 1, .has_notifications = true, .lost = 6 };
	struct gc_source *source = open_stand_in(&s);
	struct gc_pause p;

	(void)state;
	assert_true(source->columns & GC_HAS_CAUSE);
	p = next(source);
	assert_string_equal(p.cause, "Allocation Failure");
	assert_int_equal(p.kind, GC_YOUNG);
	/* Pools without sizes are unknown, not empty. */
	assert_int_equal(p.after, GC_ABSENT);
	assert_int_equal(p.committed, GC_ABSENT);
	assert_int_equal(lost_of(source), 6);
	gc_source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collections_between_two_readings_are_counted),
		cmocka_unit_test(notifications_have_causes_and_report_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
